// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** A TCP proxy, which cuts connections, holds what the server sends, or is away. */
final class Proxy implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    private final String target;
    private final List<Socket> sockets = new ArrayList<>();
    private boolean isHeld;
    private boolean isSevered;
    private long left = -1; // bytes of both directions before the cut; -1: no cut is due

    Proxy(String target) throws IOException {
        this.target = target;
        background(this::accept);
    }

    String address() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    /** Cuts the connection after so many bytes of both directions. */
    synchronized void cutAfter(long bytes) throws IOException {
        left = bytes;
        if (bytes == 0) {
            cut();
        }
    }

    private synchronized void cut() throws IOException {
        left = -1;
        for (Socket each : sockets) {
            each.close();
        }
        sockets.clear();
    }

    /** Does not pass on what the server sends. */
    synchronized void hold(boolean held) {
        isHeld = held;
        notifyAll();
    }

    /** Cuts the connections, and accepts no others. */
    synchronized void sever(boolean severed) throws IOException {
        isSevered = severed;
        if (severed) {
            cut();
        }
    }

    @Override
    public void close() throws IOException {
        hold(false);
        sever(true);
        listener.close();
    }

    private interface Task {
        void run() throws IOException, InterruptedException;
    }

    private static void background(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (IOException | InterruptedException error) {
                // The connection has ended.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            synchronized (this) {
                if (isSevered) {
                    client.close();
                    continue;
                }
                int colon = target.lastIndexOf(':');
                Socket server = new Socket(target.substring(0, colon), Integer.parseInt(target.substring(colon + 1)));
                sockets.add(client);
                sockets.add(server);
                background(() -> carry(client, server, false));
                background(() -> carry(server, client, true));
            }
        }
    }

    private void carry(Socket from, Socket to, boolean isDown) throws IOException, InterruptedException {
        try (from; to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] piece = new byte[1 << 16];
            for (int size = in.read(piece); size >= 0; size = in.read(piece)) {
                int passes = size;
                synchronized (this) {
                    while (isDown && isHeld) {
                        wait();
                    }
                    if (left >= 0) {
                        passes = (int) Math.min(left, size);
                        left -= passes;
                    }
                }
                out.write(piece, 0, passes);
                synchronized (this) {
                    if (left == 0) {
                        cut();
                    }
                }
            }
        }
    }
}
