/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups of rows in NEON registers, four for each column, and rows as columns; lanes_portable.h documents the
 * functions.
 */
#ifndef QD_SPACE_KERNEL_LANES_LANES_NEON_H
#define QD_SPACE_KERNEL_LANES_LANES_NEON_H

#include <arm_neon.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../geometry/quantizer.h"
#include "../../geometry/shape.h"
#include "../kernel.h"

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

/* Keeps of each byte of 0 or 255 the bit of its place in a group of eight; adding neighbors then makes each group
 * a byte. */
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

/* Which edges of two boxes meet: on each axis, the lower edge of one and the upper edge of the other. */
#if QD_AXES == 2
/* Compares lower edges as they are and upper edges negated, so that one comparison serves all. */
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

/* ---- rows as columns ---- */

/* Half a row; in two dimensions twice. */
static inline float32x4_t half_row(const float *half)
{
    return QD_AXES == 2 ? vcombine_f32(vld1_f32(half), vld1_f32(half)) : vld1q_f32(half);
}

static inline void put_halves(qd_row *to, float32x4_t lower, float32x4_t upper)
{
    if (QD_AXES == 2) {
        vst1q_f32(to->v, vcombine_f32(vget_low_f32(lower), vget_low_f32(upper)));
    } else {
        vst1q_f32(to->v, lower);
        vst1q_f32(to->v + QD_ROW_FLOATS - 4, upper);
    }
}

/* The lower and upper edges of a row's outer and inner boxes. */
typedef struct halves {
    float32x4_t outer[2], inner[2];
} halves;

/* An absent round row is absent as a box, too. */
static inline halves halves_of(const qd_row *row, bool is_round)
{
    float32x4_t at = half_row(row->v), reach = half_row(row->v + QD_ROW_HIGH);

    if (!is_round || !(row->v[QD_ROW_HIGH] >= 0)) {
        return (halves){{at, reach}, {at, reach}};
    }
    const float32x4_t least = vdupq_n_f32(QD_ROUND_LEAST);
    reach = vaddq_f32(reach, least);
    float32x4_t slack = vaddq_f32(vmulq_n_f32(vaddq_f32(vabsq_f32(at), reach), 0x1p-22f), least);
    float32x4_t more = vaddq_f32(reach, slack), less = vsubq_f32(vmulq_n_f32(reach, QD_CIRCLE_CORE), slack);
    return (halves){{vsubq_f32(at, more), vaddq_f32(at, more)}, {vsubq_f32(at, less), vaddq_f32(at, less)}};
}

static inline void columns_boxes(const qd_row *now, const qd_row *was, uint32_t is_round, qd_boxes *to)
{
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        halves a = halves_of(&now[r], is_round >> r & 1), b = halves_of(&was[r], is_round >> r & 1);

        put_halves(&to->outer[r], vminq_f32(a.outer[0], b.outer[0]), vmaxq_f32(a.outer[1], b.outer[1]));
        put_halves(&to->inner[r], vmaxq_f32(a.inner[0], b.inner[0]), vminq_f32(a.inner[1], b.inner[1]));
    }
}

static inline uint16x4_t number_edges(float32x4_t at, float origin, float scale)
{
    float32x4_t number = vmulq_n_f32(vsubq_f32(at, vdupq_n_f32(origin)), scale);

    number = vminq_f32(vmaxnmq_f32(number, vdupq_n_f32(0)), vdupq_n_f32((float)QD_QUANTIZER_LAST));
    return vmovn_u32(vcvtq_u32_f32(number));
}

/* Eight rows as one register of numbers per edge. The load separates the edges of four rows, in three dimensions the
 * floats of two. */
#if QD_AXES == 2
static inline void number_rows(const qd_quantizer *quantizer, const qd_row *rows, uint16x8_t number[QD_EDGES])
{
    float32x4x4_t first = vld4q_f32(rows[0].v), second = vld4q_f32(rows[4].v);

    for (uint32_t k = 0; k < QD_EDGES; k++) {
        float origin = quantizer->origin[k % QD_AXES];

        number[k] = vcombine_u16(number_edges(first.val[k], origin, quantizer->scale),
                                 number_edges(second.val[k], origin, quantizer->scale));
    }
}
#else
static inline void number_rows(const qd_quantizer *quantizer, const qd_row *rows, uint16x8_t number[QD_EDGES])
{
    float32x4x4_t two[4];

    for (uint32_t i = 0; i < 4; i++) {
        two[i] = vld4q_f32(rows[2 * i].v);
    }
    for (uint32_t k = 0; k < QD_AXES; k++) {
        /* Lower and upper edges alternate. */
        uint16x4_t both[4];

        for (uint32_t i = 0; i < 4; i++) {
            both[i] = number_edges(two[i].val[k], quantizer->origin[k], quantizer->scale);
        }
        uint16x8_t first = vcombine_u16(both[0], both[1]), second = vcombine_u16(both[2], both[3]);
        number[k] = vuzp1q_u16(first, second);
        number[QD_AXES + k] = vuzp2q_u16(first, second);
    }
}
#endif

static inline void columns_of_rows(const qd_quantizer *quantizer, const qd_row *const outer[2],
                                   const qd_row *const inner[2], qd_edges *result)
{
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r += 8) {
        uint16x8_t a[QD_EDGES], b[QD_EDGES], c[QD_EDGES], d[QD_EDGES];

        number_rows(quantizer, outer[0] + r, a);
        number_rows(quantizer, outer[1] + r, b);
        number_rows(quantizer, inner[0] + r, c);
        number_rows(quantizer, inner[1] + r, d);
        for (uint32_t k = 0; k < QD_AXES; k++) {
            uint32_t hi = QD_AXES + k;

            vst1q_u16(result->v[QD_OUTER_LO + k] + r, vminq_u16(a[k], b[k]));
            vst1q_u16(result->v[QD_OUTER_HI + k] + r, vmaxq_u16(a[hi], b[hi]));
            vst1q_u16(result->v[QD_INNER_LO + k] + r, vaddq_u16(vmaxq_u16(c[k], d[k]), vdupq_n_u16(1)));
            vst1q_u16(result->v[QD_INNER_HI + k] + r, vminq_u16(c[hi], d[hi]));
        }
    }
}

static inline void columns_narrow(const qd_edges *from, const qd_window *window, uint8_t *const *column, uint32_t at)
{
    const int16x8_t shift = vdupq_n_s16((int16_t) - (int32_t)window->shift);

    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        const uint16x8_t corner = vdupq_n_u16(window->lo[k % QD_AXES]);
        const uint16x8_t one = vdupq_n_u16(qd_column_is_plus_one(k));

        for (uint32_t r = 0; r < QD_BLOCK_ROWS; r += 8) {
            uint16x8_t offset = vqsubq_u16(vsubq_u16(vld1q_u16(from->v[k] + r), one), corner);

            offset = vminq_u16(vshlq_u16(offset, shift), vdupq_n_u16(254));
            vst1_u8(column[k] + at + r, vmovn_u16(vaddq_u16(offset, one)));
        }
    }
}

#endif
