/* SPDX-License-Identifier: Apache-2.0
 *
 * Framing: streams cut at any place, every error, the memory that a reader holds, and the prefixes that the encoder
 * writes.
 */
#include <string.h>

#include "proto/framing.h"
#include "support/counted_memory.h"
#include "tests/support/test.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* The stream that most tests read: frame lengths on both sides of each prefix size, and empty frames. */
static const size_t lengths[] = {0, 1, 5, 0, 127, 128, 300, 0};

#define STREAM_BYTES_MAX 1024u

static uint8_t byte_at(size_t frame, size_t offset)
{
    return (uint8_t)(frame * 37 + offset * 11 + 1);
}

static size_t write_stream(uint8_t *stream)
{
    size_t size = 0;

    for (size_t frame = 0; frame < COUNT_OF(lengths); frame++) {
        size += qd_frame_prefix_write((uint32_t)lengths[frame], stream + size);
        for (size_t i = 0; i < lengths[frame]; i++) {
            stream[size++] = byte_at(frame, i);
        }
    }
    assert_true(size <= STREAM_BYTES_MAX);
    return size;
}

/* Feeds bytes from memory of exactly their size and expects the frames from number *frame on. */
static void feed(qd_frame_reader *reader, const uint8_t *stream, size_t size, size_t *frame)
{
    uint8_t *chunk = malloc(size + !size);

    memcpy(chunk, stream, size);
    const uint8_t *bytes = chunk;
    const uint8_t *got;
    size_t left = size, got_size;
    qd_frame_result result;
    while ((result = qd_frame_reader_next(reader, &bytes, &left, &got, &got_size)) == QD_FRAME_OK) {
        assert_true(*frame < COUNT_OF(lengths));
        assert_int_equal(got_size, lengths[*frame]);
        for (size_t i = 0; i < got_size; i++) {
            assert_int_equal(got[i], byte_at(*frame, i));
        }
        ++*frame;
    }
    assert_int_equal(result, QD_FRAME_MORE);
    assert_int_equal(left, 0);
    assert_ptr_equal(bytes, chunk + size);
    free(chunk);
}

TEST(stream_cut_at_any_two_places_gives_its_frames)
{
    uint8_t stream[STREAM_BYTES_MAX];
    size_t size = write_stream(stream);

    for (size_t first = 0; first <= size; first++) {
        for (size_t second = first; second <= size; second += 7) {
            counted_memory counted;

            counted_memory_init(&counted);
            qd_frame_reader reader;
            qd_frame_reader_init(&reader, 300, &counted.memory);
            size_t frame = 0;
            feed(&reader, stream, first, &frame);
            feed(&reader, stream + first, second - first, &frame);
            feed(&reader, stream + second, size - second, &frame);
            assert_int_equal(frame, COUNT_OF(lengths));
            assert_int_equal(counted.bytes, 0);
            qd_frame_reader_deinit(&reader);
        }
    }
}

TEST(stream_in_small_chunks_gives_its_frames)
{
    uint8_t stream[STREAM_BYTES_MAX];
    size_t size = write_stream(stream);

    for (size_t chunk = 1; chunk < 20; chunk++) {
        qd_frame_reader reader;

        qd_frame_reader_init(&reader, 300, NULL);
        size_t frame = 0;
        for (size_t at = 0; at < size; at += chunk) {
            feed(&reader, stream + at, size - at < chunk ? size - at : chunk, &frame);
        }
        assert_int_equal(frame, COUNT_OF(lengths));
        qd_frame_reader_deinit(&reader);
    }
}

/* A reader is within a frame from the first byte of its length to its last byte but one. */
TEST(reader_is_within_a_frame_until_its_last_byte)
{
    enum { LENGTH = 200, FRAMES = 3 };
    uint8_t stream[FRAMES * (LENGTH + 2)] = {0};
    for (size_t frame = 0; frame < FRAMES; frame++) {
        assert_int_equal(qd_frame_prefix_write(LENGTH, stream + frame * (LENGTH + 2)), 2);
    }
    qd_frame_reader reader;
    qd_frame_reader_init(&reader, 300, NULL);
    assert_false(qd_frame_reader_is_within(&reader));
    for (size_t at = 0; at < sizeof stream; at++) {
        const uint8_t *bytes = stream + at, *frame;
        size_t size = 1, frame_size;
        bool whole = qd_frame_reader_next(&reader, &bytes, &size, &frame, &frame_size) == QD_FRAME_OK;

        assert_int_equal(whole, (at + 1) % (LENGTH + 2) == 0);
        assert_int_equal(qd_frame_reader_is_within(&reader), !whole);
    }
    qd_frame_reader_deinit(&reader);
}

TEST(whole_frame_is_returned_in_place)
{
    uint8_t stream[STREAM_BYTES_MAX];
    size_t left = write_stream(stream);
    counted_memory counted;

    counted_memory_init(&counted);
    qd_frame_reader reader;
    qd_frame_reader_init(&reader, 300, &counted.memory);
    const uint8_t *bytes = stream, *frame;
    size_t size;
    while (qd_frame_reader_next(&reader, &bytes, &left, &frame, &size) == QD_FRAME_OK) {
        assert_ptr_equal(frame + size, bytes);
    }
    assert_int_equal(counted.calls, 0);
    qd_frame_reader_deinit(&reader);
}

TEST(memory_grows_with_arrived_bytes)
{
    const size_t length = 100000;
    uint8_t prefix[QD_FRAME_PREFIX_BYTES_MAX];
    size_t prefix_size = qd_frame_prefix_write((uint32_t)length, prefix);
    counted_memory counted;

    counted_memory_init(&counted);
    qd_frame_reader reader;
    qd_frame_reader_init(&reader, length, &counted.memory);
    const uint8_t *bytes = prefix, *frame = NULL;
    size_t left = prefix_size, size = 0;
    assert_int_equal(qd_frame_reader_next(&reader, &bytes, &left, &frame, &size), QD_FRAME_MORE);
    assert_int_equal(reader.length, length);
    assert_int_equal(counted.bytes, 0);

    for (size_t come = 1; come <= length; come++) {
        uint8_t byte = byte_at(0, come - 1);

        bytes = &byte;
        left = 1;
        qd_frame_result result = qd_frame_reader_next(&reader, &bytes, &left, &frame, &size);
        assert_int_equal(result, come < length ? QD_FRAME_MORE : QD_FRAME_OK);
        assert_true(counted.bytes <= 2 * come);
        assert_true(counted.bytes <= length);
        assert_true(counted.bytes_peak <= 3 * come);
    }
    assert_int_equal(size, length);
    for (size_t i = 0; i < length; i++) {
        assert_int_equal(frame[i], byte_at(0, i));
    }
    /* The buffer doubles, so 100,000 single bytes need few allocations. */
    assert_true(counted.calls < 20);

    /* A pause between frames releases the buffer. */
    left = 0;
    assert_int_equal(qd_frame_reader_next(&reader, &bytes, &left, &frame, &size), QD_FRAME_MORE);
    assert_int_equal(counted.bytes, 0);
    qd_frame_reader_deinit(&reader);
}

TEST(deinit_within_a_frame_releases_memory)
{
    counted_memory counted;

    counted_memory_init(&counted);
    qd_frame_reader reader;
    qd_frame_reader_init(&reader, 300, &counted.memory);
    const uint8_t half[] = {10, 1, 2, 3};
    const uint8_t *bytes = half, *frame;
    size_t left = sizeof half, size;
    assert_int_equal(qd_frame_reader_next(&reader, &bytes, &left, &frame, &size), QD_FRAME_MORE);
    assert_true(counted.bytes > 0);
    qd_frame_reader_deinit(&reader);
    assert_int_equal(counted.bytes, 0);
}

/* Returns the first result that is not a frame, the same for the bytes whole and one by one. */
static qd_frame_result result_of(const uint8_t *input, size_t size, size_t frame_bytes_max)
{
    qd_frame_reader reader;
    const uint8_t *bytes = input, *frame;
    size_t left = size, frame_size;
    qd_frame_result whole, single = QD_FRAME_MORE;

    qd_frame_reader_init(&reader, frame_bytes_max, NULL);
    do {
        whole = qd_frame_reader_next(&reader, &bytes, &left, &frame, &frame_size);
    } while (whole == QD_FRAME_OK);
    qd_frame_reader_deinit(&reader);

    qd_frame_reader_init(&reader, frame_bytes_max, NULL);
    for (size_t i = 0; i < size && (single == QD_FRAME_MORE || single == QD_FRAME_OK); i++) {
        bytes = input + i;
        left = 1;
        single = qd_frame_reader_next(&reader, &bytes, &left, &frame, &frame_size);
    }
    qd_frame_reader_deinit(&reader);
    assert_int_equal(single == QD_FRAME_OK ? QD_FRAME_MORE : single, whole);
    return whole;
}

#define RESULT_OF(frame_bytes_max, ...)                                                                                \
    result_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), frame_bytes_max)

TEST(broken_prefix_is_an_error)
{
    /* No end within 5 bytes. */
    assert_int_equal(RESULT_OF(SIZE_MAX, 0x80, 0x80, 0x80, 0x80), QD_FRAME_MORE);
    assert_int_equal(RESULT_OF(SIZE_MAX, 0x80, 0x80, 0x80, 0x80, 0x80), QD_FRAME_BAD_PREFIX);
    assert_int_equal(RESULT_OF(SIZE_MAX, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01), QD_FRAME_BAD_PREFIX);
    /* Longer than necessary. */
    assert_int_equal(RESULT_OF(SIZE_MAX, 0x80, 0x00), QD_FRAME_BAD_PREFIX);
    assert_int_equal(RESULT_OF(SIZE_MAX, 0x81, 0x00, 0x55), QD_FRAME_BAD_PREFIX);
    assert_int_equal(RESULT_OF(SIZE_MAX, 0x81, 0x80, 0x80, 0x80, 0x00, 0x55), QD_FRAME_BAD_PREFIX);
    /* Above the limit: refused before the frame arrives. */
    assert_int_equal(RESULT_OF(3, 0x03, 1, 2, 3), QD_FRAME_MORE);
    assert_int_equal(RESULT_OF(3, 0x04), QD_FRAME_TOO_LONG);
    assert_int_equal(RESULT_OF(0, 0x00), QD_FRAME_MORE);
    assert_int_equal(RESULT_OF(0, 0x01), QD_FRAME_TOO_LONG);
    assert_int_equal(RESULT_OF(UINT32_MAX, 0xff, 0xff, 0xff, 0xff, 0x1f), QD_FRAME_TOO_LONG);
    /* An error after valid frames. */
    assert_int_equal(RESULT_OF(3, 0x01, 1, 0x00, 0x80, 0x00), QD_FRAME_BAD_PREFIX);
}

TEST(too_long_frame_reports_its_length)
{
    qd_frame_reader reader;

    qd_frame_reader_init(&reader, 8192, NULL);
    const uint8_t input[] = {0xff, 0xff, 0xff, 0xff, 0x7f};
    const uint8_t *bytes = input, *frame;
    size_t left = sizeof input, size;
    assert_int_equal(qd_frame_reader_next(&reader, &bytes, &left, &frame, &size), QD_FRAME_TOO_LONG);
    assert_true(reader.length == 0x7ffffffffull);
    qd_frame_reader_deinit(&reader);
}

TEST(limit_changed_between_frames_applies)
{
    qd_frame_reader reader;

    qd_frame_reader_init(&reader, 1, NULL);
    const uint8_t input[] = {1, 1, 2, 1, 2};
    const uint8_t *bytes = input, *frame;
    size_t left = sizeof input, size;
    assert_int_equal(qd_frame_reader_next(&reader, &bytes, &left, &frame, &size), QD_FRAME_OK);
    reader.frame_bytes_max = 2;
    assert_int_equal(qd_frame_reader_next(&reader, &bytes, &left, &frame, &size), QD_FRAME_OK);
    assert_int_equal(size, 2);
    qd_frame_reader_deinit(&reader);
}

TEST(failed_allocation_is_reported)
{
    uint8_t stream[STREAM_BYTES_MAX];
    size_t stream_size = write_stream(stream);
    unsigned calls = 0;
    qd_frame_result result;

    do {
        counted_memory counted;

        counted_memory_init(&counted);
        counted.fail_at = ++calls;
        qd_frame_reader reader;
        qd_frame_reader_init(&reader, 300, &counted.memory);
        const uint8_t *frame;
        size_t size;
        result = QD_FRAME_MORE;
        for (size_t i = 0; i < stream_size && result != QD_FRAME_NO_MEMORY; i++) {
            const uint8_t *bytes = stream + i;
            size_t left = 1;

            result = qd_frame_reader_next(&reader, &bytes, &left, &frame, &size);
        }
        qd_frame_reader_deinit(&reader);
        assert_int_equal(counted.bytes, 0);
        assert_true(result == QD_FRAME_NO_MEMORY || counted.calls < counted.fail_at);
    } while (result == QD_FRAME_NO_MEMORY);
    assert_true(calls > 10);
}

TEST(prefix_has_the_size_of_its_length)
{
    const struct {
        uint32_t length;
        size_t size;
        uint8_t bytes[QD_FRAME_PREFIX_BYTES_MAX];
    } expected[] = {
        {0, 1, {0x00}},
        {127, 1, {0x7f}},
        {128, 2, {0x80, 0x01}},
        {300, 2, {0xac, 0x02}},
        {16383, 2, {0xff, 0x7f}},
        {16384, 3, {0x80, 0x80, 0x01}},
        {2097151, 3, {0xff, 0xff, 0x7f}},
        {2097152, 4, {0x80, 0x80, 0x80, 0x01}},
        {268435455, 4, {0xff, 0xff, 0xff, 0x7f}},
        {268435456, 5, {0x80, 0x80, 0x80, 0x80, 0x01}},
        {UINT32_MAX, 5, {0xff, 0xff, 0xff, 0xff, 0x0f}},
    };
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        uint8_t bytes[QD_FRAME_PREFIX_BYTES_MAX];

        assert_int_equal(qd_frame_prefix_size(expected[i].length), expected[i].size);
        assert_int_equal(qd_frame_prefix_write(expected[i].length, bytes), expected[i].size);
        assert_memory_equal(bytes, expected[i].bytes, expected[i].size);
    }
}

/* The lengths of the frame and of the message in it grow by a byte at different sizes. */
TEST(frame_near_a_longer_prefix_decodes)
{
    static char text[17000];
    static uint8_t bytes[sizeof text + 64];

    memset(text, 'a', sizeof text - 1);
    for (size_t length = 1; length < sizeof text; length += length == 300 ? 16000 : 1) {
        const qd_server_message message = {
            .seq = (uint32_t)(length % 2) * 1000,
            .kind = QD_SERVER_ERROR,
            .as.error = {.text = text + sizeof text - 1 - length},
        };
        const size_t size = qd_server_message_size(&message);

        assert_true(size < sizeof bytes);
        bytes[size] = 0xee;
        assert_int_equal(qd_server_message_encode(&message, bytes, size), size);
        assert_int_equal(bytes[size], 0xee);

        qd_frame_reader reader;
        const uint8_t *at = bytes, *frame;
        size_t left = size, frame_size;
        qd_frame_reader_init(&reader, size, NULL);
        assert_int_equal(qd_frame_reader_next(&reader, &at, &left, &frame, &frame_size), QD_FRAME_OK);
        assert_int_equal(left, 0);
        qd_decoded_server decoded;
        assert_int_equal(qd_decode_server(frame, frame_size, NULL, &decoded), QD_DECODE_OK);
        assert_int_equal(strlen(decoded.message.as.error.text), length);
        qd_decoded_server_release(&decoded, NULL);
        qd_frame_reader_deinit(&reader);
    }
}

TEST_MAIN()
