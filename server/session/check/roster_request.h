/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks Roster and RosterMove as a whole, before the room has them. Pure. [any]
 */
#ifndef QD_SESSION_CHECK_ROSTER_REQUEST_H
#define QD_SESSION_CHECK_ROSTER_REQUEST_H

#include <stddef.h>

#include "../../../proto/messages.h"

/* Whether a Roster or RosterMove suits a room with that many dimensions: QD_ERROR_NONE, or an error that `fault`
 * explains. */
qd_error_code qd_roster_request_check(const qd_client_message *message, uint32_t dimensions, char *fault,
                                      size_t fault_size);

#endif
