/* SPDX-License-Identifier: Apache-2.0
 *
 * Subscriptions in the life of a room: its ticks and catch-ups are rounds, each of which decides every subscription's
 * news and makes the lists that reports point into.
 */
#ifndef QD_ROOM_PAIRS_PAIRS_H
#define QD_ROOM_PAIRS_PAIRS_H

#include "pair_state.h"

/* The entities outlive the pairs. */
void qd_pairs_init(qd_pairs *pairs, const qd_entities *entities, const qd_room_config *config);
void qd_pairs_deinit(qd_pairs *pairs);

/* Makes the row of a new member. QD_ERR_NO_MEMORY. */
qd_status qd_pairs_join(qd_pairs *pairs, uint32_t member) QD_MUST_USE;

/* The tick of the space, and the events of live subscriptions. Returns whether subscriptions waited for a reset before
 * it: then call qd_pairs_reset once the space has settled. */
bool qd_pairs_tick(qd_pairs *pairs, const qd_executor *executor, uint32_t skipped) QD_MUST_USE;
/* Resets with the set of this tick, also for suspended subscriptions. */
void qd_pairs_reset(qd_pairs *pairs, const qd_executor *executor);
void qd_pairs_catch_up(qd_pairs *pairs, const qd_executor *executor);
/* As qd_room_is_quiet. */
bool qd_pairs_are_quiet(const qd_pairs *pairs);

/* For qd_room_trim, after the members. */
void qd_pairs_trim(qd_pairs *pairs);

/* The next report of the round, which points into its lists; false: there is none. */
bool qd_pairs_next_report(qd_pairs *pairs, qd_room_report *report);

/* Prefetches what a tick reads first. */
void qd_pairs_fetch_tick(const qd_pairs *pairs);
/* The same for rows and lists, in a small room. Waits for what qd_pairs_fetch_tick has asked for. */
void qd_pairs_fetch_lists(const qd_pairs *pairs);

#endif
