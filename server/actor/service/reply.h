/* SPDX-License-Identifier: Apache-2.0
 *
 * Replies: a message becomes one buffer and goes to one link. Rooms and sessions both reply, so all of it is [any].
 *
 * A reply that cannot be queued ends the connection, because nothing is dropped silently. There are three cases: no
 * memory for the reply, none for the link's queue, or a reader that asks and does not read (base/link.h). Small replies
 * have a reserve of memory.
 */
#ifndef QD_ACTOR_SERVICE_REPLY_H
#define QD_ACTOR_SERVICE_REPLY_H

#include "../../../proto/messages.h"
#include "../../base/link.h"
#include "service.h"

/* The longest text of an Error, with its end. */
#define QD_REPLY_TEXT_BYTES_MAX 400

/* How long the last frames to a client that is disconnected may take. */
#define QD_FLUSH_MS_MAX 1000u

/* Returns one frame, with a reference for the caller. NULL: no memory. [any] */
qd_buffer *qd_reply_encode(const qd_server_message *message) QD_MUST_USE;

/* Queues encoded frames, all or none, and counts their bytes. [any] */
qd_link_sent qd_reply_queue(qd_service *service, qd_link *link, qd_buffer *const *buffers, size_t count,
                            qd_link_class class);

/* The parts of qd_reply_send: encodes an answer for that link, and sends it. `answer` NULL: there was no memory for it, and
 * the link is closed. The latter takes the reference. [any] */
qd_buffer *qd_reply_encode_answer(qd_link *link, const qd_server_message *message) QD_MUST_USE;
void qd_reply_pass(qd_service *service, qd_link *link, qd_buffer *answer);

/* [any] */
void qd_reply_send(qd_service *service, qd_link *link, const qd_server_message *message);
/* There is no memory for a session or a reply: sends service->no_memory and closes the link. [any] */
void qd_reply_give_up(qd_service *service, qd_link *link);

/* [any] */
void qd_reply_error(qd_service *service, qd_link *link, uint64_t seq, uint64_t room, qd_error_code code,
                    const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Counts and logs an Error that is about to be sent. [any] */
void qd_reply_note_error(qd_service *service, const qd_link *link, const qd_msg_error *error);
/* An Error with all its fields, such as the refused entries. The frame gets the seq of `error`. [any] */
void qd_reply_error_message(qd_service *service, qd_link *link, const qd_msg_error *error);

/* The last frames to a client that broke the protocol, or that a quota keeps out: Error, GoAway, close. [any] */
void qd_reply_end(qd_service *service, qd_link *link, uint64_t seq, qd_error_code code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
