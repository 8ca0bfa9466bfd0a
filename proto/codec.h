/* SPDX-License-Identifier: Apache-2.0
 *
 * The codec: turns the structs of messages.h into bytes and back, by protobuf-c. Only proto/ sees the generated code.
 *
 * The functions keep no state; any thread may call them. Decoding accepts any bytes and never reads outside them. It
 * allocates one block, whose size follows from the frame's, so that a small frame cannot claim much memory. Encoding
 * allocates nothing.
 */
#ifndef QD_PROTO_CODEC_H
#define QD_PROTO_CODEC_H

#include "messages.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most memory that decoding a client's frame of `size` bytes takes. A frame as encoders write it takes `size` and
 * 3 KiB. A server's frame may take more, because RoomList has up to 1,000 rows instead of columns. */
#define QD_DECODE_BYTES_MAX(size)        (2u * (size_t)(size) + 4096u)
#define QD_DECODE_SERVER_BYTES_MAX(size) (QD_DECODE_BYTES_MAX(size) + (256u << 10))

/* The allocator for decoded messages. `alloc` returns memory aligned to 16 bytes, or NULL. `release` gets the size that
 * `alloc` got. */
typedef struct qd_codec_memory {
    void *(*alloc)(void *context, size_t size);
    void (*release)(void *context, void *memory, size_t size);
    void *context;
} qd_codec_memory;

typedef enum qd_decode_result {
    QD_DECODE_OK = 0,
    QD_DECODE_MALFORMED, /* not a frame of this protocol, or beyond the memory budget: close the connection */
    QD_DECODE_COLUMNS,   /* columns of unequal length, or a needed one is missing: refuse the message */
    QD_DECODE_NO_MEMORY, /* `alloc` returned NULL */
} qd_decode_result;

/* A decoded message. After QD_DECODE_OK the whole `message` is valid. After QD_DECODE_COLUMNS its seq and kind are, and
 * the room of a client's message, whose `fault` then describes the error. Otherwise `fault` is empty. */
typedef struct qd_decoded_client {
    qd_client_message message;
    char fault[160];
    void *memory; /* private */
    size_t memory_size;
} qd_decoded_client;

typedef struct qd_decoded_server {
    qd_server_message message;
    void *memory; /* private */
    size_t memory_size;
} qd_decoded_server;

/* Decodes one frame, without its length prefix. `memory` NULL means malloc. The bytes are not needed afterwards.
 * Release *decoded after any result, with the same `memory`. */
qd_decode_result qd_decode_client(const void *bytes, size_t size, const qd_codec_memory *memory,
                                  qd_decoded_client *decoded);
/* Returns the seq of a frame that could not be decoded because memory ran out. 0: the frame does not begin with a seq,
 * which is where encoders write it. */
uint64_t qd_client_frame_seq(const void *bytes, size_t size);
void qd_decoded_client_release(qd_decoded_client *decoded, const qd_codec_memory *memory);
qd_decode_result qd_decode_server(const void *bytes, size_t size, const qd_codec_memory *memory,
                                  qd_decoded_server *decoded);
void qd_decoded_server_release(qd_decoded_server *decoded, const qd_codec_memory *memory);

/* Writes the value of a field for people, as "half_x is -1": `field` is its number in the message, and `entry` the entry of
 * a column. Empty if the message has no such value. */
void qd_client_value_text(const qd_client_message *message, uint32_t field, uint32_t entry, char *text, size_t size);

/* Returns the bytes of the whole frame, length prefix included. */
size_t qd_client_message_size(const qd_client_message *message);
size_t qd_server_message_size(const qd_server_message *message);

/* Writes the whole frame into `bytes` and returns `size`, which is the result of the function above. */
size_t qd_client_message_encode(const qd_client_message *message, void *bytes, size_t size);
size_t qd_server_message_encode(const qd_server_message *message, void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
