/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads blobs of the relay stream (../RELAY.md).
 */
#ifndef QD_PROTO_RELAY_READER_H
#define QD_PROTO_RELAY_READER_H

#include "relay.h"

#define QD_RELAY_REFUSED UINT32_MAX

/* Applies a blob to `state`. Puts the slots that it names into slots[], ascending, and returns how many there are;
 * slots[] has room for state->count. QD_RELAY_REFUSED: the bytes are no blob of version 1, or name a slot that is not
 * below state->count. Then some slots may have other positions, so that the state is of no use until it starts again.
 * Reads no byte outside of the blob, whatever it contains. */
uint32_t qd_relay_read(qd_relay_state *state, const uint8_t *blob, size_t size, uint32_t *slots);

#endif
