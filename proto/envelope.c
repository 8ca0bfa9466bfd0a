/* SPDX-License-Identifier: Apache-2.0
 *
 * Written by hand, because protobuf-c packs a message inside another by moving all its bytes once more.
 */
#include "codec_internal.h"

/* Field 1 of both envelopes, a varint. */
#define SEQ_TAG                   0x08u
#define WIRE_TYPE_LENGTH_PREFIXED 2u

static uint32_t tag_of(uint32_t field)
{
    return field << 3 | WIRE_TYPE_LENGTH_PREFIXED;
}

static size_t inner_size(uint32_t seq, uint32_t field, size_t body_size)
{
    size_t size = 0;
    if (seq != 0) {
        size += 1 + qd_frame_prefix_size(seq);
    }
    if (field != 0) {
        size += qd_frame_prefix_size(tag_of(field)) + qd_frame_prefix_size((uint32_t)body_size) + body_size;
    }
    return size;
}

size_t qd_envelope_size(uint32_t seq, uint32_t field, size_t body_size)
{
    size_t size = inner_size(seq, field, body_size);
    return qd_frame_prefix_size((uint32_t)size) + size;
}

size_t qd_envelope_write(uint32_t seq, uint32_t field, size_t body_size, uint8_t *bytes)
{
    uint8_t *at = bytes;
    at += qd_frame_prefix_write((uint32_t)inner_size(seq, field, body_size), at);
    if (seq != 0) {
        *at++ = SEQ_TAG;
        at += qd_frame_prefix_write(seq, at);
    }
    if (field != 0) {
        at += qd_frame_prefix_write(tag_of(field), at);
        at += qd_frame_prefix_write((uint32_t)body_size, at);
    }
    return (size_t)(at - bytes);
}
