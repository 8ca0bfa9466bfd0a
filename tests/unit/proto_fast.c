/* SPDX-License-Identifier: Apache-2.0
 *
 * Moves, which are decoded without protobuf-c: what encoders write is, whatever is in it; and all that is unusual is
 * left to protobuf-c. Both ways give the same, byte for byte when it is encoded again. So do both ways to encode what
 * ticks bring.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/decode_usual.h"
#include "proto/encode_usual.h"
#include "proto/framing.h"
#include "support/counted_memory.h"

#define COUNT_MAX 40000u

static uint32_t ids[COUNT_MAX + 1];
static float values[3][COUNT_MAX];

static int fill(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT_MAX; i++) {
        ids[i] = i * 2654435761u;
        for (uint32_t k = 0; k < 3; k++) {
            values[k][i] = (float)(int32_t)(ids[i] >> k) / 3;
        }
    }
    return 0;
}

/* ---- both ways ---- */

static uint8_t *encode(const qd_client_message *message, size_t *size)
{
    uint8_t *bytes = malloc(qd_client_message_size(message));

    assert_non_null(bytes);
    *size = qd_client_message_encode(message, bytes);
    return bytes;
}

static void expect_same(const qd_client_message *a, const qd_client_message *b)
{
    size_t a_size, b_size;
    uint8_t *a_bytes = encode(a, &a_size), *b_bytes = encode(b, &b_size);

    assert_int_equal(a_size, b_size);
    assert_memory_equal(a_bytes, b_bytes, a_size);
    free(b_bytes);
    free(a_bytes);
}

/* It is encoded to the same bytes both ways, and decoded in the usual one. */
static void expect_usual(const qd_client_message *message)
{
    size_t size;
    uint8_t *bytes = encode(message, &size), *any = malloc(size);

    assert_int_equal(qd_encode_client_usual(message, NULL), size);
    assert_int_equal(qd_encode_client_any(message, NULL), size);
    assert_int_equal(qd_encode_client_any(message, any), size);
    assert_memory_equal(bytes, any, size);
    free(any);
    qd_frame_reader reader;
    const uint8_t *at = bytes, *frame;
    size_t left = size, frame_size;
    qd_frame_reader_init(&reader, size, NULL);
    assert_int_equal(qd_frame_reader_next(&reader, &at, &left, &frame, &frame_size), QD_FRAME_OK);

    assert_int_equal(qd_client_frame_seq(frame, frame_size), message->seq);

    counted_memory counted;
    counted_memory_init(&counted);
    qd_decoded_client decoded;
    qd_decode_result result;
    assert_true(qd_decode_usual(frame, frame_size, &counted.memory, &decoded, &result));
    assert_int_equal(result, QD_DECODE_OK);
    assert_int_equal(decoded.message.kind, message->kind);
    assert_int_equal(decoded.message.seq, message->seq);
    expect_same(&decoded.message, message);
    /* Whatever the frame is aligned to, columns are for their type. */
    if (message->kind == QD_CLIENT_MOVE) {
        assert_int_equal((uintptr_t)decoded.message.as.batch.entities.x % _Alignof(float), 0);
    }
    qd_decoded_client_release(&decoded, &counted.memory);
    assert_int_equal(counted.bytes, 0);
    qd_frame_reader_deinit(&reader);
    free(bytes);
}

/* A frame that protobuf-c is to decode; the two agree about whether it is right. */
static void expect_unusual(const char *bytes, size_t size, qd_decode_result expected)
{
    qd_decoded_client decoded;
    qd_decode_result result;

    assert_false(qd_decode_usual(bytes, size, NULL, &decoded, &result));
    assert_null(decoded.memory);
    assert_int_equal(qd_decode_client(bytes, size, NULL, &decoded), expected);
    qd_decoded_client_release(&decoded, NULL);
}

#define UNUSUAL(bytes, expected) expect_unusual(bytes, sizeof(bytes) - 1, expected)

/* ---- the tests ---- */

static void what_encoders_write_is_usual(void **state)
{
    (void)state;
    const uint32_t counts[] = {1, 2, 3, 31, 32, 100, 4095, 4096, COUNT_MAX};
    const uint64_t rooms[] = {0, 1, 127, 128, UINT64_C(1) << 32, (UINT64_C(1) << 63) - 1};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (uint32_t has_z = 0; has_z < 2; has_z++) {
            const float *z = has_z ? values[2] : NULL;
            const uint64_t room = rooms[i % (sizeof rooms / sizeof *rooms)];
            const uint32_t seq = i % 2 == 0 ? 0 : UINT32_MAX - (uint32_t)i;

            expect_usual(&(qd_client_message){
                .seq = seq,
                .kind = QD_CLIENT_MOVE,
                .as.batch = {.room = room,
                             .entities = {.count = counts[i], .id = ids, .x = values[0], .y = values[1], .z = z}}});
            expect_usual(&(qd_client_message){.seq = seq,
                                              .kind = QD_CLIENT_ROSTER_MOVE,
                                              .as.roster_move = {.room = room,
                                                                 .roster = has_z * 7,
                                                                 .first = has_z * UINT32_MAX,
                                                                 .count = counts[i],
                                                                 .x = values[0],
                                                                 .y = values[1],
                                                                 .z = z,
                                                                 .teleport = i % 3 == 0}});
            expect_usual(&(qd_client_message){
                .seq = seq, .kind = QD_CLIENT_STEP, .as.step = {.room = room, .tick = has_z * (uint64_t)counts[i]}});
        }
    }
}

static void the_rest_is_left_to_protobuf(void **state)
{
    (void)state;
    UNUSUAL("", QD_DECODE_OK);                                                     /* no message */
    UNUSUAL("\x42\x00", QD_DECODE_OK);                                             /* a Move of nothing */
    UNUSUAL("\x7a\x02\x08\x01\x08\x01", QD_DECODE_OK);                             /* the seq behind the message */
    UNUSUAL("\x7a\x04\x10\x01\x08\x01", QD_DECODE_OK);                             /* fields descend */
    UNUSUAL("\x7a\x04\x08\x01\x08\x02", QD_DECODE_OK);                             /* one comes twice */
    UNUSUAL("\x7a\x04\x08\x01\x18\x02", QD_DECODE_OK);                             /* one is unknown */
    UNUSUAL("\x7a\x04\x08\x01", QD_DECODE_MALFORMED);                              /* cut short */
    UNUSUAL("\x7a\x0b\x08\x81\x80\x80\x80\x80\x80\x80\x80\x80\x01", QD_DECODE_OK); /* the longest number */
    UNUSUAL("\x42\x0f\x15\1\0\0\0\x1d\0\0\0\0\x25\0\0\0\0", QD_DECODE_OK);         /* columns that are not packed */
    UNUSUAL("\x42\x0c\x12\x04\1\0\0\0\x1a\x04\0\0\0\0", QD_DECODE_COLUMNS);        /* y is missing */
    UNUSUAL("\x42\x16\x12\x04\1\0\0\0\x1a\x08\0\0\0\0\0\0\0\0\x22\x04\0\0\0\0", QD_DECODE_COLUMNS); /* x is longer */
    UNUSUAL("\x42\x11\x12\x04\1\0\0\0\x1a\x03\0\0\0\x22\x04\0\0\0\0", QD_DECODE_MALFORMED);         /* x is cut */
    UNUSUAL("\x42\x14\x12\x04\1\0\0\0\x1a\x04\0\0\0\0\x22\x04\0\0\0\0\x2a\x00", QD_DECODE_OK);      /* z is empty */
    UNUSUAL("\xf2\x01\x0e\x22\x04\0\0\0\0\x2a\x04\0\0\0\0\x38\x02", QD_DECODE_OK); /* true is another number */
    UNUSUAL("\xf2\x01\x06\x22\x04\0\0\0\0", QD_DECODE_COLUMNS);                    /* y is missing */
}

static void without_memory_that_is_the_result(void **state)
{
    (void)state;
    counted_memory counted;
    counted_memory_init(&counted);
    counted.fail_at = 1;
    const char bytes[] = "\x42\x12\x12\x04\1\0\0\0\x1a\x04\0\0\0\0\x22\x04\0\0\0\0";
    qd_decoded_client decoded;
    assert_int_equal(qd_decode_client(bytes, sizeof bytes - 1, &counted.memory, &decoded), QD_DECODE_NO_MEMORY);
    qd_decoded_client_release(&decoded, &counted.memory);
}

/* ---- encoding ---- */

static void expect_both_ways(const qd_server_message *message)
{
    const size_t size = qd_encode_server_any(message, NULL);

    assert_int_equal(qd_encode_server_usual(message, NULL), size);
    uint8_t *usual = malloc(size), *any = malloc(size);
    assert_int_equal(qd_encode_server_usual(message, usual), size);
    assert_int_equal(qd_encode_server_any(message, any), size);
    assert_memory_equal(usual, any, size);
    free(any);
    free(usual);
}

/* Of a bit for each field: with all that it may have, or without it. */
static void both_ways_encode_the_same(void **state)
{
    (void)state;
    const uint64_t numbers[] = {1, 127, 128, UINT32_MAX, UINT64_MAX};
    static const uint64_t late[] = {1, 0, UINT64_MAX};
    for (uint32_t fields = 0; fields < 1u << 13; fields++) {
        const uint64_t number = numbers[fields % 5];
        const uint32_t count = fields % 7 == 0 ? 5000 : fields % 50 + 1;
#define IF(bit, value) ((fields >> (bit)&1) * (value))
#define PAIRS(bit)     {IF(bit, count), ids, ids + 1}
        expect_both_ways(&(qd_server_message){.seq = IF(0, (uint32_t)number),
                                              .kind = QD_SERVER_TICK,
                                              .as.tick = {.room = IF(1, number),
                                                          .tick = IF(2, number),
                                                          .reset = IF(3, 1),
                                                          .last = IF(4, 1),
                                                          .skipped = IF(5, (uint32_t)number),
                                                          .suspended = IF(6, 1),
                                                          .suspended_count = IF(6, number),
                                                          .ends = PAIRS(7),
                                                          .end_reason = (const uint8_t *)ids,
                                                          .begins = PAIRS(8),
                                                          .passed = PAIRS(9),
                                                          .stays = PAIRS(10),
                                                          .merged_ticks = IF(11, number),
                                                          .passed_lost = IF(12, 1)}});
        expect_both_ways(&(qd_server_message){.seq = IF(0, (uint32_t)number),
                                              .kind = QD_SERVER_APPLIED,
                                              .as.applied = {.room = IF(1, number),
                                                             .tick = IF(2, number),
                                                             .seq = IF(3, (uint32_t)number),
                                                             .late_listed = IF(4, 3),
                                                             .late = late,
                                                             .late_count = IF(5, (uint32_t)number)}});
    }
    const qd_server_message pong = {.kind = QD_SERVER_PONG, .as.pong = {.data = 1}};
    assert_int_equal(qd_encode_server_usual(&pong, NULL), 0);
    const qd_client_message ping = {.kind = QD_CLIENT_PING, .as.ping = {.data = 1}};
    assert_int_equal(qd_encode_client_usual(&ping, NULL), 0);
}

static void a_seq_is_found_where_it_comes_first(void **state)
{
    (void)state;
    assert_int_equal(qd_client_frame_seq("\x08\x96\x01\x8a\x01", 5), 150);
    assert_int_equal(qd_client_frame_seq("\x08\xff\xff\xff\xff\x0f", 6), UINT32_MAX);
    assert_int_equal(qd_client_frame_seq("", 0), 0);
    assert_int_equal(qd_client_frame_seq("\x08", 1), 0);
    assert_int_equal(qd_client_frame_seq("\x08\xff\xff\xff\xff", 5), 0);
    assert_int_equal(qd_client_frame_seq("\x08\xff\xff\xff\xff\x1f", 6), 0); /* 2^33 - 1 */
    assert_int_equal(qd_client_frame_seq("\x1a\x00\x08\x05", 4), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_encoders_write_is_usual),        cmocka_unit_test(the_rest_is_left_to_protobuf),
        cmocka_unit_test(without_memory_that_is_the_result),   cmocka_unit_test(both_ways_encode_the_same),
        cmocka_unit_test(a_seq_is_found_where_it_comes_first),
    };

    return cmocka_run_group_tests(tests, fill, NULL);
}
