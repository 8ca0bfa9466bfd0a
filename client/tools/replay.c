/* SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_HZ 20u

/* ---- by the clock ---- */

/* Receives until then. */
static bool wait_until(qd_replay *replay, uint64_t until_ns)
{
    for (;;) {
        uint64_t now_ns = qd_now_ns();
        int left_ms = now_ns < until_ns ? (int)((until_ns - now_ns) / 1000000 + 1) : 0;
        const qd_server_message *message = qd_client_wait(replay->client, left_ms < 100 ? left_ms : 100);

        if (message == NULL && qd_client_state(replay->client) != QD_CLIENT_OK) {
            return qd_cli_fail_session(replay->cli, replay->client) == 0;
        }
        if (message != NULL && !qd_replay_continues(replay, message)) {
            return false;
        }
        if (qd_cli_stopped()) {
            return qd_cli_fail(replay->cli, "interrupted") == 0;
        }
        if (message == NULL && left_ms == 0) {
            return true;
        }
    }
}

/* On a terminal, one line that is overwritten; else separate lines. */
static void show_progress(const qd_trace_scene *scene, uint64_t done, uint64_t total)
{
    bool live = isatty(STDERR_FILENO);

    fprintf(stderr, "%stick %" PRIu64 ", %u entities, %" PRIu64 " of %" PRIu64 " ticks played%s", live ? "\r" : "",
            scene->tick, scene->count, done, total, live && done < total ? "\033[K" : "\n");
}

static int replay_by_clock(qd_replay *replay, uint32_t hz)
{
    const uint64_t total = qd_trace_ticks(replay->trace), start_ns = qd_now_ns();
    qd_trace_cursor cursor = qd_trace_begin(replay->trace);
    qd_trace_scene scene;

    fprintf(stderr, "playing %" PRIu64 " ticks into room %s at %u Hz, in %.1f s\n", total, replay->room_name, hz,
            (double)total / hz);
    for (uint64_t done = 1; qd_trace_next(&cursor, &scene); done++) {
        if (!qd_replay_send(replay, &scene) || !wait_until(replay, start_ns + done * 1000000000u / hz)) {
            return 1;
        }
        if (done % hz == 0 || done == total) {
            show_progress(&scene, done, total);
        }
    }
    return 0;
}

/* ---- the command ---- */

typedef struct request {
    const char *path, *room_name, *events_path;
    uint32_t hz;
    qd_index_kind index;
    bool step, check, swept;
} request;

/* In step mode all entities must come from the trace, so that the events can be compared. */
static bool is_empty(const qd_replay *replay)
{
    const qd_server_message *answer = qd_cli_answer(
        replay->cli, replay->client, qd_client_get_stats(replay->client, replay->room.handle), QD_SERVER_STATS);

    if (answer == NULL) {
        return false;
    }
    if (answer->as.stats.room.entities == 0) {
        return true;
    }
    qd_cli_fail(replay->cli, "room %s holds %u entities already: name another room, or close it", replay->room_name,
                answer->as.stats.room.entities);
    return false;
}

static bool open_room(qd_replay *replay, const request *asked)
{
    qd_msg_room_config config = {
        .has_bounds = true, .bounds = replay->trace->bounds, .index = asked->index, .swept = asked->swept};

    config.tick_mode = asked->step ? QD_TICK_MODE_STEP : QD_TICK_MODE_CLOCK;
    config.tick_hz = asked->step ? 0 : asked->hz;
    replay->client = qd_cli_connect(replay->cli);
    return replay->client != NULL &&
           qd_cli_open_room(replay->cli, replay->client, asked->room_name, &config, &replay->room) &&
           (!asked->step || is_empty(replay));
}

static int play_by_step(qd_replay *replay, const request *asked)
{
    bool to_stdout = asked->events_path != NULL && strcmp(asked->events_path, "-") == 0;
    FILE *events = to_stdout ? stdout : NULL;

    if (asked->events_path != NULL && !to_stdout && (events = fopen(asked->events_path, "w")) == NULL) {
        return qd_cli_fail(replay->cli, "--events %s: %s", asked->events_path, strerror(errno));
    }
    int status = qd_replay_by_step(replay, events, asked->check, to_stdout ? stderr : stdout);
    if (events != NULL && !to_stdout && fclose(events) != 0) {
        status = qd_cli_fail(replay->cli, "--events %s: %s", asked->events_path, strerror(errno));
    }
    return status;
}

/* Closes a room that this program created, also after a failure. */
static void close_own_room(const qd_replay *replay)
{
    if (replay->client == NULL || !replay->room.created || qd_client_state(replay->client) != QD_CLIENT_OK) {
        return;
    }
    uint64_t seq = qd_client_close_room(replay->client, replay->room.handle);
    if (seq != 0) {
        qd_client_answer(replay->client, seq, QD_CLI_TIMEOUT_MS);
    }
}

static int replay_trace(const qd_cli *cli, request *asked)
{
    char error[QD_TRACE_ERROR_BYTES];
    qd_trace *trace = qd_trace_load(asked->path, error);

    if (trace == NULL) {
        return qd_cli_fail(cli, "%s: %s", asked->path, error);
    }
    if (asked->hz == 0) {
        asked->hz = trace->hz >= 1 && trace->hz <= 1000 ? (uint32_t)lround(trace->hz) : DEFAULT_HZ;
    }

    qd_replay replay = {.cli = cli, .trace = trace, .room_name = asked->room_name};
    int status = 1;
    qd_cli_catch_signals();
    if (open_room(&replay, asked)) {
        status = asked->step ? play_by_step(&replay, asked) : replay_by_clock(&replay, asked->hz);
    }
    close_own_room(&replay);
    qd_client_destroy(replay.client);
    qd_columns_deinit(&replay.spawned);
    qd_columns_deinit(&replay.despawned);
    qd_columns_deinit(&replay.reshaped);
    qd_columns_deinit(&replay.moved);
    qd_trace_destroy(trace);
    return status;
}

int qd_command_replay(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille replay", "FILE.csv[.gz]",
        "Plays a recorded trace into a room. It creates the room, and closes it at the end. FILE\n"
        "is CSV, gzipped or plain, or - for the standard input. It has the comments `# hz:`,\n"
        "`# shape: box|circle` and `# bounds: minx miny maxx maxy`, then rows tick,id,x,y,hx,hy\n"
        "sorted by tick: center and half extents (hx is a circle's radius). An entity exists only\n"
        "at ticks that list its id.\n\n"
        "It plays by the clock, or with --step as fast as the server answers. --events writes\n"
        "every event as a line tick,kind,a,b,reason. The ticks are those of FILE, the kinds are\n"
        "end, begin and passed in this order, each ordered by (a, b).",
        .arguments_min = 1, .arguments_max = 1};
    request asked = {0};
    const qd_option options[] = {
        {"--room", "NAME", "play into this room; required", QD_OPTION_TEXT, .value = &asked.room_name},
        {"--hz", "N", "play by the clock at N Hz", QD_OPTION_NUMBER, .value = &asked.hz, .min = 1, .max = 1000,
         .otherwise = "as recorded, else 20"},
        {"--step", NULL, "play by Step", QD_OPTION_FLAG, .value = &asked.step},
        {"--events", "OUT", "with --step: write the events to this file; - is stdout", QD_OPTION_TEXT,
         .value = &asked.events_path},
        {"--index", "NAME", "find pairs by this index", QD_OPTION_CHOICE, .value = &asked.index,
         .choices = qd_option_indexes, .otherwise = "auto"},
        {"--swept", NULL, "also report pairs that touch only between two ticks", QD_OPTION_FLAG, .value = &asked.swept},
        {"--check", NULL, "with --step: compare every tick with brute force", QD_OPTION_FLAG, .value = &asked.check},
        QD_CLI_JSON_OPTION(cli, "with --step: an object with ticks, rows, begins, ends and passed"),
        QD_CLI_SERVER_OPTIONS(cli)};
    int status = 0;

    if (qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status) < 0) {
        return status;
    }
    if (asked.room_name == NULL) {
        return qd_options_misuse(cli->program, "no --room given: the trace needs a room");
    }
    if (asked.step && asked.hz != 0) {
        return qd_options_misuse(cli->program, "--step and --hz exclude each other: choose one");
    }
    if (!asked.step && (asked.check || asked.events_path != NULL || cli->json)) {
        return qd_options_misuse(cli->program, "%s needs --step",
                                 asked.check ? "--check"
                                 : cli->json ? "--json"
                                             : "--events");
    }
    asked.path = argv[0];
    return replay_trace(cli, &asked);
}
