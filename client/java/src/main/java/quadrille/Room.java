// SPDX-License-Identifier: Apache-2.0
package quadrille;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import quadrille.internal.Fields;
import quadrille.v1.RoomConfig;
import quadrille.v1.RoomOpened;
import quadrille.v1.Subscribe;
import quadrille.v1.TickMode;

/**
 * A room, made by Session.open(). Ids are unsigned 32-bit numbers.
 *
 * <p>A method that makes a request returns at once. The request takes effect at the next tick. Any thread may call any
 * method. Handlers, and stages of futures, run on the session's thread: they must not wait.
 */
public final class Room {
    final Session session;
    final Folding folding;
    final RoomLog log;
    private final String name;
    private final RoomConfig config;
    long handle; // the server's number of the room; 0: it is not open
    boolean isReady;
    boolean wasOpened;
    boolean hasZ;
    long epoch;
    Restore restore; // null: none is under way
    final List<Long> holders = new ArrayList<>(); // sessions that may have our entities
    private final List<Integer> adopted = new ArrayList<>();
    private String closedText = "";
    Refusal refusal; // why it could not be opened

    Room(Session session, String name, RoomConfig config) {
        this.session = session;
        this.name = name;
        this.config = config;
        folding = new Folding(session);
        log = new RoomLog(this);
    }

    /** The room's name. */
    public String name() {
        return name;
    }

    // ---- entities ----

    /** Adds entities. */
    public Request spawn(Entities entities) {
        return batch("spawn", entities);
    }

    /** Moves entities. If the same ids move again, they are sent once, as a roster. */
    public Request move(int[] ids, float[] x, float[] y) {
        return move(ids, x, y, null);
    }

    /** Moves entities in a room of three dimensions. */
    public Request move(int[] ids, float[] x, float[] y, float[] z) {
        return request("move", places(ids, x, y, z));
    }

    /** Moves one entity. */
    public Request move(int id, float x, float y) {
        return move(new int[] {id}, new float[] {x}, new float[] {y});
    }

    /** Like move(), but pairs that end by it have the reason TELEPORTED. z: null in a room of two dimensions. */
    public Request teleport(int[] ids, float[] x, float[] y, float[] z) {
        return request("teleport", places(ids, x, y, z));
    }

    private static Fields places(int[] ids, float[] x, float[] y, float[] z) {
        checkSize("x", x, ids.length);
        checkSize("y", y, ids.length);
        checkSize("z", z == null ? x : z, ids.length);
        return Fields.of("id", ids, "x", x, "y", y, "z", z);
    }

    private static void checkSize(String name, float[] column, int count) {
        if (column.length != count) {
            throw new IllegalArgumentException(name + " has " + column.length + " values; must be " + count
                    + ", one per id");
        }
    }

    /** Changes shapes, sizes and filters. Absent columns stay as they are. */
    public Request reshape(Entities entities) {
        return batch("reshape", entities);
    }

    /** Removes entities. */
    public Request despawn(int... ids) {
        return request("despawn", Fields.of("id", ids));
    }

    /** Sets tag, payload, visible range, team and whether it is hidden. */
    public Request describe(Descriptions descriptions) {
        return batch("set_description", descriptions);
    }

    /** Gives entities to the session of that number; 0: to the room. */
    public Request handOver(long session, int... ids) {
        return request("hand_over", session == 0 ? Fields.of("id", ids, "room_owned", true)
                : Fields.of("id", ids, "session", session));
    }

    // ---- pairs and views ----

    /** Folds all pairs of the room. */
    public Request subscribe() {
        return subscribe(Subscribe.Scope.SCOPE_ALL, false);
    }

    /** Folds the pairs of a scope. stays: also report, at each tick, the pairs that continue. */
    public Request subscribe(Subscribe.Scope scope, boolean stays) {
        return session.locked(() -> {
            Request made = request("subscribe", Fields.of("scope", scope.getNumber(), "stays", stays));
            folding.wantsPairs = true;
            folding.pairsStale = true;
            return made;
        });
    }

    /** Ends the subscription. */
    public Request unsubscribe() {
        return session.locked(() -> {
            Request made = request("unsubscribe", new Fields());
            folding.wantsPairs = false;
            folding.pairsStale = false;
            return made;
        });
    }

    /** Creates observers, or replaces them. */
    public Request observe(Observers observers) {
        return session.locked(() -> {
            Request made = batch("observe", observers);
            folding.wantsView = true;
            return made;
        });
    }

    /** Moves free observers, and turns cones. */
    public Request moveObservers(Observers observers) {
        return batch("move_observers", observers);
    }

    /** Removes observers. */
    public Request unobserve(int... ids) {
        return request("unobserve", Fields.of("id", ids));
    }

    /** Replaces the lists of what an observer always sees, and never sees. */
    public Request except(int observer, int[] show, int[] hide) {
        return request("set_exceptions", Fields.of("observer", observer, "show", show, "hide", hide));
    }

    /** Sets all options of this session's views. */
    public Request viewOptions(ViewOptions options) {
        return session.locked(() -> {
            Request made = request("set_view_options", options.fields.copy());
            folding.wantsView |= options.fields.number("watch") > 1;
            return made;
        });
    }

    // ---- the sets ----

    /** The pairs that touch, after subscribe(). */
    public Pairs pairs() {
        return folding.pairs;
    }

    /** What an observer of this session sees. */
    public View view(int observer) {
        return new View(session.lock, folding.views, observer);
    }

    /** The observers of this session that see something. */
    public int[] observers() {
        return session.locked(() -> folding.views.observers().stream().mapToInt(Integer::intValue).toArray());
    }

    /** The observers that see an entity, after viewOptions() with watch(). */
    public List<Watcher> watchers(int id) {
        return session.locked(() -> folding.views.watchers(id));
    }

    /** The last tick that the session knows of. After a restart of the server it counts from 1. */
    public long tick() {
        return session.locked(() -> folding.tick);
    }

    /** Whether the room is open, and both sets are those of its last tick. */
    public boolean isSettled() {
        return session.locked(() -> isReady && folding.isSettled());
    }

    /** The ids that Options.adopt() has taken over while the room was opened. */
    public int[] adopted() {
        return session.locked(() -> adopted.stream().mapToInt(Integer::intValue).toArray());
    }

    // ---- changes ----

    private <H> Room on(List<H> handlers, H handler) {
        return session.locked(() -> {
            handlers.add(handler);
            return this;
        });
    }

    /** Calls the handler for each pair that begins to touch. */
    public Room onBegin(Handlers.OfPair handler) {
        return on(folding.onBegin, handler);
    }

    /** Calls the handler for each pair that touches no more. */
    public Room onEnd(Handlers.OfEnd handler) {
        return on(folding.onEnd, handler);
    }

    /** Calls the handler for each pair that touched only between two ticks. */
    public Room onPassed(Handlers.OfPair handler) {
        return on(folding.onPassed, handler);
    }

    /** Calls the handler for each pair that continues, if subscribe() has asked for stays. */
    public Room onStay(Handlers.OfPair handler) {
        return on(folding.onStay, handler);
    }

    /** Calls the handler for each entity that enters a view. */
    public Room onEnter(Handlers.OfEnter handler) {
        return on(folding.onEnter, handler);
    }

    /** Calls the handler for each entity that leaves a view. */
    public Room onLeave(Handlers.OfLeave handler) {
        return on(folding.onLeave, handler);
    }

    /** Calls the handler for each position of an entity in a view. */
    public Room onRelay(Handlers.OfRelay handler) {
        return on(folding.onRelay, handler);
    }

    /** Calls the handler with the changes of each frame. */
    public Room onTick(Consumer<Tick> handler) {
        return on(folding.onTick, handler);
    }

    /** Calls the handler when the set of pairs is replaced. The difference follows as ends and begins. */
    public Room onReset(Runnable handler) {
        return on(folding.onReset, handler);
    }

    /** Calls the handler with the ids of entities that were handed over to this session. */
    public Room onGained(Handlers.OfIds handler) {
        return on(folding.onGained, handler);
    }

    /** Calls the handler with the ids of entities that were taken from this session. */
    public Room onLost(Handlers.OfIds handler) {
        return on(folding.onLost, handler);
    }

    /** Calls the handler when the room is of no use any more. */
    public Room onClosed(Runnable handler) {
        return on(folding.onClosed, handler);
    }

    // ---- ticks ----

    /** Makes the room tick once, even if the connection breaks meanwhile. The result is what has changed since the
     * call: several ticks, if others step the room, too. To cancel the future gives up the wait; the step itself is
     * under way. */
    public CompletableFuture<Tick> step() {
        return session.locked(() -> {
            Request made = request("step", new Fields());
            Tick news = folding.collect();
            CompletableFuture<Tick> future = made.future(() -> made.tick >= 0 && folding.reports(), () -> {
                news.number = made.tick;
                news.late = log.takeLate();
                folding.endCollecting(news);
                return news;
            });
            future.whenComplete((result, error) -> {
                if (error != null) {
                    session.locked(() -> folding.endCollecting(news));
                }
            });
            return future;
        });
    }

    /** Waits until a tick contains all requests so far that were not refused, and the sets are of that tick or later.
     * The result is the tick. A room that ticks by step() needs a step for that. */
    public CompletableFuture<Long> sync() {
        CompletableFuture<Long> future = new CompletableFuture<>();
        session.locked(() -> {
            long last = log.lastRequest;
            session.until(future, () -> {
                if (isClosed()) {
                    throw closedException();
                }
                return isReady && folding.reports() && !log.isPending(last);
            }, () -> folding.tick);
        });
        return future;
    }

    // ---- queries ----

    /** The entities in a region, near a point, or on a ray, as of the last tick. */
    public CompletableFuture<Found> query(Query query) {
        return ask("query", query.fields.copy(), result -> {
            Fields found = (Fields) result;
            int[] ids = found.ints("id");
            double[] distances = found.has("distance") ? (double[]) found.get("distance") : new double[ids.length];
            return new Found(ids, distances, found.number("tick"), found.is("more"));
        });
    }

    /** The present entities, with the columns that Entities names: at most `limit` (65,536). own: only those of this
     * session. */
    public CompletableFuture<Snapshot> snapshot(boolean own, int limit) {
        return ask("get_snapshot", Fields.of("own", own, "limit", limit), result -> Snapshot.of((List<?>) result));
    }

    /** Why the observers at entity a see entity b, or do not. */
    public CompletableFuture<List<Visibility>> why(int a, int b) {
        return ask("why", Fields.of("a", a, "b", b), result -> Visibility.of((Fields) result));
    }

    private <T> CompletableFuture<T> ask(String kind, Fields fields, Function<Object, T> read) {
        return session.ask(this, kind, fields, read);
    }

    // ---- the end ----

    /** Leaves the room. The session's entities go after the grace time. */
    public CompletableFuture<Void> leave() {
        return part("leave_room");
    }

    /** Closes the room for all sessions. Allowed to its creator and to admins. */
    public CompletableFuture<Void> close() {
        return part("close_room");
    }

    private CompletableFuture<Void> part(String kind) {
        CompletableFuture<Void> future = new CompletableFuture<>();
        session.locked(() -> {
            if (isClosed() || handle == 0) {
                parted(future, null);
                return;
            }
            session.call(this, kind, new Fields(), true, (result, error) -> parted(future, error));
            session.flush();
        });
        return future;
    }

    /** With another error than a refusal, the server's session is new, and not in the room. */
    private void parted(CompletableFuture<Void> future, RuntimeException error) {
        if (error instanceof RefusedException) {
            session.defer(() -> future.completeExceptionally(error));
            return;
        }
        end("the room '" + name + "' is closed");
        session.defer(() -> future.complete(null));
    }

    /** Whether the room is of no use any more. */
    public boolean isClosed() {
        return session.locked(() -> !closedText.isEmpty());
    }

    /** The room is of no use any more. */
    void end(String text) {
        if (isClosed()) {
            return;
        }
        closedText = text;
        isReady = false;
        if (restore != null) {
            restore.cancel();
        }
        session.remove(this);
        log.forget(closedException());
        folding.call(folding.onClosed, Runnable::run);
        session.wake();
    }

    QuadrilleException closedException() {
        return session.endedText().isEmpty() ? new RoomClosedException(closedText)
                : new SessionEndedException(session.endedText());
    }

    // ---- making requests ----

    private Request batch(String kind, Batch<?> batch) {
        return request(kind, batch.fieldsOf(kind));
    }

    private Request request(String kind, Fields fields) {
        return session.locked(() -> {
            if (isClosed()) {
                throw closedException();
            }
            return log.push(kind, fields);
        });
    }

    // ---- for Restore ----

    Fields openFields() {
        return Fields.of("name", name, "config", config);
    }

    void startRestore() {
        restore = new Restore(this);
        restore.open();
    }

    /** The server has opened the room. */
    void enter(RoomOpened opened) {
        handle = opened.getRoom();
        wasOpened = true;
        epoch = opened.getEpoch();
        folding.steps = opened.getConfig().getTickMode() == TickMode.TICK_MODE_STEP;
        log.isLockstep = opened.getConfig().getWriters() > 0;
        hasZ = opened.getConfig().getDimensions() == 3;
        session.enter(this);
    }

    void beReady() {
        isReady = true;
        restore = null;
        holders.clear();
        holders.add(session.number());
        log.replay();
        session.wake();
    }

    void beRefused(Refusal why) {
        refusal = why;
        restore = null;
        session.report(why);
        end(new RefusedException(why).getMessage());
    }

    /** The server is stopping. */
    void shutDown() {
        session.leave(this);
        handle = 0;
        isReady = false;
    }

    /** Entities were adopted from earlier sessions of the token. */
    void gained(List<Fields> frames) {
        for (Fields frame : frames) {
            log.takeHandedOver(frame);
            Arrays.stream(frame.ints("id")).forEach(adopted::add);
        }
    }
}
