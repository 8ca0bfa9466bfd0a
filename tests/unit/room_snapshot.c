/* SPDX-License-Identifier: Apache-2.0
 *
 * Snapshots: order, limit, regions. They show the present, not the last tick.
 */
#include "room_fixture.h"
#include "tests/support/test.h"

static void expect_ids(qd_room *room, const qd_room_region *region, uint32_t limit, bool more_expected, uint32_t count,
                       ...)
{
    qd_room_batch columns;
    va_list expected;
    bool more;

    assert_int_equal(qd_room_snapshot(room, QD_ROOM_ANYBODY, region, limit, &columns, &more), QD_OK);
    assert_int_equal(more, more_expected);
    assert_int_equal(columns.count, count);
    va_start(expected, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(columns.id[i], va_arg(expected, uint32_t));
    }
    va_end(expected);
}

TEST(ids_ascend_and_end_at_the_limit)
{
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    qd_room *room = fixture.room;
    expect_ids(room, NULL, 10, false, 0);
    expect_ids(room, NULL, 0, false, 0);
    spawn(room, fixture.me, UINT32_MAX, 10);
    spawn(room, fixture.me, 5, 10);
    spawn(room, fixture.me, 70000, 10);
    spawn(room, fixture.me, 0, 10);
    spawn(room, fixture.me, 2000000000, 10);
    expect_ids(room, NULL, 5, false, 5, 0, 5, 70000, 2000000000, UINT32_MAX);
    expect_ids(room, NULL, 4, true, 4, 0, 5, 70000, 2000000000);
    expect_ids(room, NULL, 2, true, 2, 0, 5);
    expect_ids(room, NULL, 1, true, 1, 0);
    expect_ids(room, NULL, 0, true, 0);
    close_room(&fixture);
}

TEST(snapshot_of_one_owner_lists_its_entities)
{
    room_fixture fixture;
    qd_room_batch columns;
    bool more;

    (void)state;
    open_room(&fixture, default_config());
    uint32_t other = join(fixture.room);
    spawn(fixture.room, fixture.me, 1, 10);
    spawn(fixture.room, other, 2, 10);
    spawn(fixture.room, fixture.me, 2000000000, 30);
    spawn(fixture.room, other, 2000000001, 10);
    spawn_room_owned(fixture.room, other, 3, 10);
    assert_int_equal(qd_room_snapshot(fixture.room, fixture.me, NULL, 10, &columns, &more), QD_OK);
    assert_true(columns.count == 2 && columns.id[0] == 1 && columns.id[1] == 2000000000 && !more);
    assert_int_equal(qd_room_snapshot(fixture.room, other, NULL, 1, &columns, &more), QD_OK);
    assert_true(columns.count == 1 && columns.id[0] == 2 && more);
    const qd_room_region region = {.min_x = 20, .max_x = 100, .max_y = 100};
    assert_int_equal(qd_room_snapshot(fixture.room, fixture.me, &region, 10, &columns, &more), QD_OK);
    assert_true(columns.count == 1 && columns.id[0] == 2000000000 && !more);
    close_room(&fixture);
}

TEST(snapshot_shows_the_present)
{
    qd_room_batch columns;
    room_fixture fixture;
    bool more;

    (void)state;
    open_room(&fixture, default_config());
    spawn(fixture.room, fixture.me, 1, 10);
    spawn(fixture.room, fixture.me, 2, 10);
    tick(fixture.room);
    move(fixture.room, fixture.me, 1, 30);
    despawn(fixture.room, fixture.me, 2);
    assert_int_equal(qd_room_snapshot(fixture.room, QD_ROOM_ANYBODY, NULL, 10, &columns, &more), QD_OK);
    assert_int_equal(columns.count, 1);
    assert_true(columns.x[0] == 30 && columns.y[0] == 50 && columns.half_x[0] == 1 && columns.half_y[0] == 1);
    assert_int_equal(columns.shape[0], QD_SPACE_BOX);
    assert_int_equal(columns.category[0], 1);
    assert_int_equal(columns.mask[0], UINT32_MAX);
    close_room(&fixture);
}

/* Boxes of 2 x 2 at (10, 50), (20, 50), ...; a circle reaches as far as its radius on both axes. */
TEST(region_selects_entities_that_touch_it)
{
    static const qd_room_region exact = {.min_x = 11, .max_x = 19, .max_y = 100};
    static const qd_room_region between = {.min_x = 11.5f, .max_x = 18.5f, .max_y = 100};
    static const qd_room_region above = {.min_y = 51.5f, .max_x = 100, .max_y = 60};
    uint32_t id = 9;
    float x = 90, y = 50, radius = 2, none = 0;
    uint8_t shape = QD_SPACE_CIRCLE;
    qd_room_batch circle = {
        .count = 1, .id = &id, .x = &x, .y = &y, .half_x = &radius, .half_y = &none, .shape = &shape};
    qd_room_refusals refusals;
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    for (uint32_t i = 1; i <= 4; i++) {
        spawn(fixture.room, fixture.me, i, (float)i * 10);
    }
    qd_room_spawn(fixture.room, fixture.me, &circle, false, &refusals);
    expect_ids(fixture.room, &exact, 10, false, 2, 1, 2);
    expect_ids(fixture.room, &exact, 1, true, 1, 1);
    expect_ids(fixture.room, &between, 10, false, 0);
    expect_ids(fixture.room, &above, 10, false, 1, 9);
    close_room(&fixture);
}

TEST_MAIN()
