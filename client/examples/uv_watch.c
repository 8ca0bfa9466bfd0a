/* SPDX-License-Identifier: Apache-2.0
 *
 * libuv: a room of two boxes in an event loop. A timer moves one box through the other. The program prints events as
 * they arrive, and ends at the third.
 *
 *     cc uv_watch.c $(pkg-config --cflags --libs quadrille libuv) -o uv_watch && ./uv_watch 127.0.0.1 7400
 */
#include <quadrille/quadrille-uv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
    uv_tcp_t tcp;
    uv_connect_t connect;
    uv_timer_t timer;
    qd_uv adapter;
    qd_client *client;
    uint64_t room;
    float x;
    uint32_t events;
    int status;
};

static void finish(struct program *program, int status)
{
    program->status = status;
    uv_close((uv_handle_t *)&program->timer, NULL);
    qd_uv_close(&program->adapter, NULL);
}

/* Moves the box one step every 20 ms, and restarts at 40. */
static void on_timer(uv_timer_t *timer)
{
    struct program *program = (struct program *)timer->data;
    const uint32_t id = 1;
    const float y = 10;
    qd_msg_entities first;

    program->x = program->x < 40 ? program->x + 1 : 0;
    memset(&first, 0, sizeof first);
    first.count = 1;
    first.id = &id;
    first.x = &program->x;
    first.y = &y;
    qd_client_move(program->client, program->room, &first);
}

/* Opens the room. When this session ends, its boxes and the empty room go at once. */
static void open_room(qd_client *client)
{
    qd_msg_room_config config;

    memset(&config, 0, sizeof config);
    config.has_bounds = true;
    config.bounds.max_x = config.bounds.max_y = 100;
    config.tick_hz = 100;
    config.has_grace_ms = config.has_empty_close_ms = true;
    qd_client_open_room(client, "uv_watch", &config);
}

static void begin(struct program *program, uint64_t room)
{
    const uint32_t ids[] = {1, 2};
    const float x[] = {0, 20}, y[] = {10, 10}, half[] = {1, 1};
    qd_msg_entities boxes;

    program->room = room;
    memset(&boxes, 0, sizeof boxes);
    boxes.count = 2;
    boxes.id = ids;
    boxes.x = x;
    boxes.y = y;
    boxes.half_x = boxes.half_y = half;
    qd_client_subscribe(program->client, room, QD_SCOPE_ALL, false);
    qd_client_spawn(program->client, room, &boxes, false);
    uv_timer_start(&program->timer, on_timer, 0, 20);
}

static void on_message(qd_uv *adapter, const qd_server_message *message, void *context)
{
    struct program *program = (struct program *)context;

    if (message->kind == QD_SERVER_WELCOME) {
        open_room(adapter->client);
    } else if (message->kind == QD_SERVER_ROOM_OPENED) {
        begin(program, message->as.room_opened.room);
    } else if (message->kind == QD_SERVER_TICK) {
        const qd_msg_tick *tick = &message->as.tick;

        printf("tick %llu: %u begin, %u end\n", (unsigned long long)tick->tick, tick->begins.count, tick->ends.count);
        program->events += tick->begins.count + tick->ends.count;
        if (program->events >= 3) {
            finish(program, 0);
        }
    } else if (qd_client_refusal(message) != NULL) {
        fprintf(stderr, "uv_watch: %s\n", qd_client_refusal(message));
        finish(program, 1);
    }
}

static void on_end(qd_uv *adapter, qd_client_status status, void *context)
{
    fprintf(stderr, "uv_watch: %s (%s)\n", qd_client_error(adapter->client), qd_client_status_text(status));
    finish((struct program *)context, 1);
}

static void on_connect(uv_connect_t *connect, int status)
{
    struct program *program = (struct program *)connect->data;

    if (status == 0) {
        status = qd_uv_start(&program->adapter, program->client, connect->handle, on_message, on_end, program);
    }
    if (status != 0) {
        fprintf(stderr, "uv_watch: %s\n", uv_strerror(status));
        exit(1);
    }
    qd_client_hello(program->client, NULL, "uv_watch");
}

int main(int argc, char **argv)
{
    uv_loop_t *loop = uv_default_loop();
    struct program program;
    struct sockaddr_in address;

    if (uv_ip4_addr(argc > 1 ? argv[1] : "127.0.0.1", argc > 2 ? atoi(argv[2]) : 7400, &address) != 0) {
        fprintf(stderr, "uv_watch: usage: uv_watch [IPV4-ADDRESS [PORT]]\n");
        return 2;
    }
    memset(&program, 0, sizeof program);
    program.client = qd_client_create();
    program.timer.data = program.connect.data = &program;
    uv_timer_init(loop, &program.timer);
    uv_tcp_init(loop, &program.tcp);
    uv_tcp_connect(&program.connect, &program.tcp, (const struct sockaddr *)&address, on_connect);
    uv_run(loop, UV_RUN_DEFAULT);
    uv_loop_close(loop);
    qd_client_destroy(program.client);
    return program.status;
}
