/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands rooms, stats, open and close.
 */
#include "cli.h"
#include "plain.h"

#include <inttypes.h>
#include <string.h>

/* Of an option in which 0 is a value. */
#define NOT_GIVEN UINT32_MAX

static const char *mode_name(qd_tick_mode mode)
{
    return mode == QD_TICK_MODE_STEP ? "step" : "clock";
}

/* ---- rooms ---- */

static void print_room_json(const qd_msg_room_info *room, bool first)
{
    fputs(first ? "\n  {\"name\": " : ",\n  {\"name\": ", stdout);
    qd_plain_print_json(stdout, room->name);
    printf(", \"tick_mode\": \"%s\", \"tick_hz\": %u, \"tick\": %" PRIu64 ", \"entities\": %u, \"sessions\": %u}",
           mode_name(room->tick_mode), room->tick_hz, room->tick, room->entities, room->sessions);
}

/* The width in bytes that pads the text to `columns` characters, for most scripts. */
static int width_of(const char *text, int columns)
{
    for (; *text != '\0'; text++) {
        columns += ((unsigned char)*text & 0xc0) == 0x80;
    }
    return columns;
}

static void print_room_row(const qd_msg_room_info *room, bool first)
{
    if (first) {
        printf("%-24s %-5s %5s %10s %10s %8s\n", "name", "mode", "hz", "tick", "entities", "sessions");
    }
    char hz[16] = "-";
    if (room->tick_mode != QD_TICK_MODE_STEP) {
        snprintf(hz, sizeof hz, "%u", room->tick_hz);
    }
    char name[QD_PLAIN_NAME_SIZE];
    qd_plain(name, sizeof name, room->name);
    printf("%-*s %-5s %5s %10" PRIu64 " %10u %8u\n", width_of(name, 24), name, mode_name(room->tick_mode), hz,
           room->tick, room->entities, room->sessions);
}

/* Lists all pages. */
static int list_rooms(const qd_cli *cli, qd_client *client)
{
    char after[QD_ROOM_NAME_BYTES_MAX + 1] = "";
    bool first = true, more = true;

    if (cli->json) {
        fputc('[', stdout);
    }
    while (more) {
        const qd_server_message *answer =
            qd_cli_answer(cli, client, qd_client_list_rooms(client, after, 0), QD_SERVER_ROOM_LIST);

        if (answer == NULL) {
            return 1;
        }
        const qd_msg_room_list *list = &answer->as.room_list;
        for (size_t i = 0; i < list->count; i++, first = false) {
            if (cli->json) {
                print_room_json(&list->rooms[i], first);
            } else {
                print_room_row(&list->rooms[i], first);
            }
        }
        more = list->more && list->next[0] != '\0';
        snprintf(after, sizeof after, "%s", list->next);
    }
    if (cli->json) {
        fputs(first ? "]\n" : "\n]\n", stdout);
    } else if (first) {
        fputs("no rooms\n", stdout);
    }
    return 0;
}

int qd_command_rooms(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {"quadrille rooms", "",
                                   "Lists the open rooms by name, with their tick mode, last tick, entities and\n"
                                   "sessions.",
                                   .arguments_max = 0};
    const qd_option options[] = {
        QD_CLI_JSON_OPTION(cli, "an array of objects with name, tick_mode, tick_hz, tick, entities and sessions"),
        QD_CLI_SERVER_OPTIONS(cli)};
    int status = 0;

    if (qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status) < 0) {
        return status;
    }

    qd_client *client = qd_cli_connect(cli);
    if (client == NULL) {
        return 1;
    }
    status = list_rooms(cli, client);
    qd_client_destroy(client);
    return status;
}

/* ---- stats ---- */

/* One row per value, for the table and for JSON. */
typedef struct figure {
    const char *name; /* as in quadrille.proto */
    double value;
    enum { WHOLE, REAL, INDEX } kind;
} figure;

static void print_figures(const figure *figures, size_t count, bool json)
{
    for (size_t i = 0; i < count; i++) {
        char value[32];

        if (figures[i].kind == INDEX) {
            snprintf(value, sizeof value, json ? "\"%s\"" : "%s", qd_index_name((qd_index_kind)figures[i].value));
        } else {
            snprintf(value, sizeof value, figures[i].kind == REAL ? "%.3f" : "%.0f", figures[i].value);
        }
        if (json) {
            printf("%s\n  \"%s\": %s", i > 0 ? "," : "{", figures[i].name, value);
        } else {
            printf("%-18s %16s\n", figures[i].name, value);
        }
    }
    if (json) {
        fputs("\n}\n", stdout);
    }
}

static void print_server_stats(const qd_msg_server_stats *stats, bool json)
{
    const figure figures[] = {
        {"uptime_ms", (double)stats->uptime_ms, WHOLE},
        {"sessions", stats->sessions, WHOLE},
        {"rooms", stats->rooms, WHOLE},
        {"workers", stats->workers, WHOLE},
        {"memory_bytes", (double)stats->memory_bytes, WHOLE},
        {"memory_bytes_max", (double)stats->memory_bytes_max, WHOLE},
        {"ticks", (double)stats->ticks, WHOLE},
        {"updates", (double)stats->updates, WHOLE},
        {"events", (double)stats->events, WHOLE},
        {"bytes_in", (double)stats->bytes_in, WHOLE},
        {"bytes_out", (double)stats->bytes_out, WHOLE},
        {"errors", (double)stats->errors, WHOLE},
        {"too_slow", (double)stats->too_slow, WHOLE},
        {"log_dropped", (double)stats->log_dropped, WHOLE},
        {"log_suppressed", (double)stats->log_suppressed, WHOLE},
        {"not_alive", (double)stats->not_alive, WHOLE},
        {"refused_full", (double)stats->refused_full, WHOLE},
        {"refused_memory", (double)stats->refused_memory, WHOLE},
        {"refused_by_address_connections", (double)stats->refused_by_address_connections, WHOLE},
        {"refused_by_address_accepts", (double)stats->refused_by_address_accepts, WHOLE},
        {"refused_by_address_tokens", (double)stats->refused_by_address_tokens, WHOLE},
        {"dropped_silent", (double)stats->dropped_silent, WHOLE},
        {"rooms_slowed", stats->rooms_slowed, WHOLE},
        {"suspended_memory", (double)stats->suspended_memory, WHOLE},
        {"detached", (double)stats->detached, WHOLE},
        {"resumed", (double)stats->resumed, WHOLE},
        {"refused_by_session_rooms", (double)stats->refused_by_session_rooms, WHOLE},
        {"refused_by_session_entities", (double)stats->refused_by_session_entities, WHOLE},
        {"refused_by_session_observers", (double)stats->refused_by_session_observers, WHOLE},
        {"refused_by_session_visible_entries", (double)stats->refused_by_session_visible_entries, WHOLE},
        {"refused_by_session_subscriptions", (double)stats->refused_by_session_subscriptions, WHOLE},
        {"refused_by_session_memory", (double)stats->refused_by_session_memory, WHOLE},
        {"refused_by_token_connections", (double)stats->refused_by_token_connections, WHOLE},
        {"refused_by_token_detached", (double)stats->refused_by_token_detached, WHOLE},
        {"refused_by_token_rooms", (double)stats->refused_by_token_rooms, WHOLE},
        {"refused_by_token_entities", (double)stats->refused_by_token_entities, WHOLE},
        {"refused_by_token_observers", (double)stats->refused_by_token_observers, WHOLE},
        {"refused_by_token_visible_entries", (double)stats->refused_by_token_visible_entries, WHOLE},
        {"refused_by_token_subscriptions", (double)stats->refused_by_token_subscriptions, WHOLE},
        {"refused_by_token_memory", (double)stats->refused_by_token_memory, WHOLE},
    };

    print_figures(figures, QD_CLI_COUNT(figures), json);
}

static void print_room_stats(const qd_msg_room_stats *stats, bool json)
{
    const figure figures[] = {
        {"room", (double)stats->room, WHOLE},
        {"tick", (double)stats->tick, WHOLE},
        {"entities", stats->entities, WHOLE},
        {"sessions", stats->sessions, WHOLE},
        {"subscriptions", stats->subscriptions, WHOLE},
        {"updates", (double)stats->updates, WHOLE},
        {"begins", (double)stats->begins, WHOLE},
        {"ends", (double)stats->ends, WHOLE},
        {"ticks_skipped", (double)stats->ticks_skipped, WHOLE},
        {"pairs", (double)stats->pairs, WHOLE},
        {"tick_us_p50", stats->tick_us_p50, REAL},
        {"tick_us_p99", stats->tick_us_p99, REAL},
        {"tick_us_max", stats->tick_us_max, REAL},
        {"memory_bytes", (double)stats->memory_bytes, WHOLE},
        {"depth", stats->depth, WHOLE},
        {"index", stats->index, INDEX},
        {"passed", (double)stats->passed, WHOLE},
        {"index_changes", stats->index_changes, WHOLE},
        {"observers", stats->observers, WHOLE},
        {"visible_entries", (double)stats->visible_entries, WHOLE},
        {"enters", (double)stats->enters, WHOLE},
        {"leaves", (double)stats->leaves, WHOLE},
        {"slowed_hz", stats->slowed_hz, WHOLE},
    };

    print_figures(figures, QD_CLI_COUNT(figures), json);
}

static int show_stats(const qd_cli *cli, qd_client *client, const char *name)
{
    qd_cli_room room = {0};

    if (name != NULL && !qd_cli_open_room(cli, client, name, NULL, &room)) {
        return 1;
    }
    const qd_server_message *answer =
        qd_cli_answer(cli, client, qd_client_get_stats(client, room.handle), QD_SERVER_STATS);
    if (answer == NULL) {
        return 1;
    }
    if (name == NULL) {
        print_server_stats(&answer->as.stats.server, cli->json);
    } else if (answer->as.stats.has_room) {
        print_room_stats(&answer->as.stats.room, cli->json);
    } else {
        return qd_cli_fail(cli, "the server sent no statistics of room %s", name);
    }
    return 0;
}

int qd_command_stats(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille stats", "[ROOM]",
        "Prints statistics of the server, or of one room; quadrille.proto documents them. A\n"
        "room's sessions include this command's own. Its begins, ends and passed count only at\n"
        "ticks with a subscriber.",
        .arguments_max = 1};
    const qd_option options[] = {QD_CLI_JSON_OPTION(cli, "an object with a number per row"),
                                 QD_CLI_SERVER_OPTIONS(cli)};
    int status = 0;
    int count = qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status);

    if (count < 0) {
        return status;
    }

    qd_client *client = qd_cli_connect(cli);
    if (client == NULL) {
        return 1;
    }
    status = show_stats(cli, client, count > 0 ? argv[0] : NULL);
    qd_client_destroy(client);
    return status;
}

/* ---- open, close ---- */

static void print_bounds(const qd_msg_room_config *config)
{
    const qd_msg_bounds *bounds = &config->bounds;

    if (config->dimensions == 3) {
        printf("bounds %g,%g,%g,%g,%g,%g", bounds->min_x, bounds->min_y, bounds->min_z, bounds->max_x, bounds->max_y,
               bounds->max_z);
    } else {
        printf("bounds %g,%g,%g,%g", bounds->min_x, bounds->min_y, bounds->max_x, bounds->max_y);
    }
}

static void print_room_opened(const char *name, const qd_cli_room *room)
{
    printf("room %s %s: ", name, room->created ? "created" : "was open already");
    print_bounds(&room->config);
    printf(", index %s%s, ", qd_index_name(room->config.index), room->config.swept ? ", swept" : "");
    if (room->config.writers > 0) {
        printf("ticks when %u sessions have stepped or %u ms after the first", room->config.writers,
               room->config.step_deadline_ms);
    } else if (room->config.tick_mode == QD_TICK_MODE_STEP) {
        printf("ticks by step");
    } else {
        printf("%u ticks per second", room->config.tick_hz);
    }
    printf(", at most %u entities, tick %" PRIu64 "\n", room->config.entities_max, room->tick);
}

static void print_room_json_opened(const char *name, const qd_cli_room *room)
{
    const qd_msg_room_config *config = &room->config;
    const qd_msg_bounds *bounds = &config->bounds;

    printf("{\"room\": ");
    qd_plain_print_json(stdout, name);
    printf(", \"created\": %s, \"tick\": %" PRIu64 ", \"dimensions\": %u, \"bounds\": [",
           room->created ? "true" : "false", room->tick, config->dimensions);
    if (config->dimensions == 3) {
        printf("%.9g, %.9g, %.9g, %.9g, %.9g, %.9g", (double)bounds->min_x, (double)bounds->min_y,
               (double)bounds->min_z, (double)bounds->max_x, (double)bounds->max_y, (double)bounds->max_z);
    } else {
        printf("%.9g, %.9g, %.9g, %.9g", (double)bounds->min_x, (double)bounds->min_y, (double)bounds->max_x,
               (double)bounds->max_y);
    }
    printf("], \"tick_mode\": \"%s\", \"tick_hz\": %u, \"writers\": %u, \"index\": \"%s\", \"swept\": %s, "
           "\"entities_max\": %u, \"grace_ms\": %u, \"empty_close_ms\": %u}\n",
           mode_name(config->tick_mode), config->tick_hz, config->writers, qd_index_name(config->index),
           config->swept ? "true" : "false", config->entities_max, config->grace_ms, config->empty_close_ms);
}

/* Whether the request needs default bounds: an open room keeps its bounds if none are given, but a new room needs some.
 * Another fault gives the same answer; the next request reports it. */
static bool needs_bounds(qd_client *client, const char *name, const qd_msg_room_config *config)
{
    if (config->has_bounds) {
        return false;
    }
    uint64_t seq = qd_client_open_room(client, name, config);
    const qd_server_message *answer = qd_client_answer(client, seq, QD_CLI_TIMEOUT_MS);
    return answer != NULL && answer->kind == QD_SERVER_ERROR && answer->as.error.code == QD_ERROR_INVALID;
}

static int open_room(const qd_cli *cli, const char *name, qd_msg_room_config *config)
{
    qd_cli_room room;
    qd_client *client = qd_cli_connect(cli);

    if (client == NULL) {
        return 1;
    }
    int status = 1;
    if (needs_bounds(client, name, config)) {
        config->has_bounds = true;
        config->bounds = (qd_msg_bounds){.max_x = 1000, .max_y = 1000, .max_z = config->dimensions == 3 ? 1000 : 0};
    }
    if (qd_cli_open_room(cli, client, name, config, &room)) {
        if (cli->json) {
            print_room_json_opened(name, &room);
        } else {
            print_room_opened(name, &room);
        }
        status = 0;
    }
    qd_client_destroy(client);
    return status;
}

/* Completes the configuration, and checks combinations of options. Returns 0, or the exit status of a misuse. */
static int complete_config(const qd_cli *cli, qd_msg_room_config *config, const qd_option_bounds *given, bool step)
{
    int status = given->dimensions != 0 ? qd_options_dimensions(cli->program, given, &config->dimensions) : 0;

    if (status != 0) {
        return status;
    }
    config->has_bounds = given->dimensions != 0;
    config->bounds = given->bounds;
    if (step && config->tick_hz != 0) {
        return qd_options_misuse(cli->program, "--step and --hz exclude each other: choose one");
    }
    if (config->writers != 0 && !step) {
        return qd_options_misuse(cli->program, "--writers needs --step: only rooms that tick by Step have writers");
    }
    if (config->step_deadline_ms != 0 && config->writers == 0) {
        return qd_options_misuse(cli->program, "--step-deadline-ms needs --writers: only lockstep has a deadline");
    }
    if (step) {
        config->tick_mode = QD_TICK_MODE_STEP;
    } else if (config->tick_hz != 0) {
        config->tick_mode = QD_TICK_MODE_CLOCK;
    }
    return 0;
}

int qd_command_open(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {"quadrille open", "NAME",
                                   "Creates a room. If the room is open, checks that it has the given configuration.\n"
                                   "The server closes a room without sessions and entities after --empty-close-ms.\n"
                                   "`quadrille close` closes it at once.\n\n"
                                   "The index finds the pairs; all indexes find the same pairs: auto, quadtree (two\n"
                                   "dimensions), octree (three), sparse (huge, mostly empty), hash (unbounded), grid\n"
                                   "(dense, similar sizes), brute (tiny).",
                                   .arguments_min = 1, .arguments_max = 1};
    qd_msg_room_config config = {0};
    qd_option_bounds bounds = {0};
    double cell_size = 0;
    bool step = false;
    uint32_t grace_ms = NOT_GIVEN, empty_close_ms = NOT_GIVEN;
    const qd_option options[] = {
        {"--dimensions", "N", "use 2 or 3 dimensions", QD_OPTION_NUMBER, .value = &config.dimensions, .min = 2,
         .max = 3, .otherwise = "those of --bounds, else 2"},
        {"--bounds", "MINX,MINY,MAXX,MAXY", "build the index for this space; in 3D, six numbers", QD_OPTION_BOUNDS,
         .value = &bounds, .otherwise = "0 to 1000"},
        {"--hz", "N", "tick at N Hz", QD_OPTION_NUMBER, .value = &config.tick_hz, .min = 1, .max = 1000,
         .otherwise = "20"},
        {"--step", NULL, "tick by Step instead of the clock", QD_OPTION_FLAG, .value = &step},
        {"--writers", "N", "with --step: tick in lockstep, when N sessions have stepped", QD_OPTION_NUMBER,
         .value = &config.writers, .min = 1, .max = 1024},
        {"--step-deadline-ms", "N", "with --writers: wait N ms for late sessions", QD_OPTION_NUMBER,
         .value = &config.step_deadline_ms, .min = 1, .max = 3600000, .otherwise = "1000"},
        {"--swept", NULL, "also report pairs that touch only between two ticks", QD_OPTION_FLAG,
         .value = &config.swept},
        {"--index", "NAME", "find pairs by this index", QD_OPTION_CHOICE, .value = &config.index,
         .choices = qd_option_indexes, .otherwise = "auto"},
        {"--depth", "N", "use N levels of the tree below its root", QD_OPTION_NUMBER, .value = &config.depth, .min = 1,
         .max = 21, .otherwise = "the server chooses"},
        {"--prune", "NAME", "sparse: prune by", QD_OPTION_CHOICE, .value = &config.prune, .choices = qd_option_prunes,
         .otherwise = "auto"},
        {"--cell-size", "S", "hash, grid: use cells of side S", QD_OPTION_REAL, .value = &cell_size, .min = 1e-30,
         .max = 1e30, .otherwise = "the server chooses"},
        {"--entities-max", "N", "allow N entities", QD_OPTION_NUMBER, .value = &config.entities_max, .min = 1,
         .max = UINT32_MAX, .otherwise = "the server's limit"},
        {"--events-max", "N", "allow N pair events per tick", QD_OPTION_NUMBER, .value = &config.events_max, .min = 1,
         .max = UINT32_MAX, .otherwise = "the server's limit"},
        {"--observers-max", "N", "allow N observers", QD_OPTION_NUMBER, .value = &config.observers_max, .min = 1,
         .max = UINT32_MAX, .otherwise = "the server's limit"},
        {"--visible-entries-max", "N", "allow N visible entries; above it, suspend views", QD_OPTION_NUMBER,
         .value = &config.visible_entries_max, .min = 1, .max = UINT32_MAX, .otherwise = "the server's limit"},
        {"--grace-ms", "N", "remove a session's entities N ms after its end; 0: at once", QD_OPTION_NUMBER,
         .value = &grace_ms, .min = 0, .max = 3600000, .otherwise = "5000"},
        {"--empty-close-ms", "N", "close the room after N ms without sessions and entities; 0: at once",
         QD_OPTION_NUMBER, .value = &empty_close_ms, .min = 0, .max = 86400000,
         .otherwise = "60000, or the limit of the server"},
        {"--join", "WHO", "let these sessions open the room: anybody, the creator's token, the creator",
         QD_OPTION_CHOICE, .value = &config.join, .choices = qd_option_accesses, .otherwise = "anybody"},
        {"--write", "WHO", "let these sessions change the room", QD_OPTION_CHOICE, .value = &config.write,
         .choices = qd_option_accesses, .otherwise = "anybody"},
        {"--step-by", "WHO", "let these sessions step the room", QD_OPTION_CHOICE, .value = &config.step,
         .choices = qd_option_accesses, .otherwise = "anybody"},
        QD_CLI_JSON_OPTION(cli, "an object with room, created, tick and the configuration"),
        QD_CLI_SERVER_OPTIONS(cli)};
    int status = 0;

    if (qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status) < 0) {
        return status;
    }
    config.cell_size = (float)cell_size;
    config.has_grace_ms = grace_ms != NOT_GIVEN;
    config.grace_ms = config.has_grace_ms ? grace_ms : 0;
    config.has_empty_close_ms = empty_close_ms != NOT_GIVEN;
    config.empty_close_ms = config.has_empty_close_ms ? empty_close_ms : 0;
    status = complete_config(cli, &config, &bounds, step);
    return status != 0 ? status : open_room(cli, argv[0], &config);
}

static int close_room(const qd_cli *cli, qd_client *client, const char *name, uint64_t room)
{
    const uint64_t seq = qd_client_close_room(client, room);
    const qd_server_message *answer = seq != 0 ? qd_client_answer(client, seq, QD_CLI_TIMEOUT_MS) : NULL;

    if (answer == NULL) {
        return qd_cli_fail_session(cli, client);
    }
    if (answer->kind == QD_SERVER_ERROR && answer->as.error.code == QD_ERROR_NOT_ALLOWED) {
        return qd_cli_fail(cli,
                           "cannot close room %s: %s. Set QUADRILLE_TOKEN to the token that opened it, or to an "
                           "admin's (%s)",
                           name, answer->as.error.text, qd_error_code_name(QD_ERROR_NOT_ALLOWED));
    }
    if (answer->kind == QD_SERVER_ERROR) {
        return qd_cli_fail_error(cli, &answer->as.error);
    }
    if (cli->json) {
        printf("{\"room\": ");
        qd_plain_print_json(stdout, name);
        puts("}");
    } else {
        printf("room %s closed\n", name);
    }
    return 0;
}

int qd_command_close(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille close", "ROOM",
        "Closes a room for all sessions in it. Only its creator may close it. If another token\n"
        "than your own opened the room, set QUADRILLE_TOKEN to that, or to an admin's token.",
        .arguments_min = 1, .arguments_max = 1};
    const qd_option options[] = {QD_CLI_JSON_OPTION(cli, "an object with room"), QD_CLI_SERVER_OPTIONS(cli)};
    int status = 0;

    if (qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status) < 0) {
        return status;
    }

    qd_cli_room room;
    qd_client *client = qd_cli_join(cli, argv[0], &room);
    status = client != NULL ? close_room(cli, client, argv[0], room.handle) : 1;
    qd_client_destroy(client);
    return status;
}
