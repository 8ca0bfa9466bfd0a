/* SPDX-License-Identifier: Apache-2.0
 *
 * How a sparse tree fits its content. Counted in rows and tests, never by the clock: the same changes lead to the same
 * tree. With depth 0, cell by cell:
 *
 *     divided    a leaf that holds too many rows that would fit below; at once as many levels as fill the new leaves,
 *                if the rows are spread evenly
 *     merged     a cell above leaves that hold few together is a leaf again. Cells are looked at in turns, one for some
 *                rows put into or taken out of lists, so that rest costs nothing and change little
 *
 * And whatever the depth, the whole is UPROOTED when walks cost too much because of what is beyond the root: all rows
 * are registered again, below a root that contains them (root.h).
 *
 * Used by the index (sparse.h).
 */
#ifndef QD_SPACE_TREE_SPARSE_PLAN_H
#define QD_SPACE_TREE_SPARSE_PLAN_H

#include "sparse.h"

/* A row is about to be put into a cell. */
void qd_sparse_entered(qd_sparse *sparse, uint32_t number);
/* Divides the leaves that have become too full. Any time but during a walk. */
void qd_sparse_divide(qd_sparse *sparse);
/* Merges what has become too thin. Between ticks. */
void qd_sparse_merge(qd_sparse *sparse);
/* Looks for another root, where the last walks cost too much. Between ticks. */
void qd_sparse_reroot(qd_sparse *sparse);

#endif
