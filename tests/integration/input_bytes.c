/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that are no frames of the protocol: an Error names the reason, the connection ends, and no other one notices.
 */

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "support/raw.h"
#include "support/rng.h"
#include "support/session.h"
#include "tests/support/test.h"

#define ADDRESS qd_server_address(session_server)

static session_witness witness;

static int open_all(void **state)
{
    session_server_setup(state);
    session_witness_open(&witness, ADDRESS);
    return 0;
}

static int close_all(void **state)
{
    session_witness_close(&witness);
    return session_server_teardown(state);
}

/* ---- protobuf by hand ---- */

#define FIELD_MOVE 8u /* of ClientFrame */

struct wire {
    uint8_t *bytes;
    size_t size, capacity;
};

static void put_bytes(struct wire *wire, const void *bytes, size_t size)
{
    if (wire->size + size > wire->capacity) {
        wire->capacity = 2 * (wire->size + size);
        wire->bytes = realloc(wire->bytes, wire->capacity);
        assert_non_null(wire->bytes);
    }
    if (size > 0) {
        memcpy(wire->bytes + wire->size, bytes, size);
    }
    wire->size += size;
}

static void put_varint(struct wire *wire, uint64_t value)
{
    do {
        uint8_t byte = (uint8_t)(value & 0x7f) | (value > 0x7f ? 0x80 : 0);

        put_bytes(wire, &byte, 1);
        value >>= 7;
    } while (value > 0);
}

static void put_number(struct wire *wire, uint32_t field, uint64_t value)
{
    put_varint(wire, field << 3);
    put_varint(wire, value);
}

static void put_fixed32(struct wire *wire, uint32_t field, uint32_t value)
{
    put_varint(wire, field << 3 | 5);
    put_bytes(wire, &value, 4);
}

static void put_sized(struct wire *wire, uint32_t field, const void *bytes, size_t size)
{
    put_varint(wire, field << 3 | 2);
    put_varint(wire, size);
    put_bytes(wire, bytes, size);
}

/* A ClientFrame with that seq, and `inner` as its field `field`. Frees `inner`. */
static struct wire envelope(uint32_t seq, uint32_t field, struct wire inner)
{
    struct wire frame = {0};

    put_number(&frame, 1, seq);
    put_sized(&frame, field, inner.bytes, inner.size);
    free(inner.bytes);
    return frame;
}

static void send_wire(raw_link *raw, struct wire frame)
{
    raw_send_frame(raw, frame.bytes, frame.size);
    free(frame.bytes);
}

/* ---- the stream ---- */

TEST(connection_with_malformed_bytes_is_ended)
{
    static const struct {
        qd_error_code code;
        const char *words;
        size_t size;
        uint8_t bytes[12];
        bool without_hello;
    } rows[] = {
        /* lengths that do not end, with and without Hello, and one that is longer than it must be */
        {QD_ERROR_MALFORMED, "varint", 6, {0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, true},
        {QD_ERROR_MALFORMED, "varint", 6, {0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, false},
        {QD_ERROR_MALFORMED, "varint", 2, {0x80, 0x00}, false},
        /* the limit and one, and the largest numbers of 32 and of 35 bits */
        {QD_ERROR_FRAME_TOO_LONG, "--frame-max", 4, {0x81, 0x80, 0x80, 0x02}, false},
        {QD_ERROR_FRAME_TOO_LONG, "--frame-max", 5, {0xff, 0xff, 0xff, 0xff, 0x0f}, false},
        {QD_ERROR_FRAME_TOO_LONG, "--frame-max", 5, {0xff, 0xff, 0xff, 0xff, 0x7f}, false},
        /* a number where the move should be */
        {QD_ERROR_MALFORMED, NULL, 3, {2, FIELD_MOVE << 3, 1}, false},
        /* a column whose size is no multiple of its values' */
        {QD_ERROR_MALFORMED, NULL, 12, {11, 8, 1, FIELD_MOVE << 3 | 2, 7, 0x12, 5, '1', '2', '3', '4', '5'}, false},
        /* a field that reaches beyond its message */
        {QD_ERROR_MALFORMED, NULL, 4, {3, FIELD_MOVE << 3 | 2, 0xe8, 0x07}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        raw_link *raw = rows[i].without_hello ? raw_open(ADDRESS) : raw_open_session(ADDRESS);

        raw_send(raw, rows[i].bytes, rows[i].size);
        raw_expect_end(raw, rows[i].code, rows[i].words);
        raw_close(raw);
    }
    session_witness_check(&witness);
}

/* A sender disconnects within a frame: at every byte of a short one. */
TEST(truncated_frame_disturbs_nobody)
{
    const qd_client_message ping = {.seq = 5, .kind = QD_CLIENT_PING, .as.ping.data = 7};
    uint8_t bytes[64];
    size_t size = qd_client_message_encode(&ping, bytes, qd_client_message_size(&ping));

    for (size_t cut = 1; cut < size; cut++) {
        raw_link *raw = raw_open_session(ADDRESS);

        raw_send(raw, bytes, cut);
        if (cut % 2 == 0) {
            shutdown(raw->socket, SHUT_WR);
        }
        raw_close(raw);
    }
    /* One that ends only its side still gets the end of the other. */
    raw_link *raw = raw_open_session(ADDRESS);
    raw_send(raw, bytes, size - 1);
    shutdown(raw->socket, SHUT_WR);
    assert_null(raw_next(raw));
    raw_close(raw);
    session_witness_check(&witness);
}

/* A truncated frame is logged at level debug; an end between two frames is not. */
TEST(truncated_frame_is_logged)
{
    const uint8_t part[] = {200, 1, 0, 0};
    qd_process *server = qd_server_start(QD_ARGS("--log-level", "debug"));

    for (size_t size = 0; size <= sizeof part; size++) {
        raw_link *raw = raw_open_session(qd_server_address(server));

        raw_send(raw, part, size);
        shutdown(raw->socket, SHUT_WR);
        assert_null(raw_next(raw));
        raw_close(raw);
    }
    qd_process_signal(server, SIGTERM);
    assert_int_equal(qd_process_wait(server, DEADLINE_MS), 0);
    size_t count = 0;
    for (const char *at = qd_process_errors(server); (at = strstr(at, "cuts off a frame peer=")) != NULL; at++) {
        count++;
    }
    assert_int_equal(count, sizeof part);
    qd_process_destroy(server);
}

/* A frame may come in pieces of any size. */
TEST(frame_in_single_bytes_is_answered)
{
    const qd_client_message ping = {.seq = 5, .kind = QD_CLIENT_PING, .as.ping.data = 7};
    uint8_t bytes[64];
    size_t size = qd_client_message_encode(&ping, bytes, qd_client_message_size(&ping));
    raw_link *raw = raw_open_session(ADDRESS);

    for (size_t i = 0; i < size; i++) {
        raw_send(raw, &bytes[i], 1);
    }
    const qd_server_message *message = raw_next(raw);
    assert_non_null(message);
    assert_int_equal(message->as.pong.data, 7);
    raw_close(raw);
}

TEST(garbage_ends_the_connection)
{
    rng_stream rng = {1};

    for (int round = 0; round < 200; round++) {
        uint8_t bytes[512];

        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = (uint8_t)rng_draw(&rng);
        }
        raw_link *raw = round % 2 == 0 ? raw_open(ADDRESS) : raw_open_session(ADDRESS);
        raw_send(raw, bytes, 1 + rng_below(&rng, sizeof bytes));
        shutdown(raw->socket, SHUT_WR);
        /* The server may send anything first, but it closes the connection. */
        while (raw_next(raw) != NULL) {
            continue;
        }
        raw_close(raw);
    }
    session_witness_check(&witness);
}

/* The request of an HTTP client. */
TEST(another_protocol_ends_the_connection)
{
    const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    raw_link *raw = raw_open(ADDRESS);

    raw_send(raw, request, sizeof request - 1);
    shutdown(raw->socket, SHUT_WR);
    while (raw_next(raw) != NULL) {
        continue;
    }
    raw_close(raw);
    session_witness_check(&witness);
}

/* ---- the frame ---- */

TEST(envelope_without_message_is_refused)
{
    raw_link *raw = raw_open_session(ADDRESS);

    raw_send_frame(raw, NULL, 0);
    raw_expect_error(raw, 0, QD_ERROR_UNKNOWN_MESSAGE, NULL);
    struct wire frame = {0};
    put_number(&frame, 1, 12);
    send_wire(raw, frame);
    raw_expect_error(raw, 12, QD_ERROR_UNKNOWN_MESSAGE, NULL);
    /* A message of a later protocol. */
    send_wire(raw, envelope(13, 100, (struct wire){0}));
    raw_expect_error(raw, 13, QD_ERROR_UNKNOWN_MESSAGE, NULL);
    raw_close(raw);
    session_witness_check(&witness);
}

/* ---- frames that would take much memory ---- */

/* Nearly 4 MiB of tiny fields: unpacked naively, each takes dozens of times its size. A frame is decoded within twice
 * its size, so that a server with little memory does not come near its limit. */
static void bomb(void (*put)(struct wire *wire))
{
    qd_process *server = qd_server_start(QD_ARGS("--memory-max", "64M"));
    const char *address = qd_server_address(server);
    qd_client *bystander = session_open(address);

    for (int i = 0; i < 4; i++) {
        struct wire move = {0};

        while (move.size < (4u << 20) - 64) {
            put(&move);
        }
        raw_link *raw = raw_open_session(address);
        send_wire(raw, envelope(1, FIELD_MOVE, move));
        raw_expect_end(raw, QD_ERROR_MALFORMED, NULL);
        raw_close(raw);
        session_expect_quiet(bystander);
    }
    qd_client_destroy(bystander);
    session_server_stop(server);
}

static void put_unknown(struct wire *wire)
{
    put_number(wire, 15, 0);
}

static void put_unpacked_id(struct wire *wire)
{
    put_fixed32(wire, 2, 7);
}

static void put_empty_column(struct wire *wire)
{
    put_sized(wire, 2, NULL, 0);
}

TEST(frame_of_unknown_fields_is_refused_in_little_memory)
{
    bomb(put_unknown);
}

TEST(frame_of_unpacked_values_is_refused_in_little_memory)
{
    bomb(put_unpacked_id);
}

TEST(frame_of_empty_columns_is_refused_in_little_memory)
{
    bomb(put_empty_column);
}

/* A short unpacked column is what an old encoder writes: taken. */
TEST(short_unpacked_column_is_taken)
{
    raw_link *raw = raw_open_session(ADDRESS);
    struct wire move = {0};

    put_number(&move, 1, 12345);
    for (uint32_t i = 0; i < 3; i++) {
        put_fixed32(&move, 2, i);
    }
    for (uint32_t field = 3; field <= 4; field++) {
        for (uint32_t i = 0; i < 3; i++) {
            put_fixed32(&move, field, 0);
        }
    }
    send_wire(raw, envelope(4, FIELD_MOVE, move));
    raw_expect_error(raw, 4, QD_ERROR_UNKNOWN_ROOM, "12345");
    raw_close(raw);
}

TEST_MAIN_WITH(open_all, close_all)
