/* SPDX-License-Identifier: Apache-2.0
 *
 * Many sessions that wait to be resumed do not deny another client its own.
 */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/codec.h"
#include "support/hostile.h"
#include "support/session.h"
#include "tests/support/test.h"

#define CLOSED 1030u /* the server takes 1,024 connections */

typedef struct victim {
    qd_client *client;
    uint8_t key[QD_RESUME_KEY_BYTES];
} victim;

static const char *start(void)
{
    static const char tokens[] = "attacker\nvictim\n";

    hostile_raise_files();
    return qd_server_address(
        session_start(QD_ARGS("--token-file", hostile_file(tokens), "--resume-ms-max", "3600000")));
}

static victim victim_open(const char *address)
{
    victim v = {.client = qd_client_create()};

    qd_client_resumable(v.client, NULL);
    if (qd_client_connect(v.client, address, "victim", NULL, DEADLINE_MS) != QD_CLIENT_OK) {
        fail_msg("the victim cannot connect: %s", qd_client_error(v.client));
    }
    memcpy(v.key, qd_client_welcome(v.client)->resume_key.bytes, sizeof v.key);
    session_open_room(v.client, "victim", NULL);
    return v;
}

/* Sessions of another token from other addresses, each in a room, whose connections end. */
static void leave_sessions(const char *address)
{
    const qd_client_message hello = {
        .seq = 1,
        .kind = QD_CLIENT_HELLO,
        .as.hello = {.version = QD_PROTOCOL_VERSION, .token = "attacker", .resumable = true}};
    const qd_client_message open = {
        .seq = 2,
        .kind = QD_CLIENT_OPEN_ROOM,
        .as.open_room = {.name = "attackers", .has_config = true, .config = session_step_room}};

    for (uint32_t i = 0; i < CLOSED; i++) {
        char source[16];

        snprintf(source, sizeof source, "127.0.0.%u", 2 + i % 4);
        const int socket = hostile_connect(address, source, 0);
        if (socket >= 0) {
            hostile_send_message(socket, &hello);
            hostile_send_message(socket, &open);
            hostile_read(socket, "attackers", 2000);
            close(socket);
        }
    }
}

static void victim_resume(victim *v, const char *address)
{
    qd_client *next = qd_client_create();

    qd_client_resumable(next, v->key);
    if (qd_client_connect(next, address, "victim", NULL, DEADLINE_MS) != QD_CLIENT_OK) {
        fail_msg("the victim cannot connect again: %s", qd_client_error(next));
    }
    assert_true(qd_client_welcome(next)->resumed);
    qd_client_destroy(next);
}

SESSION_TEST(session_resumes_after_others_have_closed)
{
    const char *address = start();
    victim v = victim_open(address);

    qd_client_destroy(v.client);
    leave_sessions(address);
    victim_resume(&v, address);
}

SESSION_TEST(session_begins_and_resumes_after_others_have_closed)
{
    const char *address = start();

    leave_sessions(address);
    victim v = victim_open(address);
    qd_client_destroy(v.client);
    victim_resume(&v, address);
}

/* Without tokens, all clients of this machine share the places, and the operator learns that they are too few. */
SESSION_TEST(session_beyond_the_places_of_all_is_reported)
{
    enum { PLACES = 16 };
    qd_process *server = session_start(QD_ARGS("--connections-max", "16", "--resume-ms-max", "3600000"));
    const char *address = qd_server_address(server);
    qd_client *other = session_open(address);
    uint32_t detached = 0, tries = 0;

    for (uint32_t i = 0; i <= PLACES; i++) {
        qd_client *client = session_open_resumable(address, NULL);

        session_open_room(client, "shared", NULL);
        session_close(client);
    }
    while (detached < PLACES || strstr(qd_process_errors(server), " warn  a session is not kept: ") == NULL) {
        detached = session_expect(other, qd_client_get_stats(other, 0), QD_SERVER_STATS)->as.stats.server.detached;
        assert_true(tries++ < 100000);
    }
    assert_int_equal(detached, PLACES);
}

TEST_MAIN()
