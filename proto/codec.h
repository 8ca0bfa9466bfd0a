/* SPDX-License-Identifier: Apache-2.0
 *
 * The codec: messages.h to bytes and back, by protobuf-c. The only place that sees the generated code.
 *
 * Pure and re-entrant: any thread, no state. Decoding takes any bytes: it never reads outside them, and what it
 * allocates is one block of a size that follows from the frame's, so that a small frame cannot be made to take much
 * memory. Encoding allocates nothing.
 */
#ifndef QD_PROTO_CODEC_H
#define QD_PROTO_CODEC_H

#include "messages.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All the memory that decoding a frame of `size` bytes to the server can take; a frame as every encoder writes it takes
 * `size` and 3 KiB. A frame to the client may take more: its RoomList has up to 1,000 rows, not columns. */
#define QD_DECODE_BYTES_MAX(size)        (2u * (size_t)(size) + 4096u)
#define QD_DECODE_SERVER_BYTES_MAX(size) (QD_DECODE_BYTES_MAX(size) + (256u << 10))

/* Where decoded messages live. `alloc` returns memory aligned to 16 bytes, or NULL; `release` gets the size again. */
typedef struct qd_codec_memory {
    void *(*alloc)(void *context, size_t size);
    void (*release)(void *context, void *memory, size_t size);
    void *context;
} qd_codec_memory;

typedef enum qd_decode_result {
    QD_DECODE_OK = 0,
    QD_DECODE_MALFORMED, /* the bytes are no frame of this protocol, or break the budget: end the connection */
    QD_DECODE_COLUMNS,   /* columns of unequal length, or a needed one is missing: refuse the message */
    QD_DECODE_NO_MEMORY, /* `alloc` returned NULL */
} qd_decode_result;

/* A decoded message. `message` may be read with QD_DECODE_OK; with QD_DECODE_COLUMNS its seq, kind and room may be,
 * and `fault` says in words what is wrong (else it is empty). */
typedef struct qd_decoded_client {
    qd_client_message message;
    char fault[120];
    void *memory; /* private */
    size_t memory_size;
} qd_decoded_client;

typedef struct qd_decoded_server {
    qd_server_message message;
    void *memory; /* private */
    size_t memory_size;
} qd_decoded_server;

/* Decode one frame, without its length prefix. `memory` NULL means malloc. The bytes are not needed afterwards.
 * Release what was decoded, after any result, with the same `memory`. */
qd_decode_result qd_decode_client(const void *bytes, size_t size, const qd_codec_memory *memory,
                                  qd_decoded_client *decoded);
/* The seq of a frame that could not be decoded for want of memory; 0: none stands at its beginning, where encoders
 * write it. */
uint32_t qd_client_frame_seq(const void *bytes, size_t size);
void qd_decoded_client_release(qd_decoded_client *decoded, const qd_codec_memory *memory);
qd_decode_result qd_decode_server(const void *bytes, size_t size, const qd_codec_memory *memory,
                                  qd_decoded_server *decoded);
void qd_decoded_server_release(qd_decoded_server *decoded, const qd_codec_memory *memory);

/* Bytes of the whole frame, length prefix included. */
size_t qd_client_message_size(const qd_client_message *message);
size_t qd_server_message_size(const qd_server_message *message);

/* Write the whole frame, length prefix included, into `bytes`, which has room for the size above; returns that size. */
size_t qd_client_message_encode(const qd_client_message *message, void *bytes);
size_t qd_server_message_encode(const qd_server_message *message, void *bytes);

#ifdef __cplusplus
}
#endif

#endif
