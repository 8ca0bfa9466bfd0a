/* SPDX-License-Identifier: Apache-2.0
 *
 * The record of a simulated server, in memory. When the server is gone, each of its rooms is replayed, and must do and
 * send the same.
 */
#ifndef QD_TESTS_SIM_RECORDED_H
#define QD_TESTS_SIM_RECORDED_H

#include "server/app/server.h"

typedef struct sim_recorded {
    qd_record_sink sink; /* give this to the server */
    uint8_t *bytes;      /* handle, size and bytes of each entry */
    size_t size, capacity;
    qd_limits limits;
    uint32_t width;
    bool is_dropped; /* it is not replayed */
} sim_recorded;

void sim_recorded_init(sim_recorded *recorded);
/* Of the server that has started. */
void sim_recorded_describe(sim_recorded *recorded, const qd_limits *limits, uint32_t width);
/* Replays it. Fails, with the room and the entry, if a room goes another way although memory was never short. */
void sim_recorded_replay(sim_recorded *recorded);
/* Replays what is recorded so far, with `to` in place of each `from` in it. Returns how many rooms differ. */
uint32_t sim_recorded_differ(const sim_recorded *recorded, float from, float to);

#endif
