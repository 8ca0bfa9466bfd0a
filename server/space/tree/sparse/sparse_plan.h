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
 * registered again, below a root that contains them (root.h).
 *
 * Used by the index (sparse_tree.h).
 */
#ifndef QD_SPACE_TREE_SPARSE_SPARSE_PLAN_H
#define QD_SPACE_TREE_SPARSE_SPARSE_PLAN_H

#include "sparse_tree.h"

/* A row is about to be put into a cell. */
void qd_sparse_entered(qd_sparse *sparse, uint32_t number);
/* Divides the leaves that have become too full. Any time but during a traversal. */
void qd_sparse_divide(qd_sparse *sparse);
/* Merges what has become too thin. Between ticks. */
void qd_sparse_merge(qd_sparse *sparse);
/* Looks for another root, where the last traversals cost too much. Between ticks. */
void qd_sparse_reroot(qd_sparse *sparse);

#endif
