/* SPDX-License-Identifier: Apache-2.0
 *
 * From a frame to its answer. [loop]
 */
#ifndef QD_SESSION_HANDLERS_H
#define QD_SESSION_HANDLERS_H

#include "session.h"

/* Decodes one frame of a session, checks what can be checked without the room, and answers the request or posts it to
 * the room. */
void qd_dispatch(qd_session *session, const uint8_t *bytes, size_t size);

/* Answers the request, or posts it to a room and sets *request to NULL. */
typedef void (*qd_handler)(qd_session *session, qd_request **request);

/* Identifies the client and decides whether it may use the server: Welcome, or the end of the session. (hello.c) */
void qd_hello(qd_session *session, qd_request **request);

/* Requests that open, leave, close and list rooms. (room_requests.c) */
void qd_room_request_open(qd_session *session, qd_request **request);
void qd_room_request_leave(qd_session *session, qd_request **request);
void qd_room_request_close(qd_session *session, qd_request **request);
void qd_room_request_list(qd_session *session, qd_request **request);

/* ---- sessions that outlive their connections (resume.c) ----
 *
 * A new connection has a session of its own from the beginning, which takes over the number of the detached one. Each
 * membership of the detached session gets a successor in the new one (actor/commands/command.h). */

/* From now on the session may be resumed, with a new key. */
void qd_resume_enable(qd_session *session);
/* Goes on with the session of that key and sends Welcome: at once, or when the older connection is closed. */
void qd_resume_start(qd_session *session, const qd_msg_key *key);
/* Looks again whether the older connection is closed. */
void qd_resume_try(qd_session *session);
/* Sends Welcome. */
void qd_session_welcome(qd_session *session, bool resumed);

#endif
