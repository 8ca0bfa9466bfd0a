/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* A box by its corners; or a rod from lo to hi with a radius around it, whose ends are both at the center if the shape
 * is a circle. */
typedef struct outline {
    qd_space_shape shape;
    double lo[3], hi[3];
    double radius;
} outline;

static outline outline_of(const qd_body *body)
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

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double gap_of(double at, double lo, double hi)
{
    return fmax(fmax(lo - at, 0), at - hi);
}

static double square_to_box(const double point[3], const outline *box)
{
    double square = 0;

    for (int k = 0; k < 3; k++) {
        double gap = gap_of(point[k], box->lo[k], box->hi[k]);

        square += gap * gap;
    }
    return square;
}

static double point_to_box(const double point[3], const outline *box)
{
    return sqrt(square_to_box(point, box));
}

/* The point of the rod at `share` of the way from lo to hi. */
static void point_on(const outline *rod, double share, double point[3])
{
    for (int k = 0; k < 3; k++) {
        point[k] = rod->lo[k] + share * (rod->hi[k] - rod->lo[k]);
    }
}

static double point_to_rod(const double point[3], const outline *rod)
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

/* By how much results of different formulas may differ: far more than their roundings add up to. */
static double margin_of(const outline *a, const outline *b)
{
    double size = a->radius + b->radius, far = 0;

    for (int k = 0; k < 3; k++) {
        size += fabs(a->hi[k] - a->lo[k]) + fabs(b->hi[k] - b->lo[k]) + fabs(a->lo[k] - b->lo[k]);
        far = fmax(far, fmax(fabs(a->lo[k]), fabs(b->lo[k])));
    }
    return 1e-9 * size + 1e-13 * far;
}

static oracle_verdict verdict_of(double gap, double margin)
{
    return gap < -margin ? ORACLE_OVERLAP : gap > margin ? ORACLE_APART : ORACLE_TOO_CLOSE;
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

static oracle_verdict overlap(const outline *a, const outline *b)
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
    oracle_verdict verdict = overlap(&one, &other);

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

#define SEARCH_STEPS 100 /* each keeps two thirds of the way; the rest is in the end less than a double's precision */

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

/* ---- queries ---- */

static double from_ray_to_rod(const double origin[3], const double unit[3], double along, const outline *rod)
{
    double point[3];

    for (int k = 0; k < 3; k++) {
        point[k] = origin[k] + along * unit[k];
    }
    return point_to_rod(point, rod);
}

/* Where between `outside` and `inside` the distance becomes `radius`. */
static double crossing(const double origin[3], const double unit[3], const outline *rod, double radius, double outside,
                       double inside)
{
    for (int i = 0; i < 2 * SEARCH_STEPS; i++) {
        double middle = (outside + inside) / 2;

        if (from_ray_to_rod(origin, unit, middle, rod) <= radius) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    return inside;
}

/* The distance from the rod is convex along the ray: it has one least value, and equals the radius somewhere before. The
 * margin of the radius puts that place between `early` and `late`. */
static oracle_verdict ray_to_capsule(const double origin[3], const double unit[3], double length, const outline *rod,
                                     double *at, double *slack)
{
    const outline start = {QD_SPACE_CIRCLE, {origin[0], origin[1], origin[2]}, {origin[0], origin[1], origin[2]}, 0};
    const double margin = margin_of(&start, rod), most = rod->radius + margin, least = rod->radius - margin;
    const double from_start = point_to_rod(origin, rod);
    double behind = 0; /* the capsule ends before this place on the ray */

    for (int k = 0; k < 3; k++) {
        behind += fmax(fabs(rod->lo[k] - origin[k]), fabs(rod->hi[k] - origin[k]));
    }
    behind = 2 * (behind + most);
    double first = 0, last = behind;
    for (int i = 0; i < SEARCH_STEPS; i++) {
        double one = first + (last - first) / 3, other = last - (last - first) / 3;

        if (from_ray_to_rod(origin, unit, one, rod) <= from_ray_to_rod(origin, unit, other, rod)) {
            last = other;
        } else {
            first = one;
        }
    }
    double nearest = (first + last) / 2, distance = fmin(from_ray_to_rod(origin, unit, nearest, rod), from_start);
    if (distance > most) {
        return ORACLE_APART;
    }
    double early = from_start <= most ? 0 : crossing(origin, unit, rod, most, 0, nearest), late = 0;
    if (distance > least) {
        late = crossing(origin, unit, rod, most, behind, nearest);
    } else if (from_start > least) {
        late = crossing(origin, unit, rod, least, 0, nearest);
    }
    *at = (early + late) / 2;
    *slack = (late - early) / 2 + margin;
    return early > length + margin                       ? ORACLE_APART
           : distance <= least && late < length - margin ? ORACLE_OVERLAP
                                                         : ORACLE_TOO_CLOSE;
}

static bool ray_to_box(const double origin[3], const double unit[3], double length, const outline *box, double *at)
{
    double first = 0, last = length;

    for (int k = 0; k < 3; k++) {
        if (unit[k] != 0) {
            double a = (box->lo[k] - origin[k]) / unit[k], b = (box->hi[k] - origin[k]) / unit[k];

            first = fmax(first, fmin(a, b));
            last = fmin(last, fmax(a, b));
        } else if (origin[k] < box->lo[k] || origin[k] > box->hi[k]) {
            return false;
        }
    }
    *at = first;
    return first <= last;
}

static bool ray_to_circle(const double origin[3], const double unit[3], double length, const outline *circle,
                          double *at)
{
    double c[3] = {circle->lo[0] - origin[0], circle->lo[1] - origin[1], circle->lo[2] - origin[2]};
    double square = circle->radius * circle->radius;

    if (dot(c, c) <= square) {
        *at = 0;
        return true;
    }
    double x = c[1] * unit[2] - c[2] * unit[1], y = c[2] * unit[0] - c[0] * unit[2],
           z = c[0] * unit[1] - c[1] * unit[0];
    double along = dot(c, unit), rest = square - (x * x + y * y + z * z);
    if (along <= 0 || rest < 0) {
        return false;
    }
    *at = fmax(along - sqrt(rest), 0);
    return *at <= length;
}

static oracle_verdict measure_ray(const qd_space_query *query, const outline *it, double *at, double *slack)
{
    const double origin[3] = {query->x, query->y, query->z};
    double unit[3] = {query->direction_x, query->direction_y, query->direction_z}, length = sqrt(dot(unit, unit));

    for (int k = 0; k < 3; k++) {
        unit[k] /= length;
    }
    if (it->shape == QD_SPACE_CAPSULE) {
        return ray_to_capsule(origin, unit, query->reach, it, at, slack);
    }
    bool hit = it->shape == QD_SPACE_BOX ? ray_to_box(origin, unit, query->reach, it, at)
                                         : ray_to_circle(origin, unit, query->reach, it, at);
    return hit ? ORACLE_OVERLAP : ORACLE_APART;
}

oracle_verdict oracle_measure(const qd_space_query *query, const qd_body *body, double *at, double *slack)
{
    const outline it = outline_of(body);
    const outline box = {
        QD_SPACE_BOX, {query->min_x, query->min_y, query->min_z}, {query->max_x, query->max_y, query->max_z}, 0};
    const outline point = {QD_SPACE_CIRCLE, {query->x, query->y, query->z}, {query->x, query->y, query->z}, 0};
    outline circle = point;

    circle.radius = query->radius;
    *at = *slack = 0;
    switch (query->kind) {
    case QD_SPACE_IN_BOX:
        return overlap(&box, &it);
    case QD_SPACE_IN_CIRCLE:
        return overlap(&circle, &it);
    case QD_SPACE_RAY:
        return measure_ray(query, &it, at, slack);
    case QD_SPACE_NEAREST:
        break;
    }
    if (it.shape == QD_SPACE_CAPSULE) {
        *slack = margin_of(&point, &it);
        *at = fmax(point_to_rod(point.lo, &it) - it.radius, 0);
        return verdict_of(*at - query->reach, *slack);
    }
    double d[3] = {it.lo[0] - point.lo[0], it.lo[1] - point.lo[1], it.lo[2] - point.lo[2]};
    *at = it.shape == QD_SPACE_BOX ? point_to_box(point.lo, &it) : fmax(sqrt(dot(d, d)) - it.radius, 0);
    return *at <= query->reach ? ORACLE_OVERLAP : ORACLE_APART;
}

bool oracle_resized(const qd_body *was, const qd_body *now)
{
    if (was->shape != now->shape || was->half_x != now->half_x) {
        return true;
    }
    bool resized = was->half_y != now->half_y || was->half_z != now->half_z;
    return (now->shape != QD_SPACE_CIRCLE && resized) || (now->shape == QD_SPACE_CAPSULE && was->radius != now->radius);
}
