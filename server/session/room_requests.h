/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests that open, leave, close and list rooms. [loop]
 *
 * Each answers the request, or posts it to a room and sets *request to NULL.
 */
#ifndef QD_SESSION_ROOM_REQUESTS_H
#define QD_SESSION_ROOM_REQUESTS_H

#include "session.h"

void qd_room_request_open(qd_session *session, qd_request **request);
void qd_room_request_leave(qd_session *session, qd_request **request);
void qd_room_request_close(qd_session *session, qd_request **request);
void qd_room_request_list(qd_session *session, qd_request **request);

#endif
