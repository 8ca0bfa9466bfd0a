/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast path against the generic one. Decoding: the fast path takes whatever encoders write, whatever the values,
 * and leaves everything unusual to protobuf-c. Encoding: both paths write the same bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/decode_fast.h"
#include "proto/encode_fast.h"
#include "proto/framing.h"
#include "proto/generic.h"
#include "support/counted_memory.h"
#include "tests/support/test.h"

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

/* ---- decoding ---- */

static uint8_t *encode(const qd_client_message *message, size_t *size)
{
    *size = qd_client_message_size(message);
    uint8_t *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(qd_client_message_encode(message, bytes, *size), *size);
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

/* Both paths encode the message to the same bytes, and the fast path decodes them. */
static void expect_fast(const qd_client_message *message)
{
    size_t size;
    uint8_t *bytes = encode(message, &size), *generic = malloc(size);

    assert_int_equal(qd_client_size_fast(message), size);
    assert_int_equal(qd_client_size_generic(message), size);
    qd_encode_client_generic(message, generic, size);
    assert_memory_equal(bytes, generic, size);
    free(generic);
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
    assert_true(qd_decode_client_fast(frame, frame_size, &counted.memory, &decoded, &result));
    assert_int_equal(result, QD_DECODE_OK);
    assert_int_equal(decoded.message.kind, message->kind);
    assert_int_equal(decoded.message.seq, message->seq);
    expect_same(&decoded.message, message);
    /* Columns are aligned for their type, whatever the alignment of the frame. */
    if (message->kind == QD_CLIENT_MOVE) {
        assert_int_equal((uintptr_t)decoded.message.as.batch.entities.x % _Alignof(float), 0);
    }
    qd_decoded_client_release(&decoded, &counted.memory);
    assert_int_equal(counted.bytes, 0);
    qd_frame_reader_deinit(&reader);
    free(bytes);
}

/* The fast path leaves the frame to the generic path, whose result is `expected`. */
static void expect_generic(const char *bytes, size_t size, qd_decode_result expected)
{
    qd_decoded_client decoded;
    qd_decode_result result;

    assert_false(qd_decode_client_fast(bytes, size, NULL, &decoded, &result));
    assert_null(decoded.memory);
    assert_int_equal(qd_decode_client(bytes, size, NULL, &decoded), expected);
    qd_decoded_client_release(&decoded, NULL);
}

#define GENERIC(bytes, expected) expect_generic(bytes, sizeof(bytes) - 1, expected)

TEST(frame_of_an_encoder_takes_the_fast_path)
{
    const uint32_t counts[] = {1, 2, 3, 31, 32, 100, 4095, 4096, COUNT_MAX};
    const uint64_t rooms[] = {0, 1, 127, 128, UINT64_C(1) << 32, (UINT64_C(1) << 63) - 1};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (uint32_t has_z = 0; has_z < 2; has_z++) {
            const float *z = has_z ? values[2] : NULL;
            const uint64_t room = rooms[i % (sizeof rooms / sizeof *rooms)];
            const uint32_t seq = i % 2 == 0 ? 0 : UINT32_MAX - (uint32_t)i;

            expect_fast(&(qd_client_message){
                .seq = seq,
                .kind = QD_CLIENT_MOVE,
                .as.batch = {.room = room,
                             .entities = {.count = counts[i], .id = ids, .x = values[0], .y = values[1], .z = z}}});
            expect_fast(&(qd_client_message){.seq = seq,
                                             .kind = QD_CLIENT_ROSTER_MOVE,
                                             .as.roster_move = {.room = room,
                                                                .roster = has_z * 7,
                                                                .first = has_z * UINT32_MAX,
                                                                .count = counts[i],
                                                                .x = values[0],
                                                                .y = values[1],
                                                                .z = z,
                                                                .teleport = i % 3 == 0}});
            expect_fast(&(qd_client_message){
                .seq = seq, .kind = QD_CLIENT_STEP, .as.step = {.room = room, .tick = has_z * (uint64_t)counts[i]}});
        }
    }
}

TEST(unusual_frame_takes_the_generic_path)
{
    GENERIC("", QD_DECODE_OK);                                                     /* no message */
    GENERIC("\x42\x00", QD_DECODE_OK);                                             /* a Move of nothing */
    GENERIC("\x7a\x02\x08\x01\x08\x01", QD_DECODE_OK);                             /* the seq behind the message */
    GENERIC("\x7a\x04\x10\x01\x08\x01", QD_DECODE_OK);                             /* fields descend */
    GENERIC("\x7a\x04\x08\x01\x08\x02", QD_DECODE_OK);                             /* one comes twice */
    GENERIC("\x7a\x04\x08\x01\x18\x02", QD_DECODE_OK);                             /* one is unknown */
    GENERIC("\x7a\x04\x08\x01", QD_DECODE_MALFORMED);                              /* cut short */
    GENERIC("\x7a\x0b\x08\x81\x80\x80\x80\x80\x80\x80\x80\x80\x01", QD_DECODE_OK); /* the longest number */
    GENERIC("\x42\x0f\x15\1\0\0\0\x1d\0\0\0\0\x25\0\0\0\0", QD_DECODE_OK);         /* columns that are not packed */
    GENERIC("\x42\x0c\x12\x04\1\0\0\0\x1a\x04\0\0\0\0", QD_DECODE_COLUMNS);        /* y is missing */
    GENERIC("\x42\x16\x12\x04\1\0\0\0\x1a\x08\0\0\0\0\0\0\0\0\x22\x04\0\0\0\0", QD_DECODE_COLUMNS); /* x is longer */
    GENERIC("\x42\x11\x12\x04\1\0\0\0\x1a\x03\0\0\0\x22\x04\0\0\0\0", QD_DECODE_MALFORMED);         /* x is cut */
    GENERIC("\x42\x14\x12\x04\1\0\0\0\x1a\x04\0\0\0\0\x22\x04\0\0\0\0\x2a\x00", QD_DECODE_OK);      /* z is empty */
    GENERIC("\xf2\x01\x0e\x22\x04\0\0\0\0\x2a\x04\0\0\0\0\x38\x02", QD_DECODE_OK); /* true is another number */
    GENERIC("\xf2\x01\x06\x22\x04\0\0\0\0", QD_DECODE_COLUMNS);                    /* y is missing */
}

TEST(decode_without_memory_reports_it)
{
    counted_memory counted;

    counted_memory_init(&counted);
    counted.fail_at = 1;
    const char bytes[] = "\x42\x12\x12\x04\1\0\0\0\x1a\x04\0\0\0\0\x22\x04\0\0\0\0";
    qd_decoded_client decoded;
    assert_int_equal(qd_decode_client(bytes, sizeof bytes - 1, &counted.memory, &decoded), QD_DECODE_NO_MEMORY);
    qd_decoded_client_release(&decoded, &counted.memory);
}

/* ---- encoding ---- */

static void expect_same_encoding(const qd_server_message *message)
{
    const size_t size = qd_server_size_generic(message);

    assert_int_equal(qd_server_size_fast(message), size);
    uint8_t *fast = malloc(size), *generic = malloc(size);
    assert_true(qd_encode_server_fast(message, fast, size));
    qd_encode_server_generic(message, generic, size);
    assert_memory_equal(fast, generic, size);
    free(generic);
    free(fast);
}

/* Messages with and without each field: a bit of `fields` for each. */
#define IF(bit, value)         ((fields >> (bit)&1) * (value))
#define IF_COLUMN(bit, column) (fields >> (bit)&1 ? (const void *)(column) : NULL)
TEST(fast_encoding_is_the_generic_one)
{
    const uint64_t numbers[] = {1, 127, 128, UINT32_MAX, UINT64_MAX};
    static const uint64_t late[] = {1, 0, UINT64_MAX};

    for (uint32_t fields = 0; fields < 1u << 13; fields++) {
        const uint64_t number = numbers[fields % 5];
        const uint32_t count = fields % 7 == 0 ? 5000 : fields % 50 + 1;
#define PAIRS(bit) {IF(bit, count), ids, ids + 1}
        expect_same_encoding(&(qd_server_message){.seq = IF(0, (uint32_t)number),
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
        expect_same_encoding(&(qd_server_message){.seq = IF(0, (uint32_t)number),
                                                  .kind = QD_SERVER_APPLIED,
                                                  .as.applied = {.room = IF(1, number),
                                                                 .tick = IF(2, number),
                                                                 .seq = IF(3, (uint32_t)number),
                                                                 .late_listed = IF(4, 3),
                                                                 .late = late,
                                                                 .late_count = IF(5, (uint32_t)number)}});
    }
}

/* Every column without its values, and with them, in a group that has entries or none. */
TEST(fast_encoding_of_views_is_the_generic_one)
{
    static const uint64_t longs[5001] = {1, UINT64_MAX};
    static uint8_t bytes[5000];

    for (uint32_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i % 5);
    }
    for (uint32_t i = 0; i < 20000; i++) {
        const uint32_t fields = i * 2654435761u;
        const uint32_t count = i % 61 == 0 ? 5000 : i % 7;
        const uint64_t number = (uint64_t)i << (i % 40);

        expect_same_encoding(&(qd_server_message){.seq = IF(0, i),
                                                  .kind = QD_SERVER_VIEW,
                                                  .as.view = {.room = IF(1, number),
                                                              .tick = IF(2, number),
                                                              .last = IF(3, 1),
                                                              .reset = IF(4, 1),
                                                              .reset_watchers = IF(5, 1),
                                                              .suspended = IF(6, 1),
                                                              .leave_count = IF(7, count),
                                                              .leave_observer = ids,
                                                              .leave_id = IF_COLUMN(8, ids + 1),
                                                              .leave_reason = IF_COLUMN(9, bytes),
                                                              .enter_count = IF(10, count),
                                                              .enter_observer = IF_COLUMN(11, ids),
                                                              .enter = {.id = IF_COLUMN(12, ids + 1),
                                                                        .x = IF_COLUMN(13, values[0]),
                                                                        .y = IF_COLUMN(14, values[1]),
                                                                        .z = IF_COLUMN(15, values[2]),
                                                                        .half_x = IF_COLUMN(16, values[2]),
                                                                        .half_y = IF_COLUMN(17, values[1]),
                                                                        .half_z = IF_COLUMN(18, values[0]),
                                                                        .radius = IF_COLUMN(19, values[1]),
                                                                        .shape = IF_COLUMN(20, bytes),
                                                                        .category = IF_COLUMN(21, ids)},
                                                              .enter_tag = IF_COLUMN(22, longs),
                                                              .enter_payload_size = IF_COLUMN(23, bytes),
                                                              .enter_payload = IF_COLUMN(24, ids + count),
                                                              .relay_count = IF(25, count),
                                                              .relay_observer = IF_COLUMN(26, ids),
                                                              .relay_id = ids + 1,
                                                              .relay_x = IF_COLUMN(27, values[0]),
                                                              .relay_y = IF_COLUMN(28, values[1]),
                                                              .relay_z = IF_COLUMN(29, values[2]),
                                                              .watcher_leave_count = IF(30, count),
                                                              .watcher_leave_entity = ids,
                                                              .watcher_leave_session = IF_COLUMN(26, longs),
                                                              .watcher_leave_observer = IF_COLUMN(27, ids + 1),
                                                              .watcher_enter_count = IF(31, count),
                                                              .watcher_enter_entity = IF_COLUMN(28, ids + 1),
                                                              .watcher_enter_session = longs,
                                                              .watcher_enter_observer = IF_COLUMN(29, ids),
                                                              .merged_ticks = IF(8, number)}});
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
    assert_int_equal(qd_client_frame_seq("\x08\xff\xff\xff\xff\x1f", 6), 0); /* 2^33 - 1 */
    assert_int_equal(qd_client_frame_seq("\x1a\x00\x08\x05", 4), 0);
}

TEST_MAIN_WITH(fill, NULL)
