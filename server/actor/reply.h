/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers: a message becomes one buffer and goes to one link. [any]
 *
 * An answer that cannot be queued ends the connection, because nothing is dropped in silence: here, where there is no
 * memory for it; in the link, where there is none for the queue, or its reader asks and does not read.
 */
#ifndef QD_ACTOR_REPLY_H
#define QD_ACTOR_REPLY_H

#include "../../proto/messages.h"
#include "../session/server.h"

/* One frame, the caller's reference. NULL: no memory. */
qd_buffer *qd_reply_encode(const qd_server_message *message) QD_MUST_USE;

/* Queue frames that are encoded already, all or none; counts their bytes. */
qd_link_sent qd_reply_queue(qd_server *server, qd_link *link, qd_buffer *const *buffers, size_t count,
                            qd_link_class class);

void qd_reply_send(qd_server *server, qd_link *link, const qd_server_message *message);
/* There is no memory for a session, or an answer: says so, for which it needs none, and closes the link. */
void qd_reply_give_up(qd_server *server, qd_link *link);

void qd_reply_error(qd_server *server, qd_link *link, uint32_t seq, uint64_t room, qd_error_code code,
                    const char *format, ...) __attribute__((format(printf, 6, 7)));
/* With entries; `error` is whole but for its seq, which is the same as the frame's. */
void qd_reply_error_message(qd_server *server, qd_link *link, const qd_msg_error *error);

/* The last words to a peer that broke the protocol: Error, GoAway, close. */
void qd_reply_end(qd_server *server, qd_link *link, uint32_t seq, qd_error_code code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
