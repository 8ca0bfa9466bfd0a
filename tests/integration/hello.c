/* SPDX-License-Identifier: Apache-2.0
 *
 * The opening of a session, and all the ways in which it is refused.
 */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/raw.h"
#include "support/session.h"
#include "tests/support/test.h"

#define ADDRESS qd_server_address(session_server)

static const qd_client_message ping = {.seq = 5, .kind = QD_CLIENT_PING, .as.ping.data = 7};

static void send_hello(raw_link *raw, uint32_t seq, uint32_t version, const char *token, const char *name)
{
    const qd_client_message hello = {
        .seq = seq, .kind = QD_CLIENT_HELLO, .as.hello = {.version = version, .token = token, .client = name}};

    raw_send_message(raw, &hello);
}

TEST(hello_is_answered_with_welcome)
{
    qd_client *one = session_open(ADDRESS), *two = session_open(ADDRESS);
    const qd_msg_welcome *welcome = qd_client_welcome(one);

    assert_int_equal(welcome->version, 1);
    assert_non_null(strstr(welcome->server, "quadrille-server "));
    assert_int_not_equal(welcome->session, qd_client_welcome(two)->session);
    /* The defaults that the documentation names. */
    assert_int_equal(welcome->limits.frame_bytes_max, 4u << 20);
    assert_int_equal(welcome->limits.rooms_max, 65536);
    assert_int_equal(welcome->limits.entities_max, 4u << 20);
    assert_int_equal(welcome->limits.events_max, 1u << 20);
    assert_int_equal(welcome->limits.observers_max, 16384);
    assert_int_equal(welcome->limits.sightings_max, 4u << 20);
    assert_int_equal(welcome->limits.roster_ids_max, 4u << 20);
    assert_int_equal(welcome->limits.name_bytes_max, 64);
    assert_int_equal(welcome->limits.queue_bytes_max, 8u << 20);
    session_expect_quiet(one);
    qd_client_destroy(one);
    qd_client_destroy(two);
}

TEST(connection_without_hello_is_closed)
{
    /* A connection that sends nothing, one that stops within its first frame, one that begins with another message. */
    raw_link *silent = raw_open(ADDRESS), *slow = raw_open(ADDRESS), *rude = raw_open(ADDRESS);

    raw_send(slow, (const uint8_t[]){100, 8, 1}, 3);
    raw_send_message(rude, &ping);
    raw_expect_end(rude, QD_ERROR_NO_HELLO, "Hello");
    raw_expect_end(silent, QD_ERROR_NO_HELLO, "2000 ms");
    raw_expect_end(slow, QD_ERROR_NO_HELLO, "2000 ms");
    raw_close(silent);
    raw_close(slow);
    raw_close(rude);
}

TEST(second_hello_is_refused)
{
    raw_link *raw = raw_open_session(ADDRESS);

    send_hello(raw, 9, QD_PROTOCOL_VERSION, NULL, NULL);
    raw_expect_error(raw, 9, QD_ERROR_INVALID, "once");
    raw_send_message(raw, &ping);
    const qd_server_message *message = raw_next(raw);
    assert_non_null(message);
    assert_int_equal(message->kind, QD_SERVER_PONG);
    assert_int_equal(message->seq, 5);
    assert_int_equal(message->as.pong.data, 7);
    raw_close(raw);
}

TEST(hello_with_wrong_version_is_refused)
{
    const uint32_t versions[] = {0, 2, UINT32_MAX};

    for (int i = 0; i < 3; i++) {
        raw_link *raw = raw_open(ADDRESS);

        send_hello(raw, 1, versions[i], NULL, NULL);
        /* The server ignores all bytes behind it. */
        raw_send_message(raw, &ping);
        raw_expect_end(raw, QD_ERROR_VERSION, "speaks version 1");
        raw_close(raw);
    }
}

TEST(hello_with_long_strings_is_refused)
{
    char text[400];

    memset(text, 'x', sizeof text);
    text[64] = '\0';
    raw_link *raw = raw_open(ADDRESS);
    send_hello(raw, 1, QD_PROTOCOL_VERSION, NULL, text);
    const qd_server_message *message = raw_next(raw);
    assert_non_null(message);
    assert_int_equal(message->kind, QD_SERVER_WELCOME);
    raw_close(raw);

    /* A refused Hello may be sent again. */
    raw = raw_open(ADDRESS);
    text[64] = 'x';
    text[65] = '\0';
    send_hello(raw, 1, QD_PROTOCOL_VERSION, NULL, text);
    raw_expect_error(raw, 1, QD_ERROR_INVALID, "client has 65 bytes");
    text[65] = 'x';
    text[257] = '\0';
    send_hello(raw, 2, QD_PROTOCOL_VERSION, text, NULL);
    raw_expect_error(raw, 2, QD_ERROR_INVALID, "token has 257 bytes");
    text[256] = '\0';
    send_hello(raw, 3, QD_PROTOCOL_VERSION, text, NULL);
    message = raw_next(raw);
    assert_non_null(message);
    assert_int_equal(message->kind, QD_SERVER_WELCOME);
    raw_close(raw);

    /* For the library, one refusal is enough. */
    qd_client *client = qd_client_create();
    text[256] = 'x';
    assert_int_equal(qd_client_connect(client, ADDRESS, text, NULL, DEADLINE_MS), QD_CLIENT_ERR_REFUSED);
    assert_non_null(strstr(qd_client_error(client), "token has 257 bytes"));
    qd_client_destroy(client);
}

TEST(long_frame_before_hello_is_refused)
{
    /* At the limit it is read (and is no Hello); above it the length alone is enough. */
    static uint8_t bytes[QD_FRAME_BYTES_BEFORE_HELLO] = {0x78}; /* field 15, a varint ... */

    memset(bytes + 1, 0x80, sizeof bytes - 1); /* ... that never ends */
    raw_link *raw = raw_open(ADDRESS);
    raw_send_frame(raw, bytes, sizeof bytes);
    raw_expect_end(raw, QD_ERROR_MALFORMED, NULL);
    raw_close(raw);

    uint8_t prefix[QD_FRAME_PREFIX_BYTES_MAX];
    raw = raw_open(ADDRESS);
    raw_send(raw, prefix, qd_frame_prefix_write(QD_FRAME_BYTES_BEFORE_HELLO + 1, prefix));
    raw_expect_end(raw, QD_ERROR_FRAME_TOO_LONG, "8192");
    raw_close(raw);
}

/* A file with these lines; removed by the caller. */
static void write_file(char *path, const char *text)
{
    int file = mkstemp(path);

    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

static qd_client *open_with(const char *address, const char *token)
{
    qd_client *client = qd_client_create();

    if (qd_client_connect(client, address, token, NULL, DEADLINE_MS) != QD_CLIENT_OK) {
        fail_msg("token '%s': %s", token, qd_client_error(client));
    }
    return client;
}

TEST(token_decides_access)
{
    char users[] = "/tmp/quadrille-test-XXXXXX", admins[] = "/tmp/quadrille-test-XXXXXX";

    write_file(users, "first-token\nsecond-token\n");
    write_file(admins, "admin-token\n");
    qd_process *server = qd_server_start(QD_ARGS("--token-file", users, "--admin-token-file", admins));
    const char *address = qd_server_address(server);
    const char *wrong[] = {NULL, "", "first", "first-token ", "first-token\nsecond-token", "no"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        qd_client *client = qd_client_create();

        assert_int_equal(qd_client_connect(client, address, wrong[i], NULL, DEADLINE_MS), QD_CLIENT_ERR_REFUSED);
        assert_non_null(strstr(qd_client_error(client), "token"));
        assert_non_null(strstr(qd_client_error(client), "UNAUTHENTICATED"));
        qd_client_destroy(client);
    }

    /* Only a room's creator, a session with the creator's token, and an admin may close it. */
    qd_client *maker = open_with(address, "first-token"), *same = open_with(address, "first-token");
    qd_client *other = open_with(address, "second-token"), *admin = open_with(address, "admin-token");
    for (int round = 0; round < 2; round++) {
        uint64_t room = session_open_room(maker, "room", NULL);

        session_join(other, "room");
        session_expect_error(other, qd_client_close_room(other, room), QD_ERROR_NOT_ALLOWED, NULL);
        qd_client *closer = round == 0 ? same : admin;
        session_join(closer, "room");
        session_expect(closer, qd_client_close_room(closer, room), QD_SERVER_ROOM_CLOSED);
    }
    qd_client_destroy(maker);
    qd_client_destroy(same);
    qd_client_destroy(other);
    qd_client_destroy(admin);
    session_server_stop(server);
    remove(users);
    remove(admins);
}

TEST(connection_above_connections_max_is_refused)
{
    qd_process *server = qd_server_start(QD_ARGS("--connections-max", "3"));
    const char *address = qd_server_address(server);
    session_witness witness;

    session_witness_open(&witness, address);
    raw_link *two = raw_open_session(address), *three = raw_open_session(address);
    for (int i = 0; i < 20; i++) {
        raw_link *raw = raw_open(address);
        const qd_server_message *message = raw_next(raw);

        assert_non_null(message);
        assert_int_equal(message->kind, QD_SERVER_GO_AWAY);
        assert_int_equal(message->as.go_away.reason, QD_GO_AWAY_FULL);
        assert_non_null(strstr(message->as.go_away.text, "--connections-max"));
        assert_null(raw_next(raw));
        raw_close(raw);
    }
    qd_client *refused = qd_client_create();
    assert_int_equal(qd_client_connect(refused, address, NULL, NULL, DEADLINE_MS), QD_CLIENT_ERR_REFUSED);
    assert_non_null(strstr(qd_client_error(refused), "--connections-max"));
    qd_client_destroy(refused);
    session_witness_check(&witness);

    /* After one disconnects, and the server noticed it, another may connect. */
    raw_close(two);
    for (bool in = false; !in;) {
        refused = qd_client_create();
        in = qd_client_connect(refused, address, NULL, NULL, DEADLINE_MS) == QD_CLIENT_OK;
        qd_client_destroy(refused);
    }
    raw_close(three);
    session_witness_close(&witness);
    session_server_stop(server);
}

TEST_MAIN_WITH(session_server_setup, session_server_teardown)
