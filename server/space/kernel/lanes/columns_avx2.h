/* SPDX-License-Identifier: Apache-2.0
 *
 * How rows become the columns of a list, with AVX2; lanes_portable.h documents the functions.
 */
#ifndef QD_SPACE_KERNEL_LANES_COLUMNS_AVX2_H
#define QD_SPACE_KERNEL_LANES_COLUMNS_AVX2_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../../../base/assert.h"
#include "../../geometry/quantizer.h"
#include "../../geometry/shape.h"
#include "../kernel.h"

#define OP(name) _mm256_##name

#define COMPARE(a, b, how) _mm256_castps_si256(_mm256_cmp_ps(a, b, how))

typedef __m256 floats;
typedef __m256i ints, lane_mask;

static inline floats choose(lane_mask mask, floats from, floats others)
{
    return _mm256_blendv_ps(others, from, _mm256_castsi256_ps(mask));
}

static inline floats repeat_floats(__m128 four)
{
    return _mm256_set_m128(four, four);
}

static inline ints repeat_ints(__m128i bits)
{
    return _mm256_broadcastsi128_si256(bits);
}

#define BYTE_PARTS (QD_ROW_FLOATS / 2)

#include "columns_x86.h"

/* Rows 0 to 3 and 8 to 11, so that a pack of two such registers has rows in order. */
static inline row_lanes load_eight(const qd_row *rows, uint32_t is_round)
{
    const __m256i lane = _mm256_setr_epi32(31, 30, 29, 28, 23, 22, 21, 20); /* the top bit of each lane counts */
    const lane_mask lanes = _mm256_sllv_epi32(_mm256_set1_epi32((int)is_round), lane);
    row_lanes eight;

    for (uint32_t i = 0; i < QD_ROW_FLOATS; i += 4) {
        floats row[4];

        for (uint32_t r = 0; r < 4; r++) {
            row[r] = _mm256_castps128_ps256(_mm_load_ps(rows[r].v + i));
            row[r] = _mm256_insertf128_ps(row[r], _mm_load_ps(rows[r + 8].v + i), 1);
        }
        transpose_fours(row, eight.column + i);
    }
    eight.round = lanes & COMPARE(eight.column[QD_ROW_HIGH], _mm256_setzero_ps(), _CMP_GE_OQ);
    return eight;
}

static inline void number_eight(const qd_quantizer *quantizer, const qd_row *now, const qd_row *was, uint32_t is_round,
                                bool any_round, ints number[QD_LIST_COLUMNS])
{
    const row_lanes a = load_eight(now, is_round), b = load_eight(was, is_round);

    number_columns(quantizer, &a, &b, any_round, number);
}

static inline void columns_of(const qd_quantizer *quantizer, const qd_row *now, const qd_row *was, uint32_t is_round,
                              bool any_round, qd_edges *result)
{
    __m256i first[QD_LIST_COLUMNS], second[QD_LIST_COLUMNS];

    number_eight(quantizer, now, was, is_round, any_round, first);
    number_eight(quantizer, now + 4, was + 4, is_round >> 4, any_round, second);
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        __m256i both = _mm256_packus_epi32(first[k], second[k]);

        if (qd_column_is_plus_one(k)) {
            both = _mm256_add_epi16(both, _mm256_set1_epi16(1));
        }
        _mm256_store_si256((__m256i *)(void *)result->v[k], both);
    }
}

/* ---- boxes: whole rows are numbered before they are transposed, which takes fewer shuffles ---- */

/* Turns four registers with two fours of numbers in each half (a b c d, a b c d) into a register per letter. */
static inline void transpose(const ints from[4], ints to[4])
{
    const ints pairs = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
    ints a = _mm256_shuffle_epi8(from[0], pairs), b = _mm256_shuffle_epi8(from[1], pairs);
    ints c = _mm256_shuffle_epi8(from[2], pairs), d = _mm256_shuffle_epi8(from[3], pairs);
    ints lower_ab = _mm256_unpacklo_epi32(a, b), lower_cd = _mm256_unpacklo_epi32(c, d);
    ints upper_ab = _mm256_unpackhi_epi32(a, b), upper_cd = _mm256_unpackhi_epi32(c, d);

    to[0] = _mm256_unpacklo_epi64(lower_ab, lower_cd);
    to[1] = _mm256_unpackhi_epi64(lower_ab, lower_cd);
    to[2] = _mm256_unpacklo_epi64(upper_ab, upper_cd);
    to[3] = _mm256_unpackhi_epi64(upper_ab, upper_cd);
}

#if QD_AXES == 2
/* The numbers of rows `r`, r + 1, r + 8 and r + 9. */
static inline ints number_four(const qd_row *rows, uint32_t r, floats origin, floats scale)
{
    const floats even = _mm256_set_m128(_mm_load_ps(rows[r + 8].v), _mm_load_ps(rows[r].v));
    const floats odd = _mm256_set_m128(_mm_load_ps(rows[r + 9].v), _mm_load_ps(rows[r + 1].v));

    return _mm256_packus_epi32(number_edges(even, origin, scale), number_edges(odd, origin, scale));
}

static inline void columns_of_boxes(const qd_quantizer *quantizer, const qd_row *now, const qd_row *was,
                                    qd_edges *result)
{
    const float *at = quantizer->origin;
    const floats origin = _mm256_broadcast_ps(&(const __m128){at[0], at[1], at[0], at[1]});
    const floats scale = _mm256_set1_ps(quantizer->scale);
    ints less[4], more[4], least[4], most[4];

    for (uint32_t i = 0; i < 4; i++) {
        ints a = number_four(now, 2 * i, origin, scale), b = number_four(was, 2 * i, origin, scale);

        less[i] = _mm256_min_epu16(a, b);
        more[i] = _mm256_max_epu16(a, b);
    }
    transpose(less, least);
    transpose(more, most);
    for (uint32_t k = 0; k < QD_AXES; k++) {
        _mm256_store_si256((ints *)(void *)result->v[QD_OUTER_LO + k], least[k]);
        _mm256_store_si256((ints *)(void *)result->v[QD_OUTER_HI + k], most[QD_AXES + k]);
        _mm256_store_si256((ints *)(void *)result->v[QD_INNER_LO + k], _mm256_add_epi16(most[k], _mm256_set1_epi16(1)));
        _mm256_store_si256((ints *)(void *)result->v[QD_INNER_HI + k], least[QD_AXES + k]);
    }
}
#else
/* The numbers of two rows: the lower edges of both in the lower half, the upper ones in the upper half. */
static inline ints number_two(const qd_row *rows, floats origin, floats scale)
{
    return _mm256_packus_epi32(number_edges(_mm256_load_ps(rows[0].v), origin, scale),
                               number_edges(_mm256_load_ps(rows[1].v), origin, scale));
}

static inline void columns_of_boxes(const qd_quantizer *quantizer, const qd_row *now, const qd_row *was,
                                    qd_edges *result)
{
    const float *at = quantizer->origin;
    const floats origin = _mm256_broadcast_ps(&(const __m128){at[0], at[1], at[2], 0});
    const floats scale = _mm256_set1_ps(quantizer->scale);
    const ints one = _mm256_set1_epi16(1);
    ints outer[2][4], inner[2][4];

    for (uint32_t eight = 0; eight < 2; eight++) {
        ints around[4], inside[4];

        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t r = 8 * eight + 2 * i;
            const ints a = number_two(now + r, origin, scale), b = number_two(was + r, origin, scale);
            const ints less = _mm256_min_epu16(a, b), more = _mm256_max_epu16(a, b);

            around[i] = _mm256_blend_epi32(less, more, 0xf0);
            inside[i] = _mm256_blend_epi32(more, less, 0xf0);
        }
        transpose(around, outer[eight]);
        transpose(inside, inner[eight]);
    }
    for (uint32_t k = 0; k < QD_AXES; k++) {
        const ints inner_lo = _mm256_permute2x128_si256(inner[0][k], inner[1][k], 0x20);

        _mm256_store_si256((ints *)(void *)result->v[QD_OUTER_LO + k],
                           _mm256_permute2x128_si256(outer[0][k], outer[1][k], 0x20));
        _mm256_store_si256((ints *)(void *)result->v[QD_OUTER_HI + k],
                           _mm256_permute2x128_si256(outer[0][k], outer[1][k], 0x31));
        _mm256_store_si256((ints *)(void *)result->v[QD_INNER_LO + k], _mm256_add_epi16(inner_lo, one));
        _mm256_store_si256((ints *)(void *)result->v[QD_INNER_HI + k],
                           _mm256_permute2x128_si256(inner[0][k], inner[1][k], 0x31));
    }
}
#endif

/* A column relative to its corner; with plus_one, one that is stored plus one, and stays so. */
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
        /* The pack works in halves; its quarters come in the order 0, 2, 1, 3. */
        __m256i both = _mm256_permute4x64_epi64(_mm256_packus_epi16(a, b), 0xd8);

        _mm_storeu_si128((__m128i *)(void *)(column[k] + at), _mm256_castsi256_si128(both));
        _mm_storeu_si128((__m128i *)(void *)(column[next] + at), _mm256_extracti128_si256(both, 1));
    }
}

/* ---- boxes as bytes ---- */

/* The bytes of four edges of four rows, by row: now by edge. */
static inline ints gather_edges(ints bytes)
{
    const __m128i order = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);

    return _mm256_shuffle_epi8(bytes, repeat_ints(order));
}

static inline void store_halves(ints bytes, uint8_t *first, uint8_t *second)
{
    _mm_storeu_si128((__m128i *)(void *)first, _mm256_castsi256_si128(bytes));
    _mm_storeu_si128((__m128i *)(void *)second, _mm256_extracti128_si256(bytes, 1));
}

#if QD_AXES == 2
static inline floats load_two(const qd_row *rows, uint32_t r)
{
    return _mm256_set_m128(_mm_load_ps(rows[r + 8].v), _mm_load_ps(rows[r].v));
}

/* Part i has rows 4 i to 4 i + 3 in its lower half, and the eighth after each in the upper. */
static inline void bytes_of_boxes(const byte_frame *frame, const qd_row *rows, ints bytes[BYTE_PARTS])
{
    for (uint32_t i = 0, r = 0; i < BYTE_PARTS; i++, r += 4) {
        bytes[i] = _mm256_packus_epi16(narrow_edges_of(frame, load_two(rows, r), load_two(rows, r + 1)),
                                       narrow_edges_of(frame, load_two(rows, r + 2), load_two(rows, r + 3)));
    }
}

static inline void store_columns(const ints bytes[BYTE_PARTS], uint8_t one, uint8_t *const *lower,
                                 uint8_t *const *upper, uint32_t at)
{
    const ints first = gather_edges(bytes[0]), second = gather_edges(bytes[1]);
    const ints low = _mm256_add_epi8(_mm256_unpacklo_epi32(first, second), _mm256_set1_epi8((char)one));

    store_halves(_mm256_permute4x64_epi64(low, 0xd8), lower[0] + at, lower[1] + at);
    store_halves(_mm256_permute4x64_epi64(_mm256_unpackhi_epi32(first, second), 0xd8), upper[0] + at, upper[1] + at);
}
#else
/* Part i has rows 4 i to 4 i + 3: the lower edges in its lower half, the upper ones in the upper. */
static inline void bytes_of_boxes(const byte_frame *frame, const qd_row *rows, ints bytes[BYTE_PARTS])
{
    for (uint32_t i = 0; i < BYTE_PARTS; i++, rows += 4) {
        bytes[i] = _mm256_packus_epi16(narrow_edges_of(frame, _mm256_load_ps(rows[0].v), _mm256_load_ps(rows[1].v)),
                                       narrow_edges_of(frame, _mm256_load_ps(rows[2].v), _mm256_load_ps(rows[3].v)));
    }
}

static inline void store_columns(const ints bytes[BYTE_PARTS], uint8_t one, uint8_t *const *lower,
                                 uint8_t *const *upper, uint32_t at)
{
    const ints ones = _mm256_set_m128i(_mm_setzero_si128(), _mm_set1_epi8((char)one));
    const ints a = gather_edges(bytes[0]), b = gather_edges(bytes[1]);
    const ints c = gather_edges(bytes[2]), d = gather_edges(bytes[3]);
    const ints ab = _mm256_unpacklo_epi32(a, b), cd = _mm256_unpacklo_epi32(c, d);
    const ints last = _mm256_unpacklo_epi64(_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));

    store_halves(_mm256_add_epi8(_mm256_unpacklo_epi64(ab, cd), ones), lower[0] + at, upper[0] + at);
    store_halves(_mm256_add_epi8(_mm256_unpackhi_epi64(ab, cd), ones), lower[1] + at, upper[1] + at);
    store_halves(_mm256_add_epi8(last, ones), lower[2] + at, upper[2] + at);
}
#endif

/* ---- appending the rows of a mask, eight lanes at a time ---- */

/* Eight lanes of a list, and which of them are in a mask. */
typedef struct eight_lanes {
    uint32_t first, mask;
} eight_lanes;

/* Takes the first lanes from the mask of a group of 32. */
static inline eight_lanes take_eight(uint32_t base, uint32_t *mask)
{
    const uint32_t next = _tzcnt_u32(*mask), first = next < 24 ? next : 24;
    const eight_lanes eight = {base + first, *mask >> first & 0xff};

    *mask &= ~(UINT32_C(0xff) << first);
    return eight;
}

/* The numbers of a mask's lanes, a byte each. */
static inline __m128i lanes_of_mask(uint32_t mask)
{
    static const uint32_t of_four[16] = {0x0, 0x0,   0x1,   0x100,   0x2,   0x200,   0x201,   0x20100,
                                         0x3, 0x300, 0x301, 0x30100, 0x302, 0x30200, 0x30201, 0x3020100};
    const uint64_t low = of_four[mask & 15], high = of_four[mask >> 4] + 0x04040404u;

    return _mm_cvtsi64_si128((long long)(low | high << 8 * _mm_popcnt_u32(mask & 15)));
}

/* Appends references, and the bits of changed rows. */
static inline void append_rows(const qd_list16 *from, eight_lanes eight, __m128i lanes, uint32_t *row,
                               uint64_t *changed, uint32_t at)
{
    const __m256i rows = _mm256_loadu_si256((const void *)(from->row + eight.first));

    _mm256_storeu_si256((void *)(row + at), _mm256_permutevar8x32_epi32(rows, _mm256_cvtepu8_epi32(lanes)));
    const __m128i bits = _mm_set1_epi64x((long long)UINT64_C(0x8040201008040201));
    const __m128i of_eight = _mm_set1_epi8((char)(from->changed[eight.first / 64] >> eight.first % 64));
    const __m128i is_set = _mm_cmpeq_epi8(_mm_and_si128(of_eight, bits), bits);
    qd_bits_set(changed, at, (uint32_t)_mm_movemask_epi8(_mm_shuffle_epi8(is_set, lanes)) & 0xff, 8);
}

#define COLUMNS_APPEND

static inline void columns_append16(const qd_list16 *from, uint32_t base, uint64_t mask, qd_list16 *list)
{
    for (uint32_t left = (uint32_t)mask; left != 0;) {
        const eight_lanes eight = take_eight(base, &left);
        const __m128i lanes = lanes_of_mask(eight.mask), both = _mm_unpacklo_epi8(lanes, lanes);
        const __m128i bytes = _mm_add_epi8(_mm_add_epi8(both, both), _mm_set1_epi16(0x100));

        for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
            const __m128i column = _mm_loadu_si128((const void *)(from->column[k] + eight.first));

            _mm_storeu_si128((void *)(list->column[k] + list->count), _mm_shuffle_epi8(column, bytes));
        }
        append_rows(from, eight, lanes, list->row, list->changed, list->count);
        list->count += (uint32_t)_mm_popcnt_u32(eight.mask);
    }
}

/* Eight lanes of two columns, narrowed, a half each. */
static inline __m256i narrow_two(const qd_list16 *from, uint32_t first, uint32_t k, const __m128i *corner,
                                 __m128i shift)
{
    const __m256i one =
        _mm256_set_m128i(_mm_set1_epi16(qd_column_is_plus_one(k + 1)), _mm_set1_epi16(qd_column_is_plus_one(k)));
    const __m256i least = _mm256_set_m128i(corner[(k + 1) % QD_AXES], corner[k % QD_AXES]);
    const __m128i low = _mm_loadu_si128((const void *)(from->column[k] + first));
    const __m128i high = _mm_loadu_si128((const void *)(from->column[k + 1] + first));
    const __m256i offset = _mm256_subs_epu16(_mm256_sub_epi16(_mm256_set_m128i(high, low), one), least);

    return _mm256_add_epi16(_mm256_min_epu16(_mm256_srl_epi16(offset, shift), _mm256_set1_epi16(254)), one);
}

static inline void columns_append8(const qd_list16 *from, uint32_t base, uint64_t mask, const qd_window *window,
                                   qd_list8 *list)
{
    const __m128i shift = _mm_cvtsi32_si128((int)window->shift);
    __m128i corner[QD_AXES];

    for (uint32_t k = 0; k < QD_AXES; k++) {
        corner[k] = _mm_set1_epi16((short)window->lo[k]);
    }
    for (uint32_t left = (uint32_t)mask; left != 0;) {
        const eight_lanes eight = take_eight(base, &left);
        const __m128i lanes = lanes_of_mask(eight.mask);
        /* The second column of a half begins eight bytes later. */
        const __m128i two = _mm_unpacklo_epi64(lanes, _mm_add_epi8(lanes, _mm_set1_epi8(8)));
        const __m256i four = _mm256_set_m128i(two, two);

        for (uint32_t k = 0; k < QD_LIST_COLUMNS; k += 4) {
            const __m256i a = narrow_two(from, eight.first, k, corner, shift);
            const __m256i b = narrow_two(from, eight.first, k + 2, corner, shift);
            const __m256i both = _mm256_shuffle_epi8(_mm256_packus_epi16(a, b), four);
            const __m128i low = _mm256_castsi256_si128(both), high = _mm256_extracti128_si256(both, 1);

            _mm_storel_epi64((void *)(list->column[k] + list->count), low);
            _mm_storel_epi64((void *)(list->column[k + 1] + list->count), high);
            _mm_storel_epi64((void *)(list->column[k + 2] + list->count), _mm_unpackhi_epi64(low, low));
            _mm_storel_epi64((void *)(list->column[k + 3] + list->count), _mm_unpackhi_epi64(high, high));
        }
        append_rows(from, eight, lanes, list->row, list->changed, list->count);
        list->count += (uint32_t)_mm_popcnt_u32(eight.mask);
    }
}

#endif
