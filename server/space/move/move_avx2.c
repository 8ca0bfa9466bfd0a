/* SPDX-License-Identifier: Apache-2.0 */
#include "move.h"
#include "move_simd.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define MOVE_SYMBOL(name) name##_avx2
#define OP(name)          _mm256_##name
#define LANES             2u

typedef __m256 floats;
typedef uint32_t ints __attribute__((vector_size(32)));
typedef __m256i vector;

static inline __m128 lane_of(floats value, uint32_t l)
{
    return l == 0 ? _mm256_castps256_ps128(value) : _mm256_extractf128_ps(value, 1);
}

static inline uint32_t any(ints value)
{
    __m256i none = _mm256_cmpeq_epi32((vector)value, _mm256_setzero_si256());

    return 0xffu & ~(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(none));
}

static inline uint32_t exceeding(floats a, floats b)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ));
}

static inline bool in_order(const uint32_t *slots)
{
    (void)slots;
    return false;
}

static inline ints gather(const void *array, ints index)
{
    return (ints)_mm256_i32gather_epi32(array, (vector)index, 4);
}

static inline __m128 four_at(const float *array, size_t bytes, uint32_t number)
{
    return _mm_load_ps((const float *)(const void *)((const char *)array + bytes * number));
}

static inline floats load_fours(const float *array, size_t bytes, const uint32_t *number)
{
    __m256 first = _mm256_castps128_ps256(four_at(array, bytes, number[0]));

    return _mm256_insertf128_ps(first, four_at(array, bytes, number[1]), 1);
}

static inline void load_records(const qd_record *records, const uint32_t *slots, bool is_in_order, floats *fours)
{
    (void)is_in_order;
    for (uint32_t i = 0; i < sizeof(qd_record) / 16; i++) {
        fours[i] = load_fours((const float *)(const void *)records + 4 * i, sizeof(qd_record), slots);
    }
}

static inline floats to_columns_order(floats value)
{
    return _mm256_permutevar8x32_ps(value, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
}

#if QD_AXES == 2
static inline void store_two(qd_record *records, const uint32_t *slots, bool is_in_order, floats x, floats y)
{
    (void)is_in_order;
    __m256 first = _mm256_unpacklo_ps(x, y), second = _mm256_unpackhi_ps(x, y);
    for (uint32_t i = 0; i < 8; i += 2) {
        __m128 two = lane_of(i % 4 == 0 ? first : second, i / 4);

        _mm_storel_pi((__m64 *)(void *)records[slots[i]].at, two);
        _mm_storeh_pi((__m64 *)(void *)records[slots[i + 1]].at, two);
    }
}
#endif

/* Element e of lane l is body 2 e + l. */
static inline uint32_t put_left(uint32_t *left, const uint32_t *slots, uint32_t out)
{
    uint32_t count = 0;

    for (; out != 0; out &= out - 1) {
        uint32_t element = (uint32_t)__builtin_ctz(out);

        left[count++] = slots[element % 4 * 2 + element / 4];
    }
    return count;
}

#include "move_body.h"

#include "../brute/one_list_move_body.h"
#include "../tree/linear/linear_move_body.h"
#endif
