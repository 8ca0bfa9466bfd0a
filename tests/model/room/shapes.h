/* SPDX-License-Identifier: Apache-2.0
 *
 * When two entities of the reference overlap, or met on the way: what proto/quadrille.proto (OVERLAP, SWEPT) says, in
 * three dimensions; in two all z are 0. Boxes and circles are compared by what is written here. Where a capsule takes
 * part, or what is round moves, the answer is that of server/space/geometry.h, which tests of its own compare with other
 * formulas: what is tested here is what a room makes of it.
 */
#ifndef QD_TESTS_MODEL_ROOM_SHAPES_H
#define QD_TESTS_MODEL_ROOM_SHAPES_H

#include "server/space/space.h"

bool shapes_touch(const qd_body *a, const qd_body *b);

/* Whether they do on the way from `was` to `now`, in the shapes that they have now. Of one that was given another shape
 * or size since, `recast`, the way begins about the middle of what it was. */
typedef struct shape_way {
    const qd_body *was, *now;
    bool recast;
} shape_way;

bool shapes_meet(shape_way a, shape_way b);

/* Whether the two differ in what counts of a shape. */
bool shapes_differ(const qd_body *was, const qd_body *now);

#endif
