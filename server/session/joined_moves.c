/* SPDX-License-Identifier: Apache-2.0 */
#include "joined_moves.h"

#include <string.h>

#include "../../proto/decode_fast.h"
#include "../../proto/framing.h"
#include "../actor/room_actor.h"
#include "../base/ablation.h"

#define SMALL_ENTITIES  16u /* larger ones would gain little */
#define CAPACITY_FIRST  64u
#define MOVE_COLUMNS    4u /* id, x, y, z */
#define MOVE_ENTRY_SIZE (MOVE_COLUMNS * sizeof(uint32_t) + sizeof(uint16_t))

bool qd_joined_moves_hold(qd_joined_moves *moves, qd_request *request)
{
    const qd_client_message *message = &request->decoded.message;

    if (message->kind != QD_CLIENT_MOVE || message->confirm || request->frame != NULL ||
        message->as.batch.entities.count > SMALL_ENTITIES || QD_WITHOUT(JOINED_MOVES)) {
        return false;
    }
    moves->request = request;
    moves->capacity = 0;
    return true;
}

/* Gives the request columns for that many entries. Returns false when memory runs out. */
static bool grow(qd_joined_moves *moves, uint32_t capacity)
{
    qd_request *request = moves->request;
    qd_room_batch *batch = &request->decoded.message.as.batch.entities;
    const void *old[MOVE_COLUMNS] = {batch->id, batch->x, batch->y, batch->z};
    uint8_t *block = qd_request_memory.alloc(NULL, capacity * MOVE_ENTRY_SIZE);

    if (block == NULL) {
        return false;
    }
    const size_t stride = capacity * sizeof(uint32_t);
    for (uint32_t i = 0; i < MOVE_COLUMNS; i++) {
        if (old[i] != NULL) {
            memcpy(block + i * stride, old[i], batch->count * sizeof(uint32_t));
        }
    }
    uint16_t *end = (uint16_t *)(void *)(block + MOVE_COLUMNS * stride);
    if (request->joined == 0) {
        request->joined = 1;
        end[0] = (uint16_t)batch->count;
    } else {
        memcpy(end, request->joined_end, request->joined * sizeof *end);
    }
    request->joined_end = end;
    batch->id = (const uint32_t *)(void *)block;
    batch->x = (const float *)(void *)(block + stride);
    batch->y = (const float *)(void *)(block + 2 * stride);
    batch->z = batch->z != NULL ? (const float *)(void *)(block + 3 * stride) : NULL;
    qd_request_memory.release(NULL, request->decoded.memory, request->decoded.memory_size);
    request->decoded.memory = block;
    request->decoded.memory_size = capacity * MOVE_ENTRY_SIZE;
    moves->capacity = capacity;
    return true;
}

static bool suits(const qd_client_message *message, const qd_move_frame *move)
{
    const uint64_t seq = message->seq == 0 ? 0 : message->seq + 1;

    return move->room == message->as.batch.room && move->seq == seq && seq <= QD_SEQ_MAX &&
           move->count <= SMALL_ENTITIES && (move->z != NULL) == (message->as.batch.entities.z != NULL);
}

static bool has_space(qd_joined_moves *moves, uint32_t count)
{
    return count <= moves->capacity ||
           (count <= QD_ROOM_MOVE_ALL_MAX && grow(moves, moves->capacity == 0 ? CAPACITY_FIRST : QD_ROOM_MOVE_ALL_MAX));
}

/* The columns lie in the request's own memory. */
static void put(const void *column, uint32_t at, const uint8_t *values, uint32_t count)
{
    memcpy((uint8_t *)(uintptr_t)column + at * sizeof(uint32_t), values, count * sizeof(uint32_t));
}

bool qd_joined_moves_add(qd_joined_moves *moves, const uint8_t *bytes, size_t size, uint64_t *seq)
{
    qd_request *request = moves->request;
    qd_move_frame move;

    if (request == NULL) {
        return false;
    }
    qd_client_message *message = &request->decoded.message;
    qd_msg_entities *batch = &message->as.batch.entities;
    if (!qd_read_move_frame(bytes, size, &move) || !suits(message, &move) ||
        !has_space(moves, batch->count + move.count)) {
        return false;
    }
    put(batch->id, batch->count, move.id, move.count);
    put(batch->x, batch->count, move.x, move.count);
    put(batch->y, batch->count, move.y, move.count);
    if (move.z != NULL) {
        put(batch->z, batch->count, move.z, move.count);
    }
    batch->count += move.count;
    ((uint16_t *)(uintptr_t)request->joined_end)[request->joined++] = (uint16_t)batch->count;
    message->seq = *seq = move.seq;
    moves->frame_bytes += (uint32_t)(size + qd_frame_prefix_size((uint32_t)size));
    return true;
}

void qd_joined_moves_post(qd_joined_moves *moves)
{
    qd_request *request = moves->request;

    if (request == NULL) {
        return;
    }
    qd_room_actor *actor = request->head.membership->actor;
    qd_count(&actor->service->counters, QD_COUNT_BYTES_IN, moves->frame_bytes);
    *moves = (qd_joined_moves){0};
    qd_room_actor_post(actor, request);
}
