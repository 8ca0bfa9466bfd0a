/* SPDX-License-Identifier: Apache-2.0
 *
 * Access: what a session may do, by the role and the patterns of its token, and by the room's `join`, `write` and `step`.
 *
 *     token: role, patterns --+
 *                             +--> may it join, create or close?    at OpenRoom, CloseRoom and ListRooms
 *     room: join, write, step-+--> QD_RIGHT_* of its membership     at OpenRoom; each request is compared with them
 *
 * Both are constant while a session is in a room: a session whose token's line changes is disconnected (sessions.h).
 * [loop]
 */
#ifndef QD_SESSION_ACCESS_H
#define QD_SESSION_ACCESS_H

#include "check/fault.h"
#include "session.h"

/* Whether the session's token is for rooms of that name. */
bool qd_access_has_room(const qd_session *session, const char *name);
/* Whether the session may open a room that is there, or see it in a list. */
bool qd_access_may_join(const qd_session *session, const qd_room_actor *actor);
/* The QD_RIGHT_* of the session in a room. */
uint8_t qd_access_rights(const qd_session *session, const qd_room_actor *actor);

/* The same as checks: they return false and fill in *fault. */
bool qd_access_check_room(const qd_session *session, const char *name, qd_fault *fault);
bool qd_access_check_create(const qd_session *session, qd_fault *fault);
bool qd_access_check_join(const qd_session *session, const qd_room_actor *actor, qd_fault *fault);
bool qd_access_check_close(const qd_session *session, const qd_room_actor *actor, qd_fault *fault);
/* Whether the membership has all of these QD_RIGHT_*. */
bool qd_access_check_rights(const qd_session *session, const qd_membership *membership, uint8_t needed,
                            qd_fault *fault);

#endif
