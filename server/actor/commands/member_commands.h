/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands that change who is in the room: OpenRoom, LeaveRoom, CloseRoom, and resuming a session. [run]
 *
 * A session that resumes on another connection has a new membership, the successor. The last message of the old one,
 * `leave`, names it. So everything that the old connection asked for is carried out before anything that the new one
 * asks for.
 */
#ifndef QD_ACTOR_COMMANDS_MEMBER_COMMANDS_H
#define QD_ACTOR_COMMANDS_MEMBER_COMMANDS_H

#include "../state/room_actor_state.h"

void qd_open_command(qd_room_actor *actor, const qd_request *request);
/* Carries out `leave` and frees the membership. */
void qd_leave_command(qd_room_actor *actor, qd_membership *membership);
void qd_close_command(qd_room_actor *actor, const qd_request *request);

#endif
