/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests about views, as clients send them: what makes no sense in them as a whole. What is wrong with single entries
 * is the room's to say. Pure. [any]
 */
#ifndef QD_SESSION_VIEW_REQUEST_H
#define QD_SESSION_VIEW_REQUEST_H

#include <stddef.h>

#include "../../proto/messages.h"

/* Of Describe, Observe, MoveObservers, Unobserve, Except, ViewOptions or Why, to a room of so many dimensions.
 * QD_ERROR_NONE: the room can take it; else `fault` names the field, its value and what it must be. */
qd_error_code qd_view_request_check(const qd_client_message *message, uint32_t dimensions, char *fault,
                                    size_t fault_size);

#endif
