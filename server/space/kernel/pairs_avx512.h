/* SPDX-License-Identifier: Apache-2.0
 *
 * The exact test of boxes and circles with AVX-512, 16 pairs at a time; what the functions do is said in
 * kernel_exact.h, and they give the same.
 */
#ifndef QD_SPACE_KERNEL_PAIRS_AVX512_H
#define QD_SPACE_KERNEL_PAIRS_AVX512_H

#include <immintrin.h>

#include "../../base/assert.h"
#include "pairs_float.h"

#define PAIRS_MANY

/* The first numbers of 16 pairs of numbers, and the second ones. */
static inline void take_apart(const qd_pair *pairs, __m512i *a, __m512i *b)
{
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    __m512i first = _mm512_loadu_si512(pairs), second = _mm512_loadu_si512(pairs + 8);

    *a = _mm512_permutex2var_epi32(first, even, second);
    *b = _mm512_permutex2var_epi32(first, odd, second);
}

/* The other way round, for the first `count` of 16. */
static inline void put_together(void *pairs, __m512i a, __m512i b, uint32_t count)
{
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    const uint32_t there = (1u << count) - 1;

    _mm512_mask_storeu_epi64(pairs, (__mmask8)there, _mm512_permutex2var_epi32(a, low, b));
    _mm512_mask_storeu_epi64((char *)pairs + 64, (__mmask8)(there >> 8), _mm512_permutex2var_epi32(a, high, b));
}

/* Of those in `lanes`, which agree by filters of which one has no class. */
static inline uint32_t odd_agree(const qd_filter *filters, uint32_t lanes, __m512i id_a, __m512i id_b)
{
    const __m512i slots = _mm512_set1_epi32(QD_ID_SLOT), none = _mm512_setzero_si512();
    const __mmask16 here = (__mmask16)lanes;
    const int *category = (const int *)(const void *)&filters->category;
    const int *mask = (const int *)(const void *)&filters->mask;
    __m512i a = _mm512_and_si512(id_a, slots), b = _mm512_and_si512(id_b, slots);
    __m512i category_a = _mm512_mask_i32gather_epi32(none, here, a, category, sizeof(qd_filter));
    __m512i category_b = _mm512_mask_i32gather_epi32(none, here, b, category, sizeof(qd_filter));
    __m512i mask_a = _mm512_mask_i32gather_epi32(none, here, a, mask, sizeof(qd_filter));
    __m512i mask_b = _mm512_mask_i32gather_epi32(none, here, b, mask, sizeof(qd_filter));

    return _mm512_mask_test_epi32_mask(_mm512_test_epi32_mask(category_a, mask_b), category_b, mask_a);
}

static inline uint32_t take_shapes(const qd_sink *sink, qd_pair *pairs, uint32_t *pair_count, qd_shapes *to)
{
    const qd_filter_classes *classes = &sink->bodies->classes;
    const __m512i agree = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)classes->agree));
    const __m512i row = _mm512_set1_epi32(QD_LIST_ROW), one = _mm512_set1_epi32(1);
    const __m512i half = _mm512_set1_epi32(QD_LIST_WAS | QD_LIST_NOW), intricate = _mm512_set1_epi32(QD_ID_INTRICATE);
    const uint32_t count = *pair_count, swept = sink->swept ? UINT32_MAX : 0;
    uint32_t found = 0, left = 0;

    for (uint32_t p = 0; p < count; p += QD_PAIRS_STEP) {
        const uint32_t valid = count - p < QD_PAIRS_STEP ? (1u << (count - p)) - 1 : UINT16_MAX;
        __m512i a, b;

        take_apart(pairs + p, &a, &b);
        const __m512i row_a = _mm512_and_si512(a, row), row_b = _mm512_and_si512(b, row);
        const __m512i none = _mm512_setzero_si512();
        const __m512i id_a = _mm512_mask_i32gather_epi32(none, (__mmask16)valid, row_a, sink->rows->id, 4);
        const __m512i id_b = _mm512_mask_i32gather_epi32(none, (__mmask16)valid, row_b, sink->rows->id, 4);
        uint32_t others = _mm512_test_epi32_mask(_mm512_or_si512(a, b), half);
        others |= _mm512_test_epi32_mask(_mm512_or_si512(id_a, id_b), intricate);
        others = (others | swept) & valid;
        if (QD_UNLIKELY(others != 0)) {
            /* Not behind where they are read. */
            const __mmask16 mask = (__mmask16)others;
            const uint32_t many = (uint32_t)_mm_popcnt_u32(others);

            put_together(pairs + left, _mm512_maskz_compress_epi32(mask, a), _mm512_maskz_compress_epi32(mask, b),
                         many);
            left += many;
        }
        const __m512i class_a = _mm512_srli_epi32(id_a, QD_ID_CLASS), class_b = _mm512_srli_epi32(id_b, QD_ID_CLASS);
        const __m512i with_a = _mm512_permutexvar_epi32(class_a, agree);
        uint32_t usual = valid & ~others;
        const uint32_t odd = usual & _mm512_cmpeq_epi32_mask(_mm512_max_epu32(class_a, class_b),
                                                             _mm512_set1_epi32(QD_FILTER_CLASSES_MAX));
        usual &= _mm512_test_epi32_mask(_mm512_srlv_epi32(with_a, class_b), one);
        if (QD_UNLIKELY(odd != 0)) {
            usual |= odd_agree(sink->bodies->filter, odd, id_a, id_b);
        }
        const __mmask16 mask = (__mmask16)usual;
        _mm512_storeu_si512(to->a + found, _mm512_maskz_compress_epi32(mask, row_a));
        _mm512_storeu_si512(to->b + found, _mm512_maskz_compress_epi32(mask, row_b));
        _mm512_storeu_si512(to->id_a + found, _mm512_maskz_compress_epi32(mask, id_a));
        _mm512_storeu_si512(to->id_b + found, _mm512_maskz_compress_epi32(mask, id_b));
        found += (uint32_t)_mm_popcnt_u32(usual);
    }
    *pair_count = left;
    return found;
}

/* ---- what overlaps ---- */

/* Edges of 16 rows, or of round ones how far they reach. */
typedef struct rows16 {
    __m512 lo[QD_AXES], hi[QD_AXES];
} rows16;

/* Fours of floats, from `first` on, of 16 rows, as columns. */
static inline void load_four(const qd_row *rows, const uint32_t *at, uint32_t first, __m512 column[4])
{
    __m512 four[4];

    for (uint32_t j = 0; j < 4; j++) {
        four[j] = _mm512_castps128_ps512(_mm_load_ps(rows[at[j]].v + first));
        four[j] = _mm512_insertf32x4(four[j], _mm_load_ps(rows[at[4 + j]].v + first), 1);
        four[j] = _mm512_insertf32x4(four[j], _mm_load_ps(rows[at[8 + j]].v + first), 2);
        four[j] = _mm512_insertf32x4(four[j], _mm_load_ps(rows[at[12 + j]].v + first), 3);
    }
    __m512 a = _mm512_unpacklo_ps(four[0], four[1]), b = _mm512_unpackhi_ps(four[0], four[1]);
    __m512 c = _mm512_unpacklo_ps(four[2], four[3]), d = _mm512_unpackhi_ps(four[2], four[3]);
    column[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(c)));
    column[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(c)));
    column[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(b), _mm512_castps_pd(d)));
    column[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(b), _mm512_castps_pd(d)));
}

static inline rows16 load_rows(const qd_row *rows, const uint32_t *at)
{
    rows16 result;
    __m512 column[QD_ROW_FLOATS];

    for (uint32_t i = 0; i < QD_ROW_FLOATS; i += 4) {
        load_four(rows, at, i, column + i);
    }
    for (uint32_t k = 0; k < QD_AXES; k++) {
        result.lo[k] = column[k];
        result.hi[k] = column[QD_ROW_HIGH + k];
    }
    return result;
}

/* Which of 16 pairs overlap; in float, as far as that tells. `unsure`: of which it does not. */
static inline uint32_t meeting_now(const rows16 *a, const rows16 *b, __mmask16 round_a, __mmask16 round_b,
                                   uint32_t *unsure)
{
    const __m512 zero = _mm512_setzero_ps();
    __m512 sum = zero, most = zero;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        /* A circle is its centre as a box, and how far around that it reaches. */
        __m512 below = _mm512_sub_ps(a->lo[k], _mm512_mask_mov_ps(b->hi[k], round_b, b->lo[k]));
        __m512 above = _mm512_sub_ps(b->lo[k], _mm512_mask_mov_ps(a->hi[k], round_a, a->lo[k]));
        /* What is no number stays so. */
        __m512 gap = _mm512_max_ps(zero, _mm512_max_ps(below, above));

        most = k == 0 ? gap : _mm512_max_ps(most, gap);
        sum = k == 0 ? _mm512_mul_ps(gap, gap) : _mm512_add_ps(sum, _mm512_mul_ps(gap, gap));
    }
    __m512 reach = _mm512_add_ps(_mm512_maskz_mov_ps(round_a, a->hi[0]), _mm512_maskz_mov_ps(round_b, b->hi[0]));
    __m512 square = _mm512_mul_ps(reach, reach), little = _mm512_set1_ps(LITTLE);
    const __mmask16 there = _mm512_cmp_ps_mask(reach, zero, _CMP_GE_OQ);
    __mmask16 near = _mm512_mask_cmp_ps_mask(there, square, little, _CMP_GE_OQ);
    near = _mm512_mask_cmp_ps_mask(near, sum, _mm512_mul_ps(square, _mm512_set1_ps(1 - MUCH)), _CMP_LT_OQ);
    __m512 limit = _mm512_mul_ps(_mm512_max_ps(little, square), _mm512_set1_ps(1 + MUCH));
    const __mmask16 apart = _mm512_mask_cmp_ps_mask(there, sum, limit, _CMP_GT_OQ);
    near |= _mm512_mask_cmp_ps_mask(there, _mm512_add_ps(sum, most), zero, _CMP_EQ_OQ);
    *unsure = (uint16_t) ~(near | apart);
    return near;
}

static inline uint32_t meeting_at(const qd_row *rows, const uint32_t *a, const uint32_t *b, __mmask16 round_a,
                                  __mmask16 round_b, uint32_t valid)
{
    const rows16 first = load_rows(rows, a), second = load_rows(rows, b);
    uint32_t unsure, met = meeting_now(&first, &second, round_a, round_b, &unsure);

    if (QD_UNLIKELY((unsure & valid) != 0)) {
        met |= meeting_exactly(rows, a, b, round_a, round_b, unsure & valid);
    }
    return met & valid;
}

static inline size_t exact_shapes(const qd_sink *sink, const uint8_t *kinds, qd_shapes *shapes, uint32_t shape_count,
                                  qd_space_event *event, size_t count)
{
    const __m512i round = _mm512_set1_epi32(QD_ID_ROUND), slots = _mm512_set1_epi32(QD_ID_SLOT);
    const __m512i kind_of_bits =
        _mm512_setr_epi32(kinds[0], kinds[1], kinds[2], kinds[3], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /* Whatever row stands behind the last pair. */
    _mm512_storeu_si512(shapes->a + shape_count, _mm512_set1_epi32((int)shapes->a[0]));
    _mm512_storeu_si512(shapes->b + shape_count, _mm512_set1_epi32((int)shapes->b[0]));
    for (uint32_t p = 0; p < shape_count; p += QD_PAIRS_STEP) {
        const uint32_t left = shape_count - p, valid = left < QD_PAIRS_STEP ? (1u << left) - 1 : UINT16_MAX;
        const uint32_t *a = shapes->a + p, *b = shapes->b + p;
        const __m512i id_a = _mm512_loadu_si512(shapes->id_a + p), id_b = _mm512_loadu_si512(shapes->id_b + p);
        const __mmask16 round_a = _mm512_test_epi32_mask(id_a, round), round_b = _mm512_test_epi32_mask(id_b, round);
        const uint32_t now = meeting_at(sink->rows->now, a, b, round_a, round_b, valid);
        const uint32_t was = meeting_at(sink->rows->was, a, b, round_a, round_b, valid);
        const __m512i bits =
            _mm512_or_si512(_mm512_maskz_set1_epi32((__mmask16)now, 1), _mm512_maskz_set1_epi32((__mmask16)was, 2));
        const __m512i kind = _mm512_permutexvar_epi32(bits, kind_of_bits);
        const __mmask16 any = _mm512_test_epi32_mask(kind, kind);
        const __m512i event_a =
            _mm512_or_si512(_mm512_and_si512(id_a, slots), _mm512_slli_epi32(kind, QD_SPACE_EVENT_SHIFT));
        const uint32_t many = (uint32_t)_mm_popcnt_u32(any);

        put_together(event + count, _mm512_maskz_compress_epi32(any, event_a),
                     _mm512_maskz_compress_epi32(any, _mm512_and_si512(id_b, slots)), many);
        count += many;
    }
    return count;
}

#endif
