/* SPDX-License-Identifier: Apache-2.0 */
#include "handlers.h"

#include <string.h>

#include "../actor/service/reply.h"
#include "../base/log.h"
#include "sessions.h"

/* How often a connection looks whether the older one is closed. */
#define LOOK_MS 10u

_Static_assert(QD_RESUME_KEY_BYTES == 3 * sizeof(uint64_t), "a number and a secret");

static void write_key(const qd_session *session, uint8_t *key)
{
    memcpy(key, &session->endpoint->session, sizeof session->endpoint->session);
    memcpy(key + sizeof session->endpoint->session, session->secret, sizeof session->secret);
}

void qd_resume_enable(qd_session *session)
{
    uint64_t first = qd_service_random(session->service), second = qd_service_random(session->service);

    qd_sessions_enable_resume(session->sessions, session, (const uint64_t[2]){first, second});
}

void qd_session_welcome(qd_session *session, bool resumed)
{
    const qd_limits *limits = &session->service->config.limits;
    static const char *const features[] = {QD_FEATURE_PINGS};
    uint8_t key[QD_RESUME_KEY_BYTES];
    qd_server_message message = {.seq = session->hello_seq,
                                 .kind = QD_SERVER_WELCOME,
                                 .as.welcome = {.version = QD_PROTOCOL_VERSION,
                                                .server = qd_server_name,
                                                .session = session->endpoint->session,
                                                .features = features,
                                                .feature_count = sizeof features / sizeof features[0],
                                                .limits = {
                                                    .frame_bytes_max = limits->frame_bytes_max,
                                                    .rooms_max = limits->rooms_max,
                                                    .entities_max = limits->entities_max,
                                                    .events_max = limits->events_max,
                                                    .test_budget = limits->test_budget,
                                                    .name_bytes_max = QD_ROOM_NAME_BYTES_MAX,
                                                    .queue_bytes_max = limits->queue_bytes_max,
                                                    .slow_ms_max = limits->slow_ms_max,
                                                    .observers_max = limits->observers_max,
                                                    .visible_entries_max = limits->visible_entries_max,
                                                    .roster_ids_max = limits->roster_ids_max,
                                                    .empty_close_ms_max = limits->empty_close_ms_max,
                                                }}};

    if (session->resumable) {
        write_key(session, key);
        message.as.welcome.resume_key = (qd_msg_key){sizeof key, key};
        message.as.welcome.resume_ms = limits->resume_ms_max;
        message.as.welcome.resumed = resumed;
        message.as.welcome.last_seq = resumed ? session->last_seq : 0;
    }
    session->state = QD_SESSION_READY;
    qd_sessions_introduce(session->sessions, session);
    qd_link_deadline(session->link, 0);
    if (session->pings) {
        qd_link_watch(session->link, limits->silence_ms_max);
    }
    qd_link_frame_bytes_max(session->link, limits->frame_bytes_max);
    qd_reply_send(session->service, session->link, &message);
}

/* Each membership of the older session gets a successor in the new one. Returns whether there was memory for all. */
static bool inherit(qd_session *session, qd_session *older)
{
    while (!LIST_EMPTY(&older->list)) {
        qd_membership *membership = LIST_FIRST(&older->list);
        qd_membership *successor = qd_session_join(session, membership->actor, membership->rights);

        if (successor == NULL) {
            return false;
        }
        successor->acked_tick = membership->acked_tick;
        successor->writes = membership->writes;
        membership->writes = false;
        membership->successor = successor;
        qd_session_leave(older, membership, false, 0);
    }
    return true;
}

/* The wait is over. `older` may be NULL: there is nothing to resume. */
static void settle(qd_session *session, qd_session *older)
{
    if (session->state == QD_SESSION_RESUMING) {
        qd_link_resume(session->link);
    }
    if (older == NULL) {
        qd_resume_enable(session);
        qd_session_welcome(session, false);
        return;
    }
    session->last_seq = older->last_seq;
    qd_time_bucket_inherit(&session->endpoint->time, &older->endpoint->time);
    session->since_ns = older->since_ns;
    qd_count(&session->service->counters, QD_COUNT_RESUMED, 1);
    qd_log(QD_LOG_AUDIT, "session taken over", QD_LOG_NUMBER("session", session->endpoint->session),
           QD_LOG_PEER(session->link->peer), QD_LOG_STRING("client", session->client));
    qd_log(QD_LOG_DEBUG, "resumed", QD_LOG_NUMBER("session", session->endpoint->session),
           QD_LOG_PEER(session->link->peer));
    /* Before the rooms send anything. */
    qd_session_welcome(session, true);
    if (!inherit(session, older)) {
        qd_session_end(session, session->hello_seq, QD_ERROR_LIMIT,
                       "the server has no memory left to resume a session (--memory-max). Connect again later");
    }
    qd_session_destroy(older);
}

void qd_resume_try(qd_session *session)
{
    bool wait;
    qd_session *older = qd_sessions_resume(session->sessions, session, &wait);

    if (!wait || qd_service_now_ns(session->service) >= session->give_up_ns) {
        settle(session, older);
        return;
    }
    if (session->state != QD_SESSION_RESUMING) {
        session->state = QD_SESSION_RESUMING;
        qd_link_pause(session->link);
    }
    qd_link_deadline(session->link, LOOK_MS);
}

void qd_resume_start(qd_session *session, const qd_msg_key *key)
{
    session->give_up_ns = qd_service_now_ns(session->service) + QD_HELLO_MS_MAX * UINT64_C(1000000);
    session->wanted_number = 0; /* no session's */
    if (key->size == QD_RESUME_KEY_BYTES) {
        memcpy(&session->wanted_number, key->bytes, sizeof session->wanted_number);
        memcpy(session->wanted_secret, key->bytes + sizeof session->wanted_number, sizeof session->wanted_secret);
    }
    qd_resume_try(session);
}
