/* SPDX-License-Identifier: Apache-2.0
 *
 * Peers that give no sign of life: the server finds those that are gone, and keeps those that are only silent.
 */
#include <linux/filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "support/raw.h"
#include "support/session.h"
#include "tests/support/test.h"

/* --silence-ms-max of the server. With QD_SILENCE_MS in the environment, the tests measure another one. A third of it is
 * much for an answer, on a busy machine, too. */
static int64_t silence_ms = 3000;

static const char *start(void)
{
    const char *measured = getenv("QD_SILENCE_MS");

    if (measured != NULL) {
        silence_ms = strtol(measured, NULL, 10);
    }
    return qd_server_address(
        session_start(QD_ARGS("--silence-ms-max", measured != NULL ? measured : "3000", "--slow-ms-max", "500")));
}

static void report(const char *peer, int64_t ms)
{
    printf("%s: found after %.1f s with --silence-ms-max %d\n", peer, (double)ms / 1000, (int)silence_ms);
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * (int64_t)1000 + now.tv_nsec / 1000000;
}

static void rest(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static raw_link *open_with_pings(const char *address)
{
    static const char *const features[] = {"later", "pings"};
    raw_link *raw = raw_open(address);
    const qd_client_message hello = {
        .seq = 1,
        .kind = QD_CLIENT_HELLO,
        .as.hello = {.version = QD_PROTOCOL_VERSION, .features = features, .feature_count = 2}};

    raw_send_message(raw, &hello);
    const qd_msg_welcome *welcome = &raw_expect(raw, 1, QD_SERVER_WELCOME)->as.welcome;
    assert_int_equal(welcome->feature_count, 1);
    assert_string_equal(welcome->features[0], "pings");
    return raw;
}

static void expect_not_alive(raw_link *raw)
{
    const qd_msg_go_away *go_away = &raw_expect(raw, 0, QD_SERVER_GO_AWAY)->as.go_away;

    assert_int_equal(go_away->reason, QD_GO_AWAY_NOT_ALIVE);
    assert_non_null(strstr(go_away->text, "--silence-ms-max"));
    assert_null(raw_next(raw));
}

static qd_msg_server_stats stats_of(qd_client *client)
{
    return session_expect(client, qd_client_get_stats(client, 0), QD_SERVER_STATS)->as.stats.server;
}

SESSION_TEST(silent_client_is_pinged_and_lost)
{
    const char *address = start();
    int64_t before = now_ms();
    raw_link *raw = open_with_pings(address);

    const qd_server_message *ping = raw_expect(raw, 0, QD_SERVER_PING);
    assert_true(now_ms() - before >= silence_ms / 3 - 100);
    before = now_ms();
    raw_send_message(raw, &(qd_client_message){.kind = QD_CLIENT_PONG, .as.ping = ping->as.pong});
    raw_expect(raw, 0, QD_SERVER_PING);
    expect_not_alive(raw);
    report("a process that hangs, with pings", now_ms() - before);
    assert_true(now_ms() - before >= silence_ms / 6 * 5 - 100);
    assert_int_equal(stats_of(session_open(address)).not_alive, 1);
}

SESSION_TEST(client_library_answers_pings_by_itself)
{
    const char *address = start();
    qd_client *client = qd_client_create();

    qd_client_pings(client);
    assert_int_equal(qd_client_connect(client, address, NULL, NULL, DEADLINE_MS), QD_CLIENT_OK);
    /* Nothing comes: the library keeps Ping to itself. */
    assert_null(qd_client_wait(client, 2 * silence_ms));
    assert_int_equal(stats_of(client).not_alive, 0);
    qd_client_destroy(client);
}

/* TCP answers for it. */
SESSION_TEST(silent_client_without_the_feature_stays)
{
    const char *address = start();
    raw_link *raw = raw_open_session(address);

    rest(2 * silence_ms);
    raw_send_message(raw, &(qd_client_message){.seq = 2, .kind = QD_CLIENT_PING});
    raw_expect(raw, 2, QD_SERVER_PONG);
}

/* From now on the socket gets no packet, and so acknowledges none, as if its machine were gone. */
static void vanish(raw_link *raw)
{
    struct sock_filter drop = {.code = BPF_RET | BPF_K, .k = 0};
    const struct sock_fprog program = {.len = 1, .filter = &drop};

    assert_int_equal(setsockopt(raw->socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program), 0);
}

SESSION_TEST(raw_client_that_vanished_is_found)
{
    const char *address = start();
    qd_client *other = session_open(address);
    raw_link *idle = raw_open_session(address), *with_data = raw_open_session(address);

    const int64_t before = now_ms();
    vanish(idle);
    vanish(with_data);
    raw_send_message(with_data, &(qd_client_message){.seq = 2, .kind = QD_CLIENT_PING});
    for (uint32_t sessions = 3, left = 3; (sessions = stats_of(other).sessions) > 1; rest(50)) {
        assert_true(now_ms() - before < DEADLINE_MS);
        if (sessions < left) {
            report("a machine that is gone", now_ms() - before);
            left = sessions;
        }
    }
    report("a machine that is gone", now_ms() - before);
    assert_true(now_ms() - before > silence_ms / 2);
}

/* What it sends reaches the server, so it lives, although it cannot read. */
SESSION_TEST(frame_that_does_not_end_closes_the_connection)
{
    const char *address = start();
    static const uint8_t begun[] = {0xff, 0x7f, 1, 2, 3};
    raw_link *stopped = raw_open_session(address), *slow = raw_open_session(address);
    int64_t before = now_ms();

    raw_send(stopped, begun, sizeof begun);
    raw_send(slow, begun, sizeof begun);
    while (now_ms() - before < silence_ms) {
        (void)send(slow->socket, begun + 4, 1, MSG_NOSIGNAL); /* refused once the connection is closed */
        rest(100);
    }
    expect_not_alive(stopped);
    expect_not_alive(slow);
    assert_true(now_ms() - before >= silence_ms / 3 * 2);
}

TEST_MAIN()
