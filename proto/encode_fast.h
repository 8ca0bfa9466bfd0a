/* SPDX-License-Identifier: Apache-2.0
 *
 * Move, RosterMove and Step, Tick and Applied, which are most of what goes to and from the server, written without
 * protobuf-c, as decode_usual.h reads some of them; to the same bytes. Included by proto/ and its tests alone.
 */
#ifndef QD_PROTO_ENCODE_USUAL_H
#define QD_PROTO_ENCODE_USUAL_H

#include "codec.h"

/* Writes the whole frame where `bytes` is not NULL; returns its size. 0: it is to be written the general way. */
size_t qd_encode_client_usual(const qd_client_message *message, uint8_t *bytes);
size_t qd_encode_server_usual(const qd_server_message *message, uint8_t *bytes);

/* The general way, for anything; the same. */
size_t qd_encode_client_any(const qd_client_message *message, uint8_t *bytes);
size_t qd_encode_server_any(const qd_server_message *message, uint8_t *bytes);

#endif
