/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups of rows in AVX-512 registers, one for each column (lanes_portable.h documents the functions), and pairs of
 * rows, 16 to a register (exact_x86.h).
 */
#ifndef QD_SPACE_KERNEL_LANES_LANES_AVX512_H
#define QD_SPACE_KERNEL_LANES_LANES_AVX512_H

#include <immintrin.h>
#include <stdint.h>

#include "../../../base/assert.h"
#include "../../geometry/shape.h"
#include "../exact.h"
#include "../kernel.h"
#include "columns_avx512.h"

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

/* a <= b if a - b saturates to 0. */
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

/* Compares lower edges as they are and upper edges negated, so that one comparison serves all; pads do not count. */
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

/* ---- pairs ---- */

#define PAIRS_LANES 16u

static inline ints load_ints(const void *from)
{
    return _mm512_loadu_si512(from);
}

static inline uint32_t bits_of_lanes(lane_mask lanes)
{
    return lanes;
}

static inline lane_mask lanes_of_bits(uint32_t bits)
{
    return (lane_mask)bits;
}

/* The first and the second numbers of 16 pairs. */
static inline void take_apart(const qd_pair *pairs, ints *a, ints *b)
{
    const ints even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const ints odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    ints first = _mm512_loadu_si512(pairs), second = _mm512_loadu_si512(pairs + 8);

    *a = _mm512_permutex2var_epi32(first, even, second);
    *b = _mm512_permutex2var_epi32(first, odd, second);
}

static inline void put_together(void *pairs, ints a, ints b, uint32_t mask)
{
    const ints low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const ints high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    const uint32_t there = (1u << _mm_popcnt_u32(mask)) - 1;

    a = _mm512_maskz_compress_epi32((__mmask16)mask, a), b = _mm512_maskz_compress_epi32((__mmask16)mask, b);
    _mm512_mask_storeu_epi64(pairs, (__mmask8)there, _mm512_permutex2var_epi32(a, low, b));
    _mm512_mask_storeu_epi64((char *)pairs + 64, (__mmask8)(there >> 8), _mm512_permutex2var_epi32(a, high, b));
}

static inline void put_lanes(uint32_t *to, ints lanes, uint32_t mask)
{
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)mask, lanes));
}

/* Which of these lanes agree, where a filter has no class. */
static inline uint32_t odd_agree(const qd_filter *filters, uint32_t lanes, ints id_a, ints id_b)
{
    const ints slots = _mm512_set1_epi32(QD_ID_SLOT), none = _mm512_setzero_si512();
    const __mmask16 here = (__mmask16)lanes;
    const int *category = (const int *)(const void *)&filters->category;
    const int *mask = (const int *)(const void *)&filters->mask;
    ints a = _mm512_and_si512(id_a, slots), b = _mm512_and_si512(id_b, slots);
    ints category_a = _mm512_mask_i32gather_epi32(none, here, a, category, sizeof(qd_filter));
    ints category_b = _mm512_mask_i32gather_epi32(none, here, b, category, sizeof(qd_filter));
    ints mask_a = _mm512_mask_i32gather_epi32(none, here, a, mask, sizeof(qd_filter));
    ints mask_b = _mm512_mask_i32gather_epi32(none, here, b, mask, sizeof(qd_filter));

    return _mm512_mask_test_epi32_mask(_mm512_test_epi32_mask(category_a, mask_b), category_b, mask_a);
}

static inline uint32_t filters_agree(const qd_filter_classes *classes, ints id_a, ints id_b, uint32_t *odd)
{
    const ints table = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)classes->agree));
    const ints class_a = _mm512_srli_epi32(id_a, QD_ID_CLASS), class_b = _mm512_srli_epi32(id_b, QD_ID_CLASS);
    const ints with_a = _mm512_permutexvar_epi32(class_a, table), most = _mm512_max_epu32(class_a, class_b);

    *odd = _mm512_cmpeq_epi32_mask(most, _mm512_set1_epi32(QD_FILTER_CLASSES_MAX));
    return _mm512_test_epi32_mask(_mm512_srlv_epi32(with_a, class_b), _mm512_set1_epi32(1));
}

static inline ints gather_ids(const uint32_t *ids, ints row, uint32_t valid)
{
    return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), (__mmask16)valid, row, ids, sizeof *ids);
}

static inline uint32_t with_either(ints a, uint32_t flags_a, ints b, uint32_t flags_b)
{
    return (uint32_t)_mm512_test_epi32_mask(a, _mm512_set1_epi32((int)flags_a)) |
           _mm512_test_epi32_mask(b, _mm512_set1_epi32((int)flags_b));
}

/* ---- what overlaps ---- */

/* Four floats of each of 16 rows, from `first` on, as columns. */
static inline void load_fours_at(const qd_row *rows, const uint32_t *at, uint32_t first, __m512 column[4])
{
    __m512 four[4];

    for (uint32_t j = 0; j < 4; j++) {
        four[j] = _mm512_castps128_ps512(_mm_load_ps(rows[at[j]].v + first));
        four[j] = _mm512_insertf32x4(four[j], _mm_load_ps(rows[at[4 + j]].v + first), 1);
        four[j] = _mm512_insertf32x4(four[j], _mm_load_ps(rows[at[8 + j]].v + first), 2);
        four[j] = _mm512_insertf32x4(four[j], _mm_load_ps(rows[at[12 + j]].v + first), 3);
    }
    transpose_fours(four, column);
}

static inline lane_mask are_round(ints id)
{
    return _mm512_test_epi32_mask(id, _mm512_set1_epi32(QD_ID_ROUND));
}

static inline uint32_t kinds_of(const uint8_t *kinds, lane_mask now, lane_mask was, ints *kind)
{
    const ints kind_of_bits =
        _mm512_setr_epi32(kinds[0], kinds[1], kinds[2], kinds[3], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    const ints bits = _mm512_maskz_set1_epi32(now, 1) | _mm512_maskz_set1_epi32(was, 2);

    *kind = _mm512_permutexvar_epi32(bits, kind_of_bits);
    return _mm512_test_epi32_mask(*kind, *kind);
}

#endif
