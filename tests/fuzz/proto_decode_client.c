/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes any bytes as a ClientFrame, within the memory budget. A decoded message encodes to bytes that decode and
 * encode to the same again. The fast path decodes and encodes as the generic path does.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "proto/codec.h"
#include "proto/decode_fast.h"
#include "proto/encode_fast.h"
#include "proto/generic.h"
#include "support/counted_memory.h"

static uint8_t *encode(const qd_client_message *message, size_t *size)
{
    *size = qd_client_message_size(message);
    uint8_t *bytes = malloc(*size);
    FUZZ_CHECK(bytes);
    FUZZ_CHECK(qd_client_message_encode(message, bytes, *size) == *size);
    return bytes;
}

static void compare_encoding(const qd_client_message *message, const uint8_t *bytes, size_t size)
{
    size_t fast_size = qd_client_size_fast(message);

    FUZZ_CHECK(qd_client_size_generic(message) == size && (fast_size == 0 || fast_size == size));
    uint8_t *generic = malloc(size);
    FUZZ_CHECK(generic);
    qd_encode_client_generic(message, generic, size);
    FUZZ_CHECK(memcmp(generic, bytes, size) == 0);
    free(generic);
}

static void encode_and_decode_again(const qd_client_message *message)
{
    size_t first_size, second_size;
    uint8_t *first = encode(message, &first_size);
    size_t prefix_size = prefix_size_of(first);
    qd_decoded_client decoded;

    compare_encoding(message, first, first_size);
    FUZZ_CHECK(qd_decode_client(first + prefix_size, first_size - prefix_size, NULL, &decoded) == QD_DECODE_OK);
    FUZZ_CHECK(decoded.message.kind == message->kind);
    uint8_t *second = encode(&decoded.message, &second_size);
    FUZZ_CHECK(first_size == second_size && memcmp(first, second, first_size) == 0);
    free(second);
    qd_decoded_client_release(&decoded, NULL);
    free(first);
}

/* A Move that is read in place has what its decoded message has. */
static void compare_reading(const uint8_t *bytes, size_t size, const qd_client_message *message)
{
    qd_move_frame move;

    if (!qd_read_move_frame(bytes, size, &move)) {
        FUZZ_CHECK(message->kind != QD_CLIENT_MOVE || message->confirm);
        return;
    }
    const qd_msg_entities *entities = &message->as.batch.entities;
    FUZZ_CHECK(message->kind == QD_CLIENT_MOVE && !message->confirm && message->seq == move.seq);
    FUZZ_CHECK(message->as.batch.room == move.room && entities->count == move.count);
    const void *columns[] = {entities->id, entities->x, entities->y, entities->z};
    const uint8_t *read[] = {move.id, move.x, move.y, move.z};
    for (int i = 0; i < 4; i++) {
        FUZZ_CHECK((columns[i] == NULL) == (read[i] == NULL));
        FUZZ_CHECK(read[i] == NULL || memcmp(columns[i], read[i], move.count * sizeof(uint32_t)) == 0);
    }
}

static void compare_decoding(const uint8_t *bytes, size_t size)
{
    qd_decoded_client fast, generic;
    qd_decode_result result;

    if (!qd_decode_client_fast(bytes, size, NULL, &fast, &result)) {
        qd_move_frame move;

        FUZZ_CHECK(!qd_read_move_frame(bytes, size, &move));
        return;
    }
    compare_reading(bytes, size, &fast.message);
    FUZZ_CHECK(result == QD_DECODE_OK && qd_decode_client_generic(bytes, size, NULL, &generic) == QD_DECODE_OK);
    FUZZ_CHECK(fast.message.kind == generic.message.kind && fast.message.seq == generic.message.seq);
    size_t fast_size, generic_size;
    uint8_t *of_fast = encode(&fast.message, &fast_size), *of_generic = encode(&generic.message, &generic_size);
    FUZZ_CHECK(fast_size == generic_size && memcmp(of_fast, of_generic, generic_size) == 0);
    free(of_generic);
    free(of_fast);
    qd_decoded_client_release(&generic, NULL);
    qd_decoded_client_release(&fast, NULL);
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
    compare_decoding(bytes, size);
    return 0;
}
