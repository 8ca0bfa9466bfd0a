/* SPDX-License-Identifier: Apache-2.0
 *
 * AUTO changes its index when it should, does not alternate, and depends on nothing but counters.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/space/auto.h"
#include "server/space/space.h"
#include "server/space/tuning.h"
#include "support/rng.h"
#include "tests/support/test.h"

#define AXES  ((uint32_t)QD_AXES)
#define COUNT 2000u
#define TICKS 60u /* AUTO makes up its mind within the first ten; the rest is to see that it keeps to it */
#define LEAF  96u
#define FEW   (AXES == 2 ? 256u : 320u) /* rows that BRUTE has, with leaves of that */

static const qd_space_index tree = QD_AXES == 2 ? QD_SPACE_QUADTREE : QD_SPACE_OCTREE;

/* ---- by counts alone ---- */

static const qd_auto_tick calm = {.rows = 1000, .operations = 30, .tests = 150000, .exact_tests = 300};
static const qd_auto_tick storm = {.rows = 1000, .operations = 4000, .tests = 400000, .exact_tests = 600};
static const qd_auto_tick crowded = {.rows = 1000, .operations = 30, .tests = 1000000, .exact_tests = 400000};

static qd_space_index play(qd_auto *choice, qd_space_index at_work, const qd_auto_tick *tick, uint32_t ticks,
                           uint32_t *changes)
{
    for (uint32_t t = 0; t < ticks; t++) {
        qd_space_index next = qd_auto_next(choice, at_work, tick);

        *changes += next != at_work;
        at_work = next;
    }
    return at_work;
}

TEST(tree_stays_while_calm)
{
    qd_auto choice;

    qd_auto_init(&choice, LEAF, 0);
    uint32_t changes = 0;
    assert_int_equal(play(&choice, tree, &calm, 10000, &changes), tree);
    assert_int_equal(changes, 0);
}

/* Into a storm and out of it: the better index stays for long, and the tree comes back. */
TEST(index_changes_in_a_storm_and_back_after_it)
{
    const qd_auto_tick in_grid = {.rows = 1000, .tests = 200000, .exact_tests = 600};
    qd_auto choice;

    qd_auto_init(&choice, LEAF, 0);
    uint32_t changes = 0;
    qd_space_index at_work = play(&choice, tree, &storm, 1, &changes);
    assert_int_equal(at_work, tree); /* one bad tick is not enough */
    uint32_t waited = 1;
    for (; at_work == tree; waited++) {
        at_work = play(&choice, at_work, &storm, 1, &changes);
    }
    assert_int_equal(at_work, QD_SPACE_GRID);
    assert_in_range(waited, 2, 10);
    assert_int_equal(play(&choice, at_work, &in_grid, 400, &changes), QD_SPACE_GRID);
    assert_int_equal(changes, 1);
    while (at_work == QD_SPACE_GRID) {
        at_work = play(&choice, at_work, &in_grid, 1, &changes);
    }
    assert_int_equal(at_work, tree);
    assert_int_equal(play(&choice, at_work, &calm, 1000, &changes), tree);
    assert_int_equal(changes, 2);
}

/* If no index helps, attempts become rare. */
TEST(attempts_without_gain_become_rare)
{
    qd_auto choice;

    qd_auto_init(&choice, LEAF, 0);
    uint32_t early = 0, late = 0;
    qd_space_index at_work = play(&choice, tree, &crowded, 100, &early);
    assert_true(early > 0);
    at_work = play(&choice, at_work, &crowded, 100000, &late);
    uint32_t last = 0;
    play(&choice, at_work, &crowded, 1000, &last);
    assert_true(last <= 2);
}

/* Before a traversal, AUTO uses BRUTE for few rows only; it returns to BRUTE after long at half as many. */
TEST(few_rows_use_brute)
{
    qd_auto choice;

    qd_auto_init(&choice, LEAF, 0);
    assert_int_equal(qd_auto_first(&choice), QD_SPACE_BRUTE);
    assert_int_equal(qd_auto_fit(&choice, QD_SPACE_BRUTE, FEW), QD_SPACE_BRUTE);
    assert_int_equal(qd_auto_fit(&choice, QD_SPACE_BRUTE, FEW + 1), tree);
    assert_int_equal(qd_auto_fit(&choice, QD_SPACE_GRID, 1), QD_SPACE_GRID);
    const qd_auto_tick many = {.rows = FEW / 2 + 1, .tests = 1000}, few = {.rows = FEW / 2, .tests = 1000};
    uint32_t changes = 0;
    assert_int_equal(play(&choice, QD_SPACE_BRUTE, &storm, 1000, &changes), QD_SPACE_BRUTE);
    assert_int_equal(play(&choice, tree, &many, 10000, &changes), tree);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(play(&choice, tree, &few, 100, &changes), tree);
        assert_int_equal(play(&choice, tree, &many, 1, &changes), tree);
    }
    assert_int_equal(changes, 0);
    assert_int_equal(play(&choice, tree, &few, 1000, &changes), QD_SPACE_BRUTE);
    assert_int_equal(changes, 1);

    /* With a depth it is a tree from the beginning, however few there are. */
    qd_auto_init(&choice, LEAF, 5);
    assert_int_equal(qd_auto_first(&choice), tree);
    assert_int_equal(play(&choice, tree, &few, 1000, &changes), tree);
}

/* ---- with spaces ---- */

typedef enum scene { CALM, STORM, DEEP, SPOT } scene;

typedef struct trace {
    qd_space_index index[TICKS];
    uint32_t changes;
} trace;

static void run_backwards(void *context, size_t count, qd_task_fn task, void *argument)
{
    (void)context;
    while (count-- > 0) {
        task(count, argument);
    }
}

static double side_of(scene kind)
{
    return kind == DEEP ? 1e6 : kind == SPOT ? 8 : AXES == 2 ? 4 * sqrt(COUNT) : 3.17 * cbrt(COUNT);
}

static float start_of(scene kind, uint32_t i, rng_stream *rng)
{
    double side = side_of(kind);

    return kind == DEEP ? (float)(side * (0.1 + 0.1 * (i % 8))) + rng_between(rng, 0, 60) : rng_between(rng, 0, side);
}

static void observe(scene kind, uint32_t workers, trace *result)
{
    static float at[3][COUNT];
    static uint32_t slot[COUNT];
    const qd_executor executor = {.run = run_backwards, .width = workers};
    const float side = (float)side_of(kind);
    const qd_space_config config = {
        .dimensions = AXES, .max_x = side, .max_y = side, .max_z = AXES == 3 ? side : 0, .bodies_max = COUNT};
    qd_heap heap;
    qd_space *space;
    rng_stream rng = {5};

    qd_heap_init(&heap);
    assert_int_equal(qd_space_create(&config, &heap, &space), QD_OK);
    qd_space_tune(space,
                  &(qd_tuning){.leaf_rows = LEAF, .task_rows_min = 100, .pending_bodies_min = 0, .apply_slots = 64});
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t k = 0; k < AXES; k++) {
            at[k][i] = start_of(kind, i, &rng);
        }
        qd_body body = {.x = at[0][i],
                        .y = at[1][i],
                        .z = AXES == 3 ? at[2][i] : 0,
                        .half_x = 0.5f,
                        .half_y = 0.5f,
                        .half_z = AXES == 3 ? 0.5f : 0,
                        .category = 1,
                        .mask = UINT32_MAX,
                        .shape = QD_SPACE_BOX};
        assert_int_equal(qd_space_add(space, &body, &slot[i]), QD_OK);
    }
    for (uint32_t t = 0; t < TICKS; t++) {
        qd_space_events found;
        const uint32_t *freed;
        size_t freed_count;
        qd_space_counters counters;

        for (uint32_t i = 0; i < COUNT; i++) {
            for (uint32_t k = 0; k < AXES; k++) {
                at[k][i] =
                    kind == STORM ? rng_between(&rng, 0, (double)side) : at[k][i] + rng_between(&rng, -0.05, 0.05);
            }
        }
        qd_space_move(space, COUNT, slot, at[0], at[1], AXES == 3 ? at[2] : NULL);
        qd_space_tick(space, &executor, QD_SPACE_WANT_EVENTS, 1u << 24, &found);
        assert_true(found.complete);
        qd_space_settle(space, &freed, &freed_count);
        qd_space_counters_get(space, &counters);
        result->index[t] = counters.index;
        result->changes = counters.index_changes;
    }
    qd_space_validate(space);
    qd_space_destroy(space);
    assert_int_equal(heap.bytes, 0);
    qd_heap_deinit(&heap);
}

TEST(each_scene_gets_its_index)
{
    const struct {
        scene kind;
        qd_space_index index;
        uint32_t changes_max;
    } expected[] = {{CALM, tree, 1}, {STORM, QD_SPACE_GRID, 2}, {DEEP, QD_SPACE_SPARSE, 2}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        trace seen;

        observe(expected[i].kind, 1, &seen);
        assert_int_equal(seen.index[TICKS / 2], expected[i].index);
        assert_int_equal(seen.index[TICKS - 1], expected[i].index);
        assert_int_equal(seen.changes, expected[i].changes_max);
    }
    trace seen;
    observe(SPOT, 1, &seen);
    assert_true(seen.changes <= 9);
}

TEST(choice_is_the_same_with_every_kernel_and_number_of_workers)
{
    for (scene kind = STORM; kind <= SPOT; kind++) {
        trace first;

        observe(kind, 1, &first);
        for (uint32_t k = 0; qd_space_kernel_at(k) != NULL; k++) {
            qd_space_kernel_select(qd_space_kernel_at(k));
            for (uint32_t workers = 1; workers <= 2; workers++) {
                trace seen;

                observe(kind, workers, &seen);
                assert_memory_equal(seen.index, first.index, sizeof first.index);
            }
        }
        qd_space_kernel_select(NULL);
    }
}

/* ---- coming and going ---- */

/* A space and what it found, in any order. */
typedef struct side {
    qd_space *space;
    uint32_t slot[COUNT];
    uint64_t digest;
} side;

static void add_to(side *s, uint32_t i, const float *at)
{
    const qd_body body = {.x = at[0],
                          .y = at[1],
                          .z = AXES == 3 ? at[2] : 0,
                          .half_x = 0.5f,
                          .half_y = 0.5f,
                          .half_z = AXES == 3 ? 0.5f : 0,
                          .category = 1,
                          .mask = UINT32_MAX,
                          .shape = QD_SPACE_BOX};

    assert_int_equal(qd_space_add(s->space, &body, &s->slot[i]), QD_OK);
}

static void tick_of(side *s, uint32_t count, float (*at)[COUNT])
{
    qd_space_events found;
    const uint32_t *freed;
    size_t freed_count;

    qd_space_move(s->space, count, s->slot, at[0], at[1], AXES == 3 ? at[2] : NULL);
    qd_space_tick(s->space, &qd_executor_serial, QD_SPACE_WANT_EVENTS, 1u << 24, &found);
    s->digest = found.count;
    for (size_t i = 0; i < found.count; i++) {
        uint64_t a = qd_space_event_a(found.events[i]), b = qd_space_event_b(found.events[i]);
        uint64_t key = (a < b ? a << 32 | b : b << 32 | a) ^ (uint64_t)qd_space_event_kind(found.events[i]) << 60;

        key *= UINT64_C(0x9e3779b97f4a7c15);
        s->digest += key ^ key >> 29;
    }
    qd_space_settle(s->space, &freed, &freed_count);
}

/* Few, then many, then few for long: no event is lost, and AUTO is where it should be. */
TEST(index_follows_a_room_that_fills_and_empties)
{
    static side sides[2];
    static float at[3][COUNT];
    const qd_space_index index[2] = {QD_SPACE_AUTO, QD_SPACE_BRUTE};
    const float width = AXES == 2 ? 60 : 20;
    qd_heap heap;
    rng_stream rng = {9};

    qd_heap_init(&heap);
    for (int k = 0; k < 2; k++) {
        const qd_space_config config = {.dimensions = AXES,
                                        .max_x = width,
                                        .max_y = width,
                                        .max_z = AXES == 3 ? width : 0,
                                        .index = index[k],
                                        .bodies_max = COUNT};

        assert_int_equal(qd_space_create(&config, &heap, &sides[k].space), QD_OK);
    }
    uint32_t count = 0;
    for (uint32_t t = 0; t < 320; t++) {
        uint32_t wanted = t < 10 ? 50 : t < 30 ? 600 : 50;

        for (; count > wanted; count--) {
            (void)qd_space_remove(sides[0].space, sides[0].slot[count - 1], QD_SPACE_DESPAWNED);
            (void)qd_space_remove(sides[1].space, sides[1].slot[count - 1], QD_SPACE_DESPAWNED);
        }
        for (uint32_t i = 0; i < wanted; i++) {
            float start[3];

            for (uint32_t k = 0; k < AXES; k++) {
                start[k] = rng_between(&rng, 0, (double)width);
                at[k][i] = i < count ? at[k][i] + rng_between(&rng, -0.5, 0.5) : start[k];
            }
            if (i >= count) {
                add_to(&sides[0], i, start);
                add_to(&sides[1], i, start);
            }
        }
        count = wanted;
        tick_of(&sides[0], count, at);
        tick_of(&sides[1], count, at);
        assert_int_equal(sides[0].digest, sides[1].digest);
        qd_space_counters counters;
        qd_space_counters_get(sides[0].space, &counters);
        assert_true(t >= 30 || counters.index == (t < 10 ? QD_SPACE_BRUTE : tree));
        assert_true(t < 319 || (counters.index == QD_SPACE_BRUTE && counters.index_changes == 2));
    }
    qd_space_validate(sides[0].space);
    qd_space_destroy(sides[0].space);
    qd_space_destroy(sides[1].space);
    assert_int_equal(heap.bytes, 0);
    qd_heap_deinit(&heap);
}

TEST_MAIN()
