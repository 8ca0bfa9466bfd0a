/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoding, fast path: reads Move, MoveRoster and Step without protobuf-c when they are written as encoders write them.
 * Fields ascend, each comes once, columns are packed and of one length, and there is nothing else. protobuf-c reads its
 * description of a message for every field, and those cache lines are cold when frames come now and then.
 *
 * Whatever the fast path accepts, the generic path decodes to the same message. It leaves everything else, invalid
 * frames included, to the generic path.
 */
#ifndef QD_PROTO_DECODE_FAST_H
#define QD_PROTO_DECODE_FAST_H

#include "codec.h"

/* A Move as it lies in its frame. The columns have `count` values of 4 bytes each, not aligned; z is NULL if absent. */
typedef struct qd_move_frame {
    uint64_t seq, room;
    uint32_t count;
    const uint8_t *id, *x, *y, *z;
} qd_move_frame;

/* Reads a Move without `confirm`. Returns false if the frame is another, or not written as above. */
bool qd_read_move_frame(const void *bytes, size_t size, qd_move_frame *move);

/* Returns false if the generic path has to decode the frame; nothing was allocated then. Otherwise as
 * qd_decode_client, with its result in *result. */
bool qd_decode_client_fast(const void *bytes, size_t size, const qd_codec_memory *memory, qd_decoded_client *decoded,
                           qd_decode_result *result);

#endif
