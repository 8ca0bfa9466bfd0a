/* SPDX-License-Identifier: Apache-2.0
 *
 * How a sparse tree fits its content. Counted in rows and tests, never by the clock: the same changes lead to the same
 * tree. With depth 0, cell by cell:
 *
 *     divided    a leaf that holds too many rows that would fit below; at once as many levels as fill the new leaves,
 *                if the rows are spread evenly
 *     merged     a cell above leaves that hold few together is a leaf again. After some rows were put into or taken out
 *                of lists, one more cell is looked at, so that rest costs nothing and change little
 *
 * With any depth, the tree is RE-ROOTED when traversals cost too much because of what is beyond the root: all rows are
 * registered again, below a root that contains them (root.h). The same is done to give back the memory of many cells
 * that are gone.
 */
#include "sparse.h"

#include <string.h>

#include "../../../base/ablation.h"
#include "../../../base/assert.h"
#include "../../plan/rebuild.h"
#include "../root.h"

#define OPERATIONS_A_LOOK 8u
#define CELLS_KEPT        8u /* times as many as there are have memory, at most */

/* A leaf that cannot be divided, because what crowds it is larger than the cells below, is looked at again when there
 * are some more. */
void qd_sparse_entered(qd_sparse *sparse, uint32_t number)
{
    uint32_t count = sparse->index.cell[number].count, most = qd_leaf_rows_max(&sparse->index);

    if (QD_UNLIKELY(count >= most && count % (most / 4 + 1) == 0 && sparse->index.config->depth == 0 &&
                    qd_sparse_is_leaf(sparse, number))) {
        (void)qd_sparse_note(sparse, &sparse->crowded, number, QD_CELL_CROWDED);
    }
}

/* Where there is no block for it, the row stays: a larger cell is as right as a smaller one. */
static void move_row(qd_sparse *sparse, uint32_t from, uint32_t reference, uint32_t to)
{
    qd_index *index = &sparse->index;
    const uint32_t id = qd_row_id(index->rows, reference);
    uint32_t moved;

    if (!qd_rows_can_transfer(index->rows, &index->cell[from], &index->cell[to])) {
        return;
    }
    qd_sparse_entered(sparse, to);
    qd_row_relocated(index->bodies, id,
                     qd_rows_transfer(index->rows, &index->cell[from], &index->cell[to], to, reference, &moved));
    if (!(id & QD_ID_OLD_ROW)) {
        index->bodies->record[id & QD_ID_SLOT].cell_key = to;
    }
    if (moved != QD_NONE) {
        qd_row_relocated(index->bodies, moved, reference);
    }
}

/* ---- dividing ---- */

/* How many of a cell's rows would go further down. */
static uint32_t rows_below(const qd_sparse *sparse, uint32_t number)
{
    const qd_rows *rows = sparse->index.rows;
    qd_scan scan = qd_scan_start(rows, &sparse->index.cell[number], 1);
    uint32_t level = qd_key_level(sparse->cells.key[number]), below = 0, first, count;

    while (qd_scan_next(&scan, &first, &count)) {
        for (uint32_t i = 0; i < count; i++) {
            qd_row box = qd_row_box(rows, first + i);
            qd_numbers numbers = qd_key_numbers(&sparse->quantizer, &box);

            below += qd_key_level_of(&numbers) > level;
        }
    }
    return below;
}

/* From the last row to the first: a row that takes the place of one that went has been looked at. */
static void spread(qd_sparse *sparse, uint32_t number)
{
    const qd_rows *rows = sparse->index.rows;
    uint32_t block = sparse->index.cell[number].head;
    uint32_t lanes = (sparse->index.cell[number].count - 1) % QD_BLOCK_ROWS + 1;

    while (block != QD_NONE) {
        uint32_t next = rows->info[block].next;

        while (lanes-- > 0) {
            qd_row box = qd_row_box(rows, block * QD_BLOCK_ROWS + lanes);
            uint32_t to = qd_sparse_locate(sparse, &box);

            if (to != number) {
                move_row(sparse, number, block * QD_BLOCK_ROWS + lanes, to);
            }
        }
        block = next;
        lanes = QD_BLOCK_ROWS;
    }
}

/* How many levels below make leaves of some rows, if they are spread evenly. */
static uint32_t levels_for(const qd_sparse *sparse, uint32_t rows)
{
    uint32_t levels = 0;

    for (uint32_t left = rows; left > qd_leaf_rows_max(&sparse->index); left >>= QD_AXES) {
        levels++;
    }
    return levels;
}

static void divide(qd_sparse *sparse, uint32_t number)
{
    uint32_t below = rows_below(sparse, number);

    if (qd_is_divided(&sparse->index, below)) {
        qd_sparse_set_leaf(sparse, number, false);
        sparse->leaf_from = qd_key_level(sparse->cells.key[number]) + levels_for(sparse, below);
        spread(sparse, number);
        sparse->leaf_from = 0;
    }
}

/* Those below that turn out to be too full follow on the list. */
void qd_sparse_divide(qd_sparse *sparse)
{
    for (uint32_t i = 0; i < sparse->crowded.count; i++) {
        uint32_t number = sparse->crowded.number[i];

        sparse->cells.flags[number] &= (uint8_t)~QD_CELL_CROWDED;
        if (qd_sparse_is_leaf(sparse, number)) {
            divide(sparse, number);
        }
    }
    sparse->crowded.count = 0;
}

/* ---- merging ---- */

/* Whether a cell and those below it, all of them leaves, hold no more than one leaf should, and there is room for that. */
static bool is_thin(const qd_sparse *sparse, uint32_t number)
{
    const qd_sparse_cells *cells = &sparse->cells;

    if (cells->flags[number] & (QD_CELL_LEAF | QD_CELL_FREE)) {
        return false;
    }
    uint32_t count = cells->cell[number].count;
    for (uint32_t child = cells->link[number].first; child != QD_NONE; child = cells->link[child].next) {
        if (!qd_sparse_is_leaf(sparse, child)) {
            return false;
        }
        count += cells->cell[child].count;
    }
    return count <= sparse->index.tuning.leaf_rows && qd_rows_reserve(sparse->index.rows, count / QD_BLOCK_ROWS + 1);
}

static void merge(qd_sparse *sparse, uint32_t number)
{
    qd_sparse_cells *cells = &sparse->cells;

    qd_sparse_set_leaf(sparse, number, true);
    while (cells->link[number].first != QD_NONE) {
        uint32_t child = cells->link[number].first;

        while (cells->cell[child].count > 0) {
            const qd_cell *cell = &cells->cell[child];

            move_row(sparse, child, cell->head * QD_BLOCK_ROWS + (cell->count - 1) % QD_BLOCK_ROWS, number);
        }
        qd_sparse_cells_drop(cells, child);
    }
    if (cells->cell[number].count == 0) {
        qd_sparse_prune_emptied(sparse, number);
    }
}

void qd_sparse_merge(qd_sparse *sparse)
{
    uint64_t news = sparse->index.rows->operations - sparse->merged_for, looks = news / OPERATIONS_A_LOOK;

    if (sparse->index.config->depth != 0 || looks == 0 || QD_WITHOUT(SPARSE_MERGE)) {
        return;
    }
    sparse->merged_for += looks * OPERATIONS_A_LOOK;
    looks = looks < sparse->cells.used ? looks : sparse->cells.used;
    for (; looks > 0; looks--) {
        sparse->merge_at = sparse->merge_at + 1 < sparse->cells.used ? sparse->merge_at + 1 : 0;
        if (is_thin(sparse, sparse->merge_at)) {
            merge(sparse, sparse->merge_at);
        }
    }
}

/* ---- the root ---- */

static void free_cells(qd_sparse *sparse)
{
    qd_sparse_cells_deinit(&sparse->cells);
    qd_sparse_list_free(sparse, &sparse->crowded);
    qd_sparse_list_free(sparse, &sparse->candidates);
}

/* Registers all rows again, below another root. False: there is no memory, and the tree is as it was. */
static bool rebuild(qd_sparse *sparse, const qd_quantizer *quantizer, const qd_executor *executor)
{
    qd_index *index = &sparse->index;
    qd_rows old_rows = *index->rows;
    qd_sparse old = *sparse;

    qd_sparse_cells_init(&sparse->cells, index->heap, old.cells.has_room, index->config->key);
    sparse->crowded = sparse->candidates = (qd_sparse_list){0};
    sparse->quantizer = *quantizer;
    sparse->level_usual = sparse->merge_at = 0;
    sparse->unlisted = false;
    sparse->unvisited = 0;
    bool done = qd_sparse_cells_reserve(&sparse->cells, 1);
    if (done) {
        qd_sparse_begin(sparse);
        sparse->leaf_from = index->config->depth > 0 ? index->config->depth : levels_for(sparse, old_rows.count);
        qd_sparse_set_leaf(sparse, QD_SPARSE_ROOT, sparse->leaf_from == 0);
        done = qd_rebuild_index(index, &old_rows, qd_scan_start(&old_rows, old.cells.cell, old.cells.used), executor);
        sparse->leaf_from = index->config->depth;
    }
    free_cells(done ? &old : sparse);
    if (done) {
        qd_sparse_divide(sparse);
    } else {
        *sparse = old;
    }
    return done;
}

/* Far more cells than there are, beyond those that rows may need at once. */
static bool is_too_long(const qd_sparse *sparse)
{
    return sparse->cells.capacity > CELLS_KEPT * (sparse->cells.count + 2 * sparse->depth_max);
}

void qd_sparse_reroot(qd_sparse *sparse, const qd_executor *executor)
{
    qd_index *index = &sparse->index;
    const qd_rows *rows = index->rows;
    const double price = qd_replan_price(rows->count);
    const bool is_due = qd_replan_debt_is_due(&sparse->debt, price);
    qd_quantizer quantizer = sparse->quantizer;

    if (QD_LIKELY(!is_due && !is_too_long(sparse)) || index->retry.wait > 0) {
        return;
    }
    if (is_due) {
        qd_scan all = qd_scan_start(rows, sparse->cells.cell, sparse->cells.used);
        uint32_t first, count;
        qd_shells shells;

        qd_shells_init(&shells, &sparse->bounds, all);
        while (qd_scan_next(&all, &first, &count)) {
            qd_shells_count(&shells, rows, first, count);
        }
        qd_root root = qd_root_choose(&shells, (qd_root_use){sparse->depth_max, index->tuning.leaf_rows});
        quantizer = qd_root_quantizer(&root, QD_KEY_BITS);
    }
    const bool is_same = memcmp(&sparse->quantizer, &quantizer, sizeof quantizer) == 0 && !is_too_long(sparse);
    const bool done = is_same || rebuild(sparse, &quantizer, executor);
    qd_retry_note(&index->retry, !done);
    if (done && is_due) {
        qd_replan_debt_pay(&sparse->debt, price);
    }
}
