/* SPDX-License-Identifier: Apache-2.0
 *
 * Move, RosterMove and Step, read without protobuf-c where they are written as encoders write them: fields ascend, each
 * comes once, columns are packed and of one length, and nothing else is there. protobuf-c goes through its description
 * of a message for each of them, which lies in no cache where frames come now and then.
 *
 * What it reads it reads as the general way does; all that is unusual, wrong things too, it leaves to that. Included by
 * proto/ and its tests alone.
 */
#ifndef QD_PROTO_DECODE_USUAL_H
#define QD_PROTO_DECODE_USUAL_H

#include "codec.h"

/* False: it is to be decoded the general way, and nothing was allocated. Else as qd_decode_client, with its result. */
bool qd_decode_usual(const void *bytes, size_t size, const qd_codec_memory *memory, qd_decoded_client *decoded,
                     qd_decode_result *result);

/* The general way, for anything. */
qd_decode_result qd_decode_any(const void *bytes, size_t size, const qd_codec_memory *memory,
                               qd_decoded_client *decoded);

#endif
