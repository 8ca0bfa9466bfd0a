// SPDX-License-Identifier: Apache-2.0
package quadrille;

import quadrille.internal.Columns;
import quadrille.internal.Fields;
import quadrille.internal.Layout;
import quadrille.internal.Wire;

/**
 * Columns of a batch: entry i of each belongs to id i. A column of one value counts for all ids. Arrays are read when
 * the request is made, and may change afterwards.
 *
 * @param <T> the class itself
 */
public abstract class Batch<T extends Batch<T>> {
    final Fields fields = new Fields();
    private final int count;

    Batch(int[] ids) {
        count = ids.length;
        fields.put("id", ids);
    }

    @SuppressWarnings("unchecked")
    private T self() {
        return (T) this;
    }

    T put(String name, Object value) {
        fields.put(name, value);
        return self();
    }

    /** A column of floats, by its name in quadrille.proto. */
    public T column(String name, float... values) {
        return put(name, values);
    }

    /** A column of 32-bit numbers, or of bytes, by its name in quadrille.proto. */
    public T column(String name, int... values) {
        return put(name, values);
    }

    /** A column of 64-bit numbers, by its name in quadrille.proto. */
    public T column(String name, long... values) {
        return put(name, values);
    }

    /** The fields of a request of that kind, with all columns of one length. */
    Fields fieldsOf(String kind) {
        Layout layout = Wire.client(kind).layout();
        Fields checked = new Fields();
        fields.all().forEach((name, value) -> {
            Layout.Field field = layout.field(name);
            if (field == null) {
                throw new IllegalArgumentException("'" + name + "' is no column of " + kind
                        + "; must be one that the message has in quadrille.proto");
            }
            checked.put(name, field.isColumn ? columnOf(field, value) : value);
        });
        return checked;
    }

    private Object columnOf(Layout.Field field, Object value) {
        Object column = field.fit(value);
        int size = Columns.size(column);
        if (size == count || field.name.startsWith("relay_")) {
            return column;
        }
        if (size != 1) {
            throw new IllegalArgumentException(field.name + " has " + size + " values; must be " + count
                    + ", one per id, or 1 for all");
        }
        return Columns.repeat(column, count);
    }
}
