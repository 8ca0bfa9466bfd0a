/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the name and the RoomConfig of an OpenRoom, fills in defaults, and compares with an open room. Pure. [any]
 *
 * A check that returns false fills in *fault.
 */
#ifndef QD_SESSION_CHECK_ROOM_CONFIG_H
#define QD_SESSION_CHECK_ROOM_CONFIG_H

#include "../../actor/service/limits.h"
#include "fault.h"

/* Whether every field that is set is in its range, and fits the others. */
bool qd_room_config_check(const qd_msg_room_config *asked, const qd_limits *limits, qd_fault *fault);
/* Fills in the defaults of a config that has been checked. */
void qd_room_config_resolve(const qd_msg_room_config *asked, const qd_limits *limits, qd_msg_room_config *effective);
/* Whether every field that is set has the value that the room has. */
bool qd_room_config_agrees(const qd_msg_room_config *asked, const qd_msg_room_config *effective, qd_fault *fault);

/* Whether the name is valid: 1 to 64 bytes of UTF-8 in which each character shows (proto/utf8.h). */
bool qd_room_name_check(const char *name, qd_fault *fault);

#endif
