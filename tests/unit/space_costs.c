/* SPDX-License-Identifier: Apache-2.0
 *
 * What each index costs, with QD_AXES axes: pair tests, list operations and memory, never time. space_plan.c adds large
 * crowds in places that are hard for a tree.
 */
#include "space_fixture.h"

#include "server/space/geometry/morton.h"

#define INDEXES_WITHOUT_BRUTE (CROWD_INDEXES - 1)

/* ---- operations on lists: inside a cell a move costs none, elsewhere a constant number ---- */

#define WORLD 1024.0f

typedef struct tree {
    qd_space_index index;
    uint32_t depth_max;
} tree;

static const tree trees[] = {{CROWD_TREE, QD_TREE_DEPTH_MAX}, {QD_SPACE_SPARSE, QD_SPARSE_DEPTH_MAX}};

static void begin_with_depth(qd_space_index index, uint32_t depth)
{
    qd_space_config config = crowd_config(index, 0, WORLD);

    config.depth = depth;
    crowd_begin(&config, NULL);
}

static uint64_t operations(void)
{
    return crowd_counters().list_operations;
}

static void move_to(float x, float y, float z)
{
    crowd_place(0, x, y, z);
    crowd_move(0, 1);
}

static void check_one_body(qd_space_index index, uint32_t depth)
{
    const float cell = WORLD / (float)(1u << depth), half = cell / 2, inside = half + cell / 8, far = WORLD - half;

    begin_with_depth(index, depth);
    crowd_add(crowd_box(half, half, half, cell / 4));
    crowd_tick();
    assert_int_equal(operations(), 1);
    assert_int_equal(crowd_counters().depth, depth);
    for (int i = 0; i < 100; i++) {
        move_to(i % 2 ? inside : half, half, half);
        if (i % 10 == 0) {
            crowd_tick();
        }
    }
    assert_int_equal(operations(), 1);
    /* To the next cell: out of one list and into another; and once more when its was has followed. */
    move_to(cell * 1.5f, half, half);
    assert_true(operations() <= 3);
    crowd_tick();
    move_to(cell * 1.5f, inside, half);
    crowd_tick();
    assert_in_range(operations(), 3, 5);
    /* Across the space: an old row is left behind and taken out. */
    uint64_t before = operations();
    crowd_place(0, far, far, far);
    crowd_teleport(0, 1);
    crowd_tick();
    assert_in_range(operations() - before, 1, 4);
    before = operations();
    assert_false(crowd_remove(0));
    crowd_tick();
    assert_int_equal(operations() - before, 1);
    crowd_end();
}

/* Bodies that cross lines of every level, all at each tick: out and in, and again when they are looked at a second
 * time. */
static void check_many_bodies(qd_space_index index, uint32_t depth)
{
    enum { COUNT = 500, TICKS = 12 };
    begin_with_depth(index, depth);
    for (uint32_t i = 0; i < COUNT; i++) {
        crowd_scatter(1, 0, (double)WORLD, crowd_between(0, 2));
    }
    crowd_tick();
    uint64_t before = operations();
    for (uint32_t t = 0; t < TICKS; t++) {
        crowd_wander(COUNT, 3);
        crowd_tick();
    }
    assert_in_range(operations() - before, 1, 4 * COUNT * TICKS);
    crowd_end();
}

TEST(list_operations_of_a_move_do_not_depend_on_depth)
{
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        for (uint32_t depth = 1; depth <= trees[i].depth_max; depth++) {
            check_one_body(trees[i].index, depth);
            check_many_bodies(trees[i].index, depth);
        }
    }
}

TEST(move_costs_no_list_operation_without_cells)
{
    for (qd_space_index index = QD_SPACE_GRID; index <= QD_SPACE_BRUTE; index++) {
        begin_with_depth(index, 0);
        crowd_scatter(1000, 0, 100, 0.4f);
        for (int t = 0; t < 3; t++) {
            crowd_wander(1000, t == 0 ? 0.1 : 1e6);
            crowd_tick();
        }
        assert_int_equal(operations(), 1000);
        crowd_end();
    }
}

/* ---- rest ---- */

TEST(resting_bodies_cost_nothing)
{
    enum { COUNT = 5000 };
    for (size_t i = 0; i < CROWD_INDEXES; i++) {
        qd_space_config config = crowd_config(crowd_indexes[i], 0, 100);

        for (config.depth = 0; config.depth <= (crowd_indexes[i] == QD_SPACE_SPARSE ? 6 : 0); config.depth += 6) {
            crowd_begin(&config, NULL);
            crowd_scatter(COUNT, 0, 100, QD_AXES == 2 ? 1 : 3);
            assert_true(crowd_tick() > COUNT);
            /* After a tick at which all bodies moved, the next tick expects that again. */
            crowd_tick();
            const qd_space_counters before = crowd_counters();
            assert_true(before.tests > 0 && before.list_operations >= COUNT);
            for (int t = 0; t < 10; t++) {
                assert_int_equal(crowd_tick(), 0);
            }
            const qd_space_counters after = crowd_counters();
            assert_memory_equal(&after, &before, sizeof after);
            crowd_end();
        }
    }
}

static void run_counted(void *context, size_t count, qd_task_fn task, void *argument)
{
    ++*(uint32_t *)context;
    run_backwards(NULL, count, task, argument);
}

/* A split is for many rows that changed; how many there are is no matter. */
TEST(resting_bodies_call_no_helper)
{
    enum { COUNT = 5000 };
    static const uint32_t moving[] = {COUNT, 0, 3, COUNT, 0};
    uint32_t splits = 0;
    const qd_executor executor = {.run = run_counted, .width = 4, .context = &splits};
    const qd_space_config config = crowd_config(QD_SPACE_AUTO, 0, 100);
    crowd_begin(&config, &(qd_tuning){.leaf_rows = 16, .task_rows_min = 1000, .pending_bodies_min = UINT32_MAX});
    crowd.executor = &executor;
    crowd_scatter(COUNT, 0, 100, 1);
    crowd_tick(); /* which makes a plan */
    for (size_t t = 0; t < sizeof moving / sizeof *moving; t++) {
        const uint32_t before = splits;

        crowd_wander(moving[t], 0.1);
        crowd_tick();
        /* That as many as at this tick move at the next is assumed once, and costs a look at all. */
        assert_int_equal(splits - before, moving[t] == COUNT || (t > 0 && moving[t - 1] == COUNT));
    }
    crowd_end();
}

/* ---- tests of a row ---- */

/* Tests per row and tick since `before`. */
static double tests_since(const qd_space_counters *before, uint32_t ticks)
{
    return (double)(crowd_counters().tests - before->tests) / ticks / crowd.count;
}

/* Once cells are chosen. */
static double tests_of_a_row(void)
{
    qd_space_counters before = {0};

    for (int t = 0; t < 4; t++) {
        crowd_wander(crowd.count, 0.1);
        crowd_tick();
        before = t == 0 ? crowd_counters() : before;
    }
    return tests_since(&before, 3);
}

static void begin_index(qd_space_index index, float side)
{
    const qd_space_config config = crowd_config(index, 0, side);

    crowd_begin(&config, &CROWD_PATIENT);
}

static void fill_evenly(uint32_t count)
{
    crowd_scatter(count, 0, crowd_side(count), 0.5f);
}

static void fill_around_one_huge_box(uint32_t count)
{
    const float middle = (float)crowd_side(count) / 2;

    crowd_add(crowd_box(middle, middle, middle, middle));
    fill_evenly(count - 1);
}

static void fill_with_sizes_of_many_kinds(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        crowd_scatter(1, 0, crowd_side(count) * (QD_AXES == 2 ? 2 : 4), 0.25f * exp2f(crowd_between(0, 6)));
    }
}

/* As many as would be tests against all others are never met, whatever the number of rows. */
TEST(row_is_tested_against_few_others)
{
    static const double tests_max[CROWD_INDEXES] = {300, 300, 250, 450, 160};

    static const struct {
        void (*fill)(uint32_t count);
        uint32_t count;
    } scenes[] = {{fill_evenly, 1000},
                  {fill_evenly, 3000},
                  {fill_evenly, 9000},
                  {fill_evenly, 27000},
                  {fill_around_one_huge_box, 20000},
                  {fill_with_sizes_of_many_kinds, 20000}};
    for (size_t i = 0; i < INDEXES_WITHOUT_BRUTE; i++) {
        for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
            begin_index(crowd_indexes[i], 100);
            scenes[k].fill(scenes[k].count);
            assert_true(tests_of_a_row() < tests_max[i]);
            crowd_end();
        }
    }
}

/* A space that shrinks to a hundredth, and another that grows: cells follow. */
TEST(cells_follow_the_content)
{
    enum { COUNT = 10000 };
    for (size_t i = 0; i < 2 * INDEXES_WITHOUT_BRUTE; i++) {
        const bool grows = i % 2;

        begin_index(crowd_indexes[i / 2], 100);
        crowd_scatter(COUNT, 0, grows ? 100 : 10000, 0.05f);
        assert_true(tests_of_a_row() < 200);
        for (uint32_t n = 0; n < COUNT; n++) {
            const float by = grows ? 100 : 0.01f;

            crowd_place(n, crowd.at[0][n] * by, crowd.at[1][n] * by, crowd.at[2][n] * by);
        }
        for (int t = 0; t < 40; t++) {
            crowd_wander(COUNT, 0.1);
            crowd_tick();
        }
        assert_true(tests_of_a_row() < 200);
        crowd_end();
    }
}

/* The work of ten ticks in which all move. */
static qd_space_counters work_of_a_crowd(qd_space_index index, double large_half)
{
    enum { COUNT = 1000 };
    const double side = QD_AXES == 2 ? 120 : 30;
    qd_space_counters before = {0}, work;

    begin_index(index, 100);
    crowd_scatter(COUNT - 1, 0, side, 0.5f);
    if (large_half > 0) {
        crowd_scatter(1, side / 2, side / 2, (float)large_half);
    }
    for (int t = 0; t < 13; t++) {
        crowd_tick();
        before = t == 2 ? crowd_counters() : before;
        crowd_wander(t < 2 ? 0 : crowd.count, 0.2);
    }
    work = crowd_counters();
    crowd_end();
    work.tests -= before.tests;
    work.list_operations -= before.list_operations;
    return work;
}

TEST(one_large_body_does_not_make_the_others_dear)
{
    for (size_t i = 0; i < INDEXES_WITHOUT_BRUTE; i++) {
        const double operations_max = crowd_indexes[i] == QD_SPACE_HASH ? 1.25 : 1.5;
        const qd_space_counters without = work_of_a_crowd(crowd_indexes[i], 0);

        for (int part = 1; part <= 100; part *= 10) {
            const qd_space_counters with = work_of_a_crowd(crowd_indexes[i], (QD_AXES == 2 ? 60.0 : 15.0) / part);

            assert_true((double)with.tests < 1.25 * (double)without.tests);
            assert_true((double)with.list_operations <= operations_max * (double)without.list_operations);
        }
    }
}

static qd_space_counters counters_with_kernel(const char *kernel, qd_space_index index)
{
    qd_space_kernel_select(kernel);
    begin_index(index, 100);
    for (uint32_t i = 0; i < 1500; i++) {
        crowd_add(crowd_box(crowd_between(0, 100), crowd_between(0, 100), crowd_between(0, 20), 0.7f));
    }
    for (int t = 0; t < 3; t++) {
        crowd_tick();
        crowd_wander(crowd.count, 0.5);
    }
    const qd_space_counters counters = crowd_counters();
    crowd_end();
    qd_space_kernel_select(NULL);
    return counters;
}

TEST(all_kernels_count_the_same)
{
    for (size_t i = 0; i < CROWD_INDEXES; i++) {
        const qd_space_counters first = counters_with_kernel(qd_space_kernel_at(0), crowd_indexes[i]);

        for (uint32_t k = 1; qd_space_kernel_at(k) != NULL; k++) {
            const qd_space_counters other = counters_with_kernel(qd_space_kernel_at(k), crowd_indexes[i]);

            assert_memory_equal(&other, &first, sizeof first);
        }
    }
}

/* ---- memory ---- */

TEST(memory_follows_the_bodies)
{
    for (size_t i = 0; i < INDEXES_WITHOUT_BRUTE; i++) {
        begin_index(crowd_indexes[i], (float)crowd_side(CROWD_MAX));
        assert_true(crowd.heap[0].bytes < 2048);
        assert_int_equal(crowd_tick(), 0);
        fill_evenly(CROWD_MAX);
        for (int t = 0; t < 4; t++) {
            crowd_wander(CROWD_MAX, 0.25);
            crowd_tick();
        }
        assert_true(crowd.heap[0].bytes < CROWD_MAX * (QD_AXES == 2 ? 144u : 224u));
        crowd_end();
    }
}

/* Ten groups that settle in new cells at every tick. */
TEST(crowd_that_moves_on_leaves_nothing_behind)
{
    for (size_t i = 1; i < INDEXES_WITHOUT_BRUTE; i++) {
        qd_space_config config = crowd_config(crowd_indexes[i], 0, 1000);
        size_t bytes = 0;

        config.cell_size = crowd_indexes[i] == QD_SPACE_HASH ? 10 : 0;
        crowd_begin_beside_brute(&config, NULL);
        for (uint32_t n = 0; n < 10; n++) {
            crowd_scatter(30, 100 * n + 1, 100 * n + 9, 0.5f);
        }
        for (uint32_t t = 0; t < 100; t++) {
            crowd_tick();
            bytes = t == 50 ? crowd.heap[0].bytes : bytes;
            for (uint32_t n = 0; n < crowd.count; n++) {
                crowd_shift(n, 1000);
            }
            crowd_move(0, crowd.count);
        }
        assert_in_range(crowd_counters().cells, 1, crowd_indexes[i] == QD_SPACE_HASH ? 100 : 1000);
        assert_in_range(crowd.heap[0].bytes, 1, bytes);
        crowd_end();
    }
}

/* ---- queries: model/space_query.c tests their results ---- */

#define SIDE 200 /* boxes of 0.8 x 0.8 in a row, and rows */

TEST(queries_test_only_near_bodies)
{
    enum { FEW = SIDE * SIDE / 20, ALL = SIDE * SIDE };
    const double endless = (double)INFINITY;
    const struct {
        qd_space_query query;
        uint32_t count, tests_max;
    } cases[] = {
        {{QD_SPACE_IN_BOX, .min_x = 30, .max_x = 35, .min_y = 60, .max_y = 63, .limit = ALL}, 15, FEW},
        {{QD_SPACE_IN_CIRCLE, .x = 120.5f, .y = 90.5f, .radius = 1, .limit = ALL}, 9, FEW},
        {{QD_SPACE_NEAREST, .x = 77, .y = 77, .reach = endless, .limit = 4}, 4, FEW},
        {{QD_SPACE_NEAREST, .x = 77, .y = 77, .reach = 0.2, .limit = ALL}, 4, FEW},
        /* The first hit of a ray that crosses all, and all its hits. */
        {{QD_SPACE_RAY, .x = -5, .y = 20.5f, .direction_x = 1, .reach = endless, .limit = 1}, 1, FEW},
        {{QD_SPACE_RAY, .x = -5, .y = 20.5f, .direction_x = 1, .reach = endless, .limit = SIDE}, SIDE, 5 * FEW},
        /* A query far from all bodies costs no more than the root's own list. */
        {{QD_SPACE_NEAREST, .x = -500, .y = -500, .reach = 10, .limit = 4}, 0, FEW},
    };
    for (size_t i = 0; crowd_indexes[i] != QD_SPACE_GRID; i++) { /* which has no cells between traversals */
        const qd_space_config config = crowd_config(crowd_indexes[i], 0, SIDE);

        crowd_begin(&config, NULL);
        for (uint32_t n = 0; n < ALL; n++) {
            crowd_add(crowd_box((float)(n % SIDE) + 0.5f, (float)(n / SIDE) + 0.5f, 0, 0.4f));
        }
        crowd_tick_for(QD_SPACE_WANT_NOTHING, 1);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            const qd_space_hits hits = crowd_find(cases[k].query);

            assert_int_equal(hits.count, cases[k].count);
            assert_in_range(hits.tests, cases[k].count, cases[k].tests_max);
        }
        crowd_end();
    }
}

TEST_MAIN()
