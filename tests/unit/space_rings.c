/* SPDX-License-Identifier: Apache-2.0
 *
 * Many points and circles among them, as the regions of observers are: what enters and leaves each, in every index and
 * by every kernel, beside the rule applied to all of them. Worlds small and large, far from the origin, with distances
 * that are exactly a radius; more kinds of filters than have a class.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/space/core/tuning.h"
#include "support/chance.h"

#define POINTS  700u
#define CIRCLES 60u
#define BODIES  (POINTS + CIRCLES)
#define TICKS   6u
#define SORTS   20u /* of circles, by their category */

typedef struct world {
    double from, side; /* on all axes */
    bool whole;        /* on a lattice, so that some distances are exactly a radius */
} world;

typedef struct scene {
    const world *world;
    chance dice;
    uint32_t axes;
    float at[3][BODIES], radius[CIRCLES]; /* circles come first, and slots follow the order of adding */
    uint32_t slot[BODIES];
    bool holds[CIRCLES][POINTS];
    qd_space *space;
} scene;

static float place(scene *s)
{
    double step = s->world->side / 100;
    double at = s->world->whole ? step * chance_below(&s->dice, 101) : chance_between(&s->dice, 0, s->world->side);

    return (float)(s->world->from + at);
}

static void move_one(scene *s, uint32_t i)
{
    double step = s->world->side / 100;

    for (uint32_t k = 0; k < s->axes; k++) {
        double by = s->world->whole ? step * ((double)chance_below(&s->dice, 3) - 1)
                                    : chance_between(&s->dice, -s->world->side / 60, s->world->side / 60);

        s->at[k][i] = chance_one_in(&s->dice, 40) ? place(s) : (float)((double)s->at[k][i] + by);
    }
}

static bool is_in(const scene *s, uint32_t circle, uint32_t point)
{
    double sum = 0, radius = s->radius[circle];

    for (uint32_t k = 0; k < s->axes; k++) {
        double apart = (double)s->at[k][CIRCLES + point] - (double)s->at[k][circle];

        sum += apart * apart;
    }
    return sum <= radius * radius;
}

static void fill(scene *s)
{
    for (uint32_t i = 0; i < BODIES; i++) {
        for (uint32_t k = 0; k < s->axes; k++) {
            s->at[k][i] = place(s);
        }
        qd_body body = {.x = s->at[0][i], .y = s->at[1][i], .z = s->axes == 3 ? s->at[2][i] : 0};
        if (i < CIRCLES) {
            double part = i % 12 == 0 ? 0 : 1 + chance_below(&s->dice, 30);

            s->radius[i] = (float)(s->world->side / 100 * part);
            body.half_x = s->radius[i];
            body.shape = QD_SPACE_CIRCLE;
            body.category = 2u << i % SORTS;
            body.mask = 1;
        } else {
            body.shape = i % 3 == 0 ? QD_SPACE_CIRCLE : QD_SPACE_BOX;
            body.category = 1;
            body.mask = ~1u;
        }
        assert_int_equal(qd_space_add(s->space, &body, &s->slot[i]), QD_OK);
        assert_int_equal(s->slot[i], i);
    }
}

static void check_event(scene *s, qd_space_event event)
{
    uint32_t a = qd_space_event_a(event), b = qd_space_event_b(event);
    uint32_t circle = a < b ? a : b, point = (a < b ? b : a) - CIRCLES;

    assert_true(circle < CIRCLES && point < POINTS);
    bool begins = qd_space_event_kind(event) == QD_SPACE_BEGIN;
    assert_int_equal(begins, !s->holds[circle][point]);
    s->holds[circle][point] = begins;
}

static void tick(scene *s)
{
    qd_space_events events;
    const uint32_t *freed;
    size_t count;

    qd_space_tick(s->space, &qd_executor_serial, QD_SPACE_WANT_EVENTS, SIZE_MAX / 2, &events);
    assert_true(events.complete);
    for (size_t i = 0; i < events.count; i++) {
        check_event(s, events.events[i]);
    }
    for (uint32_t circle = 0; circle < CIRCLES; circle++) {
        for (uint32_t point = 0; point < POINTS; point++) {
            assert_int_equal(s->holds[circle][point], is_in(s, circle, point));
        }
    }
    qd_space_settle(s->space, &freed, &count);
    qd_space_validate(s->space);
}

static void run(const world *in, uint32_t axes, qd_space_index index)
{
    scene *s = calloc(1, sizeof *s);
    qd_heap heap;
    const float lo = (float)in->from, hi = (float)(in->from + in->side);
    qd_space_config config = {.dimensions = axes,
                              .min_x = lo,
                              .min_y = lo,
                              .min_z = lo,
                              .max_x = hi,
                              .max_y = hi,
                              .max_z = hi,
                              .index = index,
                              .bodies_max = BODIES};

    assert_non_null(s);
    s->world = in;
    s->axes = axes;
    s->dice.state = axes * 100 + index;
    qd_heap_init(&heap);
    assert_int_equal(qd_space_create(&config, &heap, &s->space), QD_OK);
    fill(s);
    for (uint32_t t = 0; t < TICKS; t++) {
        tick(s);
        /* All of them, or points alone, or circles. */
        uint32_t from = t % 3 == 1 ? CIRCLES : 0, to = t % 3 == 2 ? CIRCLES : BODIES;
        for (uint32_t i = from; i < to; i++) {
            move_one(s, i);
        }
        qd_space_move(s->space, to - from, s->slot + from, s->at[0] + from, s->at[1] + from,
                      axes == 3 ? s->at[2] + from : NULL);
    }
    qd_space_destroy(s->space);
    qd_heap_deinit(&heap);
    free(s);
}

static void test_rings(void **state)
{
    static const world worlds[] = {
        {0, 100, false}, {0, 128, true}, {-0.004, 0.01, false}, {1e6, 100, false}, {-65536, 131072, true},
    };

    (void)state;
    for (uint32_t i = 0; qd_space_kernel_at(i); i++) {
        qd_space_kernel_select(qd_space_kernel_at(i));
        for (qd_space_index index = QD_SPACE_AUTO; index <= QD_SPACE_BRUTE; index++) {
            for (size_t w = 0; w < sizeof worlds / sizeof worlds[0]; w++) {
                if (index != QD_SPACE_OCTREE) {
                    run(&worlds[w], 2, index);
                }
                if (index != QD_SPACE_QUADTREE) {
                    run(&worlds[w], 3, index);
                }
            }
        }
    }
    qd_space_kernel_select(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rings)};

    return cmocka_run_group_tests_name("space_rings", tests, NULL, NULL);
}
