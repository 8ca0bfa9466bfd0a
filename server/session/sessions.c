/* SPDX-License-Identifier: Apache-2.0 */
#include "sessions.h"

#include <string.h>

#include "../actor/service/reply.h"
#include "../base/assert.h"
#include "../base/log.h"
#include "../base/memory/alloc.h"
#include "check/quotas.h"

/* How many rooms a session leaves in one go. */
#define LEFT_AT_ONCE 64u

/* How often the wall clock is read while tokens may expire. */
#define EXPIRY_NS UINT64_C(1000000000)

/* ---- the lists, under the lock ---- */

/* Returns whether the session is detached. */
static bool detach(qd_sessions *sessions, qd_session *session)
{
    qd_service *service = sessions->service;
    const qd_scheduler *scheduler = service->config.scheduler;
    const qd_limits *limits = &service->config.limits;

    if (!session->resumable || limits->resume_ms_max == 0 || atomic_load(&sessions->stopping) || session->revoked) {
        return false;
    }
    if (sessions->detached_count >= limits->connections_max) {
        qd_count(&service->counters, QD_COUNT_NOT_KEPT, 1);
        qd_log(QD_LOG_WARN, "a session is not kept: too many wait to be resumed (--connections-max)",
               QD_LOG_NUMBER("session", session->endpoint->session),
               QD_LOG_NUMBER("detached", sessions->detached_count), QD_LOG_PEER(session->link->peer));
        return false;
    }
    qd_shortage shortage;
    if (qd_account_take(session->endpoint->account->tenant, QD_QUOTA_DETACHED, 1, &shortage) == 0) {
        qd_count_refusal(&service->counters, &shortage);
        qd_count(&service->counters, QD_COUNT_NOT_KEPT, 1);
        return false;
    }
    session->detached = true;
    session->expire_ns = qd_service_now_ns(service) + limits->resume_ms_max * UINT64_C(1000000);
    if (TAILQ_EMPTY(&sessions->detached)) {
        scheduler->wake(scheduler->context, &sessions->timer);
    }
    TAILQ_INSERT_TAIL(&sessions->detached, session, links);
    atomic_store(&service->detached, ++sessions->detached_count);
    return true;
}

static void undetach(qd_sessions *sessions, qd_session *session)
{
    TAILQ_REMOVE(&sessions->detached, session, links);
    session->detached = false;
    qd_account_give(session->endpoint->account->tenant, QD_QUOTA_DETACHED, 1);
    atomic_store(&sessions->service->detached, --sessions->detached_count);
}

/* ---- tokens that expire, under the lock ---- */

static uint64_t expires_s(const qd_session *session)
{
    return session->joined != NULL && !session->revoked ? session->joined->expires_s : UINT64_MAX;
}

void qd_sessions_note_expiry(qd_sessions *sessions, const qd_session *session)
{
    const qd_scheduler *scheduler = sessions->service->config.scheduler;
    const uint64_t at_s = expires_s(session);

    if (at_s >= sessions->token_expires_s) {
        return;
    }
    /* The timer actor looks each second once there is a time. */
    if (sessions->token_expires_s == UINT64_MAX) {
        scheduler->wake(scheduler->context, &sessions->timer);
    }
    sessions->token_expires_s = at_s;
}

void qd_sessions_end_detached(qd_sessions *sessions, qd_session *session)
{
    /* The timer actor ends those in front whose time is over. */
    session->revoked = true;
    session->expire_ns = 0;
    TAILQ_REMOVE(&sessions->detached, session, links);
    TAILQ_INSERT_HEAD(&sessions->detached, session, links);
}

/* Ends the session if its token has expired; otherwise keeps in mind when it does. */
static void end_expired(qd_sessions *sessions, qd_session *session, uint64_t now_s)
{
    const uint64_t at_s = expires_s(session);

    if (at_s > now_s) {
        sessions->token_expires_s = at_s < sessions->token_expires_s ? at_s : sessions->token_expires_s;
        return;
    }
    qd_log(QD_LOG_AUDIT, "token expired", QD_LOG_NUMBER("session", session->endpoint->session));
    if (session->detached) {
        qd_sessions_end_detached(sessions, session);
    } else {
        qd_session_revoke(session, "this session's token has expired. Connect again with a new token");
    }
}

/* Looks through all sessions, at most once a second. */
static void end_all_expired(qd_sessions *sessions, uint64_t now_s)
{
    qd_session *session, *next;

    sessions->token_expires_s = UINT64_MAX;
    TAILQ_FOREACH (session, &sessions->open, links) {
        end_expired(sessions, session, now_s);
    }
    for (session = TAILQ_FIRST(&sessions->detached); session != NULL; session = next) {
        next = TAILQ_NEXT(session, links);
        end_expired(sessions, session, now_s);
    }
}

/* Returns when to look again. */
static uint64_t check_expiry(qd_sessions *sessions, uint64_t now_ns)
{
    pthread_mutex_lock(&sessions->mutex);
    if (sessions->token_expires_s != UINT64_MAX) {
        const uint64_t now_s = qd_service_wall_s(sessions->service);

        if (sessions->token_expires_s <= now_s) {
            end_all_expired(sessions, now_s);
        }
    }
    const uint64_t due_ns = sessions->token_expires_s != UINT64_MAX ? now_ns + EXPIRY_NS : QD_NEVER;
    pthread_mutex_unlock(&sessions->mutex);
    return due_ns;
}

/* ---- the timer actor ---- */

/* Takes out the first detached session if its time is over. *due_ns: when to look again. */
static qd_session *take_expired(qd_sessions *sessions, uint64_t now_ns, uint64_t *due_ns)
{
    pthread_mutex_lock(&sessions->mutex);
    qd_session *session = TAILQ_FIRST(&sessions->detached);
    if (session != NULL && (session->expire_ns <= now_ns || atomic_load(&sessions->ending))) {
        undetach(sessions, session);
        (void)qd_map_remove(&sessions->by_number, session->endpoint->session);
    } else {
        *due_ns = session != NULL ? session->expire_ns : QD_NEVER;
        session = NULL;
    }
    pthread_mutex_unlock(&sessions->mutex);
    return session;
}

/* Has the timer actor destroy a session that nobody uses any more. Under the lock. */
static void put_leaving(qd_sessions *sessions, qd_session *session)
{
    const qd_scheduler *scheduler = sessions->service->config.scheduler;

    TAILQ_INSERT_TAIL(&sessions->leaving, session, links);
    scheduler->wake_behind(scheduler->context, &sessions->timer);
}

static qd_session *first_leaving(qd_sessions *sessions)
{
    pthread_mutex_lock(&sessions->mutex);
    qd_session *session = TAILQ_FIRST(&sessions->leaving);
    pthread_mutex_unlock(&sessions->mutex);
    return session;
}

/* Gives up some rooms of the first leaving session, and destroys it after the last one. Returns whether there was one. */
static bool leave_some(qd_sessions *sessions)
{
    qd_session *session = first_leaving(sessions);

    if (session == NULL) {
        return false;
    }
    if (qd_session_leave_some(session, LEFT_AT_ONCE)) {
        pthread_mutex_lock(&sessions->mutex);
        TAILQ_REMOVE(&sessions->leaving, session, links);
        pthread_mutex_unlock(&sessions->mutex);
        qd_session_destroy(session);
    }
    return true;
}

static void retired(qd_actor *timer)
{
    qd_sessions *sessions = (qd_sessions *)((char *)timer - offsetof(qd_sessions, timer));

    atomic_store(&sessions->timer_retired, true);
}

static void run_timer(qd_actor *timer)
{
    qd_sessions *sessions = (qd_sessions *)((char *)timer - offsetof(qd_sessions, timer));
    const qd_scheduler *scheduler = sessions->service->config.scheduler;
    bool ending = atomic_load(&sessions->ending);
    const uint64_t now_ns = qd_service_now_ns(sessions->service);
    const uint64_t expiry_ns = ending ? QD_NEVER : check_expiry(sessions, now_ns);
    uint64_t due_ns;
    qd_session *session;
    bool more;

    while ((session = take_expired(sessions, now_ns, &due_ns)) != NULL) {
        qd_log(QD_LOG_DEBUG, "not resumed", QD_LOG_NUMBER("session", session->endpoint->session));
        pthread_mutex_lock(&sessions->mutex);
        put_leaving(sessions, session);
        pthread_mutex_unlock(&sessions->mutex);
    }
    do {
        more = leave_some(sessions);
    } while (more && ending);
    scheduler->wake_at(scheduler->context, timer, expiry_ns < due_ns ? expiry_ns : due_ns);
    if (more) {
        scheduler->wake_behind(scheduler->context, timer);
    }
    if (ending) {
        scheduler->retire(scheduler->context, timer, retired);
    }
}

/* ---- open sessions ---- */

/* Under the lock. */
static void apply_quotas(const qd_sessions *sessions)
{
    const qd_tokens *tokens = sessions->tokens;

    qd_quotas_set(&sessions->service->accounts.quotas, &sessions->quotas, qd_memory_limit(),
                  tokens != NULL && tokens->count == 1);
}

void qd_sessions_set_tokens(qd_sessions *sessions, qd_tokens *tokens)
{
    sessions->tokens = qd_tokens_acquire(tokens);
    apply_quotas(sessions);
}

void qd_sessions_set_quotas(qd_sessions *sessions, const qd_limits *limits)
{
    pthread_mutex_lock(&sessions->mutex);
    sessions->quotas = *limits;
    apply_quotas(sessions);
    pthread_mutex_unlock(&sessions->mutex);
}

void qd_sessions_init(qd_sessions *sessions, qd_service *service, qd_tokens *tokens)
{
    *sessions = (qd_sessions){.service = service, .quotas = service->config.limits, .token_expires_s = UINT64_MAX};
    qd_sessions_set_tokens(sessions, tokens);
    TAILQ_INIT(&sessions->open);
    TAILQ_INIT(&sessions->detached);
    TAILQ_INIT(&sessions->leaving);
    pthread_mutex_init(&sessions->mutex, NULL);
    qd_heap_init(&sessions->heap);
    /* Clients cannot choose session numbers, so the map needs no salt. */
    qd_map_init(&sessions->by_number, &sessions->heap, 0);
    qd_actor_init(&sessions->timer, run_timer);
}

void qd_sessions_deinit(qd_sessions *sessions)
{
    QD_ASSERT(TAILQ_EMPTY(&sessions->open) && TAILQ_EMPTY(&sessions->detached) && TAILQ_EMPTY(&sessions->leaving));
    qd_tokens_release(sessions->tokens);
    qd_map_deinit(&sessions->by_number);
    qd_heap_deinit(&sessions->heap);
    pthread_mutex_destroy(&sessions->mutex);
}

void qd_sessions_add(qd_sessions *sessions, qd_session *session)
{
    session->endpoint->session = atomic_fetch_add(&sessions->ever, 1) + 1;
    pthread_mutex_lock(&sessions->mutex);
    TAILQ_INSERT_HEAD(&sessions->open, session, links);
    atomic_fetch_add(&sessions->service->sessions, 1);
    pthread_mutex_unlock(&sessions->mutex);
}

void qd_sessions_remove(qd_sessions *sessions, qd_session *session, bool may_detach)
{
    pthread_mutex_lock(&sessions->mutex);
    TAILQ_REMOVE(&sessions->open, session, links);
    atomic_fetch_sub(&sessions->service->sessions, 1);
    if (session->is_counted) {
        qd_account_give(session->endpoint->account->tenant, QD_QUOTA_CONNECTIONS, 1);
        session->is_counted = false;
    }
    bool detached = may_detach && detach(sessions, session);
    if (!detached && session->resumable) {
        (void)qd_map_remove(&sessions->by_number, session->endpoint->session);
    }
    /* Leaving thousands of rooms would keep the loop from its other links. */
    bool leaves = !detached && session->memberships.count > LEFT_AT_ONCE && !atomic_load(&sessions->ending);
    if (leaves) {
        put_leaving(sessions, session);
    }
    pthread_mutex_unlock(&sessions->mutex);
    if (!detached && !leaves) {
        qd_session_destroy(session);
    }
}

/* ---- listing ---- */

void qd_sessions_introduce(qd_sessions *sessions, qd_session *session)
{
    pthread_mutex_lock(&sessions->mutex);
    session->introduced = true;
    pthread_mutex_unlock(&sessions->mutex);
}

static bool may_see(const qd_session *by, const qd_session *session)
{
    return by == NULL || session == by || by->grant->role == QD_ROLE_ADMIN ||
           qd_token_same(by->endpoint->token, session->endpoint->token);
}

/* The rows of a list, in ascending order of the number. */
typedef struct session_rows {
    uint32_t count, max;
    bool more;
    qd_msg_session_info *row;
    qd_session_name *names;
    qd_session_link *links; /* or NULL */
} session_rows;

static void put_link(qd_session_link *row, const qd_session *session)
{
    *row = (qd_session_link){.peer = ""};
    if (!session->detached) {
        memcpy(row->peer, session->link->peer, sizeof row->peer);
        row->queued_bytes = qd_link_queued(session->link);
    }
}

/* Puts the session at its place, if it is among the first `max`. Most come in ascending order, at the end. */
static void add_row(session_rows *rows, const qd_session *session, qd_msg_session_info info)
{
    uint32_t at = rows->count;

    while (at > 0 && rows->row[at - 1].session > info.session) {
        at--;
    }
    if (rows->count == rows->max) {
        rows->more = true;
        if (at == rows->max) {
            return;
        }
        rows->count--;
    }
    memmove(&rows->row[at + 1], &rows->row[at], (rows->count - at) * sizeof *rows->row);
    memmove(&rows->names[at + 1], &rows->names[at], (rows->count - at) * sizeof *rows->names);
    memcpy(rows->names[at], session->client, sizeof *rows->names);
    if (rows->links != NULL) {
        memmove(&rows->links[at + 1], &rows->links[at], (rows->count - at) * sizeof *rows->links);
        put_link(&rows->links[at], session);
    }
    rows->row[at] = info;
    rows->count++;
}

static void list_one(const qd_session *by, const qd_msg_list_sessions *wanted, qd_session *session, session_rows *rows)
{
    const uint64_t number = session->endpoint->session;

    if (!session->introduced || number <= wanted->after || !may_see(by, session)) {
        return;
    }
    bool is_in;
    uint32_t rooms = qd_session_count_rooms(session, wanted->room, &is_in);
    if (wanted->room != 0 && !is_in) {
        return;
    }
    uint64_t age_ns = qd_service_now_ns(session->service) - session->since_ns;
    add_row(rows, session,
            (qd_msg_session_info){
                .session = number, .detached = session->detached, .rooms = rooms, .age_ms = age_ns / 1000000});
}

uint32_t qd_sessions_list(qd_sessions *sessions, const qd_session *by, const qd_msg_list_sessions *wanted, uint32_t max,
                          qd_msg_session_info *rows, qd_session_name *names, qd_session_link *links, bool *more)
{
    session_rows listed = {.max = max, .row = rows, .names = names, .links = links};
    qd_session *session;

    pthread_mutex_lock(&sessions->mutex);
    TAILQ_FOREACH (session, &sessions->detached, links) {
        list_one(by, wanted, session, &listed);
    }
    /* New sessions are put in front. */
    TAILQ_FOREACH_REVERSE(session, &sessions->open, qd_session_list, links)
    {
        list_one(by, wanted, session, &listed);
    }
    pthread_mutex_unlock(&sessions->mutex);
    for (uint32_t i = 0; i < listed.count; i++) {
        rows[i].client = names[i];
    }
    *more = listed.more;
    return listed.count;
}

/* ---- resuming ---- */

void qd_sessions_enable_resume(qd_sessions *sessions, qd_session *session, const uint64_t secret[2])
{
    pthread_mutex_lock(&sessions->mutex);
    if (qd_map_put(&sessions->by_number, session->endpoint->session, (uintptr_t)session) == QD_OK) {
        session->resumable = true;
        session->secret[0] = secret[0];
        session->secret[1] = secret[1];
    }
    pthread_mutex_unlock(&sessions->mutex);
}

/* The resumable session with the number, secret and token of `by`, unless it is about to end. Another join token of the
 * same holder will do if it allows the same, since rights in rooms are kept. Comparing the secret takes the same time
 * however much of it is right. */
static qd_session *find(const qd_sessions *sessions, const qd_session *by)
{
    uint64_t value;

    if (!qd_map_get(&sessions->by_number, by->wanted_number, &value)) {
        return NULL;
    }
    qd_session *session = (qd_session *)(uintptr_t)value;
    uint64_t difference = (session->secret[0] ^ by->wanted_secret[0]) | (session->secret[1] ^ by->wanted_secret[1]);
    const qd_token *token = session->endpoint->token, *wanted = by->endpoint->token;
    bool same_token = (token == NULL && wanted == NULL) || qd_token_same(token, wanted);
    return difference == 0 && same_token && qd_grant_same(session->grant, by->grant) && !session->revoked ? session
                                                                                                          : NULL;
}

static void take_over(qd_session *session)
{
    if (session->taken_over) {
        return;
    }
    session->taken_over = true;
    qd_reply_send(session->service, session->link,
                  &(qd_server_message){.kind = QD_SERVER_GO_AWAY,
                                       .as.go_away = {.reason = QD_GO_AWAY_TAKEN_OVER,
                                                      .text = "another connection has resumed the session"}});
    qd_link_close(session->link, 0);
}

qd_session *qd_sessions_resume(qd_sessions *sessions, qd_session *by, bool *wait)
{
    pthread_mutex_lock(&sessions->mutex);
    qd_session *session = find(sessions, by);
    *wait = session != NULL && !session->detached;
    if (*wait) {
        take_over(session);
        session = NULL;
    } else if (session != NULL) {
        undetach(sessions, session);
        by->endpoint->session = session->endpoint->session;
        /* What the session holds stays charged to its account. */
        qd_account_release(by->endpoint->account);
        by->endpoint->account = qd_account_acquire(session->endpoint->account);
        by->resumable = true;
        by->secret[0] = session->secret[0];
        by->secret[1] = session->secret[1];
        qd_status status = qd_map_put(&sessions->by_number, by->endpoint->session, (uintptr_t)by);
        QD_ASSERT(status == QD_OK); /* the key is there */
    }
    pthread_mutex_unlock(&sessions->mutex);
    return session;
}

/* ---- stopping ---- */

void qd_sessions_go_away(qd_sessions *sessions, uint32_t deadline_ms)
{
    qd_service *service = sessions->service;
    const qd_scheduler *scheduler = service->config.scheduler;
    qd_buffer *buffer = qd_reply_encode(&(qd_server_message){
        .kind = QD_SERVER_GO_AWAY,
        .as.go_away = {.reason = QD_GO_AWAY_SHUTDOWN, .text = "the server is stopping", .deadline_ms = deadline_ms}});

    pthread_mutex_lock(&sessions->mutex);
    qd_session *session;
    TAILQ_FOREACH (session, &sessions->open, links) {
        /* A session without room in its queue is closed anyway. */
        if (buffer != NULL) {
            (void)qd_reply_queue(service, session->link, &buffer, 1, QD_LINK_REPLY);
        }
        qd_link_close(session->link, deadline_ms);
    }
    atomic_store(&sessions->ending, true);
    pthread_mutex_unlock(&sessions->mutex);
    if (buffer != NULL) {
        qd_buffer_release(buffer);
    }
    scheduler->wake(scheduler->context, &sessions->timer);
}
