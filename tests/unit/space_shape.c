/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "server/space/geometry/geometry.h"
#include "server/space/geometry/quantizer.h"
#include "server/space/geometry/shape.h"
#include "support/rng.h"
#include "tests/support/test.h"

static rng_stream rng = {3};

/* Most tests use two axes. They run for each pair of axes; the third coordinate is 0. */
static const float *on_axes(uint32_t first, float x, float y, float *values)
{
    memset(values, 0, QD_AXES * sizeof *values);
    values[first] = x;
    values[(first + 1) % QD_AXES] = y;
    return values;
}

static qd_row box(uint32_t first, float x, float y, float half_x, float half_y)
{
    float at[QD_AXES], half[QD_AXES];

    return qd_row_of_box(on_axes(first, x, y, at), on_axes(first, half_x, half_y, half));
}

static qd_row circle(uint32_t first, float x, float y, float radius)
{
    float at[QD_AXES];

    return qd_row_of_circle(on_axes(first, x, y, at), radius);
}

/* Asks in both orders. */
static bool overlap(const qd_row *a, bool a_circle, const qd_row *b, bool b_circle)
{
    bool met = qd_rows_overlap(a, a_circle, b, b_circle);

    assert_int_equal(met, qd_rows_overlap(b, b_circle, a, a_circle));
    if (!a_circle && !b_circle) {
        assert_int_equal(met, qd_boxes_overlap(a, b));
    }
    return met;
}

/* A circle if it has no second half extent. */
typedef struct form {
    float x, y, half_x, half_y;
} form;
#define ROUND (-1.0f)

/* Takes all axes, and returns the first two. */
static bool meet(form a, form b)
{
    bool met[QD_AXES], a_circle = a.half_y == ROUND, b_circle = b.half_y == ROUND;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        qd_row one = a_circle ? circle(k, a.x, a.y, a.half_x) : box(k, a.x, a.y, a.half_x, a.half_y),
               other = b_circle ? circle(k, b.x, b.y, b.half_x) : box(k, b.x, b.y, b.half_x, b.half_y);

        met[k] = overlap(&one, a_circle, &other, b_circle);
        assert_int_equal(met[k], met[0]);
    }
    return met[0];
}

static bool boxes(float ax, float ay, float ahx, float ahy, float bx, float by, float bhx, float bhy)
{
    return meet((form){ax, ay, ahx, ahy}, (form){bx, by, bhx, bhy});
}

static bool circles(float ax, float ay, float ar, float bx, float by, float br)
{
    return meet((form){ax, ay, ar, ROUND}, (form){bx, by, br, ROUND});
}

static bool mixed(float cx, float cy, float r, float bx, float by, float bhx, float bhy)
{
    return meet((form){cx, cy, r, ROUND}, (form){bx, by, bhx, bhy});
}

TEST(touching_counts)
{
    assert_true(boxes(0, 0, 1, 1, 2, 0, 1, 1));
    assert_true(boxes(0, 0, 1, 1, 2, -2, 1, 1));
    assert_false(boxes(0, 0, 1, 1, nextafterf(2, 3), 0, 1, 1));
    assert_false(boxes(0, 0, 1, 1, 2.0001f, 0, 1, 1));
    assert_true(circles(0, 0, 1, 2, 0, 1));
    assert_true(circles(0, 0, 2, 3, 4, 3));
    assert_false(circles(0, 0, 2, 3, nextafterf(4, 5), 3));
    assert_true(mixed(0, 0, 1, 2, 0, 1, 1));
    assert_true(mixed(0, 0, 5, 4, 5, 1, 1));
    assert_false(mixed(0, 0, 5, nextafterf(4, 5), 5, 1, 1));
    assert_false(mixed(0, 0, 1, 2, 2, 1, 1)); /* the boxes touch at a corner, the circle does not reach it */
}

TEST(size_of_zero_is_a_point)
{
    assert_true(boxes(3, 4, 0, 0, 3, 4, 0, 0));
    assert_false(boxes(3, 4, 0, 0, nextafterf(3, 4), 4, 0, 0));
    assert_true(circles(3, 4, 0, 3, 4, 0));
    assert_true(circles(3, 4, 5, 0, 0, 0));
    assert_true(mixed(3, 4, 0, 3, 4, 0, 0));
    assert_true(mixed(3, 4, 0, 2, 4, 1, 0));
}

TEST(shape_inside_another_overlaps)
{
    assert_true(boxes(0, 0, 100, 100, 3, 3, 1, 1));
    assert_true(circles(0, 0, 100, 3, 3, 1));
    assert_true(mixed(0, 0, 100, 3, 3, 1, 1));
    assert_true(mixed(3, 3, 1, 0, 0, 100, 100));
}

TEST(absent_shape_overlaps_nothing)
{
    const qd_row absent = QD_ROW_ABSENT;
    const qd_row others[] = {absent,
                             box(0, 0, 0, 0, 0),
                             box(0, 0, 0, FLT_MAX, FLT_MAX),
                             box(0, 3e38f, -3e38f, FLT_MAX, FLT_MAX),
                             circle(0, 0, 0, FLT_MAX),
                             circle(0, 3e38f, 1, 3e38f)};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        for (int kinds = 0; kinds < 4; kinds++) {
            assert_false(qd_rows_overlap(&absent, kinds & 1, &others[i], kinds >> 1));
            assert_false(qd_rows_overlap(&others[i], kinds >> 1, &absent, kinds & 1));
        }
        if (i < 4) {
            assert_false(qd_boxes_overlap(&absent, &others[i]));
        }
    }
}

TEST(infinite_corner_is_legal)
{
    qd_row far = box(0, 3e38f, 0, FLT_MAX, 1);

    assert_true(isinf(far.v[QD_ROW_HIGH]));
    assert_true(boxes(3e38f, 0, FLT_MAX, 1, FLT_MAX, 0, 1, 1));
    assert_true(boxes(3e38f, 0, FLT_MAX, 1, 3e38f, 0, FLT_MAX, 1));
    assert_false(boxes(3e38f, 0, 1e38f, 1, -1, 0, 1, 1));
    assert_true(mixed(FLT_MAX, 0, 1, 3e38f, 0, FLT_MAX, 1));
    assert_false(mixed(FLT_MAX, 3, 1, 3e38f, 0, FLT_MAX, 1));
}

/* On a small lattice every product is exact, so that the long double answer is the mathematical one. */
TEST(overlap_agrees_with_exact_arithmetic)
{
    unsigned met[3] = {0};

    for (int i = 0; i < 300000; i++) {
        float unit = i % 2 ? 0.25f : 1024.0f, at_a[QD_AXES], at_b[QD_AXES], half_a[QD_AXES], half_b[QD_AXES];
        long double apart = 0, gap = 0;
        bool touch = true;

        for (uint32_t k = 0; k < QD_AXES; k++) {
            at_a[k] = (float)(int)(rng_below(&rng, 65)) * unit;
            at_b[k] = (float)(int)(rng_below(&rng, 65)) * unit;
            half_a[k] = (float)(int)(rng_below(&rng, 65)) * unit;
            half_b[k] = (float)(int)(rng_below(&rng, 65)) * unit;
            long double d = fabsl((long double)at_a[k] - at_b[k]), beyond = fmaxl(d - half_b[k], 0);
            apart += d * d;
            gap += beyond * beyond;
            touch &= d <= (long double)half_a[k] + half_b[k];
        }
        float ra = half_a[0], rb = half_b[0];
        qd_row box_a = qd_row_of_box(at_a, half_a), box_b = qd_row_of_box(at_b, half_b);
        qd_row circle_a = qd_row_of_circle(at_a, ra), circle_b = qd_row_of_circle(at_b, rb);
        const bool expected[3] = {touch, apart <= ((long double)ra + rb) * ((long double)ra + rb),
                                  gap <= (long double)ra * ra};
        assert_int_equal(overlap(&box_a, false, &box_b, false), expected[0]);
        assert_int_equal(overlap(&circle_a, true, &circle_b, true), expected[1]);
        assert_int_equal(overlap(&circle_a, true, &box_b, false), expected[2]);
        for (int k = 0; k < 3; k++) {
            met[k] += expected[k];
        }
    }
    assert_true(met[0] > 10000 && met[1] > 10000 && met[2] > 10000);
}

/* Whether the insides of two boxes have a point in common. */
static bool boxes_cross(const qd_row *a, const qd_row *b)
{
    bool cross = true;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        cross &= a->v[k] < b->v[QD_ROW_HIGH + k] && b->v[k] < a->v[QD_ROW_HIGH + k];
    }
    return cross;
}

/* A direction of length 1; every third one is along an axis. */
static void draw_direction(int i, double *direction)
{
    double length = 0;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        direction[k] = i % 3 == 0 ? 0 : (double)rng_between(&rng, -1, 1);
        length += direction[k] * direction[k];
    }
    if (length == 0) {
        direction[rng_below(&rng, QD_AXES)] = rng_below(&rng, 2) ? 1 : -1;
        length = 1;
    }
    for (uint32_t k = 0; k < QD_AXES; k++) {
        direction[k] /= sqrt(length);
    }
}

/* Pairs that barely touch or barely do not, at all scales. The boxes around shapes must overlap where the exact test
 * finds an overlap, and the exact test must find one where the boxes inside overlap strictly. */
TEST(circle_has_its_outer_and_inner_box)
{
    unsigned met = 0, proven = 0;

    for (int i = 0; i < 2000000; i++) {
        double scale = ldexp(1, (int)(rng_below(&rng, 60)) - 30), reach = ldexp(scale, (int)(rng_below(&rng, 24)) - 4);
        double direction[QD_AXES];
        float ar = rng_between(&rng, 0, scale), br = rng_between(&rng, 0, scale), a_at[QD_AXES], b_at[QD_AXES],
              half[QD_AXES];

        draw_direction(i, direction);
        double distance = ((double)ar + br) * (i % 2 ? 1 : rng_between(&rng, 0, 1.01));
        for (uint32_t k = 0; k < QD_AXES; k++) {
            a_at[k] = rng_between(&rng, -reach, reach);
            b_at[k] = (float)(a_at[k] + direction[k] * distance);
            half[k] = k == 0 ? br : rng_between(&rng, 0, scale);
        }
        if (i % 5 == 0) {
            b_at[0] = nextafterf(b_at[0], i % 10 ? INFINITY : -INFINITY);
        }
        qd_row a = qd_row_of_circle(a_at, ar), b = qd_row_of_circle(b_at, br), other = qd_row_of_box(b_at, half);
        qd_row around_a = qd_round_bounds(&a), around_b = qd_round_bounds(&b);
        qd_row inside_a = qd_circle_core(&a), inside_b = qd_circle_core(&b);
        bool touch = qd_rows_overlap(&a, true, &b, true), touch_box = qd_rows_overlap(&a, true, &other, false);
        assert_true(!touch || qd_boxes_overlap(&around_a, &around_b));
        assert_true(!touch_box || qd_boxes_overlap(&around_a, &other));
        bool proof = boxes_cross(&inside_a, &inside_b);
        assert_true(!proof || touch);
        assert_true(!boxes_cross(&inside_a, &other) || touch_box);
        met += touch;
        proven += proof;
    }
    assert_true(met > 100000 && proven > 10000);
}

/* A capsule reaches its axis plus its radius on each axis, rounded up by less than one step. */
TEST(capsule_has_its_reach)
{
    for (int i = 0; i < 100000; i++) {
        double scale = ldexp(1, (int)(rng_below(&rng, 60)) - 30);
        float at[QD_AXES], half[QD_AXES], radius = rng_between(&rng, 0, scale);

        for (uint32_t k = 0; k < QD_AXES; k++) {
            at[k] = rng_between(&rng, -1e6, 1e6);
            half[k] = rng_between(&rng, -scale, scale);
        }
        qd_row row = qd_row_of_capsule(at, half, radius);
        for (uint32_t k = 0; k < QD_AXES; k++) {
            double reach = fabs((double)half[k]) + radius;

            assert_true(row.v[k] == at[k]);
            assert_true(row.v[QD_ROW_HIGH + k] >= reach && row.v[QD_ROW_HIGH + k] <= reach * (1 + 0x1p-21));
        }
    }
}

/* A shape as a row and in double, at both ends of its way. */
typedef struct mover {
    bool is_round;
    qd_row from, to;
    qd_geometry begin, end;
} mover;

/* Draws a different size for each axis, so that a long axis hides rounding on a short one. */
static float any_size(void)
{
    static const double sizes[] = {0, 1e-40, 1e-3, 1, 1, 10, 1e6, 1e18, 3.4e38};
    double most = sizes[rng_below(&rng, 9)];

    return rng_below(&rng, 3) == 0 ? (float)most : rng_between(&rng, 0, most);
}

static float any_place(void)
{
    return rng_below(&rng, 2) ? any_size() : -any_size();
}

static qd_row row_of(uint32_t shape, const float *at, const float *half, float radius)
{
    return shape == QD_SPACE_BOX      ? qd_row_of_box(at, half)
           : shape == QD_SPACE_CIRCLE ? qd_row_of_circle(at, radius)
                                      : qd_row_of_capsule(at, half, radius);
}

static qd_geometry geometry_of(uint32_t shape, const float *at, const float *half, float radius)
{
    qd_geometry geometry = {.shape = (qd_space_shape)shape, .radius = radius};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        geometry.at[k] = shape == QD_SPACE_BOX ? at[k] - half[k] : at[k];
        geometry.to[k] = shape == QD_SPACE_BOX ? at[k] + half[k] : half[k];
    }
    return geometry;
}

static mover draw_mover(void)
{
    uint32_t shape = 1 + rng_below(&rng, 3);
    float from[QD_AXES], to[QD_AXES], half[QD_AXES], radius = any_size();

    for (uint32_t k = 0; k < QD_AXES; k++) {
        half[k] = any_size();
        from[k] = any_place();
        to[k] = rng_below(&rng, 2) ? from[k] : any_place();
    }
    return (mover){.is_round = shape != QD_SPACE_BOX,
                   .from = row_of(shape, from, half, radius),
                   .to = row_of(shape, to, half, radius),
                   .begin = geometry_of(shape, from, half, radius),
                   .end = geometry_of(shape, to, half, radius)};
}

static qd_row box_of_way(const mover *m)
{
    qd_row from = qd_row_bounds(&m->from, m->is_round), to = qd_row_bounds(&m->to, m->is_round);

    return qd_row_union(&from, &to);
}

/* Boxes only choose candidates: where the exact test finds an overlap or a meeting, the boxes around the two shapes
 * overlap too, whatever the numbers. */
TEST(shape_has_its_bounding_box)
{
    unsigned overlaps = 0, meetings = 0;

    for (int i = 0; i < 1000000; i++) {
        mover a = draw_mover(), b = draw_mover();
        qd_row box_a = qd_row_bounds(&a.from, a.is_round), box_b = qd_row_bounds(&b.from, b.is_round);
        bool overlap = qd_geometry_overlaps(&a.begin, &b.begin);

        assert_true(!overlap || qd_boxes_overlap(&box_a, &box_b));
        qd_row way_a = box_of_way(&a), way_b = box_of_way(&b);
        bool met = qd_geometry_meets(&a.begin, &a.end, &b.begin, &b.end);
        assert_true(!met || qd_boxes_overlap(&way_a, &way_b));
        overlaps += overlap;
        meetings += met && !overlap && !qd_geometry_overlaps(&a.end, &b.end);
    }
    assert_true(overlaps > 100000 && meetings > 10000);
}

TEST(small_size_at_huge_coordinates_keeps_its_box)
{
    /* At 1e6 a float's step is 0.0625: corners are what rounding makes of them, and are compared exactly. */
    for (int i = 0; i < 100000; i++) {
        float ax = rng_between(&rng, 1e6, 1e6 + 1), bx = rng_between(&rng, 1e6, 1e6 + 1);
        volatile float a_lo = ax - 0.1f, a_hi = ax + 0.1f, b_lo = bx - 0.1f, b_hi = bx + 0.1f;

        assert_int_equal(boxes(ax, 0, 0.1f, 0.1f, bx, 0, 0.1f, 0.1f), a_lo <= b_hi && b_lo <= a_hi);
    }
}

/* The numbers of a quantizer never decrease, and stay in range for every float. */
TEST(ordered_numbers_keep_their_order)
{
    const struct {
        float origin, scale;
    } quantizers[] = {{0, 65536.0f / 500}, {-1e6f, 65536.0f / 3}, {-3e38f, 1e-34f}, {0, FLT_MAX}, {1e30f, 1e-20f}};
    for (size_t f = 0; f < sizeof quantizers / sizeof *quantizers; f++) {
        qd_quantizer quantizer = {.scale = quantizers[f].scale};

        for (uint32_t k = 0; k < QD_AXES; k++) {
            quantizer.origin[k] = quantizers[f].origin;
        }
        for (int i = 0; i < 200000; i++) {
            double reach = 1.5 * 65536 / quantizer.scale;
            float a = (float)(quantizer.origin[0] + rng_between(&rng, -reach, reach));
            float b = i % 3 ? nextafterf(a, INFINITY) : (float)(quantizer.origin[0] + rng_between(&rng, -reach, reach));

            if (i % 1000 == 0) {
                a = -INFINITY;
                b = i % 2000 == 0 ? INFINITY : 3.4e38f;
            }
            qd_row edges = {{0}};
            for (uint32_t k = 0; k < QD_AXES; k++) {
                edges.v[k] = k % 2 ? b : a;
                edges.v[QD_ROW_HIGH + k] = k % 2 ? a : b;
            }
            qd_numbers number = qd_quantizer_numbers(&quantizer, &edges);
            for (uint32_t k = 0; k < QD_EDGES; k++) {
                uint32_t edge = k < QD_AXES ? k : QD_ROW_HIGH + k - QD_AXES;

                assert_in_range(number.v[edge], 0, QD_QUANTIZER_LAST);
                assert_int_equal(number.v[edge],
                                 qd_quantizer_number(edges.v[edge], quantizer.origin[0], quantizer.scale));
            }
            assert_true(a <= b ? number.v[0] <= number.v[QD_ROW_HIGH] : number.v[0] >= number.v[QD_ROW_HIGH]);
        }
    }
}

TEST_MAIN()
