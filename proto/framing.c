/* SPDX-License-Identifier: Apache-2.0 */
#include "framing.h"

#include <string.h>

#include "codec_internal.h"

#define MORE_BYTES_FOLLOW 0x80u

size_t qd_varint_size(uint64_t value)
{
    size_t size = 1;

    while (value >= MORE_BYTES_FOLLOW) {
        value >>= 7;
        size++;
    }
    return size;
}

size_t qd_varint_write(uint64_t value, uint8_t *bytes)
{
    size_t size = 0;

    while (value >= MORE_BYTES_FOLLOW) {
        bytes[size++] = (uint8_t)(value | MORE_BYTES_FOLLOW);
        value >>= 7;
    }
    bytes[size++] = (uint8_t)value;
    return size;
}

size_t qd_frame_prefix_size(uint32_t length)
{
    return qd_varint_size(length);
}

size_t qd_frame_prefix_write(uint32_t length, uint8_t bytes[QD_FRAME_PREFIX_BYTES_MAX])
{
    return qd_varint_write(length, bytes);
}

void qd_frame_reader_init(qd_frame_reader *reader, size_t frame_bytes_max, const qd_codec_memory *memory)
{
    *reader = (qd_frame_reader){
        .frame_bytes_max = frame_bytes_max,
        .memory = qd_codec_memory_or_malloc(memory),
    };
}

static void release_held(qd_frame_reader *reader)
{
    if (reader->held) {
        reader->memory->release(reader->memory->context, reader->held, reader->held_capacity);
    }
    reader->held = NULL;
    reader->held_size = 0;
    reader->held_capacity = 0;
}

void qd_frame_reader_deinit(qd_frame_reader *reader)
{
    release_held(reader);
}

/* Reads up to the end of the length; then the reader is in the frame. */
static qd_frame_result read_prefix(qd_frame_reader *reader, const uint8_t **bytes, size_t *size)
{
    uint8_t byte;

    do {
        if (reader->prefix_size == QD_FRAME_PREFIX_BYTES_MAX) {
            return QD_FRAME_BAD_PREFIX;
        }
        if (*size == 0) {
            return QD_FRAME_MORE;
        }
        byte = **bytes;
        reader->prefix[reader->prefix_size++] = byte;
        ++*bytes;
        --*size;
    } while (byte & MORE_BYTES_FOLLOW);

    if (byte == 0 && reader->prefix_size > 1) {
        return QD_FRAME_BAD_PREFIX;
    }
    reader->length = 0;
    for (uint32_t i = 0; i < reader->prefix_size; i++) {
        reader->length |= (uint64_t)(reader->prefix[i] & ~MORE_BYTES_FOLLOW) << 7 * i;
    }
    if (reader->length > reader->frame_bytes_max) {
        return QD_FRAME_TOO_LONG;
    }
    reader->prefix_size = 0;
    reader->in_frame = true;
    return QD_FRAME_OK;
}

/* Makes room for `size` more bytes that have arrived. The capacity is at most twice what is held then, and never more
 * than the frame. */
static bool reserve(qd_frame_reader *reader, size_t size)
{
    size_t needed = reader->held_size + size;

    if (needed <= reader->held_capacity) {
        return true;
    }
    size_t capacity = needed * 2 < reader->length ? needed * 2 : (size_t)reader->length;
    uint8_t *held = reader->memory->alloc(reader->memory->context, capacity);
    if (!held) {
        return false;
    }
    size_t held_size = reader->held_size;
    if (held_size > 0) {
        memcpy(held, reader->held, held_size);
    }
    release_held(reader);
    reader->held = held;
    reader->held_size = held_size;
    reader->held_capacity = capacity;
    return true;
}

qd_frame_result qd_frame_reader_next(qd_frame_reader *reader, const uint8_t **bytes, size_t *size,
                                     const uint8_t **frame, size_t *frame_size)
{
    if (!reader->in_frame) {
        reader->held_size = 0; /* the frame of the last call */
        qd_frame_result result = read_prefix(reader, bytes, size);
        if (result != QD_FRAME_OK) {
            release_held(reader);
            return result;
        }
    }

    size_t missing = (size_t)reader->length - reader->held_size;
    size_t taken = *size < missing ? *size : missing;
    bool in_place = taken == reader->length;
    if (in_place) {
        *frame = *bytes;
    } else if (taken > 0) {
        if (!reserve(reader, taken)) {
            return QD_FRAME_NO_MEMORY;
        }
        memcpy(reader->held + reader->held_size, *bytes, taken);
        reader->held_size += taken;
        *frame = reader->held;
    }
    *bytes += taken;
    *size -= taken;
    if (taken < missing) {
        return QD_FRAME_MORE;
    }
    *frame_size = (size_t)reader->length;
    reader->in_frame = false;
    return QD_FRAME_OK;
}
