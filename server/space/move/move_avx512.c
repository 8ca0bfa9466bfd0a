/* SPDX-License-Identifier: Apache-2.0 */
#include "move.h"
#include "move_simd.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define MOVE_SYMBOL(name) name##_avx512
#define OP(name)          _mm512_##name
#define LANES             4u

typedef __m512 floats;
typedef uint32_t ints __attribute__((vector_size(64)));
typedef __m512i vector;

static inline __m128 lane_of(floats value, uint32_t l)
{
    return l == 0   ? _mm512_castps512_ps128(value)
           : l == 1 ? _mm512_extractf32x4_ps(value, 1)
           : l == 2 ? _mm512_extractf32x4_ps(value, 2)
                    : _mm512_extractf32x4_ps(value, 3);
}

static inline uint32_t any(ints value)
{
    return _mm512_test_epi32_mask((vector)value, (vector)value);
}

static inline uint32_t exceeding(floats a, floats b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
}

/* Many callers move their bodies in the order in which they added them. Records of three dimensions are no halves of a
 * register, and are read one by one anyway. */
static inline bool in_order(const uint32_t *slots)
{
#if QD_AXES == 2
    const __m512i each = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i expected = _mm512_add_epi32(_mm512_set1_epi32((int)slots[0]), each);
    return QD_LIKELY(_mm512_cmpneq_epi32_mask(_mm512_loadu_si512(slots), expected) == 0);
#else
    (void)slots;
    return false;
#endif
}

static inline ints gather(const void *array, ints index)
{
    return (ints)_mm512_i32gather_epi32((vector)index, array, 4);
}

static inline __m128 four_at(const float *array, size_t bytes, uint32_t number)
{
    return _mm_load_ps((const float *)(const void *)((const char *)array + bytes * number));
}

static inline floats load_fours(const float *array, size_t bytes, const uint32_t *number)
{
    __m512 all = _mm512_castps128_ps512(four_at(array, bytes, number[0]));

    all = _mm512_insertf32x4(all, four_at(array, bytes, number[1]), 1);
    all = _mm512_insertf32x4(all, four_at(array, bytes, number[2]), 2);
    return _mm512_insertf32x4(all, four_at(array, bytes, number[3]), 3);
}

static inline void load_records(const qd_record *records, const uint32_t *slots, bool is_in_order, floats *fours)
{
#if QD_AXES == 2
    if (is_in_order) {
        const qd_record *record = &records[slots[0]];
        __m512 first = _mm512_loadu_ps(record), second = _mm512_loadu_ps(record + 2);

        fours[0] = _mm512_shuffle_f32x4(first, second, 0x88);
        fours[1] = _mm512_shuffle_f32x4(first, second, 0xdd);
        return;
    }
#else
    (void)is_in_order;
#endif
    for (uint32_t i = 0; i < sizeof(qd_record) / 16; i++) {
        fours[i] = load_fours((const float *)(const void *)records + 4 * i, sizeof(qd_record), slots);
    }
}

#define COLUMNS_ORDER _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)

static inline floats to_columns_order(floats value)
{
    return _mm512_permutexvar_ps(COLUMNS_ORDER, value);
}

#if QD_AXES == 2
static inline void store_two(qd_record *records, const uint32_t *slots, bool is_in_order, floats x, floats y)
{
    if (is_in_order) {
        __m512i from = _mm512_setr_epi32(0, 16, 0, 0, 0, 0, 0, 0, 1, 17, 0, 0, 0, 0, 0, 0);

        for (uint32_t i = 0; i < 16; i += 2) {
            __m512 two = _mm512_permutex2var_ps(x, _mm512_add_epi32(from, _mm512_set1_epi32((int)i)), y);

            _mm512_mask_storeu_ps(&records[slots[0] + i], 0x0303, two);
        }
        return;
    }
    __m512 first = _mm512_unpacklo_ps(x, y), second = _mm512_unpackhi_ps(x, y);
    for (uint32_t i = 0; i < 16; i += 2) {
        __m128 two = lane_of(i % 4 == 0 ? first : second, i / 4);

        _mm_storel_pi((__m64 *)(void *)records[slots[i]].at, two);
        _mm_storeh_pi((__m64 *)(void *)records[slots[i + 1]].at, two);
    }
}
#endif

static inline uint32_t put_left(uint32_t *left, const uint32_t *slots, uint32_t out)
{
    __m512i all = _mm512_permutexvar_epi32(COLUMNS_ORDER, _mm512_loadu_si512(slots));

    _mm512_storeu_si512(left, _mm512_maskz_compress_epi32((__mmask16)out, all));
    return (uint32_t)_mm_popcnt_u32(out);
}

#include "move_body.h"

#include "../brute/one_list_move_body.h"
#include "../tree/linear/linear_move_body.h"
#endif
