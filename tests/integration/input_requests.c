/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages that parse and make no sense: each is refused whole, with an Error that names what is wrong; the session
 * lives on, and nobody else notices.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/raw.h"
#include "support/session.h"

#define ADDRESS qd_server_address(session_server)

static session_witness witness;
static qd_client *client;
static uint64_t room;

static int open_all(void **state)
{
    session_server_setup(state);
    session_witness_open(&witness, ADDRESS);
    client = session_open(ADDRESS);
    room = session_open_room(client, "bad requests", NULL);
    return 0;
}

static int close_all(void **state)
{
    qd_client_destroy(client);
    session_witness_close(&witness);
    return session_server_teardown(state);
}

static const uint32_t ids[] = {1, 2};
static const float numbers[] = {1, 2};

/* ---- rooms ---- */

static void test_unknown_room(void **state)
{
    (void)state;
    const qd_msg_entities all = {2, ids, .x = numbers, .y = numbers};
    const qd_msg_entities shape = {2, ids, .half_x = numbers};
    /* None, one that never was, and one that is open but that this session is not in. */
    const uint64_t rooms[] = {0, 12345, witness.room, UINT64_MAX};
    for (int i = 0; i < 4; i++) {
        uint64_t other = rooms[i];
        const uint32_t seqs[] = {
            qd_client_leave_room(client, other),
            qd_client_close_room(client, other),
            qd_client_spawn(client, other, &all, false),
            qd_client_move(client, other, &all),
            qd_client_teleport(client, other, &all),
            qd_client_reshape(client, other, &shape),
            qd_client_despawn(client, other, ids, 2),
            qd_client_subscribe(client, other, QD_SCOPE_ALL, false),
            qd_client_unsubscribe(client, other),
            qd_client_snapshot(client, other, NULL, 0),
            qd_client_step(client, other, 0),
        };

        for (size_t k = 0; k < sizeof seqs / sizeof seqs[0]; k++) {
            assert_int_equal(session_expect_error(client, seqs[k], QD_ERROR_UNKNOWN_ROOM, NULL)->room, other);
        }
        if (other != 0) {
            session_expect_error(client, qd_client_get_stats(client, other), QD_ERROR_UNKNOWN_ROOM, NULL);
        }
    }
    session_expect_error(client, qd_client_open_room(client, "nobody made it", NULL), QD_ERROR_UNKNOWN_ROOM,
                         "nobody made it");
    session_expect_quiet(client);
    session_witness_check(&witness);
}

static void test_names(void **state)
{
    (void)state;
    char longest[66];
    memset(longest, 'n', sizeof longest);
    longest[65] = '\0';
    const char *bad[] = {"",        longest, "tab\there", "new\nline",    "\x7f",     "\xff\xfe",
                         "\xc3",    "a\x80", "\xc0\xaf",  "\xed\xa0\x80", "\xc2\x85", "\xf4\x90\x80\x80",
                         "\xe2\x82"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        session_expect_error(client, qd_client_open_room(client, bad[i], &session_step_room), QD_ERROR_INVALID, "name");
    }
    longest[64] = '\0';
    const char *good[] = {longest, "\xc3\xa9t\xc3\xa9", "a room / with: signs", "\xf0\x9f\x8e\xb2"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t handle = session_open_room(client, good[i], NULL);

        session_expect(client, qd_client_close_room(client, handle), QD_SERVER_ROOM_CLOSED);
    }
    session_expect_quiet(client);
    session_witness_check(&witness);
}

static void expect_bad_config(const qd_msg_room_config *config, const char *word)
{
    session_expect_error(client, qd_client_open_room(client, "bad config", config), QD_ERROR_INVALID, word);
}

static void test_configs(void **state)
{
    (void)state;
    const qd_msg_room_config good = session_step_room;
    qd_msg_room_config bad = good;
    bad.has_bounds = false;
    expect_bad_config(&bad, "bounds");
    const float borders[][4] = {{0, 0, 0, 10},   {0, 5, 10, 5},          {10, 0, 0, 10},      {NAN, 0, 10, 10},
                                {0, 0, 10, NAN}, {0, -INFINITY, 10, 10}, {0, 0, INFINITY, 10}};
    for (size_t i = 0; i < sizeof borders / sizeof borders[0]; i++) {
        bad = good;
        bad.bounds = (qd_msg_bounds){
            .min_x = borders[i][0], .min_y = borders[i][1], .max_x = borders[i][2], .max_y = borders[i][3]};
        expect_bad_config(&bad, "bounds");
    }
    bad = good;
    bad.bounds.max_z = 1;
    expect_bad_config(&bad, "max_z");
    bad = good;
    bad.dimensions = 4;
    expect_bad_config(&bad, "dimensions is 4: must be 2 to 3");
    bad.dimensions = 3;
    expect_bad_config(&bad, "min_z 0 to max_z 0");
    bad.bounds.max_z = 10;
    bad.index = QD_INDEX_QUADTREE;
    expect_bad_config(&bad, "INDEX_QUADTREE, which is for two dimensions");
    bad.index = QD_INDEX_OCTREE;
    bad.depth = 8;
    expect_bad_config(&bad, "depth is 8: must be 1 to 7 with INDEX_OCTREE");
    bad = good;
    bad.index = QD_INDEX_OCTREE;
    expect_bad_config(&bad, "INDEX_OCTREE, which is for three dimensions");
    bad.index = (qd_index_kind)8;
    expect_bad_config(&bad, "index is 8");
    bad.index = QD_INDEX_BRUTE;
    bad.depth = 1;
    expect_bad_config(&bad, "depth is 1: leave it out with INDEX_BRUTE");
    bad = good;
    bad.prune = QD_PRUNE_WALK;
    expect_bad_config(&bad, "prune is PRUNE_WALK: leave it out with INDEX_AUTO");
    bad = good;
    bad.cell_size = 5;
    expect_bad_config(&bad, "cell_size is 5: leave it out with INDEX_AUTO");
    bad.index = QD_INDEX_GRID;
    bad.cell_size = -5;
    expect_bad_config(&bad, "cell_size is -5");
    bad = good;
    bad.tick_mode = 3;
    expect_bad_config(&bad, "tick_mode");
    bad = good;
    bad.tick_hz = 20;
    expect_bad_config(&bad, "tick_hz");
    bad.tick_mode = QD_TICK_MODE_CLOCK;
    bad.tick_hz = 1001;
    expect_bad_config(&bad, "tick_hz");
    bad = good;
    bad.depth = 11;
    expect_bad_config(&bad, "depth");
    bad = good;
    bad.entities_max = (4u << 20) + 1;
    expect_bad_config(&bad, "entities_max");
    bad = good;
    bad.events_max = (1u << 20) + 1;
    expect_bad_config(&bad, "events_max");
    bad = good;
    bad.observers_max = 16385;
    expect_bad_config(&bad, "observers_max");
    bad = good;
    bad.sightings_max = (4u << 20) + 1;
    expect_bad_config(&bad, "sightings_max");
    bad = good;
    bad.grace_ms = 3600001;
    expect_bad_config(&bad, "grace_ms");
    bad = good;
    bad.empty_close_ms = 86400001;
    expect_bad_config(&bad, "empty_close_ms");
    session_expect_error(client, qd_client_open_room(client, "bad config", NULL), QD_ERROR_UNKNOWN_ROOM, NULL);
    session_expect_quiet(client);
    session_witness_check(&witness);
}

static void expect_mismatch(const qd_msg_room_config *config, const char *field)
{
    session_expect_error(client, qd_client_open_room(client, "made", config), QD_ERROR_CONFIG_MISMATCH, field);
}

static void test_config_mismatch(void **state)
{
    (void)state;
    const qd_msg_room_config made = {.has_bounds = true,
                                     .bounds = {.min_x = -10, .min_y = -20, .max_x = 30, .max_y = 40},
                                     .tick_mode = QD_TICK_MODE_CLOCK,
                                     .tick_hz = 50,
                                     .depth = 4,
                                     .entities_max = 100,
                                     .events_max = 200,
                                     .grace_ms = 300,
                                     .empty_close_ms = 400};
    uint64_t handle = session_open_room(client, "made", &made);
    qd_msg_room_config other = made;
    other.tick_hz = 0;
    other.tick_mode = QD_TICK_MODE_STEP;
    expect_mismatch(&other, "tick_mode");
    other = made;
    other.tick_hz = 60;
    expect_mismatch(&other, "tick_hz");
    other = made;
    other.depth = 5;
    expect_mismatch(&other, "depth");
    other = made;
    other.entities_max = 101;
    expect_mismatch(&other, "entities_max");
    other = made;
    other.events_max = 201;
    expect_mismatch(&other, "events_max");
    other = made;
    other.grace_ms = 301;
    expect_mismatch(&other, "grace_ms");
    other = made;
    other.empty_close_ms = 401;
    expect_mismatch(&other, "empty_close_ms");
    other = made;
    other.index = QD_INDEX_QUADTREE;
    expect_mismatch(&other, "index is INDEX_QUADTREE, but the room has INDEX_AUTO");
    other = made;
    other.swept = true;
    expect_mismatch(&other, "swept");
    other = made;
    other.dimensions = 3;
    other.bounds.max_z = 1;
    other.depth = 0;
    expect_mismatch(&other, "dimensions is 3, but the room has 2");
    other = made;
    other.bounds.min_x = -11;
    expect_mismatch(&other, "bounds.min_x");
    other = made;
    other.bounds.max_y = 41;
    expect_mismatch(&other, "bounds.max_y");

    /* The same, part of it, or none joins. */
    const qd_msg_room_config part = {.dimensions = 2, .grace_ms = 300};
    const qd_msg_room_config empty = {0};
    const qd_msg_room_config *joins[] = {&made, &part, &empty, NULL};
    for (int i = 0; i < 4; i++) {
        const qd_msg_room_opened *opened =
            &session_expect(client, qd_client_open_room(client, "made", joins[i]), QD_SERVER_ROOM_OPENED)
                 ->as.room_opened;

        assert_int_equal(opened->room, handle);
        assert_false(opened->created);
        assert_int_equal(opened->config.dimensions, 2);
        assert_int_equal(opened->config.tick_hz, 50);
        assert_int_equal(opened->config.depth, 4);
        assert_int_equal(opened->config.entities_max, 100);
        assert_int_equal(opened->config.events_max, 200);
        assert_true(opened->config.bounds.min_y == -20);
    }
    session_expect(client, qd_client_close_room(client, handle), QD_SERVER_ROOM_CLOSED);
    session_expect_quiet(client);
    session_witness_check(&witness);
}

/* ---- batches ---- */

static void test_columns(void **state)
{
    (void)state;
    /* A needed column is missing. */
    const qd_msg_entities no_x = {2, ids, .y = numbers}, no_y = {2, ids, .x = numbers};
    const qd_msg_entities whole = {2, ids, .x = numbers, .y = numbers};
    session_expect_error(client, qd_client_spawn(client, room, &no_x, false), QD_ERROR_COLUMNS, "x");
    session_expect_error(client, qd_client_move(client, room, &no_y), QD_ERROR_COLUMNS, "y");
    session_expect_error(client, qd_client_teleport(client, room, &no_x), QD_ERROR_COLUMNS, "x");

    /* One is shorter than the others: what the library cannot send, by hand. The move's y is cut by one value. */
    raw_link *raw = raw_open_session(ADDRESS);
    qd_client_message move = {.seq = 3, .kind = QD_CLIENT_MOVE, .as.batch = {.room = 1, .entities = whole}};
    uint8_t bytes[128];
    size_t size = qd_client_message_encode(&move, bytes, qd_client_message_size(&move));
    assert_int_equal(bytes[0], size - 1);
    bytes[0] -= 4;           /* the frame */
    bytes[4] -= 4;           /* the move in it, behind seq (2 bytes) and its own key */
    bytes[size - 8 - 1] = 4; /* y, the last column */
    raw_send(raw, bytes, size - 4);
    raw_expect_error(raw, 3, QD_ERROR_COLUMNS, "y");
    raw_close(raw);

    /* A batch of nothing is a batch. */
    const qd_msg_entities none = {0};
    qd_client_move(client, room, &none);
    session_step(client, room);
    session_expect_quiet(client);
    session_witness_check(&witness);
}

static void test_third_dimension(void **state)
{
    (void)state;
    const qd_msg_entities z = {2, ids, .x = numbers, .y = numbers, .z = numbers};
    const qd_msg_entities half_z = {2, ids, .x = numbers, .y = numbers, .half_z = numbers};
    const qd_msg_entities only_half_z = {2, ids, .half_z = numbers};
    session_expect_error(client, qd_client_spawn(client, room, &z, false), QD_ERROR_INVALID, "z");
    session_expect_error(client, qd_client_spawn(client, room, &half_z, false), QD_ERROR_INVALID, "half_z");
    session_expect_error(client, qd_client_move(client, room, &z), QD_ERROR_INVALID, "z");
    session_expect_error(client, qd_client_teleport(client, room, &z), QD_ERROR_INVALID, "z");
    session_expect_error(client, qd_client_reshape(client, room, &only_half_z), QD_ERROR_INVALID, "half_z");
    const qd_msg_bounds region = {.max_x = 10, .max_y = 10, .max_z = 10};
    session_expect_error(client, qd_client_snapshot(client, room, &region, 0), QD_ERROR_INVALID, "leave z out");

    /* Where there is one, it is needed wherever there is an x. */
    qd_msg_room_config config = session_step_room;
    config.dimensions = 3;
    config.bounds.max_z = 1000;
    uint64_t deep = session_open_room(client, "deep", &config);
    const qd_msg_entities flat = {2, ids, .x = numbers, .y = numbers};
    session_expect_error(client, qd_client_spawn(client, deep, &flat, false), QD_ERROR_COLUMNS, "column z is missing");
    session_expect_error(client, qd_client_move(client, deep, &flat), QD_ERROR_COLUMNS, "column z is missing");
    session_expect_error(client, qd_client_teleport(client, deep, &flat), QD_ERROR_COLUMNS, "column z is missing");
    session_expect(client, qd_client_close_room(client, deep), QD_SERVER_ROOM_CLOSED);
    session_expect_quiet(client);
    session_witness_check(&witness);
}

/* ---- the rest ---- */

static void test_other_values(void **state)
{
    (void)state;
    session_expect_error(client, qd_client_subscribe(client, room, 3, false), QD_ERROR_INVALID, "scope");
    session_expect_error(client, qd_client_list_rooms(client, NULL, 1001), QD_ERROR_INVALID, "limit");
    session_expect_error(client, qd_client_snapshot(client, room, NULL, (1u << 20) + 1), QD_ERROR_INVALID, "limit");
    const qd_msg_bounds turned = {.min_x = 10, .max_x = 0, .max_y = 10};
    const qd_msg_bounds nan = {.min_x = NAN, .max_x = 10, .max_y = 10};
    session_expect_error(client, qd_client_snapshot(client, room, &turned, 0), QD_ERROR_INVALID, "region");
    session_expect_error(client, qd_client_snapshot(client, room, &nan, 0), QD_ERROR_INVALID, "region");
    session_expect_quiet(client);
    session_witness_check(&witness);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_room),    cmocka_unit_test(test_names),   cmocka_unit_test(test_configs),
        cmocka_unit_test(test_config_mismatch), cmocka_unit_test(test_columns), cmocka_unit_test(test_third_dimension),
        cmocka_unit_test(test_other_values),
    };

    return cmocka_run_group_tests(tests, open_all, close_all);
}
