// SPDX-License-Identifier: Apache-2.0
package quadrille.internal;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.Type;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import quadrille.v1.ClientFrame;
import quadrille.v1.ServerFrame;

/**
 * Frames: columns go into bytes and come out of them without an object per entity. A table per message, made from the
 * descriptors of the generated code, drives both directions. The protobuf library decodes messages with messages
 * inside.
 */
public final class Wire {
    /** Of the server's frames. */
    public static final int FRAME_BYTES_MAX = 2 << 20;

    private static final Map<String, Kind> CLIENT = kinds(ClientFrame.getDescriptor());
    private static final Map<Integer, Kind> SERVER_BY_TAG = new HashMap<>();
    private static final int CONFIRM = ClientFrame.CONFIRM_FIELD_NUMBER;
    private static final int SEQ_TAG = ClientFrame.SEQ_FIELD_NUMBER << 3;

    static {
        for (Kind kind : kinds(ServerFrame.getDescriptor()).values()) {
            SERVER_BY_TAG.put(kind.number << 3 | 2, kind);
        }
    }

    /** A message of the envelope. */
    public record Kind(String name, int number, Layout layout, Descriptor descriptor) {
    }

    /** A frame from the server. The kind null is an empty envelope, or a message of a later protocol. Fields are null
     * if the message has messages inside. */
    public record Frame(long seq, String kind, Fields fields, Message message) {
    }

    private Wire() {
    }

    private static Map<String, Kind> kinds(Descriptor frame) {
        Map<String, Kind> found = new HashMap<>();
        for (FieldDescriptor field : frame.getOneofs().get(0).getFields()) {
            Descriptor type = field.getMessageType();
            found.put(field.getName(), new Kind(field.getName(), field.getNumber(), new Layout(type), type));
        }
        return found;
    }

    /** The kind of a request; null: there is none of that name. */
    public static Kind client(String kind) {
        return CLIENT.get(kind);
    }

    // ---- encoding ----

    /** The bytes of a frame, without its length. */
    public static int size(String kind, Fields fields, long seq, boolean confirm) {
        Kind known = CLIENT.get(kind);
        int message = messageSize(known.layout, fields);
        int tag = varintSize(known.number << 3 | 2);
        return (seq != 0 ? 1 + varintSize(seq) : 0) + tag + varintSize(message) + message + (confirm ? 3 : 0);
    }

    /** Puts a frame without its length. */
    public static void put(ByteBuffer out, String kind, Fields fields, long seq, boolean confirm) {
        Kind known = CLIENT.get(kind);
        out.order(ByteOrder.LITTLE_ENDIAN);
        if (seq != 0) {
            out.put((byte) SEQ_TAG);
            putVarint(out, seq);
        }
        boolean isFirst = known.number > CONFIRM; // fields go by their numbers
        if (confirm && isFirst) {
            putConfirm(out);
        }
        putVarint(out, known.number << 3 | 2);
        putVarint(out, messageSize(known.layout, fields));
        for (Layout.Field field : known.layout.fields) {
            Object value = fields.get(field.name);
            if (value != null && isPresent(field, value)) {
                putField(out, field, value);
            }
        }
        if (confirm && !isFirst) {
            putConfirm(out);
        }
    }

    /** A frame without its length. */
    public static byte[] encode(String kind, Fields fields, long seq, boolean confirm) {
        ByteBuffer out = ByteBuffer.allocate(size(kind, fields, seq, confirm));
        put(out, kind, fields, seq, confirm);
        return out.array();
    }

    private static void putConfirm(ByteBuffer out) {
        putVarint(out, CONFIRM << 3);
        out.put((byte) 1);
    }

    /** The bytes that one entry of a batch takes. */
    public static int rowBytes(String kind, Fields fields) {
        int bytes = 0;
        for (Layout.Field field : CLIENT.get(kind).layout.columns.values()) {
            bytes += fields.has(field.name) ? field.width : 0;
        }
        return bytes;
    }

    private static boolean isPresent(Layout.Field field, Object value) {
        if (field.isColumn) {
            return Columns.size(value) > 0;
        }
        if (field.hasPresence || value instanceof List) {
            return true;
        }
        if (value instanceof Boolean flag) {
            return flag;
        }
        if (value instanceof Number number) {
            return number.doubleValue() != 0;
        }
        return value instanceof String text ? !text.isEmpty() : Columns.size(value) > 0;
    }

    private static int messageSize(Layout layout, Fields fields) {
        int size = 0;
        for (Layout.Field field : layout.fields) {
            Object value = fields.get(field.name);
            if (value != null && isPresent(field, value)) {
                size += fieldSize(field, value);
            }
        }
        return size;
    }

    private static int fieldSize(Layout.Field field, Object value) {
        int tag = varintSize(field.tag);
        if (field.isColumn) {
            int bytes = Columns.size(value) * field.width;
            return tag + varintSize(bytes) + bytes;
        }
        if (value instanceof List<?> texts) {
            int size = 0;
            for (Object each : texts) {
                size += tag + blockSize(bytesOf(each).length);
            }
            return size;
        }
        if (value instanceof Message message) {
            return tag + blockSize(message.getSerializedSize());
        }
        if (value instanceof String || value instanceof byte[]) {
            return tag + blockSize(bytesOf(value).length);
        }
        return tag + (field.width > 0 ? field.width : varintSize(varintOf(field, value)));
    }

    private static int blockSize(int bytes) {
        return varintSize(bytes) + bytes;
    }

    private static byte[] bytesOf(Object value) {
        return value instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : (byte[]) value;
    }

    private static long varintOf(Layout.Field field, Object value) {
        if (value instanceof Boolean flag) {
            return flag ? 1 : 0;
        }
        long number = ((Number) value).longValue();
        if (field.type == Type.SINT32) {
            int each = (int) number;
            return (each << 1 ^ each >> 31) & 0xFFFFFFFFL;
        }
        return field.type == Type.UINT32 ? number & 0xFFFFFFFFL : number;
    }

    private static void putField(ByteBuffer out, Layout.Field field, Object value) {
        if (value instanceof List<?> texts) {
            for (Object each : texts) {
                putBlock(out, field, bytesOf(each));
            }
            return;
        }
        if (field.isColumn) {
            putVarint(out, field.tag);
            putVarint(out, (long) Columns.size(value) * field.width);
            putColumn(out, value);
        } else if (value instanceof Message message) {
            putBlock(out, field, message.toByteArray());
        } else if (value instanceof String || value instanceof byte[]) {
            putBlock(out, field, bytesOf(value));
        } else {
            putVarint(out, field.tag);
            putScalar(out, field, value);
        }
    }

    private static void putScalar(ByteBuffer out, Layout.Field field, Object value) {
        switch (field.type) {
            case FIXED32 -> out.putInt(((Number) value).intValue());
            case FIXED64 -> out.putLong(((Number) value).longValue());
            case FLOAT -> out.putFloat(((Number) value).floatValue());
            case DOUBLE -> out.putDouble(((Number) value).doubleValue());
            default -> putVarint(out, varintOf(field, value));
        }
    }

    private static void putBlock(ByteBuffer out, Layout.Field field, byte[] bytes) {
        putVarint(out, field.tag);
        putVarint(out, bytes.length);
        out.put(bytes);
    }

    private static void putColumn(ByteBuffer out, Object column) {
        if (column instanceof float[] floats) {
            out.asFloatBuffer().put(floats);
        } else if (column instanceof int[] ints) {
            out.asIntBuffer().put(ints);
        } else if (column instanceof long[] longs) {
            out.asLongBuffer().put(longs);
        } else if (column instanceof double[] doubles) {
            out.asDoubleBuffer().put(doubles);
        } else {
            out.put((byte[]) column);
            return;
        }
        out.position(out.position() + Columns.bytes(column));
    }

    public static int varintSize(long value) {
        int bits = 64 - Long.numberOfLeadingZeros(value | 1);
        return (bits + 6) / 7;
    }

    public static void putVarint(ByteBuffer out, long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.put((byte) (rest & 0x7F | 0x80));
            rest >>>= 7;
        }
        out.put((byte) rest);
    }

    // ---- decoding ----

    /** Decodes a ServerFrame without its length, from the position to the limit. Throws MalformedException. */
    public static Frame decode(ByteBuffer in) {
        in.order(ByteOrder.LITTLE_ENDIAN);
        long seq = 0;
        Kind kind = null;
        Fields fields = null;
        Message message = null;
        try {
            while (in.hasRemaining()) {
                int tag = (int) readVarint(in);
                Kind known = SERVER_BY_TAG.get(tag);
                if (tag == SEQ_TAG) {
                    seq = readVarint(in);
                } else if (known != null) {
                    kind = known;
                    ByteBuffer block = block(in);
                    message = known.layout.isNested ? parse(known, block) : null;
                    fields = known.layout.isNested ? null : readFields(known.layout, block);
                } else {
                    skip(in, tag & 7);
                }
            }
        } catch (BufferUnderflowException error) {
            throw new MalformedException("a field ends behind its frame");
        }
        return new Frame(seq, kind == null ? null : kind.name, fields, message);
    }

    private static ByteBuffer block(ByteBuffer in) {
        long size = readVarint(in);
        if (size < 0 || size > in.remaining()) {
            throw new MalformedException("a field of " + Long.toUnsignedString(size)
                    + " bytes ends behind its message");
        }
        ByteBuffer block = in.slice(in.position(), (int) size).order(ByteOrder.LITTLE_ENDIAN);
        in.position(in.position() + (int) size);
        return block;
    }

    private static Message parse(Kind kind, ByteBuffer block) {
        try {
            FieldDescriptor field = ServerFrame.getDescriptor().findFieldByNumber(kind.number);
            return ServerFrame.newBuilder().newBuilderForField(field)
                    .mergeFrom(com.google.protobuf.ByteString.copyFrom(block)).build();
        } catch (InvalidProtocolBufferException error) {
            throw new MalformedException(kind.name + ": " + error.getMessage());
        }
    }

    private static Fields readFields(Layout layout, ByteBuffer in) {
        Fields found = new Fields();
        while (in.hasRemaining()) {
            int tag = (int) readVarint(in);
            Layout.Field field = layout.byTag(tag);
            if (field == null) {
                skip(in, tag & 7);
            } else if ((tag & 7) == 2) {
                readBlock(found, field, block(in));
            } else if ((tag & 7) == 0) {
                found.put(field.name, varintValue(field, readVarint(in)));
            } else {
                readFixed(found, field, in);
            }
        }
        return found;
    }

    private static void readBlock(Fields found, Layout.Field field, ByteBuffer block) {
        if (field.type == Type.STRING) {
            found.put(field.name, StandardCharsets.UTF_8.decode(block).toString());
            return;
        }
        Object column = readColumn(field, block);
        Object before = field.isRepeated ? found.get(field.name) : null;
        found.put(field.name, before == null ? column : Columns.join(before, column));
    }

    private static Object readColumn(Layout.Field field, ByteBuffer block) {
        Object column = field.array(block.remaining() / field.width);
        if (column instanceof float[] floats) {
            block.asFloatBuffer().get(floats);
        } else if (column instanceof int[] ints) {
            block.asIntBuffer().get(ints);
        } else if (column instanceof long[] longs) {
            block.asLongBuffer().get(longs);
        } else if (column instanceof double[] doubles) {
            block.asDoubleBuffer().get(doubles);
        } else {
            block.get((byte[]) column);
        }
        return column;
    }

    private static Object varintValue(Layout.Field field, long value) {
        return switch (field.type) {
            case BOOL -> value != 0;
            case SINT32 -> (int) (value >>> 1) ^ -(int) (value & 1);
            case UINT32 -> value & 0xFFFFFFFFL;
            default -> value;
        };
    }

    private static void readFixed(Fields found, Layout.Field field, ByteBuffer in) {
        if (field.isRepeated) {
            if (in.remaining() < field.width) {
                throw new BufferUnderflowException();
            }
            readBlock(found, field, in.slice(in.position(), field.width).order(ByteOrder.LITTLE_ENDIAN));
            in.position(in.position() + field.width);
            return;
        }
        found.put(field.name, switch (field.type) {
            case FIXED32 -> (Object) in.getInt();
            case FIXED64 -> in.getLong();
            case FLOAT -> in.getFloat();
            default -> in.getDouble();
        });
    }

    public static long readVarint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            byte each = in.get();
            value |= (long) (each & 0x7F) << shift;
            if (each >= 0) {
                return value;
            }
        }
        throw new MalformedException("a varint has more than 10 bytes");
    }

    private static void skip(ByteBuffer in, int wire) {
        switch (wire) {
            case 0 -> readVarint(in);
            case 1 -> in.getLong();
            case 2 -> block(in);
            case 5 -> in.getInt();
            default -> throw new MalformedException("a field has the wire type " + wire + "; must be 0, 1, 2 or 5");
        }
    }
}
