/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_frames.h"

#include <math.h>
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

/* 24 random bits. */
static uint32_t random_bits(qd_bench_frames *frames)
{
    frames->random = frames->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(frames->random >> 40);
}

static float random_float(qd_bench_frames *frames, float from, float to)
{
    return from + (to - from) * (float)random_bits(frames) / 16777216.0f;
}

static void shuffle_order(qd_bench_frames *frames)
{
    for (uint32_t left = frames->entities; left > 1; left--) {
        const uint32_t chosen = (uint32_t)((uint64_t)random_bits(frames) * left >> 24);
        const uint32_t moved = frames->order[left - 1];

        frames->order[left - 1] = frames->order[chosen];
        frames->order[chosen] = moved;
    }
}

bool qd_bench_frames_init(qd_bench_frames *frames)
{
    const uint32_t count = frames->connections * frames->entities, batch = frames->batch;

    frames->random = 1;
    frames->side = 4 * sqrtf((float)(frames->own_rooms ? frames->entities : count));
    frames->id = malloc(count * sizeof *frames->id);
    frames->x = malloc(7 * (size_t)count * sizeof *frames->x);
    frames->order = malloc(frames->entities * sizeof *frames->order);
    frames->batch_id = malloc(batch * sizeof *frames->batch_id);
    frames->batch_x = malloc(2 * (size_t)batch * sizeof *frames->batch_x);
    frames->passes = calloc(PHASES * (size_t)frames->connections, sizeof *frames->passes);
    if (!frames->id || !frames->x || !frames->order || !frames->batch_id || !frames->batch_x || !frames->passes) {
        return false;
    }
    frames->y = frames->x + count;
    frames->from_x = frames->y + count;
    frames->from_y = frames->from_x + count;
    frames->speed_x = frames->from_y + count;
    frames->speed_y = frames->speed_x + count;
    frames->half = frames->speed_y + count;
    frames->batch_y = frames->batch_x + batch;
    for (uint32_t index = 0; index < count; index++) {
        frames->id[index] = frames->own_rooms ? index % frames->entities : index;
        frames->from_x[index] = random_float(frames, 0, frames->side);
        frames->from_y[index] = random_float(frames, 0, frames->side);
        frames->speed_x[index] = random_float(frames, -SPEED_MAX, SPEED_MAX);
        frames->speed_y[index] = random_float(frames, -SPEED_MAX, SPEED_MAX);
        frames->half[index] = HALF;
    }
    for (uint32_t index = 0; index < frames->entities; index++) {
        frames->order[index] = index;
    }
    return true;
}

void qd_bench_frames_deinit(qd_bench_frames *frames)
{
    for (uint32_t index = 0; frames->passes && index < PHASES * frames->connections; index++) {
        free(frames->passes[index].bytes);
    }
    free(frames->passes);
    free(frames->id);
    free(frames->x);
    free(frames->order);
    free(frames->batch_id);
    free(frames->batch_x);
}

void qd_bench_frames_put(qd_bench_frames *frames, uint32_t connection, uint64_t passes)
{
    const float phase = (float)phase_of(passes);

    for (uint32_t at = connection * frames->entities; at < (connection + 1) * frames->entities; at++) {
        frames->x[at] = frames->from_x[at] + frames->speed_x[at] * phase;
        frames->y[at] = frames->from_y[at] + frames->speed_y[at] * phase;
    }
}

/* Copies a batch's entities, in the present order. */
static void gather_batch(qd_bench_frames *frames, uint32_t connection, uint32_t first)
{
    for (uint32_t index = 0; index < frames->batch; index++) {
        const uint32_t from = connection * frames->entities + frames->order[first + index];

        frames->batch_id[index] = frames->id[from];
        frames->batch_x[index] = frames->x[from];
        frames->batch_y[index] = frames->y[from];
    }
}

/* Queues all entities of a connection, batch by batch, in the present order. */
static bool queue(qd_bench_frames *frames, uint32_t connection, uint64_t room, qd_client_kind kind, qd_client *client)
{
    const float *half = kind == QD_CLIENT_SPAWN ? frames->half : NULL;
    bool queued = true;

    for (uint32_t first = 0; first < frames->entities && queued; first += frames->batch) {
        qd_client_message message = {.kind = kind};

        gather_batch(frames, connection, first);
        if (kind == QD_CLIENT_SET_ROSTER) {
            message.as.set_roster =
                (qd_msg_set_roster){.room = room, .first = first, .count = frames->batch, .id = frames->batch_id};
        } else if (kind == QD_CLIENT_MOVE_ROSTER) {
            message.as.move_roster = (qd_msg_move_roster){
                .room = room, .first = first, .count = frames->batch, .x = frames->batch_x, .y = frames->batch_y};
        } else {
            message.as.batch = (qd_msg_batch){.room = room,
                                              .entities = {.count = frames->batch,
                                                           .id = frames->batch_id,
                                                           .x = frames->batch_x,
                                                           .y = frames->batch_y,
                                                           .half_x = half,
                                                           .half_y = half}};
        }
        queued = qd_client_send(client, &message);
    }
    return queued;
}

bool qd_bench_frames_spawn(qd_bench_frames *frames, uint32_t connection, uint64_t room, qd_client *client)
{
    for (uint32_t index = 0; index < frames->entities; index++) {
        frames->order[index] = index;
    }
    qd_bench_frames_put(frames, connection, 0);
    if (!queue(frames, connection, room, QD_CLIENT_SPAWN, client)) {
        return false;
    }
    if (frames->shuffle) {
        shuffle_order(frames);
    }
    return !frames->roster || queue(frames, connection, room, QD_CLIENT_SET_ROSTER, client);
}

static qd_bench_pass *pass_in(const qd_bench_frames *frames, uint32_t connection, uint32_t phase)
{
    return &frames->passes[phase * frames->connections + connection];
}

const qd_bench_pass *qd_bench_frames_pass(const qd_bench_frames *frames, uint32_t connection, uint64_t pass)
{
    return pass_in(frames, connection, phase_of(pass));
}

/* Encodes them in a client that never sends. */
static bool encode_pass(qd_bench_frames *frames, uint32_t connection, uint64_t room, uint32_t phase)
{
    const qd_client_kind kind = frames->roster ? QD_CLIENT_MOVE_ROSTER : QD_CLIENT_MOVE;
    qd_bench_pass *pass = pass_in(frames, connection, phase);
    qd_client *encoder = qd_client_create();
    const void *bytes = NULL;

    qd_bench_frames_put(frames, connection, phase);
    if (encoder && queue(frames, connection, room, kind, encoder)) {
        bytes = qd_client_output(encoder, &pass->size);
    }
    if (bytes) {
        pass->bytes = malloc(pass->size);
    }
    if (pass->bytes) {
        memcpy(pass->bytes, bytes, pass->size);
    }
    qd_client_destroy(encoder);
    return pass->bytes != NULL;
}

bool qd_bench_frames_encode(qd_bench_frames *frames, uint32_t connection, uint64_t room)
{
    for (uint32_t phase = 0; phase < PHASES; phase++) {
        if (frames->shuffle && !frames->roster) {
            shuffle_order(frames);
        }
        if (!encode_pass(frames, connection, room, phase)) {
            return false;
        }
    }
    return true;
}
