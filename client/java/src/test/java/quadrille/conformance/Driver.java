// SPDX-License-Identifier: Apache-2.0
package quadrille.conformance;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import quadrille.Batch;
import quadrille.Descriptions;
import quadrille.Entities;
import quadrille.Found;
import quadrille.Observers;
import quadrille.Options;
import quadrille.Query;
import quadrille.Refusal;
import quadrille.RefusedEntry;
import quadrille.RefusedException;
import quadrille.Room;
import quadrille.RoomOptions;
import quadrille.Rows;
import quadrille.Seen;
import quadrille.Session;
import quadrille.View;
import quadrille.ViewOptions;
import quadrille.Watcher;
import quadrille.internal.ContradictionException;
import quadrille.internal.Fields;
import quadrille.internal.Layout;
import quadrille.internal.Relay;
import quadrille.internal.Wire;
import quadrille.v1.Bounds;
import quadrille.v1.Index;
import quadrille.v1.RoomConfig;
import quadrille.v1.ServerFrame;
import quadrille.v1.SetViewOptions;
import quadrille.v1.Subscribe;
import quadrille.v1.TickMode;

/** The driver of this SDK for the conformance suite. tests/conformance/README.md has the protocol. */
public final class Driver {
    private static final long WAIT_SECONDS = 20;
    private static final HexFormat HEX = HexFormat.of();

    private final PrintStream out;
    private final boolean isQuiet; // keep no events
    private Session session;
    private final Map<String, List<String>> events = new HashMap<>();
    private final List<String> refusals = new ArrayList<>();
    private Relay relay;

    private Driver(PrintStream out, boolean isQuiet) {
        this.out = out;
        this.isQuiet = isQuiet;
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16),
                false, StandardCharsets.UTF_8);
        Driver driver = new Driver(out, List.of(arguments).contains("--quiet"));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine()) {
            out.println(driver.answer(line));
            out.flush();
        }
        if (driver.session != null) {
            driver.session.close();
        }
        out.println("ok");
        out.flush();
        System.exit(0);
    }

    private String answer(String line) {
        try {
            return carryOut(line);
        } catch (RefusedException error) {
            return "error refused " + error.refusal().reason();
        } catch (ExecutionException error) {
            return error.getCause() instanceof RefusedException refused
                    ? "error refused " + refused.refusal().reason() : "error " + error.getCause().getMessage();
        } catch (TimeoutException error) {
            return "error not done in time";
        } catch (RuntimeException error) {
            error.printStackTrace();
            return "error " + error;
        } catch (InterruptedException error) {
            return "error interrupted";
        }
    }

    private static <T> T wait(CompletableFuture<T> future)
            throws ExecutionException, TimeoutException, InterruptedException {
        return future.get(WAIT_SECONDS, TimeUnit.SECONDS);
    }

    private String carryOut(String line) throws ExecutionException, TimeoutException, InterruptedException {
        List<String> words = new ArrayList<>(List.of(line.split(" ")));
        String command = words.remove(0);
        switch (command) {
            case "relay":
                return relay(words);
            case "decode":
                return decode(words.isEmpty() ? "" : words.get(0));
            case "encode":
                return encode(fieldsOf(words));
            default:
                break;
        }
        String name = words.stream().filter(word -> !word.contains("=")).findFirst().orElse("");
        Map<String, String> fields = fieldsOf(words);
        switch (command) {
            case "connect":
                return connect(name, fields);
            case "status":
                return "ok connects=" + session.connects() + " resumes=" + session.resumes() + " session="
                        + Long.toUnsignedString(session.number());
            case "refusals":
                synchronized (refusals) {
                    refusals.forEach(out::println);
                    refusals.clear();
                }
                return "ok";
            case "open":
                return open(name, fields);
            default:
                Room room = session == null ? null : session.room(name);
                return room == null ? "error the room '" + name + "' is not open" : carryOut(room, command, fields);
        }
    }

    private static Map<String, String> fieldsOf(List<String> words) {
        Map<String, String> fields = new HashMap<>();
        for (String word : words) {
            int at = word.indexOf('=');
            if (at >= 0) {
                fields.put(word.substring(0, at), word.substring(at + 1));
            }
        }
        return fields;
    }

    // ---- the session ----

    private String connect(String address, Map<String, String> fields)
            throws ExecutionException, TimeoutException, InterruptedException {
        Options options = new Options().name("conformance").timeout(Duration.ofSeconds(WAIT_SECONDS))
                .token(fields.getOrDefault("token", ""));
        if ("1".equals(fields.get("adopt"))) {
            options.adopt();
        }
        if (fields.containsKey("connect_ms")) {
            options.connect(millis(fields, "connect_ms", 0));
        }
        if (fields.containsKey("ping_ms")) {
            options.ping(millis(fields, "ping_ms", 0));
        }
        if (fields.containsKey("dead_ms")) {
            options.dead(millis(fields, "dead_ms", 0));
        }
        options.backoff(millis(fields, "backoff_ms", 100), millis(fields, "backoff_max_ms", 5000));
        session = wait(Session.connect(address, options));
        session.onRefused(this::onRefused);
        return "ok";
    }

    private static Duration millis(Map<String, String> fields, String name, long absent) {
        return Duration.ofMillis(fields.containsKey(name) ? Long.parseLong(fields.get(name)) : absent);
    }

    private void onRefused(Refusal refusal) {
        String place = "refused " + (refusal.room().isEmpty() ? "-" : refusal.room()) + " " + refusal.command();
        synchronized (refusals) {
            if (refusal.entries().isEmpty()) {
                refusals.add(place + " " + refusal.reason());
            }
            for (RefusedEntry entry : refusal.entries()) {
                refusals.add(place + " " + entry.reason() + " " + entry.index() + " " + unsigned(entry.id()));
            }
        }
    }

    private static String unsigned(int id) {
        return Integer.toUnsignedString(id);
    }

    // ---- rooms ----

    private String open(String name, Map<String, String> fields)
            throws ExecutionException, TimeoutException, InterruptedException {
        RoomOptions config = fields.isEmpty() ? null : new RoomOptions().with(builder -> configure(builder, fields));
        Room room = wait(session.open(name, config));
        List<String> own = new ArrayList<>();
        events.put(name, own);
        if (!isQuiet) {
            room.onBegin((a, b) -> note(own, "begin " + unsigned(a) + " " + unsigned(b)));
            room.onEnd((a, b, why) -> note(own, "end " + unsigned(a) + " " + unsigned(b) + " " + why.getNumber()));
            room.onPassed((a, b) -> note(own, "passed " + unsigned(a) + " " + unsigned(b)));
            room.onEnter((observer, id) -> note(own, "enter " + unsigned(observer) + " " + unsigned(id)));
            room.onLeave((observer, id, why) ->
                    note(own, "leave " + unsigned(observer) + " " + unsigned(id) + " " + why.getNumber()));
            room.onReset(() -> note(own, "reset"));
            room.onGained(ids -> noteAll(own, "gained ", ids));
            room.onLost(ids -> noteAll(own, "lost ", ids));
            noteAll(own, "gained ", room.adopted()); // that came before the handlers
        }
        return "ok " + room.tick();
    }

    private static void configure(RoomConfig.Builder builder, Map<String, String> fields) {
        fields.forEach((name, text) -> {
            if (name.equals("bounds")) {
                float[] values = floats(text);
                int half = values.length / 2;
                Bounds.Builder bounds = Bounds.newBuilder().setMinX(values[0]).setMinY(values[1])
                        .setMaxX(values[half]).setMaxY(values[half + 1]);
                if (half == 3) {
                    bounds.setMinZ(values[2]).setMaxZ(values[5]);
                }
                builder.setBounds(bounds);
                return;
            }
            int value = Integer.parseUnsignedInt(text);
            switch (name) {
                case "dimensions" -> builder.setDimensions(value);
                case "tick_mode" -> builder.setTickMode(TickMode.forNumber(value));
                case "tick_hz" -> builder.setTickHz(value);
                case "entities_max" -> builder.setEntitiesMax(value);
                case "grace_ms" -> builder.setGraceMs(value);
                case "index" -> builder.setIndex(Index.forNumber(value));
                case "swept" -> builder.setSwept(value != 0);
                case "writers" -> builder.setWriters(value);
                case "step_deadline_ms" -> builder.setStepDeadlineMs(value);
                default -> throw new IllegalArgumentException("open has no field '" + name + "'");
            }
        });
    }

    private static void note(List<String> events, String text) {
        synchronized (events) {
            events.add(text);
        }
    }

    private static void noteAll(List<String> events, String text, int[] ids) {
        for (int id : ids) {
            note(events, text + unsigned(id));
        }
    }

    private String carryOut(Room room, String command, Map<String, String> fields)
            throws ExecutionException, TimeoutException, InterruptedException {
        switch (command) {
            case "step":
                return "ok " + wait(room.step()).number();
            case "sync":
                return "ok " + wait(room.sync());
            case "speed":
                return speed(room, number(fields, "count"), number(fields, "moves"), number(fields, "ticks"));
            case "query":
                return query(room, fields);
            case "leave":
                wait(room.leave());
                return "ok";
            case "close":
                wait(room.close());
                return "ok";
            case "settled":
                return "ok " + (room.isSettled() ? 1 : 0);
            case "pairs":
                Rows pairs = room.pairs().rows();
                for (int i = 0; i < pairs.size(); i++) {
                    out.println("pair " + unsigned(pairs.first()[i]) + " " + unsigned(pairs.second()[i]));
                }
                return "ok";
            case "view":
                printView(room);
                return "ok";
            case "watchers":
                for (int id : ints(fields.get("id"))) {
                    for (Watcher each : room.watchers(id)) {
                        out.println("watcher " + unsigned(id) + " " + Long.toUnsignedString(each.session()) + " "
                                + unsigned(each.observer()));
                    }
                }
                return "ok";
            case "events":
                List<String> own = events.get(room.name());
                synchronized (own) {
                    own.forEach(out::println);
                    own.clear();
                }
                return "ok";
            default:
                request(room, command, fields);
                return "ok";
        }
    }

    private static int number(Map<String, String> fields, String name) {
        return Integer.parseUnsignedInt(fields.getOrDefault(name, "0"));
    }

    private void printView(Room room) {
        for (int observer : room.observers()) {
            View view = room.view(observer);
            for (int id : view.ids()) {
                Seen at = view.get(id);
                out.println("seen " + unsigned(observer) + " " + unsigned(id) + " " + at.x() + " " + at.y() + " "
                        + at.z() + " " + at.halfX() + " " + at.halfY() + " " + at.halfZ() + " " + at.radius() + " "
                        + unsigned(at.category()) + " " + Long.toUnsignedString(at.tag()) + " "
                        + (at.payload().length == 0 ? "-" : HEX.formatHex(at.payload())));
            }
        }
    }

    private String query(Room room, Map<String, String> fields)
            throws ExecutionException, TimeoutException, InterruptedException {
        Query query;
        if (fields.containsKey("circle")) {
            float[] values = floats(fields.get("circle"));
            float[] center = java.util.Arrays.copyOf(values, values.length - 1);
            query = Query.circle(values[values.length - 1], center);
        } else {
            query = Query.nearest(floats(fields.get("nearest")));
        }
        Found found = wait(room.query(query.limit(number(fields, "limit"))));
        for (int i = 0; i < found.ids().length; i++) {
            out.println("found " + unsigned(found.ids()[i]) + " " + found.distances()[i]);
        }
        return "ok " + found.tick();
    }

    // ---- requests ----

    private static float[] floats(String text) {
        String[] texts = text.isEmpty() ? new String[0] : text.split(",");
        float[] values = new float[texts.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = FlatText.floatOf(texts[i]);
        }
        return values;
    }

    private static int[] ints(String text) {
        String[] texts = text == null || text.isEmpty() ? new String[0] : text.split(",");
        int[] values = new int[texts.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = Integer.parseUnsignedInt(texts[i]);
        }
        return values;
    }

    /** Fills a batch with the columns of the command. */
    private static <T extends Batch<T>> T fill(T batch, String kind, Map<String, String> fields) {
        fields.forEach((name, text) -> {
            Layout.Field field = Wire.client(kind).layout().field(name);
            if (name.equals("id") || name.equals("payload") || name.equals("payload_size")
                    || name.equals("room_owned")) {
                return;
            }
            switch (field.type) {
                case FLOAT -> batch.column(name, floats(text));
                case FIXED64 -> batch.column(name, java.util.Arrays.stream(text.split(","))
                        .mapToLong(Long::parseUnsignedLong).toArray());
                default -> batch.column(name, ints(text));
            }
        });
        return batch;
    }

    private void request(Room room, String command, Map<String, String> fields) {
        int[] ids = ints(fields.get("id"));
        switch (command) {
            case "spawn" -> {
                Entities entities = fill(Entities.of(ids), "spawn", fields);
                room.spawn("1".equals(fields.get("room_owned")) ? entities.roomOwned() : entities);
            }
            case "move" -> room.move(ids, floats(fields.get("x")), floats(fields.get("y")), z(fields));
            case "teleport" -> room.teleport(ids, floats(fields.get("x")), floats(fields.get("y")), z(fields));
            case "reshape" -> room.reshape(fill(Entities.of(ids), "reshape", fields));
            case "despawn" -> room.despawn(ids);
            case "describe" -> describe(room, ids, fields);
            case "hand_over" -> room.handOver(Long.parseUnsignedLong(fields.getOrDefault("session", "0")), ids);
            case "subscribe" -> room.subscribe(Subscribe.Scope.forNumber(number(fields, "scope")),
                    number(fields, "stays") != 0);
            case "unsubscribe" -> room.unsubscribe();
            case "observe" -> room.observe(fill(Observers.of(ids), "observe", fields));
            case "move_observers" -> room.moveObservers(fill(Observers.of(ids), "move_observers", fields));
            case "unobserve" -> room.unobserve(ids);
            case "except" -> room.except(number(fields, "observer"), ints(fields.get("show")),
                    ints(fields.get("hide")));
            case "view_options" -> room.viewOptions(viewOptions(fields));
            default -> throw new IllegalArgumentException("no command '" + command + "'");
        }
    }

    private static float[] z(Map<String, String> fields) {
        return fields.containsKey("z") ? floats(fields.get("z")) : null;
    }

    private static void describe(Room room, int[] ids, Map<String, String> fields) {
        Descriptions descriptions = fill(Descriptions.of(ids), "set_description", fields);
        if (fields.containsKey("payload_size")) {
            byte[] all = HEX.parseHex(fields.getOrDefault("payload", ""));
            int[] sizes = ints(fields.get("payload_size"));
            byte[][] payloads = new byte[sizes.length][];
            for (int i = 0, at = 0; i < sizes.length; at += sizes[i], i++) {
                payloads[i] = java.util.Arrays.copyOfRange(all, at, at + sizes[i]);
            }
            descriptions.payload(payloads);
        }
        room.describe(descriptions);
    }

    private static ViewOptions viewOptions(Map<String, String> fields) {
        ViewOptions options = new ViewOptions().bytesMax(number(fields, "bytes_max"))
                .watch(SetViewOptions.Watch.forNumber(number(fields, "watch")));
        if (number(fields, "relay_once") != 0) {
            return fields.containsKey("relay_k") ? options.relayOnce(Integer.parseInt(fields.get("relay_k")))
                    : options.relayOnce();
        }
        return options;
    }

    // ---- speed ----

    private String speed(Room room, int count, int moves, int ticks)
            throws ExecutionException, TimeoutException, InterruptedException {
        int[] ids = new int[count];
        java.util.Arrays.setAll(ids, i -> i);
        float[] x = new float[count];
        if (count > 0) {
            wait(room.spawn(Entities.of(ids).at(x, x)).accepted());
            for (int i = 0; i < 2; i++) { // then it is a roster
                room.move(ids, x, x);
            }
            wait(room.step());
        }
        long cpu = cpuNanos();
        long started = System.nanoTime();
        for (int tick = 0; tick < ticks; tick++) {
            for (int i = 0; i < moves; i++) {
                room.move(ids, x, x);
                if (session.isFull()) {
                    wait(session.drain());
                }
            }
            wait(room.step());
        }
        return String.format("ok %.6f %.6f", (System.nanoTime() - started) / 1e9, (cpuNanos() - cpu) / 1e9);
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    // ---- golden vectors ----

    private String relay(List<String> words) {
        switch (words.get(0)) {
            case "state" -> relay = new Relay(Integer.parseInt(words.get(2)), Integer.parseInt(words.get(1)),
                    Integer.parseInt(words.get(3)));
            case "start" -> {
                float[] at = new float[words.size() - 2];
                for (int i = 0; i < at.length; i++) {
                    at[i] = Float.intBitsToFloat(Integer.parseUnsignedInt(words.get(i + 2), 16));
                }
                relay.start(Integer.parseInt(words.get(1)), at);
            }
            case "blob" -> {
                try {
                    relay.read(HEX.parseHex(words.size() > 1 ? words.get(1) : ""));
                } catch (ContradictionException error) {
                    return "error refused";
                }
            }
            default -> {
                StringBuilder line = new StringBuilder("at ").append(words.get(1));
                for (int axis = 0; axis < relay.axes(); axis++) {
                    line.append(' ').append(relay.steps(axis, Integer.parseInt(words.get(1))));
                }
                out.println(line);
            }
        }
        return "ok";
    }

    private String decode(String hex) {
        Wire.Frame frame = Wire.decode(ByteBuffer.wrap(HEX.parseHex(hex)));
        if (frame.seq() != 0) {
            out.println("seq=" + frame.seq());
        }
        if (frame.kind() != null) {
            out.println(frame.kind() + "={}");
            if (frame.message() != null) {
                FlatText.print(out, frame.message(), frame.kind());
            } else {
                FlatText.print(out, ServerFrame.getDescriptor().findFieldByName(frame.kind()).getMessageType(),
                        frame.fields(), frame.kind());
            }
        }
        return "ok";
    }

    private String encode(Map<String, String> words) {
        long seq = Long.parseUnsignedLong(words.getOrDefault("seq", "0"));
        boolean confirm = "true".equals(words.get("confirm"));
        Wire.Kind kind = words.keySet().stream().map(Wire::client).filter(java.util.Objects::nonNull).findFirst()
                .orElse(null);
        byte[] frame = kind == null
                ? quadrille.v1.ClientFrame.newBuilder().setSeq(seq).setConfirm(confirm).build().toByteArray()
                : Wire.encode(kind.name(), FlatText.read(kind, words), seq, confirm);
        out.println("frame " + HEX.formatHex(frame));
        return "ok";
    }
}
