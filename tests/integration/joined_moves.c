/* SPDX-License-Identifier: Apache-2.0
 *
 * Many small Moves that arrive together, which the server joins: each position counts, and each Move gets its own
 * refusals, as if it had come alone.
 */
#include <math.h>

#include "support/session.h"
#include "tests/support/test.h"

#define ENTITIES 40u
#define MOVES    3000u /* more than one request takes */

static const qd_error_code unknown_and_not_finite[] = {QD_ERROR_UNKNOWN_ID, QD_ERROR_NOT_FINITE};

static uint64_t open_crowd(qd_client *client, const char *name, uint32_t dimensions)
{
    qd_msg_room_config config = session_step_room;
    uint32_t id[ENTITIES];
    float at[ENTITIES] = {0};

    if (dimensions == 3) {
        config.dimensions = 3;
        config.bounds.max_z = config.bounds.max_x;
    }
    for (uint32_t i = 0; i < ENTITIES; i++) {
        id[i] = i + 1;
    }
    const uint64_t room = session_open_room(client, name, &config);
    const qd_msg_entities crowd = {.count = ENTITIES, .id = id, .x = at, .y = at, .z = dimensions == 3 ? at : NULL};
    (void)qd_client_spawn(client, room, &crowd, false);
    (void)session_step(client, room);
    return room;
}

static void expect_positions(qd_client *client, uint64_t room, const float x[ENTITIES], const float z[ENTITIES])
{
    const uint64_t seq = qd_client_get_snapshot(client, room, NULL, 0);
    const qd_msg_entities *entities =
        &session_expect(client, seq, QD_SERVER_SNAPSHOT_RESULT)->as.snapshot_result.entities;

    assert_int_equal(entities->count, ENTITIES);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        const uint32_t of = entities->id[i] - 1;

        assert_true(entities->x[i] == x[of] && entities->y[i] == x[of] / 2);
        assert_true(z == NULL || entities->z[i] == z[of]);
    }
}

SESSION_TEST(last_of_many_small_moves_counts)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        qd_client *client = session_open(ADDRESS);
        const uint64_t room = open_crowd(client, dimensions == 2 ? "flat" : "deep", dimensions);
        float x[ENTITIES] = {0}, z[ENTITIES] = {0};

        for (uint32_t i = 0; i < MOVES; i++) {
            const uint32_t of = i * 7 % ENTITIES, id = of + 1;
            const float y = (float)i / 8;

            x[of] = (float)i / 4;
            z[of] = (float)(i % 1000);
            const qd_msg_entities move = {
                .count = 1, .id = &id, .x = &x[of], .y = &y, .z = dimensions == 3 ? &z[of] : NULL};
            (void)qd_client_move(client, room, &move);
        }
        (void)session_step(client, room);
        expect_positions(client, room, x, dimensions == 3 ? z : NULL);
        session_expect_quiet(client);
    }
}

SESSION_TEST(small_moves_alternate_between_rooms)
{
    qd_client *client = session_open(ADDRESS);
    const uint64_t rooms[2] = {open_crowd(client, "left", 2), open_crowd(client, "right", 2)};
    float x[2][ENTITIES] = {0};

    for (uint32_t i = 0; i < MOVES; i++) {
        const uint32_t room = i / 3 % 2, of = i % ENTITIES;

        x[room][of] = (float)i / 4;
        (void)session_move(client, rooms[room], of + 1, x[room][of], x[room][of] / 2);
    }
    for (uint32_t room = 0; room < 2; room++) {
        (void)session_step(client, rooms[room]);
        expect_positions(client, rooms[room], x[room], NULL);
    }
    session_expect_quiet(client);
}

SESSION_TEST(each_small_move_gets_its_own_refusals)
{
    qd_client *client = session_open(ADDRESS);
    const uint64_t room = open_crowd(client, "refusing", 2);
    float x[ENTITIES] = {0};
    uint64_t first = 0;

    for (uint32_t i = 0; i < MOVES; i++) {
        const uint32_t of = 1 + i % (ENTITIES - 1), id[] = {1, i % 7 == 3 ? 900 + i : of + 1};
        const float at[] = {i % 11 == 5 ? NAN : (float)i, (float)i / 2}, y[] = {(float)i / 2, (float)i / 4};
        const uint64_t seq = qd_client_move(client, room, &(qd_msg_entities){.count = 2, .id = id, .x = at, .y = y});

        first = i == 0 ? seq : first;
        x[0] = i % 11 == 5 ? x[0] : (float)i;
        x[of] = i % 7 == 3 ? x[of] : (float)i / 2;
    }
    for (uint32_t i = 0; i < MOVES; i++) {
        const bool is_nan = i % 11 == 5, is_unknown = i % 7 == 3;
        const uint32_t index[] = {is_nan ? 0 : 1, 1};
        const qd_error_code both[] = {QD_ERROR_NOT_FINITE, QD_ERROR_UNKNOWN_ID};

        if (is_nan || is_unknown) {
            session_expect_entries(client, first + i, is_nan + is_unknown, index,
                                   is_nan && is_unknown ? both : &unknown_and_not_finite[is_nan]);
        }
    }
    (void)session_step(client, room);
    expect_positions(client, room, x, NULL);
    session_expect_quiet(client);
}

SESSION_TEST(small_move_with_confirm_is_answered_among_others)
{
    qd_client *client = session_open(ADDRESS);
    const uint64_t room = open_crowd(client, "confirming", 2);

    for (uint32_t i = 0; i < 300; i++) {
        qd_client_confirm(client, i % 50 == 20);
        const uint64_t seq = session_move(client, room, 1, (float)i, (float)i);
        qd_client_confirm(client, false);
        if (i % 50 == 20) {
            session_expect_entries(client, seq, 0, NULL, NULL);
        }
    }
    session_expect_quiet(client);
}

SESSION_TEST(each_small_move_into_a_closed_room_is_refused)
{
    qd_client *client = session_open(ADDRESS);
    const uint64_t room = open_crowd(client, "closing", 2);

    (void)session_move(client, room, 1, 5, 5);
    (void)qd_client_close_room(client, room);
    uint64_t last = 0;
    for (uint32_t i = 0; i < 100; i++) {
        last = session_move(client, room, 1, (float)i, (float)i);
    }
    (void)session_wait_kind(client, QD_SERVER_ROOM_CLOSED);
    for (uint64_t seq = last - 99; seq <= last; seq++) {
        (void)session_expect_error(client, seq, QD_ERROR_UNKNOWN_ROOM, "OpenRoom first");
    }
    session_expect_quiet(client);
}

TEST_MAIN_WITH(session_server_setup, session_server_teardown)
