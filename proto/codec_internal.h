/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the codec share: the decode block and the envelope. Included by proto/ only.
 *
 * THE BLOCK. protobuf-c allocates while it unpacks, a few bytes for every field that it meets, known or not. A frame of
 * tiny fields can take 68 times its size. So all allocations come from one block, whose size follows from the frame's
 * size; a frame that needs more is refused. The block is released as a whole, after success and failure alike, and
 * what protobuf-c frees is ignored.
 *
 *     | size | memory ... | size | memory ... |          each size and each memory starts at a multiple of 16
 */
#ifndef QD_PROTO_CODEC_INTERNAL_H
#define QD_PROTO_CODEC_INTERNAL_H

#include "codec.h"
#include "framing.h"
#include "quadrille.pb-c.h"

/* `memory`, or malloc when it is NULL. */
const qd_codec_memory *qd_codec_memory_or_malloc(const qd_codec_memory *memory);

typedef struct qd_decode_block {
    uint8_t *bytes;
    size_t size, used;
    bool exhausted;   /* an allocation did not fit */
    bool text_broken; /* qd_decode_block_text met a string that no C string can hold */
} qd_decode_block;

/* Returns memory aligned to 16 bytes, or NULL when the block is exhausted. */
void *qd_decode_block_take(qd_decode_block *block, size_t size);

/* Returns `text`, a string unpacked into this block or a static one. Sets text_broken if it contains a zero byte, which
 * would make two different names equal. */
const char *qd_decode_block_text(qd_decode_block *block, const char *text);

/* Unpacks `size` bytes into the block. Returns NULL if they are malformed or the block is exhausted. */
ProtobufCMessage *qd_decode_block_unpack(qd_decode_block *block, const ProtobufCMessageDescriptor *descriptor,
                                         const void *bytes, size_t size);

/* Decodes a frame into `decoded`, a qd_decoded_client or qd_decoded_server. */
typedef qd_decode_result (*qd_decode_fn)(qd_decode_block *block, const void *bytes, size_t size, void *decoded);

/* Runs `decode` in a small block, which suffices for a frame as encoders write it. If that block is exhausted, runs it
 * again in one of `bytes_max`. Leaves the block in *block; it is empty if there was no memory. */
qd_decode_result qd_decode_in_block(qd_decode_fn decode, const void *bytes, size_t size, size_t bytes_max,
                                    const qd_codec_memory *memory, qd_decode_block *block, void *decoded);

/* The bytes of a payload column, from its column of sizes, which may be NULL. */
static inline size_t qd_payload_bytes(const uint8_t *sizes, size_t count)
{
    size_t sum = 0;

    for (size_t i = 0; sizes != NULL && i < count; i++) {
        sum += sizes[i];
    }
    return sum;
}

/* The tag that precedes a field: its number and its wire type. */
#define QD_TAG_VARINT(field) ((uint32_t)(field) << 3)
#define QD_TAG_LENGTH(field) ((uint32_t)(field) << 3 | 2u)

/* A varint takes 1 to 10 bytes. Writing returns how many. */
size_t qd_varint_size(uint64_t value);
size_t qd_varint_write(uint64_t value, uint8_t *bytes);

/* ClientFrame.confirm, when it is true: the tag and the value. */
#define QD_CONFIRM_BYTES "\xf8\x01\x01"
#define QD_CONFIRM_FIELD 31u
#define QD_CONFIRM_SIZE  (sizeof QD_CONFIRM_BYTES - 1)

typedef struct qd_envelope {
    uint64_t seq;
    uint32_t field; /* the number of the message's field; 0: there is no message */
    bool confirm;   /* of a ClientFrame; it follows the message, or precedes a field above QD_CONFIRM_FIELD */
} qd_envelope;

/* The envelope without its field. */
static inline qd_envelope qd_envelope_of_client(const qd_client_message *message)
{
    return (qd_envelope){.seq = message->seq, .confirm = message->confirm};
}

/* The size of the whole frame around a message of `body_size` bytes. */
size_t qd_envelope_size(qd_envelope envelope, size_t body_size);

/* Writes everything but the message into a frame of `size` bytes; returns how many bytes precede the message. The size
 * of the message follows from that of the frame, so it is not computed again. */
size_t qd_envelope_write(qd_envelope envelope, size_t size, uint8_t *bytes);

#endif
