/* SPDX-License-Identifier: Apache-2.0
 *
 * Framing: splits a stream of bytes into frames, each preceded by its length as a varint. It does no I/O.
 *
 * A reader belongs to one stream and one thread. It returns a frame in place, without a copy, when the bytes given
 * contain all of it. It gathers a frame that continues in later bytes in its own buffer. That buffer grows with the
 * bytes that have arrived, never by the length that a peer claims, and is released when the stream pauses between
 * frames.
 */
#ifndef QD_PROTO_FRAMING_H
#define QD_PROTO_FRAMING_H

#include "codec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The longest length prefix: a 32-bit varint. */
#define QD_FRAME_PREFIX_BYTES_MAX 5u

typedef enum qd_frame_result {
    QD_FRAME_OK = 0,     /* *frame is a frame */
    QD_FRAME_MORE,       /* all bytes are read; feed more */
    QD_FRAME_BAD_PREFIX, /* the length is not a varint of at most 5 bytes, or is longer than necessary */
    QD_FRAME_TOO_LONG,   /* the length is above the limit; see qd_frame_reader.length */
    QD_FRAME_NO_MEMORY,
} qd_frame_result;

typedef struct qd_frame_reader {
    size_t frame_bytes_max; /* may be changed between frames */
    uint64_t length;        /* of the current frame, once known */
    /* private */
    const qd_codec_memory *memory;
    uint8_t *held;
    size_t held_size, held_capacity;
    uint8_t prefix[QD_FRAME_PREFIX_BYTES_MAX];
    uint32_t prefix_size;
    bool in_frame;
} qd_frame_reader;

/* `memory` NULL means malloc; it must outlive the reader. */
void qd_frame_reader_init(qd_frame_reader *reader, size_t frame_bytes_max, const qd_codec_memory *memory);
void qd_frame_reader_deinit(qd_frame_reader *reader);

/* Takes the next frame out of *bytes (of *size) and advances both past what was read. After QD_FRAME_OK, *frame and
 * *frame_size are the frame without its prefix. They are valid until the next call, and no longer than *bytes.
 * An error is final for the stream. A frame of 0 bytes is valid. */
qd_frame_result qd_frame_reader_next(qd_frame_reader *reader, const uint8_t **bytes, size_t *size,
                                     const uint8_t **frame, size_t *frame_size);

/* Whether a frame has begun to arrive and is not complete. */
static inline bool qd_frame_reader_is_within(const qd_frame_reader *reader)
{
    return reader->in_frame || reader->prefix_size > 0;
}

/* The bytes of it that have arrived. */
static inline size_t qd_frame_reader_arrived(const qd_frame_reader *reader)
{
    return reader->in_frame ? reader->held_size : reader->prefix_size;
}

/* Writes `length` as a varint; returns its size, 1 to 5. */
size_t qd_frame_prefix_write(uint32_t length, uint8_t bytes[QD_FRAME_PREFIX_BYTES_MAX]);
size_t qd_frame_prefix_size(uint32_t length);

#ifdef __cplusplus
}
#endif

#endif
