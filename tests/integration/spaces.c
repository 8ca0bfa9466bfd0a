/* SPDX-License-Identifier: Apache-2.0
 *
 * Rooms of every kind over the wire: three dimensions, capsules, swept rooms, and all indexes, which report the same.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/rng.h"
#include "support/session.h"
#include "tests/support/test.h"

#define ADDRESS         qd_server_address(session_server)
#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static const qd_index_kind indexes_2d[] = {QD_INDEX_AUTO, QD_INDEX_QUADTREE, QD_INDEX_SPARSE,
                                           QD_INDEX_HASH, QD_INDEX_GRID,     QD_INDEX_BRUTE};
static const qd_index_kind indexes_3d[] = {QD_INDEX_AUTO, QD_INDEX_OCTREE, QD_INDEX_SPARSE,
                                           QD_INDEX_HASH, QD_INDEX_GRID,   QD_INDEX_BRUTE};

static qd_msg_room_config deep_config(qd_index_kind index)
{
    return (qd_msg_room_config){.dimensions = 3,
                                .has_bounds = true,
                                .bounds = {.max_x = 1000, .max_y = 1000, .max_z = 1000},
                                .tick_mode = QD_TICK_MODE_STEP,
                                .index = index};
}

/* ---- one entity at a time ---- */

/* A cube of half extents 1. */
static void spawn_cube(qd_client *client, uint64_t room, uint32_t id, float x, float z)
{
    const float y = 10, half = 1;
    const qd_msg_entities cube = {
        .count = 1, .id = &id, .x = &x, .y = &y, .z = &z, .half_x = &half, .half_y = &half, .half_z = &half};

    qd_client_spawn(client, room, &cube, false);
}

static qd_msg_entities at(const uint32_t *id, const float place[3])
{
    return (qd_msg_entities){.count = 1, .id = id, .x = &place[0], .y = &place[1], .z = &place[2]};
}

static void step_and_expect(qd_client *client, uint64_t room, const char *events)
{
    session_step(client, room);
    session_expect_tick(client, events);
}

TEST(room_of_three_dimensions_needs_all_axes)
{
    for (size_t i = 0; i < COUNT_OF(indexes_3d); i++) {
        const qd_msg_room_config config = deep_config(indexes_3d[i]);
        qd_client *client = session_open(ADDRESS);
        uint64_t room = session_open_room(client, "deep", &config);

        session_subscribe(client, room, QD_SCOPE_ALL, NULL);
        spawn_cube(client, room, 1, 10, 10);
        spawn_cube(client, room, 2, 11, 12); /* touching counts */
        spawn_cube(client, room, 3, 10, 14.5f);
        step_and_expect(client, room, "begin 1-2");

        const uint32_t one = 1, two = 2, three = 3;
        const float near[] = {10, 10, 14}, far[] = {10, 10, 500};
        qd_msg_entities move = at(&three, near);
        qd_client_move(client, room, &move);
        step_and_expect(client, room, "begin 2-3");
        move = at(&one, far);
        qd_client_teleport(client, room, &move);
        step_and_expect(client, room, "end 1-2 teleported");
        const float less = 0.5f;
        qd_client_reshape(client, room, &(qd_msg_entities){.count = 1, .id = &two, .half_z = &less});
        step_and_expect(client, room, "end 2-3 resized");
        move = at(&three, far);
        qd_client_move(client, room, &move);
        step_and_expect(client, room, "begin 1-3");
        session_despawn(client, room, 1);
        step_and_expect(client, room, "end 1-3 despawned");
        session_expect(client, qd_client_close_room(client, room), QD_SERVER_ROOM_CLOSED);
        session_expect_quiet(client);
        qd_client_destroy(client);
    }
}

TEST(room_opened_reports_the_config_in_force)
{
    qd_client *client = session_open(ADDRESS);
    qd_msg_room_config config = deep_config(QD_INDEX_GRID);

    config.swept = true;
    config.cell_size = 2.5f;
    uint32_t seq = qd_client_open_room(client, "told", &config);
    const qd_msg_room_opened *opened = &session_expect(client, seq, QD_SERVER_ROOM_OPENED)->as.room_opened;
    uint64_t room = opened->room;
    assert_int_equal(opened->config.dimensions, 3);
    assert_true(opened->config.bounds.max_z == 1000);
    assert_int_equal(opened->config.index, QD_INDEX_GRID);
    assert_int_equal(opened->config.prune, QD_PRUNE_DEFAULT);
    assert_true(opened->config.swept && opened->config.cell_size == 2.5f);
    const qd_msg_room_stats *stats =
        &session_expect(client, qd_client_get_stats(client, room), QD_SERVER_STATS)->as.stats.room;
    assert_int_equal(stats->index, QD_INDEX_GRID);
    assert_int_equal(stats->depth, 0);

    /* RoomOpened reports AUTO as requested; the stats name the index in use. */
    opened = &session_expect(client, qd_client_open_room(client, "auto", &session_step_room), QD_SERVER_ROOM_OPENED)
                  ->as.room_opened;
    room = opened->room;
    assert_int_equal(opened->config.index, QD_INDEX_AUTO);
    stats = &session_expect(client, qd_client_get_stats(client, room), QD_SERVER_STATS)->as.stats.room;
    assert_int_equal(stats->index, QD_INDEX_BRUTE);
    assert_int_equal(stats->index_changes, 0);
    session_expect_quiet(client);
    qd_client_destroy(client);
}

/* A capsule and a sphere in the same snapshot; without one the column of radii is absent. */
TEST(snapshot_has_the_shapes_of_its_room)
{
    const qd_msg_room_config config = deep_config(QD_INDEX_AUTO);
    qd_client *client = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "snapshots", &config);

    spawn_cube(client, room, 7, 10, 20);
    const qd_msg_snapshot_result *result =
        &session_expect(client, qd_client_snapshot(client, room, NULL, 0), QD_SERVER_SNAPSHOT_RESULT)
             ->as.snapshot_result;
    assert_int_equal(result->entities.count, 1);
    assert_true(result->entities.z[0] == 20 && result->entities.half_z[0] == 1);
    assert_null(result->entities.radius);

    const uint32_t ids[] = {8, 9};
    const float x[] = {50, 60}, y[] = {5, 6}, z[] = {500, 600}, half_x[] = {-1, 4}, half_z[] = {-2, 0},
                radius[] = {3, 0};
    const uint8_t shape[] = {QD_SHAPE_CAPSULE, QD_SHAPE_CIRCLE};
    const qd_msg_entities rounds = {.count = 2,
                                    .id = ids,
                                    .x = x,
                                    .y = y,
                                    .z = z,
                                    .half_x = half_x,
                                    .half_z = half_z,
                                    .radius = radius,
                                    .shape = shape};
    qd_client_spawn(client, room, &rounds, false);
    const qd_msg_bounds upper = {.min_z = 495, .max_x = 1000, .max_y = 1000, .max_z = 596};
    result = &session_expect(client, qd_client_snapshot(client, room, &upper, 0), QD_SERVER_SNAPSHOT_RESULT)
                  ->as.snapshot_result;
    assert_int_equal(result->entities.count, 2);
    assert_int_equal(result->entities.id[0], 8);
    assert_int_equal(result->entities.shape[0], QD_SHAPE_CAPSULE);
    assert_true(result->entities.half_x[0] == -1 && result->entities.half_z[0] == -2);
    assert_true(result->entities.radius[0] == 3 && result->entities.radius[1] == 0);
    assert_int_equal(result->entities.id[1], 9);

    /* A room of two dimensions reports no third axis. */
    uint64_t flat = session_open_room(client, "flat", NULL);
    session_spawn(client, flat, 1, 2, 3);
    result = &session_expect(client, qd_client_snapshot(client, flat, NULL, 0), QD_SERVER_SNAPSHOT_RESULT)
                  ->as.snapshot_result;
    assert_int_equal(result->entities.count, 1);
    assert_null(result->entities.z);
    assert_null(result->entities.half_z);
    session_expect_quiet(client);
    qd_client_destroy(client);
}

TEST(queries_use_all_axes_of_the_room)
{
    for (size_t i = 0; i < COUNT_OF(indexes_3d); i++) {
        const qd_msg_room_config config = deep_config(indexes_3d[i]);
        qd_client *client = session_open(ADDRESS);
        uint64_t room = session_open_room(client, "asked", &config);

        for (uint32_t id = 1; id <= 9; id++) {
            spawn_cube(client, room, id, 10, (float)id * 100);
        }
        session_step(client, room);
        qd_msg_query query = {.room = room,
                              .kind = QD_QUERY_BOX,
                              .where.box = {.min_z = 201, .max_x = 1000, .max_y = 1000, .max_z = 399}};
        const qd_msg_query_result *found =
            &session_expect(client, qd_client_query(client, &query), QD_SERVER_QUERY_RESULT)->as.query_result;
        assert_true(found->count == 3 && found->id[0] == 2 && found->id[2] == 4);

        query = (qd_msg_query){
            .room = room, .kind = QD_QUERY_CIRCLE, .where.circle = {.x = 10, .y = 10, .z = 550, .radius = 49}};
        found = &session_expect(client, qd_client_query(client, &query), QD_SERVER_QUERY_RESULT)->as.query_result;
        assert_true(found->count == 2 && found->id[0] == 5 && found->id[1] == 6);

        query = (qd_msg_query){
            .room = room, .kind = QD_QUERY_NEAREST, .where.nearest = {.x = 10, .y = 15, .z = 304}, .limit = 2};
        found = &session_expect(client, qd_client_query(client, &query), QD_SERVER_QUERY_RESULT)->as.query_result;
        assert_true(found->count == 2 && found->more && found->id[0] == 3 && found->distance[0] == 5);

        query = (qd_msg_query){.room = room,
                               .kind = QD_QUERY_RAY,
                               .where.ray = {.x = 10, .y = 10, .z = 1000, .direction_z = -3, .length = 200}};
        found = &session_expect(client, qd_client_query(client, &query), QD_SERVER_QUERY_RESULT)->as.query_result;
        assert_true(found->count == 2 && found->id[0] == 9 && found->distance[0] == 99 && found->distance[1] == 199);
        session_expect(client, qd_client_close_room(client, room), QD_SERVER_ROOM_CLOSED);
        session_expect_quiet(client);
        qd_client_destroy(client);
    }
}

/* A bullet: past one wall and into another, whatever the index. */
TEST(swept_room_reports_passed_pairs)
{
    for (size_t i = 0; i < COUNT_OF(indexes_2d); i++) {
        qd_msg_room_config config = session_step_room;

        config.index = indexes_2d[i];
        config.swept = true;
        qd_client *client = session_open(ADDRESS);
        uint64_t room = session_open_room(client, "swept", &config);
        session_subscribe(client, room, QD_SCOPE_ALL, NULL);
        session_spawn(client, room, 1, 100, 50);
        for (uint32_t id = 2; id <= 4; id++) {
            session_spawn(client, room, id, 100.0f * (float)id, 50);
        }
        session_step(client, room);
        session_move(client, room, 1, 399, 50);
        step_and_expect(client, room, "begin 1-4 passed 1-2 passed 1-3");
        session_move(client, room, 1, 250, 50);
        step_and_expect(client, room, "end 1-4 moved apart passed 1-3");
        const uint32_t id = 1;
        const float x = 900, y = 50;
        qd_client_teleport(client, room, &(qd_msg_entities){.count = 1, .id = &id, .x = &x, .y = &y});
        session_step(client, room);
        session_expect_quiet(client);
        const qd_msg_room_stats *stats =
            &session_expect(client, qd_client_get_stats(client, room), QD_SERVER_STATS)->as.stats.room;
        assert_true(stats->passed == 3 && stats->begins == 1 && stats->ends == 1);
        session_expect(client, qd_client_close_room(client, room), QD_SERVER_ROOM_CLOSED);
        session_expect_quiet(client);
        qd_client_destroy(client);
    }
}

/* ---- the bytes of all indexes ---- */

#define CROWD 300u
#define TICKS 12u

/* A hash of everything that a room of that index reports of a moving crowd, also folded. */
static uint64_t hash_of_index(qd_index_kind index, uint32_t dimensions)
{
    qd_msg_room_config config = dimensions == 3 ? deep_config(index) : session_step_room;
    static uint32_t ids[CROWD];
    static float places[3][CROWD], half[3][CROWD], radius[CROWD];
    static uint8_t shapes[CROWD];
    uint64_t hash = 0xcbf29ce484222325u;

    config.index = index;
    config.swept = true;
    qd_client *client = session_open(ADDRESS);
    qd_pairs *pairs = qd_pairs_create();
    uint64_t room = session_open_room(client, "crowd", &config);
    session_subscribe(client, room, QD_SCOPE_ALL, pairs);
    rng_stream rng = {7};
    for (uint32_t i = 0; i < CROWD; i++) {
        ids[i] = i;
        shapes[i] = (uint8_t)(1 + i % 3);
        radius[i] = (float)rng_below(&rng, 3);
        for (uint32_t axis = 0; axis < 3; axis++) {
            places[axis][i] = (float)rng_below(&rng, 400) / 4;
            half[axis][i] = (float)(1 + rng_below(&rng, 12)) / 4;
        }
    }
    qd_msg_entities crowd = {.count = CROWD,
                             .id = ids,
                             .x = places[0],
                             .y = places[1],
                             .z = dimensions == 3 ? places[2] : NULL,
                             .half_x = half[0],
                             .half_y = half[1],
                             .half_z = dimensions == 3 ? half[2] : NULL,
                             .radius = radius,
                             .shape = shapes};
    qd_client_spawn(client, room, &crowd, false);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        uint32_t seq = qd_client_step(client, room, 0);
        const qd_server_message *message;

        while ((message = qd_client_wait(client, DEADLINE_MS)) != NULL && message->seq != seq) {
            if (message->kind != QD_SERVER_TICK) {
                continue;
            }
            const qd_msg_pairs *groups[] = {&message->as.tick.ends, &message->as.tick.begins, &message->as.tick.passed};
            for (uint32_t group = 0; group < COUNT_OF(groups); group++) {
                for (uint32_t i = 0; i < groups[group]->count; i++) {
                    hash =
                        (hash ^ group ^ groups[group]->a[i] ^ ((uint64_t)groups[group]->b[i] << 32)) * 0x100000001b3u;
                }
            }
            assert_int_equal(qd_pairs_apply(pairs, &message->as.tick), QD_CLIENT_OK);
        }
        assert_non_null(message);
        for (uint32_t i = 0; i < CROWD; i++) {
            for (uint32_t axis = 0; axis < dimensions; axis++) {
                places[axis][i] += ((float)rng_below(&rng, 41) - 20) / 4;
            }
        }
        qd_client_move(client, room,
                       &(qd_msg_entities){.count = CROWD, .id = ids, .x = crowd.x, .y = crowd.y, .z = crowd.z});
    }
    assert_true(qd_pairs_count(pairs) > 0);
    hash ^= qd_pairs_count(pairs);
    session_expect(client, qd_client_close_room(client, room), QD_SERVER_ROOM_CLOSED);
    qd_pairs_destroy(pairs);
    qd_client_destroy(client);
    return hash;
}

TEST(every_index_reports_the_same_events)
{
    uint64_t flat = hash_of_index(QD_INDEX_BRUTE, 2), deep = hash_of_index(QD_INDEX_BRUTE, 3);

    assert_true(flat != deep);
    for (size_t i = 0; i < COUNT_OF(indexes_2d); i++) {
        assert_true(hash_of_index(indexes_2d[i], 2) == flat);
    }
    for (size_t i = 0; i < COUNT_OF(indexes_3d); i++) {
        assert_true(hash_of_index(indexes_3d[i], 3) == deep);
    }
}

TEST_MAIN_WITH(session_server_setup, session_server_teardown)
