/* SPDX-License-Identifier: Apache-2.0
 *
 * When empty cells of a sparse tree are taken away: those without rows and without cells below, and with them those
 * above that are left empty. They cost memory and visits of traversals, but may soon be needed again. Cells that may be
 * empty are candidates, on a list. The policies differ in what puts a cell on the list, and in when the list is pruned:
 *
 *     CANDIDATES   cells that were emptied or made; after every tick. AUTO is the same: it has been the fastest
 *     WALK         empty cells that the traversal visited; after every tick
 *     LAZY         cells that were emptied or made; when they are many compared with those that hold something
 *
 * Used by the index (sparse_tree.h).
 */
#ifndef QD_SPACE_TREE_SPARSE_SPARSE_PRUNE_H
#define QD_SPACE_TREE_SPARSE_SPARSE_PRUNE_H

#include "sparse_tree.h"

/* A cell was made, and may remain without rows; a cell has lost its last row. */
void qd_sparse_prune_made(qd_sparse *sparse, uint32_t number);
void qd_sparse_prune_emptied(qd_sparse *sparse, uint32_t number);
/* The same of a traversal's tasks: one visits an empty cell, which no other task visits. */
void qd_sparse_prune_passed(qd_sparse *sparse, uint32_t number);
/* Before a traversal. */
void qd_sparse_prune_traversal_begin(qd_sparse *sparse);
/* After a tick. */
void qd_sparse_prune(qd_sparse *sparse);

#endif
