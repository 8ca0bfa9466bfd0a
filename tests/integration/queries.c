/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries over the wire: each kind, the order and the limit of its result, that it shows the last tick, and the
 * refusals.
 */

#include <math.h>

#include "support/session.h"
#include "tests/support/test.h"

#define ADDRESS qd_server_address(session_server)
#define MANY    70000u
#define MOST    65536u

static const qd_msg_query_nearest centre = {.x = 500, .y = 500};
static const qd_msg_query_ray eastward = {.x = 0, .y = 100, .direction_x = 2};

static const qd_msg_query_result *ask(qd_client *client, const qd_msg_query *query)
{
    return &session_expect(client, qd_client_query(client, query), QD_SERVER_QUERY_RESULT)->as.query_result;
}

static void expect_ids(qd_client *client, const qd_msg_query *query, bool more, uint32_t count, ...)
{
    const qd_msg_query_result *result = ask(client, query);
    bool is_region = query->kind == QD_QUERY_BOX || query->kind == QD_QUERY_CIRCLE;
    va_list expected;

    assert_int_equal(result->room, query->room);
    assert_int_equal(result->more, more);
    assert_int_equal(result->count, count);
    assert_int_equal(result->distance != NULL, !is_region && count > 0);
    va_start(expected, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(result->id[i], va_arg(expected, uint32_t));
    }
    va_end(expected);
}

/* Boxes of 2 by 2 at (100, 100), (200, 100), ..., (900, 100). */
static uint64_t open_row(qd_client *client, const char *name)
{
    uint64_t room = session_open_room(client, name, NULL);

    for (uint32_t i = 9; i >= 1; i--) {
        session_spawn(client, room, i, (float)i * 100, 100);
    }
    session_step(client, room);
    return room;
}

TEST(query_of_each_kind_finds_its_entities)
{
    qd_client *client = session_open(ADDRESS);
    uint64_t room = open_row(client, "kinds");
    qd_msg_query query = {
        .room = room, .kind = QD_QUERY_BOX, .where.box = {.min_x = 101, .max_x = 299, .min_y = 101, .max_y = 900}};

    expect_ids(client, &query, false, 3, 1, 2, 3);
    query.limit = 2;
    expect_ids(client, &query, true, 2, 1, 2);
    query.where.box.min_y = 101.5f;
    expect_ids(client, &query, false, 0);

    query = (qd_msg_query){.room = room, .kind = QD_QUERY_CIRCLE, .where.circle = {.x = 450, .y = 100, .radius = 49}};
    expect_ids(client, &query, false, 2, 4, 5);
    query.where.circle = (qd_msg_query_circle){.x = 301, .y = 99};
    expect_ids(client, &query, false, 1, 3); /* of radius 0: entities that contain the point */

    query = (qd_msg_query){.room = room, .kind = QD_QUERY_NEAREST, .where.nearest = centre, .limit = 3};
    expect_ids(client, &query, true, 3, 5, 4, 6);
    query.where.nearest = (qd_msg_query_nearest){.x = 104, .y = 105, .within = 5};
    const qd_msg_query_result *result = ask(client, &query);
    assert_int_equal(result->count, 1);
    assert_true(result->id[0] == 1 && result->distance[0] == 5);

    query = (qd_msg_query){.room = room, .kind = QD_QUERY_RAY, .where.ray = eastward, .limit = 1};
    result = ask(client, &query);
    assert_int_equal(result->count, 1);
    assert_true(result->more && result->id[0] == 1 && result->distance[0] == 99);
    query.limit = 0;
    query.where.ray.length = 299;
    expect_ids(client, &query, false, 3, 1, 2, 3);
    query.where.ray.direction_x = -1;
    expect_ids(client, &query, false, 0);
    qd_client_destroy(client);
}

TEST(query_shows_the_last_tick)
{
    qd_client *client = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "last tick", NULL);
    const qd_msg_query query = {.room = room, .kind = QD_QUERY_NEAREST, .where.nearest = centre};

    session_spawn(client, room, 1, 500, 500);
    session_spawn(client, room, 2, 600, 500);
    assert_int_equal(ask(client, &query)->tick, 0);
    expect_ids(client, &query, false, 0);
    session_step(client, room);
    session_move(client, room, 1, 900, 500);
    session_despawn(client, room, 2);
    session_spawn(client, room, 3, 500, 500);
    assert_int_equal(ask(client, &query)->tick, 1);
    expect_ids(client, &query, false, 2, 1, 2);
    session_step(client, room);
    assert_int_equal(ask(client, &query)->tick, 2);
    expect_ids(client, &query, false, 2, 3, 1);
    qd_client_destroy(client);
}

TEST(query_filters_by_category)
{
    static const uint32_t ids[] = {1, 2, 3}, categories[] = {1, 6, 1u << 31}, none[] = {0, 0, 0};
    static const float places[] = {10, 20, 30};
    qd_client *client = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "categories", NULL);
    /* Queries go by category alone: that these pair with nothing does not matter. */
    const qd_msg_entities entities = {
        .count = 3, .id = ids, .x = places, .y = places, .category = categories, .mask = none};

    qd_client_spawn(client, room, &entities, false);
    session_step(client, room);
    qd_msg_query query = {.room = room, .kind = QD_QUERY_BOX, .where.box = {.max_x = 1000, .max_y = 1000}};
    expect_ids(client, &query, false, 3, 1, 2, 3);
    query.categories = 3;
    expect_ids(client, &query, false, 2, 1, 2);
    query.categories = 1u << 31;
    expect_ids(client, &query, false, 1, 3);
    query.categories = 8;
    expect_ids(client, &query, false, 0);
    qd_client_destroy(client);
}

/* As many as one result can hold, on one spot. */
TEST(query_result_ends_at_its_limit)
{
    static uint32_t ids[MANY];
    static float places[MANY];
    qd_client *client = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "many", NULL);

    for (uint32_t i = 0; i < MANY; i++) {
        ids[i] = MANY - i;
    }
    const qd_msg_entities entities = {.count = MANY, .id = ids, .x = places, .y = places};
    qd_client_spawn(client, room, &entities, false);
    session_step(client, room);
    qd_msg_query query = {.room = room, .kind = QD_QUERY_NEAREST, .where.nearest = {.x = 3, .y = 4}};
    const qd_msg_query_result *result = ask(client, &query);
    assert_int_equal(result->count, 1024);
    query.limit = MOST;
    result = ask(client, &query);
    assert_int_equal(result->count, MOST);
    assert_true(result->more);
    for (uint32_t i = 0; i < MOST; i++) {
        assert_int_equal(result->id[i], i + 1);
        assert_true(result->distance[i] == 5);
    }
    query.limit = MOST + 1;
    session_expect_error(client, qd_client_query(client, &query), QD_ERROR_INVALID, "limit is 65537");
    qd_client_destroy(client);
}

TEST(query_with_bad_values_is_refused)
{
    qd_client *client = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "refused", NULL);

    const struct {
        const char *word;
        qd_msg_query query;
    } cases[] = {
        {"box, circle, nearest and ray", {.kind = QD_QUERY_NOTHING}},
        {"box goes from min_x 2 to max_x 1", {.kind = QD_QUERY_BOX, .where.box = {.min_x = 2, .max_x = 1}}},
        {"box.max_y is inf", {.kind = QD_QUERY_BOX, .where.box = {.max_y = INFINITY}}},
        {"box.min_x is nan", {.kind = QD_QUERY_BOX, .where.box = {.min_x = NAN}}},
        {"box.min_z is 1", {.kind = QD_QUERY_BOX, .where.box = {.min_z = 1, .max_z = 1}}},
        {"box.max_z is 2", {.kind = QD_QUERY_BOX, .where.box = {.max_z = 2}}},
        {"circle.x is nan", {.kind = QD_QUERY_CIRCLE, .where.circle = {.x = NAN}}},
        {"circle.z is 3", {.kind = QD_QUERY_CIRCLE, .where.circle = {.z = 3}}},
        {"circle.radius is -1", {.kind = QD_QUERY_CIRCLE, .where.circle = {.radius = -1}}},
        {"nearest.y is -inf", {.kind = QD_QUERY_NEAREST, .where.nearest = {.y = -INFINITY}}},
        {"nearest.z is -1", {.kind = QD_QUERY_NEAREST, .where.nearest = {.z = -1}}},
        {"nearest.within is -2", {.kind = QD_QUERY_NEAREST, .where.nearest = {.within = -2}}},
        {"ray.direction is 0 on every axis", {.kind = QD_QUERY_RAY}},
        {"ray.direction_z is 1", {.kind = QD_QUERY_RAY, .where.ray = {.direction_x = 1, .direction_z = 1}}},
        {"ray.z is 1", {.kind = QD_QUERY_RAY, .where.ray = {.z = 1, .direction_x = 1}}},
        {"ray.direction_y is inf", {.kind = QD_QUERY_RAY, .where.ray = {.direction_y = INFINITY}}},
        {"ray.length is -5", {.kind = QD_QUERY_RAY, .where.ray = {.direction_x = 1, .length = -5}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        qd_msg_query query = cases[i].query;

        query.room = room;
        uint32_t seq = qd_client_query(client, &query);
        assert_int_equal(session_expect_error(client, seq, QD_ERROR_INVALID, cases[i].word)->room, room);
    }
    const uint64_t rooms[] = {0, 12345, UINT64_MAX};
    for (size_t i = 0; i < 3; i++) {
        const qd_msg_query query = {.room = rooms[i], .kind = QD_QUERY_NEAREST};

        session_expect_error(client, qd_client_query(client, &query), QD_ERROR_UNKNOWN_ROOM, NULL);
    }
    session_expect_quiet(client);
    qd_client_destroy(client);
}

TEST_MAIN_WITH(session_server_setup, session_server_teardown)
