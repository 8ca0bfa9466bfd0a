/* SPDX-License-Identifier: Apache-2.0
 *
 * GRID: that sorting brings together what can meet, each pair once, whatever the size of its cells; and what that
 * costs, where the size is its own choice. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/rng.h"
#include "support/space_twins.h"
#include "tests/support/test.h"

#define AXES      ((uint32_t)QD_AXES)
#define COUNT_MAX 4000u

static rng_stream rng;

static qd_space_config config_of(float cell_size)
{
    return (qd_space_config){.dimensions = AXES,
                             .max_x = 100,
                             .max_y = 100,
                             .max_z = AXES == 3 ? 100 : 0,
                             .index = QD_SPACE_GRID,
                             .cell_size = cell_size,
                             .bodies_max = 1u << 20};
}

static float depth(double lo, double hi)
{
    return AXES == 3 ? rng_between(&rng, lo, hi) : 0;
}

/* ---- the same events as BRUTE ---- */

typedef struct crowd {
    twins twins;
    uint32_t count;
    uint32_t slot[COUNT_MAX];
    float at[3][COUNT_MAX], half[COUNT_MAX];
} crowd;

static crowd c;

static qd_body any_body(void)
{
    float half = 0.05f * exp2f(rng_between(&rng, 0, 9));
    qd_body body = {
        .x = rng_between(&rng, 0, 100),
        .y = rng_between(&rng, 0, 100),
        .z = depth(0, 100),
        .half_x = half,
        .half_y = half * rng_between(&rng, 0, 1),
        .half_z = AXES == 3 ? half * rng_between(&rng, 0, 1) : 0,
        .radius = half * 0.3f,
        .category = rng_one_in(&rng, 5) ? 2 : 1,
        .mask = rng_one_in(&rng, 5) ? 1 : UINT32_MAX,
        .shape = (uint8_t)(1 + rng_below(&rng, 3)),
    };

    if (rng_one_in(&rng, 50)) {
        body.x *= 1e4f;
    }
    return body;
}

static void add(void)
{
    uint32_t i = c.count++;
    qd_body body = any_body();

    c.slot[i] = twins_add(&c.twins, &body);
    c.at[0][i] = body.x;
    c.at[1][i] = body.y;
    c.at[2][i] = body.z;
    c.half[i] = body.half_x;
}

static void remove_at(uint32_t i)
{
    twins_remove(&c.twins, c.slot[i]);
    c.count--;
    c.slot[i] = c.slot[c.count];
    c.half[i] = c.half[c.count];
    for (uint32_t k = 0; k < 3; k++) {
        c.at[k][i] = c.at[k][c.count];
    }
}

/* Most go a little way, one in `far` goes anywhere. */
static void move_all(uint32_t far)
{
    for (uint32_t i = 0; i < c.count; i++) {
        bool jumps = rng_one_in(&rng, far);

        for (uint32_t k = 0; k < AXES; k++) {
            c.at[k][i] = jumps ? rng_between(&rng, 0, 100) : c.at[k][i] + rng_between(&rng, -1, 1) * c.half[i];
        }
    }
    twins_move(&c.twins, c.count, c.slot, c.at[0], c.at[1], AXES == 3 ? c.at[2] : NULL);
}

static void change_some(void)
{
    for (uint32_t i = 0; i < 10; i++) {
        uint32_t at = rng_below(&rng, c.count);
        qd_body form = any_body();

        if (i % 5 == 0) {
            remove_at(at);
        } else if (i % 5 == 1) {
            twins_reshape(&c.twins, c.slot[at], &form);
        } else if (i % 5 == 2) {
            twins_refilter(&c.twins, c.slot[at], form.category, form.mask);
        } else if (i % 5 == 3) {
            twins_teleport(&c.twins, 1, &c.slot[at], &form.x, &form.y, AXES == 3 ? &form.z : NULL);
        } else {
            add();
        }
    }
}

static void run_backwards(void *context, size_t count, qd_task_fn task, void *argument)
{
    (void)context;
    while (count-- > 0) {
        task(count, argument);
    }
}

static void play(float cell_size, bool swept, uint32_t workers)
{
    const qd_executor executor = {.run = run_backwards, .width = workers};
    qd_space_config config = config_of(cell_size);
    size_t events = 0;

    config.swept = swept;
    c.count = 0;
    twins_begin(&c.twins, &config,
                &(qd_tuning){.leaf_rows = 96, .task_rows_min = 100, .pending_bodies_min = 0, .apply_slots = 64});
    c.twins.executor = &executor;
    for (uint32_t i = 0; i < 700; i++) {
        add();
    }
    twins_pairs(&c.twins);
    for (uint32_t t = 0; t < 12; t++) {
        move_all(t % 4 == 3 ? 2 : 40);
        change_some();
        if (t % 3 == 0) {
            twins_pairs(&c.twins);
        }
        events += twins_tick(&c.twins, t % 6 == 5 ? QD_SPACE_WANT_STAYS : QD_SPACE_WANT_EVENTS);
        /* Few that move among many at rest. */
        twins_move(&c.twins, 5, c.slot, c.at[1], c.at[0], AXES == 3 ? c.at[2] : NULL);
        events += twins_tick(&c.twins, t == 7 ? QD_SPACE_WANT_NOTHING : QD_SPACE_WANT_EVENTS);
    }
    assert_true(events > 5000);
    twins_end(&c.twins);
}

TEST(events_equal_those_of_brute)
{
    const float sizes[] = {0, 0.02f, 1, 7, 1e5f};

    rng.state = 3;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        play(sizes[i], false, 1);
        play(sizes[i], false, 3);
        play(sizes[i], true, 1);
    }
}

TEST(every_kernel_agrees)
{
    for (uint32_t k = 0; qd_space_kernel_at(k) != NULL; k++) {
        qd_space_kernel_select(qd_space_kernel_at(k));
        rng.state = 4;
        play(3, false, 2);
    }
    qd_space_kernel_select(NULL);
}

/* ---- what it costs ---- */

typedef struct load {
    qd_heap heap;
    qd_space *space;
    uint32_t count;
    uint32_t *slot;
    float *at[3];
} load;

static void load_begin(load *l, uint32_t count)
{
    const qd_space_config config = config_of(0);

    qd_heap_init(&l->heap);
    assert_int_equal(qd_space_create(&config, &l->heap, &l->space), QD_OK);
    /* The cost of crowds is counted to the end. */
    qd_space_tune(l->space, &(qd_tuning){.leaf_rows = 96, .task_rows_min = 8192, .misses_min = UINT32_MAX});
    l->count = 0;
    l->slot = malloc(count * sizeof *l->slot);
    for (uint32_t k = 0; k < 3; k++) {
        l->at[k] = malloc(count * sizeof(float));
    }
}

static void load_add(load *l, float x, float y, float z, float half)
{
    qd_body body = {.x = x,
                    .y = y,
                    .z = z,
                    .half_x = half,
                    .half_y = half,
                    .half_z = AXES == 3 ? half : 0,
                    .category = 1,
                    .mask = UINT32_MAX,
                    .shape = QD_SPACE_BOX};
    uint32_t i = l->count++;

    l->at[0][i] = x;
    l->at[1][i] = y;
    l->at[2][i] = z;
    assert_int_equal(qd_space_add(l->space, &body, &l->slot[i]), QD_OK);
}

static void load_end(load *l)
{
    qd_space_destroy(l->space);
    assert_int_equal(l->heap.bytes, 0);
    qd_heap_deinit(&l->heap);
    free(l->slot);
    for (uint32_t k = 0; k < 3; k++) {
        free(l->at[k]);
    }
}

static qd_space_counters load_tick(load *l, float step)
{
    qd_space_events found;
    const uint32_t *freed;
    size_t freed_count;

    for (uint32_t i = 0; i < l->count; i++) {
        for (uint32_t k = 0; k < AXES; k++) {
            l->at[k][i] += rng_between(&rng, -(double)step, (double)step);
        }
    }
    qd_space_move(l->space, l->count, l->slot, l->at[0], l->at[1], AXES == 3 ? l->at[2] : NULL);
    qd_space_tick(l->space, &qd_executor_serial, QD_SPACE_WANT_EVENTS, 1u << 24, &found);
    assert_true(found.complete);
    qd_space_settle(l->space, &freed, &freed_count);
    qd_space_counters counters;
    qd_space_counters_get(l->space, &counters);
    return counters;
}

/* Tests a row, once the size of cells is chosen. */
static double load_tests(load *l)
{
    qd_space_counters before = load_tick(l, 0.1f), after;

    for (int t = 0; t < 3; t++) {
        after = load_tick(l, 0.1f);
    }
    return (double)(after.tests - before.tests) / 3 / l->count;
}

TEST(move_is_no_list_operation)
{
    load l;

    load_begin(&l, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        load_add(&l, (float)(i % 32), (float)(i / 32), depth(0, 30), 0.4f);
    }
    load_tick(&l, 0.1f);
    load_tick(&l, 1e6f);
    assert_int_equal(load_tick(&l, 1e6f).list_operations, 1000);
    load_end(&l);
}

/* As many as would be tests against all others are never met, whatever the number of rows. */
TEST(rows_meet_a_cellful_of_others)
{
    for (uint32_t count = 1000; count <= 27000; count *= 3) {
        double side = AXES == 2 ? 4 * sqrt(count) : 3.17 * cbrt(count);
        load l;

        load_begin(&l, count);
        for (uint32_t i = 0; i < count; i++) {
            load_add(&l, rng_between(&rng, 0, side), rng_between(&rng, 0, side), depth(0, side), 0.5f);
        }
        assert_true(load_tests(&l) < 200);
        load_end(&l);
    }
}

TEST(one_huge_box_costs_each_row_a_test)
{
    const uint32_t count = 20000;
    double side = AXES == 2 ? 4 * sqrt(count) : 3.17 * cbrt(count);
    load l;

    load_begin(&l, count);
    load_add(&l, (float)side / 2, (float)side / 2, AXES == 3 ? (float)side / 2 : 0, (float)side / 2);
    for (uint32_t i = 1; i < count; i++) {
        load_add(&l, rng_between(&rng, 0, side), rng_between(&rng, 0, side), depth(0, side), 0.5f);
    }
    assert_true(load_tests(&l) < 200);
    load_end(&l);
}

TEST(sizes_of_many_kinds)
{
    const uint32_t count = 20000;
    double side = AXES == 2 ? 8 * sqrt(count) : 12.5 * cbrt(count);
    load l;

    load_begin(&l, count);
    for (uint32_t i = 0; i < count; i++) {
        load_add(&l, rng_between(&rng, 0, side), rng_between(&rng, 0, side), depth(0, side),
                 0.25f * exp2f(rng_between(&rng, 0, 6)));
    }
    assert_true(load_tests(&l) < 600);
    load_end(&l);
}

/* A space that shrinks to a hundredth, and another that grows: cells follow. */
TEST(cells_follow_the_content)
{
    const uint32_t count = 10000;

    for (int grows = 0; grows < 2; grows++) {
        load l;

        load_begin(&l, count);
        double side = grows ? 100 : 10000;
        for (uint32_t i = 0; i < count; i++) {
            load_add(&l, rng_between(&rng, 0, side), rng_between(&rng, 0, side), depth(0, side), 0.05f);
        }
        assert_true(load_tests(&l) < 200);
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t k = 0; k < AXES; k++) {
                l.at[k][i] *= grows ? 100 : 0.01f;
            }
        }
        for (int t = 0; t < 40; t++) {
            load_tick(&l, 0.1f);
        }
        assert_true(load_tests(&l) < 200);
        load_end(&l);
    }
}

/* A size whose words are too many for the plan is given up before they are sorted; then all rows go, so that traversals
 * have nothing to sort either. */
TEST(traversals_without_rows_test_no_words)
{
    qd_space_config config = config_of(2);
    qd_space_events events;
    const uint32_t *freed;
    size_t freed_count;
    uint32_t slot[4];
    qd_space *space;
    qd_heap heap;

    (void)state;
    qd_heap_init(&heap);
    assert_int_equal(qd_space_create(&config, &heap, &space), QD_OK);
    for (uint32_t i = 0; i < 4; i++) {
        float at = 10 + 20 * (float)i;
        qd_body body = {.x = at,
                        .y = at,
                        .z = AXES == 3 ? at : 0,
                        .half_x = 3,
                        .half_y = 3,
                        .half_z = AXES == 3 ? 3 : 0,
                        .shape = QD_SPACE_BOX,
                        .category = 1,
                        .mask = 1};

        assert_int_equal(qd_space_add(space, &body, &slot[i]), QD_OK);
    }
    for (uint32_t tick = 0; tick < 20; tick++) {
        if (tick == 1) {
            for (uint32_t i = 0; i < 4; i++) {
                (void)qd_space_remove(space, slot[i], QD_SPACE_DESPAWNED);
            }
        }
        qd_space_tick(space, &qd_executor_serial, tick < 2 ? QD_SPACE_WANT_NOTHING : QD_SPACE_WANT_EVENTS, 100,
                      &events);
        assert_int_equal(events.count, 0);
        qd_space_settle(space, &freed, &freed_count);
    }
    qd_space_destroy(space);
    qd_heap_deinit(&heap);
}

TEST_MAIN()
