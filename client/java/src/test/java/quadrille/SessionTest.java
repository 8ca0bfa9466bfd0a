// SPDX-License-Identifier: Apache-2.0
package quadrille;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import quadrille.v1.EndReason;
import quadrille.v1.ErrorCode;

/** The API against a real server. The conformance suite tests what is folded, resumed and restored. */
@Timeout(60)
final class SessionTest {
    private static Servers server;

    @BeforeAll
    static void start() throws IOException {
        server = new Servers();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    static Session connect() throws Exception {
        return get(Session.connect(server.address));
    }

    static RoomOptions yard() {
        return RoomOptions.bounds(0, 0, 100, 100).step();
    }

    static float[] floats(int count, float first, float step) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = first + i * step;
        }
        return values;
    }

    static int[] ids(int first, int count) {
        return IntStream.range(first, first + count).toArray();
    }

    @Test
    void awaited_refusal_has_code_and_entries() throws Exception {
        try (Session session = connect()) {
            List<Refusal> reported = Collections.synchronizedList(new ArrayList<>());
            session.onRefused(reported::add);
            Room room = get(session.open("refusals", yard()));
            room.spawn(Entities.of(1, 2).at(floats(2, 1, 1), floats(2, 1, 1)).half(1)).await();
            RefusedException refused = assertThrows(RefusedException.class, () -> room.spawn(
                    Entities.of(3, 2).at(new float[] {1, Float.NaN}, floats(2, 1, 0)).half(1)).await());
            RefusedEntry entry = refused.entries().get(0);
            assertEquals(List.of(1, 2, "NOT_FINITE"), List.of(entry.index(), entry.id(), entry.reason()));
            assertEquals(1, reported.size());
            assertTrue(reported.get(0).text().contains("2"));
            ExecutionException failed = assertThrows(ExecutionException.class, () -> get(session.open("nowhere")));
            assertEquals(ErrorCode.ERROR_CODE_UNKNOWN_ROOM, ((RefusedException) failed.getCause()).code());
        }
    }

    @Test
    void columns_are_checked_before_they_are_sent() throws Exception {
        try (Session session = connect()) {
            Room room = get(session.open("columns", yard()));
            assertEquals("x has 3 values; must be 2, one per id", assertThrows(IllegalArgumentException.class,
                    () -> room.move(ids(0, 2), floats(3, 0, 1), floats(2, 0, 1))).getMessage());
            assertEquals("half_x has 3 values; must be 2, one per id, or 1 for all", assertThrows(
                    IllegalArgumentException.class, () -> room.spawn(Entities.of(1, 2).half(1, 2, 3))).getMessage());
            assertTrue(assertThrows(IllegalArgumentException.class,
                    () -> room.spawn(Entities.of(1).column("size", 1f))).getMessage().contains("'size' is no column"));
        }
    }

    @Test
    void arrays_may_change_as_soon_as_a_call_returns() throws Exception {
        try (Session session = connect()) {
            Room room = get(session.open("arrays", yard()));
            int[] ids = ids(0, 8);
            room.spawn(Entities.of(ids).at(floats(8, 0, 10), new float[8]).half(1));
            for (int turn = 1; turn < 5; turn++) {
                float[] x = floats(8, turn, 10);
                room.move(ids, x, new float[8]);
                Arrays.fill(x, -1);
                get(room.step());
                assertArrayEquals(floats(8, turn, 10), get(room.snapshot(false, 0)).floats("x"));
            }
            for (int id : ids) {
                int row = room.log.kept().row(id);
                assertEquals(10 * id + 4, session.locked(() -> room.log.kept().value("x", row)));
            }
        }
    }

    @Test
    void same_ids_are_sent_once() throws Exception {
        try (Session session = connect()) {
            Room room = get(session.open("rosters", yard()));
            int[] ids = ids(0, 10000);
            float[] at = new float[10000];
            room.spawn(Entities.of(ids).at(floats(10000, 0, 1), at));
            List<Long> sizes = new ArrayList<>();
            for (int turn = 0; turn < 4; turn++) {
                long before = get(session.stats()).getServer().getBytesIn();
                room.move(ids, at, at);
                sizes.add(get(session.stats()).getServer().getBytesIn() - before);
            }
            assertTrue(sizes.get(0) > 120000, sizes::toString);
            assertTrue(sizes.get(2) < 81000 && sizes.get(3) < 81000, sizes::toString);
        }
    }

    @Test
    void batch_above_the_frame_limit_is_split() throws Exception {
        try (Session session = connect()) {
            Room room = get(session.open("large", yard()));
            int count = session.limits().getFrameBytesMax() / 12 + 5000;
            int[] ids = ids(0, count);
            room.spawn(Entities.of(ids).at(floats(count, 1e6f, 10), new float[count]).half(1)).await();
            ids[0] = -1; // 2^32 - 1, which is not there
            RefusedException refused = assertThrows(RefusedException.class, () -> room.despawn(ids).await());
            assertEquals(List.of(new RefusedEntry(0, -1, ErrorCode.ERROR_CODE_UNKNOWN_ID_VALUE, 0)),
                    refused.entries());
            get(room.step());
            assertEquals(1, get(session.stats(room)).getRoom().getEntities());
        }
    }

    @Test
    void step_can_be_canceled_and_timed_out() throws Exception {
        try (Session session = connect(); Session other = connect()) {
            Room room = get(session.open("lockstep",
                    yard().with(config -> config.setWriters(2).setStepDeadlineMs(60000))));
            Room same = get(other.open("lockstep"));
            CompletableFuture<Tick> first = room.step();
            get(same.step());
            get(first);
            CompletableFuture<Tick> second = room.step();
            assertThrows(TimeoutException.class, () -> second.get(100, TimeUnit.MILLISECONDS));
            assertTrue(second.cancel(true)); // the step itself is under way
            get(same.step());
            CompletableFuture<Tick> third = room.step();
            get(same.step());
            assertEquals(3, get(third).number());
        }
    }

    @Test
    void handler_that_throws_does_not_break_the_connection() throws Exception {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> thrown.set(error));
        try (Session session = connect()) {
            Room room = get(session.open("throwing", yard()));
            room.onBegin((a, b) -> {
                throw new IllegalStateException("a handler");
            });
            room.subscribe();
            room.spawn(Entities.of(1, 2).at(floats(2, 1, 1), floats(2, 1, 0)).half(1));
            Rows begins = get(room.step()).begins();
            assertArrayEquals(new int[] {1, 2}, new int[] {begins.first()[0], begins.second()[0]});
            assertInstanceOf(IllegalStateException.class, thrown.get());
            assertEquals(1, session.connects());
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    @Test
    void room_with_a_clock_reports_ticks() throws Exception {
        try (Session session = connect()) {
            Room room = get(session.open("clock", RoomOptions.bounds(0, 0, 100, 100).hz(100)));
            CompletableFuture<Tick> begun = new CompletableFuture<>();
            room.onTick(tick -> {
                if (tick.begins().size() > 0) {
                    begun.complete(tick);
                }
            });
            room.subscribe().await();
            room.spawn(Entities.of(1, 2).at(floats(2, 10, 0), floats(2, 10, 0)).half(1));
            assertEquals(1, get(begun).begins().size());
            room.move(2, 50, 50);
            assertTrue(get(room.sync()) <= room.tick());
            assertEquals(0, room.pairs().size());
        }
    }

    @Test
    void many_threads_use_one_session() throws Exception {
        try (Session session = connect()) {
            Room room = get(session.open("threads", RoomOptions.bounds(0, 0, 100, 100).hz(200)));
            List<Thread> threads = new ArrayList<>();
            List<Throwable> errors = Collections.synchronizedList(new ArrayList<>());
            for (int i = 0; i < 8; i++) {
                int id = i;
                Thread thread = new Thread(() -> {
                    room.spawn(Entities.of(id).at(id, 0).half(0.25f)).await();
                    for (int turn = 1; turn <= 200; turn++) {
                        room.move(id, id, turn);
                    }
                    room.sync().join();
                });
                thread.setUncaughtExceptionHandler((any, error) -> errors.add(error));
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(List.of(), errors);
            float[] y = get(room.snapshot(true, 0)).floats("y");
            float[] wanted = new float[8];
            Arrays.fill(wanted, 200);
            assertArrayEquals(wanted, y);
        }
    }

    @Test
    void calls_after_the_end_fail() throws Exception {
        Session session = connect();
        Room room = get(session.open("ending", yard()));
        Room left = get(session.open("left", yard()));
        get(left.leave());
        assertThrows(RoomClosedException.class, () -> left.move(1, 1, 1));
        room.spawn(Entities.of(1).at(1, 1));
        CompletableFuture<Long> waiting = room.sync();
        session.close();
        assertThrows(SessionEndedException.class, room::step);
        for (CompletableFuture<?> future : List.of(room.sync(), session.drain(), waiting, session.ping())) {
            ExecutionException failed = assertThrows(ExecutionException.class, () -> get(future));
            assertInstanceOf(SessionEndedException.class, failed.getCause());
        }
        assertNull(session.room("ending"));
    }

    @Test
    void server_that_is_not_there_times_out_with_the_fix() throws Exception {
        int port;
        try (ServerSocket listener = new ServerSocket(0)) {
            port = listener.getLocalPort();
        }
        Options options = new Options().timeout(Duration.ofMillis(200));
        ExecutionException failed = assertThrows(ExecutionException.class,
                () -> get(Session.connect("127.0.0.1:" + port, options)));
        String text = failed.getCause().getMessage();
        assertInstanceOf(TimeoutException.class, failed.getCause());
        String wanted = "127.0.0.1:" + port + ": no session within 0.2 s: .*refused.*Check the address.*";
        assertTrue(text.matches(wanted), text);
    }

    @Test
    void drain_waits_for_a_server_that_does_not_read() throws Exception {
        try (Servers own = new Servers(); Session session = get(Session.connect(own.address))) {
            Room room = get(session.open("drain", yard()));
            own.signal("STOP");
            try {
                int[] ids = ids(0, 100000);
                float[] at = new float[100000];
                assertThrows(TimeoutException.class, () -> {
                    for (int i = 0; i < 200; i++) { // 240 MB, more than the system's buffers
                        room.move(ids, at, at);
                        session.drain().get(200, TimeUnit.MILLISECONDS);
                    }
                });
                assertTrue(session.isFull());
            } finally {
                own.signal("CONT");
            }
            get(session.drain());
            assertFalse(session.isFull());
            get(session.ping());
        }
    }

    @Test
    void requests_report_the_tick_that_contains_them() throws Exception {
        try (Session session = connect()) {
            Room room = get(session.open("applied", yard()));
            get(room.subscribe().accepted());
            room.spawn(Entities.of(1, 2).at(floats(2, 10, 1), floats(2, 10, 0)).half(1));
            CompletableFuture<Long> moved = room.move(1, 10.5f, 10).applied();
            Tick tick = get(room.step());
            assertEquals(tick.number(), get(moved));
            assertTrue(room.pairs().has(2, 1));
            assertArrayEquals(new int[] {1}, get(room.query(Query.nearest(10, 10).limit(1))).ids());
            room.despawn(1);
            assertArrayEquals(new byte[] {EndReason.END_REASON_DESPAWNED_VALUE}, get(room.step()).endReasons());
        }
    }
}
