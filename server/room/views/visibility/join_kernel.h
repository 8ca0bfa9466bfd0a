/* SPDX-License-Identifier: Apache-2.0
 *
 * Which points of a block are in a ball, as bits: point i is bit i % 16 of mask i / 16. Points are compared 16 at a time
 * in float32, so points that float32 cannot decide are found, too. The fastest instructions of the machine are chosen at
 * run time. All choices find the same once the caller has decided those points exactly.
 *
 * Pure; any thread. The caller owns the memory. Columns have a multiple of 16 elements; INFINITY: there is no point.
 */
#ifndef QD_ROOM_VIEWS_VISIBILITY_JOIN_KERNEL_H
#define QD_ROOM_VIEWS_VISIBILITY_JOIN_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#define QD_JOIN_LANES 16u

/* Where the points are and where they were at the last tick. */
typedef struct qd_join_points {
    float *now[3], *was[3];
} qd_join_points;

/* A point is surely in the ball if its squared distance is below `inside`, and surely not if it is above `outside`. */
typedef struct qd_join_ball {
    float at[3];
    float inside, outside;
} qd_join_ball;

qd_join_ball qd_join_ball_of(const float at[3], float radius);
/* A ball without points. */
#define QD_JOIN_NO_BALL ((qd_join_ball){.inside = -1, .outside = -1})

typedef struct qd_join_kernel {
    /* Fills `words` masks for a ball among the points where they are (now), and as many for another one among the
     * points where they were. Returns whether some point of a mask is not surely in its ball. */
    bool (*both)(const qd_join_points *points, uint32_t words, const qd_join_ball *now, const qd_join_ball *was,
                 uint16_t *is, uint16_t *did);
    /* Copies `count` elements of each column, and up to 15 more. */
    void (*copy)(const qd_join_points *from, uint32_t first, uint32_t count, const qd_join_points *to, uint32_t at);
} qd_join_kernel;

/* The fastest one that this machine can run, for two axes or three. */
const qd_join_kernel *qd_join_kernel_chosen(unsigned axes);
/* All that this machine can run, the portable one first; NULL after the last. */
const qd_join_kernel *qd_join_kernel_at(uint32_t index, unsigned axes);

#endif
