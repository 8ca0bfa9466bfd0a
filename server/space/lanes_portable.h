/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernel asks of an instruction set, in plain C for the compiler to vectorise. Each lanes_<isa>.h defines the
 * same: a group of rows of a list (64 of 8 bits, 32 of 16 bits), held ready and compared with one row at a time.
 */
#ifndef QD_SPACE_LANES_PORTABLE_H
#define QD_SPACE_LANES_PORTABLE_H

#include <stdint.h>
#include <string.h>

#include "shape.h"

typedef struct lanes8 {
    const uint8_t *edge[4];
} lanes8;

typedef struct lanes16 {
    const uint16_t *edge[4];
} lanes16;

static inline lanes8 lanes_load8(uint8_t *const *column, uint32_t base)
{
    return (lanes8){{column[0] + base, column[1] + base, column[2] + base, column[3] + base}};
}

static inline lanes16 lanes_load16(uint16_t *const *column, uint32_t base)
{
    return (lanes16){{column[0] + base, column[1] + base, column[2] + base, column[3] + base}};
}

/* Bytes of 0 or 1 to bits; the multiplication moves bit 8 i to bit 56 + i. */
static inline uint64_t lanes_pack(const uint8_t *hit, uint32_t count)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i += 8) {
        uint64_t bytes;
        memcpy(&bytes, hit + i, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        bytes = __builtin_bswap64(bytes);
#endif
        bits |= (bytes * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return bits;
}

/* Which lanes have lo_x <= hi_x of the row and so on: lo, lo <= the row's hi; hi, hi >= the row's lo. */
static inline uint64_t lanes_meet8(const lanes8 *lanes, uint8_t lo_x, uint8_t lo_y, uint8_t hi_x, uint8_t hi_y)
{
    uint8_t hit[64];
    for (uint32_t i = 0; i < 64; i++) {
        hit[i] = (uint8_t)((lanes->edge[0][i] <= hi_x) & (lanes->edge[1][i] <= hi_y) & (lanes->edge[2][i] >= lo_x) &
                           (lanes->edge[3][i] >= lo_y));
    }
    return lanes_pack(hit, 64);
}

static inline uint64_t lanes_meet16(const lanes16 *lanes, uint16_t lo_x, uint16_t lo_y, uint16_t hi_x, uint16_t hi_y)
{
    uint8_t hit[32];
    for (uint32_t i = 0; i < 32; i++) {
        hit[i] = (uint8_t)((lanes->edge[0][i] <= hi_x) & (lanes->edge[1][i] <= hi_y) & (lanes->edge[2][i] >= lo_x) &
                           (lanes->edge[3][i] >= lo_y));
    }
    return lanes_pack(hit, 32);
}

/* Whether two boxes overlap now (1) and did (2). */
static inline uint32_t lanes_overlap(const qd_row *now_a, const qd_row *was_a, const qd_row *now_b, const qd_row *was_b)
{
    return (uint32_t)qd_boxes_overlap(now_a, now_b) | (uint32_t)qd_boxes_overlap(was_a, was_b) << 1;
}

#endif
