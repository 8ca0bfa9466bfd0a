/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench/client/program.h"
#include "client/quadrille.h"
#include "loads.h"
#include "support/rng.h"

#define TIMEOUT_MS 30000
#define ENTITIES   100u
#define SIDE       100.0f
#define HZ         200u
#define WARM_STEPS 20u

typedef struct victim {
    qd_client *client;
    uint64_t room, first_seq; /* of the step that is measured first */
    rng_stream rng;
    uint64_t *due_ns, *took_ns; /* by step */
    uint32_t sent, done;
} victim;

static void send_step(victim *v)
{
    static uint32_t id[ENTITIES];
    static float x[ENTITIES], y[ENTITIES];

    for (uint32_t i = 0; i < ENTITIES; i++) {
        id[i] = i;
        x[i] = rng_fraction(&v->rng) * SIDE;
        y[i] = rng_fraction(&v->rng) * SIDE;
    }
    qd_client_move(v->client, v->room, &(qd_msg_entities){.count = ENTITIES, .id = id, .x = x, .y = y});
    const uint64_t seq = qd_client_step(v->client, v->room, 0);
    if (v->sent == 0) {
        v->first_seq = seq;
    }
    v->sent++;
    if (qd_client_poll(v->client, 0) < 0) {
        program_die("the victim: %s", qd_client_error(v->client));
    }
}

/* Each step takes two seqs: its Move's and its own. */
static void receive(victim *v)
{
    const qd_server_message *message;

    if (qd_client_poll(v->client, 0) < 0) {
        program_die("the victim: %s", qd_client_error(v->client));
    }
    while ((message = qd_client_next(v->client)) != NULL) {
        if (qd_client_refusal(message) != NULL) {
            program_die("the victim: %s", qd_client_refusal(message));
        }
        if (message->kind == QD_SERVER_APPLIED && message->seq != 0 && v->done < v->sent &&
            message->seq == v->first_seq + 2 * (uint64_t)v->done) {
            v->took_ns[v->done] = program_now_ns() - v->due_ns[v->done];
            v->done++;
        }
    }
}

static const qd_server_message *answer(victim *v, uint64_t seq, qd_server_kind kind)
{
    const qd_server_message *message = qd_client_answer(v->client, seq, TIMEOUT_MS);

    if (message == NULL || message->kind != kind) {
        program_die("the victim: %s", message != NULL && qd_client_refusal(message) != NULL
                                          ? qd_client_refusal(message)
                                          : qd_client_error(v->client));
    }
    return message;
}

static void prepare(victim *v, const char *address)
{
    static uint32_t id[ENTITIES];
    static float at[ENTITIES], half[ENTITIES];

    v->client = qd_client_create();
    if (v->client == NULL || qd_client_connect(v->client, address, NULL, "victim", TIMEOUT_MS) != QD_CLIENT_OK) {
        program_die("the victim: %s", v->client != NULL ? qd_client_error(v->client) : "no memory");
    }
    const qd_msg_room_config config = {
        .has_bounds = true, .bounds = {.max_x = SIDE, .max_y = SIDE}, .tick_mode = QD_TICK_MODE_STEP};
    v->room = answer(v, qd_client_open_room(v->client, "victim", &config), QD_SERVER_ROOM_OPENED)->as.room_opened.room;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        id[i] = i;
        half[i] = 2;
    }
    qd_client_spawn(v->client, v->room,
                    &(qd_msg_entities){.count = ENTITIES, .id = id, .x = at, .y = at, .half_x = half, .half_y = half},
                    false);
    answer(v, qd_client_subscribe(v->client, v->room, QD_SCOPE_ALL, false), QD_SERVER_ACCEPTED);
    for (uint32_t i = 0; i < WARM_STEPS; i++) {
        answer(v, qd_client_step(v->client, v->room, 0), QD_SERVER_APPLIED);
    }
}

/* Until something arrives, at most until `until_ns`. */
static void rest(const victim *v, uint64_t until_ns)
{
    const uint64_t now = program_now_ns(), left = until_ns > now ? until_ns - now : 0;
    const struct timespec wait = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
    struct pollfd ready = {.fd = qd_client_socket(v->client), .events = POLLIN};

    if (ppoll(&ready, 1, &wait, NULL) < 0 && errno != EINTR) {
        program_die("ppoll: %s", strerror(errno));
    }
}

static int by_size(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return one < other ? -1 : one > other;
}

victim_result victim_run(const load_run *run, double seconds)
{
    victim v = {.rng = {1}};
    const uint32_t steps = (uint32_t)(seconds * HZ) + 1;
    char go;

    prctl(PR_SET_TIMERSLACK, 1000);
    v.due_ns = program_memory(NULL, steps * sizeof *v.due_ns);
    v.took_ns = program_memory(NULL, steps * sizeof *v.took_ns);
    prepare(&v, run->address);
    load_started(run);
    if (read(run->control, &go, 1) != 1) {
        exit(1);
    }
    const uint64_t start = program_now_ns();
    while (v.done < steps) {
        const uint64_t due = start + (uint64_t)v.sent * (1000000000u / HZ), now = program_now_ns();

        if (v.sent < steps && now >= due) {
            v.due_ns[v.sent] = due;
            send_step(&v);
        } else {
            rest(&v, v.sent < steps ? due : now + 1000000000u);
        }
        receive(&v);
        if (v.sent > v.done && now > v.due_ns[v.done] + TIMEOUT_MS * UINT64_C(1000000)) {
            program_die("the victim: no answer to a step for %d s", TIMEOUT_MS / 1000);
        }
    }
    qsort(v.took_ns, steps, sizeof *v.took_ns, by_size);
    const victim_result result = {.p50_ms = (double)v.took_ns[steps / 2] / 1e6,
                                  .p99_ms = (double)v.took_ns[(size_t)((double)(steps - 1) * 0.99)] / 1e6,
                                  .steps = steps};
    free(v.due_ns);
    free(v.took_ns);
    qd_client_destroy(v.client);
    return result;
}
