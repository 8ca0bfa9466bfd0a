/* SPDX-License-Identifier: Apache-2.0
 *
 * What indexes of one cell share: all rows lie in one list, in no order. A body that moves writes its row and nothing
 * else, adding or removing a body is one operation on the list, and no body is split because it moved far. The
 * traversal does all the work of finding out what is where.
 *
 * Owned by the space, as every index. One thread at a time.
 */
#ifndef QD_SPACE_BRUTE_ONE_LIST_H
#define QD_SPACE_BRUTE_ONE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../core/index.h"
#include "../geometry/quantizer.h"

typedef struct qd_one_list {
    qd_index index;
    qd_cell list;
} qd_one_list;

/* Operations of qd_index_ops. */
bool qd_one_list_begin(qd_index *index);
bool qd_one_list_reserve(qd_index *index);
uint32_t qd_one_list_locate(qd_index *index, const qd_row *box, uint32_t *cell_key);
size_t qd_one_list_move(qd_index *index, size_t count, const uint32_t *slots, const float *const *at,
                        qd_movers *movers);
void qd_one_list_count(const qd_index *index, qd_space_counters *counters);
void qd_one_list_validate(const qd_index *index);
qd_status qd_one_list_search(const qd_index *index, struct qd_search *search);
bool qd_one_list_holds(const qd_index *index, uint32_t cell, const qd_row *box);

/* Whether a traversal has anything to do: a search for events has nothing to do if no row changed. */
bool qd_one_list_is_due(const qd_index *index, const qd_traversal_plan *plan);
/* The box around all rows; a box of no size if there are none. */
qd_extent qd_one_list_extent(const qd_index *index);

#endif
