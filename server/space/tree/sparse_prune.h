/* SPDX-License-Identifier: Apache-2.0
 *
 * When empty cells of a sparse tree are taken away: those without rows and without cells below, and with them those
 * above that are left so. They do no harm but that walks come by and memory is taken; and they may soon be wanted
 * again. Cells that may be empty are suspects, on a list, and the ways to prune differ in how it fills and when it is
 * looked at:
 *
 *     CANDIDATES   cells that were emptied or made; after every tick
 *     WALK         empty cells that the walk came by; after every tick
 *     LAZY         cells that were emptied or made; when they are many beside those that hold something
 *     AUTO         cells that were emptied or made; when there are some, or when walks have come by them about as often
 *                  as it takes to make up for taking them away and making them again
 *
 * Used by the index (sparse.h).
 */
#ifndef QD_SPACE_TREE_SPARSE_PRUNE_H
#define QD_SPACE_TREE_SPARSE_PRUNE_H

#include "sparse.h"

/* A cell was made, and may remain without rows; a cell has lost its last row. */
void qd_sparse_prune_made(qd_sparse *sparse, uint32_t number);
void qd_sparse_prune_emptied(qd_sparse *sparse, uint32_t number);
/* The same of a walk's tasks: one is in an empty cell, which no other task comes to. */
void qd_sparse_prune_passed(qd_sparse *sparse, uint32_t number);
/* Before a walk. */
void qd_sparse_prune_traversal_begin(qd_sparse *sparse);
/* After a tick. */
void qd_sparse_prune(qd_sparse *sparse);

#endif
