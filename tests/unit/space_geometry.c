/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact geometry on cases written by hand: each pair of shapes, each form without size, touching, and numbers at their
 * limits. tests/model/space_geometry.c draws random cases.
 */
#include <float.h>
#include <math.h>

#include "server/space/geometry/geometry.h"
#include "support/rng.h"
#include "tests/support/test.h"

/* ---- making shapes ---- */

static qd_geometry box(float x, float y, float z, float half_x, float half_y, float half_z)
{
    return (qd_geometry){
        .shape = QD_SPACE_BOX, .at = {x - half_x, y - half_y, z - half_z}, .to = {x + half_x, y + half_y, z + half_z}};
}

static qd_geometry circle(float x, float y, float z, float radius)
{
    return (qd_geometry){.shape = QD_SPACE_CIRCLE, .at = {x, y, z}, .radius = radius};
}

static qd_geometry capsule(float x, float y, float z, float half_x, float half_y, float half_z, float radius)
{
    return (qd_geometry){.shape = QD_SPACE_CAPSULE, .at = {x, y, z}, .to = {half_x, half_y, half_z}, .radius = radius};
}

/* The same geometry elsewhere. */
static qd_geometry moved(qd_geometry geometry, float x, float y, float z)
{
    const float by[3] = {x, y, z};

    for (int k = 0; k < 3; k++) {
        geometry.at[k] += by[k];
        geometry.to[k] += geometry.shape == QD_SPACE_BOX ? by[k] : 0;
    }
    return geometry;
}

static bool overlap(qd_geometry a, qd_geometry b)
{
    bool met = qd_geometry_overlaps(&a, &b);

    assert_int_equal(met, qd_geometry_overlaps(&b, &a));
    return met;
}

static bool meet(qd_geometry a_begin, qd_geometry a_end, qd_geometry b_begin, qd_geometry b_end)
{
    bool met = qd_geometry_meets(&a_begin, &a_end, &b_begin, &b_end);

    assert_int_equal(met, qd_geometry_meets(&b_begin, &b_end, &a_begin, &a_end));
    assert_int_equal(met, qd_geometry_meets(&a_end, &a_begin, &b_end, &b_begin));
    return met;
}

/* `a` goes by so much while `b` rests. */
static bool passes(qd_geometry a, float x, float y, float z, qd_geometry b)
{
    return meet(a, moved(a, x, y, z), b, b);
}

static double distance(qd_geometry geometry, double x, double y, double z)
{
    return qd_geometry_distance(&geometry, (const double[]){x, y, z});
}

static double ray(qd_geometry geometry, double x, double y, double z, double dx, double dy, double dz, double length)
{
    double size = sqrt(dx * dx + dy * dy + dz * dz);

    return qd_geometry_ray(&geometry, (const double[]){x, y, z}, (const double[]){dx / size, dy / size, dz / size},
                           length);
}

#define MISSED ((double)INFINITY)

/* ---- overlap by hand ---- */

TEST(boxes_and_circles_touch)
{
    assert_true(overlap(box(0, 0, 0, 1, 1, 1), box(2, 2, 2, 1, 1, 1)));
    assert_false(overlap(box(0, 0, 0, 1, 1, 1), box(2, 2, nextafterf(2, 3), 1, 1, 1)));
    assert_true(overlap(circle(0, 0, 0, 4), circle(2, 3, 6, 3)));
    assert_false(overlap(circle(0, 0, 0, 4), circle(2, 3, nextafterf(6, 7), 3)));
    assert_true(overlap(circle(0, 0, 0, 7), box(3, 4, 7, 1, 1, 1)));
    assert_false(overlap(circle(0, 0, 0, 7), box(3, nextafterf(4, 5), 7, 1, 1, 1)));
}

TEST(capsule_and_circle)
{
    qd_geometry lying = capsule(10, 5, 0, 3, 0, 0, 1);

    assert_true(overlap(lying, circle(11, 8, 0, 2)));
    assert_false(overlap(lying, circle(11, nextafterf(8, 9), 0, 2)));
    assert_true(overlap(lying, circle(16, 9, 0, 4))); /* beyond the end by 3, sideways by 4 */
    assert_false(overlap(lying, circle(nextafterf(16, 17), 9, 0, 4)));
    assert_true(overlap(lying, circle(4, 9, 0, 4)));
    assert_true(overlap(lying, circle(12, 5, 0, 0)));
    assert_true(overlap(capsule(0, 0, 0, 3, 4, 0, 1), circle(-4, 3, 0, 4)));
    assert_true(overlap(capsule(0, 0, 0, -3, -4, 0, 1), circle(-4, 3, 0, 4))); /* the axis has no direction */
    assert_true(overlap(capsule(0, 0, 0, 2, 3, 6, 0), circle(6, 9, 18, 14)));
    assert_false(overlap(capsule(0, 0, 0, 2, 3, 6, 0), circle(6, 9, nextafterf(18, 19), 14)));
}

TEST(capsules_cross_and_lie_beside_each_other)
{
    assert_true(overlap(capsule(0, 0, 0, 3, 1, 0, 0), capsule(0.3f, 0.7f, 0, -0.1f, 4, 0, 0)));
    assert_false(overlap(capsule(0, 0, 0, 3, 1, 0, 0), capsule(0.3f, 4.2f, 0, -0.1f, 4, 0, 0)));
    assert_true(overlap(capsule(0, 0, 0, 3, 0, 0, 1), capsule(1, 3, 0, 3, 0, 0, 2))); /* parallel */
    assert_false(overlap(capsule(0, 0, 0, 3, 0, 0, 1), capsule(1, nextafterf(3, 4), 0, 3, 0, 0, 2)));
    assert_true(overlap(capsule(0, 0, 0, 3, 0, 0, 1), capsule(9, 0, 0, -3, 0, 0, 2))); /* one behind the other */
    assert_false(overlap(capsule(0, 0, 0, 3, 0, 0, 1), capsule(nextafterf(9, 10), 0, 0, -3, 0, 0, 2)));
    assert_true(overlap(capsule(0, 0, 0, 3, 0, 0, 1), capsule(0, 0, 3, 0, 3, 0, 2))); /* one above the other */
    assert_false(overlap(capsule(0, 0, 0, 3, 0, 0, 1), capsule(0, 0, nextafterf(3, 4), 0, 3, 0, 2)));
    assert_true(overlap(capsule(0, 0, 0, 3, 0, 0, 1), capsule(7, 4, 12, 1, 0, 0, 12))); /* ends (3, 4, 12) apart */
    assert_false(overlap(capsule(0, 0, 0, 3, 0, 0, 1), capsule(7, 4, nextafterf(12, 13), 1, 0, 0, 12)));
    assert_true(overlap(capsule(0, 0, 0, 1, 0, 0, 0), capsule(1, 5, 0, 0, 5, 0, 0))); /* end to end, exactly */
    assert_true(overlap(capsule(1, 1, 1, 1, 1, 1, 0), capsule(4, 4, 4, 2, 2, 2, 0)));
}

TEST(capsule_and_box)
{
    qd_geometry wall = box(0, 0, 0, 1, 1, 1);

    assert_true(overlap(capsule(3, 0, 0, 0, 5, 0, 2), wall));
    assert_false(overlap(capsule(nextafterf(3, 4), 0, 0, 0, 5, 0, 2), wall));
    assert_true(overlap(capsule(0, 0, 0, 5, 5, 0, 0), wall));          /* through its corners */
    assert_true(overlap(capsule(2, 0, 0, 1, -1, 0, 0), wall));         /* its end at a corner */
    assert_true(overlap(capsule(1, 1, 0, 1, -1, 0, 0), wall));         /* its middle at an edge */
    assert_false(overlap(capsule(1.01f, 1, 0, 1, -1, 0, 0), wall));    /* and beside it */
    assert_true(overlap(capsule(0.1f, 0, 0, 0.2f, 0, 0, 0), wall));    /* inside */
    assert_true(overlap(capsule(0, 0, 0, 100, 50, 20, 0), wall));      /* all the way through */
    assert_true(overlap(capsule(4, 5, 0, 4, -3, 0, 5), wall));         /* off a corner by (3, 4) */
    assert_false(overlap(capsule(4.001f, 5, 0, 4, -3, 0, 5), wall));   /* and more */
    assert_true(overlap(capsule(4, 4, 5, 0, 0, 5, 4.25f), wall));      /* along an edge, (3, 3) away */
    assert_false(overlap(capsule(4, 4, 5, 0, 0, 5, 4.24f), wall));     /* which is 4.2426 */
    assert_true(overlap(capsule(0, 6, 0, 3, 0, 3, 5), wall));          /* over a face */
    assert_true(overlap(capsule(3, 3, 4, 2, -2, 0, 4.125f), wall));    /* over a corner, (2, 2, 3) away */
    assert_true(overlap(capsule(-8, 2, 2, 20, 0, 0, 1.4143f), wall));  /* along an edge */
    assert_false(overlap(capsule(-8, 2, 2, 20, 0, 0, 1.4142f), wall)); /* and less */
}

TEST(without_an_axis_a_capsule_is_a_circle)
{
    rng_stream rng = {5};

    for (uint32_t i = 0; i < 20000; i++) {
        const double lattice = i % 2 ? 4 : 0.125;
        float v[8];

        for (int k = 0; k < 8; k++) {
            v[k] = i % 2 ? rng_between(&rng, 0, lattice) : (float)(rng_below(&rng, 20) * lattice);
        }
        qd_geometry round = circle(v[0], v[1], v[2], v[3]), same = capsule(v[0], v[1], v[2], 0, 0, 0, v[3]);
        qd_geometry others[3] = {circle(v[4], v[5], v[6], v[7]), box(v[4], v[5], v[6], v[7], v[6], v[5]),
                                 capsule(v[4], v[5], v[6], v[7], 1, -2, v[3])};
        for (int k = 0; k < 3; k++) {
            assert_int_equal(overlap(round, others[k]), overlap(same, others[k]));
            assert_int_equal(passes(round, v[7], v[3], v[6], others[k]), passes(same, v[7], v[3], v[6], others[k]));
        }
        const double point[3] = {v[5], v[4], v[7]};
        assert_true(qd_geometry_distance(&round, point) == qd_geometry_distance(&same, point));
        assert_true(ray(round, v[5], v[4], v[7], 1, v[3], v[2], 9) == ray(same, v[5], v[4], v[7], 1, v[3], v[2], 9));
    }
}

TEST(points_overlap_themselves_alone)
{
    qd_geometry points[3] = {box(3, 4, 5, 0, 0, 0), circle(3, 4, 5, 0), capsule(3, 4, 5, 0, 0, 0, 0)};

    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            assert_true(overlap(points[a], points[b]));
            assert_false(overlap(points[a], moved(points[b], 0, 0, 0x1p-21f)));
            assert_true(passes(moved(points[a], 1, 2, 3), -2, -4, -6, points[b]));
            assert_false(passes(moved(points[a], 1, 2, 3), -2, -4, -6.001f, points[b]));
        }
    }
}

/* ---- meeting by hand ---- */

TEST(shapes_that_overlap_at_an_end_meet)
{
    qd_geometry all[3] = {box(0, 0, 0, 1, 2, 1), circle(0, 0, 0, 1), capsule(0, 0, 0, 1, 1, 0, 0.5f)};

    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            assert_true(passes(all[a], 100, 100, 0, all[b]));
            assert_true(passes(moved(all[a], 100, 0, 0), -100, 0, 0, all[b]));
            assert_false(passes(moved(all[a], 100, 0, 0), -90, 0, 0, all[b]));
            assert_true(meet(all[a], moved(all[a], 3, 4, 5), all[b], moved(all[b], 3, 4, 5)));
        }
    }
}

TEST(bullet_goes_through_a_wall)
{
    qd_geometry walls[3] = {box(0, 0, 0, 0.01f, 5, 5), circle(0, 0, 0, 5), capsule(0, 0, 0, 0, 5, 0, 0.01f)};
    qd_geometry bullets[3] = {box(-50, 1, 0, 0.1f, 0.1f, 0.1f), circle(-50, 1, 0, 0.1f),
                              capsule(-50, 1, 0, 0.5f, 0, 0, 0.1f)};

    for (int b = 0; b < 3; b++) {
        for (int w = 0; w < 3; w++) {
            assert_true(passes(bullets[b], 100, 0, 0, walls[w]));
            assert_true(passes(bullets[b], 100, 3, 0, walls[w]));
            assert_true(passes(bullets[b], 1e6f, 1e4f, 0, walls[w]));
            assert_false(passes(bullets[b], 44, 0, 0, walls[w]));
            assert_false(passes(bullets[b], 100, 20, 0, walls[w]));
            assert_false(passes(moved(bullets[b], 0, 0, 6), 100, 0, 0, walls[w]));
            /* The wall goes away from it as fast, and towards it. */
            assert_false(meet(bullets[b], moved(bullets[b], 100, 0, 0), walls[w], moved(walls[w], 100, 0, 0)));
            assert_true(meet(bullets[b], moved(bullets[b], 30, 0, 0), walls[w], moved(walls[w], -60, 0, 0)));
        }
    }
}

TEST(paths_that_cross_at_different_times_do_not_meet)
{
    qd_geometry all[3] = {box(0, 0, 0, 1, 1, 1), circle(0, 0, 0, 1), capsule(0, 0, 0, 0.5f, 0.5f, 0, 0.5f)};

    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            qd_geometry a = moved(all[i], -20, 0, 0), delayed = moved(all[k], 0, -4, 0),
                        timely = moved(all[k], 0, -20, 0);

            assert_false(meet(a, moved(a, 40, 0, 0), delayed, moved(delayed, 0, 40, 0)));
            assert_true(meet(a, moved(a, 40, 0, 0), timely, moved(timely, 0, 40, 0)));
        }
    }
}

TEST(touching_on_the_way_counts)
{
    qd_geometry wall = box(0, 0, 0, 1, 1, 1);

    assert_true(passes(box(-8, 2, 0, 1, 1, 1), 16, 0, 0, wall));
    assert_false(passes(box(-8, nextafterf(2, 3), 0, 1, 1, 1), 16, 0, 0, wall));
    assert_true(passes(box(-6, 2, 0, 1, 1, 1), 8, 8, 0, moved(wall, 0, 6, 0))); /* corner by corner */
    assert_true(passes(circle(-8, 3, 0, 2), 16, 0, 0, wall));
    assert_false(passes(circle(-8, nextafterf(3, 4), 0, 2), 16, 0, 0, wall));
    assert_true(passes(circle(-8, 5, 0, 3), 16, 0, 0, circle(1, 0, 0, 2)));
    assert_false(passes(circle(-8, nextafterf(5, 6), 0, 3), 16, 0, 0, circle(1, 0, 0, 2)));
    assert_true(passes(circle(-8, 5, 0, 3), 16, 0, 0, capsule(1, -4, 0, 0, 4, 0, 2)));
    assert_false(passes(circle(-8, nextafterf(5, 6), 0, 3), 16, 0, 0, capsule(1, -4, 0, 0, 4, 0, 2)));
    assert_true(passes(capsule(-8, 9, 0, 0, -4, 0, 3), 16, 0, 0, capsule(1, -4, 0, 0, 4, 0, 2)));
    assert_false(passes(capsule(-8, nextafterf(9, 10), 0, 0, -4, 0, 3), 16, 0, 0, capsule(1, -4, 0, 0, 4, 0, 2)));
    assert_true(passes(capsule(-8, 7, 0, 0, -4, 0, 2), 16, 0, 0, wall));
    assert_false(passes(capsule(-8, nextafterf(7, 8), 0, 0, -4, 0, 2), 16, 0, 0, wall));
}

/* Cases that neither the ends of an axis nor its rests find: see box_meets_inside. */
TEST(capsule_is_swept_over_all_its_length)
{
    qd_geometry post = box(0, 0, 0, 0.125f, 0.125f, 0.125f), bar = capsule(0, -5, 0, 9, 0, 0, 0.5f);

    assert_true(passes(bar, 0, 10, 0, post));
    assert_true(passes(bar, 0, 10, 0, circle(3, 0, 0, 0.1f)));
    assert_true(passes(bar, 0, 10, 0, capsule(3, 0, 0, 0.1f, 0.1f, 0, 0)));
    assert_true(passes(bar, 0, 10, 0, capsule(3, 0, 0, 0.1f, 0.1f, 20, 0)));
    assert_true(passes(bar, 0, 10, 0, box(0, 0, 0, 0.1f, 0.1f, 40)));
    assert_true(passes(bar, 0, 10, 0, moved(post, 0, 0, 0.625f))); /* a face over the sweep */
    assert_false(passes(bar, 0, 10, 0, moved(post, 0, 0, nextafterf(0.625f, 1))));
    qd_geometry thin = capsule(0, -5, 0, 9, 0, 0, 0);
    assert_true(passes(thin, 0, 10, 0, post));
    assert_true(passes(thin, 0, 10, 0, circle(3, 0, 0, 0)));
    assert_true(passes(thin, 0, 10, 0, capsule(3, 0, 0, 0, 1, 1, 0)));
    assert_true(passes(thin, 0, 10, 0, capsule(3, 0, 0, 1, 1, 1, 0)));
    assert_false(passes(thin, 0, 10, 0, capsule(3, 0, 3, 1, 1, 1, 0)));
    qd_geometry tilted = capsule(0, -5, 0, 9, 0, 2, 0.5f); /* the corner comes first */
    assert_true(passes(tilted, 0, 10, 3, moved(post, 4.5f, 0, 2.5f)));
    assert_true(passes(tilted, 0, 10, 3, moved(post, 4.5f, 0, 3.1f)));
    assert_false(passes(tilted, 0, 10, 3, moved(post, 4.5f, 0, 3.3f)));
}

/* Directions that are nearly the same, by less than the rounding error, are no crossing: a point comes along an axis
 * from far away, beside it by next to nothing, and stops short of it. */
TEST(nearly_parallel_path_does_not_cross)
{
    const float near = 0x1p-23f, offset = 0x1.fffffep-24f, end = 0x1.8p-24f;
    qd_geometry bar = capsule(-near, -near, 0, end, end, 0, 0), far = circle(64, 64, 0, 0);

    assert_false(meet(far, circle(offset, near, 0, 0), bar, bar));
    assert_true(meet(far, circle(-near, -near, 0, 0), bar, bar));
    bar = capsule(-2 * near, -near, -near / 2, 2 * end, end, end / 2, 0);
    far = circle(128, 64, 32, 0);
    assert_false(meet(far, circle(2 * offset, near, near / 2, 0), bar, bar));
    assert_true(meet(far, circle(-2 * near, -near, -near / 2, 0), bar, bar));
}

/* The same for three directions in one plane that is tilted: far away in the plane is not within. */
TEST(far_shapes_in_a_tilted_plane_do_not_meet)
{
    rng_stream rng = {5};

    for (uint32_t i = 0; i < 20000; i++) {
        float u[3], v[3], at[3], by[3];

        for (int k = 0; k < 3; k++) {
            u[k] = (float)rng_below(&rng, 1u << 20) - 0x1p19f;
            v[k] = (float)rng_below(&rng, 1u << 20) - 0x1p19f;
            at[k] = 3 * u[k] + 5 * v[k];
            by[k] = u[k] - 2 * v[k];
        }
        qd_geometry bar = capsule(0, 0, 0, u[0], u[1], u[2], 0.001f);
        qd_geometry rod = capsule(at[0], at[1], at[2], v[0], v[1], v[2], 0);
        assert_false(passes(rod, by[0], by[1], by[2], bar)); /* from 5 to 3 times v away */
        assert_true(passes(rod, -2 * at[0], -2 * at[1], -2 * at[2], bar));
    }
}

TEST(axes_that_are_nearly_parallel_cross)
{
    assert_true(overlap(capsule(0, 0, 0, 1, 0, 0, 0), capsule(0.5f, 0, 0, 1, 0x1p-31f, 0, 0)));
    assert_false(overlap(capsule(0, 0, 0, 1, 0, 0, 0), capsule(2.5f, 0, 0, 1, 0x1p-31f, 0, 0)));
    /* And one that comes nearly in the plane of both. */
    qd_geometry bar = capsule(0, 0, 0, 8, 0, 0, 0), rod = capsule(-3, 0, 0x1p-10f, 0, 8, 0, 0);
    assert_true(passes(rod, 6, 1, -0x1p-9f, bar));
    assert_false(passes(rod, 6, 1, -0x1p-11f, bar));
}

/* Shapes that are close, but apart on one axis, beside axes and ways so long on the others that double loses it. */
TEST(shapes_far_on_one_axis_and_close_on_another_do_not_meet)
{
    qd_geometry beam = capsule(3.4e38f, 48.3670807f, 7.99711323f, 3.4e38f, 7.73513365f, 3.4e38f, 3.44154835f);
    qd_geometry bit = capsule(71.1082458f, 66.0673294f, -3.4e38f, 1, 1, 8.78460789f, 5.217103f);

    assert_false(overlap(beam, bit));
    assert_true(overlap(beam, moved(bit, 0, -17, 0)));
    assert_false(overlap(beam, circle(71, 66, -3.4e38f, 5.2f)));
    /* Points and a wall that begins beside them, and goes away. */
    qd_geometry wall = capsule(1e-40f, 2.5f, 0, 0, 1e5f, 0, 0), gone = moved(wall, 15.5f, 3, 0);
    const qd_geometry points[3] = {box(0, 1, 0, 0, 0, 0), circle(0, 1, 0, 0), capsule(0, 1, 0, 0, 0, 0, 0)};
    for (int i = 0; i < 3; i++) {
        assert_false(meet(points[i], points[i], wall, gone));
        assert_true(meet(moved(points[i], 1e-40f, 0, 0), moved(points[i], 1e-40f, 0, 0), wall, gone));
    }
    /* A bullet far above all else. */
    assert_false(passes(circle(-1e38f, 1000, 1e-30f, 1), 2e38f, 0, 0, circle(0, 0, 0, 1)));
    assert_false(passes(circle(-1e38f, 1000, 1e-30f, 1), 2e38f, 0, 0, capsule(0, 0, 0, 0, 10, 0, 1)));
}

/* On the way to the far end of an axis, double loses the gap between its near end and a box. */
TEST(box_beyond_the_near_end_of_a_very_long_capsule_is_apart)
{
    qd_geometry rod = capsule(0, 1e30f, 0, 0, -1e30f, 0, 0); /* ends at the origin */

    assert_true(overlap(rod, box(0, -1, 0, 1, 1, 1)));
    assert_false(overlap(rod, box(0, -2, 0, 1, 1, 1)));
    assert_false(overlap(rod, box(0, nextafterf(-1, -2), 0, 1, 1, 1)));
    assert_false(overlap(capsule(-1e30f, 1e30f, 0, 1e30f, 1e30f, 1, 0.5f), box(0, -2, 0, 1, 1, 1)));
    /* The same while both move. */
    assert_false(passes(rod, 3, 0, 0, box(0, -2, 0, 1, 1, 1)));
    assert_false(passes(box(-9, -2, 0, 1, 1, 1), 18, 0, 0, rod));
    assert_true(passes(box(-9, -1, 0, 1, 1, 1), 18, 0, 0, rod));
}

/* A box's corners are rounded where it begins and where it ends. */
TEST(box_may_round_differently_at_its_ends)
{
    qd_geometry begin = box(0.1f, 0, 0, 0.1f, 0.1f, 0.1f), end = box(1000.1f, 0, 0, 0.1f, 0.1f, 0.1f);

    assert_true(begin.to[0] - begin.at[0] != end.to[0] - end.at[0]);
    assert_true(meet(begin, end, circle(500, 0, 0, 0), circle(500, 0, 0, 0)));
    assert_true(meet(begin, end, capsule(500, 0, 0, 0, 9, 9, 0), capsule(500, 0, 0, 0, 9, 9, 0)));
    assert_true(meet(begin, end, box(500, 0, 0, 0, 0, 0), box(500, 0, 0, 0, 0, 0)));
    /* So far away that it has no depth at all, and only the corner that it gets on its way comes near. */
    begin = box(1.5f, 64000004, 128000000, 0.9f, 0.3f, 1);
    end = box(1.8f, 6.75f, 4.75f, 0.9f, 0.3f, 1);
    assert_true(begin.at[2] == begin.to[2]);
    assert_true(meet(begin, end, capsule(128000008, 5.9f, 128000008, 0, 0, -2.4f, 1.1f),
                     capsule(2.4f, 8.2f, 4.2f, 0, 0, -2.4f, 1.1f)));
}

/* There is but one moment at which a capsule is on neither side of it, and each direction that parts the two gives its
 * own rounding of it. */
TEST(wall_without_thickness_is_met)
{
    static const struct {
        float at[3], half[3], from[3], to[3], axis[3], radius;
    } cases[] = {
        {{1.2930665f, -217.982086f, 6.63544941f},
         {5.89427376f, 0, 7.76072788f},
         {-596625.188f, -1490605.12f, 1466252.38f},
         {58708.1914f, 146431.609f, -144264.625f},
         {-0.590424955f, 0, -18.6060753f},
         0},
        {{-319.706604f, -3.86947227f, -6.20731878f},
         {0, 9.3397274f, 6.24456882f},
         {235622.016f, -222014.375f, 72593.7578f},
         {-385166.781f, 362144.031f, -118422.836f},
         {0, -68.5744553f, 0},
         0},
        {{-237.918152f, 3.19782448f, 6.39147997f},
         {0, 7.25867224f, 9.19898224f},
         {-45865.5078f, -16588.0059f, -22789.2148f},
         {723777.938f, 263355.156f, 361744.938f},
         {0, -18.724287f, 1.79801381f},
         0.000686173385f},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const float *at = cases[i].at, *half = cases[i].half, *from = cases[i].from, *to = cases[i].to;
        const float *axis = cases[i].axis;
        qd_geometry wall = box(at[0], at[1], at[2], half[0], half[1], half[2]);
        qd_geometry begin = capsule(from[0], from[1], from[2], axis[0], axis[1], axis[2], cases[i].radius);
        qd_geometry end = capsule(to[0], to[1], to[2], axis[0], axis[1], axis[2], cases[i].radius);

        assert_true(wall.at[0] == wall.to[0] || wall.at[1] == wall.to[1] || wall.at[2] == wall.to[2]);
        assert_true(meet(begin, end, wall, wall));
        assert_true(meet(end, begin, wall, wall));
        wall = moved(wall, 0, 0, 100);
        assert_false(meet(begin, end, wall, wall));
    }
}

/* ---- numbers at their limits ---- */

TEST(largest_numbers_do_not_overflow)
{
    const float far = 3e38f;
    qd_geometry ends[3] = {box(far, far, far, 1, 1, 1), circle(far, far, far, 1), capsule(far, far, far, 1, 1, 1, 1)};
    qd_geometry others[3] = {box(-far, -far, -far, 1, 1, 1), circle(-far, -far, -far, 1),
                             capsule(-far, -far, -far, 1, -1, 0, 1)};

    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            assert_true(overlap(ends[a], ends[b]));
            assert_false(overlap(ends[a], others[b]));
            assert_true(meet(ends[a], others[a], others[b], ends[b]));
            assert_false(meet(ends[a], ends[a], others[b], others[b]));
            assert_true(meet(ends[a], others[a], circle(0, 0, 0, 1), circle(0, 0, 0, 1)));
        }
    }
    qd_geometry bar = capsule(0, 0, 0, far, far, 0, 0);
    assert_true(overlap(bar, capsule(1e30f, 0, 0, far, -far, 0, 0)));
    assert_false(overlap(bar, capsule(1e30f, 0, 1, far, -far, 0, 0)));
    assert_true(overlap(bar, box(0, 0, 0, FLT_MAX, 1, 1)));
    assert_true(passes(moved(bar, 0, 0, -far), 0, 0, 2 * (far / 2), capsule(0, 0, -1, far, -far, 0, 0)));
    assert_true(distance(bar, 0, 0, 3) == 3);
    assert_true(ray(bar, 0, -8, 0, 0, 1, 0, INFINITY) == 8);
    assert_true(isinf(ray(bar, 0, -8, 1, 0, 1, 0, INFINITY)));
}

TEST(infinite_corner_is_no_face)
{
    qd_geometry wide = box(3e38f, 0, 0, FLT_MAX, 1, 1);

    assert_true(isinf(wide.to[0]));
    assert_true(overlap(wide, circle(FLT_MAX, 0, 0, 1)));
    assert_true(overlap(wide, capsule(FLT_MAX, 4, 0, 0, 3, 0, 0)));
    assert_false(overlap(wide, capsule(FLT_MAX, 5, 0, 0, 3, 0, 0)));
    assert_true(passes(circle(FLT_MAX, 9, 0, 1), 0, -20, 0, wide));
    assert_true(passes(capsule(FLT_MAX, 9, 0, 1, 1, 0, 1), 0, -20, 0, wide));
    assert_false(passes(capsule(FLT_MAX, 9, 9, 1, 1, 0, 1), 0, -20, 0, wide));
    /* Finite where it ends: it comes from the right. */
    qd_geometry end = box(-5, 0, 0, 1, 1, 1);
    assert_true(meet(wide, end, circle(-4.5f, 0, 0, 0), circle(-4.5f, 0, 0, 0)));
    assert_false(meet(wide, end, circle(-4.5f, 9, 0, 0), circle(-4.5f, 9, 0, 0)));
    assert_true(distance(wide, 1e38, 4, 0) == 3);
    assert_true(ray(wide, 1e38, 9, 0, 0, -1, 0, INFINITY) == 8);
}

TEST(smallest_numbers_are_exact)
{
    const float tiny = 0x1p-149f;

    assert_true(overlap(circle(0, 0, 0, tiny), circle(2 * tiny, 0, 0, tiny)));
    assert_false(overlap(circle(0, 0, 0, tiny), circle(3 * tiny, 0, 0, tiny)));
    assert_true(overlap(capsule(0, 0, 0, 3 * tiny, 4 * tiny, 0, tiny), circle(-4 * tiny, 3 * tiny, 0, 4 * tiny)));
    assert_false(overlap(capsule(0, 0, 0, 3 * tiny, 4 * tiny, 0, tiny), circle(-4 * tiny, 3 * tiny, 0, 3 * tiny)));
    assert_true(overlap(capsule(0, 0, 0, tiny, tiny, 0, 0), capsule(0, 0, 0, tiny, -tiny, 0, 0)));
    assert_true(overlap(capsule(0, 0, 0, tiny, tiny, 0, tiny), capsule(0, 0, 2 * tiny, tiny, -tiny, 0, tiny)));
    assert_false(overlap(capsule(0, 0, 0, tiny, tiny, 0, tiny), capsule(0, 0, 3 * tiny, tiny, -tiny, 0, tiny)));
    qd_geometry bar = capsule(0, 0, 0, tiny, 0, 0, 0), post = capsule(0, -2 * tiny, 0, 0, 0, tiny, 0);
    assert_true(passes(post, 0, 4 * tiny, 0, bar));
    assert_true(passes(post, 0, 4 * tiny, 0, box(0, 0, 0, tiny, tiny, 0)));
    assert_true(distance(bar, 0, 3 * (double)tiny, 0) == 3 * (double)tiny);
}

/* ---- distance and ray by hand ---- */

TEST(distance_is_exact)
{
    assert_true(distance(box(0, 0, 0, 1, 1, 1), 3, 4, 7) == 7);
    assert_true(distance(box(0, 0, 0, 1, 1, 1), 0.5, -1, 1) == 0);
    assert_true(distance(circle(1, 1, 1, 2), 3, 4, 7) == 5);
    assert_true(distance(circle(1, 1, 1, 2), 2, 2, 2) == 0);
    qd_geometry bar = capsule(10, 5, 0, 3, 0, 0, 1);
    assert_true(distance(bar, 9, 9, 0) == 3);
    assert_true(distance(bar, 16, 9, 0) == 4);
    assert_true(distance(bar, 4, 1, 0) == 4);
    assert_true(distance(bar, 12, 5.5, 0.5) == 0);
    assert_true(distance(capsule(0, 0, 0, 2, 3, 6, 1), 6, 9, 18) == 13);
}

TEST(ray_hits_at_its_distance)
{
    qd_geometry wall = box(0, 0, 0, 1, 2, 3), ball = circle(0, 0, 0, 2), bar = capsule(0, 0, 0, 3, 0, 0, 1);

    assert_true(ray(wall, -5, 1, 1, 1, 0, 0, 10) == 4);
    assert_true(ray(wall, -5, 2, 3, 1, 0, 0, 10) == 4);
    assert_true(ray(wall, -5, 1, 1, 1, 0, 0, 4) == 4);
    assert_true(ray(wall, -5, 1, 1, 1, 0, 0, 3.9) == MISSED);
    assert_true(ray(wall, -5, 1, 1, -1, 0, 0, INFINITY) == MISSED);
    assert_true(ray(wall, -5, 2.5, 1, 1, 0, 0, 10) == MISSED);
    assert_true(ray(wall, 0, 1, 1, 1, 0, 0, 0) == 0);
    assert_true(ray(ball, 0, 0, -9, 0, 0, 1, 10) == 7);
    assert_true(ray(ball, 2, 0, -9, 0, 0, 1, 10) == 9);
    assert_true(ray(ball, 2.1, 0, -9, 0, 0, 1, 10) == MISSED);
    assert_true(ray(ball, 1, 1, 1, 0, 0, 1, 10) == 0);
    assert_true(ray(ball, 0, 0, -9, 0, 0, -1, 10) == MISSED);
    assert_true(ray(ball, 0, 0, -9, 0, 0, 1, 6) == MISSED);
    assert_true(ray(bar, 1, -5, 0, 0, 1, 0, 10) == 4);       /* its side */
    assert_true(ray(bar, 1, -5, 1, 0, 1, 0, 10) == 5);       /* grazing it */
    assert_true(ray(bar, -9, 0, 0, 1, 0, 0, 10) == 5);       /* along its axis */
    assert_true(ray(bar, -9, 1, 0, 1, 0, 0, 10) == 6);       /* touching an end, then the side */
    assert_true(ray(bar, 3.6, -5, 0, 0, 1, 0, 10) < 4.2001); /* an end: sqrt(1 - 0.36) before its middle */
    assert_true(ray(bar, 3.6, -5, 0, 0, 1, 0, 10) > 4.1999);
    assert_true(ray(bar, 1, -5, 0, 0, 1, 0, 3.9) == MISSED);
    assert_true(ray(bar, 1, -5, 0, 0, -1, 0, INFINITY) == MISSED);
    assert_true(ray(bar, 4.1, -5, 0, 0, 1, 0, INFINITY) == MISSED);
    assert_true(ray(bar, 2, 0.5, 0.5, 0, 1, 0, 10) == 0);
    assert_true(ray(bar, 3.8, 0.1, 0.1, 0, 1, 0, 10) == 0);
    qd_geometry line = capsule(4, 0, 0, 3, 5, 0, 0); /* a segment is hit in two dimensions */
    assert_true(ray(line, 0, 0, 0, 1, 0, 0, 10) == 4);
    assert_true(ray(line, 0, 0, 1, 1, 0, 0, 10) == MISSED);
}

TEST_MAIN()
