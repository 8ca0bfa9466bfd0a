/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers that do not keep up, and rooms with too many pairs: memory stays bounded, nobody waits for another, and what
 * is folded is true again as soon as it is known again.
 */

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "support/raw.h"
#include "support/rng.h"
#include "support/session.h"
#include "tests/support/test.h"

#define BOXES 200u

/* Boxes of 2 by 2 in a room, and what the test itself knows of them. */
struct crowd {
    uint64_t room;
    uint32_t id[BOXES];
    float x[BOXES], y[BOXES];
    rng_stream rng;
};

static void spawn_crowd(qd_client *client, struct crowd *crowd, const char *name)
{
    float half[BOXES];

    crowd->rng.state = 1;
    crowd->room = session_open_room(client, name, NULL);
    for (uint32_t i = 0; i < BOXES; i++) {
        crowd->id[i] = i;
        crowd->x[i] = 4.0f * (float)i;
        crowd->y[i] = 0;
        half[i] = 1;
    }
    const qd_msg_entities batch = {BOXES, crowd->id, .x = crowd->x, .y = crowd->y, .half_x = half, .half_y = half};
    qd_client_spawn(client, crowd->room, &batch, false);
    session_step(client, crowd->room);
}

/* All into an area so small that a good part of all pairs begin or end at each tick. */
static uint64_t shuffle(qd_client *client, struct crowd *crowd)
{
    for (uint32_t i = 0; i < BOXES; i++) {
        crowd->x[i] = 4 * rng_fraction(&crowd->rng);
        crowd->y[i] = 4 * rng_fraction(&crowd->rng);
    }
    qd_client_move(client, crowd->room, &(qd_msg_entities){BOXES, crowd->id, .x = crowd->x, .y = crowd->y});
    return session_step(client, crowd->room);
}

static void expect_true_set(const qd_pairs *pairs, const struct crowd *crowd)
{
    size_t count = 0;

    assert_true(qd_pairs_known(pairs));
    for (uint32_t i = 0; i < BOXES; i++) {
        for (uint32_t k = i + 1; k < BOXES; k++) {
            /* The places are multiples of 1/64: their differences are exact. */
            bool touch = fabsf(crowd->x[i] - crowd->x[k]) <= 2 && fabsf(crowd->y[i] - crowd->y[k]) <= 2;

            assert_int_equal(qd_pairs_contain(pairs, i, k), touch);
            count += touch;
        }
    }
    assert_int_equal(qd_pairs_count(pairs), count);
}

static uint64_t merged_max;

/* Reads until the set of that tick is known. Returns how many resets came; merged_max becomes the most ticks that one
 * of them stood for. */
static uint32_t read_until(qd_client *client, qd_pairs *pairs, uint64_t tick)
{
    uint32_t resets = 0;

    merged_max = 0;
    while (!qd_pairs_known(pairs) || qd_pairs_tick(pairs) < tick) {
        const qd_msg_tick *frame = &session_wait_kind(client, QD_SERVER_TICK)->as.tick;

        resets += frame->reset;
        assert_true(frame->merged_ticks <= frame->tick && (frame->reset || frame->merged_ticks == 0));
        if (frame->merged_ticks > merged_max) {
            merged_max = frame->merged_ticks;
        }
        if (qd_pairs_apply(pairs, frame) != QD_CLIENT_OK) {
            fail_msg("tick %llu contradicts the set", (unsigned long long)frame->tick);
        }
    }
    return resets;
}

TEST(slow_reader_gets_a_reset_when_it_catches_up)
{
    /* Room for the events of a few ticks: frames that a reader has just read may still count as queued. */
    qd_process *server = qd_server_start(QD_ARGS("--queue-max", "256K", "--slow-ms-max", "600000"));
    const char *address = qd_server_address(server);
    session_witness witness;

    session_witness_open(&witness, address);
    qd_client *writer = session_open(address), *reader = session_open(address), *sleeper = session_open(address);
    /* The socket buffer of the sleeper does not count as the server's queue: keep it short. */
    setsockopt(qd_client_socket(sleeper), SOL_SOCKET, SO_RCVBUF, &(int){65536}, sizeof(int));
    qd_pairs *reader_pairs = qd_pairs_create(), *sleeper_pairs = qd_pairs_create();
    static struct crowd crowd;
    spawn_crowd(writer, &crowd, "crowd");
    session_join(reader, "crowd");
    session_join(sleeper, "crowd");
    session_subscribe(reader, crowd.room, QD_SCOPE_ALL, reader_pairs);
    session_subscribe(sleeper, crowd.room, QD_SCOPE_ALL, sleeper_pairs);

    for (int round = 0; round < 2; round++) {
        /* Some 60 KB of events a step: far more than the system and the queue hold between them. */
        uint64_t tick = 0;

        for (int i = 0; i < 200; i++) {
            tick = shuffle(writer, &crowd);
            /* A reader that keeps up gets every tick, and never needs a reset. */
            assert_int_equal(read_until(reader, reader_pairs, tick), 0);
        }
        expect_true_set(reader_pairs, &crowd);
        session_witness_check(&witness);

        /* The sleeper wakes: it gets the queued frames, a reset, and the present set. */
        assert_true(read_until(sleeper, sleeper_pairs, tick) >= 1);
        assert_true(merged_max > 1);
        expect_true_set(sleeper_pairs, &crowd);
        /* From then on it gets every tick again. */
        tick = shuffle(writer, &crowd);
        read_until(sleeper, sleeper_pairs, tick);
        expect_true_set(sleeper_pairs, &crowd);
        assert_int_equal(read_until(reader, reader_pairs, tick), 0);
    }
    qd_pairs_destroy(reader_pairs);
    qd_pairs_destroy(sleeper_pairs);
    qd_client_destroy(writer);
    qd_client_destroy(reader);
    qd_client_destroy(sleeper);
    session_witness_close(&witness);
    session_server_stop(server);
}

static uint64_t too_slow(qd_client *client)
{
    return session_expect(client, qd_client_get_stats(client, 0), QD_SERVER_STATS)->as.stats.server.too_slow;
}

/* Reads what the server sent until it ends the connection; returns whether it sent GoAway TOO_SLOW. */
static bool is_disconnected(qd_client *sleeper)
{
    for (const qd_server_message *message; (message = qd_client_wait(sleeper, DEADLINE_MS)) != NULL;) {
        if (message->kind == QD_SERVER_GO_AWAY) {
            return message->as.go_away.reason == QD_GO_AWAY_TOO_SLOW;
        }
    }
    assert_int_equal(qd_client_state(sleeper), QD_CLIENT_ERR_CLOSED);
    return false;
}

/* A reader that never wakes is disconnected; one that wakes in time reads the reason. */
TEST(reader_that_stays_slow_is_disconnected)
{
    qd_process *server = qd_server_start(QD_ARGS("--queue-max", "64K", "--slow-ms-max", "300"));
    const char *address = qd_server_address(server);
    qd_client *writer = session_open(address), *sleeper = session_open(address), *waker = session_open(address);

    setsockopt(qd_client_socket(sleeper), SOL_SOCKET, SO_RCVBUF, &(int){65536}, sizeof(int));
    setsockopt(qd_client_socket(waker), SOL_SOCKET, SO_RCVBUF, &(int){65536}, sizeof(int));
    assert_int_equal(qd_client_welcome(sleeper)->limits.slow_ms_max, 300);
    static struct crowd crowd;
    spawn_crowd(writer, &crowd, "crowd");
    session_join(sleeper, "crowd");
    session_join(waker, "crowd");
    session_subscribe(sleeper, crowd.room, QD_SCOPE_ALL, NULL);
    session_subscribe(waker, crowd.room, QD_SCOPE_ALL, NULL);
    assert_int_equal(too_slow(writer), 0);
    while (too_slow(writer) < 2) {
        shuffle(writer, &crowd);
    }
    /* At least the sessions are gone; on a machine that is not too busy the GoAway arrived. */
    if (!is_disconnected(waker)) {
        print_message("the GoAway did not arrive\n");
    }
    session_expect_quiet(writer);
    assert_true(strstr(qd_process_errors(server), "a reader is too slow") != NULL);
    qd_client_destroy(sleeper);
    qd_client_destroy(waker);
    qd_client_destroy(writer);
    session_server_stop(server);
}

/* A reader that never wakes keeps neither the room nor the server from ending. */
TEST(server_stops_despite_a_reader_that_sleeps)
{
    qd_process *server = qd_server_start(QD_ARGS("--queue-max", "64K"));
    const char *address = qd_server_address(server);
    qd_client *writer = session_open(address), *sleeper = session_open(address);

    setsockopt(qd_client_socket(sleeper), SOL_SOCKET, SO_RCVBUF, &(int){65536}, sizeof(int));
    static struct crowd crowd;
    spawn_crowd(writer, &crowd, "crowd");
    session_join(sleeper, "crowd");
    session_subscribe(sleeper, crowd.room, QD_SCOPE_ALL, NULL);
    for (int i = 0; i < 200; i++) {
        shuffle(writer, &crowd);
    }
    qd_process_signal(server, SIGTERM);
    session_wait_kind(writer, QD_SERVER_GO_AWAY);
    assert_int_equal(qd_process_wait(server, DEADLINE_MS), 0);
    qd_process_destroy(server);
    qd_client_destroy(writer);
    qd_client_destroy(sleeper);
}

/* A client sends requests but does not read: the server stops reading from it until it reads. */
TEST(requester_that_does_not_read_is_paused)
{
    qd_process *server = qd_server_start(QD_ARGS("--queue-max", "64K"));
    const char *address = qd_server_address(server);
    session_witness witness;

    session_witness_open(&witness, address);
    raw_link *asker = raw_open_session(address);
    int flags = fcntl(asker->socket, F_GETFL);
    fcntl(asker->socket, F_SETFL, flags | O_NONBLOCK);

    /* Until nothing goes out for a second; far less than the server would need memory for without a bound. */
    const size_t sent_max = 200u << 20;
    size_t sent = 0, frame_size = 0, rest = 0;
    uint64_t next = 0;
    uint8_t frame[64];
    struct pollfd writable = {.fd = asker->socket, .events = POLLOUT};
    while (sent < sent_max && poll(&writable, 1, 1000) == 1) {
        if (rest == 0) {
            const qd_client_message ping = {.seq = 1, .kind = QD_CLIENT_PING, .as.ping.data = next++};

            rest = frame_size = qd_client_message_encode(&ping, frame, qd_client_message_size(&ping));
        }
        ssize_t size = send(asker->socket, frame + frame_size - rest, rest, MSG_NOSIGNAL);
        assert_true(size > 0 || errno == EAGAIN);
        sent += size > 0 ? (size_t)size : 0;
        rest -= size > 0 ? (size_t)size : 0;
    }
    assert_true(sent < sent_max);
    session_witness_check(&witness);
    uint32_t stats = qd_client_get_stats(witness.client, 0);
    assert_true(session_expect(witness.client, stats, QD_SERVER_STATS)->as.stats.server.memory_bytes < (64u << 20));

    /* It reads: every whole request is answered, in order. */
    fcntl(asker->socket, F_SETFL, flags);
    for (uint64_t answered = 0; answered < next - (rest > 0); answered++) {
        const qd_server_message *message = raw_next(asker);

        assert_non_null(message);
        assert_int_equal(message->kind, QD_SERVER_PONG);
        assert_int_equal(message->as.pong.data, answered);
    }
    raw_close(asker);
    session_witness_close(&witness);
    session_server_stop(server);
}

/* ---- too many pairs ---- */

static void place(qd_client *client, uint64_t room, uint32_t first, uint32_t count, float x, float gap)
{
    for (uint32_t i = 0; i < count; i++) {
        session_move(client, room, first + i, x + gap * (float)i, 10);
    }
}

TEST(subscription_with_too_many_pairs_is_suspended)
{
    qd_process *server = qd_server_start(NULL);
    qd_client *client = session_open(qd_server_address(server)), *other = session_open(qd_server_address(server));
    qd_pairs *pairs = qd_pairs_create(), *other_pairs = qd_pairs_create();
    qd_msg_room_config config = session_step_room;

    config.events_max = 100;
    uint64_t room = session_open_room(client, "heap", &config);
    session_join(other, "heap");
    session_subscribe(client, room, QD_SCOPE_ALL, pairs);
    for (uint32_t id = 0; id < 20; id++) {
        session_spawn(client, room, id, 10 * (float)id, 100);
    }

    /* 14 on one spot are 91 pairs: they fit. All 20 are 190. */
    place(client, room, 0, 14, 500, 0);
    session_step(client, room);
    place(client, room, 0, 14, 0, 10);
    session_step(client, room);
    assert_int_equal(session_fold(client, pairs), 2);
    assert_int_equal(qd_pairs_count(pairs), 0);
    place(client, room, 0, 20, 500, 0);
    uint64_t tick = session_step(client, room);
    const qd_msg_tick *frame = &session_wait_kind(client, QD_SERVER_TICK)->as.tick;
    assert_int_equal(frame->tick, tick);
    assert_true(frame->suspended);
    assert_true(frame->last);
    assert_true(frame->suspended_count > 100);
    assert_int_equal(frame->begins.count + frame->ends.count + frame->stays.count, 0);
    assert_int_equal(qd_pairs_apply(pairs, frame), QD_CLIENT_OK);
    assert_false(qd_pairs_known(pairs));

    /* The suspension is reported once, and to each session that subscribes during it. */
    session_step(client, room);
    session_step(client, room);
    session_expect_quiet(client);
    qd_client_subscribe(other, room, QD_SCOPE_ALL, false);
    frame = &session_wait_kind(other, QD_SERVER_TICK)->as.tick;
    assert_true(frame->suspended);
    assert_int_equal(qd_pairs_apply(other_pairs, frame), QD_CLIENT_OK);

    /* As soon as it fits again: a reset, and events as before. */
    place(client, room, 0, 20, 100, 2);
    tick = session_step(client, room);
    assert_true(read_until(client, pairs, tick) == 1);
    assert_true(read_until(other, other_pairs, tick) == 1);
    assert_int_equal(qd_pairs_count(pairs), 19);
    assert_int_equal(qd_pairs_count(other_pairs), 19);
    session_move(client, room, 0, 800, 800);
    session_step(client, room);
    session_expect_tick(client, "end 0-1 moved apart");
    session_expect_tick(other, "end 0-1 moved apart");
    qd_pairs_destroy(pairs);
    qd_pairs_destroy(other_pairs);
    qd_client_destroy(client);
    qd_client_destroy(other);
    session_server_stop(server);
}

TEST_MAIN()
