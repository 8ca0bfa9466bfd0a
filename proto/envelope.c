/* SPDX-License-Identifier: Apache-2.0
 *
 * The envelope, written by hand: protobuf-c packs a sub-message first and then moves all its bytes behind its length.
 */
#include "codec_internal.h"

#include <string.h>

/* Field 1 of both envelopes. */
#define SEQ_TAG QD_TAG_VARINT(1)

static size_t confirm_size(qd_envelope envelope)
{
    return envelope.confirm ? QD_CONFIRM_SIZE : 0;
}

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

size_t qd_envelope_size(qd_envelope envelope, size_t body_size)
{
    size_t size = confirm_size(envelope);

    if (envelope.seq != 0) {
        size += 1 + qd_varint_size(envelope.seq);
    }
    if (envelope.field != 0) {
        size += qd_frame_prefix_size(QD_TAG_LENGTH(envelope.field)) + with_prefix(body_size);
    }
    return with_prefix(size);
}

size_t qd_envelope_write(qd_envelope envelope, size_t size, uint8_t *bytes)
{
    const bool confirm_first = envelope.field > QD_CONFIRM_FIELD;
    uint8_t *at = bytes, *end = bytes + size - (confirm_first ? 0 : confirm_size(envelope));

    at += qd_frame_prefix_write((uint32_t)without_prefix(size), at);
    if (envelope.seq != 0) {
        *at++ = (uint8_t)SEQ_TAG;
        at += qd_varint_write(envelope.seq, at);
    }
    if (envelope.confirm) {
        memcpy(confirm_first ? at : end, QD_CONFIRM_BYTES, QD_CONFIRM_SIZE);
        at += confirm_first ? QD_CONFIRM_SIZE : 0;
    }
    if (envelope.field != 0) {
        at += qd_frame_prefix_write(QD_TAG_LENGTH(envelope.field), at);
        at += qd_frame_prefix_write((uint32_t)without_prefix((size_t)(end - at)), at);
    }
    return (size_t)(at - bytes);
}
