/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench ingest: positions per second that the server receives, in two kinds of rows. In the first, one room
 * ticks by Step at a rate, so most positions are overwritten before the next tick. In the second, each connection has
 * its own room, and a Step follows each pass over its entities, so each position is part of a tick.
 */
#include "bench_ingest.h"

#include <stdio.h>
#include <string.h>

/* The goals. */
#define RATIO_MIN       (1.0 / 3)
#define ORDERED_NS_MAX  10.0
#define SHUFFLED_NS_MAX 14.0
#define SINGLE_NS_MAX   100.0

typedef struct options {
    uint32_t connections, batch, entities, hz; /* connections, batch: 0: by the row */
    bool ids, roster;                          /* only this one; neither: both */
    bool once, shuffle;                        /* only these rows; neither: all */
} options;

/* Without options; `entities` and `hz` are those of the options. */
static const qd_ingest_row default_rows[] = {
    {.connections = 1, .batch = 10000, .once = true},
    {.connections = 16, .batch = 10000, .once = true},
    {.connections = 1, .batch = 10000, .once = true, .roster = true},
    {.connections = 16, .batch = 10000, .once = true, .roster = true},
    {.connections = 1, .batch = 10000, .once = true, .shuffle = true},
    {.connections = 16, .batch = 10000, .once = true, .shuffle = true},
    {.connections = 1, .batch = 10000, .once = true, .shuffle = true, .roster = true},
    {.connections = 16, .batch = 10000, .once = true, .shuffle = true, .roster = true},
    {.connections = 1, .batch = 1, .once = true},
    {.connections = 1, .batch = 1000},
    {.connections = 1, .batch = 10000},
    {.connections = 16, .batch = 1000},
    {.connections = 16, .batch = 10000},
    {.connections = 1, .batch = 1000, .roster = true},
    {.connections = 1, .batch = 10000, .roster = true},
    {.connections = 16, .batch = 1000, .roster = true},
    {.connections = 16, .batch = 10000, .roster = true},
};
#define ROW_COUNT (sizeof default_rows / sizeof *default_rows)

static const qd_sheet_column columns[] = {
    {"positions_per_tick", "per tick", 1},
    {"shuffled", "shuffled", 0},
    {"connections", "connections", 0},
    {"batch", "batch", 0},
    {"position_bytes", "bytes", 0},
    {"raw_per_s", "raw sink/s", 0},
    {"positions_per_s", "positions/s", 0},
    {"ratio", "ratio", 3},
    {"user_ns", "user ns", 2},
    {"system_ns", "system ns", 2},
    {"raw_ns", "raw ns", 2},
    {"copy_ns", "memcpy ns", 2},
    {"events_per_s", "events/s", 0},
    {"checked", "checked", 0},
};

static void add_goals(const qd_ingest_row *row, qd_sheet *sheet, double ratio, double user_ns, double cpu_ns)
{
    char name[QD_SHEET_TEXT_SIZE];

    snprintf(name, sizeof name, "%s, %s, %u connection%s", row->shuffle ? "shuffled" : "in order",
             row->roster ? "by roster" : "by id", row->connections, row->connections > 1 ? "s" : "");
    if (row->batch == 1) {
        qd_sheet_add_goal(sheet, cpu_ns, true, SINGLE_NS_MAX, "%s, batches of 1: ns of CPU time per position", name);
        return;
    }
    qd_sheet_add_goal(sheet, ratio, false, RATIO_MIN, "%s: ratio to the raw sink", name);
    qd_sheet_add_goal(sheet, user_ns, true, row->shuffle ? SHUFFLED_NS_MAX : ORDERED_NS_MAX,
                      "%s: ns of user time per position", name);
}

static void add_row(const qd_ingest_row *row, qd_sheet *sheet, const qd_ingest_result *result)
{
    const qd_ingest_totals *server = &result->server, *raw = &result->raw;
    const uint32_t entities = row->once ? row->entities : row->entities * row->connections;
    const double rate = server->positions / server->seconds, raw_rate = raw->positions / raw->seconds;
    const double user_ns = qd_bench_used_ns(&server->used, true, false, (uint64_t)server->positions);
    const double system_ns = qd_bench_used_ns(&server->used, false, true, (uint64_t)server->positions);

    qd_sheet_add_row(
        sheet, (const double[]){server->positions / ((double)result->ticks * entities), row->shuffle, row->connections,
                                row->batch, row->roster ? 8 : 12, raw_rate, rate, rate / raw_rate, user_ns, system_ns,
                                qd_bench_used_ns(&raw->used, true, true, (uint64_t)raw->positions), result->copy_ns,
                                (double)result->events / server->seconds, (double)result->checked});
    if (row->once) {
        add_goals(row, sheet, rate / raw_rate, user_ns, user_ns + system_ns);
    }
}

/* The row with the options applied. */
static qd_ingest_row row_of(const options *given, size_t index)
{
    qd_ingest_row row = default_rows[index];

    row.connections = given->connections ? given->connections : row.connections;
    row.batch = given->batch ? given->batch : row.batch;
    /* Rounded up, so that all batches have the same size. */
    row.entities = (given->entities + row.batch - 1) / row.batch * row.batch;
    row.hz = given->hz;
    return row;
}

static bool are_equal(const qd_ingest_row *a, const qd_ingest_row *b)
{
    return a->connections == b->connections && a->batch == b->batch && a->roster == b->roster && a->once == b->once &&
           a->shuffle == b->shuffle;
}

/* Whether the options select it, and no earlier row is the same with these options. */
static bool is_selected(const options *given, size_t index)
{
    const qd_ingest_row row = row_of(given, index);

    if ((given->ids && row.roster) || (given->roster && !row.roster) || (given->once && !row.once) ||
        (given->shuffle && !row.shuffle)) {
        return false;
    }
    for (size_t earlier = 0; earlier < index; earlier++) {
        const qd_ingest_row other = row_of(given, earlier);

        if (are_equal(&row, &other)) {
            return false;
        }
    }
    return true;
}

static void play(qd_bench *bench, qd_sheet *sheet, void *context)
{
    const options *given = context;
    qd_ingest_result result;

    snprintf(sheet->title, sizeof sheet->title,
             "ingest: batches of moves; %u entities or more per connection; where most positions are overwritten, "
             "%u ticks/s",
             given->entities, given->hz);
    for (size_t index = 0; index < ROW_COUNT && !qd_bench_is_stopped(bench); index++) {
        const qd_ingest_row row = row_of(given, index);

        if (is_selected(given, index) && qd_ingest_run(bench, &row, &result)) {
            add_row(&row, sheet, &result);
        }
    }
    qd_sheet_add_note(sheet, "per tick: positions per entity and tick. 1: each connection has its own room, and steps");
    qd_sheet_add_note(sheet, "after each pass. More: one room, whose next position overwrites the one before a tick");
    qd_sheet_add_note(sheet,
                      "bytes: per position on the wire, 12 with its id, 8 by roster; ns: per position, user and");
    qd_sheet_add_note(sheet, "system of the server, raw of the sink, memcpy of the same bytes");
    if (!qd_bench_usage_of(bench->server.pid).is_known) {
        qd_sheet_add_note(sheet, "the server's CPU time is unknown: name a local server's process by --server-pid");
    }
}

int qd_bench_ingest(qd_bench *bench, int argc, char **argv)
{
    static const qd_usage usage = {
        QD_BENCH " ingest", "",
        "Measures positions per second, beside a bare libuv sink with the same bytes from the\n"
        "same generator. In the first rows, each position is part of a tick. In the last rows,\n"
        "the room ticks at --hz, so most positions are overwritten before a tick. It checks the\n"
        "updates that the rooms count, and compares a room's pairs with brute force.",
        .arguments_max = 0};
    static const char *const server_options[] = {NULL};
    options given = {.entities = 10000, .hz = 20};
    const qd_option rows[] = {
        {"--connections", "N", "write by N connections", QD_OPTION_NUMBER, .value = &given.connections, .min = 1,
         .max = QD_INGEST_CONNECTIONS_MAX, .otherwise = "1, then 16"},
        {"--batch", "N", "move N entities per batch", QD_OPTION_NUMBER, .value = &given.batch, .min = 1, .max = 100000,
         .otherwise = "by the row: 1, 1000 or 10000"},
        {"--entities", "N", "spawn N entities per connection, rounded up to whole batches", QD_OPTION_NUMBER,
         .value = &given.entities, .min = 1, .max = 1000000},
        {"--ids", NULL, "move by ids only", QD_OPTION_FLAG, .value = &given.ids, .otherwise = "by ids, then by roster"},
        {"--roster", NULL, "move by roster only, without ids", QD_OPTION_FLAG, .value = &given.roster},
        {"--once", NULL, "move each entity once per tick only", QD_OPTION_FLAG, .value = &given.once,
         .otherwise = "once, then as often as possible"},
        {"--shuffle", NULL, "move once per tick in random order only", QD_OPTION_FLAG, .value = &given.shuffle,
         .otherwise = "in order, then in random order"},
        {"--hz", "N", "tick at N Hz, where most positions are overwritten", QD_OPTION_NUMBER, .value = &given.hz,
         .min = 1, .max = 1000},
        QD_BENCH_COMMON_OPTIONS(bench),
    };
    qd_sheet sheet = {.scenario = "ingest", .columns = columns, .column_count = sizeof columns / sizeof *columns};
    int status;

    if (qd_options_parse(&usage, rows, sizeof rows / sizeof *rows, argc, argv, &status) < 0) {
        return status;
    }
    if (given.ids && given.roster) {
        return qd_options_misuse(usage.program,
                                 "--ids and --roster exclude each other: leave both out to measure both");
    }
    return qd_bench_play(bench, server_options, &sheet, play, &given);
}
