/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the name and the RoomConfig of an OpenRoom, fills in defaults, and compares with an open room. Pure. [any]
 *
 * `fault` gets the Error's text: the field, the value and the fix.
 */
#ifndef QD_SESSION_CHECK_ROOM_CONFIG_H
#define QD_SESSION_CHECK_ROOM_CONFIG_H

#include "../../../proto/messages.h"
#include "../../actor/service/limits.h"

/* Whether every field that is set is in its range, and fits the others. */
bool qd_room_config_check(const qd_msg_room_config *asked, const qd_limits *limits, char *fault, size_t fault_size);
/* Fills in the defaults of a config that has been checked. */
void qd_room_config_resolve(const qd_msg_room_config *asked, const qd_limits *limits, qd_msg_room_config *effective);
/* Whether every field that is set has the value that the room has. */
bool qd_room_config_agrees(const qd_msg_room_config *asked, const qd_msg_room_config *effective, char *fault,
                           size_t fault_size);

/* Whether the name is valid: 1 to 64 bytes of UTF-8 without control characters. */
bool qd_room_name_check(const char *name, char *fault, size_t fault_size);

#endif
