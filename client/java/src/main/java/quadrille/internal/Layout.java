// SPDX-License-Identifier: Apache-2.0
package quadrille.internal;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.Type;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How the fields of a message are written and read, in the order of their numbers. */
public final class Layout {
    // Bytes that are no column of one byte per entry.
    private static final Set<String> OPAQUE = Set.of("resume", "resume_key", "relay", "payload", "enter_payload");

    /** One field. */
    public static final class Field {
        public final String name;
        public final int number;
        public final Type type;
        /** One value per entry, in one block of bytes. */
        public final boolean isColumn;
        public final boolean isRepeated;
        final boolean hasPresence;
        final int width;
        final int tag;

        Field(FieldDescriptor field) {
            name = field.getName();
            number = field.getNumber();
            type = field.getType();
            isRepeated = field.isRepeated();
            isColumn = isRepeated && fixedWidth() > 0 || type == Type.BYTES && !OPAQUE.contains(name);
            hasPresence = field.getContainingOneof() != null || type == Type.MESSAGE;
            width = type == Type.BYTES ? 1 : fixedWidth();
            boolean hasLength = isRepeated || type == Type.BYTES || type == Type.STRING || type == Type.MESSAGE;
            tag = number << 3 | (hasLength ? 2 : fixedWire());
        }

        private int fixedWidth() {
            return switch (type) {
                case FIXED32, FLOAT -> 4;
                case FIXED64, DOUBLE -> 8;
                default -> 0;
            };
        }

        int fixedWire() {
            return switch (fixedWidth()) {
                case 4 -> 5;
                case 8 -> 1;
                default -> 0;
            };
        }

        /** The column as an array of its type. Ints also stand for bytes, and for longs as unsigned numbers. */
        public Object fit(Object column) {
            Object own = array(0);
            if (own.getClass() == column.getClass()) {
                return column;
            }
            if (column instanceof int[] ints && own instanceof byte[]) {
                byte[] bytes = new byte[ints.length];
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = (byte) ints[i];
                }
                return bytes;
            }
            if (column instanceof int[] ints && own instanceof long[]) {
                return java.util.Arrays.stream(ints).mapToLong(Integer::toUnsignedLong).toArray();
            }
            if (column instanceof int[] ints && own instanceof float[] floats) {
                floats = new float[ints.length];
                for (int i = 0; i < floats.length; i++) {
                    floats[i] = ints[i];
                }
                return floats;
            }
            throw new IllegalArgumentException(name + " is a " + column.getClass().getSimpleName() + "; must be a "
                    + own.getClass().getSimpleName());
        }

        /** An array of the column's type. */
        public Object array(int size) {
            return switch (type) {
                case FLOAT -> new float[size];
                case DOUBLE -> new double[size];
                case FIXED32 -> new int[size];
                case FIXED64 -> new long[size];
                default -> new byte[size];
            };
        }
    }

    public final List<Field> fields = new ArrayList<>();
    public final Map<String, Field> columns = new HashMap<>();
    /** Whether it has messages inside, or texts in a list: the protobuf library reads it. */
    final boolean isNested;
    private final Map<Integer, Field> byTag = new HashMap<>();
    private final Map<String, Field> byName = new HashMap<>();

    Layout(Descriptor descriptor) {
        descriptor.getFields().forEach(field -> fields.add(new Field(field)));
        fields.sort(Comparator.comparingInt(field -> field.number));
        boolean nested = false;
        for (Field field : fields) {
            byTag.put(field.tag, field);
            byName.put(field.name, field);
            if (field.isColumn) {
                columns.put(field.name, field);
            }
            // A repeated field may come unpacked.
            if (field.isRepeated && field.isColumn) {
                byTag.put(field.number << 3 | field.fixedWire(), field);
            }
            nested |= field.type == Type.MESSAGE || field.isRepeated && !field.isColumn;
        }
        isNested = nested;
    }

    /** Null: the message has no such field. */
    public Field field(String name) {
        return byName.get(name);
    }

    Field byTag(int tag) {
        return byTag.get(tag);
    }
}
