// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLParameters;
import quadrille.internal.Splitter;

/** The encryption of one connection. */
final class Tls {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final int OUT_BYTES = 1 << 18;

    private final SSLEngine engine;
    private final ByteBuffer out = ByteBuffer.allocateDirect(OUT_BYTES); // encrypted, for the socket
    private final ByteBuffer in; // encrypted, from the socket
    private boolean isReady;
    private boolean isEnded; // the server has sent the end

    Tls(SSLContext context, String host, int port) throws IOException {
        engine = context.createSSLEngine(host, port);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS"); // the certificate must name the host
        parameters.setApplicationProtocols(new String[] {"quadrille/1"});
        engine.setSSLParameters(parameters);
        in = ByteBuffer.allocateDirect(2 * engine.getSession().getPacketBufferSize());
        engine.beginHandshake();
    }

    /** Whether the handshake is done. */
    boolean isReady() {
        return isReady;
    }

    boolean hasRest() {
        return out.position() > 0;
    }

    /** Writes encrypted bytes. Returns whether the socket has taken all. */
    boolean flush(SocketChannel channel) throws IOException {
        out.flip();
        channel.write(out);
        out.compact();
        return !hasRest();
    }

    /** Encrypts bytes, as many as there is space for, and writes them. */
    void write(SocketChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            SSLEngineResult result = engine.wrap(bytes, out);
            if (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW) {
                if (!flush(channel)) {
                    return;
                }
            } else if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
                throw new IOException("the connection is closed");
            }
        }
        flush(channel);
    }

    /** Sends the end of the encrypted stream. */
    void end(SocketChannel channel) throws IOException {
        engine.closeOutbound();
        engine.wrap(NOTHING, out);
        flush(channel);
    }

    /** Reads and decrypts what is there, and goes on with the handshake. Returns the bytes read, -1 at the end. */
    int read(SocketChannel channel, Splitter splitter) throws IOException {
        int total = 0;
        while (true) {
            shake(channel);
            int count = channel.read(in);
            boolean more = decrypt(channel, splitter);
            if (isEnded) {
                return -1; // with the bytes before the end
            }
            if (count <= 0 && !more) {
                return total > 0 ? total : count;
            }
            total += Math.max(count, 0);
        }
    }

    /** Returns whether something was decrypted. */
    private boolean decrypt(SocketChannel channel, Splitter splitter) throws IOException {
        boolean any = false;
        in.flip();
        try {
            while (in.hasRemaining()) {
                int before = in.remaining();
                ByteBuffer space = splitter.space(engine.getSession().getApplicationBufferSize());
                SSLEngineResult result = engine.unwrap(in, space);
                splitter.filled();
                shake(channel);
                isEnded |= result.getStatus() == SSLEngineResult.Status.CLOSED;
                if (isEnded || result.getStatus() == SSLEngineResult.Status.BUFFER_UNDERFLOW
                        || in.remaining() == before) {
                    break;
                }
                any = true;
            }
        } finally {
            in.compact();
        }
        return any;
    }

    /** Does what the handshake needs, except reading. */
    private void shake(SocketChannel channel) throws IOException {
        HandshakeStatus status = engine.getHandshakeStatus();
        while (status == HandshakeStatus.NEED_TASK || status == HandshakeStatus.NEED_WRAP) {
            if (status == HandshakeStatus.NEED_TASK) {
                engine.getDelegatedTask().run();
            } else {
                engine.wrap(NOTHING, out);
                flush(channel);
            }
            status = engine.getHandshakeStatus();
        }
        isReady |= status == HandshakeStatus.NOT_HANDSHAKING;
    }
}
