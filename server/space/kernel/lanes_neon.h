/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups of rows in NEON registers, four a column; what the functions do is said in lanes_portable.h.
 */
#ifndef QD_SPACE_KERNEL_LANES_NEON_H
#define QD_SPACE_KERNEL_LANES_NEON_H

#include <arm_neon.h>
#include <stdint.h>

#include "../geometry/shape.h"

typedef struct lanes8 {
    uint8x16_t edge[QD_EDGES][4];
} lanes8;

typedef struct lanes16 {
    uint16x8_t edge[QD_EDGES][4];
} lanes16;

static inline lanes8 lanes_load8(uint8_t *const *column, uint32_t base)
{
    lanes8 lanes;

    for (uint32_t k = 0; k < QD_EDGES; k++) {
        for (uint32_t part = 0; part < 4; part++) {
            lanes.edge[k][part] = vld1q_u8(column[k] + base + 16 * part);
        }
    }
    return lanes;
}

static inline lanes16 lanes_load16(uint16_t *const *column, uint32_t base)
{
    lanes16 lanes;

    for (uint32_t k = 0; k < QD_EDGES; k++) {
        for (uint32_t part = 0; part < 4; part++) {
            lanes.edge[k][part] = vld1q_u16(column[k] + base + 8 * part);
        }
    }
    return lanes;
}

/* Of bytes of 0 or 255 the bit that each has in its group of eight; sums of neighbours then make the groups bytes. */
static inline uint8x16_t lanes_bits(uint8x16_t met)
{
    return vandq_u8(met, vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201))));
}

static inline uint64_t lanes_meet8(const lanes8 *lanes, const uint8_t lo[QD_AXES], const uint8_t hi[QD_AXES])
{
    uint8x16_t bits[4];

    for (uint32_t part = 0; part < 4; part++) {
        uint8x16_t met = vdupq_n_u8(UINT8_MAX);

        for (uint32_t k = 0; k < QD_AXES; k++) {
            uint8x16_t below = vcleq_u8(lanes->edge[k][part], vdupq_n_u8(hi[k]));
            uint8x16_t above = vcgeq_u8(lanes->edge[QD_AXES + k][part], vdupq_n_u8(lo[k]));

            met = vandq_u8(met, vandq_u8(below, above));
        }
        bits[part] = lanes_bits(met);
    }
    uint8x16_t sums = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

static inline uint64_t lanes_meet16(const lanes16 *lanes, const uint16_t lo[QD_AXES], const uint16_t hi[QD_AXES])
{
    uint8x16_t met[4];

    for (uint32_t part = 0; part < 4; part++) {
        uint16x8_t all = vdupq_n_u16(UINT16_MAX);

        for (uint32_t k = 0; k < QD_AXES; k++) {
            uint16x8_t below = vcleq_u16(lanes->edge[k][part], vdupq_n_u16(hi[k]));
            uint16x8_t above = vcgeq_u16(lanes->edge[QD_AXES + k][part], vdupq_n_u16(lo[k]));

            all = vandq_u16(all, vandq_u16(below, above));
        }
        met[part] = vreinterpretq_u8_u16(all);
    }
    uint8x16_t lower = lanes_bits(vuzp1q_u8(met[0], met[1])), upper = lanes_bits(vuzp1q_u8(met[2], met[3]));
    uint8x16_t sums = vpaddq_u8(lower, upper);
    sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u32(vreinterpretq_u32_u8(vpaddq_u8(sums, sums)), 0);
}

/* Which edges of two boxes meet: on each axis, lower edges of one with upper edges of the other. */
#if QD_AXES == 2
/* Lower edges as they are and upper ones negated, so that one comparison serves all. */
static inline uint32x4_t lanes_edges_meet(const qd_row *a, const qd_row *b)
{
    const uint32x4_t sign = vcombine_u32(vdup_n_u32(0), vdup_n_u32(UINT32_C(1) << 31));
    uint32x4_t edges_a = vreinterpretq_u32_f32(vld1q_f32(a->v)), edges_b = vreinterpretq_u32_f32(vld1q_f32(b->v));

    edges_b = vextq_u32(edges_b, edges_b, 2);
    return vcleq_f32(vreinterpretq_f32_u32(veorq_u32(edges_a, sign)), vreinterpretq_f32_u32(veorq_u32(edges_b, sign)));
}
#else
/* The pads are equal. */
static inline uint32x4_t lanes_edges_meet(const qd_row *a, const qd_row *b)
{
    return vandq_u32(vcleq_f32(vld1q_f32(a->v), vld1q_f32(b->v + QD_ROW_HIGH)),
                     vcleq_f32(vld1q_f32(b->v), vld1q_f32(a->v + QD_ROW_HIGH)));
}
#endif

static inline uint32_t lanes_overlap(const qd_row *now_a, const qd_row *was_a, const qd_row *now_b, const qd_row *was_b)
{
    uint32_t now = vminvq_u32(lanes_edges_meet(now_a, now_b)) != 0;
    uint32_t was = vminvq_u32(lanes_edges_meet(was_a, was_b)) != 0;

    return now | was << 1;
}

#endif
