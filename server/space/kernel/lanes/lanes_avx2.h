/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups of rows in AVX2 registers, two for each column (lanes_portable.h documents the functions), and pairs of rows,
 * eight to a register (exact_x86.h).
 */
#ifndef QD_SPACE_KERNEL_LANES_LANES_AVX2_H
#define QD_SPACE_KERNEL_LANES_LANES_AVX2_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../../base/assert.h"
#include "../../geometry/shape.h"
#include "../exact.h"
#include "../kernel.h"
#include "columns_avx2.h"

typedef struct lanes8 {
    __m256i edge[QD_EDGES][2];
} lanes8;

typedef struct lanes16 {
    __m256i edge[QD_EDGES][2];
} lanes16;

static inline __m256i lanes_part(const void *column, uint32_t part)
{
    return _mm256_loadu_si256((const __m256i *)column + part);
}

static inline lanes8 lanes_load8(uint8_t *const *column, uint32_t base)
{
    lanes8 lanes;

    for (uint32_t k = 0; k < QD_EDGES; k++) {
        lanes.edge[k][0] = lanes_part(column[k] + base, 0);
        lanes.edge[k][1] = lanes_part(column[k] + base, 1);
    }
    return lanes;
}

static inline lanes16 lanes_load16(uint16_t *const *column, uint32_t base)
{
    lanes16 lanes;

    for (uint32_t k = 0; k < QD_EDGES; k++) {
        lanes.edge[k][0] = lanes_part(column[k] + base, 0);
        lanes.edge[k][1] = lanes_part(column[k] + base, 1);
    }
    return lanes;
}

/* a <= b if a - b saturates to 0. */
static inline uint64_t lanes_meet8(const lanes8 *lanes, const uint8_t lo[QD_AXES], const uint8_t hi[QD_AXES])
{
    uint32_t bits[2];

    for (uint32_t part = 0; part < 2; part++) {
        __m256i apart = _mm256_setzero_si256();

        for (uint32_t k = 0; k < QD_AXES; k++) {
            __m256i below = _mm256_subs_epu8(lanes->edge[k][part], _mm256_set1_epi8((char)hi[k]));
            __m256i above = _mm256_subs_epu8(_mm256_set1_epi8((char)lo[k]), lanes->edge[QD_AXES + k][part]);

            apart = _mm256_or_si256(apart, _mm256_or_si256(below, above));
        }
        bits[part] = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(apart, _mm256_setzero_si256()));
    }
    return bits[0] | (uint64_t)bits[1] << 32;
}

static inline uint64_t lanes_meet16(const lanes16 *lanes, const uint16_t lo[QD_AXES], const uint16_t hi[QD_AXES])
{
    __m256i met[2];

    for (uint32_t part = 0; part < 2; part++) {
        __m256i apart = _mm256_setzero_si256();

        for (uint32_t k = 0; k < QD_AXES; k++) {
            __m256i below = _mm256_subs_epu16(lanes->edge[k][part], _mm256_set1_epi16((short)hi[k]));
            __m256i above = _mm256_subs_epu16(_mm256_set1_epi16((short)lo[k]), lanes->edge[QD_AXES + k][part]);

            apart = _mm256_or_si256(apart, _mm256_or_si256(below, above));
        }
        met[part] = _mm256_cmpeq_epi16(apart, _mm256_setzero_si256());
    }
    /* The pack works in halves; its quarters come in the order 0, 2, 1, 3. */
    __m256i packed = _mm256_permute4x64_epi64(_mm256_packs_epi16(met[0], met[1]), 0xd8);
    return (uint32_t)_mm256_movemask_epi8(packed);
}

/* lanes_avx512.h says how. */
#if QD_AXES == 2
static inline uint32_t lanes_overlap(const qd_row *now_a, const qd_row *was_a, const qd_row *now_b, const qd_row *was_b)
{
    const __m256 sign = _mm256_castsi256_ps(_mm256_setr_epi32(0, 0, INT32_MIN, INT32_MIN, 0, 0, INT32_MIN, INT32_MIN));
    __m256 a = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(now_a->v)), _mm_load_ps(was_a->v), 1);
    __m256 b = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(now_b->v)), _mm_load_ps(was_b->v), 1);

    b = _mm256_permute_ps(b, 0x4e);
    __m256 meet = _mm256_cmp_ps(_mm256_xor_ps(a, sign), _mm256_xor_ps(b, sign), _CMP_LE_OQ);
    uint32_t mask = (uint32_t)_mm256_movemask_ps(meet);
    return (uint32_t)((mask & 15) == 15) | (uint32_t)(mask >> 4 == 15) << 1;
}
#else
static inline uint32_t lanes_meet(const qd_row *row_a, const qd_row *row_b)
{
    const __m256 sign = _mm256_castsi256_ps(_mm256_setr_epi32(0, 0, 0, 0, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN));
    __m256 a = _mm256_load_ps(row_a->v), b = _mm256_load_ps(row_b->v);

    b = _mm256_permute2f128_ps(b, b, 1);
    __m256 meet = _mm256_cmp_ps(_mm256_xor_ps(a, sign), _mm256_xor_ps(b, sign), _CMP_LE_OQ);
    return (_mm256_movemask_ps(meet) & 0x77) == 0x77;
}

static inline uint32_t lanes_overlap(const qd_row *now_a, const qd_row *was_a, const qd_row *now_b, const qd_row *was_b)
{
    return lanes_meet(now_a, now_b) | lanes_meet(was_a, was_b) << 1;
}
#endif

/* ---- pairs ---- */

#define PAIRS_LANES 8u

static inline ints load_ints(const void *from)
{
    return _mm256_loadu_si256(from);
}

static inline uint32_t bits_of_lanes(lane_mask lanes)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(lanes));
}

static inline lane_mask lanes_of_bits(uint32_t bits)
{
    const ints bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);

    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), bit), bit);
}

/* Moves the lanes of a mask to the front. */
static inline ints compress(ints lanes, uint32_t mask)
{
    return _mm256_permutevar8x32_epi32(lanes, _mm256_cvtepu8_epi32(lanes_of_mask(mask)));
}

static inline void take_apart(const qd_pair *pairs, ints *a, ints *b)
{
    const __m256 first = _mm256_loadu_ps((const float *)(const void *)pairs);
    const __m256 second = _mm256_loadu_ps((const float *)(const void *)(pairs + 4));

    /* Shuffles work in halves; their quarters come in the order 0, 2, 1, 3. */
    *a = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(first, second, 0x88)), 0xd8);
    *b = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(first, second, 0xdd)), 0xd8);
}

/* Writes the lanes of a mask as pairs of numbers; may write eight pairs. */
static inline void put_together(void *pairs, ints a, ints b, uint32_t mask)
{
    a = compress(a, mask), b = compress(b, mask);
    const ints low = _mm256_unpacklo_epi32(a, b), high = _mm256_unpackhi_epi32(a, b);
    _mm256_storeu_si256((ints *)pairs, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((ints *)pairs + 1, _mm256_permute2x128_si256(low, high, 0x31));
}

static inline void put_lanes(uint32_t *to, ints lanes, uint32_t mask)
{
    _mm256_storeu_si256((void *)to, compress(lanes, mask));
}

/* Which of these lanes agree, where a filter has no class. */
static __attribute__((noinline)) uint32_t odd_agree(const qd_filter *filters, uint32_t lanes, ints id_a, ints id_b)
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

/* The table has 16 bits per class, two classes per element. `odd`: lanes where a filter has no class. */
static inline uint32_t filters_agree(const qd_filter_classes *classes, ints id_a, ints id_b, uint32_t *odd)
{
    const ints table = load_ints(classes->agree);
    const ints with_two = _mm256_permutevar8x32_epi32(table, _mm256_srli_epi32(id_a, QD_ID_CLASS + 1));
    const ints is_second = _mm256_srli_epi32(id_a, QD_ID_CLASS - 4) & _mm256_set1_epi32(16);
    const ints shift = _mm256_add_epi32(is_second, _mm256_srli_epi32(id_b, QD_ID_CLASS));
    const ints class = _mm256_srli_epi32(_mm256_max_epu32(id_a, id_b), QD_ID_CLASS);

    *odd = bits_of_lanes(_mm256_cmpeq_epi32(class, _mm256_set1_epi32(QD_FILTER_CLASSES_MAX)));
    return bits_of_lanes(_mm256_slli_epi32(_mm256_srlv_epi32(with_two, shift), 31));
}

_Static_assert(sizeof((qd_filter_classes *)NULL)->agree == 32 && QD_ID_CLASS == 28, "filters_agree has a whole table");

static inline ints gather_ids(const uint32_t *ids, ints row, uint32_t valid)
{
    return _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), (const int *)(const void *)ids, row,
                                       lanes_of_bits(valid), sizeof *ids);
}

static inline uint32_t with_either(ints a, uint32_t flags_a, ints b, uint32_t flags_b)
{
    const ints any = (a & _mm256_set1_epi32((int)flags_a)) | (b & _mm256_set1_epi32((int)flags_b));

    return ~bits_of_lanes(_mm256_cmpeq_epi32(any, _mm256_setzero_si256()));
}

/* ---- what overlaps ---- */

/* Four floats of each of eight rows, from `first` on, as columns. */
static inline void load_fours_at(const qd_row *rows, const uint32_t *at, uint32_t first, __m256 column[4])
{
    __m256 row[4];

    for (uint32_t j = 0; j < 4; j++) {
        row[j] = _mm256_castps128_ps256(_mm_load_ps(rows[at[j]].v + first));
        row[j] = _mm256_insertf128_ps(row[j], _mm_load_ps(rows[at[4 + j]].v + first), 1);
    }
    transpose_fours(row, column);
}

static inline lane_mask are_round(ints id)
{
    const ints flag = _mm256_set1_epi32(QD_ID_ROUND);

    return _mm256_cmpeq_epi32(_mm256_and_si256(id, flag), flag);
}

static inline uint32_t kinds_of(const uint8_t *kinds, lane_mask now, lane_mask was, ints *kind)
{
    const ints kind_of_bits = _mm256_setr_epi32(kinds[0], kinds[1], kinds[2], kinds[3], 0, 0, 0, 0);
    const ints bits = (now & _mm256_set1_epi32(1)) | (was & _mm256_set1_epi32(2));

    *kind = _mm256_permutevar8x32_epi32(kind_of_bits, bits);
    return ~bits_of_lanes(_mm256_cmpeq_epi32(*kind, _mm256_setzero_si256()));
}

#endif
