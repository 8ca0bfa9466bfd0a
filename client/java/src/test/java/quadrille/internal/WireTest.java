// SPDX-License-Identifier: Apache-2.0
package quadrille.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import quadrille.v1.ClientFrame;
import quadrille.v1.Pong;
import quadrille.v1.ServerFrame;
import quadrille.v1.Spawn;
import quadrille.v1.Tick;

/** Frames: the SDK's own paths against the protobuf library. */
final class WireTest {
    private static Wire.Frame decode(byte[] bytes) {
        return Wire.decode(ByteBuffer.wrap(bytes));
    }

    @Test
    void batch_is_what_protobuf_encodes() {
        Fields fields = Fields.of("room", 300L, "id", new int[] {1, -1}, "x", new float[] {0.5f, -1.25f},
                "y", new float[] {0.5f, -1.25f}, "shape", new byte[] {1, 2}, "room_owned", true);
        ClientFrame expected = ClientFrame.newBuilder().setSeq(7).setConfirm(true).setSpawn(Spawn.newBuilder()
                .setRoom(300).addId(1).addId(-1).addX(0.5f).addX(-1.25f).addY(0.5f).addY(-1.25f)
                .setShape(ByteString.copyFrom(new byte[] {1, 2})).setRoomOwned(true)).build();
        assertArrayEquals(expected.toByteArray(), Wire.encode("spawn", fields, 7, true));
    }

    @Test
    void tick_of_protobuf_decodes_to_columns() {
        Tick tick = Tick.newBuilder().setRoom(1).setTick(1L << 60).setLast(true).addBeginA(1).addBeginA(2).addBeginB(3)
                .addBeginB(4).build();
        Wire.Frame frame = decode(ServerFrame.newBuilder().setTick(tick).build().toByteArray());
        assertEquals(List.of(0L, "tick"), List.of(frame.seq(), frame.kind()));
        assertEquals(1L << 60, frame.fields().number("tick"));
        assertArrayEquals(new int[] {1, 2}, frame.fields().ints("begin_a"));
        assertArrayEquals(new int[] {3, 4}, frame.fields().ints("begin_b"));
        assertFalse(frame.fields().has("end_a"));
    }

    @Test
    void unpacked_and_split_columns_decode() {
        // Field 11: one value, then two packed ones.
        byte[] bytes = {0x3a, 17, 0x5d, 1, 0, 0, 0, 0x5a, 4, 2, 0, 0, 0, 0x5a, 4, 3, 0, 0, 0};
        assertArrayEquals(new int[] {1, 2, 3}, decode(bytes).fields().ints("begin_a"));
    }

    @Test
    void unknown_fields_and_messages_are_skipped() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(new byte[] {(byte) 0xf8, 0x7f, 5});
        bytes.writeBytes(ServerFrame.newBuilder().setSeq(3).setPong(Pong.newBuilder().setData(9)).build()
                .toByteArray());
        bytes.writeBytes(new byte[] {(byte) 0xfa, 0x7f, 1, 'x'});
        Wire.Frame frame = decode(bytes.toByteArray());
        assertEquals(List.of(3L, "pong", 9L), List.of(frame.seq(), frame.kind(), frame.fields().number("data")));
        assertNull(decode(new byte[0]).kind());
    }

    @Test
    void broken_bytes_are_malformed() {
        byte[] whole = ServerFrame.newBuilder().setSeq(3)
                .setTick(Tick.newBuilder().setRoom(1).addBeginA(1).addBeginB(2)).build().toByteArray();
        Random random = new Random(1);
        for (int i = 0; i < 5000; i++) {
            byte[] bytes = Arrays.copyOf(whole, random.nextInt(whole.length + 1));
            if (bytes.length > 0) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            try {
                decode(bytes);
            } catch (MalformedException error) {
                // It may be malformed, and nothing else.
            }
        }
        for (int size = 3; size < whole.length; size++) {
            byte[] part = Arrays.copyOf(whole, size);
            assertThrows(MalformedException.class, () -> decode(part));
        }
    }

    private static List<byte[]> split(Splitter splitter, byte[] bytes) {
        List<byte[]> found = new ArrayList<>();
        splitter.space(bytes.length).put(bytes);
        splitter.filled();
        for (ByteBuffer frame = splitter.next(); frame != null; frame = splitter.next()) {
            byte[] copy = new byte[frame.remaining()];
            frame.get(copy);
            found.add(copy);
        }
        return found;
    }

    @Test
    void stream_in_any_pieces_gives_the_same_frames() {
        ByteBuffer stream = ByteBuffer.allocate(1 << 20);
        List<byte[]> frames = new ArrayList<>();
        for (int size : new int[] {0, 1, 127, 128, 5000, 200000, 7}) {
            byte[] frame = new byte[size];
            Arrays.fill(frame, (byte) frames.size());
            frames.add(frame);
            Wire.putVarint(stream, size);
            stream.put(frame);
        }
        byte[] all = Arrays.copyOf(stream.array(), stream.position());
        for (int piece : new int[] {1, 3, 128, 4096, all.length}) {
            Splitter splitter = new Splitter();
            List<byte[]> found = new ArrayList<>();
            for (int at = 0; at < all.length; at += piece) {
                found.addAll(split(splitter, Arrays.copyOfRange(all, at, Math.min(at + piece, all.length))));
            }
            assertEquals(frames.size(), found.size());
            for (int i = 0; i < frames.size(); i++) {
                assertArrayEquals(frames.get(i), found.get(i));
            }
        }
    }

    @Test
    void frame_above_the_limit_is_malformed() {
        ByteBuffer length = ByteBuffer.allocate(8);
        Wire.putVarint(length, Wire.FRAME_BYTES_MAX + 1);
        byte[] bytes = Arrays.copyOf(length.array(), length.position());
        assertThrows(MalformedException.class, () -> split(new Splitter(), bytes));
        byte[] endless = new byte[6];
        Arrays.fill(endless, (byte) 0xff);
        assertThrows(MalformedException.class, () -> split(new Splitter(), endless));
    }

    @Test
    void varint_size_is_that_of_its_bytes() {
        for (int bits = 0; bits < 64; bits++) {
            for (long value : new long[] {1L << bits, (1L << bits) - 1}) {
                ByteBuffer bytes = ByteBuffer.allocate(16);
                Wire.putVarint(bytes, value);
                assertEquals(bytes.position(), Wire.varintSize(value));
                assertEquals(value, Wire.readVarint(bytes.flip()));
            }
        }
    }
}
