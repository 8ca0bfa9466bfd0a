/* SPDX-License-Identifier: Apache-2.0
 *
 * How far float tells whether boxes and circles overlap, and the exact test of those of which it does not: with AVX2
 * and AVX-512.
 */
#ifndef QD_SPACE_KERNEL_PAIRS_FLOAT_H
#define QD_SPACE_KERNEL_PAIRS_FLOAT_H

#include "pairs.h"

/* In float a sum of squares is wrong by less than this share of it, and so is a reach's square. */
#define MUCH 0x1p-19f
/* Squares that are less may be wrong by more: those of floats this small get lost. */
#define LITTLE 0x1p-80f

/* Of those in `lanes`, which overlap. */
static __attribute__((noinline)) uint32_t meeting_exactly(const qd_row *rows, const uint32_t *a, const uint32_t *b,
                                                          uint32_t round_a, uint32_t round_b, uint32_t lanes)
{
    uint32_t met = 0;

    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t p = (uint32_t)__builtin_ctz(lanes);
        const bool is_round_a = (round_a >> p & 1) != 0, is_round_b = (round_b >> p & 1) != 0;

        met |= (uint32_t)qd_rows_overlap(&rows[a[p]], is_round_a, &rows[b[p]], is_round_b) << p;
    }
    return met;
}

#endif
