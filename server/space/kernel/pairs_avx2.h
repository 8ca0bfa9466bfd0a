/* SPDX-License-Identifier: Apache-2.0
 *
 * The exact test of boxes and circles with AVX2, eight pairs at a time; what the functions do is said in
 * kernel_exact.h, and they give the same.
 */
#ifndef QD_SPACE_KERNEL_PAIRS_AVX2_H
#define QD_SPACE_KERNEL_PAIRS_AVX2_H

#include <immintrin.h>

#include "../../base/assert.h"
#include "columns_avx2.h"
#include "pairs_float.h"

#define PAIRS_MANY

static inline uint32_t bits_of_lanes(__m256i lanes)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(lanes));
}

static inline __m256i lanes_of_bits(uint32_t bits)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);

    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), bit), bit);
}

/* Puts the lanes of a mask behind each other. */
static inline __m256i compress(__m256i lanes, uint32_t mask)
{
    return _mm256_permutevar8x32_epi32(lanes, _mm256_cvtepu8_epi32(lanes_of_mask(mask)));
}

static inline void take_apart(const qd_pair *pairs, __m256i *a, __m256i *b)
{
    const __m256 first = _mm256_loadu_ps((const float *)(const void *)pairs);
    const __m256 second = _mm256_loadu_ps((const float *)(const void *)(pairs + 4));

    /* Shuffles work in halves: their quarters come as 0, 2, 1, 3. */
    *a = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(first, second, 0x88)), 0xd8);
    *b = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(first, second, 0xdd)), 0xd8);
}

/* Those of a mask, as pairs of numbers; may write eight. */
static inline void put_together(void *pairs, __m256i a, __m256i b, uint32_t mask)
{
    a = compress(a, mask), b = compress(b, mask);
    const __m256i low = _mm256_unpacklo_epi32(a, b), high = _mm256_unpackhi_epi32(a, b);
    _mm256_storeu_si256((__m256i *)pairs, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i *)pairs + 1, _mm256_permute2x128_si256(low, high, 0x31));
}

/* Of those in `lanes`, which agree by filters of which one has no class. */
static __attribute__((noinline)) uint32_t odd_agree(const qd_filter *filters, uint32_t lanes, __m256i id_a,
                                                    __m256i id_b)
{
    uint32_t a[8], b[8], agreed = 0;

    _mm256_storeu_si256((void *)a, id_a);
    _mm256_storeu_si256((void *)b, id_b);
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t p = (uint32_t)__builtin_ctz(lanes);

        agreed |= (uint32_t)qd_filters_agree(filters[a[p] & QD_ID_SLOT], filters[b[p] & QD_ID_SLOT]) << p;
    }
    return agreed;
}

/* A bit where classes agree: of a table of 16 bits a class, of which two are in an element. */
static inline uint32_t classes_agree(__m256i table, __m256i id_a, __m256i id_b)
{
    const __m256i with_two = _mm256_permutevar8x32_epi32(table, _mm256_srli_epi32(id_a, QD_ID_CLASS + 1));
    const __m256i is_second = _mm256_and_si256(_mm256_srli_epi32(id_a, QD_ID_CLASS - 4), _mm256_set1_epi32(16));
    const __m256i shift = _mm256_add_epi32(is_second, _mm256_srli_epi32(id_b, QD_ID_CLASS));

    return bits_of_lanes(_mm256_slli_epi32(_mm256_srlv_epi32(with_two, shift), 31));
}

_Static_assert(sizeof((qd_filter_classes *)NULL)->agree == 32 && QD_ID_CLASS == 28, "classes_agree has a whole table");

static inline uint32_t take_shapes(const qd_sink *sink, qd_pair *pairs, uint32_t *pair_count, qd_shapes *to)
{
    const qd_filter_classes *classes = &sink->bodies->classes;
    const __m256i agree = _mm256_loadu_si256((const void *)classes->agree), zero = _mm256_setzero_si256();
    const __m256i row = _mm256_set1_epi32(QD_LIST_ROW), half = _mm256_set1_epi32(QD_LIST_WAS | QD_LIST_NOW);
    const __m256i intricate = _mm256_set1_epi32(QD_ID_INTRICATE);
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i class_none = _mm256_set1_epi32(QD_FILTER_CLASSES_MAX);
    const int *ids = (const int *)(const void *)sink->rows->id;
    const uint32_t count = *pair_count, swept = sink->swept ? UINT32_MAX : 0;
    uint32_t found = 0, left = 0;

    for (uint32_t p = 0; p < count; p += 8) {
        __m256i a, b;

        take_apart(pairs + p, &a, &b);
        /* In place of what stands behind the last pair, row 0. */
        const __m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(count - p)), lane);
        const uint32_t valid = bits_of_lanes(there);
        const __m256i row_a = _mm256_and_si256(_mm256_and_si256(a, row), there);
        const __m256i row_b = _mm256_and_si256(_mm256_and_si256(b, row), there);
        const __m256i id_a = _mm256_i32gather_epi32(ids, row_a, 4), id_b = _mm256_i32gather_epi32(ids, row_b, 4);
        const __m256i odd_rows = _mm256_and_si256(_mm256_or_si256(a, b), half);
        const __m256i odd_ids = _mm256_and_si256(_mm256_or_si256(id_a, id_b), intricate);
        uint32_t others = ~bits_of_lanes(_mm256_cmpeq_epi32(_mm256_or_si256(odd_rows, odd_ids), zero));
        others = (others | swept) & valid;
        if (QD_UNLIKELY(others != 0)) {
            /* Not behind where they are read. */
            put_together(pairs + left, a, b, others);
            left += (uint32_t)_mm_popcnt_u32(others);
        }
        uint32_t usual = valid & ~others;
        const __m256i class = _mm256_srli_epi32(_mm256_max_epu32(id_a, id_b), QD_ID_CLASS);
        const uint32_t odd = usual & bits_of_lanes(_mm256_cmpeq_epi32(class, class_none));
        usual &= classes_agree(agree, id_a, id_b);
        if (QD_UNLIKELY(odd != 0)) {
            usual |= odd_agree(sink->bodies->filter, odd, id_a, id_b);
        }
        _mm256_storeu_si256((void *)(to->a + found), compress(row_a, usual));
        _mm256_storeu_si256((void *)(to->b + found), compress(row_b, usual));
        _mm256_storeu_si256((void *)(to->id_a + found), compress(id_a, usual));
        _mm256_storeu_si256((void *)(to->id_b + found), compress(id_b, usual));
        found += (uint32_t)_mm_popcnt_u32(usual);
    }
    *pair_count = left;
    return found;
}

/* ---- what overlaps ---- */

/* Fours of floats, from `first` on, of eight rows, as columns. */
static inline void load_fours_at(const qd_row *rows, const uint32_t *at, uint32_t first, __m256 column[4])
{
    __m256 row[4];

    for (uint32_t j = 0; j < 4; j++) {
        row[j] = _mm256_castps128_ps256(_mm_load_ps(rows[at[j]].v + first));
        row[j] = _mm256_insertf128_ps(row[j], _mm_load_ps(rows[at[4 + j]].v + first), 1);
    }
    transpose_rows(row, column);
}

/* What tells whether eight pairs overlap: the squares of the gaps between them and of how far they reach, and the
 * greatest of the gaps. A circle is its centre as a box, and how far around that it reaches. */
typedef struct gaps8 {
    __m256 sum, most, reach;
} gaps8;

static inline void add_gap(gaps8 *gaps, __m256 gap, uint32_t k)
{
    const __m256 square = _mm256_mul_ps(gap, gap);

    gaps->most = k == 0 ? gap : _mm256_max_ps(gaps->most, gap);
    gaps->sum = k == 0 ? square : _mm256_add_ps(gaps->sum, square);
}

static inline gaps8 gaps_of_circles(const __m256 *a, const __m256 *b)
{
    gaps8 gaps = {.reach = _mm256_add_ps(a[QD_ROW_HIGH], b[QD_ROW_HIGH])};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        add_gap(&gaps, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), _mm256_sub_ps(a[k], b[k])), k);
    }
    return gaps;
}

static inline gaps8 gaps_of(const __m256 *a, const __m256 *b, __m256 round_a, __m256 round_b)
{
    gaps8 gaps = {
        .reach = _mm256_add_ps(_mm256_and_ps(round_a, a[QD_ROW_HIGH]), _mm256_and_ps(round_b, b[QD_ROW_HIGH])),
    };

    for (uint32_t k = 0; k < QD_AXES; k++) {
        __m256 below = _mm256_sub_ps(a[k], _mm256_blendv_ps(b[QD_ROW_HIGH + k], b[k], round_b));
        __m256 above = _mm256_sub_ps(b[k], _mm256_blendv_ps(a[QD_ROW_HIGH + k], a[k], round_a));

        /* What is no number stays so. */
        add_gap(&gaps, _mm256_max_ps(_mm256_setzero_ps(), _mm256_max_ps(below, above)), k);
    }
    return gaps;
}

/* In float, as far as that tells. `unsure`: of which it does not. */
static inline __m256i are_met(const gaps8 *gaps, uint32_t *unsure)
{
    const __m256 zero = _mm256_setzero_ps(), little = _mm256_set1_ps(LITTLE);
    const __m256 square = _mm256_mul_ps(gaps->reach, gaps->reach);
    const __m256 there = _mm256_cmp_ps(gaps->reach, zero, _CMP_GE_OQ);
    const __m256 near = _mm256_cmp_ps(gaps->sum, _mm256_mul_ps(square, _mm256_set1_ps(1 - MUCH)), _CMP_LT_OQ);
    const __m256 touching = _mm256_cmp_ps(_mm256_add_ps(gaps->sum, gaps->most), zero, _CMP_EQ_OQ);
    const __m256 limit = _mm256_mul_ps(_mm256_max_ps(little, square), _mm256_set1_ps(1 + MUCH));
    const __m256 apart = _mm256_cmp_ps(gaps->sum, limit, _CMP_GT_OQ);
    __m256 met = _mm256_and_ps(near, _mm256_cmp_ps(square, little, _CMP_GE_OQ));

    met = _mm256_and_ps(there, _mm256_or_ps(met, touching));
    *unsure = 0xff & ~(uint32_t)_mm256_movemask_ps(_mm256_or_ps(met, _mm256_and_ps(there, apart)));
    return _mm256_castps_si256(met);
}

static inline __m256i meeting_at(const qd_row *rows, const uint32_t *a, const uint32_t *b, __m256i round_a,
                                 __m256i round_b)
{
    __m256 first[QD_ROW_FLOATS], second[QD_ROW_FLOATS];

    for (uint32_t i = 0; i < QD_ROW_FLOATS; i += 4) {
        load_fours_at(rows, a, i, first + i);
        load_fours_at(rows, b, i, second + i);
    }
    gaps8 gaps;
    if (QD_LIKELY(bits_of_lanes(_mm256_and_si256(round_a, round_b)) == 0xff)) {
        gaps = gaps_of_circles(first, second);
    } else {
        gaps = gaps_of(first, second, _mm256_castsi256_ps(round_a), _mm256_castsi256_ps(round_b));
    }
    uint32_t unsure;
    __m256i met = are_met(&gaps, &unsure);
    if (QD_UNLIKELY(unsure != 0)) {
        const uint32_t more = meeting_exactly(rows, a, b, bits_of_lanes(round_a), bits_of_lanes(round_b), unsure);

        met = _mm256_or_si256(met, lanes_of_bits(more));
    }
    return met;
}

static inline __m256i are_round(__m256i id)
{
    const __m256i flag = _mm256_set1_epi32(QD_ID_ROUND);

    return _mm256_cmpeq_epi32(_mm256_and_si256(id, flag), flag);
}

/* The first pair again, behind the last one. */
static inline void round_off(uint32_t *numbers, uint32_t count)
{
    _mm256_storeu_si256((void *)(numbers + count), _mm256_set1_epi32((int)numbers[0]));
}

static inline size_t exact_shapes(const qd_sink *sink, const uint8_t *kinds, qd_shapes *shapes, uint32_t shape_count,
                                  qd_space_event *event, size_t count)
{
    const __m256i slots = _mm256_set1_epi32(QD_ID_SLOT), zero = _mm256_setzero_si256();
    const __m256i kind_of_bits = _mm256_setr_epi32(kinds[0], kinds[1], kinds[2], kinds[3], 0, 0, 0, 0);

    round_off(shapes->a, shape_count);
    round_off(shapes->b, shape_count);
    round_off(shapes->id_a, shape_count);
    round_off(shapes->id_b, shape_count);
    for (uint32_t p = 0; p < shape_count; p += 8) {
        const uint32_t left = shape_count - p, valid = left < 8 ? (1u << left) - 1 : 0xff;
        const uint32_t *a = shapes->a + p, *b = shapes->b + p;
        const __m256i id_a = _mm256_loadu_si256((const void *)(shapes->id_a + p));
        const __m256i id_b = _mm256_loadu_si256((const void *)(shapes->id_b + p));
        const __m256i round_a = are_round(id_a);
        const __m256i round_b = are_round(id_b);
        const __m256i now = meeting_at(sink->rows->now, a, b, round_a, round_b);
        const __m256i was = meeting_at(sink->rows->was, a, b, round_a, round_b);
        const __m256i bits =
            _mm256_or_si256(_mm256_and_si256(now, _mm256_set1_epi32(1)), _mm256_and_si256(was, _mm256_set1_epi32(2)));
        const __m256i kind = _mm256_permutevar8x32_epi32(kind_of_bits, bits);
        const uint32_t any = valid & ~bits_of_lanes(_mm256_cmpeq_epi32(kind, zero));
        const __m256i event_a =
            _mm256_or_si256(_mm256_and_si256(id_a, slots), _mm256_slli_epi32(kind, QD_SPACE_EVENT_SHIFT));

        put_together(event + count, event_a, _mm256_and_si256(id_b, slots), any);
        count += (uint32_t)_mm_popcnt_u32(any);
    }
    return count;
}

#endif
