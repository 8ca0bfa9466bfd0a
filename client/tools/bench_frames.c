/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_frames.h"

#include <stdlib.h>
#include <string.h>

#define PHASES    8u
#define HALF      0.5f
#define SPEED_MAX 0.25f

/* Forward and back: 0 1 ... 7 6 ... 1 0 1 */
static uint32_t phase_of(uint64_t pass)
{
    uint32_t place = (uint32_t)(pass % (2 * PHASES - 2));

    return place < PHASES ? place : 2 * PHASES - 2 - place;
}

static float random_float(uint64_t *seed, float from, float to)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return from + (to - from) * (float)(*seed >> 40) / 16777216.0f;
}

bool qd_bench_frames_init(qd_bench_frames *frames)
{
    uint32_t count = frames->connections * frames->entities;
    uint64_t seed = 1;

    frames->id = malloc(count * sizeof *frames->id);
    frames->x = malloc(7 * (size_t)count * sizeof *frames->x);
    if (!frames->id || !frames->x) {
        return false;
    }
    frames->y = frames->x + count;
    frames->from_x = frames->y + count;
    frames->from_y = frames->from_x + count;
    frames->speed_x = frames->from_y + count;
    frames->speed_y = frames->speed_x + count;
    frames->half = frames->speed_y + count;
    for (uint32_t index = 0; index < count; index++) {
        frames->id[index] = index;
        frames->from_x[index] = random_float(&seed, 0, frames->side);
        frames->from_y[index] = random_float(&seed, 0, frames->side);
        frames->speed_x[index] = random_float(&seed, -SPEED_MAX, SPEED_MAX);
        frames->speed_y[index] = random_float(&seed, -SPEED_MAX, SPEED_MAX);
        frames->half[index] = HALF;
    }
    return true;
}

void qd_bench_frames_deinit(qd_bench_frames *frames)
{
    free(frames->id);
    free(frames->x);
    free(frames->bytes);
}

void qd_bench_frames_put(qd_bench_frames *frames, uint32_t connection, uint64_t passes)
{
    const float phase = (float)phase_of(passes);

    for (uint32_t at = connection * frames->entities; at < (connection + 1) * frames->entities; at++) {
        frames->x[at] = frames->from_x[at] + frames->speed_x[at] * phase;
        frames->y[at] = frames->from_y[at] + frames->speed_y[at] * phase;
    }
}

/* Queues all entities of a connection, batch by batch. */
static bool queue(const qd_bench_frames *frames, uint32_t connection, qd_client_kind kind, qd_client *client)
{
    for (uint32_t first = 0; first < frames->entities; first += frames->batch) {
        const uint32_t at = connection * frames->entities + first;
        const float *half = kind == QD_CLIENT_SPAWN ? frames->half : NULL;
        qd_client_message message = {.kind = kind};

        if (kind == QD_CLIENT_SET_ROSTER) {
            message.as.set_roster = (qd_msg_set_roster){
                .room = frames->room, .first = first, .count = frames->batch, .id = frames->id + at};
        } else if (kind == QD_CLIENT_MOVE_ROSTER) {
            message.as.move_roster = (qd_msg_move_roster){
                .room = frames->room, .first = first, .count = frames->batch, .x = frames->x + at, .y = frames->y + at};
        } else {
            message.as.batch = (qd_msg_batch){.room = frames->room,
                                              .entities = {.count = frames->batch,
                                                           .id = frames->id + at,
                                                           .x = frames->x + at,
                                                           .y = frames->y + at,
                                                           .half_x = half,
                                                           .half_y = half}};
        }
        if (!qd_client_send(client, &message)) {
            return false;
        }
    }
    return true;
}

bool qd_bench_frames_spawn(qd_bench_frames *frames, uint32_t connection, qd_client *client)
{
    qd_bench_frames_put(frames, connection, 0);
    return queue(frames, connection, QD_CLIENT_SPAWN, client) &&
           (!frames->roster || queue(frames, connection, QD_CLIENT_SET_ROSTER, client));
}

static uint8_t *place_of(const qd_bench_frames *frames, uint32_t connection, uint32_t phase)
{
    return frames->bytes + ((size_t)phase * frames->connections + connection) * frames->pass_bytes;
}

const uint8_t *qd_bench_frames_pass(const qd_bench_frames *frames, uint32_t connection, uint64_t pass)
{
    return place_of(frames, connection, phase_of(pass));
}

/* Encodes them in a client that never sends. All passes have the same size, because room and entries are the same. */
static bool encode_pass(qd_bench_frames *frames, uint32_t connection, uint32_t phase)
{
    qd_client *encoder = qd_client_create();
    const void *bytes = NULL;
    size_t size;

    qd_bench_frames_put(frames, connection, phase);
    if (encoder && queue(frames, connection, frames->roster ? QD_CLIENT_MOVE_ROSTER : QD_CLIENT_MOVE, encoder)) {
        bytes = qd_client_output(encoder, &size);
    }
    if (bytes && !frames->bytes) {
        frames->pass_bytes = size;
        frames->bytes = malloc(PHASES * frames->connections * size);
    }
    if (bytes && frames->bytes) {
        memcpy(place_of(frames, connection, phase), bytes, size);
    }
    qd_client_destroy(encoder);
    return bytes && frames->bytes;
}

bool qd_bench_frames_encode(qd_bench_frames *frames)
{
    for (uint32_t phase = 0; phase < PHASES; phase++) {
        for (uint32_t connection = 0; connection < frames->connections; connection++) {
            if (!encode_pass(frames, connection, phase)) {
                return false;
            }
        }
    }
    return true;
}
