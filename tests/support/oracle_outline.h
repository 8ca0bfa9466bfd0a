/* SPDX-License-Identifier: Apache-2.0
 *
 * Internal to the oracle (oracle.h): the outline of a body, and the distances that overlaps, sweeps and queries share.
 */
#ifndef QD_TESTS_SUPPORT_ORACLE_OUTLINE_H
#define QD_TESTS_SUPPORT_ORACLE_OUTLINE_H

#include <math.h>

#include "oracle.h"

#define SEARCH_STEPS 100 /* each keeps two thirds of the way; the rest is in the end less than a double's precision */

/* A box by its corners; or a rod from lo to hi with a radius around it, whose ends are both at the center if the shape
 * is a circle. */
typedef struct outline {
    qd_space_shape shape;
    double lo[3], hi[3];
    double radius;
} outline;

static inline outline outline_of(const qd_body *body)
{
    const float at[3] = {body->x, body->y, body->z}, half[3] = {body->half_x, body->half_y, body->half_z};
    outline made = {.shape = (qd_space_shape)body->shape};

    for (int k = 0; k < 3; k++) {
        if (body->shape == QD_SPACE_BOX) {
            float lo = at[k] - half[k], hi = at[k] + half[k];

            made.lo[k] = lo;
            made.hi[k] = hi;
        } else {
            double reach = body->shape == QD_SPACE_CAPSULE ? (double)half[k] : 0;

            made.lo[k] = (double)at[k] - reach;
            made.hi[k] = (double)at[k] + reach;
        }
    }
    made.radius = body->shape == QD_SPACE_CIRCLE    ? (double)body->half_x
                  : body->shape == QD_SPACE_CAPSULE ? (double)body->radius
                                                    : 0;
    return made;
}

static inline double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double gap_of(double at, double lo, double hi)
{
    return fmax(fmax(lo - at, 0), at - hi);
}

static inline double square_to_box(const double point[3], const outline *box)
{
    double square = 0;

    for (int k = 0; k < 3; k++) {
        double gap = gap_of(point[k], box->lo[k], box->hi[k]);

        square += gap * gap;
    }
    return square;
}

static inline double point_to_box(const double point[3], const outline *box)
{
    return sqrt(square_to_box(point, box));
}

/* The point of the rod at `share` of the way from lo to hi. */
static inline void point_on(const outline *rod, double share, double point[3])
{
    for (int k = 0; k < 3; k++) {
        point[k] = rod->lo[k] + share * (rod->hi[k] - rod->lo[k]);
    }
}

static inline double point_to_rod(const double point[3], const outline *rod)
{
    double along[3], from[3], to[3], square, share = 0;

    for (int k = 0; k < 3; k++) {
        along[k] = rod->hi[k] - rod->lo[k];
        from[k] = point[k] - rod->lo[k];
    }
    square = dot(along, along);
    if (square > 0) {
        share = fmin(fmax(dot(from, along) / square, 0), 1);
    }
    point_on(rod, share, to);
    return hypot(hypot(point[0] - to[0], point[1] - to[1]), point[2] - to[2]);
}

/* By how much results of different formulas may differ: far more than their roundings add up to. */
static inline double margin_of(const outline *a, const outline *b)
{
    double size = a->radius + b->radius, far = 0;

    for (int k = 0; k < 3; k++) {
        size += fabs(a->hi[k] - a->lo[k]) + fabs(b->hi[k] - b->lo[k]) + fabs(a->lo[k] - b->lo[k]);
        far = fmax(far, fmax(fabs(a->lo[k]), fabs(b->lo[k])));
    }
    return 1e-9 * size + 1e-13 * far;
}

static inline oracle_verdict verdict_of(double gap, double margin)
{
    return gap < -margin ? ORACLE_OVERLAP : gap > margin ? ORACLE_APART : ORACLE_TOO_CLOSE;
}

/* What oracle_overlap says of the two, but for round shapes that nearly touch, one of them a capsule: these are
 * ORACLE_TOO_CLOSE here. */
oracle_verdict oracle_overlap_outlines(const outline *a, const outline *b);

#endif
