/* SPDX-License-Identifier: Apache-2.0 */
#include "shape.h"

static bool circles_overlap(const qd_row *a, const qd_row *b)
{
    double dx = (double)a->v[0] - (double)b->v[0], dy = (double)a->v[1] - (double)b->v[1];
    double reach = (double)a->v[2] + (double)b->v[2];
    return dx * dx + dy * dy <= reach * reach;
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
    double dx = beyond(circle->v[0], box->v[0], box->v[2]), dy = beyond(circle->v[1], box->v[1], box->v[3]);
    return dx * dx + dy * dy <= (double)circle->v[2] * (double)circle->v[2];
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
