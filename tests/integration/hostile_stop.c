/* SPDX-License-Identifier: Apache-2.0
 *
 * Queued work does not outlive the connection that asked for it, nor the server.
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "proto/codec.h"
#include "support/hostile.h"
#include "support/session.h"
#include "tests/support/test.h"

#define ROOMS    16u
#define ENTITIES 100000u
#define QUERIES  2000u /* per room; a room lets 1,024 of them wait */
#define DRAIN_MS 10000 /* the default of --drain-seconds */
#define DROP_MS  5000u
#define MORE_MS  3000 /* for the end of the process on a busy machine */

/* It looks at all entities and finds none of the category. */
static qd_msg_query slow_query(uint64_t room)
{
    return (qd_msg_query){
        .room = room, .kind = QD_QUERY_NEAREST, .where.nearest = {.x = 500, .y = 500}, .categories = 2};
}

static void send_queries(qd_client *client, uint64_t room)
{
    const qd_client_message query = {.seq = 100, .kind = QD_CLIENT_QUERY, .as.query = slow_query(room)};
    const size_t size = qd_client_message_size(&query);
    uint8_t *bytes = malloc(QUERIES * size);

    assert_non_null(bytes);
    for (uint32_t i = 0; i < QUERIES; i++) {
        qd_client_message_encode(&query, bytes + i * size, size);
    }
    hostile_send(qd_client_socket(client), bytes, QUERIES * size);
    free(bytes);
}

/* Clients that have each sent slow queries to a large room of their own, as many as the server and the sockets take. */
typedef struct attackers {
    qd_client *client[ROOMS];
    uint64_t room[ROOMS];
} attackers;

static attackers flood(const char *address)
{
    attackers a;

    for (uint32_t i = 0; i < ROOMS; i++) {
        char name[16];

        a.client[i] = session_open(address);
        snprintf(name, sizeof name, "large %u", i);
        a.room[i] = session_open_room(a.client[i], name, NULL);
        assert_int_equal(hostile_fill(a.client[i], a.room[i], 0, ENTITIES), ENTITIES);
        session_step(a.client[i], a.room[i]);
    }
    for (uint32_t i = 0; i < ROOMS; i++) {
        send_queries(a.client[i], a.room[i]);
    }
    return a;
}

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint32_t sessions_in(qd_client *client, uint64_t room)
{
    return session_expect(client, qd_client_get_stats(client, room), QD_SERVER_STATS)->as.stats.room.sessions;
}

SESSION_TEST(server_ends_in_time_with_queries_queued)
{
    qd_process *server = session_start(NULL);

    flood(qd_server_address(server));
    qd_process_signal(server, SIGTERM);
    assert_int_equal(qd_process_wait(server, DRAIN_MS + MORE_MS), 0);
}

/* Another client joins the rooms, and the first sessions are gone: that takes as long as what they had queued. */
SESSION_TEST(queries_of_a_closed_connection_are_dropped)
{
    const char *address = qd_server_address(session_start(NULL));
    qd_client *other = session_open(address);
    const attackers a = flood(address);
    uint64_t start_ms = now_ms();

    for (uint32_t i = 0; i < ROOMS; i++) {
        session_close(a.client[i]);
    }
    for (uint32_t i = 0; i < ROOMS; i++) {
        char name[16];

        snprintf(name, sizeof name, "large %u", i);
        assert_int_equal(session_join(other, name), a.room[i]);
        while (sessions_in(other, a.room[i]) > 1) {
            nanosleep(&(struct timespec){0, 20000000}, NULL);
        }
    }
    if (now_ms() - start_ms > DROP_MS) {
        fail_msg("closed sessions left their rooms after %u ms; must be at most %u", (unsigned)(now_ms() - start_ms),
                 DROP_MS);
    }
}

TEST_MAIN()
