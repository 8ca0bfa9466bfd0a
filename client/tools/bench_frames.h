/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames that are made before they are sent, for writers who do nothing but send: the entities of each connection go
 * some steps forth and back again, a PASS of all of them at each step. Where they are at a step is its PHASE; there are
 * eight.
 */
#ifndef QD_TOOLS_BENCH_FRAMES_H
#define QD_TOOLS_BENCH_FRAMES_H

#include "quadrille.h"

typedef struct qd_bench_frames {
    uint32_t connections, entities, batch; /* entities: of each connection; whole batches */
    float side;                            /* of the room, from 0 on */
    bool roster;                           /* positions go by roster, without ids */
    uint64_t room;                         /* its handle; before the first that names it */

    /* The rest is private, but for these columns: all entities, those of the first connection first, where they were
     * last put. */
    uint32_t *id;
    float *x, *y;
    float *from_x, *from_y, *speed_x, *speed_y, *half;
    uint8_t *bytes; /* phase by phase, in each the connections */
    size_t pass_bytes;
} qd_bench_frames;

/* All three return false when memory is short. */
bool qd_bench_frames_init(qd_bench_frames *frames);
/* Queues what brings the entities of a connection into the room, in phase 0. */
bool qd_bench_frames_spawn(qd_bench_frames *frames, uint32_t connection, qd_client *client);
/* Makes the frames of all passes. They have no seq. */
bool qd_bench_frames_encode(qd_bench_frames *frames);
void qd_bench_frames_deinit(qd_bench_frames *frames);

/* The frames of a connection's pass, counted from 1: pass_bytes of them. */
const uint8_t *qd_bench_frames_pass(const qd_bench_frames *frames, uint32_t connection, uint64_t pass);
/* Puts the entities of a connection where they are after so many passes. */
void qd_bench_frames_put(qd_bench_frames *frames, uint32_t connection, uint64_t passes);

#endif
