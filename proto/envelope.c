/* SPDX-License-Identifier: Apache-2.0
 *
 * Written by hand, because protobuf-c packs a message inside another by moving all its bytes once more.
 */
#include "codec_internal.h"

/* Of both envelopes. */
#define SEQ_TAG QD_TAG_VARINT(1)

static size_t inner_size(uint32_t seq, uint32_t field, size_t body_size)
{
    size_t size = 0;

    if (seq != 0) {
        size += 1 + qd_frame_prefix_size(seq);
    }
    if (field != 0) {
        size += qd_frame_prefix_size(QD_TAG_LENGTH(field)) + qd_frame_prefix_size((uint32_t)body_size) + body_size;
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
        *at++ = (uint8_t)SEQ_TAG;
        at += qd_frame_prefix_write(seq, at);
    }
    if (field != 0) {
        at += qd_frame_prefix_write(QD_TAG_LENGTH(field), at);
        at += qd_frame_prefix_write((uint32_t)body_size, at);
    }
    return (size_t)(at - bytes);
}
