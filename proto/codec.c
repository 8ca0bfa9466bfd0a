/* SPDX-License-Identifier: Apache-2.0
 *
 * The codec's entry points: the fast path where it applies, else the generic path.
 */
#include "codec_internal.h"
#include "decode_fast.h"
#include "encode_fast.h"
#include "generic.h"

qd_decode_result qd_decode_client(const void *bytes, size_t size, const qd_codec_memory *memory,
                                  qd_decoded_client *decoded)
{
    qd_decode_result result;

    if (qd_decode_client_fast(bytes, size, memory, decoded, &result)) {
        return result;
    }
    return qd_decode_client_generic(bytes, size, memory, decoded);
}

void qd_decoded_client_release(qd_decoded_client *decoded, const qd_codec_memory *memory)
{
    memory = qd_codec_memory_or_malloc(memory);
    if (decoded->memory != NULL) {
        memory->release(memory->context, decoded->memory, decoded->memory_size);
    }
    *decoded = (qd_decoded_client){0};
}

qd_decode_result qd_decode_server(const void *bytes, size_t size, const qd_codec_memory *memory,
                                  qd_decoded_server *decoded)
{
    return qd_decode_server_generic(bytes, size, memory, decoded);
}

void qd_decoded_server_release(qd_decoded_server *decoded, const qd_codec_memory *memory)
{
    memory = qd_codec_memory_or_malloc(memory);
    if (decoded->memory != NULL) {
        memory->release(memory->context, decoded->memory, decoded->memory_size);
    }
    *decoded = (qd_decoded_server){0};
}

size_t qd_client_message_size(const qd_client_message *message)
{
    size_t size = qd_client_size_fast(message);

    return size > 0 ? size : qd_client_size_generic(message);
}

size_t qd_server_message_size(const qd_server_message *message)
{
    size_t size = qd_server_size_fast(message);

    return size > 0 ? size : qd_server_size_generic(message);
}

size_t qd_client_message_encode(const qd_client_message *message, void *bytes, size_t size)
{
    if (!qd_encode_client_fast(message, bytes, size)) {
        qd_encode_client_generic(message, bytes, size);
    }
    return size;
}

size_t qd_server_message_encode(const qd_server_message *message, void *bytes, size_t size)
{
    if (!qd_encode_server_fast(message, bytes, size)) {
        qd_encode_server_generic(message, bytes, size);
    }
    return size;
}
