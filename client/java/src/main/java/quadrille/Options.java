// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.time.Duration;
import javax.net.ssl.SSLContext;

/** How a session connects. Each method sets one option, and returns the options. */
public final class Options {
    String token = "";
    String name = "";
    SSLContext tls;
    boolean adopt;
    long timeoutMs = 10_000;
    long connectMs = 5000;
    long pingMs = 2000;
    long deadMs = 6000;
    long backoffMs = 100;
    long backoffMaxMs = 5000;
    long backlogBytesMax = 64L << 20;

    /** Proves who you are, if the server lists tokens. */
    public Options token(String token) {
        this.token = token;
        return this;
    }

    /** The name of your program, for the server's log. */
    public Options name(String name) {
        this.name = name;
        return this;
    }

    /** Encrypts the connection. The server's certificate must name the host, and the context must trust it;
     * SSLContext.getDefault() trusts the certificate authorities of the Java installation. */
    public Options tls(SSLContext context) {
        this.tls = context;
        return this;
    }

    /** Takes over the entities that earlier sessions of this token have left in a room, when it is first opened. */
    public Options adopt() {
        this.adopt = true;
        return this;
    }

    /** How long connect() waits for the server's Welcome (10 s); zero: forever. */
    public Options timeout(Duration time) {
        this.timeoutMs = time.toMillis();
        return this;
    }

    /** For one attempt to connect, Hello included (5 s). */
    public Options connect(Duration time) {
        this.connectMs = time.toMillis();
        return this;
    }

    /** Pings a server that is silent for so long (2 s). */
    public Options ping(Duration time) {
        this.pingMs = time.toMillis();
        return this;
    }

    /** Gives up the connection to a server that is silent for so long (6 s). */
    public Options dead(Duration time) {
        this.deadMs = time.toMillis();
        return this;
    }

    /** The longest random wait before the first attempt to connect again (100 ms), which doubles up to `max` (5 s). */
    public Options backoff(Duration first, Duration max) {
        this.backoffMs = first.toMillis();
        this.backoffMaxMs = max.toMillis();
        return this;
    }

    /** Of requests that wait for a connection (64 MiB). Above it they are merged into the state that the session
     * restores. */
    public Options backlogBytes(long max) {
        this.backlogBytesMax = max;
        return this;
    }
}
