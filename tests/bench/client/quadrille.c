/* SPDX-License-Identifier: Apache-2.0
 *
 * Quadrille, with its client library, in a room that ticks by Step. Points move by roster, without their ids. Circles are
 * observers, and pairs are a subscription.
 */
#include "client/quadrille.h"

#include <stdio.h>
#include <stdlib.h>

#include "peer.h"
#include "program.h"

#define TIMEOUT_MS 60000
/* Entries per batch; a frame holds many more. */
#define PIECE 32768u

typedef struct quadrille {
    const world *world;
    qd_client *client;
    uint64_t room;
    uint64_t seq[2]; /* of the last two steps, by step % 2 */
} quadrille;

static bool knows(world_kind kind)
{
    (void)kind;
    return true;
}

/* Sends a batch without a seq: the Applied of the step acknowledges it. */
static void put(quadrille *q, const qd_client_message *message)
{
    if (!qd_client_send(q->client, message)) {
        program_die("cannot send: %s", qd_client_error(q->client));
    }
}

static uint32_t piece_at(const world *w, uint32_t at)
{
    return w->points - at < PIECE ? w->points - at : PIECE;
}

static void spawn(quadrille *q)
{
    const world *w = q->world;
    float *half = program_memory(NULL, PIECE * sizeof *half);
    uint32_t *no_pairs = w->kind != WORLD_PAIRS ? calloc(PIECE, sizeof *no_pairs) : NULL;

    for (uint32_t i = 0; i < PIECE; i++) {
        half[i] = w->half;
    }
    for (uint32_t at = 0; at < w->points; at += PIECE) {
        const uint32_t count = piece_at(w, at);

        put(q, &(qd_client_message){.kind = QD_CLIENT_SPAWN,
                                    .as.batch = {.room = q->room,
                                                 .entities = {.count = count,
                                                              .id = w->id + at,
                                                              .x = w->x[0] + at,
                                                              .y = w->y[0] + at,
                                                              .half_x = half,
                                                              .half_y = half,
                                                              .mask = no_pairs}}});
        put(q, &(qd_client_message){.kind = QD_CLIENT_SET_ROSTER,
                                    .as.set_roster = {.room = q->room, .first = at, .count = count, .id = w->id + at}});
    }
    free(half);
    free(no_pairs);
}

static void move(quadrille *q, uint32_t step)
{
    const world *w = q->world;

    for (uint32_t at = 0; at < w->points; at += PIECE) {
        put(q, &(qd_client_message){.kind = QD_CLIENT_MOVE_ROSTER,
                                    .as.move_roster = {.room = q->room,
                                                       .first = at,
                                                       .count = piece_at(w, at),
                                                       .x = w->x[step % 2] + at,
                                                       .y = w->y[step % 2] + at}});
    }
}

static void put_circles(quadrille *q)
{
    const world *w = q->world;
    uint32_t *id = program_memory(NULL, w->circles * sizeof *id);

    for (uint32_t i = 0; i < w->circles; i++) {
        id[i] = i;
    }
    qd_msg_observers observers = {.room = q->room, .count = w->circles, .id = id, .range = w->radius};
    if (w->kind == WORLD_FENCES) {
        observers.x = w->fence_x;
        observers.y = w->fence_y;
    } else {
        observers.entity = id;
    }
    put(q, &(qd_client_message){.kind = QD_CLIENT_OBSERVE, .as.observers = observers});
    free(id);
}

static void step(quadrille *q, uint32_t number)
{
    q->seq[number % 2] = qd_client_step(q->client, q->room, 0);
    if (qd_client_poll(q->client, 0) < 0) {
        program_die("%s", qd_client_error(q->client));
    }
}

static void take_view(const qd_msg_view *view, sets *s)
{
    if (view->suspended || (view->reset && s->count > 0)) {
        program_die("the views are suspended or reset");
    }
    for (uint32_t i = 0; i < view->leave_count; i++) {
        sets_leave(s, world_key(view->leave_observer[i], view->leave_id[i]));
    }
    for (uint32_t i = 0; i < view->enter_count; i++) {
        sets_enter(s, world_key(view->enter_observer[i], view->enter.id[i]));
    }
}

static void take_tick(const qd_msg_tick *tick, sets *s)
{
    if (tick->suspended || (tick->reset && s->count > 0)) {
        program_die("the events are suspended or reset");
    }
    for (uint32_t i = 0; i < tick->ends.count; i++) {
        sets_leave(s, world_key(tick->ends.a[i], tick->ends.b[i]));
    }
    for (uint32_t i = 0; i < tick->begins.count; i++) {
        sets_enter(s, world_key(tick->begins.a[i], tick->begins.b[i]));
    }
}

static void finish(void *state, uint32_t number, sets *s)
{
    quadrille *q = state;

    for (;;) {
        const qd_server_message *message = qd_client_wait(q->client, TIMEOUT_MS);

        if (message == NULL) {
            program_die("the server does not answer: %s", qd_client_error(q->client));
        }
        if (qd_client_refusal(message) != NULL) {
            program_die("the server refused: %s", qd_client_refusal(message));
        }
        if (message->kind == QD_SERVER_VIEW) {
            take_view(&message->as.view, s);
        }
        if (message->kind == QD_SERVER_TICK) {
            take_tick(&message->as.tick, s);
        }
        if (message->kind == QD_SERVER_APPLIED && message->as.applied.seq == q->seq[number % 2]) {
            return;
        }
    }
}

static void *open_room(const world *w, uint16_t port, sets *s)
{
    quadrille *q = program_memory(NULL, sizeof *q);
    char address[32];

    *q = (quadrille){.world = w, .client = qd_client_create()};
    snprintf(address, sizeof address, "127.0.0.1:%u", port);
    if (q->client == NULL || qd_client_connect(q->client, address, NULL, NULL, TIMEOUT_MS) != QD_CLIENT_OK) {
        program_die("cannot connect to %s", address);
    }
    const qd_msg_room_config config = {.has_bounds = true,
                                       .bounds = {.max_x = w->side, .max_y = w->side},
                                       .tick_mode = QD_TICK_MODE_STEP,
                                       .observers_max = w->circles};
    const qd_server_message *opened =
        qd_client_answer(q->client, qd_client_open_room(q->client, "bench", &config), TIMEOUT_MS);
    if (opened == NULL || opened->kind != QD_SERVER_ROOM_OPENED) {
        program_die("cannot open a room: %s", opened != NULL && opened->kind == QD_SERVER_ERROR
                                                  ? opened->as.error.text
                                                  : qd_client_error(q->client));
    }
    q->room = opened->as.room_opened.room;
    spawn(q);
    if (w->kind == WORLD_PAIRS) {
        qd_client_subscribe(q->client, q->room, QD_SCOPE_ALL, false);
    } else {
        put_circles(q);
    }
    step(q, 0);
    finish(q, 0, s);
    return q;
}

static void send_step(void *state, uint32_t number)
{
    move(state, number);
    step(state, number);
}

const peer peer_quadrille = {
    .name = "quadrille", .knows = knows, .open = open_room, .send = send_step, .finish = finish};
