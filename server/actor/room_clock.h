/* SPDX-License-Identifier: Apache-2.0
 *
 * The room's clock: ticks when a tick is due, by tick_hz or by the deadline of lockstep. A room that cannot hold its
 * rate skips ticks and rests between them, and its members are told (state/pace.h). The clock stands still while a tick would change nothing: no entity is in the room, no observer, and
 * nothing waits for a tick. [run]
 */
#ifndef QD_ACTOR_ROOM_CLOCK_H
#define QD_ACTOR_ROOM_CLOCK_H

#include "state/room_actor_state.h"

/* Ticks if a tick is due. Returns when the next one is; QD_NEVER: the clock stands still. */
uint64_t qd_room_clock_tick(qd_room_actor *actor, uint64_t now_ns);

#endif
