/* SPDX-License-Identifier: Apache-2.0
 *
 * The envelope, written by hand: protobuf-c packs a sub-message first and then moves all its bytes behind its length.
 */
#include "codec_internal.h"

/* Field 1 of both envelopes. */
#define SEQ_TAG QD_TAG_VARINT(1)

static size_t with_prefix(size_t length)
{
    return qd_frame_prefix_size((uint32_t)length) + length;
}

/* The length that takes `size` bytes with its prefix. */
static size_t without_prefix(size_t size)
{
    size_t prefix_size = 1;

    while (qd_frame_prefix_size((uint32_t)(size - prefix_size)) > prefix_size) {
        prefix_size++;
    }
    return size - prefix_size;
}

size_t qd_envelope_size(uint64_t seq, uint32_t field, size_t body_size)
{
    size_t size = 0;

    if (seq != 0) {
        size += 1 + qd_varint_size(seq);
    }
    if (field != 0) {
        size += qd_frame_prefix_size(QD_TAG_LENGTH(field)) + with_prefix(body_size);
    }
    return with_prefix(size);
}

size_t qd_envelope_write(uint64_t seq, uint32_t field, size_t size, uint8_t *bytes)
{
    const uint8_t *end = bytes + size;
    uint8_t *at = bytes;

    at += qd_frame_prefix_write((uint32_t)without_prefix(size), at);
    if (seq != 0) {
        *at++ = (uint8_t)SEQ_TAG;
        at += qd_varint_write(seq, at);
    }
    if (field != 0) {
        at += qd_frame_prefix_write(QD_TAG_LENGTH(field), at);
        at += qd_frame_prefix_write((uint32_t)without_prefix((size_t)(end - at)), at);
    }
    return (size_t)(at - bytes);
}
