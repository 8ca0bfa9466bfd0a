/* SPDX-License-Identifier: Apache-2.0
 *
 * The hash of cells in HASH and SPARSE, keyed by the space's secret (qd_space_config.key). Peers choose where bodies are,
 * and so which cells there are. Without the key they cannot tell which cells are looked for in the same place, and any two
 * cells are so in one of about as many spaces as the table has places:
 *
 *     numbers --multiply, add--> 64 bits --xor with the upper half, multiply--> the highest bits
 *
 * The factors are odd, so different sums stay different up to the last step, which takes the highest bits of a product
 * with a secret factor: a universal hash (Dietzfelbinger). Before it, what is side by side is spread.
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
static inline uint32_t qd_mixer_finish(const qd_mixer *mixer, uint64_t sum, uint32_t bits)
{
    return (uint32_t)(((sum ^ sum >> 32) * mixer->last) >> (64 - bits));
}

#endif
