/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QD_SPACE_GRID_HASH_PLAN_H
#define QD_SPACE_GRID_HASH_PLAN_H

#include "hash_cells.h"

bool qd_hash_plan_is_due(const qd_hash *hash);
/* Chooses another size and registers every row again, each list's rows side by side. At any time but during a
 * traversal. */
void qd_hash_replan(qd_hash *hash);

#endif
