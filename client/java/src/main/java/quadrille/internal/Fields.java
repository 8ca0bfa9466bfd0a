// SPDX-License-Identifier: Apache-2.0
package quadrille.internal;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The present fields of one message, by their names in quadrille.proto. Columns are int[], long[], float[], double[] or
 * byte[]; scalars are Integer, Long, Float, Double, Boolean or String; bytes are byte[].
 */
public final class Fields {
    private static final int[] NO_INTS = {};
    private static final byte[] NO_BYTES = {};

    private final Map<String, Object> values = new LinkedHashMap<>();

    public static Fields of(Object... namesAndValues) {
        Fields fields = new Fields();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return fields;
    }

    /** A null leaves the field absent. */
    public Fields put(String name, Object value) {
        if (value != null) {
            values.put(name, value);
        }
        return this;
    }

    public Fields copy() {
        Fields copy = new Fields();
        copy.values.putAll(values);
        return copy;
    }

    public Map<String, Object> all() {
        return values;
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    public Object get(String name) {
        return values.get(name);
    }

    /** Absent: 0. */
    public long number(String name) {
        Object value = values.get(name);
        return value == null ? 0 : ((Number) value).longValue();
    }

    /** Absent: false. */
    public boolean is(String name) {
        return Boolean.TRUE.equals(values.get(name));
    }

    /** Absent: an empty text. */
    public String text(String name) {
        Object value = values.get(name);
        return value == null ? "" : (String) value;
    }

    /** Absent: an empty column. */
    public int[] ints(String name) {
        Object value = values.get(name);
        return value == null ? NO_INTS : (int[]) value;
    }

    /** Absent: null. */
    public long[] longs(String name) {
        return (long[]) values.get(name);
    }

    /** Absent: null. */
    public float[] floats(String name) {
        return (float[]) values.get(name);
    }

    /** Absent: an empty column. */
    public byte[] bytes(String name) {
        Object value = values.get(name);
        return value == null ? NO_BYTES : (byte[]) value;
    }
}
