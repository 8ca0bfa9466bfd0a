/* SPDX-License-Identifier: Apache-2.0 */
#include "../base/assert.h"
#include "quadtree_plan.h"

/* A row is where its body says, in a cell that contains it, and its block's bits are true. */
static void check_row(const qd_quadtree *tree, uint32_t number, uint32_t reference)
{
    const qd_rows *rows = tree->rows;
    const qd_block_info *info = &rows->info[reference / QD_BLOCK_ROWS];
    uint32_t lane = reference % QD_BLOCK_ROWS, id = qd_row_id(rows, reference), slot = id & QD_ID_SLOT;
    QD_ASSERT(slot < tree->bodies->used);
    const qd_record *record = &tree->bodies->record[slot];
    QD_ASSERT(record->state != QD_RECORD_FREE);
    bool circle = (id & QD_ID_CIRCLE) != 0;
    if (id & QD_ID_GHOST) {
        QD_ASSERT(record->change != QD_NONE && tree->bodies->change[record->change].ghost == reference);
        QD_ASSERT(!qd_row_present(qd_row_now(rows, reference), circle));
    } else {
        QD_ASSERT(record->row == reference);
        bool is_split = record->change != QD_NONE && tree->bodies->change[record->change].ghost != QD_NONE;
        QD_ASSERT(((id & QD_ID_NEWCOMER) != 0) == is_split);
        if (record->state == QD_RECORD_LIVE) {
            qd_row now = qd_record_row(record);
            for (int k = 0; k < 4; k++) {
                QD_ASSERT(qd_row_now(rows, reference)->v[k] == now.v[k]);
            }
            uint32_t place = record->place;
            QD_ASSERT(qd_level_first(tree->depth - (place >> 28)) + qd_morton(place >> 12 & 0xfff, place & 0xfff) ==
                      number);
        }
    }
    QD_ASSERT((info->special >> lane & 1) == ((id & QD_ID_SPECIAL) != 0));
    QD_ASSERT((info->circle >> lane & 1) == circle);
    QD_ASSERT((info->changed >> lane & 1) == ((id & QD_ID_CHANGED) != 0));
    const qd_row *sides[2] = {qd_row_now(rows, reference), qd_row_was(rows, reference)};
    for (int i = 0; i < 2; i++) {
        qd_row bounds = qd_row_bounds(sides[i], circle);
        if (qd_row_present(&bounds, false)) {
            uint32_t place, inner = qd_quadtree_cell_of(tree, &bounds, &place);
            while (inner > number) {
                inner = (inner - 1) / 4;
            }
            QD_ASSERT(inner == number);
        }
    }
    bool same = true;
    for (int k = 0; k < 4; k++) {
        same &= sides[0]->v[k] == sides[1]->v[k];
    }
    QD_ASSERT(same || (info->dirty >> lane & 1));
}

static uint32_t check_cell(const qd_quadtree *tree, uint32_t number)
{
    const qd_rows *rows = tree->rows;
    const qd_cell *cell = &tree->cell[number];
    QD_ASSERT(!(tree->flags[number] & QD_CELL_STAMPED));
    QD_ASSERT((cell->head == QD_NONE) == (cell->count == 0));
    QD_ASSERT(cell->count == 0 || (tree->flags[number] & QD_CELL_OCCUPIED));
    QD_ASSERT(number == 0 || !(tree->flags[number] & QD_CELL_OCCUPIED) ||
              (tree->flags[(number - 1) / 4] & QD_CELL_OCCUPIED));
    uint32_t left = cell->count;
    for (uint32_t block = cell->head; block != QD_NONE; block = rows->info[block].next) {
        const qd_block_info *info = &rows->info[block];
        uint32_t lanes = (left - 1) % QD_BLOCK_ROWS + 1;
        QD_ASSERT(left > 0 && block < rows->used && info->cell == number);
        QD_ASSERT(info->dirty == 0 || info->listed);
        QD_ASSERT(((info->dirty | info->special | info->circle | info->changed) >> lanes) == 0);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            check_row(tree, number, block * QD_BLOCK_ROWS + lane);
        }
        left -= lanes;
    }
    QD_ASSERT(left == 0);
    return (cell->count + QD_BLOCK_ROWS - 1) / QD_BLOCK_ROWS;
}

void qd_quadtree_validate(const qd_quadtree *tree)
{
    const qd_rows *rows = tree->rows;
    uint32_t blocks = 0, count = 0, listed = 0;
    for (uint32_t number = 0; number < tree->cells; number++) {
        blocks += check_cell(tree, number);
        count += tree->cell[number].count;
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
    QD_ASSERT(listed == rows->dirty_count);
    if (tree->leaf_map != NULL) {
        for (uint32_t k = 0; k < 1u << 2 * tree->depth; k++) {
            uint32_t height = tree->leaf_map[k];
            QD_ASSERT(height <= tree->depth);
            QD_ASSERT(tree->flags[qd_level_first(tree->depth - height) + (k >> 2 * height)] & QD_CELL_LEAF);
        }
    }
}
