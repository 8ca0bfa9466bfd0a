/* SPDX-License-Identifier: Apache-2.0
  * Hello, world: two boxes in a room that ticks by Step. One moves onto the other and away again.
 *
 *     cc hello.c $(pkg-config --cflags --libs quadrille) -o hello && ./hello 127.0.0.1:7400
 */
#include <quadrille/quadrille.h>
#include <stdio.h>
#include <stdlib.h>

static const qd_server_message *expect(qd_client *client, uint64_t seq, qd_server_kind kind)
{
    const qd_server_message *message = qd_client_answer(client, seq, 5000);

    if (message != NULL && message->kind == kind) {
        return message;
    }
    fprintf(stderr, "hello: %s\n", message != NULL ? message->as.error.text : qd_client_error(client));
    exit(1);
}

static void print(const qd_msg_tick *tick)
{
    for (uint32_t i = 0; i < tick->ends.count; i++) {
        printf("tick %d: %u and %u %s\n", (int)tick->tick, tick->ends.a[i], tick->ends.b[i],
               qd_end_reason_name(tick->end_reason[i]));
    }
    for (uint32_t i = 0; i < tick->begins.count; i++) {
        printf("tick %d: %u and %u touch\n", (int)tick->tick, tick->begins.a[i], tick->begins.b[i]);
    }
}

int main(int argc, char **argv)
{
    qd_client *client = qd_client_create();

    if (qd_client_connect(client, argc > 1 ? argv[1] : "127.0.0.1:7400", NULL, "hello", 5000) < 0) {
        fprintf(stderr, "hello: %s\n", qd_client_error(client));
        return 1;
    }
    qd_msg_room_config config = {
        .has_bounds = true, .bounds = {.max_x = 50, .max_y = 50}, .tick_mode = QD_TICK_MODE_STEP};
    uint64_t seq = qd_client_open_room(client, "hello", &config);
    uint64_t room = expect(client, seq, QD_SERVER_ROOM_OPENED)->as.room_opened.room;

    /* Boxes of 2 by 2: entity 1 at (10, 10), entity 2 at (20, 10). */
    const uint32_t ids[] = {1, 2};
    const float x[] = {10, 20}, y[] = {10, 10}, half[] = {1, 1};
    qd_msg_entities boxes = {2, ids, .x = x, .y = y, .half_x = half, .half_y = half};
    qd_client_subscribe(client, room, QD_SCOPE_ALL, false);
    qd_client_spawn(client, room, &boxes, false);

    for (float new_x = 14; new_x <= 26; new_x += 4) {
        qd_client_move(client, room, &(qd_msg_entities){1, ids, .x = &new_x, .y = y});
        /* The answer to a Step follows its events: wait for it, then read the messages before it. */
        expect(client, qd_client_step(client, room, 0), QD_SERVER_APPLIED);
        for (const qd_server_message *message; (message = qd_client_next(client)) != NULL;) {
            if (message->kind == QD_SERVER_TICK) {
                print(&message->as.tick);
            }
        }
    }
    expect(client, qd_client_close_room(client, room), QD_SERVER_ROOM_CLOSED);
    qd_client_destroy(client);
    return 0;
}
