// SPDX-License-Identifier: Apache-2.0
package quadrille.internal;

import java.nio.ByteBuffer;

/** Cuts the bytes of a connection into frames. */
public final class Splitter {
    private static final int BYTES_MIN = 1 << 16;

    // Between position and limit: bytes that are not yet taken.
    private ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES_MIN).limit(0);

    /** Space for at least `count` more bytes. Call filled() after putting some there. */
    public ByteBuffer space(int count) {
        int rest = bytes.remaining();
        if (bytes.capacity() - bytes.limit() >= count) {
            return bytes.mark().position(bytes.limit()).limit(bytes.capacity());
        }
        ByteBuffer next = bytes;
        if (rest + count > bytes.capacity()) {
            next = ByteBuffer.allocateDirect(Math.max(2 * bytes.capacity(), rest + count));
            next.put(bytes).flip();
        } else {
            next.compact().flip();
        }
        bytes = next;
        return bytes.mark().position(bytes.limit()).limit(bytes.capacity());
    }

    /** The bytes up to the position of space() are there. */
    public void filled() {
        bytes.limit(bytes.position()).reset();
    }

    /** The next frame without its length, valid until space() is called; null: it is not complete. Throws
     * MalformedException. */
    public ByteBuffer next() {
        int start = bytes.position();
        long size = 0;
        for (int shift = 0; bytes.hasRemaining(); shift += 7) {
            byte each = bytes.get();
            size |= (long) (each & 0x7F) << shift;
            if (each >= 0) {
                return frame(start, size);
            }
            if (shift >= 28) {
                throw new MalformedException("the length of a frame has more than 5 bytes");
            }
        }
        bytes.position(start);
        return null;
    }

    private ByteBuffer frame(int start, long size) {
        if (size > Wire.FRAME_BYTES_MAX) {
            throw new MalformedException("a frame has " + size + " bytes; must be at most " + Wire.FRAME_BYTES_MAX);
        }
        if (size > bytes.remaining()) {
            bytes.position(start);
            return null;
        }
        ByteBuffer frame = bytes.slice(bytes.position(), (int) size);
        bytes.position(bytes.position() + (int) size);
        return frame;
    }
}
