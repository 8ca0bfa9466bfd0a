/* SPDX-License-Identifier: Apache-2.0 */
#include "shape.h"

/* Sums begin with the first axis and go on in order, as in solid.c: so both give the same results. */
static bool circles_overlap(const qd_row *a, const qd_row *b)
{
    double reach = (double)a->v[QD_ROW_HIGH] + (double)b->v[QD_ROW_HIGH], sum = 0;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        double apart = (double)a->v[k] - (double)b->v[k];
        sum += apart * apart;
    }
    return sum <= reach * reach;
}

/* How far `at` is from the interval. */
static double beyond(double at, double lo, double hi)
{
    double distance = 0;
    if (lo - at > distance) {
        distance = lo - at;
    }
    if (at - hi > distance) {
        distance = at - hi;
    }
    return distance;
}

static bool circle_overlaps_box(const qd_row *circle, const qd_row *box)
{
    double radius = circle->v[QD_ROW_HIGH], sum = 0;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        double apart = beyond(circle->v[k], box->v[k], box->v[QD_ROW_HIGH + k]);
        sum += apart * apart;
    }
    return sum <= radius * radius;
}

bool qd_rows_overlap(const qd_row *a, bool a_circle, const qd_row *b, bool b_circle)
{
    if (!qd_row_present(a, a_circle) || !qd_row_present(b, b_circle)) {
        return false;
    }
    if (a_circle) {
        return b_circle ? circles_overlap(a, b) : circle_overlaps_box(a, b);
    }
    return b_circle ? circle_overlaps_box(b, a) : qd_boxes_overlap(a, b);
}
