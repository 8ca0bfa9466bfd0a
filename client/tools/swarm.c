/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille swarm: moves bots in rooms of their own, over one session, until it is stopped.
 */
#include "cli.h"
#include "motion.h"
#include "plain.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Entities per batch; a frame holds many more. */
#define PIECE 32768u
/* With more unsent bytes the server lags, and the swarm skips moves. */
#define BACKLOG_BYTES_MAX (16u << 20)
/* The period of the lines about views. */
#define PRINT_NS 1000000000u
/* Entities per square (cubic) unit without --bounds; they are about one unit wide. */
#define DEFAULT_DENSITY 0.06
/* Of an observer. */
#define DEFAULT_RANGE 10.0

typedef struct swarm_room {
    char name[QD_ROOM_NAME_BYTES_MAX + 1];
    uint64_t handle;
    qd_motion motion;
    qd_pairs *pairs; /* of a crowd */
    qd_view *view;   /* of --observers */
} swarm_room;

typedef struct swarm_figures {
    uint64_t time_ns, updates, enters, leaves;
} swarm_figures;

typedef struct swarm {
    const qd_cli *cli;
    qd_client *client;
    const char *prefix;
    uint32_t motion; /* a qd_motion_kind; QD_MOTION_KINDS: mixed */
    uint32_t rooms_count, entities, hz, seed, dimensions, observers;
    double seconds, density, range;
    qd_index_kind index;
    qd_option_bounds given; /* --bounds */
    qd_msg_bounds bounds;
    swarm_room *rooms;
    uint32_t opened;       /* rooms to close at the end */
    swarm_figures figures; /* of all rooms */
    uint64_t ticks_skipped;
    double elapsed_s;
    swarm_figures printed; /* at the last line */
} swarm;

/* ---- the start ---- */

static bool send_columns(const swarm *all, const swarm_room *room, qd_client_kind kind)
{
    const qd_motion *motion = &room->motion;
    const bool is_3d = all->dimensions == 3;

    for (uint32_t at = 0; at < motion->count; at += PIECE) {
        uint32_t left = motion->count - at;
        qd_client_message message = {.kind = kind};
        qd_msg_batch *batch = &message.as.batch;

        batch->room = room->handle;
        batch->entities = (qd_msg_entities){
            .count = left < PIECE ? left : PIECE,
            .id = motion->id + at,
            .x = motion->x + at,
            .y = motion->y + at,
            .z = is_3d ? motion->z + at : NULL,
        };
        if (kind == QD_CLIENT_SPAWN) {
            batch->entities.half_x = motion->half_x + at;
            batch->entities.half_y = motion->half_y + at;
            batch->entities.half_z = is_3d ? motion->half_z + at : NULL;
            batch->entities.radius = motion->radius + at;
            batch->entities.shape = motion->shape + at;
        }
        /* Seq 0: no Applied is needed. */
        if (!qd_client_send(all->client, &message)) {
            return qd_cli_fail_session(all->cli, all->client) == 0;
        }
    }
    return true;
}

/* Adds an observer, with the entity's id, to each of the first entities of a room. */
static bool send_observers(const swarm *all, swarm_room *room)
{
    float *range = malloc(PIECE * sizeof *range);

    room->view = qd_view_create(NULL);
    bool sent = range != NULL && room->view != NULL;
    for (uint32_t i = 0; i < PIECE && sent; i++) {
        range[i] = (float)all->range;
    }
    for (uint32_t at = 0; at < all->observers && sent; at += PIECE) {
        uint32_t left = all->observers - at;
        const uint32_t *id = room->motion.id + at;
        qd_client_message message = {.kind = QD_CLIENT_OBSERVE};

        message.as.observers = (qd_msg_observers){
            .room = room->handle, .count = left < PIECE ? left : PIECE, .id = id, .entity = id, .range = range};
        sent = qd_client_send(all->client, &message);
    }
    free(range);
    return sent || qd_cli_fail(all->cli, "out of memory for --observers %u", all->observers) == 0;
}

/* Bounds for the density with the proportions of a screen; the depth equals the height. */
static qd_msg_bounds bounds_for(uint32_t entities, double density, bool is_3d)
{
    double places = entities / density / 1.8;
    double height = fmax(is_3d ? cbrt(places) : sqrt(places), 4);

    return (qd_msg_bounds){.max_x = (float)(height * 1.8), .max_y = (float)height, .max_z = is_3d ? (float)height : 0};
}

static qd_motion_kind kind_of(const swarm *all, uint32_t index)
{
    return (qd_motion_kind)(all->motion < QD_MOTION_KINDS ? all->motion : index % QD_MOTION_KINDS);
}

static void print_room(const swarm *all, const swarm_room *room, qd_motion_kind kind)
{
    if (!all->cli->json) {
        printf("room %s: %u entities, %s\n", room->name, all->entities, qd_motion_name(kind));
        return;
    }
    printf("{\"kind\": \"room\", \"room\": ");
    qd_plain_print_json(stdout, room->name);
    printf(", \"entities\": %u, \"motion\": \"%s\"}\n", all->entities, qd_motion_name(kind));
}

static bool start_room(swarm *all, uint32_t index)
{
    swarm_room *room = &all->rooms[index];
    const qd_motion_kind kind = kind_of(all, index);
    /* The server closes the rooms soon if this program dies. */
    const qd_msg_room_config config = {.dimensions = all->dimensions,
                                       .has_bounds = true,
                                       .bounds = all->bounds,
                                       .index = all->index,
                                       .tick_mode = QD_TICK_MODE_CLOCK,
                                       .tick_hz = all->hz,
                                       .grace_ms = 1000,
                                       .empty_close_ms = 5000};
    qd_cli_room opened;

    snprintf(room->name, sizeof room->name, "%s-%u", all->prefix, index + 1);
    if (!qd_cli_open_room(all->cli, all->client, room->name, &config, &opened)) {
        return qd_client_state(all->client) == QD_CLIENT_OK &&
               qd_cli_fail(all->cli, "cannot create room %s: if it is open already, choose another --prefix than %s",
                           room->name, all->prefix) == 0;
    }
    if (!opened.created) {
        return qd_cli_fail(all->cli, "room %s is open already: choose another --prefix than %s", room->name,
                           all->prefix) == 0;
    }
    room->handle = opened.handle;
    all->opened = index + 1;
    if (!qd_motion_init(&room->motion, kind, &all->bounds, all->entities, all->seed + index)) {
        return qd_cli_fail(all->cli, "out of memory for --entities %u", all->entities) == 0;
    }
    if (kind == QD_MOTION_CROWD) {
        room->pairs = qd_pairs_create();
        if (room->pairs == NULL || qd_client_subscribe(all->client, room->handle, QD_SCOPE_ALL, false) == 0) {
            return qd_cli_fail(all->cli, "out of memory") == 0;
        }
    }
    print_room(all, room, kind);
    return send_columns(all, room, QD_CLIENT_SPAWN) && (all->observers == 0 || send_observers(all, room));
}

/* ---- the run ---- */

static bool take_room_message(swarm *all, swarm_room *room, const qd_server_message *message)
{
    bool fits = true;

    switch (message->kind) {
    case QD_SERVER_ROOM_CLOSED:
        /* This room is closed. If the server is stopping, so are the others. */
        room->handle = 0;
        if (message->as.room_closed.reason == QD_ROOM_CLOSED_SHUTDOWN) {
            all->opened = 0;
        }
        return qd_cli_fail(all->cli, "room %s was closed", room->name) == 0;
    case QD_SERVER_TICK:
        fits = room->pairs == NULL || qd_pairs_apply(room->pairs, &message->as.tick) == QD_CLIENT_OK;
        break;
    case QD_SERVER_VIEW:
        all->figures.enters += message->as.view.enter_count;
        all->figures.leaves += message->as.view.leave_count;
        fits = room->view == NULL || qd_view_apply(room->view, &message->as.view) == QD_CLIENT_OK;
        break;
    default:
        break;
    }
    return fits || qd_cli_fail(all->cli, "room %s: its frames contradict each other", room->name) == 0;
}

static uint64_t room_of(const qd_server_message *message)
{
    switch (message->kind) {
    case QD_SERVER_ROOM_CLOSED:
        return message->as.room_closed.room;
    case QD_SERVER_TICK:
        return message->as.tick.room;
    case QD_SERVER_VIEW:
        return message->as.view.room;
    default:
        return 0;
    }
}

static bool take_message(swarm *all, const qd_server_message *message)
{
    uint64_t handle = room_of(message);

    if (qd_cli_fail_refusal(all->cli, message, NULL, 0) != 0) {
        return false;
    }
    if (message->kind == QD_SERVER_GO_AWAY) {
        /* The server closes all rooms itself. */
        all->opened = 0;
        return qd_cli_fail_go_away(all->cli, &message->as.go_away) == 0;
    }
    for (uint32_t i = 0; i < all->opened; i++) {
        swarm_room *room = &all->rooms[i];

        if (room->handle == handle) {
            return take_room_message(all, room, message);
        }
    }
    return true;
}

static bool step_rooms(swarm *all)
{
    size_t backlog = 0;
    bool lags = qd_client_output(all->client, &backlog) != NULL && backlog > BACKLOG_BYTES_MAX;

    all->ticks_skipped += lags;
    for (uint32_t i = 0; i < all->opened && !lags; i++) {
        swarm_room *room = &all->rooms[i];
        bool known = room->pairs != NULL && qd_pairs_known(room->pairs);

        qd_motion_step(&room->motion, 1.0f / (float)all->hz, known ? room->pairs : NULL);
        if (!send_columns(all, room, QD_CLIENT_MOVE)) {
            return false;
        }
        all->figures.updates += room->motion.count;
    }
    return true;
}

/* Receives until then. */
static bool wait_until(swarm *all, uint64_t until_ns)
{
    while (!qd_cli_stopped()) {
        uint64_t now_ns = qd_now_ns();
        int left_ms = now_ns < until_ns ? (int)((until_ns - now_ns + 999999) / 1000000) : 0;
        const qd_server_message *message = qd_client_wait(all->client, left_ms);

        if (message == NULL && qd_client_state(all->client) != QD_CLIENT_OK) {
            return qd_cli_fail_session(all->cli, all->client) == 0;
        }
        if (message == NULL && left_ms == 0) {
            return true;
        }
        if (message != NULL && !take_message(all, message)) {
            return false;
        }
    }
    return true;
}

static size_t count_seen(const swarm *all)
{
    size_t seen = 0;

    for (uint32_t i = 0; i < all->rooms_count; i++) {
        seen += all->rooms[i].view != NULL ? qd_view_count(all->rooms[i].view) : 0;
    }
    return seen;
}

/* With observers, prints a line with the rates since the last one. */
static void print_live(swarm *all)
{
    swarm_figures now = all->figures;
    const swarm_figures *before = &all->printed;

    now.time_ns = qd_now_ns();
    if (all->observers == 0 || now.time_ns < before->time_ns + PRINT_NS) {
        return;
    }
    double seconds = (double)(now.time_ns - before->time_ns) / 1e9;
    printf(all->cli->json ? "{\"kind\": \"rates\", \"seconds\": %.0f, \"updates_per_s\": %.0f, \"enters_per_s\": %.1f, "
                            "\"leaves_per_s\": %.1f, \"seen\": %zu}\n"
                          : "%.0f s: %.0f updates/s, %.1f enters/s, %.1f leaves/s, %zu seen\n",
           all->elapsed_s, (double)(now.updates - before->updates) / seconds,
           (double)(now.enters - before->enters) / seconds, (double)(now.leaves - before->leaves) / seconds,
           count_seen(all));
    fflush(stdout);
    all->printed = now;
}

static bool move_bots(swarm *all)
{
    const uint64_t start_ns = qd_now_ns(), tick_ns = 1000000000u / all->hz;
    uint64_t next_ns = start_ns;

    all->printed.time_ns = start_ns;
    while (!qd_cli_stopped()) {
        uint64_t now_ns = qd_now_ns();

        all->elapsed_s = (double)(now_ns - start_ns) / 1e9;
        print_live(all);
        if (all->seconds > 0 && all->elapsed_s >= all->seconds) {
            return true;
        }
        /* After a long delay, the schedule restarts instead of catching up. */
        next_ns = now_ns > next_ns + 10 * tick_ns ? now_ns + tick_ns : next_ns + tick_ns;
        if (!step_rooms(all) || !wait_until(all, next_ns)) {
            return false;
        }
    }
    return true;
}

/* ---- the end ---- */

static bool close_rooms(swarm *all)
{
    bool closed = true;

    for (uint32_t i = 0; i < all->opened && qd_client_state(all->client) == QD_CLIENT_OK; i++) {
        if (all->rooms[i].handle == 0) {
            continue;
        }
        uint64_t seq = qd_client_close_room(all->client, all->rooms[i].handle);
        closed = qd_cli_answer(all->cli, all->client, seq, QD_SERVER_ROOM_CLOSED) != NULL && closed;
    }
    return closed;
}

static void print_end(const swarm *all)
{
    const swarm_figures *figures = &all->figures;

    if (all->cli->json) {
        printf("{\"kind\": \"end\", \"seconds\": %.3f, \"updates\": %" PRIu64 ", \"ticks_skipped\": %" PRIu64
               ", \"enters\": %" PRIu64 ", \"leaves\": %" PRIu64 ", \"seen\": %zu}\n",
               all->elapsed_s, figures->updates, all->ticks_skipped, figures->enters, figures->leaves, count_seen(all));
        return;
    }
    if (all->observers > 0 && all->elapsed_s > 0) {
        printf("%" PRIu64 " enters, %.1f/s; %" PRIu64 " leaves, %.1f/s; %zu seen by %" PRIu64 " observers at the end\n",
               figures->enters, (double)figures->enters / all->elapsed_s, figures->leaves,
               (double)figures->leaves / all->elapsed_s, count_seen(all), (uint64_t)all->observers * all->rooms_count);
    }
    printf("%" PRIu64 " updates sent, %" PRIu64 " ticks skipped\n", figures->updates, all->ticks_skipped);
}

static int run(swarm *all)
{
    all->rooms = calloc(all->rooms_count, sizeof *all->rooms);
    if (all->rooms == NULL) {
        return qd_cli_fail(all->cli, "out of memory for --rooms %u", all->rooms_count);
    }
    all->client = qd_cli_connect(all->cli);
    bool good = all->client != NULL;
    qd_cli_catch_signals();
    for (uint32_t i = 0; i < all->rooms_count && good && !qd_cli_stopped(); i++) {
        good = start_room(all, i);
    }
    fflush(stdout);
    good = good && move_bots(all);
    if (all->client != NULL) {
        good = close_rooms(all) && good;
    }
    if (good) {
        print_end(all);
    }

    for (uint32_t i = 0; i < all->rooms_count; i++) {
        qd_motion_deinit(&all->rooms[i].motion);
        qd_pairs_destroy(all->rooms[i].pairs);
        qd_view_destroy(all->rooms[i].view);
    }
    free(all->rooms);
    qd_client_destroy(all->client);
    return good ? 0 : 1;
}

int qd_command_swarm(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille swarm", "",
        "Creates rooms PREFIX-1, PREFIX-2, ... and moves bots in them. Stop it with Ctrl-C; it\n"
        "then closes the rooms. Motions: uniform (straight, off the walls), flock (groups around\n"
        "leaders), crowd (from gate to gate, pushing apart), mix (in turn, one per room). With\n"
        "--observers it prints the enters and leaves of their views per second.",
        .arguments_max = 0};
    static const qd_option_choice motions[] = {{"uniform", QD_MOTION_UNIFORM},
                                               {"flock", QD_MOTION_FLOCK},
                                               {"crowd", QD_MOTION_CROWD},
                                               {"mix", QD_MOTION_KINDS},
                                               {NULL, 0}};
    swarm all = {.cli = cli,
                 .prefix = "swarm",
                 .motion = QD_MOTION_KINDS,
                 .rooms_count = 3,
                 .entities = 300,
                 .hz = 20,
                 .seed = 1,
                 .density = DEFAULT_DENSITY,
                 .range = DEFAULT_RANGE};
    const qd_option options[] = {
        {"--rooms", "N", "create N rooms", QD_OPTION_NUMBER, .value = &all.rooms_count, .min = 1, .max = 65536},
        {"--prefix", "NAME", "begin their names with this", QD_OPTION_TEXT, .value = &all.prefix},
        {"--entities", "N", "spawn N entities in each room", QD_OPTION_NUMBER, .value = &all.entities, .min = 1,
         .max = 4194304},
        {"--motion", "KIND", "move them by", QD_OPTION_CHOICE, .value = &all.motion, .choices = motions},
        {"--hz", "N", "tick, and move all, at N Hz", QD_OPTION_NUMBER, .value = &all.hz, .min = 1, .max = 1000},
        {"--seconds", "N", "stop after N seconds", QD_OPTION_REAL, .value = &all.seconds, .min = 0.001, .max = 1e9},
        {"--dimensions", "N", "use 2 or 3 dimensions", QD_OPTION_NUMBER, .value = &all.dimensions, .min = 2, .max = 3,
         .otherwise = "those of --bounds, else 2"},
        {"--bounds", "MINX,MINY,MAXX,MAXY", "move in this space; in 3D, six numbers", QD_OPTION_BOUNDS,
         .value = &all.given, .otherwise = "by --density"},
        {"--index", "NAME", "find pairs by this index", QD_OPTION_CHOICE, .value = &all.index,
         .choices = qd_option_indexes, .otherwise = "auto"},
        {"--density", "D", "use D entities per square or cubic unit", QD_OPTION_REAL, .value = &all.density,
         .min = 1e-6, .max = 1e3},
        {"--observers", "N", "add an observer to N entities of each room", QD_OPTION_NUMBER, .value = &all.observers,
         .min = 0, .max = 4194304},
        {"--range", "R", "let observers see R far", QD_OPTION_REAL, .value = &all.range, .min = 0, .max = 1e30},
        {"--seed", "N", "set the start of the random numbers", QD_OPTION_NUMBER, .value = &all.seed, .min = 0,
         .max = UINT32_MAX},
        QD_CLI_JSON_OPTION(cli, "per line an object with kind: room, rates or end"),
        QD_CLI_SERVER_OPTIONS(cli)};
    int status = 0;

    if (qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status) < 0) {
        return status;
    }
    if (strlen(all.prefix) > QD_ROOM_NAME_BYTES_MAX - 12) {
        return qd_options_misuse(cli->program, "--prefix is '%s'; must be %u bytes or less", all.prefix,
                                 QD_ROOM_NAME_BYTES_MAX - 12);
    }
    if (all.observers > all.entities) {
        return qd_options_misuse(cli->program, "--observers is %u; must be at most the number of --entities, %u",
                                 all.observers, all.entities);
    }
    if (all.range != DEFAULT_RANGE && all.observers == 0) {
        return qd_options_misuse(cli->program, "--range needs --observers");
    }
    status = qd_options_dimensions(cli->program, &all.given, &all.dimensions);
    if (status != 0) {
        return status;
    }
    all.bounds =
        all.given.dimensions != 0 ? all.given.bounds : bounds_for(all.entities, all.density, all.dimensions == 3);
    return run(&all);
}
