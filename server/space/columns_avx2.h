/* SPDX-License-Identifier: Apache-2.0
 *
 * How rows become the columns of a list, with AVX2; what the functions do is said in columns_portable.h.
 */
#ifndef QD_SPACE_COLUMNS_AVX2_H
#define QD_SPACE_COLUMNS_AVX2_H

#include <immintrin.h>

#include "columns_append.h"

typedef struct numbering {
    __m256 origin, scale, last;
} numbering;

static inline __m256i number_edges(const numbering *as, __m256 at)
{
    __m256 number = _mm256_mul_ps(_mm256_sub_ps(at, as->origin), as->scale);
    number = _mm256_min_ps(_mm256_max_ps(number, _mm256_setzero_ps()), as->last);
    return _mm256_cvttps_epi32(number);
}

/* Four registers, in each half two fours of numbers (a b c d, a b c d), to one of eight a, one of eight b and so on. */
static inline void transpose(const __m256i from[4], __m256i to[4])
{
    const __m256i pairs = _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15, /* once a half */
                                           0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    __m256i a = _mm256_shuffle_epi8(from[0], pairs), b = _mm256_shuffle_epi8(from[1], pairs);
    __m256i c = _mm256_shuffle_epi8(from[2], pairs), d = _mm256_shuffle_epi8(from[3], pairs);
    __m256i lower_ab = _mm256_unpacklo_epi32(a, b), lower_cd = _mm256_unpacklo_epi32(c, d);
    __m256i upper_ab = _mm256_unpackhi_epi32(a, b), upper_cd = _mm256_unpackhi_epi32(c, d);
    to[0] = _mm256_unpacklo_epi64(lower_ab, lower_cd);
    to[1] = _mm256_unpackhi_epi64(lower_ab, lower_cd);
    to[2] = _mm256_unpacklo_epi64(upper_ab, upper_cd);
    to[3] = _mm256_unpackhi_epi64(upper_ab, upper_cd);
}

#if QD_AXES == 2
/* Rows `r` and r + 8, a half each. */
static inline __m256i number_rows(const numbering *as, const qd_row *rows, uint32_t r)
{
    return number_edges(
        as, _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(rows[r].v)), _mm_load_ps(rows[r + 8].v), 1));
}

static inline void columns_of_rows(const qd_frame *frame, const qd_row *rows_now, const qd_row *rows_was,
                                   qd_edges *result)
{
    const __m128 origin = _mm_setr_ps(frame->origin[0], frame->origin[1], frame->origin[0], frame->origin[1]);
    const numbering as = {_mm256_insertf128_ps(_mm256_castps128_ps256(origin), origin, 1), _mm256_set1_ps(frame->scale),
                          _mm256_set1_ps((float)QD_FRAME_LAST)};
    __m256i less[4], more[4], least[4], most[4];
    for (uint32_t i = 0; i < 4; i++) {
        __m256i now = _mm256_packus_epi32(number_rows(&as, rows_now, 2 * i), number_rows(&as, rows_now, 2 * i + 1));
        __m256i was = _mm256_packus_epi32(number_rows(&as, rows_was, 2 * i), number_rows(&as, rows_was, 2 * i + 1));
        less[i] = _mm256_min_epu16(now, was);
        more[i] = _mm256_max_epu16(now, was);
    }
    transpose(less, least);
    transpose(more, most);
    const __m256i one = _mm256_set1_epi16(1);
    for (uint32_t k = 0; k < 2; k++) {
        _mm256_store_si256((__m256i *)(void *)result->v[QD_OUTER_LO + k], least[k]);
        _mm256_store_si256((__m256i *)(void *)result->v[QD_OUTER_HI + k], most[k + 2]);
        _mm256_store_si256((__m256i *)(void *)result->v[QD_INNER_LO + k], _mm256_add_epi16(most[k], one));
        _mm256_store_si256((__m256i *)(void *)result->v[QD_INNER_HI + k], least[k + 2]);
    }
}
#else
/* Two rows: the lower edges of both in the lower half, the upper ones in the upper. */
static inline __m256i number_rows(const numbering *as, const qd_row *rows)
{
    return _mm256_packus_epi32(number_edges(as, _mm256_load_ps(rows[0].v)),
                               number_edges(as, _mm256_load_ps(rows[1].v)));
}

/* Eight rows to a register an axis; lower edges in the lower half. */
static inline void number_eight(const numbering *as, const qd_row *now, const qd_row *was, __m256i outer[4],
                                __m256i inner[4])
{
    __m256i around[4], inside[4];
    for (uint32_t i = 0; i < 4; i++) {
        __m256i a = number_rows(as, now + 2 * i), b = number_rows(as, was + 2 * i);
        __m256i less = _mm256_min_epu16(a, b), more = _mm256_max_epu16(a, b);
        around[i] = _mm256_blend_epi32(less, more, 0xf0);
        inside[i] = _mm256_blend_epi32(more, less, 0xf0);
    }
    transpose(around, outer);
    transpose(inside, inner);
}

static inline void columns_of_rows(const qd_frame *frame, const qd_row *rows_now, const qd_row *rows_was,
                                   qd_edges *result)
{
    const float *o = frame->origin;
    const numbering as = {_mm256_setr_ps(o[0], o[1], o[2], 0, o[0], o[1], o[2], 0), _mm256_set1_ps(frame->scale),
                          _mm256_set1_ps((float)QD_FRAME_LAST)};
    const __m256i one = _mm256_set1_epi16(1);
    __m256i outer[2][4], inner[2][4];
    number_eight(&as, rows_now, rows_was, outer[0], inner[0]);
    number_eight(&as, rows_now + 8, rows_was + 8, outer[1], inner[1]);
    for (uint32_t k = 0; k < QD_AXES; k++) {
        __m256i inner_lo = _mm256_permute2x128_si256(inner[0][k], inner[1][k], 0x20);
        _mm256_store_si256((__m256i *)(void *)result->v[QD_OUTER_LO + k],
                           _mm256_permute2x128_si256(outer[0][k], outer[1][k], 0x20));
        _mm256_store_si256((__m256i *)(void *)result->v[QD_OUTER_HI + k],
                           _mm256_permute2x128_si256(outer[0][k], outer[1][k], 0x31));
        _mm256_store_si256((__m256i *)(void *)result->v[QD_INNER_LO + k], _mm256_add_epi16(inner_lo, one));
        _mm256_store_si256((__m256i *)(void *)result->v[QD_INNER_HI + k],
                           _mm256_permute2x128_si256(inner[0][k], inner[1][k], 0x31));
    }
}
#endif

/* A column relative to its corner; with `one`, one that is stored plus one, and stays so. */
static inline __m256i narrow_edges(const uint16_t *from, __m256i corner, bool plus_one, __m128i shift)
{
    const __m256i one = _mm256_set1_epi16(plus_one);
    __m256i number = _mm256_sub_epi16(_mm256_load_si256((const __m256i *)(const void *)from), one);
    __m256i offset = _mm256_srl_epi16(_mm256_subs_epu16(number, corner), shift);
    return _mm256_add_epi16(_mm256_min_epu16(offset, _mm256_set1_epi16(254)), one);
}

static inline void columns_narrow(const qd_edges *from, const qd_window *window, uint8_t *const *column, uint32_t at)
{
    const __m128i shift = _mm_cvtsi32_si128((int)window->shift);
    __m256i corner[QD_AXES];
    for (uint32_t k = 0; k < QD_AXES; k++) {
        corner[k] = _mm256_set1_epi16((short)window->lo[k]);
    }
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k += 2) {
        uint32_t next = k + 1;
        __m256i a = narrow_edges(from->v[k], corner[k % QD_AXES], qd_column_is_plus_one(k), shift);
        __m256i b = narrow_edges(from->v[next], corner[next % QD_AXES], qd_column_is_plus_one(next), shift);
        /* The pack works in halves: its quarters come as 0, 2, 1, 3. */
        __m256i both = _mm256_permute4x64_epi64(_mm256_packus_epi16(a, b), 0xd8);
        _mm_storeu_si128((__m128i *)(void *)(column[k] + at), _mm256_castsi256_si128(both));
        _mm_storeu_si128((__m128i *)(void *)(column[next] + at), _mm256_extracti128_si256(both, 1));
    }
}

#endif
