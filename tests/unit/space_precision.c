/* SPDX-License-Identifier: Apache-2.0
 *
 * The figures of server/space/geometry/PRECISION.md. And every index finds the pairs of small bodies a million units
 * from the origin as well as float32 allows, in a space with bounds as large as that and in one drawn around them.
 */
#include <math.h>
#include <stdlib.h>

#include "server/space/geometry/geometry.h"
#include "server/space/space.h"
#include "server/space/tuning.h"
#include "support/oracle.h"
#include "support/rng.h"
#include "tests/support/test.h"

#define FAR    1e6f
#define STEP   0.0625f /* of float32 there */
#define SIZE   0.1f
#define BODIES 60u
#define TICKS  25u

static qd_body body_at(qd_space_shape shape, float x)
{
    return (qd_body){.x = x,
                     .half_x = SIZE,
                     .half_y = shape == QD_SPACE_CAPSULE ? 0 : SIZE,
                     .radius = SIZE,
                     .category = 1,
                     .mask = 1,
                     .shape = (uint8_t)shape};
}

static qd_geometry geometry_of(const qd_body *body)
{
    const float at[3] = {body->x, body->y, body->z}, half[3] = {body->half_x, body->half_y, body->half_z};
    qd_geometry geometry = {.shape = (qd_space_shape)body->shape};

    for (int k = 0; k < 3; k++) {
        geometry.at[k] = body->shape == QD_SPACE_BOX ? at[k] - half[k] : at[k];
        geometry.to[k] = body->shape == QD_SPACE_BOX ? at[k] + half[k] : half[k];
    }
    geometry.radius = (double)(body->shape == QD_SPACE_CIRCLE ? body->half_x : body->radius);
    return geometry;
}

/* How many steps two bodies on a line around `x` can be apart and still overlap. */
static uint32_t steps_of_overlap(qd_space_shape shape, float x)
{
    qd_body one = body_at(shape, x);

    for (uint32_t steps = 0;; steps++) {
        qd_body other = body_at(shape, x + (float)steps * STEP);
        qd_geometry a = geometry_of(&one), b = geometry_of(&other);

        if (!qd_geometry_overlaps(&a, &b)) {
            return steps - 1;
        }
    }
}

TEST(figures_of_the_page_hold)
{
    assert_true(nextafterf(1e3f, INFINITY) - 1e3f == 0x1p-14f);
    assert_true(nextafterf(FAR, INFINITY) - FAR == STEP);
    assert_true(nextafterf(0x1p24f, INFINITY) - 0x1p24f == 2);
    assert_true(FAR + 0.03f == FAR); /* less than half a step is no move */
    assert_true(FAR - SIZE == FAR - 0.125f && FAR + SIZE == FAR + 0.125f);
    assert_int_equal(steps_of_overlap(QD_SPACE_CIRCLE, 0), 3);
    assert_int_equal(steps_of_overlap(QD_SPACE_CIRCLE, FAR), 3);
    assert_int_equal(steps_of_overlap(QD_SPACE_BOX, 0), 3);
    assert_int_equal(steps_of_overlap(QD_SPACE_BOX, FAR), 4);
    assert_int_equal(steps_of_overlap(QD_SPACE_CAPSULE, 0), 6);
    assert_int_equal(steps_of_overlap(QD_SPACE_CAPSULE, FAR), 6);
}

/* ---- against brute force ---- */

typedef struct world {
    rng_stream rng;
    qd_space_config config;
    qd_space *space;
    qd_body now[BODIES], was[BODIES];
    uint32_t slot[BODIES];
} world;

static float near_far(rng_stream *rng)
{
    float corner = rng_one_in(rng, 2) ? FAR : -FAR;

    return corner + (float)rng_below(rng, 16) * STEP;
}

static void place(world *w, qd_body *body)
{
    body->x = near_far(&w->rng);
    body->y = near_far(&w->rng);
    body->z = w->config.dimensions == 3 ? near_far(&w->rng) : 0;
}

static qd_body draw_body(world *w, uint32_t shapes)
{
    qd_body body = body_at((qd_space_shape)(shapes == 0 ? 1 + rng_below(&w->rng, 3) : shapes), 0);

    body.half_y = rng_between(&w->rng, 0, (double)SIZE);
    body.half_z = w->config.dimensions == 3 ? body.half_y : 0;
    place(w, &body);
    return body;
}

static void move(world *w, uint32_t i)
{
    qd_body *body = &w->now[i];

    if (rng_one_in(&w->rng, 3)) {
        place(w, body);
    } else {
        body->x += ((float)rng_below(&w->rng, 3) - 1) * STEP;
        body->y += ((float)rng_below(&w->rng, 3) - 1) * STEP;
    }
    qd_space_move(w->space, 1, &w->slot[i], &body->x, &body->y, w->config.dimensions == 3 ? &body->z : NULL);
}

static uint32_t body_of(const world *w, uint32_t slot)
{
    for (uint32_t i = 0; i < BODIES; i++) {
        if (w->slot[i] == slot) {
            return i;
        }
    }
    fail_msg("slot %u is nobody's", slot);
    return 0;
}

static bool overlap(const qd_body *a, const qd_body *b)
{
    oracle_verdict verdict = oracle_overlap(a, b);

    assert_int_not_equal(verdict, ORACLE_TOO_CLOSE);
    return verdict == ORACLE_OVERLAP;
}

/* Returns the number of pairs. */
static uint32_t tick(world *w, bool first)
{
    static uint8_t kind[BODIES][BODIES];
    qd_space_events found;

    qd_space_tick(w->space, &qd_executor_serial, QD_SPACE_WANT_EVENTS, SIZE_MAX, &found);
    for (uint32_t i = 0; i < BODIES * BODIES; i++) {
        kind[i / BODIES][i % BODIES] = 0;
    }
    for (size_t i = 0; i < found.count; i++) {
        uint32_t a = body_of(w, qd_space_event_a(found.events[i])), b = body_of(w, qd_space_event_b(found.events[i]));

        assert_int_equal(kind[a][b], 0);
        kind[a][b] = kind[b][a] = (uint8_t)qd_space_event_kind(found.events[i]);
    }
    uint32_t pairs = 0;
    for (uint32_t a = 0; a < BODIES; a++) {
        for (uint32_t b = a + 1; b < BODIES; b++) {
            bool was = !first && overlap(&w->was[a], &w->was[b]), now = overlap(&w->now[a], &w->now[b]);

            assert_int_equal(kind[a][b], now && !was ? QD_SPACE_BEGIN : was && !now ? QD_SPACE_END : 0);
            pairs += now;
        }
    }
    const uint32_t *freed;
    size_t count;
    qd_space_settle(w->space, &freed, &count);
    for (uint32_t i = 0; i < BODIES; i++) {
        w->was[i] = w->now[i];
    }
    return pairs;
}

static void compare_with_brute_force(qd_space_config config, uint32_t shapes)
{
    qd_heap heap;

    qd_heap_init(&heap);
    static world w;
    w = (world){.rng = {shapes + 1}, .config = config};
    assert_int_equal(qd_space_create(&config, &heap, &w.space), QD_OK);
    /* Leaves of so few rows that trees grow until their cells are smaller than a body. */
    qd_space_tune(w.space,
                  &(qd_tuning){.leaf_rows = 2, .task_rows_min = 0, .pending_bodies_min = 0, .apply_slots = 64});
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < BODIES; i++) {
        w.now[i] = draw_body(&w, shapes);
        assert_int_equal(qd_space_add(w.space, &w.now[i], &w.slot[i]), QD_OK);
    }
    for (uint32_t t = 0; t < TICKS; t++) {
        pairs += tick(&w, t == 0);
        for (uint32_t i = 0; i < BODIES; i++) {
            if (!rng_one_in(&w.rng, 4)) {
                move(&w, i);
            }
        }
    }
    assert_in_range(pairs, TICKS, TICKS * BODIES * BODIES / 4);
    qd_space_destroy(w.space);
    qd_heap_deinit(&heap);
}

TEST(small_bodies_far_away_are_exact)
{
    for (uint32_t index = QD_SPACE_AUTO; index <= QD_SPACE_BRUTE; index++) {
        for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
            if (index == (dimensions == 2 ? QD_SPACE_OCTREE : QD_SPACE_QUADTREE)) {
                continue;
            }
            for (uint32_t shapes = 0; shapes <= QD_SPACE_CAPSULE; shapes++) {
                qd_space_config config = {.dimensions = dimensions,
                                          .min_x = -FAR,
                                          .min_y = -FAR,
                                          .min_z = dimensions == 3 ? -FAR : 0,
                                          .max_x = FAR,
                                          .max_y = FAR,
                                          .max_z = dimensions == 3 ? FAR : 0,
                                          .index = (qd_space_index)index,
                                          .bodies_max = BODIES};

                compare_with_brute_force(config, shapes);
                config.min_x = config.min_y = FAR;
                config.min_z = dimensions == 3 ? FAR : 0;
                config.max_x = config.max_y = FAR + 16 * STEP;
                config.max_z = dimensions == 3 ? FAR + 16 * STEP : 0;
                compare_with_brute_force(config, shapes);
            }
        }
    }
}

TEST_MAIN()
