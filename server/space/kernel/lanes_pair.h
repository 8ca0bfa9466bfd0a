/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs of a row and lanes of a group, where bits are counted and found in one step: with AVX2 and AVX-512.
 */
#ifndef QD_SPACE_KERNEL_LANES_PAIR_H
#define QD_SPACE_KERNEL_LANES_PAIR_H

#include <immintrin.h>

#include "kernel.h"

#define LANES_PAIR

/* As in kernel_body.h: most hits are of one or two lanes, so that no branch depends on which. Behind the last lane
 * there is a reference, too. */
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

#endif
