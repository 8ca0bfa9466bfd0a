/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-bench ingest: positions per second that the server receives. A tick registers the last one of each entity.
 *
 * The frames are encoded before the measurement (bench_frames.h), so that the generator only sends. The same bytes go
 * alternately to a bare libuv sink, whose rate is the raw limit, and to the server. The room ticks by Step at a rate,
 * and the first connection subscribes to its events. At the end every connection steps, so that all its batches are
 * applied. Then the room must have counted all sent updates, and the folded pairs must equal those of brute force.
 */
#include "bench.h"
#include "bench_frames.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_MAX 1024u
#define ROUNDS          3u
/* The most bytes per send, so that all sockets get their turns. */
#define SEND_MAX (256u << 10)

typedef struct options {
    uint32_t connections, batch, entities, hz;
    bool ids, roster; /* only this one; neither: both */
} options;

/* One stream of frames, to the sink or to the server. */
typedef struct writer {
    int socket;
    qd_client *client; /* NULL: to the sink */
    uint32_t index;
    uint64_t passes;   /* complete ones */
    size_t at;         /* bytes sent of the present one */
    uint64_t last_seq; /* of its last step; 1 for a sink; 0: not sent yet */
    bool is_done;
} writer;

typedef struct run_state {
    qd_bench *bench;
    uint32_t connections, hz;
    qd_bench_frames frames;
    writer *sinks, *writers;
    qd_bench_figures *figures;
    qd_bench_connection reported_connection;
    qd_bench_lane reported, expected; /* for the check */
    uint64_t step_seq;                /* unanswered; 0: none */
    uint64_t next_step_ns, updates_before;
} run_state;

/* The sums of the server, or of the sink. */
typedef struct totals {
    double positions, seconds;
    qd_bench_usage used;
} totals;

/* ---- the server's side ---- */

/* Handles a message from the server. */
static void take_message(run_state *all, writer *from, const qd_server_message *message)
{
    switch (message->kind) {
    case QD_SERVER_TICK:
        all->figures->begins += message->as.tick.begins.count;
        all->figures->ends += message->as.tick.ends.count;
        if (qd_pairs_apply(all->reported.pairs, &message->as.tick) < 0) {
            qd_bench_fail(all->bench, "the events of tick %llu contradict those before",
                          (unsigned long long)message->as.tick.tick);
        }
        break;
    case QD_SERVER_APPLIED:
        if (message->as.applied.seq == all->step_seq && from == &all->writers[0]) {
            all->step_seq = 0;
        }
        if (from->last_seq && message->as.applied.seq == from->last_seq) {
            from->is_done = true;
        }
        break;
    case QD_SERVER_STATS:
        all->reported.stats = message->as.stats.room;
        all->reported.has_stats = true;
        break;
    case QD_SERVER_ERROR:
    case QD_SERVER_ACCEPTED:
        if (qd_client_refusal(message) != NULL) {
            qd_bench_fail(all->bench, "the server refused: %s", qd_client_refusal(message));
        }
        break;
    case QD_SERVER_GO_AWAY:
        qd_bench_fail(all->bench, "the server closes the connection: %s", message->as.go_away.text);
        break;
    default:
        break;
    }
}

/* Waits for the answer to that request of the writer. */
static bool wait_step(run_state *all, writer *from, uint64_t seq)
{
    from->last_seq = seq;
    from->is_done = false;
    while (seq && !from->is_done && !qd_bench_is_stopped(all->bench)) {
        const qd_server_message *message = qd_client_wait(from->client, QD_BENCH_ANSWER_MS);

        if (!message) {
            return qd_bench_fail_session(all->bench, from->client);
        }
        take_message(all, from, message);
    }
    from->last_seq = 0;
    from->is_done = false;
    return seq ? !qd_bench_is_stopped(all->bench) : qd_bench_fail_session(all->bench, from->client);
}

/* Requests them by the first writer, whose answer follows all earlier events. */
static bool get_stats(run_state *all)
{
    writer *first = &all->writers[0];

    if (!wait_step(all, first, qd_client_step(first->client, all->frames.room, 0))) {
        return false;
    }
    all->reported.has_stats = false;
    qd_client_get_stats(first->client, all->frames.room);
    while (!all->reported.has_stats && !qd_bench_is_stopped(all->bench)) {
        const qd_server_message *message = qd_client_wait(first->client, QD_BENCH_ANSWER_MS);

        if (!message) {
            return qd_bench_fail_session(all->bench, first->client);
        }
        take_message(all, first, message);
    }
    return !qd_bench_is_stopped(all->bench);
}

static bool open_writer(run_state *all, uint32_t index)
{
    const float side = all->frames.side;
    const qd_msg_room_config config = {.has_bounds = true,
                                       .bounds = {.max_x = side, .max_y = side},
                                       .tick_mode = QD_TICK_MODE_STEP,
                                       .grace_ms = 1000,
                                       .empty_close_ms = 1000};
    writer *to = &all->writers[index];
    char name[QD_BENCH_NAME_SIZE];

    to->client = qd_bench_connect_client(all->bench);
    if (!to->client) {
        return false;
    }
    to->socket = qd_client_socket(to->client);
    qd_bench_room_name(all->bench, 0, name);
    uint64_t seq = qd_client_open_room(to->client, name, index == 0 ? &config : NULL);
    const qd_server_message *opened = qd_client_answer(to->client, seq, QD_BENCH_ANSWER_MS);
    if (!opened || opened->kind != QD_SERVER_ROOM_OPENED) {
        return qd_bench_fail_session(all->bench, to->client);
    }
    all->frames.room = opened->as.room_opened.room;
    if (!qd_bench_frames_spawn(&all->frames, index, to->client)) {
        return qd_bench_fail_session(all->bench, to->client);
    }
    if (index == 0 && !qd_client_subscribe(to->client, all->frames.room, QD_SCOPE_ALL, false)) {
        return qd_bench_fail_session(all->bench, to->client);
    }
    return wait_step(all, to, qd_client_step(to->client, all->frames.room, 0));
}

static bool open_sink(run_state *all, uint32_t index)
{
    all->sinks[index].socket = qd_bench_raw_connect(&all->bench->raw, QD_BENCH_RAW_SINK, 0, 0);
    if (all->sinks[index].socket < 0) {
        qd_bench_fail(all->bench, "cannot connect to the raw sink: %s", strerror(errno));
    }
    return all->sinks[index].socket >= 0;
}

/* ---- sending ---- */

/* Sends requests, which are small, between two frames. */
static void flush_requests(run_state *all, writer *to)
{
    const void *bytes;
    size_t size;

    while ((bytes = qd_client_output(to->client, &size)) && !qd_bench_is_stopped(all->bench)) {
        ssize_t sent = send(to->socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent >= 0) {
            qd_client_sent(to->client, (size_t)sent);
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){.fd = to->socket, .events = POLLOUT}, 1, 100);
        } else if (errno != EINTR) {
            qd_bench_fail(all->bench, "cannot send: %s", strerror(errno));
        }
    }
}

/* Between two passes: ends the writer after its last pass, and steps when a tick is due. */
static void pass_ended(run_state *all, writer *to, uint64_t now_ns, uint64_t end_ns)
{
    if (now_ns >= end_ns) {
        to->last_seq = to->client ? qd_client_step(to->client, all->frames.room, 0) : 1;
        if (to->client) {
            flush_requests(all, to);
        } else {
            shutdown(to->socket, SHUT_WR);
        }
    } else if (to == &all->writers[0] && all->step_seq == 0 && now_ns >= all->next_step_ns) {
        all->step_seq = qd_client_step(to->client, all->frames.room, 0);
        all->next_step_ns = now_ns + 1000000000u / all->hz;
        flush_requests(all, to);
    }
}

/* As send: the client encrypts the bytes once those before are sent. */
static ssize_t send_encrypted(run_state *all, writer *to, const uint8_t *bytes, size_t size)
{
    size_t waiting;
    const void *sealed = qd_client_output(to->client, &waiting);
    ssize_t taken = 0;

    if (sealed == NULL) {
        taken = (ssize_t)size;
        if (!qd_client_send_frames(to->client, bytes, size)) {
            qd_bench_fail_session(all->bench, to->client);
        }
        sealed = qd_client_output(to->client, &waiting);
    }
    if (sealed != NULL) {
        ssize_t sent = send(to->socket, sealed, waiting, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0 && errno != EAGAIN && errno != EINTR) {
            return sent;
        }
        qd_client_sent(to->client, sent > 0 ? (size_t)sent : 0);
    }
    return taken;
}

static void send_some(run_state *all, writer *to, uint64_t end_ns)
{
    size_t left = all->frames.pass_bytes - to->at;
    const uint8_t *bytes = qd_bench_frames_pass(&all->frames, to->index, to->passes + 1) + to->at;
    const size_t size = left < SEND_MAX ? left : SEND_MAX;
    const bool encrypts = all->bench->tls != NULL && to->client != NULL;
    ssize_t sent =
        encrypts ? send_encrypted(all, to, bytes, size) : send(to->socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        qd_bench_fail(all->bench, "cannot send: %s", strerror(errno));
    }
    if (sent <= 0) {
        return;
    }
    to->at += (size_t)sent;
    if (to->at == all->frames.pass_bytes) {
        to->at = 0;
        to->passes++;
        pass_ended(all, to, qd_now_ns(), end_ns);
    }
}

static void receive(run_state *all, writer *from)
{
    static uint8_t bytes[262144];
    const qd_server_message *message;
    ssize_t size = recv(from->socket, bytes, sizeof bytes, MSG_DONTWAIT);

    if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (!from->client) {
        /* One byte confirms the end; else the sink is gone. */
        from->is_done = from->last_seq != 0 && size == 1;
        if (!from->is_done) {
            qd_bench_fail(all->bench, "the raw sink is gone");
        }
        return;
    }
    if (size > 0) {
        qd_client_input(from->client, bytes, (size_t)size);
    } else {
        qd_client_input_end(from->client);
    }
    while ((message = qd_client_next(from->client))) {
        take_message(all, from, message);
    }
    if (qd_client_state(from->client) < 0) {
        qd_bench_fail_session(all->bench, from->client);
    }
}

/* Sends to all writers for this time, then waits until everything is read. */
static void send_for(run_state *all, writer *writers, pid_t pid, double seconds, totals *sum)
{
    struct pollfd ready[CONNECTIONS_MAX];
    uint32_t done = 0;
    uint64_t passes = 0;
    qd_bench_usage before = qd_bench_usage_of(pid);
    uint64_t start_ns = qd_now_ns(), end_ns = start_ns + (uint64_t)(seconds * 1e9);

    for (uint32_t index = 0; index < all->connections; index++) {
        passes -= writers[index].passes;
        writers[index].last_seq = 0;
        writers[index].is_done = false;
    }
    while (done < all->connections && !qd_bench_is_stopped(all->bench)) {
        for (uint32_t index = 0; index < all->connections; index++) {
            ready[index] = (struct pollfd){
                .fd = writers[index].is_done ? -1 : writers[index].socket,
                .events = (short)(POLLIN | (writers[index].last_seq ? 0 : POLLOUT)),
            };
        }
        poll(ready, all->connections, 100);
        if (qd_now_ns() > end_ns + QD_BENCH_TIMEOUT_NS) {
            qd_bench_fail(all->bench, "the server, or the sink, did not read all frames within %u s after the end",
                          (unsigned)(QD_BENCH_TIMEOUT_NS / 1000000000u));
        }
        for (uint32_t index = 0; index < all->connections; index++) {
            if (ready[index].revents & POLLOUT) {
                send_some(all, &writers[index], end_ns);
            }
            if (ready[index].revents & ~POLLOUT) {
                receive(all, &writers[index]);
            }
            done += ready[index].fd >= 0 && writers[index].is_done;
        }
    }
    for (uint32_t index = 0; index < all->connections; index++) {
        passes += writers[index].passes;
    }
    qd_bench_usage used = qd_bench_usage_between(before, qd_bench_usage_of(pid));
    sum->positions += (double)passes * all->frames.entities;
    sum->seconds += (double)(qd_now_ns() - start_ns) / 1e9;
    sum->used.is_known = used.is_known;
    sum->used.user_s += used.user_s;
    sum->used.system_s += used.system_s;
}

/* ---- the check ---- */

static void check(run_state *all, double positions)
{
    if (!get_stats(all)) {
        return;
    }
    uint64_t updates = all->reported.stats.updates - all->updates_before;
    if (updates != (uint64_t)positions) {
        qd_bench_fail(all->bench, "the bench sent %.0f positions, but the room counted %llu", positions,
                      (unsigned long long)updates);
    }
    for (uint32_t index = 0; index < all->connections; index++) {
        qd_bench_frames_put(&all->frames, index, all->writers[index].passes);
    }
    all->expected = (qd_bench_lane){
        .count = all->connections * all->frames.entities, .id = all->frames.id, .at = {all->frames.x, all->frames.y}};
    qd_bench_check(&all->reported, &all->expected, all->reported.stats.tick);
}

/* Positions per second that a core copies. */
static double copy_rate(const run_state *all)
{
    static uint8_t target[65536];
    size_t piece = all->frames.pass_bytes < sizeof target ? all->frames.pass_bytes : sizeof target;
    uint64_t start_ns = qd_now_ns(), end_ns = start_ns, copied = 0;

    for (; end_ns - start_ns < 100000000u; end_ns = qd_now_ns()) {
        for (size_t at = 0; at + piece <= all->frames.pass_bytes; at += piece, copied += piece) {
            memcpy(target, all->frames.bytes + at, piece);
        }
    }
    double position_bytes = (double)all->frames.pass_bytes / all->frames.entities;
    return (double)copied / position_bytes / ((double)(end_ns - start_ns) / 1e9);
}

/* ---- the scenario ---- */

static const qd_sheet_column columns[] = {
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

static void add_row(const run_state *all, qd_sheet *sheet, const totals *raw, const totals *server)
{
    const double rate = server->positions / server->seconds, raw_rate = raw->positions / raw->seconds;
    const double user_ns = qd_bench_used_ns(&server->used, true, false, (uint64_t)server->positions);
    const double events = (double)(all->figures->begins + all->figures->ends);

    qd_sheet_add_row(sheet, (const double[]){all->connections, all->frames.batch, all->frames.roster ? 8 : 12, raw_rate,
                                             rate, rate / raw_rate, user_ns,
                                             qd_bench_used_ns(&server->used, false, true, (uint64_t)server->positions),
                                             qd_bench_used_ns(&raw->used, true, true, (uint64_t)raw->positions),
                                             1e9 / copy_rate(all), events / server->seconds,
                                             (double)all->figures->ticks_checked});
    qd_sheet_add_goal(sheet, rate / raw_rate, false, 1.0 / 3, "%s%u connection%s, batches of %u: ratio to the raw sink",
                      all->frames.roster ? "by roster, " : "", all->connections, all->connections > 1 ? "s" : "",
                      all->frames.batch);
    qd_sheet_add_goal(sheet, user_ns, true, 6, "%s%u connection%s, batches of %u: ns of user time per position",
                      all->frames.roster ? "by roster, " : "", all->connections, all->connections > 1 ? "s" : "",
                      all->frames.batch);
}

static void close_all(run_state *all)
{
    for (uint32_t index = 0; index < all->connections; index++) {
        if (all->sinks && all->sinks[index].socket >= 0) {
            close(all->sinks[index].socket);
        }
        if (!all->writers || !all->writers[index].client) {
            continue;
        }
        if (index == 0 && all->frames.room && qd_client_close_room(all->writers[0].client, all->frames.room)) {
            qd_client_flush(all->writers[0].client, 1000);
        }
        qd_client_destroy(all->writers[index].client);
    }
    qd_pairs_destroy(all->reported.pairs);
    free(all->figures);
    free(all->sinks);
    free(all->writers);
    qd_bench_frames_deinit(&all->frames);
}

static bool open_all(run_state *all)
{
    qd_bench *bench = all->bench;

    all->sinks = calloc(all->connections, sizeof *all->sinks);
    all->writers = calloc(all->connections, sizeof *all->writers);
    all->figures = calloc(1, sizeof *all->figures);
    all->reported.pairs = qd_pairs_create();
    bench->run_id++;
    for (uint32_t index = 0; all->sinks && all->writers && index < all->connections; index++) {
        all->sinks[index] = (writer){.socket = -1, .index = index};
        all->writers[index].index = index;
    }
    if (!all->sinks || !all->writers || !all->figures || !all->reported.pairs || !qd_bench_frames_init(&all->frames)) {
        qd_bench_fail(bench, "out of memory");
        return false;
    }
    all->reported_connection = (qd_bench_connection){.bench = bench, .figures = all->figures};
    all->reported.connection = &all->reported_connection;
    for (uint32_t index = 0; index < all->connections; index++) {
        if (!open_writer(all, index) || !open_sink(all, index)) {
            return false;
        }
    }
    if (!qd_bench_frames_encode(&all->frames)) {
        qd_bench_fail(bench, "out of memory");
        return false;
    }
    if (!get_stats(all)) {
        return false;
    }
    all->updates_before = all->reported.stats.updates;
    all->figures->begins = all->figures->ends = 0;
    return true;
}

static void run_row(qd_bench *bench, qd_sheet *sheet, const options *given, uint32_t connections, uint32_t batch,
                    bool roster)
{
    /* Rounded up, so that all batches have the same size. */
    const uint32_t entities = (given->entities + batch - 1) / batch * batch;
    run_state all = {.bench = bench,
                     .connections = connections,
                     .hz = given->hz,
                     .frames = {.connections = connections,
                                .entities = entities,
                                .batch = batch,
                                .side = 4 * sqrtf((float)connections * (float)entities),
                                .roster = roster}};
    totals raw = {0}, server = {0};

    if (open_all(&all)) {
        for (uint32_t round = 0; round < ROUNDS && !qd_bench_is_stopped(bench); round++) {
            send_for(&all, all.writers, bench->server.pid, bench->seconds / ROUNDS, &server);
            send_for(&all, all.sinks, bench->raw.pid, bench->seconds / ROUNDS, &raw);
            /* The sink's connections have ended. */
            for (uint32_t index = 0; index < connections && round + 1 < ROUNDS; index++) {
                close(all.sinks[index].socket);
                open_sink(&all, index);
            }
        }
        if (!qd_bench_is_stopped(bench)) {
            check(&all, server.positions);
        }
        if (!qd_bench_is_stopped(bench)) {
            add_row(&all, sheet, &raw, &server);
        }
    }
    close_all(&all);
}

static void play(qd_bench *bench, qd_sheet *sheet, void *context)
{
    static const uint32_t all_connections[] = {1, 16}, all_batches[] = {1000, 10000};
    const options *given = context;

    snprintf(sheet->title, sizeof sheet->title,
             "ingest: batches of moves, of which a tick registers the last of each entity; %u entities or more per "
             "connection, %u ticks/s",
             given->entities, given->hz);
    for (uint32_t row = 0; row < 8 && !qd_bench_is_stopped(bench); row++) {
        const bool roster = row / 4 > 0;
        uint32_t connections = given->connections ? given->connections : all_connections[row / 2 % 2];
        uint32_t batch = given->batch ? given->batch : all_batches[row % 2];

        if ((given->connections && row / 2 % 2 > 0) || (given->batch && row % 2 > 0) || (given->ids && roster) ||
            (given->roster && !roster)) {
            continue;
        }
        run_row(bench, sheet, given, connections, batch, roster);
    }
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
        "same generator. A tick registers the last position of each entity. It checks the updates\n"
        "that the room counts, and compares the room's pairs with brute force.",
        .arguments_max = 0};
    static const char *const server_options[] = {NULL};
    options given = {.entities = 10000, .hz = 20};
    const qd_option rows[] = {
        {"--connections", "N", "write by N connections", QD_OPTION_NUMBER, .value = &given.connections, .min = 1,
         .max = CONNECTIONS_MAX, .otherwise = "1, then 16"},
        {"--batch", "N", "move N entities per batch", QD_OPTION_NUMBER, .value = &given.batch, .min = 1, .max = 100000,
         .otherwise = "1000, then 10000"},
        {"--entities", "N", "spawn N entities per connection, rounded up to whole batches", QD_OPTION_NUMBER,
         .value = &given.entities, .min = 1, .max = 1000000},
        {"--ids", NULL, "move by ids only", QD_OPTION_FLAG, .value = &given.ids, .otherwise = "by ids, then by roster"},
        {"--roster", NULL, "move by roster only, without ids", QD_OPTION_FLAG, .value = &given.roster},
        {"--hz", "N", "tick at N Hz", QD_OPTION_NUMBER, .value = &given.hz, .min = 1, .max = 1000},
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
