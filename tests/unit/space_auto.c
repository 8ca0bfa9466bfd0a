/* SPDX-License-Identifier: Apache-2.0
 *
 * AUTO changes its index when it should, does not alternate, and depends on nothing but counters.
 */
#include "space_fixture.h"

#include "server/space/auto.h"

#define COUNT 2000u
#define TICKS 60u /* AUTO makes up its mind within the first ten; the rest is to see that it keeps to it */
#define LEAF  96u
#define FEW   (QD_AXES == 2 ? 256u : 320u) /* rows that BRUTE has, with leaves of that */

static const qd_space_index tree = CROWD_TREE;

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

/* An index that did not help is tried again when the content has changed: once more where that began, at most. */
TEST(index_that_failed_is_tried_again_with_other_content)
{
    const qd_auto_tick denser = {.rows = 1000, .operations = 30, .tests = 2000000, .exact_tests = 800000};
    qd_auto choice;

    qd_auto_init(&choice, LEAF, 0);
    uint32_t changes = 0;
    qd_space_index at_work = play(&choice, tree, &crowded, 100000, &changes);
    assert_int_equal(at_work, tree);
    assert_int_equal(changes, 2);
    at_work = play(&choice, at_work, &denser, 10000, &changes);
    assert_int_equal(at_work, tree);
    assert_in_range(changes, 4, 6);
}

/* A pile that moves together changes its cells in one tick of several: GRID, which costs more in the others, has to be
 * better than the mean. */
TEST(rows_that_change_cells_now_and_then_are_no_storm)
{
    const qd_auto_tick still = {.rows = 1000, .tests = 5000000},
                       crossing = {.rows = 1000, .operations = 2000, .tests = 5000000};
    qd_auto choice;

    qd_auto_init(&choice, LEAF, 0);
    qd_space_index at_work = tree;
    for (uint32_t t = 0; t < 1000; t++) {
        at_work = qd_auto_next(&choice, at_work, at_work == tree && t % 4 == 3 ? &crossing : &still);
        assert_int_not_equal(at_work, QD_SPACE_GRID);
    }
    assert_int_equal(at_work, tree);
}

/* If no index helps, attempts become rare, however the content changes. */
TEST(attempts_without_gain_become_rare)
{
    const qd_auto_tick denser = {.rows = 1000, .operations = 30, .tests = 2000000, .exact_tests = 800000};
    qd_auto choice;

    qd_auto_init(&choice, LEAF, 0);
    qd_space_index at_work = tree;
    uint32_t changes = 0;
    for (int i = 0; i < 1000; i++) {
        at_work = play(&choice, at_work, i % 2 == 0 ? &crowded : &denser, 100, &changes);
    }
    assert_in_range(changes, 4, 40);
    uint32_t last = 0;
    for (int i = 0; i < 10; i++) {
        at_work = play(&choice, at_work, i % 2 == 0 ? &crowded : &denser, 100, &last);
    }
    assert_true(last <= 2);
}

/* What costs less and less would so with the tree, too. */
TEST(trend_is_no_gain_of_the_other_index)
{
    qd_auto choice;

    qd_auto_init(&choice, LEAF, 0);
    qd_auto_tick tick = crowded;
    uint32_t changes = 0;
    qd_space_index at_work = play(&choice, tree, &tick, 1, &changes);
    assert_int_equal(at_work, QD_SPACE_SPARSE);
    for (int t = 0; t < 8; t++) {
        tick.tests = tick.tests * 9 / 10;
        tick.exact_tests = tick.exact_tests * 9 / 10;
        at_work = play(&choice, at_work, &tick, 1, &changes);
    }
    assert_int_equal(at_work, tree);
}

/* Where all rows overlap, no index separates them: two ticks show it. */
TEST(sparse_that_saves_nothing_is_left_at_once)
{
    const qd_auto_tick pile = {.rows = 1000, .operations = 30, .tests = 5000000, .exact_tests = 100};
    qd_auto choice;

    qd_auto_init(&choice, LEAF, 0);
    uint32_t changes = 0;
    qd_space_index at_work = tree;
    while (at_work == tree) {
        at_work = play(&choice, at_work, &pile, 1, &changes);
    }
    assert_int_equal(at_work, QD_SPACE_SPARSE);
    assert_int_equal(play(&choice, at_work, &pile, 1, &changes), QD_SPACE_SPARSE);
    assert_int_equal(play(&choice, at_work, &pile, 1, &changes), tree);
    assert_int_equal(play(&choice, tree, &pile, 10000, &changes), tree);
    assert_int_equal(changes, 2);
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

static float start_of(scene kind, uint32_t i, double side)
{
    return kind == DEEP ? (float)(side * (0.1 + 0.1 * (i % 8))) + crowd_between(0, 60) : crowd_between(0, side);
}

static void observe(scene kind, uint32_t workers, trace *result)
{
    const double side = kind == DEEP ? 1e6 : kind == SPOT ? 8 : crowd_side(COUNT);
    const qd_executor executor = {.run = run_backwards, .width = workers};
    const qd_space_config config = crowd_config(QD_SPACE_AUTO, 0, (float)side);

    crowd_begin(&config, &CROWD_SMALL_TASKS);
    crowd.executor = &executor;
    for (uint32_t i = 0; i < COUNT; i++) {
        crowd_add(crowd_box(start_of(kind, i, side), start_of(kind, i, side), start_of(kind, i, side), 0.5f));
    }
    for (uint32_t t = 0; t < TICKS; t++) {
        for (uint32_t i = 0; kind == STORM && i < COUNT; i++) {
            crowd_place_anywhere(i, 0, side);
        }
        crowd_wander(COUNT, 0.05);
        crowd_tick();
        result->index[t] = crowd_counters().index;
        result->changes = crowd_counters().index_changes;
    }
    crowd_end();
}

TEST(each_scene_gets_its_index)
{
    const struct {
        scene kind;
        qd_space_index index;
        uint32_t changes_max;
    } expected[] = {{CALM, tree, 1}, {STORM, QD_SPACE_GRID, 2}, {DEEP, QD_SPACE_SPARSE, 2}};
    trace seen;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        observe(expected[i].kind, 1, &seen);
        assert_int_equal(seen.index[TICKS / 2], expected[i].index);
        assert_int_equal(seen.index[TICKS - 1], expected[i].index);
        assert_int_equal(seen.changes, expected[i].changes_max);
    }
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

/* Few, then many, then few for long: no event is lost, and AUTO is where it should be. */
TEST(index_follows_a_room_that_fills_and_empties)
{
    const double side = QD_AXES == 2 ? 60 : 20;
    const qd_space_config config = crowd_config(QD_SPACE_AUTO, 0, (float)side);

    crowd_begin_beside_brute(&config, NULL);
    for (uint32_t t = 0; t < 320; t++) {
        const uint32_t wanted = t < 10 ? 50 : t < 30 ? 600 : 50;

        while (crowd.count > wanted) {
            (void)crowd_remove(crowd.count - 1);
        }
        crowd_wander(crowd.count, 0.5);
        crowd_scatter(wanted - crowd.count, 0, side, 0.5f);
        crowd_tick();
        const qd_space_counters counters = crowd_counters();
        assert_true(t >= 30 || counters.index == (t < 10 ? QD_SPACE_BRUTE : tree));
        assert_true(t < 319 || (counters.index == QD_SPACE_BRUTE && counters.index_changes == 2));
    }
    crowd_end();
}

TEST_MAIN()
