/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QD_SPACE_GRID_HASH_SEARCH_H
#define QD_SPACE_GRID_HASH_SEARCH_H

#include "../core/search.h"

/* qd_index_ops.search */
qd_status qd_hash_search(const qd_index *index, qd_search *search);

#endif
