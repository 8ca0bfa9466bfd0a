/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench views: entities that all move, each with an observer around it, as in a game. A row for each way to
 * report what they see.
 */
#include "bench_field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ENTITIES_MAX 1048576
/* The square grows with the entities, to this area for each. */
#define AREA   16.0
#define RADIUS 16.0
#define SPEED  0.25
#define LIMIT  16u
/* Half a step of 2^-9 is the largest error of a relayed position. */
#define RELAY_K 9
/* The goals, for 10,000 entities. */
#define EXACT_BYTES_MAX   125000.0
#define REDUCED_BYTES_MAX 25000.0

typedef struct options {
    uint32_t entities, seed, turn_every;
} options;

/* The last one has the moves that are the hardest to predict. */
static const struct {
    uint32_t limit;
    bool relays, once, has_k, always_turns;
} views[] = {
    {.limit = 0},
    {.limit = LIMIT},
    {.relays = true},
    {.limit = LIMIT, .relays = true},
    {.relays = true, .once = true},
    {.relays = true, .once = true, .has_k = true},
    {.relays = true, .once = true, .has_k = true, .always_turns = true},
};

static const qd_sheet_column columns[] = {
    {"entities", "entities", 0},
    {"limit", "limit", 0},
    {"turn_every", "turn", 0},
    {"relay", "relay", 0},
    {"relay_once", "once", 0},
    {"relay_k", "k", 0},
    {"steps_per_s", "steps/s", 1},
    {"user_ms", "user ms", 2},
    {"system_ms", "system ms", 2},
    {"bytes_per_tick", "bytes/tick", 0},
    {"relay_bytes_per_tick", "relay bytes", 0},
    {"enters_per_tick", "enters", 0},
    {"leaves_per_tick", "leaves", 0},
    {"relays_per_tick", "relays", 0},
    {"round_trip_p50_ms", "round trip p50 ms", 2},
    {"round_trip_p99_ms", "p99", 2},
    {"checked", "checked", 0},
};

static void add_row(const qd_field_config *config, qd_sheet *sheet, const qd_field_result *result)
{
    const double steps = (double)result->steps;
    const double relay_bytes = config->relay_once ? (double)result->relay_bytes / steps : NAN;

    qd_sheet_add_row(sheet, (const double[]){config->points, config->limit, config->turn_every, config->relays,
                                             config->relay_once, config->has_relay_k ? config->relay_k : NAN,
                                             steps / result->seconds,
                                             qd_bench_used_ns(&result->used, true, false, result->steps) / 1e6,
                                             qd_bench_used_ns(&result->used, false, true, result->steps) / 1e6,
                                             (double)result->bytes_in / steps, relay_bytes,
                                             (double)result->enters / steps, (double)result->leaves / steps,
                                             (double)result->relays / steps, qd_bench_ms(&result->round_trip_ns, 50),
                                             qd_bench_ms(&result->round_trip_ns, 99), (double)result->seen});
    if (config->relay_once) {
        qd_sheet_add_goal(sheet, relay_bytes * 10000 / config->points, true,
                          config->has_relay_k ? REDUCED_BYTES_MAX : EXACT_BYTES_MAX,
                          "relayed once, %s, turn %u: bytes per tick, for 10,000 entities",
                          config->has_relay_k ? "to 1/512" : "exactly", config->turn_every);
    }
}

static void play(qd_bench *bench, qd_sheet *sheet, void *context)
{
    const options *given = context;
    qd_field_result *result = calloc(1, sizeof *result);

    snprintf(sheet->title, sizeof sheet->title,
             "views: %u entities that all move, each with an observer of radius %g; two steps in flight",
             given->entities, RADIUS);
    if (result == NULL) {
        qd_bench_fail(bench, "out of memory");
    }
    for (size_t row = 0; row < sizeof views / sizeof *views && !qd_bench_is_stopped(bench); row++) {
        const qd_field_config config = {.name = "view",
                                        .points = given->entities,
                                        .observers = given->entities,
                                        .seed = given->seed,
                                        .side = sqrt(AREA * given->entities),
                                        .radius_min = RADIUS,
                                        .radius_max = RADIUS,
                                        .speed = SPEED,
                                        .turn_every = views[row].always_turns ? 1 : given->turn_every,
                                        .anchored = true,
                                        .limit = views[row].limit,
                                        .relays = views[row].relays,
                                        .relay_once = views[row].once,
                                        .has_relay_k = views[row].has_k,
                                        .relay_k = views[row].has_k ? RELAY_K : 0};

        if (qd_field_run(bench, &config, result)) {
            add_row(&config, sheet, result);
        }
    }
    free(result);
    qd_sheet_add_note(sheet, "ms: the server's CPU time per tick; limit: entities per view, 0: all; turn: each entity");
    qd_sheet_add_note(sheet,
                      "turns every N steps; relay: positions at each tick; once: each once per session, to half");
    qd_sheet_add_note(sheet, "of 2^-k; relay bytes: of these; checked: entries of all views, as by brute force");
}

int qd_bench_views(qd_bench *bench, int argc, char **argv)
{
    static const qd_usage usage = {
        QD_BENCH " views", "",
        "Measures views of entities that all move, each with an observer of radius 16, which sees\n"
        "about 48 others: plainly, with a limit, and with relayed positions. The room ticks by\n"
        "Step. It compares each view with brute force at the end.",
        .arguments_max = 0};
    static const char *const server_options[] = {QD_BENCH_VIEWS_SERVER, NULL};
    options given = {.entities = 10000, .seed = 1, .turn_every = 8};
    const qd_option rows[] = {{"--entities", "N", "spawn N entities, with an observer around each", QD_OPTION_NUMBER,
                               .value = &given.entities, .min = 1, .max = ENTITIES_MAX},
                              {"--turn-every", "N", "turn each entity every N steps on average; 0: at walls only",
                               QD_OPTION_NUMBER, .value = &given.turn_every, .min = 0, .max = 1000000},
                              {"--seed", "N", "set the start of the random numbers", QD_OPTION_NUMBER,
                               .value = &given.seed, .min = 0, .max = UINT32_MAX},
                              QD_BENCH_COMMON_OPTIONS(bench)};
    qd_sheet sheet = {.scenario = "views", .columns = columns, .column_count = sizeof columns / sizeof *columns};
    int status = 0;

    if (qd_options_parse(&usage, rows, QD_CLI_COUNT(rows), argc, argv, &status) < 0) {
        return status;
    }
    return qd_bench_play(bench, server_options, &sheet, play, &given);
}
