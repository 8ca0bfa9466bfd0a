// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.List;
import quadrille.internal.Columns;
import quadrille.internal.Fields;

/** The present entities of a room as columns, with the names of SnapshotResult in quadrille.proto, by ascending id. */
public final class Snapshot {
    private final Fields columns = new Fields();

    private Snapshot() {
    }

    static Snapshot of(List<?> frames) {
        Snapshot snapshot = new Snapshot();
        for (Object frame : frames) {
            ((Fields) frame).all().forEach((name, value) -> {
                if (Columns.isColumn(value)) {
                    Object before = snapshot.columns.get(name);
                    snapshot.columns.put(name, before == null ? value : Columns.join(before, value));
                }
            });
        }
        return snapshot;
    }

    /** The number of entities. */
    public int size() {
        return ids().length;
    }

    /** The ids, unsigned. */
    public int[] ids() {
        return columns.ints("id");
    }

    /** A column of floats, such as "x"; null: it is 0 for all. */
    public float[] floats(String column) {
        return columns.floats(column);
    }

    /** The column "category" or "mask". */
    public int[] ints(String column) {
        return columns.ints(column);
    }

    /** The number of a Shape per entity. */
    public byte[] shapes() {
        return columns.bytes("shape");
    }
}
