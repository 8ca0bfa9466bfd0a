/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QD_SPACE_GRID_GRID_H
#define QD_SPACE_GRID_GRID_H

#include "../core/index.h"

/* An empty sorted grid with what `as` says, but for ops and cells. NULL: no memory. */
qd_index *qd_grid_create(const qd_index *as);

#endif
