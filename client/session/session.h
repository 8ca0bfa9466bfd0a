/* SPDX-License-Identifier: Apache-2.0
 *
 * The private state of sessions and their rooms. Not installed.
 *
 *     room calls  -> split.c -> log.c   what the server has not carried out yet
 *                                 |
 *     incoming.c  Applied ------> kept.c   what a room is to be: entities, rosters, observers, subscription
 *                                 |
 *     a new session of the server: restore.c sends what is kept, then log.c its entries again
 *     a resumed one: log.c sends the entries that the server has not received
 */
#ifndef QD_CLIENT_SESSION_SESSION_H
#define QD_CLIENT_SESSION_SESSION_H

#include <sys/queue.h>

#include "../client.h"
#include "../memory.h"
#include "../quadrille-session.h"
#include "kept.h"
#include "link.h"

/* Refused requests that qd_room_wait knows. */
#define QD_REFUSED_MAX 1024u
/* How often entities are spawned again whose ids are taken. */
#define QD_RESPAWN_MS 50u
/* Sessions of the server that may own entities of a room. */
#define QD_HOLDERS_MAX 8u

typedef enum qd_room_state {
    QD_ROOM_WAITING,   /* for a connection, or for its next attempt to open */
    QD_ROOM_OPENING,   /* OpenRoom is on its way */
    QD_ROOM_LISTING,   /* it takes over and lists the entities of earlier sessions */
    QD_ROOM_RESTORING, /* what is kept is on its way */
    QD_ROOM_READY,
    QD_ROOM_LEAVING, /* the program has left it; LeaveRoom or CloseRoom is on its way */
    QD_ROOM_LEFT,    /* it can be destroyed */
    QD_ROOM_GONE,    /* closed; the program still has it */
} qd_room_state;

/* A request that the server may not have carried out yet. */
typedef struct qd_log_entry {
    TAILQ_ENTRY(qd_log_entry) list;
    qd_room *room;
    uint64_t request; /* the program's number; 0: the session's own */
    uint64_t seq;     /* in the server's session; 0: not sent there yet */
    uint64_t tick;    /* of a Step: the tick that it makes */
    qd_client_kind kind;
    bool restores;    /* what it does is kept already; void in the next session of the server */
    bool retried;     /* it was sent in an earlier session of the server, which may have carried it out */
    bool reports;     /* an Adopt whose answer is for the program */
    uint32_t first;   /* the number of its first entry in the program's request */
    uint8_t *refused; /* one byte per entry, 1: refused; NULL: none */
    qd_query_fn query_done;
    qd_why_fn why_done;
    void *context;
    size_t size;
    uint8_t bytes[]; /* the frame, with seq and room 0 */
} qd_log_entry;

typedef struct qd_log {
    TAILQ_HEAD(qd_log_list, qd_log_entry) list; /* sent entries by seq; those not sent in the order of the calls */
    size_t bytes;
} qd_log;

struct qd_room {
    qd_room *next;
    qd_session *session;
    char name[QD_ROOM_NAME_BYTES_MAX + 1];
    bool has_config;
    qd_msg_room_config config;
    void *context;

    qd_room_state state;
    uint64_t handle; /* 0: not open in this session of the server */
    bool opened;     /* at least once, with these: */
    uint64_t epoch;
    bool steps, lockstep, has_z;
    uint64_t grace_ms;
    uint64_t holders[QD_HOLDERS_MAX];
    uint32_t holder_count;
    uint64_t retry_ms; /* WAITING: when to open; 0: with the connection */

    qd_kept kept;
    qd_table present;    /* LISTING: the ids of own entities */
    bool missing;        /* some kept entities are not in the room: their ids are taken */
    uint64_t respawn_ms; /* when to try again */
    uint64_t give_up_ms; /* when to report it */
    bool is_blocked;     /* while the log is merged */
    uint64_t merged;     /* requests up to this one may be in `kept` before the server has carried them out */
    uint64_t tick;       /* the last one known */
    uint64_t step_tick;  /* the tick of the last Step */
    uint64_t applied, applied_tick;
    bool applied_due; /* `applied` was not reported */

    bool wants_pairs, wants_view; /* the program has asked for them */
    bool pairs_stale, view_stale; /* a reset is due */
    bool view_resets;             /* within the frames of a reset */
    qd_pairs *pairs;
    qd_pairs *base; /* during a reset: the set before it */
    qd_view *view;
};

struct qd_session {
    char address[QD_CLIENT_ADDRESS_BYTES_MAX];
    qd_session_options options; /* with all defaults */
    qd_session_handlers handlers;
    char *token, *name;
    uint64_t random;
    char problem[QD_CLIENT_ERROR_BYTES_MAX];

    qd_session_state state;
    qd_client *client; /* of this connection */
    qd_link link;
    uint32_t attempts;
    uint64_t retry_ms;    /* LOST: when to connect */
    uint64_t deadline_ms; /* CONNECTING */
    uint64_t ready_ms;    /* since when READY */
    uint64_t heard_ms;    /* when the server was heard last */
    uint64_t pinged_ms;   /* when it was pinged since; 0: not */
    uint64_t connects, resumes;

    uint64_t number; /* of the server's session; 0: none */
    uint8_t key[QD_RESUME_KEY_BYTES];
    bool has_key;
    bool merged; /* `log` lacks requests that the server may not have: its session cannot be resumed */
    size_t frame_bytes_max;
    uint64_t resume_ms;
    uint64_t seq;      /* the last one */
    uint64_t requests; /* the last program's number */
    qd_log log;
    qd_room *rooms;

    uint64_t refused[QD_REFUSED_MAX]; /* requests, in a ring */
    uint32_t refused_count;

    bool stop;  /* take no more messages now: a caller uses the last one */
    bool moved; /* something has happened since qd_session_run began */
};

/* ---- session.c ---- */

uint64_t qd_session_now(const qd_session *session);
/* Monotonic milliseconds, for timeouts of calls. */
uint64_t qd_session_system_ms(void);
void qd_session_fail(qd_session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Takes it out of the session and frees it. */
void qd_room_destroy(qd_room *room);

/* ---- room.c, requests.c ---- */

/* Adds a request of the program. NULL: see the problem. Only entries with results of their own may be used. */
qd_log_entry *qd_room_request(qd_room *room, const qd_client_message *message);
/* Whether the sets are those of the last tick, as far as `applied` waits for that. */
bool qd_room_reports(const qd_room *room);

/* ---- connection.c ---- */

/* The connection is of no use any more. */
void qd_connection_lost(qd_session *session, const char *reason);
/* The longest wait before attempt n (from 0). */
uint64_t qd_backoff_cap(const qd_session_options *options, uint32_t attempt);
uint64_t qd_backoff_draw(qd_session *session);

/* ---- log.c ---- */

void qd_log_init(qd_log *log);
/* How a request enters the log. */
typedef enum qd_log_mode {
    QD_LOG_REQUEST, /* the program's: sent if the room is ready */
    QD_LOG_RESTORE, /* the session's own, sent at once: what it does is kept already */
} qd_log_mode;
/* Adds the message, split if it is too long, and sends it. Returns the last of its entries; NULL: no memory, or one entry
 * is too long (see the problem). Its seq and room are set here. */
qd_log_entry *qd_log_push(qd_room *room, const qd_client_message *message, uint64_t request, qd_log_mode mode);
/* The entry with that seq; NULL: none. */
qd_log_entry *qd_log_find(const qd_session *session, uint64_t seq);
/* Takes the entry out and frees it. */
void qd_log_drop(qd_session *session, qd_log_entry *entry);
/* Decodes an entry. Release it with &qd_memory_of_codec after any result. */
bool qd_log_decode(const qd_log_entry *entry, qd_decoded_client *decoded);
/* The tick contains the requests of the room up to that seq, and its Steps up to that tick. false: no memory. */
bool qd_log_applied(qd_room *room, uint64_t seq, uint64_t tick);
/* The entry is carried out at that tick (0: not at a tick). Frees it. false: no memory, and it stays. */
bool qd_log_done(qd_log_entry *entry, uint64_t tick);
/* The server's session goes on: sends what it has not received. */
void qd_log_resume(qd_session *session, uint64_t last_seq);
/* The server's session is new: no entry is sent. */
void qd_log_restart(qd_session *session);
/* The room is ready: sends its entries. */
void qd_log_replay(qd_room *room);
/* The room has completed that tick: so are its Steps up to that tick, and all requests before them. In a room without
 * lockstep, Steps before `probe` (NULL: none) that made no tick were refused, and are sent again. false: no memory. */
bool qd_log_steps_over(qd_room *room, uint64_t tick, const qd_log_entry *probe);
/* Whether a Step was sent and not answered. */
bool qd_log_has_step(const qd_room *room);
/* Sends a Step once more, for the next tick. */
void qd_log_step_again(qd_log_entry *step);
/* Drops all entries of the room; calls with results end with that outcome. */
void qd_log_forget(qd_room *room, qd_outcome outcome);
/* Whether the server has not carried out that request of the program. */
bool qd_log_has(const qd_room *room, uint64_t request);
/* Whether the room waits for anything of the log. */
bool qd_log_is_busy(const qd_room *room);
/* The program no longer waits for the request's result. */
void qd_log_abandon(qd_room *room, uint64_t request);
/* The answer is there, or will never be. */
void qd_log_answer(qd_log_entry *entry, qd_outcome outcome, const qd_server_message *answer);

/* ---- split.c ---- */

/* The number of entries that a message may be split into; 0: it has none. */
uint32_t qd_split_count(const qd_client_message *message);
/* The same with their ids. *id is NULL for requests without ids, and for rosters, whose entries are never refused by
 * id. */
uint32_t qd_split_entries(const qd_client_message *message, const uint32_t **id);
/* Entries first .. first + count of the message, as a message. */
qd_client_message qd_split_part(const qd_client_message *message, uint32_t first, uint32_t count);

/* ---- restore.c, restore_state.c ---- */

/* The session is connected, and its session in the server is a resumed one or new. */
void qd_restore_connected(qd_room *room, bool resumed);
void qd_restore_open(qd_room *room);
/* The answer to `entry`, which it frees. */
void qd_restore_opened(qd_log_entry *entry, const qd_msg_room_opened *opened);
void qd_restore_listed(qd_log_entry *entry, const qd_msg_snapshot_result *listed);
/* Sends the state that is kept. `fresh`: it is a new room, in which no entity of the room itself is. `missing`: sends
 * what is missing alone. */
void qd_restore_state(qd_room *room, bool fresh, bool missing);
/* Spawns missing entities again. */
void qd_restore_missing(qd_room *room);

/* ---- incoming.c, folding.c, refusals.c ---- */

/* The room is closed, or left. */
void qd_room_end(qd_room *room);
void qd_incoming(qd_session *session, const qd_server_message *message);
void qd_folding_tick(qd_room *room, const qd_msg_tick *tick);
void qd_folding_view(qd_room *room, const qd_msg_view *view);
/* The connection is lost, and with it what a tick has not completed. */
void qd_folding_lost(qd_room *room);
/* The server's session is new. */
void qd_folding_restart(qd_room *room);
/* Reports `applied` if it is due and the sets are of its tick. */
void qd_folding_report(qd_room *room);
void qd_refusal_of(qd_session *session, const qd_msg_error *error);
void qd_refusal_of_entries(qd_log_entry *entry, const qd_msg_accepted *accepted);

#endif
