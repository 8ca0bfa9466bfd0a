/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of each member's subscription, from round to round. A round is a tick or a catch-up.
 */
#ifndef QD_ROOM_PAIRS_SUBSCRIPTIONS_H
#define QD_ROOM_PAIRS_SUBSCRIPTIONS_H

#include "pair_state.h"

/* The commands of room.h. The member is in the room. */
void qd_subscribe(qd_pairs *pairs, uint32_t member, qd_room_interest interest);
void qd_unsubscribe(qd_pairs *pairs, uint32_t member);
void qd_subscription_lost(qd_pairs *pairs, uint32_t member);
void qd_subscription_missed(qd_pairs *pairs, uint32_t member, uint64_t reported_tick);
void qd_subscription_resume(qd_pairs *pairs, uint32_t member);
/* Whether ticks were lost, and no reset that replaces them was delivered. */
bool qd_subscription_lags(const qd_pairs *pairs, uint32_t member);

/* The member owns other entities now: with own_only, a live subscription needs a reset. */
void qd_subscription_renew(qd_pairs *pairs, uint32_t member);

/* Ends the news of the last round. */
void qd_subscriptions_begin_round(qd_pairs *pairs, uint32_t skipped);
/* Gives all subscriptions in state `from` that have no news yet these news, and moves them to state `to`. Returns
 * whether some of them have own_only. */
bool qd_subscriptions_assign(qd_pairs *pairs, qd_subscription from, qd_news news, qd_subscription to);
/* There was no memory for these news of the round: subscriptions are suspended, or stay so. */
void qd_subscriptions_fail(qd_pairs *pairs, qd_news news);
/* What the live subscriptions together want of a tick. */
qd_space_wanted qd_subscriptions_wanted(const qd_pairs *pairs);

#endif
