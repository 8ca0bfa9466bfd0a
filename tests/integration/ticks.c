/* SPDX-License-Identifier: Apache-2.0
 *
 * The ticks of a room by Step and by its own clock, and the order of the frames.
 */

#include "support/session.h"
#include "tests/support/test.h"

#define ADDRESS qd_server_address(session_server)

TEST(tick_frames_come_before_applied)
{
    qd_client *client = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "order", NULL);

    session_subscribe(client, room, QD_SCOPE_ALL, NULL);
    session_spawn(client, room, 1, 10, 10);
    session_spawn(client, room, 2, 10, 10);
    uint32_t seq = qd_client_step(client, room, 1);
    const qd_server_message *message = qd_client_wait(client, DEADLINE_MS);
    assert_non_null(message);
    assert_int_equal(message->kind, QD_SERVER_TICK);
    assert_int_equal(message->seq, 0);
    assert_int_equal(message->as.tick.tick, 1);
    assert_int_equal(message->as.tick.begins.count, 1);
    assert_true(message->as.tick.last);
    message = qd_client_wait(client, DEADLINE_MS);
    assert_non_null(message);
    assert_int_equal(message->kind, QD_SERVER_APPLIED);
    assert_int_equal(message->as.applied.room, room);
    assert_int_equal(message->as.applied.tick, 1);
    assert_int_equal(message->as.applied.seq, seq);

    /* A step without events gets its answer, too. */
    for (uint64_t tick = 2; tick < 10; tick++) {
        assert_int_equal(session_step(client, room), tick);
    }
    session_expect_quiet(client);
    qd_client_destroy(client);
}

/* Many steps without waiting for their answers: each has one, in order. */
TEST(steps_sent_ahead_are_all_applied)
{
    qd_client *client = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "ahead", NULL);

    session_subscribe(client, room, QD_SCOPE_ALL, NULL);
    session_spawn(client, room, 1, 10, 10);
    session_spawn(client, room, 2, 10, 10);
    uint32_t seqs[200];
    for (uint64_t tick = 1; tick <= 200; tick++) {
        session_move(client, room, 2, tick % 2 == 1 ? 10 : 100, 10);
        seqs[tick - 1] = qd_client_step(client, room, tick);
    }
    for (uint64_t tick = 1; tick <= 200; tick++) {
        const qd_server_message *message = qd_client_wait(client, DEADLINE_MS);

        assert_non_null(message);
        assert_int_equal(message->kind, QD_SERVER_TICK);
        assert_int_equal(message->as.tick.tick, tick);
        assert_int_equal(message->as.tick.begins.count, tick % 2);
        assert_int_equal(message->as.tick.ends.count, 1 - tick % 2);
        message = qd_client_wait(client, DEADLINE_MS);
        assert_non_null(message);
        assert_int_equal(message->kind, QD_SERVER_APPLIED);
        assert_int_equal(message->as.applied.tick, tick);
        assert_int_equal(message->as.applied.seq, seqs[tick - 1]);
    }
    session_expect_quiet(client);
    qd_client_destroy(client);
}

TEST(step_with_wrong_tick_is_refused)
{
    qd_client *client = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "wrong tick", NULL);

    session_expect_error(client, qd_client_step(client, room, 2), QD_ERROR_WRONG_TICK, NULL);
    session_expect(client, qd_client_step(client, room, 1), QD_SERVER_APPLIED);
    session_expect_error(client, qd_client_step(client, room, 1), QD_ERROR_WRONG_TICK, NULL);
    session_expect_error(client, qd_client_step(client, room, UINT64_MAX), QD_ERROR_WRONG_TICK, NULL);
    assert_int_equal(session_step(client, room), 2);
    qd_client_destroy(client);
}

static const qd_msg_room_config clock_room = {
    .has_bounds = true, .bounds = {.max_x = 1000, .max_y = 1000}, .tick_hz = 200};

TEST(room_clock_ticks_at_its_rate)
{
    qd_client *client = session_open(ADDRESS);
    uint32_t opening = qd_client_open_room(client, "clock", &clock_room);
    const qd_msg_room_opened *opened = &session_expect(client, opening, QD_SERVER_ROOM_OPENED)->as.room_opened;
    uint64_t room = opened->room;

    assert_int_equal(opened->config.tick_mode, QD_TICK_MODE_CLOCK);
    assert_int_equal(opened->config.tick_hz, 200);
    session_expect_error(client, qd_client_step(client, room, 0), QD_ERROR_NOT_STEP_MODE, NULL);

    session_subscribe(client, room, QD_SCOPE_ALL, NULL);
    session_spawn(client, room, 1, 10, 10);
    uint32_t spawned = session_spawn(client, room, 2, 10, 10);
    session_expect_tick(client, "begin 1-2");
    const qd_msg_applied *applied = &session_wait_kind(client, QD_SERVER_APPLIED)->as.applied;
    while (applied->seq < spawned) {
        applied = &session_wait_kind(client, QD_SERVER_APPLIED)->as.applied;
    }
    assert_int_equal(applied->seq, spawned);
    uint64_t tick = applied->tick;

    /* The room goes on by itself, event or none, and each change comes with the tick that saw it. */
    for (int i = 0; i < 10; i++) {
        uint32_t seq = session_move(client, room, 2, i % 2 == 0 ? 100 : 10, 10);
        const qd_msg_tick *events = session_wait_tick(client);
        uint64_t seen = events->tick;

        assert_true(seen > tick);
        assert_int_equal(events->ends.count + events->begins.count, 1);
        applied = &session_wait_kind(client, QD_SERVER_APPLIED)->as.applied;
        assert_int_equal(applied->seq, seq);
        assert_int_equal(applied->tick, seen);
        tick = seen;
    }
    qd_client_destroy(client);
}

/* A batch without a number wants no Applied. */
TEST(request_with_seq_0_gets_no_reply)
{
    qd_client *client = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "silent", &clock_room);

    session_subscribe(client, room, QD_SCOPE_ALL, NULL);
    const uint32_t ids[] = {1, 2};
    const float at[] = {10, 10};
    const qd_client_message spawn = {.kind = QD_CLIENT_SPAWN,
                                     .as.batch = {.room = room, .entities = {2, ids, .x = at, .y = at}}};
    assert_true(qd_client_send(client, &spawn));
    session_expect_tick(client, "begin 1-2");
    uint32_t seq = session_move(client, room, 2, 100, 100);
    session_expect_tick(client, "end 1-2 moved apart");
    const qd_server_message *message = qd_client_wait(client, DEADLINE_MS);
    assert_non_null(message);
    assert_int_equal(message->kind, QD_SERVER_APPLIED);
    assert_int_equal(message->as.applied.seq, seq);
    qd_client_destroy(client);
}

/* The last position before a tick counts, and only that. */
TEST(last_position_before_a_tick_counts)
{
    qd_client *client = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "last position", NULL);

    session_subscribe(client, room, QD_SCOPE_ALL, NULL);
    session_spawn(client, room, 1, 10, 10);
    session_spawn(client, room, 2, 500, 500);
    session_step(client, room);
    session_move(client, room, 2, 10, 10);
    session_move(client, room, 2, 300, 300);
    session_step(client, room);
    session_expect_quiet(client);
    session_move(client, room, 2, 700, 700);
    session_move(client, room, 2, 12, 10);
    session_step(client, room);
    session_expect_tick(client, "begin 1-2");
    qd_client_destroy(client);
}

TEST_MAIN_WITH(session_server_setup, session_server_teardown)
