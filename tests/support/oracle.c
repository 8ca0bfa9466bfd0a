/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether two shapes overlap, and whether they meet on their way. oracle_query.c has the queries.
 */
#include "oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "oracle_outline.h"

/* Either an end is nearest to the other rod, or the rods come nearest in between. If rods are so nearly parallel that
 * rounding hides the place in between, *doubt grows by what the distance may be off. */
static double rod_to_rod(const outline *a, const outline *b, double *doubt)
{
    double nearest = fmin(fmin(point_to_rod(a->lo, b), point_to_rod(a->hi, b)),
                          fmin(point_to_rod(b->lo, a), point_to_rod(b->hi, a)));
    double u[3], v[3], w[3];

    for (int k = 0; k < 3; k++) {
        u[k] = a->hi[k] - a->lo[k];
        v[k] = b->hi[k] - b->lo[k];
        w[k] = a->lo[k] - b->lo[k];
    }
    double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), determinant = uu * vv - uv * uv;
    if (determinant != 0 && determinant < 1e-12 * uu * vv) {
        *doubt += 1e-6 * sqrt(fmin(uu, vv));
    }
    if (determinant > 0) {
        double s = (uv * dot(v, w) - vv * dot(u, w)) / determinant;
        double t = (uu * dot(v, w) - uv * dot(u, w)) / determinant;

        if (s > 0 && s < 1 && t > 0 && t < 1) {
            double p[3], q[3];

            point_on(a, s, p);
            point_on(b, t, q);
            /* If the rods are nearly parallel, both places are off along their rods, by different amounts. */
            nearest = fmin(nearest, fmin(point_to_rod(p, b), point_to_rod(q, a)));
        }
    }
    return nearest;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Between two places where the rod crosses the plane of a face, the square of the distance is one parabola along the
 * rod. So the distance is least at such a place, at an end, or at the lowest point of a parabola. */
static double rod_to_box(const outline *rod, const outline *box)
{
    double stop[8] = {0, 1}, point[3], nearest = INFINITY;
    int stops = 2;

    for (int k = 0; k < 3; k++) {
        double along = rod->hi[k] - rod->lo[k];
        double crossings[2] = {(box->lo[k] - rod->lo[k]) / along, (box->hi[k] - rod->lo[k]) / along};

        for (int i = 0; i < 2 && along != 0; i++) {
            if (crossings[i] > 0 && crossings[i] < 1) {
                stop[stops++] = crossings[i];
            }
        }
    }
    qsort(stop, (size_t)stops, sizeof *stop, compare_doubles);
    for (int i = 0; i < stops; i++) {
        point_on(rod, stop[i], point);
        nearest = fmin(nearest, point_to_box(point, box));
        if (i + 1 == stops) {
            break;
        }
        double slope = 0, curve = 0, middle = (stop[i] + stop[i + 1]) / 2;
        point_on(rod, middle, point);
        for (int k = 0; k < 3; k++) {
            double along = rod->hi[k] - rod->lo[k];
            double edge = point[k] < box->lo[k] ? box->lo[k] : box->hi[k];

            if (point[k] < box->lo[k] || point[k] > box->hi[k]) {
                slope += along * (point[k] - edge);
                curve += along * along;
            }
        }
        double least = curve > 0 ? middle - slope / curve : middle;
        point_on(rod, fmin(fmax(least, stop[i]), stop[i + 1]), point);
        nearest = fmin(nearest, point_to_box(point, box));
    }
    return nearest;
}

/* The gap between two shapes that are not both boxes. Above 0: they are apart. While both move, it is convex. */
static double gap_between(const outline *a, const outline *b, double *doubt)
{
    if (a->shape == QD_SPACE_BOX) {
        return rod_to_box(b, a) - b->radius;
    }
    return (b->shape == QD_SPACE_BOX ? rod_to_box(a, b) : rod_to_rod(a, b, doubt)) - a->radius - b->radius;
}

/* ---- the definitions, in their order of operations ---- */

static void cross(const double a[3], const double b[3], double n[3])
{
    for (int k = 0; k < 3; k++) {
        int y = (k + 1) % 3, z = (k + 2) % 3;

        n[k] = a[y] * b[z] - a[z] * b[y];
    }
}

/* The square of the distance between an axis and a point at c from the middle of the axis. */
static double square_to_axis(const double c[3], const double h[3])
{
    double n[3], along = dot(c, h), length = dot(h, h);

    if (fabs(along) < length) {
        cross(c, h, n);
        return dot(n, n) / length;
    }
    for (int k = 0; k < 3; k++) {
        n[k] = along > 0 ? c[k] - h[k] : c[k] + h[k];
    }
    return dot(n, n);
}

static double square_between_axes(const double c[3], const double g[3], const double h[3])
{
    double n[3], across[3], beside[3];

    cross(g, h, n);
    cross(c, g, across);
    cross(c, h, beside);
    double area = dot(n, n);
    if (area > 0x1p-64 * (dot(g, g) * dot(h, h)) && fabs(dot(across, n)) <= area && fabs(dot(beside, n)) <= area) {
        return dot(c, n) * dot(c, n) / area;
    }
    double least = INFINITY;
    for (int sign = -1; sign <= 1; sign += 2) {
        double end[3], other[3];

        for (int k = 0; k < 3; k++) {
            end[k] = c[k] + sign * g[k];
            other[k] = c[k] + sign * h[k];
        }
        least = fmin(least, fmin(square_to_axis(end, h), square_to_axis(other, g)));
    }
    return least;
}

/* For two round shapes, at least one of them a capsule. */
static bool capsules_overlap_exactly(const qd_body *a, const qd_body *b)
{
    const float from[3] = {a->x, a->y, a->z}, to[3] = {b->x, b->y, b->z};
    const double g[3] = {a->half_x, a->half_y, a->half_z}, h[3] = {b->half_x, b->half_y, b->half_z};
    const double ra = outline_of(a).radius, rb = outline_of(b).radius, reach = ra + rb;
    double c[3], q;

    for (int k = 0; k < 3; k++) {
        double from_a = a->shape == QD_SPACE_CAPSULE ? ra + fabs(g[k]) : ra;
        double from_b = b->shape == QD_SPACE_CAPSULE ? rb + fabs(h[k]) : rb;

        c[k] = (double)from[k] - (double)to[k];
        if (fabs(c[k]) > from_a + from_b) {
            return false;
        }
    }
    if (a->shape == QD_SPACE_CAPSULE) {
        q = b->shape == QD_SPACE_CAPSULE ? square_between_axes(c, g, h) : square_to_axis(c, g);
    } else {
        q = b->shape == QD_SPACE_CAPSULE ? square_to_axis(c, h) : dot(c, c);
    }
    return q <= reach * reach;
}

static bool overlap_exactly(const outline *a, const outline *b)
{
    if (a->shape == QD_SPACE_BOX && b->shape == QD_SPACE_BOX) {
        bool overlap = true;

        for (int k = 0; k < 3; k++) {
            overlap = overlap && a->lo[k] <= b->hi[k] && b->lo[k] <= a->hi[k];
        }
        return overlap;
    }
    double square = 0, reach = a->radius + b->radius;
    const outline *box = a->shape == QD_SPACE_BOX ? a : b, *circle = box == a ? b : a;
    for (int k = 0; k < 3; k++) {
        double d = box->shape == QD_SPACE_BOX ? gap_of(circle->lo[k], box->lo[k], box->hi[k]) : a->lo[k] - b->lo[k];

        square += d * d;
    }
    return square <= reach * reach;
}

/* How far the point is beyond the faces across one axis, with its direction. */
static double signed_gap_of(double at, double lo, double hi)
{
    return at < lo ? at - lo : at > hi ? at - hi : 0;
}

/* Whether the differences of these four are exact in double: all are multiples of one unit, and small ones. Then equal
 * quotients of differences round alike, too. */
static bool are_exact(const double number[4])
{
    double most = fmax(fmax(fabs(number[0]), fabs(number[1])), fmax(fabs(number[2]), fabs(number[3])));

    if (most == 0 || !isfinite(most)) {
        return most == 0;
    }
    double unit = ldexp(1, ilogb(most) - 31);
    for (int i = 0; i < 4; i++) {
        if (number[i] / unit != rint(number[i] / unit)) {
            return false;
        }
    }
    return true;
}

/* The verdict if nothing rounds but the sum of the squares, whose order is defined, and one point of the rod is known to
 * be the nearest: a point in the box, one where only gaps are left that are the same all along the rod, or an end. Else
 * ORACLE_TOO_CLOSE. */
static oracle_verdict rod_and_box_exactly(const outline *rod, const outline *box)
{
    double enter = 0, leave = 1, square = 0, slope_lo = 0, slope_hi = 0;

    for (int k = 0; k < 3; k++) {
        if (!are_exact((const double[]){rod->lo[k], rod->hi[k], box->lo[k], box->hi[k]})) {
            return ORACLE_TOO_CLOSE;
        }
        double along = rod->hi[k] - rod->lo[k], lo = signed_gap_of(rod->lo[k], box->lo[k], box->hi[k]);

        if (along == 0) {
            square += lo * lo;
            continue;
        }
        double a = (box->lo[k] - rod->lo[k]) / along, b = (box->hi[k] - rod->lo[k]) / along;
        enter = fmax(enter, fmin(a, b));
        leave = fmin(leave, fmax(a, b));
        slope_lo += along * lo;
        slope_hi += along * signed_gap_of(rod->hi[k], box->lo[k], box->hi[k]);
    }
    if (enter > leave) {
        if (slope_lo < 0 && slope_hi > 0) {
            return ORACLE_TOO_CLOSE;
        }
        square = square_to_box(slope_lo >= 0 ? rod->lo : rod->hi, box);
    }
    return square <= rod->radius * rod->radius ? ORACLE_OVERLAP : ORACLE_APART;
}

/* For two boxes that move: no gap along an axis is open all the time, and all are closed at the same moment. A box may
 * be so large that a corner is infinite: its gaps are minus infinity, or NaN, which no comparison counts as open. */
static bool boxes_meet_exactly(const outline from[2], const outline to[2])
{
    double first = 0, last = 1;

    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 2; i++) {
            double begin = from[i].lo[k] - from[1 - i].hi[k], end = to[i].lo[k] - to[1 - i].hi[k];

            if (begin > 0 && end > 0) {
                return false;
            }
            first = begin > 0 ? fmax(first, begin / (begin - end)) : first;
            last = end > 0 ? fmin(last, begin / (begin - end)) : last;
        }
    }
    return first <= last;
}

/* ---- overlap ---- */

static bool are_rod_and_box(const outline *a, const outline *b)
{
    return (a->shape == QD_SPACE_BOX && b->shape == QD_SPACE_CAPSULE) ||
           (a->shape == QD_SPACE_CAPSULE && b->shape == QD_SPACE_BOX);
}

/* By definition a box and a capsule are apart if the box around the capsule leaves a gap on one axis, all the way. */
static bool rod_stays_beyond(const outline *const a[2], const outline *const b[2])
{
    const outline *const *box = a[0]->shape == QD_SPACE_BOX ? a : b, *const *rod = box == a ? b : a;

    for (int k = 0; k < 3; k++) {
        bool below = true, above = true;

        for (int i = 0; i < 2; i++) {
            below = below && box[i]->lo[k] - fmax(rod[i]->lo[k], rod[i]->hi[k]) > rod[i]->radius;
            above = above && fmin(rod[i]->lo[k], rod[i]->hi[k]) - box[i]->hi[k] > rod[i]->radius;
        }
        if (below || above) {
            return true;
        }
    }
    return false;
}

/* Whether the two are clearly apart along x, y or z, all the way. Lengths along the other axes do not matter for that,
 * so a shape that goes far along x does not make its distance along y uncertain. */
static bool are_apart_along_an_axis(const outline *const a[2], const outline *const b[2])
{
    if (are_rod_and_box(a[0], b[0]) && rod_stays_beyond(a, b)) {
        return true;
    }
    for (int k = 0; k < 3; k++) {
        double lo[2], hi[2], margin = 0;

        for (int i = 0; i < 2; i++) {
            const outline *const *o = i == 0 ? a : b;

            lo[i] = fmin(fmin(o[0]->lo[k], o[0]->hi[k]), fmin(o[1]->lo[k], o[1]->hi[k])) - o[0]->radius;
            hi[i] = fmax(fmax(o[0]->lo[k], o[0]->hi[k]), fmax(o[1]->lo[k], o[1]->hi[k])) + o[0]->radius;
            margin += 1e-12 * (fabs(lo[i]) + fabs(hi[i]));
        }
        if (lo[0] > hi[1] + margin || lo[1] > hi[0] + margin) {
            return true;
        }
    }
    return false;
}

oracle_verdict oracle_overlap_outlines(const outline *a, const outline *b)
{
    if (a->shape != QD_SPACE_CAPSULE && b->shape != QD_SPACE_CAPSULE) {
        return overlap_exactly(a, b) ? ORACLE_OVERLAP : ORACLE_APART;
    }
    if (are_apart_along_an_axis((const outline *const[]){a, a}, (const outline *const[]){b, b})) {
        return ORACLE_APART;
    }
    double margin = margin_of(a, b);
    double gap = gap_between(a, b, &margin);
    oracle_verdict verdict = verdict_of(gap, margin);
    if (verdict == ORACLE_TOO_CLOSE && (a->shape == QD_SPACE_BOX || b->shape == QD_SPACE_BOX)) {
        return a->shape == QD_SPACE_BOX ? rod_and_box_exactly(b, a) : rod_and_box_exactly(a, b);
    }
    return verdict;
}

oracle_verdict oracle_overlap(const qd_body *a, const qd_body *b)
{
    outline one = outline_of(a), other = outline_of(b);
    oracle_verdict verdict = oracle_overlap_outlines(&one, &other);

    if (verdict == ORACLE_TOO_CLOSE && a->shape != QD_SPACE_BOX && b->shape != QD_SPACE_BOX) {
        return capsules_overlap_exactly(a, b) ? ORACLE_OVERLAP : ORACLE_APART;
    }
    return verdict;
}

/* ---- sweep ---- */

static outline between(const outline *begin, const outline *end, double share)
{
    outline made = *begin;

    for (int k = 0; k < 3; k++) {
        made.lo[k] += share * (end->lo[k] - begin->lo[k]);
        made.hi[k] += share * (end->hi[k] - begin->hi[k]);
    }
    return made;
}

/* How much the size of a box changes on its way, because its corners are rounded at both ends. Next to a capsule the
 * definition leaves open how that enters. */
static double rounding_of(const outline *begin, const outline *end)
{
    double difference = 0;

    for (int k = 0; k < 3; k++) {
        difference += fabs(end->hi[k] - end->lo[k] - (begin->hi[k] - begin->lo[k]));
    }
    return difference;
}

/* The middle of the box's corners; a corner beyond all floats counts as the last one. */
static float middle(float at, float half)
{
    float lo = fmaxf(at - half, -FLT_MAX), hi = fminf(at + half, FLT_MAX);

    return (float)(((double)lo + (double)hi) / 2);
}

qd_body oracle_start(const qd_body *was, const qd_body *now, bool resized)
{
    bool by_corners = was->shape == QD_SPACE_BOX && resized;
    qd_body body = *now;

    body.x = by_corners ? middle(was->x, was->half_x) : was->x;
    body.y = by_corners ? middle(was->y, was->half_y) : was->y;
    body.z = by_corners ? middle(was->z, was->half_z) : was->z;
    return body;
}

oracle_verdict oracle_sweep(const qd_body *a_begin, const qd_body *a_end, const qd_body *b_begin, const qd_body *b_end)
{
    const outline from[2] = {outline_of(a_begin), outline_of(b_begin)}, to[2] = {outline_of(a_end), outline_of(b_end)};

    if (a_end->shape == QD_SPACE_BOX && b_end->shape == QD_SPACE_BOX) {
        return boxes_meet_exactly(from, to) ? ORACLE_OVERLAP : ORACLE_APART;
    }
    if (are_apart_along_an_axis((const outline *const[]){&from[0], &to[0]},
                                (const outline *const[]){&from[1], &to[1]})) {
        return ORACLE_APART;
    }
    double margin = margin_of(&from[0], &from[1]) + margin_of(&to[0], &to[1]), gap = INFINITY;
    if (from[0].shape == QD_SPACE_CAPSULE || from[1].shape == QD_SPACE_CAPSULE) {
        margin += rounding_of(&from[0], &to[0]) + rounding_of(&from[1], &to[1]);
    }
    double first = 0, last = 1;
    for (int i = 0; i < SEARCH_STEPS && gap >= -margin; i++) {
        double share[2] = {first + (last - first) / 3, last - (last - first) / 3}, there[2];

        for (int j = 0; j < 2; j++) {
            outline a = between(&from[0], &to[0], share[j]), b = between(&from[1], &to[1], share[j]);

            there[j] = gap_between(&a, &b, &margin);
            gap = fmin(gap, there[j]);
        }
        if (there[0] <= there[1]) {
            last = share[1];
        } else {
            first = share[0];
        }
    }
    return verdict_of(gap, margin);
}

bool oracle_resized(const qd_body *was, const qd_body *now)
{
    if (was->shape != now->shape || was->half_x != now->half_x) {
        return true;
    }
    bool resized = was->half_y != now->half_y || was->half_z != now->half_z;
    return (now->shape != QD_SPACE_CIRCLE && resized) || (now->shape == QD_SPACE_CAPSULE && was->radius != now->radius);
}
