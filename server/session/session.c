/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "../actor/service/reply.h"
#include "../base/assert.h"

#define SWEEP_COUNT_MIN 16u

#define GO_AWAY_BYTES_MAX 300

qd_session *qd_session_create(struct qd_sessions *sessions, qd_service *service, qd_link *link)
{
    qd_session *session = qd_shared_alloc(sizeof *session);

    if (session == NULL) {
        return NULL;
    }
    *session = (qd_session){.sessions = sessions, .service = service, .link = link, .sweep_count = SWEEP_COUNT_MIN};
    TAILQ_INIT(&session->waiting);
    session->endpoint = qd_endpoint_create(link, 2 * (size_t)service->config.limits.frame_bytes_max);
    if (session->endpoint == NULL) {
        qd_shared_free(session, sizeof *session);
        return NULL;
    }
    pthread_mutex_init(&session->rooms_mutex, NULL);
    qd_heap_init(&session->heap);
    qd_map_init(&session->memberships, &session->heap, qd_service_random(service));
    return session;
}

bool qd_session_leave_some(qd_session *session, uint32_t rooms)
{
    for (uint32_t i = 0; i < rooms && !LIST_EMPTY(&session->list); i++) {
        qd_session_leave(session, LIST_FIRST(&session->list), false, 0);
    }
    return LIST_EMPTY(&session->list);
}

void qd_session_destroy(qd_session *session)
{
    (void)qd_session_leave_some(session, UINT32_MAX);
    qd_map_deinit(&session->memberships);
    qd_heap_deinit(&session->heap);
    pthread_mutex_destroy(&session->rooms_mutex);
    qd_endpoint_release(session->endpoint);
    qd_join_grant_destroy(session->joined);
    qd_tokens_release(session->tokens);
    qd_shared_free(session, sizeof *session);
}

qd_membership *qd_session_membership(qd_session *session, uint64_t handle)
{
    uint64_t value;

    if (!qd_map_get(&session->memberships, handle, &value)) {
        return NULL;
    }
    qd_membership *membership = (qd_membership *)(uintptr_t)value;
    qd_membership_state state = atomic_load(&membership->state);
    if (state == QD_MEMBERSHIP_OPEN) {
        return membership;
    }
    if (state == QD_MEMBERSHIP_REFUSED || !session->resumable) {
        qd_session_leave(session, membership, false, 0);
    }
    return NULL;
}

/* A membership in a closed room is given up when its handle is used again, which may be never. So all memberships are
 * looked through each time that their number has doubled. Those of a resumable session are given up only here, at the
 * second look: by then its client has opened so many other rooms that it knows of the closing. */
static void sweep(qd_session *session)
{
    if (session->memberships.count < session->sweep_count) {
        return;
    }
    for (qd_membership *membership = LIST_FIRST(&session->list), *next; membership != NULL; membership = next) {
        next = LIST_NEXT(membership, links);
        qd_membership_state state = atomic_load(&membership->state);
        if (state == QD_MEMBERSHIP_CLOSED && session->resumable && !membership->swept) {
            membership->swept = true;
        } else if (state != QD_MEMBERSHIP_OPEN) {
            qd_session_leave(session, membership, false, 0);
        }
    }
    session->sweep_count = 2 * session->memberships.count;
    if (session->sweep_count < SWEEP_COUNT_MIN) {
        session->sweep_count = SWEEP_COUNT_MIN;
    }
}

uint32_t qd_session_open_rooms(const qd_session *session)
{
    return session->memberships.count - atomic_load(&session->endpoint->shut);
}

qd_membership *qd_session_join(qd_session *session, qd_room_actor *actor, uint8_t rights)
{
    sweep(session);
    qd_membership *membership = qd_membership_create(actor, session->endpoint);
    if (membership == NULL) {
        return NULL;
    }
    membership->rights = rights;
    pthread_mutex_lock(&session->rooms_mutex);
    qd_status status = qd_map_put(&session->memberships, actor->entry.handle, (uintptr_t)membership);
    if (status == QD_OK) {
        LIST_INSERT_HEAD(&session->list, membership, links);
    }
    pthread_mutex_unlock(&session->rooms_mutex);
    if (status != QD_OK) {
        qd_membership_destroy(membership);
        return NULL;
    }
    qd_room_actor_use(actor);
    return membership;
}

void qd_session_leave(qd_session *session, qd_membership *membership, bool answered, uint64_t seq)
{
    qd_joined_moves_post(&session->waiting, membership);
    pthread_mutex_lock(&session->rooms_mutex);
    bool there = qd_map_remove(&session->memberships, membership->actor->entry.handle);
    LIST_REMOVE(membership, links);
    qd_membership_give_up(membership);
    pthread_mutex_unlock(&session->rooms_mutex);
    QD_ASSERT(there);
    membership->leave_answered = answered;
    membership->leave_seq = seq;
    qd_room_actor_leave(membership->actor, membership);
}

uint32_t qd_session_count_rooms(qd_session *session, uint64_t handle, bool *is_in)
{
    uint64_t value;

    pthread_mutex_lock(&session->rooms_mutex);
    *is_in = qd_map_get(&session->memberships, handle, &value) &&
             atomic_load(&((const qd_membership *)(uintptr_t)value)->state) == QD_MEMBERSHIP_OPEN;
    uint32_t count = qd_session_open_rooms(session);
    pthread_mutex_unlock(&session->rooms_mutex);
    return count;
}

void qd_session_answer(qd_session *session, const qd_request *request, qd_server_message *message)
{
    message->seq = request->decoded.message.seq;
    qd_reply_send(session->service, session->link, message);
}

void qd_session_go_away(qd_session *session, qd_go_away_reason reason, const char *format, ...)
{
    char text[GO_AWAY_BYTES_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    session->state = QD_SESSION_ENDED;
    qd_reply_send(session->service, session->link,
                  &(qd_server_message){.kind = QD_SERVER_GO_AWAY,
                                       .as.go_away = {.reason = reason, .text = text, .deadline_ms = QD_FLUSH_MS_MAX}});
    qd_link_close(session->link, QD_FLUSH_MS_MAX);
}

void qd_session_revoke(qd_session *session, const char *text)
{
    session->revoked = true;
    qd_reply_send(session->service, session->link,
                  &(qd_server_message){
                      .kind = QD_SERVER_GO_AWAY,
                      .as.go_away = {.reason = QD_GO_AWAY_REVOKED, .text = text, .deadline_ms = QD_FLUSH_MS_MAX}});
    qd_link_close(session->link, QD_FLUSH_MS_MAX);
}

qd_membership *qd_session_expect_membership(qd_session *session, const qd_request *request, uint64_t room)
{
    qd_membership *membership = qd_session_membership(session, room);

    if (membership != NULL) {
        qd_room_actor_fetch(membership->actor);
    } else {
        qd_session_fail(session, request, room, QD_ERROR_UNKNOWN_ROOM,
                        "room is %" PRIu64 "; must be a room that this session has open. OpenRoom first", room);
    }
    return membership;
}

void qd_session_post(qd_membership *membership, qd_request **request)
{
    (*request)->head.membership = membership;
    qd_room_actor_post(membership->actor, *request);
    *request = NULL;
}
