/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_field.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Entries per batch; a frame holds many more. */
#define PIECE 32768u
/* Unanswered steps. */
#define PENDING_MAX 2u

typedef struct run_state {
    qd_bench *bench;
    const qd_field_config *config;
    qd_field_scene scene;
    qd_client *client;
    qd_view *view;
    uint64_t room; /* its handle; 0: not open */
    qd_field_result *result;
} run_state;

static bool fail_memory(run_state *all)
{
    qd_bench_fail(all->bench, "out of memory");
    return false;
}

/* ---- the session ---- */

static bool send_output(run_state *all)
{
    const void *bytes;
    size_t size;

    while ((bytes = qd_client_output(all->client, &size)) != NULL) {
        const ssize_t sent = send(qd_client_socket(all->client), bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0 && errno != EINTR) {
            break;
        }
        qd_client_sent(all->client, sent > 0 ? (size_t)sent : 0);
    }
    return bytes != NULL;
}

/* Sends what is queued, and receives once. It counts the bytes, which qd_client_wait does not. */
static void exchange(run_state *all)
{
    static uint8_t bytes[262144];
    struct pollfd ready = {.fd = qd_client_socket(all->client)};

    ready.events = (short)(POLLIN | (send_output(all) ? POLLOUT : 0));
    if (poll(&ready, 1, (int)(QD_BENCH_TIMEOUT_NS / 1000000)) == 0) {
        qd_bench_fail(all->bench, "the server does not answer");
    }
    if ((ready.revents & ~POLLOUT) == 0) {
        return;
    }
    const ssize_t size = recv(ready.fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (size > 0) {
        all->result->bytes_in += (uint64_t)size;
        qd_client_input(all->client, bytes, (size_t)size);
    } else if (size == 0 || (errno != EAGAIN && errno != EINTR)) {
        qd_client_input_end(all->client);
    }
}

static void count_relay(const qd_view_entity *entity, void *context)
{
    run_state *all = context;

    (void)entity;
    all->result->relays++;
}

static void take_view(run_state *all, const qd_msg_view *view)
{
    qd_field_result *result = all->result;

    result->enters += view->enter_count;
    result->leaves += view->leave_count;
    /* A position that is sent exactly has a slot, x and y. */
    result->relay_bytes += view->relay.size + (uint64_t)view->exact_count * 12;
    if (qd_view_apply(all->view, view) != QD_CLIENT_OK) {
        qd_bench_fail(all->bench, "the views contradict each other, or memory is short");
    } else if (qd_view_suspended(all->view)) {
        qd_bench_fail(all->bench, "the server suspended the views: raise its --visible-entries-max");
    }
}

/* Handles messages until the answer to the step of that seq, which follows the views of its tick. */
static bool finish_step(run_state *all, uint64_t seq)
{
    while (!qd_bench_is_stopped(all->bench)) {
        const qd_server_message *message = qd_client_next(all->client);

        if (qd_client_state(all->client) < 0) {
            return qd_bench_fail_session(all->bench, all->client);
        }
        if (message == NULL) {
            exchange(all);
        } else if (qd_client_refusal(message) != NULL) {
            qd_bench_fail(all->bench, "the server refused: %s", qd_client_refusal(message));
        } else if (message->kind == QD_SERVER_VIEW) {
            take_view(all, &message->as.view);
        } else if (message->kind == QD_SERVER_APPLIED && message->as.applied.seq == seq) {
            return true;
        }
    }
    return false;
}

/* ---- requests: all with seq 0, because the Applied of the step covers them ---- */

static bool send_points(run_state *all, qd_client_kind kind)
{
    const qd_field_columns *points = &all->scene.points;
    const bool spawns = kind == QD_CLIENT_SPAWN;
    uint32_t *no_pairs = spawns ? calloc(PIECE, sizeof *no_pairs) : NULL;
    bool sent = true;

    if (spawns && no_pairs == NULL) {
        return fail_memory(all);
    }
    for (uint32_t at = 0; at < points->count && sent; at += PIECE) {
        const uint32_t count = points->count - at < PIECE ? points->count - at : PIECE;
        qd_client_message message = {.kind = kind};

        message.as.batch = (qd_msg_batch){
            .room = all->room,
            .entities = {.count = count, .id = points->id + at, .x = points->x + at, .y = points->y + at}};
        if (spawns) {
            message.as.batch.entities.half_x = message.as.batch.entities.half_y = points->radius + at;
            message.as.batch.entities.mask = no_pairs;
        }
        sent = qd_client_send(all->client, &message);
    }
    free(no_pairs);
    return sent || qd_bench_fail_session(all->bench, all->client);
}

static bool send_observers(run_state *all)
{
    const qd_field_config *config = all->config;
    const qd_field_columns *observers = &all->scene.observers;
    const float relay_range = (float)config->radius_max;
    const uint32_t relay_every = 1;
    uint32_t *limits = malloc(PIECE * sizeof *limits);
    bool sent = true;

    if (limits == NULL) {
        return fail_memory(all);
    }
    for (uint32_t index = 0; index < PIECE; index++) {
        limits[index] = config->limit;
    }
    for (uint32_t at = 0; at < observers->count && sent; at += PIECE) {
        const uint32_t count = observers->count - at < PIECE ? observers->count - at : PIECE;
        qd_client_message message = {.kind = QD_CLIENT_OBSERVE};

        message.as.observers = (qd_msg_observers){.room = all->room,
                                                  .count = count,
                                                  .id = observers->id + at,
                                                  .entity = config->anchored ? observers->id + at : NULL,
                                                  .x = config->anchored ? NULL : observers->x + at,
                                                  .y = config->anchored ? NULL : observers->y + at,
                                                  .range = observers->radius + at,
                                                  .limit = config->limit > 0 ? limits : NULL,
                                                  .tier_count = config->relays ? 1 : 0,
                                                  .relay_range = &relay_range,
                                                  .relay_every = &relay_every};
        sent = qd_client_send(all->client, &message);
    }
    free(limits);
    return sent || qd_bench_fail_session(all->bench, all->client);
}

static bool send_options(run_state *all)
{
    const qd_field_config *config = all->config;
    qd_client_message message = {.kind = QD_CLIENT_SET_VIEW_OPTIONS};

    message.as.set_view_options = (qd_msg_set_view_options){.room = all->room,
                                                            .relay_once = config->relay_once,
                                                            .has_relay_k = config->has_relay_k,
                                                            .relay_k = config->relay_k};
    return !config->relay_once || qd_client_send(all->client, &message) ||
           qd_bench_fail_session(all->bench, all->client);
}

static bool open_room(run_state *all)
{
    const float side = (float)all->config->side;
    const qd_msg_room_config config = {.has_bounds = true,
                                       .bounds = {.max_x = side, .max_y = side},
                                       .tick_mode = QD_TICK_MODE_STEP,
                                       .observers_max = all->config->observers,
                                       .grace_ms = 1000,
                                       .empty_close_ms = 1000};
    char name[QD_BENCH_NAME_SIZE];

    qd_bench_room_name(all->bench, 0, name);
    const uint64_t seq = qd_client_open_room(all->client, name, &config);
    const qd_server_message *answer = qd_client_answer(all->client, seq, QD_BENCH_ANSWER_MS);
    if (answer != NULL && qd_client_refusal(answer) != NULL) {
        qd_bench_fail(all->bench, "the server refused: %s", qd_client_refusal(answer));
        return false;
    }
    if (answer == NULL || answer->kind != QD_SERVER_ROOM_OPENED) {
        return qd_bench_fail_session(all->bench, all->client);
    }
    all->room = answer->as.room_opened.room;
    return true;
}

/* ---- the run ---- */

static bool open_all(run_state *all)
{
    const bool counts = all->config->relays && !all->config->relay_once;
    const qd_view_handlers handlers = {.relay = counts ? count_relay : NULL, .context = all};

    all->bench->run_id++;
    all->view = qd_view_create(&handlers);
    if (!qd_field_scene_init(&all->scene, all->config) || all->view == NULL) {
        return fail_memory(all);
    }
    all->client = qd_bench_connect_client(all->bench);
    return all->client != NULL && open_room(all) && send_options(all) && send_points(all, QD_CLIENT_SPAWN) &&
           send_observers(all) && finish_step(all, qd_client_step(all->client, all->room, 0));
}

static void close_all(run_state *all)
{
    if (all->room != 0 && qd_client_state(all->client) >= 0 && qd_client_close_room(all->client, all->room) != 0) {
        qd_client_flush(all->client, 1000);
    }
    qd_client_destroy(all->client);
    qd_view_destroy(all->view);
    qd_field_scene_deinit(&all->scene);
}

static bool run_steps(run_state *all)
{
    qd_field_result *result = all->result;
    uint64_t seqs[PENDING_MAX], sent_ns[PENDING_MAX], sent = 0;
    const uint64_t start_ns = qd_now_ns(), end_ns = start_ns + (uint64_t)(all->bench->seconds * 1e9);
    bool good = true;

    while (good) {
        const uint64_t now_ns = qd_now_ns();

        if (now_ns < end_ns && sent - result->steps < PENDING_MAX) {
            qd_field_scene_move(&all->scene);
            good = send_points(all, QD_CLIENT_MOVE);
            sent_ns[sent % PENDING_MAX] = now_ns;
            seqs[sent++ % PENDING_MAX] = qd_client_step(all->client, all->room, 0);
            send_output(all);
        } else if (sent > result->steps) {
            good = finish_step(all, seqs[result->steps % PENDING_MAX]);
            qd_histogram_record(&result->round_trip_ns, qd_now_ns() - sent_ns[result->steps % PENDING_MAX]);
            result->steps += good;
        } else {
            break;
        }
    }
    result->seconds = (double)(qd_now_ns() - start_ns) / 1e9;
    return good;
}

static bool measure(run_state *all)
{
    const pid_t pid = all->bench->server.pid;
    char error[256];

    /* The first enters are not part of the measurement. */
    *all->result = (qd_field_result){0};
    bool good = qd_bench_neighbor_start(all->bench);
    if (good) {
        const qd_bench_usage before = qd_bench_usage_of(pid);

        good = run_steps(all);
        all->result->used = qd_bench_usage_between(before, qd_bench_usage_of(pid));
    }
    qd_bench_neighbor_stop(all->bench);
    if (good && !qd_field_scene_check(&all->scene, all->view, &all->result->seen, error, sizeof error)) {
        qd_bench_fail(all->bench, "%s", error);
    }
    return !qd_bench_is_stopped(all->bench);
}

bool qd_field_run(qd_bench *bench, const qd_field_config *config, qd_field_result *result)
{
    run_state all = {.bench = bench, .config = config, .result = result};

    const bool good = open_all(&all) && measure(&all);
    close_all(&all);
    return good;
}
