/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench latency: the round trip of a Step, beside that of a bare libuv echo with the same bytes at the same
 * times. Round trips count from the scheduled send time.
 */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct options {
    uint32_t entities, hz;
    double p50_us_max, p99_us_max; /* the goals; 0: none */
    bool roster;
} options;

/* Sends a request and receives its answer; false: the connection is broken. */
static bool exchange(int connected, uint8_t *bytes, size_t request_bytes, size_t answer_bytes)
{
    if (!qd_bench_raw_send(connected, bytes, request_bytes)) {
        return false;
    }
    for (size_t at = 0; at < answer_bytes;) {
        ssize_t got = recv(connected, bytes, answer_bytes - at, 0);

        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        at += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static void echo(qd_bench *bench, uint32_t hz, size_t request_bytes, size_t answer_bytes, qd_histogram *trips)
{
    size_t most = request_bytes > answer_bytes ? request_bytes : answer_bytes;
    uint8_t *bytes = calloc(1, most);
    int connected =
        qd_bench_raw_connect(&bench->raw, QD_BENCH_RAW_ECHO, (uint32_t)request_bytes, (uint32_t)answer_bytes);
    uint64_t period_ns = 1000000000u / hz, due_ns = qd_now_ns() + 10000000;
    uint64_t end_ns = due_ns + (uint64_t)(bench->seconds * 1e9);

    prctl(PR_SET_TIMERSLACK, 1);
    for (; bytes && connected >= 0 && due_ns < end_ns && !qd_bench_is_stopped(bench); due_ns += period_ns) {
        qd_bench_wait_until(due_ns);
        if (!exchange(connected, bytes, request_bytes, answer_bytes)) {
            qd_bench_fail(bench, "the raw echo does not answer: %s", strerror(errno));
        }
        qd_histogram_record(trips, qd_now_ns() - due_ns);
    }
    if (!bytes || connected < 0) {
        qd_bench_fail(bench, "cannot connect to the raw echo: %s", strerror(errno));
    }
    if (connected >= 0) {
        close(connected);
    }
    free(bytes);
}

static double us(const qd_histogram *trips, double percent)
{
    return (double)qd_histogram_percentile(trips, percent) / 1e3;
}

static const qd_sheet_column columns[] = {
    {"entities", "entities", 0},     {"hz", "steps/s", 0},
    {"p50_us", "p50 us", 1},         {"p99_us", "p99 us", 1},
    {"p99_9_us", "p99.9 us", 1},     {"max_us", "max us", 1},
    {"own_p50_us", "own p50 us", 1}, {"own_p99_us", "own p99 us", 1},
    {"raw_p50_us", "raw p50 us", 1}, {"raw_p99_us", "raw p99 us", 1},
    {"raw_max_us", "raw max us", 1}, {"tick_p50_us", "tick p50 us", 1},
    {"user_ns", "user ns", 2},       {"checked", "checked", 0},
};

static void run_row(qd_bench *bench, qd_sheet *sheet, const options *row, qd_bench_result *result, qd_histogram *raw)
{
    bench->options = qd_bench_default_options(bench, 1);
    bench->options.entities = row->entities;
    bench->options.hz = row->hz;
    bench->options.subscribe = QD_BENCH_EVENTS;
    bench->options.step = true;
    bench->options.roster = row->roster;
    bench->options.is_exact = true;
    if (!qd_bench_run(bench, result) && result->seconds == 0) {
        return;
    }
    const qd_bench_figures *figures = &result->figures;
    uint64_t steps = figures->round_trip_ns.count > 0 ? figures->round_trip_ns.count : 1;
    memset(raw, 0, sizeof *raw);
    echo(bench, row->hz, figures->bytes_out / steps + 1, figures->bytes_in / steps + 1, raw);
    qd_sheet_add_row(
        sheet, (const double[]){
                   row->entities, row->hz, us(&figures->round_trip_ns, 50), us(&figures->round_trip_ns, 99),
                   us(&figures->round_trip_ns, 99.9), us(&figures->round_trip_ns, 100), us(&figures->own_late_ns, 50),
                   us(&figures->own_late_ns, 99), us(raw, 50), us(raw, 99), us(raw, 100), result->server.tick_us_p50,
                   qd_bench_used_ns(&result->used, true, false, figures->updates), (double)figures->ticks_checked});
    if (row->p50_us_max > 0) {
        qd_sheet_add_goal(sheet, us(&figures->round_trip_ns, 50), true, row->p50_us_max, "%u entities: p50, us",
                          row->entities);
    }
    if (row->p99_us_max > 0) {
        qd_sheet_add_goal(sheet, us(&figures->round_trip_ns, 99), true, row->p99_us_max, "%u entities: p99, us",
                          row->entities);
    }
}

static void play(qd_bench *bench, qd_sheet *sheet, void *context)
{
    static const options defaults[] = {{1000, 200, 100, 300, false}, {100000, 20, 0, 4000, false}};
    const options *given = context;
    qd_bench_result *result = calloc(1, sizeof *result);
    qd_histogram *raw = calloc(1, sizeof *raw);

    snprintf(sheet->title, sizeof sheet->title, "latency: Move of all, Step, events; from the scheduled send time");
    for (uint32_t row = 0; row < 2 && result && raw && !qd_bench_is_stopped(bench); row++) {
        options wanted = defaults[row];

        if (given->entities && row > 0) {
            break;
        }
        if (given->entities) {
            wanted = (options){.entities = given->entities, .hz = wanted.hz};
        }
        wanted.roster = given->roster;
        if (given->hz) {
            wanted.hz = given->hz;
        }
        run_row(bench, sheet, &wanted, result, raw);
    }
    if (!result || !raw) {
        qd_bench_fail(bench, "out of memory");
    }
    free(result);
    free(raw);
    qd_sheet_add_note(sheet, "own: from the scheduled time until the bench sends: its own lateness; raw: a bare libuv");
    qd_sheet_add_note(sheet, "echo with the same bytes; user ns: of the server, per update; checked: ticks compared");
    qd_sheet_add_note(sheet, "with brute force at the end");
}

int qd_bench_latency(qd_bench *bench, int argc, char **argv)
{
    static const qd_usage usage = {
        QD_BENCH " latency", "",
        "Measures the round trip of a Step, beside that of a bare libuv echo. One writer moves\n"
        "all entities of a room, steps at a rate, and gets the events. Round trips count from the\n"
        "scheduled send time. It compares the pairs with brute force at the end.",
        .arguments_max = 0};
    static const char *const server_options[] = {NULL};
    options given = {0};
    const qd_option rows[] = {
        {"--entities", "N", "spawn N entities", QD_OPTION_NUMBER, .value = &given.entities, .min = 1, .max = 4194304,
         .otherwise = "1000, then 100000"},
        {"--hz", "N", "step at N Hz", QD_OPTION_NUMBER, .value = &given.hz, .min = 1, .max = 100000,
         .otherwise = "200, then 20"},
        {"--roster", NULL, "move by roster, without ids", QD_OPTION_FLAG, .value = &given.roster},
        QD_BENCH_COMMON_OPTIONS(bench),
    };
    qd_sheet sheet = {.scenario = "latency", .columns = columns, .column_count = sizeof columns / sizeof *columns};
    int status;

    if (qd_options_parse(&usage, rows, sizeof rows / sizeof *rows, argc, argv, &status) < 0) {
        return status;
    }
    return qd_bench_play(bench, server_options, &sheet, play, &given);
}
