/* SPDX-License-Identifier: Apache-2.0
 *
 * Rooms: very many at once, lists, statistics, their clock, and the config that is in force.
 */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "support/session.h"
#include "tests/support/test.h"

#define ROOMS        1000
#define ANSWER_ROOMS 256 /* that the server looks at for one list */

/* A thousand rooms, half of them on their own clock; in each, two boxes meet and part, and only its own events come. */
SESSION_TEST(thousand_rooms_tick_independently)
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
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The pauses are longer than a room at 1000 Hz takes to rest, and shorter. Between two answers there are at least the
 * ticks from the first answer to the second request, and at most those from the first request to the second answer,
 * however busy the machine is. */
SESSION_TEST(room_at_rest_counts_its_ticks_and_wakes)
{
    qd_client *client = session_open(ADDRESS);
    qd_msg_room_config clock = session_step_room;
    uint64_t tick = 0, sent_ns = 0, answered_ns = 0;

    clock.tick_mode = QD_TICK_MODE_CLOCK;
    clock.tick_hz = 1000;
    const uint64_t room = session_open_room(client, "rest", &clock);
    session_spawn(client, room, 1, 10, 10);
    for (uint32_t i = 0; i < 200; i++) {
        const struct timespec pause = {0, (long)(i % 20) * 1000000};
        const uint64_t before_tick = tick, before_sent_ns = sent_ns, before_answered_ns = answered_ns;

        nanosleep(&pause, NULL);
        sent_ns = now_ns();
        const uint32_t seq = session_move(client, room, 1, (float)i, 10);
        const qd_msg_applied *applied = &session_wait_kind(client, QD_SERVER_APPLIED)->as.applied;
        while (applied->seq != seq) {
            applied = &session_wait_kind(client, QD_SERVER_APPLIED)->as.applied;
        }
        tick = applied->tick;
        answered_ns = now_ns();
        if (i > 0) {
            assert_in_range(tick - before_tick, (sent_ns - before_answered_ns) / 1000000,
                            (answered_ns - before_sent_ns) / 1000000 + 1);
        }
    }
    session_expect(client, qd_client_close_room(client, room), QD_SERVER_ROOM_CLOSED);
}

SESSION_TEST(list_reports_each_room)
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

    /* A room that others may not join is on nobody else's list. An answer looks at a part of so many. */
    qd_msg_room_config own = session_step_room;
    own.join = QD_ACCESS_CREATOR;
    for (uint32_t i = 0; i < 3 * ROOMS; i++) {
        char name[32];

        snprintf(name, sizeof name, "own %04u", i);
        qd_client_open_room(client, name, &own);
    }
    session_open_room(client, "seen", NULL);
    qd_client *other = session_open(ADDRESS);
    char next[QD_ROOM_NAME_BYTES_MAX + 1] = "own";
    uint32_t answers = 0;
    do {
        list = &session_expect(other, qd_client_list_rooms(other, next, 1), QD_SERVER_ROOM_LIST)->as.room_list;
        snprintf(next, sizeof next, "%s", list->next);
        answers++;
        assert_true(list->count == 1 || list->more);
    } while (list->count == 0);
    assert_string_equal(list->rooms[0].name, "seen");
    assert_int_equal(answers, (3 * ROOMS + ANSWER_ROOMS - 1) / ANSWER_ROOMS);

    /* The list follows the state of the room within moments. */
    const qd_msg_room_info *info;
    do {
        list = &session_expect(client, qd_client_list_rooms(client, "list a", 1), QD_SERVER_ROOM_LIST)->as.room_list;
        assert_int_equal(list->count, 1);
        info = &list->rooms[0];
    } while (info->tick != 1 || info->entities != 1 || info->sessions != 1);
    assert_string_equal(info->name, "list b");
    assert_int_equal(info->tick_mode, QD_TICK_MODE_STEP);
}

SESSION_TEST(stats_count_what_happened)
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
}

/* In a room by clock, whose tick answers every request that has a number. */
SESSION_TEST(request_with_seq_0_gets_no_reply)
{
    static const uint32_t ids[] = {1, 2};
    static const float at[] = {10, 10};
    const qd_msg_room_config config = {.has_bounds = true, .bounds = {.max_x = 100, .max_y = 100}, .tick_hz = 200};
    qd_client *client = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "silent", &config);
    const qd_client_message spawn = {.kind = QD_CLIENT_SPAWN,
                                     .as.batch = {.room = room, .entities = {2, ids, .x = at, .y = at}}};

    session_subscribe(client, room, QD_SCOPE_ALL, NULL);
    assert_true(qd_client_send(client, &spawn));
    session_expect_tick(client, "begin 1-2");
    session_settle(client);
    for (const qd_server_message *message; (message = qd_client_next(client)) != NULL;) {
        assert_int_equal(message->kind, QD_SERVER_TICK); /* a busy machine skips ticks */
    }
}

/* AUTO stays what was requested; the stats name the index in use. */
SESSION_TEST(room_opened_reports_the_config_in_force)
{
    static const struct {
        qd_msg_room_config config;
        qd_index_kind in_use;
    } rows[] = {
        {{.dimensions = 3,
          .has_bounds = true,
          .bounds = {.max_x = 1000, .max_y = 1000, .max_z = 1000},
          .tick_mode = QD_TICK_MODE_STEP,
          .index = QD_INDEX_GRID,
          .swept = true,
          .cell_size = 2.5f},
         QD_INDEX_GRID},
        {{.dimensions = 2,
          .has_bounds = true,
          .bounds = {.max_x = 1000, .max_y = 1000},
          .tick_mode = QD_TICK_MODE_CLOCK,
          .tick_hz = 50,
          .index = QD_INDEX_AUTO},
         QD_INDEX_BRUTE},
    };
    const char *names[] = {"as requested", "auto"};
    qd_client *client = session_open(ADDRESS);

    for (int i = 0; i < 2; i++) {
        uint64_t seq = qd_client_open_room(client, names[i], &rows[i].config);
        const qd_msg_room_opened *opened = &session_expect(client, seq, QD_SERVER_ROOM_OPENED)->as.room_opened;
        const qd_msg_room_config *config = &opened->config;
        uint64_t room = opened->room;

        assert_true(opened->created && opened->tick == 0);
        assert_memory_equal(&config->bounds, &rows[i].config.bounds, sizeof config->bounds);
        assert_int_equal(config->dimensions, rows[i].config.dimensions);
        assert_int_equal(config->tick_mode, rows[i].config.tick_mode);
        assert_int_equal(config->tick_hz, rows[i].config.tick_hz);
        assert_int_equal(config->index, rows[i].config.index);
        assert_int_equal(config->prune, QD_PRUNE_DEFAULT);
        assert_true(config->swept == rows[i].config.swept && config->cell_size == rows[i].config.cell_size);
        const qd_msg_room_stats *stats =
            &session_expect(client, qd_client_get_stats(client, room), QD_SERVER_STATS)->as.stats.room;
        assert_int_equal(stats->index, rows[i].in_use);
        assert_true(stats->depth == 0 && stats->index_changes == 0);
    }
}

TEST_MAIN_WITH(session_server_setup, session_server_teardown)
