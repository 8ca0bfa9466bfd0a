/* SPDX-License-Identifier: Apache-2.0
 *
 * A session: one link from its opening to its end, what it has proved about itself, and the rooms that it is in.
 *
 *     WAITING --Hello--> READY --> ENDED        (ENDED: said goodbye; what still comes in is not looked at)
 *         \-- Hello --> RESUMING --^              (RESUMING: the older connection of the session is just being closed)
 *
 * A session whose link has closed may be parked, without a thread, until it is resumed or its time is over (resume.h).
 * Confined to its link's loop thread, but for what is marked. Counted references: the link's (until closed) and one of
 * every seat, because a room may still answer when the link is gone.
 */
#ifndef QD_SESSION_SESSION_H
#define QD_SESSION_SESSION_H

#include "../actor/membership.h"
#include "../actor/token.h"
#include "../base/map.h"
#include "server.h"

typedef enum qd_session_state {
    QD_SESSION_WAITING,
    QD_SESSION_RESUMING,
    QD_SESSION_READY,
    QD_SESSION_ENDED
} qd_session_state;

typedef struct qd_session {
    /* set at creation [any] */
    qd_server *server;
    qd_link *link;   /* a reference */
    uint64_t number; /* that of the session that it resumes, from before it has seats */

    _Atomic uint32_t references;
    _Atomic bool too_slow; /* it is being closed for that */
    _Atomic bool cut_off;  /* its link has closed */
    qd_gate bytes;         /* of requests put into mailboxes and not handled */

    /* under the server's mutex */
    struct qd_session *previous, *next;
    bool resumable, taken_over;
    uint64_t secret[2]; /* with resumable */
    uint64_t expire_ns; /* while it is parked */

    qd_session_state state;
    bool admin;
    qd_token *token;     /* NULL where it is empty */
    qd_heap heap;        /* for the map */
    qd_map seats;        /* handle -> qd_seat */
    qd_seat *first_seat; /* the same, as a list */
    uint32_t sweep_count;
    uint32_t hello_seq, last_seq;
    /* While it is RESUMING. */
    uint64_t wanted_number, wanted_secret[2], give_up_ns;
} qd_session;

/* [any] */
void qd_session_acquire(qd_session *session);
void qd_session_release(qd_session *session);

/* How many bytes of requests may wait, over all rooms of a session. [any] */
size_t qd_session_bytes_max(const qd_session *session);

/* The session's part of the link handler; the context is the server. */
void qd_session_opened(void *server, qd_link *link);
void qd_session_frame(void *server, qd_link *link, const uint8_t *bytes, size_t size);
void qd_session_fault(void *server, qd_link *link, qd_link_fault fault, uint64_t value);
void qd_session_expired(void *server, qd_link *link);
void qd_session_drained(void *server, qd_link *link);
void qd_session_closed(void *server, qd_link *link);

/* ---- for dispatch.c ---- */

/* The seat in the room of that handle; NULL: the session is not in it, or it is closed. */
qd_seat *qd_session_seat(qd_session *session, uint64_t handle);
/* Takes a seat in a room; NULL: no memory. */
qd_seat *qd_session_sit(qd_session *session, struct qd_host *host) QD_MUST_USE;
/* Gives the seat up; the room answers RoomLeft with that seq, if `answered`. */
void qd_session_stand(qd_session *session, qd_seat *seat, bool answered, uint32_t seq);
/* Gives up all seats, and the reference of the link, which is closed. [whoever has the session alone] */
void qd_session_finish(qd_session *session);
/* Welcome. */
void qd_session_welcome(qd_session *session, bool resumed);
/* Keeps the token. */
qd_status qd_session_token_set(qd_session *session, const char *token) QD_MUST_USE;
/* Error, GoAway, close: see qd_reply_end. */
#define qd_session_end(session, seq, code, ...)                                                                        \
    ((session)->state = QD_SESSION_ENDED, qd_reply_end((session)->server, (session)->link, (seq), (code), __VA_ARGS__))

#endif
