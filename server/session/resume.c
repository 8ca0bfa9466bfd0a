/* SPDX-License-Identifier: Apache-2.0 */
#include "resume.h"

#include <inttypes.h>
#include <string.h>

#include "../actor/reply.h"
#include "../actor/room_actor.h"
#include "../base/assert.h"
#include "../base/log.h"
#include "../room/room_views.h"

/* How often a connection looks whether the older one is closed. */
#define LOOK_MS 10u

_Static_assert(QD_RESUME_KEY_BYTES == 3 * sizeof(uint64_t), "a number and a secret");

/* ---- keys ---- */

void qd_resume_enable(qd_session *session)
{
    qd_server *server = session->server;
    uint64_t first = qd_server_random(server), second = qd_server_random(server);

    pthread_mutex_lock(&server->sessions_mutex);
    session->resumable = true;
    session->secret[0] = first;
    session->secret[1] = second;
    pthread_mutex_unlock(&server->sessions_mutex);
}

void qd_resume_key(const qd_session *session, uint8_t *key)
{
    memcpy(key, &session->number, sizeof session->number);
    memcpy(key + sizeof session->number, session->secret, sizeof session->secret);
}

/* Takes as long for a secret that is nearly right as for any other. What may not be resumed is not looked at further:
 * it may be another thread's. */
static bool is_wanted(const qd_session *session, const qd_session *by)
{
    if (!session->resumable || session->number != by->wanted_number) {
        return false;
    }
    uint64_t difference = (session->secret[0] ^ by->wanted_secret[0]) | (session->secret[1] ^ by->wanted_secret[1]);
    bool have_none = session->token == NULL && by->token == NULL;
    return difference == 0 && (have_none || qd_token_same(session->token, by->token));
}

/* ---- the parked ones, under the mutex ---- */

static void update_due(qd_server *server)
{
    atomic_store(&server->parked_due_ns, server->parked == NULL ? QD_NEVER : server->parked->expire_ns);
}

bool qd_resume_park(qd_server *server, qd_session *session)
{
    uint32_t resume_ms = server->config.limits.resume_ms_max;

    if (!session->resumable || resume_ms == 0 || atomic_load(&server->stopping) ||
        server->parked_count >= server->config.limits.connections_max) {
        return false;
    }
    session->expire_ns = qd_server_now_ns(server) + resume_ms * UINT64_C(1000000);
    session->next = NULL;
    session->previous = server->parked_last;
    if (session->previous != NULL) {
        session->previous->next = session;
    } else {
        server->parked = session;
    }
    server->parked_last = session;
    server->parked_count++;
    update_due(server);
    return true;
}

static void unpark(qd_server *server, qd_session *session)
{
    if (session->previous != NULL) {
        session->previous->next = session->next;
    } else {
        server->parked = session->next;
    }
    if (session->next != NULL) {
        session->next->previous = session->previous;
    } else {
        server->parked_last = session->previous;
    }
    server->parked_count--;
    update_due(server);
}

void qd_resume_expire(qd_server *server, uint64_t now_ns)
{
    for (;;) {
        pthread_mutex_lock(&server->sessions_mutex);
        qd_session *session = server->parked;
        if (session != NULL && session->expire_ns <= now_ns) {
            unpark(server, session);
        } else {
            session = NULL;
        }
        pthread_mutex_unlock(&server->sessions_mutex);
        if (session == NULL) {
            return;
        }
        qd_log(QD_LOG_DEBUG, "not resumed session=%" PRIu64, session->number);
        qd_session_finish(session);
    }
}

/* ---- resuming ---- */

/* The session that is wanted: parked, and out of the list then. NULL: it is not there, or not yet: then *wait. */
static qd_session *find(qd_session *by, bool *wait)
{
    qd_server *server = by->server;

    *wait = false;
    for (qd_session *session = server->parked; session != NULL; session = session->next) {
        if (!is_wanted(session, by)) {
            continue;
        }
        unpark(server, session);
        return session;
    }
    for (qd_session *session = server->sessions; session != NULL && !*wait; session = session->next) {
        if (session == by || !is_wanted(session, by)) {
            continue;
        }
        *wait = true;
        if (session->taken_over) {
            break;
        }
        session->taken_over = true;
        qd_reply_send(server, session->link,
                      &(qd_server_message){.kind = QD_SERVER_GO_AWAY,
                                           .as.go_away = {.reason = QD_GO_AWAY_TAKEN_OVER,
                                                          .text = "the session goes on with another connection"}});
        qd_link_close(session->link, 0);
    }
    return NULL;
}

/* Each seat of the older session gets an heir in the new one. Returns whether there was memory for all. */
static bool inherit(qd_session *session, qd_session *older)
{
    while (older->first_seat != NULL) {
        qd_seat *seat = older->first_seat;
        qd_seat *heir = qd_session_sit(session, seat->host);

        if (heir == NULL) {
            return false;
        }
        heir->acked_tick = seat->acked_tick;
        heir->writes = seat->writes;
        seat->writes = false;
        seat->heir = heir;
        qd_session_stand(older, seat, false, 0);
    }
    return true;
}

static void settle(qd_session *session, qd_session *older)
{
    qd_server *server = session->server;

    if (session->state == QD_SESSION_RESUMING) {
        qd_link_resume(session->link);
    }
    if (older == NULL) {
        qd_resume_enable(session);
        qd_session_welcome(session, false);
        return;
    }
    pthread_mutex_lock(&server->sessions_mutex);
    session->number = older->number;
    session->resumable = true;
    memcpy(session->secret, older->secret, sizeof session->secret);
    pthread_mutex_unlock(&server->sessions_mutex);
    session->last_seq = older->last_seq;
    qd_count(server, QD_COUNT_RESUMED, 1);
    qd_log(QD_LOG_DEBUG, "resumed session=%" PRIu64 " peer=%s", session->number, session->link->peer);
    /* Before the rooms say anything. */
    qd_session_welcome(session, true);
    if (!inherit(session, older)) {
        qd_session_end(session, session->hello_seq, QD_ERROR_LIMIT,
                       "the server has no memory left to resume a session (--memory-max): connect again later");
    }
    qd_session_finish(older);
}

void qd_resume_try(qd_session *session)
{
    qd_server *server = session->server;
    bool wait;

    pthread_mutex_lock(&server->sessions_mutex);
    qd_session *older = find(session, &wait);
    pthread_mutex_unlock(&server->sessions_mutex);
    if (!wait || qd_server_now_ns(server) >= session->give_up_ns) {
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
    session->give_up_ns = qd_server_now_ns(session->server) + QD_HELLO_MS_MAX * UINT64_C(1000000);
    session->wanted_number = 0; /* nobody's */
    if (key->size == QD_RESUME_KEY_BYTES) {
        memcpy(&session->wanted_number, key->bytes, sizeof session->wanted_number);
        memcpy(session->wanted_secret, key->bytes + sizeof session->wanted_number, sizeof session->wanted_secret);
    }
    qd_resume_try(session);
}

/* ---- in a room: [run] ---- */

/* What was missed is told anew: the Applied of what is in, and resets. */
static void catch_up_heir(qd_host *host, qd_seat *heir, uint64_t acked_tick)
{
    qd_room_stats stats;

    qd_room_stats_get(host->room, &stats);
    if (heir->applied_seq != 0 && !heir->applied_early) {
        qd_reply_send(host->server, heir->session->link,
                      &(qd_server_message){
                          .kind = QD_SERVER_APPLIED,
                          .as.applied = {.room = host->named.handle, .tick = stats.tick, .seq = heir->applied_seq}});
    }
    qd_room_missed(host->room, heir->member, acked_tick);
    qd_room_resume(host->room, heir->member);
    qd_room_view_missed(host->room, heir->member, acked_tick);
    qd_room_view_resume(host->room, heir->member);
    host->resets_due = true;
}

void qd_resume_inherit(qd_host *host, qd_seat *seat)
{
    qd_seat *heir = seat->heir;

    heir->known = true;
    host->seats_known++;
    if (!seat->joined) {
        atomic_store(&heir->gone, host->room == NULL ? QD_SEAT_CLOSED : QD_SEAT_REFUSED);
        if (host->room == NULL) {
            qd_reply_send(
                host->server, heir->session->link,
                &(qd_server_message){.kind = QD_SERVER_ROOM_CLOSED,
                                     .as.room_closed = {.room = host->named.handle, .reason = host->closed_reason}});
        }
        return;
    }
    qd_host_let_go(host, seat);
    heir->joined = true;
    heir->member = seat->member;
    heir->lockstep = seat->lockstep;
    heir->applied_seq = seat->applied_seq;
    heir->applied_early = seat->applied_early;
    host->members[heir->member].seat = heir;
    qd_host_note(host, heir, seat->news_seq);
    catch_up_heir(host, heir, seat->acked_tick);
}
