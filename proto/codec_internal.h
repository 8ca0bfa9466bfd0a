/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the codec share: the block that a message is decoded into, the check of columns, and the
 * envelope that a message is written in. Included by proto/ alone.
 *
 * THE BLOCK. protobuf-c allocates while it unpacks: a few bytes for every field that it meets, known or not, so that a
 * frame of tiny fields can take 68 times its size. Here it takes all of it from one block, whose size follows from the
 * frame's; a frame that wants more than the block has is refused. Nothing is given back one by one: the block goes as
 * a whole, after success and failure alike, and what protobuf-c frees on the way is not looked at.
 *
 *     | size | memory ... | size | memory ... |          each size and each memory starts at a multiple of 16
 */
#ifndef QD_PROTO_CODEC_INTERNAL_H
#define QD_PROTO_CODEC_INTERNAL_H

#include "codec.h"
#include "framing.h"
#include "quadrille.pb-c.h"

/* The memory to use: `memory`, or malloc where it is NULL. */
const qd_codec_memory *qd_codec_memory_or_malloc(const qd_codec_memory *memory);

typedef struct qd_decode_block {
    uint8_t *bytes;
    size_t size, used;
    bool exhausted;   /* something did not fit */
    bool text_broken; /* qd_decode_block_text met a string that no C string can hold */
} qd_decode_block;

/* Memory aligned to 16 bytes; NULL when the block is exhausted. */
void *qd_decode_block_take(qd_decode_block *block, size_t size);

/* A string that was unpacked into this block, or a static one; notes it when it holds a zero byte, which would cut it
 * short and make one name of two. */
const char *qd_decode_block_text(qd_decode_block *block, const char *text);

/* Unpacks `size` bytes into the block; NULL when they are malformed or the block is exhausted. */
ProtobufCMessage *qd_decode_block_unpack(qd_decode_block *block, const ProtobufCMessageDescriptor *descriptor,
                                         const void *bytes, size_t size);

/* Decodes a frame into `decoded`, which is a qd_decoded_client or qd_decoded_server. */
typedef qd_decode_result (*qd_decode_fn)(qd_decode_block *block, const void *bytes, size_t size, void *decoded);

/* Runs `decode` in a small block, which suffices for a frame as every encoder writes it, and again in one of
 * `bytes_max` if it was exhausted. The block is left in *block; it is empty if there was no memory. */
qd_decode_result qd_decode_in_block(qd_decode_fn decode, const void *bytes, size_t size, size_t bytes_max,
                                    const qd_codec_memory *memory, qd_decode_block *block, void *decoded);

/* A column of a batch: a needed one is as long as the batch, another may be empty instead. */
typedef struct qd_column {
    const char *name;
    size_t count;
    bool needed;
} qd_column;

/* Whether all columns fit to the first; if not, says in `fault` which does not. */
bool qd_columns_agree(const qd_column *columns, size_t column_count, char *fault, size_t fault_size);

#define QD_COLUMN(message, column)                                                                                     \
    {                                                                                                                  \
        #column, (message)->n_##column, true                                                                           \
    }
#define QD_COLUMN_OPTIONAL(message, column)                                                                            \
    {                                                                                                                  \
        #column, (message)->n_##column, false                                                                          \
    }
#define QD_COLUMN_BYTES(message, column, is_needed)                                                                    \
    {                                                                                                                  \
        #column, (message)->column.len, is_needed                                                                      \
    }

/* Points a column of a generated message at `count` values, or at none where `source` is NULL. */
#define QD_COLUMN_SET(message, column, source, count)                                                                  \
    ((message)->n_##column = (source) ? (count) : 0, (message)->column = (void *)(source))
#define QD_COLUMN_BYTES_SET(message, column, source, count)                                                            \
    ((message)->column.len = (source) ? (count) : 0, (message)->column.data = (void *)(source))

/* What stands before a field: its number, and how its value is written. */
#define QD_TAG_VARINT(field) ((uint32_t)(field) << 3)
#define QD_TAG_LENGTH(field) ((uint32_t)(field) << 3 | 2u)

/* A frame around a message of `body_size` bytes that is field `field` of the envelope; field 0: an empty envelope. */
size_t qd_envelope_size(uint32_t seq, uint32_t field, size_t body_size);
/* Writes all that comes before the message; returns its size. */
size_t qd_envelope_write(uint32_t seq, uint32_t field, size_t body_size, uint8_t *bytes);

/* What both directions carry. The structs that the `set` functions fill point into each other and into their source. */
qd_msg_bounds qd_bounds_get(const Quadrille__V1__Bounds *bounds);
void qd_bounds_set(Quadrille__V1__Bounds *bounds, const qd_msg_bounds *source);
qd_msg_room_config qd_room_config_get(const Quadrille__V1__RoomConfig *config);
void qd_room_config_set(Quadrille__V1__RoomConfig *config, Quadrille__V1__Bounds *bounds,
                        const qd_msg_room_config *source);

/* Views (decode_views.c, encode_views.c). Getters return whether the columns agree; if not, `fault` says which do not.
 */
bool qd_describe_get(const Quadrille__V1__Describe *describe, qd_msg_describe *result, char *fault, size_t fault_size);
bool qd_observe_get(const Quadrille__V1__Observe *observe, qd_msg_observers *result, char *fault, size_t fault_size);
bool qd_move_observers_get(const Quadrille__V1__MoveObservers *move, qd_msg_observers *result, char *fault,
                           size_t fault_size);
qd_msg_except qd_except_get(const Quadrille__V1__Except *except);
qd_msg_view_options qd_view_options_get(const Quadrille__V1__ViewOptions *options);
bool qd_view_get(const Quadrille__V1__View *view, qd_msg_view *result);
bool qd_why_result_get(const Quadrille__V1__WhyResult *why, qd_msg_why_result *result);

void qd_describe_set(Quadrille__V1__Describe *describe, const qd_msg_describe *source);
void qd_observe_set(Quadrille__V1__Observe *observe, const qd_msg_observers *source);
void qd_move_observers_set(Quadrille__V1__MoveObservers *move, const qd_msg_observers *source);
void qd_except_set(Quadrille__V1__Except *except, const qd_msg_except *source);
void qd_view_set(Quadrille__V1__View *view, const qd_msg_view *source);
void qd_why_result_set(Quadrille__V1__WhyResult *why, const qd_msg_why_result *source);

#endif
