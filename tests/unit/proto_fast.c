/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast path against the generic one. Decoding: the fast path takes whatever encoders write, whatever the values,
 * and leaves everything unusual to protobuf-c. Encoding: both paths write the same bytes.
 */
#include "proto/decode_fast.h"
#include "proto/encode_fast.h"
#include "proto/generic.h"
#include "proto_random.h"

static bool is_encoded_fast(side of, int kind)
{
    return of == CLIENT ? kind == QD_CLIENT_MOVE || kind == QD_CLIENT_MOVE_ROSTER || kind == QD_CLIENT_MOVE_ROOMS ||
                              kind == QD_CLIENT_STEP
                        : kind == QD_SERVER_TICK || kind == QD_SERVER_APPLIED || kind == QD_SERVER_VIEW;
}

static bool is_decoded_fast(side of, int kind)
{
    return of == CLIENT && is_encoded_fast(of, kind);
}

/* The generic path encodes the message to the same frame. */
static void expect_same_encoding(const test_message *message, int kind, const test_frame *frame)
{
    const bool is_client = message->side == CLIENT;
    const qd_client_message *client = &message->as.client;
    const qd_server_message *server = &message->as.server;
    uint8_t *bytes = malloc(frame->size);

    assert_int_equal(is_client ? qd_client_size_fast(client) : qd_server_size_fast(server),
                     is_encoded_fast(message->side, kind) ? frame->size : 0);
    assert_int_equal(is_client ? qd_client_size_generic(client) : qd_server_size_generic(server), frame->size);
    if (is_client) {
        qd_encode_client_generic(client, bytes, frame->size);
    } else {
        qd_encode_server_generic(server, bytes, frame->size);
    }
    assert_memory_equal(bytes, frame->bytes, frame->size);
    free(bytes);
}

/* ---- decoding ---- */

/* The codec decodes the frame to a message that encodes to it again. */
static void expect_decoded(const test_message *message, int kind, const test_frame *frame)
{
    test_decoded decoded;

    decode(message->side, frame->body, frame->body_size, &decoded);
    assert_int_equal(decoded.result, QD_DECODE_OK);
    assert_int_equal(decoded.kind, kind);
    test_frame again = encode(&decoded.message);
    assert_int_equal(again.size, frame->size);
    assert_memory_equal(again.bytes, frame->bytes, frame->size);
    free(again.bytes);
    release(&decoded);
}

static void expect_path(int kind, const test_frame *frame)
{
    qd_decoded_client decoded;
    qd_decode_result result;

    assert_int_equal(qd_decode_client_fast(frame->body, frame->body_size, NULL, &decoded, &result),
                     is_decoded_fast(CLIENT, kind));
    if (is_decoded_fast(CLIENT, kind)) {
        assert_int_equal(result, QD_DECODE_OK);
    }
    qd_move_frame move;
    assert_int_equal(qd_read_move_frame(frame->body, frame->body_size, &move),
                     kind == QD_CLIENT_MOVE && !decoded.message.confirm);
    qd_decoded_client_release(&decoded, NULL);
}

TEST(random_message_decodes_to_itself)
{
    static const uint32_t counts[] = {1, 2, 3, 31, 32, 100, 4095, 4096, VALUES_MAX};

    FOR_EACH_KIND(of, kind)
    {
        for (uint32_t i = 0; i < 5 * COUNT_OF(counts); i++) {
            filler f = {FILL_VALID, counts[i % COUNT_OF(counts)], {i}};
            const test_message message = random_message(of, kind, &f);
            test_frame frame = encode(&message);

            print_message("%s kind %d, seed %u\n", of == CLIENT ? "client" : "server", kind, i);
            expect_same_encoding(&message, kind, &frame);
            expect_decoded(&message, kind, &frame);
            if (of == CLIENT) {
                expect_path(kind, &frame);
                assert_int_equal(qd_client_frame_seq(frame.body, frame.body_size), message.as.client.seq);
            }
            free(frame.bytes);
        }
    }
}

TEST(unusual_frame_takes_the_generic_path)
{
    static const struct {
        const char *bytes;
        size_t size;
        qd_decode_result result;
    } cases[] = {
        {RAW(""), QD_DECODE_OK},                                                     /* no message */
        {RAW("\x42\x00"), QD_DECODE_OK},                                             /* a Move of nothing */
        {RAW("\x7a\x02\x08\x01\x08\x01"), QD_DECODE_OK},                             /* the seq behind the message */
        {RAW("\x7a\x04\x10\x01\x08\x01"), QD_DECODE_OK},                             /* fields descend */
        {RAW("\x7a\x04\x08\x01\x08\x02"), QD_DECODE_OK},                             /* one comes twice */
        {RAW("\x7a\x04\x08\x01\x18\x02"), QD_DECODE_OK},                             /* one is unknown */
        {RAW("\x7a\x04\x08\x01"), QD_DECODE_MALFORMED},                              /* cut short */
        {RAW("\x7a\x0b\x08\x81\x80\x80\x80\x80\x80\x80\x80\x80\x01"), QD_DECODE_OK}, /* the longest number */
        {RAW("\x42\x0f\x15\1\0\0\0\x1d\0\0\0\0\x25\0\0\0\0"), QD_DECODE_OK},         /* columns that are not packed */
        {RAW("\x42\x0c\x12\x04\1\0\0\0\x1a\x04\0\0\0\0"), QD_DECODE_COLUMNS},        /* y is missing */
        {RAW("\x42\x16\x12\x04\1\0\0\0\x1a\x08\0\0\0\0\0\0\0\0\x22\x04\0\0\0\0"), QD_DECODE_COLUMNS}, /* x is longer */
        {RAW("\x42\x11\x12\x04\1\0\0\0\x1a\x03\0\0\0\x22\x04\0\0\0\0"), QD_DECODE_MALFORMED},         /* x is cut */
        {RAW("\x42\x14\x12\x04\1\0\0\0\x1a\x04\0\0\0\0\x22\x04\0\0\0\0\x2a\x00"), QD_DECODE_OK},      /* z is empty */
        {RAW("\x7a\x02\x08\x01\xf8\x01\x02"), QD_DECODE_OK},                         /* true is another number */
        {RAW("\xf8\x01\x01\x7a\x02\x08\x01"), QD_DECODE_OK},                         /* confirm before the message */
        {RAW("\xf2\x01\x06\x22\x04\0\0\0\0"), QD_DECODE_COLUMNS},                    /* y is missing */
        {RAW("\x92\x02\x00"), QD_DECODE_OK},                                         /* a MoveRooms without parts */
        {RAW("\x92\x02\x0a\x0a\x08\1\0\0\0\0\0\0\0"), QD_DECODE_COLUMNS},            /* part_size is missing */
        {RAW("\x92\x02\x10\x0a\x08\1\0\0\0\0\0\0\0\x12\x04\0\0\0\0"), QD_DECODE_OK}, /* a part of nothing */
        {RAW("\x92\x02\x0c\x0a\x04\1\0\0\0\x12\x04\0\0\0\0"), QD_DECODE_MALFORMED},  /* half a room */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        qd_decoded_client decoded;
        qd_decode_result result;

        print_message("case %zu\n", i);
        qd_move_frame move;

        assert_false(qd_read_move_frame(cases[i].bytes, cases[i].size, &move));
        assert_false(qd_decode_client_fast(cases[i].bytes, cases[i].size, NULL, &decoded, &result));
        assert_null(decoded.memory);
        assert_int_equal(result_of(CLIENT, cases[i].bytes, cases[i].size), cases[i].result);
    }
}

/* ---- encoding ---- */

/* Messages with and without each field, and columns with and without values. */
TEST(fast_encoding_is_the_generic_one)
{
    FOR_EACH_KIND(of, kind)
    {
        for (uint32_t i = 0; is_encoded_fast(of, kind) && i < 20000; i++) {
            filler f = {FILL_ANY, 5000, {i}};
            const test_message message = random_message(of, kind, &f);
            test_frame frame = encode(&message);

            expect_same_encoding(&message, kind, &frame);
            free(frame.bytes);
        }
    }
}

TEST(other_messages_have_no_fast_encoding)
{
    uint8_t bytes[32];
    const qd_server_message pong = {.kind = QD_SERVER_PONG, .as.pong = {.data = 1}};

    assert_int_equal(qd_server_size_fast(&pong), 0);
    assert_false(qd_encode_server_fast(&pong, bytes, sizeof bytes));
    const qd_client_message ping = {.kind = QD_CLIENT_PING, .as.ping = {.data = 1}};
    assert_int_equal(qd_client_size_fast(&ping), 0);
    assert_false(qd_encode_client_fast(&ping, bytes, sizeof bytes));
}

TEST(seq_is_found_when_it_comes_first)
{
    assert_int_equal(qd_client_frame_seq("\x08\x96\x01\x8a\x01", 5), 150);
    assert_int_equal(qd_client_frame_seq("\x08\xff\xff\xff\xff\x0f", 6), UINT32_MAX);
    assert_int_equal(qd_client_frame_seq("", 0), 0);
    assert_int_equal(qd_client_frame_seq("\x08", 1), 0);
    assert_int_equal(qd_client_frame_seq("\x08\xff\xff\xff\xff", 5), 0);
    assert_true(qd_client_frame_seq("\x08\xff\xff\xff\xff\xff\xff\xff\x0f", 9) == QD_SEQ_MAX);
    assert_int_equal(qd_client_frame_seq("\x1a\x00\x08\x05", 4), 0);
}

TEST_MAIN_WITH(make_values, NULL)
