/* SPDX-License-Identifier: Apache-2.0
 *
 * Framing: the same bytes in one piece and in small pieces must give the same frames and the same final result.
 *
 * The first byte chooses the pieces and the limit; the rest is the stream.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "proto/framing.h"
#include "support/counted_memory.h"

typedef struct stream_outcome {
    qd_frame_result end; /* the last result; MORE if all bytes were read */
    size_t frame_count;
    uint64_t hash; /* of the frames and their lengths */
} stream_outcome;

static void add_to_hash(uint64_t *hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        *hash = (*hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    }
}

/* Reads all frames of one piece from memory of exactly its size. */
static void read_piece(qd_frame_reader *reader, const uint8_t *piece, size_t piece_size, stream_outcome *outcome)
{
    uint8_t *copy = malloc(piece_size + !piece_size);

    FUZZ_CHECK(copy);
    memcpy(copy, piece, piece_size);
    const uint8_t *bytes = copy, *frame;
    size_t left = piece_size, size;
    while ((outcome->end = qd_frame_reader_next(reader, &bytes, &left, &frame, &size)) == QD_FRAME_OK) {
        FUZZ_CHECK(size <= reader->frame_bytes_max && size == reader->length);
        add_to_hash(&outcome->hash, &size, sizeof size);
        add_to_hash(&outcome->hash, frame, size);
        outcome->frame_count++;
    }
    FUZZ_CHECK(bytes + left == copy + piece_size);
    FUZZ_CHECK(left == 0 || outcome->end != QD_FRAME_MORE);
    free(copy);
}

static stream_outcome read_stream(const uint8_t *stream, size_t size, size_t piece_size, size_t frame_bytes_max)
{
    counted_memory counted;

    counted_memory_init(&counted);
    qd_frame_reader reader;
    qd_frame_reader_init(&reader, frame_bytes_max, &counted.memory);
    stream_outcome outcome = {.end = QD_FRAME_MORE, .hash = 0xcbf29ce484222325u};
    for (size_t at = 0; at < size && outcome.end == QD_FRAME_MORE; at += piece_size) {
        size_t left = size - at;

        read_piece(&reader, stream + at, left < piece_size ? left : piece_size, &outcome);
        FUZZ_CHECK(counted.bytes <= 2 * size);
    }
    qd_frame_reader_deinit(&reader);
    FUZZ_CHECK(counted.bytes == 0);
    return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0) {
        return 0;
    }
    size_t piece_size = 1 + (bytes[0] & 0x0f);
    size_t frame_bytes_max = (size_t)1 << (bytes[0] >> 4);
    stream_outcome whole = read_stream(bytes + 1, size - 1, size, frame_bytes_max);
    stream_outcome pieces = read_stream(bytes + 1, size - 1, piece_size, frame_bytes_max);
    FUZZ_CHECK(whole.end == pieces.end);
    FUZZ_CHECK(whole.frame_count == pieces.frame_count);
    FUZZ_CHECK(whole.hash == pieces.hash);
    return 0;
}
