/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench big-room: one room on its own clock, in which all entities move at each tick, with readers of all
 * events.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct options {
    uint32_t entities, hz, readers;
    bool roster;
} options;

static const qd_sheet_column columns[] = {
    {"entities", "entities", 0},
    {"hz", "ticks/s", 0},
    {"readers", "readers", 0},
    {"skipped", "skipped", 0},
    {"late_p50_ms", "late p50 ms", 3},
    {"late_p99_ms", "p99", 3},
    {"late_p99_9_ms", "p99.9", 3},
    {"late_max_ms", "max", 3},
    {"cpu_percent", "CPU %", 1},
    {"user_ns", "user ns", 2},
    {"tick_p50_ms", "tick p50 ms", 3},
    {"tick_p99_ms", "p99", 3},
    {"events_per_s", "events/s", 0},
    {"raw_cpu_percent", "raw CPU %", 1},
    {"busy_late_p99_ms", "busy p99 ms", 3},
    {"busy_late_p99_9_ms", "p99.9", 3},
    {"bench_cpu_percent", "bench CPU %", 1},
    {"checked", "checked", 0},
};

/* Lateness counts from the earliest, as for a room. */
static double behind_ms(const qd_histogram *lateness_ns, double percent)
{
    return qd_bench_ms(lateness_ns, percent) - qd_bench_ms(lateness_ns, 0);
}

static void add_row(qd_bench *bench, qd_sheet *sheet, const options *given, const qd_bench_result *result,
                    const qd_bench_raw_result *raw, const qd_bench_raw_result *busy)
{
    const qd_bench_figures *figures = &result->figures;
    const double cpu = qd_bench_used_percent(&result->used, result->seconds);
    /* Each reader gets all events. */
    const double events = (double)(figures->begins + figures->ends) / given->readers;

    qd_sheet_add_row(
        sheet, (const double[]){given->entities, given->hz, given->readers, (double)result->server.ticks_skipped,
                                qd_bench_ms(&figures->lateness_ns, 50), qd_bench_ms(&figures->lateness_ns, 99),
                                qd_bench_ms(&figures->lateness_ns, 99.9), qd_bench_ms(&figures->lateness_ns, 100), cpu,
                                qd_bench_used_ns(&result->used, true, false, figures->updates),
                                result->server.tick_us_p50 / 1e3, result->server.tick_us_p99 / 1e3,
                                events / result->seconds, qd_bench_used_percent(&raw->used, raw->seconds),
                                behind_ms(&busy->lateness_ns, 99), behind_ms(&busy->lateness_ns, 99.9),
                                qd_bench_used_percent(&result->own, result->seconds), (double)figures->ticks_checked});
    qd_bench_add_clock_goals(sheet, result);
    qd_sheet_add_goal(sheet, qd_bench_ms(&figures->lateness_ns, 99.9), true, 1, "lateness, p99.9, ms");
    qd_sheet_add_goal(sheet, cpu, true, 50, "server, percent of a core");
    if (figures->suspensions + figures->resets > 0) {
        qd_bench_fail(bench, "the readers were suspended %llu times and reset %llu times",
                      (unsigned long long)figures->suspensions, (unsigned long long)figures->resets);
    }
}

static void play(qd_bench *bench, qd_sheet *sheet, void *context)
{
    const options *given = context;
    qd_bench_result *result = calloc(1, sizeof *result);
    qd_bench_raw_result *raw = calloc(2, sizeof *raw); /* the second is busy */

    snprintf(sheet->title, sizeof sheet->title, "big-room: all entities move at each tick, all events to each reader");
    bench->options = qd_bench_default_options(bench, 2);
    bench->options.entities = given->entities;
    bench->options.readers = given->readers;
    bench->options.threads = 2;
    bench->options.hz = given->hz;
    bench->options.roster = given->roster;
    bench->options.may_be_late = true;
    if (!result || !raw) {
        qd_bench_fail(bench, "out of memory");
    } else if (qd_bench_run(bench, result)) {
        uint64_t ticks = result->server.ticks > 0 ? result->server.ticks : 1;
        qd_bench_raw_load load = {.hz = given->hz,
                                  .receivers = given->readers,
                                  .request_bytes = result->figures.bytes_out / ticks + 1,
                                  .answer_bytes = result->figures.bytes_in / given->readers / ticks + 1};
        bool is_done = qd_bench_raw_run(bench, &load, raw);

        load.busy_us = (uint32_t)result->server.tick_us_p50;
        if (is_done && qd_bench_raw_run(bench, &load, raw + 1)) {
            add_row(bench, sheet, given, result, raw, raw + 1);
        }
    }
    free(result);
    free(raw);
    qd_sheet_add_note(sheet,
                      "late: a tick's last frame at a reader, after the earliest of the run; user ns: per update");
    qd_sheet_add_note(sheet, "tick: by the server; raw: a bare libuv loop with the same bytes at the same rate");
    qd_sheet_add_note(sheet, "busy: lateness of that loop when it computes as long as a tick before each answer");
}

int qd_bench_big_room(qd_bench *bench, int argc, char **argv)
{
    static const qd_usage usage = {
        QD_BENCH " big-room", "",
        "Measures skipped ticks, lateness and CPU time of one room on its own clock. A writer\n"
        "moves all entities at each tick, and readers get all events. It compares the readers'\n"
        "pairs with brute force at the end. For a million: --entities 1000000 --hz 20.",
        .arguments_max = 0};
    static const char *const server_options[] = {"--frame-max", "64M", "--queue-max", "64M", NULL};
    options given = {.entities = 100000, .hz = 60, .readers = 2};
    const qd_option rows[] = {
        {"--entities", "N", "spawn N entities", QD_OPTION_NUMBER, .value = &given.entities, .min = 1, .max = 4194304},
        {"--hz", "N", "tick, and move all, at N Hz", QD_OPTION_NUMBER, .value = &given.hz, .min = 1, .max = 1000},
        {"--readers", "N", "subscribe N readers to all events", QD_OPTION_NUMBER, .value = &given.readers, .min = 1,
         .max = 1000},
        {"--roster", NULL, "move by roster, without ids", QD_OPTION_FLAG, .value = &given.roster},
        QD_BENCH_COMMON_OPTIONS(bench),
    };
    qd_sheet sheet = {.scenario = "big-room", .columns = columns, .column_count = sizeof columns / sizeof *columns};
    int status;

    if (qd_options_parse(&usage, rows, sizeof rows / sizeof *rows, argc, argv, &status) < 0) {
        return status;
    }
    return qd_bench_play(bench, server_options, &sheet, play, &given);
}
