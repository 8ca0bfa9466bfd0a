/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/space/frame.h"
#include "server/space/shape.h"

static uint64_t dice = 3;

static uint32_t draw(void)
{
    dice += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = (dice ^ dice >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

static float between(double lo, double hi)
{
    return (float)(lo + (hi - lo) * (draw() / 4294967296.0));
}

static bool boxes(float ax, float ay, float ahx, float ahy, float bx, float by, float bhx, float bhy)
{
    qd_row a = qd_row_of_box(ax, ay, ahx, ahy), b = qd_row_of_box(bx, by, bhx, bhy);
    bool met = qd_rows_overlap(&a, false, &b, false);
    assert_int_equal(met, qd_rows_overlap(&b, false, &a, false));
    assert_int_equal(met, qd_boxes_overlap(&a, &b));
    return met;
}

static bool circles(float ax, float ay, float ar, float bx, float by, float br)
{
    qd_row a = qd_row_of_circle(ax, ay, ar), b = qd_row_of_circle(bx, by, br);
    bool met = qd_rows_overlap(&a, true, &b, true);
    assert_int_equal(met, qd_rows_overlap(&b, true, &a, true));
    return met;
}

static bool mixed(float cx, float cy, float r, float bx, float by, float bhx, float bhy)
{
    qd_row a = qd_row_of_circle(cx, cy, r), b = qd_row_of_box(bx, by, bhx, bhy);
    bool met = qd_rows_overlap(&a, true, &b, false);
    assert_int_equal(met, qd_rows_overlap(&b, false, &a, true));
    return met;
}

static void test_touching_counts(void **state)
{
    (void)state;
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

static void test_a_size_of_zero_is_a_point(void **state)
{
    (void)state;
    assert_true(boxes(3, 4, 0, 0, 3, 4, 0, 0));
    assert_false(boxes(3, 4, 0, 0, nextafterf(3, 4), 4, 0, 0));
    assert_true(circles(3, 4, 0, 3, 4, 0));
    assert_true(circles(3, 4, 5, 0, 0, 0));
    assert_true(mixed(3, 4, 0, 3, 4, 0, 0));
    assert_true(mixed(3, 4, 0, 2, 4, 1, 0));
}

static void test_one_inside_another(void **state)
{
    (void)state;
    assert_true(boxes(0, 0, 100, 100, 3, 3, 1, 1));
    assert_true(circles(0, 0, 100, 3, 3, 1));
    assert_true(mixed(0, 0, 100, 3, 3, 1, 1));
    assert_true(mixed(3, 3, 1, 0, 0, 100, 100));
}

static void test_an_absent_one_overlaps_nothing(void **state)
{
    (void)state;
    const qd_row absent = QD_ROW_ABSENT;
    const qd_row others[] = {absent,
                             qd_row_of_box(0, 0, 0, 0),
                             qd_row_of_box(0, 0, FLT_MAX, FLT_MAX),
                             qd_row_of_box(3e38f, -3e38f, FLT_MAX, FLT_MAX),
                             qd_row_of_circle(0, 0, FLT_MAX),
                             qd_row_of_circle(3e38f, 1, 3e38f)};
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

static void test_an_infinite_corner_is_legal(void **state)
{
    (void)state;
    qd_row far = qd_row_of_box(3e38f, 0, FLT_MAX, 1);
    assert_true(isinf(far.v[2]));
    assert_true(boxes(3e38f, 0, FLT_MAX, 1, FLT_MAX, 0, 1, 1));
    assert_true(boxes(3e38f, 0, FLT_MAX, 1, 3e38f, 0, FLT_MAX, 1));
    assert_false(boxes(3e38f, 0, 1e38f, 1, -1, 0, 1, 1));
    assert_true(mixed(FLT_MAX, 0, 1, 3e38f, 0, FLT_MAX, 1));
    assert_false(mixed(FLT_MAX, 3, 1, 3e38f, 0, FLT_MAX, 1));
}

/* On a small lattice every product is exact, so that the long double answer is the mathematical one. */
static void test_against_exact_arithmetic(void **state)
{
    (void)state;
    for (int i = 0; i < 300000; i++) {
        float unit = i % 2 ? 0.25f : 1024.0f;
        float v[7];
        for (int k = 0; k < 7; k++) {
            v[k] = (float)(int)(draw() % 65) * unit;
        }
        long double dx = (long double)v[0] - v[3], dy = (long double)v[1] - v[4], r = (long double)v[2] + v[5];
        assert_int_equal(circles(v[0], v[1], v[2], v[3], v[4], v[5]), dx * dx + dy * dy <= r * r);
        assert_int_equal(boxes(v[0], v[1], v[2], v[6], v[3], v[4], v[5], v[2]),
                         fabsl(dx) <= (long double)v[2] + v[5] && fabsl(dy) <= (long double)v[6] + v[2]);
        long double gap_x = fmaxl(fabsl(dx) - v[5], 0), gap_y = fmaxl(fabsl(dy) - v[6], 0);
        assert_int_equal(mixed(v[0], v[1], v[2], v[3], v[4], v[5], v[6]),
                         gap_x * gap_x + gap_y * gap_y <= (long double)v[2] * v[2]);
    }
}

/* Pairs at the very edge of touching, at all scales: what the exact test calls an overlap, the boxes around must not
 * lose, and where the boxes inside overlap strictly, the exact test must agree. */
static void test_boxes_around_and_inside_circles(void **state)
{
    (void)state;
    unsigned met = 0, proven = 0;
    for (int i = 0; i < 2000000; i++) {
        double scale = ldexp(1, (int)(draw() % 60) - 30), at = ldexp(scale, (int)(draw() % 24) - 4);
        float ax = between(-at, at), ay = between(-at, at), ar = between(0, scale), br = between(0, scale);
        double angle = i % 3 == 0 ? (draw() % 4) * 1.5707963267948966 : between(0, 6.2831853);
        double distance = ((double)ar + br) * (i % 2 ? 1 : between(0, 1.01));
        float bx = (float)(ax + cos(angle) * distance), by = (float)(ay + sin(angle) * distance);
        if (i % 5 == 0) {
            bx = nextafterf(bx, i % 10 ? INFINITY : -INFINITY);
        }
        qd_row a = qd_row_of_circle(ax, ay, ar), b = qd_row_of_circle(bx, by, br);
        qd_row box = qd_row_of_box(bx, by, br, between(0, scale));
        qd_row around_a = qd_circle_bounds(&a), around_b = qd_circle_bounds(&b);
        qd_row inside_a = qd_circle_core(&a), inside_b = qd_circle_core(&b);
        bool overlap = qd_rows_overlap(&a, true, &b, true), overlap_box = qd_rows_overlap(&a, true, &box, false);
        assert_true(!overlap || qd_boxes_overlap(&around_a, &around_b));
        assert_true(!overlap_box || qd_boxes_overlap(&around_a, &box));
        bool proof = inside_a.v[0] < inside_b.v[2] && inside_b.v[0] < inside_a.v[2] && inside_a.v[1] < inside_b.v[3] &&
                     inside_b.v[1] < inside_a.v[3];
        bool proof_box = inside_a.v[0] < box.v[2] && box.v[0] < inside_a.v[2] && inside_a.v[1] < box.v[3] &&
                         box.v[1] < inside_a.v[3];
        assert_true(!proof || overlap);
        assert_true(!proof_box || overlap_box);
        met += overlap;
        proven += proof;
    }
    assert_true(met > 100000 && proven > 10000);
}

static void test_huge_coordinates_and_small_sizes(void **state)
{
    (void)state;
    /* At 1e6 a float's step is 0.0625: corners are what rounding makes of them, and are compared exactly. */
    for (int i = 0; i < 100000; i++) {
        float ax = between(1e6, 1e6 + 1), bx = between(1e6, 1e6 + 1);
        volatile float a_lo = ax - 0.1f, a_hi = ax + 0.1f, b_lo = bx - 0.1f, b_hi = bx + 0.1f;
        assert_int_equal(boxes(ax, 0, 0.1f, 0.1f, bx, 0, 0.1f, 0.1f), a_lo <= b_hi && b_lo <= a_hi);
    }
}

/* The numbers of a frame never decrease, and stay in range whatever comes. */
static void test_numbers_keep_order(void **state)
{
    (void)state;
    const qd_frame frames[] = {{0, 0, 65536.0f / 500},
                               {-1e6f, 5, 65536.0f / 3},
                               {-3e38f, -3e38f, 1e-34f},
                               {0, 0, FLT_MAX},
                               {1e30f, 0, 1e-20f}};
    for (size_t f = 0; f < sizeof frames / sizeof *frames; f++) {
        for (int i = 0; i < 200000; i++) {
            double reach = 1.5 * 65536 / frames[f].scale;
            float a = (float)(frames[f].origin_x + between(-reach, reach));
            float b = i % 3 ? nextafterf(a, INFINITY) : (float)(frames[f].origin_x + between(-reach, reach));
            if (i % 1000 == 0) {
                a = -INFINITY;
                b = i % 2000 == 0 ? INFINITY : 3.4e38f;
            }
            qd_float4 edges = {a, b, b, a};
            qd_int4 number =
                qd_frame_numbers(&(qd_frame){frames[f].origin_x, frames[f].origin_x, frames[f].scale}, edges);
            for (int k = 0; k < 4; k++) {
                assert_in_range(number[k], 0, QD_FRAME_LAST);
                assert_int_equal(number[k], qd_frame_number(edges[k], frames[f].origin_x, frames[f].scale));
            }
            assert_true(a <= b ? number[0] <= number[1] : number[0] >= number[1]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_touching_counts),
        cmocka_unit_test(test_a_size_of_zero_is_a_point),
        cmocka_unit_test(test_one_inside_another),
        cmocka_unit_test(test_an_absent_one_overlaps_nothing),
        cmocka_unit_test(test_an_infinite_corner_is_legal),
        cmocka_unit_test(test_against_exact_arithmetic),
        cmocka_unit_test(test_boxes_around_and_inside_circles),
        cmocka_unit_test(test_huge_coordinates_and_small_sizes),
        cmocka_unit_test(test_numbers_keep_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
