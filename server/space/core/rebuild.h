/* SPDX-License-Identifier: Apache-2.0
 *
 * Going through all rows, and laying them down anew: what a plan does, and the change from one index to another.
 *
 * Used between walks, by the world's one thread.
 */
#ifndef QD_SPACE_CORE_REBUILD_H
#define QD_SPACE_CORE_REBUILD_H

#include "rows.h"

/* Goes through the rows of cells, cell by cell. */
typedef struct qd_scan {
    const qd_rows *rows;
    const qd_cell *cell;
    uint32_t cells, at, block;
} qd_scan;

static inline qd_scan qd_scan_start(const qd_rows *rows, const qd_cell *cell, uint32_t cells)
{
    return (qd_scan){rows, cell, cells, 0, QD_NONE};
}

/* The next block's rows: the reference of the first, and how many. False: there are no more. */
bool qd_scan_next(qd_scan *scan, uint32_t *first, uint32_t *count);

/* The box of a row: the union of its was and now. */
qd_row qd_row_box(const qd_rows *rows, uint32_t reference);

/* Tells a body where one of its rows is, whose id is given. */
void qd_row_relocated(qd_bodies *bodies, uint32_t id, uint32_t reference);

/* Copies a row of another pool behind those of a cell, with its dirty bit. The cell's blocks are given out already and
 * lie side by side; its head is the first of them before the first row. Returns the row's reference, which its body
 * knows then. */
uint32_t qd_rebuild_row(qd_rows *rows, qd_cell *cell, uint32_t number, qd_bodies *bodies, const qd_rows *old,
                        uint32_t from);

#endif
