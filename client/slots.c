/* SPDX-License-Identifier: Apache-2.0 */
#include "slots.h"

#include <string.h>

#include "memory.h"

#define CAPACITY_LEAST 64u

void qd_slots_empty(qd_slots *slots)
{
    for (unsigned axis = 0; axis < QD_RELAY_AXES; axis++) {
        qd_memory_free(slots->state.at[axis]);
        qd_memory_free(slots->state.last[axis]);
    }
    qd_memory_free(slots->entry);
    qd_memory_free(slots->position);
    qd_memory_free(slots->named);
    qd_table_empty(&slots->slots);
    memset(slots, 0, sizeof *slots);
}

/* Resizes a column to `capacity` values. */
static bool resize(void *column, uint32_t capacity)
{
    uint32_t **at = column;
    uint32_t *resized = qd_memory_resize(*at, (size_t)capacity * sizeof **at);

    *at = resized != NULL ? resized : *at;
    return resized != NULL;
}

static bool reserve(qd_slots *slots, uint32_t count)
{
    uint32_t capacity = slots->capacity > CAPACITY_LEAST ? slots->capacity : CAPACITY_LEAST;

    if (count <= slots->capacity) {
        return true;
    }
    while (capacity < count) {
        capacity *= 2;
    }
    bool is_done = resize(&slots->entry, capacity) && resize(&slots->named, capacity);
    qd_slot_position *position =
        is_done ? qd_memory_resize(slots->position, (size_t)capacity * sizeof *position) : NULL;
    slots->position = position != NULL ? position : slots->position;
    is_done = position != NULL;
    for (unsigned axis = 0; axis < slots->state.axes && slots->has_k; axis++) {
        is_done = is_done && resize(&slots->state.at[axis], capacity) && resize(&slots->state.last[axis], capacity);
    }
    if (!is_done) {
        return false; /* the columns may be longer than the capacity says */
    }
    memset(slots->entry + slots->capacity, 0, (size_t)(capacity - slots->capacity) * sizeof *slots->entry);
    slots->capacity = capacity;
    return true;
}

static bool is_same_precision(const qd_slots *slots, const qd_msg_view *frame)
{
    return slots->has_k == frame->has_relay_k && slots->state.k == frame->relay_k;
}

qd_client_status qd_slots_start(qd_slots *slots, const qd_msg_view *frame, uint32_t slot, uint32_t i)
{
    const qd_msg_entities *from = &frame->enter;
    const float at[] = {from->x[i], from->y[i], from->z != NULL ? from->z[i] : 0};

    if (slots->capacity == 0) {
        slots->has_k = frame->has_relay_k;
        slots->state.k = frame->relay_k;
        slots->state.axes = from->z != NULL ? 3 : 2;
    }
    if (slot >= QD_RELAY_SLOTS_MAX || !is_same_precision(slots, frame) || slots->state.k < QD_RELAY_K_MIN ||
        slots->state.k > QD_RELAY_K_MAX || (slot < slots->capacity && slots->entry[slot] != 0)) {
        return QD_CLIENT_ERR_PROTOCOL;
    }
    qd_table_place *place = reserve(slots, slot + 1) ? qd_table_put(&slots->slots, from->id[i]) : NULL;
    if (place == NULL) {
        return QD_CLIENT_ERR_NO_MEMORY;
    }
    if (place->value != 0) {
        return QD_CLIENT_ERR_PROTOCOL;
    }
    place->value = (uint64_t)slot + 1;
    slots->position[slot].tick = 0;
    if (slots->has_k) {
        for (; slots->state.count <= slot; slots->state.count++) {
            qd_relay_start(&slots->state, slots->state.count, (const float[QD_RELAY_AXES]){0});
        }
        qd_relay_start(&slots->state, slot, at);
    }
    return QD_CLIENT_OK;
}

uint32_t qd_slots_of(const qd_slots *slots, uint32_t id)
{
    const qd_table_place *found = qd_table_get(&slots->slots, id);

    return found != NULL ? (uint32_t)found->value - 1 : UINT32_MAX;
}

void qd_slots_end(qd_slots *slots, uint32_t id)
{
    qd_table_take(&slots->slots, qd_table_get(&slots->slots, id));
}

qd_client_status qd_slots_read(qd_slots *slots, const qd_msg_view *frame, uint32_t *count)
{
    *count = 0;
    if (frame->relay.size == 0) {
        return QD_CLIENT_OK;
    }
    if (!slots->has_k || !is_same_precision(slots, frame)) {
        return QD_CLIENT_ERR_PROTOCOL;
    }
    *count = qd_relay_read(&slots->state, frame->relay.bytes, frame->relay.size, slots->named);
    return *count != QD_RELAY_REFUSED ? QD_CLIENT_OK : QD_CLIENT_ERR_PROTOCOL;
}

qd_client_status qd_slots_place(qd_slots *slots, uint32_t slot, const float *at)
{
    if (slot >= slots->capacity || slots->entry[slot] == 0) {
        return QD_CLIENT_ERR_PROTOCOL;
    }
    if (slots->has_k) {
        qd_relay_start(&slots->state, slot, at);
    }
    return QD_CLIENT_OK;
}
