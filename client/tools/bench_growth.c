/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench growth: the cost of an update as a room grows, and as the number of rooms grows. The cost includes
 * the update's part of the tick and the events.
 */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKED_MAX 64u

typedef struct options {
    uint32_t entities_max, rooms_max, room_entities;
    const char *data;
    bool roster;
} options;

static const qd_sheet_column columns[] = {
    {"rooms", "rooms", 0},
    {"entities", "entities", 0},
    {"updates_per_s", "updates/s", 0},
    {"user_ns", "user ns", 2},
    {"system_ns", "system ns", 2},
    {"copy_ns", "memcpy ns", 2},
    {"tick_p50_us", "tick p50 us", 1},
    {"events_per_s", "events/s", 0},
    {"resident_bytes", "bytes/entity", 0},
    {"checked", "checked", 0},
};

/* Copies this many positions between two arrays, and returns the time per position. */
static double copy_ns(uint64_t positions)
{
    const size_t size = (size_t)positions * 3 * sizeof(float);
    uint8_t *from = malloc(size), *to = malloc(size);
    double ns = NAN;

    if (from && to) {
        uint64_t copied = 0, start_ns, now_ns;

        memset(from, 1, size);
        memset(to, 0, size);
        start_ns = now_ns = qd_now_ns();
        for (; now_ns - start_ns < 50000000u; now_ns = qd_now_ns(), copied += positions) {
            memcpy(to, from, size);
            from[copied % size] = to[size - 1];
        }
        ns = (double)(now_ns - start_ns) / (double)copied;
    }
    free(from);
    free(to);
    return ns;
}

static void run_row(qd_bench *bench, qd_sheet *sheet, const options *given, uint32_t rooms, uint32_t entities,
                    qd_bench_result *result)
{
    bench->options = qd_bench_default_options(bench, 1);
    bench->options.rooms = rooms;
    bench->options.entities = entities;
    bench->options.connections = rooms > 1 ? 2 : 1;
    bench->options.subscribe = QD_BENCH_EVENTS;
    bench->options.step = true;
    bench->options.check_max = CHECKED_MAX;
    bench->options.roster = given->roster;
    const double resident_before = (double)qd_bench_resident_bytes_of(bench->server.pid);
    if (!qd_bench_run(bench, result)) {
        return;
    }
    const qd_bench_figures *figures = &result->figures;
    const double resident = ((double)result->resident_bytes - resident_before) / ((double)rooms * entities);
    qd_sheet_add_row(sheet, (const double[]){rooms, entities, (double)figures->updates / result->seconds,
                                             qd_bench_used_ns(&result->used, true, false, figures->updates),
                                             qd_bench_used_ns(&result->used, false, true, figures->updates),
                                             copy_ns((uint64_t)rooms * entities), result->server.tick_us_p50,
                                             (double)(figures->begins + figures->ends) / result->seconds,
                                             result->resident_bytes > 0 && resident > 0 ? resident : NAN,
                                             (double)figures->ticks_checked});
}

/* Writes the numbers for gnuplot, with two empty lines between the two series. */
static void write_data(qd_bench *bench, const qd_sheet *sheet, const char *path, uint32_t first_of_rooms)
{
    FILE *file = fopen(path, "we");

    if (file) {
        fprintf(file, "# rooms entities updates_per_s user_ns system_ns memcpy_ns\n");
    }
    for (uint32_t row = 0; file && row < sheet->row_count; row++) {
        if (row == first_of_rooms) {
            fprintf(file, "\n\n");
        }
        for (uint32_t column = 0; column < 6; column++) {
            fprintf(file, "%.6g%s", sheet->rows[row][column], column < 5 ? " " : "\n");
        }
    }
    if (!file || ferror(file) || fclose(file) != 0) {
        qd_bench_fail(bench, "--data %s: %s", path, strerror(errno));
    }
}

/* Checks before the measurement that the file is writable, and keeps its content until then. */
static void check_data(qd_bench *bench, const char *path)
{
    FILE *file = fopen(path, "ae");

    if (!file || fclose(file) != 0) {
        qd_bench_fail(bench, "--data %s: %s", path, strerror(errno));
    }
}

static void play(qd_bench *bench, qd_sheet *sheet, void *context)
{
    const options *given = context;
    qd_bench_result *result = calloc(1, sizeof *result);

    snprintf(sheet->title, sizeof sheet->title, "growth: all entities move and step at each answer, with events");
    if (given->data) {
        check_data(bench, given->data);
    }
    if (!result) {
        qd_bench_fail(bench, "out of memory");
    }
    for (uint64_t entities = 1000; entities <= given->entities_max && !qd_bench_is_stopped(bench); entities *= 10) {
        run_row(bench, sheet, given, 1, (uint32_t)entities, result);
    }
    const uint32_t first_of_rooms = sheet->row_count;
    for (uint64_t rooms = 1; rooms <= given->rooms_max && !qd_bench_is_stopped(bench); rooms *= 10) {
        run_row(bench, sheet, given, (uint32_t)rooms, given->room_entities, result);
    }
    if (given->data && !qd_bench_is_stopped(bench)) {
        write_data(bench, sheet, given->data, first_of_rooms);
    }
    free(result);
    qd_sheet_add_note(sheet, "ns: of the server, per update, with its part of the tick and the events; memcpy: of the");
    qd_sheet_add_note(sheet, "same positions; bytes/entity: resident, above the previous row");
}

int qd_bench_growth(qd_bench *bench, int argc, char **argv)
{
    static const qd_usage usage = {
        QD_BENCH " growth", "",
        "Measures the cost of an update, with its part of the tick and the events, in a room of\n"
        "1,000 entities, of 10,000, and so on, then in one room, in ten, and so on. The rooms step\n"
        "at each answer. It compares the pairs with brute force at the end.\n"
        "client/tools/bench_growth.gnuplot draws --data.",
        .arguments_max = 0};
    static const char *const server_options[] = {QD_BENCH_ROOMS_SERVER, "--frame-max", "64M", "--queue-max", "64M",
                                                 "--events-max",        "16777216",    NULL};
    options given = {.entities_max = 1000000, .rooms_max = 100000, .room_entities = 10};
    const qd_option rows[] = {
        {"--entities-max", "N", "spawn up to N entities in one room", QD_OPTION_NUMBER, .value = &given.entities_max,
         .min = 1000, .max = 4194304},
        {"--rooms-max", "N", "open up to N rooms", QD_OPTION_NUMBER, .value = &given.rooms_max, .min = 1,
         .max = 1048576},
        {"--room-entities", "N", "spawn N entities in each of many rooms", QD_OPTION_NUMBER,
         .value = &given.room_entities, .min = 2, .max = 1000000},
        {"--data", "FILE", "also write the numbers to FILE, for gnuplot", QD_OPTION_TEXT, .value = &given.data},
        {"--roster", NULL, "move by roster, without ids", QD_OPTION_FLAG, .value = &given.roster},
        QD_BENCH_COMMON_OPTIONS(bench),
    };
    qd_sheet sheet = {.scenario = "growth", .columns = columns, .column_count = sizeof columns / sizeof *columns};
    int status;

    if (qd_options_parse(&usage, rows, sizeof rows / sizeof *rows, argc, argv, &status) < 0) {
        return status;
    }
    return qd_bench_play(bench, server_options, &sheet, play, &given);
}
