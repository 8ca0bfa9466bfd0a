/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames that are encoded before the measurement, for writers that only send. The entities of each connection move some
 * steps forward and back again. A PASS moves all of them by one step. Their positions are those of one of eight PHASES.
 */
#ifndef QD_TOOLS_BENCH_FRAMES_H
#define QD_TOOLS_BENCH_FRAMES_H

#include "quadrille.h"

/* The encoded frames of a pass. */
typedef struct qd_bench_pass {
    uint8_t *bytes;
    size_t size;
} qd_bench_pass;

typedef struct qd_bench_frames {
    uint32_t connections, entities, batch; /* entities: per connection; whole batches */
    bool roster;                           /* send positions by roster, without ids */
    bool shuffle;   /* send positions in random order: by id another one in each phase, by roster always the same */
    bool own_rooms; /* each connection has its own room, whose ids start at 0 */

    /* The rest is private, except for these columns: all entities by connection, at their last positions. */
    uint32_t *id;
    float *x, *y;
    float side; /* of the rooms, from 0 on */
    float *from_x, *from_y, *speed_x, *speed_y, *half;
    uint64_t random;
    uint32_t *order;    /* of a connection's entities in its frames */
    uint32_t *batch_id; /* of the present batch, as the next two */
    float *batch_x, *batch_y;
    qd_bench_pass *passes; /* by phase, then by connection */
} qd_bench_frames;

/* All three return false without memory. */
bool qd_bench_frames_init(qd_bench_frames *frames);
/* Queues the spawn of a connection's entities in phase 0, and their roster, in the room with that handle. */
bool qd_bench_frames_spawn(qd_bench_frames *frames, uint32_t connection, uint64_t room, qd_client *client);
/* Encodes the frames of all passes of a connection, right after its spawn. Their seq is 0. */
bool qd_bench_frames_encode(qd_bench_frames *frames, uint32_t connection, uint64_t room);
void qd_bench_frames_deinit(qd_bench_frames *frames);

/* The frames of a connection's pass, counted from 1. */
const qd_bench_pass *qd_bench_frames_pass(const qd_bench_frames *frames, uint32_t connection, uint64_t pass);
/* Moves the entities of a connection to their positions after this many passes. */
void qd_bench_frames_put(qd_bench_frames *frames, uint32_t connection, uint64_t passes);

#endif
