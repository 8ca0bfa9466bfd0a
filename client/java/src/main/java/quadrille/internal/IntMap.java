// SPDX-License-Identifier: Apache-2.0
package quadrille.internal;

import java.util.Arrays;

/** A hash table from any int to an int of 0 or more, with linear probing. */
public final class IntMap {
    /** get() and remove(): there is no such key. */
    public static final int NONE = -1;

    private static final int SIZE_MIN = 8;

    private int[] keys = new int[SIZE_MIN];
    private int[] values = filled(SIZE_MIN);
    private int count;

    /** Receives each key and its value. */
    public interface Visitor {
        void visit(int key, int value);
    }

    private static int[] filled(int size) {
        int[] values = new int[size];
        Arrays.fill(values, NONE);
        return values;
    }

    private int home(int key) {
        return (key * 0x9E3779B9) >>> Integer.numberOfLeadingZeros(keys.length - 1);
    }

    private int find(int key) {
        int mask = keys.length - 1;
        int at = home(key);
        while (values[at] != NONE && keys[at] != key) {
            at = at + 1 & mask;
        }
        return at;
    }

    public int size() {
        return count;
    }

    public int get(int key) {
        return values[find(key)];
    }

    public boolean has(int key) {
        return values[find(key)] != NONE;
    }

    /** Returns the value before, or NONE. */
    public int put(int key, int value) {
        if (4 * (count + 1) > 3 * keys.length) {
            grow();
        }
        int at = find(key);
        int before = values[at];
        keys[at] = key;
        values[at] = value;
        count += before == NONE ? 1 : 0;
        return before;
    }

    private void grow() {
        int[] oldKeys = keys;
        int[] oldValues = values;
        keys = new int[2 * oldKeys.length];
        values = filled(keys.length);
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldValues[i] != NONE) {
                int at = find(oldKeys[i]);
                keys[at] = oldKeys[i];
                values[at] = oldValues[i];
            }
        }
    }

    /** Returns the value, or NONE. */
    public int remove(int key) {
        int mask = keys.length - 1;
        int hole = find(key);
        int before = values[hole];
        if (before == NONE) {
            return NONE;
        }
        // Keys behind the hole move into it unless their home lies between.
        for (int at = hole + 1 & mask; values[at] != NONE; at = at + 1 & mask) {
            if ((at - home(keys[at]) & mask) >= (at - hole & mask)) {
                keys[hole] = keys[at];
                values[hole] = values[at];
                hole = at;
            }
        }
        values[hole] = NONE;
        count--;
        return before;
    }

    public void forEach(Visitor visitor) {
        for (int i = 0; i < keys.length; i++) {
            if (values[i] != NONE) {
                visitor.visit(keys[i], values[i]);
            }
        }
    }

    /** In the order of values(). */
    public int[] keys() {
        int[] found = new int[count];
        int n = 0;
        for (int i = 0; i < keys.length; i++) {
            if (values[i] != NONE) {
                found[n++] = keys[i];
            }
        }
        return found;
    }

    public int[] values() {
        return Arrays.stream(values).filter(value -> value != NONE).toArray();
    }
}
