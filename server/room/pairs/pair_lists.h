/* SPDX-License-Identifier: Apache-2.0
 *
 * From the events of the space, which are slots in no order, to the columns of reports: ids with a < b, ordered by
 * (a, b).
 */
#ifndef QD_ROOM_PAIRS_PAIR_LISTS_H
#define QD_ROOM_PAIRS_PAIR_LISTS_H

#include "pair_state.h"

/* Makes the lists of a tick's events, between qd_space_tick and qd_space_settle. With `own`, also makes the lists of
 * members with own_only that get events. False: no memory, and no list is to be used; never without events. */
bool qd_lists_of_events(qd_pairs *pairs, const qd_executor *executor, const qd_space_events *events,
                        bool own) QD_MUST_USE;
/* The same for qd_space_pairs and for members that get a reset. */
bool qd_lists_of_set(qd_pairs *pairs, const qd_executor *executor, const qd_space_events *events, bool own) QD_MUST_USE;
/* Gives back the memory of the set, or that of all lists, which are empty then. */
void qd_lists_release_set(qd_pairs *pairs);
void qd_lists_release(qd_pairs *pairs);

#endif
