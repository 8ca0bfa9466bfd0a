/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a member's stay, and of the room. [run]
 */
#ifndef QD_ACTOR_TICK_CLOSING_H
#define QD_ACTOR_TICK_CLOSING_H

#include "../state/room_actor_state.h"

/* The membership waits for nothing any more. Its member stays, for a successor. */
void qd_membership_release(qd_room_actor *actor, qd_membership *membership);
/* The membership is not in the room any more. Returns whether a tick waited for it alone. */
bool qd_membership_remove(qd_room_actor *actor, qd_membership *membership);
/* Sends all members the ends of their pairs, then RoomClosed, and frees the room. `asker`, which may be NULL, gets
 * RoomClosed as the answer to seq, and pays for the tick. */
void qd_room_actor_close(qd_room_actor *actor, qd_room_closed_reason reason, qd_membership *asker, uint64_t seq);

#endif
