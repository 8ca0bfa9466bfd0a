/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the linear tree's root lies, how deep the tree is, and where its leaves are. A plan is made from what the tree
 * holds when the last plan is out of date, counted in rows, never by the clock: the same bodies lead to the same tree.
 */
#ifndef QD_SPACE_TREE_LINEAR_LINEAR_PLAN_H
#define QD_SPACE_TREE_LINEAR_LINEAR_PLAN_H

#include "../../../base/memory/array.h"
#include "linear_cells.h"

/* The tree for the first body. False: no memory, with QD_ARRAY_TRY. */
bool qd_linear_plan_first(qd_linear *tree, qd_array_mode mode);
bool qd_linear_plan_is_due(const qd_linear *tree);
/* Whether a cell is a leaf that holds twice as many as it should, and could be divided. */
bool qd_linear_plan_is_crowded(const qd_linear *tree, uint32_t number);
/* Makes another plan and registers every row again, each cell's rows side by side, cells in the order of the traversal.
 * At any time but during a traversal. */
void qd_linear_replan(qd_linear *tree);
void qd_linear_plan_drop(qd_linear *tree);

#endif
