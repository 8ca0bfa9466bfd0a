/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoding, fast path: reads Move, MoveRoster and Step without protobuf-c when they are written as encoders write them.
 * Fields ascend, each comes once, columns are packed and of one length, and there is nothing else. protobuf-c reads its
 * description of a message for every field, and those cache lines are cold when frames come now and then.
 *
 * Whatever the fast path accepts, the generic path decodes to the same message. It leaves everything else, invalid
 * frames included, to the generic path. Included by proto/ and its tests only.
 */
#ifndef QD_PROTO_DECODE_FAST_H
#define QD_PROTO_DECODE_FAST_H

#include "codec.h"

/* Returns false if the generic path has to decode the frame; nothing was allocated then. Otherwise as
 * qd_decode_client, with its result in *result. */
bool qd_decode_client_fast(const void *bytes, size_t size, const qd_codec_memory *memory, qd_decoded_client *decoded,
                           qd_decode_result *result);

#endif
