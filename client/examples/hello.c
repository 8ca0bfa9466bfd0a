/* SPDX-License-Identifier: Apache-2.0
 *
 * Hello, world: two boxes in a room that ticks by Step. One moves onto the other and away again.
 *
 *     cc hello.c $(pkg-config --cflags --libs quadrille) -o hello && ./hello 127.0.0.1:7400
 */
#include <quadrille/quadrille.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MS 5000

/* Prints why an answer is not as expected, and exits. `message` NULL: there is none. */
static void fail(qd_client *client, const qd_server_message *message)
{
    if (message == NULL && qd_client_state(client) == QD_CLIENT_OK) {
        fprintf(stderr, "hello: the server has not answered within %d ms\n", ANSWER_MS);
    } else if (message == NULL) {
        fprintf(stderr, "hello: %s\n", qd_client_error(client));
    } else if (qd_client_refusal(message) == NULL) {
        fprintf(stderr, "hello: the server sent an answer of the unexpected kind %d\n", (int)message->kind);
    } else if (message->kind == QD_SERVER_ERROR && message->as.error.code == QD_ERROR_CONFIG_MISMATCH) {
        fprintf(stderr, "hello: the room 'hello' is open with another configuration: close it. (%s)\n",
                message->as.error.text);
    } else {
        fprintf(stderr, "hello: the server refused a request: %s\n", qd_client_refusal(message));
    }
    qd_client_destroy(client);
    exit(1);
}

/* Waits for the answer to a request, which must be of that kind: an Error has other fields. */
static const qd_server_message *expect(qd_client *client, uint64_t seq, qd_server_kind kind)
{
    const qd_server_message *message = qd_client_answer(client, seq, ANSWER_MS);

    if (message == NULL || message->kind != kind) {
        fail(client, message);
    }
    return message;
}

static void print(const qd_msg_tick *tick)
{
    for (uint32_t i = 0; i < tick->ends.count; i++) {
        printf("tick %d: %u and %u %s\n", (int)tick->tick, tick->ends.a[i], tick->ends.b[i],
               qd_end_reason_name((qd_end_reason)tick->end_reason[i]));
    }
    for (uint32_t i = 0; i < tick->begins.count; i++) {
        printf("tick %d: %u and %u touch\n", (int)tick->tick, tick->begins.a[i], tick->begins.b[i]);
    }
}

/* Opens the room. When this session ends, its entities and the empty room go at once, so a next run starts afresh. */
static uint64_t open_room(qd_client *client)
{
    qd_msg_room_config config;

    memset(&config, 0, sizeof config);
    config.has_bounds = true;
    config.bounds.max_x = config.bounds.max_y = 50;
    config.tick_mode = QD_TICK_MODE_STEP;
    config.has_grace_ms = config.has_empty_close_ms = true;
    return expect(client, qd_client_open_room(client, "hello", &config), QD_SERVER_ROOM_OPENED)->as.room_opened.room;
}

/* Boxes of 2 by 2: entity 1 at (10, 10), entity 2 at (20, 10). */
static void spawn(qd_client *client, uint64_t room)
{
    const uint32_t ids[] = {1, 2};
    const float x[] = {10, 20}, y[] = {10, 10}, half[] = {1, 1};
    qd_msg_entities boxes;

    memset(&boxes, 0, sizeof boxes);
    boxes.count = 2;
    boxes.id = ids;
    boxes.x = x;
    boxes.y = y;
    boxes.half_x = boxes.half_y = half;
    qd_client_spawn(client, room, &boxes, false);
}

static void move(qd_client *client, uint64_t room, uint32_t id, float x, float y)
{
    qd_msg_entities moved;

    memset(&moved, 0, sizeof moved);
    moved.count = 1;
    moved.id = &id;
    moved.x = &x;
    moved.y = &y;
    qd_client_move(client, room, &moved);
}

int main(int argc, char **argv)
{
    qd_client *client = qd_client_create();

    if (qd_client_connect(client, argc > 1 ? argv[1] : "127.0.0.1:7400", NULL, "hello", ANSWER_MS) != QD_CLIENT_OK) {
        fail(client, NULL);
    }
    uint64_t room = open_room(client);

    qd_client_subscribe(client, room, QD_SCOPE_ALL, false);
    spawn(client, room);
    for (float x = 14; x <= 26; x += 4) {
        move(client, room, 1, x, 10);
        /* The answer to a Step follows its events: wait for it, then read the messages before it. */
        expect(client, qd_client_step(client, room, 0), QD_SERVER_APPLIED);
        for (const qd_server_message *message; (message = qd_client_next(client)) != NULL;) {
            if (message->kind == QD_SERVER_TICK) {
                print(&message->as.tick);
            } else if (qd_client_refusal(message) != NULL) {
                fail(client, message);
            }
        }
    }
    expect(client, qd_client_close_room(client, room), QD_SERVER_ROOM_CLOSED);
    qd_client_destroy(client);
    return 0;
}
