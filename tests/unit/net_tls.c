/* SPDX-License-Identifier: Apache-2.0
 *
 * Connections with TLS: the frames of a plain connection arrive, whatever the pieces; a peer that does not keep to TLS
 * ends its own connection alone; credentials are replaced while connections live.
 */
#include <openssl/err.h>
#include <signal.h>

#include "server/net/tls/policy.h"
#include "support/certificate.h"
#include "support/net_fixture.h"
#include "support/rng.h"
#include "support/tls_client.h"
#include "tests/support/test.h"

static certificate files;
static qd_tls *tls;

static qd_tls_files server_files(void)
{
    return (qd_tls_files){.cert = files.cert, .key = files.key};
}

/* ---- a peer ---- */

typedef struct tls_peer {
    int socket;
    tls_client client;
} tls_peer;

/* Sends what the client has sealed, in pieces. */
static void send_sealed(tls_peer *peer, size_t piece)
{
    uint8_t bytes[16384];
    size_t size;

    while ((size = tls_client_take(&peer->client, bytes, piece < sizeof bytes ? piece : sizeof bytes)) > 0) {
        peer_send(peer->socket, bytes, size);
    }
}

/* Waits for bytes of the server. Returns whether any came before its end. */
static bool receive_sealed(tls_peer *peer)
{
    uint8_t bytes[16384];
    const ssize_t size = recv(peer->socket, bytes, sizeof bytes, 0);

    if (size > 0) {
        tls_client_give(&peer->client, bytes, (size_t)size);
    }
    return size > 0;
}

static bool shake_hands(tls_peer *peer, size_t piece)
{
    for (;;) {
        const bool done = tls_client_shake(&peer->client);

        send_sealed(peer, piece);
        if (done || !receive_sealed(peer)) {
            return done;
        }
    }
}

static tls_peer tls_connect(size_t piece)
{
    tls_peer peer = {.socket = peer_connect(), .client = tls_client_open(QD_TLS_ALPN)};
    const int on = 1;

    assert_int_equal(setsockopt(peer.socket, IPPROTO_TCP, 1 /* TCP_NODELAY */, &on, sizeof on), 0);
    assert_true(shake_hands(&peer, piece));
    return peer;
}

static void tls_close(tls_peer *peer)
{
    tls_client_close(&peer->client);
    peer_close(peer->socket);
}

static void tls_send(tls_peer *peer, const void *bytes, size_t size, size_t piece)
{
    assert_int_equal(SSL_write(peer->client.ssl, bytes, (int)size), size);
    send_sealed(peer, piece);
}

static bool tls_receive(tls_peer *peer, void *bytes, size_t size)
{
    uint8_t *next = bytes;

    while (size > 0) {
        size_t got = 0;

        if (SSL_read_ex(peer->client.ssl, next, size, &got) == 1) {
            next += got;
            size -= got;
        } else if (SSL_get_error(peer->client.ssl, 0) != SSL_ERROR_WANT_READ || !receive_sealed(peer)) {
            return false;
        }
        send_sealed(peer, SIZE_MAX);
    }
    return true;
}

static void expect_echo(tls_peer *peer, uint8_t fill, size_t size, size_t piece)
{
    qd_buffer *frame = frame_of(fill, size);
    uint8_t *answer = malloc(frame->size);

    assert_non_null(answer);
    tls_send(peer, frame->bytes, frame->size, piece);
    assert_true(tls_receive(peer, answer, frame->size));
    assert_memory_equal(answer, frame->bytes, frame->size);
    free(answer);
    qd_buffer_release(frame);
}

/* ---- the fixture ---- */

static int setup(void **state)
{
    fixture_setup(state);
    fixture.config.tls = tls;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    while (fixture.peer_count > 0) {
        close(fixture.peers[--fixture.peer_count]);
    }
    if (fixture.net) {
        fixture_stop_net(0);
    }
    assert_int_equal(fixture.opened, fixture.closed);
    for (uint32_t i = 0; i < fixture.opened && i < FIXTURE_LINKS_MAX; i++) {
        qd_link_release(fixture.links[i]);
    }
    return 0;
}

#define TLS_TEST(name) TEST_WITH(name, setup, teardown)

static int setup_all(void **state)
{
    char error[400];

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    if (!certificate_make(&files)) {
        return -1;
    }
    const qd_tls_files paths = server_files();
    tls = qd_tls_create(&paths, error, sizeof error);
    return tls != NULL ? 0 : -1;
}

static int teardown_all(void **state)
{
    (void)state;
    qd_tls_destroy(tls);
    certificate_remove(&files);
    return 0;
}

/* ---- frames ---- */

TLS_TEST(frames_of_every_size_are_echoed)
{
    const size_t sizes[] = {0, 1, 127, 16383, 16384, 16385, 65536, 200000, 262144, 1000000};

    fixture_start();
    tls_peer peer = tls_connect(SIZE_MAX);
    assert_string_equal(SSL_get_version(peer.client.ssl), "TLSv1.3");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        expect_echo(&peer, (uint8_t)i, sizes[i], SIZE_MAX);
    }
    tls_close(&peer);
    wait_for(&fixture.closed, 1);
    assert_int_equal(qd_net_bytes_in(fixture.net), qd_net_bytes_out(fixture.net));
}

TLS_TEST(single_bytes_make_a_handshake_and_frames)
{
    fixture_start();
    tls_peer peer = tls_connect(1);
    expect_echo(&peer, 7, 200, 1);
    expect_echo(&peer, 8, 0, 1);
    tls_close(&peer);
}

TLS_TEST(a_peer_of_tls_1_2_is_served)
{
    fixture_start();
    tls_peer peer = {.socket = peer_connect(), .client = tls_client_open(QD_TLS_ALPN)};
    SSL_set_max_proto_version(peer.client.ssl, TLS1_2_VERSION);
    assert_true(shake_hands(&peer, SIZE_MAX));
    assert_string_equal(SSL_get_version(peer.client.ssl), "TLSv1.2");
    expect_echo(&peer, 1, 100000, SIZE_MAX);

    /* It may not begin another handshake: the server goes on with the frames. */
    assert_int_equal(SSL_renegotiate(peer.client.ssl), 1);
    (void)SSL_do_handshake(peer.client.ssl);
    send_sealed(&peer, SIZE_MAX);
    assert_true(receive_sealed(&peer));
    assert_int_not_equal(SSL_do_handshake(peer.client.ssl), 1);
    tls_close(&peer);
}

static void send_much(qd_link *link, const uint8_t *bytes, size_t size)
{
    (void)bytes, (void)size;
    for (uint8_t i = 0; i < 40; i++) {
        send_and_release(link, frame_of(i, 30000), QD_LINK_REPLY);
    }
}

/* More than the system's buffers hold: most of it is written later, also while the peer changes its keys. */
TLS_TEST(a_peer_that_reads_late_gets_everything)
{
    static uint8_t bytes[30000];

    fixture.on_frame = send_much;
    fixture.config.outbox_bytes_max = 4u << 20;
    fixture.config.send_bytes = 16384;
    fixture.config.receive_bytes = 16384;
    fixture_start();
    tls_peer peer = {.socket = peer_connect_narrow(), .client = tls_client_open(QD_TLS_ALPN)};
    assert_true(shake_hands(&peer, SIZE_MAX));
    tls_send(&peer, "\x01x", 2, SIZE_MAX);
    wait_for(&fixture.frames, 1);
    assert_int_equal(SSL_key_update(peer.client.ssl, SSL_KEY_UPDATE_REQUESTED), 1);
    assert_int_equal(SSL_do_handshake(peer.client.ssl), 1);
    send_sealed(&peer, SIZE_MAX);
    for (uint8_t i = 0; i < 40; i++) {
        uint8_t prefix[3];

        assert_true(tls_receive(&peer, prefix, sizeof prefix));
        assert_true(tls_receive(&peer, bytes, sizeof bytes));
        for (size_t at = 0; at < sizeof bytes; at++) {
            assert_int_equal(bytes[at], i);
        }
    }
    tls_close(&peer);
}

TLS_TEST(an_end_comes_after_the_frames_before_it)
{
    uint8_t byte;

    fixture_start();
    tls_peer peer = tls_connect(SIZE_MAX);
    qd_buffer *frame = frame_of(3, 50000);
    uint8_t *answer = malloc(frame->size);
    assert_non_null(answer);
    assert_int_equal(SSL_write(peer.client.ssl, frame->bytes, (int)frame->size), frame->size);
    assert_int_equal(SSL_shutdown(peer.client.ssl), 0);
    send_sealed(&peer, SIZE_MAX);
    assert_true(tls_receive(&peer, answer, frame->size));
    assert_memory_equal(answer, frame->bytes, frame->size);
    assert_false(tls_receive(&peer, &byte, 1));
    assert_int_equal(SSL_get_shutdown(peer.client.ssl) & SSL_RECEIVED_SHUTDOWN, SSL_RECEIVED_SHUTDOWN);
    free(answer);
    qd_buffer_release(frame);
    tls_close(&peer);
}

/* ---- peers that do not keep to TLS ---- */

TLS_TEST(rubbish_ends_its_connection_alone)
{
    rng_stream rng = {1};

    fixture_start();
    tls_peer bystander = tls_connect(SIZE_MAX);
    for (uint32_t i = 0; i < 50; i++) {
        uint8_t bytes[300];
        const int peer = peer_connect();

        for (size_t at = 0; at < sizeof bytes; at++) {
            bytes[at] = (uint8_t)rng_below(&rng, 256);
        }
        if (i % 2 == 0) {
            memcpy(bytes, "\x16\x03\x01\x01\x00\x01", 6); /* a record with a message of a handshake */
        }
        peer_send(peer, bytes, sizeof bytes);
        assert_int_equal(shutdown(peer, SHUT_WR), 0);
        while (recv(peer, bytes, sizeof bytes, 0) > 0) {
            continue;
        }
        peer_close(peer);
        expect_echo(&bystander, (uint8_t)i, 100, SIZE_MAX);
    }
    wait_for(&fixture.closed, 50);
    assert_int_equal(count_of(&fixture.frames), 50);
    tls_close(&bystander);
}

TLS_TEST(a_handshake_cut_at_any_byte_ends_its_connection_alone)
{
    uint8_t hello[4096];
    tls_client client = tls_client_open(QD_TLS_ALPN);
    uint32_t cuts = 0;

    fixture_start();
    tls_peer bystander = tls_connect(SIZE_MAX);
    assert_false(tls_client_shake(&client));
    const size_t size = tls_client_take(&client, hello, sizeof hello);
    assert_true(size > 100);
    for (size_t cut = 0; cut < size; cut += 7, cuts++) {
        const int peer = peer_connect();

        peer_send(peer, hello, cut);
        assert_int_equal(shutdown(peer, SHUT_WR), 0);
        peer_expect_end(peer);
        peer_close(peer);
    }
    wait_for(&fixture.closed, cuts);
    expect_echo(&bystander, 1, 100, SIZE_MAX);
    tls_client_close(&client);
    tls_close(&bystander);
}

TLS_TEST(a_changed_record_ends_the_connection_with_an_alert)
{
    uint8_t bytes[200], byte;

    fixture_start();
    tls_peer peer = tls_connect(SIZE_MAX);
    assert_int_equal(SSL_write(peer.client.ssl, "\x02xy", 3), 3);
    const size_t size = tls_client_take(&peer.client, bytes, sizeof bytes);
    bytes[size - 1] ^= 1;
    peer_send(peer.socket, bytes, size);
    assert_false(tls_receive(&peer, &byte, 1));
    wait_for(&fixture.closed, 1);
    assert_int_equal(fixture.frames, 0);
    tls_close(&peer);
}

TLS_TEST(keys_that_change_again_and_again_end_the_connection)
{
    uint8_t byte;

    fixture_start();
    tls_peer peer = tls_connect(SIZE_MAX);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(SSL_key_update(peer.client.ssl, SSL_KEY_UPDATE_NOT_REQUESTED), 1);
        assert_int_equal(SSL_do_handshake(peer.client.ssl), 1);
    }
    send_sealed(&peer, SIZE_MAX);
    assert_false(tls_receive(&peer, &byte, 1));
    wait_for(&fixture.closed, 1);
    tls_close(&peer);
}

TLS_TEST(without_alpn_or_with_another_one_there_is_no_handshake)
{
    static const char *const offers[] = {NULL, "\x08http/1.1"};

    fixture_start();
    for (size_t i = 0; i < 2; i++) {
        tls_peer peer = {.socket = peer_connect(), .client = tls_client_open(offers[i])};

        assert_false(shake_hands(&peer, SIZE_MAX));
        assert_int_equal(ERR_GET_REASON(ERR_peek_error()), SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL);
        ERR_clear_error();
        tls_close(&peer);
    }
}

static void start_deadline(qd_link *link)
{
    qd_link_deadline(link, 50);
}

static void close_expired(qd_link *link)
{
    send_and_release(link, frame_of(1, 10), QD_LINK_REPLY);
    qd_link_close(link, WAIT_S * 1000);
}

/* Nothing can be sent before the handshake, so the connection does not wait for that. */
TLS_TEST(a_handshake_that_does_not_end_is_closed_at_the_deadline)
{
    fixture.on_opened = start_deadline;
    fixture.on_expired = close_expired;
    fixture_start();
    const int peer = peer_connect();
    peer_send(peer, "\x16\x03\x01", 3);
    peer_expect_end(peer);
    wait_for(&fixture.closed, 1);
}

/* ---- credentials ---- */

static void expect_certificate(const tls_peer *peer, const X509 *other, bool same)
{
    assert_int_equal(X509_cmp(SSL_get0_peer_certificate(peer->client.ssl), other) == 0, same);
}

TLS_TEST(a_reload_changes_the_certificate_of_new_connections)
{
    const qd_tls_files paths = server_files();
    char error[400];

    fixture_start();
    tls_peer before = tls_connect(SIZE_MAX);
    X509 *first = X509_dup(SSL_get0_peer_certificate(before.client.ssl));
    assert_true(certificate_renew(&files));
    qd_tls *renewed = qd_tls_create(&paths, error, sizeof error);
    assert_non_null(renewed);
    qd_tls_exchange(tls, renewed);
    qd_tls_destroy(renewed);
    tls_peer after = tls_connect(SIZE_MAX);
    expect_certificate(&after, first, false);
    expect_echo(&before, 1, 1000, SIZE_MAX);
    expect_echo(&after, 2, 1000, SIZE_MAX);

    X509_free(first);
    tls_close(&before);
    tls_close(&after);
}

TLS_TEST(a_certificate_that_is_not_there_is_named)
{
    const qd_tls_files none = {.cert = "/nowhere/cert.pem", .key = files.key};
    char error[400];

    assert_null(qd_tls_create(&none, error, sizeof error));
    assert_non_null(strstr(error, "/nowhere/cert.pem cannot be read: No such file"));
}

TEST_MAIN_WITH(setup_all, teardown_all)
