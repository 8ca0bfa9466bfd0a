/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "../actor/service/reply.h"
#include "../base/log.h"
#include "handlers.h"
#include "sessions.h"

static void on_opened(void *context, qd_link *link)
{
    qd_sessions *sessions = context;
    qd_session *session = qd_session_create(sessions, sessions->service, link);

    link->session = session;
    if (session == NULL) {
        qd_reply_give_up(sessions->service, link);
        return;
    }
    qd_sessions_add(sessions, session);
    qd_link_frame_bytes_max(link, QD_FRAME_BYTES_BEFORE_HELLO);
    qd_link_deadline(link, QD_HELLO_MS_MAX);
    qd_log(QD_LOG_DEBUG, "connected", QD_LOG_NUMBER("session", session->endpoint->session), QD_LOG_PEER(link->peer));
}

static void on_frame(void *context, qd_link *link, const uint8_t *bytes, size_t size)
{
    (void)context;
    qd_session *session = link->session;
    if (session != NULL && session->state != QD_SESSION_ENDED) {
        qd_dispatch(session, bytes, size);
    }
}

/* Also for a session that has ended: its client may have sent the Moves before. */
static void on_delivered(void *context, qd_link *link)
{
    (void)context;
    qd_session *session = link->session;
    if (session != NULL) {
        qd_joined_moves_post_all(&session->waiting);
    }
}

static void on_fault(void *context, qd_link *link, qd_link_fault fault, uint64_t value)
{
    on_delivered(context, link);
    qd_session *session = link->session;
    if (session == NULL || session->state == QD_SESSION_ENDED) {
        return;
    }
    switch (fault) {
    case QD_LINK_BAD_PREFIX:
        qd_session_end(session, 0, QD_ERROR_MALFORMED,
                       "the length before a frame is invalid; must be a varint of at most 5 bytes. Send each "
                       "ClientFrame behind its length");
        return;
    case QD_LINK_FRAME_TOO_LONG: {
        bool waiting = session->state == QD_SESSION_WAITING;

        qd_session_end(session, 0, QD_ERROR_FRAME_TOO_LONG, "the frame has %" PRIu64 " bytes; must have at most %u%s",
                       value, waiting ? QD_FRAME_BYTES_BEFORE_HELLO : session->service->config.limits.frame_bytes_max,
                       waiting ? " before Hello. Send Hello first" : " (--frame-max). Split the batch");
        return;
    }
    case QD_LINK_FRAME_SLOW:
        qd_count(&session->service->counters, QD_COUNT_NOT_ALIVE, 1);
        qd_session_go_away(session, QD_GO_AWAY_NOT_ALIVE,
                           "%" PRIu64 " bytes of a frame came within %" PRIu32
                           " ms (2/3 of --silence-ms-max), and then not 1 KiB per second. Send whole frames",
                           value, session->service->config.limits.silence_ms_max / 3 * 2);
        return;
    case QD_LINK_NO_MEMORY:
        break;
    }
    qd_session_end(session, 0, QD_ERROR_LIMIT,
                   "the server has no memory left for this frame (--memory-max). Connect again later");
}

static void on_expired(void *context, qd_link *link)
{
    (void)context;
    qd_session *session = link->session;
    if (session != NULL && session->state == QD_SESSION_RESUMING) {
        qd_resume_try(session);
    } else if (session != NULL && session->state == QD_SESSION_WAITING) {
        qd_session_end(session, 0, QD_ERROR_NO_HELLO,
                       "no Hello came within %u ms; must come first. Send it after connecting", QD_HELLO_MS_MAX);
    }
}

static void on_silent(void *context, qd_link *link)
{
    (void)context;
    qd_session *session = link->session;
    if (session != NULL && session->state == QD_SESSION_READY) {
        session->ping_ns = qd_service_now_ns(session->service);
        qd_reply_send(session->service, link, &(qd_server_message){.kind = QD_SERVER_PING});
    }
}

static void on_lost(void *context, qd_link *link)
{
    (void)context;
    qd_session *session = link->session;
    if (session != NULL && session->state == QD_SESSION_READY) {
        qd_count(&session->service->counters, QD_COUNT_NOT_ALIVE, 1);
        qd_session_go_away(session, QD_GO_AWAY_NOT_ALIVE,
                           "no sign of life came for %" PRIu32
                           " ms (5/6 of --silence-ms-max); Ping must be answered. Send Pong at once",
                           session->service->config.limits.silence_ms_max / 6 * 5);
    }
}

static void on_drained(void *context, qd_link *link)
{
    (void)context;
    qd_session *session = link->session;
    if (session == NULL) {
        return;
    }
    qd_membership *membership;
    LIST_FOREACH (membership, &session->list, links) {
        if (atomic_load(&membership->lagging_shown)) {
            qd_room_actor_wake(membership->actor);
        }
    }
}

static void on_closed(void *context, qd_link *link)
{
    qd_session *session = link->session;

    if (session == NULL) {
        return;
    }
    qd_log(QD_LOG_DEBUG, "closed", QD_LOG_NUMBER("session", session->endpoint->session), QD_LOG_PEER(link->peer));
    link->session = NULL;
    if (session->state == QD_SESSION_RESUMING) {
        qd_link_resume(link);
    }
    atomic_store(&session->endpoint->cut_off, true);
    bool may_detach = session->state == QD_SESSION_READY && !LIST_EMPTY(&session->list);
    session->state = QD_SESSION_ENDED;
    qd_sessions_remove(context, session, may_detach);
}

qd_link_handler qd_sessions_link_handler(qd_sessions *sessions)
{
    return (qd_link_handler){
        .opened = on_opened,
        .frame = on_frame,
        .delivered = on_delivered,
        .fault = on_fault,
        .expired = on_expired,
        .silent = on_silent,
        .lost = on_lost,
        .drained = on_drained,
        .closed = on_closed,
        .context = sessions,
    };
}
