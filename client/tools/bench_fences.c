/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench fences: points that move through fences at rest. A fence is a free observer with a circle, and its
 * view contains the points inside.
 */
#include "bench_field.h"

#include <stdio.h>
#include <stdlib.h>

#define FENCES_MAX 1048576
#define POINTS_MAX 4194304

static const qd_sheet_column columns[] = {
    {"fences", "fences", 0},
    {"points", "points", 0},
    {"steps", "steps", 0},
    {"updates_per_s", "positions/s", 0},
    {"enters_per_s", "enters/s", 0},
    {"leaves_per_s", "leaves/s", 0},
    {"round_trip_p50_ms", "round trip p50 ms", 2},
    {"round_trip_p99_ms", "p99", 2},
    {"user_ns", "user ns", 2},
    {"system_ns", "system ns", 2},
    {"checked", "checked", 0},
};

static void add_row(const qd_field_config *config, qd_sheet *sheet, const qd_field_result *result)
{
    const uint64_t updates = result->steps * config->points;

    qd_sheet_add_row(sheet,
                     (const double[]){config->observers, config->points, (double)result->steps,
                                      (double)updates / result->seconds, (double)result->enters / result->seconds,
                                      (double)result->leaves / result->seconds, qd_bench_ms(&result->round_trip_ns, 50),
                                      qd_bench_ms(&result->round_trip_ns, 99),
                                      qd_bench_used_ns(&result->used, true, false, updates),
                                      qd_bench_used_ns(&result->used, false, true, updates), (double)result->seen});
}

static void play(qd_bench *bench, qd_sheet *sheet, void *context)
{
    const qd_field_config *config = context;
    qd_field_result *result = calloc(1, sizeof *result);

    snprintf(sheet->title, sizeof sheet->title, "fences: points that cross circles at rest, two steps in flight");
    if (result == NULL) {
        qd_bench_fail(bench, "out of memory");
    } else if (qd_field_run(bench, config, result)) {
        add_row(config, sheet, result);
    }
    free(result);
    qd_sheet_add_note(sheet,
                      "ns: of the server, per position; checked: points in fences at the end, as by brute force");
}

int qd_bench_fences(qd_bench *bench, int argc, char **argv)
{
    static const qd_usage usage = {
        QD_BENCH " fences", "",
        "Measures positions, enters and leaves per second, of points that move straight through\n"
        "circular fences at rest. The room ticks by Step, and all points move at each step. It\n"
        "compares the points in each fence with brute force at the end. A server given by\n"
        "--server needs an --observers-max of at least the number of fences.",
        .arguments_max = 0};
    static const char *const server_options[] = {QD_BENCH_VIEWS_SERVER, NULL};
    qd_field_config given = {.name = "fence",
                             .observers = 23000,
                             .points = 10000,
                             .seed = 1,
                             .side = 10000,
                             .radius_min = 10,
                             .radius_max = 100,
                             .speed = 5};
    const qd_option rows[] = {
        {"--fences", "N", "use N fences", QD_OPTION_NUMBER, .value = &given.observers, .min = 1, .max = FENCES_MAX},
        {"--points", "N", "use N points", QD_OPTION_NUMBER, .value = &given.points, .min = 1, .max = POINTS_MAX},
        {"--side", "L", "use a square of side L", QD_OPTION_REAL, .value = &given.side, .min = 1, .max = 1e6},
        {"--radius-min", "R", "set the least radius of a fence", QD_OPTION_REAL, .value = &given.radius_min, .min = 0,
         .max = 1e6},
        {"--radius-max", "R", "set the largest radius of a fence", QD_OPTION_REAL, .value = &given.radius_max, .min = 0,
         .max = 1e6},
        {"--speed", "V", "move each point by V per step", QD_OPTION_REAL, .value = &given.speed, .min = 0, .max = 1e6},
        {"--seed", "N", "set the start of the random numbers", QD_OPTION_NUMBER, .value = &given.seed, .min = 0,
         .max = UINT32_MAX},
        QD_BENCH_COMMON_OPTIONS(bench)};
    qd_sheet sheet = {.scenario = "fences", .columns = columns, .column_count = sizeof columns / sizeof *columns};
    int status = 0;

    if (qd_options_parse(&usage, rows, QD_CLI_COUNT(rows), argc, argv, &status) < 0) {
        return status;
    }
    if (given.radius_min > given.radius_max) {
        return qd_options_misuse(usage.program, "--radius-min is %g; must be at most --radius-max %g", given.radius_min,
                                 given.radius_max);
    }
    return qd_bench_play(bench, server_options, &sheet, play, &given);
}
