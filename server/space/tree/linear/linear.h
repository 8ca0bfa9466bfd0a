/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QD_SPACE_TREE_LINEAR_LINEAR_H
#define QD_SPACE_TREE_LINEAR_LINEAR_H

#include "../../core/index.h"

/* An empty linear quadtree, or octree, with what `as` says, but for ops and cells. NULL: no memory. */
qd_index *qd_linear_create(const qd_index *as);

#endif
