/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes any bytes as a ServerFrame, within the memory budget. A decoded message encodes to bytes that decode and
 * encode to the same again. The fast path encodes as the generic path does.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "proto/codec.h"
#include "proto/encode_fast.h"
#include "proto/generic.h"
#include "support/counted_memory.h"

static uint8_t *encode(const qd_server_message *message, size_t *size)
{
    *size = qd_server_message_size(message);
    uint8_t *bytes = malloc(*size);
    FUZZ_CHECK(bytes);
    FUZZ_CHECK(qd_server_message_encode(message, bytes, *size) == *size);
    return bytes;
}

static void compare_encoding(const qd_server_message *message, const uint8_t *bytes, size_t size)
{
    size_t fast_size = qd_server_size_fast(message);

    FUZZ_CHECK(qd_server_size_generic(message) == size && (fast_size == 0 || fast_size == size));
    uint8_t *generic = malloc(size);
    FUZZ_CHECK(generic);
    qd_encode_server_generic(message, generic, size);
    FUZZ_CHECK(memcmp(generic, bytes, size) == 0);
    free(generic);
}

static void encode_and_decode_again(const qd_server_message *message)
{
    size_t first_size, second_size;
    uint8_t *first = encode(message, &first_size);
    size_t prefix_size = prefix_size_of(first);
    qd_decoded_server decoded;

    compare_encoding(message, first, first_size);
    FUZZ_CHECK(qd_decode_server(first + prefix_size, first_size - prefix_size, NULL, &decoded) == QD_DECODE_OK);
    FUZZ_CHECK(decoded.message.kind == message->kind);
    uint8_t *second = encode(&decoded.message, &second_size);
    FUZZ_CHECK(first_size == second_size && memcmp(first, second, first_size) == 0);
    free(second);
    qd_decoded_server_release(&decoded, NULL);
    free(first);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    counted_memory counted;

    counted_memory_init(&counted);
    qd_decoded_server decoded;
    qd_decode_result result = qd_decode_server(bytes, size, &counted.memory, &decoded);
    FUZZ_CHECK(counted.bytes_peak <= QD_DECODE_SERVER_BYTES_MAX(size));
    FUZZ_CHECK(result != QD_DECODE_NO_MEMORY);
    if (result == QD_DECODE_OK) {
        encode_and_decode_again(&decoded.message);
    }
    qd_decoded_server_release(&decoded, &counted.memory);
    FUZZ_CHECK(counted.bytes == 0);
    return 0;
}
