/* SPDX-License-Identifier: Apache-2.0
 *
 * A traversal that compares ever more pairs and finds no event stops, whichever the index, and AUTO takes one that does
 * better.
 */

#include "server/space/space.h"
#include "server/space/tuning.h"
#include "support/backwards.h"
#include "support/rng.h"
#include "tests/support/test.h"

#define AXES  QD_AXES
#define COUNT 2000u
#define LIMIT 100u
#define VAIN  1000u

static const qd_space_index tree = AXES == 2 ? QD_SPACE_QUADTREE : QD_SPACE_OCTREE;

typedef struct spots {
    qd_heap heap;
    qd_space *space;
    uint32_t slot[COUNT];
    float at[3][COUNT];
} spots;

/* Points in two far corners: those of a corner are in one cell of most indexes, and no two are at the same place. */
static void begin(spots *s, qd_space_index index)
{
    const qd_space_config config = {.dimensions = AXES,
                                    .index = index,
                                    .max_x = 1000,
                                    .max_y = 1000,
                                    .max_z = AXES == 3 ? 1000 : 0,
                                    .bodies_max = COUNT};
    rng_stream rng = {7};

    qd_heap_init(&s->heap);
    assert_int_equal(qd_space_create(&config, &s->heap, &s->space), QD_OK);
    qd_space_tune(s->space, &(qd_tuning){.leaf_rows = 96, .task_rows_min = 100, .misses_min = VAIN});
    for (uint32_t i = 0; i < COUNT; i++) {
        const float corner = i % 2 == 0 ? 0 : 900, step = i % 2 == 0 ? 0x1p-20f : 0x1p-13f;

        s->at[0][i] = corner + step * (float)i;
        s->at[1][i] = corner + step * (float)rng_below(&rng, COUNT);
        s->at[2][i] = AXES == 3 ? corner + step * (float)rng_below(&rng, COUNT) : 0;
        const qd_body body = {.x = s->at[0][i],
                              .y = s->at[1][i],
                              .z = s->at[2][i],
                              .category = 1,
                              .mask = UINT32_MAX,
                              .shape = QD_SPACE_BOX};
        assert_int_equal(qd_space_add(s->space, &body, &s->slot[i]), QD_OK);
    }
}

static void end(spots *s)
{
    qd_space_validate(s->space);
    qd_space_destroy(s->space);
    assert_int_equal(s->heap.bytes, 0);
    qd_heap_deinit(&s->heap);
}

static qd_space_events tick(spots *s, const qd_executor *executor)
{
    qd_space_events found;
    const uint32_t *freed;
    size_t freed_count;

    qd_space_tick(s->space, executor, QD_SPACE_WANT_EVENTS, LIMIT, &found);
    qd_space_settle(s->space, &freed, &freed_count);
    return found;
}

static qd_space_counters counters_of(const spots *s)
{
    qd_space_counters counters;

    qd_space_counters_get(s->space, &counters);
    return counters;
}

static void expect_stop(qd_space_index index, const qd_executor *executor)
{
    static spots s;
    qd_space_events found;

    begin(&s, index);
    assert_false(tick(&s, executor).complete);
    qd_space_pairs(s.space, executor, LIMIT, &found);
    assert_false(found.complete);
    /* All of them, twice, would be two million. */
    assert_in_range(counters_of(&s).exact_tests, 2 * (VAIN + QD_MISSES_PER_ROW * COUNT), 1000000);
    end(&s);
}

TEST(traversal_without_hits_stops)
{
    const qd_space_index indexes[] = {QD_SPACE_BRUTE, tree, QD_SPACE_GRID};

    (void)state;
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
    static spots s;

    (void)state;
    begin(&s, QD_SPACE_AUTO);
    assert_false(tick(&s, &backwards).complete);
    assert_int_equal(counters_of(&s).index, QD_SPACE_SPARSE);
    qd_space_events found;
    qd_space_pairs(s.space, &backwards, LIMIT, &found);
    assert_true(found.complete && found.count == 0);
    for (uint32_t t = 0; t < 300; t++) {
        /* Two meet, and part. */
        const uint32_t from = t % 2 == 0 ? 2 : 0;

        qd_space_move(s.space, 1, &s.slot[0], &s.at[0][from], &s.at[1][from], AXES == 3 ? &s.at[2][from] : NULL);
        found = tick(&s, &backwards);
        assert_true(found.complete && found.count == 1);
        assert_int_equal(counters_of(&s).index, QD_SPACE_SPARSE);
    }
    end(&s);
}

/* Points that all go side by side, from corner to corner of boxes that overlap, that their tests are more than
 * are for swept ones, and fewer than for others. */
#define SWEPT_COUNT 2400u

TEST(swept_traversal_stops_sooner)
{
    const bool is_swept[] = {true, false};
    const size_t tests = SWEPT_COUNT * (SWEPT_COUNT - 1) / 2;

    (void)state;
    assert_in_range(tests, QD_MISSES_SLOW + QD_MISSES_PER_ROW * SWEPT_COUNT + 1, QD_MISSES_DEFAULT);
    for (size_t k = 0; k < 2; k++) {
        static uint32_t slot[SWEPT_COUNT];
        static float x[SWEPT_COUNT], y[SWEPT_COUNT], z[SWEPT_COUNT];
        const qd_space_config config = {.dimensions = AXES,
                                        .index = QD_SPACE_BRUTE,
                                        .swept = is_swept[k],
                                        .max_x = 1000,
                                        .max_y = 1000,
                                        .max_z = AXES == 3 ? 1000 : 0,
                                        .bodies_max = SWEPT_COUNT};
        spots s = {.space = NULL};

        qd_heap_init(&s.heap);
        assert_int_equal(qd_space_create(&config, &s.heap, &s.space), QD_OK);
        for (uint32_t i = 0; i < SWEPT_COUNT; i++) {
            const qd_body body = {.x = 0x1p-6f * (float)i, .category = 1, .mask = UINT32_MAX, .shape = QD_SPACE_BOX};

            assert_int_equal(qd_space_add(s.space, &body, &slot[i]), QD_OK);
            x[i] = body.x + 500;
            y[i] = 500;
        }
        assert_true(tick(&s, &backwards).complete);
        qd_space_move(s.space, SWEPT_COUNT, slot, x, y, AXES == 3 ? z : NULL);
        assert_int_equal(tick(&s, &backwards).complete, !is_swept[k]);
        end(&s);
    }
}

TEST_MAIN()
