/* SPDX-License-Identifier: Apache-2.0
 *
 * Encoding, fast path: writes Move, MoveRoster, Step, Tick, Applied and View, which are most of the traffic, without
 * protobuf-c. The bytes are the same as the generic path's. Included by proto/ and its tests only.
 */
#ifndef QD_PROTO_ENCODE_FAST_H
#define QD_PROTO_ENCODE_FAST_H

#include "codec.h"

/* The size of the whole frame; 0 if the generic path has to encode the message. */
size_t qd_client_size_fast(const qd_client_message *message);
size_t qd_server_size_fast(const qd_server_message *message);

/* Writes the whole frame, of the size above. Returns false if the generic path has to. */
bool qd_encode_client_fast(const qd_client_message *message, uint8_t *bytes, size_t size);
bool qd_encode_server_fast(const qd_server_message *message, uint8_t *bytes, size_t size);

#endif
