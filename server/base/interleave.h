/* SPDX-License-Identifier: Apache-2.0
 *
 * The Morton code of two numbers below 2^16: their bits alternate, x in the even bits and y in the odd ones.
 *
 * Pure. [any]
 */
#ifndef QD_BASE_INTERLEAVE_H
#define QD_BASE_INTERLEAVE_H

#include <stdint.h>

static inline uint32_t qd_interleave(uint32_t x, uint32_t y)
{
    /* Both numbers are spread at once, each in its half of 64 bits. */
    uint64_t n = x | (uint64_t)y << 32;

    n = (n | n << 8) & UINT64_C(0x00ff00ff00ff00ff);
    n = (n | n << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    n = (n | n << 2) & UINT64_C(0x3333333333333333);
    n = (n | n << 1) & UINT64_C(0x5555555555555555);
    return (uint32_t)n | (uint32_t)(n >> 32) << 1;
}

#endif
