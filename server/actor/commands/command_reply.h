/* SPDX-License-Identifier: Apache-2.0
 *
 * Replies to commands. [run]
 */
#ifndef QD_ACTOR_COMMANDS_COMMAND_REPLY_H
#define QD_ACTOR_COMMANDS_COMMAND_REPLY_H

#include "../service/reply.h"
#include "../state/room_actor_state.h"

/* Answers a request by an Error. */
#define qd_command_fail(actor, request, code, ...)                                                                     \
    qd_reply_error((actor)->service, (request)->head.membership->endpoint->link, (request)->decoded.message.seq,       \
                   (actor)->entry.handle, (code), __VA_ARGS__)

/* Answers by a message, which carries the request's seq. */
void qd_command_answer(qd_room_actor *actor, const qd_request *request, const qd_server_message *message);

/* Answers by an Error with the refused entries of a batch of `count` ids, if there are any. */
void qd_command_refusals(qd_room_actor *actor, const qd_request *request, uint32_t count, const uint32_t *id,
                         const qd_room_refusals *refusals);

#endif
