/* SPDX-License-Identifier: Apache-2.0
 *
 * Queued work does not outlive the server.
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/codec.h"
#include "support/hostile.h"
#include "support/session.h"
#include "tests/support/test.h"

#define ROOMS    16u
#define ENTITIES 100000u
#define STEPPED  20000u
#define TIMES    2000u /* a room lets 1,024 messages wait */

/* It looks at all entities and finds none of the category. */
static qd_msg_query slow_query(uint64_t room)
{
    return (qd_msg_query){
        .room = room, .kind = QD_QUERY_NEAREST, .where.nearest = {.x = 500, .y = 500}, .categories = 2};
}

static void send_often(qd_client *client, const qd_client_message *message)
{
    const size_t size = qd_client_message_size(message);
    uint8_t *bytes = malloc(TIMES * size);

    assert_non_null(bytes);
    for (uint32_t i = 0; i < TIMES; i++) {
        qd_client_message_encode(message, bytes + i * size, size);
    }
    hostile_send(qd_client_socket(client), bytes, TIMES * size);
    free(bytes);
}

/* Clients that have each a large room of their own. */
typedef struct attackers {
    qd_client *client[ROOMS];
    uint64_t room[ROOMS];
} attackers;

static attackers open_rooms(const char *address, uint32_t entities, const qd_msg_room_config *config)
{
    attackers a;

    for (uint32_t i = 0; i < ROOMS; i++) {
        char name[16];

        a.client[i] = session_open(address);
        snprintf(name, sizeof name, "large %u", i);
        a.room[i] = session_open_room(a.client[i], name, config);
        assert_int_equal(hostile_fill(a.client[i], a.room[i], 0, entities), entities);
        session_step(a.client[i], a.room[i]);
    }
    return a;
}

/* It ends by itself, and not because --drain-seconds are over. */
static void expect_stop(qd_process *server)
{
    qd_process_signal(server, SIGTERM);
    assert_int_equal(qd_process_wait(server, DEADLINE_MS), 0);
    if (strstr(qd_process_errors(server), "with work left") != NULL) {
        fail_msg("the server gave up: %s", qd_process_errors(server));
    }
}

/* All would take about a minute: the server refuses them. */
SESSION_TEST(stop_with_queries_queued_refuses_them)
{
    qd_process *server = session_start(NULL);
    const attackers a = open_rooms(qd_server_address(server), ENTITIES, NULL);

    for (uint32_t i = 0; i < ROOMS; i++) {
        const qd_client_message query = {.seq = 100, .kind = QD_CLIENT_QUERY, .as.query = slow_query(a.room[i])};

        send_often(a.client[i], &query);
    }
    expect_stop(server);
}

/* All would take minutes: the server carries them out for half of --drain-seconds, and refuses the others. */
SESSION_TEST(stop_with_steps_queued_carries_out_some)
{
    const qd_msg_room_config slow = {.has_bounds = true,
                                     .bounds = {.max_x = 1000, .max_y = 1000},
                                     .tick_mode = QD_TICK_MODE_STEP,
                                     .index = QD_INDEX_BRUTE};
    qd_process *server = session_start(QD_ARGS("--drain-seconds", "8"));
    const attackers a = open_rooms(qd_server_address(server), STEPPED, &slow);

    for (uint32_t i = 0; i < ROOMS; i++) {
        const qd_client_message step = {.seq = 100, .kind = QD_CLIENT_STEP, .as.step = {.room = a.room[i]}};

        qd_client_subscribe(a.client[i], a.room[i], QD_SCOPE_ALL, true);
        session_settle(a.client[i]);
        send_often(a.client[i], &step);
    }
    expect_stop(server);
}

TEST_MAIN()
