/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QD_SPACE_TREE_SPARSE_SPARSE_LOCATE_H
#define QD_SPACE_TREE_SPARSE_SPARSE_LOCATE_H

#include "sparse_tree.h"

/* Makes the root of a tree without cells. */
void qd_sparse_begin(qd_sparse *sparse);
/* The smallest cell there is that contains a finest one and is of this level or above. */
uint32_t qd_sparse_find(const qd_sparse *sparse, uint64_t finest, uint32_t level);
/* The cell where a box belongs; it is made where there is none, with those above it. */
uint32_t qd_sparse_locate(qd_sparse *sparse, const qd_row *box);

#endif
