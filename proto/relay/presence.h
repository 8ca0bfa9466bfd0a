/* SPDX-License-Identifier: Apache-2.0
 *
 * The beginning of a blob: its first byte, and which slots it names. Used by writer.c only.
 */
#ifndef QD_PROTO_RELAY_PRESENCE_H
#define QD_PROTO_RELAY_PRESENCE_H

#include "relay.h"

/* The most bytes of a beginning for slots in so many words. */
size_t qd_relay_presence_max(size_t words);

/* Writes the beginning of a blob so that it ends at `end`, and returns where it starts. Its `count` slots, at least
 * one, have a bit in sent[]; sent[0] has the bits of slot `first` and the 15 behind it. */
uint8_t *qd_relay_presence_put(uint8_t *end, const uint16_t *sent, size_t words, uint32_t first, uint32_t count);

#endif
