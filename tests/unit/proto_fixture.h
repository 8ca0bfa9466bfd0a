/* SPDX-License-Identifier: Apache-2.0
 *
 * For the tests of proto/: frames in memory of exactly their size, and messages of either side decoded from them. Each
 * decoding is checked against the memory budget, and each release for leaks.
 */
#ifndef QD_TESTS_UNIT_PROTO_FIXTURE_H
#define QD_TESTS_UNIT_PROTO_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "proto/codec.h"
#include "proto/framing.h"
#include "support/counted_memory.h"
#include "tests/support/test.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* The bytes of a string literal, including zero bytes in it, as two arguments or members. */
#define RAW(literal) literal, sizeof(literal) - 1

typedef enum side { CLIENT, SERVER } side;

typedef struct test_message {
    side side;
    union {
        qd_client_message client;
        qd_server_message server;
    } as;
} test_message;

#define CLIENT_MESSAGE(...) (&(test_message){CLIENT, .as.client = {__VA_ARGS__}})
#define SERVER_MESSAGE(...) (&(test_message){SERVER, .as.server = {__VA_ARGS__}})

/* ---- encoding ---- */

typedef struct test_frame {
    uint8_t *bytes; /* with the length prefix; to be freed */
    size_t size;
    const uint8_t *body; /* without the prefix */
    size_t body_size;
} test_frame;

static inline test_frame encode(const test_message *message)
{
    const bool is_client = message->side == CLIENT;
    const size_t size =
        is_client ? qd_client_message_size(&message->as.client) : qd_server_message_size(&message->as.server);
    test_frame frame = {malloc(size), size, NULL, 0};
    size_t prefix_size = 1;

    assert_int_equal(is_client ? qd_client_message_encode(&message->as.client, frame.bytes, size)
                               : qd_server_message_encode(&message->as.server, frame.bytes, size),
                     size);
    while (frame.bytes[prefix_size - 1] & 0x80) {
        prefix_size++;
    }
    frame.body = frame.bytes + prefix_size;
    frame.body_size = size - prefix_size;
    assert_int_equal(prefix_size, qd_frame_prefix_size((uint32_t)frame.body_size));
    return frame;
}

/* ---- decoding ---- */

typedef struct test_decoded {
    qd_decode_result result;
    test_message message;
    int kind;          /* qd_client_kind or qd_server_kind; 0: nothing */
    const char *fault; /* empty for servers' messages */
    size_t bytes_peak;
    counted_memory counted;
    qd_decoded_client client;
    qd_decoded_server server;
} test_decoded;

/* Decodes bytes without a length prefix; `fail_at` is the allocation that fails, or 0. Release *decoded. */
static inline void decode_failing(side from, const void *bytes, size_t size, unsigned fail_at, test_decoded *decoded)
{
    uint8_t *copy = malloc(size + !size);

    memcpy(copy, bytes, size);
    memset(decoded, 0, sizeof *decoded);
    counted_memory_init(&decoded->counted);
    decoded->counted.fail_at = fail_at;
    decoded->message.side = from;
    if (from == CLIENT) {
        decoded->result = qd_decode_client(copy, size, &decoded->counted.memory, &decoded->client);
        decoded->message.as.client = decoded->client.message;
        decoded->kind = (int)decoded->client.message.kind;
        decoded->fault = decoded->client.fault;
    } else {
        decoded->result = qd_decode_server(copy, size, &decoded->counted.memory, &decoded->server);
        decoded->message.as.server = decoded->server.message;
        decoded->kind = (int)decoded->server.message.kind;
        decoded->fault = "";
    }
    free(copy);
    decoded->bytes_peak = decoded->counted.bytes_peak;
    assert_true(decoded->bytes_peak <= (from == CLIENT ? QD_DECODE_BYTES_MAX(size) : QD_DECODE_SERVER_BYTES_MAX(size)));
}

static inline void decode(side from, const void *bytes, size_t size, test_decoded *decoded)
{
    decode_failing(from, bytes, size, 0, decoded);
}

static inline void release(test_decoded *decoded)
{
    if (decoded->message.side == CLIENT) {
        qd_decoded_client_release(&decoded->client, &decoded->counted.memory);
    } else {
        qd_decoded_server_release(&decoded->server, &decoded->counted.memory);
    }
    assert_int_equal(decoded->counted.bytes, 0);
}

/* Decodes and releases. */
static inline qd_decode_result result_of(side from, const void *bytes, size_t size)
{
    test_decoded decoded;

    decode(from, bytes, size, &decoded);
    release(&decoded);
    return decoded.result;
}

#endif
