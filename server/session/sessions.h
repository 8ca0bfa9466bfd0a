/* SPDX-License-Identifier: Apache-2.0
 *
 * The sessions of a server: those whose link is open, those that are detached, and the timer actor that ends the latter,
 * and each session whose token expires.
 *
 *     link closes --> DETACHED --Hello with its key--> its memberships go to the session of the new connection
 *            \           \--time is over--> LEAVING: the timer actor gives its memberships up, a few per run
 *             \--not resumable, many rooms--^
 *
 * A detached session belongs to no thread. It is in the list here, under the lock, and the thread that takes it out
 * owns it. Resumable sessions, detached or not, are found by their number.
 */
#ifndef QD_SESSION_SESSIONS_H
#define QD_SESSION_SESSIONS_H

#include <pthread.h>

#include "session.h"

typedef struct qd_sessions {
    qd_service *service;
    _Atomic uint64_t ever;
    _Atomic bool stopping; /* no room is opened and no session detached any more */
    _Atomic bool ending;   /* the detached sessions end now */

    /* For all that follows. Only `wake` of a scheduler is called inside, and links are sent to. */
    pthread_mutex_t mutex;
    qd_tokens *tokens;                            /* a reference; NULL: every token is accepted, for all rooms */
    qd_limits quotas;                             /* the limits of which the quotas hold now */
    TAILQ_HEAD(qd_session_list, qd_session) open; /* whose link is open */
    struct qd_session_list detached;              /* in the order in which they expire */
    struct qd_session_list leaving;               /* the timer actor gives up their rooms, and destroys them */
    uint32_t detached_count;
    qd_heap heap;
    qd_map by_number; /* number -> qd_session, of the resumable ones */

    /* When the first token of a session expires, or before; UINT64_MAX: none does. Until then, the timer actor compares
     * it with the wall clock each second, so that it follows a clock that is set. */
    uint64_t token_expires_s;

    qd_actor timer; /* runs when the first of the detached expires, for those that leave, and for tokens that expire */
    _Atomic bool timer_retired;
} qd_sessions;

/* Sets the tokens, with a reference, and the quotas that follow from them. Under the lock. */
void qd_sessions_set_tokens(qd_sessions *sessions, qd_tokens *tokens);
/* From now on, these are the quotas of sessions and tokens; other limits have no effect. A session
 * that has more keeps it, and gets no more. [any] */
void qd_sessions_set_quotas(qd_sessions *sessions, const qd_limits *limits);
/* Takes a reference to the tokens, and sets the quotas of the service's accounts. */
void qd_sessions_init(qd_sessions *sessions, qd_service *service, qd_tokens *tokens);
/* All sessions must be gone, and the timer actor retired. */
void qd_sessions_deinit(qd_sessions *sessions);

/* The handler for all links of these sessions, and so the entrance to this folder: a link has one session from `opened`
 * to `closed`. (link_handler.c) [any] */
qd_link_handler qd_sessions_link_handler(qd_sessions *sessions);

/* ---- [loop] ---- */

/* Adds a session whose link has opened, and gives it a number. */
void qd_sessions_add(qd_sessions *sessions, qd_session *session);
/* The link of the session has closed: detaches the session if `may_detach` and it is resumable, else destroys it. */
void qd_sessions_remove(qd_sessions *sessions, qd_session *session, bool may_detach);

/* The session has got its grant. Has the timer actor end the session when its token expires. Under the lock. */
void qd_sessions_note_expiry(qd_sessions *sessions, const qd_session *session);
/* Has the timer actor end a detached session, which cannot be resumed any more. Under the lock; the caller wakes the
 * timer actor. [any] */
void qd_sessions_end_detached(qd_sessions *sessions, qd_session *session);

/* From now on the session is listed. Its client's name and its times do not change any more. */
void qd_sessions_introduce(qd_sessions *sessions, qd_session *session);
/* Where a session's client is, and what it has not read yet; of a detached session "" and 0. */
typedef struct qd_session_link {
    char peer[sizeof((qd_link *)0)->peer];
    uint64_t queued_bytes;
} qd_session_link;
typedef char qd_session_name[QD_CLIENT_NAME_BYTES_MAX + 1];
/* Writes up to `max` sessions that `by` may know of, all of them if it is NULL: those with a larger number than `after` and in the room of that
 * handle, the lowest numbers first. Handle 0: in any room or none. Names are copied to `names`; `links`, which may be
 * NULL, gets one row each. Returns the number of sessions; *more: there are others behind them. [any] if `by` is NULL */
uint32_t qd_sessions_list(qd_sessions *sessions, const qd_session *by, const qd_msg_list_sessions *wanted, uint32_t max,
                          qd_msg_session_info *rows, qd_session_name *names, qd_session_link *links, bool *more);

/* Makes the session resumable under its number, with that secret. Without memory, it stays as it was. */
void qd_sessions_enable_resume(qd_sessions *sessions, qd_session *session, const uint64_t secret[2]);
/* Takes out the detached session that `by` wants to resume; `by` gets its number and secret. NULL: there is none, or its
 * link is still open. In the latter case *wait is set, and the link is being closed. */
qd_session *qd_sessions_resume(qd_sessions *sessions, qd_session *by, bool *wait);

/* ---- for the process, when it stops ---- */

/* Sends GoAway SHUTDOWN to every session, and closes its link when that is sent, or when the time is over. Has the timer
 * actor end the detached sessions and retire. `stopping` must be set. */
void qd_sessions_go_away(qd_sessions *sessions, uint32_t deadline_ms);

#endif
