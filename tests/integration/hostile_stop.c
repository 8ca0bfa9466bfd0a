/* SPDX-License-Identifier: Apache-2.0
 *
 * Queued work does not outlive the connection that asked for it, nor the server.
 */

#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "proto/codec.h"
#include "support/hostile.h"
#include "support/session.h"
#include "tests/support/test.h"

#define ENTITIES  200000u
#define QUERIES   2000u
#define NEIGHBORS 65536u
#define DRAIN_MS  10000 /* the default of --drain-seconds */
#define MORE_MS   3000  /* for the end of the process on a busy machine */

static qd_msg_query slow_query(uint64_t room)
{
    return (qd_msg_query){
        .room = room, .kind = QD_QUERY_NEAREST, .where.nearest = {.x = 500, .y = 500}, .limit = NEIGHBORS};
}

/* A large room, and a client that has sent as many slow queries as the server and the sockets take. */
static qd_client *flood(const char *address, qd_client *owner, uint64_t *room)
{
    qd_client *client = session_open(address);

    *room = session_open_room(owner, "large", NULL);
    assert_int_equal(hostile_fill(owner, *room, 0, ENTITIES), ENTITIES);
    session_step(owner, *room);
    session_join(client, "large");
    const qd_msg_query query = slow_query(*room);
    for (uint32_t i = 0; i < QUERIES; i++) {
        const qd_client_message message = {.seq = 100 + i, .kind = QD_CLIENT_QUERY, .as.query = query};

        hostile_send_message(qd_client_socket(client), &message);
    }
    return client;
}

SESSION_TEST(server_ends_in_time_with_queries_queued)
{
    qd_process *server = session_start(NULL);
    const char *address = qd_server_address(server);
    uint64_t room;

    flood(address, session_open(address), &room);
    qd_process_signal(server, SIGTERM);
    assert_int_equal(qd_process_wait(server, DRAIN_MS + MORE_MS), 0);
}

/* The owner's own request waits for at most the query under way. */
SESSION_TEST(queries_of_a_closed_connection_are_dropped)
{
    const char *address = qd_server_address(session_start(NULL));
    qd_client *owner = session_open(address);
    uint64_t room;
    qd_client *attacker = flood(address, owner, &room);

    session_close(attacker);
    const qd_msg_query query = {
        .room = room, .kind = QD_QUERY_NEAREST, .where.nearest = {.x = 500, .y = 500}, .limit = 1};
    assert_non_null(qd_client_answer(owner, qd_client_query(owner, &query), 3000));
}

TEST_MAIN()
