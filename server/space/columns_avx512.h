/* SPDX-License-Identifier: Apache-2.0
 *
 * How rows become the columns of a list, with AVX-512; what the functions do is said in columns_portable.h.
 */
#ifndef QD_SPACE_COLUMNS_AVX512_H
#define QD_SPACE_COLUMNS_AVX512_H

#include <immintrin.h>

#include "kernel.h"

/* In each row the lower half of its floats twice, and the upper. */
#if QD_AXES == 2
#define ROWS_AT_ONCE 4u
#define FIRST_FLOATS 0x1111u
#define UPPER_FLOATS 0xccccu
static inline __m512 lower_twice(__m512 rows)
{
    return _mm512_shuffle_ps(rows, rows, _MM_SHUFFLE(1, 0, 1, 0));
}
static inline __m512 upper_twice(__m512 rows)
{
    return _mm512_shuffle_ps(rows, rows, _MM_SHUFFLE(3, 2, 3, 2));
}
#else
#define ROWS_AT_ONCE 2u
#define FIRST_FLOATS 0x0101u
#define UPPER_FLOATS 0xf0f0u
static inline __m512 lower_twice(__m512 rows)
{
    return _mm512_shuffle_f32x4(rows, rows, _MM_SHUFFLE(2, 2, 0, 0));
}
static inline __m512 upper_twice(__m512 rows)
{
    return _mm512_shuffle_f32x4(rows, rows, _MM_SHUFFLE(3, 3, 1, 1));
}
#endif

/* The boxes around and inside of the rows in these lanes; others as they are, and absent ones, which are so as boxes,
 * too. */
static inline void box_rows(__m512 row, uint32_t lanes, __m512 *around, __m512 *inside)
{
    const __mmask16 upper = UPPER_FLOATS, lower = (__mmask16)~UPPER_FLOATS;
    const __m512 least = _mm512_set1_ps(QD_ROUND_LEAST);
    __m512 at = lower_twice(row), extent = upper_twice(row), reach = _mm512_add_ps(extent, least);
    __m512 slack = _mm512_mul_ps(_mm512_set1_ps(0x1p-22f), _mm512_add_ps(_mm512_abs_ps(at), reach));
    slack = _mm512_add_ps(slack, least);
    __m512 more = _mm512_add_ps(reach, slack);
    __m512 less = _mm512_sub_ps(_mm512_mul_ps(reach, _mm512_set1_ps(QD_CIRCLE_CORE)), slack);
    __mmask16 round = _mm512_mask_cmp_ps_mask((__mmask16)lanes, extent, _mm512_setzero_ps(), _CMP_GE_OQ);
    *around = _mm512_mask_add_ps(_mm512_mask_sub_ps(row, round & lower, at, more), round & upper, at, more);
    *inside = _mm512_mask_add_ps(_mm512_mask_sub_ps(row, round & lower, at, less), round & upper, at, less);
}

static inline void columns_boxes(const qd_row *now, const qd_row *was, uint32_t is_round, qd_boxes *to)
{
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r += ROWS_AT_ONCE) {
        uint32_t lanes = _pdep_u32(is_round >> r, FIRST_FLOATS) * ((1u << QD_ROW_FLOATS) - 1);
        __m512 around[2], inside[2];
        box_rows(_mm512_load_ps(now[r].v), lanes, &around[0], &inside[0]);
        box_rows(_mm512_load_ps(was[r].v), lanes, &around[1], &inside[1]);
        __m512 outer = _mm512_min_ps(around[0], around[1]), inner = _mm512_max_ps(inside[0], inside[1]);
        _mm512_store_ps(to->outer[r].v, _mm512_mask_max_ps(outer, UPPER_FLOATS, around[0], around[1]));
        _mm512_store_ps(to->inner[r].v, _mm512_mask_min_ps(inner, UPPER_FLOATS, inside[0], inside[1]));
    }
}

/* 16 edges as numbers of 32 bits; those below 0 are 0 when they are packed. */
static inline __m512i number_edges(const float *at, __m512 origin, __m512 scale)
{
    __m512 number = _mm512_mul_ps(_mm512_sub_ps(_mm512_load_ps(at), origin), scale);
    return _mm512_cvttps_epi32(_mm512_min_ps(number, _mm512_set1_ps((float)QD_FRAME_LAST)));
}

#if QD_AXES == 2
/* Where the pack below leaves column `k` of row `r`, counted over both of its results. */
#define PACKED(k, r) ((short)((r) / 8 * 32 + (r) % 4 * 8 + (r) % 8 / 4 * 4 + (k)))
#define COLUMN(k)                                                                                                      \
    PACKED(k, 0), PACKED(k, 1), PACKED(k, 2), PACKED(k, 3), PACKED(k, 4), PACKED(k, 5), PACKED(k, 6), PACKED(k, 7),    \
        PACKED(k, 8), PACKED(k, 9), PACKED(k, 10), PACKED(k, 11), PACKED(k, 12), PACKED(k, 13), PACKED(k, 14),         \
        PACKED(k, 15)

static const _Alignas(64) short columns_lower[32] = {COLUMN(0), COLUMN(1)};
static const _Alignas(64) short columns_upper[32] = {COLUMN(2), COLUMN(3)};

#undef COLUMN
#undef PACKED

/* Eight rows. */
static inline __m512i number_eight(const qd_row *rows, __m512 origin, __m512 scale)
{
    return _mm512_packus_epi32(number_edges(rows[0].v, origin, scale), number_edges(rows[4].v, origin, scale));
}

static inline void columns_of_rows(const qd_frame *frame, const qd_row *const outer[2], const qd_row *const inner[2],
                                   qd_edges *result)
{
    const __m512 scale = _mm512_set1_ps(frame->scale);
    const __m512 origin =
        _mm512_broadcast_f32x4(_mm_setr_ps(frame->origin[0], frame->origin[1], frame->origin[0], frame->origin[1]));
    const __m512i lower = _mm512_load_si512(columns_lower), upper = _mm512_load_si512(columns_upper);
    __m512i less[2], more[2], inner_less[2], inner_more[2];
    for (uint32_t half = 0; half < 2; half++) {
        __m512i a = number_eight(outer[0] + 8 * half, origin, scale);
        __m512i b = number_eight(outer[1] + 8 * half, origin, scale);
        __m512i c = number_eight(inner[0] + 8 * half, origin, scale);
        __m512i d = number_eight(inner[1] + 8 * half, origin, scale);
        less[half] = _mm512_min_epu16(a, b);
        more[half] = _mm512_max_epu16(a, b);
        inner_less[half] = _mm512_min_epu16(c, d);
        inner_more[half] = _mm512_max_epu16(c, d);
    }
    __m512i inner_lower = _mm512_permutex2var_epi16(inner_more[0], lower, inner_more[1]);
    _mm512_store_si512(result->v[QD_OUTER_LO], _mm512_permutex2var_epi16(less[0], lower, less[1]));
    _mm512_store_si512(result->v[QD_OUTER_HI], _mm512_permutex2var_epi16(more[0], upper, more[1]));
    _mm512_store_si512(result->v[QD_INNER_LO], _mm512_add_epi16(inner_lower, _mm512_set1_epi16(1)));
    _mm512_store_si512(result->v[QD_INNER_HI], _mm512_permutex2var_epi16(inner_less[0], upper, inner_less[1]));
}
#else
/* Where the pack below leaves column `k` of row `r`, counted over the results for eight rows; for 16 rows of a column
 * twice the same eight. */
#define PACKED(k, r) ((short)((r) / 4 * 32 + (r) % 2 * 16 + (k) / 3 * 8 + (r) % 4 / 2 * 4 + (k) % 3))
#define EIGHT(k)                                                                                                       \
    PACKED(k, 0), PACKED(k, 1), PACKED(k, 2), PACKED(k, 3), PACKED(k, 4), PACKED(k, 5), PACKED(k, 6), PACKED(k, 7)

static const _Alignas(64) short columns_two[3][32] = {
    {EIGHT(0), EIGHT(0), EIGHT(1), EIGHT(1)},
    {EIGHT(2), EIGHT(2), EIGHT(3), EIGHT(3)},
    {EIGHT(4), EIGHT(4), EIGHT(5), EIGHT(5)},
};
#define UPPER_EDGES 0xff00ff00u /* of what the pack leaves */
#define LAST_EIGHT  0xff00ff00u /* rows of each column */

#undef EIGHT
#undef PACKED

/* Four rows; the numbers of two of them in each half. */
static inline __m512i number_four(const qd_row *rows, __m512 origin, __m512 scale)
{
    return _mm512_packus_epi32(number_edges(rows[0].v, origin, scale), number_edges(rows[2].v, origin, scale));
}

/* Columns 2 `two` and the next of 16 rows in fours. */
static inline __m512i two_columns(const __m512i four[4], uint32_t two)
{
    const __m512i at = _mm512_load_si512(columns_two[two]);
    __m512i first = _mm512_permutex2var_epi16(four[0], at, four[1]);
    __m512i last = _mm512_permutex2var_epi16(four[2], at, four[3]);
    return _mm512_mask_mov_epi16(first, LAST_EIGHT, last);
}

static inline void columns_of_rows(const qd_frame *frame, const qd_row *const outer[2], const qd_row *const inner[2],
                                   qd_edges *result)
{
    const float *o = frame->origin;
    const __m512 scale = _mm512_set1_ps(frame->scale);
    const __m512 origin = _mm512_broadcast_f32x8(_mm256_setr_ps(o[0], o[1], o[2], 0, o[0], o[1], o[2], 0));
    __m512i around[4], inside[4];
    for (uint32_t i = 0; i < 4; i++) {
        __m512i a = number_four(outer[0] + 4 * i, origin, scale), b = number_four(outer[1] + 4 * i, origin, scale);
        __m512i c = number_four(inner[0] + 4 * i, origin, scale), d = number_four(inner[1] + 4 * i, origin, scale);
        __m512i inner_less = _mm512_min_epu16(c, d), inner_more = _mm512_max_epu16(c, d);
        around[i] = _mm512_mask_mov_epi16(_mm512_min_epu16(a, b), UPPER_EDGES, _mm512_max_epu16(a, b));
        inside[i] = _mm512_mask_mov_epi16(_mm512_add_epi16(inner_more, _mm512_set1_epi16(1)), UPPER_EDGES, inner_less);
    }
    for (uint32_t two = 0; two < 3; two++) {
        _mm512_store_si512(result->v[QD_OUTER_LO + 2 * two], two_columns(around, two));
        _mm512_store_si512(result->v[QD_INNER_LO + 2 * two], two_columns(inside, two));
    }
}
#endif

/* 16-bit numbers relative to their corners as 8 bits. */
static inline __m256i narrow(__m512i number, __m512i corner, __m128i shift)
{
    __m512i offset = _mm512_srl_epi16(_mm512_subs_epu16(number, corner), shift);
    return _mm512_cvtepi16_epi8(_mm512_min_epu16(offset, _mm512_set1_epi16(254)));
}

/* The same of those that are stored plus `one`, and stay so. */
static inline __m256i narrow_plus(__m512i number, __m512i corner, __m512i one, __m128i shift)
{
    return _mm256_add_epi8(narrow(_mm512_sub_epi16(number, one), corner, shift), _mm512_cvtepi16_epi8(one));
}

/* The lower half with one number, the upper with another. */
static inline __m512i halves(uint16_t lower, uint16_t upper)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_set1_epi16((short)lower)), _mm256_set1_epi16((short)upper),
                              1);
}

static inline void columns_narrow(const qd_edges *from, const qd_window *window, uint8_t *const *column, uint32_t at)
{
    const __m128i shift = _mm_cvtsi32_si128((int)window->shift);
    __m512i corner[QD_AXES]; /* of an axis, and of the next */
    for (uint32_t k = 0; k < QD_AXES; k++) {
        corner[k] = halves(window->lo[k], window->lo[(k + 1) % QD_AXES]);
    }
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k += 2) {
        const bool lower = qd_column_is_plus_one(k), upper = qd_column_is_plus_one(k + 1);
        __m512i number = _mm512_load_si512(from->v[k]), at_corner = corner[k % QD_AXES];
        __m256i both = lower || upper ? narrow_plus(number, at_corner, halves(lower, upper), shift)
                                      : narrow(number, at_corner, shift);
        _mm_storeu_si128((__m128i *)(void *)(column[k] + at), _mm256_castsi256_si128(both));
        _mm_storeu_si128((__m128i *)(void *)(column[k + 1] + at), _mm256_extracti128_si256(both, 1));
    }
}

static inline void append_rows(const qd_list16 *from, uint32_t base, uint32_t mask, uint32_t *row, uint64_t *moved,
                               uint32_t at)
{
    uint32_t low = (uint32_t)_mm_popcnt_u32(mask & 0xffff), count = (uint32_t)_mm_popcnt_u32(mask);
    __m512i first = _mm512_loadu_si512(from->row + base), second = _mm512_loadu_si512(from->row + base + 16);
    _mm512_storeu_si512(row + at, _mm512_maskz_compress_epi32((__mmask16)mask, first));
    _mm512_storeu_si512(row + at + low, _mm512_maskz_compress_epi32((__mmask16)(mask >> 16), second));
    uint64_t bits = _pext_u64(from->moved[base / 64] >> base % 64, mask);
    uint32_t shift = at % 64;
    moved[at / 64] = (moved[at / 64] & ~(UINT64_MAX << shift)) | bits << shift;
    if (shift + count > 64) {
        moved[at / 64 + 1] = bits >> (64 - shift);
    }
}

static inline void columns_append16(const qd_list16 *from, uint32_t base, uint64_t mask, qd_list16 *list)
{
    uint32_t at = list->count;
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        __m512i column = _mm512_loadu_si512(from->column[k] + base);
        _mm512_storeu_si512(list->column[k] + at, _mm512_maskz_compress_epi16((__mmask32)mask, column));
    }
    append_rows(from, base, (uint32_t)mask, list->row, list->moved, at);
    list->count = at + (uint32_t)_mm_popcnt_u64(mask);
}

static inline void columns_append8(const qd_list16 *from, uint32_t base, uint64_t mask, const qd_window *window,
                                   qd_list8 *list)
{
    const __m128i shift = _mm_cvtsi32_si128((int)window->shift);
    __m512i corner[QD_AXES];
    for (uint32_t k = 0; k < QD_AXES; k++) {
        corner[k] = _mm512_set1_epi16((short)window->lo[k]);
    }
    uint32_t at = list->count;
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        __m512i column = _mm512_loadu_si512(from->column[k] + base);
        __m512i number = _mm512_maskz_compress_epi16((__mmask32)mask, column);
        __m256i narrowed = qd_column_is_plus_one(k)
                               ? narrow_plus(number, corner[k % QD_AXES], _mm512_set1_epi16(1), shift)
                               : narrow(number, corner[k % QD_AXES], shift);
        _mm256_storeu_si256((__m256i *)(void *)(list->column[k] + at), narrowed);
    }
    append_rows(from, base, (uint32_t)mask, list->row, list->moved, at);
    list->count = at + (uint32_t)_mm_popcnt_u64(mask);
}

#endif
