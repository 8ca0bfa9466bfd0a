// SPDX-License-Identifier: Apache-2.0
package quadrille.conformance;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.FieldDescriptor.Type;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import java.io.PrintStream;
import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import quadrille.internal.Fields;
import quadrille.internal.Layout;
import quadrille.internal.Wire;

/** The flat text of messages: tests/conformance/README.md defines it. */
final class FlatText {
    private static final HexFormat HEX = HexFormat.of();

    private FlatText() {
    }

    // ---- printing ----

    static void print(PrintStream out, Descriptor descriptor, Fields fields, String path) {
        for (FieldDescriptor field : descriptor.getFields()) {
            Object value = fields.get(field.getName());
            if (value == null) {
                continue;
            }
            List<String> texts = new ArrayList<>();
            if (field.getType() == Type.BYTES) {
                texts.add(HEX.formatHex((byte[]) value));
            } else if (value.getClass().isArray()) {
                for (int i = 0; i < Array.getLength(value); i++) {
                    texts.add(text(field, Array.get(value, i)));
                }
            } else {
                texts.add(text(field, value));
            }
            out.println(path + "." + field.getName() + "=" + String.join(",", texts));
        }
    }

    static void print(PrintStream out, Message message, String path) {
        for (Map.Entry<FieldDescriptor, Object> each : message.getAllFields().entrySet()) {
            FieldDescriptor field = each.getKey();
            String name = path + "." + field.getName();
            List<?> values = field.isRepeated() ? (List<?>) each.getValue() : List.of(each.getValue());
            if (field.getJavaType() != JavaType.MESSAGE) {
                out.println(name + "=" + values.stream().map(value -> text(field, value))
                        .collect(Collectors.joining(",")));
                continue;
            }
            out.println(name + "=" + values.stream().map(value -> "{}").collect(Collectors.joining(",")));
            for (int i = 0; i < values.size(); i++) {
                print(out, (Message) values.get(i), field.isRepeated() ? name + "[" + i + "]" : name);
            }
        }
    }

    private static String text(FieldDescriptor field, Object value) {
        return switch (field.getType()) {
            case ENUM -> value instanceof EnumValueDescriptor named ? named.getName()
                    : field.getEnumType().findValueByNumber(((Number) value).intValue()).getName();
            case STRING -> HEX.formatHex(value.toString().getBytes(StandardCharsets.UTF_8));
            case BYTES -> HEX.formatHex(((ByteString) value).toByteArray());
            case UINT32, FIXED32 -> Integer.toUnsignedString(((Number) value).intValue());
            case UINT64, FIXED64 -> Long.toUnsignedString(((Number) value).longValue());
            case DOUBLE -> value.toString().replace(".0E", "E").replaceAll("E(?=\\d)", "e+").replace('E', 'e');
            default -> value.toString();
        };
    }

    // ---- reading ----

    /** The fields of Wire.encode(). */
    static Fields read(Wire.Kind kind, Map<String, String> words) {
        Fields fields = new Fields();
        for (FieldDescriptor field : kind.descriptor().getFields()) {
            String name = field.getName();
            String text = words.get(kind.name() + "." + name);
            if (text == null) {
                continue;
            }
            Layout.Field known = kind.layout().field(name);
            if (field.getType() == Type.BYTES) {
                fields.put(name, HEX.parseHex(text));
            } else if (field.getType() == Type.MESSAGE) {
                fields.put(name, readMessage(field.getMessageType(), words, kind.name() + "." + name + "."));
            } else if (known.isColumn) {
                String[] texts = text.split(",");
                Object column = known.array(texts.length);
                for (int i = 0; i < texts.length; i++) {
                    Array.set(column, i, value(field, texts[i]));
                }
                fields.put(name, column);
            } else if (field.isRepeated()) {
                fields.put(name, List.of(text.split(",")).stream().map(each -> value(field, each)).toList());
            } else {
                Object value = value(field, text);
                fields.put(name, value instanceof EnumValueDescriptor named ? (Object) named.getNumber() : value);
            }
        }
        return fields;
    }

    private static Message readMessage(Descriptor descriptor, Map<String, String> words, String prefix) {
        DynamicMessage.Builder message = DynamicMessage.newBuilder(descriptor);
        for (FieldDescriptor field : descriptor.getFields()) {
            String text = words.get(prefix + field.getName());
            if (text != null) {
                message.setField(field, field.getType() == Type.MESSAGE
                        ? readMessage(field.getMessageType(), words, prefix + field.getName() + ".")
                        : value(field, text));
            }
        }
        return message.build();
    }

    private static Object value(FieldDescriptor field, String text) {
        return switch (field.getType()) {
            case ENUM -> field.getEnumType().findValueByName(text);
            case STRING -> new String(HEX.parseHex(text), StandardCharsets.UTF_8);
            case BOOL -> text.equals("true");
            case FLOAT -> floatOf(text);
            case DOUBLE -> Double.parseDouble(text);
            case SINT32 -> Integer.parseInt(text);
            case UINT32, FIXED32 -> Integer.parseUnsignedInt(text);
            default -> Long.parseUnsignedLong(text);
        };
    }

    static float floatOf(String text) {
        return switch (text) {
            case "nan" -> Float.NaN;
            case "inf" -> Float.POSITIVE_INFINITY;
            case "-inf" -> Float.NEGATIVE_INFINITY;
            default -> Float.parseFloat(text);
        };
    }
}
