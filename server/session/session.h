/* SPDX-License-Identifier: Apache-2.0
 *
 * A session: one link from its opening to its end, what its client has proved about itself, and its memberships in
 * rooms.
 *
 *     WAITING --Hello--> READY --> ENDED        (ENDED: GoAway is sent; frames that still come are ignored)
 *         \-- Hello --> RESUMING --^            (RESUMING: the session's older connection is just being closed)
 *
 * When its link closes, a session may be detached until it is resumed or its time is over (sessions.h). It belongs to
 * the loop thread of its link, and while it is detached to the thread that takes it out of there. Rooms use its endpoint.
 */
#ifndef QD_SESSION_SESSION_H
#define QD_SESSION_SESSION_H

#include <pthread.h>

#include "../actor/room_actor.h"
#include "../base/memory/map.h"
#include "check/join_grant.h"
#include "joined_moves.h"

struct qd_sessions;

/* How long a client has to send Hello. */
#define QD_HELLO_MS_MAX 2000u

typedef enum qd_session_state {
    QD_SESSION_WAITING,
    QD_SESSION_RESUMING,
    QD_SESSION_READY,
    QD_SESSION_ENDED
} qd_session_state;

typedef struct qd_session {
    struct qd_sessions *sessions;
    qd_service *service;
    qd_link *link;         /* the endpoint's */
    qd_endpoint *endpoint; /* a reference */

    /* under the lock of `sessions` */
    TAILQ_ENTRY(qd_session) links; /* in one of its two lists */
    bool resumable, taken_over, detached;
    bool introduced;    /* the client has got Welcome: `client`, `since_ns` and the endpoint are constant */
    uint64_t secret[2]; /* with `resumable` */
    uint64_t expire_ns; /* with `detached` */

    bool revoked;    /* its token is not valid any more: it is neither detached nor resumed */
    bool is_counted; /* as a connection of its token */
    /* What its token allows, and the table that this points into, with a reference; NULL before a Hello that is good.
     * Then constant, and read without the lock. */
    const qd_grant *grant;
    qd_tokens *tokens;     /* NULL: the server has no tokens */
    qd_join_grant *joined; /* has the grant of a join token; else NULL */

    qd_session_state state;
    bool pings;                                /* the feature is in use */
    uint64_t ping_ns;                          /* when the Ping was sent that waits for a Pong; 0: none waits */
    char client[QD_CLIENT_NAME_BYTES_MAX + 1]; /* the client's name */
    uint64_t since_ns;                         /* when the client introduced itself first */
    pthread_mutex_t rooms_mutex;               /* for changes of the next three, and for other threads to read them */
    qd_heap heap;                              /* for the map */
    qd_map memberships;                        /* handle -> qd_membership */
    LIST_HEAD(, qd_membership) list;           /* the same */
    uint32_t sweep_count;
    qd_waiting_moves waiting; /* until the link has delivered what it has */
    uint64_t hello_seq, last_seq;
    /* while it is RESUMING */
    uint64_t wanted_number, wanted_secret[2], give_up_ns;
} qd_session;

/* A session for that link, with a reference to the endpoint. NULL: no memory. [loop] */
qd_session *qd_session_create(struct qd_sessions *sessions, qd_service *service, qd_link *link) QD_MUST_USE;
/* Gives up that many memberships of a session whose link is closed. Returns whether none is left. [loop], or the timer
 * actor */
bool qd_session_leave_some(qd_session *session, uint32_t rooms);
/* Gives up all memberships and frees the session. Its link is closed. [loop], or the timer actor */
void qd_session_destroy(qd_session *session);

/* ---- [loop] ---- */

/* The membership in the room of that handle. NULL: the session is not in the room, or the room is closed. */
qd_membership *qd_session_membership(qd_session *session, uint64_t handle);
/* How many open rooms the session is in, as far as it knows. */
uint32_t qd_session_open_rooms(const qd_session *session);
/* Creates a membership in a room, with these QD_RIGHT_*. NULL: no memory. */
qd_membership *qd_session_join(qd_session *session, qd_room_actor *actor, uint8_t rights) QD_MUST_USE;
/* Gives the membership up. The room answers RoomLeft with that seq, if `answered`. */
void qd_session_leave(qd_session *session, qd_membership *membership, bool answered, uint64_t seq);

/* The number of open rooms that the session is in. With `handle`, also whether one of them has it. [any] */
uint32_t qd_session_count_rooms(qd_session *session, uint64_t handle, bool *is_in);

/* The membership in the room that the request names. NULL: there is none, and the error is answered. */
qd_membership *qd_session_expect_membership(qd_session *session, const qd_request *request, uint64_t room);
/* Posts the request to the membership's room, and sets *request to NULL. */
void qd_session_post(qd_membership *membership, qd_request **request);

/* Replies to a request of this session, with its seq. */
void qd_session_answer(qd_session *session, const qd_request *request, qd_server_message *message);
#define qd_session_fail(session, request, room, code, ...)                                                             \
    qd_reply_error((session)->service, (session)->link, (request)->decoded.message.seq, (room), (code), __VA_ARGS__)
#define qd_session_refuse(session, request, fault)                                                                     \
    qd_session_fail(session, request, (fault)->room, (fault)->code, "%s", (fault)->text)
/* GoAway and close. */
void qd_session_go_away(qd_session *session, qd_go_away_reason reason, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The session is neither detached nor resumed any more: GoAway REVOKED and close. Under the lock of `sessions`. [any] */
void qd_session_revoke(qd_session *session, const char *text);
/* Error, GoAway, close: see qd_reply_end. */
#define qd_session_end(session, seq, code, ...)                                                                        \
    ((session)->state = QD_SESSION_ENDED, qd_reply_end((session)->service, (session)->link, (seq), (code), __VA_ARGS__))

#endif
