/* SPDX-License-Identifier: Apache-2.0 */
#include "rebuild.h"

#include <string.h>

bool qd_scan_next(qd_scan *scan, uint32_t *first, uint32_t *count)
{
    while (scan->block == QD_NONE) {
        if (scan->at == scan->cells) {
            return false;
        }
        scan->block = scan->cell[scan->at++].head;
    }
    /* All blocks of a cell are full but its head. */
    const qd_cell *cell = &scan->cell[scan->at - 1];
    *first = scan->block * QD_BLOCK_ROWS;
    *count = scan->block == cell->head ? (cell->count - 1) % QD_BLOCK_ROWS + 1 : QD_BLOCK_ROWS;
    scan->block = scan->rows->info[scan->block].next;
    return true;
}

qd_row qd_row_box(const qd_rows *rows, uint32_t reference)
{
    bool is_round = (qd_row_id(rows, reference) & QD_ID_ROUND) != 0;
    qd_row now = qd_row_bounds(qd_row_now(rows, reference), is_round);
    qd_row was = qd_row_bounds(qd_row_was(rows, reference), is_round);

    return qd_row_union(&now, &was);
}

void qd_row_relocated(qd_bodies *bodies, uint32_t id, uint32_t reference)
{
    qd_record *record = &bodies->record[id & QD_ID_SLOT];

    if (id & QD_ID_OLD_ROW) {
        bodies->change[record->change].old_row = reference;
    } else {
        record->row = reference;
    }
}

uint32_t qd_rebuild_row(qd_rows *rows, qd_cell *cell, uint32_t number, qd_bodies *bodies, const qd_rows *old,
                        uint32_t from)
{
    uint32_t lane = cell->count % QD_BLOCK_ROWS, id = qd_row_id(old, from);

    if (cell->count > 0 && lane == 0) {
        cell->head++;
    }
    uint32_t block = cell->head, to = block * QD_BLOCK_ROWS + lane;
    if (lane == 0) {
        rows->info[block] = (qd_block_info){.next = cell->count > 0 ? block - 1 : QD_NONE, .cell = number};
        qd_rows_clear(rows, block);
    }
    cell->count++;
    *qd_row_now(rows, to) = *qd_row_now(old, from);
    *qd_row_was(rows, to) = *qd_row_was(old, from);
    qd_rows_flag(rows, to, id);
    if (qd_rows_is_changed(old, from)) {
        qd_rows_set_changed(rows, to);
    }
    qd_row_relocated(bodies, id, to);
    return to;
}
