/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes in, messages out: wherever the stream is cut; in order, or by their seq; and what ends the session.
 */

#include <stdlib.h>
#include <string.h>

#include "proto/codec.h"
#include "quadrille.h"
#include "tests/support/test.h"

static const uint32_t ids_a[] = {1, 2, 3}, ids_b[] = {7, 8, 9};
static const uint8_t reasons[] = {QD_END_DESPAWNED, QD_END_MOVED_APART, QD_END_EXPIRED};
static const float numbers[] = {1.5f, -2, 1e9f};
static const uint8_t shapes[] = {QD_SHAPE_BOX, QD_SHAPE_CIRCLE, QD_SHAPE_BOX};

static const qd_server_message welcome = {
    .seq = 1,
    .kind = QD_SERVER_WELCOME,
    .as.welcome = {.version = 1, .server = "a server", .session = 77, .limits.frame_bytes_max = 4u << 20}};
static const qd_server_message opened = {
    .seq = 2,
    .kind = QD_SERVER_ROOM_OPENED,
    .as.room_opened = {.room = 5, .name = "arena", .config.tick_hz = 20, .epoch = UINT64_MAX, .created = true}};
static const qd_server_message tick_begins = {
    .kind = QD_SERVER_TICK,
    .as.tick = {.room = 5, .tick = 1, .reset = true, .last = true, .begins = {.count = 3, .a = ids_a, .b = ids_b}}};
static const qd_server_message tick_ends = {
    .kind = QD_SERVER_TICK,
    .as.tick = {
        .room = 5, .tick = 2, .last = true, .ends = {.count = 3, .a = ids_a, .b = ids_b}, .end_reason = reasons}};
static const qd_server_message applied = {
    .seq = 9, .kind = QD_SERVER_APPLIED, .as.applied = {.room = 5, .tick = 2, .seq = 9}};
static const qd_server_message snapshot = {.seq = 4,
                                           .kind = QD_SERVER_SNAPSHOT_RESULT,
                                           .as.snapshot_result = {.room = 5,
                                                                  .entities = {.count = 3,
                                                                               .id = ids_a,
                                                                               .x = numbers,
                                                                               .y = numbers,
                                                                               .half_x = numbers,
                                                                               .half_y = numbers,
                                                                               .shape = shapes,
                                                                               .category = ids_a,
                                                                               .mask = ids_b},
                                                                  .last = true}};
static const qd_server_message refused = {
    .seq = 6,
    .kind = QD_SERVER_ERROR,
    .as.error = {.code = QD_ERROR_UNKNOWN_ROOM, .text = "no room 12 is open", .seq = 6, .room = 12}};
static const qd_server_message pong = {.seq = 10, .kind = QD_SERVER_PONG, .as.pong.data = 42};
static const qd_server_message broken = {
    .seq = 3, .kind = QD_SERVER_ERROR, .as.error = {.code = QD_ERROR_MALFORMED, .text = "no frame", .seq = 3}};
static const qd_server_message shutdown_notice = {
    .kind = QD_SERVER_GO_AWAY, .as.go_away = {.reason = QD_GO_AWAY_SHUTDOWN, .text = "closing time"}};
static const qd_server_message rude = {.kind = QD_SERVER_GO_AWAY,
                                       .as.go_away = {.reason = QD_GO_AWAY_PROTOCOL, .text = "you broke it"}};
static const qd_server_message full = {.kind = QD_SERVER_GO_AWAY,
                                       .as.go_away = {.reason = QD_GO_AWAY_FULL, .text = "1024 connections are there"}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Encoded messages, one behind the other. */
struct stream {
    uint8_t bytes[4096];
    size_t size;
};

static void append(struct stream *stream, const qd_server_message *message)
{
    const size_t size = qd_server_message_size(message);

    assert_true(stream->size + size <= sizeof stream->bytes);
    stream->size += qd_server_message_encode(message, stream->bytes + stream->size, size);
}

static void feed(qd_client *client, const qd_server_message *message)
{
    struct stream stream = {.size = 0};

    append(&stream, message);
    qd_client_input(client, stream.bytes, stream.size);
}

/* Takes all messages and writes them again. */
static void take_all(qd_client *client, struct stream *stream)
{
    for (const qd_server_message *message; (message = qd_client_next(client)) != NULL;) {
        append(stream, message);
    }
}

static void expect_equal(const struct stream *taken, const struct stream *expected)
{
    assert_int_equal(taken->size, expected->size);
    assert_memory_equal(taken->bytes, expected->bytes, expected->size);
}

static void all_messages(struct stream *stream)
{
    const qd_server_message *messages[] = {&welcome, &opened,   &tick_begins, &tick_ends,
                                           &applied, &snapshot, &refused,     &pong};

    for (size_t i = 0; i < COUNT(messages); i++) {
        append(stream, messages[i]);
    }
}

TEST(stream_cut_anywhere_gives_its_messages)
{
    struct stream sent = {.size = 0};

    all_messages(&sent);
    for (size_t cut = 0; cut <= sent.size; cut++) {
        /* Copies of exactly that size, so that a sanitizer sees a read beyond the piece. */
        size_t sizes[] = {cut, sent.size - cut};
        const uint8_t *from[] = {sent.bytes, sent.bytes + cut};
        qd_client *client = qd_client_create();
        struct stream taken = {.size = 0};

        for (int i = 0; i < 2; i++) {
            uint8_t *piece = malloc(sizes[i] > 0 ? sizes[i] : 1);

            memcpy(piece, from[i], sizes[i]);
            assert_int_equal(qd_client_input(client, piece, sizes[i]), QD_CLIENT_OK);
            free(piece);
            take_all(client, &taken);
        }
        expect_equal(&taken, &sent);
        qd_client_destroy(client);
    }
}

TEST(answers_leave_other_messages_in_order)
{
    struct stream sent = {.size = 0};

    all_messages(&sent);
    qd_client *client = qd_client_create();
    qd_client_input(client, sent.bytes, sent.size);

    /* The last, one from the middle, the first; then none of that number. */
    assert_int_equal(qd_client_answer(client, pong.seq, 0)->as.pong.data, 42);
    assert_int_equal(qd_client_answer(client, refused.seq, 0)->as.error.code, QD_ERROR_UNKNOWN_ROOM);
    assert_int_equal(qd_client_answer(client, welcome.seq, 0)->kind, QD_SERVER_WELCOME);
    assert_null(qd_client_answer(client, welcome.seq, 0));
    assert_null(qd_client_answer(client, 4711, 0));
    /* The seq of a request that was not queued, and of ticks. */
    assert_null(qd_client_answer(client, 0, -1));

    const qd_server_message *left[] = {&opened, &tick_begins, &tick_ends, &applied, &snapshot};
    struct stream expected = {.size = 0}, taken = {.size = 0};
    for (size_t i = 0; i < COUNT(left); i++) {
        append(&expected, left[i]);
    }
    take_all(client, &taken);
    expect_equal(&taken, &expected);

    /* The line goes on behind its emptied end. */
    feed(client, &pong);
    assert_int_equal(qd_client_wait(client, 0)->kind, QD_SERVER_PONG);
    assert_null(qd_client_wait(client, 0));
    qd_client_destroy(client);
}

TEST(applied_answers_the_request_with_its_seq)
{
    qd_client *client = qd_client_create();
    qd_server_message unnumbered = applied;

    unnumbered.seq = 0;
    feed(client, &unnumbered);
    assert_null(qd_client_answer(client, 8, 0));
    assert_int_equal(qd_client_answer(client, 9, 0)->as.applied.tick, 2);
    qd_client_destroy(client);
}

TEST(message_stays_valid_during_requests)
{
    qd_client *client = qd_client_create();

    feed(client, &tick_begins);
    const qd_server_message *message = qd_client_next(client);
    for (int i = 0; i < 1000; i++) {
        assert_int_not_equal(qd_client_step(client, message->as.tick.room, 0), 0);
    }
    feed(client, &pong);
    assert_memory_equal(message->as.tick.begins.b, ids_b, sizeof ids_b);
    qd_client_destroy(client);
}

TEST(welcome_is_kept)
{
    qd_client *client = qd_client_create();

    assert_null(qd_client_welcome(client));
    feed(client, &welcome);
    assert_int_equal(qd_client_next(client)->kind, QD_SERVER_WELCOME);
    assert_null(qd_client_next(client));
    assert_string_equal(qd_client_welcome(client)->server, "a server");
    assert_int_equal(qd_client_welcome(client)->session, 77);
    assert_int_equal(qd_client_welcome(client)->limits.frame_bytes_max, 4u << 20);
    qd_client_destroy(client);
}

/* After the end: its words, no requests, no further messages, but those that had come. */
static void expect_ended(qd_client *client, qd_client_status status, const char *words, size_t message_count)
{
    assert_int_equal(qd_client_state(client), status);
    if (strstr(qd_client_error(client), words) == NULL) {
        fail_msg("'%s' does not say '%s'", qd_client_error(client), words);
    }
    assert_int_equal(qd_client_ping(client, 1), 0);
    size_t size;
    assert_null(qd_client_output(client, &size));
    feed(client, &pong);
    assert_int_equal(qd_client_state(client), status);
    for (size_t i = 0; i < message_count; i++) {
        assert_non_null(qd_client_next(client));
    }
    assert_null(qd_client_next(client));
    qd_client_destroy(client);
}

TEST(connection_error_ends_the_session)
{
    qd_client *client = qd_client_create();

    feed(client, &refused);
    assert_int_equal(qd_client_state(client), QD_CLIENT_OK);
    assert_string_equal(qd_client_error(client), "");
    feed(client, &broken);
    expect_ended(client, QD_CLIENT_ERR_REFUSED, "no frame (MALFORMED)", 2);
}

TEST(bytes_after_the_end_are_ignored)
{
    struct stream stream = {.size = 0};

    append(&stream, &broken);
    append(&stream, &full);
    qd_client *client = qd_client_create();
    qd_client_input(client, stream.bytes, stream.size);
    expect_ended(client, QD_CLIENT_ERR_REFUSED, "no frame (MALFORMED)", 1);
}

TEST(go_away_ends_the_session)
{
    qd_client *client = qd_client_create();

    feed(client, &full);
    expect_ended(client, QD_CLIENT_ERR_REFUSED, "1024 connections are there", 1);

    /* The error names the Error message that broke the protocol. */
    client = qd_client_create();
    feed(client, &refused);
    feed(client, &rude);
    expect_ended(client, QD_CLIENT_ERR_REFUSED, "no room 12 is open (UNKNOWN_ROOM)", 2);
    client = qd_client_create();
    feed(client, &rude);
    expect_ended(client, QD_CLIENT_ERR_REFUSED, "you broke it", 1);

    /* A server that stops may still send; then it closes. */
    client = qd_client_create();
    feed(client, &shutdown_notice);
    assert_int_equal(qd_client_state(client), QD_CLIENT_OK);
    feed(client, &tick_ends);
    assert_int_equal(qd_client_input_end(client), QD_CLIENT_ERR_CLOSED);
    expect_ended(client, QD_CLIENT_ERR_CLOSED, "closing time", 2);

    client = qd_client_create();
    assert_int_equal(qd_client_input_end(client), QD_CLIENT_ERR_CLOSED);
    expect_ended(client, QD_CLIENT_ERR_CLOSED, "closed the connection", 0);
}

static void expect_malformed(const uint8_t *bytes, size_t size, const char *words)
{
    qd_client *client = qd_client_create();

    assert_int_equal(qd_client_input(client, bytes, size), QD_CLIENT_ERR_PROTOCOL);
    expect_ended(client, QD_CLIENT_ERR_PROTOCOL, words, 0);
}

TEST(malformed_bytes_end_the_session)
{
    expect_malformed((const uint8_t[]){0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 6, "varint");
    expect_malformed((const uint8_t[]){0x81, 0x80, 0x80, 0x01}, 4, "2097153"); /* 2 MiB + 1 */
    expect_malformed((const uint8_t[]){3, 0xff, 0xff, 0xff}, 4, "3 bytes");

    /* Columns that do not fit each other are a fault of the server, too. */
    struct stream stream = {.size = 0};
    append(&stream, &tick_ends);
    uint8_t *reason_size = memchr(stream.bytes, 3, stream.size);
    while (reason_size != NULL && memcmp(reason_size + 1, reasons, sizeof reasons) != 0) {
        reason_size = memchr(reason_size + 1, 3, (size_t)(stream.bytes + stream.size - reason_size) - 1);
    }
    assert_non_null(reason_size);
    /* One reason less: shorten the column, the message and the frame by a byte. */
    *reason_size = 2;
    memmove(reason_size + 3, reason_size + 4, (size_t)(stream.bytes + stream.size - reason_size) - 4);
    stream.bytes[0]--;
    stream.bytes[2]--;
    expect_malformed(stream.bytes, stream.size - 1, "ServerFrame");
}

TEST(ping_is_answered_and_not_shown)
{
    static const qd_server_message ping = {.kind = QD_SERVER_PING, .as.pong.data = 99};
    struct stream stream = {.size = 0};
    qd_client *client = qd_client_create();
    qd_decoded_client decoded;
    size_t size;

    append(&stream, &ping);
    append(&stream, &pong);
    assert_int_equal(qd_client_input(client, stream.bytes, stream.size), QD_CLIENT_OK);
    assert_int_equal(qd_client_next(client)->kind, QD_SERVER_PONG);
    assert_null(qd_client_next(client));
    const uint8_t *output = qd_client_output(client, &size);
    assert_int_equal(output[0], size - 1);
    assert_int_equal(qd_decode_client(output + 1, size - 1, NULL, &decoded), QD_DECODE_OK);
    assert_int_equal(decoded.message.kind, QD_CLIENT_PONG);
    assert_int_equal(decoded.message.seq, 0);
    assert_true(decoded.message.as.ping.data == 99);
    qd_decoded_client_release(&decoded, NULL);
    qd_client_destroy(client);
}

TEST_MAIN()
