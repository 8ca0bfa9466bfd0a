/* SPDX-License-Identifier: Apache-2.0
 *
 * The frames are encoded before the measurement (bench_frames.h), so that the generator only sends. At the end every
 * connection steps, so that all its batches are applied. Then the rooms must have counted all sent updates, and the
 * folded pairs of the first room must equal those of brute force.
 */
#include "bench_frames.h"
#include "bench_ingest.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROUNDS 3u
/* The most unanswered steps of a room that steps after each pass. */
#define PENDING_MAX 2u
/* The most bytes per send, so that all sockets get their turns. */
#define SEND_MAX (256u << 10)

/* One stream of frames, to the sink or to the server. */
typedef struct writer {
    int socket;
    qd_client *client; /* NULL: to the sink */
    uint32_t index;
    uint64_t room;     /* its handle; 0: not open */
    uint64_t passes;   /* complete ones */
    size_t at;         /* bytes sent of the present one */
    uint32_t pending;  /* unanswered steps after passes */
    uint64_t last_seq; /* of its last step; 1 for a sink; 0: not sent yet */
    bool is_done;
} writer;

typedef struct run_state {
    qd_bench *bench;
    const qd_ingest_row *row;
    qd_bench_frames frames;
    writer *sinks, *writers;
    qd_bench_figures *figures;
    qd_bench_connection reported_connection;
    qd_bench_lane reported, expected; /* of the first room, for the check */
    uint64_t step_seq;                /* unanswered; 0: none */
    uint64_t next_step_ns;
    uint64_t updates, ticks; /* of all rooms, by the last stats */
} run_state;

/* ---- the server's side ---- */

/* Handles a message from the server. */
static void take_message(run_state *all, writer *from, const qd_server_message *message)
{
    switch (message->kind) {
    case QD_SERVER_TICK:
        all->figures->begins += message->as.tick.begins.count;
        all->figures->ends += message->as.tick.ends.count;
        if (from == &all->writers[0] && qd_pairs_apply(all->reported.pairs, &message->as.tick) < 0) {
            qd_bench_fail(all->bench, "the events of tick %llu contradict those before",
                          (unsigned long long)message->as.tick.tick);
        }
        break;
    case QD_SERVER_APPLIED:
        if (message->as.applied.seq == all->step_seq && from == &all->writers[0]) {
            all->step_seq = 0;
        }
        from->pending -= from->pending > 0;
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

/* How many rooms there are: those of the first writers. */
static uint32_t rooms_of(const run_state *all)
{
    return all->row->once ? all->row->connections : 1;
}

/* Steps the writer's room, then waits for its statistics, which follow all earlier events. */
static bool get_stats_of(run_state *all, writer *from)
{
    if (!wait_step(all, from, qd_client_step(from->client, from->room, 0))) {
        return false;
    }
    all->reported.has_stats = false;
    qd_client_get_stats(from->client, from->room);
    while (!all->reported.has_stats && !qd_bench_is_stopped(all->bench)) {
        const qd_server_message *message = qd_client_wait(from->client, QD_BENCH_ANSWER_MS);

        if (!message) {
            return qd_bench_fail_session(all->bench, from->client);
        }
        take_message(all, from, message);
    }
    all->updates += all->reported.stats.updates;
    all->ticks += all->reported.stats.tick;
    return !qd_bench_is_stopped(all->bench);
}

/* Of all rooms; the first room's last, for the check. */
static bool get_stats(run_state *all)
{
    all->updates = all->ticks = 0;
    for (uint32_t left = rooms_of(all); left > 0; left--) {
        if (!get_stats_of(all, &all->writers[left - 1])) {
            return false;
        }
    }
    return true;
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
    const bool has_own_room = index < rooms_of(all);
    char name[QD_BENCH_NAME_SIZE];

    to->client = qd_bench_connect_client(all->bench);
    if (!to->client) {
        return false;
    }
    to->socket = qd_client_socket(to->client);
    qd_bench_room_name(all->bench, has_own_room ? index : 0, name);
    uint64_t seq = qd_client_open_room(to->client, name, has_own_room ? &config : NULL);
    const qd_server_message *opened = qd_client_answer(to->client, seq, QD_BENCH_ANSWER_MS);
    if (!opened || opened->kind != QD_SERVER_ROOM_OPENED) {
        return qd_bench_fail_session(all->bench, to->client);
    }
    to->room = opened->as.room_opened.room;
    if (!qd_bench_frames_spawn(&all->frames, index, to->room, to->client)) {
        return qd_bench_fail_session(all->bench, to->client);
    }
    if (has_own_room && !qd_client_subscribe(to->client, to->room, QD_SCOPE_ALL, false)) {
        return qd_bench_fail_session(all->bench, to->client);
    }
    if (!qd_bench_frames_encode(&all->frames, index, to->room)) {
        qd_bench_fail(all->bench, "out of memory");
        return false;
    }
    return wait_step(all, to, qd_client_step(to->client, to->room, 0));
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

/* Between two passes of a sink's stream: ends it after its last pass. */
static void sink_pass_ended(writer *to, bool is_last)
{
    if (is_last) {
        to->last_seq = 1;
        shutdown(to->socket, SHUT_WR);
    }
}

/* Between two passes: steps after each pass or when a tick is due, and after the last pass. */
static void pass_ended(run_state *all, writer *to, uint64_t now_ns, bool is_last)
{
    const bool is_due = to == &all->writers[0] && all->step_seq == 0 && now_ns >= all->next_step_ns;

    if (!is_last && !all->row->once && !is_due) {
        return;
    }
    const uint64_t seq = qd_client_step(to->client, to->room, 0);
    if (is_last) {
        to->last_seq = seq;
    } else if (all->row->once) {
        to->pending++;
    } else {
        all->step_seq = seq;
        all->next_step_ns = now_ns + 1000000000u / all->row->hz;
    }
    flush_requests(all, to);
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
    const qd_bench_pass *pass = qd_bench_frames_pass(&all->frames, to->index, to->passes + 1);
    const size_t left = pass->size - to->at, size = left < SEND_MAX ? left : SEND_MAX;
    const uint8_t *bytes = pass->bytes + to->at;
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
    if (to->at < pass->size) {
        return;
    }
    const uint64_t now_ns = qd_now_ns();
    to->at = 0;
    to->passes++;
    if (to->client) {
        pass_ended(all, to, now_ns, now_ns >= end_ns);
    } else {
        sink_pass_ended(to, now_ns >= end_ns);
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

static bool has_more_to_send(const writer *to)
{
    return to->last_seq == 0 && to->pending < PENDING_MAX;
}

/* Sends to all writers for this time, then waits until everything is read. */
static void send_for(run_state *all, writer *writers, pid_t pid, double seconds, qd_ingest_totals *sum)
{
    const uint32_t connections = all->row->connections;
    struct pollfd ready[QD_INGEST_CONNECTIONS_MAX];
    uint32_t done = 0;
    uint64_t passes = 0;
    qd_bench_usage before = qd_bench_usage_of(pid);
    uint64_t start_ns = qd_now_ns(), end_ns = start_ns + (uint64_t)(seconds * 1e9);

    for (uint32_t index = 0; index < connections; index++) {
        passes -= writers[index].passes;
        writers[index].last_seq = 0;
        writers[index].is_done = false;
    }
    while (done < connections && !qd_bench_is_stopped(all->bench)) {
        for (uint32_t index = 0; index < connections; index++) {
            ready[index] = (struct pollfd){
                .fd = writers[index].is_done ? -1 : writers[index].socket,
                .events = (short)(POLLIN | (has_more_to_send(&writers[index]) ? POLLOUT : 0)),
            };
        }
        poll(ready, connections, 100);
        if (qd_now_ns() > end_ns + QD_BENCH_TIMEOUT_NS) {
            qd_bench_fail(all->bench, "the server, or the sink, did not read all frames within %u s after the end",
                          (unsigned)(QD_BENCH_TIMEOUT_NS / 1000000000u));
        }
        for (uint32_t index = 0; index < connections; index++) {
            if (ready[index].revents & POLLOUT) {
                send_some(all, &writers[index], end_ns);
            }
            if (ready[index].revents & ~POLLOUT) {
                receive(all, &writers[index]);
            }
            done += ready[index].fd >= 0 && writers[index].is_done;
        }
    }
    for (uint32_t index = 0; index < connections; index++) {
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

static void check(run_state *all, qd_ingest_result *result)
{
    const uint64_t updates_before = all->updates, ticks_before = all->ticks;

    if (!get_stats(all)) {
        return;
    }
    const uint64_t updates = all->updates - updates_before;
    if (updates != (uint64_t)result->server.positions) {
        qd_bench_fail(all->bench, "the bench sent %.0f positions, but the rooms counted %llu", result->server.positions,
                      (unsigned long long)updates);
    }
    for (uint32_t index = 0; index < all->row->connections; index++) {
        qd_bench_frames_put(&all->frames, index, all->writers[index].passes);
    }
    all->expected = (qd_bench_lane){.count = all->row->connections / rooms_of(all) * all->row->entities,
                                    .id = all->frames.id,
                                    .at = {all->frames.x, all->frames.y}};
    qd_bench_check(&all->reported, &all->expected, all->reported.stats.tick);
    /* Without the step of get_stats. */
    result->ticks = all->ticks - ticks_before - rooms_of(all);
    result->events = all->figures->begins + all->figures->ends;
    result->checked = all->figures->ticks_checked;
}

/* Nanoseconds of a memcpy per position, of the frames in the order in which they are sent. */
static double measure_copy(const run_state *all)
{
    static uint8_t target[65536];
    const uint64_t start_ns = qd_now_ns();
    uint64_t end_ns = start_ns, positions = 0;

    for (uint64_t number = 1; end_ns - start_ns < 100000000u; number++, end_ns = qd_now_ns()) {
        for (uint32_t index = 0; index < all->row->connections; index++) {
            const qd_bench_pass *pass = qd_bench_frames_pass(&all->frames, index, number);

            for (size_t at = 0; at < pass->size; at += sizeof target) {
                memcpy(target, pass->bytes + at, pass->size - at < sizeof target ? pass->size - at : sizeof target);
            }
            positions += all->row->entities;
        }
    }
    return (double)(end_ns - start_ns) / (double)positions;
}

/* ---- the run ---- */

static void close_all(run_state *all)
{
    for (uint32_t index = 0; index < all->row->connections; index++) {
        if (all->sinks && all->sinks[index].socket >= 0) {
            close(all->sinks[index].socket);
        }
        writer *gone = all->writers ? &all->writers[index] : NULL;
        if (!gone || !gone->client) {
            continue;
        }
        if (index < rooms_of(all) && gone->room && qd_client_close_room(gone->client, gone->room)) {
            qd_client_flush(gone->client, 1000);
        }
        qd_client_destroy(gone->client);
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
    const uint32_t connections = all->row->connections;

    all->sinks = calloc(connections, sizeof *all->sinks);
    all->writers = calloc(connections, sizeof *all->writers);
    all->figures = calloc(1, sizeof *all->figures);
    all->reported.pairs = qd_pairs_create();
    bench->run_id++;
    for (uint32_t index = 0; all->sinks && all->writers && index < connections; index++) {
        all->sinks[index] = (writer){.socket = -1, .index = index};
        all->writers[index].index = index;
    }
    if (!all->sinks || !all->writers || !all->figures || !all->reported.pairs || !qd_bench_frames_init(&all->frames)) {
        qd_bench_fail(bench, "out of memory");
        return false;
    }
    all->reported_connection = (qd_bench_connection){.bench = bench, .figures = all->figures};
    all->reported.connection = &all->reported_connection;
    for (uint32_t index = 0; index < connections; index++) {
        if (!open_writer(all, index) || !open_sink(all, index)) {
            return false;
        }
    }
    if (!get_stats(all)) {
        return false;
    }
    all->figures->begins = all->figures->ends = 0;
    return true;
}

static void measure(run_state *all, qd_ingest_result *result)
{
    qd_bench *bench = all->bench;
    const double seconds = bench->seconds / ROUNDS;

    for (uint32_t round = 0; round < ROUNDS && !qd_bench_is_stopped(bench); round++) {
        if (qd_bench_neighbor_start(bench)) {
            send_for(all, all->writers, bench->server.pid, seconds, &result->server);
        }
        qd_bench_neighbor_stop(bench);
        send_for(all, all->sinks, bench->raw.pid, seconds, &result->raw);
        /* The sink's connections have ended. */
        for (uint32_t index = 0; index < all->row->connections && round + 1 < ROUNDS; index++) {
            close(all->sinks[index].socket);
            open_sink(all, index);
        }
    }
    if (!qd_bench_is_stopped(bench)) {
        check(all, result);
        result->copy_ns = measure_copy(all);
    }
}

bool qd_ingest_run(qd_bench *bench, const qd_ingest_row *row, qd_ingest_result *result)
{
    run_state all = {.bench = bench,
                     .row = row,
                     .frames = {.connections = row->connections,
                                .entities = row->entities,
                                .batch = row->batch,
                                .roster = row->roster,
                                .shuffle = row->shuffle,
                                .own_rooms = row->once}};

    *result = (qd_ingest_result){0};
    if (open_all(&all)) {
        measure(&all, result);
    }
    close_all(&all);
    return !qd_bench_is_stopped(bench);
}
