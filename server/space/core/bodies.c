/* SPDX-License-Identifier: Apache-2.0 */
#include "bodies.h"

#include <string.h>

#include "../../base/ablation.h"
#include "../../base/assert.h"
#include "../../base/memory/array.h"

#define TRIM_SHARE   4u /* arrays are too long for a quarter of what they have room for */
#define CHANGES_KEPT 16u
#define SLOTS_KEPT   64u

#define TRIM_WAIT_MAX 63u

void qd_bodies_init(qd_bodies *bodies, qd_heap *heap)
{
    memset(bodies, 0, sizeof *bodies);
    bodies->heap = heap;
    bodies->free_first = bodies->removed_first = bodies->freed_end = QD_NONE;
    bodies->classes = (qd_filter_classes){.filter = {QD_FILTER_DEFAULT}, .count = 1, .agree = {1}};
}

void qd_bodies_deinit(qd_bodies *bodies)
{
    qd_array_free(bodies->heap, bodies->record, bodies->capacity * sizeof *bodies->record);
    qd_array_free(bodies->heap, bodies->filter, bodies->capacity * sizeof *bodies->filter);
    qd_array_free(bodies->heap, bodies->radius, bodies->capacity * sizeof *bodies->radius);
    qd_array_free(bodies->heap, bodies->change, bodies->change_capacity * sizeof *bodies->change);
}

static bool set_capacity(qd_bodies *bodies, bool has_radius, uint32_t capacity)
{
    const uint32_t old = bodies->capacity, used = bodies->used;
    const bool had_radius = bodies->radius != NULL;
    const qd_array_part parts[] = {
        QD_ARRAY_PART(bodies->record, old, used, capacity),
        QD_ARRAY_PART(bodies->filter, old, used, capacity),
        QD_ARRAY_PART(bodies->radius, had_radius ? old : 0, had_radius ? used : 0, has_radius ? capacity : 0),
    };

    if (!qd_array_grow_all(bodies->heap, parts, 3)) {
        return false;
    }
    if (has_radius) {
        const uint32_t known = had_radius ? used : 0;

        memset(bodies->radius + known, 0, (capacity - known) * sizeof *bodies->radius);
    }
    bodies->capacity = capacity;
    return true;
}

qd_status qd_bodies_take(qd_bodies *bodies, bool has_radius, uint32_t *slot)
{
    if (has_radius && qd_bodies_radius_reserve(bodies) != QD_OK) {
        return QD_ERR_NO_MEMORY;
    }
    if (bodies->free_first != QD_NONE) {
        *slot = bodies->free_first;
        bodies->free_first = bodies->record[*slot].row;
    } else {
        if (bodies->used == bodies->capacity) {
            const uint32_t capacity = qd_array_capacity(bodies->capacity, bodies->capacity + 1, 4);

            if (!set_capacity(bodies, has_radius || bodies->radius != NULL, capacity)) {
                return QD_ERR_NO_MEMORY;
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

/* Only slots below this are ever looked at, and those at or above it have never been given out. */
static void set_free_slots(qd_bodies *bodies, uint32_t used)
{
    bodies->used = used;
    bodies->free_first = bodies->freed_end = QD_NONE;
    for (uint32_t slot = used; slot-- > 0;) {
        if (bodies->record[slot].state == QD_RECORD_FREE) {
            bodies->record[slot].row = bodies->free_first;
            bodies->free_first = slot;
        }
    }
}

static void trim_changes(qd_bodies *bodies)
{
    const size_t size = sizeof *bodies->change;
    const uint32_t capacity = bodies->change_peak + bodies->change_peak / 2;

    bodies->change_peak = bodies->change_count;
    if (bodies->change_capacity <= CHANGES_KEPT || capacity > bodies->change_capacity / TRIM_SHARE) {
        return;
    }
    qd_change *trimmed = NULL;
    if (capacity > 0) {
        trimmed = qd_array_grow(bodies->heap, bodies->change, bodies->change_capacity * size,
                                bodies->change_count * size, capacity * size);
        if (trimmed == NULL) {
            return;
        }
    } else {
        qd_array_free(bodies->heap, bodies->change, bodies->change_capacity * size);
    }
    bodies->change = trimmed;
    bodies->change_capacity = capacity;
}

/* Slots keep their numbers, so the arrays end behind the last one in use. Low slots are given out first from now on: the
 * next time the end may be nearer. Without success the wait for that is twice as long. */
void qd_bodies_trim(qd_bodies *bodies)
{
    uint32_t used = bodies->used;

    trim_changes(bodies);
    if (bodies->count >= bodies->capacity / TRIM_SHARE || bodies->capacity <= SLOTS_KEPT) {
        return;
    }
    if (bodies->trim_wait > 0) {
        bodies->trim_wait--;
        return;
    }
    while (used > 0 && bodies->record[used - 1].state == QD_RECORD_FREE) {
        used--;
    }
    set_free_slots(bodies, used);
    const uint32_t capacity = used + used / 4 + 4;
    const bool done = capacity <= bodies->capacity / 2 && set_capacity(bodies, bodies->radius != NULL, capacity);
    const uint32_t longer = 2 * bodies->trim_longest + 1;
    bodies->trim_longest = done ? 0 : longer < TRIM_WAIT_MAX ? longer : TRIM_WAIT_MAX;
    bodies->trim_wait = bodies->trim_longest;
}

/* A link stands where a removed body's center was. */
void qd_bodies_note_removed(qd_bodies *bodies, uint32_t slot)
{
    memcpy(&bodies->record[slot].at[0], &bodies->removed_first, sizeof bodies->removed_first);
    bodies->removed_first = slot;
}

uint32_t qd_bodies_removed_before(const qd_bodies *bodies, uint32_t slot)
{
    uint32_t before;

    memcpy(&before, &bodies->record[slot].at[0], sizeof before);
    return before;
}

/* The radii of all slots are 0 at first. While there are no slots, there is nothing to make. */
qd_status qd_bodies_radius_reserve(qd_bodies *bodies)
{
    if (bodies->radius != NULL || bodies->capacity == 0) {
        return QD_OK;
    }
    const size_t bytes = bodies->capacity * sizeof *bodies->radius;
    bodies->radius = qd_array_grow(bodies->heap, NULL, 0, 0, bytes);
    if (bodies->radius == NULL) {
        return QD_ERR_NO_MEMORY;
    }
    memset(bodies->radius, 0, bytes);
    return QD_OK;
}

void qd_bodies_radius_set(qd_bodies *bodies, uint32_t slot, float radius)
{
    QD_ASSERT(bodies->radius != NULL || radius == 0);
    if (bodies->radius != NULL) {
        bodies->radius[slot] = radius;
    }
}

qd_geometry qd_bodies_geometry(const qd_bodies *bodies, uint32_t slot, const qd_row *row, bool is_was)
{
    const qd_record *record = &bodies->record[slot];
    const qd_change *change = is_was && record->change != QD_NONE ? &bodies->change[record->change] : NULL;
    qd_space_shape shape = change != NULL ? change->was_shape : record->shape;
    qd_geometry geometry = qd_row_geometry(row, shape != QD_SPACE_BOX);

    if (shape == QD_SPACE_CAPSULE) {
        const float *half = change != NULL ? change->was_half : record->half;

        geometry.shape = QD_SPACE_CAPSULE;
        for (uint32_t k = 0; k < QD_AXES; k++) {
            geometry.to[k] = half[k];
        }
        geometry.radius = change != NULL ? change->was_radius : qd_bodies_radius(bodies, slot);
    }
    return geometry;
}

qd_change *qd_bodies_change(qd_bodies *bodies, uint32_t slot)
{
    qd_record *record = &bodies->record[slot];

    if (record->change != QD_NONE) {
        return &bodies->change[record->change];
    }
    if (bodies->change_count == bodies->change_capacity) {
        const size_t size = sizeof *bodies->change;
        uint32_t capacity = qd_array_capacity(bodies->change_capacity, bodies->change_count + 1, 4);
        qd_change *grown = qd_array_grow(bodies->heap, bodies->change, bodies->change_capacity * size,
                                         bodies->change_count * size, capacity * size);

        if (grown == NULL) {
            return NULL;
        }
        bodies->change = grown;
        bodies->change_capacity = capacity;
    }
    record->change = bodies->change_count++;
    if (bodies->change_count > bodies->change_peak) {
        bodies->change_peak = bodies->change_count;
    }
    qd_change *change = &bodies->change[record->change];
    *change = (qd_change){
        .slot = slot,
        .old_row = QD_NONE,
        .was = QD_ROW_ABSENT,
        .was_filter = bodies->filter[slot],
        .was_radius = qd_bodies_radius(bodies, slot),
        .was_shape = record->shape,
    };
    memcpy(change->was_half, record->half, sizeof change->was_half);
    return change;
}

uint32_t qd_bodies_filter_class(const qd_bodies *bodies, qd_filter filter)
{
    const qd_filter_classes *classes = &bodies->classes;

    for (uint32_t i = 0; i < classes->count; i++) {
        if (qd_filters_are_same(classes->filter[i], filter)) {
            return i;
        }
    }
    return QD_FILTER_CLASSES_MAX;
}

static void add_class(qd_filter_classes *classes, qd_filter filter)
{
    const uint32_t number = classes->count++;

    classes->filter[number] = filter;
    for (uint32_t i = 0; i <= number; i++) {
        const uint32_t agree = qd_filters_agree(classes->filter[i], filter);

        classes->agree[i] = (uint16_t)(classes->agree[i] | agree << number);
        classes->agree[number] = (uint16_t)(classes->agree[number] | agree << i);
    }
}

bool qd_bodies_any_self_ignoring(const qd_bodies *bodies)
{
    const qd_filter_classes *classes = &bodies->classes;
    bool any = classes->count == QD_FILTER_CLASSES_MAX || QD_WITHOUT(FILTER_CLASSES);

    /* The second bound, which always holds, is for compilers that look for arrays that are overrun. */
    for (uint32_t i = 0; i < classes->count && i < QD_FILTER_CLASSES_MAX; i++) {
        any |= !(classes->agree[i] >> i & 1);
    }
    return any && !QD_WITHOUT(SELF_IGNORING);
}

void qd_bodies_filter_set(qd_bodies *bodies, uint32_t slot, qd_filter filter)
{
    if (!QD_WITHOUT(FILTER_CLASSES) && bodies->classes.count < QD_FILTER_CLASSES_MAX &&
        qd_bodies_filter_class(bodies, filter) == QD_FILTER_CLASSES_MAX) {
        add_class(&bodies->classes, filter);
    }
    bodies->filter[slot] = filter;
}
