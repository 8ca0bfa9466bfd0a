/* SPDX-License-Identifier: Apache-2.0 */
#include "join_kernel.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* The relative error of a sum of squares in float32 is smaller than this. */
#define ERROR_SHARE 0x1p-19f
/* Smaller squares decide nothing, because squares of very small floats underflow. */
#define SQUARE_MIN 0x1p-80f

#define INLINE static inline __attribute__((always_inline))

qd_join_ball qd_join_ball_of(const float at[3], float radius)
{
    const float all = radius * radius, square = all > FLT_MAX ? FLT_MAX : all;
    qd_join_ball ball = {.at = {at[0], at[1], at[2]}};

    ball.inside = square >= SQUARE_MIN ? square * (1 - ERROR_SHARE) : -1;
    ball.outside = (square >= SQUARE_MIN ? square : SQUARE_MIN) * (1 + ERROR_SHARE);
    return ball;
}

/* ---- the steps, for each set of instructions ---- */

/* The mask of 16 points from `i` on. Adds points that are not surely in the ball to `unsure`. */
typedef uint16_t mask_fn(float *const at[3], uint32_t i, const qd_join_ball *ball, uint32_t *unsure, unsigned axes);

INLINE bool find_both(mask_fn *mask, const qd_join_points *points, uint32_t words, const qd_join_ball *now,
                      const qd_join_ball *was, uint16_t *is, uint16_t *did, unsigned axes)
{
    uint32_t unsure = 0;

    for (uint32_t word = 0; word < words; word++) {
        is[word] = mask(points->now, word * QD_JOIN_LANES, now, &unsure, axes);
        did[word] = mask(points->was, word * QD_JOIN_LANES, was, &unsure, axes);
    }
    return unsure != 0;
}

/* Sixteen elements at a time: a call of memcpy for each column would take longer than the copy. */
INLINE void copy_columns(const qd_join_points *from, uint32_t first, uint32_t count, const qd_join_points *to,
                         uint32_t at, unsigned axes)
{
    for (unsigned k = 0; k < axes; k++) {
        const float *now = from->now[k] + first, *was = from->was[k] + first;
        float *to_now = to->now[k] + at, *to_was = to->was[k] + at;

        for (uint32_t i = 0; i < count; i += QD_JOIN_LANES) {
            memcpy(to_now + i, now + i, QD_JOIN_LANES * sizeof now[0]);
            memcpy(to_was + i, was + i, QD_JOIN_LANES * sizeof was[0]);
        }
    }
}

#define STEPS(name, isa, axes)                                                                                         \
    isa static bool both_##axes##d_##name(const qd_join_points *points, uint32_t words, const qd_join_ball *now,       \
                                          const qd_join_ball *was, uint16_t *is, uint16_t *did)                        \
    {                                                                                                                  \
        return find_both(mask_##name, points, words, now, was, is, did, axes);                                         \
    }                                                                                                                  \
    isa static void copy_##axes##d_##name(const qd_join_points *from, uint32_t first, uint32_t count,                  \
                                          const qd_join_points *to, uint32_t at)                                       \
    {                                                                                                                  \
        copy_columns(from, first, count, to, at, axes);                                                                \
    }
#define KERNEL(name, isa)                                                                                              \
    STEPS(name, isa, 2)                                                                                                \
    STEPS(name, isa, 3)                                                                                                \
    static const qd_join_kernel kernel_##name[] = {{both_2d_##name, copy_2d_##name}, {both_3d_##name, copy_3d_##name}};

/* ---- plain C; column by column, so that compilers vectorize it ---- */

static const uint32_t bit_of[QD_JOIN_LANES] = {1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                                               1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};

INLINE uint16_t mask_plain(float *const at[3], uint32_t i, const qd_join_ball *ball, uint32_t *unsure, unsigned axes)
{
    float sum[QD_JOIN_LANES];
    uint32_t maybe = 0, surely = 0;

    for (unsigned k = 0; k < axes; k++) {
        const float *from = at[k] + i, center = ball->at[k];

        for (uint32_t lane = 0; lane < QD_JOIN_LANES; lane++) {
            const float apart = from[lane] - center;

            sum[lane] = k == 0 ? apart * apart : sum[lane] + apart * apart;
        }
    }
    for (uint32_t lane = 0; lane < QD_JOIN_LANES; lane++) {
        maybe |= sum[lane] <= ball->outside ? bit_of[lane] : 0;
        surely |= sum[lane] < ball->inside ? bit_of[lane] : 0;
    }
    *unsure |= maybe ^ surely;
    return (uint16_t)maybe;
}

KERNEL(plain, )

#if defined(__x86_64__)
#define AVX2   __attribute__((target("avx2,fma,popcnt,bmi")))
#define AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,popcnt,bmi")))

AVX2 INLINE uint16_t mask_avx2(float *const at[3], uint32_t i, const qd_join_ball *ball, uint32_t *unsure,
                               unsigned axes)
{
    uint32_t maybe = 0, surely = 0;

    for (uint32_t half = 0; half < QD_JOIN_LANES; half += 8) {
        __m256 sum = _mm256_setzero_ps();

        for (unsigned k = 0; k < axes; k++) {
            const __m256 apart = _mm256_sub_ps(_mm256_loadu_ps(at[k] + i + half), _mm256_set1_ps(ball->at[k]));

            sum = _mm256_fmadd_ps(apart, apart, sum);
        }
        const __m256 near = _mm256_cmp_ps(sum, _mm256_set1_ps(ball->outside), _CMP_LE_OQ);
        const __m256 in = _mm256_cmp_ps(sum, _mm256_set1_ps(ball->inside), _CMP_LT_OQ);

        maybe |= (uint32_t)_mm256_movemask_ps(near) << half;
        surely |= (uint32_t)_mm256_movemask_ps(in) << half;
    }
    *unsure |= maybe ^ surely;
    return (uint16_t)maybe;
}

KERNEL(avx2, AVX2)

AVX512 INLINE uint16_t mask_avx512(float *const at[3], uint32_t i, const qd_join_ball *ball, uint32_t *unsure,
                                   unsigned axes)
{
    __m512 sum = _mm512_setzero_ps();

    for (unsigned k = 0; k < axes; k++) {
        const __m512 apart = _mm512_sub_ps(_mm512_loadu_ps(at[k] + i), _mm512_set1_ps(ball->at[k]));

        sum = k == 0 ? _mm512_mul_ps(apart, apart) : _mm512_fmadd_ps(apart, apart, sum);
    }
    const uint32_t maybe = _mm512_cmp_ps_mask(sum, _mm512_set1_ps(ball->outside), _CMP_LE_OQ);
    const uint32_t surely = _mm512_cmp_ps_mask(sum, _mm512_set1_ps(ball->inside), _CMP_LT_OQ);

    *unsure |= maybe ^ surely;
    return (uint16_t)maybe;
}

KERNEL(avx512, AVX512)
#endif

const qd_join_kernel *qd_join_kernel_at(uint32_t index, unsigned axes)
{
    if (index == 0) {
        return &kernel_plain[axes - 2];
    }
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (index == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi")) {
        return &kernel_avx2[axes - 2];
    }
    if (index == 2 && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
        return &kernel_avx512[axes - 2];
    }
#endif
    return NULL;
}

const qd_join_kernel *qd_join_kernel_chosen(unsigned axes)
{
    const qd_join_kernel *chosen = NULL;

    for (uint32_t i = 0; qd_join_kernel_at(i, axes); i++) {
        chosen = qd_join_kernel_at(i, axes);
    }
    return chosen;
}
