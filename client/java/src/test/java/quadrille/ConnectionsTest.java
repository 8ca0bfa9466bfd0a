// SPDX-License-Identifier: Apache-2.0
package quadrille;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static quadrille.SessionTest.floats;
import static quadrille.SessionTest.get;
import static quadrille.SessionTest.ids;
import static quadrille.SessionTest.yard;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a program sees of broken connections and silent servers. */
@Timeout(60)
final class ConnectionsTest {
    private static Servers server;
    private Proxy proxy;

    @BeforeAll
    static void start() throws IOException {
        server = new Servers();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() throws IOException {
        proxy = new Proxy(server.address);
    }

    @AfterEach
    void close() throws IOException {
        proxy.close();
    }

    private static Options quick() {
        return new Options().connect(Duration.ofMillis(500)).ping(Duration.ofMillis(50)).dead(Duration.ofMillis(250))
                .backoff(Duration.ofMillis(2), Duration.ofMillis(20));
    }

    private static CompletableFuture<Void> lost(Session session) {
        CompletableFuture<Void> lost = new CompletableFuture<>();
        session.onState((state, reason) -> {
            if (state == Session.State.LOST) {
                lost.complete(null);
            }
        });
        return lost;
    }

    @Test
    void program_sees_states_and_a_reset_and_the_set_goes_on() throws Exception {
        try (Session session = get(Session.connect(proxy.address(), quick()))) {
            List<Session.State> states = Collections.synchronizedList(new ArrayList<>());
            List<String> events = Collections.synchronizedList(new ArrayList<>());
            session.onState((state, reason) -> states.add(state));
            Room room = get(session.open("cut", yard()));
            room.onReset(() -> events.add("reset")).onBegin((a, b) -> events.add("begin " + a + " " + b));
            room.subscribe();
            room.spawn(Entities.of(1, 2, 3).at(new float[] {10, 11, 50}, floats(3, 10, 0)).half(1));
            get(room.step());
            assertEquals(List.of("reset", "begin 1 2"), List.copyOf(events));
            long number = session.number();
            proxy.cutAfter(0);
            room.move(3, 12, 10);
            assertEquals(2, get(room.step()).number());
            assertEquals(List.of(Session.State.LOST, Session.State.CONNECTING, Session.State.READY),
                    List.copyOf(states));
            assertEquals(List.of(number, 1L), List.of(session.number(), session.resumes()));
            assertEquals("reset", events.get(2));
            assertEquals(3, room.pairs().size());
        }
    }

    @Test
    void silent_server_is_given_up_and_requests_wait() throws Exception {
        try (Session session = get(Session.connect(proxy.address(), quick()))) {
            Room room = get(session.open("silent", yard()));
            room.spawn(Entities.of(1).at(1, 1));
            get(room.step());
            CompletableFuture<Void> lost = lost(session);
            proxy.hold(true);
            get(lost);
            assertTrue(session.problem().contains("silent"), session.problem());
            CompletableFuture<Tick> step = room.step();
            Thread.sleep(300);
            assertFalse(step.isDone());
            proxy.hold(false);
            assertEquals(2, get(step).number());
        }
    }

    @Test
    void backlog_above_its_limit_is_merged_into_the_state() throws Exception {
        Options options = quick().token("backlog").backlogBytes(10000);
        try (Session session = get(Session.connect(proxy.address(), options))) {
            Room room = get(session.open("backlog", yard()));
            room.spawn(Entities.of(ids(0, 100)).at(floats(100, 0, 5), floats(100, 10, 0)).half(1));
            get(room.step());
            CompletableFuture<Void> lost = lost(session);
            proxy.sever(true);
            get(lost);
            Request last = null;
            for (int turn = 0; turn < 50; turn++) {
                last = room.move(ids(0, 100), floats(100, turn, 5), floats(100, 10, 0));
            }
            assertTrue(session.locked(() -> room.log.entries.all().size()) < 50);
            proxy.sever(false);
            get(room.step());
            assertEquals(room.tick(), get(last.applied()));
            assertArrayEquals(floats(100, 49, 5), get(room.snapshot(false, 0)).floats("x"));
            assertEquals(0, session.resumes());
        }
    }

    @Test
    void requests_that_wait_for_an_answer_survive_a_cut() throws Exception {
        try (Session session = get(Session.connect(proxy.address(), quick()))) {
            Room room = get(session.open("answers", yard()));
            room.spawn(Entities.of(1).at(1, 1)).await();
            get(room.step());
            for (int bytes = 0; bytes < 60; bytes += 3) {
                proxy.cutAfter(bytes);
                CompletableFuture<Found> found = room.query(Query.nearest(0, 0));
                CompletableFuture<quadrille.v1.Stats> stats = session.stats(room);
                get(session.ping());
                assertArrayEquals(new int[] {1}, get(found).ids());
                assertEquals(1, get(stats).getRoom().getEntities());
            }
            assertTrue(session.connects() > 5);
        }
    }

    @Test
    void step_across_cuts_makes_exactly_one_tick() throws Exception {
        try (Session session = get(Session.connect(proxy.address(), quick()))) {
            Room room = get(session.open("steps", yard()));
            room.subscribe();
            room.spawn(Entities.of(1, 2).at(floats(2, 10, 1), floats(2, 10, 0)).half(1)).await();
            for (int tick = 1; tick < 20; tick++) {
                proxy.cutAfter(7 * tick);
                room.move(1, 10 + tick, 10);
                assertEquals(tick, get(room.step()).number());
                assertEquals(tick <= 3, room.pairs().has(1, 2));
            }
        }
    }
}
