/* SPDX-License-Identifier: Apache-2.0 */
#include "joined_moves.h"

#include <string.h>

#include "../actor/room_actor.h"
#include "../base/ablation.h"

#define CAPACITY_FIRST 64u
#define MOVE_COLUMNS   4u /* id, x, y, z */
#define ENTRY_BYTES    (sizeof(qd_joined_move) + MOVE_COLUMNS * sizeof(uint32_t))

bool qd_joined_moves_hold(qd_waiting_moves *waiting, qd_membership *membership, qd_request *request)
{
    const qd_client_message *message = &request->decoded.message;

    /* One in the reserve counts for more than its own bytes (dispatch.c), and that at once. */
    if (message->kind != QD_CLIENT_MOVE || message->confirm || request->frame != NULL ||
        request->bytes != sizeof *request || message->as.batch.entities.count > QD_JOINED_ENTITIES_MAX ||
        QD_WITHOUT(JOINED_MOVES)) {
        return false;
    }
    qd_joined_moves_post(waiting, membership);
    request->head.membership = membership;
    membership->moves = (qd_joined_moves){.request = request};
    TAILQ_INSERT_TAIL(waiting, membership, waits);
    return true;
}

/* Gives the request columns for that many entries. Returns false when memory runs out. */
static bool grow(qd_joined_moves *moves, uint32_t capacity)
{
    qd_request *request = moves->request;
    qd_msg_entities *entities = &request->decoded.message.as.batch.entities;
    const void *old[MOVE_COLUMNS] = {entities->id, entities->x, entities->y, entities->z};
    qd_joined_move *each = qd_request_memory.alloc(NULL, capacity * ENTRY_BYTES);

    if (each == NULL) {
        return false;
    }
    uint32_t *columns = (uint32_t *)(void *)(each + capacity);
    for (uint32_t i = 0; i < MOVE_COLUMNS; i++) {
        if (old[i] != NULL) {
            memcpy(columns + i * capacity, old[i], entities->count * sizeof *columns);
        }
    }
    if (request->joined == 0) {
        request->joined = 1;
        each[0] = (qd_joined_move){.seq = request->decoded.message.seq, .end = entities->count};
    } else {
        memcpy(each, request->joined_each, request->joined * sizeof *each);
    }
    qd_request_memory.release(NULL, request->decoded.memory, request->decoded.memory_size);
    request->decoded.memory = each;
    request->decoded.memory_size = capacity * ENTRY_BYTES;
    request->joined_each = each;
    entities->id = columns;
    entities->x = (const float *)(columns + capacity);
    entities->y = (const float *)(columns + 2 * capacity);
    entities->z = entities->z != NULL ? (const float *)(columns + 3 * capacity) : NULL;
    moves->capacity = capacity;
    return true;
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

bool qd_joined_moves_add(qd_membership *membership, const qd_move_frame *move, size_t frame_bytes)
{
    qd_joined_moves *moves = &membership->moves;
    qd_request *request = moves->request;

    if (request == NULL) {
        return false;
    }
    qd_client_message *message = &request->decoded.message;
    qd_msg_entities *entities = &message->as.batch.entities;
    if (move->seq > QD_SEQ_MAX || (move->z != NULL) != (entities->z != NULL) ||
        !has_space(moves, entities->count + move->count)) {
        return false;
    }
    put(entities->id, entities->count, move->id, move->count);
    put(entities->x, entities->count, move->x, move->count);
    put(entities->y, entities->count, move->y, move->count);
    if (move->z != NULL) {
        put(entities->z, entities->count, move->z, move->count);
    }
    entities->count += move->count;
    ((qd_joined_move *)(uintptr_t)request->joined_each)[request->joined++] =
        (qd_joined_move){.seq = move->seq, .end = entities->count};
    message->seq = move->seq != 0 ? move->seq : message->seq;
    moves->frame_bytes += (uint32_t)frame_bytes;
    return true;
}

void qd_joined_moves_post(qd_waiting_moves *waiting, qd_membership *membership)
{
    const qd_joined_moves moves = membership->moves;

    if (moves.request == NULL) {
        return;
    }
    TAILQ_REMOVE(waiting, membership, waits);
    membership->moves = (qd_joined_moves){0};
    qd_count(&membership->actor->service->counters, QD_COUNT_BYTES_IN, moves.frame_bytes);
    qd_room_actor_post(membership->actor, moves.request);
}

void qd_joined_moves_post_all(qd_waiting_moves *waiting)
{
    qd_membership *membership;

    while ((membership = TAILQ_FIRST(waiting)) != NULL) {
        qd_joined_moves_post(waiting, membership);
    }
}
