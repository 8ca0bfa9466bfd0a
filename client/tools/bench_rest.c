/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench rest: the cost of rooms whose entities do not move.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct options {
    uint32_t rooms, entities, hz, connections;
} options;

static const qd_sheet_column columns[] = {
    {"rooms", "rooms", 0},
    {"entities", "entities", 0},
    {"hz", "Hz", 0},
    {"rest_cpu_percent", "rest CPU %", 2},
    {"resident_bytes", "resident", 0},
    {"room_ticks_min", "least ticks", 0},
    {"room_ticks_max", "most", 0},
    {"skipped", "skipped", 0},
    {"bench_cpu_percent", "bench CPU %", 1},
    {"checked", "checked", 0},
};

/* A room at rest counts its ticks: the statistics after the time and before it differ by at least as many as were due. */
static void check_ticks(qd_bench *bench, const options *given, const qd_bench_result *result)
{
    const double due = result->seconds * given->hz;

    if ((double)result->server.room_ticks_min + (double)result->server.ticks_skipped < due - 1) {
        qd_bench_fail(bench, "a room counted %llu ticks while %.0f were due",
                      (unsigned long long)result->server.room_ticks_min, due);
    }
}

static void add_row(qd_sheet *sheet, const options *given, const qd_bench_result *result)
{
    const qd_bench_server_figures *server = &result->server;
    const double cpu = qd_bench_used_percent(&result->used, result->seconds);

    qd_sheet_add_row(
        sheet,
        (const double[]){given->rooms, given->entities, given->hz, cpu, (double)result->resident_bytes / given->rooms,
                         (double)server->room_ticks_min, (double)server->room_ticks_max, (double)server->ticks_skipped,
                         qd_bench_used_percent(&result->own, result->seconds), (double)result->figures.ticks_checked});
    qd_sheet_add_goal(sheet, cpu, true, 1, "all rooms at rest, percent of a core");
    qd_sheet_add_goal(sheet, (double)server->ticks_skipped, true, 0, "ticks skipped");
}

static void play(qd_bench *bench, qd_sheet *sheet, void *context)
{
    const options *given = context;
    qd_bench_result *result = calloc(1, sizeof *result);

    snprintf(sheet->title, sizeof sheet->title, "rest: rooms with entities that do not move, and a subscription each");
    bench->options = qd_bench_default_options(bench, 2);
    bench->options.rooms = given->rooms;
    bench->options.entities = given->entities;
    bench->options.connections = given->connections;
    bench->options.hz = given->hz;
    bench->options.subscribe = QD_BENCH_EVENTS;
    bench->options.check_max = given->rooms / 16 + 1;
    bench->options.rests = true;
    if (!result) {
        qd_bench_fail(bench, "out of memory");
    } else if (qd_bench_run(bench, result)) {
        check_ticks(bench, given, result);
        add_row(sheet, given, result);
    }
    free(result);
    qd_sheet_add_note(sheet, "resident: bytes of the server per room; least and most: ticks that a room counted");
}

int qd_bench_rest(qd_bench *bench, int argc, char **argv)
{
    static const qd_usage usage = {
        QD_BENCH " rest", "",
        "Measures the CPU time of rooms at rest. It opens rooms, each on its own clock, spawns\n"
        "entities, subscribes to their events, and sends nothing more. It compares a sample of\n"
        "rooms with brute force at the end, and checks that each room counted its ticks.",
        .arguments_max = 0};
    static const char *const server_options[] = {QD_BENCH_ROOMS_SERVER, NULL};
    options given = {.rooms = 10000, .entities = 100, .hz = 20, .connections = 16};
    const qd_option rows[] = {
        {"--rooms", "N", "open N rooms", QD_OPTION_NUMBER, .value = &given.rooms, .min = 1, .max = 1048576},
        {"--entities", "N", "spawn N entities in each", QD_OPTION_NUMBER, .value = &given.entities, .min = 1,
         .max = 4194304},
        {"--hz", "N", "tick at N Hz", QD_OPTION_NUMBER, .value = &given.hz, .min = 1, .max = 1000},
        {"--connections", "N", "share the rooms among N connections", QD_OPTION_NUMBER, .value = &given.connections,
         .min = 1, .max = 60000},
        QD_BENCH_COMMON_OPTIONS(bench),
    };
    qd_sheet sheet = {.scenario = "rest", .columns = columns, .column_count = sizeof columns / sizeof *columns};
    int status;

    if (qd_options_parse(&usage, rows, sizeof rows / sizeof *rows, argc, argv, &status) < 0) {
        return status;
    }
    if (given.connections > given.rooms) {
        given.connections = given.rooms;
    }
    return qd_bench_play(bench, server_options, &sheet, play, &given);
}
