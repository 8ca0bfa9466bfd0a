/* SPDX-License-Identifier: Apache-2.0
 *
 * Rosters over the wire: two rooms in which the same happens, in the one by Move and Teleport, in the other by
 * RosterMove, report the same, in two dimensions and in three; also where rosters are longer than a frame's worth of
 * them is sent, and where entities come and go. And a roster on a connection that breaks.
 */

#include <stdlib.h>
#include <string.h>

#include "support/rng.h"
#include "support/session.h"
#include "tests/support/test.h"

#define ADDRESS qd_server_address(session_server)
#define COUNT   5000u
#define PIECE   1700u
#define TICKS   12u
#define SIDE    300u

typedef struct crowd {
    uint32_t id[COUNT];
    float at[3][COUNT], half[COUNT];
} crowd;

static uint64_t open_room(qd_client *client, const char *name, bool is_3d)
{
    qd_msg_room_config config = {
        .has_bounds = true, .bounds = {.max_x = SIDE, .max_y = SIDE}, .tick_mode = QD_TICK_MODE_STEP, .swept = true};

    if (is_3d) {
        config.dimensions = 3;
        config.bounds.max_z = SIDE;
    }
    return session_open_room(client, name, &config);
}

static void scatter(crowd *all, rng_stream *rng)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            all->at[axis][i] = (float)rng_below(rng, 2 * SIDE) / 2;
        }
    }
}

static void wander(crowd *all, rng_stream *rng)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            all->at[axis][i] += (float)rng_below(rng, 13) - 6;
        }
    }
}

static qd_msg_entities columns(const crowd *all, uint32_t first, uint32_t count, bool is_3d)
{
    return (qd_msg_entities){.count = count,
                             .id = all->id + first,
                             .x = all->at[0] + first,
                             .y = all->at[1] + first,
                             .z = is_3d ? all->at[2] + first : NULL};
}

static void move_both(qd_client *client, const uint64_t room[2], const crowd *all, bool is_3d, bool teleport)
{
    for (uint32_t first = 0; first < COUNT; first += PIECE) {
        uint32_t count = COUNT - first < PIECE ? COUNT - first : PIECE;
        qd_msg_entities batch = columns(all, first, count, is_3d);
        qd_msg_roster_move move = {.room = room[1],
                                   .roster = 9,
                                   .first = first,
                                   .count = count,
                                   .x = batch.x,
                                   .y = batch.y,
                                   .z = batch.z,
                                   .teleport = teleport};

        if (teleport) {
            assert_true(qd_client_teleport(client, room[0], &batch) > 0);
        } else {
            assert_true(qd_client_move(client, room[0], &batch) > 0);
        }
        assert_true(qd_client_roster_move(client, &move) > 0);
    }
}

/* A hash of what a tick reported. */
typedef struct tick_hash {
    uint64_t frames, begins, ends, passed, hash;
} tick_hash;

static void mix(tick_hash *all, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < size; i++) {
        all->hash = (all->hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
}

static void mix_pairs(tick_hash *all, const qd_msg_pairs *pairs)
{
    mix(all, &pairs->count, sizeof pairs->count);
    mix(all, pairs->a, pairs->count * sizeof pairs->a[0]);
    mix(all, pairs->b, pairs->count * sizeof pairs->b[0]);
}

static void step_both(qd_client *client, const uint64_t room[2], tick_hash all[2])
{
    session_step(client, room[0]);
    session_step(client, room[1]);
    for (const qd_server_message *message; (message = qd_client_next(client)) != NULL;) {
        assert_int_not_equal(message->kind, QD_SERVER_ERROR);
        if (message->kind != QD_SERVER_TICK) {
            continue;
        }
        const qd_msg_tick *tick = &message->as.tick;
        tick_hash *one = &all[tick->room == room[1]];
        one->frames++;
        one->begins += tick->begins.count;
        one->ends += tick->ends.count;
        one->passed += tick->passed.count;
        mix_pairs(one, &tick->ends);
        mix(one, tick->end_reason, tick->ends.count);
        mix_pairs(one, &tick->begins);
        mix_pairs(one, &tick->passed);
    }
}

static void run(bool is_3d)
{
    static crowd all;
    rng_stream rng = {is_3d};
    tick_hash both[2] = {{0}};
    qd_client *client = session_open(ADDRESS);
    const uint64_t room[2] = {open_room(client, is_3d ? "by id, deep" : "by id", is_3d),
                              open_room(client, is_3d ? "by roster, deep" : "by roster", is_3d)};

    for (uint32_t i = 0; i < COUNT; i++) {
        all.id[i] = i % 2 ? i : i * 2654435761u;
        all.half[i] = 1;
    }
    scatter(&all, &rng);
    qd_msg_entities spawned = columns(&all, 0, COUNT, is_3d);
    spawned.half_x = spawned.half_y = all.half;
    spawned.half_z = is_3d ? all.half : NULL;
    for (uint32_t i = 0; i < 2; i++) {
        qd_client_spawn(client, room[i], &spawned, false);
        session_subscribe(client, room[i], QD_SCOPE_ALL, NULL);
    }
    qd_client_roster(client, room[1], 9, all.id, PIECE);
    qd_msg_roster rest = {.room = room[1], .roster = 9, .first = PIECE, .count = COUNT - PIECE, .id = all.id + PIECE};
    qd_client_roster_change(client, &rest);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        bool teleports = tick % 4 == 3;

        if (teleports) {
            scatter(&all, &rng);
        } else {
            wander(&all, &rng);
        }
        /* Some of them are new ones by the same ids. */
        uint32_t first = rng_below(&rng, COUNT - 50);
        qd_msg_entities again = columns(&all, first, 50, is_3d);
        for (uint32_t i = 0; i < 2; i++) {
            qd_client_despawn(client, room[i], all.id + first, 50);
            qd_client_spawn(client, room[i], &again, false);
        }
        move_both(client, room, &all, is_3d, teleports);
        step_both(client, room, both);
    }
    assert_true(both[0].begins > 0 && both[0].ends > 0 && both[0].passed > 0);
    assert_memory_equal(&both[0], &both[1], sizeof both[0]);
    qd_client_destroy(client);
}

TEST(roster_moves_equal_moves_by_id)
{
    run(false);
    run(true);
}

TEST(roster_with_bad_values_is_refused)
{
    static const uint32_t ids[] = {1, 2, 3, 4}, refused[] = {1, 2};
    static const qd_error_code codes[] = {QD_ERROR_UNKNOWN_ID, QD_ERROR_NOT_OWNER};
    static const float at[] = {10, 20, 30, 40};
    qd_client *client = session_open(ADDRESS), *other = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "refusals", NULL);

    session_join(other, "refusals");
    session_spawn(other, room, 4, 1, 1);
    session_settle(other);
    session_spawn(client, room, 2, 1, 1);
    qd_client_roster(client, room, 0, ids, 4);
    qd_msg_roster_move move = {.room = room, .first = 1, .count = 3, .x = at, .y = at};
    session_expect_entries(client, qd_client_roster_move(client, &move), 2, refused, codes);
    move.count = 4;
    session_expect_error(client, qd_client_roster_move(client, &move), QD_ERROR_INVALID, "has 4 entries");
    move.roster = 1;
    session_expect_error(client, qd_client_roster_move(client, &move), QD_ERROR_UNKNOWN_ROSTER, "Roster first");
    qd_client_destroy(client);
    qd_client_destroy(other);
}

TEST(roster_survives_a_resume)
{
    static const uint32_t id = 1;
    static const float at = 77;
    uint8_t key[QD_RESUME_KEY_BYTES];
    qd_client *client = qd_client_create(), *next = qd_client_create();

    qd_client_resumable(client, NULL);
    assert_int_equal(qd_client_connect(client, ADDRESS, NULL, "test", DEADLINE_MS), QD_CLIENT_OK);
    memcpy(key, qd_client_welcome(client)->resume_key.bytes, sizeof key);
    uint64_t room = session_open_room(client, "resumed", NULL);
    session_spawn(client, room, id, 1, 1);
    qd_client_roster(client, room, 0, &id, 1);
    session_step(client, room);
    qd_client_destroy(client);

    qd_client_resumable(next, key);
    assert_int_equal(qd_client_connect(next, ADDRESS, NULL, "test", DEADLINE_MS), QD_CLIENT_OK);
    assert_true(qd_client_welcome(next)->resumed);
    qd_client_roster_move(next, &(qd_msg_roster_move){.room = room, .count = 1, .x = &at, .y = &at});
    uint32_t seq = qd_client_snapshot(next, room, NULL, 0);
    const qd_msg_entities *rows = &session_expect(next, seq, QD_SERVER_SNAPSHOT_RESULT)->as.snapshot_result.entities;
    assert_true(rows->count == 1 && rows->x[0] == 77 && rows->y[0] == 77);
    qd_client_destroy(next);
}

TEST_MAIN_WITH(session_server_setup, session_server_teardown)
