/* SPDX-License-Identifier: Apache-2.0
 *
 * What AVX2 and AVX-512 share apart from the width of their registers.
 */
#ifndef QD_SPACE_KERNEL_LANES_X86_H
#define QD_SPACE_KERNEL_LANES_X86_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../geometry/shape.h"
#include "../sink.h"

#define LANES_PAIR

/* As in kernel_body.h. Most hits have one or two lanes; no branch depends on which. A reference follows the last lane,
 * so that lane 64 can be read. */
static inline uint32_t lanes_pair(qd_pair *to, uint32_t count, uint32_t row, const uint32_t *lanes, uint64_t mask)
{
    const uint32_t end = count + (uint32_t)_mm_popcnt_u64(mask);

    for (uint32_t i = 0; i < 2; i++) {
        to[count + i] = (qd_pair){row, lanes[_tzcnt_u64(mask)]};
        mask = _blsr_u64(mask);
    }
    for (count += 2; mask != 0; mask = _blsr_u64(mask)) {
        to[count++] = (qd_pair){row, lanes[_tzcnt_u64(mask)]};
    }
    return end;
}

/* In float a sum of squares is wrong by less than this share of it, and so is a reach's square. */
#define SQUARE_ERROR 0x1p-19f
/* Smaller squares may be wrong by more: those of floats this small are lost. */
#define SQUARE_LEAST 0x1p-80f

/* Which of the pairs in `lanes` overlap, in double. */
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
