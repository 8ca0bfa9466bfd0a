/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes as rows, and what overlap means: the exact definitions of proto/quadrille.proto (OVERLAP).
 *
 * A ROW is floats, as the index stores them: QD_AXES of them, from v[QD_ROW_HIGH] on as many again, the others 0.
 *
 *     box      lo_x   lo_y   hi_x   hi_y     the corners, rounded to float32
 *     round    x      y      rx     ry       a centre, and how far the shape reaches from it on each axis
 *     absent  +inf   +inf   -inf   -inf      a body that is not there; overlaps nothing, and is neutral in a union
 *
 * A circle's reach is its radius, on all axes. A capsule's is the length of its axis on that axis plus its radius, and
 * no less than that in double; what its axis and radius are stands in its body's record.
 *
 * Whether a row is a box or round stands beside it. Pure functions. [any]
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

/* In fours, so that the row is written as it will be read: who copies one that was written edge by edge has to wait. */
static inline qd_row qd_row_of_box(const float *at, const float *half)
{
    typedef float floats __attribute__((vector_size(16)));
    const floats centre = QD_FOUR(at[0], at[1], at[2]), reach = QD_FOUR(half[0], half[1], half[2]);
    floats low = centre - reach, high = centre + reach;
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

/* The sum is rounded, so a little is put on top. */
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

/* Added to what a round shape reaches, so that nothing denormal is multiplied, which takes a hundred times as long: to
 * what is above 2^-76 that adds nothing. */
#define QD_ROUND_LEAST 0x1p-100f

/* A box that contains a round shape, and not by a rounding error too small: whatever overlaps the shape in the exact
 * test overlaps the box, compared as floats. The margin of 2^-22 of the magnitudes is twice what the three roundings
 * here can lose. */
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

/* A box inside a circle or sphere: boxes inside two that overlap, or one and a box, prove that the shapes overlap in
 * the exact test. A little smaller than the square (cube) it would be, by more than the roundings here can add; of a
 * circle that is small beside its coordinates it may be inside out, and then overlaps only what has the centre inside.
 */
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

/* The box around two boxes, and of absent ones the other. */
static inline qd_row qd_row_union(const qd_row *a, const qd_row *b)
{
    qd_row both = {{0}};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        uint32_t high = QD_ROW_HIGH + k;

        both.v[k] = a->v[k] < b->v[k] ? a->v[k] : b->v[k];
        both.v[high] = a->v[high] > b->v[high] ? a->v[high] : b->v[high];
    }
    return both;
}

/* Boxes only. An absent one overlaps no box: no box is infinite at both ends of an axis. */
static inline bool qd_boxes_overlap(const qd_row *a, const qd_row *b)
{
    bool overlap = true;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        overlap &= (a->v[k] <= b->v[QD_ROW_HIGH + k]) & (b->v[k] <= a->v[QD_ROW_HIGH + k]);
    }
    return overlap;
}

/* How far `at` is from the interval. */
static inline double qd_beyond(double at, double lo, double hi)
{
    double below = lo - at > 0 ? lo - at : 0, above = at - hi > 0 ? at - hi : 0;

    return below > above ? below : above;
}

/* The sums begin with the first axis and go on in order, as in solid.c: so both give the same results. With an absent
 * circle the reach is below 0, or no number. */
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

/* Boxes and circles; a row that is round is taken for a circle. */
static inline bool qd_rows_overlap(const qd_row *a, bool a_circle, const qd_row *b, bool b_circle)
{
    if (a_circle) {
        return b_circle ? qd_circles_overlap(a, b) : qd_circle_overlaps_box(a, b);
    }
    return b_circle ? qd_circle_overlaps_box(b, a) : qd_boxes_overlap(a, b);
}

#endif
