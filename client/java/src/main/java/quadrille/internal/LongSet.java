// SPDX-License-Identifier: Apache-2.0
package quadrille.internal;

/** A set of longs other than 0, as a hash table with linear probing. */
public final class LongSet {
    private static final int SIZE_MIN = 16;

    private long[] keys = new long[SIZE_MIN];
    private int count;

    private int home(long key) {
        return (int) (key * 0x9E3779B97F4A7C15L >>> 32) >>> Integer.numberOfLeadingZeros(keys.length - 1);
    }

    public int size() {
        return count;
    }

    public boolean has(long key) {
        return key != 0 && keys[find(key)] == key;
    }

    private int find(long key) {
        long[] table = keys;
        int mask = table.length - 1;
        int at = home(key);
        while (table[at] != 0 && table[at] != key) {
            at = at + 1 & mask;
        }
        return at;
    }

    /** Whether the key is new. */
    public boolean add(long key) {
        int at = find(key);
        if (keys[at] == key) {
            return false;
        }
        if (2 * (count + 1) > keys.length) {
            grow();
            at = find(key);
        }
        keys[at] = key;
        count++;
        return true;
    }

    private void grow() {
        long[] old = keys;
        keys = new long[2 * old.length];
        for (long key : old) {
            if (key != 0) {
                keys[find(key)] = key;
            }
        }
    }

    /** Whether the key was there. */
    public boolean remove(long key) {
        int hole = find(key);
        long[] table = keys;
        if (key == 0 || table[hole] != key) {
            return false;
        }
        int mask = table.length - 1;
        // Keys behind the hole move into it unless their home lies between.
        for (int at = hole + 1 & mask; table[at] != 0; at = at + 1 & mask) {
            if ((at - home(table[at]) & mask) >= (at - hole & mask)) {
                table[hole] = table[at];
                hole = at;
            }
        }
        table[hole] = 0;
        count--;
        return true;
    }

    public long[] toArray() {
        return without(new LongSet());
    }

    /** The keys that the other set does not have. */
    public long[] without(LongSet other) {
        long[] found = new long[count];
        int n = 0;
        for (long key : keys) {
            if (key != 0 && !other.has(key)) {
                found[n++] = key;
            }
        }
        return java.util.Arrays.copyOf(found, n);
    }
}
