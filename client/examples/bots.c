/* SPDX-License-Identifier: Apache-2.0 Bots in a room that ticks on its own clock, 30 times per second. The program
 * sends positions at its own rate, and reads events as they arrive. qd_pairs keeps the set of pairs. The same bots
 * always move, so the program registers their ids once, as a roster.
 *
 *
 *     ./bots [HOST:PORT [SECONDS]]
 */
#include <math.h>
#include <quadrille/quadrille.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BOTS      200
#define WORLD     100.0f
#define FRAME_MS  33
#define ANSWER_MS 5000

typedef struct swarm {
    uint32_t id[BOTS];
    float x[BOTS], y[BOTS], speed_x[BOTS], speed_y[BOTS];
    float radius[BOTS];
    uint8_t shape[BOTS];
} swarm;

static void place(swarm *bots)
{
    for (uint32_t i = 0; i < BOTS; i++) {
        float angle = (float)i * 2.4f;

        bots->id[i] = i;
        bots->x[i] = WORLD * (0.5f + 0.4f * cosf(angle) * (float)i / BOTS);
        bots->y[i] = WORLD * (0.5f + 0.4f * sinf(angle) * (float)i / BOTS);
        bots->speed_x[i] = 10 * cosf(angle * 7);
        bots->speed_y[i] = 10 * sinf(angle * 7);
        bots->radius[i] = 1;
        bots->shape[i] = QD_SHAPE_CIRCLE;
    }
}

/* Moves along one axis, and turns around at a wall. */
static void move(float *position, float *speed, float seconds)
{
    *position += *speed * seconds;
    if (*position < 0 || *position > WORLD) {
        *speed = *position < 0 ? fabsf(*speed) : -fabsf(*speed);
    }
}

static long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000L + now.tv_nsec / 1000000;
}

static void fail(qd_client *client, const qd_server_message *message)
{
    const char *refusal = message != NULL ? qd_client_refusal(message) : NULL;

    fprintf(stderr, "bots: %s\n", refusal != NULL ? refusal : qd_client_error(client));
    exit(1);
}

/* Reads messages until `until_ms`. */
static void listen(qd_client *client, qd_pairs *pairs, long until_ms)
{
    for (long left; (left = until_ms - now_ms()) > 0;) {
        const qd_server_message *message = qd_client_wait(client, (int)left);

        if (message == NULL && qd_client_state(client) < 0) {
            fail(client, NULL);
        }
        if (message != NULL && qd_client_refusal(message) != NULL) {
            fail(client, message);
        }
        if (message != NULL && message->kind == QD_SERVER_TICK && qd_pairs_apply(pairs, &message->as.tick) < 0) {
            fprintf(stderr, "bots: the events of tick %llu contradict the set\n",
                    (unsigned long long)message->as.tick.tick);
            exit(1);
        }
    }
}

int main(int argc, char **argv)
{
    qd_client *client = qd_client_create();
    qd_pairs *pairs = qd_pairs_create();

    if (qd_client_connect(client, argc > 1 ? argv[1] : "127.0.0.1:7400", NULL, "bots", ANSWER_MS) < 0) {
        fail(client, NULL);
    }
    long end_ms = now_ms() + (argc > 2 ? atol(argv[2]) : 10) * 1000;

    qd_msg_room_config config = {
        .has_bounds = true, .bounds = {.max_x = WORLD, .max_y = WORLD}, .tick_hz = 30, .grace_ms = 1};
    uint64_t seq = qd_client_open_room(client, "bots", &config);
    const qd_server_message *opened = qd_client_answer(client, seq, ANSWER_MS);
    if (opened == NULL || opened->kind != QD_SERVER_ROOM_OPENED) {
        fail(client, opened);
    }
    uint64_t room = opened->as.room_opened.room;

    static swarm bots;
    place(&bots);
    qd_client_subscribe(client, room, QD_SCOPE_ALL, false);
    qd_msg_entities all = {BOTS, bots.id, .x = bots.x, .y = bots.y, .radius = bots.radius, .shape = bots.shape};
    qd_client_spawn(client, room, &all, false);
    qd_client_set_roster(client, room, 0, bots.id, BOTS);
    const qd_msg_move_roster moves = {.room = room, .roster = 0, .count = BOTS, .x = bots.x, .y = bots.y};
    for (uint32_t frame = 1; now_ms() < end_ms; frame++) {
        for (uint32_t i = 0; i < BOTS; i++) {
            move(&bots.x[i], &bots.speed_x[i], FRAME_MS / 1000.0f);
            move(&bots.y[i], &bots.speed_y[i], FRAME_MS / 1000.0f);
        }
        qd_client_move_roster(client, &moves);
        listen(client, pairs, now_ms() + FRAME_MS);
        if (frame % 15 == 0 && qd_pairs_known(pairs)) {
            printf("tick %llu: %zu pairs touch, bot 0 is in %u\n", (unsigned long long)qd_pairs_tick(pairs),
                   qd_pairs_count(pairs), qd_pairs_of(pairs, 0));
        }
    }
    qd_pairs_destroy(pairs);
    qd_client_destroy(client);
    return 0;
}
