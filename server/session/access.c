/* SPDX-License-Identifier: Apache-2.0 */
#include "access.h"

static bool is_admin(const qd_session *session)
{
    return session->grant->role == QD_ROLE_ADMIN;
}

static bool is_writer(const qd_session *session)
{
    return session->grant->role != QD_ROLE_READER;
}

static bool is_creator(const qd_session *session, const qd_room_actor *actor)
{
    return session->endpoint->session == actor->creator;
}

static bool has_creators_token(const qd_session *session, const qd_room_actor *actor)
{
    return qd_token_same(session->endpoint->token, actor->creator_token);
}

static bool allows(const qd_session *session, const qd_room_actor *actor, qd_access access)
{
    return access == QD_ACCESS_ANYBODY || is_creator(session, actor) || is_admin(session) ||
           (access == QD_ACCESS_SAME_TOKEN && has_creators_token(session, actor));
}

bool qd_access_has_room(const qd_session *session, const char *name)
{
    return qd_grant_has_room(session->grant, name);
}

bool qd_access_may_join(const qd_session *session, const qd_room_actor *actor)
{
    return qd_access_has_room(session, actor->entry.name) && allows(session, actor, actor->config.join);
}

uint8_t qd_access_rights(const qd_session *session, const qd_room_actor *actor)
{
    unsigned rights = 0;

    if (is_writer(session)) {
        rights |= allows(session, actor, actor->config.write) ? QD_RIGHT_WRITE : 0;
        rights |= allows(session, actor, actor->config.step) ? QD_RIGHT_STEP : 0;
    }
    return (uint8_t)rights;
}

/* ---- checks ---- */

#define refuse(fault, ...) qd_fault_set((fault), QD_ERROR_NOT_ALLOWED, __VA_ARGS__)

static const char *access_name(qd_access access)
{
    return access == QD_ACCESS_CREATOR ? "ACCESS_CREATOR" : "ACCESS_SAME_TOKEN";
}

/* The room's `field` does not allow it. */
static bool refuse_access(qd_fault *fault, const char *field, qd_access access)
{
    return refuse(fault, "the room's %s is %s; must allow this session. %s", field, access_name(access),
                  access == QD_ACCESS_CREATOR ? "Use the session that created the room, or an admin's"
                                              : "Send the token of the session that created the room, or an admin's");
}

bool qd_access_check_room(const qd_session *session, const char *name, qd_fault *fault)
{
    return qd_access_has_room(session, name) ||
           refuse(fault, "this session's token is not for rooms of this name; must have a pattern that matches it. "
                         "Open another room, or send another token in Hello");
}

static bool check_writer(const qd_session *session, const char *what, qd_fault *fault)
{
    return is_writer(session) ||
           refuse(fault,
                  "the role of this session's token is reader; must be writer or admin to %s. Send such a "
                  "token in Hello",
                  what);
}

bool qd_access_check_create(const qd_session *session, qd_fault *fault)
{
    return check_writer(session, "create a room", fault);
}

bool qd_access_check_join(const qd_session *session, const qd_room_actor *actor, qd_fault *fault)
{
    return allows(session, actor, actor->config.join) || refuse_access(fault, "join", actor->config.join);
}

bool qd_access_check_close(const qd_session *session, const qd_room_actor *actor, qd_fault *fault)
{
    if (!check_writer(session, "close a room", fault)) {
        return false;
    }
    return is_admin(session) || is_creator(session, actor) || has_creators_token(session, actor) ||
           refuse(fault, "another session created the room; must be this session, one with its token, or an admin. "
                         "LeaveRoom leaves it open");
}

bool qd_access_check_rights(const qd_session *session, const qd_membership *membership, uint8_t needed, qd_fault *fault)
{
    const qd_msg_room_config *config = &membership->actor->config;
    const unsigned missing = needed & ~(unsigned)membership->rights;

    if (missing == 0) {
        return true;
    }
    if (!check_writer(session, missing & QD_RIGHT_WRITE ? "change a room" : "step a room", fault)) {
        return false;
    }
    return missing & QD_RIGHT_WRITE ? refuse_access(fault, "write", config->write)
                                    : refuse_access(fault, "step", config->step);
}
