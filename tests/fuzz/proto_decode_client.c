/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoding a ClientFrame: any bytes, within the budget; and what was decoded encodes to bytes that decode and
 * encode to the same again. What is decoded without protobuf-c is what protobuf-c makes of it.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "proto/codec.h"
#include "proto/decode_usual.h"
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

static uint8_t *encode(const qd_client_message *message, size_t *size)
{
    *size = qd_client_message_size(message);
    uint8_t *bytes = malloc(*size);
    FUZZ_CHECK(bytes);
    FUZZ_CHECK(qd_client_message_encode(message, bytes) == *size);
    return bytes;
}

static void encode_and_decode_again(const qd_client_message *message)
{
    size_t first_size, second_size;
    uint8_t *first = encode(message, &first_size);
    size_t prefix_size = prefix_size_of(first);
    qd_decoded_client decoded;

    FUZZ_CHECK(qd_decode_client(first + prefix_size, first_size - prefix_size, NULL, &decoded) == QD_DECODE_OK);
    FUZZ_CHECK(decoded.message.kind == message->kind);
    uint8_t *second = encode(&decoded.message, &second_size);
    FUZZ_CHECK(first_size == second_size && memcmp(first, second, first_size) == 0);
    free(second);
    qd_decoded_client_release(&decoded, NULL);
    free(first);
}

static void compare_ways(const uint8_t *bytes, size_t size)
{
    qd_decoded_client usual, any;
    qd_decode_result result;

    if (!qd_decode_usual(bytes, size, NULL, &usual, &result)) {
        return;
    }
    FUZZ_CHECK(result == QD_DECODE_OK && qd_decode_any(bytes, size, NULL, &any) == QD_DECODE_OK);
    FUZZ_CHECK(usual.message.kind == any.message.kind && usual.message.seq == any.message.seq);
    size_t usual_size, any_size;
    uint8_t *of_usual = encode(&usual.message, &usual_size), *of_any = encode(&any.message, &any_size);
    FUZZ_CHECK(usual_size == any_size && memcmp(of_usual, of_any, any_size) == 0);
    free(of_any);
    free(of_usual);
    qd_decoded_client_release(&any, NULL);
    qd_decoded_client_release(&usual, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    counted_memory counted;

    counted_memory_init(&counted);
    qd_decoded_client decoded;
    qd_decode_result result = qd_decode_client(bytes, size, &counted.memory, &decoded);
    FUZZ_CHECK(counted.bytes_peak <= QD_DECODE_BYTES_MAX(size));
    FUZZ_CHECK(result != QD_DECODE_NO_MEMORY);
    if (result == QD_DECODE_OK) {
        encode_and_decode_again(&decoded.message);
    }
    qd_decoded_client_release(&decoded, &counted.memory);
    FUZZ_CHECK(counted.bytes == 0);
    compare_ways(bytes, size);
    return 0;
}
