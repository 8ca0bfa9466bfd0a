/* SPDX-License-Identifier: Apache-2.0 */
#include "index.h"

#include <string.h>

#include "../../base/ablation.h"
#include "../../base/assert.h"

#define RETRY_TICKS_MAX 255u

qd_index *qd_index_create(const qd_index_ops *ops, const qd_index *as)
{
    qd_index *index = qd_heap_alloc_zeroed(as->heap, ops->bytes);

    if (index == NULL) {
        return NULL;
    }
    *index = *as;
    index->ops = ops;
    index->cell = NULL;
    index->cells = 0;
    index->retry = (qd_retry){0};
    if (!ops->begin(index)) {
        qd_heap_free(as->heap, index, ops->bytes);
        return NULL;
    }
    return index;
}

void qd_index_destroy(qd_index *index)
{
    if (index->ops->end != NULL) {
        index->ops->end(index);
    }
    qd_heap_free(index->heap, index, index->ops->bytes);
}

void qd_retry_note(qd_retry *retry, bool failed)
{
    retry->longest = failed ? 2 * retry->longest + 1 : 0;
    retry->longest = retry->longest < RETRY_TICKS_MAX ? retry->longest : RETRY_TICKS_MAX;
    retry->wait = retry->longest;
}

void qd_index_prepare(qd_index *index, const qd_executor *executor)
{
    if (index->ops->prepare != NULL) {
        index->ops->prepare(index, executor);
    }
}

void qd_index_settle(qd_index *index, const qd_executor *executor)
{
    index->retry.wait -= index->retry.wait > 0;
    if (index->ops->settle != NULL) {
        index->ops->settle(index, executor);
    }
}

qd_extent qd_index_bounds(const qd_index *index)
{
    const qd_space_config *config = index->config;
    const double lo[3] = {config->min_x, config->min_y, config->min_z};
    const double hi[3] = {config->max_x, config->max_y, config->max_z};
    qd_extent bounds;

    memcpy(bounds.lo, lo, sizeof bounds.lo);
    memcpy(bounds.hi, hi, sizeof bounds.hi);
    return bounds;
}

/* ---- validation ---- */

static bool is_same(const qd_row *a, const qd_row *b)
{
    bool same = true;

    for (uint32_t k = 0; k < QD_ROW_FLOATS; k++) {
        same &= a->v[k] == b->v[k];
    }
    return same;
}

/* A row is where its body says, and tells what its body does. */
static void check_body(const qd_index *index, uint32_t reference)
{
    const qd_rows *rows = index->rows;
    const qd_bodies *bodies = index->bodies;
    uint32_t id = qd_row_id(rows, reference), slot = id & QD_ID_SLOT;

    QD_ASSERT(slot < bodies->used);
    const qd_record *record = &bodies->record[slot];
    QD_ASSERT(record->state != QD_RECORD_FREE);
    bool is_round = (id & QD_ID_ROUND) != 0;
    uint32_t old_row = record->change == QD_NONE ? QD_NONE : bodies->change[record->change].old_row;
    QD_ASSERT(!(id & QD_ID_CAPSULE) || is_round);
    if (id & QD_ID_OLD_ROW) {
        QD_ASSERT(old_row == reference);
        QD_ASSERT(!qd_row_present(qd_row_now(rows, reference), is_round));
        return;
    }
    QD_ASSERT(record->row == reference);
    QD_ASSERT(((id & QD_ID_NEW_ROW) != 0) == (old_row != QD_NONE));
    if (!(id & QD_ID_REFILTERED)) {
        const uint32_t of_filter = QD_ID_FILTER | QD_FILTER_CLASSES_MAX << QD_ID_CLASS;

        QD_ASSERT((id & of_filter) == qd_id_of_filter(bodies, bodies->filter[slot]));
    }
    if (record->state == QD_RECORD_LIVE) {
        qd_row now = qd_bodies_row(bodies, slot);

        QD_ASSERT(is_same(qd_row_now(rows, reference), &now));
        QD_ASSERT(is_round == (record->shape != QD_SPACE_BOX));
        QD_ASSERT(((id & QD_ID_CAPSULE) != 0) == (record->shape == QD_SPACE_CAPSULE));
    } else {
        QD_ASSERT(!qd_row_present(qd_row_now(rows, reference), is_round));
    }
}

/* A row is in a cell where it may be, and its block's bits are true. */
static void check_row(const qd_index *index, uint32_t cell, uint32_t reference)
{
    const qd_rows *rows = index->rows;
    const qd_block_info *info = &rows->info[reference / QD_BLOCK_ROWS];
    uint32_t lane = reference % QD_BLOCK_ROWS, id = qd_row_id(rows, reference);

    check_body(index, reference);
    QD_ASSERT((info->special >> lane & 1) == ((id & QD_ID_SPECIAL) != 0));
    QD_ASSERT((info->round >> lane & 1) == ((id & QD_ID_ROUND) != 0));
    QD_ASSERT((info->unproven >> lane & 1) == ((id & QD_ID_UNPROVEN) != 0));
    QD_ASSERT(qd_rows_is_changed(rows, reference) || is_same(qd_row_now(rows, reference), qd_row_was(rows, reference)));
    qd_row box = qd_row_box(rows, reference);
    QD_ASSERT(qd_row_present(&box, false) && index->ops->holds(index, cell, &box));
}

static uint32_t check_cell(const qd_index *index, uint32_t number)
{
    const qd_rows *rows = index->rows;
    const qd_cell *cell = &index->cell[number];

    QD_ASSERT((cell->head == QD_NONE) == (cell->count == 0));
    uint32_t left = cell->count;
    for (uint32_t block = cell->head; block != QD_NONE; block = rows->info[block].next) {
        const qd_block_info *info = &rows->info[block];
        uint32_t lanes = (left - 1) % QD_BLOCK_ROWS + 1;

        QD_ASSERT(left > 0 && block < rows->used && info->cell == number);
        QD_ASSERT(info->changed == 0 || info->listed);
        QD_ASSERT(((info->special | info->round | info->unproven) >> lanes) == 0);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            check_row(index, number, block * QD_BLOCK_ROWS + lane);
        }
        left -= lanes;
    }
    QD_ASSERT(left == 0);
    return (cell->count + QD_BLOCK_ROWS - 1) / QD_BLOCK_ROWS;
}

void qd_index_validate(const qd_index *index)
{
    const qd_rows *rows = index->rows;
    uint32_t blocks = 0, count = 0, listed = 0;

    for (uint32_t cell = 0; cell < index->cells; cell++) {
        blocks += check_cell(index, cell);
        count += index->cell[cell].count;
    }
    QD_ASSERT(count == rows->count);
    for (uint32_t block = rows->free_first; block != QD_NONE; block = rows->info[block].next) {
        blocks++;
        QD_ASSERT(blocks <= rows->used);
    }
    QD_ASSERT(blocks == rows->used);
    for (uint32_t block = 0; block < rows->used; block++) {
        listed += rows->info[block].listed;
    }
    QD_ASSERT(listed == rows->changed_count);
    index->ops->validate(index);
}
