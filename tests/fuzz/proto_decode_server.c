/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoding a ServerFrame: any bytes, within the budget; and what was decoded encodes to bytes that decode and
 * encode to the same again.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "proto/codec.h"
#include "support/counted_memory.h"

/* The frame is behind its length. */
static size_t prefix_size_of(const uint8_t *bytes)
{
    size_t size = 1;

    while (bytes[size - 1] & 0x80) {
        size++;
    }
    return size;
}

static uint8_t *encode(const qd_server_message *message, size_t *size)
{
    *size = qd_server_message_size(message);
    uint8_t *bytes = malloc(*size);
    FUZZ_CHECK(bytes);
    FUZZ_CHECK(qd_server_message_encode(message, bytes) == *size);
    return bytes;
}

static void encode_and_decode_again(const qd_server_message *message)
{
    size_t first_size, second_size;
    uint8_t *first = encode(message, &first_size);
    size_t prefix_size = prefix_size_of(first);
    qd_decoded_server decoded;

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
