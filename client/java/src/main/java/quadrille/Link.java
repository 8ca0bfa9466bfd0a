// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Lock;
import javax.net.ssl.SSLContext;
import quadrille.internal.Fields;
import quadrille.internal.Splitter;
import quadrille.internal.Wire;

/** The socket of one connection: bytes in and out, with backpressure. The session is locked, except in nextFrame(). */
final class Link {
    /** Bytes that wait for the socket: above the first it is full, until they are below the second. */
    private static final int HIGH_BYTES = 1 << 20;
    private static final int LOW_BYTES = 1 << 18;
    /** Small frames leave together. */
    private static final int GATHER_BYTES = 1 << 16;
    private static final int CHUNK_BYTES = 1 << 17;
    private static final int CHUNKS_KEPT = 8;
    private static final int READ_BYTES = 1 << 18;
    private static final int LENGTH_BYTES_MAX = 5;

    private final SocketChannel channel;
    private final SelectionKey key;
    private final Tls tls; // null: not encrypted
    private final Splitter splitter = new Splitter();
    private final ArrayDeque<ByteBuffer> chunks = new ArrayDeque<>(); // the last one is being filled
    private final ArrayDeque<ByteBuffer> spare = new ArrayDeque<>();
    private long waiting; // bytes in the chunks
    private boolean isConnected;
    private boolean isFull;
    private boolean isShut; // no more bytes go out
    private boolean isBroken;
    private boolean waitsForSpace;
    private boolean startsToWait;
    private volatile long heard = System.nanoTime();

    private Link(SocketChannel channel, SelectionKey key, Tls tls) {
        this.channel = channel;
        this.key = key;
        this.tls = tls;
    }

    static Link open(String address, SSLContext context, Selector selector) throws IOException {
        int colon = address.lastIndexOf(':');
        if (colon < 1) {
            throw new IllegalArgumentException("it has no port; must be host:port or [::1]:port");
        }
        String host = address.substring(0, colon).replaceAll("^\\[|]$", "");
        int port = Integer.parseInt(address.substring(colon + 1));
        InetSocketAddress target = new InetSocketAddress(host, port);
        if (target.isUnresolved()) {
            throw new UnknownHostException("the host is not known");
        }
        SocketChannel channel = SocketChannel.open();
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Tls tls = context == null ? null : new Tls(context, host, port);
            SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT);
            Link link = new Link(channel, key, tls);
            if (channel.connect(target)) {
                link.connected();
            }
            return link;
        } catch (IOException error) {
            channel.close();
            throw error;
        }
    }

    private void connected() {
        isConnected = true;
        key.interestOps(SelectionKey.OP_READ);
    }

    /** Whether frames may be sent. */
    boolean isOpen() {
        return isConnected && (tls == null || tls.isReady());
    }

    /** When the last byte came, as of System.nanoTime(). */
    long heard() {
        return heard;
    }

    void close() {
        key.cancel();
        try {
            channel.close();
        } catch (IOException error) {
            // The connection is given up, whatever its end is like.
        }
    }

    // ---- sending ----

    boolean isFull() {
        return isFull;
    }

    /** Whether so much waits that it should leave now. */
    boolean isDue() {
        return waiting >= GATHER_BYTES && !isFull;
    }

    /** Whether the last flush() is the first that waits for space: wake the selector. */
    boolean startsToWait() {
        boolean starts = startsToWait;
        startsToWait = false;
        return starts;
    }

    /** Queues a frame. */
    void send(String kind, Fields fields, long seq, boolean confirm) {
        int size = Wire.size(kind, fields, seq, confirm);
        int total = size + LENGTH_BYTES_MAX;
        ByteBuffer chunk = chunks.peekLast();
        if (chunk == null || chunk.remaining() < total) {
            chunk = total <= CHUNK_BYTES && !spare.isEmpty() ? spare.pop()
                    : ByteBuffer.allocateDirect(Math.max(total, CHUNK_BYTES));
            chunks.add(chunk);
        }
        int before = chunk.position();
        Wire.putVarint(chunk, size);
        Wire.put(chunk, kind, fields, seq, confirm);
        waiting += chunk.position() - before;
        isFull |= waiting > HIGH_BYTES;
    }

    /** Writes what the socket takes. Returns false if the connection is broken. */
    boolean flush() {
        if (!isOpen() || isShut || isBroken) {
            return !isBroken;
        }
        try {
            boolean takes = tls == null || tls.flush(channel);
            while (takes && waiting > 0) {
                ByteBuffer chunk = chunks.peekFirst();
                chunk.flip();
                int before = chunk.remaining();
                if (tls == null) {
                    channel.write(chunk);
                } else {
                    tls.write(channel, chunk);
                }
                waiting -= before - chunk.remaining();
                takes = !chunk.hasRemaining();
                recycle(chunk);
                takes &= tls == null || !tls.hasRest();
            }
            boolean rest = waiting > 0 || tls != null && tls.hasRest();
            if (rest != waitsForSpace) {
                waitsForSpace = rest;
                startsToWait = rest;
                key.interestOps(rest ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
            }
        } catch (IOException error) {
            isBroken = true;
            return false;
        }
        isFull &= waiting > LOW_BYTES;
        return true;
    }

    private void recycle(ByteBuffer chunk) {
        if (chunk.hasRemaining()) {
            chunk.compact();
            return;
        }
        chunks.removeFirst();
        if (chunk.capacity() == CHUNK_BYTES && spare.size() < CHUNKS_KEPT) {
            spare.push(chunk.clear());
        }
    }

    /** Sends the rest, then the end. Returns whether the server has ended the connection, too. */
    boolean finish() {
        if (!isOpen() || !flush()) {
            return true;
        }
        try {
            if (waiting == 0 && !isShut) {
                isShut = true;
                if (tls != null) {
                    tls.end(channel);
                }
                channel.shutdownOutput();
            }
            return channel.read(ByteBuffer.allocate(READ_BYTES)) < 0; // nobody reads these bytes
        } catch (IOException error) {
            return true;
        }
    }

    // ---- receiving ----

    /** Reads what is there. Returns false at the end of the connection. */
    boolean read(Lock lock) throws IOException {
        lock.lock();
        try {
            return read();
        } finally {
            lock.unlock();
        }
    }

    private boolean read() throws IOException {
        if (!isConnected) {
            if (channel.finishConnect()) {
                connected();
                heard = System.nanoTime();
            } else {
                return true;
            }
        }
        int count;
        if (tls == null) {
            count = channel.read(splitter.space(READ_BYTES));
            splitter.filled();
        } else {
            count = tls.read(channel, splitter);
        }
        heard = count > 0 ? System.nanoTime() : heard;
        return count >= 0;
    }

    ByteBuffer nextFrame() {
        return splitter.next();
    }
}
