/* SPDX-License-Identifier: Apache-2.0
 *
 * The admin server's HTTP, by libwebsockets, which parses it. Only http.c and parts/admin_memory.c include libwebsockets.h.
 */
#ifndef QD_ADMIN_HTTP_H
#define QD_ADMIN_HTTP_H

#include "admin_state.h"

/* Listens. Returns whether that worked, and sets the context and the port. [main thread] */
bool qd_admin_http_open(qd_admin *admin, char *error, size_t error_size);
/* Serves until `ends` is set. [admin thread] */
void qd_admin_http_serve(qd_admin *admin);
/* Has qd_admin_http_serve look at `ends`. [any] */
void qd_admin_http_wake(qd_admin *admin);
/* Closes everything. No thread serves any more. [main thread] */
void qd_admin_http_close(qd_admin *admin);

#endif
