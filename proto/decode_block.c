/* SPDX-License-Identifier: Apache-2.0
 *
 * The decode block, which codec_internal.h describes.
 */
#include "codec_internal.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 16u

/* The structs of a message, without its columns and strings. An envelope, the widest message (View) and the sizes and
 * gaps of its columns are about 2,500 bytes. */
#define STRUCTS_BYTES 3072u

static void *malloc_alloc(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void malloc_release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

const qd_codec_memory *qd_codec_memory_or_malloc(const qd_codec_memory *memory)
{
    static const qd_codec_memory of_malloc = {malloc_alloc, malloc_release, NULL};

    return memory ? memory : &of_malloc;
}

void *qd_decode_block_take(qd_decode_block *block, size_t size)
{
    size_t left = block->size - block->used;

    if (left < 2 * ALIGNMENT || size > left - 2 * ALIGNMENT) {
        block->exhausted = true;
        return NULL;
    }
    uint8_t *memory = block->bytes + block->used + ALIGNMENT;
    memcpy(memory - ALIGNMENT, &size, sizeof size);
    block->used += ALIGNMENT + (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return memory;
}

const char *qd_decode_block_text(qd_decode_block *block, const char *text)
{
    const uint8_t *memory = (const uint8_t *)text;

    if (memory < block->bytes || memory >= block->bytes + block->size) {
        return text;
    }
    size_t size;
    memcpy(&size, memory - ALIGNMENT, sizeof size);
    if (strlen(text) + 1 != size) {
        block->text_broken = true;
    }
    return text;
}

static void *take_for_protobuf(void *block, size_t size)
{
    return qd_decode_block_take(block, size);
}

static void keep_for_protobuf(void *block, void *memory)
{
    (void)block;
    (void)memory;
}

ProtobufCMessage *qd_decode_block_unpack(qd_decode_block *block, const ProtobufCMessageDescriptor *descriptor,
                                         const void *bytes, size_t size)
{
    ProtobufCAllocator allocator = {take_for_protobuf, keep_for_protobuf, block};

    return protobuf_c_message_unpack(descriptor, &allocator, size, bytes);
}

qd_decode_result qd_decode_in_block(qd_decode_fn decode, const void *bytes, size_t size, size_t bytes_max,
                                    const qd_codec_memory *memory, qd_decode_block *block, void *decoded)
{
    *block = (qd_decode_block){0};
    /* protobuf-c counts in int in some places. */
    if (size > INT32_MAX) {
        return QD_DECODE_MALFORMED;
    }
    memory = qd_codec_memory_or_malloc(memory);
    const size_t block_sizes[] = {size + STRUCTS_BYTES, bytes_max};
    qd_decode_result result = QD_DECODE_MALFORMED;
    for (size_t i = 0; i < 2; i++) {
        *block = (qd_decode_block){.size = block_sizes[i]};
        block->bytes = memory->alloc(memory->context, block->size);
        if (!block->bytes) {
            *block = (qd_decode_block){0};
            return QD_DECODE_NO_MEMORY;
        }
        result = decode(block, bytes, size, decoded);
        if (!block->exhausted) {
            break;
        }
        memory->release(memory->context, block->bytes, block->size);
        *block = (qd_decode_block){0};
    }
    return result;
}
