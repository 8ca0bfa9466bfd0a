/* SPDX-License-Identifier: Apache-2.0
 *
 * The brute force of `replay --check`: by hand, where every event and its reason is known.
 */

#include "client/tools/check.h"
#include "tests/support/test.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* An entity in two dimensions, as traces have them. */
#define AT(number, at_x, at_y, width, height)                                                                          \
    {                                                                                                                  \
        .id = (number), .x = (at_x), .y = (at_y), .half_x = (width), .half_y = (height)                                \
    }

#define ROUND(number, at_x, at_y, wide)                                                                                \
    {                                                                                                                  \
        .id = (number), .x = (at_x), .y = (at_y), .radius = (wide)                                                     \
    }

static void expect_events(qd_check *check, const qd_entity *entities, uint32_t count, const qd_event *wanted,
                          size_t wanted_count)
{
    const qd_events *events = qd_check_tick(check, entities, count);

    assert_non_null(events);
    assert_int_equal(events->count, wanted_count);
    for (size_t i = 0; i < wanted_count; i++) {
        assert_int_equal(events->items[i].kind, wanted[i].kind);
        assert_int_equal(events->items[i].a, wanted[i].a);
        assert_int_equal(events->items[i].b, wanted[i].b);
        assert_int_equal(events->items[i].reason, wanted[i].reason);
    }
}

/* One tick after the other: begins, then an end for each reason, all of them ordered, ids unsigned. */
TEST(pairs_begin_and_end)
{
    qd_check *check = qd_check_create(QD_SHAPE_BOX, false);

    assert_non_null(check);
    expect_events(check, NULL, 0, NULL, 0);

    static const qd_entity together[] = {AT(1, 0, 0, 1, 1), AT(2, 1, 1, 1, 1), AT(3, 2, 0, 1, 1),
                                         AT(4000000000u, 1, 0, 1, 1)};
    static const qd_event begins[] = {{QD_EVENT_BEGIN, 1, 2, 0},           {QD_EVENT_BEGIN, 1, 3, 0},
                                      {QD_EVENT_BEGIN, 1, 4000000000u, 0}, {QD_EVENT_BEGIN, 2, 3, 0},
                                      {QD_EVENT_BEGIN, 2, 4000000000u, 0}, {QD_EVENT_BEGIN, 3, 4000000000u, 0}};
    expect_events(check, together, COUNT_OF(together), begins, COUNT_OF(begins));
    expect_events(check, together, COUNT_OF(together), NULL, 0);

    /* 2 is gone, 3 is smaller and elsewhere, the last has moved. */
    static const qd_entity apart[] = {AT(1, 0, 0, 1, 1), AT(3, 50, 0, 0.5f, 1), AT(4000000000u, -9, 0, 1, 1)};
    static const qd_event ends[] = {{QD_EVENT_END, 1, 2, QD_END_DESPAWNED},
                                    {QD_EVENT_END, 1, 3, QD_END_RESIZED},
                                    {QD_EVENT_END, 1, 4000000000u, QD_END_MOVED_APART},
                                    {QD_EVENT_END, 2, 3, QD_END_DESPAWNED},
                                    {QD_EVENT_END, 2, 4000000000u, QD_END_DESPAWNED},
                                    {QD_EVENT_END, 3, 4000000000u, QD_END_RESIZED}};
    expect_events(check, apart, COUNT_OF(apart), ends, COUNT_OF(ends));

    /* Ends go before begins. */
    static const qd_entity again[] = {AT(1, 0, 0, 1, 1), AT(2, 0, 0, 1, 1)};
    static const qd_event begin[] = {{QD_EVENT_BEGIN, 1, 2, 0}};
    expect_events(check, again, COUNT_OF(again), begin, 1);
    static const qd_entity swapped[] = {AT(1, 0, 0, 1, 1), AT(2, 9, 0, 1, 1), AT(3, 0, 0, 1, 1)};
    static const qd_event both[] = {{QD_EVENT_END, 1, 2, QD_END_MOVED_APART}, {QD_EVENT_BEGIN, 1, 3, 0}};
    expect_events(check, swapped, COUNT_OF(swapped), both, COUNT_OF(both));
    qd_check_destroy(check);
}

/* Shapes are closed, and the last bit counts. */
TEST(touching_counts)
{
    static const struct {
        qd_shape shape;
        qd_entity a, b;
        bool overlap;
    } cases[] = {
        {QD_SHAPE_BOX, AT(1, 0, 0, 1, 1), AT(2, 2, 2, 1, 1), true},
        {QD_SHAPE_BOX, AT(1, 0, 0, 1, 1), AT(2, 2, 0x1.000002p+1f, 1, 1), false},
        {QD_SHAPE_BOX, AT(1, 0, 0, 0, 0), AT(2, 0, 0, 0, 0), true},
        {QD_SHAPE_CIRCLE, ROUND(1, 0, 0, 2), ROUND(2, 3, 4, 3), true},
        {QD_SHAPE_CIRCLE, ROUND(1, 0, 0, 2), ROUND(2, 3, 4, 0x1.7ffffep+1f), false},
        {QD_SHAPE_CIRCLE, ROUND(1, 0, 0, 2), ROUND(2, 3, 3, 2), false},
        /* Corners are rounded to float32: 3 more than 2^24 is 4 more. */
        {QD_SHAPE_BOX, AT(1, 16777216, 0, 3, 0), AT(2, 16777220, 0, 0, 0), true},
        {QD_SHAPE_BOX, AT(1, 16777216, 0, 3, 0), AT(2, 16777222, 0, 0, 0), false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        qd_check *check = qd_check_create(cases[i].shape, false);

        assert_non_null(check);
        const qd_entity pair[] = {cases[i].a, cases[i].b};
        static const qd_event begin[] = {{QD_EVENT_BEGIN, 1, 2, 0}};
        expect_events(check, pair, 2, begin, cases[i].overlap ? 1 : 0);
        qd_check_destroy(check);
    }
}

/* On the way only; entities that overlapped before, overlap now, or are new did not pass. */
TEST(swept_pairs_pass)
{
    static const struct {
        qd_shape shape;
        qd_entity was[2], now[2];
        bool passed;
    } cases[] = {
        {QD_SHAPE_BOX, {AT(1, 0, 0, 1, 1), AT(2, 10, 0, 1, 1)}, {AT(1, 20, 0, 1, 1), AT(2, 10, 0, 1, 1)}, true},
        {QD_SHAPE_BOX, {AT(1, 0, 2, 1, 1), AT(2, 10, 0, 1, 1)}, {AT(1, 20, 2, 1, 1), AT(2, 10, 0, 1, 1)}, true},
        {QD_SHAPE_BOX, {AT(1, 0, 2.5f, 1, 1), AT(2, 10, 0, 1, 1)}, {AT(1, 20, 2.5f, 1, 1), AT(2, 10, 0, 1, 1)}, false},
        /* Both move; they cross, or one is gone before the other comes. */
        {QD_SHAPE_BOX, {AT(1, 0, 0, 1, 1), AT(2, 0, 10, 1, 1)}, {AT(1, 10, 10, 1, 1), AT(2, 10, 0, 1, 1)}, true},
        {QD_SHAPE_BOX, {AT(1, 0, 0, 1, 1), AT(2, 20, 6, 1, 1)}, {AT(1, 20, 0, 1, 1), AT(2, 20, -40, 1, 1)}, false},
        /* The size that counts is the present one. */
        {QD_SHAPE_BOX, {AT(1, 0, 3, 1, 1), AT(2, 10, 0, 1, 1)}, {AT(1, 20, 3, 1, 2), AT(2, 10, 0, 1, 1)}, true},
        {QD_SHAPE_BOX, {AT(1, 0, 3, 1, 2), AT(2, 10, 0, 1, 1)}, {AT(1, 20, 3, 1, 1), AT(2, 10, 0, 1, 1)}, false},
        {QD_SHAPE_CIRCLE, {ROUND(1, 0, 5, 2), ROUND(2, 10, 0, 3)}, {ROUND(1, 20, 5, 2), ROUND(2, 10, 0, 3)}, true},
        {QD_SHAPE_CIRCLE,
         {ROUND(1, 0, 5, 2), ROUND(2, 10, 0, 0x1.7ffffep+1f)},
         {ROUND(1, 20, 5, 2), ROUND(2, 10, 0, 0x1.7ffffep+1f)},
         false},
        /* Towards each other, but not far enough. */
        {QD_SHAPE_CIRCLE, {ROUND(1, 0, 0, 1), ROUND(2, 10, 0, 1)}, {ROUND(1, 3, 0, 1), ROUND(2, 6, 0, 1)}, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        qd_check *check = qd_check_create(cases[i].shape, true);

        assert_non_null(check);
        static const qd_event passed[] = {{QD_EVENT_PASSED, 1, 2, 0}};
        expect_events(check, cases[i].was, 2, NULL, 0);
        expect_events(check, cases[i].now, 2, passed, cases[i].passed ? 1 : 0);
        qd_check_destroy(check);
    }

    /* Ends, begins and passed in this order; 4 is new and passes nobody. */
    static const qd_entity was[] = {AT(1, 0, 0, 1, 1), AT(2, 1, 0, 1, 1), AT(3, 10, 0, 1, 1), AT(5, 20, 0, 1, 1)};
    static const qd_entity now[] = {AT(1, 0, 0, 1, 1), AT(2, 21, 0, 1, 1), AT(3, 10, 0, 1, 1), AT(4, 5, 0, 1, 1),
                                    AT(5, 20, 0, 1, 1)};
    static const qd_event begin[] = {{QD_EVENT_BEGIN, 1, 2, 0}};
    static const qd_event all[] = {
        {QD_EVENT_END, 1, 2, QD_END_MOVED_APART}, {QD_EVENT_BEGIN, 2, 5, 0}, {QD_EVENT_PASSED, 2, 3, 0}};
    qd_check *check = qd_check_create(QD_SHAPE_BOX, true);
    assert_non_null(check);
    expect_events(check, was, COUNT_OF(was), begin, 1);
    expect_events(check, now, COUNT_OF(now), all, COUNT_OF(all));
    qd_check_destroy(check);
}

TEST_MAIN()
