/* SPDX-License-Identifier: Apache-2.0
 *
 * Records a relay stream as text, one line each, for support/relay_replay.mjs to read with proto/relay/relay.mjs:
 *
 *     state AXES K COUNT              a new state
 *     start SLOT X Y [Z]              an enter or an exact entry; floats in hexadecimal, as their bits
 *     blob BYTES                      in hexadecimal
 *     expect HASH                     of the positions of all slots
 */
#ifndef QD_TESTS_SUPPORT_RELAY_RECORDING_H
#define QD_TESTS_SUPPORT_RELAY_RECORDING_H

#include <stdio.h>
#include <string.h>

#include "proto/relay/relay.h"

static inline void recording_state(FILE *file, const qd_relay_state *state)
{
    fprintf(file, "state %u %d %u\n", state->axes, state->k, state->count);
}

static inline void recording_start(FILE *file, const qd_relay_state *state, uint32_t slot, const float *at)
{
    fprintf(file, "start %u", slot);
    for (unsigned axis = 0; axis < state->axes; axis++) {
        uint32_t bits;

        memcpy(&bits, &at[axis], sizeof bits);
        fprintf(file, " %08x", bits);
    }
    fputc('\n', file);
}

static inline void recording_blob(FILE *file, const uint8_t *blob, size_t size)
{
    fputs("blob ", file);
    for (size_t i = 0; i < size; i++) {
        fprintf(file, "%02x", blob[i]);
    }
    fputc('\n', file);
}

static inline uint32_t recording_hash(const qd_relay_state *state)
{
    uint32_t hash = 2166136261u;

    for (uint32_t slot = 0; slot < state->count; slot++) {
        for (unsigned axis = 0; axis < state->axes; axis++) {
            hash = (hash ^ (uint32_t)state->at[axis][slot]) * 16777619u;
        }
    }
    return hash;
}

static inline void recording_expect(FILE *file, const qd_relay_state *state)
{
    fprintf(file, "expect %u\n", recording_hash(state));
}

#endif
