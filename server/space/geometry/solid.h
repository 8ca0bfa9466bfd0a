/* SPDX-License-Identifier: Apache-2.0
 *
 * Solids: shapes in double, and all geometry that is more than comparing the corners of boxes: the exact definitions of
 * proto/quadrille.proto (OVERLAP, SWEPT, Query). In two dimensions the third coordinate is 0 everywhere, which changes
 * no result: so there is one of each function, in three.
 *
 * All is computed in one fixed order of operations, without fused multiply-add, from float32 inputs. Pure functions.
 * [any]
 */
#ifndef QD_SPACE_GEOMETRY_SOLID_H
#define QD_SPACE_GEOMETRY_SOLID_H

#include <stdbool.h>

#include "../space.h"

/* What is not said of a shape does not matter. */
typedef struct qd_solid {
    qd_space_shape shape;
    double at[3];  /* box: the lower corner; circle, capsule: the centre */
    double to[3];  /* box: the upper corner; capsule: from the centre to one end of its axis */
    double radius; /* circle, capsule */
} qd_solid;

bool qd_solids_overlap(const qd_solid *a, const qd_solid *b);

/* Whether two that move straight and evenly, from where they begin to where they end, overlap on the way or at its
 * ends. A solid has the same shape, axis and radius at both ends; a box's corners may round differently.
 *
 * What touches for a moment only meets. Far from the origin a box may have no thickness, as both its corners are the
 * same float32; yet nothing goes through it unseen, for a box and a capsule's axis count as apart only where that is
 * more than roundings can make of it: 2^-50 of how far they are apart and how long the axis is. */
bool qd_solids_meet(const qd_solid *a_begin, const qd_solid *a_end, const qd_solid *b_begin, const qd_solid *b_end);

/* The distance of a point from a solid, 0 inside. */
double qd_solid_distance(const qd_solid *solid, const double point[3]);
/* How far along a ray, whose direction is `unit`, the solid begins, 0 where the ray starts inside; INFINITY: it is
 * missed, or beyond `length`. */
double qd_solid_ray(const qd_solid *solid, const double origin[3], const double unit[3], double length);

#endif
