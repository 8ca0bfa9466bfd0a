/* SPDX-License-Identifier: Apache-2.0 */
#include "proxies.h"

#include <float.h>
#include <string.h>

#include "../../base/assert.h"
#include "array.h"
#include "rebuild.h"

#define ID_SHAPE   (QD_ID_ROUND | QD_ID_CAPSULE)
#define FETCH_STEP 6u

void qd_registry_deinit(qd_registry *registry)
{
    qd_array_free(registry->index->heap, registry->stretched,
                  registry->stretched_capacity * sizeof *registry->stretched);
}

qd_status qd_registry_reserve(qd_registry *registry)
{
    qd_index *index = registry->index;
    qd_status status = index->ops->reserve(index);

    return status == QD_OK ? qd_rows_reserve(index->rows) : status;
}

static uint32_t insert(qd_index *index, uint32_t cell, uint32_t id, const qd_row *now, const qd_row *was)
{
    if (index->ops->entered != NULL) {
        index->ops->entered(index, cell);
    }
    return qd_rows_insert(index->rows, &index->cell[cell], cell, id, now, was);
}

/* A row is no longer at `reference` in this cell; the one with the id `moved` is, unless that is QD_NONE. */
static void left(qd_index *index, uint32_t cell, uint32_t reference, uint32_t moved)
{
    if (moved != QD_NONE) {
        qd_relay_note(index->bodies, moved, reference);
    }
    if (index->cell[cell].count == 0 && index->ops->emptied != NULL) {
        index->ops->emptied(index, cell);
    }
}

static void take_out(qd_index *index, uint32_t reference)
{
    uint32_t number = index->rows->info[reference / QD_BLOCK_ROWS].cell;

    left(index, number, reference, qd_rows_remove(index->rows, &index->cell[number], reference));
}

static qd_change *change_of(const qd_bodies *bodies, const qd_record *record)
{
    return record->change != QD_NONE ? &bodies->change[record->change] : NULL;
}

static bool is_split(const qd_bodies *bodies, const qd_record *record)
{
    const qd_change *change = change_of(bodies, record);

    return change != NULL && change->ghost != QD_NONE;
}

bool qd_change_is_reshape(const qd_bodies *bodies, const qd_change *change)
{
    const qd_record *record = &bodies->record[change->slot];

    if (change->was_shape != record->shape) {
        return true;
    }
    /* Of a circle one number counts. */
    uint32_t sizes = record->shape == QD_SPACE_CIRCLE ? 1 : QD_AXES;
    for (uint32_t k = 0; k < sizes; k++) {
        if (change->was_half[k] != record->half[k]) {
            return true;
        }
    }
    return record->shape == QD_SPACE_CAPSULE && change->was_radius != qd_bodies_radius(bodies, change->slot);
}

static uint32_t id_of_shape(const qd_record *record)
{
    return record->shape == QD_SPACE_BOX ? 0 : record->shape == QD_SPACE_CIRCLE ? QD_ID_ROUND : ID_SHAPE;
}

static uint32_t id_of(const qd_bodies *bodies, uint32_t slot)
{
    const qd_record *record = &bodies->record[slot];
    const qd_change *change = change_of(bodies, record);
    uint32_t id = slot | id_of_shape(record) | qd_id_of_filter(bodies, bodies->filter[slot]);

    if (change != NULL && change->refiltered) {
        id |= QD_ID_FILTER | QD_ID_CHANGED;
    }
    if (change != NULL && change->ghost != QD_NONE) {
        id |= QD_ID_NEWCOMER;
    }
    return id;
}

void qd_registry_add(qd_registry *registry, uint32_t slot)
{
    qd_index *index = registry->index;
    qd_record *record = &index->bodies->record[slot];
    qd_row now = qd_bodies_row(index->bodies, slot), absent = QD_ROW_ABSENT;
    qd_row bounds = qd_row_bounds(&now, record->shape != QD_SPACE_BOX);
    uint32_t cell = index->ops->locate(index, &bounds, &record->place);

    record->row = insert(index, cell, id_of(index->bodies, slot), &now, &absent);
}

/* Where a box's corner is; one beyond the range of float32 counts as the last that is not. */
static double edge_of(float edge)
{
    return (double)fmaxf(fminf(edge, FLT_MAX), -FLT_MAX);
}

/* What stands in place of the was of a split body's newcomer. */
static qd_row start_of(const qd_index *index, uint32_t slot)
{
    const qd_bodies *bodies = index->bodies;
    const qd_record *record = &bodies->record[slot];
    const qd_change *change = change_of(bodies, record);

    if (!index->config->swept || change->teleported) {
        return QD_ROW_ABSENT;
    }
    float centre[QD_AXES];
    for (uint32_t k = 0; k < QD_AXES; k++) {
        double low = edge_of(change->was.v[k]), high = edge_of(change->was.v[QD_ROW_HIGH + k]);

        centre[k] = change->was_shape == QD_SPACE_BOX ? (float)((low + high) / 2) : change->was.v[k];
    }
    return qd_bodies_row_at(bodies, slot, centre);
}

/* Whether one row cannot tell what a body was and is: the two are of different kinds, or its way from one to the other
 * does not count, or is that of another size. */
static bool is_cut(const qd_index *index, const qd_record *record, uint32_t id)
{
    if ((id & ID_SHAPE) != id_of_shape(record)) {
        return true;
    }
    const qd_change *change = change_of(index->bodies, record);
    return index->config->swept && change != NULL &&
           (change->teleported || qd_change_is_reshape(index->bodies, change));
}

/* A body's row becomes a ghost; returns the flags that its newcomer gets, with its slot. */
static uint32_t leave_ghost(qd_index *index, uint32_t slot)
{
    qd_rows *rows = index->rows;
    const qd_record *record = &index->bodies->record[slot];
    uint32_t ghost = record->row, id = qd_row_id(rows, ghost);
    qd_change *change = qd_bodies_change(index->bodies, slot);

    change->ghost = ghost;
    change->was = *qd_row_was(rows, ghost);
    *qd_row_now(rows, ghost) = QD_ROW_ABSENT;
    qd_rows_flag(rows, ghost, id | QD_ID_GHOST);
    qd_rows_mark(rows, ghost);
    /* The other flags are true already; id_of would look further for them. */
    return (id & ~ID_SHAPE) | id_of_shape(record) | QD_ID_NEWCOMER;
}

/* The row becomes a ghost, and a newcomer is inserted where the body is now. */
static void split(qd_index *index, uint32_t slot, const qd_row *now)
{
    uint32_t id = leave_ghost(index, slot);
    qd_record *record = &index->bodies->record[slot];
    bool is_round = record->shape != QD_SPACE_BOX;
    qd_row start = start_of(index, slot);
    qd_row bounds = qd_row_bounds(now, is_round), bounds_start = qd_row_bounds(&start, is_round);
    qd_row both = qd_row_union(&bounds, &bounds_start);
    uint32_t cell = index->ops->locate(index, &both, &record->place);

    record->row = insert(index, cell, id, now, &start);
}

void qd_registry_split(qd_registry *registry, uint32_t slot, uint32_t cell, uint32_t place)
{
    qd_index *index = registry->index;
    const qd_row now = qd_bodies_row(index->bodies, slot), absent = QD_ROW_ABSENT;
    uint32_t id = leave_ghost(index, slot);

    index->bodies->record[slot].place = place;
    index->bodies->record[slot].row = insert(index, cell, id, &now, &absent);
}

/* Notes a body for a second look, once. */
static void note_stretched(qd_registry *registry, uint32_t slot)
{
    qd_record *record = &registry->index->bodies->record[slot];

    if (record->stretched) {
        return;
    }
    record->stretched = 1;
    if (registry->stretched_count == registry->stretched_capacity) {
        size_t size = sizeof *registry->stretched;
        uint32_t capacity = qd_array_capacity(registry->stretched_capacity, registry->stretched_count + 1, 4);

        registry->stretched =
            qd_array_grow(registry->index->heap, QD_ARRAY_NEED, registry->stretched,
                          registry->stretched_capacity * size, registry->stretched_count * size, capacity * size);
        registry->stretched_capacity = capacity;
    }
    registry->stretched[registry->stretched_count++] = slot;
}

static bool is_high(const qd_index *index, uint32_t place)
{
    return index->ops->is_high != NULL && index->ops->is_high(index, place);
}

void qd_registry_transfer(qd_registry *registry, uint32_t slot, uint32_t cell, uint32_t place, bool is_stretched)
{
    qd_index *index = registry->index;
    qd_record *record = &index->bodies->record[slot];

    if (index->ops->entered != NULL) {
        index->ops->entered(index, cell);
    }
    uint32_t at = record->row, number = index->rows->info[at / QD_BLOCK_ROWS].cell, moved;
    record->place = place;
    record->row = qd_rows_transfer(index->rows, &index->cell[number], &index->cell[cell], cell, at, &moved);
    left(index, number, at, moved);
    if (is_stretched) {
        note_stretched(registry, slot);
    }
}

void qd_registry_update(qd_registry *registry, uint32_t slot)
{
    qd_index *index = registry->index;
    qd_rows *rows = index->rows;
    qd_record *record = &index->bodies->record[slot];
    uint32_t at = record->row, id = qd_row_id(rows, at);
    bool is_newcomer = (id & QD_ID_NEWCOMER) != 0, is_round = record->shape != QD_SPACE_BOX;
    qd_row now = qd_bodies_row(index->bodies, slot), bounds = qd_row_bounds(&now, is_round);
    qd_row before = is_newcomer ? start_of(index, slot) : *qd_row_was(rows, at);
    qd_row was = qd_row_bounds(&before, is_newcomer ? is_round : (id & QD_ID_ROUND) != 0);
    bool is_whole = !is_newcomer && qd_row_present(&was, false);

    if (is_whole && is_cut(index, record, id)) {
        split(index, slot, &now);
        return;
    }
    qd_row both = qd_row_union(&bounds, &was);
    uint32_t place, cell = index->ops->locate(index, &both, &place);
    if (is_whole && !index->config->swept && index->ops->is_far != NULL && !qd_boxes_overlap(&was, &bounds) &&
        index->ops->is_far(index, &both, place)) {
        split(index, slot, &now);
        return;
    }
    /* The row's other flags are true already; id_of would look further for them. */
    id = (id & ~ID_SHAPE) | id_of_shape(record);
    *qd_row_now(rows, at) = now;
    *qd_row_was(rows, at) = before;
    if (id != qd_row_id(rows, at)) {
        qd_rows_flag(rows, at, id);
    }
    if (place == record->place) {
        qd_rows_mark(rows, at);
        return;
    }
    bool is_stretched = false;
    if (is_high(index, place)) {
        uint32_t place_now;

        (void)index->ops->locate(index, &bounds, &place_now);
        is_stretched = place_now != place;
    }
    qd_registry_transfer(registry, slot, cell, place, is_stretched);
}

void qd_registry_reflag(qd_registry *registry, uint32_t slot)
{
    qd_index *index = registry->index;
    qd_record *record = &index->bodies->record[slot];
    uint32_t id = id_of(index->bodies, slot);

    qd_rows_flag(index->rows, record->row, id);
    qd_rows_mark(index->rows, record->row);
    if (is_split(index->bodies, record)) {
        uint32_t ghost = index->bodies->change[record->change].ghost;

        qd_rows_flag(index->rows, ghost, qd_row_id(index->rows, ghost) | (id & (QD_ID_FILTER | QD_ID_CHANGED)));
    }
}

bool qd_registry_remove(qd_registry *registry, uint32_t slot)
{
    qd_index *index = registry->index;
    qd_rows *rows = index->rows;
    qd_record *record = &index->bodies->record[slot];

    if (is_split(index->bodies, record)) {
        qd_change *change = &index->bodies->change[record->change];

        take_out(index, record->row);
        record->row = change->ghost;
        change->ghost = QD_NONE;
        qd_rows_flag(rows, record->row, qd_row_id(rows, record->row) & ~QD_ID_GHOST);
        return false;
    }
    const qd_row *was = qd_row_was(rows, record->row);
    if (!qd_row_present(was, (qd_row_id(rows, record->row) & QD_ID_ROUND) != 0)) {
        take_out(index, record->row);
        return true;
    }
    *qd_row_now(rows, record->row) = QD_ROW_ABSENT;
    qd_rows_mark(rows, record->row);
    return false;
}

void qd_registry_forget(qd_registry *registry, uint32_t slot)
{
    take_out(registry->index, registry->index->bodies->record[slot].row);
}

void qd_registry_fetch(const qd_registry *registry, uint32_t number)
{
    const qd_index *index = registry->index;
    const qd_bodies *bodies = index->bodies;
    const qd_change *first = &bodies->change[number];

    if (number + 3 * FETCH_STEP >= bodies->change_count) {
        return;
    }
    __builtin_prefetch(&bodies->record[first[3 * FETCH_STEP].slot], 1);
    if (first[3 * FETCH_STEP].ghost != QD_NONE) {
        qd_rows_fetch(index->rows, first[3 * FETCH_STEP].ghost);
    }
    uint32_t row = bodies->record[first[2 * FETCH_STEP].slot].row;
    __builtin_prefetch(&index->rows->id[row], 1);
    __builtin_prefetch(&index->rows->info[row / QD_BLOCK_ROWS], 1);
    if (first[2 * FETCH_STEP].ghost != QD_NONE) {
        uint32_t block = first[2 * FETCH_STEP].ghost / QD_BLOCK_ROWS;

        __builtin_prefetch(&index->cell[index->rows->info[block].cell], 1);
    }
    if (first[FETCH_STEP].ghost != QD_NONE) {
        uint32_t block = first[FETCH_STEP].ghost / QD_BLOCK_ROWS;

        qd_rows_fetch_last(index->rows, &index->cell[index->rows->info[block].cell]);
    }
}

void qd_registry_heal(qd_registry *registry, uint32_t slot)
{
    qd_index *index = registry->index;
    qd_change *change = &index->bodies->change[index->bodies->record[slot].change];

    if (change->ghost != QD_NONE) {
        uint32_t ghost = change->ghost;

        change->ghost = QD_NONE;
        take_out(index, ghost);
    }
    change->refiltered = 0;
    qd_rows_flag(index->rows, index->bodies->record[slot].row, id_of(index->bodies, slot));
}

/* Those that moved at this tick are registered by where they are, and stay noted unless that does no harm. */
static void look_again(qd_registry *registry)
{
    qd_index *index = registry->index;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < registry->stretched_count; i++) {
        uint32_t slot = registry->stretched[i];
        qd_record *record = &index->bodies->record[slot];
        bool is_live = record->state == QD_RECORD_LIVE;
        bool is_moved = is_live && qd_rows_is_marked(index->rows, record->row);

        if (is_moved && is_high(index, record->place)) {
            registry->stretched[kept++] = slot;
            continue;
        }
        if (is_live && !is_moved) {
            qd_registry_update(registry, slot);
        }
        record->stretched = 0;
    }
    registry->stretched_count = kept;
}

void qd_registry_prepare(qd_registry *registry)
{
    if (registry->stretched_count > 0) {
        look_again(registry);
    }
    qd_index *index = registry->index;
    if (index->ops->prepare != NULL) {
        index->ops->prepare(index);
    }
}

/* Puts a row of an old pool into the index, as it is. */
static void hand_over(qd_index *index, const qd_rows *old, uint32_t from)
{
    qd_row box = qd_row_box(old, from);
    uint32_t place, cell = index->ops->locate(index, &box, &place), id = qd_row_id(old, from);
    uint32_t to = insert(index, cell, id, qd_row_now(old, from), qd_row_was(old, from));

    if (!qd_rows_is_marked(old, from)) {
        qd_rows_unmark(index->rows, to);
    }
    qd_relay_note(index->bodies, id, to);
    if (!(id & QD_ID_GHOST)) {
        index->bodies->record[id & QD_ID_SLOT].place = place;
    }
}

void qd_registry_hand_over(qd_index *index, const qd_rows *old, const qd_cell *cell, uint32_t cells)
{
    qd_rows_make(index->rows, index->heap, 0);
    qd_scan scan = qd_scan_start(old, cell, cells);
    uint32_t first, count;
    while (qd_scan_next(&scan, &first, &count)) {
        for (uint32_t i = 0; i < count; i++) {
            hand_over(index, old, first + i);
        }
    }
    index->rows->operations = old->operations;
}

/* Rows come in the order of the old index, where neighbours are near each other more often than not; the new one may
 * plan a better order as it settles. */
void qd_registry_change(qd_registry *registry, qd_index *index)
{
    qd_index *old = registry->index;
    qd_rows old_rows = *old->rows;

    qd_registry_hand_over(index, &old_rows, old->cell, old->cells);
    registry->index = index;
    old->ops->destroy(old);
    qd_rows_deinit(&old_rows);
    index->ops->settle(index);
}
