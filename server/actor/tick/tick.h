/* SPDX-License-Identifier: Apache-2.0
 *
 * One tick of a room: the room finds what changed, then everything that follows from it is sent. [run]
 */
#ifndef QD_ACTOR_TICK_TICK_H
#define QD_ACTOR_TICK_TICK_H

#include "../state/room_actor_state.h"

/* Ticks once, publishes to the readers, and sends every Applied that is due. The session of `payer` pays for what its
 * members do not pay; NULL: the room. Returns when the tick ended. */
uint64_t qd_tick(qd_room_actor *actor, uint32_t skipped, qd_membership *payer);
/* How long the room's ticks take: the shortest of the last three, because the system may have run other threads during a
 * longer one. 0: it has not ticked three times. */
uint32_t qd_tick_usual_us(const qd_room_actor *actor);
/* A Step of that membership for the tick that is due: ticks if the room waits for no other writer. False: the member
 * has stepped for this tick already. */
bool qd_tick_step(qd_room_actor *actor, qd_membership *membership, uint64_t seq);
/* Reports the rate that the room holds: RoomSlowed to one membership, or to all with NULL. */
void qd_tick_report_pace(qd_room_actor *actor, const qd_membership *membership);
/* Sends the resets that are due between ticks, at the expense of those who get them. */
void qd_tick_catch_up(qd_room_actor *actor);

#endif
