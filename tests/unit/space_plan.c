/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree is planned at its traversal, whatever was added before and wherever. The tests bound the cost of traversals
 * in pair tests, never in time.
 */
#include "space_fixture.h"

#define COUNT     100000u
#define TESTS_MAX 450u /* per body and traversal; 102 where all are spread evenly */
#define EXACT_MAX 40u

static qd_space_counters counted;

static void begin(qd_space_index index, float side, uint32_t depth)
{
    qd_space_config config = crowd_config(index, 0, side);

    config.depth = depth;
    crowd_begin(&config, &CROWD_PATIENT);
    counted = (qd_space_counters){0};
}

/* The counts since the last call are within bounds for `traversals` traversals of all bodies. */
static void check_costs(uint32_t traversals)
{
    const qd_space_counters now = crowd_counters();

    assert_in_range(now.tests - counted.tests, 0, (uint64_t)TESTS_MAX * crowd.count * traversals);
    assert_in_range(now.exact_tests - counted.exact_tests, 0, (uint64_t)EXACT_MAX * crowd.count * traversals);
    counted = now;
}

/* Boxes in a square that begins at x, y, with as much room as they need. */
static void fill_from(uint32_t count, double x, double y)
{
    const double side = crowd_side(count);

    for (uint32_t i = 0; i < count; i++) {
        crowd_add(crowd_box(crowd_between(x, x + side), crowd_between(y, y + side), 0, 0.5f));
    }
}

static void check_ticks(int ticks, uint32_t moving)
{
    for (int t = 0; t < ticks; t++) {
        assert_true(crowd_tick() > COUNT / 100);
        check_costs(1);
        crowd_wander(moving, 0.25);
    }
}

/* A room that was filled and never ticked; a subscriber or the first tick causes its first traversal. */
TEST(first_traversal_is_within_its_bounds)
{
    for (int pairs_first = 0; pairs_first < 2; pairs_first++) {
        begin(QD_SPACE_AUTO, (float)crowd_side(COUNT), 0);
        fill_from(COUNT, 0, 0);
        if (pairs_first) {
            assert_int_equal(crowd_pairs(), 0);
            check_costs(1);
        }
        size_t events = crowd_tick();
        assert_true(events > COUNT / 10);
        check_costs(1);
        assert_int_equal(crowd_pairs(), events);
        check_costs(1);
        crowd_end();
    }
}

/* Some within the bounds and the others beyond them, in two squares: each tick costs what it would cost within. */
TEST(many_bodies_outside_the_bounds_stay_cheap)
{
    static const struct {
        float bounds;
        uint32_t within;
        double x, y;
    } scenes[] = {{1265, COUNT / 2, 1400, 20},
                  {1265, COUNT / 2, -5000, 3000},
                  {1265, COUNT - 6000, 2000, -500},
                  {1265, 1000, 20000, -20000},
                  {10, 0, 300, -2000}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        const uint32_t half = (COUNT - scenes[i].within) / 2;

        begin(QD_SPACE_AUTO, scenes[i].bounds, 0);
        fill_from(scenes[i].within, 0, 0);
        fill_from(half, scenes[i].x, scenes[i].y);
        fill_from(COUNT - crowd.count, scenes[i].y, scenes[i].x);
        check_ticks(4, COUNT);
        assert_true(crowd_pairs() > COUNT / 20);
        check_costs(1);
        assert_true(crowd.heap[0].bytes < COUNT * 256u);
        crowd_end();
    }
}

/* A few that went very far are not worth a root in which all others share a cell. */
TEST(few_bodies_very_far_away_stay_cheap)
{
    const float far[] = {1e6f, -1e9f, 3e38f};

    for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
        begin(QD_SPACE_AUTO, 1265, 0);
        fill_from(COUNT - 300, 0, 0);
        while (crowd.count < COUNT) {
            crowd_add(crowd_box(far[k] * crowd_between(1, 1.1), far[k] * crowd_between(-1, 1), 0, 0.5f));
        }
        check_ticks(3, COUNT - 300);
        crowd_end();
    }
}

/* A crowd somewhere, and a few scattered over bounds that are far larger: each tick costs what it would cost in bounds
 * that fit. */
TEST(tiny_crowd_stays_cheap)
{
    for (size_t i = 0; i < 3; i++) {
        const qd_space_index index = (qd_space_index[]){QD_SPACE_AUTO, QD_SPACE_QUADTREE, QD_SPACE_SPARSE}[i];

        begin(index, 1e6f, 0);
        fill_from(COUNT - 300, 700000, 250000);
        crowd_scatter(300, 0, 1e6, 0.5f);
        check_ticks(4, COUNT);
        crowd_end();
    }
}

/* All go on, and may come back. A plan comes when the last one has cost too much already, so this may take some times as
 * long as standing still. */
TEST(crowd_that_travels_stays_cheap)
{
    static const struct {
        qd_space_index index;
        uint32_t depth;
        float bounds, x, y, later; /* the step of each tick, and what it is multiplied with in the second half */
    } scenes[] = {{QD_SPACE_AUTO, 0, 600, 40, 30, -1}, /* out of the bounds by a corner, and back */
                  {QD_SPACE_AUTO, 6, 600, 40, 30, -1},
                  {QD_SPACE_AUTO, 0, 1e6f, 20, 10, 1}, /* through bounds that are far larger */
                  {QD_SPACE_QUADTREE, 0, 1e6f, 20, 10, 1},
                  {QD_SPACE_SPARSE, 0, 1e6f, 20, 10, 1}};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        begin(scenes[k].index, scenes[k].bounds, scenes[k].depth);
        fill_from(20000, 0, 0);
        for (int t = 0; t < 100; t++) {
            const float by = t < 50 ? 1 : scenes[k].later;

            crowd_tick();
            for (uint32_t i = 0; i < crowd.count; i++) {
                crowd_place(i, crowd.at[0][i] + by * scenes[k].x, crowd.at[1][i] + by * scenes[k].y, 0);
            }
            crowd_move(0, crowd.count);
        }
        check_costs(4 * 100);
        crowd_end();
    }
}

TEST_MAIN()
