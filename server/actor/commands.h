/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of a host, carried out: one function a kind. [run]
 */
#ifndef QD_ACTOR_COMMANDS_H
#define QD_ACTOR_COMMANDS_H

#include "room_actor.h"

/* Carries the message out and frees it; with `leave`, the seat too. */
void qd_apply(qd_host *host, qd_room_message *message);

/* ---- for views.c and owners.c ---- */

/* Answers a request by an Error. */
#define qd_apply_fail(host, request, code, ...)                                                                        \
    qd_reply_error((host)->server, (request)->head.seat->session->link, (request)->decoded.message.seq,                \
                   (host)->named.handle, (code), __VA_ARGS__)

/* Answers by an Error with the refused entries of a batch of `count` ids, if there are any. */
void qd_apply_refusals(qd_host *host, const qd_request *request, uint32_t count, const uint32_t *id,
                       const qd_room_refusals *refusals);

#endif
