/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers that depend on a seed alone: the same on every machine, whatever the C library.
 */
#ifndef QD_TESTS_SUPPORT_RNG_H
#define QD_TESTS_SUPPORT_RNG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rng_stream {
    uint64_t state;
} rng_stream;

static inline uint32_t rng_draw(rng_stream *from)
{
    uint64_t z = (from->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

static inline uint64_t rng_draw_64(rng_stream *from)
{
    uint64_t high = rng_draw(from);

    return high << 32 | rng_draw(from);
}

/* From 0 to below 1, in steps of 2^-24, which float and double hold exactly. */
static inline float rng_fraction(rng_stream *from)
{
    return (float)(rng_draw(from) >> 8) * 0x1p-24f;
}

/* A number below n, which is at least 1. */
static inline uint32_t rng_below(rng_stream *from, uint32_t n)
{
    return (uint32_t)((uint64_t)rng_draw(from) * n >> 32);
}

static inline bool rng_one_in(rng_stream *from, uint32_t n)
{
    return rng_below(from, n) == 0;
}

static inline float rng_between(rng_stream *from, double lo, double hi)
{
    return (float)(lo + (hi - lo) * (rng_draw(from) / 4294967296.0));
}

#endif
