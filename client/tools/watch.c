/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille watch: shows a room live in the terminal. Positions come from ten Snapshots per second, pairs from a
 * subscription, views from an observer, and statistics from GetStats twice per second.
 */
#include "watch.h"

#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SNAPSHOT_NS 100000000u
#define STATS_NS    500000000u
#define LINE_NS     1000000000u
/* More than a screen can show. */
#define ENTITIES_MAX 65536u
/* Statistics per rate: two seconds. */
#define SAMPLES 5

typedef struct sample {
    uint64_t time_ns, begins, ends, passed;
} sample;

typedef struct watcher {
    const qd_cli *cli;
    qd_client *client;
    qd_watch_scene watch;
    qd_watch_look look;
    qd_canvas canvas;
    bool on_screen;
    qd_watch_entities incoming; /* an incomplete snapshot */
    uint64_t snapshot_seq, stats_seq;
    uint64_t snapshot_due_ns, stats_due_ns, line_due_ns;
    sample samples[SAMPLES];
    uint32_t samples_count;
    uint64_t enters, leaves; /* of the view, in total */
    uint64_t observe_seq;
    bool fresh;  /* a complete snapshot has not been drawn yet */
    bool closed; /* the room is closed */
} watcher;

/* ---- receiving ---- */

/* An entry of a column that may be absent. */
static float value(const float *column, uint32_t i)
{
    return column != NULL ? column[i] : 0;
}

static bool take_snapshot(watcher *self, const qd_msg_snapshot_result *result)
{
    qd_watch_entities *incoming = &self->incoming;
    uint32_t at = incoming->columns.count, count = result->entities.count;

    if (at + count > incoming->shape_capacity) {
        uint8_t *shape = realloc(incoming->shape, (size_t)(at + count) * 2);

        if (shape == NULL) {
            return false;
        }
        incoming->shape = shape;
        incoming->shape_capacity = (at + count) * 2;
    }
    const qd_msg_entities *from = &result->entities;
    for (uint32_t i = 0; i < count; i++) {
        const qd_entity entity = {
            .id = from->id[i],
            .x = from->x[i],
            .y = from->y[i],
            .z = value(from->z, i),
            .half_x = value(from->half_x, i),
            .half_y = value(from->half_y, i),
            .half_z = value(from->half_z, i),
            .radius = value(from->radius, i),
            .axis_x = value(from->axis_x, i),
            .axis_y = value(from->axis_y, i),
            .axis_z = value(from->axis_z, i),
        };

        incoming->shape[at + i] = from->shape != NULL ? from->shape[i] : QD_SHAPE_BOX;
        if (!qd_columns_add(&incoming->columns, entity)) {
            return false;
        }
    }
    incoming->more = result->more;
    if (result->last) {
        qd_watch_entities shown = self->watch.entities;

        self->watch.entities = *incoming;
        *incoming = shown;
        incoming->columns.count = 0;
        self->snapshot_seq = 0;
        self->fresh = true;
    }
    return true;
}

static void take_stats(watcher *self, const qd_msg_room_stats *stats)
{
    qd_watch_scene *watch = &self->watch;

    watch->stats = *stats;
    watch->has_stats = true;
    watch->past[watch->past_count++ % QD_WATCH_PAST] = watch->view != NULL ? qd_view_count(watch->view) : stats->pairs;

    sample now = {.time_ns = qd_now_ns(), .begins = stats->begins, .ends = stats->ends, .passed = stats->passed};
    if (watch->view != NULL) {
        now.begins = self->enters;
        now.ends = self->leaves;
    }
    self->samples[self->samples_count++ % SAMPLES] = now;
    uint32_t oldest = self->samples_count > SAMPLES ? self->samples_count % SAMPLES : 0;
    const sample *then = &self->samples[oldest];
    double seconds = (double)(now.time_ns - then->time_ns) / 1e9;
    watch->begins_per_s = seconds > 0 ? (double)(now.begins - then->begins) / seconds : 0;
    watch->ends_per_s = seconds > 0 ? (double)(now.ends - then->ends) / seconds : 0;
    watch->passed_per_s = seconds > 0 ? (double)(now.passed - then->passed) / seconds : 0;
    self->stats_seq = 0;
}

static int take_view(watcher *self, const qd_msg_view *frame)
{
    self->enters += frame->enter_count;
    self->leaves += frame->leave_count;
    if (qd_view_apply(self->watch.view, frame) == QD_CLIENT_OK) {
        return 0;
    }
    return qd_cli_fail(self->cli, "the views of the room contradict each other, or memory is short");
}

static int take_refusal(const watcher *self, const qd_server_message *message)
{
    const qd_observer *observer = self->watch.observer;

    if (observer != NULL && observer->anchored && message->seq == self->observe_seq) {
        return qd_cli_fail_refusal(self->cli, message, &observer->entity, 1);
    }
    return qd_cli_fail_refusal(self->cli, message, NULL, 0);
}

/* Returns 0, or the exit status of a failure that it has reported. */
static int take_message(watcher *self, const qd_server_message *message)
{
    switch (message->kind) {
    case QD_SERVER_TICK:
        self->watch.suspended = message->as.tick.suspended ? message->as.tick.suspended_reason : 0;
        self->watch.suspended_count = message->as.tick.suspended ? message->as.tick.suspended_count : 0;
        if (qd_pairs_apply(self->watch.pairs, &message->as.tick) == QD_CLIENT_OK) {
            return 0;
        }
        return qd_cli_fail(self->cli, "the events of the room contradict each other, or memory is short");
    case QD_SERVER_VIEW:
        return take_view(self, &message->as.view);
    case QD_SERVER_SNAPSHOT_RESULT:
        return take_snapshot(self, &message->as.snapshot_result) ? 0 : qd_cli_fail(self->cli, "out of memory");
    case QD_SERVER_STATS:
        take_stats(self, &message->as.stats.room);
        return 0;
    case QD_SERVER_ROOM_CLOSED:
        self->closed = true;
        return 0;
    case QD_SERVER_ERROR:
    case QD_SERVER_ACCEPTED:
        return take_refusal(self, message);
    default:
        return 0;
    }
}

/* ---- requests ---- */

/* Keeps at most one request of each kind in flight, so that a busy server gets no more. */
static bool ask(watcher *self)
{
    uint64_t now_ns = qd_now_ns(), room = self->watch.room.handle;

    if (self->on_screen && self->snapshot_seq == 0 && now_ns >= self->snapshot_due_ns) {
        self->snapshot_seq = qd_client_get_snapshot(self->client, room, NULL, ENTITIES_MAX);
        self->snapshot_due_ns = now_ns + SNAPSHOT_NS;
    }
    if (self->stats_seq == 0 && now_ns >= self->stats_due_ns) {
        self->stats_seq = qd_client_get_stats(self->client, room);
        self->stats_due_ns = now_ns + STATS_NS;
    }
    return qd_client_poll(self->client, 0) >= 0;
}

/* Sleeps until the server sends or the user presses a key, but at most 50 ms. */
static void wait_for_news(const watcher *self)
{
    size_t unsent = 0;
    bool sends = qd_client_output(self->client, &unsent) != NULL;
    struct pollfd ready[2] = {
        {.fd = qd_client_socket(self->client), .events = (short)(POLLIN | (sends ? POLLOUT : 0))},
        {.fd = self->on_screen && isatty(STDIN_FILENO) ? STDIN_FILENO : -1, .events = POLLIN},
    };

    poll(ready, 2, 50);
}

/* ---- display ---- */

static int show(watcher *self)
{
    uint64_t now_ns = qd_now_ns();

    if (self->on_screen) {
        if (!qd_terminal_suspend_if_asked() && !self->fresh) {
            return 0;
        }
        self->fresh = false;
        if (!qd_watch_draw(&self->watch, &self->look, &self->canvas)) {
            return 1;
        }
    } else if (now_ns >= self->line_due_ns && self->watch.has_stats) {
        qd_watch_print_line(&self->watch, stdout);
        putchar('\n');
        if (fflush(stdout) != 0) {
            return errno == EPIPE ? 1 : qd_cli_fail(self->cli, "cannot write: %s", strerror(errno));
        }
        self->line_due_ns += LINE_NS;
    }
    return 0;
}

static bool wants_to_quit(const watcher *self)
{
    char key = self->on_screen ? qd_terminal_key() : 0;

    return key == 'q' || key == 'Q' || key == 4;
}

static int follow(watcher *self, double seconds)
{
    const uint64_t start_ns = qd_now_ns();
    const double end_ns = seconds > 0 ? (double)start_ns + seconds * 1e9 : INFINITY;
    int status = 0;

    self->line_due_ns = start_ns + LINE_NS;
    while (status == 0 && !qd_cli_stopped() && !self->closed && !wants_to_quit(self)) {
        if (!ask(self)) {
            return qd_cli_fail_session(self->cli, self->client);
        }
        const qd_server_message *message;
        while (status == 0 && (message = qd_client_next(self->client)) != NULL) {
            status = take_message(self, message);
        }
        if (status == 0) {
            status = show(self);
        }
        /* The last check, so that the line of the last second is printed. */
        if ((double)qd_now_ns() >= end_ns) {
            break;
        }
        wait_for_news(self);
    }
    return status;
}

/* ---- the command ---- */

/* Subscribes to pairs, or creates the observer. */
static int subscribe(watcher *self)
{
    qd_watch_scene *watch = &self->watch;

    if (watch->observer != NULL) {
        watch->view = qd_view_create(NULL);
    } else {
        watch->pairs = qd_pairs_create();
    }
    if (watch->view == NULL && watch->pairs == NULL) {
        return qd_cli_fail(self->cli, "out of memory");
    }
    if (watch->observer != NULL && watch->observer->dimensions != 0 &&
        !qd_cli_check_dimensions(self->cli, watch->room_name, &watch->room, watch->observer->dimensions)) {
        return 1;
    }
    if (watch->observer != NULL) {
        self->observe_seq = qd_observer_send(watch->observer, self->client, &watch->room);
    } else {
        self->observe_seq = qd_client_subscribe(self->client, watch->room.handle, QD_SCOPE_ALL, false);
    }
    return self->observe_seq != 0 ? 0 : qd_cli_fail_session(self->cli, self->client);
}

static int watch_room(watcher *self, double seconds)
{
    qd_watch_scene *watch = &self->watch;

    self->client = qd_cli_connect(self->cli);
    if (self->client == NULL || !qd_cli_open_room(self->cli, self->client, watch->room_name, NULL, &watch->room)) {
        return 1;
    }
    int status = subscribe(self);
    if (status != 0) {
        return status;
    }

    qd_cli_catch_signals();
    if (self->on_screen) {
        qd_terminal_enter();
    }
    status = follow(self, seconds);
    qd_terminal_leave();
    if (self->closed) {
        fprintf(stderr, "%s: room %s was closed\n", self->cli->program, watch->room_name);
    }
    return status;
}

int qd_command_watch(qd_cli *cli, int argc, char **argv)
{
    static const qd_usage usage = {
        "quadrille watch", "ROOM",
        "Shows a room live: a map of its entities, in hotter colors the more they touch, and its\n"
        "statistics. The map of a room of three dimensions looks along the z axis. Without a\n"
        "terminal, prints one line of statistics per second. Stop it with q or Ctrl-C.\n"
        "With --observer, the map shows the entities that an observer sees, instead of pairs.\n"
        "Without a terminal, it then prints the lines of `quadrille observe`. The options from\n"
        "--range on set the observer.",
        .arguments_min = 1, .arguments_max = 1};
    double seconds = 0;
    qd_observer_options given = QD_OBSERVER_DEFAULTS;
    qd_observer observer;
    watcher self = {.cli = cli, .on_screen = qd_terminal_is_there()};
    const qd_option options[] = {
        {"--seconds", "N", "stop after N seconds", QD_OPTION_REAL, .value = &seconds, .min = 0.001, .max = 1e9},
        {"--ascii", NULL, "draw without Unicode", QD_OPTION_FLAG, .value = &self.look.ascii},
        {"--observer", "ID | X,Y[,Z]", "show the view from an entity of the room, or from a point", QD_OPTION_TEXT,
         .value = &given.where},
        QD_OBSERVER_ROWS(&given),
        QD_CLI_SERVER_OPTIONS(cli)};
    int status = 0;

    if (qd_options_parse(&usage, options, QD_CLI_COUNT(options), argc, argv, &status) < 0) {
        return status;
    }

    if (given.where != NULL) {
        status = qd_observer_parse(cli, &given, &observer);
        if (status != 0) {
            return status;
        }
        if (!self.on_screen) {
            return qd_observer_print(&(qd_lines){.cli = cli, .seconds = seconds}, argv[0], &observer);
        }
        self.watch.observer = &observer;
    } else if (qd_observer_any(&given)) {
        return qd_options_misuse(cli->program, "no --observer given: its options need one");
    }

    const char *no_color = getenv("NO_COLOR");
    self.look.color = no_color == NULL || no_color[0] == '\0';
    self.watch.server = cli->server;
    self.watch.room_name = argv[0];
    status = watch_room(&self, seconds);

    qd_pairs_destroy(self.watch.pairs);
    qd_view_destroy(self.watch.view);
    qd_columns_deinit(&self.watch.entities.columns);
    qd_columns_deinit(&self.incoming.columns);
    free(self.watch.entities.shape);
    free(self.incoming.shape);
    qd_canvas_deinit(&self.canvas);
    qd_client_destroy(self.client);
    return status;
}
