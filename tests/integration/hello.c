/* SPDX-License-Identifier: Apache-2.0
 *
 * The opening of a session, and the ways in which it is refused.
 */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/raw.h"
#include "support/session.h"
#include "tests/support/test.h"

static const qd_client_message ping = {.seq = 5, .kind = QD_CLIENT_PING, .as.ping.data = 7};

SESSION_TEST(hello_is_answered_with_welcome)
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
    assert_int_equal(welcome->limits.visible_entries_max, 4u << 20);
    assert_int_equal(welcome->limits.roster_ids_max, 4u << 20);
    assert_int_equal(welcome->limits.name_bytes_max, 64);
    assert_int_equal(welcome->limits.queue_bytes_max, 8u << 20);
    session_expect_quiet(one);
}

SESSION_TEST(other_message_before_hello_ends_the_connection)
{
    raw_link *raw = raw_open(ADDRESS);

    raw_send_message(raw, &ping);
    raw_expect_end(raw, QD_ERROR_NO_HELLO, "Hello");
}

static void send_hello(raw_link *raw, uint64_t seq, uint32_t version, size_t token_bytes, size_t name_bytes)
{
    char token[300] = "", name[300] = "";

    memset(token, 'x', token_bytes);
    memset(name, 'x', name_bytes);
    raw_send_message(raw, &(qd_client_message){.seq = seq,
                                               .kind = QD_CLIENT_HELLO,
                                               .as.hello = {.version = version, .token = token, .client = name}});
}

SESSION_TEST(hello_with_wrong_version_is_refused)
{
    const uint32_t versions[] = {0, 2, UINT32_MAX};

    for (int i = 0; i < 3; i++) {
        raw_link *raw = raw_open(ADDRESS);

        send_hello(raw, 1, versions[i], 0, 0);
        /* The server ignores all bytes behind it. */
        raw_send_message(raw, &ping);
        raw_expect_end(raw, QD_ERROR_VERSION, "must be 1");
    }
}

/* A refused Hello may be sent again, an accepted one may not. */
SESSION_TEST(hello_is_refused_until_its_strings_fit)
{
    raw_link *raw = raw_open(ADDRESS);

    send_hello(raw, 1, QD_PROTOCOL_VERSION, 0, 65);
    raw_expect_error(raw, 1, QD_ERROR_INVALID, "client has 65 bytes");
    send_hello(raw, 2, QD_PROTOCOL_VERSION, 257, 0);
    raw_expect_error(raw, 2, QD_ERROR_INVALID, "token has 257 bytes");
    send_hello(raw, 3, QD_PROTOCOL_VERSION, 256, 64);
    raw_expect(raw, 3, QD_SERVER_WELCOME);
    send_hello(raw, 9, QD_PROTOCOL_VERSION, 0, 0);
    raw_expect_error(raw, 9, QD_ERROR_INVALID, "once");
    raw_send_message(raw, &ping);
    assert_int_equal(raw_expect(raw, 5, QD_SERVER_PONG)->as.pong.data, 7);
}

SESSION_TEST(long_frame_before_hello_is_refused)
{
    /* At the limit it is read (and is no Hello); above it the length alone is enough. */
    static uint8_t bytes[QD_FRAME_BYTES_BEFORE_HELLO] = {0x78}; /* field 15, a varint ... */
    uint8_t prefix[QD_FRAME_PREFIX_BYTES_MAX];

    memset(bytes + 1, 0x80, sizeof bytes - 1); /* ... that never ends */
    raw_link *raw = raw_open(ADDRESS);
    raw_send_frame(raw, bytes, sizeof bytes);
    raw_expect_end(raw, QD_ERROR_MALFORMED, NULL);
    raw = raw_open(ADDRESS);
    raw_send(raw, prefix, qd_frame_prefix_write(QD_FRAME_BYTES_BEFORE_HELLO + 1, prefix));
    raw_expect_end(raw, QD_ERROR_FRAME_TOO_LONG, "8192");
}

static void write_file(char *path, const char *text)
{
    int file = mkstemp(path);

    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

SESSION_TEST(token_decides_access)
{
    char tokens[] = "/tmp/quadrille-test-XXXXXX";

    write_file(tokens, "first-token\nsecond-token writer room*\nadmin-token admin\nlooker reader\n");
    qd_process *server = session_start(QD_ARGS("--token-file", tokens, "--address-failed-tokens-max", "1000"));
    const char *address = qd_server_address(server);
    const char *wrong[] = {NULL, "", "first", "first-token ", "first-token\nsecond-token", "no"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        session_expect_refused(address, wrong[i], "token");
        session_expect_refused(address, wrong[i], "UNAUTHENTICATED");
    }
    qd_client *maker = session_open_with(address, "first-token"), *other = session_open_with(address, "second-token");
    qd_client *admin = session_open_with(address, "admin-token");
    uint64_t room = session_open_room(maker, "room", NULL);
    session_join(other, "room");
    session_join(admin, "room");
    session_expect_error(other, qd_client_close_room(other, room), QD_ERROR_NOT_ALLOWED, NULL);
    qd_client *looker = session_open_with(address, "looker");
    session_join(looker, "room");
    session_expect_error(looker, qd_client_step(looker, room, 0), QD_ERROR_NOT_ALLOWED, "reader");
    session_expect_error(other, qd_client_open_room(other, "lobby", NULL), QD_ERROR_NOT_ALLOWED, "pattern");
    session_expect(admin, qd_client_close_room(admin, room), QD_SERVER_ROOM_CLOSED);
    remove(tokens);
}

SESSION_TEST(connection_above_connections_max_is_refused)
{
    const char *address = qd_server_address(session_start(QD_ARGS("--connections-max", "2")));

    session_bystander_open(address);
    raw_link *second = raw_open_session(address), *third = raw_open(address);
    const qd_msg_go_away *go_away = &raw_expect(third, 0, QD_SERVER_GO_AWAY)->as.go_away;
    assert_int_equal(go_away->reason, QD_GO_AWAY_FULL);
    assert_non_null(strstr(go_away->text, "the server has 2 connections"));
    assert_non_null(strstr(go_away->text, "--connections-max"));
    assert_null(raw_next(third));
    session_expect_refused(address, NULL, "--connections-max");

    /* After one disconnects, and the server noticed it, another may connect. */
    raw_close(second);
    for (bool in = false; !in;) {
        qd_client *client = qd_client_create();

        in = qd_client_connect(client, address, NULL, NULL, DEADLINE_MS) == QD_CLIENT_OK;
        qd_client_destroy(client);
    }
}

TEST_MAIN_WITH(session_server_setup, session_server_teardown)
