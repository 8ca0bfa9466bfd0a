/* SPDX-License-Identifier: Apache-2.0
 *
 * The time budget: a run of a room actor applies messages for a while (qd_service_config.time_budget_ns) and leaves the
 * rest to the next run. So the room ticks and other rooms run, whatever clients ask of a room.
 *
 *     mailbox --> messages, in their order ------------------------------> carried out
 *                    \--its session's turn is over, or its budget--> later, one list for each membership,
 *                                                                    which take turns
 *
 * A message is carried out whole. A session's turn in one run is over when its messages have taken a millisecond. A
 * session that is beyond its budget (time_bucket.h) waits behind all others, in this room and, by the scheduler, in all
 * other rooms. The order of each session's own messages is kept.
 *
 * The session pays for the message (state/time_bill.h). Light messages are charged together, and in an inline run only
 * batches of many entities are.
 */
#ifndef QD_ACTOR_TIME_BUDGET_H
#define QD_ACTOR_TIME_BUDGET_H

#include "state/room_actor_state.h"

/* Applies messages, first those that an earlier run left, and wakes the actor if more are left. In a closed room, and if
 * the server is `stopping`, none are left; requests that only read are then refused. [run] */
void qd_time_budget_apply(qd_room_actor *actor, bool stopping);
/* Carries out a request of an inline run. The room is open. [run] */
void qd_time_budget_apply_inline(qd_room_actor *actor, qd_request *request);

#endif
