/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QD_SPACE_TREE_LINEAR_LINEAR_TRAVERSAL_H
#define QD_SPACE_TREE_LINEAR_LINEAR_TRAVERSAL_H

#include "../../core/traversal.h"
#include "linear_cells.h"

/* qd_index_ops */
uint32_t qd_linear_traverse_begin(qd_index *index, qd_traversal_plan *plan);
void qd_linear_traverse(qd_index *index, qd_worker_slot *worker, uint32_t task);
void qd_linear_traverse_end(qd_index *index, const qd_traversal_plan *plan, const qd_traversal_result *result);

#endif
