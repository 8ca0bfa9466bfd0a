/* SPDX-License-Identifier: Apache-2.0 */
#include "raw.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "session.h"

static raw_link *all;

raw_link *raw_open(const char *address)
{
    char host[256];
    const char *colon = strrchr(address, ':');

    assert_non_null(colon);
    assert_true((size_t)(colon - address) < sizeof host);
    memcpy(host, address, (size_t)(colon - address));
    host[colon - address] = '\0';
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST}, *info;
    assert_int_equal(getaddrinfo(host, colon + 1, &hints, &info), 0);
    raw_link *new = calloc(1, sizeof *new);
    assert_non_null(new);
    new->socket = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(new->socket >= 0);
    assert_int_equal(connect(new->socket, info->ai_addr, info->ai_addrlen), 0);
    freeaddrinfo(info);
    qd_frame_reader_init(&new->reader, QD_SERVER_FRAME_BYTES_MAX, NULL);
    new->next = all;
    all = new;
    return new;
}

raw_link *raw_open_session(const char *address)
{
    raw_link *new = raw_open(address);
    const qd_client_message hello = {.seq = 1, .kind = QD_CLIENT_HELLO, .as.hello = {.version = QD_PROTOCOL_VERSION}};

    raw_send_message(new, &hello);
    raw_expect(new, 1, QD_SERVER_WELCOME);
    return new;
}

void raw_close(raw_link *raw)
{
    raw_link **link = &all;

    while (*link != raw) {
        link = &(*link)->next;
    }
    *link = raw->next;
    close(raw->socket);
    qd_decoded_server_release(&raw->decoded, NULL);
    qd_frame_reader_deinit(&raw->reader);
    free(raw);
}

void raw_close_all(void)
{
    while (all != NULL) {
        raw_close(all);
    }
}

void raw_send(raw_link *raw, const void *bytes, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(raw->socket, bytes, size, MSG_NOSIGNAL);

        if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) {
            return;
        }
        assert_true(sent > 0);
        bytes = (const uint8_t *)bytes + sent;
        size -= (size_t)sent;
    }
}

void raw_send_frame(raw_link *raw, const void *bytes, size_t size)
{
    uint8_t prefix[QD_FRAME_PREFIX_BYTES_MAX];

    raw_send(raw, prefix, qd_frame_prefix_write((uint32_t)size, prefix));
    raw_send(raw, bytes, size);
}

void raw_send_message(raw_link *raw, const qd_client_message *message)
{
    const size_t size = qd_client_message_size(message);
    uint8_t *bytes = malloc(size);

    assert_non_null(bytes);
    raw_send(raw, bytes, qd_client_message_encode(message, bytes, size));
    free(bytes);
}

/* Waits for bytes; false: the server has closed. */
static bool receive(raw_link *raw)
{
    struct pollfd ready = {.fd = raw->socket, .events = POLLIN};

    if (poll(&ready, 1, DEADLINE_MS) != 1) {
        fail_msg("nothing came within %d ms", DEADLINE_MS);
    }
    ssize_t size = recv(raw->socket, raw->received, sizeof raw->received, 0);
    /* A reset is an end like another: bytes of ours that the server did not read any more cause it. */
    if (size <= 0 && (size == 0 || errno == ECONNRESET)) {
        return false;
    }
    assert_true(size > 0);
    raw->at = raw->received;
    raw->left = (size_t)size;
    return true;
}

const qd_server_message *raw_next_bytes(raw_link *raw, const uint8_t **frame, size_t *frame_size)
{
    for (;;) {
        qd_frame_result result = qd_frame_reader_next(&raw->reader, &raw->at, &raw->left, frame, frame_size);

        if (result == QD_FRAME_OK) {
            break;
        }
        assert_int_equal(result, QD_FRAME_MORE);
        if (!receive(raw)) {
            return NULL;
        }
    }
    qd_decoded_server_release(&raw->decoded, NULL);
    assert_int_equal(qd_decode_server(*frame, *frame_size, NULL, &raw->decoded), QD_DECODE_OK);
    return &raw->decoded.message;
}

const qd_server_message *raw_next(raw_link *raw)
{
    const uint8_t *frame;
    size_t frame_size;

    return raw_next_bytes(raw, &frame, &frame_size);
}

const qd_server_message *raw_expect(raw_link *raw, uint64_t seq, qd_server_kind kind)
{
    const qd_server_message *message = raw_next(raw);

    assert_non_null(message);
    assert_int_equal(message->kind, kind);
    assert_int_equal(message->seq, seq);
    return message;
}

static void expect_error(raw_link *raw, qd_error_code code, const char *word)
{
    const qd_server_message *message = raw_next(raw);

    if (message == NULL) {
        fail_msg("%s: the server closed without an Error", qd_error_code_name(code));
    }
    assert_int_equal(message->kind, QD_SERVER_ERROR);
    assert_string_equal(qd_error_code_name(message->as.error.code), qd_error_code_name(code));
    assert_int_equal(message->as.error.seq, message->seq);
    assert_int_not_equal(message->as.error.text[0], '\0');
    if (word != NULL && strstr(message->as.error.text, word) == NULL) {
        fail_msg("the text '%s' has no '%s'", message->as.error.text, word);
    }
}

void raw_expect_error(raw_link *raw, uint64_t seq, qd_error_code code, const char *word)
{
    expect_error(raw, code, word);
    assert_int_equal(raw->decoded.message.seq, seq);
}

void raw_expect_end(raw_link *raw, qd_error_code code, const char *word)
{
    expect_error(raw, code, word);
    assert_int_equal(raw_expect(raw, 0, QD_SERVER_GO_AWAY)->as.go_away.reason, QD_GO_AWAY_PROTOCOL);
    assert_null(raw_next(raw));
}
