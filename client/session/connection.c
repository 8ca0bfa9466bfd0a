/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a session's connections: connect, Hello, ping, give up, wait, connect again.
 */
#include <stdio.h>
#include <string.h>

#include "session.h"

/* ---- waiting ---- */

uint64_t qd_backoff_cap(const qd_session_options *options, uint32_t attempt)
{
    uint64_t cap = options->backoff_ms;

    for (uint32_t i = 0; i < attempt && cap < options->backoff_max_ms; i++) {
        cap *= 2;
    }
    return cap < options->backoff_max_ms ? cap : options->backoff_max_ms;
}

/* A random number of 64 bits (splitmix64). */
static uint64_t draw(qd_session *session)
{
    uint64_t z = session->random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Full jitter: the clients of a server that restarts do not come back at the same moment. */
uint64_t qd_backoff_draw(qd_session *session)
{
    return draw(session) % (qd_backoff_cap(&session->options, session->attempts) + 1);
}

/* ---- states ---- */

static void set_state(qd_session *session, qd_session_state state, const char *reason)
{
    session->state = state;
    session->moved = true;
    if (session->handlers.state != NULL) {
        session->handlers.state(session, state, reason, session->handlers.context);
    }
}

/* No further attempt helps. */
static bool is_final(const qd_client *client)
{
    return client != NULL && (client->last_code == QD_ERROR_UNAUTHENTICATED || client->last_code == QD_ERROR_VERSION);
}

void qd_connection_lost(qd_session *session, const char *reason)
{
    char text[sizeof session->problem];
    bool final = is_final(session->client);

    if (session->state == QD_SESSION_STATE_LOST || session->state == QD_SESSION_STATE_ENDED) {
        return;
    }
    uint64_t now = qd_session_now(session);
    snprintf(text, sizeof text, "%s", reason);
    memcpy(session->problem, text, sizeof text);
    qd_link_close(&session->link);
    /* A connection that held for long was a success; one that broke at once was not. */
    if (session->state == QD_SESSION_STATE_READY &&
        now - session->ready_ms >= qd_backoff_cap(&session->options, session->attempts)) {
        session->attempts = 0;
    }
    session->retry_ms = now + qd_backoff_draw(session);
    session->attempts += session->attempts < 32;
    for (qd_room *room = session->rooms; room != NULL; room = room->next) {
        qd_folding_lost(room);
    }
    set_state(session, final ? QD_SESSION_STATE_ENDED : QD_SESSION_STATE_LOST, session->problem);
    for (qd_room *room = session->rooms, *next; final && room != NULL; room = next) {
        next = room->next;
        qd_log_forget(room, QD_OUTCOME_ENDED);
    }
}

/* ---- connecting ---- */

static void say_hello(qd_session *session)
{
    static const char *const features[] = {QD_FEATURE_PINGS};
    bool resumes = session->has_key && !session->merged;
    qd_client_message hello = {.kind = QD_CLIENT_HELLO,
                               .as.hello = {.version = QD_PROTOCOL_VERSION,
                                            .token = session->token,
                                            .client = session->name,
                                            .resumable = true,
                                            .feature_count = sizeof features / sizeof features[0],
                                            .features = features,
                                            .resume = {resumes ? sizeof session->key : 0, session->key}}};

    /* Without a seq, so that it does not become Welcome.last_seq. */
    qd_client_send(session->client, &hello);
}

/* The certificate must name the host of the address. */
static bool use_tls(qd_session *session)
{
    char host[QD_CLIENT_ADDRESS_BYTES_MAX];
    const char *port;

    return session->options.tls == NULL || !qd_client_split_address(session->address, host, &port) ||
           qd_client_use_tls(session->client, session->options.tls, host) == QD_CLIENT_OK;
}

static void start(qd_session *session, uint64_t now)
{
    const char *reason;
    char text[QD_CLIENT_ERROR_BYTES_MAX];

    set_state(session, QD_SESSION_STATE_CONNECTING, "");
    session->deadline_ms = now + session->options.connect_ms;
    qd_client_destroy(session->client);
    session->client = qd_client_create();
    if (session->client == NULL) {
        qd_connection_lost(session, "out of memory");
        return;
    }
    if (!use_tls(session)) {
        qd_connection_lost(session, qd_client_error(session->client));
        return;
    }
    if (!qd_link_open(&session->link, session->address, &reason)) {
        snprintf(text, sizeof text, "%s: %s", session->address, reason);
        qd_connection_lost(session, text);
        return;
    }
    say_hello(session);
}

/* The first message of a connection. */
static void welcome(qd_session *session, const qd_msg_welcome *welcome)
{
    bool resumed = welcome->resumed && session->has_key;

    session->connects++;
    session->resumes += resumed;
    session->number = welcome->session;
    session->resume_ms = welcome->resume_ms;
    session->frame_bytes_max = qd_client_frame_bytes_max(session->client);
    session->has_key = welcome->resume_key.size == sizeof session->key;
    if (session->has_key) {
        memcpy(session->key, welcome->resume_key.bytes, sizeof session->key);
    }
    session->ready_ms = qd_session_now(session);
    session->state = QD_SESSION_STATE_READY;
    if (resumed) {
        qd_log_resume(session, welcome->last_seq);
    } else {
        session->merged = false;
        qd_log_restart(session);
    }
    for (qd_room *room = session->rooms, *next; room != NULL; room = next) {
        next = room->next;
        qd_restore_connected(room, resumed);
    }
    set_state(session, QD_SESSION_STATE_READY, "");
}

/* ---- exchange ---- */

static void take_messages(qd_session *session)
{
    const qd_server_message *message;

    session->stop = false;
    while (!session->stop && session->state != QD_SESSION_STATE_LOST && session->state != QD_SESSION_STATE_ENDED &&
           (message = qd_client_next(session->client)) != NULL) {
        session->moved = true;
        if (message->kind == QD_SERVER_WELCOME) {
            welcome(session, &message->as.welcome);
        } else {
            qd_incoming(session, message);
        }
    }
}

static void exchange(qd_session *session, uint64_t now)
{
    const char *reason;
    char text[QD_CLIENT_ERROR_BYTES_MAX];
    bool any = false;

    if (session->link.connecting) {
        if (!qd_link_connect(&session->link, &reason)) {
            snprintf(text, sizeof text, "%s: %s", session->address, reason);
            qd_connection_lost(session, text);
        }
        if (session->link.connecting || session->link.fd < 0) {
            return;
        }
    }
    /* The server's last messages are read even if nothing can be sent to it any more. */
    bool sends = qd_link_send(&session->link, session->client);
    bool receives = qd_link_receive(&session->link, session->client, &any);
    if (any) {
        session->heard_ms = now;
        session->pinged_ms = 0;
    }
    take_messages(session);
    if (session->link.fd < 0 || session->stop) {
        return;
    }
    if (qd_client_state(session->client) < 0) {
        qd_connection_lost(session, qd_client_error(session->client));
    } else if (!sends || !receives) {
        snprintf(text, sizeof text, "the connection to %s has broken", session->address);
        qd_connection_lost(session, text);
    } else if (!qd_link_send(&session->link, session->client)) { /* what the handlers have requested */
        snprintf(text, sizeof text, "the connection to %s has broken", session->address);
        qd_connection_lost(session, text);
    }
}

/* How long an answer to a ping may take. */
static uint64_t patience(const qd_session *session)
{
    uint32_t ping_ms = session->options.ping_ms, dead_ms = session->options.dead_ms;

    return dead_ms > ping_ms ? dead_ms - ping_ms : 1;
}

static bool is_missing(const qd_room *room)
{
    return room->missing && (room->state == QD_ROOM_READY || room->state == QD_ROOM_RESTORING);
}

static void look_after(qd_session *session, uint64_t now)
{
    char text[QD_CLIENT_ERROR_BYTES_MAX];

    if (session->state == QD_SESSION_STATE_CONNECTING && now >= session->deadline_ms) {
        snprintf(text, sizeof text, "%s: no answer within %u ms", session->address, session->options.connect_ms);
        qd_connection_lost(session, text);
    }
    if (session->state != QD_SESSION_STATE_READY) {
        return;
    }
    if (session->pinged_ms != 0 && now >= session->pinged_ms + patience(session)) {
        snprintf(text, sizeof text, "%s: the server was silent for %llu ms", session->address,
                 (unsigned long long)(now - session->heard_ms));
        qd_connection_lost(session, text);
        return;
    }
    if (session->pinged_ms == 0 && now >= session->heard_ms + session->options.ping_ms) {
        qd_client_message ping = {.kind = QD_CLIENT_PING};

        session->pinged_ms = now;
        qd_client_send(session->client, &ping);
        qd_link_send(&session->link, session->client);
    }
    for (qd_room *room = session->rooms; room != NULL; room = room->next) {
        if (room->state == QD_ROOM_WAITING && now >= room->retry_ms) {
            qd_restore_open(room);
        } else if (is_missing(room) && now >= room->respawn_ms) {
            qd_restore_missing(room);
        }
    }
}

void qd_session_process(qd_session *session)
{
    uint64_t now = qd_session_now(session);

    if (session->state == QD_SESSION_STATE_ENDED) {
        return;
    }
    if (session->state == QD_SESSION_STATE_LOST && now >= session->retry_ms) {
        start(session, now);
    }
    if (session->link.fd >= 0) {
        exchange(session, now);
    }
    if (!session->stop) {
        look_after(session, qd_session_now(session));
    }
    for (qd_room *room = session->rooms, *next; !session->stop && room != NULL; room = next) {
        next = room->next;
        if (room->state == QD_ROOM_LEFT) {
            qd_room_destroy(room);
        }
    }
}

/* ---- for poll(2) ---- */

int qd_session_fd(const qd_session *session)
{
    return session->link.poll;
}

static bool has_output(const qd_session *session)
{
    size_t size;

    return session->link.fd >= 0 && !session->link.connecting && !session->link.blocked &&
           qd_client_output(session->client, &size) != NULL;
}

static void earlier(uint64_t *due, uint64_t other)
{
    *due = other < *due ? other : *due;
}

int qd_session_timeout(const qd_session *session)
{
    uint64_t due = UINT64_MAX, now = qd_session_now(session);

    if (has_output(session)) {
        return 0;
    }
    switch (session->state) {
    case QD_SESSION_STATE_ENDED:
        return -1;
    case QD_SESSION_STATE_LOST:
        due = session->retry_ms;
        break;
    case QD_SESSION_STATE_CONNECTING:
        due = session->deadline_ms;
        break;
    case QD_SESSION_STATE_READY:
        if (session->stop) {
            return 0; /* messages are left */
        }
        due = session->pinged_ms != 0 ? session->pinged_ms + patience(session)
                                      : session->heard_ms + session->options.ping_ms;
        for (const qd_room *room = session->rooms; room != NULL; room = room->next) {
            if (room->state == QD_ROOM_WAITING) {
                earlier(&due, room->retry_ms);
            } else if (is_missing(room)) {
                earlier(&due, room->respawn_ms);
            }
        }
        break;
    }
    if (due <= now) {
        return 0;
    }
    return due - now < 60000 ? (int)(due - now) : 60000;
}
