/* SPDX-License-Identifier: Apache-2.0
 *
 * The adapter for libuv on a real connection: messages in order, more output than the socket takes, the end reported
 * once, and handles that are all closed in the end.
 */

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "quadrille-uv.h"
#include "support/session.h"
#include "tests/support/test.h"

#define COUNT  200000u
#define ROUNDS 20u

struct program {
    uv_loop_t loop;
    uv_tcp_t tcp;
    uv_connect_t connect;
    qd_uv adapter;
    qd_client *client;
    qd_process *server;
    uint64_t room;
    uint32_t answers, ends, closes;
    bool stop_server;
};

static void on_closed(qd_uv *adapter, void *context)
{
    struct program *program = context;

    assert_ptr_equal(adapter, &program->adapter);
    program->closes++;
}

/* Some 50 MB of batches and steps in one turn of the loop. */
static void flood(struct program *program)
{
    uint32_t *ids = malloc(COUNT * sizeof *ids);
    float *x = malloc(COUNT * sizeof *x);

    for (uint32_t i = 0; i < COUNT; i++) {
        ids[i] = i;
        x[i] = (float)i / 200;
    }
    const qd_msg_entities all = {COUNT, ids, .x = x, .y = x};
    qd_client_spawn(program->client, program->room, &all, false);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        qd_client_move(program->client, program->room, &all);
        qd_client_step(program->client, program->room, i + 1);
    }
    free(ids);
    free(x);
}

static void on_message(qd_uv *adapter, const qd_server_message *message, void *context)
{
    struct program *program = context;

    assert_int_equal(program->ends, 0);
    switch (message->kind) {
    case QD_SERVER_WELCOME:
        qd_client_open_room(adapter->client, "uv", &session_step_room);
        break;
    case QD_SERVER_ROOM_OPENED:
        program->room = message->as.room_opened.room;
        flood(program);
        break;
    case QD_SERVER_APPLIED:
        assert_int_equal(message->as.applied.tick, ++program->answers);
        if (program->answers == ROUNDS && program->stop_server) {
            qd_process_signal(program->server, SIGTERM);
        } else if (program->answers == ROUNDS) {
            qd_uv_close(adapter, on_closed);
        }
        break;
    case QD_SERVER_ROOM_CLOSED:
    case QD_SERVER_GO_AWAY:
        assert_true(program->stop_server);
        break;
    default:
        fail_msg("a message of kind %d", (int)message->kind);
    }
}

static void on_end(qd_uv *adapter, qd_client_status status, void *context)
{
    struct program *program = context;

    program->ends++;
    assert_int_equal(status, QD_CLIENT_ERR_CLOSED);
    assert_non_null(strstr(qd_client_error(adapter->client), "stopping"));
    qd_uv_close(adapter, on_closed);
}

static void on_connect(uv_connect_t *connect, int status)
{
    struct program *program = connect->data;

    assert_int_equal(status, 0);
    assert_int_equal(qd_uv_start(&program->adapter, program->client, connect->handle, on_message, on_end, program), 0);
    qd_client_hello(program->client, NULL, "uv");
}

/* `stop_server`: the server ends the session, else the program does. */
static void run(bool stop_server)
{
    static struct program program;

    program = (struct program){.client = qd_client_create(), .stop_server = stop_server};
    program.server = session_start(NULL);
    const char *port = strrchr(qd_server_address(program.server), ':') + 1;
    struct sockaddr_in address;
    assert_int_equal(uv_ip4_addr("127.0.0.1", atoi(port), &address), 0);
    uv_loop_init(&program.loop);
    uv_tcp_init(&program.loop, &program.tcp);
    program.connect.data = &program;
    uv_tcp_connect(&program.connect, &program.tcp, (const struct sockaddr *)&address, on_connect);

    assert_int_equal(uv_run(&program.loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(program.answers, ROUNDS);
    assert_int_equal(program.ends, stop_server);
    assert_int_equal(program.closes, 1);
    assert_int_equal(uv_loop_close(&program.loop), 0);
    qd_client_destroy(program.client);
    if (stop_server) {
        assert_int_equal(qd_process_wait(program.server, DEADLINE_MS), 0);
    }
}

SESSION_TEST(program_ends_the_connection)
{
    run(false);
}

SESSION_TEST(server_ends_the_connection)
{
    run(true);
}

TEST_MAIN()
