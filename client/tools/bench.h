/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench: the shared parts.
 *
 *     bench.c            main: chooses the scenario, starts and ends it, reports failures
 *     bench_server.c     the measured server, and its CPU time and memory
 *     bench_raw.c        a bare libuv loop, for the raw limit
 *     bench_raw_load.c   load on that loop: requests at a rate, answers to many receivers
 *     bench_sheet.c      the output of a scenario
 *
 *     bench_run.c        a RUN: rooms, writers and readers, from the first connection to the last closed room
 *     bench_opening.c    connections, and the rooms of a run
 *     bench_lane.c       a LANE: the part of one connection in one room; motion, batches, answers
 *     bench_driver.c     a DRIVER: a thread that sends and receives on schedule for some of the connections
 *     bench_neighbor.c   a small room beside a load
 *     bench_stalled.c    readers that read nothing
 *     bench_check.c      compares a room's pairs with brute force
 *
 *     bench_field*.c     points that move among observers, and the views: for `fences` and `views`
 *
 *     bench_load.c       the scenario `load`: one run by the command line; bench_report.c prints it
 *     bench_*.c          the other scenarios, by their names; most are some runs with their rows in a sheet
 *
 * TIMES. Each batch has a scheduled send time, which depends on the rate alone. Round trips count from that time, not
 * from the actual send: a server that stalls shows in every batch that it delays. The ticks of a room's own clock are
 * due at equal intervals. A tick's lateness counts from the earliest tick of the run, as if that one had been on time.
 * The only writer of one room sends halfway between two ticks, as a game that follows the ticks does. Otherwise, chance
 * decides whether batches and ticks collide.
 *
 * THREADS. The main thread opens everything. Then each connection with its lanes belongs to one driver, and after the
 * measurement to the main thread again. Meanwhile threads share only a driver's `recent` figures, under its lock.
 */
#ifndef QD_TOOLS_BENCH_H
#define QD_TOOLS_BENCH_H

#include "bench_neighbor.h"
#include "bench_raw.h"
#include "bench_server.h"
#include "bench_sheet.h"
#include "cli.h"
#include "clock.h"
#include "histogram.h"
#include "options.h"
#include "quadrille.h"

#include <pthread.h>
#include <stdatomic.h>

#define QD_BENCH "quadrille-bench"

/* Time limits: for a silent server outside of the measurement, for closing rooms after a failure, and for the last
 * answers of the measurement. */
#define QD_BENCH_TIMEOUT_NS         10000000000u
#define QD_BENCH_TIMEOUT_STOPPED_NS 2000000000u
#define QD_BENCH_RUN_OUT_NS         5000000000u

/* Waking up on a sleeping core takes about half of this. */
#define QD_BENCH_EARLY_NS 150000u

/* The most unanswered batches of a lane. Further batches wait, and their round trips include the wait. */
#define QD_BENCH_PENDING_MAX 64u

typedef enum qd_bench_subscribe { QD_BENCH_NONE, QD_BENCH_EVENTS, QD_BENCH_STAYS } qd_bench_subscribe;

/* Folded pairs are compared with brute force after each batch, or once at the end. */
typedef enum qd_bench_check_kind { QD_BENCH_CHECK_NONE, QD_BENCH_CHECK_END, QD_BENCH_CHECK_ALL } qd_bench_check_kind;

/* The options of a run. */
typedef struct qd_bench_options {
    uint32_t rooms, entities, connections, threads, dimensions;
    uint32_t readers; /* extra connections that subscribe to the events of a room and send nothing */
    uint32_t stalled; /* extra connections that subscribe and read nothing */
    qd_index_kind index;
    uint32_t hz; /* 0: send as soon as the answer arrives */
    double seconds;
    double warm_seconds;          /* the same load before it, not measured */
    qd_bench_subscribe subscribe; /* of the writers */
    bool step, roster;
    bool together; /* a connection moves all its rooms in one frame; with hz, and without step */
    bool rests;    /* entities do not move */
    qd_bench_check_kind check;
    uint32_t check_max; /* the most lanes that fold their pairs; 0: all subscribed ones */
    bool is_quiet;      /* no progress lines */
    bool is_exact;      /* batches are made before they are due, and drivers wait for the last of the time without
                         * sleep; a lane a connection */
    bool may_be_late;   /* missing the rate is not a failure, see figures.unanswered */
} qd_bench_options;

/* Counters; zeroed at the start. */
typedef struct qd_bench_figures {
    uint64_t updates; /* entities in answered batches */
    uint64_t begins, ends, stays;
    uint64_t suspensions, resets;
    uint64_t bytes_in, bytes_out; /* as the client sees it: in is received */
    uint64_t ticks_checked;
    uint64_t unanswered; /* batches without an answer at the end; then nothing is checked */
    qd_histogram round_trip_ns;
    qd_histogram own_late_ns; /* from its scheduled time until a batch was ready: the bench's own lateness */
    qd_histogram lateness_ns; /* of a room's own clock, see TIMES */
} qd_bench_figures;

/* The state of the program. */
typedef struct qd_bench {
    /* The options of every scenario. */
    qd_bench_where where;
    double seconds;
    bool json;

    qd_bench_server server;
    qd_client_tls *tls; /* NULL: connections are not encrypted */
    qd_bench_raw raw;
    qd_bench_neighbor neighbor; /* its own thread uses it while it runs */

    /* The present run. */
    qd_bench_options options;
    float side;                /* of the rooms, on each axis */
    uint64_t run_id;           /* part of the rooms' names, so that runs do not share rooms */
    uint64_t start_ns, end_ns; /* of the measurement; 0 before it */

    _Atomic bool stopped; /* by a failure */
    pthread_mutex_t failure_lock;
    char failure[512]; /* the first one; empty: none */
} qd_bench;

struct qd_bench_driver;
struct qd_bench_connection;

typedef struct qd_bench_pending {
    uint64_t seq;
    uint64_t intended_ns, made_ns;
} qd_bench_pending;

typedef struct qd_bench_lane {
    struct qd_bench_connection *connection;
    uint32_t room_index;
    uint64_t room;  /* its handle; 0: not open */
    bool is_first;  /* the room's first lane: it steps, and closes the room */
    bool is_closed; /* RoomClosed arrived */
    bool has_set;   /* a reset arrived */
    bool has_stats;
    qd_msg_room_stats stats;
    uint64_t ticks_before, skipped_before; /* from the stats at the start of the measurement */
    uint64_t memory_bytes;                 /* of the server, from the stats */
    bool has_earliest;
    uint64_t earliest_ns; /* the least arrival time of a tick, less its due time since tick 0 */

    uint32_t count; /* entities; 0: a reader */
    uint32_t *id;
    float *at[3], *speed[3]; /* NULL for the third axis in two dimensions */

    uint64_t next_ns;  /* scheduled time of the next batch */
    uint64_t made_seq; /* of the next batch, if it is encoded and held; else 0 */
    uint32_t pending_first, pending_count, pending_max;
    qd_bench_pending pending[QD_BENCH_PENDING_MAX]; /* a ring */
    uint64_t setup_seq;                             /* the last request of the setup; 0: applied */
    qd_pairs *pairs;                                /* NULL: this lane does not fold its pairs */
} qd_bench_lane;

typedef struct qd_bench_connection {
    qd_bench *bench;
    qd_client *client;
    qd_bench_lane *lanes;
    uint32_t lane_count;
    qd_bench_lane **by_room;            /* the lanes by ascending handle, once all rooms are open */
    uint64_t open_seq;                  /* of the first lane's OpenRoom; the others follow */
    qd_bench_figures *figures;          /* counts received messages */
    uint64_t bytes_in, bytes_out;       /* received and sent, not added to figures yet */
    uint64_t received_ns;               /* time of the last receive */
    bool is_output_watched;             /* epoll also waits for output space */
    bool is_held;                       /* output waits until it is due */
    struct qd_bench_together *together; /* the frame that it makes; NULL: none yet */
} qd_bench_connection;

typedef struct qd_bench_driver {
    qd_bench *bench;
    pthread_t thread;
    int ready; /* of epoll */
    qd_bench_connection *connections;
    uint32_t connection_count;
    qd_bench_lane **lanes; /* of all its connections */
    uint32_t lane_count;
    uint64_t done_ns; /* time of the last answer */
    _Atomic bool is_done;
    pthread_mutex_t lock;
    qd_bench_figures recent; /* since the main thread last collected them */
} qd_bench_driver;

/* ---- scenarios ---- */

/* The options of every scenario; the last rows of its table. */
#define QD_BENCH_COMMON_OPTIONS(bench)                                                                                 \
    QD_REAL_ROW("--seconds", "S", "measure S seconds per row of the table", (bench)->seconds, 0.1, 604800),            \
        QD_FLAG_ROW("--neighbor",                                                                                      \
                    "also measure a room of 100 beside the load, which steps 200 times per second; its CPU time "      \
                    "is part of the server's",                                                                         \
                    (bench)->neighbor.is_wanted),                                                                      \
        QD_FLAG_ROW("--json", "print one JSON object instead of the table", (bench)->json),                            \
        QD_TEXT_ROW("--server", "HOST:PORT", "measure this running server", (bench)->where.server,                     \
                    "QUADRILLE_SERVER, else it starts one"),                                                           \
        QD_NUMBER_ROW("--server-pid", "PID", "read the CPU time and memory of this local --server",                    \
                      (bench)->where.pid, 1, 4194304, NULL),                                                           \
        QD_TEXT_ROW("--server-binary", "PATH", "start this server", (bench)->where.binary,                             \
                    "beside this program, or in PATH"),                                                                \
        QD_TLS_ROWS((bench)->where.tls, (bench)->where.tls_ca, (bench)->where.tls_cert, (bench)->where.tls_key)

/* The options of a server for as many rooms as a scenario can open, from one session. */
#define QD_BENCH_ROOMS_SERVER                                                                                          \
    "--rooms-max", "1048576", "--session-rooms-max", "1048576", "--session-subscriptions-max", "1048576",              \
        "--token-creations-max", "1000000"

/* The same for as many observers, and what they see. */
#define QD_BENCH_VIEWS_SERVER                                                                                          \
    "--observers-max", "1048576", "--session-observers-max", "1048576", "--visible-entries-max", "67108864",           \
        "--session-visible-entries-max", "67108864", "--queue-max", "256M"

/* The whole program, without its streams' beginning. argv[0] is its name. */
int qd_bench_program(int argc, char **argv);
/* The beginning of a zeroed state; signals stop it from now on. */
void qd_bench_init(qd_bench *bench);

/* Each scenario takes the command line from its own name on, and returns the exit status. */
int qd_bench_load(qd_bench *bench, int argc, char **argv);
int qd_bench_fences(qd_bench *bench, int argc, char **argv);
int qd_bench_views(qd_bench *bench, int argc, char **argv);
int qd_bench_ingest(qd_bench *bench, int argc, char **argv);
int qd_bench_latency(qd_bench *bench, int argc, char **argv);
int qd_bench_big_room(qd_bench *bench, int argc, char **argv);
int qd_bench_many_rooms(qd_bench *bench, int argc, char **argv);
int qd_bench_rest(qd_bench *bench, int argc, char **argv);
int qd_bench_fanout(qd_bench *bench, int argc, char **argv);
int qd_bench_connections(qd_bench *bench, int argc, char **argv);
int qd_bench_growth(qd_bench *bench, int argc, char **argv);

/* Starts the raw loop, and without --server a server with these options (see bench_server.h). Returns whether all is
 * well; call qd_bench_end in any case. */
bool qd_bench_begin(qd_bench *bench, const char *const *server_options);
void qd_bench_end(qd_bench *bench);
/* Reports the failure, if any. Returns the exit status. */
int qd_bench_status(const qd_bench *bench);

/* Runs `body` between begin and end, and prints the sheet. Returns the exit status. */
int qd_bench_play(qd_bench *bench, const char *const *server_options, qd_sheet *sheet,
                  void (*body)(qd_bench *bench, qd_sheet *sheet, void *context), void *context);

/* Sleeps until then. */
void qd_bench_sleep_until(uint64_t then_ns);
/* Sleeps, then spins for the last QD_BENCH_EARLY_NS, to return on time. */
void qd_bench_wait_until(uint64_t then_ns);
/* Stops the run; the first failure is reported. [any thread] */
void qd_bench_fail(qd_bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Fails with the session's error. Returns false. */
bool qd_bench_fail_session(qd_bench *bench, const qd_client *client);
bool qd_bench_is_stopped(const qd_bench *bench);
/* "bench-0123456789abcdef-17" */
#define QD_BENCH_NAME_SIZE 48
void qd_bench_room_name(const qd_bench *bench, uint32_t room_index, char name[QD_BENCH_NAME_SIZE]);

/* ---- opening ---- */

/* The time limit for an answer to one session. */
#define QD_BENCH_ANSWER_MS 20000

/* Opens a session; NULL: failed. */
qd_client *qd_bench_connect_client(qd_bench *bench);
/* The same for a connection of a run, whose options it checks against the server's limits. Like the next two, it
 * returns whether all is well; else the run has failed. */
bool qd_bench_connect(qd_bench *bench, qd_bench_connection *connection);
/* Opens the rooms of all lanes of the connection. */
bool qd_bench_open_rooms(qd_bench *bench, qd_bench_connection *connection);

/* Makes the connection a reader of one room, with one lane. */
void qd_bench_reader_init(qd_bench *bench, qd_bench_connection *connection, qd_bench_lane *lane, qd_bench_lane **link,
                          uint32_t index, qd_bench_figures *figures);
/* Subscribes it, and waits for the reset. */
bool qd_bench_reader_subscribe(qd_bench_connection *connection, bool stays);

/* The stalled sessions, with one lane each. Zeroed at the start. */
typedef struct qd_bench_stalled {
    qd_bench_connection *connections;
    qd_bench_lane *lanes, **links;
    qd_bench_figures *figures;
    struct qd_bench_stalled_end *ends; /* of each connection */
} qd_bench_stalled;

/* Opens --stalled sessions in open rooms. Nothing reads from them until they are closed. */
bool qd_bench_stalled_open(qd_bench *bench, qd_bench_stalled *stalled);
/* Reads what waits for them. A reset comes with the first tick after that, so read again behind one. */
void qd_bench_stalled_read(qd_bench *bench, qd_bench_stalled *stalled);
/* Those that the server disconnected, or else those that only got a reset because the server left out ticks. */
uint32_t qd_bench_stalled_count(const qd_bench *bench, const qd_bench_stalled *stalled, bool disconnected);
void qd_bench_stalled_close(const qd_bench *bench, qd_bench_stalled *stalled);

/* ---- lanes ---- */

/* Creates `count` entities with ids from first_id on. */
bool qd_bench_lane_init(qd_bench_lane *lane, uint32_t first_id, uint32_t count);
void qd_bench_lane_deinit(qd_bench_lane *lane);
/* Sends the queued output of its lanes, as far as it can without waiting. */
void qd_bench_send(qd_bench_connection *connection);
/* Queues the spawns, the subscription and, in step mode, the first step. */
void qd_bench_lane_start(qd_bench_lane *lane);
/* Encodes the next batch before it is due, if there is one and no batch is in flight, and holds it until then. */
void qd_bench_lane_make_ahead(qd_bench_lane *lane);
/* Queues the batches that are due by now_ns and scheduled before the end, up to the limit of pending ones. */
void qd_bench_lane_send_due(qd_bench_lane *lane, uint64_t now_ns);
/* Moves all its entities, without a request. */
void qd_bench_lane_move(qd_bench_lane *lane);
/* The batch that was due at intended_ns is sent under that seq. */
void qd_bench_lane_sent(qd_bench_lane *lane, uint64_t seq, uint64_t intended_ns);
/* Sends the batches of all lanes that are due, together. (bench_together.c) */
void qd_bench_send_together(qd_bench_connection *connection, uint64_t now_ns);
void qd_bench_together_free(qd_bench_connection *connection);
/* Whether batches wait for their answer or for their send time. */
bool qd_bench_lane_is_busy(const qd_bench_lane *lane);
/* Counts unanswered batches as if they were answered now. Returns their number. */
uint64_t qd_bench_lane_give_up(qd_bench_lane *lane, uint64_t now_ns);
/* Handles a message for this connection, received at now_ns. */
void qd_bench_take_message(qd_bench_connection *connection, const qd_server_message *message, uint64_t now_ns);

/* Compares the pairs that the server reported to a lane with those of the writer's present entities, which are all of
 * the room's. */
void qd_bench_check(qd_bench_lane *reported, const qd_bench_lane *writer, uint64_t tick);

/* ---- connections and drivers ---- */

/* Sends and receives until is_done, or fails the run with `what` it waited for. Returns whether all is well. After a
 * failure, a run may still wait for its rooms to be closed. */
bool qd_bench_wait(qd_bench_connection *connection, bool (*is_done)(const qd_bench_connection *), const char *what);
/* The body of a driver's thread. */
void *qd_bench_drive(void *driver);

/* ---- runs ---- */

/* The server's statistics, from all rooms. */
typedef struct qd_bench_server_figures {
    bool are_known;
    double tick_us_p50;                      /* the median room's */
    double tick_us_p99, tick_us_max;         /* the worst room's */
    uint64_t ticks, ticks_skipped;           /* during the measurement */
    uint64_t room_ticks_min, room_ticks_max; /* of the room with the fewest, and the most */
    uint64_t memory_bytes;                   /* of the whole server, at the end */
} qd_bench_server_figures;

typedef struct qd_bench_result {
    double seconds; /* 0: no measurement */
    qd_bench_figures figures;
    qd_bench_server_figures server;
    qd_bench_usage used;           /* by the server, during the measurement */
    qd_bench_usage own;            /* by this program: the bench may be the limit if its threads are busy */
    uint64_t resident_bytes;       /* of the server, at the end; 0: unknown */
    uint32_t stalled_reset;        /* --stalled readers for which the server left out ticks, because of a full queue */
    uint32_t stalled_disconnected; /* those that it disconnected for that */
    double neighbor_ms[QD_BENCH_NEIGHBOR_COLUMNS]; /* of `load`, with --neighbor */
} qd_bench_result;

/* The options that most scenarios share: one room, connection and thread, two dimensions, a check at the end. */
qd_bench_options qd_bench_default_options(const qd_bench *bench, double warm_seconds_max);
/* Makes one run by bench->options. Returns whether all is well. */
bool qd_bench_run(qd_bench *bench, qd_bench_result *result);
/* Adds the goals of a room's own clock: no skipped tick, no unanswered batch. */
void qd_bench_add_clock_goals(qd_sheet *sheet, const qd_bench_result *result);
/* CPU time per one of `count`, user or system or both; NAN: unknown. */
double qd_bench_used_ns(const qd_bench_usage *used, bool user, bool system, uint64_t count);
/* CPU use in percent of a core; NAN: unknown. */
double qd_bench_used_percent(const qd_bench_usage *used, double seconds);

/* A percentile in milliseconds. */
double qd_bench_ms(const qd_histogram *times_ns, double percent);

/* ---- load on the raw loop ---- */

typedef struct qd_bench_raw_load {
    uint32_t hz, receivers;
    uint64_t request_bytes, answer_bytes; /* answer: to each receiver */
    uint32_t busy_us;                     /* the raw loop computes this long before each answer */
} qd_bench_raw_load;

typedef struct qd_bench_raw_result {
    double seconds;
    uint64_t requests;
    qd_bench_usage used;      /* by the raw loop */
    qd_histogram lateness_ns; /* from a request's due time until every receiver has its answer */
} qd_bench_raw_result;

/* Sends requests to the raw loop at that rate for bench->seconds, and receives the answers to all receivers. */
bool qd_bench_raw_run(qd_bench *bench, const qd_bench_raw_load *load, qd_bench_raw_result *result);

/* ---- printing ---- */

void qd_bench_figures_add(qd_bench_figures *sum, const qd_bench_figures *figures);
/* "events" */
const char *qd_bench_subscribe_name(qd_bench_subscribe subscribe);
void qd_bench_print_table(const qd_bench *bench, const qd_bench_result *result);
void qd_bench_print_json(const qd_bench *bench, const qd_bench_result *result);
/* Prints one line to the standard error. */
void qd_bench_print_progress(const qd_bench_figures *recent, double at_s, double over_s);

#endif
