/* SPDX-License-Identifier: Apache-2.0
 *
 * From a path and a method to an answer, for a client that may have it. [admin thread]
 */
#ifndef QD_ADMIN_ROUTES_H
#define QD_ADMIN_ROUTES_H

#include "admin_state.h"

/* Fills in the connection's answer to its request. */
void qd_admin_route(qd_admin *admin, qd_admin_connection *connection);

#endif
