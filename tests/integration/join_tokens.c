/* SPDX-License-Identifier: Apache-2.0
 *
 * Join tokens that `quadrille token` mints, on a real server: live and detached sessions end when the token expires, and
 * when SIGHUP removes its key.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/hostile.h"
#include "support/session.h"
#include "tests/support/test.h"

#define KEY   "key:k1 0123456789abcdef0123456789abcdef writer match-*\n"
#define ADMIN "watcher admin\n"
#define LIFE  4

/* Longer than any test waits, so that detached sessions do not end by their own time. */
#define SERVER_ARGS "--resume-ms-max", "600000", "--token-file"

/* Mints a token that expires in LIFE seconds or more. */
static const char *mint(const char *file, const char *name, const char *expires)
{
    static char token[QD_TOKEN_BYTES_MAX + 2];
    char command[600];

    snprintf(command, sizeof command, "'%s/quadrille' token --key-file '%s' --name '%s' --expires '%s'",
             getenv("QD_BIN"), file, name, expires);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    assert_non_null(fgets(token, sizeof token, output));
    assert_int_equal(pclose(output), 0);
    token[strcspn(token, "\n")] = '\0';
    return token;
}

/* A session without a connection that could be resumed. */
static void open_detached(const char *address, const char *token)
{
    qd_client *client = qd_client_create();

    qd_client_resumable(client, NULL);
    assert_int_equal(qd_client_connect(client, address, token, NULL, DEADLINE_MS), QD_CLIENT_OK);
    (void)session_open_room(client, "match-1", NULL);
    qd_client_destroy(client);
}

static uint32_t count_detached(qd_client *admin)
{
    const qd_server_message *answer =
        session_expect(admin, qd_client_list_sessions(admin, 0, 0, 0), QD_SERVER_SESSION_LIST);
    uint32_t count = 0;

    for (size_t i = 0; i < answer->as.session_list.count; i++) {
        count += answer->as.session_list.sessions[i].detached;
    }
    return count;
}

static void wait_for_detached(qd_client *admin, uint32_t wanted)
{
    for (int waited_ms = 0; count_detached(admin) != wanted; waited_ms += 20) {
        if (waited_ms > DEADLINE_MS) {
            fail_msg("not %u detached sessions", wanted);
        }
        usleep(20000);
    }
}

static void expect_revoked(qd_client *client, const char *word)
{
    const qd_msg_go_away *go_away = &session_wait_kind(client, QD_SERVER_GO_AWAY)->as.go_away;

    assert_int_equal(go_away->reason, QD_GO_AWAY_REVOKED);
    assert_non_null(strstr(go_away->text, word));
}

SESSION_TEST(sessions_end_when_their_token_expires)
{
    const char *file = hostile_file(KEY ADMIN);
    const char *address = qd_server_address(session_start(QD_ARGS(SERVER_ARGS, file)));
    qd_client *admin = session_open_with(address, "watcher");
    qd_client *longer = session_open_with(address, mint(file, "b", "1h"));
    const char *token = mint(file, "a", "4s");
    const time_t minted_s = time(NULL);
    qd_client *live = session_open_with(address, token);

    open_detached(address, token);
    wait_for_detached(admin, 1);
    assert_int_equal(session_expect_error(live, qd_client_open_room(live, "lobby", &session_step_room),
                                          QD_ERROR_NOT_ALLOWED, "not for rooms of this name")
                         ->code,
                     QD_ERROR_NOT_ALLOWED);
    expect_revoked(live, "has expired");
    /* The token was minted in this second or the one before. */
    assert_true(time(NULL) >= minted_s + LIFE - 1);
    wait_for_detached(admin, 0);
    session_expect_refused(address, token, "the token expired at");
    session_settle(longer);
}

SESSION_TEST(sessions_end_when_sighup_removes_their_key)
{
    const char *file = hostile_file(KEY ADMIN);
    qd_process *server = session_start(QD_ARGS(SERVER_ARGS, file));
    const char *address = qd_server_address(server), *token = mint(file, "a", "1h");
    qd_client *admin = session_open_with(address, "watcher"), *live = session_open_with(address, token);

    open_detached(address, token);
    wait_for_detached(admin, 1);
    /* Another secret is another key. */
    (void)hostile_file("key:k1 1123456789abcdef0123456789abcdef writer match-*\n" ADMIN);
    qd_process_signal(server, SIGHUP);
    expect_revoked(live, "has changed what this token allows");
    wait_for_detached(admin, 0);
    session_expect_refused(address, token, "the token is unknown");
    token = mint(file, "a", "1h");
    live = session_open_with(address, token);
    (void)hostile_file(ADMIN);
    qd_process_signal(server, SIGHUP);
    expect_revoked(live, "has changed what this token allows");
    session_expect_refused(address, token, "the token is unknown");
    session_settle(admin);
}

TEST_MAIN()
