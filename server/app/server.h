/* SPDX-License-Identifier: Apache-2.0
 *
 * The server: wires rooms and sessions together. It has no sockets, threads or clock of its own: links come in through
 * the handler that it returns, and rooms run on the scheduler that it gets. start.c connects it to real ones, the
 * simulation to its own.
 *
 *     link -> session (its loop thread) -> messages -> room actor -> frames -> links
 *
 * It belongs to the main thread, and outlives all links and actors.
 */
#ifndef QD_APP_SERVER_H
#define QD_APP_SERVER_H

#include "../net/net.h"
#include "../session/sessions.h"

typedef struct qd_server_config {
    qd_service_config service;
    qd_tokens *tokens; /* the server takes a reference; NULL: every token is accepted */
} qd_server_config;

typedef struct qd_server {
    qd_service service;
    qd_sessions sessions;
} qd_server;

void qd_server_init(qd_server *server, const qd_server_config *config);
/* All links must be closed. If any was ever opened, the server must be idle. */
void qd_server_deinit(qd_server *server);

qd_link_handler qd_server_link_handler(qd_server *server);
/* For qd_net_config.refusal. [any] */
qd_buffer *qd_server_refusal(void *server, qd_net_refusal reason);

/* For qd_net_config.refused: counts it. [any] */
void qd_server_refused(void *server, qd_net_refusal reason);

/* ---- stopping, in this order ---- */

/* No room is opened any more, and all open rooms are closed. What is queued and changes a room is carried out before,
 * what only reads is refused. */
void qd_server_close_rooms(qd_server *server);
/* From now on, what is queued and changes a room is refused, too. */
void qd_server_hurry(qd_server *server);
/* Whether all rooms are closed. */
bool qd_server_rooms_closed(const qd_server *server);
/* Sends GoAway SHUTDOWN to every session. A link closes when that is sent, or when the time is over. */
void qd_server_go_away(qd_server *server, uint32_t deadline_ms);
/* Whether no actor is left: true soon after the last link has closed. */
bool qd_server_is_idle(const qd_server *server);

#endif
