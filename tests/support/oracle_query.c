/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a query finds a body, and at which distance.
 */
#include <math.h>

#include "oracle.h"
#include "oracle_outline.h"

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
        return oracle_overlap_outlines(&box, &it);
    case QD_SPACE_IN_CIRCLE:
        return oracle_overlap_outlines(&circle, &it);
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
