/* SPDX-License-Identifier: Apache-2.0
 *
 * Golden vectors: each message with every field set, and variants of it, as text, as bytes and as a C struct.
 *
 * Encoding the struct must give the bytes. Decoding the bytes must give a struct that encodes to them again. So both
 * directions carry every field. integration/golden.sh asks protoc whether the text means the bytes. It reads what these
 * programs print for --list, one line per vector:
 *
 *     ClientFrame or ServerFrame|name|bytes in hexadecimal, without the length|text
 *
 * Each program defines the vectors of some kinds of messages and calls golden_main with them.
 */
#ifndef QD_TESTS_UNIT_GOLDEN_H
#define QD_TESTS_UNIT_GOLDEN_H

#include <stdlib.h>
#include <string.h>

#include "proto/codec.h"
#include "proto/framing.h"
#include "tests/support/test.h"

#define FRAME_BYTES_MAX 1024u

typedef struct client_golden {
    const char *name, *text, *hex;
    qd_client_message message;
} client_golden;

typedef struct server_golden {
    const char *name, *text, *hex;
    qd_server_message message;
} server_golden;

/* The vectors of a program, at least one for every kind from the first to the last. */
typedef struct golden_set {
    const client_golden *client;
    size_t client_count;
    qd_client_kind client_first, client_last;
    const server_golden *server;
    size_t server_count;
    qd_server_kind server_first, server_last;
} golden_set;

static const golden_set *golden_vectors; /* of the program */

/* A golden frame, without and with its length prefix. */
typedef struct golden_frame {
    uint8_t framed[FRAME_BYTES_MAX];
    size_t framed_size, prefix_size, size;
    const uint8_t *frame;
} golden_frame;

static void parse_vector(const char *hex, golden_frame *vector)
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

/* Encodes into memory of exactly the computed size, so that a sanitizer detects a byte too many. */
static void expect_client_bytes(const char *name, const qd_client_message *message, const golden_frame *expected)
{
    print_message("client %s\n", name);
    assert_int_equal(qd_client_message_size(message), expected->framed_size);
    uint8_t *bytes = malloc(expected->framed_size);
    assert_int_equal(qd_client_message_encode(message, bytes, expected->framed_size), expected->framed_size);
    assert_memory_equal(bytes, expected->framed, expected->framed_size);
    free(bytes);
}

static void expect_server_bytes(const char *name, const qd_server_message *message, const golden_frame *expected)
{
    print_message("server %s\n", name);
    assert_int_equal(qd_server_message_size(message), expected->framed_size);
    uint8_t *bytes = malloc(expected->framed_size);
    assert_int_equal(qd_server_message_encode(message, bytes, expected->framed_size), expected->framed_size);
    assert_memory_equal(bytes, expected->framed, expected->framed_size);
    free(bytes);
}

TEST(client_vector_encodes_and_decodes)
{
    const golden_set *set = golden_vectors;

    for (size_t i = 0; i < set->client_count; i++) {
        const client_golden *golden = &set->client[i];
        golden_frame vector;

        parse_vector(golden->hex, &vector);
        expect_client_bytes(golden->name, &golden->message, &vector);

        qd_decoded_client decoded;
        assert_int_equal(qd_decode_client(vector.frame, vector.size, NULL, &decoded), QD_DECODE_OK);
        assert_int_equal(decoded.message.kind, golden->message.kind);
        assert_string_equal(decoded.fault, "");
        expect_client_bytes(golden->name, &decoded.message, &vector);
        qd_decoded_client_release(&decoded, NULL);
    }
}

TEST(server_vector_encodes_and_decodes)
{
    const golden_set *set = golden_vectors;

    for (size_t i = 0; i < set->server_count; i++) {
        const server_golden *golden = &set->server[i];
        golden_frame vector;

        parse_vector(golden->hex, &vector);
        expect_server_bytes(golden->name, &golden->message, &vector);

        qd_decoded_server decoded;
        assert_int_equal(qd_decode_server(vector.frame, vector.size, NULL, &decoded), QD_DECODE_OK);
        assert_int_equal(decoded.message.kind, golden->message.kind);
        expect_server_bytes(golden->name, &decoded.message, &vector);
        qd_decoded_server_release(&decoded, NULL);
    }
}

/* Fails for a kind without a vector, such as that of a new message. */
TEST(every_kind_has_a_vector)
{
    const golden_set *set = golden_vectors;

    for (int kind = set->client_first; kind <= (int)set->client_last; kind++) {
        size_t i = 0;

        while (i < set->client_count && (int)set->client[i].message.kind != kind) {
            i++;
        }
        assert_true(i < set->client_count);
    }
    for (int kind = set->server_first; kind <= (int)set->server_last; kind++) {
        size_t i = 0;

        while (i < set->server_count && (int)set->server[i].message.kind != kind) {
            i++;
        }
        assert_true(i < set->server_count);
    }
}

/* Decodes memory of exactly that size as a client's and as a server's frame. */
static void decode_damaged(const uint8_t *bytes, size_t size)
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

static void damage(const char *hex)
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

/* Cuts the frame at each byte and flips each bit. The sanitizers check the result. */
TEST(damaged_frame_is_handled)
{
    const golden_set *set = golden_vectors;

    for (size_t i = 0; i < set->client_count; i++) {
        damage(set->client[i].hex);
    }
    for (size_t i = 0; i < set->server_count; i++) {
        damage(set->server[i].hex);
    }
}

/* A truncated message never decodes as a whole one. Only a cut between the fields of the envelope decodes. */
TEST(truncated_frame_is_malformed)
{
    const golden_set *set = golden_vectors;

    for (size_t i = 0; i < set->client_count; i++) {
        golden_frame vector;

        parse_vector(set->client[i].hex, &vector);
        for (size_t size = 0; size < vector.size; size++) {
            qd_decoded_client decoded;
            qd_decode_result result = qd_decode_client(vector.frame, size, NULL, &decoded);

            if (result == QD_DECODE_OK) {
                assert_int_equal(decoded.message.kind, QD_CLIENT_NOTHING);
            } else {
                assert_int_equal(result, QD_DECODE_MALFORMED);
            }
            qd_decoded_client_release(&decoded, NULL);
        }
    }
}

static void list(const golden_set *set)
{
    for (size_t i = 0; i < set->client_count; i++) {
        const client_golden *golden = &set->client[i];

        printf("ClientFrame|%s|%s|%s\n", golden->name, golden->hex, golden->text);
    }
    for (size_t i = 0; i < set->server_count; i++) {
        const server_golden *golden = &set->server[i];

        printf("ServerFrame|%s|%s|%s\n", golden->name, golden->hex, golden->text);
    }
}

static int golden_main(int argc, char **argv, golden_set *set)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        list(set);
        return 0;
    }
    golden_vectors = set;
    return test_run(argc, argv, NULL, NULL);
}

#endif
