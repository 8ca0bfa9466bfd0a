/* SPDX-License-Identifier: Apache-2.0
 *
 * Rooms of three dimensions: z in every command, in snapshots and in queries.
 */
#include "room_fixture.h"
#include "tests/support/test.h"

static const qd_room_config *deep_config(void)
{
    static const qd_room_config config = {
        .space = {.dimensions = 3, .max_x = 100, .max_y = 100, .max_z = 100}, .entities_max = 1000, .events_max = 1000};

    return &config;
}

/* Boxes of half extents 1, 2 and 3, numbered from 1, at (10, 10, z). */
static void spawn_tower(room_fixture *fixture, uint32_t count, const float *z)
{
    static const uint32_t id[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const float at[] = {10, 10, 10, 10, 10, 10, 10, 10}, one[] = {1, 1, 1, 1, 1, 1, 1, 1};
    static const float two[] = {2, 2, 2, 2, 2, 2, 2, 2}, three[] = {3, 3, 3, 3, 3, 3, 3, 3};
    const qd_room_batch batch = {
        .count = count, .id = id, .x = at, .y = at, .z = z, .half_x = one, .half_y = two, .half_z = three};
    qd_room_refusals refusals;

    qd_room_spawn(fixture->room, fixture->me, &batch, false, &refusals);
    assert_int_equal(refusals.count, 0);
}

static void place(room_fixture *fixture, uint32_t id, float z,
                  void (*command)(qd_room *, uint32_t, const qd_room_batch *, qd_room_refusals *), int expected)
{
    float at = 10;
    const qd_room_batch batch = {.count = 1, .id = &id, .x = &at, .y = &at, .z = &z};
    qd_room_refusals refusals;

    command(fixture->room, fixture->me, &batch, &refusals);
    assert_int_equal(only_refusal(&refusals), expected);
}

TEST(pairs_need_all_three_axes)
{
    static const float z[] = {10, 16, 22.5f};
    room_fixture fixture;

    (void)state;
    open_room(&fixture, deep_config());
    spawn_tower(&fixture, 3, z);
    subscribe(fixture.room, fixture.me);
    tick(fixture.room);
    qd_room_report report = next_report(fixture.room);
    expect_pairs(report.begins, 1, 1, 2); /* touching counts */

    place(&fixture, 3, 22, qd_room_move, 0);
    place(&fixture, 1, 9.5f, qd_room_teleport, 0);
    tick(fixture.room);
    report = next_report(fixture.room);
    expect_pairs(report.ends, 1, 1, 2);
    assert_int_equal(report.end_reason[0], QD_SPACE_TELEPORTED);
    expect_pairs(report.begins, 1, 2, 3);

    uint32_t id = 2;
    float half_z = 2.5f;
    const qd_room_batch shrink = {.count = 1, .id = &id, .half_z = &half_z};
    qd_room_refusals refusals;
    qd_room_reshape(fixture.room, fixture.me, &shrink, &refusals);
    assert_int_equal(refusals.count, 0);
    tick(fixture.room);
    report = next_report(fixture.room);
    expect_pairs(report.ends, 1, 2, 3);
    assert_int_equal(report.end_reason[0], QD_SPACE_RESIZED);
    close_room(&fixture);
}

TEST(z_is_checked_like_x)
{
    static const uint32_t id[] = {2, 3, 4};
    static const float at[] = {10, 10, 10}, z[] = {NAN, 10, 10}, half_z[] = {1, -1, INFINITY}, first = 10;
    const qd_room_batch batch = {.count = 3, .id = id, .x = at, .y = at, .z = z, .half_z = half_z};
    qd_room_refusals refusals;
    room_fixture fixture;

    (void)state;
    open_room(&fixture, deep_config());
    spawn_tower(&fixture, 1, &first);
    qd_room_spawn(fixture.room, fixture.me, &batch, false, &refusals);
    assert_int_equal(refusals.count, 3);
    assert_int_equal(refusals.code[0], QD_ROOM_NOT_FINITE);
    assert_int_equal(refusals.code[1], QD_ROOM_NEGATIVE_SIZE);
    assert_int_equal(refusals.code[2], QD_ROOM_NOT_FINITE);
    place(&fixture, 1, INFINITY, qd_room_move, QD_ROOM_NOT_FINITE);
    place(&fixture, 1, NAN, qd_room_teleport, QD_ROOM_NOT_FINITE);

    const qd_room_batch reshape = {.count = 1, .id = &(uint32_t){1}, .half_z = &half_z[1]};
    qd_room_reshape(fixture.room, fixture.me, &reshape, &refusals);
    assert_int_equal(only_refusal(&refusals), QD_ROOM_NEGATIVE_SIZE);
    assert_int_equal(stats_of(fixture.room).updates, 1);
    close_room(&fixture);
}

TEST(a_snapshot_has_the_third_axis)
{
    static const float z[] = {10, 20, 30};
    const qd_room_region region = {.min_z = 23, .max_x = 100, .max_y = 100, .max_z = 26.5f};
    qd_room_batch columns;
    room_fixture fixture;
    bool more;

    (void)state;
    open_room(&fixture, deep_config());
    spawn_tower(&fixture, 3, z);
    assert_int_equal(qd_room_snapshot(fixture.room, QD_ROOM_ANYBODY, NULL, 10, &columns, &more), QD_OK);
    assert_int_equal(columns.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(columns.x[i] == 10 && columns.y[i] == 10 && columns.z[i] == z[i]);
        assert_true(columns.half_x[i] == 1 && columns.half_y[i] == 2 && columns.half_z[i] == 3);
    }
    assert_null(columns.radius);
    assert_int_equal(qd_room_snapshot(fixture.room, QD_ROOM_ANYBODY, &region, 10, &columns, &more), QD_OK);
    assert_int_equal(columns.count, 1);
    assert_int_equal(columns.id[0], 2);
    close_room(&fixture);
}

/* Its axis leads from (7, 12, 50) to (13, 8, 70), and a radius of 1 around it: so does its bounding box. */
TEST(a_capsules_region_is_its_bounding_box)
{
    const struct {
        qd_room_region region;
        uint32_t count;
    } cases[] = {
        {{.max_x = 6, .max_y = 100, .max_z = 100}, 1},
        {{.max_x = 5.9f, .max_y = 100, .max_z = 100}, 0},
        {{.max_x = 100, .max_y = 7, .max_z = 100}, 1},
        {{.max_x = 100, .max_y = 6.9f, .max_z = 100}, 0},
        {{.max_x = 100, .max_y = 100, .max_z = 49}, 1},
        {{.max_x = 100, .max_y = 100, .max_z = 48.9f}, 0},
        {{0, 13, 71, 100, 100, 100}, 1},
        {{0, 13.1f, 71, 100, 100, 100}, 0},
        {{.min_x = 14, .max_x = 14, .max_y = 100, .max_z = 100}, 1},
    };
    const uint32_t id = 1;
    const float x = 10, y = 10, z = 60, half_x = -3, half_y = 2, half_z = -10, radius = 1;
    const uint8_t shape = QD_SPACE_CAPSULE;
    const qd_room_batch capsule = {.count = 1,
                                   .id = &id,
                                   .x = &x,
                                   .y = &y,
                                   .z = &z,
                                   .half_x = &half_x,
                                   .half_y = &half_y,
                                   .half_z = &half_z,
                                   .radius = &radius,
                                   .shape = &shape};
    qd_room_refusals refusals;
    room_fixture fixture;

    (void)state;
    open_room(&fixture, deep_config());
    qd_room_spawn(fixture.room, fixture.me, &capsule, false, &refusals);
    assert_int_equal(refusals.count, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        qd_room_batch columns;
        bool more;

        assert_int_equal(qd_room_snapshot(fixture.room, QD_ROOM_ANYBODY, &cases[i].region, 10, &columns, &more), QD_OK);
        assert_int_equal(columns.count, cases[i].count);
        if (columns.count > 0) {
            assert_true(columns.half_z[0] == -10 && columns.radius[0] == 1);
        }
    }
    close_room(&fixture);
}

TEST(queries_see_the_third_axis)
{
    static const float z[] = {10, 20, 30};
    room_fixture fixture;
    qd_room_found found;

    (void)state;
    open_room(&fixture, deep_config());
    spawn_tower(&fixture, 3, z);
    tick(fixture.room);
    qd_space_query query = {.kind = QD_SPACE_IN_BOX, .max_x = 100, .max_y = 100, .min_z = 17, .max_z = 27, .limit = 10};
    assert_int_equal(qd_room_query(fixture.room, &query, &found), QD_OK);
    assert_true(found.count == 2 && found.id[0] == 2 && found.id[1] == 3);

    query = (qd_space_query){
        .kind = QD_SPACE_RAY, .x = 10, .y = 10, .z = 60, .direction_z = -2, .reach = (double)INFINITY, .limit = 2};
    assert_int_equal(qd_room_query(fixture.room, &query, &found), QD_OK);
    assert_true(found.count == 2 && found.more && found.id[0] == 3 && found.id[1] == 2);
    assert_true(found.distance[0] == 27 && found.distance[1] == 37);

    query =
        (qd_space_query){.kind = QD_SPACE_NEAREST, .x = 10, .y = 10, .z = 14, .reach = (double)INFINITY, .limit = 2};
    assert_int_equal(qd_room_query(fixture.room, &query, &found), QD_OK);
    assert_true(found.count == 2 && found.id[0] == 1 && found.id[1] == 2);
    assert_true(found.distance[0] == 1 && found.distance[1] == 3);
    close_room(&fixture);
}

TEST_MAIN()
