/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of the kernel (join_kernel.c) with AVX2 and AVX-512.
 */
#ifndef QD_ROOM_VIEWS_JOIN_JOIN_KERNEL_X86_H
#define QD_ROOM_VIEWS_JOIN_JOIN_KERNEL_X86_H

#include <immintrin.h>

#define AVX2   __attribute__((target("avx2,fma,popcnt,bmi")))
#define AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,popcnt,bmi")))

AVX2 INLINE uint16_t mask_avx2(float *const at[3], uint32_t i, const qd_join_ball *ball, uint32_t *unsure,
                               unsigned axes)
{
    uint32_t maybe = 0, surely = 0;

    for (uint32_t half = 0; half < QD_JOIN_LANES; half += 8) {
        __m256 sum = _mm256_setzero_ps();

        for (unsigned k = 0; k < axes; k++) {
            const __m256 apart = _mm256_sub_ps(_mm256_loadu_ps(at[k] + i + half), _mm256_set1_ps(ball->at[k]));

            sum = _mm256_fmadd_ps(apart, apart, sum);
        }
        const __m256 near = _mm256_cmp_ps(sum, _mm256_set1_ps(ball->outside), _CMP_LE_OQ);
        const __m256 in = _mm256_cmp_ps(sum, _mm256_set1_ps(ball->inside), _CMP_LT_OQ);

        maybe |= (uint32_t)_mm256_movemask_ps(near) << half;
        surely |= (uint32_t)_mm256_movemask_ps(in) << half;
    }
    *unsure |= maybe ^ surely;
    return (uint16_t)maybe;
}

AVX2 INLINE uint32_t cone_avx2(float *const at[3], uint32_t i, const qd_join_cone *cone, uint32_t *surely,
                               unsigned axes)
{
    uint32_t out = 0, in = 0;

    for (uint32_t half = 0; half < QD_JOIN_LANES; half += 8) {
        __m256 square = _mm256_setzero_ps(), along = _mm256_setzero_ps();

        for (unsigned k = 0; k < axes; k++) {
            const __m256 apart = _mm256_sub_ps(_mm256_loadu_ps(at[k] + i + half), _mm256_set1_ps(cone->at[k]));

            square = _mm256_fmadd_ps(apart, apart, square);
            along = _mm256_fmadd_ps(apart, _mm256_set1_ps(cone->axis[k]), along);
        }
        const __m256 distance = _mm256_sqrt_ps(square);
        const __m256 error = _mm256_mul_ps(distance, _mm256_set1_ps(QD_JOIN_CONE_SHARE));
        const __m256 beyond = _mm256_fnmadd_ps(_mm256_set1_ps(cone->cosine), distance, along);
        const __m256 is_known = _mm256_and_ps(_mm256_cmp_ps(square, _mm256_set1_ps(QD_JOIN_SQUARE_MIN), _CMP_GE_OQ),
                                              _mm256_cmp_ps(square, _mm256_set1_ps(FLT_MAX), _CMP_LE_OQ));
        const __m256 is_out = _mm256_cmp_ps(_mm256_add_ps(beyond, error), _mm256_setzero_ps(), _CMP_LT_OQ);
        const __m256 is_in = _mm256_cmp_ps(beyond, error, _CMP_GT_OQ);

        out |= (uint32_t)_mm256_movemask_ps(_mm256_and_ps(is_known, is_out)) << half;
        in |= (uint32_t)_mm256_movemask_ps(_mm256_and_ps(is_known, is_in)) << half;
    }
    *surely = in;
    return ~out;
}

AVX2 INLINE uint32_t between_avx2(float *const at[3], uint32_t i, const qd_join_walls *walls, unsigned axes)
{
    uint32_t in = UINT32_MAX;

    for (unsigned k = 0; k < axes; k++) {
        uint32_t along = 0;

        for (uint32_t half = 0; half < QD_JOIN_LANES; half += 8) {
            const __m256 one = _mm256_loadu_ps(at[k] + i + half);
            const __m256 is = _mm256_and_ps(_mm256_cmp_ps(_mm256_set1_ps(walls->lo[k]), one, _CMP_LE_OQ),
                                            _mm256_cmp_ps(one, _mm256_set1_ps(walls->hi[k]), _CMP_LE_OQ));

            along |= (uint32_t)_mm256_movemask_ps(is) << half;
        }
        in &= along;
    }
    return in;
}

AVX2 INLINE void squares_avx2(float *const at[3], uint32_t i, const float center[3], float *to, unsigned axes)
{
    for (uint32_t half = 0; half < QD_JOIN_LANES; half += 8) {
        __m256 square = _mm256_setzero_ps();

        for (unsigned k = 0; k < axes; k++) {
            const __m256 apart = _mm256_sub_ps(_mm256_loadu_ps(at[k] + i + half), _mm256_set1_ps(center[k]));

            square = _mm256_fmadd_ps(apart, apart, square);
        }
        _mm256_storeu_ps(to + half, square);
    }
}

AVX2 static float largest_avx2(const float *squares, uint32_t words, const uint16_t *masks)
{
    const __m256i bits = _mm256_setr_epi32(1, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7);
    __m256 most = _mm256_setzero_ps();
    float lanes[8], all = 0;

    for (uint32_t word = 0; word < words; word++) {
        for (uint32_t half = 0; half < QD_JOIN_LANES; half += 8) {
            const __m256i mask = _mm256_and_si256(_mm256_set1_epi32(masks[word] >> half), bits);
            const __m256 square = _mm256_loadu_ps(squares + word * QD_JOIN_LANES + half);

            most = _mm256_max_ps(most, _mm256_and_ps(square, _mm256_castsi256_ps(_mm256_cmpeq_epi32(mask, bits))));
        }
    }
    _mm256_storeu_ps(lanes, most);
    for (uint32_t lane = 0; lane < 8; lane++) {
        all = lanes[lane] > all ? lanes[lane] : all;
    }
    return all;
}

AVX2 INLINE uint32_t up_to_avx2(const float *squares, uint32_t i, float most)
{
    const __m256 low = _mm256_cmp_ps(_mm256_loadu_ps(squares + i), _mm256_set1_ps(most), _CMP_LE_OQ);
    const __m256 high = _mm256_cmp_ps(_mm256_loadu_ps(squares + i + 8), _mm256_set1_ps(most), _CMP_LE_OQ);

    return (uint32_t)_mm256_movemask_ps(low) | (uint32_t)_mm256_movemask_ps(high) << 8;
}

AVX2 INLINE uint32_t admit_avx2(const uint32_t *category, const uint32_t *teams, uint32_t i, uint32_t mask,
                                uint32_t team)
{
    return admit_plain(category, teams, i, mask, team);
}

/* By a mask of 8: which elements it chooses, a byte for each, the first one in the lowest. */
#define LANE(mask, i)                                                                                                  \
    ((mask) >> (i)&1 ? (uint64_t)(i) << 8 * __builtin_popcount((mask) & ((1u << (i)) - 1)) : UINT64_C(0))
#define LANES(mask)                                                                                                    \
    LANE(mask, 0) | LANE(mask, 1) | LANE(mask, 2) | LANE(mask, 3) | LANE(mask, 4) | LANE(mask, 5) | LANE(mask, 6) |    \
        LANE(mask, 7)
#define LANES_4(mask)  LANES(mask), LANES((mask) + 1), LANES((mask) + 2), LANES((mask) + 3)
#define LANES_16(mask) LANES_4(mask), LANES_4((mask) + 4), LANES_4((mask) + 8), LANES_4((mask) + 12)
#define LANES_64(mask) LANES_16(mask), LANES_16((mask) + 16), LANES_16((mask) + 32), LANES_16((mask) + 48)
static const uint64_t lanes_of[256] = {LANES_64(0u), LANES_64(64u), LANES_64(128u), LANES_64(192u)};

/* Whole stores while rows of the same call follow: a store of some elements is slow on many machines. */
AVX2 INLINE void pack_avx2(const qd_join_rows *from, uint32_t i, uint32_t mask, uint32_t observer,
                           const qd_join_rows *to, uint32_t row, uint32_t end, unsigned axes)
{
    for (uint32_t half = 0; half < QD_JOIN_LANES; half += 8, mask >>= 8) {
        const uint32_t chosen = mask & 0xff, count = (uint32_t)__builtin_popcount(chosen);

        if (row + 8 > end) {
            pack_plain(from, i + half, mask, observer, to, row, end, axes);
            return;
        }
        const __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)lanes_of[chosen]));
        const __m256i id = _mm256_loadu_si256((const __m256i *)(const void *)(from->id + i + half));

        _mm256_storeu_si256((__m256i *)(void *)(to->observer + row), _mm256_set1_epi32((int)observer));
        _mm256_storeu_si256((__m256i *)(void *)(to->id + row), _mm256_permutevar8x32_epi32(id, lanes));
        for (unsigned k = 0; k < axes; k++) {
            const __m256 at = _mm256_loadu_ps(from->at[k] + i + half);

            _mm256_storeu_ps(to->at[k] + row, _mm256_permutevar8x32_ps(at, lanes));
        }
        row += count;
    }
}

AVX512 INLINE uint16_t mask_avx512(float *const at[3], uint32_t i, const qd_join_ball *ball, uint32_t *unsure,
                                   unsigned axes)
{
    __m512 sum = _mm512_setzero_ps();

    for (unsigned k = 0; k < axes; k++) {
        const __m512 apart = _mm512_sub_ps(_mm512_loadu_ps(at[k] + i), _mm512_set1_ps(ball->at[k]));

        sum = k == 0 ? _mm512_mul_ps(apart, apart) : _mm512_fmadd_ps(apart, apart, sum);
    }
    const uint32_t maybe = _mm512_cmp_ps_mask(sum, _mm512_set1_ps(ball->outside), _CMP_LE_OQ);
    const uint32_t surely = _mm512_cmp_ps_mask(sum, _mm512_set1_ps(ball->inside), _CMP_LT_OQ);

    *unsure |= maybe ^ surely;
    return (uint16_t)maybe;
}

AVX512 INLINE uint32_t cone_avx512(float *const at[3], uint32_t i, const qd_join_cone *cone, uint32_t *surely,
                                   unsigned axes)
{
    __m512 square = _mm512_setzero_ps(), along = _mm512_setzero_ps();

    for (unsigned k = 0; k < axes; k++) {
        const __m512 apart = _mm512_sub_ps(_mm512_loadu_ps(at[k] + i), _mm512_set1_ps(cone->at[k]));

        square = _mm512_fmadd_ps(apart, apart, square);
        along = _mm512_fmadd_ps(apart, _mm512_set1_ps(cone->axis[k]), along);
    }
    const __m512 distance = _mm512_sqrt_ps(square);
    const __m512 error = _mm512_mul_ps(distance, _mm512_set1_ps(QD_JOIN_CONE_SHARE));
    const __m512 beyond = _mm512_fnmadd_ps(_mm512_set1_ps(cone->cosine), distance, along);
    const uint32_t is_known = _mm512_cmp_ps_mask(square, _mm512_set1_ps(QD_JOIN_SQUARE_MIN), _CMP_GE_OQ) &
                              (uint32_t)_mm512_cmp_ps_mask(square, _mm512_set1_ps(FLT_MAX), _CMP_LE_OQ);

    *surely = is_known & (uint32_t)_mm512_cmp_ps_mask(beyond, error, _CMP_GT_OQ);
    return ~(is_known & (uint32_t)_mm512_cmp_ps_mask(_mm512_add_ps(beyond, error), _mm512_setzero_ps(), _CMP_LT_OQ));
}

AVX512 INLINE uint32_t between_avx512(float *const at[3], uint32_t i, const qd_join_walls *walls, unsigned axes)
{
    uint32_t in = UINT32_MAX;

    for (unsigned k = 0; k < axes; k++) {
        const __m512 one = _mm512_loadu_ps(at[k] + i);

        in &= _mm512_cmp_ps_mask(_mm512_set1_ps(walls->lo[k]), one, _CMP_LE_OQ) &
              (uint32_t)_mm512_cmp_ps_mask(one, _mm512_set1_ps(walls->hi[k]), _CMP_LE_OQ);
    }
    return in;
}

AVX512 INLINE void squares_avx512(float *const at[3], uint32_t i, const float center[3], float *to, unsigned axes)
{
    __m512 square = _mm512_setzero_ps();

    for (unsigned k = 0; k < axes; k++) {
        const __m512 apart = _mm512_sub_ps(_mm512_loadu_ps(at[k] + i), _mm512_set1_ps(center[k]));

        square = _mm512_fmadd_ps(apart, apart, square);
    }
    _mm512_storeu_ps(to, square);
}

AVX512 static float largest_avx512(const float *squares, uint32_t words, const uint16_t *masks)
{
    __m512 most = _mm512_setzero_ps();

    for (uint32_t word = 0; word < words; word++) {
        most = _mm512_mask_max_ps(most, masks[word], most, _mm512_loadu_ps(squares + word * QD_JOIN_LANES));
    }
    return _mm512_reduce_max_ps(most);
}

AVX512 INLINE uint32_t up_to_avx512(const float *squares, uint32_t i, float most)
{
    return _mm512_cmp_ps_mask(_mm512_loadu_ps(squares + i), _mm512_set1_ps(most), _CMP_LE_OQ);
}

AVX512 INLINE uint32_t admit_avx512(const uint32_t *category, const uint32_t *teams, uint32_t i, uint32_t mask,
                                    uint32_t team)
{
    const __m512i other = _mm512_loadu_si512(teams + i);
    const __mmask16 may = _mm512_test_epi32_mask(_mm512_loadu_si512(category + i), _mm512_set1_epi32((int)mask));
    const __mmask16 same = _mm512_cmpeq_epi32_mask(other, _mm512_set1_epi32((int)team));
    const __mmask16 has_team = team == 0 ? 0 : _mm512_test_epi32_mask(other, other);

    return may & (uint32_t)(same | (uint16_t)~has_team);
}

/* A whole store is faster than one that compresses, on some machines many times. */
AVX512 INLINE void pack_avx512(const qd_join_rows *from, uint32_t i, uint32_t mask, uint32_t observer,
                               const qd_join_rows *to, uint32_t row, uint32_t end, unsigned axes)
{
    (void)end;
    const __mmask16 chosen = (__mmask16)mask, packed = (__mmask16)((1u << __builtin_popcount(mask)) - 1);

    _mm512_mask_storeu_epi32(to->observer + row, packed, _mm512_set1_epi32((int)observer));
    _mm512_mask_storeu_epi32(to->id + row, packed,
                             _mm512_maskz_compress_epi32(chosen, _mm512_loadu_si512(from->id + i)));
    for (unsigned k = 0; k < axes; k++) {
        _mm512_mask_storeu_ps(to->at[k] + row, packed,
                              _mm512_maskz_compress_ps(chosen, _mm512_loadu_ps(from->at[k] + i)));
    }
}

#endif
