/* SPDX-License-Identifier: Apache-2.0
 *
 * Accepted: the direct answer to Subscribe and Unsubscribe, and to batches that ask for it or have refused entries.
 * [run]
 */
#ifndef QD_ACTOR_COMMANDS_ACCEPTED_H
#define QD_ACTOR_COMMANDS_ACCEPTED_H

#include "../state/room_actor_state.h"

/* Answers a request of which nothing is refused. */
void qd_accepted_send(qd_room_actor *actor, const qd_request *request);
/* Answers a batch of which nothing is refused, if it asks for an answer. */
void qd_accepted_confirm(qd_room_actor *actor, const qd_request *request);
/* Answers a batch with these ids, if it asks for that or has refused entries, and gives their memory back. */
void qd_accepted_send_refusals(qd_room_actor *actor, const qd_request *request, const uint32_t *id,
                               const qd_room_refusals *refusals);

#endif
