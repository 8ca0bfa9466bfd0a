/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups of rows in AVX-512 registers; what the functions do is said in lanes_portable.h.
 */
#ifndef QD_SPACE_LANES_AVX512_H
#define QD_SPACE_LANES_AVX512_H

#include <immintrin.h>
#include <stdint.h>

#include "shape.h"

typedef struct lanes8 {
    __m512i edge[4];
} lanes8;

typedef struct lanes16 {
    __m512i edge[4];
} lanes16;

static inline lanes8 lanes_load8(uint8_t *const *column, uint32_t base)
{
    return (lanes8){{_mm512_loadu_si512(column[0] + base), _mm512_loadu_si512(column[1] + base),
                     _mm512_loadu_si512(column[2] + base), _mm512_loadu_si512(column[3] + base)}};
}

static inline lanes16 lanes_load16(uint16_t *const *column, uint32_t base)
{
    return (lanes16){{_mm512_loadu_si512(column[0] + base), _mm512_loadu_si512(column[1] + base),
                      _mm512_loadu_si512(column[2] + base), _mm512_loadu_si512(column[3] + base)}};
}

#define LANES_OR3 0xfe /* of vpternlog */

/* a <= b is that a - b saturates to 0. */
static inline uint64_t lanes_meet8(const lanes8 *lanes, uint8_t lo_x, uint8_t lo_y, uint8_t hi_x, uint8_t hi_y)
{
    __m512i a = _mm512_subs_epu8(lanes->edge[0], _mm512_set1_epi8((char)hi_x));
    __m512i b = _mm512_subs_epu8(lanes->edge[1], _mm512_set1_epi8((char)hi_y));
    __m512i c = _mm512_subs_epu8(_mm512_set1_epi8((char)lo_x), lanes->edge[2]);
    __m512i d = _mm512_subs_epu8(_mm512_set1_epi8((char)lo_y), lanes->edge[3]);
    __m512i apart = _mm512_or_si512(_mm512_ternarylogic_epi64(a, b, c, LANES_OR3), d);
    return _mm512_testn_epi8_mask(apart, apart);
}

static inline uint64_t lanes_meet16(const lanes16 *lanes, uint16_t lo_x, uint16_t lo_y, uint16_t hi_x, uint16_t hi_y)
{
    __m512i a = _mm512_subs_epu16(lanes->edge[0], _mm512_set1_epi16((short)hi_x));
    __m512i b = _mm512_subs_epu16(lanes->edge[1], _mm512_set1_epi16((short)hi_y));
    __m512i c = _mm512_subs_epu16(_mm512_set1_epi16((short)lo_x), lanes->edge[2]);
    __m512i d = _mm512_subs_epu16(_mm512_set1_epi16((short)lo_y), lanes->edge[3]);
    __m512i apart = _mm512_or_si512(_mm512_ternarylogic_epi64(a, b, c, LANES_OR3), d);
    return _mm512_testn_epi16_mask(apart, apart);
}

/* Whether two boxes overlap now (1) and did (2). Lower edges as they are and upper ones negated, so that one comparison
 * serves all. */
static inline uint32_t lanes_overlap(const qd_row *now_a, const qd_row *was_a, const qd_row *now_b, const qd_row *was_b)
{
    const __m256 sign = _mm256_castsi256_ps(_mm256_setr_epi32(0, 0, INT32_MIN, INT32_MIN, 0, 0, INT32_MIN, INT32_MIN));
    __m256 a = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(now_a->v)), _mm_load_ps(was_a->v), 1);
    __m256 b = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(now_b->v)), _mm_load_ps(was_b->v), 1);
    b = _mm256_permute_ps(b, 0x4e);
    uint32_t mask = _mm256_cmp_ps_mask(_mm256_xor_ps(a, sign), _mm256_xor_ps(b, sign), _CMP_LE_OQ);
    return (uint32_t)((mask & 15) == 15) | (uint32_t)(mask >> 4 == 15) << 1;
}

#endif
