/* SPDX-License-Identifier: Apache-2.0 */
#include "shapes.h"

#include <float.h>
#include <math.h>

#include "server/space/geometry/geometry.h"

typedef struct corners {
    float low[3], high[3];
} corners;

static corners corners_of(const qd_body *body)
{
    const float at[3] = {body->x, body->y, body->z}, half[3] = {body->half_x, body->half_y, body->half_z};
    corners made;

    for (int axis = 0; axis < 3; axis++) {
        made.low[axis] = at[axis] - half[axis];
        made.high[axis] = at[axis] + half[axis];
    }
    return made;
}

static bool boxes_touch(corners a, corners b)
{
    for (int axis = 0; axis < 3; axis++) {
        if (a.high[axis] < b.low[axis] || b.high[axis] < a.low[axis]) {
            return false;
        }
    }
    return true;
}

static double square(double value)
{
    return value * value;
}

static bool circle_touches_box(const qd_body *circle, corners box)
{
    double at[3] = {circle->x, circle->y, circle->z}, sum = 0;

    for (int axis = 0; axis < 3; axis++) {
        sum += square(fmax(0, fmax((double)box.low[axis] - at[axis], at[axis] - (double)box.high[axis])));
    }
    return sum <= square(circle->half_x);
}

static bool circles_touch(const qd_body *a, const qd_body *b)
{
    return square((double)a->x - (double)b->x) + square((double)a->y - (double)b->y) +
               square((double)a->z - (double)b->z) <=
           square((double)a->half_x + (double)b->half_x);
}

static qd_geometry geometry_of(const qd_body *body)
{
    qd_geometry geometry = {.shape = (qd_space_shape)body->shape, .at = {body->x, body->y, body->z}};
    corners box = corners_of(body);

    for (int axis = 0; axis < 3 && geometry.shape == QD_SPACE_BOX; axis++) {
        geometry.at[axis] = box.low[axis];
        geometry.to[axis] = box.high[axis];
    }
    if (geometry.shape == QD_SPACE_CIRCLE) {
        geometry.radius = body->half_x;
    }
    if (geometry.shape == QD_SPACE_CAPSULE) {
        geometry.to[0] = body->half_x;
        geometry.to[1] = body->half_y;
        geometry.to[2] = body->half_z;
        geometry.radius = body->radius;
    }
    return geometry;
}

bool shapes_touch(const qd_body *a, const qd_body *b)
{
    if (a->shape == QD_SPACE_CAPSULE || b->shape == QD_SPACE_CAPSULE) {
        qd_geometry one = geometry_of(a), other = geometry_of(b);

        return qd_geometry_overlaps(&one, &other);
    }
    if (a->shape == QD_SPACE_CIRCLE && b->shape == QD_SPACE_CIRCLE) {
        return circles_touch(a, b);
    }
    if (a->shape == QD_SPACE_CIRCLE) {
        return circle_touches_box(a, corners_of(b));
    }
    if (b->shape == QD_SPACE_CIRCLE) {
        return circle_touches_box(b, corners_of(a));
    }
    return boxes_touch(corners_of(a), corners_of(b));
}

/* ---- on the way ---- */

/* Of the corners, the last float standing for what is beyond. */
static float middle_of(corners box, int axis)
{
    double low = fmaxf(box.low[axis], -FLT_MAX), high = fminf(box.high[axis], FLT_MAX);

    return (float)((low + high) / 2);
}

/* The body in its present shape, where its way begins. */
static qd_body beginning_of(shape_way way)
{
    qd_body body = *way.now;
    corners was = corners_of(way.was);
    bool from_middle = way.recast && way.was->shape == QD_SPACE_BOX;

    body.x = from_middle ? middle_of(was, 0) : way.was->x;
    body.y = from_middle ? middle_of(was, 1) : way.was->y;
    body.z = from_middle ? middle_of(was, 2) : way.was->z;
    return body;
}

/* A gap between two edges that changes evenly is closed from *enter on, or until *leave. */
static void close_gap(double from, double to, double *enter, double *leave)
{
    if (from > 0 && to > 0) {
        *enter = (double)INFINITY;
    } else if (from > 0) {
        *enter = fmax(*enter, from / (from - to));
    } else if (to > 0) {
        *leave = fmin(*leave, from / (from - to));
    }
}

static bool boxes_meet(corners a_from, corners a_to, corners b_from, corners b_to)
{
    double enter = 0, leave = 1;

    for (int axis = 0; axis < 3; axis++) {
        close_gap((double)a_from.low[axis] - (double)b_from.high[axis],
                  (double)a_to.low[axis] - (double)b_to.high[axis], &enter, &leave);
        close_gap((double)b_from.low[axis] - (double)a_from.high[axis],
                  (double)b_to.low[axis] - (double)a_to.high[axis], &enter, &leave);
    }
    return enter <= leave;
}

bool shapes_meet(shape_way a, shape_way b)
{
    qd_body a_from = beginning_of(a), b_from = beginning_of(b);

    if (a.now->shape == QD_SPACE_BOX && b.now->shape == QD_SPACE_BOX) {
        return shapes_touch(&a_from, &b_from) ||
               boxes_meet(corners_of(&a_from), corners_of(a.now), corners_of(&b_from), corners_of(b.now));
    }
    qd_geometry geometries[] = {geometry_of(&a_from), geometry_of(a.now), geometry_of(&b_from), geometry_of(b.now)};
    return qd_geometry_meets(&geometries[0], &geometries[1], &geometries[2], &geometries[3]);
}

bool shapes_differ(const qd_body *was, const qd_body *now)
{
    if (was->shape != now->shape || was->half_x != now->half_x) {
        return true;
    }
    if (now->shape == QD_SPACE_CIRCLE) {
        return false;
    }
    return was->half_y != now->half_y || was->half_z != now->half_z ||
           (now->shape == QD_SPACE_CAPSULE && was->radius != now->radius);
}
