/* SPDX-License-Identifier: Apache-2.0
 *
 * The run of a room actor: a worker applies the messages that have come and does what time makes due.
 *
 *     mailbox --> run: apply each message --> tick, if due --> frames --> links
 *                      (time_budget.c,        (room_clock.c,
 *                       commands/)             tick/)
 *
 * INLINE RUNS. If the room is idle, the loop thread that posts a Move applies it itself: the columns are in its core's
 * cache, and no worker need be woken. The same goes for a Step if the number of changes and entities keeps the tick
 * short. When several rooms step at that loop, only very short ticks stay there. All other messages are for the workers.
 */
#ifndef QD_ACTOR_ROOM_RUN_H
#define QD_ACTOR_ROOM_RUN_H

#include "../base/executor.h"
#include "state/room_actor_state.h"

/* For qd_actor_init. [run] */
void qd_room_run(qd_actor *base);
/* For qd_scheduler.run_inline: applies what it may, and wakes the actor for the rest. [run] */
void qd_room_run_inline(qd_actor *base);
/* For qd_actor.fetch: fetches what a tick reads before the room fetches the rest. [run] */
void qd_room_run_fetch(qd_actor *base);

/* Does everything that time makes due, in an open room. A part of the runs above; a replay calls it alone. [run] */
void qd_room_keep_up(qd_room_actor *actor, uint64_t now_ns);

#endif
