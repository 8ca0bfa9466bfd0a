/* SPDX-License-Identifier: Apache-2.0
 *
 * The motion of one room's bots, one tick at a time. The bots are boxes and circles (spheres), about one unit wide:
 *
 *   uniform   bots go straight, and bounce off the walls
 *   flock     groups of forty circle a wandering leader
 *   crowd     bots go from gate to gate, and bots that touch, by the server's pairs, push each other apart
 *
 * The same seed gives the same start.
 */
#ifndef QD_TOOLS_MOTION_H
#define QD_TOOLS_MOTION_H

#include "quadrille.h"

typedef enum qd_motion_kind { QD_MOTION_UNIFORM, QD_MOTION_FLOCK, QD_MOTION_CROWD, QD_MOTION_KINDS } qd_motion_kind;

typedef struct qd_bot {
    float speed_x, speed_y, speed_z; /* units per second */
    float pace;                      /* preferred speed */
    float angle, distance;           /* flock: preferred place, relative to the leader */
    uint32_t gate;                   /* crowd: its destination */
} qd_bot;

typedef struct qd_leader {
    float x, y, z, heading, climb; /* heading: angle in the plane; climb: angle out of it */
} qd_leader;

/* Ids are 1 to count, and the columns are in that order. Without a third axis in the bounds, its values are 0. */
typedef struct qd_motion {
    qd_motion_kind kind;
    qd_msg_bounds bounds;
    uint64_t random;
    uint32_t count;
    uint32_t *id;
    float *x, *y, *z, *half_x, *half_y, *half_z, *radius; /* one allocation */
    uint8_t *shape;
    qd_bot *bots;
    qd_leader *leaders;
} qd_motion;

/* "uniform", ... */
const char *qd_motion_name(qd_motion_kind kind);
/* QD_MOTION_KINDS: no motion has that name. */
qd_motion_kind qd_motion_of_name(const char *name);

/* false: out of memory. */
bool qd_motion_init(qd_motion *motion, qd_motion_kind kind, const qd_msg_bounds *bounds, uint32_t count, uint64_t seed);
void qd_motion_deinit(qd_motion *motion);

/* `pairs`: the touching bots, for a crowd; NULL: unknown. */
void qd_motion_step(qd_motion *motion, float seconds, const qd_pairs *pairs);

#endif
