/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench: what its parts share.
 *
 *     bench.c          the front: which scenario, begin and end of each, failures
 *     bench_server.c   the server that is measured, and what it uses
 *     bench_raw.c      a bare libuv loop, for the raw limit
 *     bench_drum.c     what it takes to get bytes at a rate, and to send others to many
 *     bench_sheet.c    what a scenario prints
 *
 *     bench_run.c      a RUN: rooms, writers and readers, from the first connection to the last room closed
 *     bench_lane.c     a LANE: what one connection has to do with one room; motion, batches, answers
 *     bench_driver.c   a DRIVER: a thread that sends and receives for some of the connections, on schedule
 *     bench_stalled.c  readers that read nothing
 *     bench_check.c    compares a room's pairs with brute force
 *
 *     bench_load.c     the scenario `load`: one run, as the command line says; bench_report.c prints it
 *     bench_*.c        the other scenarios, each after its name; most are some runs with their rows in a sheet
 *
 * TIMES. A batch has an intended time of sending, which follows from the rate alone. A round trip is counted from
 * there, not from when the batch could really be sent: a server that stalls is seen in every batch that it delays.
 * The ticks of a room's own clock are due in equal steps. How late one is, is counted from the earliest of the run:
 * from the step at which it would have come had it been as quick as that one. Of one writer in one room batches
 * are sent halfway between its ticks, as by a game that follows them: else it is chance whether they meet.
 *
 * THREADS. The main thread opens everything, then each connection with its lanes belongs to one driver, then to the
 * main thread again. Only a driver's `recent` figures are shared meanwhile, under its lock.
 */
#ifndef QD_TOOLS_BENCH_H
#define QD_TOOLS_BENCH_H

#include "bench_raw.h"
#include "bench_server.h"
#include "bench_sheet.h"
#include "histogram.h"
#include "options.h"
#include "quadrille.h"

#include <pthread.h>
#include <stdatomic.h>

#define QD_BENCH "quadrille-bench"

/* How long the server may say nothing where an answer is due, outside of the measurement; the same when the run has
 * failed already and only its rooms are to be closed; and how long it may take for the last answers of the measurement.
 */
#define QD_BENCH_TIMEOUT_NS         10000000000u
#define QD_BENCH_TIMEOUT_STOPPED_NS 2000000000u
#define QD_BENCH_RUN_OUT_NS         5000000000u

/* To wake up takes about half of that, where the core has gone to sleep. */
#define QD_BENCH_EARLY_NS 150000u

/* Batches of a lane that are not yet answered; beyond that they wait, and their round trips with them. */
#define QD_BENCH_PENDING_MAX 64u

typedef enum qd_bench_subscribe { QD_BENCH_NONE, QD_BENCH_EVENTS, QD_BENCH_STAYS } qd_bench_subscribe;

/* With pairs that are folded: compared with brute force after each batch, or once when all is done. */
typedef enum qd_bench_check_kind { QD_BENCH_CHECK_NONE, QD_BENCH_CHECK_END, QD_BENCH_CHECK_ALL } qd_bench_check_kind;

/* Of a run. */
typedef struct qd_bench_options {
    uint32_t rooms, entities, connections, threads, dimensions;
    uint32_t readers; /* connections more, which subscribe to the events of a room and send nothing */
    uint32_t stalled; /* and such as do not even read */
    qd_index_kind index;
    uint32_t hz; /* 0: as fast as the answers come */
    double seconds;
    double warm_seconds;          /* of the same before it, which are not measured */
    qd_bench_subscribe subscribe; /* of the writers */
    bool step, roster;
    qd_bench_check_kind check;
    uint32_t check_max; /* so many lanes fold their pairs; 0: all that are subscribed */
    bool is_quiet;      /* no progress lines */
    bool is_exact;      /* batches are made before they are due, and drivers wait for the last of the time without
                         * sleep; a lane a connection */
    bool may_be_late;   /* a rate that is not held is no failure, see figures.unanswered */
} qd_bench_options;

/* What is counted; all zero to begin with. */
typedef struct qd_bench_figures {
    uint64_t updates; /* entities in batches that were answered */
    uint64_t begins, ends, stays;
    uint64_t suspensions, resets;
    uint64_t bytes_in, bytes_out; /* as the client sees it: in is what it received */
    uint64_t ticks_checked;
    uint64_t unanswered; /* batches that were not, so long after the end; then nothing is checked there */
    qd_histogram round_trip_ns;
    qd_histogram own_late_ns; /* how long after its intended time a batch was ready to be sent: the bench's own part */
    qd_histogram lateness_ns; /* of a room's own clock, see TIMES */
} qd_bench_figures;

/* The whole of it. */
typedef struct qd_bench {
    /* What every scenario is told. */
    qd_bench_where where;
    double seconds;
    bool json;

    qd_bench_server server;
    qd_bench_raw raw;

    /* Of the run. */
    qd_bench_options options;
    float side;                /* of the rooms, on each of their axes */
    uint64_t run_id;           /* part of the rooms' names, so that runs do not meet */
    uint64_t start_ns, end_ns; /* of the measurement; 0 before it */

    _Atomic bool stopped; /* by a failure */
    pthread_mutex_t failure_lock;
    char failure[512]; /* the first one; empty: none */
} qd_bench;

struct qd_bench_driver;
struct qd_bench_connection;

typedef struct qd_bench_pending {
    uint32_t seq;
    uint64_t intended_ns, made_ns;
} qd_bench_pending;

typedef struct qd_bench_lane {
    struct qd_bench_connection *connection;
    uint32_t room_index;
    uint64_t room;  /* its handle; 0: not open */
    bool is_first;  /* of the room's lanes: the one that steps, and closes it */
    bool is_closed; /* RoomClosed came */
    bool has_set;   /* a reset came */
    bool has_stats;
    qd_msg_room_stats stats;
    uint64_t ticks_before, skipped_before; /* of the stats when the measurement began */
    uint64_t memory_bytes;                 /* with the stats: the server's */
    bool has_earliest;
    uint64_t earliest_ns; /* of all ticks: when it came, less when it was due, counted from tick 0 */

    uint32_t count; /* entities; 0: a reader's */
    uint32_t *id;
    float *at[3], *speed[3]; /* NULL for the third axis in two dimensions */

    uint64_t next_ns;  /* when the next batch is to be sent */
    uint32_t made_seq; /* of the next batch, if it is made and held; else 0 */
    uint32_t pending_first, pending_count, pending_max;
    qd_bench_pending pending[QD_BENCH_PENDING_MAX]; /* a ring */
    uint32_t setup_seq;                             /* the last request of the setup; 0: it is in */
    qd_pairs *pairs;                                /* where they are folded, else NULL */
} qd_bench_lane;

typedef struct qd_bench_connection {
    qd_bench *bench;
    qd_client *client;
    qd_bench_lane *lanes;
    uint32_t lane_count;
    qd_bench_lane **by_room;      /* the lanes by ascending handle, once all rooms are open */
    uint32_t open_seq;            /* of the first lane's OpenRoom; the others follow */
    qd_bench_figures *figures;    /* where what comes in is counted */
    uint64_t bytes_in, bytes_out; /* received and sent, not counted there yet */
    uint64_t received_ns;         /* when it was last received from */
    bool is_output_watched;       /* the driver is told when more can be sent */
    bool is_held;                 /* nothing is sent before it is due */
} qd_bench_connection;

typedef struct qd_bench_driver {
    qd_bench *bench;
    pthread_t thread;
    int ready; /* of epoll */
    qd_bench_connection *connections;
    uint32_t connection_count;
    qd_bench_lane **lanes; /* of all its connections */
    uint32_t lane_count;
    uint64_t done_ns; /* when the last was answered */
    _Atomic bool is_done;
    pthread_mutex_t lock;
    qd_bench_figures recent; /* since the main thread last took them */
} qd_bench_driver;

/* ---- scenarios ---- */

/* The options that every scenario takes; the last rows of its table. */
#define QD_BENCH_COMMON_OPTIONS(bench)                                                                                 \
    {"--seconds", "S",   "how long to measure, each row of the table (5)", QD_OPTION_REAL, &(bench)->seconds,          \
     0.1,         604800},                                                                                             \
        {"--json", NULL, "print one JSON object instead of the table", QD_OPTION_FLAG, &(bench)->json, 0, 0},          \
        {"--server",                                                                                                   \
         "HOST:PORT",                                                                                                  \
         "a server that runs (QUADRILLE_SERVER); else one is started for this",                                        \
         QD_OPTION_TEXT,                                                                                               \
         &(bench)->where.server,                                                                                       \
         0,                                                                                                            \
         0},                                                                                                           \
        {"--server-pid",                                                                                               \
         "PID",                                                                                                        \
         "of that one, if it is on this machine: to know what it uses",                                                \
         QD_OPTION_NUMBER,                                                                                             \
         &(bench)->where.pid,                                                                                          \
         1,                                                                                                            \
         4194304},                                                                                                     \
    {                                                                                                                  \
        "--server-binary", "PATH", "of the one to start (beside this program, or in PATH)", QD_OPTION_TEXT,            \
            &(bench)->where.binary, 0, 0                                                                               \
    }

/* Each takes the command line from its own name on, and returns the exit status. */
int qd_bench_load(qd_bench *bench, int argc, char **argv);
int qd_bench_fences(qd_bench *bench, int argc, char **argv);
int qd_bench_ingest(qd_bench *bench, int argc, char **argv);
int qd_bench_latency(qd_bench *bench, int argc, char **argv);
int qd_bench_big_room(qd_bench *bench, int argc, char **argv);
int qd_bench_many_rooms(qd_bench *bench, int argc, char **argv);
int qd_bench_fanout(qd_bench *bench, int argc, char **argv);
int qd_bench_connections(qd_bench *bench, int argc, char **argv);
int qd_bench_growth(qd_bench *bench, int argc, char **argv);

/* Starts what it takes: a raw loop, and a server unless there is one (with these options, see bench_server.h). Returns
 * whether all is well; in any case the end is to follow. */
bool qd_bench_begin(qd_bench *bench, const char *const *server_options);
void qd_bench_end(qd_bench *bench);
/* Reports the failure, if any. Returns the exit status. */
int qd_bench_status(const qd_bench *bench);

/* All three around `body`, and prints the sheet. Returns the exit status. */
int qd_bench_play(qd_bench *bench, const char *const *server_options, qd_sheet *sheet,
                  void (*body)(qd_bench *bench, qd_sheet *sheet, void *context), void *context);

uint64_t qd_bench_now_ns(void);
/* Sleeps until then, as exactly as the system can. */
void qd_bench_sleep_until(uint64_t then_ns);
/* Does not sleep for the last of it, to be there in time. */
void qd_bench_wait_until(uint64_t then_ns);
/* Stops the run; the first failure is what is told. [any thread] */
void qd_bench_fail(qd_bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool qd_bench_is_stopped(const qd_bench *bench);
/* "bench-0123456789abcdef-17" */
#define QD_BENCH_NAME_SIZE 48
void qd_bench_room_name(const qd_bench *bench, uint32_t room_index, char name[QD_BENCH_NAME_SIZE]);

/* ---- opening ---- */

/* Connects and says Hello. Both return whether all is well, else the run has failed. */
bool qd_bench_connect(qd_bench *bench, qd_bench_connection *connection);
/* Opens the rooms of all its lanes. */
bool qd_bench_open_rooms(qd_bench *bench, qd_bench_connection *connection);

/* The sessions that stall, a lane each. Zero to begin with. */
typedef struct qd_bench_stalled {
    qd_bench_connection *connections;
    qd_bench_lane *lanes, **links;
    qd_bench_figures *figures;
} qd_bench_stalled;

/* Opens --stalled of them, in rooms that are open; from then on they are not touched until they are closed. */
bool qd_bench_stalled_open(qd_bench *bench, qd_bench_stalled *stalled);
void qd_bench_stalled_close(const qd_bench *bench, qd_bench_stalled *stalled);

/* ---- lanes ---- */

/* Makes `count` entities with ids from first_id on. */
bool qd_bench_lane_init(qd_bench_lane *lane, uint32_t first_id, uint32_t count);
void qd_bench_lane_deinit(qd_bench_lane *lane);
/* Sends what its lanes queued, as far as that needs no waiting. */
void qd_bench_send(qd_bench_connection *connection);
/* Queues the spawns, the subscription and, in step mode, the first step. */
void qd_bench_lane_start(qd_bench_lane *lane);
/* Makes the next batch before it is due, if there is one and nothing is under way; it is held until it is due. */
void qd_bench_lane_make_ahead(qd_bench_lane *lane);
/* Queues the batches that are due by now_ns and intended before the end, as far as those pending allow. */
void qd_bench_lane_send_due(qd_bench_lane *lane, uint64_t now_ns);
/* Whether batches wait for their answer, or to be sent. */
bool qd_bench_lane_is_busy(const qd_bench_lane *lane);
/* Counts what is not answered as if it were now. Returns how many there were. */
uint64_t qd_bench_lane_give_up(qd_bench_lane *lane, uint64_t now_ns);
/* A message for this connection, received at now_ns. */
void qd_bench_take_message(qd_bench_connection *connection, const qd_server_message *message, uint64_t now_ns);

/* Compares the pairs that the server told a lane with those of the writer's entities, as they are now: all of the
 * room. */
void qd_bench_check(qd_bench_lane *told, const qd_bench_lane *writer, uint64_t tick);

/* ---- connections and drivers ---- */

/* Exchanges until is_done, or fails the run, naming what it waited for. Returns whether all is well. A run that has
 * failed already may still wait for its rooms to be closed. */
bool qd_bench_wait(qd_bench_connection *connection, bool (*is_done)(const qd_bench_connection *), const char *what);
/* The body of a driver's thread. */
void *qd_bench_drive(void *driver);

/* ---- runs ---- */

/* The server's own figures, from all rooms. */
typedef struct qd_bench_server_figures {
    bool are_known;
    double tick_us_p50;                      /* the median room's */
    double tick_us_p99, tick_us_max;         /* the worst room's */
    uint64_t ticks, ticks_skipped;           /* while it was measured */
    uint64_t room_ticks_min, room_ticks_max; /* of the room with the fewest, and the most */
    uint64_t memory_bytes;                   /* of the whole server, at the end */
} qd_bench_server_figures;

typedef struct qd_bench_result {
    double seconds; /* 0: it did not come to that */
    qd_bench_figures figures;
    qd_bench_server_figures server;
    qd_bench_usage used;     /* by the server, meanwhile */
    qd_bench_usage own;      /* by this program: where it is near what its threads have, it is the limit */
    uint64_t resident_bytes; /* of the server, at the end; 0: not known */
} qd_bench_result;

/* One run, as bench->options say. Returns whether all went well. */
bool qd_bench_run(qd_bench *bench, qd_bench_result *result);
/* The goals of a room's own clock: no tick skipped, all batches answered. */
void qd_bench_add_clock_goals(qd_sheet *sheet, const qd_bench_result *result);
/* What the server used for `count` of something, user and system together where `user` and `system` say so; NAN: not
 * known. */
double qd_bench_used_ns(const qd_bench_usage *used, bool user, bool system, uint64_t count);
/* Of the machine's cores, in percent of one; NAN: not known. */
double qd_bench_used_percent(const qd_bench_usage *used, double seconds);

/* In milliseconds. */
double qd_bench_ms(const qd_histogram *times_ns, double percent);

/* ---- the raw limit of a rate ---- */

typedef struct qd_bench_beat {
    uint32_t hz, members;
    uint64_t request_bytes, answer_bytes; /* answer: to each member */
    uint32_t busy_us;                     /* that the raw loop computes before each answer */
} qd_bench_beat;

typedef struct qd_bench_beaten {
    double seconds;
    uint64_t beats;
    qd_bench_usage used;      /* by the raw loop */
    qd_histogram lateness_ns; /* from when a beat was due until every member had all of it */
} qd_bench_beaten;

/* Sends requests to the raw loop at that rate, for bench->seconds, and takes what it sends to the members. */
bool qd_bench_drum(qd_bench *bench, const qd_bench_beat *beat, qd_bench_beaten *result);

/* ---- printing ---- */

void qd_bench_figures_add(qd_bench_figures *sum, const qd_bench_figures *figures);
/* "events" */
const char *qd_bench_subscribe_name(qd_bench_subscribe subscribe);
void qd_bench_print_table(const qd_bench *bench, const qd_bench_result *result);
void qd_bench_print_json(const qd_bench *bench, const qd_bench_result *result);
/* One line on the standard error. */
void qd_bench_print_progress(const qd_bench_figures *recent, double at_s, double over_s);

#endif
