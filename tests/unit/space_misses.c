/* SPDX-License-Identifier: Apache-2.0
 *
 * A traversal that compares ever more pairs and finds no event stops, whichever the index, and AUTO takes one that does
 * better. With QD_AXES axes.
 */
#include "space_fixture.h"

#define COUNT 2000u
#define LIMIT 100u
#define VAIN  1000u

/* Points in two far corners: those of a corner are in one cell of most indexes, and no two are at the same place. */
static void begin(qd_space_index index, const qd_executor *executor)
{
    qd_space_config config = crowd_config(index, 0, 1000);

    config.test_budget = VAIN;
    crowd_begin(&config, &(qd_tuning){.leaf_rows = 96, .task_rows_min = 100});
    crowd.executor = executor;
    for (uint32_t i = 0; i < COUNT; i++) {
        const float corner = i % 2 == 0 ? 0 : 900, step = i % 2 == 0 ? 0x1p-20f : 0x1p-13f;

        crowd_add(crowd_box(corner + step * (float)i, corner + step * (float)rng_below(&crowd.rng, COUNT),
                            corner + step * (float)rng_below(&crowd.rng, COUNT), 0));
    }
}

static void expect_stop(qd_space_index index, const qd_executor *executor)
{
    qd_space_events found;

    begin(index, executor);
    assert_false(crowd_tick_for(QD_SPACE_WANT_EVENTS, LIMIT).complete);
    qd_space_pairs(crowd.space[0], executor, LIMIT, &found);
    assert_false(found.complete);
    /* All of them, twice, would be two million. */
    assert_in_range(crowd_counters().exact_tests, 2 * (VAIN + QD_MISSES_PER_ROW * COUNT), 1000000);
    crowd_end();
}

TEST(traversal_without_hits_stops)
{
    const qd_space_index indexes[] = {QD_SPACE_BRUTE, CROWD_TREE, QD_SPACE_GRID};

    for (uint32_t k = 0; qd_space_kernel_at(k) != NULL; k++) {
        qd_space_kernel_select(qd_space_kernel_at(k));
        for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
            expect_stop(indexes[i], &qd_executor_serial);
            expect_stop(indexes[i], &backwards);
        }
    }
    qd_space_kernel_select(NULL);
}

TEST(auto_takes_a_better_index_after_misses)
{
    begin(QD_SPACE_AUTO, &backwards);
    assert_false(crowd_tick_for(QD_SPACE_WANT_EVENTS, LIMIT).complete);
    assert_int_equal(crowd_counters().index, QD_SPACE_SPARSE);
    assert_int_equal(crowd_pairs(), 0);
    const qd_body home = crowd_body(0), other = crowd_body(2);
    for (uint32_t t = 0; t < 300; t++) {
        /* Two meet, and part. */
        const qd_body *to = t % 2 == 0 ? &other : &home;

        crowd_place(0, to->x, to->y, to->z);
        crowd_move(0, 1);
        const qd_space_events found = crowd_tick_for(QD_SPACE_WANT_EVENTS, LIMIT);
        assert_true(found.complete && found.count == 1);
        assert_int_equal(crowd_counters().index, QD_SPACE_SPARSE);
    }
    crowd_end();
}

/* Points that all go side by side, from corner to corner of boxes that overlap, that their tests are more than
 * are for swept ones, and fewer than for others. */
#define SWEPT_COUNT 2400u

TEST(swept_traversal_stops_sooner)
{
    const size_t tests = SWEPT_COUNT * (SWEPT_COUNT - 1) / 2;

    assert_in_range(tests, QD_TEST_BUDGET_DEFAULT / QD_MISS_COST_SLOW + QD_MISSES_PER_ROW * SWEPT_COUNT + 1,
                    QD_TEST_BUDGET_DEFAULT);
    for (int swept = 0; swept < 2; swept++) {
        qd_space_config config = crowd_config(QD_SPACE_BRUTE, 0, 1000);

        config.swept = swept;
        config.test_budget = 0; /* the default */
        crowd_begin(&config, NULL);
        crowd.executor = &backwards;
        for (uint32_t i = 0; i < SWEPT_COUNT; i++) {
            crowd_add(crowd_box(0x1p-6f * (float)i, 0, 0, 0));
        }
        crowd_tick();
        for (uint32_t i = 0; i < SWEPT_COUNT; i++) {
            crowd_place(i, crowd.at[0][i] + 500, 500, 0);
        }
        crowd_move(0, SWEPT_COUNT);
        assert_int_equal(crowd_tick_for(QD_SPACE_WANT_EVENTS, LIMIT).complete, !swept);
        crowd_end();
    }
}

TEST_MAIN()
