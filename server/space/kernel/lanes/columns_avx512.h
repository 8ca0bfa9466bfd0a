/* SPDX-License-Identifier: Apache-2.0
 *
 * How rows become the columns of a list, with AVX-512; lanes_portable.h documents the functions.
 */
#ifndef QD_SPACE_KERNEL_LANES_COLUMNS_AVX512_H
#define QD_SPACE_KERNEL_LANES_COLUMNS_AVX512_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../../geometry/quantizer.h"
#include "../../geometry/shape.h"
#include "../kernel.h"

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

/* ---- a register holds one edge of 16 rows ---- */

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

#if QD_AXES == 2
/* Where the pack of number_eight leaves the lower edges of row `r`, counted over both results. */
#define LOWER_OF(r) ((short)((r) / 8 * 32 + (r) % 4 * 8 + (r) % 8 / 4 * 4))
#define NEXT_OF(r)  ((short)(LOWER_OF(r) + 1))

static const _Alignas(64) short lower_edges[32] = {SIXTEEN(LOWER_OF), SIXTEEN(NEXT_OF)};

#undef NEXT_OF
#undef LOWER_OF
#endif

/* Where the packs of bytes_of_boxes leave the byte of row `r`, and those of the next edges. The upper edges of three
 * dimensions are in the lane behind. */
#if QD_AXES == 2
#define BYTE_OF(r) ((r) % 4 * 16 + (r) / 4 * 4)
#else
#define BYTE_OF(r) ((r) / 8 * 64 + (r) % 2 * 32 + (r) % 8 / 2 * 4)
#endif
#define BYTE1_OF(r) (BYTE_OF(r) + 1)
#define BYTE2_OF(r) (BYTE_OF(r) + 2)
#define BYTE3_OF(r) (BYTE_OF(r) + 3)

static const _Alignas(64) uint8_t bytes_by_edge[64] = {SIXTEEN(BYTE_OF), SIXTEEN(BYTE1_OF), SIXTEEN(BYTE2_OF),
                                                       SIXTEEN(BYTE3_OF)};

#undef BYTE3_OF
#undef BYTE2_OF
#undef BYTE1_OF
#undef BYTE_OF
#undef SECOND_OF
#undef FIRST_OF
#undef BIT_OF
#undef SIXTEEN
#undef FOUR
#undef ROW_OF

#define OP(name)           _mm512_##name
#define COMPARE(a, b, how) _mm512_cmp_ps_mask(a, b, how)

typedef __m512 floats;
typedef __m512i ints;
typedef __mmask16 lane_mask;

static inline floats choose(lane_mask mask, floats from, floats others)
{
    return _mm512_mask_mov_ps(others, mask, from);
}

static inline floats repeat_floats(__m128 four)
{
    return _mm512_broadcast_f32x4(four);
}

static inline ints repeat_ints(__m128i bits)
{
    return _mm512_broadcast_i32x4(bits);
}

#define BYTE_PARTS (QD_ROW_FLOATS / 4)

#include "columns_x86.h"

static inline row_lanes load_sixteen(const qd_row *rows, uint32_t is_round)
{
    row_lanes sixteen;
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
    lane_mask lanes = _mm512_test_epi32_mask(_mm512_set1_epi32((int)is_round), _mm512_load_si512(bits_of_elements));
    sixteen.round = lanes & COMPARE(sixteen.column[QD_ROW_HIGH], _mm512_setzero_ps(), _CMP_GE_OQ);
    return sixteen;
}

static inline void columns_of(const qd_quantizer *quantizer, const qd_row *now, const qd_row *was, uint32_t is_round,
                              bool any_round, qd_edges *result)
{
    const row_lanes rows_now = load_sixteen(now, is_round), rows_was = load_sixteen(was, is_round);
    ints number[QD_LIST_COLUMNS];

    number_columns(quantizer, &rows_now, &rows_was, any_round, number);
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k += 2) {
        __m512i both = _mm512_packus_epi32(number[k], number[k + 1]);

        both = _mm512_permutexvar_epi16(_mm512_load_si512(rows_in_order), both);
        if (qd_column_is_plus_one(k) || qd_column_is_plus_one(k + 1)) {
            both = _mm512_add_epi16(both, halves(qd_column_is_plus_one(k), qd_column_is_plus_one(k + 1)));
        }
        _mm512_store_si512(result->v[k], both);
    }
}

#if QD_AXES == 2
static inline ints number_eight(const qd_row *rows, floats origin, floats scale)
{
    return _mm512_packus_epi32(number_edges(_mm512_load_ps(rows[0].v), origin, scale),
                               number_edges(_mm512_load_ps(rows[4].v), origin, scale));
}

/* Numbers whole rows, which takes fewer shuffles. */
static inline void columns_of_boxes(const qd_quantizer *quantizer, const qd_row *now, const qd_row *was,
                                    qd_edges *result)
{
    const float *at = quantizer->origin;
    const floats scale = _mm512_set1_ps(quantizer->scale);
    const floats origin = _mm512_broadcast_f32x4((__m128){at[0], at[1], at[0], at[1]});
    const ints lower = _mm512_load_si512(lower_edges), upper = _mm512_add_epi16(lower, _mm512_set1_epi16(QD_AXES));
    ints less[2], more[2];

    for (uint32_t half = 0; half < 2; half++) {
        ints a = number_eight(now + 8 * half, origin, scale), b = number_eight(was + 8 * half, origin, scale);

        less[half] = _mm512_min_epu16(a, b);
        more[half] = _mm512_max_epu16(a, b);
    }
    ints inner_lower = _mm512_permutex2var_epi16(more[0], lower, more[1]);
    _mm512_store_si512(result->v[QD_OUTER_LO], _mm512_permutex2var_epi16(less[0], lower, less[1]));
    _mm512_store_si512(result->v[QD_OUTER_HI], _mm512_permutex2var_epi16(more[0], upper, more[1]));
    _mm512_store_si512(result->v[QD_INNER_LO], _mm512_add_epi16(inner_lower, _mm512_set1_epi16(1)));
    _mm512_store_si512(result->v[QD_INNER_HI], _mm512_permutex2var_epi16(less[0], upper, less[1]));
}
#else
static inline void columns_of_boxes(const qd_quantizer *quantizer, const qd_row *now, const qd_row *was,
                                    qd_edges *result)
{
    columns_of(quantizer, now, was, 0, false, result);
}
#endif

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

static inline void bytes_of_boxes(const byte_frame *frame, const qd_row *rows, ints bytes[BYTE_PARTS])
{
    const float *at = rows->v;

    for (uint32_t i = 0; i < BYTE_PARTS; i++, at += 64) {
        const ints first = narrow_edges_of(frame, _mm512_load_ps(at), _mm512_load_ps(at + 16));
        const ints second = narrow_edges_of(frame, _mm512_load_ps(at + 32), _mm512_load_ps(at + 48));

        bytes[i] = _mm512_packus_epi16(first, second);
    }
}

static inline void store_lane(__m128i lane, uint8_t *to)
{
    _mm_storeu_si128((__m128i *)(void *)to, lane);
}

static inline void store_columns(const ints bytes[BYTE_PARTS], uint8_t one, uint8_t *const *lower,
                                 uint8_t *const *upper, uint32_t at)
{
    const __m512i order = _mm512_load_si512(bytes_by_edge), ones = _mm512_set1_epi8((char)one);
#if QD_AXES == 2
    __m512i edges = _mm512_permutexvar_epi8(order, bytes[0]);

    edges = _mm512_mask_add_epi8(edges, UINT32_MAX, edges, ones);
    store_lane(_mm512_castsi512_si128(edges), lower[0] + at);
    store_lane(_mm512_extracti32x4_epi32(edges, 1), lower[1] + at);
    store_lane(_mm512_extracti32x4_epi32(edges, 2), upper[0] + at);
    store_lane(_mm512_extracti32x4_epi32(edges, 3), upper[1] + at);
#else
    const __m512i behind = _mm512_add_epi8(order, _mm512_set1_epi8(16));
    const __m512i low = _mm512_add_epi8(_mm512_permutex2var_epi8(bytes[0], order, bytes[1]), ones);
    const __m512i high = _mm512_permutex2var_epi8(bytes[0], behind, bytes[1]);

    store_lane(_mm512_castsi512_si128(low), lower[0] + at);
    store_lane(_mm512_extracti32x4_epi32(low, 1), lower[1] + at);
    store_lane(_mm512_extracti32x4_epi32(low, 2), lower[2] + at);
    store_lane(_mm512_castsi512_si128(high), upper[0] + at);
    store_lane(_mm512_extracti32x4_epi32(high, 1), upper[1] + at);
    store_lane(_mm512_extracti32x4_epi32(high, 2), upper[2] + at);
#endif
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
