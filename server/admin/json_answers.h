/* SPDX-License-Identifier: Apache-2.0
 *
 * /v1: rooms, sessions, the server, threads and the log level as JSON (openapi.json), by jansson. [admin thread]
 */
#ifndef QD_ADMIN_JSON_ANSWERS_H
#define QD_ADMIN_JSON_ANSWERS_H

#include "admin_state.h"

/* Rows of one answer: the default, and at most. */
#define QD_ADMIN_ROWS     100u
#define QD_ADMIN_ROWS_MAX 200u

/* The path's rest is the room's name, or the session's number. */
void qd_admin_list_rooms(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer);
void qd_admin_get_room(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer);
void qd_admin_close_room(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer);
void qd_admin_list_sessions(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer);
void qd_admin_end_session(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer);
void qd_admin_get_server(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer);
void qd_admin_list_threads(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer);
void qd_admin_get_log_level(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer);
void qd_admin_set_log_level(qd_admin *admin, const qd_admin_request *request, qd_admin_answer *answer);

#endif
