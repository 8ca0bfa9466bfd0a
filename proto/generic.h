/* SPDX-License-Identifier: Apache-2.0
 *
 * The generic path: every message, through protobuf-c and the tables in fields.def. The reference for the fast path.
 * Included by proto/ and its tests only.
 */
#ifndef QD_PROTO_GENERIC_H
#define QD_PROTO_GENERIC_H

#include "codec.h"

/* As the functions of codec.h that they are named after. */
qd_decode_result qd_decode_client_generic(const void *bytes, size_t size, const qd_codec_memory *memory,
                                          qd_decoded_client *decoded);
qd_decode_result qd_decode_server_generic(const void *bytes, size_t size, const qd_codec_memory *memory,
                                          qd_decoded_server *decoded);

size_t qd_client_size_generic(const qd_client_message *message);
size_t qd_server_size_generic(const qd_server_message *message);

void qd_encode_client_generic(const qd_client_message *message, uint8_t *bytes, size_t size);
void qd_encode_server_generic(const qd_server_message *message, uint8_t *bytes, size_t size);

#endif
