/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QD_SPACE_GRID_HASH_H
#define QD_SPACE_GRID_HASH_H

#include "../core/index.h"

/* An empty grid that is found by hashing, with what `as` says, but for ops and cells. NULL: no memory. */
qd_index *qd_hash_create(const qd_index *as);

#endif
