/* SPDX-License-Identifier: Apache-2.0
 *
 * Applied: reports to a session that its requests are in. It is sent at the tick, once for all requests before it. [run]
 */
#ifndef QD_ACTOR_TICK_APPLIED_H
#define QD_ACTOR_TICK_APPLIED_H

#include "../state/room_actor_state.h"

/* The request with that seq, and all before it, is in with the next tick. With seq 0 no Applied is due. */
void qd_applied_note(qd_room_actor *actor, qd_membership *membership, uint64_t seq);
/* No Applied is due for that membership any more. */
void qd_applied_forget(qd_room_actor *actor, const qd_membership *membership);
/* Sends the last one again, with ServerFrame.seq 0, on the connection that resumes the session. */
void qd_applied_send_again(qd_room_actor *actor, const qd_membership *membership);
/* Sends every Applied that is due at a tick. */
void qd_applied_send_due(qd_room_actor *actor, uint64_t tick);

#endif
