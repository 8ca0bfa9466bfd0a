/* SPDX-License-Identifier: Apache-2.0
 *
 * Moves of all rooms of a connection in one frame.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_AROUND 256u
#define BYTES_A_PART 16u /* its room, size, roster and first entry at most */

/* The parts of a frame, and their lanes. */
typedef struct qd_bench_together {
    uint32_t positions_max; /* that fit into a frame */
    qd_bench_lane *lanes[QD_MOVE_PARTS_MAX];
    uint64_t rooms[QD_MOVE_PARTS_MAX];
    uint32_t sizes[QD_MOVE_PARTS_MAX];
    uint64_t intended_ns[QD_MOVE_PARTS_MAX];
    uint32_t parts, count;
    uint32_t *id;
    float *at[3];
} qd_bench_together;

/* NULL: no memory. */
static qd_bench_together *create(const qd_bench_connection *connection)
{
    const uint32_t dimensions = connection->bench->options.dimensions;
    const uint32_t bytes_max = qd_client_welcome(connection->client)->limits.frame_bytes_max;
    qd_bench_together *made = calloc(1, sizeof *made);

    if (!made) {
        return NULL;
    }
    made->positions_max = (bytes_max - BYTES_AROUND) / 2 / (uint32_t)((1 + dimensions) * sizeof(float));
    made->id = calloc((size_t)(1 + dimensions) * made->positions_max, sizeof *made->id);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        made->at[axis] = (float *)(made->id + (size_t)(1 + axis) * made->positions_max);
    }
    if (!made->id) {
        free(made);
        return NULL;
    }
    return made;
}

void qd_bench_together_free(qd_bench_connection *connection)
{
    if (connection->together) {
        free(connection->together->id);
    }
    free(connection->together);
    connection->together = NULL;
}

static void flush(qd_bench_connection *connection, qd_bench_together *all)
{
    if (all->parts == 0) {
        return;
    }
    const qd_msg_move_rooms move = {.part_count = all->parts,
                                    .part_room = all->rooms,
                                    .part_size = all->sizes,
                                    .count = all->count,
                                    .id = connection->bench->options.roster ? NULL : all->id,
                                    .x = all->at[0],
                                    .y = all->at[1],
                                    .z = all->at[2]};
    const uint64_t seq = qd_client_move_rooms(connection->client, &move);
    if (seq == 0) {
        qd_bench_fail(connection->bench, "%s", qd_client_error(connection->client));
        return;
    }
    for (uint32_t part = 0; part < all->parts; part++) {
        qd_bench_lane_sent(all->lanes[part], seq + part, all->intended_ns[part]);
    }
    all->parts = all->count = 0;
}

static void add(qd_bench_connection *connection, qd_bench_together *all, qd_bench_lane *lane)
{
    const size_t parts_max = all->positions_max * sizeof(float) / BYTES_A_PART;

    if (all->parts == QD_MOVE_PARTS_MAX || all->parts >= parts_max || all->positions_max - all->count < lane->count) {
        flush(connection, all);
    }
    qd_bench_lane_move(lane);
    memcpy(all->id + all->count, lane->id, lane->count * sizeof *lane->id);
    for (uint32_t axis = 0; axis < connection->bench->options.dimensions; axis++) {
        memcpy(all->at[axis] + all->count, lane->at[axis], lane->count * sizeof *lane->at[axis]);
    }
    all->lanes[all->parts] = lane;
    all->rooms[all->parts] = lane->room;
    all->sizes[all->parts] = lane->count;
    all->intended_ns[all->parts++] = lane->next_ns;
    all->count += lane->count;
}

void qd_bench_send_together(qd_bench_connection *connection, uint64_t now_ns)
{
    const qd_bench *bench = connection->bench;
    const uint64_t period_ns = 1000000000u / bench->options.hz;

    if (!connection->together && !(connection->together = create(connection))) {
        qd_bench_fail(connection->bench, "out of memory");
        return;
    }
    for (uint32_t i = 0; i < connection->lane_count && !qd_bench_is_stopped(bench); i++) {
        qd_bench_lane *lane = &connection->lanes[i];

        /* A lane that is too large for a frame, or late, sends by itself. */
        if (lane->count > connection->together->positions_max) {
            qd_bench_lane_send_due(lane, now_ns);
        } else if (lane->next_ns <= now_ns && lane->next_ns < bench->end_ns &&
                   lane->pending_count < lane->pending_max) {
            add(connection, connection->together, lane);
            lane->next_ns += period_ns;
        }
    }
    flush(connection, connection->together);
}
