/* SPDX-License-Identifier: Apache-2.0
 *
 * Connections that never say Hello do not lock out a client.
 */

#include <unistd.h>

#include "support/hostile.h"
#include "support/session.h"
#include "tests/support/test.h"

#define SILENT 1100u /* the server takes 1,024 connections */

/* All from one address, as many as the server accepts. */
static uint32_t open_silent(const char *address, int *sockets)
{
    uint32_t count = 0;

    hostile_raise_files();
    while (count < SILENT && (sockets[count] = hostile_connect(address, "127.0.0.2", 0)) >= 0) {
        count++;
    }
    return count;
}

static void close_all(const int *sockets, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        close(sockets[i]);
    }
}

SESSION_TEST(client_connects_beside_silent_connections)
{
    static int sockets[SILENT];
    const char *address = qd_server_address(session_start(NULL));

    session_bystander_open(address);
    const uint32_t count = open_silent(address, sockets);

    session_settle(session_open(address));
    session_check_bystanders();
    close_all(sockets, count);
}

enum { POOL = 20 };

/* Opens one silent connection more than there may be. Returns whether the first one was dropped and the last one kept,
 * both before the time for Hello was over. */
static bool is_oldest_dropped(const char *address)
{
    int sockets[POOL + 1];

    for (uint32_t i = 0; i <= POOL; i++) {
        sockets[i] = hostile_connect(address, "127.0.0.2", 0);
        assert_true(sockets[i] >= 0);
    }
    const bool dropped = !hostile_read(sockets[0], "no Hello came within", DEADLINE_MS);
    const bool kept = !hostile_read(sockets[POOL], NULL, 10);
    close_all(sockets, POOL + 1);
    return dropped && kept;
}

/* A quarter of the connections may be silent. On a busy machine the time for Hello may be over before all are open. */
SESSION_TEST(oldest_silent_connection_is_dropped_first)
{
    const char *address = qd_server_address(session_start(QD_ARGS("--connections-max", "80")));

    hostile_raise_files();
    for (uint32_t tries = 1; !is_oldest_dropped(address); tries++) {
        assert_true(tries < 20);
    }
    session_settle(session_open(address));
}

/* Each sends the first bytes of a frame, and no more. */
SESSION_TEST(client_connects_beside_beginnings_of_frames)
{
    static int sockets[SILENT];
    const char *address = qd_server_address(session_start(NULL));
    const uint32_t count = open_silent(address, sockets);

    for (uint32_t i = 0; i < count; i++) {
        hostile_send(sockets[i], "\x40\x12\x3e", 3);
    }
    session_settle(session_open(address));
    close_all(sockets, count);
}

TEST_MAIN()
