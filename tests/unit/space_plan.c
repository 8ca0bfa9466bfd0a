/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree is planned at its traversal, whatever was added before and wherever. The tests bound the cost of traversals
 * in pair tests, never in time.
 */
#include <math.h>
#include <stdlib.h>

#include "server/space/space.h"
#include "server/space/tuning.h"
#include "support/rng.h"
#include "tests/support/test.h"

#define COUNT     100000u
#define TESTS_MAX 450u /* per body and traversal; 102 where all are spread evenly */
#define EXACT_MAX 40u

static rng_stream rng;

typedef struct scene {
    qd_heap heap;
    qd_space *space;
    uint32_t slot[COUNT];
    qd_space_counters before;
} scene;

static scene the_scene;

static scene *make_scene_of(qd_space_index index, float side, uint32_t depth)
{
    scene *s = &the_scene;
    const qd_space_config config = {.index = index, .max_x = side, .max_y = side, .depth = depth, .bodies_max = COUNT};

    rng.state = 3;
    qd_heap_init(&s->heap);
    assert_int_equal(qd_space_create(&config, &s->heap, &s->space), QD_OK);
    /* The cost of crowds is counted to the end. */
    qd_space_tune(s->space, &(qd_tuning){.leaf_rows = 96, .task_rows_min = 8192, .misses_min = UINT32_MAX});
    s->before = (qd_space_counters){0};
    return s;
}

static scene *make_scene(float side, uint32_t depth)
{
    return make_scene_of(QD_SPACE_AUTO, side, depth);
}

static void end_scene(scene *s)
{
    qd_space_validate(s->space);
    qd_space_destroy(s->space);
    assert_int_equal(s->heap.bytes, 0);
    qd_heap_deinit(&s->heap);
}

static void add(scene *s, uint32_t i, float x, float y, float half)
{
    const qd_body body = {
        .x = x, .y = y, .half_x = half, .half_y = half, .category = 1, .mask = UINT32_MAX, .shape = QD_SPACE_BOX};

    assert_int_equal(qd_space_add(s->space, &body, &s->slot[i]), QD_OK);
}

/* The counts since the last call are within bounds for `traversals` traversals of `count` bodies. */
static void check_costs(scene *s, uint32_t count, uint32_t traversals)
{
    qd_space_counters after;

    qd_space_counters_get(s->space, &after);
    assert_in_range(after.tests - s->before.tests, 0, (uint64_t)TESTS_MAX * count * traversals);
    assert_in_range(after.exact_tests - s->before.exact_tests, 0, (uint64_t)EXACT_MAX * count * traversals);
    s->before = after;
}

static size_t tick(scene *s)
{
    qd_space_events found;
    const uint32_t *freed;
    size_t count;

    qd_space_tick(s->space, &qd_executor_serial, QD_SPACE_WANT_EVENTS, 1u << 24, &found);
    assert_true(found.complete);
    size_t events = found.count;
    qd_space_settle(s->space, &freed, &count);
    return events;
}

static size_t pairs(scene *s)
{
    qd_space_events found;

    qd_space_pairs(s->space, &qd_executor_serial, 1u << 24, &found);
    assert_true(found.complete);
    return found.count;
}

/* A room that was filled and never ticked; a subscriber or the first tick causes its first traversal. */
TEST(first_traversal_is_within_its_bounds)
{
    for (int pairs_first = 0; pairs_first < 2; pairs_first++) {
        scene *s = make_scene(1265, 0);

        for (uint32_t i = 0; i < COUNT; i++) {
            add(s, i, rng_between(&rng, 0, 1265), rng_between(&rng, 0, 1265), 0.5f);
        }
        if (pairs_first) {
            assert_int_equal(pairs(s), 0);
            check_costs(s, COUNT, 1);
        }
        size_t events = tick(s);
        assert_true(events > COUNT / 10);
        check_costs(s, COUNT, 1);
        assert_int_equal(pairs(s), events);
        check_costs(s, COUNT, 1);
        end_scene(s);
    }
}

/* ---- beyond the bounds ---- */

/* Spread over a square, COUNT bodies in the area of 100,000 to each its due. */
static void fill_square(scene *s, uint32_t from, uint32_t to, double x, double y)
{
    double side = 4 * sqrt(to - from);

    for (uint32_t i = from; i < to; i++) {
        add(s, i, rng_between(&rng, x, x + side), rng_between(&rng, y, y + side), 0.5f);
    }
}

static void wander(scene *s, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        qd_body body;

        qd_space_body(s->space, s->slot[i], &body);
        float x = body.x + rng_between(&rng, -0.25, 0.25), y = body.y + rng_between(&rng, -0.25, 0.25);
        qd_space_move(s->space, 1, &s->slot[i], &x, &y, NULL);
    }
}

/* Some within the bounds and the others beyond them, in two squares: each tick costs what it would cost within. */
static void check_beyond(double bounds, uint32_t within, double x, double y)
{
    scene *s = make_scene((float)bounds, 0);
    uint32_t half = (COUNT - within) / 2;

    fill_square(s, 0, within, 0, 0);
    fill_square(s, within, within + half, x, y);
    fill_square(s, within + half, COUNT, y, x);
    for (int t = 0; t < 4; t++) {
        size_t events = tick(s);

        assert_true(events > COUNT / 100);
        check_costs(s, COUNT, 1);
        wander(s, COUNT);
    }
    assert_true(pairs(s) > COUNT / 20);
    check_costs(s, COUNT, 1);
    assert_true(s->heap.bytes < COUNT * 256u);
    end_scene(s);
}

TEST(many_bodies_outside_the_bounds_stay_cheap)
{
    check_beyond(1265, COUNT / 2, 1400, 20);
    check_beyond(1265, COUNT / 2, -5000, 3000);
    check_beyond(1265, COUNT - 6000, 2000, -500);
    check_beyond(1265, 1000, 20000, -20000);
    check_beyond(10, 0, 300, -2000);
}

/* A few that went very far are not worth a root in which all others share a cell. */
TEST(few_bodies_very_far_away_stay_cheap)
{
    const float far[] = {1e6f, -1e9f, 3e38f};

    for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
        scene *s = make_scene(1265, 0);

        fill_square(s, 0, COUNT - 300, 0, 0);
        for (uint32_t i = COUNT - 300; i < COUNT; i++) {
            add(s, i, far[k] * rng_between(&rng, 1, 1.1), far[k] * rng_between(&rng, -1, 1), 0.5f);
        }
        for (int t = 0; t < 3; t++) {
            tick(s);
            check_costs(s, COUNT, 1);
            wander(s, COUNT - 300);
        }
        end_scene(s);
    }
}

/* All leave the bounds by a corner and come back; planned by content and with a fixed depth. A plan comes when the last
 * one has cost too much already, so this may take some times as long as standing still. */
TEST(exodus_stays_cheap)
{
    enum { ALL = 20000 };
    for (uint32_t depth = 0; depth <= 6; depth += 6) {
        scene *s = make_scene(600, depth);

        fill_square(s, 0, ALL, 0, 0);
        for (int t = 0; t < 100; t++) {
            tick(s);
            for (uint32_t i = 0; i < ALL; i++) {
                qd_body body;

                qd_space_body(s->space, s->slot[i], &body);
                float x = body.x + (t < 50 ? 40.0f : -40.0f), y = body.y + (t < 50 ? 30.0f : -30.0f);
                qd_space_move(s->space, 1, &s->slot[i], &x, &y, NULL);
            }
        }
        check_costs(s, 4 * ALL, 100);
        end_scene(s);
    }
}

/* ---- within bounds that are far larger than what is in them ---- */

static const qd_space_index trees[] = {QD_SPACE_AUTO, QD_SPACE_QUADTREE, QD_SPACE_SPARSE};

/* A crowd somewhere, and a few scattered over all the bounds: each tick costs what it would cost in bounds that fit. */
TEST(tiny_crowd_stays_cheap)
{
    const float side = 1e6f;

    for (size_t k = 0; k < sizeof trees / sizeof *trees; k++) {
        scene *s = make_scene_of(trees[k], side, 0);
        const uint32_t scattered = 300;

        fill_square(s, 0, COUNT - scattered, 700000, 250000);
        for (uint32_t i = COUNT - scattered; i < COUNT; i++) {
            add(s, i, rng_between(&rng, 0, side), rng_between(&rng, 0, side), 0.5f);
        }
        for (int t = 0; t < 4; t++) {
            tick(s);
            check_costs(s, COUNT, 1);
            wander(s, COUNT);
        }
        end_scene(s);
    }
}

/* It goes from one end of the space to the other. */
TEST(tiny_crowd_that_moves_stays_cheap)
{
    enum { ALL = 20000, TICKS = 100 };
    const float side = 1e6f;
    for (size_t k = 0; k < sizeof trees / sizeof *trees; k++) {
        scene *s = make_scene_of(trees[k], side, 0);

        fill_square(s, 0, ALL, 0, 0);
        for (int t = 0; t < TICKS; t++) {
            tick(s);
            for (uint32_t i = 0; i < ALL; i++) {
                qd_body body;

                qd_space_body(s->space, s->slot[i], &body);
                float x = body.x + 20, y = body.y + 10;
                qd_space_move(s->space, 1, &s->slot[i], &x, &y, NULL);
            }
        }
        check_costs(s, 4 * ALL, TICKS);
        end_scene(s);
    }
}

TEST_MAIN()
