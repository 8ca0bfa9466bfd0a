/* SPDX-License-Identifier: Apache-2.0
 *
 * BRUTE: its cost, and that its tasks, its groups and its quantizers neither lose nor invent a pair, compared with
 * loops over all pairs. model/space_model tests all that can happen to a body.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/space/space.h"
#include "server/space/tuning.h"
#include "support/oracle.h"
#include "support/rng.h"
#include "tests/support/test.h"

#define COUNT_MAX 3000u
#define AXES      ((uint32_t)QD_AXES)

typedef struct crowd {
    qd_heap heap;
    qd_space *space;
    uint32_t count;
    uint32_t slot[COUNT_MAX];
    float at[3][COUNT_MAX], half[COUNT_MAX];
    uint32_t category[COUNT_MAX], mask[COUNT_MAX];
    uint8_t *touching; /* a bit per pair */
} crowd;

static crowd c;
static rng_stream rng;

static void begin(uint32_t task_rows_min)
{
    const qd_space_config config = {.dimensions = AXES,
                                    .max_x = 1,
                                    .max_y = 1,
                                    .max_z = AXES == 3,
                                    .index = QD_SPACE_BRUTE,
                                    .bodies_max = COUNT_MAX};

    memset(&c, 0, sizeof c);
    rng.state = 7;
    qd_heap_init(&c.heap);
    assert_int_equal(qd_space_create(&config, &c.heap, &c.space), QD_OK);
    qd_space_tune(
        c.space,
        &(qd_tuning){.leaf_rows = 96, .task_rows_min = task_rows_min, .pending_bodies_min = 0, .apply_slots = 64});
}

static void end(void)
{
    qd_space_validate(c.space);
    qd_space_destroy(c.space);
    assert_int_equal(c.heap.bytes, 0);
    qd_heap_deinit(&c.heap);
    free(c.touching);
}

static void add_filtered(float x, float y, float z, float half, uint32_t category, uint32_t mask)
{
    uint32_t i = c.count++;

    c.at[0][i] = x;
    c.at[1][i] = y;
    c.at[2][i] = z;
    c.half[i] = half;
    c.category[i] = category;
    c.mask[i] = mask;
    qd_body body = {.x = x,
                    .y = y,
                    .z = AXES == 3 ? z : 0,
                    .half_x = half,
                    .half_y = half,
                    .half_z = AXES == 3 ? half : 0,
                    .category = category,
                    .mask = mask,
                    .shape = QD_SPACE_BOX};
    assert_int_equal(qd_space_add(c.space, &body, &c.slot[i]), QD_OK);
    assert_int_equal(c.slot[i], i);
}

static void add(float x, float y, float z, float half)
{
    add_filtered(x, y, z, half, 1, UINT32_MAX);
}

static qd_space_counters counters(void)
{
    qd_space_counters now;

    qd_space_counters_get(c.space, &now);
    return now;
}

static qd_body body_of(uint32_t i)
{
    return (qd_body){.x = c.at[0][i],
                     .y = c.at[1][i],
                     .z = AXES == 3 ? c.at[2][i] : 0,
                     .half_x = c.half[i],
                     .half_y = c.half[i],
                     .half_z = AXES == 3 ? c.half[i] : 0,
                     .shape = QD_SPACE_BOX};
}

static bool touch(uint32_t a, uint32_t b)
{
    const qd_body one = body_of(a), other = body_of(b);

    return (c.category[a] & c.mask[b]) != 0 && (c.category[b] & c.mask[a]) != 0 &&
           oracle_overlap(&one, &other) == ORACLE_OVERLAP;
}

/* Moves all bodies, ticks, and compares the events with what changed between all pairs. */
static size_t tick(const qd_executor *executor)
{
    qd_space_events found;
    const uint32_t *freed;
    size_t freed_count, changes = 0, pairs = (size_t)c.count * c.count;

    if (c.touching == NULL) {
        c.touching = calloc(pairs, 1);
    }
    qd_space_move(c.space, c.count, c.slot, c.at[0], c.at[1], AXES == 3 ? c.at[2] : NULL);
    qd_space_tick(c.space, executor, QD_SPACE_WANT_EVENTS, 1u << 24, &found);
    assert_true(found.complete);
    for (size_t i = 0; i < found.count; i++) {
        uint32_t a = qd_space_event_a(found.events[i]), b = qd_space_event_b(found.events[i]);
        uint8_t *pair = &c.touching[(a < b ? a : b) * (size_t)c.count + (a < b ? b : a)];

        assert_int_equal(qd_space_event_kind(found.events[i]), *pair ? QD_SPACE_END : QD_SPACE_BEGIN);
        *pair = !*pair;
    }
    changes = found.count;
    qd_space_settle(c.space, &freed, &freed_count);
    for (uint32_t a = 0; a < c.count; a++) {
        for (uint32_t b = a + 1; b < c.count; b++) {
            assert_int_equal(c.touching[a * (size_t)c.count + b], touch(a, b));
        }
    }
    return changes;
}

static void wander(float step)
{
    for (uint32_t i = 0; i < c.count; i++) {
        for (uint32_t k = 0; k < AXES; k++) {
            c.at[k][i] += rng_between(&rng, -(double)step, (double)step);
        }
    }
}

TEST(move_costs_no_list_operation_and_rest_no_test)
{
    begin(8192);
    for (uint32_t i = 0; i < 100; i++) {
        add((float)i, 0, 0, 0.6f);
    }
    tick(&qd_executor_serial);
    assert_int_equal(counters().list_operations, 100);
    for (uint32_t i = 0; i < 100; i++) {
        c.at[0][i] = rng_between(&rng, -1e6, 1e6);
    }
    tick(&qd_executor_serial);
    assert_int_equal(counters().list_operations, 100);
    /* After a tick at which all bodies moved, the next tick expects that again. */
    uint64_t tests = 0;
    for (int t = 0; t < 3; t++) {
        qd_space_events found;
        const uint32_t *freed;
        size_t freed_count;

        qd_space_tick(c.space, &qd_executor_serial, QD_SPACE_WANT_EVENTS, 100, &found);
        qd_space_settle(c.space, &freed, &freed_count);
        assert_int_equal(found.count, 0);
        tests = t == 0 ? counters().tests : tests;
    }
    assert_int_equal(counters().tests, tests);
    end();
}

/* The quantizer is chosen around the bodies. That must be right for a point, for a line, and for sides that floats
 * hardly distinguish. */
TEST(spaces_of_any_extent_are_sorted)
{
    const double sides[] = {0, 1e-30, 1, 1e9, 3e38}, part = AXES == 2 ? 20 : 8;

    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
        begin(8192);
        double side = sides[s], half = side / part;
        for (uint32_t i = 0; i < 120; i++) {
            float y = i % 3 == 0 ? 0 : rng_between(&rng, -side, side);

            add(rng_between(&rng, -side, side), y, rng_between(&rng, -side, side), (float)half);
        }
        size_t changes = tick(&qd_executor_serial);
        assert_true(changes > (side > 0 ? 20 : 7000));
        for (int t = 0; t < 5; t++) {
            wander((float)(side / (2 * part)));
            changes += tick(&qd_executor_serial);
        }
        assert_true(side == 0 || changes > 30);
        end();
    }
}

static void run_backwards(void *context, size_t count, qd_task_fn task, void *argument)
{
    (void)context;
    while (count-- > 0) {
        task(count, argument);
    }
}

/* Enough rows for groups, and shares for several workers, which need not run in order. */
TEST(many_bodies_on_several_workers_agree)
{
    for (uint32_t workers = 1; workers <= 7; workers += 3) {
        const qd_executor executor = {.run = run_backwards, .width = workers};

        begin(100);
        for (uint32_t i = 0; i < COUNT_MAX; i++) {
            add(rng_between(&rng, 0, 100), rng_between(&rng, 0, 100), rng_between(&rng, 0, 3), 0.7f);
        }
        size_t changes = tick(&executor);
        wander(0.5f);
        changes += tick(&executor);
        /* The first half rests; then all but a few bodies rest. */
        for (uint32_t moving = c.count / 2; moving > 0; moving /= 40) {
            for (uint32_t i = 0; i < moving; i++) {
                c.at[0][i] += 0.5f;
            }
            changes += tick(&executor);
        }
        assert_true(changes > COUNT_MAX / 2);
        end();
    }
}

/* The quantizer is kept for some traversals. Bodies outside of it still meet, and the next one separates them. */
TEST(crowd_that_moves_on_is_quantized_again)
{
    const uint32_t count = 200, ticks = 80, all_pairs = count * (count - 1) / 2;

    begin(8192);
    for (uint32_t i = 0; i < count; i++) {
        add(rng_between(&rng, 0, 40), rng_between(&rng, 0, 40), rng_between(&rng, 0, 3), 0.7f);
    }
    size_t changes = tick(&qd_executor_serial);
    for (uint32_t t = 0; t < ticks; t++) {
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t k = 0; k < AXES; k++) {
                c.at[k][i] += 4;
            }
        }
        wander(0.5f);
        changes += tick(&qd_executor_serial);
    }
    assert_true(changes > ticks);
    assert_true(counters().exact_tests < ticks / 10 * all_pairs);
    end();
}

static void filter(uint32_t i, uint32_t category, uint32_t mask)
{
    c.category[i] = category;
    c.mask[i] = mask;
    qd_space_refilter(c.space, c.slot[i], category, mask);
}

/* 2,000 bodies in one place ignore each other and heed a few others. Only pairs with those others are tested. */
TEST(crowd_of_self_ignoring_bodies_costs_no_tests)
{
    const uint32_t bodies = 2000, others = 20;

    for (uint32_t k = 0; qd_space_kernel_at(k) != NULL; k++) {
        qd_space_kernel_select(qd_space_kernel_at(k));
        begin(8192);
        for (uint32_t i = 0; i < bodies; i++) {
            bool is_other = i % (bodies / others) == 0;

            add_filtered(1, 1, 1, 0.5f, is_other ? 2 : 1, is_other ? 1 : 2);
        }
        assert_int_equal(tick(&qd_executor_serial), (bodies - others) * others);
        for (uint32_t moving = bodies; moving > 0; moving /= 12) {
            for (uint32_t i = 0; i < moving; i++) {
                c.at[0][i] += rng_between(&rng, -0.6, 0.6);
            }
            assert_true(tick(&qd_executor_serial) > 0);
        }
        assert_true(counters().exact_tests < 5 * bodies * (others + 1));
        /* Bodies that stop being self-ignoring, or change to another such filter, are tested again. */
        for (uint32_t i = 0; i < bodies; i += 7) {
            filter(i, i % 2 == 0 ? 1 : 4, i % 2 == 0 ? 1 : 3);
        }
        assert_true(tick(&qd_executor_serial) > bodies);
        for (uint32_t i = 0; i < bodies; i += 7) {
            filter(i, 1, 2);
        }
        assert_true(tick(&qd_executor_serial) > bodies);
        end();
    }
    qd_space_kernel_select(NULL);
}

TEST(all_kernels_count_the_same)
{
    qd_space_counters first = {0};

    for (uint32_t k = 0; qd_space_kernel_at(k) != NULL; k++) {
        qd_space_kernel_select(qd_space_kernel_at(k));
        begin(8192);
        for (uint32_t i = 0; i < 1500; i++) {
            add(rng_between(&rng, 0, 100), rng_between(&rng, 0, 100), rng_between(&rng, 0, 20), 0.7f);
        }
        for (int t = 0; t < 3; t++) {
            tick(&qd_executor_serial);
            wander(0.5f);
        }
        first = k == 0 ? counters() : first;
        assert_int_equal(counters().tests, first.tests);
        assert_int_equal(counters().exact_tests, first.exact_tests);
        end();
    }
    qd_space_kernel_select(NULL);
}

TEST_MAIN()
