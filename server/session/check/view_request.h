/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks requests about views as a whole, before the room has them. The room refuses single entries. Pure. [any]
 */
#ifndef QD_SESSION_CHECK_VIEW_REQUEST_H
#define QD_SESSION_CHECK_VIEW_REQUEST_H

#include <stddef.h>

#include "../../../proto/messages.h"

/* Whether Describe, Observe, MoveObservers, Unobserve, Except, ViewOptions or Why suits a room with that many
 * dimensions: QD_ERROR_NONE, or an error. `fault` then names the field, its value and what it must be. */
qd_error_code qd_view_request_check(const qd_client_message *message, uint32_t dimensions, char *fault,
                                    size_t fault_size);

#endif
