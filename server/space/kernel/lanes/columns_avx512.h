/* SPDX-License-Identifier: Apache-2.0
 *
 * How rows become the columns of a list, with AVX-512; lanes_portable.h documents the functions.
 */
#ifndef QD_SPACE_KERNEL_LANES_COLUMNS_AVX512_H
#define QD_SPACE_KERNEL_LANES_COLUMNS_AVX512_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../geometry/quantizer.h"
#include "../../geometry/shape.h"
#include "../kernel.h"

/* 16 edges as numbers of 32 bits; the pack turns numbers below 0 into 0. */
static inline __m512i number_sixteen(__m512 edge, __m512 origin, __m512 scale)
{
    __m512 number = _mm512_mul_ps(_mm512_sub_ps(edge, origin), scale);

    return _mm512_cvttps_epi32(_mm512_min_ps(number, _mm512_set1_ps((float)QD_QUANTIZER_LAST)));
}

static inline __m512i number_edges(const float *at, __m512 origin, __m512 scale)
{
    return number_sixteen(_mm512_load_ps(at), origin, scale);
}

#if QD_AXES == 2
/* Where the pack of number_eight leaves column `k` of row `r`, counted over both results. */
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

static inline void columns_of_rows(const qd_quantizer *quantizer, const qd_row *const outer[2],
                                   const qd_row *const inner[2], qd_edges *result)
{
    const __m512 scale = _mm512_set1_ps(quantizer->scale);
    const __m512 origin = _mm512_broadcast_f32x4(
        _mm_setr_ps(quantizer->origin[0], quantizer->origin[1], quantizer->origin[0], quantizer->origin[1]));
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
/* Where the pack of number_four leaves column `k` of row `r`, counted over the results for eight rows. The 16 rows of
 * a column use the same eight twice. */
#define PACKED(k, r) ((short)((r) / 4 * 32 + (r) % 2 * 16 + (k) / 3 * 8 + (r) % 4 / 2 * 4 + (k) % 3))
#define EIGHT(k)                                                                                                       \
    PACKED(k, 0), PACKED(k, 1), PACKED(k, 2), PACKED(k, 3), PACKED(k, 4), PACKED(k, 5), PACKED(k, 6), PACKED(k, 7)

static const _Alignas(64) short columns_two[3][32] = {
    {EIGHT(0), EIGHT(0), EIGHT(1), EIGHT(1)},
    {EIGHT(2), EIGHT(2), EIGHT(3), EIGHT(3)},
    {EIGHT(4), EIGHT(4), EIGHT(5), EIGHT(5)},
};
#define UPPER_EDGES 0xff00ff00u /* in the result of the pack */
#define LAST_EIGHT  0xff00ff00u /* rows of each column */

#undef EIGHT
#undef PACKED

/* Four rows; the numbers of two of them in each half. */
static inline __m512i number_four(const qd_row *rows, __m512 origin, __m512 scale)
{
    return _mm512_packus_epi32(number_edges(rows[0].v, origin, scale), number_edges(rows[2].v, origin, scale));
}

/* Columns 2 * two and 2 * two + 1 of 16 rows in fours. */
static inline __m512i two_columns(const __m512i four[4], uint32_t two)
{
    const __m512i at = _mm512_load_si512(columns_two[two]);
    __m512i first = _mm512_permutex2var_epi16(four[0], at, four[1]);
    __m512i last = _mm512_permutex2var_epi16(four[2], at, four[3]);

    return _mm512_mask_mov_epi16(first, LAST_EIGHT, last);
}

static inline void columns_of_rows(const qd_quantizer *quantizer, const qd_row *const outer[2],
                                   const qd_row *const inner[2], qd_edges *result)
{
    const float *o = quantizer->origin;
    const __m512 scale = _mm512_set1_ps(quantizer->scale);
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

/* Numbers of 16 bits as 8 bits relative to their corners. */
static inline __m256i narrow(__m512i number, __m512i corner, __m128i shift)
{
    __m512i offset = _mm512_srl_epi16(_mm512_subs_epu16(number, corner), shift);

    return _mm512_cvtepi16_epi8(_mm512_min_epu16(offset, _mm512_set1_epi16(254)));
}

/* The same for numbers that are stored plus `one`, and stay so. */
static inline __m256i narrow_plus(__m512i number, __m512i corner, __m512i one, __m128i shift)
{
    return _mm256_add_epi8(narrow(_mm512_sub_epi16(number, one), corner, shift), _mm512_cvtepi16_epi8(one));
}

/* One number in the lower half, another in the upper. */
static inline __m512i halves(uint16_t lower, uint16_t upper)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_set1_epi16((short)lower)), _mm256_set1_epi16((short)upper),
                              1);
}

/* ---- round rows: a register holds one edge of 16 rows ---- */

/* Transposing leaves row 4 j + i in element 4 i + j of a register. */
#define ROW_OF(e)  ((e) % 4 * 4 + (e) / 4)
#define FOUR(f, e) f(e), f((e) + 1), f((e) + 2), f((e) + 3)
#define SIXTEEN(f) FOUR(f, 0), FOUR(f, 4), FOUR(f, 8), FOUR(f, 12)
#define BIT_OF(e)  (1 << ROW_OF(e))

/* Where the pack of two columns leaves row `r` of the first and of the second column. */
#define FIRST_OF(r)  ((short)((r) % 4 * 8 + (r) / 4))
#define SECOND_OF(r) ((short)(FIRST_OF(r) + 4))

static const _Alignas(64) int bits_of_elements[16] = {SIXTEEN(BIT_OF)};
static const _Alignas(64) short rows_in_order[32] = {SIXTEEN(FIRST_OF), SIXTEEN(SECOND_OF)};

#undef SECOND_OF
#undef FIRST_OF
#undef BIT_OF
#undef SIXTEEN
#undef FOUR
#undef ROW_OF

#define OP(name) _mm512_##name

typedef __m512 floats;
typedef __m512i ints;
typedef __mmask16 round_mask;

static inline floats choose_round(round_mask round, floats made, floats kept)
{
    return _mm512_mask_mov_ps(kept, round, made);
}

static inline ints number_round(const qd_quantizer *quantizer, uint32_t k, floats edge)
{
    return number_sixteen(edge, _mm512_set1_ps(quantizer->origin[k]), _mm512_set1_ps(quantizer->scale));
}

#include "columns_x86.h"

static inline round_rows load_sixteen(const qd_row *rows, uint32_t is_round)
{
    round_rows sixteen;
    floats four[QD_ROW_FLOATS];

    for (uint32_t i = 0; i < 4; i++) {
#if QD_AXES == 2
        four[i] = _mm512_load_ps(rows[4 * i].v);
#else
        floats first = _mm512_load_ps(rows[4 * i].v), second = _mm512_load_ps(rows[4 * i + 2].v);
        four[i] = _mm512_shuffle_f32x4(first, second, _MM_SHUFFLE(2, 0, 2, 0));
        four[4 + i] = _mm512_shuffle_f32x4(first, second, _MM_SHUFFLE(3, 1, 3, 1));
#endif
    }
    for (uint32_t i = 0; i < QD_ROW_FLOATS; i += 4) {
        transpose_fours(four + i, sixteen.column + i);
    }
    round_mask lanes = _mm512_test_epi32_mask(_mm512_set1_epi32((int)is_round), _mm512_load_si512(bits_of_elements));
    sixteen.round = _mm512_mask_cmp_ps_mask(lanes, sixteen.column[QD_ROW_HIGH], _mm512_setzero_ps(), _CMP_GE_OQ);
    return sixteen;
}

#define COLUMNS_OF_ROUND

static inline void columns_of_round(const qd_quantizer *quantizer, const qd_row *now, const qd_row *was,
                                    uint32_t is_round, qd_edges *result)
{
    const round_rows rows_now = load_sixteen(now, is_round), rows_was = load_sixteen(was, is_round);
    ints number[QD_LIST_COLUMNS];

    number_columns(quantizer, &rows_now, &rows_was, false, number);
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k += 2) {
        __m512i both = _mm512_packus_epi32(number[k], number[k + 1]);

        both = _mm512_permutexvar_epi16(_mm512_load_si512(rows_in_order), both);
        const __m512i one = halves(qd_column_is_plus_one(k), qd_column_is_plus_one(k + 1));
        _mm512_store_si512(result->v[k], _mm512_add_epi16(both, one));
    }
}

static inline void columns_narrow(const qd_edges *from, const qd_window *window, uint8_t *const *column, uint32_t at)
{
    const __m128i shift = _mm_cvtsi32_si128((int)window->shift);
    __m512i corner[QD_AXES]; /* of an axis and of the next one */

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

static inline void append_rows(const qd_list16 *from, uint32_t base, uint32_t mask, uint32_t *row, uint64_t *changed,
                               uint32_t at)
{
    uint32_t low = (uint32_t)_mm_popcnt_u32(mask & 0xffff), count = (uint32_t)_mm_popcnt_u32(mask);
    __m512i first = _mm512_loadu_si512(from->row + base), second = _mm512_loadu_si512(from->row + base + 16);

    _mm512_storeu_si512(row + at, _mm512_maskz_compress_epi32((__mmask16)mask, first));
    _mm512_storeu_si512(row + at + low, _mm512_maskz_compress_epi32((__mmask16)(mask >> 16), second));
    uint64_t bits = _pext_u64(from->changed[base / 64] >> base % 64, mask);
    uint32_t shift = at % 64;
    changed[at / 64] = (changed[at / 64] & ~(UINT64_MAX << shift)) | bits << shift;
    if (shift + count > 64) {
        changed[at / 64 + 1] = bits >> (64 - shift);
    }
}

#define COLUMNS_APPEND

static inline void columns_append16(const qd_list16 *from, uint32_t base, uint64_t mask, qd_list16 *list)
{
    uint32_t at = list->count;

    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        __m512i column = _mm512_loadu_si512(from->column[k] + base);

        _mm512_storeu_si512(list->column[k] + at, _mm512_maskz_compress_epi16((__mmask32)mask, column));
    }
    append_rows(from, base, (uint32_t)mask, list->row, list->changed, at);
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
    append_rows(from, base, (uint32_t)mask, list->row, list->changed, at);
    list->count = at + (uint32_t)_mm_popcnt_u64(mask);
}

#endif
