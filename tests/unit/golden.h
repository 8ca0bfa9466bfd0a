/* SPDX-License-Identifier: Apache-2.0
 *
 * What proto_golden.c does with the bytes of a vector: compare, cut, damage.
 */
#ifndef QD_TESTS_UNIT_GOLDEN_H
#define QD_TESTS_UNIT_GOLDEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/codec.h"
#include "proto/framing.h"

#define FRAME_BYTES_MAX 512u

/* A golden frame, and the same behind its length. */
typedef struct golden_frame {
    uint8_t framed[FRAME_BYTES_MAX];
    size_t framed_size, prefix_size, size;
    const uint8_t *frame;
} golden_frame;

static inline void parse_vector(const char *hex, golden_frame *vector)
{
    vector->size = strlen(hex) / 2;
    assert_true(vector->size + QD_FRAME_PREFIX_BYTES_MAX <= FRAME_BYTES_MAX);
    vector->prefix_size = qd_frame_prefix_write((uint32_t)vector->size, vector->framed);
    vector->framed_size = vector->prefix_size + vector->size;
    vector->frame = vector->framed + vector->prefix_size;
    for (size_t i = 0; i < vector->size; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        vector->framed[vector->prefix_size + i] = (uint8_t)byte;
    }
}

/* Encodes into memory of exactly the size that was announced, so that a sanitizer sees a byte too many. */
static inline void expect_client_bytes(const char *name, const qd_client_message *message, const golden_frame *expected)
{
    print_message("client %s\n", name);
    assert_int_equal(qd_client_message_size(message), expected->framed_size);
    uint8_t *bytes = malloc(expected->framed_size);
    assert_int_equal(qd_client_message_encode(message, bytes), expected->framed_size);
    assert_memory_equal(bytes, expected->framed, expected->framed_size);
    free(bytes);
}

static inline void expect_server_bytes(const char *name, const qd_server_message *message, const golden_frame *expected)
{
    print_message("server %s\n", name);
    assert_int_equal(qd_server_message_size(message), expected->framed_size);
    uint8_t *bytes = malloc(expected->framed_size);
    assert_int_equal(qd_server_message_encode(message, bytes), expected->framed_size);
    assert_memory_equal(bytes, expected->framed, expected->framed_size);
    free(bytes);
}

/* Decodes from memory of exactly that size, both ways; returns whether either took it. */
static inline void decode_damaged(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size + !size);
    memcpy(copy, bytes, size);
    qd_decoded_client client;
    if (qd_decode_client(copy, size, NULL, &client) == QD_DECODE_OK) {
        assert_true(qd_client_message_size(&client.message) > 0);
    }
    qd_decoded_client_release(&client, NULL);
    qd_decoded_server server;
    if (qd_decode_server(copy, size, NULL, &server) == QD_DECODE_OK) {
        assert_true(qd_server_message_size(&server.message) > 0);
    }
    qd_decoded_server_release(&server, NULL);
    free(copy);
}

static inline void damage(const char *hex)
{
    golden_frame vector;
    parse_vector(hex, &vector);
    for (size_t size = 0; size < vector.size; size++) {
        decode_damaged(vector.frame, size);
    }
    uint8_t *frame = vector.framed + vector.prefix_size;
    for (size_t bit = 0; bit < vector.size * 8; bit++) {
        frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
        decode_damaged(frame, vector.size);
        frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

#endif
