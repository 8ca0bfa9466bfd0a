/* SPDX-License-Identifier: Apache-2.0
 *
 * Many sessions that wait to be resumed do not deny another client its own.
 */

#include <string.h>
#include <unistd.h>

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
    return qd_server_address(session_start(QD_ARGS("--token-file", hostile_file(tokens), "--resume-ms-max", "60000")));
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

/* Sessions of another token, each in a room, whose connections end. */
static void leave_sessions(const char *address)
{
    for (uint32_t i = 0; i < CLOSED; i++) {
        qd_client *client = qd_client_create();

        qd_client_resumable(client, NULL);
        if (qd_client_connect(client, address, "attacker", NULL, DEADLINE_MS) == QD_CLIENT_OK) {
            hostile_answer(client, qd_client_open_room(client, "attackers", &session_step_room));
        }
        qd_client_destroy(client);
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

TEST_MAIN()
