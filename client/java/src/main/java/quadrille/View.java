// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

/** The entities that one observer sees. Any thread may read them. */
public final class View {
    /** The last reported positions, one row per id; z is 0 in rooms of two dimensions. */
    public record Positions(int[] ids, float[] x, float[] y, float[] z) {
        /** The number of entities. */
        public int size() {
            return ids.length;
        }
    }

    private final Lock lock;
    private final Views views;
    private final int observer;

    View(Lock lock, Views views, int observer) {
        this.lock = lock;
        this.views = views;
        this.observer = observer;
    }

    private <T> T locked(Supplier<T> read) {
        lock.lock();
        try {
            return read.get();
        } finally {
            lock.unlock();
        }
    }

    /** Whether the observer sees that entity. */
    public boolean has(int id) {
        return locked(() -> views.row(observer, id) >= 0);
    }

    /** The number of entities. */
    public int size() {
        return locked(() -> views.size(observer));
    }

    /** The ids, in no particular order. */
    public int[] ids() {
        return locked(() -> views.ids(observer));
    }

    /** An entity; null: the observer does not see it. */
    public Seen get(int id) {
        return locked(() -> views.seen(observer, id));
    }

    /** The ids and last reported positions of all entities. */
    public Positions positions() {
        return locked(() -> views.positions(observer));
    }
}
