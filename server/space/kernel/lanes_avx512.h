/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups of rows in AVX-512 registers; what the functions do is said in lanes_portable.h.
 */
#ifndef QD_SPACE_KERNEL_LANES_AVX512_H
#define QD_SPACE_KERNEL_LANES_AVX512_H

#include <immintrin.h>
#include <stdint.h>

#include "../geometry/shape.h"
#include "lanes_pair.h"
#include "ring.h"

typedef struct lanes8 {
    __m512i edge[QD_EDGES];
} lanes8;

typedef struct lanes16 {
    __m512i edge[QD_EDGES];
} lanes16;

static inline lanes8 lanes_load8(uint8_t *const *column, uint32_t base)
{
    lanes8 lanes;

    for (uint32_t k = 0; k < QD_EDGES; k++) {
        lanes.edge[k] = _mm512_loadu_si512(column[k] + base);
    }
    return lanes;
}

static inline lanes16 lanes_load16(uint16_t *const *column, uint32_t base)
{
    lanes16 lanes;

    for (uint32_t k = 0; k < QD_EDGES; k++) {
        lanes.edge[k] = _mm512_loadu_si512(column[k] + base);
    }
    return lanes;
}

#define LANES_OR3 0xfe /* of vpternlog */

/* a <= b is that a - b saturates to 0. */
static inline uint64_t lanes_meet8(const lanes8 *lanes, const uint8_t lo[QD_AXES], const uint8_t hi[QD_AXES])
{
    __m512i apart = _mm512_setzero_si512();

    for (uint32_t k = 0; k < QD_AXES; k++) {
        __m512i below = _mm512_subs_epu8(lanes->edge[k], _mm512_set1_epi8((char)hi[k]));
        __m512i above = _mm512_subs_epu8(_mm512_set1_epi8((char)lo[k]), lanes->edge[QD_AXES + k]);

        apart = k == 0 ? _mm512_or_si512(below, above) : _mm512_ternarylogic_epi64(apart, below, above, LANES_OR3);
    }
    return _mm512_testn_epi8_mask(apart, apart);
}

static inline uint64_t lanes_meet16(const lanes16 *lanes, const uint16_t lo[QD_AXES], const uint16_t hi[QD_AXES])
{
    __m512i apart = _mm512_setzero_si512();

    for (uint32_t k = 0; k < QD_AXES; k++) {
        __m512i below = _mm512_subs_epu16(lanes->edge[k], _mm512_set1_epi16((short)hi[k]));
        __m512i above = _mm512_subs_epu16(_mm512_set1_epi16((short)lo[k]), lanes->edge[QD_AXES + k]);

        apart = k == 0 ? _mm512_or_si512(below, above) : _mm512_ternarylogic_epi64(apart, below, above, LANES_OR3);
    }
    return _mm512_testn_epi16_mask(apart, apart);
}

/* Whether two boxes overlap now (1) and did (2). Lower edges as they are and upper ones negated, so that one comparison
 * serves all; of rows with pads, those do not count. */
#if QD_AXES == 2
static inline uint32_t lanes_overlap(const qd_row *now_a, const qd_row *was_a, const qd_row *now_b, const qd_row *was_b)
{
    const __m256 sign = _mm256_castsi256_ps(_mm256_setr_epi32(0, 0, INT32_MIN, INT32_MIN, 0, 0, INT32_MIN, INT32_MIN));
    __m256 a = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(now_a->v)), _mm_load_ps(was_a->v), 1);
    __m256 b = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(now_b->v)), _mm_load_ps(was_b->v), 1);

    b = _mm256_permute_ps(b, 0x4e);
    uint32_t mask = _mm256_cmp_ps_mask(_mm256_xor_ps(a, sign), _mm256_xor_ps(b, sign), _CMP_LE_OQ);
    return (uint32_t)((mask & 15) == 15) | (uint32_t)(mask >> 4 == 15) << 1;
}
#else
static inline uint32_t lanes_overlap(const qd_row *now_a, const qd_row *was_a, const qd_row *now_b, const qd_row *was_b)
{
    const __m512 sign = _mm512_broadcast_f32x8(_mm256_setr_ps(0, 0, 0, 0, -0.0f, -0.0f, -0.0f, -0.0f));
    __m512 a = _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_load_ps(now_a->v)), _mm256_load_ps(was_a->v), 1);
    __m512 b = _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_load_ps(now_b->v)), _mm256_load_ps(was_b->v), 1);

    b = _mm512_shuffle_f32x4(b, b, _MM_PERM_CDAB);
    uint32_t mask = _mm512_cmp_ps_mask(_mm512_xor_ps(a, sign), _mm512_xor_ps(b, sign), _CMP_LE_OQ);
    return (uint32_t)((mask & 0x77) == 0x77) | (uint32_t)((mask & 0x7700) == 0x7700) << 1;
}
#endif

#define LANES_SHAPES_OVERLAP

/* As in kernel_body.h, without branches: a circle is its centre as a box, and how far around that it reaches. On each
 * axis the gap is what one's lower edge is beyond the other's upper one. An absent row makes a gap that is infinite or
 * no number, or a reach below 0. */
#if QD_AXES == 2
static inline uint32_t lanes_shapes_overlap(const qd_row *now_a, const qd_row *was_a, const qd_row *now_b,
                                            const qd_row *was_b, uint32_t round)
{
    const __mmask8 is_round = (__mmask8)((round & 1) * 0xcc | (round >> 1) * 0x33);
    __m256 a = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(now_a->v)), _mm_load_ps(was_a->v), 1);
    __m256 b = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(now_b->v)), _mm_load_ps(was_b->v), 1);
    __m256 lower = _mm256_shuffle_ps(a, b, 0x44), upper = _mm256_shuffle_ps(b, a, 0xee);
    __m512d radius = _mm512_cvtps_pd(_mm256_maskz_mov_ps(is_round, upper));

    upper = _mm256_mask_shuffle_ps(upper, is_round, b, a, 0x44);
    __m512d beyond = _mm512_sub_pd(_mm512_cvtps_pd(lower), _mm512_cvtps_pd(upper));
    __m512d gap = _mm512_max_pd(beyond, _mm512_permutex_pd(beyond, 0x4e));
    gap = _mm512_max_pd(_mm512_setzero_pd(), gap);
    __m512d square = _mm512_mul_pd(gap, gap), reach = _mm512_add_pd(radius, _mm512_permutex_pd(radius, 0x4e));
    __m512d sum = _mm512_add_pd(square, _mm512_permute_pd(square, 0x55));
    __mmask8 met = _mm512_mask_cmp_pd_mask(0x11, sum, _mm512_mul_pd(reach, reach), _CMP_LE_OQ);
    met = _mm512_mask_cmp_pd_mask(met, reach, _mm512_setzero_pd(), _CMP_GE_OQ);
    return (met & 1u) | met >> 3;
}
#else
static inline uint32_t lanes_shapes_meet(const qd_row *row_a, const qd_row *row_b, __mmask8 is_round)
{
    __m256 a = _mm256_load_ps(row_a->v), b = _mm256_load_ps(row_b->v);
    __m256 lower = _mm256_permute2f128_ps(a, b, 0x20), upper = _mm256_permute2f128_ps(b, a, 0x31);
    __m512d radius = _mm512_cvtps_pd(_mm256_maskz_mov_ps(is_round, upper));

    upper = _mm256_mask_mov_ps(upper, is_round, _mm256_permute2f128_ps(b, a, 0x20));
    __m512d beyond = _mm512_sub_pd(_mm512_cvtps_pd(lower), _mm512_cvtps_pd(upper));
    __m512d gap = _mm512_max_pd(beyond, _mm512_shuffle_f64x2(beyond, beyond, 0x4e));
    gap = _mm512_max_pd(_mm512_setzero_pd(), gap);
    __m512d square = _mm512_mul_pd(gap, gap);
    __m512d reach = _mm512_add_pd(radius, _mm512_shuffle_f64x2(radius, radius, 0x4e));
    __m512d sum = _mm512_add_pd(square, _mm512_permute_pd(square, 0x55));
    sum = _mm512_add_pd(sum, _mm512_permutex_pd(square, 0xaa));
    __mmask8 met = _mm512_mask_cmp_pd_mask(1, sum, _mm512_mul_pd(reach, reach), _CMP_LE_OQ);
    return _mm512_mask_cmp_pd_mask(met, reach, _mm512_setzero_pd(), _CMP_GE_OQ);
}

static inline uint32_t lanes_shapes_overlap(const qd_row *now_a, const qd_row *was_a, const qd_row *now_b,
                                            const qd_row *was_b, uint32_t round)
{
    const __mmask8 is_round = (__mmask8)((round & 1) * 0xf0 | (round >> 1) * 0x0f);

    return lanes_shapes_meet(now_a, now_b, is_round) | lanes_shapes_meet(was_a, was_b, is_round) << 1;
}
#endif

#define LANES_OPEN

/* As in kernel_ring.h. */
static inline uint64_t lanes_open(uint8_t *const *column, uint32_t base, const qd_ring *at)
{
    const __m512i most = _mm512_set1_epi16(QD_RING_FAR), zero = _mm512_setzero_si512();
    __m512i inner = _mm512_loadu_si512(column[QD_INNER_HI] + base);
    uint64_t apart = 0, inside = 0, known = ~UINT64_C(0);

    for (uint32_t k = 0; k < QD_AXES; k++) {
        __m512i lo = _mm512_loadu_si512(column[k] + base), hi = _mm512_loadu_si512(column[QD_AXES + k] + base);

        known = _mm512_mask_test_epi8_mask(known, lo, lo);
        known = _mm512_mask_cmplt_epu8_mask(known, hi, _mm512_set1_epi8((char)at->last[k]));
    }
    for (uint32_t half = 0; half < 64; half += 32) {
        __m512i nearest = zero, furthest = zero;

        for (uint32_t k = 0; k < QD_AXES; k++) {
            const __m256i *lo = (const void *)(column[k] + base + half);
            const __m256i *hi = (const void *)(column[QD_AXES + k] + base + half);
            __m512i above = _mm512_sub_epi16(_mm512_cvtepu8_epi16(_mm256_loadu_si256(hi)),
                                             _mm512_set1_epi16((short)(at->lo[k] - 1)));
            __m512i below =
                _mm512_sub_epi16(_mm512_set1_epi16(at->hi[k]), _mm512_cvtepu8_epi16(_mm256_loadu_si256(lo)));
            __m512i near = _mm512_max_epi16(_mm512_sub_epi16(zero, _mm512_min_epi16(above, below)), zero);
            __m512i far = _mm512_min_epi16(_mm512_max_epi16(above, below), most);

            near = _mm512_min_epi16(near, most);
            nearest = _mm512_adds_epu16(nearest, _mm512_mullo_epi16(near, near));
            furthest = _mm512_adds_epu16(furthest, _mm512_mullo_epi16(far, far));
        }
        apart |= (uint64_t)_mm512_cmpgt_epu16_mask(nearest, _mm512_set1_epi16((short)at->apart)) << half;
        inside |= (uint64_t)_mm512_cmplt_epu16_mask(furthest, _mm512_set1_epi16((short)at->inside)) << half;
    }
    return ~(known & (apart | (inside & _mm512_test_epi8_mask(inner, inner))));
}

#endif
