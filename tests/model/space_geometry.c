/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact geometry on random shapes, compared with the oracle (support/oracle.h), which shares no code with it: circles
 * and boxes to the last bit, the rest where it is not too close to call.
 */
#include <math.h>

#include "support/oracle.h"
#include "support/rng.h"
#include "support/spaces.h"
#include "tests/support/test.h"

#define CASES 4000u

/* Where the numbers of a case come from: of one scale, in a plane or in space, from a lattice, where much is parallel
 * and much touches, and from so far away that the corners of boxes are rounded to sizes of their own. */
typedef struct source {
    rng_stream rng;
    bool flat, lattice;
    double size, spread, step, far;
} source;

static void draw_source(source *from)
{
    static const double scales[] = {1, 1, 1, 1e-3, 1e6, 1e18};
    rng_stream *rng = &from->rng;

    from->flat = rng_one_in(rng, 2);
    from->lattice = rng_one_in(rng, 3);
    from->size = scales[rng_below(rng, 6)];
    from->spread = from->size * (double)rng_between(rng, 0.3, 2);
    from->step = from->spread * (rng_one_in(rng, 3) ? 1 : 4);
    from->far = rng_one_in(rng, 4) ? from->size * (double)rng_between(rng, 1e5, 1e7) : 0;
}

static float number(source *from, double range)
{
    return from->lattice ? (float)(((double)rng_below(&from->rng, 9) - 4) / 4 * range)
                         : rng_between(&from->rng, -range, range);
}

static float number_of_z(source *from, double range)
{
    return from->flat ? 0 : number(from, range);
}

/* One end is at 0 on an axis, and the other so far away that double loses the rest of the case beside it. */
static void make_very_long(source *from, qd_body *body)
{
    float length = rng_one_in(&from->rng, 2) ? 1e30f : -1e30f;

    if (rng_one_in(&from->rng, 2)) {
        body->x = body->half_x = length;
    } else {
        body->y = length;
        body->half_y = -length;
    }
}

static qd_body draw_body(source *from, uint32_t shape)
{
    qd_body body = {.x = number(from, from->spread),
                    .y = number(from, from->spread),
                    .z = number_of_z(from, from->spread),
                    .half_x = number(from, from->size),
                    .half_y = number(from, from->size),
                    .half_z = number_of_z(from, from->size),
                    .radius = fabsf(number(from, from->size / 2)),
                    .shape = (uint8_t)shape};

    if (shape == QD_SPACE_CAPSULE && rng_one_in(&from->rng, 16)) {
        make_very_long(from, &body);
    }
    if (shape != QD_SPACE_CAPSULE) {
        body.half_x = fabsf(body.half_x);
        body.half_y = fabsf(body.half_y);
        body.half_z = fabsf(body.half_z);
    }
    if (rng_one_in(&from->rng, 4)) {
        body.half_y = body.half_z = 0;
    }
    if (rng_one_in(&from->rng, 4)) {
        *(rng_one_in(&from->rng, 2) ? &body.radius : &body.half_x) = 0;
    }
    return body;
}

/* From near to near, or to far away. */
static qd_body moved(source *from, qd_body body)
{
    if (!rng_one_in(&from->rng, 5)) {
        body.x += (float)from->far;
        body.y -= (float)from->far;
        body.x += number(from, from->step);
        body.y += number(from, from->step);
        body.z += number_of_z(from, from->step);
    }
    return body;
}

TEST(overlap_agrees_with_the_oracle)
{
    source from = {.rng = {11}};

    for (uint32_t shapes = 0; shapes < 9; shapes++) {
        uint32_t counts[3] = {0};

        for (uint32_t i = 0; i < CASES; i++) {
            draw_source(&from);
            qd_body one = draw_body(&from, 1 + shapes / 3), other = draw_body(&from, 1 + shapes % 3);
            qd_geometry a = space_geometry_of(&one), b = space_geometry_of(&other);
            bool overlap = qd_geometry_overlaps(&a, &b);
            oracle_verdict expected = oracle_overlap(&one, &other);
            assert_int_equal(overlap, qd_geometry_overlaps(&b, &a));
            assert_true(expected == ORACLE_TOO_CLOSE || overlap == (expected == ORACLE_OVERLAP));
            counts[expected]++;
        }
        assert_true(counts[ORACLE_APART] > CASES / 4 && counts[ORACLE_OVERLAP] > CASES / 5);
    }
}

TEST(swept_contact_agrees_with_the_oracle)
{
    source from = {.rng = {12}};

    for (uint32_t shapes = 0; shapes < 9; shapes++) {
        uint32_t counts[3] = {0}, between = 0;

        for (uint32_t i = 0; i < CASES; i++) {
            draw_source(&from);
            qd_body body[4] = {draw_body(&from, 1 + shapes / 3), draw_body(&from, 1 + shapes % 3)};
            body[2] = moved(&from, body[0]);
            body[3] = moved(&from, body[1]);
            qd_geometry s[4] = {space_geometry_of(&body[0]), space_geometry_of(&body[1]), space_geometry_of(&body[2]),
                                space_geometry_of(&body[3])};
            bool met = qd_geometry_meets(&s[0], &s[2], &s[1], &s[3]);
            oracle_verdict expected = oracle_sweep(&body[0], &body[2], &body[1], &body[3]);
            assert_int_equal(met, qd_geometry_meets(&s[1], &s[3], &s[0], &s[2]));
            assert_int_equal(met, qd_geometry_meets(&s[2], &s[0], &s[3], &s[1]));
            assert_true(expected == ORACLE_TOO_CLOSE || met == (expected == ORACLE_OVERLAP));
            counts[expected]++;
            between += met && !qd_geometry_overlaps(&s[0], &s[1]) && !qd_geometry_overlaps(&s[2], &s[3]);
        }
        assert_true(counts[ORACLE_APART] > CASES / 4 && counts[ORACLE_OVERLAP] > CASES / 5 && between > CASES / 20);
    }
}

static qd_space_query draw_query(source *from, qd_space_query_kind kind)
{
    qd_space_query query = {.kind = kind,
                            .x = number(from, from->spread),
                            .y = number(from, from->spread),
                            .z = number_of_z(from, from->spread),
                            .direction_x = number(from, from->size),
                            .direction_y = number(from, from->size),
                            .direction_z = number_of_z(from, from->size),
                            .reach = from->step};

    if (query.direction_x == 0 && query.direction_y == 0 && query.direction_z == 0) {
        query.direction_x = (float)from->size;
    }
    return query;
}

static double measure(const qd_space_query *query, const qd_geometry *geometry)
{
    const double at[3] = {query->x, query->y, query->z};
    double unit[3] = {query->direction_x, query->direction_y, query->direction_z};
    double length = sqrt(unit[0] * unit[0] + unit[1] * unit[1] + unit[2] * unit[2]);

    for (int k = 0; k < 3; k++) {
        unit[k] /= length;
    }
    if (query->kind == QD_SPACE_RAY) {
        return qd_geometry_ray(geometry, at, unit, query->reach);
    }
    double distance = qd_geometry_distance(geometry, at);
    return distance <= query->reach ? distance : (double)INFINITY;
}

TEST(distance_and_ray_agree_with_the_oracle)
{
    source from = {.rng = {13}};

    for (uint32_t kinds = 0; kinds < 6; kinds++) {
        uint32_t counts[3] = {0}, away = 0;

        for (uint32_t i = 0; i < CASES; i++) {
            draw_source(&from);
            qd_space_query query = draw_query(&from, kinds < 3 ? QD_SPACE_NEAREST : QD_SPACE_RAY);
            qd_body body = draw_body(&from, 1 + kinds % 3);
            qd_geometry geometry = space_geometry_of(&body);
            double at = measure(&query, &geometry), expected_at, slack;
            oracle_verdict expected = oracle_measure(&query, &body, &expected_at, &slack);
            assert_true(expected == ORACLE_TOO_CLOSE || isfinite(at) == (expected == ORACLE_OVERLAP));
            assert_true(expected != ORACLE_OVERLAP || fabs(at - expected_at) <= slack);
            counts[expected]++;
            away += isfinite(at) && at > 0;
        }
        assert_true(counts[ORACLE_APART] > CASES / 20 && counts[ORACLE_OVERLAP] > CASES / 10 && away > CASES / 20);
    }
}

TEST_MAIN()
