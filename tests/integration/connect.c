/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's own socket: failed connects and their errors, waiting, and a stream that is full.
 */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "support/session.h"
#include "tests/support/test.h"

static void expect_failure(const char *address, int timeout_ms, qd_client_status status, const char *word)
{
    qd_client *client = qd_client_create();

    assert_int_equal(qd_client_connect(client, address, NULL, NULL, timeout_ms), status);
    assert_int_equal(qd_client_state(client), status);
    if (strstr(qd_client_error(client), word) == NULL) {
        fail_msg("'%s' does not say '%s'", qd_client_error(client), word);
    }
    assert_int_equal(qd_client_socket(client), -1);
    assert_null(qd_client_welcome(client));
    assert_int_equal(qd_client_ping(client, 0), 0);
    assert_null(qd_client_wait(client, DEADLINE_MS));
    qd_client_destroy(client);
}

/* A listener that is no Quadrille server: it answers with `words` (none: nothing at all), and keeps quiet. */
struct stranger {
    int socket;
    char address[32];
    const char *words;
    pthread_t thread;
};

static void *greet(void *context)
{
    struct stranger *stranger = context;
    int peer = accept(stranger->socket, NULL, NULL);
    char byte;

    send(peer, stranger->words, strlen(stranger->words), MSG_NOSIGNAL);
    while (recv(peer, &byte, 1, 0) > 0) {
        continue;
    }
    close(peer);
    return NULL;
}

static void open_stranger(struct stranger *stranger, const char *words)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;

    stranger->words = words;
    stranger->socket = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(stranger->socket, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(stranger->socket, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(listen(stranger->socket, 1), 0);
    snprintf(stranger->address, sizeof stranger->address, "127.0.0.1:%u", ntohs(address.sin_port));
    assert_int_equal(pthread_create(&stranger->thread, NULL, greet, stranger), 0);
}

static void close_stranger(struct stranger *stranger)
{
    pthread_join(stranger->thread, NULL);
    close(stranger->socket);
}

SESSION_TEST(connect_without_a_listener_fails)
{
    /* A port that was just free, and that nobody else is given while it is bound without listening. */
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int bound = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(bind(bound, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(bound, (struct sockaddr *)&address, &size), 0);
    char text[32];
    snprintf(text, sizeof text, "127.0.0.1:%u", ntohs(address.sin_port));
    expect_failure(text, DEADLINE_MS, QD_CLIENT_ERR_CONNECT, "is quadrille-server running there?");
    expect_failure(text, DEADLINE_MS, QD_CLIENT_ERR_CONNECT, text);
    close(bound);
    expect_failure("no-such-host.invalid:7400", DEADLINE_MS, QD_CLIENT_ERR_ADDRESS, "no-such-host.invalid");
}

SESSION_TEST(connect_to_a_silent_peer_times_out)
{
    struct stranger stranger;

    open_stranger(&stranger, "");
    expect_failure(stranger.address, 50, QD_CLIENT_ERR_CONNECT, "no answer within 50 ms");
    close_stranger(&stranger);
}

SESSION_TEST(connect_to_another_protocol_fails)
{
    struct stranger stranger;

    open_stranger(&stranger, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\nX: 0123456789 "
                             "0123456789 0123456789\r\n\r\n");
    expect_failure(stranger.address, DEADLINE_MS, QD_CLIENT_ERR_PROTOCOL, "ServerFrame");
    close_stranger(&stranger);
    open_stranger(&stranger, "\xff\xff\xff\xff\xff\xff");
    expect_failure(stranger.address, DEADLINE_MS, QD_CLIENT_ERR_PROTOCOL, "is it a Quadrille server?");
    close_stranger(&stranger);
}

SESSION_TEST(connect_over_ipv6_succeeds)
{
    struct sockaddr_in6 loopback = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int try = socket(AF_INET6, SOCK_STREAM, 0);
    bool there = try >= 0 && bind(try, (struct sockaddr *)&loopback, sizeof loopback) == 0;

    if (try >= 0) {
        close(try);
    }
    if (!there) {
        print_message("this machine has no IPv6\n");
        skip();
    }
    qd_process *server = session_start(QD_ARGS("--listen", "[::1]:0"));
    assert_int_equal(strncmp(qd_server_address(server), "[::1]:", 6), 0);
    session_bystander_open(qd_server_address(server));
}

SESSION_TEST(connect_by_host_name_succeeds)
{
    char address[64];

    snprintf(address, sizeof address, "localhost%s", strrchr(ADDRESS, ':'));
    qd_client *client = session_open(address);
    session_expect_quiet(client);
}

/* Queued messages can still be read after the server ended; then the session ends. */
SESSION_TEST(client_of_a_dead_server_reports_the_end)
{
    qd_process *server = qd_server_start(NULL);
    qd_client *client = session_open(qd_server_address(server));

    for (uint64_t i = 0; i < 10; i++) {
        qd_client_ping(client, i);
    }
    session_settle(client);
    qd_process_signal(server, SIGKILL);
    assert_int_equal(qd_process_wait(server, DEADLINE_MS), 128 + SIGKILL);
    qd_process_destroy(server);
    /* Requests go nowhere, without a signal. */
    while (qd_client_state(client) == QD_CLIENT_OK) {
        qd_client_ping(client, 0);
        qd_client_poll(client, DEADLINE_MS);
    }
    assert_int_equal(qd_client_state(client), QD_CLIENT_ERR_CLOSED);
    for (uint64_t i = 0; i < 10; i++) {
        assert_int_equal(qd_client_wait(client, DEADLINE_MS)->as.pong.data, i);
    }
    assert_null(qd_client_wait(client, DEADLINE_MS));
    assert_int_equal(qd_client_flush(client, DEADLINE_MS), QD_CLIENT_ERR_CLOSED);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
    (void)number;
    alarms = alarms + 1;
}

/* A signal ends the wait, so that a program without a timeout can be stopped. It does not end the wait for
 * an answer. */
SESSION_TEST(signal_ends_the_wait)
{
    qd_client *client = session_open(ADDRESS);
    struct sigaction action = {.sa_handler = on_alarm}, old;

    sigaction(SIGALRM, &action, &old);
    /* Again and again, because the first may come before the wait. */
    const struct itimerval often = {.it_interval.tv_usec = 1000, .it_value.tv_usec = 1000};
    const struct itimerval never = {.it_value.tv_usec = 0};
    setitimer(ITIMER_REAL, &often, NULL);
    assert_null(qd_client_wait(client, -1));
    assert_true(alarms > 0);
    assert_int_equal(qd_client_state(client), QD_CLIENT_OK);
    for (int i = 0; i < 100; i++) {
        session_settle(client);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &old, NULL);
}

SESSION_TEST(wait_respects_its_timeout)
{
    qd_client *client = session_open(ADDRESS);

    assert_int_equal(qd_client_poll(client, 0), QD_CLIENT_TIMEOUT);
    assert_int_equal(qd_client_poll(client, 1), QD_CLIENT_TIMEOUT);
    assert_null(qd_client_wait(client, 0));
    assert_null(qd_client_wait(client, 1));
    assert_null(qd_client_answer(client, 4711, 1));
    assert_int_equal(qd_client_flush(client, 0), QD_CLIENT_OK);
    assert_int_equal(qd_client_state(client), QD_CLIENT_OK);
    session_expect_quiet(client);
}

/* More than any socket holds, both ways, in one go. A server whose answers are not taken stops reading: so they are
 * taken in while the rest goes out. */
SESSION_TEST(flood_of_requests_is_sent_completely)
{
    enum { PINGS = 400000 };
    qd_process *server = session_start(QD_ARGS("--queue-max", "64K"));
    qd_client *client = session_open(qd_server_address(server));
    setsockopt(qd_client_socket(client), SOL_SOCKET, SO_RCVBUF, &(int){65536}, sizeof(int));
    for (uint64_t i = 0; i < PINGS; i++) {
        qd_client_ping(client, i);
    }
    assert_int_equal(qd_client_flush(client, DEADLINE_MS), QD_CLIENT_OK);
    for (uint64_t i = 0; i < PINGS; i++) {
        const qd_server_message *message = qd_client_wait(client, DEADLINE_MS);

        assert_non_null(message);
        assert_int_equal(message->kind, QD_SERVER_PONG);
        assert_int_equal(message->as.pong.data, i);
    }
    session_expect_quiet(client);
}

TEST_MAIN_WITH(session_server_setup, session_server_teardown)
