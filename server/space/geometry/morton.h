/* SPDX-License-Identifier: Apache-2.0
 *
 * Morton numbers: the bits of x, y (and z) alternating, x first. A number's leading digits (of two bits, or three)
 * are the cells that contain it, one a level; so the smallest cell that contains two corners is what their numbers have
 * in common: the XOR's leading digit tells how many digits to drop.
 *
 *     level 0      level 1       level 2            linear number of cell P at level n: (4^n - 1)/3 + P
 *     +-------+    +---+---+     0  1  4  5                              in three dimensions (8^n - 1)/7 + P
 *     |   0   |    | 0 | 1 |     2  3  6  7
 *     |       |    +---+---+     8  9 12 13
 *     +-------+    | 2 | 3 |    10 11 14 15
 *
 * Pure functions. [any]
 */
#ifndef QD_SPACE_GEOMETRY_MORTON_H
#define QD_SPACE_GEOMETRY_MORTON_H

#include <stdbool.h>
#include <stdint.h>

#include "../../base/interleave.h"
#include "../core/axes.h"

#if QD_AXES == 2
/* Every second bit. */
static inline uint32_t qd_morton_gather(uint32_t n)
{
    n &= 0x55555555u;
    n = (n | n >> 1) & 0x33333333u;
    n = (n | n >> 2) & 0x0f0f0f0fu;
    n = (n | n >> 4) & 0x00ff00ffu;
    return (n | n >> 8) & 0x0000ffffu;
}
#else
/* Of numbers below 2^10: bits to every third place, and back. */
static inline uint32_t qd_morton_spread(uint32_t n)
{
    n = (n | n << 16) & 0x030000ffu;
    n = (n | n << 8) & 0x0300f00fu;
    n = (n | n << 4) & 0x030c30c3u;
    return (n | n << 2) & 0x09249249u;
}

static inline uint32_t qd_morton_gather(uint32_t n)
{
    n &= 0x09249249u;
    n = (n | n >> 2) & 0x030c30c3u;
    n = (n | n >> 4) & 0x0300f00fu;
    n = (n | n >> 8) & 0x030000ffu;
    return (n | n >> 16) & 0x000003ffu;
}
#endif

/* Of QD_AXES numbers, below 2^16 or 2^10. */
static inline uint32_t qd_morton(const uint32_t *at)
{
#if QD_AXES == 2
    return qd_interleave(at[0], at[1]);
#else
    return qd_morton_spread(at[0]) | qd_morton_spread(at[1]) << 1 | qd_morton_spread(at[2]) << 2;
#endif
}

/* How many bits a number has, 0 for 0. */
static inline uint32_t qd_bits_of(uint32_t number)
{
    return number == 0 ? 0 : 32u - (uint32_t)__builtin_clz(number);
}

/* How many digits the Morton numbers of two corners do not share, 0 where they are equal: the leading digit of their
 * XOR is where the leading bit of the coordinates' XORs is. */
static inline uint32_t qd_morton_height(const uint32_t *low, const uint32_t *high)
{
    uint32_t apart = 0;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        apart |= low[k] ^ high[k];
    }
    return qd_bits_of(apart);
}

/* How many cells a level has. */
static inline uint32_t qd_level_cells(uint32_t level)
{
    return 1u << QD_AXES * level;
}

/* The linear number of a level's first cell. */
static inline uint32_t qd_level_first(uint32_t level)
{
    return (uint32_t)(((UINT64_C(1) << QD_AXES * level) - 1) / (QD_CHILDREN - 1));
}

/* By linear numbers: the cell above one that is not the root, and the first of the cells below. */
static inline uint32_t qd_cell_above(uint32_t number)
{
    return (number - 1) / QD_CHILDREN;
}

static inline uint32_t qd_cell_below(uint32_t number)
{
    return QD_CHILDREN * number + 1;
}

/* Whether a cell of a level is the last of those that have the same one above them. */
static inline bool qd_cell_is_last(uint32_t k)
{
    return k % QD_CHILDREN == QD_CHILDREN - 1;
}

#endif
