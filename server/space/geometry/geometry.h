/* SPDX-License-Identifier: Apache-2.0
 *
 * Exact geometry: shapes in double, and every test that is more than comparing the corners of boxes. These functions
 * are the rules O1 to O9, S1 to S6 and Q2 to Q6 of proto/SPEC.md. In two dimensions the third coordinate is 0
 * everywhere, which changes no result; so each function exists once, in three dimensions.
 *
 * All inputs are float32 values, and each function computes in one fixed order of operations, without fused
 * multiply-add. Pure functions. [any]
 *
 *     qd_geometry    at[3]             to[3]                              radius
 *     box            lower corner      upper corner                       unused
 *     circle         center            unused                             radius
 *     capsule        center            from the center to one end of      radius
 *                                      its axis
 */
#ifndef QD_SPACE_GEOMETRY_GEOMETRY_H
#define QD_SPACE_GEOMETRY_GEOMETRY_H

#include <stdbool.h>

#include "../types.h"

typedef struct qd_geometry {
    qd_space_shape shape;
    double at[3], to[3];
    double radius;
} qd_geometry;

bool qd_geometry_overlaps(const qd_geometry *a, const qd_geometry *b);

/* Whether two shapes that move straight and evenly, from where they begin to where they end, overlap on the way or at
 * its ends. A shape has the same axis and radius at both ends; a box's corners may round differently.
 *
 * Shapes that touch for a moment meet. Far from the origin a box may have no thickness, because both its corners are
 * the same float32. Still no capsule passes through it unseen: a box and a capsule's axis count as apart only if the
 * gap is more than rounding can produce, 2^-50 of their distance and of the axis' length. */
bool qd_geometry_meets(const qd_geometry *a_begin, const qd_geometry *a_end, const qd_geometry *b_begin,
                       const qd_geometry *b_end);

/* The distance of a point from a shape, 0 inside. */
double qd_geometry_distance(const qd_geometry *geometry, const double point[3]);
/* How far along a ray with the direction `unit` the shape begins, 0 if the ray starts inside. INFINITY: the ray misses
 * the shape, or the shape is beyond `length`. */
double qd_geometry_ray(const qd_geometry *geometry, const double origin[3], const double unit[3], double length);

#endif
