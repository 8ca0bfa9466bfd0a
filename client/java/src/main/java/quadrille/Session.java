// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import quadrille.internal.ContradictionException;
import quadrille.internal.Fields;
import quadrille.internal.Wire;
import quadrille.v1.ErrorCode;
import quadrille.v1.Limits;
import quadrille.v1.RoomList;
import quadrille.v1.SessionList;
import quadrille.v1.Stats;
import quadrille.v1.Welcome;

/**
 * A session that outlives its connections, made by connect(). It has one thread, which serves its connection and runs
 * handlers and stages of futures. Any thread may call any method.
 */
public final class Session implements AutoCloseable {
    /** What the session does now. */
    public enum State {
        /** It tries to connect. */
        CONNECTING,
        /** It is connected; rooms are being restored, or are there. */
        READY,
        /** The connection has ended; the next attempt follows by itself. */
        LOST,
        /** It was closed, or the server refuses the token or the version. */
        ENDED
    }

    final ReentrantLock lock = new ReentrantLock();
    final Options options;
    private final Connection connection;
    private final Map<String, Room> rooms = new LinkedHashMap<>();
    private final Map<Long, Room> byHandle = new HashMap<>();
    private final EntryList lobby = new EntryList(); // requests without a room
    private final Map<Long, Entry> bySeq = new HashMap<>();
    private final List<Handlers.OfState> onState = new ArrayList<>();
    private final List<Consumer<Refusal>> onRefused = new ArrayList<>();
    private final Waiting waiting;
    private State state = State.CONNECTING;
    private String problem = "";
    private String ended = ""; // why there is no further attempt
    private Refusal refusedHello;
    private long number;
    private Limits limits = Limits.getDefaultInstance();
    private long resumeMs;
    private byte[] key = {};
    private long connects;
    private long resumes;
    boolean isMerged; // logs lack requests that the server may not have: it cannot resume
    private long seq;
    private long requests;

    private Session(String address, Options options) {
        this.options = options;
        connection = new Connection(this, address, options);
        waiting = new Waiting(connection);
    }

    // ---- for programs ----

    /** Connects to "host:port" or "[::1]:port" with the default options. */
    public static CompletableFuture<Session> connect(String address) {
        return connect(address, new Options());
    }

    /** Connects, and waits for the server's Welcome for at most Options.timeout(). From then on the session connects
     * again by itself. Fails with RefusedException if the server refuses the token or the version, and with
     * java.util.concurrent.TimeoutException. */
    public static CompletableFuture<Session> connect(String address, Options options) {
        Session session = new Session(address, options);
        return session.connection.start();
    }

    /** Opens a room that is there; see open(String, RoomOptions). */
    public CompletableFuture<Room> open(String name) {
        return open(name, null);
    }

    /** Opens a room now and on each connection, and waits for it. A second call returns the same room. config: null
     * only joins. Fails with RefusedException. */
    public CompletableFuture<Room> open(String name, RoomOptions config) {
        return locked(() -> {
            if (!ended.isEmpty()) {
                return CompletableFuture.failedFuture(new SessionEndedException(ended));
            }
            Room room = rooms.get(name);
            if (room == null) {
                room = new Room(this, name, config == null ? null : config.build());
                rooms.put(name, room);
                if (isReady()) {
                    room.startRestore();
                }
            }
            Room opened = room;
            CompletableFuture<Room> future = new CompletableFuture<>();
            until(future, () -> {
                if (opened.refusal != null) {
                    throw new RefusedException(opened.refusal);
                }
                if (opened.isClosed()) {
                    throw opened.closedException();
                }
                return opened.isReady;
            }, () -> opened);
            return future;
        });
    }

    /** An open room; null: there is none of that name. */
    public Room room(String name) {
        return locked(() -> rooms.get(name));
    }

    /** Calls the handler at each change of the state. */
    public Session onState(Handlers.OfState handler) {
        locked(() -> {
            onState.add(handler);
        });
        return this;
    }

    /** Calls the handler for all that the server refuses, whether the program waits for it or not. */
    public Session onRefused(Consumer<Refusal> handler) {
        locked(() -> {
            onRefused.add(handler);
        });
        return this;
    }

    /** Done when the connection takes more data: the server may be slow, or away. */
    public CompletableFuture<Void> drain() {
        CompletableFuture<Void> future = new CompletableFuture<>();
        locked(() -> until(future, () -> {
            if (!ended.isEmpty()) {
                throw new SessionEndedException(ended);
            }
            return isReady() && !connection.isFull();
        }, () -> null));
        return future;
    }

    /** Whether drain() would wait. */
    public boolean isFull() {
        return locked(() -> !isReady() || connection.isFull());
    }

    /** The nanoseconds of one round trip. */
    public CompletableFuture<Long> ping() {
        long before = System.nanoTime();
        return ask(null, "ping", Fields.of("data", 1L), result -> System.nanoTime() - before);
    }

    /** The open rooms whose names follow `after`, up to `limit` (0: 1,000). */
    public CompletableFuture<RoomList> listRooms(String after, int limit) {
        return ask(null, "list_rooms", Fields.of("after", after, "limit", limit), result -> (RoomList) result);
    }

    /** Sessions of this token with a number above `after`; all, for an admin. */
    public CompletableFuture<SessionList> listSessions(long after, int limit) {
        return ask(null, "list_sessions", Fields.of("after", after, "limit", limit), result -> (SessionList) result);
    }

    /** Statistics of the server. */
    public CompletableFuture<Stats> stats() {
        return ask(null, "get_stats", new Fields(), result -> (Stats) result);
    }

    /** Statistics of the server and of a room. */
    public CompletableFuture<Stats> stats(Room room) {
        return ask(room, "get_stats", new Fields(), result -> (Stats) result);
    }

    /** What the session does now. */
    public State state() {
        return locked(() -> state);
    }

    /** Why the connection was lost. */
    public String problem() {
        return locked(() -> problem);
    }

    /** The number of the server's session, for Room.handOver(). It may change. */
    public long number() {
        return locked(() -> number);
    }

    /** The server's limits. */
    public Limits limits() {
        return locked(() -> limits);
    }

    /** How often the session has connected. */
    public long connects() {
        return locked(() -> connects);
    }

    /** How many of these times it has resumed the server's session. */
    public long resumes() {
        return locked(() -> resumes);
    }

    /** Leaves all rooms and ends the session. Waits for at most a second, unless it is called on the session's
     * thread. */
    @Override
    public void close() {
        locked(() -> {
            if (ended.isEmpty()) {
                for (Room room : List.copyOf(rooms.values())) {
                    if (isReady() && room.handle != 0) {
                        transmit(new Entry(room, "leave_room", new Fields(), null, 0));
                    }
                }
                end("the session is closed");
            }
        });
        connection.close();
    }

    // ---- locking and waiting ----

    <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    /** Runs a task of the program on the session's thread, once the lock is free. */
    void defer(Runnable task) {
        waiting.defer(task);
    }

    /** Runs the deferred tasks. On the session's thread, without the lock. */
    void runDeferred() {
        for (List<Runnable> tasks = locked(waiting::takeDeferred); !tasks.isEmpty();
                tasks = locked(waiting::takeDeferred)) {
            tasks.forEach(this::guarded);
        }
    }

    /** What a handler throws goes to the thread's handler of exceptions, and not to the connection. */
    void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException error) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
        }
    }

    /** Completes the future with the result once isDone() is true, or with what it throws. */
    <T> void until(CompletableFuture<T> future, BooleanSupplier isDone, Supplier<T> result) {
        locked(() -> waiting.until(future, isDone, result));
    }

    /** Something has changed: asks the waiters. */
    void notifyWaiters() {
        waiting.ask();
    }

    /** The session's thread asks the waiters soon. */
    void wake() {
        connection.wake();
    }

    void schedule(long milliseconds, Runnable task) {
        connection.schedule(milliseconds, task);
    }

    // ---- requests ----

    boolean isReady() {
        return state == State.READY;
    }

    long nextRequest() {
        return ++requests;
    }

    long frameBytesMax() {
        return Integer.toUnsignedLong(limits.getFrameBytesMax());
    }

    long rosterIdsMax() {
        return Integer.toUnsignedLong(limits.getRosterIdsMax());
    }

    long resumeMs() {
        return resumeMs;
    }

    String endedText() {
        return ended;
    }

    /** Sends an entry for the first time in this session of the server. */
    void transmit(Entry entry) {
        entry.seq = ++seq;
        bySeq.put(entry.seq, entry);
        connection.send(entry.wireKind(), entry.wireFields(), entry.seq, entry.confirm && entry.roster == null);
    }

    /** Sends an entry under a new number: its answer may be lost. */
    void sendAgain(Entry entry) {
        bySeq.remove(entry.seq);
        entry.forgetAnswers();
        transmit(entry);
    }

    void forget(Entry entry) {
        bySeq.remove(entry.seq);
    }

    /** Sends what is queued, without waiting for the session's thread. */
    void flush() {
        connection.flush();
    }

    /** Sends a request with an answer of its own. `answer` runs while the session is locked. */
    void call(Room room, String kind, Fields fields, boolean restores, Entry.Answer answer) {
        Entry entry = new Entry(room, kind, fields, null, 0);
        entry.restores = restores;
        entry.answer = answer;
        (room == null ? lobby : room.log.entries).add(entry);
        if (isReady() && (restores || room == null || room.isReady)) {
            transmit(entry);
        }
    }

    /** The same for programs. */
    <T> CompletableFuture<T> ask(Room room, String kind, Fields fields, Function<Object, T> read) {
        CompletableFuture<T> future = new CompletableFuture<>();
        locked(() -> {
            if (!ended.isEmpty()) {
                future.completeExceptionally(new SessionEndedException(ended));
                return;
            }
            if (room != null && room.isClosed()) {
                future.completeExceptionally(room.closedException());
                return;
            }
            call(room, kind, fields, false, (result, error) -> {
                if (error != null) {
                    defer(() -> future.completeExceptionally(error));
                } else {
                    T value = read.apply(result);
                    defer(() -> future.complete(value));
                }
            });
            flush();
        });
        return future;
    }

    /** The answer to a call. */
    void answer(Entry entry, Object result, RuntimeException error) {
        Entry.Answer answer = entry.answer;
        if (answer == null) {
            return;
        }
        entry.answer = null;
        if (entry.list != null) {
            entry.list.remove(entry);
        }
        forget(entry);
        answer.done(result, error);
    }

    /** One frame of an answer that has several. */
    void collect(Entry entry, Fields fields) {
        entry.frames.add(fields);
        if (fields.is("last")) {
            answer(entry, List.copyOf(entry.frames), null);
        }
    }

    // ---- rooms ----

    void enter(Room room) {
        byHandle.put(room.handle, room);
    }

    void leave(Room room) {
        byHandle.remove(room.handle);
    }

    void remove(Room room) {
        rooms.remove(room.name(), room);
        leave(room);
    }

    // ---- the life of connections; the session is locked ----

    Refusal refusedHello() {
        return refusedHello;
    }

    /** Names the server's session that goes on; empty: a new one begins. */
    byte[] resumeKey() {
        return isMerged ? new byte[0] : key;
    }

    void setState(State next, String reason) {
        state = next;
        List<Handlers.OfState> handlers = List.copyOf(onState);
        if (!handlers.isEmpty()) {
            defer(() -> handlers.forEach(handler -> guarded(() -> handler.on(next, reason))));
        }
        notifyWaiters();
    }

    /** The connection is lost. */
    void lost(String reason) {
        problem = reason;
        rooms.values().forEach(room -> room.folding.foldLost());
        setState(State.LOST, reason);
    }

    /** There is no further attempt. */
    void end(String reason) {
        if (!ended.isEmpty()) {
            return;
        }
        ended = reason;
        List.copyOf(rooms.values()).forEach(room -> room.end(reason));
        lobby.all().forEach(entry -> answer(entry, null, new SessionEndedException(reason)));
        setState(State.ENDED, reason);
    }

    private void welcome(Welcome welcome) {
        boolean resumed = welcome.getResumed() && key.length > 0;
        connects++;
        resumes += resumed ? 1 : 0;
        number = welcome.getSession();
        limits = welcome.getLimits();
        resumeMs = Integer.toUnsignedLong(welcome.getResumeMs());
        key = welcome.getResumeKey().toByteArray();
        state = State.READY;
        connection.welcomed();
        if (resumed) {
            resume(welcome.getLastSeq());
        } else {
            restart();
        }
        setState(State.READY, "");
    }

    /** The server's session goes on: sends what it has not received. */
    private void resume(long lastSeq) {
        List<Entry> entries = new ArrayList<>(lobby.where(entry -> entry.seq != 0));
        rooms.values().forEach(room -> entries.addAll(room.log.entries.where(entry -> entry.seq != 0)));
        entries.sort(Comparator.comparingLong(entry -> entry.seq));
        for (Entry entry : entries) {
            if (entry.seq > lastSeq) {
                connection.send(entry.wireKind(), entry.wireFields(), entry.seq, entry.confirm && entry.roster == null);
            }
        }
        for (Entry entry : entries) {
            if (entry.seq <= lastSeq) {
                if (entry.isAnswered || entry.room == null) {
                    sendAgain(entry);
                } else if (entry.confirm) {
                    entry.accept(); // its answer is lost
                }
            }
        }
        List.copyOf(rooms.values()).forEach(room -> room.log.resumed());
        lobby.where(entry -> entry.seq == 0).forEach(this::transmit);
    }

    /** The server's session is new. */
    private void restart() {
        isMerged = false;
        seq = 0;
        bySeq.clear();
        byHandle.clear();
        List.copyOf(rooms.values()).forEach(room -> room.log.restarted());
        for (Entry entry : lobby.all()) {
            entry.forgetAnswers();
            transmit(entry);
        }
    }

    // ---- incoming ----

    void take(Wire.Frame frame) {
        try {
            takeKnown(frame);
        } catch (ContradictionException error) {
            connection.lose("a " + frame.kind() + " frame contradicts what was folded: " + error.getMessage());
        } catch (IndexOutOfBoundsException | NullPointerException | ClassCastException error) {
            connection.lose("a " + frame.kind() + " frame is not what the protocol says: " + error);
        }
        notifyWaiters();
    }

    private void takeKnown(Wire.Frame frame) {
        if (frame.kind() == null) {
            return;
        }
        Entry entry = bySeq.get(frame.seq());
        switch (frame.kind()) {
            case "welcome" -> welcome((Welcome) frame.message());
            case "ping" -> connection.send("pong", frame.fields(), 0, false);
            case "go_away" -> problem = frame.fields().text("text");
            case "error" -> refused(entry, frame.fields());
            case "tick", "view", "applied", "handed_over", "room_closed", "accepted" -> {
                Room room = byHandle.get(frame.fields().number("room"));
                room = room == null && entry != null ? entry.room : room;
                if (room != null) {
                    room.log.take(frame.kind(), frame.seq(), entry, frame.fields());
                }
            }
            case "snapshot_result" -> {
                if (entry != null) {
                    collect(entry, frame.fields());
                }
            }
            default -> {
                if (entry != null) {
                    answer(entry, frame.message() != null ? frame.message() : frame.fields(), null);
                }
            }
        }
    }

    private void refused(Entry entry, Fields error) {
        if (entry != null && entry.room != null) {
            entry.room.log.refusals.refused(entry, error);
            return;
        }
        int code = (int) error.number("code");
        String command = entry == null ? "session" : entry.kind;
        Refusal refusal = new Refusal("", command, code, error.text("text"), List.of());
        if (entry != null) {
            answer(entry, null, new RefusedException(refusal));
        }
        if (code == ErrorCode.ERROR_CODE_UNAUTHENTICATED_VALUE || code == ErrorCode.ERROR_CODE_VERSION_VALUE) {
            refusedHello = refusal;
        }
        report(refusal);
    }

    void report(Refusal refusal) {
        List<Consumer<Refusal>> handlers = List.copyOf(onRefused);
        if (!handlers.isEmpty()) {
            defer(() -> handlers.forEach(handler -> guarded(() -> handler.accept(refusal))));
        }
    }
}
