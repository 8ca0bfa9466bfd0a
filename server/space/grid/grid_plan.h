/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QD_SPACE_GRID_GRID_PLAN_H
#define QD_SPACE_GRID_GRID_PLAN_H

#include "grid_sort.h"

/* Chooses the size of cells, where that is due. */
void qd_grid_plan(qd_grid *grid);
/* After a walk: whether it had to do what was planned, and how rows lay for it. */
void qd_grid_note_traversal(qd_grid *grid);
/* Between ticks: lays the rows down in the order of cells, where that is due. */
void qd_grid_rebuild(qd_grid *grid);

#endif
