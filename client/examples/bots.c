/* SPDX-License-Identifier: Apache-2.0
 *
 * Bots in a room that ticks on its own clock, 30 times per second. The program sends positions at its own rate, and
 * reads events as they arrive. qd_pairs keeps the set of pairs. The same bots always move, so the program registers
 * their ids once, as a roster. The second argument is the number of seconds.
 *
 *     cc bots.c $(pkg-config --cflags --libs quadrille) -lm -o bots && ./bots 127.0.0.1:7400 10
 */
#include <math.h>
#include <quadrille/quadrille.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void fail(const qd_client *client, const qd_server_message *message)
{
    if (message == NULL && qd_client_state(client) == QD_CLIENT_OK) {
        fprintf(stderr, "bots: the server has not answered within %d ms\n", ANSWER_MS);
    } else if (message == NULL) {
        fprintf(stderr, "bots: %s\n", qd_client_error(client));
    } else if (qd_client_refusal(message) != NULL) {
        fprintf(stderr, "bots: the server refused a request: %s\n", qd_client_refusal(message));
    } else {
        fprintf(stderr, "bots: the server sent an answer of the unexpected kind %d\n", (int)message->kind);
    }
    exit(1);
}

/* Reads messages until `until_ms`. */
static void listen(qd_client *client, qd_pairs *pairs, long until_ms)
{
    for (long left; (left = until_ms - now_ms()) > 0;) {
        const qd_server_message *message = qd_client_wait(client, (int)left);

        bool is_over = message == NULL && qd_client_state(client) < 0;

        if (is_over || (message != NULL && qd_client_refusal(message) != NULL)) {
            fail(client, message);
        }
        if (message != NULL && message->kind == QD_SERVER_TICK && qd_pairs_apply(pairs, &message->as.tick) < 0) {
            fprintf(stderr, "bots: the events of tick %llu contradict the set\n",
                    (unsigned long long)message->as.tick.tick);
            exit(1);
        }
    }
}

/* Opens the room. When this session ends, its bots and the empty room go at once. */
static uint64_t open_room(qd_client *client)
{
    qd_msg_room_config config;

    memset(&config, 0, sizeof config);
    config.has_bounds = true;
    config.bounds.max_x = config.bounds.max_y = WORLD;
    config.tick_hz = 30;
    config.has_grace_ms = config.has_empty_close_ms = true;
    const qd_server_message *opened = qd_client_answer(client, qd_client_open_room(client, "bots", &config), ANSWER_MS);
    if (opened == NULL || opened->kind != QD_SERVER_ROOM_OPENED) {
        fail(client, opened);
    }
    return opened->as.room_opened.room;
}

static void spawn(qd_client *client, uint64_t room, const swarm *bots)
{
    qd_msg_entities all;

    memset(&all, 0, sizeof all);
    all.count = BOTS;
    all.id = bots->id;
    all.x = bots->x;
    all.y = bots->y;
    all.radius = bots->radius;
    all.shape = bots->shape;
    qd_client_spawn(client, room, &all, false);
}

int main(int argc, char **argv)
{
    qd_client *client = qd_client_create();
    qd_pairs *pairs = qd_pairs_create();

    if (qd_client_connect(client, argc > 1 ? argv[1] : "127.0.0.1:7400", NULL, "bots", ANSWER_MS) < 0) {
        fail(client, NULL);
    }
    long end_ms = now_ms() + (argc > 2 ? atol(argv[2]) : 10) * 1000;

    uint64_t room = open_room(client);

    static swarm bots;
    place(&bots);
    qd_client_subscribe(client, room, QD_SCOPE_ALL, false);
    spawn(client, room, &bots);
    qd_client_set_roster(client, room, 0, bots.id, BOTS);
    qd_msg_move_roster moves;
    memset(&moves, 0, sizeof moves);
    moves.room = room;
    moves.count = BOTS;
    moves.x = bots.x;
    moves.y = bots.y;
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
