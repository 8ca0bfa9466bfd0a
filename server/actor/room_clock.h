/* SPDX-License-Identifier: Apache-2.0
 *
 * The room's clock: ticks when a tick is due, by tick_hz or by the deadline of lockstep. A room that cannot hold its
 * rate skips ticks and rests between them, and its members are told (pacing/pace.h).
 *
 * The clock stands while no entity is in the room, no observer, and nothing waits for a tick: there are no ticks.
 *
 * The clock rests after a few ticks that changed and sent nothing, until something happens to the room: a request
 * changes it or subscribes, or entities expire. Its ticks go on by number, and it goes on in phase. Pairs that stay keep
 * the clock of their subscriber running, and so does all that waits for later ticks: relays, views with budgets,
 * suspensions, lagging readers.
 */
#ifndef QD_ACTOR_ROOM_CLOCK_H
#define QD_ACTOR_ROOM_CLOCK_H

#include "state/room_actor_state.h"

/* Of a room at rest: counts the ticks that are over by now. To be called before a run reads or changes the room; now_ns
 * never goes back. [run] */
void qd_room_clock_count(qd_room_actor *actor, uint64_t now_ns);
/* Ticks if a tick is due. Returns when the next one is; QD_NEVER: the clock stands or rests. [run] */
uint64_t qd_room_clock_tick(qd_room_actor *actor, uint64_t now_ns);
/* Shows the last tick to other threads. [run] */
void qd_room_clock_show(qd_room_actor *actor);
/* The last tick, as the last run has shown it; in a room at rest, as the time shows it. [any] */
uint64_t qd_room_clock_shown_tick(const qd_room_actor *actor);

#endif
