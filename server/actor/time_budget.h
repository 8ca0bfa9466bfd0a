/* SPDX-License-Identifier: Apache-2.0
 *
 * The time budget: a run of a room actor applies messages for a while (qd_service_config.time_budget_ns) and leaves the
 * rest to the next run. So the room ticks and other rooms run, whatever clients ask of a room.
 *
 * A message is carried out whole, however long it takes. If it takes long, the other messages of its session move behind
 * those of all other sessions. These then wait for one slow query, not for all that the session has sent. The order of
 * each session's own messages is kept.
 */
#ifndef QD_ACTOR_TIME_BUDGET_H
#define QD_ACTOR_TIME_BUDGET_H

#include "state/room_actor_state.h"

/* Applies messages, first those that an earlier run left, and wakes the actor if more are left. In a closed room, and if
 * `all` is set, none are left. [run] */
void qd_time_budget_apply(qd_room_actor *actor, bool all);

#endif
