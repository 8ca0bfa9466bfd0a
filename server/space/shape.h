/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes as rows, and what overlap means: the exact definitions of proto/quadrille.proto (OVERLAP).
 *
 * A ROW is four floats, as the index stores them:
 *
 *     box      lo_x   lo_y   hi_x   hi_y     the corners, rounded to float32
 *     circle   x      y      r      r
 *     absent  +inf   +inf   -inf   -inf      a body that is not there; overlaps nothing, and is neutral in a union
 *
 * Whether a row is a box or a circle stands beside it. Pure functions. [any]
 */
#ifndef QD_SPACE_SHAPE_H
#define QD_SPACE_SHAPE_H

#include <math.h>
#include <stdbool.h>

typedef struct qd_row {
    _Alignas(16) float v[4];
} qd_row;

#define QD_ROW_ABSENT ((qd_row){{INFINITY, INFINITY, -INFINITY, -INFINITY}})

static inline qd_row qd_row_of_box(float x, float y, float half_x, float half_y)
{
    return (qd_row){{x - half_x, y - half_y, x + half_x, y + half_y}};
}

static inline qd_row qd_row_of_circle(float x, float y, float radius)
{
    return (qd_row){{x, y, radius, radius}};
}

static inline bool qd_row_present(const qd_row *row, bool circle)
{
    return circle ? row->v[2] >= 0 : row->v[0] <= row->v[2];
}

/* A box that contains a circle, and not by a rounding error too small: whatever overlaps the circle in the exact test
 * overlaps the box, compared as floats. The margin of 2^-22 of the magnitudes is twice what the three roundings here
 * can lose. */
static inline qd_row qd_circle_bounds(const qd_row *circle)
{
    float x = circle->v[0], y = circle->v[1], radius = circle->v[2];
    if (!(radius >= 0)) {
        return QD_ROW_ABSENT;
    }
    float reach_x = radius + 0x1p-22f * (fabsf(x) + radius);
    float reach_y = radius + 0x1p-22f * (fabsf(y) + radius);
    return (qd_row){{x - reach_x, y - reach_y, x + reach_x, y + reach_y}};
}

/* A box inside a circle: boxes inside two circles that overlap, or one and a box, prove that the shapes overlap in the
 * exact test. A little smaller than the square it would be, by more than the roundings here can add; of a circle that
 * is small beside its coordinates it may be inside out, and then overlaps only what has the centre inside. */
static inline qd_row qd_circle_core(const qd_row *circle)
{
    float x = circle->v[0], y = circle->v[1], radius = circle->v[2];
    if (!(radius >= 0)) {
        return QD_ROW_ABSENT;
    }
    float reach_x = radius * 0.7071f - 0x1p-22f * (fabsf(x) + radius);
    float reach_y = radius * 0.7071f - 0x1p-22f * (fabsf(y) + radius);
    return (qd_row){{x - reach_x, y - reach_y, x + reach_x, y + reach_y}};
}

static inline qd_row qd_row_bounds(const qd_row *row, bool circle)
{
    return circle ? qd_circle_bounds(row) : *row;
}

/* The box around two boxes, and of absent ones the other. */
static inline qd_row qd_row_union(const qd_row *a, const qd_row *b)
{
    qd_row both;
    for (int k = 0; k < 2; k++) {
        both.v[k] = a->v[k] < b->v[k] ? a->v[k] : b->v[k];
        both.v[k + 2] = a->v[k + 2] > b->v[k + 2] ? a->v[k + 2] : b->v[k + 2];
    }
    return both;
}

/* Boxes only. An absent one overlaps no box: no box is infinite at both ends of an axis. */
static inline bool qd_boxes_overlap(const qd_row *a, const qd_row *b)
{
    return (a->v[0] <= b->v[2]) & (b->v[0] <= a->v[2]) & (a->v[1] <= b->v[3]) & (b->v[1] <= a->v[3]);
}

bool qd_rows_overlap(const qd_row *a, bool a_circle, const qd_row *b, bool b_circle);

#endif
