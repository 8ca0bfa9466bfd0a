/* SPDX-License-Identifier: Apache-2.0
 *
 * Framing: streams cut at any place, every error, the memory that a reader holds, and the prefixes that the encoder
 * writes.
 */
#include "proto_fixture.h"

/* ---- a stream and a reader ---- */

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

/* A reader, the bytes that it has not read yet, and its last frame. */
typedef struct reading {
    qd_frame_reader reader;
    counted_memory counted;
    const uint8_t *bytes, *frame;
    size_t left, frame_size;
} reading;

static void begin(reading *r, size_t frame_bytes_max, const uint8_t *bytes, size_t size)
{
    *r = (reading){.bytes = bytes, .left = size};
    counted_memory_init(&r->counted);
    qd_frame_reader_init(&r->reader, frame_bytes_max, &r->counted.memory);
}

static qd_frame_result next(reading *r)
{
    return qd_frame_reader_next(&r->reader, &r->bytes, &r->left, &r->frame, &r->frame_size);
}

static qd_frame_result next_of(reading *r, const uint8_t *bytes, size_t size)
{
    r->bytes = bytes;
    r->left = size;
    return next(r);
}

static void end(reading *r)
{
    qd_frame_reader_deinit(&r->reader);
    assert_int_equal(r->counted.bytes, 0);
}

/* Feeds bytes from memory of exactly their size and expects the frames of the stream from number *frame on. */
static void feed(reading *r, const uint8_t *stream, size_t size, size_t *frame)
{
    uint8_t *chunk = malloc(size + !size);
    qd_frame_result result;

    memcpy(chunk, stream, size);
    for (result = next_of(r, chunk, size); result == QD_FRAME_OK; result = next(r)) {
        assert_true(*frame < COUNT_OF(lengths));
        assert_int_equal(r->frame_size, lengths[*frame]);
        for (size_t i = 0; i < r->frame_size; i++) {
            assert_int_equal(r->frame[i], byte_at(*frame, i));
        }
        ++*frame;
    }
    assert_int_equal(result, QD_FRAME_MORE);
    assert_int_equal(r->left, 0);
    assert_ptr_equal(r->bytes, chunk + size);
    free(chunk);
}

/* ---- cuts ---- */

TEST(stream_cut_at_any_two_places_gives_its_frames)
{
    uint8_t stream[STREAM_BYTES_MAX];
    size_t size = write_stream(stream);

    for (size_t first = 0; first <= size; first++) {
        for (size_t second = first; second <= size; second += 7) {
            size_t frame = 0;
            reading r;

            begin(&r, 300, NULL, 0);
            feed(&r, stream, first, &frame);
            feed(&r, stream + first, second - first, &frame);
            feed(&r, stream + second, size - second, &frame);
            assert_int_equal(frame, COUNT_OF(lengths));
            assert_int_equal(r.counted.bytes, 0);
            end(&r);
        }
    }
}

TEST(stream_in_small_chunks_gives_its_frames)
{
    uint8_t stream[STREAM_BYTES_MAX];
    size_t size = write_stream(stream);

    for (size_t chunk = 1; chunk < 20; chunk++) {
        size_t frame = 0;
        reading r;

        begin(&r, 300, NULL, 0);
        for (size_t at = 0; at < size; at += chunk) {
            feed(&r, stream + at, size - at < chunk ? size - at : chunk, &frame);
        }
        assert_int_equal(frame, COUNT_OF(lengths));
        end(&r);
    }
}

/* A reader is within a frame from the first byte of its length to its last byte but one. */
TEST(reader_is_within_a_frame_until_its_last_byte)
{
    enum { LENGTH = 200, FRAMES = 3 };
    uint8_t stream[FRAMES * (LENGTH + 2)] = {0};
    reading r;

    for (size_t frame = 0; frame < FRAMES; frame++) {
        assert_int_equal(qd_frame_prefix_write(LENGTH, stream + frame * (LENGTH + 2)), 2);
    }
    begin(&r, 300, NULL, 0);
    assert_false(qd_frame_reader_is_within(&r.reader));
    for (size_t at = 0; at < sizeof stream; at++) {
        bool whole = next_of(&r, stream + at, 1) == QD_FRAME_OK;

        assert_int_equal(whole, (at + 1) % (LENGTH + 2) == 0);
        assert_int_equal(qd_frame_reader_is_within(&r.reader), !whole);
    }
    end(&r);
}

/* ---- memory ---- */

TEST(whole_frame_is_returned_in_place)
{
    uint8_t stream[STREAM_BYTES_MAX];
    reading r;

    begin(&r, 300, stream, write_stream(stream));
    while (next(&r) == QD_FRAME_OK) {
        assert_ptr_equal(r.frame + r.frame_size, r.bytes);
    }
    assert_int_equal(r.counted.calls, 0);
    end(&r);
}

TEST(memory_grows_with_arrived_bytes)
{
    const size_t length = 100000;
    uint8_t prefix[QD_FRAME_PREFIX_BYTES_MAX];
    reading r;

    begin(&r, length, prefix, qd_frame_prefix_write((uint32_t)length, prefix));
    assert_int_equal(next(&r), QD_FRAME_MORE);
    assert_int_equal(r.reader.length, length);
    assert_int_equal(r.counted.bytes, 0);
    for (size_t come = 1; come <= length; come++) {
        const uint8_t byte = byte_at(0, come - 1);

        assert_int_equal(next_of(&r, &byte, 1), come < length ? QD_FRAME_MORE : QD_FRAME_OK);
        assert_true(r.counted.bytes <= 2 * come);
        assert_true(r.counted.bytes <= length);
        assert_true(r.counted.bytes_peak <= 3 * come);
    }
    assert_int_equal(r.frame_size, length);
    for (size_t i = 0; i < length; i++) {
        assert_int_equal(r.frame[i], byte_at(0, i));
    }
    /* The buffer doubles, so 100,000 single bytes need few allocations. */
    assert_true(r.counted.calls < 20);

    /* A pause between frames releases the buffer. */
    assert_int_equal(next_of(&r, NULL, 0), QD_FRAME_MORE);
    assert_int_equal(r.counted.bytes, 0);
    end(&r);
}

TEST(deinit_within_a_frame_releases_memory)
{
    const uint8_t half[] = {10, 1, 2, 3};
    reading r;

    begin(&r, 300, half, sizeof half);
    assert_int_equal(next(&r), QD_FRAME_MORE);
    assert_true(r.counted.bytes > 0);
    end(&r);
}

TEST(failed_allocation_is_reported)
{
    uint8_t stream[STREAM_BYTES_MAX];
    size_t size = write_stream(stream);
    unsigned calls = 0;
    qd_frame_result result;

    do {
        reading r;

        begin(&r, 300, NULL, 0);
        r.counted.fail_at = ++calls;
        result = QD_FRAME_MORE;
        for (size_t i = 0; i < size && result != QD_FRAME_NO_MEMORY; i++) {
            result = next_of(&r, stream + i, 1);
        }
        end(&r);
        assert_true(result == QD_FRAME_NO_MEMORY || r.counted.calls < r.counted.fail_at);
    } while (result == QD_FRAME_NO_MEMORY);
    assert_true(calls > 10);
}

/* ---- errors ---- */

/* Returns the first result that is not a frame, the same for the bytes whole and one by one. */
static qd_frame_result end_of(const uint8_t *input, size_t size, size_t frame_bytes_max)
{
    qd_frame_result whole, single = QD_FRAME_OK;
    reading r;

    begin(&r, frame_bytes_max, input, size);
    do {
        whole = next(&r);
    } while (whole == QD_FRAME_OK);
    end(&r);
    begin(&r, frame_bytes_max, NULL, 0);
    for (size_t i = 0; i < size && (single == QD_FRAME_MORE || single == QD_FRAME_OK); i++) {
        single = next_of(&r, input + i, 1);
    }
    end(&r);
    assert_int_equal(single == QD_FRAME_OK ? QD_FRAME_MORE : single, whole);
    return whole;
}

TEST(broken_prefix_is_an_error)
{
    static const struct {
        size_t frame_bytes_max;
        const char *bytes;
        size_t size;
        qd_frame_result result;
    } cases[] = {
        /* No end within 5 bytes. */
        {SIZE_MAX, RAW("\x80\x80\x80\x80"), QD_FRAME_MORE},
        {SIZE_MAX, RAW("\x80\x80\x80\x80\x80"), QD_FRAME_BAD_PREFIX},
        {SIZE_MAX, RAW("\xff\xff\xff\xff\xff\x01"), QD_FRAME_BAD_PREFIX},
        /* Longer than necessary. */
        {SIZE_MAX, RAW("\x80\x00"), QD_FRAME_BAD_PREFIX},
        {SIZE_MAX, RAW("\x81\x00\x55"), QD_FRAME_BAD_PREFIX},
        {SIZE_MAX, RAW("\x81\x80\x80\x80\x00\x55"), QD_FRAME_BAD_PREFIX},
        /* Above the limit: refused before the frame arrives. */
        {3, RAW("\x03\x01\x02\x03"), QD_FRAME_MORE},
        {3, RAW("\x04"), QD_FRAME_TOO_LONG},
        {0, RAW("\x00"), QD_FRAME_MORE},
        {0, RAW("\x01"), QD_FRAME_TOO_LONG},
        {UINT32_MAX, RAW("\xff\xff\xff\xff\x1f"), QD_FRAME_TOO_LONG},
        /* An error after valid frames. */
        {3, RAW("\x01\x01\x00\x80\x00"), QD_FRAME_BAD_PREFIX},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        print_message("case %zu\n", i);
        assert_int_equal(end_of((const uint8_t *)cases[i].bytes, cases[i].size, cases[i].frame_bytes_max),
                         cases[i].result);
    }
}

TEST(too_long_frame_reports_its_length)
{
    const uint8_t input[] = {0xff, 0xff, 0xff, 0xff, 0x7f};
    reading r;

    begin(&r, 8192, input, sizeof input);
    assert_int_equal(next(&r), QD_FRAME_TOO_LONG);
    assert_true(r.reader.length == 0x7ffffffffull);
    end(&r);
}

TEST(limit_changed_between_frames_applies)
{
    const uint8_t input[] = {1, 1, 2, 1, 2};
    reading r;

    begin(&r, 1, input, sizeof input);
    assert_int_equal(next(&r), QD_FRAME_OK);
    r.reader.frame_bytes_max = 2;
    assert_int_equal(next(&r), QD_FRAME_OK);
    assert_int_equal(r.frame_size, 2);
    end(&r);
}

/* ---- prefixes ---- */

TEST(prefix_has_the_size_of_its_length)
{
    static const struct {
        uint32_t length;
        const char *bytes;
        size_t size;
    } cases[] = {
        {0, RAW("\x00")},
        {127, RAW("\x7f")},
        {128, RAW("\x80\x01")},
        {300, RAW("\xac\x02")},
        {16383, RAW("\xff\x7f")},
        {16384, RAW("\x80\x80\x01")},
        {2097151, RAW("\xff\xff\x7f")},
        {2097152, RAW("\x80\x80\x80\x01")},
        {268435455, RAW("\xff\xff\xff\x7f")},
        {268435456, RAW("\x80\x80\x80\x80\x01")},
        {UINT32_MAX, RAW("\xff\xff\xff\xff\x0f")},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint8_t bytes[QD_FRAME_PREFIX_BYTES_MAX];

        assert_int_equal(qd_frame_prefix_size(cases[i].length), cases[i].size);
        assert_int_equal(qd_frame_prefix_write(cases[i].length, bytes), cases[i].size);
        assert_memory_equal(bytes, cases[i].bytes, cases[i].size);
    }
}

/* The lengths of the frame and of the message in it grow by a byte at different sizes. */
TEST(frame_near_a_longer_prefix_decodes)
{
    static char text[17000];

    memset(text, 'a', sizeof text - 1);
    for (size_t length = 1; length < sizeof text; length += length == 300 ? 16000 : 1) {
        test_frame frame = encode(SERVER_MESSAGE(.seq = (uint32_t)(length % 2) * 1000, .kind = QD_SERVER_ERROR,
                                                 .as.error.text = text + sizeof text - 1 - length));
        test_decoded decoded;
        reading r;

        begin(&r, frame.size, frame.bytes, frame.size);
        assert_int_equal(next(&r), QD_FRAME_OK);
        assert_int_equal(r.left, 0);
        decode(SERVER, r.frame, r.frame_size, &decoded);
        assert_int_equal(decoded.result, QD_DECODE_OK);
        assert_int_equal(strlen(decoded.message.as.server.as.error.text), length);
        release(&decoded);
        end(&r);
        free(frame.bytes);
    }
}

TEST_MAIN()
