/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench many-rooms: the cost of idle rooms, the time to open and close rooms, and then all rooms at work.
 * Each has its own clock and its own events.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct options {
    uint32_t rooms, entities, hz, connections, threads;
    bool roster, together;
} options;

/* Empty rooms of one session. */
typedef struct idle {
    qd_client *client;
    uint64_t *rooms;
    double open_ms, close_ms, counted_bytes, resident_bytes, cpu_percent;
} idle;

static const qd_sheet_column columns[] = {
    {"rooms", "rooms", 0},
    {"open_ms", "open ms", 0},
    {"close_ms", "close ms", 0},
    {"idle_bytes", "idle bytes", 0},
    {"idle_resident_bytes", "resident", 0},
    {"idle_cpu_percent", "idle CPU %", 1},
    {"moves_per_s", "moves/s", 0},
    {"skipped", "skipped", 0},
    {"room_ticks_min", "least ticks", 0},
    {"room_ticks_max", "most", 0},
    {"late_p99_ms", "late p99 ms", 2},
    {"late_max_ms", "max", 2},
    {"cpu_percent", "CPU %", 1},
    {"user_ns", "user ns", 1},
    {"raw_cpu_percent", "raw CPU %", 1},
    {"bench_cpu_percent", "bench CPU %", 1},
    {"checked", "checked", 0},
};

/* ---- idle ---- */

/* The next message; NULL: failed. */
static const qd_server_message *next_message(qd_bench *bench, qd_client *client)
{
    const qd_server_message *message = qd_client_wait(client, QD_BENCH_ANSWER_MS);

    if (!message) {
        qd_bench_fail_session(bench, client);
    } else if (qd_client_refusal(message) != NULL) {
        qd_bench_fail(bench, "the server refused: %s", qd_client_refusal(message));
    }
    return qd_bench_is_stopped(bench) ? NULL : message;
}

/* The server's memory, as it reports it. */
static double counted_bytes(qd_bench *bench, qd_client *client)
{
    const qd_server_message *message;

    qd_client_get_stats(client, 0);
    while ((message = next_message(bench, client))) {
        if (message->kind == QD_SERVER_STATS) {
            return (double)message->as.stats.server.memory_bytes;
        }
    }
    return NAN;
}

static bool open_rooms(qd_bench *bench, idle *all, uint32_t rooms, uint32_t hz)
{
    const qd_msg_room_config config = {.has_bounds = true,
                                       .bounds = {.max_x = 100, .max_y = 100},
                                       .tick_mode = QD_TICK_MODE_CLOCK,
                                       .tick_hz = hz,
                                       .grace_ms = 1000,
                                       .empty_close_ms = 1000};
    const uint64_t start_ns = qd_now_ns();

    for (uint32_t index = 0; index < rooms; index++) {
        char name[QD_BENCH_NAME_SIZE];

        qd_bench_room_name(bench, index, name);
        if (!qd_client_open_room(all->client, name, &config)) {
            return qd_bench_fail_session(bench, all->client);
        }
    }
    for (uint32_t opened = 0; opened < rooms;) {
        const qd_server_message *message = next_message(bench, all->client);

        if (!message) {
            return false;
        }
        if (message->kind == QD_SERVER_ROOM_OPENED) {
            all->rooms[opened++] = message->as.room_opened.room;
        }
    }
    all->open_ms = (double)(qd_now_ns() - start_ns) / 1e6;
    return true;
}

static bool close_rooms(qd_bench *bench, idle *all, uint32_t rooms)
{
    const uint64_t start_ns = qd_now_ns();

    for (uint32_t index = 0; index < rooms; index++) {
        qd_client_close_room(all->client, all->rooms[index]);
    }
    for (uint32_t closed = 0; closed < rooms;) {
        const qd_server_message *message = next_message(bench, all->client);

        if (!message) {
            return false;
        }
        closed += message->kind == QD_SERVER_ROOM_CLOSED;
    }
    all->close_ms = (double)(qd_now_ns() - start_ns) / 1e6;
    return true;
}

static bool measure_idle(qd_bench *bench, idle *all, uint32_t rooms, uint32_t hz)
{
    const pid_t pid = bench->server.pid;

    all->client = qd_bench_connect_client(bench);
    all->rooms = calloc(rooms, sizeof *all->rooms);
    if (!all->rooms) {
        qd_bench_fail(bench, "out of memory");
    }
    if (qd_bench_is_stopped(bench)) {
        return false;
    }
    const double counted_before = counted_bytes(bench, all->client);
    const double resident_before = (double)qd_bench_resident_bytes_of(pid);
    if (!open_rooms(bench, all, rooms, hz)) {
        return false;
    }
    all->counted_bytes = (counted_bytes(bench, all->client) - counted_before) / rooms;
    all->resident_bytes = pid ? ((double)qd_bench_resident_bytes_of(pid) - resident_before) / rooms : NAN;

    const qd_bench_usage before = qd_bench_usage_of(pid);
    const uint64_t start_ns = qd_now_ns();
    qd_bench_sleep_until(start_ns + (uint64_t)(bench->seconds * 1e9));
    const qd_bench_usage used = qd_bench_usage_between(before, qd_bench_usage_of(pid));
    all->cpu_percent = qd_bench_used_percent(&used, (double)(qd_now_ns() - start_ns) / 1e9);
    return close_rooms(bench, all, rooms);
}

/* ---- at work ---- */

static void add_row(qd_sheet *sheet, const options *given, const idle *idle_rooms, const qd_bench_result *result,
                    const qd_bench_raw_result *raw)
{
    const qd_bench_figures *figures = &result->figures;
    const qd_bench_server_figures *server = &result->server;
    const double cpu = qd_bench_used_percent(&result->used, result->seconds);

    qd_sheet_add_row(
        sheet, (const double[]){given->rooms, idle_rooms->open_ms, idle_rooms->close_ms, idle_rooms->counted_bytes,
                                idle_rooms->resident_bytes, idle_rooms->cpu_percent,
                                (double)figures->updates / result->seconds, (double)server->ticks_skipped,
                                (double)server->room_ticks_min, (double)server->room_ticks_max,
                                qd_bench_ms(&figures->lateness_ns, 99), qd_bench_ms(&figures->lateness_ns, 100), cpu,
                                qd_bench_used_ns(&result->used, true, false, figures->updates),
                                qd_bench_used_percent(&raw->used, raw->seconds),
                                qd_bench_used_percent(&result->own, result->seconds), (double)figures->ticks_checked});
    qd_sheet_add_goal(sheet, idle_rooms->open_ms + idle_rooms->close_ms, true, 1000, "opening and closing all, ms");
    qd_sheet_add_goal(sheet, idle_rooms->counted_bytes, true, 16384, "bytes per idle room");
    qd_sheet_add_goal(sheet, idle_rooms->cpu_percent, true, 1, "all idle rooms, percent of a core");
    qd_bench_add_clock_goals(sheet, result);
    qd_sheet_add_goal(sheet, (double)(server->room_ticks_max - server->room_ticks_min), true, 2,
                      "most ticks of a room less the least");
    qd_sheet_add_goal(sheet, cpu, true, 100, "server at work, percent of a core");
}

static void play(qd_bench *bench, qd_sheet *sheet, void *context)
{
    const options *given = context;
    idle idle_rooms = {0};
    qd_bench_result *result = calloc(1, sizeof *result);
    qd_bench_raw_result *raw = calloc(1, sizeof *raw);

    snprintf(sheet->title, sizeof sheet->title,
             "many-rooms: idle, then with %u entities each that move at %u Hz, with events", given->entities,
             given->hz);
    bench->options = qd_bench_default_options(bench, 2);
    bench->options.rooms = given->rooms;
    bench->options.entities = given->entities;
    bench->options.connections = given->connections;
    bench->options.threads = given->threads;
    bench->options.hz = given->hz;
    bench->options.subscribe = QD_BENCH_EVENTS;
    bench->options.check_max = given->rooms / 16 + 1;
    bench->options.roster = given->roster;
    bench->options.together = given->together;
    bench->options.may_be_late = true;
    if (!result || !raw) {
        qd_bench_fail(bench, "out of memory");
    } else if (measure_idle(bench, &idle_rooms, given->rooms, given->hz)) {
        /* A run that misses the rate has a row, too. */
        qd_bench_run(bench, result);
        const uint64_t ticks = (uint64_t)(result->seconds * given->hz) + 1;
        const qd_bench_raw_load load = {.hz = given->hz,
                                        .receivers = given->connections,
                                        .request_bytes = result->figures.bytes_out / ticks + 1,
                                        .answer_bytes = result->figures.bytes_in / ticks / given->connections + 1};
        if (result->seconds > 0 && !qd_bench_is_stopped(bench)) {
            qd_bench_raw_run(bench, &load, raw);
        }
        if (result->seconds > 0) {
            add_row(sheet, given, &idle_rooms, result, raw);
        }
    }
    qd_client_destroy(idle_rooms.client);
    free(idle_rooms.rooms);
    free(result);
    free(raw);
    qd_sheet_add_note(sheet, "idle: a room with a session and no entity; bytes: by the server, and resident");
    qd_sheet_add_note(sheet,
                      "late: a tick's answer, after the room's earliest; user ns: per update; raw: a bare libuv");
    qd_sheet_add_note(sheet, "loop with the same bytes");
}

int qd_bench_many_rooms(qd_bench *bench, int argc, char **argv)
{
    static const qd_usage usage = {
        QD_BENCH " many-rooms", "",
        "Measures memory, CPU time and lateness of many rooms. It opens rooms, leaves them idle,\n"
        "and closes them. Then it opens them with moving entities, each room on its own clock\n"
        "with its own events. It compares a sample of rooms with brute force at the end.",
        .arguments_max = 0};
    static const char *const server_options[] = {QD_BENCH_ROOMS_SERVER, NULL};
    options given = {.rooms = 10000, .entities = 100, .hz = 20, .connections = 16, .threads = 1};
    const qd_option rows[] = {
        {"--rooms", "N", "open N rooms", QD_OPTION_NUMBER, .value = &given.rooms, .min = 1, .max = 1048576},
        {"--entities", "N", "spawn N entities in each", QD_OPTION_NUMBER, .value = &given.entities, .min = 1,
         .max = 4194304},
        {"--hz", "N", "tick, and move all, at N Hz", QD_OPTION_NUMBER, .value = &given.hz, .min = 1, .max = 1000},
        {"--connections", "N", "share the rooms among N connections", QD_OPTION_NUMBER, .value = &given.connections,
         .min = 1, .max = 60000},
        {"--threads", "N", "send by N threads", QD_OPTION_NUMBER, .value = &given.threads, .min = 1, .max = 1024},
        {"--roster", NULL, "move by roster, without ids", QD_OPTION_FLAG, .value = &given.roster},
        {"--together", NULL, "move all rooms of a connection in one frame", QD_OPTION_FLAG, .value = &given.together},
        QD_BENCH_COMMON_OPTIONS(bench),
    };
    qd_sheet sheet = {.scenario = "many-rooms", .columns = columns, .column_count = sizeof columns / sizeof *columns};
    int status;

    if (qd_options_parse(&usage, rows, sizeof rows / sizeof *rows, argc, argv, &status) < 0) {
        return status;
    }
    if (given.connections > given.rooms) {
        given.connections = given.rooms;
    }
    if (given.threads > given.connections) {
        given.threads = given.connections;
    }
    return qd_bench_play(bench, server_options, &sheet, play, &given);
}
