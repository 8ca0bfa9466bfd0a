/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench connections: what a session costs that does nothing, and whether those that do something are served
 * beside it.
 */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_MS 20000
/* Sessions of a room. */
#define TOGETHER 10u
/* Entities that an active session moves. */
#define OWN 10u

typedef struct options {
    uint32_t connections, active, hz;
} options;

/* Those that do nothing. */
typedef struct crowd {
    qd_client **clients;
    double connect_us, resident_bytes, raw_resident_bytes, cpu_percent;
} crowd;

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

/* What a connection takes of a bare libuv loop. */
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

static bool connect_one(qd_bench *bench, qd_client **client)
{
    *client = qd_client_create();
    if (*client &&
        qd_client_connect(*client, bench->server.address, bench->where.token, QD_BENCH, ANSWER_MS) == QD_CLIENT_OK) {
        return true;
    }
    qd_bench_fail(bench, "%s", *client ? qd_client_error(*client) : "out of memory");
    return false;
}

static bool fill(qd_bench *bench, crowd *all, const options *given)
{
    const uint32_t count = given->connections - given->active;
    const pid_t pid = bench->server.pid;

    all->clients = calloc(count, sizeof *all->clients);
    if (!all->clients) {
        qd_bench_fail(bench, "out of memory");
        return false;
    }
    all->raw_resident_bytes = raw_bytes(bench, count);
    /* The first makes the server have what all of them share. */
    if (!connect_one(bench, &all->clients[0])) {
        return false;
    }
    const uint64_t before_bytes = qd_bench_resident_bytes_of(pid), start_ns = qd_bench_now_ns();
    for (uint32_t index = 1; index < count && !qd_bench_is_stopped(bench); index++) {
        connect_one(bench, &all->clients[index]);
    }
    all->connect_us = (double)(qd_bench_now_ns() - start_ns) / 1e3 / (count - 1);

    const qd_bench_usage before = qd_bench_usage_of(pid);
    const uint64_t idle_ns = qd_bench_now_ns();
    qd_bench_sleep_until(idle_ns + (uint64_t)(bench->seconds * 1e9));
    const qd_bench_usage used = qd_bench_usage_between(before, qd_bench_usage_of(pid));
    all->cpu_percent = qd_bench_used_percent(&used, (double)(qd_bench_now_ns() - idle_ns) / 1e9);
    all->resident_bytes = pid ? ((double)qd_bench_resident_bytes_of(pid) - (double)before_bytes) / (count - 1) : NAN;
    return !qd_bench_is_stopped(bench);
}

/* Every one of those that did nothing is still there. */
static void ask_all(qd_bench *bench, const crowd *all, uint32_t count)
{
    for (uint32_t index = 0; index < count && !qd_bench_is_stopped(bench); index++) {
        qd_client *client = all->clients[index];
        const qd_server_message *pong = qd_client_answer(client, qd_client_ping(client, index), ANSWER_MS);

        if (!pong || pong->kind != QD_SERVER_PONG || pong->as.pong.data != index) {
            qd_bench_fail(bench, "session %u of %u does not answer any more: %s", index + 1, count,
                          qd_client_error(client));
        }
    }
}

static void add_row(qd_sheet *sheet, const options *given, const crowd *all, const qd_bench_result *result)
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
    qd_sheet_add_goal(sheet, all->resident_bytes, true, 8192, "resident bytes of a session at rest");
    qd_sheet_add_goal(sheet, all->cpu_percent, true, 1, "all sessions at rest, percent of a core");
    qd_bench_add_clock_goals(sheet, result);
}

static void play(qd_bench *bench, qd_sheet *sheet, void *context)
{
    const options *given = context;
    crowd all = {0};
    qd_bench_result *result = calloc(1, sizeof *result);
    char error[512];

    snprintf(sheet->title, sizeof sheet->title,
             "connections: sessions at rest; then %u more, %u in a room, that move %u entities each, %u times a second",
             given->active, TOGETHER, OWN, given->hz);
    const uint32_t rooms = given->active / TOGETHER > 0 ? given->active / TOGETHER : 1;
    bench->options = (qd_bench_options){.rooms = rooms,
                                        .entities = given->active / rooms * OWN,
                                        .connections = given->active,
                                        .threads = 1,
                                        .dimensions = 2,
                                        .index = QD_INDEX_AUTO,
                                        .hz = given->hz,
                                        .seconds = bench->seconds,
                                        .warm_seconds = bench->seconds < 1 ? bench->seconds : 1,
                                        .subscribe = QD_BENCH_EVENTS,
                                        .check = QD_BENCH_CHECK_END,
                                        .check_max = 16,
                                        .is_quiet = true,
                                        .may_be_late = true};
    if (!result) {
        qd_bench_fail(bench, "out of memory");
    } else if (!qd_bench_allows_files(given->connections, error, sizeof error)) {
        qd_bench_fail(bench, "%s", error);
    } else if (fill(bench, &all, given) && qd_bench_run(bench, result)) {
        ask_all(bench, &all, given->connections - given->active);
        add_row(sheet, given, &all, result);
    }
    for (uint32_t index = 0; all.clients && index < given->connections - given->active; index++) {
        qd_client_destroy(all.clients[index]);
    }
    free(all.clients);
    free(result);
    qd_sheet_add_note(sheet, "bytes: resident, a session at rest; raw: a connection of a bare libuv loop");
    qd_sheet_add_note(sheet, "connect: with Hello and Welcome, one after the other; user ns: an update");
}

int qd_bench_connections(qd_bench *bench, int argc, char **argv)
{
    static const qd_usage usage = {
        QD_BENCH " connections", "",
        "Connects sessions that then do nothing: what does the server keep for each? Then some\n"
        "more that move entities in rooms. At the end the pairs of some are compared with brute\n"
        "force, and all that did nothing are asked whether they are still there. Each is an open\n"
        "file, here and in the server: `ulimit -Hn` must be above that.",
        0, 0};
    static const char *const server_options[] = {"--connections-max", "1000000", NULL};
    options given = {.connections = 10000, .active = 1000, .hz = 20};
    const qd_option rows[] = {
        {"--connections", "N", "in all (10000)", QD_OPTION_NUMBER, &given.connections, 3, 1000000},
        {"--active", "N", "of them that do something (1000)", QD_OPTION_NUMBER, &given.active, 1, 60000},
        {"--hz", "N", "moves of each, and ticks, a second (20)", QD_OPTION_NUMBER, &given.hz, 1, 1000},
        QD_BENCH_COMMON_OPTIONS(bench),
    };
    qd_sheet sheet = {.scenario = "connections", .columns = columns, .column_count = sizeof columns / sizeof *columns};
    int status;

    if (qd_options_parse(&usage, rows, sizeof rows / sizeof *rows, argc, argv, &status) < 0) {
        return status;
    }
    if (given.active + 2 > given.connections) {
        return qd_options_misuse(usage.program, "--active %u: at least two of the %u are to be at rest", given.active,
                                 given.connections);
    }
    return qd_bench_play(bench, server_options, &sheet, play, &given);
}
