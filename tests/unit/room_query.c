/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries of a room: ids and their order, limits, the category filter. They show the last tick, not later changes.
 */
#include "room_fixture.h"
#include "tests/support/test.h"

static const qd_space_query everywhere = {
    .kind = QD_SPACE_IN_BOX, .min_x = -1e9f, .min_y = -1e9f, .max_x = 1e9f, .max_y = 1e9f, .limit = 100};

static qd_space_query nearest(float x, float y, uint32_t limit)
{
    return (qd_space_query){.kind = QD_SPACE_NEAREST, .x = x, .y = y, .reach = (double)INFINITY, .limit = limit};
}

static qd_room_found find(qd_room *room, const qd_space_query *query)
{
    qd_room_found found;

    assert_int_equal(qd_room_query(room, query, &found), QD_OK);
    return found;
}

static void expect_ids(qd_room *room, const qd_space_query *query, bool more, uint32_t count, ...)
{
    qd_room_found found = find(room, query);
    va_list expected;

    assert_int_equal(found.more, more);
    assert_int_equal(found.count, count);
    va_start(expected, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(found.id[i], va_arg(expected, uint32_t));
    }
    va_end(expected);
}

TEST(query_before_the_first_tick_finds_nothing)
{
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    expect_ids(fixture.room, &everywhere, false, 0);
    spawn(fixture.room, fixture.me, 1, 10);
    expect_ids(fixture.room, &everywhere, false, 0);
    tick(fixture.room);
    expect_ids(fixture.room, &everywhere, false, 1, 1);
    close_room(&fixture);
}

TEST(query_shows_the_last_tick)
{
    room_fixture fixture;
    uint32_t other = 0;

    (void)state;
    open_room(&fixture, default_config());
    qd_room *room = fixture.room;
    spawn(room, fixture.me, 1, 10);
    spawn(room, fixture.me, 2, 20);
    spawn(room, fixture.me, 3, 30);
    tick(room);
    move(room, fixture.me, 1, 90);
    despawn(room, fixture.me, 2);
    spawn(room, fixture.me, 2, 21); /* another one of that id */
    spawn(room, fixture.me, 4, 10);
    const uint32_t third = 3;
    const qd_room_batch refilter = {.count = 1, .id = &third, .category = &other};
    qd_room_refusals refusals;
    qd_room_reshape(room, fixture.me, &refilter, &refusals);
    assert_int_equal(refusals.count, 0);

    qd_space_query query = nearest(10, 50, 10);
    query.categories = 1;
    qd_room_found found = find(room, &query);
    assert_int_equal(found.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(found.id[i], i + 1);
    }
    assert_true(found.distance[0] == 0 && found.distance[1] == 9 && found.distance[2] == 19);

    tick(room);
    expect_ids(room, &query, false, 3, 4, 2, 1);
    query.categories = 0;
    expect_ids(room, &query, false, 4, 4, 2, 3, 1);
    close_room(&fixture);
}

/* Slots are given out in another order than ids. */
TEST(equal_hits_are_ordered_by_id_and_cut_at_the_limit)
{
    static const uint32_t ids[] = {UINT32_MAX, 7, 70000, 0, 2000000000};
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        spawn(fixture.room, fixture.me, ids[i], 10);
    }
    tick(fixture.room);
    qd_space_query query = everywhere;
    expect_ids(fixture.room, &query, false, 5, 0, 7, 70000, 2000000000, UINT32_MAX);
    query.limit = 5;
    expect_ids(fixture.room, &query, false, 5, 0, 7, 70000, 2000000000, UINT32_MAX);
    query.limit = 4;
    expect_ids(fixture.room, &query, true, 4, 0, 7, 70000, 2000000000);
    query = nearest(50, 50, 2);
    expect_ids(fixture.room, &query, true, 2, 0, 7);
    close_room(&fixture);
}

/* Boxes of 2 x 2 at (10, 50), (20, 50), ..., (90, 50). */
TEST(each_kind_finds_its_entities)
{
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    for (uint32_t i = 1; i <= 9; i++) {
        spawn(fixture.room, fixture.me, i, (float)i * 10);
    }
    tick(fixture.room);

    qd_space_query query = {.kind = QD_SPACE_IN_BOX, .min_x = 11, .max_x = 29, .min_y = 0, .max_y = 49, .limit = 10};
    expect_ids(fixture.room, &query, false, 3, 1, 2, 3); /* touching counts */
    query.max_y = 48.5f;
    expect_ids(fixture.room, &query, false, 0);

    query = (qd_space_query){.kind = QD_SPACE_IN_CIRCLE, .x = 55, .y = 50, .radius = 4, .limit = 10};
    expect_ids(fixture.room, &query, false, 2, 5, 6);
    query.radius = 3.5f;
    expect_ids(fixture.room, &query, false, 0);

    query = nearest(52, 50, 10);
    query.reach = 7;
    expect_ids(fixture.room, &query, false, 2, 5, 6);

    query = (qd_space_query){
        .kind = QD_SPACE_RAY, .x = 95, .y = 50, .direction_x = -3, .reach = (double)INFINITY, .limit = 2};
    qd_room_found found = find(fixture.room, &query);
    assert_int_equal(found.count, 2);
    assert_true(found.more);
    assert_true(found.id[0] == 9 && found.distance[0] == 4 && found.id[1] == 8 && found.distance[1] == 14);
    query.reach = 14;
    expect_ids(fixture.room, &query, false, 2, 9, 8);
    query.reach = 13.5;
    expect_ids(fixture.room, &query, false, 1, 9);
    query.direction_y = 3;
    expect_ids(fixture.room, &query, false, 0);
    close_room(&fixture);
}

TEST_MAIN()
