/* SPDX-License-Identifier: Apache-2.0
 *
 * What one address may do before Hello: connect, stay silent, and try tokens.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/raw.h"
#include "support/session.h"
#include "tests/support/test.h"

static qd_msg_server_stats stats_of(qd_client *client)
{
    return session_expect(client, qd_client_get_stats(client, 0), QD_SERVER_STATS)->as.stats.server;
}

static void expect_go_away(raw_link *raw, qd_go_away_reason reason, const char *option)
{
    const qd_msg_go_away *go_away = &raw_expect(raw, 0, QD_SERVER_GO_AWAY)->as.go_away;

    assert_int_equal(go_away->reason, reason);
    assert_non_null(strstr(go_away->text, option));
    assert_null(raw_next(raw));
}

/* More silent sockets than there are places: each newcomer gets in, and an old silent one learns why it goes. The server
 * finds them all at once, so that none of them is silent for too long before the next one comes. */
SESSION_TEST(silent_sockets_lock_nobody_out)
{
    enum { SILENT = 300, COME = 20 };
    qd_process *server = session_start(
        QD_ARGS("--connections-max", "100", "--address-connections-max", "1000", "--address-accepts-max", "100000"));
    const char *address = qd_server_address(server);

    session_bystander_open(address);
    qd_process_signal(server, SIGSTOP);
    raw_link *first = raw_open(address);
    for (uint32_t i = 1; i < SILENT; i++) {
        (void)raw_open(address);
    }
    qd_process_signal(server, SIGCONT);
    expect_go_away(first, QD_GO_AWAY_FULL, "--connections-max");
    qd_client *client = session_open(address);
    for (uint32_t i = 0; i < COME; i++) {
        session_open(address);
        (void)raw_open(address);
    }
    const qd_msg_server_stats stats = stats_of(client);
    assert_true(stats.sessions <= COME + 2 + 25);
    assert_true(stats.dropped_silent >= SILENT - 25);
    assert_int_equal(stats.refused_full, 0);
}

SESSION_TEST(address_has_at_most_its_connections)
{
    const char *address = qd_server_address(session_start(QD_ARGS("--address-connections-max", "3")));
    qd_client *client = session_open(address);

    session_open(address);
    session_open(address);
    expect_go_away(raw_open(address), QD_GO_AWAY_QUOTA, "--address-connections-max");
    session_expect_refused(address, NULL, "--address-connections-max");
    assert_int_equal(stats_of(client).refused_by_address_connections, 2);
}

SESSION_TEST(address_that_connects_too_often_is_refused)
{
    enum { TIMES = 80 };
    const char *address =
        qd_server_address(session_start(QD_ARGS("--address-accepts-max", "1", "--address-connections-max", "10")));
    qd_client *client = session_open(address);
    const time_t start = time(NULL);
    uint32_t refused = 0;

    for (uint32_t i = 0; i < TIMES;) {
        raw_link *raw = raw_open(address);

        raw_send_message(
            raw, &(qd_client_message){.seq = 1, .kind = QD_CLIENT_HELLO, .as.hello = {.version = QD_PROTOCOL_VERSION}});
        const qd_server_message *answer = raw_next(raw);
        assert_non_null(answer);
        const bool is_refused = answer->kind == QD_SERVER_GO_AWAY;
        /* The server may not have seen yet that ten others are closed. That takes no part of the accepts. */
        const bool are_many = is_refused && strstr(answer->as.go_away.text, "--address-connections-max") != NULL;
        if (is_refused && !are_many) {
            assert_int_equal(answer->as.go_away.reason, QD_GO_AWAY_QUOTA);
            assert_non_null(strstr(answer->as.go_away.text, "--address-accepts-max"));
            refused++;
        }
        i += !are_many;
        raw_close(raw);
    }
    /* 40 at once, and one more each second. */
    assert_in_range(refused, TIMES - 41 - (uint32_t)(time(NULL) - start), TIMES - 39);
    assert_int_equal(stats_of(client).refused_by_address_accepts, refused);
}

SESSION_TEST(address_may_try_few_tokens)
{
    enum { TIMES = 60 };
    char tokens[] = "/tmp/quadrille-test-XXXXXX";
    int file = mkstemp(tokens);
    const time_t start = time(NULL);
    uint32_t wrong = 0, refused = 0;

    assert_int_equal(write(file, "right\n", 6), 6);
    close(file);
    const char *address = qd_server_address(session_start(QD_ARGS("--token-file", tokens)));
    qd_client *inside = session_open_with(address, "right");
    for (uint32_t i = 0; i < TIMES; i++) {
        qd_client *client = qd_client_create();

        assert_int_equal(qd_client_connect(client, address, "guess", NULL, DEADLINE_MS), QD_CLIENT_ERR_REFUSED);
        wrong += strstr(qd_client_error(client), "(UNAUTHENTICATED)") != NULL;
        if (strstr(qd_client_error(client), "(QUOTA_ADDRESS)") != NULL) {
            assert_non_null(strstr(qd_client_error(client), "--address-failed-tokens-max"));
            refused++;
        }
        qd_client_destroy(client);
    }
    /* 10 at once, and one more each second. */
    assert_in_range(wrong, 10, 11 + (uint32_t)(time(NULL) - start));
    assert_int_equal(wrong + refused, TIMES);
    /* Otherwise the answer would tell whether the guess is right. */
    session_expect_refused(address, "right", "--address-failed-tokens-max");
    assert_int_equal(stats_of(inside).refused_by_address_tokens, refused + 1);
    remove(tokens);
}

TEST_MAIN()
