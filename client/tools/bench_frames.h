/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames that are encoded before the measurement, for writers that only send. The entities of each connection move some
 * steps forward and back again. A PASS moves all of them by one step. Their positions are those of one of eight PHASES.
 */
#ifndef QD_TOOLS_BENCH_FRAMES_H
#define QD_TOOLS_BENCH_FRAMES_H

#include "quadrille.h"

typedef struct qd_bench_frames {
    uint32_t connections, entities, batch; /* entities: per connection; whole batches */
    float side;                            /* of the room, from 0 on */
    bool roster;                           /* send positions by roster, without ids */
    uint64_t room;                         /* its handle; set it before the first frame */

    /* The rest is private, except for these columns: all entities by connection, at their last positions. */
    uint32_t *id;
    float *x, *y;
    float *from_x, *from_y, *speed_x, *speed_y, *half;
    uint8_t *bytes; /* by phase, then by connection */
    size_t pass_bytes;
} qd_bench_frames;

/* All three return false without memory. */
bool qd_bench_frames_init(qd_bench_frames *frames);
/* Queues the spawn of a connection's entities in phase 0, and their roster. */
bool qd_bench_frames_spawn(qd_bench_frames *frames, uint32_t connection, qd_client *client);
/* Encodes the frames of all passes. Their seq is 0. */
bool qd_bench_frames_encode(qd_bench_frames *frames);
void qd_bench_frames_deinit(qd_bench_frames *frames);

/* The frames of a connection's pass, counted from 1: pass_bytes bytes. */
const uint8_t *qd_bench_frames_pass(const qd_bench_frames *frames, uint32_t connection, uint64_t pass);
/* Moves the entities of a connection to their positions after this many passes. */
void qd_bench_frames_put(qd_bench_frames *frames, uint32_t connection, uint64_t passes);

#endif
