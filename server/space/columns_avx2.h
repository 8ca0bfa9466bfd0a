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

/* Rows `r` and r + 8, a half each, as numbers of 32 bits. */
static inline __m256i number_rows(const numbering *as, const qd_row *rows, uint32_t r)
{
    __m256 at = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(rows[r].v)), _mm_load_ps(rows[r + 8].v), 1);
    __m256 number = _mm256_mul_ps(_mm256_sub_ps(at, as->origin), as->scale);
    number = _mm256_min_ps(_mm256_max_ps(number, _mm256_setzero_ps()), as->last);
    return _mm256_cvttps_epi32(number);
}

/* Four registers of two rows in each half (lo_x, lo_y, hi_x, hi_y of one, then of the other) to a register an edge. */
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

static inline void columns_of_rows(const qd_frame *frame, const qd_row *rows_now, const qd_row *rows_was,
                                   qd_edges *result)
{
    const __m128 origin = _mm_setr_ps(frame->origin_x, frame->origin_y, frame->origin_x, frame->origin_y);
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
        _mm256_store_si256((__m256i *)(void *)result->v[k], least[k]);
        _mm256_store_si256((__m256i *)(void *)result->v[k + 2], most[k + 2]);
        _mm256_store_si256((__m256i *)(void *)result->v[k + 4], _mm256_add_epi16(most[k], one));
        _mm256_store_si256((__m256i *)(void *)result->v[k + 6], least[k + 2]);
    }
}

static inline void columns_narrow(const qd_edges *from, const qd_window *window, uint8_t *const *column, uint32_t at)
{
    const __m256i corner_x = _mm256_set1_epi16((short)window->lo_x), corner_y = _mm256_set1_epi16((short)window->lo_y);
    const __m256i last = _mm256_set1_epi16(254);
    const __m128i shift = _mm_cvtsi32_si128((int)window->shift);
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k += 2) {
        const __m256i one = _mm256_set1_epi8(k == 4), one16 = _mm256_set1_epi16(k == 4);
        __m256i x = _mm256_sub_epi16(_mm256_load_si256((const __m256i *)(const void *)from->v[k]), one16);
        __m256i y = _mm256_sub_epi16(_mm256_load_si256((const __m256i *)(const void *)from->v[k + 1]), one16);
        x = _mm256_min_epu16(_mm256_srl_epi16(_mm256_subs_epu16(x, corner_x), shift), last);
        y = _mm256_min_epu16(_mm256_srl_epi16(_mm256_subs_epu16(y, corner_y), shift), last);
        /* The pack works in halves: its quarters come as 0, 2, 1, 3. */
        __m256i both = _mm256_add_epi8(_mm256_permute4x64_epi64(_mm256_packus_epi16(x, y), 0xd8), one);
        _mm_storeu_si128((__m128i *)(void *)(column[k] + at), _mm256_castsi256_si128(both));
        _mm_storeu_si128((__m128i *)(void *)(column[k + 1] + at), _mm256_extracti128_si256(both, 1));
    }
}

#endif
