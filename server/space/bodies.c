/* SPDX-License-Identifier: Apache-2.0 */
#include "bodies.h"

#include <string.h>

#include "../base/assert.h"
#include "array.h"

void qd_bodies_init(qd_bodies *bodies, qd_heap *heap)
{
    memset(bodies, 0, sizeof *bodies);
    bodies->heap = heap;
    bodies->free_first = QD_NONE;
}

void qd_bodies_deinit(qd_bodies *bodies)
{
    qd_array_free(bodies->heap, bodies->record, bodies->capacity * sizeof *bodies->record);
    qd_array_free(bodies->heap, bodies->filter, bodies->capacity * sizeof *bodies->filter);
    qd_array_free(bodies->heap, bodies->change, bodies->change_capacity * sizeof *bodies->change);
    qd_array_free(bodies->heap, bodies->freed, bodies->freed_capacity * sizeof *bodies->freed);
}

static qd_status grow(qd_bodies *bodies)
{
    uint32_t capacity = qd_array_capacity(bodies->capacity, bodies->capacity + 1, 4);
    qd_filter *filter = qd_heap_alloc_aligned(bodies->heap, QD_ARRAY_ALIGNMENT, capacity * sizeof *filter);
    if (filter == NULL) {
        return QD_ERR_NO_MEMORY;
    }
    size_t used = bodies->used;
    qd_record *record = qd_array_grow(bodies->heap, QD_ARRAY_TRY, bodies->record, bodies->capacity * sizeof *record,
                                      used * sizeof *record, capacity * sizeof *record);
    if (record == NULL) {
        qd_array_free(bodies->heap, filter, capacity * sizeof *filter);
        return QD_ERR_NO_MEMORY;
    }
    if (used > 0) {
        memcpy(filter, bodies->filter, used * sizeof *filter);
    }
    qd_array_free(bodies->heap, bodies->filter, bodies->capacity * sizeof *filter);
    bodies->record = record;
    bodies->filter = filter;
    bodies->capacity = capacity;
    return QD_OK;
}

qd_status qd_bodies_take(qd_bodies *bodies, uint32_t *slot)
{
    if (bodies->free_first != QD_NONE) {
        *slot = bodies->free_first;
        bodies->free_first = bodies->record[*slot].row;
    } else {
        if (bodies->used == bodies->capacity) {
            qd_status status = grow(bodies);
            if (status != QD_OK) {
                return status;
            }
        }
        *slot = bodies->used++;
        bodies->record[*slot] = (qd_record){0};
    }
    bodies->count++;
    return QD_OK;
}

void qd_bodies_give(qd_bodies *bodies, uint32_t slot)
{
    qd_record *record = &bodies->record[slot];
    record->state = QD_RECORD_FREE;
    record->row = bodies->free_first;
    bodies->free_first = slot;
    bodies->count--;
}

qd_change *qd_bodies_change(qd_bodies *bodies, uint32_t slot)
{
    qd_record *record = &bodies->record[slot];
    if (record->change != QD_NONE) {
        return &bodies->change[record->change];
    }
    if (bodies->change_count == bodies->change_capacity) {
        uint32_t capacity = qd_array_capacity(bodies->change_capacity, bodies->change_count + 1, 4);
        bodies->change =
            qd_array_grow(bodies->heap, QD_ARRAY_NEED, bodies->change, bodies->change_capacity * sizeof *bodies->change,
                          bodies->change_count * sizeof *bodies->change, capacity * sizeof *bodies->change);
        bodies->change_capacity = capacity;
    }
    record->change = bodies->change_count++;
    qd_change *change = &bodies->change[record->change];
    *change = (qd_change){
        .slot = slot,
        .ghost = QD_NONE,
        .was = QD_ROW_ABSENT,
        .was_filter = bodies->filter[slot],
        .was_half_x = record->half_x,
        .was_half_y = record->half_y,
        .was_circle = record->circle,
    };
    return change;
}

void qd_bodies_freed_reserve(qd_bodies *bodies)
{
    if (bodies->change_count > bodies->freed_capacity) {
        bodies->freed =
            qd_array_grow(bodies->heap, QD_ARRAY_NEED, bodies->freed, bodies->freed_capacity * sizeof *bodies->freed, 0,
                          bodies->change_count * sizeof *bodies->freed);
        bodies->freed_capacity = bodies->change_count;
    }
}
