// SPDX-License-Identifier: Apache-2.0
package quadrille.internal;

import java.lang.reflect.Array;
import java.util.Arrays;

/** What columns of any type have in common. A column is an int[], long[], float[], double[] or byte[]. */
public final class Columns {
    private Columns() {
    }

    public static boolean isColumn(Object value) {
        return value != null && value.getClass().isArray();
    }

    public static int size(Object column) {
        return Array.getLength(column);
    }

    public static int bytes(Object column) {
        return size(column) * width(column);
    }

    private static int width(Object column) {
        if (column instanceof byte[]) {
            return 1;
        }
        return column instanceof int[] || column instanceof float[] ? 4 : 8;
    }

    /** An array of the same type, with zeros. */
    public static Object empty(Object column, int size) {
        return Array.newInstance(column.getClass().getComponentType(), size);
    }

    /** Rows first to end - 1; zeros behind the last one. */
    @SuppressWarnings("SuspiciousSystemArraycopy")
    public static Object slice(Object column, int first, int end) {
        Object part = empty(column, end - first);
        System.arraycopy(column, first, part, 0, Math.min(end, size(column)) - first);
        return part;
    }

    public static Object copy(Object column) {
        return slice(column, 0, size(column));
    }

    /** The rows of these numbers. */
    public static Object take(Object column, int[] rows) {
        Object part = empty(column, rows.length);
        for (int i = 0; i < rows.length; i++) {
            copyRow(column, rows[i], part, i);
        }
        return part;
    }

    @SuppressWarnings("SuspiciousSystemArraycopy")
    public static void copyRow(Object from, int row, Object to, int at) {
        System.arraycopy(from, row, to, at, 1);
    }

    /** A column of `count` rows that all have the value of this row. */
    public static Object repeat(Object column, int count) {
        Object part = empty(column, count);
        for (int i = 0; i < count; i++) {
            copyRow(column, 0, part, i);
        }
        return part;
    }

    public static Object join(Object a, Object b) {
        Object both = slice(a, 0, size(a) + size(b));
        System.arraycopy(b, 0, both, size(a), size(b));
        return both;
    }

    public static int[] range(int first, int count) {
        int[] rows = new int[count];
        Arrays.setAll(rows, i -> first + i);
        return rows;
    }
}
