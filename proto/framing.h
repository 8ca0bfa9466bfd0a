/* SPDX-License-Identifier: Apache-2.0
 *
 * Framing: a stream of bytes to frames, each behind its length as a varint. Sans-I/O: bytes in, frames out.
 *
 * A reader belongs to one stream and one thread. A frame that lies whole in the bytes given is handed out in place,
 * without a copy; only one that is cut by their end is gathered in the reader's own buffer, which grows with the bytes
 * that have really come (never by the length that a peer claims) and is given back when the stream pauses between
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
    QD_FRAME_OK = 0,     /* a frame is there */
    QD_FRAME_MORE,       /* all bytes are taken; feed more */
    QD_FRAME_BAD_PREFIX, /* the length is no varint of at most 5 bytes, or it is 0 ... 2^32 - 1 written too long */
    QD_FRAME_TOO_LONG,   /* the length is above the limit; see qd_frame_reader.length */
    QD_FRAME_NO_MEMORY,
} qd_frame_result;

typedef struct qd_frame_reader {
    size_t frame_bytes_max; /* may be changed between frames */
    uint64_t length;        /* of the frame being read, once known */
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

/* Take the next frame out of *bytes (of *size), advancing both past what was read. With QD_FRAME_OK, *frame and
 * *frame_size are the frame without its prefix; they are valid until the next call, and as long as *bytes are.
 * An error is final for the stream. A frame of 0 bytes is a frame. */
qd_frame_result qd_frame_reader_next(qd_frame_reader *reader, const uint8_t **bytes, size_t *size,
                                     const uint8_t **frame, size_t *frame_size);

/* Whether part of a frame has come, which would be lost if nothing more came. */
static inline bool qd_frame_reader_is_within(const qd_frame_reader *reader)
{
    return reader->in_frame || reader->prefix_size > 0;
}

/* Write `length` as a varint; returns its size, 1 to 5. */
size_t qd_frame_prefix_write(uint32_t length, uint8_t bytes[QD_FRAME_PREFIX_BYTES_MAX]);
size_t qd_frame_prefix_size(uint32_t length);

#ifdef __cplusplus
}
#endif

#endif
