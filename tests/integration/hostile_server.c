/* SPDX-License-Identifier: Apache-2.0
 *
 * A server that sends names and texts with control characters, to the real tools: nothing of them reaches the terminal.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/codec.h"
#include "proto/framing.h"
#include "support/process.h"
#include "support/session.h"
#include "tests/support/test.h"

/* A title, a cleared screen, C1, text from right to left, no width, no UTF-8. */
#define HOSTILE "a\x1b]0;b\x07\x1b[2J\xc2\x9b\xe2\x80\xae\xe2\x80\x8b\xff"
#define PLAIN   "a\\u001b]0;b\\u0007\\u001b[2J\\u009b\\u202e\\u200b\\xff"
#define JSON    "a\\u001b]0;b\\u0007\\u001b[2J\\u009b\\u202e\\u200b\\ufffd"

typedef struct peer {
    int socket;
    qd_frame_reader reader;
    qd_decoded_client decoded;
} peer;

static void send_message(const peer *to, const qd_server_message *message)
{
    uint8_t bytes[1024];
    const size_t size = qd_server_message_size(message);

    assert_true(size <= sizeof bytes);
    qd_server_message_encode(message, bytes, size);
    assert_int_equal(send(to->socket, bytes, size, MSG_NOSIGNAL), size);
}

/* Returns the next request; NULL: the tool has closed. */
static const qd_client_message *next_request(peer *from)
{
    const uint8_t *frame;
    size_t frame_size;
    uint8_t byte;
    const uint8_t *at = &byte;
    size_t left = 0;

    while (qd_frame_reader_next(&from->reader, &at, &left, &frame, &frame_size) != QD_FRAME_OK) {
        struct pollfd ready = {.fd = from->socket, .events = POLLIN};

        assert_int_equal(poll(&ready, 1, DEADLINE_MS), 1);
        if (recv(from->socket, &byte, 1, 0) != 1) {
            return NULL;
        }
        at = &byte;
        left = 1;
    }
    qd_decoded_client_release(&from->decoded, NULL);
    assert_int_equal(qd_decode_client(frame, frame_size, NULL, &from->decoded), QD_DECODE_OK);
    return &from->decoded.message;
}

static void answer(const peer *to, const qd_client_message *request)
{
    static const qd_msg_room_info room = {.name = HOSTILE, .tick_mode = QD_TICK_MODE_STEP};
    static const qd_msg_session_info session = {.session = 1, .client = HOSTILE};

    switch (request->kind) {
    case QD_CLIENT_HELLO:
        send_message(to, &(qd_server_message){.seq = request->seq,
                                              .kind = QD_SERVER_WELCOME,
                                              .as.welcome = {.version = QD_PROTOCOL_VERSION, .server = HOSTILE}});
        return;
    case QD_CLIENT_LIST_ROOMS:
        send_message(to, &(qd_server_message){.seq = request->seq,
                                              .kind = QD_SERVER_ROOM_LIST,
                                              .as.room_list = {.rooms = &room, .count = 1}});
        return;
    case QD_CLIENT_LIST_SESSIONS:
        send_message(to, &(qd_server_message){.seq = request->seq,
                                              .kind = QD_SERVER_SESSION_LIST,
                                              .as.session_list = {.sessions = &session, .count = 1}});
        return;
    case QD_CLIENT_GET_STATS:
        send_message(to, &(qd_server_message){.kind = QD_SERVER_GO_AWAY,
                                              .as.go_away = {.reason = QD_GO_AWAY_PROTOCOL, .text = HOSTILE}});
        shutdown(to->socket, SHUT_WR);
        return;
    default:
        send_message(
            to, &(qd_server_message){.seq = request->seq,
                                     .kind = QD_SERVER_ERROR,
                                     .as.error = {.code = QD_ERROR_INVALID, .text = HOSTILE, .seq = request->seq}});
    }
}

/* Runs quadrille with the arguments, beside --server, against the hostile server. */
static qd_process *run_tool(const char *const *arguments)
{
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    char path[4096], server[64];

    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    snprintf(server, sizeof server, "127.0.0.1:%u", ntohs(address.sin_port));
    setenv("QUADRILLE_SERVER", server, 1);
    setenv("QUADRILLE_TOKEN", "a token", 1);
    snprintf(path, sizeof path, "%s/quadrille", getenv("QD_BIN"));
    qd_process *tool = qd_process_start(path, arguments);
    peer link = {.socket = accept(listener, NULL, NULL)};
    assert_true(link.socket >= 0);
    qd_frame_reader_init(&link.reader, 1u << 20, NULL);
    for (const qd_client_message *request; (request = next_request(&link)) != NULL;) {
        answer(&link, request);
    }
    qd_decoded_client_release(&link.decoded, NULL);
    qd_frame_reader_deinit(&link.reader);
    close(link.socket);
    close(listener);
    assert_true(qd_process_wait(tool, DEADLINE_MS) >= 0);
    return tool;
}

/* `expected` stands in the output or in the errors, and neither has anything but printable ASCII and newlines. */
static void expect_clean(const char *const *arguments, const char *expected)
{
    qd_process *tool = run_tool(arguments);
    const char *texts[] = {qd_process_output(tool), qd_process_errors(tool)};

    if (strstr(texts[0], expected) == NULL && strstr(texts[1], expected) == NULL) {
        fail_msg("%s: '%s' is neither in '%s' nor in '%s'", arguments[0], expected, texts[0], texts[1]);
    }
    for (size_t i = 0; i < 2; i++) {
        for (const char *at = texts[i]; *at != '\0'; at++) {
            assert_true((*at >= 0x20 && *at < 0x7f) || *at == '\n');
        }
    }
    qd_process_destroy(tool);
}

TEST(names_in_tables_are_escaped)
{
    expect_clean(QD_ARGS("rooms"), PLAIN);
    expect_clean(QD_ARGS("sessions"), PLAIN);
}

TEST(names_in_json_are_escaped)
{
    expect_clean(QD_ARGS("rooms", "--json"), "\"name\": \"" JSON "\"");
    expect_clean(QD_ARGS("sessions", "--json"), "\"client\": \"" JSON "\"");
}

TEST(texts_of_errors_are_escaped)
{
    expect_clean(QD_ARGS("close", "yard"), "refused: " PLAIN);
    expect_clean(QD_ARGS("open", "yard"), "refused: " PLAIN);
    expect_clean(QD_ARGS("ping"), "refused: " PLAIN);
    expect_clean(QD_ARGS("stats"), PLAIN);
}

TEST_MAIN()
