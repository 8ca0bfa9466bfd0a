/* SPDX-License-Identifier: Apache-2.0
 *
 * Several sessions in one room: ownership of entities, sessions that join later, and sessions that leave.
 */
#include <string.h>

#include "support/session.h"
#include "tests/support/test.h"

#define ADDRESS qd_server_address(session_server)

static void step_and_expect(qd_client *client, uint64_t room, const char *events)
{
    session_step(client, room);
    session_expect_tick(client, events);
}

TEST(writers_in_one_room_share_its_pairs)
{
    qd_client *one = session_open(ADDRESS), *two = session_open(ADDRESS);
    uint64_t room = session_open_room(one, "meet", NULL);

    assert_int_equal(session_join(two, "meet"), room);
    session_subscribe(one, room, QD_SCOPE_ALL, NULL);
    session_subscribe(two, room, QD_SCOPE_ALL, NULL);
    session_spawn(one, room, 1, 10, 10);
    session_step(one, room);
    session_spawn(two, room, 2, 11, 11);

    /* Either may step; both get the events, and each the Applied of its own requests. */
    assert_int_equal(session_step(two, room), 2);
    session_expect_tick(one, "begin 1-2");
    session_expect_tick(two, "begin 1-2");
    session_move(one, room, 1, 50, 50);
    assert_int_equal(session_step(one, room), 3);
    session_expect_tick(two, "end 1-2 moved apart");
    session_expect_tick(one, "end 1-2 moved apart");
    session_expect_quiet(one);
    session_expect_quiet(two);
    qd_client_destroy(one);
    qd_client_destroy(two);
}

TEST(request_for_another_sessions_entities_is_refused)
{
    qd_client *owner = session_open(ADDRESS), *other = session_open(ADDRESS);
    uint64_t room = session_open_room(owner, "owned", NULL);

    session_join(other, "owned");
    session_subscribe(owner, room, QD_SCOPE_ALL, NULL);
    session_spawn(owner, room, 1, 10, 10);
    session_spawn(owner, room, 2, 10, 10);
    step_and_expect(owner, room, "begin 1-2");
    session_spawn(other, room, 3, 100, 100);

    /* In one batch with the session's own entity: that one moves anyway. */
    const uint32_t ids[] = {1, 3, 2};
    const float far[] = {500, 10, 500};
    const uint32_t refused[] = {0, 2};
    const qd_error_code codes[] = {QD_ERROR_NOT_OWNER, QD_ERROR_NOT_OWNER};
    const qd_msg_entities three = {3, ids, .x = far, .y = far}, one = {1, ids, .x = far, .y = far};
    const qd_msg_entities category = {1, ids, .category = ids};
    session_expect_entries(other, qd_client_move(other, room, &three), 2, refused, codes);
    session_expect_entries(other, qd_client_teleport(other, room, &one), 1, refused, codes);
    session_expect_entries(other, qd_client_reshape(other, room, &category), 1, refused, codes);
    session_expect_entries(other, session_despawn(other, room, 2), 1, refused, codes);

    session_step(other, room);
    session_expect_tick(owner, "begin 1-3 begin 2-3");
    session_expect_quiet(owner);
    qd_client_destroy(owner);
    qd_client_destroy(other);
}

TEST(room_owned_entities_outlive_their_session)
{
    qd_msg_room_config config = session_step_room;

    config.grace_ms = 1;
    qd_client *maker = session_open(ADDRESS), *other = session_open(ADDRESS);
    uint64_t room = session_open_room(maker, "public", &config);
    session_join(other, "public");
    const uint32_t ids[] = {1, 2};
    const float at[] = {10, 50};
    const qd_msg_entities points = {2, ids, .x = at, .y = at};
    qd_client_spawn(maker, room, &points, true);
    session_spawn(maker, room, 3, 50, 50);
    session_subscribe(other, room, QD_SCOPE_ALL, NULL);
    session_step(maker, room);
    session_expect_tick(other, "begin 2-3");

    /* Its creator leaves: its own entities expire; room-owned entities stay and obey others. */
    qd_client_destroy(maker);
    do {
        session_step(other, room);
    } while (qd_client_next(other) == NULL);
    session_move(other, room, 1, 50, 50);
    step_and_expect(other, room, "begin 1-2");
    session_despawn(other, room, 1);
    step_and_expect(other, room, "end 1-2 despawned");
    qd_client_destroy(other);
}

TEST(subscriber_that_joins_later_gets_the_present_set)
{
    qd_client *first = session_open(ADDRESS), *second = session_open(ADDRESS);
    qd_pairs *early_pairs = qd_pairs_create(), *second_pairs = qd_pairs_create();
    uint64_t room = session_open_room(first, "late", NULL);

    session_subscribe(first, room, QD_SCOPE_ALL, early_pairs);
    for (uint32_t id = 0; id < 20; id++) {
        session_spawn(first, room, id, (float)id * 1.5f, 10);
    }
    session_step(first, room);
    for (uint32_t id = 0; id < 20; id += 3) {
        session_move(first, room, id, (float)id * 1.5f, 100);
    }
    session_step(first, room);
    assert_int_equal(session_fold(first, early_pairs), 2);
    /* Neighbors touch; the chain of 20 is cut at every third: 1-2, 4-5, ... 16-17 are left, and 0 and 3 ... are far.
     */
    assert_int_equal(qd_pairs_count(early_pairs), 6);

    session_join(second, "late");
    session_subscribe(second, room, QD_SCOPE_ALL, second_pairs);
    assert_int_equal(qd_pairs_tick(second_pairs), 2);
    assert_int_equal(qd_pairs_count(second_pairs), 6);
    for (uint32_t id = 1; id < 18; id += 3) {
        assert_true(qd_pairs_contain(second_pairs, id, id + 1));
    }

    /* From here on both get the same events. */
    session_move(first, room, 1, 500, 500);
    session_step(first, room);
    session_settle(second);
    assert_int_equal(session_fold(first, early_pairs), 1);
    assert_int_equal(session_fold(second, second_pairs), 1);
    assert_int_equal(qd_pairs_count(early_pairs), 5);
    assert_int_equal(qd_pairs_count(second_pairs), 5);
    qd_pairs_destroy(early_pairs);
    qd_pairs_destroy(second_pairs);
    qd_client_destroy(first);
    qd_client_destroy(second);
}

/* Entities of a session that left stay for the grace time, and then expire. `leave`: by LeaveRoom, else it is gone. */
static void lose(const char *name, bool leave)
{
    qd_msg_room_config config = session_step_room;

    config.grace_ms = 300;
    qd_client *stays = session_open(ADDRESS), *goes = session_open(ADDRESS);
    uint64_t room = session_open_room(stays, name, &config);
    session_join(goes, name);
    session_subscribe(stays, room, QD_SCOPE_ALL, NULL);
    session_spawn(stays, room, 1, 10, 10);
    session_step(stays, room);
    session_spawn(goes, room, 2, 11, 11);
    session_spawn(goes, room, 3, 300, 300);
    session_step(goes, room);
    session_expect_tick(stays, "begin 1-2");
    if (leave) {
        assert_int_equal(session_expect(goes, qd_client_leave_room(goes, room), QD_SERVER_ROOM_LEFT)->as.room_left.room,
                         room);
    } else {
        qd_client_destroy(goes);
    }

    for (const qd_server_message *message = NULL; message == NULL;) {
        session_step(stays, room);
        message = qd_client_next(stays);
        if (message != NULL) {
            assert_int_equal(message->kind, QD_SERVER_TICK);
            assert_int_equal(message->as.tick.ends.count, 1);
            assert_int_equal(message->as.tick.end_reason[0], QD_END_EXPIRED);
        }
    }
    /* Those that were in no pair are gone, too. */
    uint32_t seq = qd_client_snapshot(stays, room, NULL, 0);
    const qd_msg_entities *left = &session_expect(stays, seq, QD_SERVER_SNAPSHOT_RESULT)->as.snapshot_result.entities;
    assert_int_equal(left->count, 1);
    assert_int_equal(left->id[0], 1);

    if (leave) {
        /* Out of the room: it gets no events and cannot act there until it joins again. */
        session_expect_error(goes, qd_client_step(goes, room, 0), QD_ERROR_UNKNOWN_ROOM, NULL);
        session_expect_quiet(goes);
        assert_int_equal(session_join(goes, name), room);
        session_step(goes, room);
        qd_client_destroy(goes);
    }
    qd_client_destroy(stays);
}

TEST(entities_of_a_lost_session_expire)
{
    lose("lost", false);
}

TEST(entities_of_a_leaving_session_expire)
{
    lose("left", true);
}

TEST(subscription_to_own_pairs_skips_others)
{
    qd_client *one = session_open(ADDRESS), *two = session_open(ADDRESS);
    uint64_t room = session_open_room(one, "scope", NULL);

    session_join(two, "scope");
    session_subscribe(two, room, QD_SCOPE_OWN, NULL);
    session_spawn(one, room, 1, 10, 10);
    session_spawn(one, room, 2, 10, 10);
    session_spawn(two, room, 3, 50, 50);
    session_step(two, room);
    session_spawn(one, room, 4, 50, 50);
    session_step(one, room);
    session_expect_tick(two, "begin 3-4");
    session_expect_quiet(two);
    qd_client_destroy(one);
    qd_client_destroy(two);
}

TEST(subscription_with_stays_reports_stays)
{
    qd_client *client = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "stays", NULL);

    qd_client_subscribe(client, room, QD_SCOPE_ALL, true);
    session_expect_tick(client, "reset");
    session_spawn(client, room, 1, 10, 10);
    session_spawn(client, room, 2, 10, 10);
    step_and_expect(client, room, "begin 1-2");
    session_spawn(client, room, 3, 10, 10);
    step_and_expect(client, room, "begin 1-3 begin 2-3 stay 1-2");
    /* The second subscription replaces the first. */
    qd_client_subscribe(client, room, QD_SCOPE_ALL, false);
    session_expect_tick(client, "reset begin 1-2 begin 1-3 begin 2-3");
    session_step(client, room);
    session_expect_quiet(client);

    session_expect(client, qd_client_unsubscribe(client, room), QD_SERVER_APPLIED);
    session_despawn(client, room, 3);
    session_step(client, room);
    session_expect_quiet(client);
    qd_client_destroy(client);
}

TEST(ends_have_the_reason_of_the_change)
{
    qd_client *client = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "reasons", NULL);

    session_subscribe(client, room, QD_SCOPE_ALL, NULL);
    for (uint32_t id = 1; id <= 7; id++) {
        session_spawn(client, room, id, 10, 10);
    }
    static const uint32_t ids[] = {7}, none[] = {0}, all[] = {UINT32_MAX};
    static const float near[] = {10}, touching[] = {11}, beside[] = {11.5f}, away[] = {100}, far[] = {500},
                       zero[] = {0};
    step_and_expect(client, room,
                    "begin 1-2 begin 1-3 begin 1-4 begin 1-5 begin 1-6 begin 1-7 begin 2-3 begin 2-4 "
                    "begin 2-5 begin 2-6 begin 2-7 begin 3-4 begin 3-5 begin 3-6 begin 3-7 begin 4-5 "
                    "begin 4-6 begin 4-7 begin 5-6 begin 5-7 begin 6-7");
    for (uint32_t id = 2; id <= 6; id++) {
        session_despawn(client, room, id);
    }
    session_step(client, room);
    const qd_msg_tick *tick = &session_wait_kind(client, QD_SERVER_TICK)->as.tick;
    assert_int_equal(tick->ends.count, 20);
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(tick->end_reason[i], QD_END_DESPAWNED);
    }

    static const struct {
        uint32_t (*send)(qd_client *client, uint64_t room, const qd_msg_entities *entities);
        qd_msg_entities entities;
        const char *events;
    } rows[] = {
        {qd_client_reshape, {1, ids, .mask = none}, "end 1-7 filter changed"},
        {qd_client_reshape, {1, ids, .mask = all}, "begin 1-7"},
        {qd_client_move, {1, ids, .x = beside, .y = near}, ""},
        {qd_client_reshape, {1, ids, .half_x = zero, .half_y = zero}, "end 1-7 resized"},
        {qd_client_move, {1, ids, .x = touching, .y = touching}, "begin 1-7"},
        {qd_client_teleport, {1, ids, .x = far, .y = far}, "end 1-7 teleported"},
        {qd_client_move, {1, ids, .x = near, .y = near}, "begin 1-7"},
        {qd_client_move, {1, ids, .x = away, .y = away}, "end 1-7 moved apart"},
        {qd_client_move, {1, ids, .x = near, .y = near}, "begin 1-7"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rows[i].send(client, room, &rows[i].entities);
        session_step(client, room);
        if (rows[i].events[0] != '\0') {
            session_expect_tick(client, rows[i].events);
        }
    }
    /* An id that is despawned and spawned again is a new entity. */
    session_despawn(client, room, 7);
    session_spawn(client, room, 7, 10, 10);
    step_and_expect(client, room, "end 1-7 despawned begin 1-7");
    session_expect_quiet(client);
    qd_client_destroy(client);
}

TEST(closing_a_room_ends_its_pairs)
{
    qd_client *maker = session_open(ADDRESS), *guest = session_open(ADDRESS);
    uint64_t room = session_open_room(maker, "closed", NULL);

    session_join(guest, "closed");
    session_subscribe(guest, room, QD_SCOPE_ALL, NULL);
    session_spawn(maker, room, 2, 10, 10);
    session_step(maker, room);
    session_spawn(guest, room, 1, 10, 10);
    step_and_expect(guest, room, "begin 1-2");
    session_expect_error(guest, qd_client_close_room(guest, room), QD_ERROR_NOT_ALLOWED, NULL);
    session_expect(maker, qd_client_close_room(maker, room), QD_SERVER_ROOM_CLOSED);
    session_expect_tick(guest, "end 1-2 room closed");
    const qd_server_message *closed = session_wait_kind(guest, QD_SERVER_ROOM_CLOSED);
    assert_int_equal(closed->seq, 0);
    assert_int_equal(closed->as.room_closed.room, room);
    assert_int_equal(closed->as.room_closed.reason, QD_ROOM_CLOSED_REQUESTED);
    session_expect_error(guest, session_spawn(guest, room, 9, 1, 1), QD_ERROR_UNKNOWN_ROOM, NULL);
    session_expect_error(maker, qd_client_step(maker, room, 0), QD_ERROR_UNKNOWN_ROOM, NULL);

    /* The name is free again; the room is another. */
    uint64_t again = session_open_room(guest, "closed", NULL);
    assert_int_not_equal(again, room);
    assert_int_equal(session_step(guest, again), 1);
    session_expect_quiet(maker);
    qd_client_destroy(maker);
    qd_client_destroy(guest);
}

/* Two writers complete each tick together; Applied names a lagging one, and the lagging one learns the current tick. */
TEST(lockstep_ticks_wait_until_the_deadline)
{
    qd_msg_room_config config = session_step_room;

    config.writers = 2;
    config.step_deadline_ms = 3600000;
    qd_client *a = session_open(ADDRESS), *b = session_open(ADDRESS);
    uint64_t room = session_open_room(a, "lockstep", &config);
    session_join(b, "lockstep");
    session_subscribe(b, room, QD_SCOPE_ALL, NULL);
    for (uint64_t tick = 1; tick <= 20; tick++) {
        session_spawn(a, room, (uint32_t)tick, 10 * (float)tick, 10);
        session_spawn(b, room, 100 + (uint32_t)tick, 10 * (float)tick, 11);
        uint32_t seq_a = qd_client_step(a, room, tick);
        session_settle(a);
        uint32_t seq_b = qd_client_step(b, room, tick);
        char events[32];
        snprintf(events, sizeof events, "begin %u-%u", (unsigned)tick, 100 + (unsigned)tick);
        session_expect_tick(b, events);
        const qd_msg_applied *applied = &session_expect(a, seq_a, QD_SERVER_APPLIED)->as.applied;
        assert_true(applied->tick == tick && applied->late_count == 0);
        assert_int_equal(session_expect(b, seq_b, QD_SERVER_APPLIED)->as.applied.tick, tick);
    }
    qd_client_destroy(a);
    qd_client_destroy(b);

    config.step_deadline_ms = 50;
    a = session_open(ADDRESS);
    b = session_open(ADDRESS);
    room = session_open_room(a, "in a hurry", &config);
    session_join(b, "in a hurry");
    uint32_t seq = qd_client_step(b, room, 1);
    assert_int_equal(session_expect(b, seq, QD_SERVER_APPLIED)->as.applied.late_count, 0);
    seq = qd_client_step(a, room, 2);
    const qd_msg_applied *applied = &session_expect(a, seq, QD_SERVER_APPLIED)->as.applied;
    assert_true(applied->late_count == 1 && applied->late_listed == 1);
    assert_true(applied->late[0] == qd_client_welcome(b)->session);
    assert_int_equal(session_expect_error(b, qd_client_step(b, room, 2), QD_ERROR_TICK_OVER, "next one is 3")->tick_due,
                     3);
    qd_client_destroy(a);
    qd_client_destroy(b);
}

/* A session outlives its connection, whether that is cut or only seems to be there; nobody notices. */
TEST(resumed_session_gets_one_reset)
{
    uint8_t key[QD_RESUME_KEY_BYTES];
    qd_client *other = session_open(ADDRESS), *client = qd_client_create();

    qd_client_resumable(client, NULL);
    assert_int_equal(qd_client_connect(client, ADDRESS, NULL, "test", DEADLINE_MS), QD_CLIENT_OK);
    const qd_msg_welcome *welcome = qd_client_welcome(client);
    assert_false(welcome->resumed);
    assert_int_equal(welcome->resume_key.size, sizeof key);
    memcpy(key, welcome->resume_key.bytes, sizeof key);
    uint64_t session = welcome->session;
    uint64_t room = session_open_room(other, "resumed", NULL);
    session_join(client, "resumed");
    session_spawn(client, room, 1, 10, 10);
    session_spawn(client, room, 2, 11, 10);
    qd_pairs *pairs = qd_pairs_create();
    session_subscribe(client, room, QD_SCOPE_OWN, pairs);
    session_step(client, room);
    session_fold(client, pairs);
    qd_client_ack(client, room, 1);
    session_settle(client);

    qd_client *before = client;
    for (int round = 0; round < 6; round++) {
        /* Cut, or left half open. */
        if (round % 2 == 0) {
            qd_client_destroy(before);
        }
        session_spawn(other, room, 10 + (uint32_t)round, 10, 11);
        session_step(other, room);
        client = qd_client_create();
        qd_client_resumable(client, key);
        assert_int_equal(qd_client_connect(client, ADDRESS, NULL, "test", DEADLINE_MS), QD_CLIENT_OK);
        welcome = qd_client_welcome(client);
        assert_true(welcome->resumed && welcome->session == session);
        assert_memory_equal(welcome->resume_key.bytes, key, sizeof key);
        const qd_msg_tick *tick = &session_wait_kind(client, QD_SERVER_TICK)->as.tick;
        assert_true(tick->reset && tick->tick == 2 + (uint64_t)round);
        assert_int_equal(qd_pairs_apply(pairs, tick), QD_CLIENT_OK);
        assert_int_equal(qd_pairs_count(pairs), 1 + 2 * (round + 1));
        if (round % 2 != 0) {
            assert_int_equal(session_wait_kind(before, QD_SERVER_GO_AWAY)->as.go_away.reason, QD_GO_AWAY_TAKEN_OVER);
            qd_client_destroy(before);
        }
        session_settle(client);
        before = client;
    }
    session_move(client, room, 1, 500, 500);
    step_and_expect(client, room,
                    "end 1-2 moved apart end 1-10 moved apart end 1-11 moved apart end 1-12 moved apart "
                    "end 1-13 moved apart end 1-14 moved apart end 1-15 moved apart");
    qd_pairs_destroy(pairs);
    qd_client_destroy(client);
    qd_client_destroy(other);
}

TEST_MAIN_WITH(session_server_setup, session_server_teardown)
