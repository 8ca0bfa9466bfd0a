/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench connections: the cost of idle sessions, and the service for active sessions beside them.
 */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Active sessions per room. */
#define TOGETHER 10u
/* Entities per active session. */
#define OWN 10u

typedef struct options {
    uint32_t connections, active, hz;
} options;

/* The idle sessions. */
typedef struct idle_sessions {
    qd_client **clients;
    double connect_us, resident_bytes, raw_resident_bytes, cpu_percent;
} idle_sessions;

static const qd_sheet_column columns[] = {
    {"connections", "connections", 0},
    {"connect_us", "connect us", 1},
    {"idle_bytes", "idle bytes", 0},
    {"raw_idle_bytes", "raw bytes", 0},
    {"idle_cpu_percent", "idle CPU %", 1},
    {"active", "active", 0},
    {"moves_per_s", "moves/s", 0},
    {"late_p50_ms", "late p50 ms", 3},
    {"late_p99_ms", "p99", 3},
    {"late_max_ms", "max", 3},
    {"skipped", "skipped", 0},
    {"cpu_percent", "CPU %", 1},
    {"user_ns", "user ns", 1},
    {"bench_cpu_percent", "bench CPU %", 1},
    {"checked", "checked", 0},
};

/* Resident bytes per connection of a bare libuv loop. */
static double raw_bytes(qd_bench *bench, uint32_t count)
{
    int *connected = calloc(count, sizeof *connected);
    uint32_t opened = 0;
    const uint64_t before = qd_bench_resident_bytes_of(bench->raw.pid);

    for (; connected && opened < count; opened++) {
        connected[opened] = qd_bench_raw_connect(&bench->raw, QD_BENCH_RAW_SINK, 0, 0);
        if (connected[opened] < 0) {
            break;
        }
    }
    const uint64_t after = qd_bench_resident_bytes_of(bench->raw.pid);
    if (opened < count) {
        qd_bench_fail(bench, "cannot connect to the raw loop: %s", strerror(errno));
    }
    while (opened > 0) {
        close(connected[--opened]);
    }
    free(connected);
    return ((double)after - (double)before) / count;
}

static bool fill(qd_bench *bench, idle_sessions *all, const options *given)
{
    const uint32_t count = given->connections - given->active;
    const pid_t pid = bench->server.pid;

    all->clients = calloc(count, sizeof *all->clients);
    if (!all->clients) {
        qd_bench_fail(bench, "out of memory");
        return false;
    }
    fprintf(stderr, "connecting %u times to a bare libuv loop\n", count);
    all->raw_resident_bytes = raw_bytes(bench, count);
    fprintf(stderr, "opening %u idle sessions\n", count);
    /* The first session makes the server allocate the shared memory. */
    all->clients[0] = qd_bench_connect_client(bench);
    if (!all->clients[0]) {
        return false;
    }
    const uint64_t before_bytes = qd_bench_resident_bytes_of(pid), start_ns = qd_now_ns();
    for (uint32_t index = 1; index < count && !qd_bench_is_stopped(bench); index++) {
        all->clients[index] = qd_bench_connect_client(bench);
    }
    all->connect_us = (double)(qd_now_ns() - start_ns) / 1e3 / (count - 1);

    fprintf(stderr, "measuring idle sessions for %g s\n", bench->seconds);
    const qd_bench_usage before = qd_bench_usage_of(pid);
    const uint64_t idle_ns = qd_now_ns();
    qd_bench_sleep_until(idle_ns + (uint64_t)(bench->seconds * 1e9));
    const qd_bench_usage used = qd_bench_usage_between(before, qd_bench_usage_of(pid));
    all->cpu_percent = qd_bench_used_percent(&used, (double)(qd_now_ns() - idle_ns) / 1e9);
    all->resident_bytes = pid ? ((double)qd_bench_resident_bytes_of(pid) - (double)before_bytes) / (count - 1) : NAN;
    return !qd_bench_is_stopped(bench);
}

/* Checks that every idle session still answers. */
static void ping_all(qd_bench *bench, const idle_sessions *all, uint32_t count)
{
    fprintf(stderr, "pinging %u idle sessions\n", count);
    for (uint32_t index = 0; index < count && !qd_bench_is_stopped(bench); index++) {
        qd_client *client = all->clients[index];
        const qd_server_message *pong = qd_client_answer(client, qd_client_ping(client, index), QD_BENCH_ANSWER_MS);

        if (!pong || pong->kind != QD_SERVER_PONG || pong->as.pong.data != index) {
            qd_bench_fail(bench, "session %u of %u no longer answers: %s", index + 1, count, qd_client_error(client));
        }
    }
}

static void add_row(qd_sheet *sheet, const options *given, const idle_sessions *all, const qd_bench_result *result)
{
    const qd_bench_figures *figures = &result->figures;

    qd_sheet_add_row(
        sheet, (const double[]){given->connections, all->connect_us, all->resident_bytes, all->raw_resident_bytes,
                                all->cpu_percent, given->active, (double)figures->updates / result->seconds,
                                qd_bench_ms(&figures->lateness_ns, 50), qd_bench_ms(&figures->lateness_ns, 99),
                                qd_bench_ms(&figures->lateness_ns, 100), (double)result->server.ticks_skipped,
                                qd_bench_used_percent(&result->used, result->seconds),
                                qd_bench_used_ns(&result->used, true, false, figures->updates),
                                qd_bench_used_percent(&result->own, result->seconds), (double)figures->ticks_checked});
    qd_sheet_add_goal(sheet, all->resident_bytes, true, 8192, "resident bytes per idle session");
    qd_sheet_add_goal(sheet, all->cpu_percent, true, 1, "all idle sessions, percent of a core");
    qd_bench_add_clock_goals(sheet, result);
}

static void play(qd_bench *bench, qd_sheet *sheet, void *context)
{
    const options *given = context;
    idle_sessions all = {0};
    qd_bench_result *result = calloc(1, sizeof *result);
    char error[512];

    snprintf(sheet->title, sizeof sheet->title,
             "connections: idle sessions; then %u more, %u per room, that move %u entities each at %u Hz",
             given->active, TOGETHER, OWN, given->hz);
    const uint32_t rooms = given->active / TOGETHER > 0 ? given->active / TOGETHER : 1;
    bench->options = qd_bench_default_options(bench, 1);
    bench->options.rooms = rooms;
    bench->options.entities = given->active / rooms * OWN;
    bench->options.connections = given->active;
    bench->options.hz = given->hz;
    bench->options.subscribe = QD_BENCH_EVENTS;
    bench->options.check_max = 16;
    bench->options.may_be_late = true;
    if (!result) {
        qd_bench_fail(bench, "out of memory");
    } else if (!qd_bench_allows_files(given->connections, error, sizeof error)) {
        qd_bench_fail(bench, "%s", error);
    } else if (fill(bench, &all, given) && qd_bench_run(bench, result)) {
        ping_all(bench, &all, given->connections - given->active);
        add_row(sheet, given, &all, result);
    }
    for (uint32_t index = 0; all.clients && index < given->connections - given->active; index++) {
        qd_client_destroy(all.clients[index]);
    }
    free(all.clients);
    free(result);
    qd_sheet_add_note(sheet, "bytes: resident, per idle session; raw: per connection of a bare libuv loop");
    qd_sheet_add_note(sheet, "connect: with Hello and Welcome, one by one; user ns: per update");
}

int qd_bench_connections(qd_bench *bench, int argc, char **argv)
{
    static const qd_usage usage = {
        QD_BENCH " connections", "",
        "Measures the memory and CPU time of idle sessions, and the lateness of active ones,\n"
        "which move entities in rooms. At the end it compares the pairs of some sessions with\n"
        "brute force, and pings every idle session. Each session is an open file, here and in the\n"
        "server: `ulimit -Hn` must be larger. The time to open them adds to --seconds.",
        .arguments_max = 0};
    static const char *const server_options[] = {"--connections-max", "1000000", NULL};
    options given = {.connections = 10000, .active = 1000, .hz = 20};
    const qd_option rows[] = {
        {"--connections", "N", "open N sessions", QD_OPTION_NUMBER, .value = &given.connections, .min = 3,
         .max = 1000000},
        {"--active", "N", "make N of them active", QD_OPTION_NUMBER, .value = &given.active, .min = 1, .max = 60000},
        {"--hz", "N", "tick, and move all, at N Hz", QD_OPTION_NUMBER, .value = &given.hz, .min = 1, .max = 1000},
        QD_BENCH_COMMON_OPTIONS(bench),
    };
    qd_sheet sheet = {.scenario = "connections", .columns = columns, .column_count = sizeof columns / sizeof *columns};
    int status;

    if (qd_options_parse(&usage, rows, sizeof rows / sizeof *rows, argc, argv, &status) < 0) {
        return status;
    }
    if (given.active + 2 > given.connections) {
        return qd_options_misuse(usage.program, "--active %u: at least two of the %u sessions must be idle",
                                 given.active, given.connections);
    }
    return qd_bench_play(bench, server_options, &sheet, play, &given);
}
