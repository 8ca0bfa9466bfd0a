/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <inttypes.h>

#include "../actor/reply.h"
#include "../actor/room_actor.h"
#include "../base/assert.h"
#include "../base/log.h"
#include "dispatch.h"
#include "resume.h"

#define SWEEP_COUNT_MIN 16u

void qd_session_acquire(qd_session *session)
{
    atomic_fetch_add_explicit(&session->references, 1, memory_order_relaxed);
}

void qd_session_release(qd_session *session)
{
    if (atomic_fetch_sub_explicit(&session->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    qd_link_release(session->link);
    qd_token_release(session->token);
    qd_shared_free(session, sizeof *session);
}

size_t qd_session_bytes_max(const qd_session *session)
{
    return 2 * (size_t)session->server->config.limits.frame_bytes_max;
}

static void list_add(qd_server *server, qd_session *session)
{
    pthread_mutex_lock(&server->sessions_mutex);
    session->next = server->sessions;
    if (session->next != NULL) {
        session->next->previous = session;
    }
    server->sessions = session;
    server->session_count++;
    pthread_mutex_unlock(&server->sessions_mutex);
}

/* Out of the list of open links, and among the parked ones, if it may be: returns whether it is. */
static bool list_remove(qd_server *server, qd_session *session, bool may_park)
{
    pthread_mutex_lock(&server->sessions_mutex);
    if (session->previous != NULL) {
        session->previous->next = session->next;
    } else {
        server->sessions = session->next;
    }
    if (session->next != NULL) {
        session->next->previous = session->previous;
    }
    server->session_count--;
    bool parked = may_park && qd_resume_park(server, session);
    pthread_mutex_unlock(&server->sessions_mutex);
    return parked;
}

void qd_session_opened(void *context, qd_link *link)
{
    qd_server *server = context;

    link->session = NULL;
    qd_session *session = qd_shared_alloc(sizeof *session);
    if (session == NULL) {
        qd_reply_give_up(server, link);
        return;
    }
    *session = (qd_session){
        .server = server,
        .link = link,
        .number = atomic_fetch_add(&server->sessions_ever, 1) + 1,
        .sweep_count = SWEEP_COUNT_MIN,
    };
    atomic_init(&session->references, 1);
    qd_link_acquire(link);
    qd_gate_init(&session->bytes);
    qd_heap_init(&session->heap);
    qd_map_init(&session->seats, &session->heap, qd_server_random(server));
    link->session = session;
    list_add(server, session);
    qd_link_frame_bytes_max(link, QD_FRAME_BYTES_BEFORE_HELLO);
    qd_link_deadline(link, QD_HELLO_MS_MAX);
    qd_log(QD_LOG_DEBUG, "connected session=%" PRIu64 " peer=%s", session->number, link->peer);
}

void qd_session_frame(void *context, qd_link *link, const uint8_t *bytes, size_t size)
{
    (void)context;
    qd_session *session = link->session;
    if (session != NULL && session->state != QD_SESSION_ENDED) {
        qd_dispatch(session, bytes, size);
    }
}

void qd_session_fault(void *context, qd_link *link, qd_link_fault fault, uint64_t value)
{
    (void)context;
    qd_session *session = link->session;
    if (session == NULL || session->state == QD_SESSION_ENDED) {
        return;
    }
    switch (fault) {
    case QD_LINK_BAD_PREFIX:
        qd_session_end(session, 0, QD_ERROR_MALFORMED,
                       "the length before a frame is no varint of at most 5 bytes: send each ClientFrame behind its "
                       "length");
        return;
    case QD_LINK_FRAME_TOO_LONG: {
        bool waiting = session->state == QD_SESSION_WAITING;
        qd_session_end(session, 0, QD_ERROR_FRAME_TOO_LONG,
                       "the frame is %" PRIu64 " bytes long: at most %u are read%s", value,
                       waiting ? QD_FRAME_BYTES_BEFORE_HELLO : session->server->config.limits.frame_bytes_max,
                       waiting ? " before Hello" : " (--frame-max); split the batch");
        return;
    }
    case QD_LINK_NO_MEMORY:
        break;
    }
    qd_session_end(session, 0, QD_ERROR_LIMIT,
                   "the server has no memory left for this frame (--memory-max): connect again later");
}

void qd_session_expired(void *context, qd_link *link)
{
    (void)context;
    qd_session *session = link->session;
    if (session != NULL && session->state == QD_SESSION_RESUMING) {
        qd_resume_try(session);
    } else if (session != NULL && session->state == QD_SESSION_WAITING) {
        qd_session_end(session, 0, QD_ERROR_NO_HELLO, "no Hello came within %u ms: send it first", QD_HELLO_MS_MAX);
    }
}

void qd_session_drained(void *context, qd_link *link)
{
    (void)context;
    qd_session *session = link->session;
    if (session == NULL) {
        return;
    }
    for (qd_seat *seat = session->first_seat; seat != NULL; seat = seat->next) {
        if (atomic_load(&seat->behind)) {
            qd_host_wake(seat->host);
        }
    }
}

void qd_session_closed(void *context, qd_link *link)
{
    qd_server *server = context;
    qd_session *session = link->session;

    if (session == NULL) {
        return;
    }
    qd_log(QD_LOG_DEBUG, "closed session=%" PRIu64 " peer=%s", session->number, link->peer);
    link->session = NULL;
    if (session->state == QD_SESSION_RESUMING) {
        qd_link_resume(link);
    }
    atomic_store(&session->cut_off, true);
    bool may_park = session->state == QD_SESSION_READY && session->first_seat != NULL;
    session->state = QD_SESSION_ENDED;
    /* Its rooms wake when its time is over. Once it is parked it may be another thread's. */
    qd_host *host = may_park ? session->first_seat->host : NULL;
    if (host != NULL) {
        qd_host_use(host);
    }
    if (!list_remove(server, session, may_park)) {
        qd_session_finish(session);
    }
    if (host != NULL) {
        qd_host_unuse(host);
    }
}

void qd_session_finish(qd_session *session)
{
    while (session->first_seat != NULL) {
        qd_session_stand(session, session->first_seat, false, 0);
    }
    qd_map_deinit(&session->seats);
    qd_heap_deinit(&session->heap);
    qd_session_release(session);
}

qd_seat *qd_session_seat(qd_session *session, uint64_t handle)
{
    uint64_t value;

    if (!qd_map_get(&session->seats, handle, &value)) {
        return NULL;
    }
    qd_seat *seat = (qd_seat *)(uintptr_t)value;
    qd_seat_gone gone = atomic_load(&seat->gone);
    if (gone == QD_SEAT_THERE) {
        return seat;
    }
    if (gone == QD_SEAT_REFUSED || !session->resumable) {
        qd_session_stand(session, seat, false, 0);
    }
    return NULL;
}

/* Seats in rooms that were closed are given up when their handle is used again, which may be never: so all are looked
 * through each time that their number has doubled. Of a session that may be resumed they are given up here alone, at
 * the second look: by then its client has opened so many other rooms that it knows. */
static void sweep(qd_session *session)
{
    if (session->seats.count < session->sweep_count) {
        return;
    }
    for (qd_seat *seat = session->first_seat, *next; seat != NULL; seat = next) {
        next = seat->next;
        qd_seat_gone gone = atomic_load(&seat->gone);
        if (gone == QD_SEAT_CLOSED && session->resumable && !seat->swept) {
            seat->swept = true;
        } else if (gone != QD_SEAT_THERE) {
            qd_session_stand(session, seat, false, 0);
        }
    }
    session->sweep_count = 2 * session->seats.count;
    if (session->sweep_count < SWEEP_COUNT_MIN) {
        session->sweep_count = SWEEP_COUNT_MIN;
    }
}

qd_seat *qd_session_sit(qd_session *session, qd_host *host)
{
    sweep(session);
    qd_seat *seat = qd_seat_create(host, session);
    if (seat == NULL) {
        return NULL;
    }
    if (qd_map_put(&session->seats, host->named.handle, (uintptr_t)seat) != QD_OK) {
        qd_seat_destroy(seat);
        return NULL;
    }
    seat->next = session->first_seat;
    if (seat->next != NULL) {
        seat->next->previous = seat;
    }
    session->first_seat = seat;
    qd_host_use(host);
    return seat;
}

void qd_session_stand(qd_session *session, qd_seat *seat, bool answered, uint32_t seq)
{
    bool there = qd_map_remove(&session->seats, seat->host->named.handle);

    QD_ASSERT(there);
    if (seat->previous != NULL) {
        seat->previous->next = seat->next;
    } else {
        session->first_seat = seat->next;
    }
    if (seat->next != NULL) {
        seat->next->previous = seat->previous;
    }
    seat->leave_answered = answered;
    seat->leave_seq = seq;
    qd_host_leave(seat->host, seat);
}

void qd_session_welcome(qd_session *session, bool resumed)
{
    const qd_limits *limits = &session->server->config.limits;
    uint8_t key[QD_RESUME_KEY_BYTES];
    qd_server_message message = {.seq = session->hello_seq,
                                 .kind = QD_SERVER_WELCOME,
                                 .as.welcome = {.version = QD_PROTOCOL_VERSION,
                                                .server = qd_server_name,
                                                .session = session->number,
                                                .limits = {
                                                    .frame_bytes_max = limits->frame_bytes_max,
                                                    .rooms_max = limits->rooms_max,
                                                    .entities_max = limits->entities_max,
                                                    .events_max = limits->events_max,
                                                    .name_bytes_max = QD_ROOM_NAME_BYTES_MAX,
                                                    .queue_bytes_max = limits->queue_bytes_max,
                                                    .slow_ms_max = limits->slow_ms_max,
                                                    .observers_max = limits->observers_max,
                                                    .sightings_max = limits->sightings_max,
                                                    .roster_ids_max = limits->roster_ids_max,
                                                }}};

    if (session->resumable) {
        qd_resume_key(session, key);
        message.as.welcome.resume_key = (qd_msg_key){sizeof key, key};
        message.as.welcome.resume_ms = limits->resume_ms_max;
        message.as.welcome.resumed = resumed;
        message.as.welcome.last_seq = resumed ? session->last_seq : 0;
    }
    session->state = QD_SESSION_READY;
    qd_link_deadline(session->link, 0);
    qd_link_frame_bytes_max(session->link, limits->frame_bytes_max);
    qd_reply_send(session->server, session->link, &message);
}

qd_status qd_session_token_set(qd_session *session, const char *token)
{
    if (token[0] == '\0') {
        return QD_OK;
    }
    session->token = qd_token_create(token);
    return session->token != NULL ? QD_OK : QD_ERR_NO_MEMORY;
}
