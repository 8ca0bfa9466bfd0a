/* SPDX-License-Identifier: Apache-2.0
 *
 * libquadrille: sessions that outlive their connections. SESSION.md is the guide, examples/session.c the example.
 *
 * A qd_session connects, pings, notices dead servers, and connects again. It then resumes the server's session, or
 * restores its rooms from what the program has sent. The program sees events and sets, and contains no line about
 * connections:
 *
 *     qd_session *session = qd_session_create("127.0.0.1:7400", &options, &handlers);
 *     qd_room *room = qd_session_room(session, "arena", &config);
 *     qd_room_subscribe(room, QD_SCOPE_ALL, false);
 *     qd_room_spawn_one(room, qd_box(1, 10, 10, 1, 1));
 *     for (;;)
 *         qd_session_run(session, 1000);
 *
 * REQUESTS. A call copies its arguments and returns the request's number, which is above 0 and ascends. The session
 * splits long batches, and keeps a request until the server has carried it out. 0: there is no memory, or an argument
 * is wrong (qd_session_problem gives the text). What the server refuses comes to `refused`. No other call shows it: a
 * result is set only if the call returns QD_OUTCOME_OK.
 * THREADS. One thread at a time may use a session and its rooms. Different sessions are independent.
 * OWNERSHIP. The session owns its rooms, and everything that it returns. It copies what it is given.
 * HANDLERS. Calls that may wait (qd_session_run, _process, qd_room_wait, _step_wait, _query, _why) call the handlers. A
 * handler may make requests. It must not call those functions, nor qd_session_destroy.
 * C++. No call needs the address of a compound literal: qd_room_spawn_one and qd_room_observe_one take structs by value.
 */
#ifndef QUADRILLE_SESSION_H
#define QUADRILLE_SESSION_H

#include "quadrille.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QD_MUST_USE __attribute__((warn_unused_result))

typedef struct qd_session qd_session;
typedef struct qd_room qd_room;

/* X(NAME, number, "text for people") */
#define QD_OUTCOMES(X)                                                                                                 \
    X(OK, 0, "done")                                                                                                   \
    X(TIMEOUT, 1, "not done in time")                                                                                  \
    X(REFUSED, -1, "the server refused the request")                                                                   \
    X(NO_MEMORY, -2, "out of memory")                                                                                  \
    X(INVALID, -3, "the request was not sent")                                                                         \
    X(ROOM_CLOSED, -4, "the room is closed")                                                                           \
    X(ENDED, -5, "the session has ended")

typedef enum qd_outcome {
#define X(name, number, text) QD_OUTCOME_##name = number,
    QD_OUTCOMES(X)
#undef X
} qd_outcome;

QD_API const char *qd_outcome_text(qd_outcome outcome);

typedef enum qd_session_state {
    QD_SESSION_STATE_CONNECTING = 1,
    QD_SESSION_STATE_READY = 2, /* connected; rooms are being restored, or are there */
    QD_SESSION_STATE_LOST = 3,  /* the connection has ended; the next attempt follows by itself */
    QD_SESSION_STATE_ENDED = 4, /* the server refuses the token or the version: there is no further attempt */
} qd_session_state;

/* Absent members (0 or NULL) select the default. */
typedef struct qd_session_options {
    size_t size; /* sizeof(qd_session_options): the struct may grow */
    const char *token;
    const char *name;          /* the program's, for the server's log */
    uint32_t connect_ms;       /* for connecting, Hello included: 5,000 */
    uint32_t ping_ms;          /* pings a server that was silent for so long: 2,000 */
    uint32_t dead_ms;          /* gives up a connection that was silent for so long: 6,000 */
    uint32_t backoff_ms;       /* the longest wait before the first attempt to connect again: 100 */
    uint32_t backoff_max_ms;   /* it doubles from attempt to attempt up to this: 5,000. The wait is random below it */
    size_t backlog_bytes_max;  /* for requests that the server has not carried out: 64 MiB. Above it the session
                                  * merges them into the state that it restores */
    bool adopt;                /* also take over the entities that earlier sessions of this token have left in a
                                  * room, when the program first opens it (Adopt in quadrille.proto). They come to
                                  * `handed_over` */
    uint64_t (*clock)(void *); /* monotonic milliseconds: the system's clock */
    void *clock_context;
    uint64_t seed; /* of the random waits; 0: the system's random numbers */
} qd_session_options;

/* Why the server refused a request, or a part of it. */
typedef struct qd_refusal {
    uint64_t request; /* 0: it was the session's own, to restore a room */
    qd_client_kind kind;
    qd_error_code code; /* of the first entry, if entries were refused */
    const char *text;   /* for people */
    bool whole;         /* the whole request was refused; else these entries of it alone, and the rest was applied */
    uint32_t entry_count;
    const uint32_t *entry_index;
    const uint32_t *entry_id; /* the entities or observers; NULL for requests without ids, such as a roster's move */
    const uint8_t *entry_code;
    const uint8_t *entry_field; /* the field of the request's message that is at fault, 0: the entry; NULL: all are 0 */
} qd_refusal;

/* All may be NULL. */
typedef struct qd_session_handlers {
    size_t size; /* sizeof(qd_session_handlers): the struct may grow */
    void *context;
    /* `reason` is for people, and empty for CONNECTING and READY. */
    void (*state)(qd_session *session, qd_session_state state, const char *reason, void *context);
    /* `room` is NULL for the session itself. */
    void (*refused)(qd_session *session, qd_room *room, const qd_refusal *refusal, void *context);
    /* The differences between the sets of two ticks. Ticks that the program missed are one difference; it begins with
     * `reset`, and its ends have the reason 0. */
    void (*reset)(qd_room *room, void *context);
    void (*begin)(qd_room *room, uint32_t a, uint32_t b, void *context);
    void (*end)(qd_room *room, uint32_t a, uint32_t b, qd_end_reason reason, void *context);
    void (*passed)(qd_room *room, uint32_t a, uint32_t b, void *context);
    void (*stay)(qd_room *room, uint32_t a, uint32_t b, void *context);
    /* The set of pairs is that of this tick. */
    void (*tick)(qd_room *room, uint64_t tick, void *context);
    /* The tick contains all requests up to this one that were not refused, and the sets are of that tick or later. */
    void (*applied)(qd_room *room, uint64_t request, uint64_t tick, void *context);
    void (*handed_over)(qd_room *room, const qd_msg_handed_over *handed_over, void *context);
    /* Somebody has closed the room, or the server refused to open it. Its requests fail from now on. */
    void (*closed)(qd_room *room, void *context);
} qd_session_handlers;

/* ---- sessions ---- */

/* `address` is "host:port" or "[::1]:port". `options` and `handlers` may be NULL. The session connects when it is first
 * run or processed. NULL: out of memory, or no such address. */
QD_API qd_session *qd_session_create(const char *address, const qd_session_options *options,
                                     const qd_session_handlers *handlers);
/* Ends the session, which leaves its rooms. Sends what is queued, without waiting. Accepts NULL. */
QD_API void qd_session_destroy(qd_session *session);

/* Serves the session for at most timeout_ms (-1: forever), until a handler has been called or a frame came. Returns
 * QD_OUTCOME_TIMEOUT if neither happened. */
QD_API qd_outcome qd_session_run(qd_session *session, int timeout_ms);
/* Serves the session until all requests are carried out and all sets known. */
QD_API QD_MUST_USE qd_outcome qd_session_settle(qd_session *session, int timeout_ms);

/* For poll(2) and other loops: wait until this descriptor is readable (POLLIN), at most so many milliseconds (-1: no
 * limit), then process. The descriptor is the same for the life of the session; the time changes with each request. It
 * is an epoll descriptor: do not read from it.
 *
 *     struct pollfd ready = {.fd = qd_session_fd(session), .events = POLLIN};
 *     poll(&ready, 1, qd_session_timeout(session));
 *     qd_session_process(session);
 */
QD_API int qd_session_fd(const qd_session *session);
QD_API int qd_session_timeout(const qd_session *session);
/* Sends, receives, connects and pings without waiting. (The lookup of a host's name may wait.) */
QD_API void qd_session_process(qd_session *session);

QD_API qd_session_state qd_session_state_now(const qd_session *session);
/* Why the last call returned 0 or an outcome below 0, or why the connection was lost. */
QD_API const char *qd_session_problem(const qd_session *session);
/* How often the session connected, and how many of these times it resumed the server's session. */
QD_API uint64_t qd_session_connects(const qd_session *session);
QD_API uint64_t qd_session_resumes(const qd_session *session);
/* The number of the server's session, for qd_room_hand_over; 0 before the first connection. It may change. */
QD_API uint64_t qd_session_number(const qd_session *session);

/* ---- rooms ---- */

/* Opens a room now and on each connection. `config` NULL: join only. A second call returns the same room. NULL: out of
 * memory, or the name is longer than QD_ROOM_NAME_BYTES_MAX. */
QD_API qd_room *qd_session_room(qd_session *session, const char *name, const qd_msg_room_config *config);
/* Leave the room, or close it for all sessions. The room is gone for the program: do not use it again. */
QD_API void qd_room_leave(qd_room *room);
QD_API void qd_room_close(qd_room *room);

QD_API qd_session *qd_room_session(const qd_room *room);
QD_API const char *qd_room_name(const qd_room *room);
/* For the program; NULL at first. */
QD_API void qd_room_set_context(qd_room *room, void *context);
QD_API void *qd_room_context(const qd_room *room);
/* The handlers for views. Call it before the first observer. */
QD_API bool qd_room_handle_views(qd_room *room, const qd_view_handlers *handlers);

/* The folded sets. They keep their last content while there is no connection. */
QD_API const qd_pairs *qd_room_pairs(const qd_room *room);
QD_API const qd_view *qd_room_view(const qd_room *room);
/* Whether the room is open and both sets are those of its last tick. After a connection was lost, views of a step room
 * wait for its next tick. */
QD_API bool qd_room_settled(const qd_room *room);
/* The last tick that the session knows of. After a restart of the server it counts from 1 again. */
QD_API uint64_t qd_room_tick(const qd_room *room);

/* ---- requests ----
 *
 * Calls that take a struct ignore its `room`. All are batches in the sense of quadrille.proto, and take effect at the
 * next tick. */

/* One entity. `shape`, `category` and `mask` of 0 select a box, category 1 and all categories. */
typedef struct qd_entity {
    uint32_t id;
    float x, y, z;
    float half_x, half_y, half_z; /* boxes */
    float radius;                 /* circles, capsules */
    float axis_x, axis_y, axis_z; /* capsules: from the center to one end of the axis */
    qd_shape shape;
    uint32_t category, mask;
    bool room_owned;
} qd_entity;

static inline qd_entity qd_box(uint32_t id, float x, float y, float half_x, float half_y)
{
    qd_entity entity = {id, x, y, 0, half_x, half_y, 0, 0, 0, 0, 0, QD_SHAPE_BOX, 0, 0, false};

    return entity;
}

static inline qd_entity qd_circle(uint32_t id, float x, float y, float radius)
{
    qd_entity entity = {id, x, y, 0, 0, 0, 0, radius, 0, 0, 0, QD_SHAPE_CIRCLE, 0, 0, false};

    return entity;
}

QD_API uint64_t qd_room_spawn_one(qd_room *room, qd_entity entity);
QD_API uint64_t qd_room_spawn(qd_room *room, const qd_msg_entities *entities, bool room_owned);
/* `z` is NULL in rooms of two dimensions. */
QD_API uint64_t qd_room_move(qd_room *room, const uint32_t *ids, const float *x, const float *y, const float *z,
                             uint32_t count);
QD_API uint64_t qd_room_teleport(qd_room *room, const uint32_t *ids, const float *x, const float *y, const float *z,
                                 uint32_t count);
QD_API uint64_t qd_room_reshape(qd_room *room, const qd_msg_entities *entities);
QD_API uint64_t qd_room_despawn(qd_room *room, const uint32_t *ids, uint32_t count);
/* Registers a roster, 0 to 255, or replaces it; without ids, drops it. */
QD_API uint64_t qd_room_set_roster(qd_room *room, uint32_t roster, const uint32_t *ids, uint32_t count);
QD_API uint64_t qd_room_change_roster(qd_room *room, const qd_msg_set_roster *change);
/* Moves the first `count` entities of a roster. */
QD_API uint64_t qd_room_move_roster(qd_room *room, uint32_t roster, const float *x, const float *y, const float *z,
                                    uint32_t count);
/* Gives entities to the session of that number; 0: to the room. The session no longer restores them. */
QD_API uint64_t qd_room_hand_over(qd_room *room, const uint32_t *ids, uint32_t count, uint64_t session);

QD_API uint64_t qd_room_subscribe(qd_room *room, qd_scope scope, bool stays);
QD_API uint64_t qd_room_unsubscribe(qd_room *room);

/* One observer. */
typedef struct qd_observer {
    uint32_t id;
    qd_region region; /* 0: a circle */
    bool anchored;    /* at `entity`, else at x, y, z */
    uint32_t entity;
    float x, y, z;
    float range;                  /* circles, cones */
    float half_x, half_y, half_z; /* boxes */
    float direction_x, direction_y, direction_z, angle;
    float leave_margin;
    uint32_t mask; /* 0: all categories */
    uint32_t limit, enter_budget, team;
    bool sees_self;
} qd_observer;

/* An observer that is anchored at an entity. */
static inline qd_observer qd_observer_of(uint32_t id, uint32_t entity, float range, float leave_margin)
{
    qd_observer observer = {id, QD_REGION_CIRCLE, true, entity, 0, 0, 0,    range, 0, 0, 0, 0, 0, 0,
                            0,  leave_margin,     0,    0,      0, 0, false};

    return observer;
}

QD_API uint64_t qd_room_observe_one(qd_room *room, qd_observer observer);
QD_API uint64_t qd_room_observe(qd_room *room, const qd_msg_observers *observers);
QD_API uint64_t qd_room_move_observers(qd_room *room, const qd_msg_observers *observers);
QD_API uint64_t qd_room_unobserve(qd_room *room, const uint32_t *ids, uint32_t count);
QD_API uint64_t qd_room_set_description(qd_room *room, const qd_msg_set_description *description);
QD_API uint64_t qd_room_set_exceptions(qd_room *room, const qd_msg_set_exceptions *exceptions);
QD_API uint64_t qd_room_set_view_options(qd_room *room, uint32_t bytes_max, qd_watch watch);
QD_API uint64_t qd_room_set_all_view_options(qd_room *room, const qd_msg_set_view_options *options);

/* Makes a step room tick once, even if the connection breaks meanwhile. */
QD_API uint64_t qd_room_step(qd_room *room);

/* ---- results ----
 *
 * These serve the session meanwhile. A timeout_ms of -1 waits forever. */

/* Waits until a tick contains the request (0: fails at once), and the sets are of that tick or later. *tick, if not
 * NULL, is that tick. REFUSED: the whole request or a part of it was refused; `refused` had the reason. Wait for a
 * request before 1,024 later ones were refused. */
QD_API QD_MUST_USE qd_outcome qd_room_wait(qd_room *room, uint64_t request, int timeout_ms, uint64_t *tick);
/* qd_room_step and qd_room_wait. */
QD_API QD_MUST_USE qd_outcome qd_room_step_wait(qd_room *room, int timeout_ms, uint64_t *tick);
/* *result is valid until the next call with this session. */
QD_API QD_MUST_USE qd_outcome qd_room_query(qd_room *room, const qd_msg_query *query, int timeout_ms,
                                            const qd_msg_query_result **result);
QD_API QD_MUST_USE qd_outcome qd_room_why(qd_room *room, const qd_msg_why *why, int timeout_ms,
                                          const qd_msg_why_result **result);

/* The same without waiting: `done` is called once. `result` is NULL unless `outcome` is OK, and valid during the call. */
typedef void (*qd_query_fn)(qd_room *room, qd_outcome outcome, const qd_msg_query_result *result, void *context);
typedef void (*qd_why_fn)(qd_room *room, qd_outcome outcome, const qd_msg_why_result *result, void *context);
QD_API uint64_t qd_room_start_query(qd_room *room, const qd_msg_query *query, qd_query_fn done, void *context);
QD_API uint64_t qd_room_start_why(qd_room *room, const qd_msg_why *why, qd_why_fn done, void *context);

#ifdef __cplusplus
}
#endif

#endif
