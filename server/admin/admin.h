/* SPDX-License-Identifier: Apache-2.0
 *
 * The admin server: HTTP for operators and Prometheus, on a thread of its own. It shows what other threads show
 * atomically, and asks rooms and sessions to close; it never runs a room. The main thread starts and stops it.
 *
 *     GET     /healthz             200 while the server's threads respond, else 503; needs no token
 *     GET     /readyz              200 from the start on, 503 from SIGTERM on; needs no token
 *     GET     /metrics             Prometheus' text format
 *     GET     /v1/...              JSON (openapi.json)
 *     DELETE  /v1/rooms/NAME       closes a room
 *     DELETE  /v1/sessions/NUMBER  ends a session
 *     PUT     /v1/log-level        changes the log level until the next SIGHUP
 *
 * With tokens, requests carry `Authorization: Bearer TOKEN`, and only a token with the role admin changes anything.
 * Without, nothing can be changed, and the server answers only requests whose Host is an address or localhost.
 * Otherwise a web page in a browser on this machine could read it under a name of its own.
 */
#ifndef QD_ADMIN_ADMIN_H
#define QD_ADMIN_ADMIN_H

#include "admin_config.h"

typedef struct qd_admin qd_admin;

/* Reads the tokens of --admin-token-file: the same file as --token-file, without patterns. NULL: `error` gets the
 * reason. */
qd_tokens *qd_admin_tokens_read(const char *path, char *error, size_t error_size) QD_MUST_USE;

/* Listens and starts the thread. On failure *error (of error_size) names the problem and the fix. */
qd_status qd_admin_start(const qd_admin_config *config, qd_admin **admin, char *error, size_t error_size) QD_MUST_USE;
/* The port in use. */
uint16_t qd_admin_port(const qd_admin *admin);
/* From now on, these are the tokens; takes a reference. NULL: nothing changes. [any] */
void qd_admin_set_tokens(qd_admin *admin, qd_tokens *tokens);
/* From now on, /readyz answers 503, and /healthz answers 200 without asking the threads. NULL is fine. [any] */
void qd_admin_stopping(qd_admin *admin);
/* Closes all connections, joins the thread and frees everything. NULL is fine. */
void qd_admin_stop(qd_admin *admin);

#endif
