/* SPDX-License-Identifier: Apache-2.0
 *
 * Listening and stopping: ports in use, too many connections, no descriptors or memory, many connections at once.
 */
#include <sys/resource.h>

#include "server/base/clock.h"
#include "support/net_fixture.h"
#include "tests/support/test.h"

/* ---- starting ---- */

static void start_fails(const char *host, uint16_t port, const char *words, const char *fix)
{
    qd_net_config config = fixture.config;
    qd_net *net;
    char error[256] = "";
    size_t memory = qd_memory_used();

    config.host = host;
    config.port = port;
    assert_int_not_equal(qd_net_start(&config, &net, error, sizeof error), QD_OK);
    assert_non_null(strstr(error, words));
    assert_non_null(strstr(error, fix));
    assert_int_equal(qd_memory_used(), memory);
}

NET_TEST(a_failed_start_reports_the_address_and_the_fix)
{
    fixture_start();
    uint16_t port = qd_net_port(fixture.net);
    char words[64];

    assert_int_not_equal(port, 0);
    snprintf(words, sizeof words, "127.0.0.1:%u", port);
    start_fails("127.0.0.1", port, words, "Choose another --listen or stop the other process");
    start_fails("no-such-host.invalid", 7400, "no-such-host.invalid:7400", "unknown host");
    /* An address reserved for documentation, which no machine has. */
    start_fails("192.0.2.1", 7400, "192.0.2.1:7400", "no such address");
}

NET_TEST(a_port_can_be_reused_right_after_a_stop)
{
    fixture_start();
    fixture.config.port = qd_net_port(fixture.net);
    int peer = peer_connect();

    wait_for(&fixture.opened, 1);
    fixture_stop(0); /* our side ends first, so the system keeps the address pair for a while */
    peer_expect_end(peer);
    fixture_start();
    peer = peer_connect();
    peer_expect_echo(peer, 1, 1);
}

NET_TEST(an_ipv6_address_accepts_connections)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int peer = socket(AF_INET6, SOCK_STREAM, 0);

    if (peer < 0 || bind(peer, (struct sockaddr *)&address, sizeof address) != 0) {
        print_message("skipped: this machine has no IPv6\n");
        skip();
    }
    fixture.peers[fixture.peer_count++] = peer;
    fixture.config.host = "::1";
    fixture_start();
    address.sin6_port = htons(qd_net_port(fixture.net));
    assert_int_equal(connect(peer, (struct sockaddr *)&address, sizeof address), 0);
    peer_expect_echo(peer, 1, 1);
    wait_for(&fixture.opened, 1);
    assert_int_equal(strncmp(fixture.links[0]->peer, "[::1]:", 6), 0);
}

/* ---- limits ---- */

static qd_buffer *refusal(void *context, qd_net_refusal reason)
{
    (void)context;
    return frame_of(reason == QD_NET_FULL ? 'F' : 'M', 20);
}

NET_TEST(a_connection_over_the_limit_gets_a_refusal)
{
    fixture.config.connections_max = 2;
    fixture.config.refusal = refusal;
    fixture_start();
    int first = peer_connect();

    (void)peer_connect();

    wait_for(&fixture.opened, 2);
    for (uint32_t i = 0; i < 5; i++) {
        int more = peer_connect();

        /* Clients send first; the unread bytes must not destroy the refusal on its way. */
        peer_send_frame(more, 1, 1000);
        peer_expect_frame(more, 'F', 20);
        peer_expect_end(more);
        peer_close(more);
    }
    assert_int_equal(qd_net_connections(fixture.net), 2);
    assert_int_equal(count_of(&fixture.opened), 2);

    peer_close(first);
    wait_for(&fixture.closed, 1);
    first = peer_connect();
    peer_expect_echo(first, 2, 2);
}

/* More than can be refused at once: the others are closed without a reason, and all memory is freed. */
NET_TEST(many_connections_over_the_limit_are_all_closed)
{
    enum { MANY = 200 };
    fixture.config.connections_max = 0;
    fixture.config.refusal = refusal;
    fixture_start();
    int peers[MANY];

    for (uint32_t i = 0; i < MANY; i++) {
        peers[i] = peer_connect();
    }
    for (uint32_t i = 0; i < MANY; i++) {
        uint8_t bytes[20];

        while (peer_receive_frame(peers[i], bytes, sizeof bytes) >= 0)
            ;
    }
    assert_int_equal(fixture.opened, 0);
}

/* Connects again as soon as it was refused. Returns the time that the refusals took. */
static uint64_t refused_in_a_row_ns(uint32_t count)
{
    const uint64_t start_ns = qd_clock_now_ns();

    for (uint32_t i = 0; i < count; i++) {
        int peer = peer_connect();

        peer_expect_frame(peer, 'F', 20);
        peer_close(peer);
    }
    return qd_clock_now_ns() - start_ns;
}

/* The listener pauses for up to a millisecond after a turn with refusals: the loop's clock counts whole ones. On a busy
 * processor a peer can be back within the turn that refused it, so one series of several has to wait. */
NET_TEST(a_peer_that_connects_again_at_once_waits)
{
    enum { AGAIN = 100, SERIES = 20 };
    fixture.config.connections_max = 0;
    fixture.config.refusal = refusal;
    fixture_start();
    bool waits = false;

    for (uint32_t i = 0; i < SERIES && !waits; i++) {
        waits = refused_in_a_row_ns(AGAIN) >= AGAIN * UINT64_C(200000);
    }
    assert_true(waits);
}

NET_TEST(a_connection_without_a_descriptor_is_accepted_later)
{
    fixture_start();
    struct rlimit before, none;
    int peer = peer_socket();
    const struct timespec pause = {.tv_nsec = 150000000};

    int next = dup(peer);
    assert_true(next >= 0);
    close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = (rlim_t)next;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    peer_connect_socket(peer, qd_net_port(fixture.net));
    peer_send_frame(peer, 1, 1);
    nanosleep(&pause, NULL);
    assert_int_equal(qd_net_connections(fixture.net), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    peer_expect_frame(peer, 1, 1);
}

/* An existing link keeps working: its outbox still takes a last reply. */
NET_TEST(a_connection_without_memory_gets_a_refusal)
{
    fixture.config.refusal = refusal;
    fixture_start();
    int existing = peer_connect();
    wait_for(&fixture.opened, 1);
    qd_buffer *last_reply = frame_of('L', 10);

    qd_memory_limit_set(1);
    for (uint32_t i = 0; i < 5; i++) {
        int peer = peer_connect();
        const uint8_t frame[] = {1, 1};

        peer_send(peer, frame, sizeof frame);
        peer_expect_frame(peer, 'M', 20);
        peer_expect_end(peer);
        peer_close(peer);
    }
    assert_int_equal(send_and_release(fixture.links[0], last_reply, QD_LINK_REPLY), QD_LINK_SENT);
    peer_expect_frame(existing, 'L', 10);
    peer_close(existing);
    qd_memory_limit_set(0);
    int peer = peer_connect();
    peer_expect_echo(peer, 1, 1);
}

/* ---- many ---- */

static pthread_t first_thread;
static uint32_t on_first_thread, threads_counted;

static void count_thread_and_echo(qd_link *link, const uint8_t *bytes, size_t size)
{
    pthread_mutex_lock(&fixture_lock);
    if (threads_counted++ == 0) {
        first_thread = pthread_self();
    }
    on_first_thread += pthread_equal(first_thread, pthread_self()) != 0;
    pthread_mutex_unlock(&fixture_lock);
    send_and_release(link, frame_with(bytes, size), QD_LINK_REPLY);
}

NET_TEST(connections_are_split_evenly_over_two_loops)
{
    enum { MANY = 300, ROUNDS = 3 }; /* a move needs a second descriptor for a moment */
    fixture.on_frame = count_thread_and_echo;
    fixture.config.loops = 2;
    fixture_start();
    int peers[MANY];
    size_t before = qd_memory_used();

    for (uint32_t i = 0; i < MANY; i++) {
        peers[i] = peer_connect();
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < MANY; i++) {
            peer_send_frame(peers[i], (uint8_t)i, 10 + i);
        }
        for (uint32_t i = 0; i < MANY; i++) {
            peer_expect_frame(peers[i], (uint8_t)i, 10 + i);
        }
    }
    assert_int_equal(qd_net_connections(fixture.net), MANY);
    assert_int_equal(on_first_thread, ROUNDS * MANY / 2);
    /* An idle link is small: all answers are sent here. */
    assert_true((qd_memory_used() - before) / MANY < 4096);

    for (uint32_t i = 0; i < MANY; i += 2) {
        peer_close(peers[i]);
    }
    wait_for(&fixture.closed, MANY / 2);
    fixture_stop(0);
    for (uint32_t i = 1; i < MANY; i += 2) {
        peer_expect_end(peers[i]);
    }
}

/* ---- stopping ---- */

NET_TEST(links_continue_after_listening_stops)
{
    fixture_start();
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(qd_net_port(fixture.net)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int peer = peer_connect();

    wait_for(&fixture.opened, 1);
    qd_net_stop_listening(fixture.net);
    qd_net_stop_listening(fixture.net);
    for (bool refused = false; !refused;) {
        int attempt = peer_socket();

        refused = connect(attempt, (const struct sockaddr *)&address, sizeof address) != 0;
        peer_close(attempt);
    }
    /* Existing links continue. */
    peer_expect_echo(peer, 3, 3000);
}

NET_TEST(a_stop_flushes_queued_buffers)
{
    fixture.config.loops = 2;
    fixture_start();
    int peers[10];

    for (uint32_t i = 0; i < 10; i++) {
        peers[i] = peer_connect();
        wait_for(&fixture.opened, i + 1);
        assert_int_equal(send_and_release(fixture.links[i], frame_of((uint8_t)i, 100000), QD_LINK_EVENTS),
                         QD_LINK_SENT);
    }
    fixture_stop(200);
    for (uint32_t i = 0; i < 10; i++) {
        peer_expect_frame(peers[i], (uint8_t)i, 100000);
        peer_expect_end(peers[i]);
    }
}

/* Connections that arrive while the net stops: each gets both opened and closed, or neither. */
static void *connect_until_refused(void *argument)
{
    const struct sockaddr_in *address = argument;
    int fd;

    do {
        fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(fd, (const struct sockaddr *)address, sizeof *address) != 0) {
            close(fd);
            return NULL;
        }
        close(fd);
    } while (true);
}

NET_TEST(a_stop_closes_connections_that_arrive_meanwhile)
{
    fixture.config.loops = 2;
    fixture.config.connections_max = 50;
    for (uint32_t i = 0; i < 20; i++) {
        fixture_start();
        struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons(qd_net_port(fixture.net)),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, connect_until_refused, &address), 0);
        wait_for(&fixture.opened, 3);
        fixture_stop(0);
        pthread_join(thread, NULL);
    }
}

TEST_MAIN()
