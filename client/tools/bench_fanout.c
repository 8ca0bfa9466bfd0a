/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench fanout: the events of one room to a growing number of readers. The server encodes them once, so one
 * more reader costs only the sending, as in the raw loop.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The most readers that fold their events; folding all would overload the bench. */
#define CHECKED_MAX 4u

typedef struct options {
    uint32_t entities, hz, readers;
    bool roster;
} options;

static const qd_sheet_column columns[] = {
    {"readers", "readers", 0},
    {"bytes", "bytes/tick", 0},
    {"late_p50_ms", "late p50 ms", 3},
    {"late_p99_ms", "p99", 3},
    {"raw_late_p99_ms", "raw p99 ms", 3},
    {"cpu_percent", "CPU %", 1},
    {"raw_cpu_percent", "raw CPU %", 1},
    {"reader_us", "us/reader", 2},
    {"raw_reader_us", "raw us", 2},
    {"skipped", "skipped", 0},
    {"bench_cpu_percent", "bench CPU %", 1},
    {"checked", "checked", 0},
};

/* The server's CPU time per tick. */
static double tick_us(const qd_bench_result *result)
{
    return qd_bench_used_ns(&result->used, true, true, result->server.ticks) / 1e3;
}

static void run_row(qd_bench *bench, qd_sheet *sheet, const options *given, qd_bench_result *result,
                    qd_bench_raw_result *raw, double *alone_us)
{
    const uint32_t readers = given->readers;

    bench->options = qd_bench_default_options(bench, 1);
    bench->options.entities = given->entities;
    bench->options.readers = readers;
    bench->options.hz = given->hz;
    bench->options.check_max = CHECKED_MAX;
    bench->options.roster = given->roster;
    bench->options.may_be_late = true;
    if (!qd_bench_run(bench, result)) {
        return;
    }
    const qd_bench_figures *figures = &result->figures;
    uint64_t ticks = result->server.ticks > 0 ? result->server.ticks : 1;
    const qd_bench_raw_load load = {.hz = given->hz,
                                    .receivers = readers,
                                    .request_bytes = figures->bytes_out / ticks + 1,
                                    .answer_bytes = figures->bytes_in / readers / ticks + 1};
    if (!qd_bench_raw_run(bench, &load, raw)) {
        return;
    }
    /* The cost with one reader approximates that of the room. */
    if (readers == 1) {
        *alone_us = tick_us(result);
    }
    const double more = readers > 1 ? readers - 1 : NAN;
    const double reader_us = (tick_us(result) - *alone_us) / more;
    const double raw_us = qd_bench_used_ns(&raw->used, true, true, raw->requests * readers) / 1e3;
    qd_sheet_add_row(sheet, (const double[]){readers, (double)load.answer_bytes, qd_bench_ms(&figures->lateness_ns, 50),
                                             qd_bench_ms(&figures->lateness_ns, 99), qd_bench_ms(&raw->lateness_ns, 99),
                                             qd_bench_used_percent(&result->used, result->seconds),
                                             qd_bench_used_percent(&raw->used, raw->seconds), reader_us, raw_us,
                                             (double)result->server.ticks_skipped,
                                             qd_bench_used_percent(&result->own, result->seconds),
                                             (double)figures->ticks_checked});
    if (figures->resets > 0) {
        qd_sheet_add_note(sheet, "%u readers: %llu resets, because readers were slow", readers,
                          (unsigned long long)figures->resets);
    }
}

static void play(qd_bench *bench, qd_sheet *sheet, void *context)
{
    const options *given = context;
    qd_bench_result *result = calloc(1, sizeof *result);
    qd_bench_raw_result *raw = calloc(1, sizeof *raw);
    double alone_us = NAN;

    snprintf(sheet->title, sizeof sheet->title, "fanout: the events of one room of %u entities, %u ticks/s",
             given->entities, given->hz);
    if (!result || !raw) {
        qd_bench_fail(bench, "out of memory");
    }
    for (uint32_t readers = 1; !qd_bench_is_stopped(bench);) {
        options row = *given;

        row.readers = readers;
        run_row(bench, sheet, &row, result, raw, &alone_us);
        if (readers == given->readers) {
            break;
        }
        readers = readers * 10 < given->readers ? readers * 10 : given->readers;
    }
    free(result);
    free(raw);
    qd_sheet_add_note(sheet,
                      "us/reader: CPU time of the server per tick, for each reader after the first; raw: a bare");
    qd_sheet_add_note(sheet, "libuv loop that sends the same bytes to the same number of readers");
}

int qd_bench_fanout(qd_bench *bench, int argc, char **argv)
{
    static const qd_usage usage = {
        QD_BENCH " fanout", "",
        "Measures the cost of one more reader of a room on its own clock, for 1, 10, 100 ...\n"
        "readers, beside a bare libuv loop that sends the same bytes. It compares the pairs of\n"
        "some readers with brute force at the end.",
        .arguments_max = 0};
    static const char *const server_options[] = {"--connections-max", "70000", NULL};
    options given = {.entities = 10000, .hz = 20, .readers = 1000};
    const qd_option rows[] = {
        {"--entities", "N", "spawn N entities", QD_OPTION_NUMBER, .value = &given.entities, .min = 1, .max = 4194304},
        {"--hz", "N", "tick, and move all, at N Hz", QD_OPTION_NUMBER, .value = &given.hz, .min = 1, .max = 1000},
        {"--readers", "N", "subscribe up to N readers", QD_OPTION_NUMBER, .value = &given.readers, .min = 1,
         .max = 60000},
        {"--roster", NULL, "move by roster, without ids", QD_OPTION_FLAG, .value = &given.roster},
        QD_BENCH_COMMON_OPTIONS(bench),
    };
    qd_sheet sheet = {.scenario = "fanout", .columns = columns, .column_count = sizeof columns / sizeof *columns};
    int status;

    if (qd_options_parse(&usage, rows, sizeof rows / sizeof *rows, argc, argv, &status) < 0) {
        return status;
    }
    return qd_bench_play(bench, server_options, &sheet, play, &given);
}
