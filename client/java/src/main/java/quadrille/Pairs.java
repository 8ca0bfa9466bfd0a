// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import quadrille.internal.ContradictionException;
import quadrille.internal.Fields;
import quadrille.internal.LongSet;

/** The pairs that touch at the last tick; while a reset is on its way, those before it. Any thread may read them. */
public final class Pairs {
    private static final long LOW = 0xFFFFFFFFL;

    /** The difference that a reset has made. */
    record Difference(Rows ended, Rows begun) {
    }

    private final Lock lock;
    private LongSet keys = new LongSet();
    private LongSet next; // what a reset has brought so far; null: there is none
    private boolean isKnown;

    Pairs(Lock lock) {
        this.lock = lock;
    }

    // ---- reading ----

    /** Whether a and b touch, in any order. */
    public boolean has(int a, int b) {
        long key = Integer.compareUnsigned(a, b) < 0 ? key(a, b) : key(b, a);
        return locked(() -> keys.has(key));
    }

    /** The number of pairs. */
    public int size() {
        return locked(keys()::size);
    }

    /** All pairs (a, b) with a below b, unsigned, in no particular order. */
    public Rows rows() {
        return locked(() -> rowsOf(keys.toArray()));
    }

    private LongSet keys() {
        return keys;
    }

    private <T> T locked(Supplier<T> read) {
        lock.lock();
        try {
            return read.get();
        } finally {
            lock.unlock();
        }
    }

    private static long key(int a, int b) {
        return (long) a << 32 | b & LOW;
    }

    private static Rows rowsOf(long[] keys) {
        int[] first = new int[keys.length];
        int[] second = new int[keys.length];
        for (int i = 0; i < keys.length; i++) {
            first[i] = (int) (keys[i] >>> 32);
            second[i] = (int) keys[i];
        }
        return new Rows(first, second);
    }

    // ---- folding ----

    /** Whether it is the set of a whole tick. */
    boolean isKnown() {
        return isKnown;
    }

    boolean isInReset() {
        return next != null;
    }

    /** Folds one frame that is no suspension. At the end of a reset, returns the difference; otherwise null. Throws
     * ContradictionException: then the set is unknown until a reset. */
    Difference apply(Fields fields) {
        int[] endA = fields.ints("end_a");
        int[] endB = fields.ints("end_b");
        int[] beginA = fields.ints("begin_a");
        int[] beginB = fields.ints("begin_b");
        if (fields.is("reset")) {
            next = new LongSet();
        } else if (next == null && !isKnown && beginA.length == 0 && endA.length == 0) {
            return null;
        }
        LongSet set = next != null ? next : keys;
        boolean fits = endA.length == endB.length && beginA.length == beginB.length;
        for (int i = 0; fits && i < endA.length; i++) {
            fits = set.remove(key(endA[i], endB[i]));
        }
        for (int i = 0; fits && i < beginA.length; i++) {
            fits = (beginA[i] | beginB[i]) != 0 && set.add(key(beginA[i], beginB[i]));
        }
        if (!fits) {
            suspend();
            throw new ContradictionException("a pair ends that is not in the set, or begins that is");
        }
        isKnown = fields.is("last");
        if (next == null || !isKnown) {
            return null;
        }
        LongSet before = keys;
        keys = next;
        next = null;
        return new Difference(rowsOf(before.without(keys)), rowsOf(keys.without(before)));
    }

    /** Nothing is known until a reset. */
    void suspend() {
        next = new LongSet();
        isKnown = false;
    }
}
