/* SPDX-License-Identifier: Apache-2.0 */
#include "quadtree.h"

#include <string.h>

#include "../base/assert.h"
#include "array.h"
#include "quadtree_frame.h"
#include "quadtree_plan.h"

void qd_quadtree_init(qd_quadtree *tree, const qd_space_config *config, qd_heap *heap, qd_rows *rows, qd_bodies *bodies)
{
    memset(tree, 0, sizeof *tree);
    tree->heap = heap;
    tree->rows = rows;
    tree->bodies = bodies;
    tree->tuning = QD_TUNING_DEFAULT;
    tree->bounds = (qd_extent){config->min_x, config->min_y, config->max_x, config->max_y};
    tree->depth_fixed = config->depth;
    qd_root_reset(tree);
}

void qd_quadtree_deinit(qd_quadtree *tree)
{
    qd_plan_drop(tree);
    qd_array_free(tree->heap, tree->stretched, tree->stretched_capacity * sizeof *tree->stretched);
}

qd_status qd_quadtree_reserve(qd_quadtree *tree)
{
    if (tree->cells == 0 && !qd_plan_first(tree)) {
        return QD_ERR_NO_MEMORY;
    }
    return qd_rows_reserve(tree->rows);
}

/* The natural cell of a box, or the leaf above it. */
uint32_t qd_quadtree_cell_of(const qd_quadtree *tree, const qd_row *box, uint32_t *place)
{
    qd_float4 edges;
    memcpy(&edges, box, sizeof edges);
    qd_int4 at = qd_frame_numbers(&tree->frame, edges) >> (int)(QD_FRAME_BITS - tree->depth);
    uint32_t x = (uint32_t)at[0], y = (uint32_t)at[1];
    uint32_t low = qd_morton(x, y), high = qd_morton((uint32_t)at[2], (uint32_t)at[3]);
    uint32_t height = qd_morton_height(low, high);
    uint32_t leaf_height = tree->leaf_map != NULL ? tree->leaf_map[low] : 0;
    uint32_t leaf = height <= leaf_height;
    height = leaf ? leaf_height : height;
    *place = height << 28 | leaf << 24 | (x >> height) << 12 | y >> height;
    return qd_level_first(tree->depth - height) + (low >> 2 * height);
}

/* Whether a body went so far that a row for both ends would be met by many that it has nothing to do with: apart, and
 * more than two of the finest cells in all. A small step is cheaper as one row, even where it crosses a line. */
static bool is_far(const qd_quadtree *tree, const qd_row *was, const qd_row *now, const qd_row *both)
{
    if (qd_boxes_overlap(was, now)) {
        return false;
    }
    qd_float4 edges;
    memcpy(&edges, both, sizeof edges);
    qd_int4 number = qd_frame_numbers(&tree->frame, edges);
    int32_t span = 2 << (QD_FRAME_BITS - tree->depth);
    return number[2] - number[0] > span || number[3] - number[1] > span;
}

/* A cell is marked as occupied with all above it, up to the first that is. */
void qd_quadtree_occupy(qd_quadtree *tree, uint32_t number)
{
    while (!(tree->flags[number] & QD_CELL_OCCUPIED)) {
        tree->flags[number] |= QD_CELL_OCCUPIED;
        if (number == 0) {
            break;
        }
        number = (number - 1) / 4;
    }
}

static uint32_t insert(qd_quadtree *tree, uint32_t number, uint32_t id, const qd_row *now, const qd_row *was)
{
    qd_quadtree_occupy(tree, number);
    tree->crowding += qd_plan_is_crowded(tree, number);
    return qd_rows_insert(tree->rows, &tree->cell[number], number, id, now, was);
}

static void take_out(qd_quadtree *tree, uint32_t reference)
{
    uint32_t number = tree->rows->info[reference / QD_BLOCK_ROWS].cell;
    uint32_t moved = qd_rows_remove(tree->rows, &tree->cell[number], reference);
    if (moved == QD_NONE) {
        return;
    }
    qd_record *record = &tree->bodies->record[moved & QD_ID_SLOT];
    if (moved & QD_ID_GHOST) {
        tree->bodies->change[record->change].ghost = reference;
    } else {
        record->row = reference;
    }
}

static bool is_split(const qd_quadtree *tree, const qd_record *record)
{
    return record->change != QD_NONE && tree->bodies->change[record->change].ghost != QD_NONE;
}

static uint32_t id_of(const qd_quadtree *tree, uint32_t slot)
{
    const qd_record *record = &tree->bodies->record[slot];
    qd_filter filter = tree->bodies->filter[slot];
    uint32_t id = slot;
    if (record->circle) {
        id |= QD_ID_CIRCLE;
    }
    if (filter.category != 1 || filter.mask != UINT32_MAX) {
        id |= QD_ID_FILTER;
    }
    if (record->change != QD_NONE && tree->bodies->change[record->change].refiltered) {
        id |= QD_ID_FILTER | QD_ID_CHANGED;
    }
    if (is_split(tree, record)) {
        id |= QD_ID_NEWCOMER;
    }
    return id;
}

void qd_quadtree_add(qd_quadtree *tree, uint32_t slot)
{
    qd_record *record = &tree->bodies->record[slot];
    qd_row now = qd_record_row(record), bounds = qd_row_bounds(&now, record->circle), absent = QD_ROW_ABSENT;
    uint32_t number = qd_quadtree_cell_of(tree, &bounds, &record->place);
    record->row = insert(tree, number, id_of(tree, slot), &now, &absent);
}

/* The row becomes a ghost, and a newcomer is inserted where the body is now. */
static void split(qd_quadtree *tree, uint32_t slot, const qd_row *now, const qd_row *bounds)
{
    qd_rows *rows = tree->rows;
    qd_record *record = &tree->bodies->record[slot];
    qd_change *change = qd_bodies_change(tree->bodies, slot);
    uint32_t ghost = record->row, id = qd_row_id(rows, ghost);
    change->ghost = ghost;
    change->was = *qd_row_was(rows, ghost);
    change->was_circle = (id & QD_ID_CIRCLE) != 0;
    *qd_row_now(rows, ghost) = QD_ROW_ABSENT;
    qd_rows_flag(rows, ghost, id | QD_ID_GHOST);
    qd_rows_mark(rows, ghost);
    qd_row absent = QD_ROW_ABSENT;
    uint32_t number = qd_quadtree_cell_of(tree, bounds, &record->place);
    record->row = insert(tree, number, id_of(tree, slot), now, &absent);
}

/* Notes a body for a second look, once. */
static void note_stretched(qd_quadtree *tree, uint32_t slot)
{
    if (tree->bodies->record[slot].stretched) {
        return;
    }
    tree->bodies->record[slot].stretched = 1;
    if (tree->stretched_count == tree->stretched_capacity) {
        uint32_t capacity = qd_array_capacity(tree->stretched_capacity, tree->stretched_count + 1, 4);
        tree->stretched = qd_array_grow(
            tree->heap, QD_ARRAY_NEED, tree->stretched, tree->stretched_capacity * sizeof *tree->stretched,
            tree->stretched_count * sizeof *tree->stretched, capacity * sizeof *tree->stretched);
        tree->stretched_capacity = capacity;
    }
    tree->stretched[tree->stretched_count++] = slot;
}

void qd_quadtree_update(qd_quadtree *tree, uint32_t slot)
{
    qd_rows *rows = tree->rows;
    qd_record *record = &tree->bodies->record[slot];
    uint32_t at = record->row, id = qd_row_id(rows, at);
    bool was_circle = (id & QD_ID_CIRCLE) != 0;
    qd_row now = qd_record_row(record), bounds = qd_row_bounds(&now, record->circle);
    qd_row was = qd_row_bounds(qd_row_was(rows, at), was_circle);
    bool present = qd_row_present(&was, false);
    if (present && was_circle != (record->circle != 0)) {
        split(tree, slot, &now, &bounds);
        return;
    }
    qd_row both = qd_row_union(&bounds, &was);
    uint32_t place, number = qd_quadtree_cell_of(tree, &both, &place);
    bool far = present && is_far(tree, &was, &bounds, &both);
    if (place == record->place && (!far || qd_place_is_leaf(place))) {
        *qd_row_now(rows, at) = now;
        qd_rows_mark(rows, at);
        if (was_circle != (record->circle != 0)) {
            qd_rows_flag(rows, at, id_of(tree, slot));
        }
        return;
    }
    if (far) {
        split(tree, slot, &now, &bounds);
        return;
    }
    qd_row before = *qd_row_was(rows, at);
    take_out(tree, at);
    record->place = place;
    /* The row's other flags are true already; id_of would look further for them. */
    id = (id & ~QD_ID_CIRCLE) | (record->circle ? QD_ID_CIRCLE : 0);
    record->row = insert(tree, number, id, &now, &before);
    uint32_t place_now;
    if (!qd_place_is_leaf(place) && qd_quadtree_cell_of(tree, &bounds, &place_now) != number) {
        note_stretched(tree, slot);
    }
}

void qd_quadtree_reflag(qd_quadtree *tree, uint32_t slot)
{
    qd_record *record = &tree->bodies->record[slot];
    uint32_t id = id_of(tree, slot);
    qd_rows_flag(tree->rows, record->row, id);
    qd_rows_mark(tree->rows, record->row);
    if (is_split(tree, record)) {
        uint32_t ghost = tree->bodies->change[record->change].ghost;
        qd_rows_flag(tree->rows, ghost, qd_row_id(tree->rows, ghost) | (id & (QD_ID_FILTER | QD_ID_CHANGED)));
    }
}

bool qd_quadtree_remove(qd_quadtree *tree, uint32_t slot)
{
    qd_rows *rows = tree->rows;
    qd_record *record = &tree->bodies->record[slot];
    if (is_split(tree, record)) {
        qd_change *change = &tree->bodies->change[record->change];
        take_out(tree, record->row);
        record->row = change->ghost;
        change->ghost = QD_NONE;
        qd_rows_flag(rows, record->row, qd_row_id(rows, record->row) & ~QD_ID_GHOST);
        return false;
    }
    const qd_row *was = qd_row_was(rows, record->row);
    if (!qd_row_present(was, (qd_row_id(rows, record->row) & QD_ID_CIRCLE) != 0)) {
        take_out(tree, record->row);
        return true;
    }
    *qd_row_now(rows, record->row) = QD_ROW_ABSENT;
    qd_rows_mark(rows, record->row);
    return false;
}

void qd_quadtree_forget(qd_quadtree *tree, uint32_t slot)
{
    take_out(tree, tree->bodies->record[slot].row);
}

void qd_quadtree_heal(qd_quadtree *tree, uint32_t slot)
{
    qd_change *change = &tree->bodies->change[tree->bodies->record[slot].change];
    if (change->ghost != QD_NONE) {
        uint32_t ghost = change->ghost;
        change->ghost = QD_NONE;
        take_out(tree, ghost);
    }
    change->refiltered = 0;
    qd_rows_flag(tree->rows, tree->bodies->record[slot].row, id_of(tree, slot));
}

/* Those that moved at this tick are registered by where they are, and stay noted unless it is in a leaf. */
static void look_again(qd_quadtree *tree)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < tree->stretched_count; i++) {
        uint32_t slot = tree->stretched[i];
        qd_record *record = &tree->bodies->record[slot];
        bool live = record->state == QD_RECORD_LIVE;
        if (live && !qd_place_is_leaf(record->place) && qd_rows_is_marked(tree->rows, record->row)) {
            tree->stretched[kept++] = slot;
            continue;
        }
        if (live && !qd_rows_is_marked(tree->rows, record->row)) {
            qd_quadtree_update(tree, slot);
        }
        record->stretched = 0;
    }
    tree->stretched_count = kept;
}

void qd_quadtree_prepare(qd_quadtree *tree)
{
    if (tree->stretched_count > 0) {
        look_again(tree);
    }
    qd_quadtree_settle(tree);
}

void qd_quadtree_settle(qd_quadtree *tree)
{
    if (qd_plan_is_due(tree)) {
        qd_plan_again(tree);
    }
}
