/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QD_SPACE_TREE_SPARSE_SPARSE_H
#define QD_SPACE_TREE_SPARSE_SPARSE_H

#include "../../core/index.h"

/* An empty sparse tree with what `as` says, but for ops and cells. NULL: no memory. */
qd_index *qd_sparse_create(const qd_index *as);

#endif
