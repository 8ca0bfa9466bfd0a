/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups of rows in AVX2 registers, two a column; what the functions do is said in lanes_portable.h.
 */
#ifndef QD_SPACE_KERNEL_LANES_AVX2_H
#define QD_SPACE_KERNEL_LANES_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#include "../geometry/shape.h"
#include "lanes_pair.h"
#include "pairs.h"
#include "ring.h"

typedef struct lanes8 {
    __m256i edge[QD_EDGES][2];
} lanes8;

typedef struct lanes16 {
    __m256i edge[QD_EDGES][2];
} lanes16;

static inline __m256i lanes_part(const void *column, uint32_t part)
{
    return _mm256_loadu_si256((const __m256i *)column + part);
}

static inline lanes8 lanes_load8(uint8_t *const *column, uint32_t base)
{
    lanes8 lanes;

    for (uint32_t k = 0; k < QD_EDGES; k++) {
        lanes.edge[k][0] = lanes_part(column[k] + base, 0);
        lanes.edge[k][1] = lanes_part(column[k] + base, 1);
    }
    return lanes;
}

static inline lanes16 lanes_load16(uint16_t *const *column, uint32_t base)
{
    lanes16 lanes;

    for (uint32_t k = 0; k < QD_EDGES; k++) {
        lanes.edge[k][0] = lanes_part(column[k] + base, 0);
        lanes.edge[k][1] = lanes_part(column[k] + base, 1);
    }
    return lanes;
}

/* a <= b is that a - b saturates to 0. */
static inline uint64_t lanes_meet8(const lanes8 *lanes, const uint8_t lo[QD_AXES], const uint8_t hi[QD_AXES])
{
    uint32_t bits[2];

    for (uint32_t part = 0; part < 2; part++) {
        __m256i apart = _mm256_setzero_si256();

        for (uint32_t k = 0; k < QD_AXES; k++) {
            __m256i below = _mm256_subs_epu8(lanes->edge[k][part], _mm256_set1_epi8((char)hi[k]));
            __m256i above = _mm256_subs_epu8(_mm256_set1_epi8((char)lo[k]), lanes->edge[QD_AXES + k][part]);

            apart = _mm256_or_si256(apart, _mm256_or_si256(below, above));
        }
        bits[part] = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(apart, _mm256_setzero_si256()));
    }
    return bits[0] | (uint64_t)bits[1] << 32;
}

static inline uint64_t lanes_meet16(const lanes16 *lanes, const uint16_t lo[QD_AXES], const uint16_t hi[QD_AXES])
{
    __m256i met[2];

    for (uint32_t part = 0; part < 2; part++) {
        __m256i apart = _mm256_setzero_si256();

        for (uint32_t k = 0; k < QD_AXES; k++) {
            __m256i below = _mm256_subs_epu16(lanes->edge[k][part], _mm256_set1_epi16((short)hi[k]));
            __m256i above = _mm256_subs_epu16(_mm256_set1_epi16((short)lo[k]), lanes->edge[QD_AXES + k][part]);

            apart = _mm256_or_si256(apart, _mm256_or_si256(below, above));
        }
        met[part] = _mm256_cmpeq_epi16(apart, _mm256_setzero_si256());
    }
    /* The pack works in halves: its quarters come as 0, 2, 1, 3. */
    __m256i packed = _mm256_permute4x64_epi64(_mm256_packs_epi16(met[0], met[1]), 0xd8);
    return (uint32_t)_mm256_movemask_epi8(packed);
}

/* As lanes_avx512.h has it. */
#if QD_AXES == 2
static inline uint32_t lanes_overlap(const qd_row *now_a, const qd_row *was_a, const qd_row *now_b, const qd_row *was_b)
{
    const __m256 sign = _mm256_castsi256_ps(_mm256_setr_epi32(0, 0, INT32_MIN, INT32_MIN, 0, 0, INT32_MIN, INT32_MIN));
    __m256 a = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(now_a->v)), _mm_load_ps(was_a->v), 1);
    __m256 b = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(now_b->v)), _mm_load_ps(was_b->v), 1);

    b = _mm256_permute_ps(b, 0x4e);
    __m256 meet = _mm256_cmp_ps(_mm256_xor_ps(a, sign), _mm256_xor_ps(b, sign), _CMP_LE_OQ);
    uint32_t mask = (uint32_t)_mm256_movemask_ps(meet);
    return (uint32_t)((mask & 15) == 15) | (uint32_t)(mask >> 4 == 15) << 1;
}
#else
static inline uint32_t lanes_meet(const qd_row *row_a, const qd_row *row_b)
{
    const __m256 sign = _mm256_castsi256_ps(_mm256_setr_epi32(0, 0, 0, 0, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN));
    __m256 a = _mm256_load_ps(row_a->v), b = _mm256_load_ps(row_b->v);

    b = _mm256_permute2f128_ps(b, b, 1);
    __m256 meet = _mm256_cmp_ps(_mm256_xor_ps(a, sign), _mm256_xor_ps(b, sign), _CMP_LE_OQ);
    return (_mm256_movemask_ps(meet) & 0x77) == 0x77;
}

static inline uint32_t lanes_overlap(const qd_row *now_a, const qd_row *was_a, const qd_row *now_b, const qd_row *was_b)
{
    return lanes_meet(now_a, now_b) | lanes_meet(was_a, was_b) << 1;
}
#endif

#define LANES_SHAPES_OVERLAP

/* As lanes_avx512.h has it. */
#if QD_AXES == 2
static inline uint32_t lanes_shapes_meet(const qd_row *row_a, const qd_row *row_b, __m128 is_round)
{
    __m128 a = _mm_load_ps(row_a->v), b = _mm_load_ps(row_b->v);
    __m128 lower = _mm_shuffle_ps(a, b, 0x44), upper = _mm_shuffle_ps(b, a, 0xee);
    __m256d radius = _mm256_cvtps_pd(_mm_and_ps(upper, is_round));

    upper = _mm_blendv_ps(upper, _mm_shuffle_ps(b, a, 0x44), is_round);
    __m256d beyond = _mm256_sub_pd(_mm256_cvtps_pd(lower), _mm256_cvtps_pd(upper));
    __m128d gap = _mm_max_pd(_mm256_castpd256_pd128(beyond), _mm256_extractf128_pd(beyond, 1));
    gap = _mm_max_pd(_mm_setzero_pd(), gap);
    __m128d square = _mm_mul_pd(gap, gap), sum = _mm_add_sd(square, _mm_unpackhi_pd(square, square));
    __m128d reach = _mm_add_sd(_mm256_castpd256_pd128(radius), _mm256_extractf128_pd(radius, 1));
    __m128d met = _mm_and_pd(_mm_cmple_sd(sum, _mm_mul_sd(reach, reach)), _mm_cmpge_sd(reach, _mm_setzero_pd()));
    return (uint32_t)_mm_movemask_pd(met) & 1;
}

static inline uint32_t lanes_shapes_overlap(const qd_row *now_a, const qd_row *was_a, const qd_row *now_b,
                                            const qd_row *was_b, uint32_t round)
{
    const int a = -(int)(round & 1), b = -(int)(round >> 1);
    const __m128 is_round = _mm_castsi128_ps(_mm_setr_epi32(b, b, a, a));

    return lanes_shapes_meet(now_a, now_b, is_round) | lanes_shapes_meet(was_a, was_b, is_round) << 1;
}
#else
static inline uint32_t lanes_shapes_meet(const qd_row *row_a, const qd_row *row_b, __m128 a_round, __m128 b_round)
{
    __m128 a_low = _mm_load_ps(row_a->v), a_high = _mm_load_ps(row_a->v + QD_ROW_HIGH);
    __m128 b_low = _mm_load_ps(row_b->v), b_high = _mm_load_ps(row_b->v + QD_ROW_HIGH);
    __m128d reach = _mm_add_sd(_mm_cvtps_pd(_mm_and_ps(a_high, a_round)), _mm_cvtps_pd(_mm_and_ps(b_high, b_round)));

    a_high = _mm_blendv_ps(a_high, a_low, a_round);
    b_high = _mm_blendv_ps(b_high, b_low, b_round);
    __m256d gap = _mm256_max_pd(_mm256_sub_pd(_mm256_cvtps_pd(a_low), _mm256_cvtps_pd(b_high)),
                                _mm256_sub_pd(_mm256_cvtps_pd(b_low), _mm256_cvtps_pd(a_high)));
    gap = _mm256_max_pd(_mm256_setzero_pd(), gap);
    __m256d square = _mm256_mul_pd(gap, gap);
    __m128d two = _mm256_castpd256_pd128(square), sum = _mm_add_sd(two, _mm_unpackhi_pd(two, two));
    sum = _mm_add_sd(sum, _mm256_extractf128_pd(square, 1));
    __m128d met = _mm_and_pd(_mm_cmple_sd(sum, _mm_mul_sd(reach, reach)), _mm_cmpge_sd(reach, _mm_setzero_pd()));
    return (uint32_t)_mm_movemask_pd(met) & 1;
}

static inline uint32_t lanes_shapes_overlap(const qd_row *now_a, const qd_row *was_a, const qd_row *now_b,
                                            const qd_row *was_b, uint32_t round)
{
    const __m128 a_round = _mm_castsi128_ps(_mm_set1_epi32(-(int)(round & 1)));
    const __m128 b_round = _mm_castsi128_ps(_mm_set1_epi32(-(int)(round >> 1)));

    return lanes_shapes_meet(now_a, now_b, a_round, b_round) | lanes_shapes_meet(was_a, was_b, a_round, b_round) << 1;
}
#endif

#define LANES_OPEN

/* a >= b, as unsigned bytes. */
static inline __m256i lanes_not_below8(__m256i a, __m256i b)
{
    return _mm256_cmpeq_epi8(_mm256_max_epu8(a, b), a);
}

/* The squares of how far 16 rows are from the centre on an axis, at least and at most, on top of those of others. */
static inline void lanes_add_squares(const uint8_t *lo, const uint8_t *hi, int from, int to, __m256i *nearest,
                                     __m256i *furthest)
{
    const __m256i most = _mm256_set1_epi16(QD_RING_FAR), zero = _mm256_setzero_si256();
    __m256i lower = _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)lo));
    __m256i upper = _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)hi));
    __m256i above = _mm256_sub_epi16(upper, _mm256_set1_epi16((short)(from - 1)));
    __m256i below = _mm256_sub_epi16(_mm256_set1_epi16((short)to), lower);
    __m256i near = _mm256_max_epi16(_mm256_sub_epi16(zero, _mm256_min_epi16(above, below)), zero);
    __m256i far = _mm256_min_epi16(_mm256_max_epi16(above, below), most);

    near = _mm256_min_epi16(near, most);
    *nearest = _mm256_adds_epu16(*nearest, _mm256_mullo_epi16(near, near));
    *furthest = _mm256_adds_epu16(*furthest, _mm256_mullo_epi16(far, far));
}

/* As in kernel_ring.h. */
static inline uint64_t lanes_open(uint8_t *const *column, uint32_t base, const qd_ring *at)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i apart = _mm256_set1_epi16((short)at->apart), inside = _mm256_set1_epi16((short)at->inside);
    uint64_t open = 0;

    for (uint32_t part = 0; part < 64; part += 32) {
        __m256i unsure = zero, near[2], far[2];

        for (uint32_t k = 0; k < QD_AXES; k++) {
            __m256i lo = lanes_part(column[k] + base + part, 0), hi = lanes_part(column[QD_AXES + k] + base + part, 0);

            unsure = _mm256_or_si256(unsure, _mm256_cmpeq_epi8(lo, zero));
            unsure = _mm256_or_si256(unsure, lanes_not_below8(hi, _mm256_set1_epi8((char)at->last[k])));
        }
        for (uint32_t half = 0; half < 2; half++) {
            __m256i nearest = zero, furthest = zero;

            for (uint32_t k = 0; k < QD_AXES; k++) {
                const uint32_t first = base + part + 16 * half;

                lanes_add_squares(column[k] + first, column[QD_AXES + k] + first, at->lo[k], at->hi[k], &nearest,
                                  &furthest);
            }
            /* a - b saturates to 0 where a <= b; a >= b where b is the lesser. */
            near[half] = _mm256_cmpeq_epi16(_mm256_subs_epu16(nearest, apart), zero);
            far[half] = _mm256_cmpeq_epi16(_mm256_min_epu16(furthest, inside), inside);
        }
        /* The packs work in halves: their quarters come as 0, 2, 1, 3. */
        __m256i not_apart = _mm256_permute4x64_epi64(_mm256_packs_epi16(near[0], near[1]), 0xd8);
        __m256i not_inside = _mm256_permute4x64_epi64(_mm256_packs_epi16(far[0], far[1]), 0xd8);
        __m256i inner = lanes_part(column[QD_INNER_HI] + base + part, 0);
        not_inside = _mm256_or_si256(not_inside, _mm256_cmpeq_epi8(inner, zero));
        __m256i left = _mm256_or_si256(unsure, _mm256_and_si256(not_apart, not_inside));
        open |= (uint64_t)(uint32_t)_mm256_movemask_epi8(left) << part;
    }
    return open;
}

#endif
