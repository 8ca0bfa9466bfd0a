/* SPDX-License-Identifier: Apache-2.0
 *
 * From the events of the space, which are slots in no order, to the columns of reports: ids with a < b, ordered by
 * (a, b).
 */
#ifndef QD_ROOM_PAIRS_PAIR_LISTS_H
#define QD_ROOM_PAIRS_PAIR_LISTS_H

#include "pair_state.h"

void qd_lists_deinit(qd_lists *lists, qd_heap *heap);

/* Makes the lists of a tick's events, between qd_space_tick and qd_space_settle. With `own`, also makes the lists of
 * members with own_only that get events. */
void qd_lists_of_events(qd_pairs *pairs, const qd_executor *executor, const qd_space_events *events, bool own);
/* The same for qd_space_pairs and for members that get a reset. */
void qd_lists_of_set(qd_pairs *pairs, const qd_executor *executor, const qd_space_events *events, bool own);

#endif
