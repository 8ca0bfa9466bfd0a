/* SPDX-License-Identifier: Apache-2.0
 *
 * What AVX2 and AVX-512 share apart from the width of their registers.
 */
#ifndef QD_SPACE_KERNEL_LANES_X86_H
#define QD_SPACE_KERNEL_LANES_X86_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
