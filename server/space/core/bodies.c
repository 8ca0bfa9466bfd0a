/* SPDX-License-Identifier: Apache-2.0 */
#include "bodies.h"

#include <string.h>

#include "../../base/ablation.h"
#include "../../base/assert.h"
#include "../../base/memory/array.h"

void qd_bodies_init(qd_bodies *bodies, qd_heap *heap)
{
    memset(bodies, 0, sizeof *bodies);
    bodies->heap = heap;
    bodies->free_first = QD_NONE;
    bodies->classes = (qd_filter_classes){.filter = {QD_FILTER_DEFAULT}, .count = 1, .agree = {1}};
}

void qd_bodies_deinit(qd_bodies *bodies)
{
    qd_array_free(bodies->heap, bodies->record, bodies->capacity * sizeof *bodies->record);
    qd_array_free(bodies->heap, bodies->filter, bodies->capacity * sizeof *bodies->filter);
    qd_array_free(bodies->heap, bodies->radius, bodies->capacity * sizeof *bodies->radius);
    qd_array_free(bodies->heap, bodies->change, bodies->change_capacity * sizeof *bodies->change);
    qd_array_free(bodies->heap, bodies->freed, bodies->freed_capacity * sizeof *bodies->freed);
}

/* The large array may be refused; the small ones beside it follow whatever the budget says. */
static qd_status grow(qd_bodies *bodies)
{
    uint32_t capacity = qd_array_capacity(bodies->capacity, bodies->capacity + 1, 4);
    qd_heap *heap = bodies->heap;
    size_t old = bodies->capacity, used = bodies->used;
    qd_record *record = qd_array_grow(heap, QD_ARRAY_TRY, bodies->record, old * sizeof *record, used * sizeof *record,
                                      capacity * sizeof *record);

    if (record == NULL) {
        return QD_ERR_NO_MEMORY;
    }
    bodies->record = record;
    bodies->filter = qd_array_grow(heap, QD_ARRAY_NEED, bodies->filter, old * sizeof *bodies->filter,
                                   used * sizeof *bodies->filter, capacity * sizeof *bodies->filter);
    if (bodies->radius != NULL) {
        bodies->radius = qd_array_grow(heap, QD_ARRAY_NEED, bodies->radius, old * sizeof *bodies->radius,
                                       used * sizeof *bodies->radius, capacity * sizeof *bodies->radius);
    }
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

/* The radii of all slots, at first 0; false where memory is refused. */
static bool make_radii(qd_bodies *bodies, qd_array_mode mode)
{
    size_t bytes = bodies->capacity * sizeof *bodies->radius;

    bodies->radius = qd_array_grow(bodies->heap, mode, NULL, 0, 0, bytes);
    if (bodies->radius != NULL) {
        memset(bodies->radius, 0, bytes);
    }
    return bodies->radius != NULL;
}

qd_status qd_bodies_radius_reserve(qd_bodies *bodies)
{
    /* Nothing to try while there are no slots: a few bytes, which may be had later. */
    bool is_there = bodies->radius != NULL || bodies->capacity == 0 || make_radii(bodies, QD_ARRAY_TRY);

    return is_there ? QD_OK : QD_ERR_NO_MEMORY;
}

void qd_bodies_radius_set(qd_bodies *bodies, uint32_t slot, float radius)
{
    if (bodies->radius == NULL && radius != 0) {
        bool made = make_radii(bodies, QD_ARRAY_NEED);

        QD_ASSERT(made);
    }
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
        .old_row = QD_NONE,
        .was = QD_ROW_ABSENT,
        .was_filter = bodies->filter[slot],
        .was_radius = qd_bodies_radius(bodies, slot),
        .was_shape = record->shape,
    };
    memcpy(change->was_half, record->half, sizeof change->was_half);
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
