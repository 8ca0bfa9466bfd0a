/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving many bodies of a linear tree, a register of them at a time where the processor can.
 */
#ifndef QD_SPACE_TREE_LINEAR_LINEAR_MOVE_H
#define QD_SPACE_TREE_LINEAR_LINEAR_MOVE_H

#include "linear_cells.h"

/* qd_index_ops.move */
size_t qd_linear_move(qd_index *index, size_t count, const uint32_t *slots, const float *const *at, qd_movers *movers);

#endif
