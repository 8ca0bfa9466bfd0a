/* SPDX-License-Identifier: Apache-2.0
 *
 * What tests/bench/service has everybody answer: points that all move at each step, and who is in which circle, or
 * which boxes touch. The same to the last bit for all, because one program makes it.
 *
 *     fences      23,000 circles at rest of radius 10 to 100, 10,000 points, in a square of 10,000
 *     neighbours  5,000 points in a square of 2,000, circles of radius 100 around the first 100 of them
 *     pairs       10,000 boxes of 1 x 1 in a square of 400: W2_10k of the space's benchmark
 *
 * A MEMBER is one fact that is told: this point is in that circle, or these two boxes touch; a key of 64 bits, the
 * circle or the smaller id above, the point or the larger id below. Ids count from 0.
 */
#ifndef QD_BENCH_WORLD_H
#define QD_BENCH_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/rng.h"

typedef enum world_kind { WORLD_FENCES, WORLD_NEIGHBOURS, WORLD_PAIRS } world_kind;

typedef struct world {
    const char *name;
    world_kind kind;
    uint32_t points, circles;
    float side, radius_min, radius_max, speed_max;
    float half; /* of the boxes */
    uint32_t *id;
    /* Where the points are after the last step and the one before it, by step % 2: answers may be one step behind. */
    float *x[2], *y[2];
    float *speed_x, *speed_y;
    float *fence_x, *fence_y; /* of fences */
    float *radius;            /* of all circles */
    rng_stream rng;
} world;

/* NULL: no such name. `share`: with a so-manieth of the points and circles, as dense; 1 for all. Lives as long as the
 * program. */
world *world_create(const char *name, uint32_t share);
/* Steps come one after the other, from 1 on. */
void world_move(world *w, uint32_t step);
/* Whether that is a member after that step, one of the last two. */
bool world_has(const world *w, uint32_t step, uint32_t high, uint32_t low);
/* All members after that step, ascending, by brute force; to be freed. */
uint64_t *world_members(const world *w, uint32_t step, size_t *count);

static inline uint64_t world_key(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

#endif
