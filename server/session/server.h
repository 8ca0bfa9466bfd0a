/* SPDX-License-Identifier: Apache-2.0
 *
 * The server: what its sessions and rooms share. It knows no sockets, threads or clock of its own: links come in by the
 * handler that it gives out, rooms run on the scheduler that it is given. run.c joins it with the real ones, the
 * simulation with its own.
 *
 *     link -> session (its loop thread) -> messages -> host (an actor, one a room) -> frames -> links
 *
 * It belongs to whoever created it and outlives all links and actors. What is marked [any] may be called from any
 * thread.
 */
#ifndef QD_SESSION_SERVER_H
#define QD_SESSION_SERVER_H

#include "../actor/limits.h"
#include "../actor/room_directory.h"
#include "../base/executor.h"
#include "../base/fetch.h"
#include "../net/net.h"
#include "token_file.h"

/* "quadrille-server 0.1.0" */
extern const char qd_server_name[];

/* How long a peer has to say Hello, and how long its last words may take. */
#define QD_HELLO_MS_MAX 2000u
#define QD_FLUSH_MS_MAX 1000u

typedef struct qd_server_config {
    qd_limits limits;
    const qd_scheduler *scheduler;
    uint32_t workers; /* for the statistics */
    /* How long a run of a room goes on with messages, before it ticks, if it should, and others have their turn. A
     * message that takes longer is carried out whole. */
    uint64_t slice_ns;
    /* Either may be NULL: every token is accepted; nobody is an admin. */
    const qd_tokens *tokens, *admin_tokens;
    /* Numbers that peers cannot foresee: epochs of rooms, salts of hashes. [any] */
    uint64_t (*random)(void *context);
    void *random_context;
} qd_server_config;

/* What is counted; see ServerStats. */
typedef enum qd_counter {
    QD_COUNT_TICKS,
    QD_COUNT_UPDATES,
    QD_COUNT_EVENTS,
    QD_COUNT_BYTES_IN,
    QD_COUNT_BYTES_OUT,
    QD_COUNT_ERRORS,
    QD_COUNT_TOO_SLOW,
    QD_COUNT_RESUMED,
    QD_COUNTERS
} qd_counter;

/* Each thread counts at every tick and batch. Were there one place for all of them, its line of cache would go from
 * core to core; so each thread has its own, but for one that they share who come when all others are taken. */
#define QD_COUNTER_PARTS 256u

typedef struct qd_counter_part {
    _Atomic uint64_t of[QD_COUNTERS];
    char apart[QD_LINE_BYTES]; /* from the next one */
} qd_counter_part;

struct qd_session;

typedef struct qd_server {
    qd_server_config config;
    uint64_t start_ns;
    qd_registry registry;
    _Atomic uint32_t rooms; /* that are open, listed or just being closed */
    _Atomic uint32_t hosts; /* that are not freed yet */
    _Atomic uint64_t sessions_ever;
    _Atomic bool stopping;
    qd_buffer *no_memory; /* what is told where there is none, even for an answer; NULL: there never was any */

    pthread_mutex_t sessions_mutex;
    struct qd_session *sessions; /* a list, under the mutex, of those whose link is open */
    uint32_t session_count;      /* the same */
    struct qd_session *parked;   /* the same, of those whose link has closed and who may be resumed; the first to go
                                    first */
    struct qd_session *parked_last;
    uint32_t parked_count;
    _Atomic uint64_t parked_due_ns; /* when the first has to go; QD_NEVER: there is none */

    char apart[QD_LINE_BYTES]; /* from what is only read */
    qd_counter_part counters[QD_COUNTER_PARTS];
} qd_server;

void qd_server_init(qd_server *server, const qd_server_config *config);
/* All links must be closed and all hosts freed. */
void qd_server_deinit(qd_server *server);

qd_link_handler qd_server_link_handler(qd_server *server);
/* For qd_net_config.refusal. */
qd_buffer *qd_server_refusal(void *server, qd_net_refusal reason);

/* ---- stopping, in this order [any] ---- */

/* No room is opened any more, and all that are there are closed. */
void qd_server_close_rooms(qd_server *server);
/* Whether they all are. */
bool qd_server_rooms_closed(const qd_server *server);
/* GoAway SHUTDOWN for every session; its link is closed when that is sent, or when the time is over. */
void qd_server_go_away(qd_server *server, uint32_t deadline_ms);
/* Rooms whose memory is not freed yet: 0 soon after the last link has closed. */
uint32_t qd_server_hosts(const qd_server *server);

/* ---- for the modules of app/ [any] ---- */

uint64_t qd_server_now_ns(const qd_server *server);
uint64_t qd_server_random(const qd_server *server);
void qd_server_stats(qd_server *server, qd_msg_server_stats *stats);

void qd_count(qd_server *server, qd_counter counter, uint64_t amount);
/* Of all threads. What others count meanwhile may be in it or not. */
uint64_t qd_counted(const qd_server *server, qd_counter counter);

#endif
