/* SPDX-License-Identifier: Apache-2.0 */
#include "proxies.h"

#include <float.h>
#include <string.h>

#include "../../base/ablation.h"
#include "../../base/assert.h"
#include "../../base/memory/array.h"

#define ID_SHAPE   (QD_ID_ROUND | QD_ID_CAPSULE)
#define FETCH_STEP 6u

bool qd_proxies_reserve(qd_index *index)
{
    return index->ops->reserve(index) && qd_rows_reserve(index->rows, 1);
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
        qd_row_relocated(index->bodies, moved, reference);
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

    return change != NULL && change->old_row != QD_NONE;
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
        id |= QD_ID_FILTER | QD_ID_REFILTERED;
    }
    if (change != NULL && change->old_row != QD_NONE) {
        id |= QD_ID_NEW_ROW;
    }
    return id;
}

void qd_proxies_add(qd_index *index, uint32_t slot)
{
    qd_record *record = &index->bodies->record[slot];
    qd_row now = qd_bodies_row(index->bodies, slot), absent = QD_ROW_ABSENT;
    qd_row bounds = qd_row_bounds(&now, record->shape != QD_SPACE_BOX);
    uint32_t cell = index->ops->locate(index, &bounds, &record->cell_key);

    record->row = insert(index, cell, id_of(index->bodies, slot), &now, &absent);
}

/* Where a box's corner is; one beyond the range of float32 counts as the last that is not. */
static double edge_of(float edge)
{
    return (double)fmaxf(fminf(edge, FLT_MAX), -FLT_MAX);
}

/* What stands in place of the was of a split body's new row. */
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

/* A body's row becomes an old row; `new_id` gets the flags of its new row, with its slot. Then there is room for
 * that row. False: there is no memory, and nothing changed. */
static bool leave_old_row(qd_index *index, uint32_t slot, uint32_t *new_id)
{
    qd_rows *rows = index->rows;
    const qd_record *record = &index->bodies->record[slot];
    qd_change *change = qd_rows_reserve(rows, 1) ? qd_bodies_change(index->bodies, slot) : NULL;

    if (change == NULL) {
        return false;
    }
    const uint32_t old_row = record->row, id = qd_row_id(rows, old_row);
    change->old_row = old_row;
    change->was = *qd_row_was(rows, old_row);
    *qd_row_now(rows, old_row) = QD_ROW_ABSENT;
    qd_rows_flag(rows, old_row, id | QD_ID_OLD_ROW);
    qd_rows_set_changed(rows, old_row);
    /* The other flags are true already; id_of would look further for them. */
    *new_id = (id & ~ID_SHAPE) | id_of_shape(record) | QD_ID_NEW_ROW;
    return true;
}

/* The row becomes an old row, and a new row is inserted where the body is now. False: there is no memory, and nothing
 * changed. */
static bool split(qd_index *index, uint32_t slot, const qd_row *now)
{
    uint32_t id;

    if (!leave_old_row(index, slot, &id)) {
        return false;
    }
    qd_record *record = &index->bodies->record[slot];
    bool is_round = record->shape != QD_SPACE_BOX;
    qd_row start = start_of(index, slot);
    qd_row bounds = qd_row_bounds(now, is_round), bounds_start = qd_row_bounds(&start, is_round);
    qd_row both = qd_row_union(&bounds, &bounds_start);
    uint32_t cell = index->ops->locate(index, &both, &record->cell_key);

    record->row = insert(index, cell, id, now, &start);
    return true;
}

/* A body of a space that is not swept leaves its row behind as an old one, and goes to another cell with a new one.
 * Nothing else changed about it. */
static bool split_to(qd_index *index, uint32_t slot, uint32_t cell, uint32_t cell_key)
{
    const qd_row now = qd_bodies_row(index->bodies, slot), absent = QD_ROW_ABSENT;
    uint32_t id;

    if (!leave_old_row(index, slot, &id)) {
        return false;
    }
    index->bodies->record[slot].cell_key = cell_key;
    index->bodies->record[slot].row = insert(index, cell, id, &now, &absent);
    return true;
}

/* The bodies of the rows in the block that holds a cell's last ones are registered there. */
static void note_block(qd_index *index, uint32_t cell, uint32_t cell_key)
{
    const uint32_t first = index->cell[cell].head * QD_BLOCK_ROWS;
    const uint32_t count = (index->cell[cell].count - 1) % QD_BLOCK_ROWS + 1;

    for (uint32_t row = first; row < first + count; row++) {
        const uint32_t id = qd_row_id(index->rows, row);

        if (!(id & QD_ID_OLD_ROW)) {
            index->bodies->record[id & QD_ID_SLOT].cell_key = cell_key;
        }
    }
}

/* A body's row goes to another cell, which has no block for it: to the loosest one, if need be with a block. */
static __attribute__((noinline)) void transfer_to_loosest(qd_index *index, uint32_t slot)
{
    qd_rows *rows = index->rows;
    qd_record *record = &index->bodies->record[slot];
    uint32_t at = record->row, number = rows->info[at / QD_BLOCK_ROWS].cell, moved, cell_key;
    const uint32_t cell = index->ops->loosest(index, &cell_key);

    if (cell == number) {
        qd_rows_set_changed(rows, at);
        return;
    }
    if (index->ops->entered != NULL) {
        index->ops->entered(index, cell);
    }
    qd_cell *from = &index->cell[number], *to = &index->cell[cell];
    if (qd_rows_can_transfer(rows, from, to)) {
        record->row = qd_rows_transfer(rows, from, to, cell, at, &moved);
    } else {
        record->row = qd_rows_transfer_block(rows, from, to, cell, at, &moved);
    }
    note_block(index, cell, cell_key);
    qd_rows_set_changed(rows, record->row);
    left(index, number, at, moved);
}

/* A body's row goes to another cell, with what stands in it. */
static void transfer(qd_index *index, uint32_t slot, uint32_t cell, uint32_t cell_key)
{
    qd_record *record = &index->bodies->record[slot];
    uint32_t at = record->row, number = index->rows->info[at / QD_BLOCK_ROWS].cell, moved;

    if (QD_UNLIKELY(!qd_rows_can_transfer(index->rows, &index->cell[number], &index->cell[cell]))) {
        transfer_to_loosest(index, slot);
        return;
    }
    if (index->ops->entered != NULL) {
        index->ops->entered(index, cell);
    }
    record->cell_key = cell_key;
    record->row = qd_rows_transfer(index->rows, &index->cell[number], &index->cell[cell], cell, at, &moved);
    qd_rows_set_changed(index->rows, record->row);
    left(index, number, at, moved);
}

/* A cell, and its key. */
typedef struct spot {
    uint32_t cell, cell_key;
} spot;

/* Writes a body's row and takes it to its cell. */
static void place(qd_index *index, uint32_t slot, const qd_row *now, const qd_row *was, spot to)
{
    qd_rows *rows = index->rows;
    const qd_record *record = &index->bodies->record[slot];
    const uint32_t at = record->row;
    /* The row's other flags are true already; id_of would look further for them. */
    const uint32_t id = (qd_row_id(rows, at) & ~ID_SHAPE) | id_of_shape(record);

    *qd_row_now(rows, at) = *now;
    *qd_row_was(rows, at) = *was;
    if (id != qd_row_id(rows, at)) {
        qd_rows_flag(rows, at, id);
    }
    if (to.cell_key == record->cell_key) {
        qd_rows_set_changed(rows, at);
    } else {
        transfer(index, slot, to.cell, to.cell_key);
    }
}

void qd_proxies_update(qd_index *index, uint32_t slot)
{
    qd_rows *rows = index->rows;
    qd_record *record = &index->bodies->record[slot];
    uint32_t at = record->row, id = qd_row_id(rows, at);
    bool is_new_row = (id & QD_ID_NEW_ROW) != 0, is_round = record->shape != QD_SPACE_BOX;
    qd_row now = qd_bodies_row(index->bodies, slot), bounds = qd_row_bounds(&now, is_round);
    qd_row before = is_new_row ? start_of(index, slot) : *qd_row_was(rows, at);
    qd_row was = qd_row_bounds(&before, is_new_row ? is_round : (id & QD_ID_ROUND) != 0);
    bool is_whole = !is_new_row && qd_row_present(&was, false);

    if (is_whole && is_cut(index, record, id)) {
        if (!split(index, slot, &now)) {
            qd_proxies_lose(index, slot);
        }
        return;
    }
    qd_row both = qd_row_union(&bounds, &was);
    uint32_t cell_key, cell = index->ops->locate(index, &both, &cell_key);
    if (is_whole && !index->config->swept && index->ops->is_far != NULL && !QD_WITHOUT(SPLIT_BODIES) &&
        !qd_boxes_overlap(&was, &bounds) && index->ops->is_far(index, &both, &bounds, cell_key) &&
        split(index, slot, &now)) {
        return;
    }
    place(index, slot, &now, &before, (spot){cell, cell_key});
}

void qd_proxies_lose(qd_index *index, uint32_t slot)
{
    const qd_row now = qd_bodies_row(index->bodies, slot);
    const qd_row bounds = qd_row_bounds(&now, index->bodies->record[slot].shape != QD_SPACE_BOX);
    spot to;

    index->bodies->lost = true;
    to.cell = index->ops->locate(index, &bounds, &to.cell_key);
    place(index, slot, &now, &now, to);
}

/* ---- many ---- */

#define APPLY_AHEAD 8u     /* movers */
#define FETCH_FROM  65536u /* bodies: with fewer, everything is near anyway */

/* A slot may come twice. */
static void apply_one(qd_index *index, const qd_mover *mover)
{
    const qd_record *record = &index->bodies->record[mover->slot];
    const qd_move_how how = qd_mover_how(mover);

    if (how == QD_MOVE_UPDATE) {
        qd_proxies_update(index, mover->slot);
    } else if (how == QD_MOVE_SPLIT && record->change == QD_NONE) {
        if (!split_to(index, mover->slot, qd_mover_cell(mover), mover->cell_key)) {
            qd_proxies_update(index, mover->slot);
        }
    } else if (record->cell_key != mover->cell_key) {
        transfer(index, mover->slot, qd_mover_cell(mover), mover->cell_key);
    }
}

static const qd_cell *cell_now(const qd_index *index, uint32_t slot)
{
    return &index->cell[index->rows->info[index->bodies->record[slot].row / QD_BLOCK_ROWS].cell];
}

/* Fetches what the movers' way to their new cells reads. */
static void fetch_movers(const qd_index *index, const qd_mover *movers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        qd_rows_fetch(index->rows, index->bodies->record[movers[i].slot].row);
        __builtin_prefetch(&index->cell[qd_mover_cell(&movers[i])], 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        __builtin_prefetch(cell_now(index, movers[i].slot), 1);
    }
}

static void fetch_lists(const qd_index *index, const qd_mover *mover)
{
    qd_rows_fetch_last(index->rows, &index->cell[qd_mover_cell(mover)]);
    if (qd_mover_how(mover) != QD_MOVE_SPLIT) {
        qd_rows_fetch_last(index->rows, cell_now(index, mover->slot));
    }
}

void qd_proxies_apply(qd_index *index, const qd_mover *movers, uint32_t count)
{
    const bool is_large = index->bodies->used > FETCH_FROM && !QD_WITHOUT(MOVE_PREFETCH);

    if (is_large) {
        fetch_movers(index, movers, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (is_large && i + APPLY_AHEAD < count) {
            fetch_lists(index, &movers[i + APPLY_AHEAD]);
        }
        apply_one(index, &movers[i]);
    }
}

void qd_proxies_move(qd_index *index, size_t count, const uint32_t *slots, const float *const *at)
{
    qd_movers movers;
    const float *from[QD_AXES];

    memcpy(from, at, sizeof from);
    while (count > 0) {
        movers.count = 0;
        const size_t done = index->ops->move(index, count, slots, from, &movers);
        qd_proxies_apply(index, movers.each, movers.count);
        slots += done;
        count -= done;
        for (uint32_t k = 0; k < QD_AXES; k++) {
            from[k] += done;
        }
    }
}

/* ---- what else changes ---- */

void qd_proxies_reflag(qd_index *index, uint32_t slot)
{
    qd_record *record = &index->bodies->record[slot];
    uint32_t id = id_of(index->bodies, slot);

    qd_rows_flag(index->rows, record->row, id);
    qd_rows_set_changed(index->rows, record->row);
    if (is_split(index->bodies, record)) {
        uint32_t old_row = index->bodies->change[record->change].old_row;

        qd_rows_flag(index->rows, old_row, qd_row_id(index->rows, old_row) | (id & (QD_ID_FILTER | QD_ID_REFILTERED)));
    }
}

bool qd_proxies_remove(qd_index *index, uint32_t slot)
{
    qd_rows *rows = index->rows;
    qd_record *record = &index->bodies->record[slot];

    if (is_split(index->bodies, record)) {
        qd_change *change = &index->bodies->change[record->change];

        take_out(index, record->row);
        record->row = change->old_row;
        change->old_row = QD_NONE;
        qd_rows_flag(rows, record->row, qd_row_id(rows, record->row) & ~QD_ID_OLD_ROW);
        return false;
    }
    const qd_row *was = qd_row_was(rows, record->row);
    if (!qd_row_present(was, (qd_row_id(rows, record->row) & QD_ID_ROUND) != 0)) {
        take_out(index, record->row);
        return true;
    }
    *qd_row_now(rows, record->row) = QD_ROW_ABSENT;
    qd_rows_set_changed(rows, record->row);
    return false;
}

void qd_proxies_forget(qd_index *index, uint32_t slot)
{
    take_out(index, index->bodies->record[slot].row);
}

void qd_proxies_fetch(const qd_index *index, uint32_t number)
{
    const qd_bodies *bodies = index->bodies;
    const qd_change *first = &bodies->change[number];

    if (number + 3 * FETCH_STEP >= bodies->change_count || QD_WITHOUT(SETTLE_PREFETCH)) {
        return;
    }
    __builtin_prefetch(&bodies->record[first[3 * FETCH_STEP].slot], 1);
    if (first[3 * FETCH_STEP].old_row != QD_NONE) {
        qd_rows_fetch(index->rows, first[3 * FETCH_STEP].old_row);
    }
    uint32_t row = bodies->record[first[2 * FETCH_STEP].slot].row;
    __builtin_prefetch(&index->rows->id[row], 1);
    __builtin_prefetch(&index->rows->info[row / QD_BLOCK_ROWS], 1);
    if (first[2 * FETCH_STEP].old_row != QD_NONE) {
        uint32_t block = first[2 * FETCH_STEP].old_row / QD_BLOCK_ROWS;

        __builtin_prefetch(&index->cell[index->rows->info[block].cell], 1);
    }
    if (first[FETCH_STEP].old_row != QD_NONE) {
        uint32_t block = first[FETCH_STEP].old_row / QD_BLOCK_ROWS;

        qd_rows_fetch_last(index->rows, &index->cell[index->rows->info[block].cell]);
    }
}

void qd_proxies_rejoin(qd_index *index, uint32_t slot)
{
    qd_change *change = &index->bodies->change[index->bodies->record[slot].change];

    if (change->old_row != QD_NONE) {
        uint32_t old_row = change->old_row;

        change->old_row = QD_NONE;
        take_out(index, old_row);
    }
    change->refiltered = 0;
    qd_rows_flag(index->rows, index->bodies->record[slot].row, id_of(index->bodies, slot));
}
