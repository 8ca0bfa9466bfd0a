// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import quadrille.internal.Columns;
import quadrille.internal.Fields;
import quadrille.internal.Wire;

/**
 * A part of a batch that fits in a frame.
 *
 * @param first the index of its first row in the batch
 */
record Split(int first, Fields fields) {
    private static final int PAYLOAD_BYTES_MAX = 32;
    private static final int HEAD_BYTES_MAX = 4096;

    static List<Split> of(String kind, Fields fields, long frameBytesMax) {
        int count = fields.ints("id").length;
        int each = Wire.rowBytes(kind, fields) + (kind.equals("set_description") ? PAYLOAD_BYTES_MAX : 0);
        int most = (int) Math.max(1, (frameBytesMax - HEAD_BYTES_MAX) / Math.max(each, 1));
        if (count <= most || kind.equals("set_roster")) {
            return List.of(new Split(0, fields));
        }
        List<Split> parts = new ArrayList<>();
        int payloadAt = 0;
        for (int first = 0; first < count; first += most) {
            int start = first;
            int end = Math.min(first + most, count);
            Fields part = new Fields();
            fields.all().forEach((name, value) -> {
                boolean isColumn = Columns.isColumn(value) && !name.startsWith("relay_") && !name.equals("payload");
                part.put(name, isColumn ? Columns.slice(value, start, end) : value);
            });
            if (fields.has("payload")) {
                int payloadEnd = payloadAt;
                for (byte size : part.bytes("payload_size")) {
                    payloadEnd += size & 0xFF;
                }
                part.put("payload", Arrays.copyOfRange(fields.bytes("payload"), payloadAt, payloadEnd));
                payloadAt = payloadEnd;
            }
            parts.add(new Split(first, part));
        }
        return parts;
    }
}
