/* SPDX-License-Identifier: Apache-2.0
 *
 * The figures of server/space/geometry/PRECISION.md. And every index finds the pairs of small bodies a million units
 * from the origin as well as float32 allows, in a space with bounds as large as that and in one drawn around them, with
 * QD_AXES axes.
 */
#include "space_fixture.h"

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

/* How many steps two bodies on a line around `x` can be apart and still overlap. */
static uint32_t steps_of_overlap(qd_space_shape shape, float x)
{
    qd_body one = body_at(shape, x);

    for (uint32_t steps = 0;; steps++) {
        qd_body other = body_at(shape, x + (float)steps * STEP);
        qd_geometry a = space_geometry_of(&one), b = space_geometry_of(&other);

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

/* ---- against the oracle ---- */

static float near_far(void)
{
    float corner = rng_one_in(&crowd.rng, 2) ? FAR : -FAR;

    return corner + (float)rng_below(&crowd.rng, 16) * STEP;
}

static qd_body draw_body(uint32_t shapes)
{
    qd_body body = body_at((qd_space_shape)(shapes == 0 ? 1 + rng_below(&crowd.rng, 3) : shapes), near_far());

    body.y = near_far();
    body.z = QD_AXES == 3 ? near_far() : 0;
    body.half_y = crowd_between(0, (double)SIZE);
    body.half_z = QD_AXES == 3 ? body.half_y : 0;
    return body;
}

/* By one step at most, or to another corner. */
static void move(uint32_t i)
{
    if (rng_one_in(&crowd.rng, 3)) {
        crowd_place(i, near_far(), near_far(), near_far());
    } else {
        crowd.at[0][i] += ((float)rng_below(&crowd.rng, 3) - 1) * STEP;
        crowd.at[1][i] += ((float)rng_below(&crowd.rng, 3) - 1) * STEP;
    }
    crowd_move(i, 1);
}

static void compare_with_the_oracle(qd_space_config config, uint32_t shapes)
{
    size_t pairs = 0;

    /* Leaves of so few rows that trees grow until their cells are smaller than a body. */
    crowd_begin(&config, &(qd_tuning){.leaf_rows = 2, .apply_slots = 64});
    for (uint32_t i = 0; i < BODIES; i++) {
        crowd_add(draw_body(shapes));
    }
    for (uint32_t t = 0; t < TICKS; t++) {
        crowd_tick_with_oracle();
        pairs += crowd_pairs();
        for (uint32_t i = 0; i < BODIES; i++) {
            if (!rng_one_in(&crowd.rng, 4)) {
                move(i);
            }
        }
    }
    assert_in_range(pairs, TICKS, TICKS * BODIES * BODIES / 4);
    crowd_end();
}

TEST(small_bodies_far_away_are_exact)
{
    for (size_t i = 0; i < CROWD_INDEXES; i++) {
        for (uint32_t shapes = 0; shapes <= QD_SPACE_CAPSULE; shapes++) {
            compare_with_the_oracle(crowd_config(crowd_indexes[i], -FAR, FAR), shapes);
            compare_with_the_oracle(crowd_config(crowd_indexes[i], FAR, FAR + 16 * STEP), shapes);
        }
    }
}

TEST_MAIN()
