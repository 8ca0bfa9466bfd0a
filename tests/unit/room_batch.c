/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches: every refusal and which one comes first, duplicates, defaults; the rest of a batch is applied.
 */
#include "room_fixture.h"
#include "tests/support/test.h"

/* Checks all refusals: index and code of each. */
static void expect_refusals(const qd_room_refusals *refusals, uint32_t count, ...)
{
    va_list expected;

    assert_int_equal(refusals->count, count);
    assert_int_equal(refusals->listed, count);
    va_start(expected, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(refusals->index[i], va_arg(expected, uint32_t));
        assert_int_equal(refusals->code[i], va_arg(expected, uint32_t));
    }
    va_end(expected);
}

/* The entity as a snapshot shows it. */
static qd_body body_of(qd_room *room, uint32_t id)
{
    qd_room_batch columns;
    bool more;

    assert_int_equal(qd_room_snapshot(room, QD_ROOM_ANYBODY, NULL, UINT32_MAX, &columns, &more), QD_OK);
    for (uint32_t i = 0; i < columns.count; i++) {
        if (columns.id[i] == id) {
            return (qd_body){
                .x = columns.x[i],
                .y = columns.y[i],
                .half_x = columns.half_x[i],
                .half_y = columns.half_y[i],
                .radius = columns.radius ? columns.radius[i] : 0,
                .category = columns.category[i],
                .mask = columns.mask[i],
                .shape = columns.shape[i],
            };
        }
    }
    fail_msg("no entity %u", id);
    return (qd_body){0};
}

TEST(spawn_refuses_each_kind_and_applies_the_rest)
{
    static const uint32_t id[] = {1, 2, 3, 4, 5, 6, 1, 7, 8};
    static const float x[] = {1, NAN, 3, 4, 5, 6, 7, 8, 9};
    static const float y[] = {1, 2, INFINITY, 4, 5, 6, 7, 8, 9};
    static const float half_x[] = {1, 1, 1, -1, 1, 1, 1, NAN, 1};
    static const float half_y[] = {1, 1, 1, 1, -0.5f, 1, 1, 1, 0};
    static const uint8_t shape[] = {1, 1, 1, 1, 2, 4, 1, 1, 2};
    qd_room_batch batch = {.count = 9, .id = id, .x = x, .y = y, .half_x = half_x, .half_y = half_y, .shape = shape};
    qd_room_refusals refusals;
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    qd_room_spawn(fixture.room, fixture.me, &batch, false, &refusals);
    expect_refusals(&refusals, 7, 1, QD_ROOM_NOT_FINITE, 2, QD_ROOM_NOT_FINITE, 3, QD_ROOM_NEGATIVE_SIZE, 4,
                    QD_ROOM_NEGATIVE_SIZE, 5, QD_ROOM_UNKNOWN_SHAPE, 6, QD_ROOM_ID_TAKEN, 7, QD_ROOM_NOT_FINITE);
    assert_int_equal(stats_of(fixture.room).entities, 2);
    assert_int_equal(stats_of(fixture.room).updates, 2);
    assert_true(body_of(fixture.room, 1).x == 1);
    assert_int_equal(body_of(fixture.room, 8).shape, QD_SPACE_CIRCLE);
    close_room(&fixture);
}

/* Each entry has a fault, and the next entry that one mended: the order of the checks, seen from the last. */
TEST(spawn_names_the_first_fault)
{
    static const uint32_t id[] = {9, 9, 9, 9, 10};
    static const float x[] = {NAN, 1, 1, 1, 1};
    static const float y[] = {1, 1, 1, 1, 1};
    static const float half_x[] = {-1, -1, 1, 1, 1};
    static const uint8_t shape[] = {0, 0, 0, 1, 1};
    qd_room_batch batch = {.count = 5, .id = id, .x = x, .y = y, .half_x = half_x, .shape = shape};
    qd_room_config config = *default_config();
    qd_room_refusals refusals;
    room_fixture fixture;

    (void)state;
    config.entities_max = 1;
    open_room(&fixture, &config);
    spawn(fixture.room, fixture.me, 9, 10);
    qd_room_spawn(fixture.room, fixture.me, &batch, false, &refusals);
    expect_refusals(&refusals, 5, 0, QD_ROOM_NOT_FINITE, 1, QD_ROOM_NEGATIVE_SIZE, 2, QD_ROOM_UNKNOWN_SHAPE, 3,
                    QD_ROOM_ID_TAKEN, 4, QD_ROOM_FULL);
    close_room(&fixture);
}

TEST(absent_columns_have_defaults)
{
    uint32_t id = 5;
    float at = 7;
    qd_room_batch batch = {.count = 1, .id = &id, .x = &at, .y = &at};
    qd_room_refusals refusals;
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    qd_room_spawn(fixture.room, fixture.me, &batch, false, &refusals);
    qd_body body = body_of(fixture.room, 5);
    assert_true(body.half_x == 0 && body.half_y == 0);
    assert_int_equal(body.shape, QD_SPACE_BOX);
    assert_int_equal(body.category, 1);
    assert_int_equal(body.mask, UINT32_MAX);
    close_room(&fixture);
}

static void place_refuses_each_kind(void (*command)(qd_room *, uint32_t, const qd_room_batch *, qd_room_refusals *))
{
    static const uint32_t id[] = {99, 2, 1, 1, 3, 1};
    static const float x[] = {NAN, NAN, NAN, 20, 30, 21};
    static const float y[] = {1, 1, 1, 1, INFINITY, 1};
    qd_room_batch batch = {.count = 6, .id = id, .x = x, .y = y};
    qd_room_refusals refusals;
    room_fixture fixture;

    open_room(&fixture, default_config());
    uint32_t other = join(fixture.room);
    spawn(fixture.room, fixture.me, 1, 10);
    spawn(fixture.room, other, 2, 10);
    spawn_room_owned(fixture.room, other, 3, 10);
    command(fixture.room, fixture.me, &batch, &refusals);
    expect_refusals(&refusals, 4, 0, QD_ROOM_UNKNOWN_ID, 1, QD_ROOM_NOT_OWNER, 2, QD_ROOM_NOT_FINITE, 4,
                    QD_ROOM_NOT_FINITE);
    assert_true(body_of(fixture.room, 1).x == 21);
    assert_true(body_of(fixture.room, 2).x == 10);
    assert_true(body_of(fixture.room, 3).x == 10);
    assert_int_equal(stats_of(fixture.room).updates, 3 + 2);
    close_room(&fixture);
}

TEST(move_refuses_each_kind)
{
    place_refuses_each_kind(qd_room_move);
}
TEST(teleport_refuses_each_kind)
{
    place_refuses_each_kind(qd_room_teleport);
}

/* Longer than any chunk that the room cuts it into, with faults here and there. */
TEST(long_batches_are_applied_whole)
{
    enum { COUNT = 3000 };
    static uint32_t id[COUNT];
    static float x[COUNT], y[COUNT];
    qd_room_batch batch = {.count = COUNT, .id = id, .x = x, .y = y}, columns;
    qd_room_config config = *default_config();
    qd_room_refusals refusals;
    room_fixture fixture;
    bool more;

    (void)state;
    config.entities_max = COUNT;
    open_room(&fixture, &config);
    for (uint32_t i = 0; i < COUNT; i++) {
        id[i] = i;
        x[i] = y[i] = 1;
    }
    qd_room_spawn(fixture.room, fixture.me, &batch, false, &refusals);
    assert_int_equal(refusals.count, 0);
    for (uint32_t i = 0; i < COUNT; i++) {
        x[i] = i % 1000 == 700 ? NAN : (float)i;
    }
    qd_room_move(fixture.room, fixture.me, &batch, &refusals);
    expect_refusals(&refusals, 3, 700, QD_ROOM_NOT_FINITE, 1700, QD_ROOM_NOT_FINITE, 2700, QD_ROOM_NOT_FINITE);
    assert_int_equal(qd_room_snapshot(fixture.room, QD_ROOM_ANYBODY, NULL, COUNT, &columns, &more), QD_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(columns.x[i] == (i % 1000 == 700 ? 1 : (float)i));
    }
    close_room(&fixture);
}

TEST(reshape_refuses_each_kind)
{
    static const uint32_t id[] = {99, 2, 1, 1, 1, 1, 3};
    static const float half_x[] = {NAN, NAN, NAN, -1, 2, 3, 4};
    static const float half_y[] = {1, 1, 1, NAN, -1, 5, 6};
    static const uint8_t shape[] = {0, 0, 0, 0, 0, 9, 2};
    qd_room_batch batch = {.count = 7, .id = id, .half_x = half_x, .half_y = half_y, .shape = shape};
    qd_room_refusals refusals;
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    uint32_t other = join(fixture.room);
    spawn(fixture.room, fixture.me, 1, 10);
    spawn(fixture.room, other, 2, 10);
    spawn_room_owned(fixture.room, other, 3, 10);
    qd_room_reshape(fixture.room, fixture.me, &batch, &refusals);
    expect_refusals(&refusals, 6, 0, QD_ROOM_UNKNOWN_ID, 1, QD_ROOM_NOT_OWNER, 2, QD_ROOM_NOT_FINITE, 3,
                    QD_ROOM_NOT_FINITE, 4, QD_ROOM_NEGATIVE_SIZE, 5, QD_ROOM_UNKNOWN_SHAPE);
    assert_true(body_of(fixture.room, 1).half_x == 1);
    assert_true(body_of(fixture.room, 3).half_x == 4);
    assert_int_equal(body_of(fixture.room, 3).shape, QD_SPACE_CIRCLE);
    close_room(&fixture);
}

TEST(reshape_leaves_absent_columns_as_they_are)
{
    uint32_t id = 1, category = 6, mask = 5;
    float half = 3;
    uint8_t shape = QD_SPACE_CIRCLE;
    const qd_room_batch batches[] = {
        {.count = 1, .id = &id, .half_y = &half},
        {.count = 1, .id = &id, .category = &category},
        {.count = 1, .id = &id, .shape = &shape},
        {.count = 1, .id = &id, .mask = &mask},
        {.count = 1, .id = &id, .half_x = &half},
        {.count = 1, .id = &id, .radius = &half},
        {.count = 1, .id = &id},
    };

    const struct {
        float half_x, half_y, radius;
        uint32_t category, mask;
        uint8_t shape;
    } expected[] = {
        {1, 3, 0, 1, UINT32_MAX, QD_SPACE_BOX},    {1, 3, 0, 6, UINT32_MAX, QD_SPACE_BOX},
        {1, 3, 0, 6, UINT32_MAX, QD_SPACE_CIRCLE}, {1, 3, 0, 6, 5, QD_SPACE_CIRCLE},
        {3, 3, 0, 6, 5, QD_SPACE_CIRCLE},          {3, 3, 3, 6, 5, QD_SPACE_CIRCLE},
        {3, 3, 3, 6, 5, QD_SPACE_CIRCLE},
    };
    qd_room_refusals refusals;
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    spawn(fixture.room, fixture.me, 1, 10);
    for (int i = 0; i < 7; i++) {
        qd_room_reshape(fixture.room, fixture.me, &batches[i], &refusals);
        assert_int_equal(refusals.count, 0);
        qd_body body = body_of(fixture.room, 1);
        assert_true(body.x == 10 && body.y == 50);
        assert_true(body.half_x == expected[i].half_x && body.half_y == expected[i].half_y);
        assert_true(body.radius == expected[i].radius);
        assert_int_equal(body.category, expected[i].category);
        assert_int_equal(body.mask, expected[i].mask);
        assert_int_equal(body.shape, expected[i].shape);
    }
    close_room(&fixture);
}

/* Of a capsule the ends of its axis may lie anywhere; its radius is a size. */
TEST(capsules_may_lead_anywhere)
{
    static const uint32_t id[] = {1, 2, 3, 4, 5};
    static const float at[] = {10, 20, 30, 40, 50};
    static const float half_x[] = {-3, 3, -3, INFINITY, -3};
    static const float half_y[] = {2, -2, 2, 1, 2};
    static const float radius[] = {1, 0, -1, 1, NAN};
    static const uint8_t shape[] = {3, 3, 3, 3, 3};
    const qd_room_batch batch = {
        .count = 5, .id = id, .x = at, .y = at, .half_x = half_x, .half_y = half_y, .radius = radius, .shape = shape};
    qd_room_refusals refusals;
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    qd_room_spawn(fixture.room, fixture.me, &batch, false, &refusals);
    expect_refusals(&refusals, 3, 2, QD_ROOM_NEGATIVE_SIZE, 3, QD_ROOM_NOT_FINITE, 4, QD_ROOM_NOT_FINITE);
    qd_body body = body_of(fixture.room, 1);
    assert_true(body.half_x == -3 && body.half_y == 2 && body.radius == 1);
    assert_int_equal(body.shape, QD_SPACE_CAPSULE);
    close_room(&fixture);
}

/* The resulting entity counts: here a capsule whose half_x is negative. */
TEST(reshape_is_checked_as_a_whole)
{
    static const uint32_t id = 1;
    static const float half_x = -3, half = 2, at = 10, radius = 1, negative = -1;
    static const uint8_t capsule = QD_SPACE_CAPSULE, box = QD_SPACE_BOX;
    const qd_room_batch spawned = {
        .count = 1, .id = &id, .x = &at, .y = &at, .half_x = &half_x, .radius = &radius, .shape = &capsule};

    const struct {
        qd_room_batch batch;
        int refusal;
    } steps[] = {
        {{.count = 1, .id = &id, .shape = &box}, QD_ROOM_NEGATIVE_SIZE},
        {{.count = 1, .id = &id, .half_y = &half_x}, 0},
        {{.count = 1, .id = &id, .shape = &box, .half_x = &half}, QD_ROOM_NEGATIVE_SIZE},
        {{.count = 1, .id = &id, .radius = &negative}, QD_ROOM_NEGATIVE_SIZE},
        {{.count = 1, .id = &id, .shape = &box, .half_x = &half, .half_y = &half}, 0},
        {{.count = 1, .id = &id, .half_x = &half_x}, QD_ROOM_NEGATIVE_SIZE},
        {{.count = 1, .id = &id, .shape = &capsule, .half_x = &half_x}, 0},
    };
    qd_room_refusals refusals;
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    qd_room_spawn(fixture.room, fixture.me, &spawned, false, &refusals);
    assert_int_equal(only_refusal(&refusals), 0);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        qd_room_reshape(fixture.room, fixture.me, &steps[i].batch, &refusals);
        assert_int_equal(only_refusal(&refusals), steps[i].refusal);
    }
    qd_body body = body_of(fixture.room, 1);
    assert_true(body.half_x == -3 && body.half_y == 2 && body.radius == 1);
    assert_int_equal(body.shape, QD_SPACE_CAPSULE);
    close_room(&fixture);
}

/* Within one batch: a second despawn finds nothing; a spawn after it would. */
TEST(entries_are_carried_out_in_order)
{
    static const uint32_t id[] = {1, 1, 2};
    qd_room_batch batch = {.count = 3, .id = id};
    qd_room_refusals refusals;
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    spawn(fixture.room, fixture.me, 1, 10);
    qd_room_despawn(fixture.room, fixture.me, &batch, &refusals);
    expect_refusals(&refusals, 2, 1, QD_ROOM_UNKNOWN_ID, 2, QD_ROOM_UNKNOWN_ID);
    close_room(&fixture);
}

TEST(only_the_first_refusals_are_listed)
{
    uint32_t id[100];
    qd_room_batch batch = {.count = 100, .id = id};
    qd_room_refusals refusals;
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    spawn(fixture.room, fixture.me, 7, 10);
    for (uint32_t i = 0; i < 100; i++) {
        id[i] = i;
    }
    qd_room_despawn(fixture.room, fixture.me, &batch, &refusals);
    assert_int_equal(refusals.count, 99);
    assert_int_equal(refusals.listed, QD_ROOM_REFUSALS_MAX);
    for (uint32_t i = 0; i < QD_ROOM_REFUSALS_MAX; i++) {
        assert_int_equal(refusals.index[i], i < 7 ? i : i + 1);
        assert_int_equal(refusals.code[i], QD_ROOM_UNKNOWN_ID);
    }
    close_room(&fixture);
}

/* The capacity of a full room does not depend on removals in the same tick. */
TEST(removed_entities_make_room_at_once)
{
    qd_room_config config = *default_config();
    room_fixture fixture;

    (void)state;
    config.entities_max = 3;
    open_room(&fixture, &config);
    for (int round = 0; round < 3; round++) {
        for (uint32_t id = 0; id < 3; id++) {
            assert_int_equal(spawn(fixture.room, fixture.me, id, 10), 0);
        }
        assert_int_equal(spawn(fixture.room, fixture.me, 3, 10), QD_ROOM_FULL);
        if (round == 1) {
            tick(fixture.room);
        }
        for (uint32_t id = 0; id < 3; id++) {
            assert_int_equal(despawn(fixture.room, fixture.me, id), 0);
        }
    }
    close_room(&fixture);
}

TEST(an_empty_batch_does_nothing)
{
    qd_room_batch batch = {0};
    qd_room_refusals refusals = {.count = 9, .listed = 9};
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    qd_room_move(fixture.room, fixture.me, &batch, &refusals);
    expect_refusals(&refusals, 0);
    qd_room_spawn(fixture.room, fixture.me, &batch, false, &refusals);
    expect_refusals(&refusals, 0);
    assert_int_equal(stats_of(fixture.room).updates, 0);
    close_room(&fixture);
}

TEST_MAIN()
