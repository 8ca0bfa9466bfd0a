/* SPDX-License-Identifier: Apache-2.0
 *
 * Rooms: very many at once, lists, snapshots, statistics, and when an empty one closes.
 */

#include <string.h>

#include "support/session.h"
#include "tests/support/test.h"

#define ADDRESS qd_server_address(session_server)
#define ROOMS   1000

/* A thousand rooms, half of them on their own clock; in each, two boxes meet and part, and only its own events come. */
TEST(thousand_rooms_tick_independently)
{
    static uint64_t handles[ROOMS];
    static uint32_t begins[ROOMS], ends[ROOMS];
    qd_client *client = session_open(ADDRESS);
    qd_msg_room_config clock = session_step_room;

    clock.tick_mode = QD_TICK_MODE_CLOCK;
    clock.tick_hz = 50;
    for (uint32_t i = 0; i < ROOMS; i++) {
        char name[32];

        snprintf(name, sizeof name, "crowd %04u", i);
        qd_client_open_room(client, name, i % 2 == 0 ? &session_step_room : &clock);
    }
    for (uint32_t i = 0; i < ROOMS; i++) {
        const qd_msg_room_opened *opened = &session_wait_kind(client, QD_SERVER_ROOM_OPENED)->as.room_opened;
        unsigned number;

        assert_int_equal(sscanf(opened->name, "crowd %u", &number), 1);
        assert_true(number < ROOMS && handles[number] == 0);
        handles[number] = opened->room;
    }
    for (uint32_t i = 0; i < ROOMS; i++) {
        qd_client_subscribe(client, handles[i], QD_SCOPE_ALL, false);
        session_spawn(client, handles[i], 2 * i, 10, 10);
        session_spawn(client, handles[i], 2 * i + 1, 10, 10);
        if (i % 2 == 0) {
            qd_client_step(client, handles[i], 0);
        }
    }
    uint32_t open = 2 * ROOMS;
    while (open > 0) {
        const qd_msg_tick *tick = &session_wait_kind(client, QD_SERVER_TICK)->as.tick;
        uint32_t i = 0;

        while (i < ROOMS && handles[i] != tick->room) {
            i++;
        }
        assert_true(i < ROOMS);
        open -= tick->begins.count + tick->ends.count;
        if (tick->begins.count > 0) {
            assert_int_equal(tick->begins.a[0], 2 * i);
            assert_int_equal(tick->begins.b[0], 2 * i + 1);
            session_move(client, handles[i], 2 * i + 1, 500, 500);
            if (i % 2 == 0) {
                qd_client_step(client, handles[i], 0);
            }
        }
        begins[i] += tick->begins.count;
        ends[i] += tick->ends.count;
    }
    for (uint32_t i = 0; i < ROOMS; i++) {
        assert_int_equal(begins[i], 1);
        assert_int_equal(ends[i], 1);
    }
    qd_client_destroy(client);
}

TEST(list_reports_each_room)
{
    qd_client *client = session_open(ADDRESS);
    const char *names[] = {"list a", "list b", "list c", "list d", "list \xc3\xa9"};
    const size_t order[] = {3, 0, 4, 2, 1};

    for (size_t i = 0; i < 5; i++) {
        session_open_room(client, names[order[i]], NULL);
    }
    uint64_t room = session_join(client, "list b");
    session_spawn(client, room, 1, 1, 1);
    session_step(client, room);
    session_settle(client);

    const qd_msg_room_list *list =
        &session_expect(client, qd_client_list_rooms(client, "list ", 3), QD_SERVER_ROOM_LIST)->as.room_list;
    assert_int_equal(list->count, 3);
    assert_true(list->more);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(list->rooms[i].name, names[i]);
    }
    list = &session_expect(client, qd_client_list_rooms(client, "list c", 2), QD_SERVER_ROOM_LIST)->as.room_list;
    assert_int_equal(list->count, 2);
    assert_string_equal(list->rooms[0].name, names[3]);
    assert_string_equal(list->rooms[1].name, names[4]);
    list = &session_expect(client, qd_client_list_rooms(client, "list \xc3\xa9", 0), QD_SERVER_ROOM_LIST)->as.room_list;
    for (size_t i = 0; i < list->count; i++) {
        assert_true(strcmp(list->rooms[i].name, names[4]) > 0);
    }

    /* The list follows the state of the room within moments. */
    const qd_msg_room_info *info;
    do {
        list = &session_expect(client, qd_client_list_rooms(client, "list a", 1), QD_SERVER_ROOM_LIST)->as.room_list;
        assert_int_equal(list->count, 1);
        info = &list->rooms[0];
    } while (info->tick != 1 || info->entities != 1 || info->sessions != 1);
    assert_string_equal(info->name, "list b");
    assert_int_equal(info->tick_mode, QD_TICK_MODE_STEP);
    qd_client_destroy(client);
}

TEST(snapshot_reports_the_entities)
{
    qd_client *client = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "snapshot", NULL);
    const uint32_t ids[] = {9, 3, 7}, category[] = {1, 2, 4}, mask[] = {8, 16, 32};
    const float x[] = {10, 20, 300}, y[] = {10, 20, 300}, half_x[] = {1, 2, 3}, half_y[] = {4, 5, 6};
    const uint8_t shapes[] = {QD_SHAPE_BOX, QD_SHAPE_CIRCLE, QD_SHAPE_BOX};
    const qd_msg_entities batch = {
        3,           ids, .x = x, .y = y, .half_x = half_x, .half_y = half_y, .shape = shapes, .category = category,
        .mask = mask};

    qd_client_spawn(client, room, &batch, false);
    /* As they are now, ticked or not; by ascending id. */
    uint32_t seq = qd_client_snapshot(client, room, NULL, 0);
    const qd_msg_snapshot_result *result = &session_expect(client, seq, QD_SERVER_SNAPSHOT_RESULT)->as.snapshot_result;
    assert_int_equal(result->tick, 0);
    assert_true(result->last);
    assert_int_equal(result->entities.count, 3);
    const size_t order[] = {1, 2, 0};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(result->entities.id[i], ids[order[i]]);
        assert_true(result->entities.x[i] == x[order[i]] && result->entities.y[i] == y[order[i]]);
        assert_true(result->entities.half_x[i] == half_x[order[i]]);
        assert_int_equal(result->entities.shape[i], shapes[order[i]]);
        assert_int_equal(result->entities.category[i], category[order[i]]);
        assert_int_equal(result->entities.mask[i], mask[order[i]]);
    }
    /* A limit; and a region, which id 9 touches at its corner. */
    result = &session_expect(client, qd_client_snapshot(client, room, NULL, 2), QD_SERVER_SNAPSHOT_RESULT)
                  ->as.snapshot_result;
    assert_int_equal(result->entities.count, 2);
    assert_true(result->more);
    const qd_msg_bounds region = {.min_x = 0, .min_y = 0, .max_x = 9, .max_y = 6};
    result = &session_expect(client, qd_client_snapshot(client, room, &region, 0), QD_SERVER_SNAPSHOT_RESULT)
                  ->as.snapshot_result;
    assert_int_equal(result->entities.count, 1);
    assert_int_equal(result->entities.id[0], 9);
    assert_false(result->more);
    qd_client_destroy(client);
}

/* One that needs several frames. */
TEST(large_snapshot_arrives_in_several_frames)
{
    enum { COUNT = 150000 };
    static uint32_t ids[COUNT];
    static float x[COUNT];
    qd_client *client = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "large snapshot", NULL);
    for (uint32_t i = 0; i < COUNT; i++) {
        ids[i] = COUNT - 1 - i;
        x[i] = (float)(i % 1000);
    }
    qd_client_spawn(client, room, &(qd_msg_entities){COUNT, ids, .x = x, .y = x}, false);
    uint32_t seq = qd_client_snapshot(client, room, NULL, COUNT + 1);
    uint32_t seen = 0;
    bool last = false;
    while (!last) {
        const qd_msg_snapshot_result *result =
            &session_expect(client, seq, QD_SERVER_SNAPSHOT_RESULT)->as.snapshot_result;

        for (uint32_t i = 0; i < result->entities.count; i++) {
            assert_int_equal(result->entities.id[i], seen++);
        }
        last = result->last;
    }
    assert_int_equal(seen, COUNT);
    qd_client_destroy(client);
}

TEST(stats_count_what_happened)
{
    qd_client *client = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "stats", NULL);

    session_subscribe(client, room, QD_SCOPE_ALL, NULL);
    session_spawn(client, room, 1, 10, 10);
    session_spawn(client, room, 2, 10, 10);
    session_step(client, room);
    session_move(client, room, 2, 500, 500);
    session_step(client, room);
    const qd_msg_stats *stats = &session_expect(client, qd_client_get_stats(client, room), QD_SERVER_STATS)->as.stats;
    assert_true(stats->has_room);
    assert_int_equal(stats->room.room, room);
    assert_int_equal(stats->room.tick, 2);
    assert_int_equal(stats->room.entities, 2);
    assert_int_equal(stats->room.sessions, 1);
    assert_int_equal(stats->room.subscriptions, 1);
    assert_int_equal(stats->room.updates, 3);
    assert_int_equal(stats->room.begins, 1);
    assert_int_equal(stats->room.ends, 1);
    assert_int_equal(stats->room.pairs, 0);
    assert_true(stats->room.memory_bytes > 0);
    assert_true(stats->room.tick_us_p50 <= stats->room.tick_us_p99);
    assert_true(stats->room.tick_us_p99 <= stats->room.tick_us_max);

    stats = &session_expect(client, qd_client_get_stats(client, 0), QD_SERVER_STATS)->as.stats;
    assert_false(stats->has_room);
    assert_true(stats->server.sessions >= 1);
    assert_true(stats->server.rooms >= 1);
    assert_true(stats->server.workers >= 1);
    assert_true(stats->server.ticks >= 2);
    assert_true(stats->server.updates >= 3);
    assert_true(stats->server.events >= 2);
    assert_true(stats->server.bytes_in > 0);
    assert_true(stats->server.bytes_out > 0);
    assert_true(stats->server.memory_bytes < stats->server.memory_bytes_max);
    uint64_t errors = stats->server.errors;
    session_expect_error(client, qd_client_step(client, 0, 0), QD_ERROR_UNKNOWN_ROOM, NULL);
    stats = &session_expect(client, qd_client_get_stats(client, 0), QD_SERVER_STATS)->as.stats;
    assert_true(stats->server.errors > errors);
    qd_client_destroy(client);
}

/* Opens the room until it is gone, or until it is there. */
TEST(empty_room_closes)
{
    qd_client *client = session_open(ADDRESS);
    qd_msg_room_config config = session_step_room;

    config.empty_close_ms = 1;
    config.grace_ms = 1;
    uint64_t room = session_open_room(client, "empty", &config);
    uint64_t epoch =
        session_expect(client, qd_client_open_room(client, "empty", NULL), QD_SERVER_ROOM_OPENED)->as.room_opened.epoch;
    session_spawn(client, room, 1, 1, 1);
    session_step(client, room);
    session_expect(client, qd_client_leave_room(client, room), QD_SERVER_ROOM_LEFT);

    /* The entity goes by its grace, then the room, then its name can be had for a new one: all of that in its time. */
    for (bool gone = false; !gone;) {
        uint32_t seq = qd_client_list_rooms(client, "emptx", 1);
        const qd_msg_room_list *list = &session_expect(client, seq, QD_SERVER_ROOM_LIST)->as.room_list;

        gone = list->count == 0 || strcmp(list->rooms[0].name, "empty") != 0;
    }
    const qd_msg_room_opened *opened =
        &session_expect(client, qd_client_open_room(client, "empty", &config), QD_SERVER_ROOM_OPENED)->as.room_opened;
    assert_true(opened->created);
    assert_int_not_equal(opened->room, room);
    assert_true(opened->epoch != epoch);
    assert_int_equal(opened->tick, 0);
    session_expect_error(client, qd_client_step(client, room, 0), QD_ERROR_UNKNOWN_ROOM, NULL);
    qd_client_destroy(client);
}

TEST_MAIN_WITH(session_server_setup, session_server_teardown)
