/* SPDX-License-Identifier: Apache-2.0
 *
 * That the tree is planned when it is walked, whatever was put in before and wherever: what the walks cost, in tests
 * and never in time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/space/space.h"

#define COUNT     100000u
#define TESTS_MAX 400u /* a body and walk; 102 where all are spread evenly */
#define EXACT_MAX 40u

static uint64_t dice;

static float between(double lo, double hi)
{
    uint64_t z = (dice += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (float)(lo + (hi - lo) * ((double)(z >> 40) / 16777216.0));
}

typedef struct scene {
    qd_heap heap;
    qd_space *space;
    uint32_t slot[COUNT];
    qd_space_counters before;
} scene;

static scene the_scene;

static scene *make_scene(float side, uint32_t depth)
{
    scene *s = &the_scene;
    const qd_space_config config = {0, 0, side, side, depth, COUNT};
    dice = 3;
    qd_heap_init(&s->heap);
    assert_int_equal(qd_space_create(&config, &s->heap, &s->space), QD_OK);
    s->before = (qd_space_counters){0};
    return s;
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
    const qd_body body = {x, y, half, half, 1, UINT32_MAX, QD_SPACE_BOX};
    assert_int_equal(qd_space_add(s->space, &body, &s->slot[i]), QD_OK);
}

/* What was counted since the last time is within bounds for `walks` walks. */
static void check_costs(scene *s, uint32_t count, uint32_t walks)
{
    qd_space_counters after;
    qd_space_counters_get(s->space, &after);
    assert_in_range(after.tests - s->before.tests, 0, (uint64_t)TESTS_MAX * count * walks);
    assert_in_range(after.exact_tests - s->before.exact_tests, 0, (uint64_t)EXACT_MAX * count * walks);
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

/* A room that was filled and never ticked, walked for the first time by a late subscriber or by its first tick. */
static void test_the_first_walk(void **state)
{
    (void)state;
    for (int pairs_first = 0; pairs_first < 2; pairs_first++) {
        scene *s = make_scene(1265, 0);
        for (uint32_t i = 0; i < COUNT; i++) {
            add(s, i, between(0, 1265), between(0, 1265), 0.5f);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
