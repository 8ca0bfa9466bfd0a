/* SPDX-License-Identifier: Apache-2.0
 *
 * How the bots of one room move, a tick at a time. Boxes and circles (spheres), about one unit wide:
 *
 *   uniform   everyone straight on, off the walls
 *   flock     groups of forty swirl around a leader that wanders
 *   crowd     people walk from gate to gate, and those who touch push each other apart: who touches is what the
 *             server says
 *
 * The same seed gives the same start.
 */
#ifndef QD_TOOLS_MOTION_H
#define QD_TOOLS_MOTION_H

#include "quadrille.h"

typedef enum qd_motion_kind { QD_MOTION_UNIFORM, QD_MOTION_FLOCK, QD_MOTION_CROWD } qd_motion_kind;
#define QD_MOTION_KINDS 3

typedef struct qd_bot {
    float speed_x, speed_y, speed_z; /* units a second */
    float pace;                      /* how fast it likes to go */
    float angle, distance;           /* flock: where it likes to be, seen from its leader */
    uint32_t gate;                   /* crowd: where it goes */
} qd_bot;

typedef struct qd_leader {
    float x, y, z, heading, climb; /* angles: of its way on the plane, and out of it */
} qd_leader;

/* Ids are 1 to count; the columns are in that order. Bounds without a third axis make all that is along it 0. */
typedef struct qd_motion {
    qd_motion_kind kind;
    qd_msg_bounds bounds;
    uint64_t random;
    uint32_t count;
    uint32_t *id;
    float *x, *y, *z, *half_x, *half_y, *half_z;
    uint8_t *shape;
    qd_bot *bots;
    qd_leader *leaders;
} qd_motion;

/* "uniform", ... */
const char *qd_motion_name(qd_motion_kind kind);

/* false: out of memory. */
bool qd_motion_init(qd_motion *motion, qd_motion_kind kind, const qd_msg_bounds *bounds, uint32_t count, uint64_t seed);
void qd_motion_deinit(qd_motion *motion);

/* `pairs`: who touches whom, for a crowd; NULL: not known. */
void qd_motion_step(qd_motion *motion, float seconds, const qd_pairs *pairs);

#endif
