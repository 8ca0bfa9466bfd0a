/* SPDX-License-Identifier: Apache-2.0
 *
 * The bits of a list's rows (kernel.h): a bit a row, 64 to a word. [any]
 */
#ifndef QD_SPACE_KERNEL_MOVED_H
#define QD_SPACE_KERNEL_MOVED_H

#include <stdint.h>

/* 64 bits, from any row on. */
static inline uint64_t moved_from(const uint64_t *moved, uint32_t base)
{
    uint64_t bits = moved[base / 64] >> base % 64;

    return base % 64 == 0 ? bits : bits | moved[base / 64 + 1] << (64 - base % 64);
}

/* Sets those of `count` rows, fewer than 64, from any row on. */
static inline void moved_set(uint64_t *moved, uint32_t at, uint64_t bits, uint32_t count)
{
    const uint64_t all = (UINT64_C(1) << count) - 1;
    const uint32_t shift = at % 64;
    uint64_t *word = &moved[at / 64];

    word[0] = (word[0] & ~(all << shift)) | bits << shift;
    if (shift + count > 64) {
        word[1] = (word[1] & ~(all >> (64 - shift))) | bits >> (64 - shift);
    }
}

#endif
