// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import quadrille.internal.Fields;
import quadrille.internal.MalformedException;
import quadrille.internal.Wire;

/** The thread of a session: connects again and again, serves the connection, and runs what is due. */
final class Connection implements Runnable {
    private static final long NANOS = 1_000_000;
    private static final long CLOSE_MS = 1000; // for the last bytes of a session that is closed
    private static final int DOUBLINGS_MAX = 32;

    /** A task that is due at a time of System.nanoTime(). */
    private record Timer(long due, Runnable task) {
    }

    private final Session session;
    private final String address;
    private final Options options;
    private final Selector selector;
    private final Thread thread;
    private final PriorityQueue<Timer> timers = new PriorityQueue<>((a, b) -> Long.signum(a.due - b.due));
    private Link link; // null: there is no connection
    private String lost; // why this connection is to be given up
    private int attempts;
    private long readyAt;
    private boolean isWelcome;
    private boolean isServing; // the thread runs a frame, timers or deferred tasks
    private boolean isAwake; // the selector was woken, or the thread is on its way to look at everything
    private long closeBy; // 0: the session is not closed

    Connection(Session session, String address, Options options) {
        this.session = session;
        this.address = address;
        this.options = options;
        try {
            selector = Selector.open();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        thread = new Thread(this, "quadrille " + address);
        thread.setDaemon(true);
    }

    CompletableFuture<Session> start() {
        CompletableFuture<Session> future = new CompletableFuture<>();
        Wire.client("hello"); // reads the descriptors, which takes longer than to connect
        session.locked(() -> {
            session.until(future, () -> {
                if (session.refusedHello() != null && !session.endedText().isEmpty()) {
                    throw new RefusedException(session.refusedHello());
                }
                if (!session.endedText().isEmpty()) {
                    throw new SessionEndedException(session.endedText());
                }
                return session.isReady();
            }, () -> session);
            if (options.timeoutMs > 0) {
                schedule(options.timeoutMs, () -> timeOut(future));
            }
        });
        thread.start();
        return future;
    }

    private void timeOut(CompletableFuture<Session> future) {
        if (session.isReady() || !session.endedText().isEmpty() || future.isDone()) {
            return;
        }
        String why = lost != null ? lost : session.problem().isEmpty() ? "no answer" : session.problem();
        String text = address + ": no session within " + options.timeoutMs / 1000.0 + " s: " + why
                + ". Check the address, and that the server runs";
        session.defer(() -> future.completeExceptionally(new TimeoutException(text)));
        closeBy = System.nanoTime();
        session.defer(() -> session.locked(() -> session.end(text)));
    }

    /** Ends the thread, after it has sent what is queued. */
    void close() {
        session.locked(() -> {
            if (closeBy == 0) {
                closeBy = System.nanoTime() + CLOSE_MS * NANOS;
            }
            wake();
        });
        if (Thread.currentThread() != thread) {
            try {
                thread.join(2 * CLOSE_MS);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // ---- for the session, which is locked ----

    boolean isServing() {
        return isServing;
    }

    boolean isFull() {
        return link == null || link.isFull();
    }

    void send(String kind, Fields fields, long seq, boolean confirm) {
        if (link != null) {
            link.send(kind, fields, seq, confirm);
            if (link.isDue()) {
                flush();
            } else {
                wake();
            }
        }
    }

    void flush() {
        if (link == null) {
            return;
        }
        boolean wasFull = link.isFull();
        if (!link.flush()) {
            lose("the connection is broken");
        }
        if (link.startsToWait() || wasFull && !link.isFull()) {
            wake(); // so that the selector waits for space, or drain() ends
        }
    }

    /** Gives the connection up: a resumed or new session brings resets. */
    void lose(String reason) {
        lost = lost == null ? reason : lost;
        wake();
    }

    void welcomed() {
        isWelcome = true;
        readyAt = System.nanoTime();
    }

    void wake() {
        if (!isAwake) {
            isAwake = true;
            selector.wakeup();
        }
    }

    void schedule(long milliseconds, Runnable task) {
        timers.add(new Timer(System.nanoTime() + milliseconds * NANOS, task));
        wake();
    }

    // ---- the thread ----

    @Override
    public void run() {
        try {
            while (session.locked(() -> session.endedText().isEmpty())) {
                attempt();
            }
            session.locked(this::drop);
            session.runDeferred();
            selector.close();
        } catch (IOException | RuntimeException error) {
            session.locked(() -> session.end("the session's thread has ended: " + error));
            session.runDeferred();
            throw new IllegalStateException(error);
        }
    }

    private void attempt() throws IOException {
        session.locked(() -> {
            lost = null;
            isWelcome = false;
            session.setState(Session.State.CONNECTING, "");
        });
        try {
            Link opened = Link.open(address, options.tls, selector);
            session.locked(() -> {
                link = opened;
            });
            serve();
        } catch (IOException | IllegalArgumentException | MalformedException error) {
            session.locked(() -> lose(address + ": " + textOf(error)));
        }
        if (session.locked(() -> !session.endedText().isEmpty())) {
            finish();
            return;
        }
        long wait = session.locked(this::giveUp);
        long until = System.nanoTime() + wait * NANOS;
        while (System.nanoTime() < until && session.locked(() -> session.endedText().isEmpty())) {
            pause(until);
        }
    }

    private static String textOf(Exception error) {
        return error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
    }

    /** Drops the connection. Returns the milliseconds until the next attempt. */
    private long giveUp() {
        long backoff = Math.min(options.backoffMs << Math.min(attempts, DOUBLINGS_MAX), options.backoffMaxMs);
        if (isWelcome && System.nanoTime() - readyAt >= backoff * NANOS) {
            attempts = 0;
            backoff = Math.min(options.backoffMs, options.backoffMaxMs);
        }
        attempts++;
        drop();
        session.lost(lost);
        if (session.refusedHello() != null) {
            session.end(session.refusedHello().text());
        }
        return (long) (ThreadLocalRandom.current().nextDouble() * backoff);
    }

    private void drop() {
        if (link != null) {
            link.close();
            link = null;
        }
    }

    /** The session has ended: sends the last bytes. */
    private void finish() throws IOException {
        session.runDeferred();
        long until = session.locked(() -> closeBy == 0 ? System.nanoTime() : closeBy);
        while (session.locked(() -> link != null && !link.finish()) && System.nanoTime() < until) {
            pause(until);
        }
    }

    /** Waits for the socket, a wake or a timer; then runs what is due. */
    private void pause(long until) throws IOException {
        long due = session.locked(() -> {
            Timer first = timers.peek();
            boolean busy = isAwake;
            return busy ? System.nanoTime() : first == null ? until : Math.min(first.due, until);
        });
        long wait = (due - System.nanoTime() + NANOS - 1) / NANOS;
        if (wait > 0) {
            selector.select(wait);
        } else {
            selector.selectNow();
        }
        selector.selectedKeys().clear();
        session.locked(() -> {
            isAwake = false;
            isServing = true;
            runTimers();
            flush();
            session.notifyWaiters();
        });
        session.runDeferred();
        session.locked(() -> {
            isServing = false;
        });
    }

    private void runTimers() {
        for (Timer first = timers.peek(); first != null && first.due <= System.nanoTime(); first = timers.peek()) {
            timers.poll().task.run();
        }
    }

    /** Serves the connection until it is lost or the session ends. */
    private void serve() throws IOException {
        long connectBy = System.nanoTime() + options.connectMs * NANOS;
        long pinged = 0;
        boolean saidHello = false;
        while (session.locked(() -> lost == null && session.endedText().isEmpty())) {
            if (!saidHello && session.locked(link::isOpen)) {
                saidHello = true;
                session.locked(this::sayHello);
            }
            long due = connectBy;
            if (isWelcome) {
                long heard = link.heard();
                long grace = Math.max(options.deadMs - options.pingMs, 1) * NANOS;
                boolean asked = pinged - heard > 0;
                due = asked ? pinged + grace : heard + options.pingMs * NANOS;
                if (System.nanoTime() >= due) {
                    if (asked) {
                        String silence = String.format("%.1f", (System.nanoTime() - heard) / 1e9);
                        session.locked(() -> lose(address + ": the server was silent for " + silence + " s"));
                        return;
                    }
                    pinged = System.nanoTime();
                    session.locked(() -> send("ping", new Fields(), 0, false));
                    continue;
                }
            } else if (System.nanoTime() >= due) {
                session.locked(() -> lose(address + ": no answer in time"));
                return;
            }
            pause(due);
            receive();
        }
    }

    private void sayHello() {
        send("hello", Fields.of("version", 1, "token", options.token, "client", options.name, "resumable", true,
                "resume", session.resumeKey(), "features", List.of("pings")), 0, false);
        flush();
    }

    private void receive() throws IOException {
        boolean isEnd = !link.read(session.lock);
        while (true) {
            ByteBuffer bytes = link.nextFrame();
            if (bytes == null || session.locked(() -> lost != null)) {
                break;
            }
            Wire.Frame frame = Wire.decode(bytes);
            session.locked(() -> {
                isServing = true;
                session.take(frame);
                isAwake = true; // what a frame defers runs at once
            });
            session.runDeferred();
            session.locked(() -> {
                isServing = false;
            });
        }
        if (isEnd) {
            session.locked(() -> lose("the server closed the connection"));
        }
    }
}
