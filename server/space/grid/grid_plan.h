/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QD_SPACE_GRID_GRID_PLAN_H
#define QD_SPACE_GRID_GRID_PLAN_H

#include "grid_sort.h"

/* Chooses the size of cells, where that is due. */
void qd_grid_plan(qd_grid *grid);
/* After a traversal: adds to the debts what it did beyond the plan, and what rows far from their cells cost it. */
void qd_grid_note_traversal(qd_grid *grid);
/* Between ticks: lays the rows down in the order of cells, where that is due. */
void qd_grid_rebuild(qd_grid *grid);

#endif
