/* SPDX-License-Identifier: Apache-2.0
 *
 * The worlds of tests/bench/service: all points move at each step, and the systems answer which points are in which
 * circle, or which boxes touch. One program generates the world for all systems.
 *
 *     fences      23,000 circles at rest of radius 10 to 100, 10,000 points, in a square of 10,000
 *     neighbors   5,000 points in a square of 2,000, circles of radius 100 around the first 100 of them
 *     pairs       10,000 boxes of 1 x 1 in a square of 400: W2_10k of the space's benchmark
 *
 * A MEMBER is one fact in an answer: this point is in that circle, or these two boxes touch. It is a key of 64 bits:
 * the circle or the smaller id above, the point or the larger id below. Ids count from 0.
 */
#ifndef QD_BENCH_WORLD_H
#define QD_BENCH_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/rng.h"

typedef enum world_kind { WORLD_FENCES, WORLD_NEIGHBORS, WORLD_PAIRS } world_kind;

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

/* Returns NULL if there is no such name. Divides the numbers of points and circles by `share`, at the same density. The
 * world lives as long as the program. */
world *world_create(const char *name, uint32_t share);
/* Steps ascend from 1 without a gap. */
void world_move(world *w, uint32_t step);
/* Whether the pair is a member after `step`, which is one of the last two. */
bool world_has(const world *w, uint32_t step, uint32_t high, uint32_t low);
/* Returns all members after `step`, ascending, found by brute force; to be freed. */
uint64_t *world_members(const world *w, uint32_t step, size_t *count);

static inline uint64_t world_key(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

#endif
