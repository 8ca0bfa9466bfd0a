/* SPDX-License-Identifier: Apache-2.0
 *
 * What indexes of one cell have in common: all rows lie in one list, in no order. So a body that moves writes its row
 * and nothing else, a body that comes or goes costs one operation on the list, and none is ever split for going far.
 * Where what is finds out is left to the walk.
 *
 * Owned by the world, as every index. One thread at a time.
 */
#ifndef QD_SPACE_BRUTE_ONE_LIST_H
#define QD_SPACE_BRUTE_ONE_LIST_H

#include "../core/index.h"

typedef struct qd_flat {
    qd_index index;
    qd_cell list;
} qd_flat;

/* An index of one cell with what `as` says, in `bytes` of zeros that begin with a qd_flat. NULL: no memory. */
qd_index *qd_flat_create(const qd_index *as, const qd_index_ops *ops, size_t bytes);

/* The operations of a qd_index_ops that need no more than that. */
qd_status qd_flat_reserve(qd_index *index);
uint32_t qd_flat_locate(qd_index *index, const qd_row *box, uint32_t *place);
void qd_flat_move(qd_index *index, size_t count, const uint32_t *slots, const float *const *at);
uint32_t qd_flat_move_within(qd_index *index, size_t count, const uint32_t *slots, const float *const *at,
                             qd_leaver *leavers);
#if defined(__x86_64__)
/* Each moves the first ones, as many as fill registers; returns how many. */
size_t qd_flat_move_avx2(const qd_index *index, size_t count, const uint32_t *slots, const float *const *at);
size_t qd_flat_move_avx512(const qd_index *index, size_t count, const uint32_t *slots, const float *const *at);
#endif
void qd_flat_count(const qd_index *index, qd_space_counters *counters);
bool qd_flat_holds(const qd_index *index, uint32_t cell, const qd_row *box);

/* Whether a walk has anything to do: one for what changed has not where nothing did. */
bool qd_flat_is_due(const qd_index *index, const qd_walk_plan *plan);
/* The box around all rows; one of no size where there is nothing. */
qd_extent qd_flat_extent(const qd_index *index);

#endif
