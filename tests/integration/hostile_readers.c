/* SPDX-License-Identifier: Apache-2.0
 *
 * Clients that read nothing and send without end: the server and its sockets keep --memory-max together.
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "proto/framing.h"
#include "support/hostile.h"
#include "support/session.h"
#include "tests/support/test.h"

#define MEMORY_MAX   (128u << 20)
#define STALLED      1000u
#define SOCKET_BYTES 4096
#define ENTITIES     200u
#define STEPS        100u

/* 200 boxes at one point, in a room that ticks by Step. */
static uint64_t open_crowd(qd_client *client)
{
    const uint64_t room = session_open_room(client, "crowd", NULL);

    for (uint32_t i = 0; i < ENTITIES; i++) {
        session_spawn(client, room, i, 10, 10);
    }
    session_step(client, room);
    return room;
}

/* Joins, subscribes to all pairs with stays, and asks for snapshots as long as the server reads. */
static void stall(int socket, uint64_t room, const void *requests, size_t size)
{
    const qd_client_message hello = {.seq = 1, .kind = QD_CLIENT_HELLO, .as.hello = {.version = QD_PROTOCOL_VERSION}};
    const qd_client_message join = {.seq = 2, .kind = QD_CLIENT_OPEN_ROOM, .as.open_room = {.name = "crowd"}};
    const qd_client_message subscribe = {
        .seq = 3, .kind = QD_CLIENT_SUBSCRIBE, .as.subscribe = {.room = room, .scope = QD_SCOPE_ALL, .stays = true}};

    hostile_send_message(socket, &hello);
    hostile_send_message(socket, &join);
    hostile_send_message(socket, &subscribe);
    hostile_try_send(socket, requests, size);
}

static void *repeated(const qd_client_message *message, uint32_t times, size_t *size)
{
    const size_t one = qd_client_message_size(message);
    uint8_t *bytes = malloc(one * times);

    assert_non_null(bytes);
    for (uint32_t i = 0; i < times; i++) {
        qd_client_message_encode(message, bytes + i * one, one);
    }
    *size = one * times;
    return bytes;
}

SESSION_TEST(stalled_readers_and_their_sockets_stay_within_memory_max)
{
    static int sockets[STALLED];
    qd_process *server = session_start(QD_ARGS("--memory-max", "128M", "--slow-ms-max", "600000"));
    const char *address = qd_server_address(server);
    qd_client *client = session_open(address);
    const uint64_t room = open_crowd(client);
    const qd_client_message snapshot = {.seq = 4, .kind = QD_CLIENT_GET_SNAPSHOT, .as.get_snapshot = {.room = room}};
    size_t size;
    void *requests = repeated(&snapshot, 200000, &size);

    hostile_raise_files();
    for (uint32_t i = 0; i < STALLED; i++) {
        sockets[i] = hostile_connect(address, "127.0.0.2", SOCKET_BYTES);
        if (sockets[i] >= 0) {
            stall(sockets[i], room, requests, size);
        }
    }
    for (uint32_t step = 0; step < STEPS; step++) {
        if (hostile_answer(client, qd_client_step(client, room, 0)) == NULL) {
            fail_msg("step %u of the room's owner: %s", step, qd_client_error(client));
        }
        for (uint32_t i = 0; i < STALLED && step % 10 == 0; i++) {
            hostile_try_send(sockets[i], requests, size);
        }
    }
    hostile_expect_bounded(server, address, MEMORY_MAX);
    hostile_expect_resident(server, MEMORY_MAX);
    session_settle(client);
    for (uint32_t i = 0; i < STALLED; i++) {
        close(sockets[i]);
    }
    free(requests);
    hostile_expect_memory_returns(client, MEMORY_MAX / 2, DEADLINE_MS);
    session_settle(session_open(address));
}

/* Each begins a frame of 4 MiB and never ends it. */
SESSION_TEST(unfinished_frames_stay_within_memory_max)
{
    enum { PEERS = 100, FRAME = 4 << 20, SENT = FRAME - 65536 };
    static int sockets[PEERS];
    static uint8_t bytes[SENT];
    qd_process *server = session_start(QD_ARGS("--memory-max", "128M"));
    const char *address = qd_server_address(server);
    const qd_client_message hello = {.seq = 1, .kind = QD_CLIENT_HELLO, .as.hello = {.version = QD_PROTOCOL_VERSION}};
    qd_client *client = session_open(address);

    qd_frame_prefix_write(FRAME, bytes);
    for (uint32_t i = 0; i < PEERS; i++) {
        sockets[i] = hostile_connect(address, "127.0.0.2", 0);
        assert_true(sockets[i] >= 0);
        hostile_send_message(sockets[i], &hello);
        hostile_send(sockets[i], bytes, sizeof bytes);
    }
    hostile_expect_bounded(server, address, MEMORY_MAX);
    hostile_expect_resident(server, MEMORY_MAX);
    session_settle(client);
    for (uint32_t i = 0; i < PEERS; i++) {
        close(sockets[i]);
    }
    hostile_expect_memory_returns(client, MEMORY_MAX / 2, DEADLINE_MS);
    session_settle(session_open(address));
}

TEST_MAIN()
