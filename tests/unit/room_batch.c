/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches: every refusal and which one comes first, duplicates, defaults; the rest of a batch is applied.
 */
#include <math.h>

#include "room/scenario.h"

SCENARIO(spawn_refuses_each_kind_and_applies_the_rest,
         "spawn 1 1 1, 2 nan 2, 3 3 inf, 4 4 4 half_x -1, 5 5 5 shape 2 radius -0.5, 6 6 6 shape 4, 1 7 7,"
         "      7 8 8 half_y nan, 8 9 9 shape 2 radius 1"
         "  -> 1 NOT_FINITE x 2 NOT_FINITE y 3 NEGATIVE_SIZE half_x 4 NEGATIVE_SIZE radius 5 UNKNOWN_SHAPE shape"
         " 6 ID_TAKEN 7 NOT_FINITE half_y;"
         "stats -> entities 2, updates 2;"
         "body 1 -> 1 1 half 1 1;"
         "body 8 -> 9 9 radius 1 shape 2")

/* Each entry has a fault, and the next entry that one mended: the order of the checks, seen from the last. */
SCENARIO(spawn_names_the_first_fault,
         "open entities_max 1;"
         "spawn 9 10;"
         "spawn 9 nan inf shape 0, 9 1 inf shape 0, 9 1 1 shape 0 half_x nan,"
         "      9 1 1 shape 3 half_x nan half_y 1 radius -1 axis_x inf, 9 1 1 shape 3 half_y 1 radius -1 axis_x inf,"
         "      9 1 1 shape 3 radius -1 axis_x inf, 9 1 1 shape 3 axis_x inf, 9 1 1, 10 1 1"
         "  -> 0 NOT_FINITE x 1 NOT_FINITE y 2 UNKNOWN_SHAPE shape 3 NOT_FINITE half_x 4 WRONG_COLUMN half_y"
         " 5 NEGATIVE_SIZE radius 6 NOT_FINITE axis_x 7 ID_TAKEN 8 ROOM_FULL")

/* Batches mix shapes, so 0 is right in each column. */
SCENARIO(
    a_size_that_the_shape_lacks_is_refused,
    "spawn 1 10 10 radius 1, 2 10 10 axis_x -1, 3 10 10 shape 2 half_x 2, 4 10 10 shape 2 half_y -2,"
    "      5 10 10 shape 2 radius 1 axis_y 3, 6 10 10 shape 3 radius 1 half_x 1, 7 10 10,"
    "      8 20 10 shape 2 radius 2 half_x -0.0, 9 30 10 shape 3 radius 1 axis_x -3 axis_y 4"
    "  -> 0 WRONG_COLUMN radius 1 WRONG_COLUMN axis_x 2 WRONG_COLUMN half_x 3 WRONG_COLUMN half_y"
    " 4 WRONG_COLUMN axis_y 5 WRONG_COLUMN half_x;"
    "body 7 -> 10 10 half 1 1; body 8 -> 20 10 radius 2 shape 2; body 9 -> 30 10 radius 1 axis -3 4 shape 3;"
    "reshape 7 radius 2, 8 radius 3 -> 0 WRONG_COLUMN radius; reshape 8 half_y 1, 7 half_y 2 -> 0 WRONG_COLUMN half_y;"
    "reshape 8 axis_x 1, 9 axis_x 2 -> 0 WRONG_COLUMN axis_x; reshape 9 half_x 1 -> WRONG_COLUMN half_x;"
    "body 7 -> 10 10 half 1 2; body 8 -> 20 10 radius 3 shape 2; body 9 -> 30 10 radius 1 axis 2 4 shape 3")

SCENARIO(absent_columns_have_defaults, "spawn bare 5 7 7; body 5 -> 7 7 half 0 0")

#define REFUSED_PLACES(verb)                                                                                           \
    "join -> B; spawn 1 10; B spawn 2 10; B spawn owned 3 10;" verb                                                    \
    " 99 nan 1, 2 nan 1, 1 nan 1, 1 20 1, 3 30 inf, 1 21 1"                                                            \
    "  -> 0 UNKNOWN_ID 1 NOT_OWNER 2 NOT_FINITE x 4 NOT_FINITE y;"                                                     \
    "body 1 -> 21 1 half 1 1; body 2 -> 10 50 half 1 1; body 3 -> 10 50 half 1 1; stats -> updates 5"

SCENARIO(move_refuses_each_kind, REFUSED_PLACES("move"))
SCENARIO(teleport_refuses_each_kind, REFUSED_PLACES("teleport"))

/* Longer than any chunk that the room cuts it into, with faults here and there. */
TEST(long_batches_are_applied_whole)
{
    enum { COUNT = 3000 };
    static uint32_t id[COUNT];
    static float x[COUNT], y[COUNT];
    qd_room_batch batch = {.count = COUNT, .id = id, .x = x, .y = y}, columns;
    qd_room_refusals refusals;
    bool more;

    play("open entities_max 3000");
    for (uint32_t i = 0; i < COUNT; i++) {
        id[i] = i;
        x[i] = y[i] = 1;
    }
    qd_room_spawn(played.room, 0, &batch, false, &refusals);
    assert_int_equal(refusals.count, 0);
    for (uint32_t i = 0; i < COUNT; i++) {
        x[i] = i % 1000 == 700 ? NAN : (float)i;
    }
    qd_room_move(played.room, 0, &batch, &refusals);
    assert_int_equal(refusals.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(refusals.index[i], 700 + 1000 * i);
        assert_int_equal(refusals.code[i], QD_ROOM_NOT_FINITE);
        assert_int_equal(refusals.field[i], 3);
    }
    assert_int_equal(qd_room_snapshot(played.room, QD_ROOM_ANYBODY, NULL, COUNT, &columns, &more), QD_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(columns.x[i] == (i % 1000 == 700 ? 1 : (float)i));
    }
    play_end();
}

SCENARIO(reshape_refuses_each_kind,
         "join -> B; spawn 1 10; B spawn 2 10; B spawn owned 3 10;"
         "reshape 99 half_x nan half_y 1 shape 0, 2 half_x nan shape 0, 1 half_x nan shape 0,"
         "        1 half_x nan half_y -1 shape 1, 1 half_x 2 half_y -1 shape 1, 1 half_x 3 half_y 5 shape 9,"
         "        3 half_x 4 half_y 6 shape 1"
         "  -> 0 UNKNOWN_ID 1 NOT_OWNER 2 UNKNOWN_SHAPE shape 3 NOT_FINITE half_x 4 NEGATIVE_SIZE half_y"
         " 5 UNKNOWN_SHAPE shape;"
         "reshape 1 shape 2 radius -1, 1 shape 2 radius inf, 1 shape 3 radius 1 axis_y nan"
         "  -> 0 NEGATIVE_SIZE radius 1 NOT_FINITE radius 2 NOT_FINITE axis_y;"
         "body 1 -> 10 50 half 1 1;"
         "body 3 -> 10 50 half 4 6")

SCENARIO(reshape_leaves_absent_columns_as_they_are, "spawn 1 10;"
                                                    "reshape 1 half_y 3;   body 1 -> 10 50 half 1 3;"
                                                    "reshape 1 category 6; body 1 -> 10 50 half 1 3 category 6;"
                                                    "reshape 1 mask 5;     body 1 -> 10 50 half 1 3 category 6 mask 5;"
                                                    "reshape 1 half_x 3;   body 1 -> 10 50 half 3 3 category 6 mask 5;"
                                                    "reshape 1 shape 1;    body 1 -> 10 50 half 3 3 category 6 mask 5;"
                                                    "reshape 1;            body 1 -> 10 50 half 3 3 category 6 mask 5")

/* A circle and a capsule both have a radius. All other sizes are of one shape. */
SCENARIO(sizes_of_only_the_new_shape_start_at_0,
         "spawn 1 10 50 half_y 3;"
         "reshape 1 shape 2;          body 1 -> 10 50 radius 0 shape 2;"
         "reshape 1 radius 4;         body 1 -> 10 50 radius 4 shape 2;"
         "reshape 1 shape 3;          body 1 -> 10 50 radius 4 axis 0 0 shape 3;"
         "reshape 1 axis_y -2;        body 1 -> 10 50 radius 4 axis 0 -2 shape 3;"
         "reshape 1 shape 2;          body 1 -> 10 50 radius 4 shape 2;"
         "reshape 1 shape 3 axis_x 1; body 1 -> 10 50 radius 4 axis 1 0 shape 3;"
         "reshape 1 shape 1;          body 1 -> 10 50 half 0 0;"
         "reshape 1 shape 3;          body 1 -> 10 50 radius 0 axis 0 0 shape 3;"
         "reshape 1 shape 1 half_x 2; body 1 -> 10 50 half 2 0")

/* Of a capsule the ends of its axis may lie anywhere; its radius is a size. */
SCENARIO(capsules_may_lead_anywhere,
         "spawn 1 10 10 shape 3 axis_x -3 axis_y 2 radius 1, 2 20 20 shape 3 axis_x 3 axis_y -2,"
         "      3 30 30 shape 3 axis_x -3 axis_y 2 radius -1, 4 40 40 shape 3 axis_x inf radius 1,"
         "      5 50 50 shape 3 axis_x -3 axis_y 2 radius nan"
         "  -> 2 NEGATIVE_SIZE radius 3 NOT_FINITE axis_x 4 NOT_FINITE radius;"
         "body 1 -> 10 10 radius 1 axis -3 2 shape 3")

/* Only a shape with other sizes, or a size that the shape has, ends a pair with `resized`. */
SCENARIO(what_resizes_an_entity,
         "spawn 1 10, 2 11, 3 40 50 shape 3 radius 1, 4 41 50 shape 2 radius 1; subscribe; tick ->"
         " A reset begin 1-2 3-4;"
         "reshape 1 half_x 1; move 1 90; tick -> A end 1-2 moved apart;"
         "move 1 10; tick -> A begin 1-2; reshape 1 shape 3 radius 5 axis_x 3; reshape 1 shape 1 half_x 1 half_y 1;"
         "move 1 90; tick -> A end 1-2 moved apart;"
         "reshape 3 axis_x -0.0 radius 1; move 3 60; tick -> A end 3-4 moved apart;"
         "move 1 10, 3 40; tick -> A begin 1-2 3-4;"
         "reshape 1 half_y 0.5; move 1 90; tick -> A end 1-2 resized;"
         "reshape 3 axis_y 0.5; move 3 60; tick -> A end 3-4 resized")

/* Within one batch: a second despawn finds nothing; a spawn after it would. */
SCENARIO(entries_are_carried_out_in_order, "spawn 1 10; despawn 1, 1, 2 -> 1 UNKNOWN_ID 2 UNKNOWN_ID")

#define MANY 100000u

static qd_room_refusals despawn_many(void)
{
    static uint32_t id[MANY];
    qd_room_batch batch = {.count = MANY, .id = id};
    qd_room_refusals refusals;

    for (uint32_t i = 0; i < MANY; i++) {
        id[i] = i;
    }
    qd_room_despawn(played.room, 0, &batch, &refusals);
    assert_int_equal(refusals.count, MANY - 1);
    for (uint32_t i = 0; i < refusals.listed; i++) {
        assert_int_equal(refusals.index[i], i < 7 ? i : i + 1);
        assert_int_equal(refusals.code[i], QD_ROOM_UNKNOWN_ID);
        assert_int_equal(refusals.field[i], 0);
    }
    return refusals;
}

TEST(all_refusals_are_listed_and_then_forgotten)
{
    play("spawn 7 10");
    size_t before = qd_memory_used();
    assert_int_equal(despawn_many().listed, MANY - 1);
    assert_true(qd_memory_used() >= before + 6 * (MANY - 1));
    qd_room_forget_refusals(played.room);
    /* A heap that shrinks keeps up to two of its steps. */
    assert_true(qd_memory_used() <= before + 8192);
    play_end();
}

TEST(refusals_that_find_no_memory_are_counted)
{
    play("spawn 7 10");
    size_t limit = qd_memory_limit();
    qd_memory_limit_set(qd_memory_used() + 300000);
    uint32_t listed = despawn_many().listed;
    assert_true(listed > 0 && listed < MANY - 1);
    qd_memory_limit_set(limit);
    play_end();
}

/* The capacity of a full room does not depend on removals in the same tick. */
#define FILL "spawn 0..2 10; spawn 3 10 -> ROOM_FULL;"
SCENARIO(removed_entities_make_room_at_once,
         "open entities_max 3;" FILL "despawn 0..2;" FILL "tick; despawn 0..2;" FILL "despawn 0..2")

SCENARIO(an_empty_batch_does_nothing, "move; spawn; stats -> updates 0")

/* ---- three dimensions ---- */

#define TOWER(one, other, third)                                                                                       \
    "open deep; spawn 1 10 10 " one " half_y 2 half_z 3, 2 10 10 " other " half_y 2 half_z 3, 3 10 10 " third          \
    " half_y 2 half_z 3;"

/* Boxes that touch are a pair. */
SCENARIO(pairs_need_all_three_axes,
         TOWER("10", "16",
               "22.5") "subscribe; tick -> A reset begin 1-2; move 3 10 10 22; teleport 1 10 10 9.5;"
                       "tick -> A end 1-2 teleported begin 2-3; reshape 2 half_z 2.5; tick -> A end 2-3 resized")

SCENARIO(z_is_checked_like_x,
         "open deep; spawn 1 10 10 10; spawn bare 2 10 10 nan half_z 1, 3 10 10 10 half_z -1, 4 10 10 10 half_z inf,"
         "  5 10 10 10 axis_z 1 -> 0 NOT_FINITE z 1 NEGATIVE_SIZE half_z 2 NOT_FINITE half_z 3 WRONG_COLUMN axis_z;"
         "move 1 10 10 inf -> NOT_FINITE z; teleport 1 10 10 nan -> NOT_FINITE z;"
         "reshape 1 half_z -1 -> NEGATIVE_SIZE half_z; reshape 1 axis_z 1 -> WRONG_COLUMN axis_z; stats -> updates 1")

SCENARIO(a_snapshot_has_the_third_axis,
         TOWER("10", "20", "30") "snapshot -> 1 2 3; body 1 -> 10 10 10 half 1 2 3; body 2 -> 10 10 20 half 1 2 3;"
                                 "body 3 -> 10 10 30 half 1 2 3; snapshot in 0 100 0 100 23 26.5 -> 2")

/* Its axis leads from (7, 12, 50) to (13, 8, 70), and a radius of 1 around it: so does its bounding box. */
SCENARIO(a_capsules_region_is_its_bounding_box,
         "open deep; spawn 1 10 10 60 shape 3 axis_x -3 axis_y 2 axis_z -10 radius 1;"
         "body 1 -> 10 10 60 radius 1 axis -3 2 -10 shape 3;"
         "snapshot in 0 6 0 100 0 100 -> 1;"
         "snapshot in 0 5.9 0 100 0 100;"
         "snapshot in 0 100 0 7 0 100 -> 1;"
         "snapshot in 0 100 0 6.9 0 100;"
         "snapshot in 0 100 0 100 0 49 -> 1;"
         "snapshot in 0 100 0 100 0 48.9;"
         "snapshot in 0 100 13 100 71 100 -> 1;"
         "snapshot in 0 100 13.1 100 71 100;"
         "snapshot in 14 14 0 100 0 100 -> 1")

SCENARIO(queries_see_the_third_axis,
         TOWER("10", "20", "30") "tick;"
                                 "query box 0 100 0 100 17 27 limit 10 -> 2 3;"
                                 "query ray 10 10 60 0 0 -2 limit 2 -> 3 at 27 2 at 37 more;"
                                 "query nearest 10 10 14 limit 2 -> 1 at 1 2 at 3 more")

TEST_MAIN()
