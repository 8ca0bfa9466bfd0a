/* SPDX-License-Identifier: Apache-2.0
 *
 * The hash of cells in HASH and SPARSE, keyed by the space's secret (qd_space_config.key). Peers choose where bodies are,
 * and so which cells there are. Without the key they cannot tell which cells are looked for in the same place:
 *
 *     coordinates --multiply each, add-->                       64 bits --> multiply --> the highest bits
 *     key of a cell --xor, multiply, xor the product's halves-->
 *
 * The factors are secret and odd. The last step is a universal hash (Dietzfelbinger): two numbers have the same place in
 * at most two of as many spaces as the table has places. The first step spreads what lies side by side.
 *
 * Pure functions. [any]
 */
#ifndef QD_SPACE_GEOMETRY_MIXER_H
#define QD_SPACE_GEOMETRY_MIXER_H

#include <stdint.h>

#include "../core/axes.h"

typedef struct qd_mixer {
    uint64_t start, factor[QD_AXES], last; /* odd */
} qd_mixer;

/* The next number of a sequence (splitmix64). */
static inline uint64_t qd_mixer_draw(uint64_t *state)
{
    uint64_t drawn = *state += UINT64_C(0x9e3779b97f4a7c15);

    drawn = (drawn ^ drawn >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    drawn = (drawn ^ drawn >> 27) * UINT64_C(0x94d049bb133111eb);
    return drawn ^ drawn >> 31;
}

static inline qd_mixer qd_mixer_of(uint64_t key)
{
    qd_mixer mixer = {.start = qd_mixer_draw(&key) | 1};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        mixer.factor[k] = qd_mixer_draw(&key) | 1;
    }
    mixer.last = qd_mixer_draw(&key) | 1;
    return mixer;
}

/* A place in a table of 2^bits, which has 1 bit or more. */
static inline uint32_t qd_mixer_place(const qd_mixer *mixer, uint64_t sum, uint32_t bits)
{
    return (uint32_t)(((sum ^ sum >> 32) * mixer->last) >> (64 - bits));
}

static inline uint32_t qd_mixer_place_of_key(const qd_mixer *mixer, uint64_t key, uint32_t bits)
{
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)(key ^ mixer->start) * mixer->factor[0];
    const uint64_t sum = (uint64_t)product ^ (uint64_t)(product >> 64);

    return (uint32_t)((sum * mixer->last) >> (64 - bits));
}

#endif
