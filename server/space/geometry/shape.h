/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: the shape of a body as floats, as indexes store it, and the exact definition of overlap for boxes and circles
 * (O1 to O5 in proto/SPEC.md).
 *
 *     v[...]    0      1      QD_ROW_HIGH
 *     box       lo_x   lo_y   hi_x   hi_y     the corners, rounded to float32
 *     round     x      y      rx     ry       the center, and how far the shape reaches from it on each axis
 *     absent   +inf   +inf   -inf   -inf      no body: overlaps nothing, and is neutral in a union
 *
 * In three dimensions each half has a third float, and a fourth that is 0. A circle's reach is its radius, on all axes.
 * A capsule's reach is the length of its axis on that axis plus its radius, and no less than that in double; its
 * body's record holds axis and radius. Whether a row is a box or round is stored beside the row.
 *
 * Pure functions. [any]
 */
#ifndef QD_SPACE_GEOMETRY_SHAPE_H
#define QD_SPACE_GEOMETRY_SHAPE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../core/axes.h"

typedef struct qd_row {
    _Alignas(4 * QD_ROW_FLOATS) float v[QD_ROW_FLOATS];
} qd_row;

#if QD_AXES == 2
#define QD_ROW_ABSENT ((qd_row){{INFINITY, INFINITY, -INFINITY, -INFINITY}})
#else
#define QD_ROW_ABSENT ((qd_row){{INFINITY, INFINITY, INFINITY, 0, -INFINITY, -INFINITY, -INFINITY, 0}})
#endif

/* Writes the row in fours, as it will be read: a load that spans several smaller stores would stall. */
static inline qd_row qd_row_of_box(const float *at, const float *half)
{
    typedef float floats __attribute__((vector_size(16)));
    const floats center = QD_FOUR(at[0], at[1], at[2]), reach = QD_FOUR(half[0], half[1], half[2]);
    floats low = center - reach, high = center + reach;
    qd_row row;
#if QD_AXES == 2
    low = __builtin_shufflevector(low, high, 0, 1, 6, 7);
    memcpy(&row, &low, sizeof low);
#else
    memcpy(&row.v[0], &low, sizeof low);
    memcpy(&row.v[QD_ROW_HIGH], &high, sizeof high);
#endif
    return row;
}

static inline qd_row qd_row_of_circle(const float *at, float radius)
{
    qd_row row = {{0}};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        row.v[k] = at[k];
        row.v[QD_ROW_HIGH + k] = radius;
    }
    return row;
}

/* Enlarged by more than the rounding of the sum. */
static inline qd_row qd_row_of_capsule(const float *at, const float *half, float radius)
{
    qd_row row = {{0}};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        row.v[k] = at[k];
        row.v[QD_ROW_HIGH + k] = (fabsf(half[k]) + radius) * (1 + 0x1p-22f);
    }
    return row;
}

static inline bool qd_row_present(const qd_row *row, bool is_round)
{
    return is_round ? row->v[QD_ROW_HIGH] >= 0 : row->v[0] <= row->v[QD_ROW_HIGH];
}

/* Added to the reach of a round shape, so that no denormal is multiplied, which takes a hundred times longer. It does
 * not change a reach above 2^-76. */
#define QD_ROUND_LEAST 0x1p-100f

/* A box around a round shape. What overlaps the shape in the exact test overlaps the box, compared as floats: the
 * margin of 2^-22 of the magnitudes is twice what the three roundings here can lose. */
static inline qd_row qd_round_bounds(const qd_row *round)
{
    if (!(round->v[QD_ROW_HIGH] >= 0)) {
        return QD_ROW_ABSENT;
    }
    qd_row box = {{0}};
    for (uint32_t k = 0; k < QD_AXES; k++) {
        float at = round->v[k], reach = round->v[QD_ROW_HIGH + k];

        reach = reach + QD_ROUND_LEAST;
        reach = reach + (0x1p-22f * (fabsf(at) + reach) + QD_ROUND_LEAST);
        box.v[k] = at - reach;
        box.v[QD_ROW_HIGH + k] = at + reach;
    }
    return box;
}

#define QD_CIRCLE_CORE (QD_AXES == 2 ? 0.7071f : 0.5773f) /* below 1/sqrt(axes) */

/* A box inside a circle or sphere. If it overlaps the box inside another circle, or a box, the shapes overlap in the
 * exact test. It is smaller than the inscribed square (cube) by more than the roundings here can add. For a circle that
 * is small beside its coordinates its corners may be swapped; then it overlaps only boxes that contain the center. */
static inline qd_row qd_circle_core(const qd_row *circle)
{
    float radius = circle->v[QD_ROW_HIGH];

    if (!(radius >= 0)) {
        return QD_ROW_ABSENT;
    }
    qd_row box = {{0}};
    radius = radius + QD_ROUND_LEAST;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        float at = circle->v[k];
        float reach = radius * QD_CIRCLE_CORE - (0x1p-22f * (fabsf(at) + radius) + QD_ROUND_LEAST);

        box.v[k] = at - reach;
        box.v[QD_ROW_HIGH + k] = at + reach;
    }
    return box;
}

static inline qd_row qd_row_bounds(const qd_row *row, bool is_round)
{
    return is_round ? qd_round_bounds(row) : *row;
}

/* The box around two boxes; if one is absent, the other. Four floats at a time, as those who read the result do. */
static inline qd_row qd_row_union(const qd_row *a, const qd_row *b)
{
    typedef float floats __attribute__((vector_size(16)));
    typedef int32_t ints __attribute__((vector_size(16)));
    const ints is_high = QD_ROW_HIGH == 2 ? (ints){0, 0, -1, -1} : (ints){0};
    qd_row both;

    for (uint32_t k = 0; k < QD_ROW_FLOATS; k += 4) {
        floats of_a, of_b;

        memcpy(&of_a, a->v + k, sizeof of_a);
        memcpy(&of_b, b->v + k, sizeof of_b);
        const ints is_of_a = (of_a < of_b) ^ (k < QD_ROW_HIGH ? is_high : ~is_high);
        const ints bits = ((ints)of_a & is_of_a) | ((ints)of_b & ~is_of_a);
        memcpy(both.v + k, &bits, sizeof bits);
    }
    return both;
}

/* Boxes only. An absent row overlaps no box, because no box is infinite at both ends of an axis. */
static inline bool qd_boxes_overlap(const qd_row *a, const qd_row *b)
{
    bool overlap = true;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        overlap &= (a->v[k] <= b->v[QD_ROW_HIGH + k]) & (b->v[k] <= a->v[QD_ROW_HIGH + k]);
    }
    return overlap;
}

/* The distance of `at` from an interval. */
static inline double qd_beyond(double at, double lo, double hi)
{
    double below = lo - at > 0 ? lo - at : 0, above = at - hi > 0 ? at - hi : 0;

    return below > above ? below : above;
}

/* Sums go from the first axis to the last, as in geometry.c, so that both give the same results. The reach of an absent
 * circle is below 0, or not a number. */
static inline bool qd_circles_overlap(const qd_row *a, const qd_row *b)
{
    double reach = (double)a->v[QD_ROW_HIGH] + (double)b->v[QD_ROW_HIGH], sum = 0;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        double apart = (double)a->v[k] - (double)b->v[k];

        sum += apart * apart;
    }
    return (reach >= 0) & (sum <= reach * reach);
}

static inline bool qd_circle_overlaps_box(const qd_row *circle, const qd_row *box)
{
    double radius = circle->v[QD_ROW_HIGH], sum = 0;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        double apart = qd_beyond(circle->v[k], box->v[k], box->v[QD_ROW_HIGH + k]);

        sum += apart * apart;
    }
    return (radius >= 0) & (box->v[0] <= box->v[QD_ROW_HIGH]) & (sum <= radius * radius);
}

/* Boxes and circles; every round row counts as a circle. */
static inline bool qd_rows_overlap(const qd_row *a, bool a_circle, const qd_row *b, bool b_circle)
{
    if (a_circle) {
        return b_circle ? qd_circles_overlap(a, b) : qd_circle_overlaps_box(a, b);
    }
    return b_circle ? qd_circle_overlaps_box(b, a) : qd_boxes_overlap(a, b);
}

#endif
