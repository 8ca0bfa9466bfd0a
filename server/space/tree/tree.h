/* SPDX-License-Identifier: Apache-2.0
 *
 * What the linear tree and the sparse tree have in common: the marks of a cell, and when a cell is divided.
 */
#ifndef QD_SPACE_TREE_TREE_H
#define QD_SPACE_TREE_TREE_H

#include "../core/index.h"

typedef enum qd_cell_flag {
    QD_CELL_LEAF = 1,      /* what belongs further down is here */
    QD_CELL_ACTIVE = 2,    /* it or a cell below holds a row that changed; only during a traversal */
    QD_CELL_OCCUPIED = 4,  /* linear: it or a cell below holds, or once held, a row */
    QD_CELL_CANDIDATE = 8, /* sparse: on the list of those that may have to go */
    QD_CELL_CROWDED = 16,  /* sparse: on the list of those that may have to be divided */
    QD_CELL_FREE = 32,     /* sparse: no cell; its key is the next free number */
} qd_cell_flag;

/* A leaf that holds no more rows than this is not divided. */
static inline uint32_t qd_leaf_rows_max(const qd_index *index)
{
    return index->tuning.leaf_rows * 11 / 5;
}

/* Whether a cell is divided, of whose rows so many would go further down. */
static inline bool qd_is_divided(const qd_index *index, uint32_t rows_below)
{
    return rows_below > qd_leaf_rows_max(index);
}

#endif
