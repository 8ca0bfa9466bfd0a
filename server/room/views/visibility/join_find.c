/* SPDX-License-Identifier: Apache-2.0 */
#include "join_find.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

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

/* ---- boxes ---- */

INLINE void box_points(const float *now, const float *was, uint32_t count, float *lo, float *hi)
{
    for (uint32_t first = 0; first < count; first += QD_JOIN_FAN) {
        float least = INFINITY, most = -INFINITY;

        for (uint32_t i = first; i < first + QD_JOIN_FAN; i++) {
            const float is = now[i] < INFINITY ? now[i] : -INFINITY, did = was[i] < INFINITY ? was[i] : -INFINITY;
            const float low = now[i] < was[i] ? now[i] : was[i], high = is > did ? is : did;

            least = low < least ? low : least;
            most = high > most ? high : most;
        }
        lo[first / QD_JOIN_FAN] = least;
        hi[first / QD_JOIN_FAN] = most;
    }
}

INLINE void box_boxes(const qd_join_level *from, unsigned k, float *lo, float *hi)
{
    for (uint32_t first = 0; first < from->count; first += QD_JOIN_FAN) {
        float least = INFINITY, most = -INFINITY;

        for (uint32_t i = first; i < first + QD_JOIN_FAN; i++) {
            least = from->lo[k][i] < least ? from->lo[k][i] : least;
            most = from->hi[k][i] > most ? from->hi[k][i] : most;
        }
        lo[first / QD_JOIN_FAN] = least;
        hi[first / QD_JOIN_FAN] = most;
    }
}

void qd_join_boxes(qd_join_tree *tree, unsigned axes)
{
    for (uint32_t i = 0; i < tree->levels; i++) {
        qd_join_level *level = &tree->level[i];
        const uint32_t end = (level->count + QD_JOIN_FAN - 1) & ~(QD_JOIN_FAN - 1);

        for (unsigned k = 0; k < axes; k++) {
            if (i == 0) {
                box_points(tree->now[k], tree->was[k], tree->count, level->lo[k], level->hi[k]);
            } else {
                box_boxes(&tree->level[i - 1], k, level->lo[k], level->hi[k]);
            }
            for (uint32_t at = level->count; at < end; at++) {
                level->lo[k][at] = INFINITY;
                level->hi[k][at] = -INFINITY;
            }
        }
    }
}

/* ---- finding ---- */

/* Which of 16 boxes from `base` on the ball may meet, now or at the last tick. */
typedef uint32_t near_fn(const qd_join_level *level, uint32_t base, const qd_join_ball *now, const qd_join_ball *was,
                         unsigned axes);
/* Which of 16 points from `base` on may not be on the same side both times. */
typedef uint32_t open_fn(const qd_join_tree *tree, uint32_t base, const qd_join_ball *now, const qd_join_ball *was,
                         unsigned axes);

/* Appends base + i for each bit i of the mask to the first `count` numbers; returns the new count. May write 16 numbers
 * more than it appends. */
typedef uint32_t append_fn(uint32_t *to, uint32_t count, uint32_t base, uint32_t mask);

/* Level by level, so that no loop depends on the result of an inner one. */
INLINE uint32_t find_near(near_fn *near, append_fn *append, const qd_join_tree *tree, const qd_join_ball *now,
                          const qd_join_ball *was, uint32_t *memory, const uint32_t **list, unsigned axes)
{
    uint32_t *from = memory, *to = memory + qd_join_list_room(tree) / 2;
    uint32_t some = tree->levels > 0;

    from[0] = 0;
    for (uint32_t level = tree->levels; level-- > 0;) {
        const qd_join_level *boxes = &tree->level[level];
        uint32_t next = 0;

        for (uint32_t i = 0; i < some; i++) {
            const uint32_t base = from[i] * QD_JOIN_FAN, left = boxes->count - base;
            const uint32_t there = left < QD_JOIN_FAN ? (1u << left) - 1 : UINT16_MAX;

            next = append(to, next, base, near(boxes, base, now, was, axes) & there);
        }
        uint32_t *other = from;
        from = to;
        to = other;
        some = next;
    }
    *list = from;
    return some;
}

INLINE uint32_t find_open(open_fn *open, append_fn *append, const qd_join_tree *tree, const qd_join_ball *now,
                          const qd_join_ball *was, const uint32_t *list, uint32_t some, uint32_t *found, unsigned axes)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < some; i++) {
        const uint32_t base = list[i] * QD_JOIN_FAN;

        count = append(found, count, base, open(tree, base, now, was, axes));
    }
    return count;
}

#define STEPS(name, isa, axes)                                                                                         \
    isa static uint32_t near_##axes##d_##name(const qd_join_tree *tree, const qd_join_ball *now,                       \
                                              const qd_join_ball *was, uint32_t *memory, const uint32_t **list)        \
    {                                                                                                                  \
        return find_near(near_##name, append_##name, tree, now, was, memory, list, axes);                              \
    }                                                                                                                  \
    isa static uint32_t open_##axes##d_##name(const qd_join_tree *tree, const qd_join_ball *now,                       \
                                              const qd_join_ball *was, const uint32_t *list, uint32_t count,           \
                                              uint32_t *found)                                                         \
    {                                                                                                                  \
        return find_open(open_##name, append_##name, tree, now, was, list, count, found, axes);                        \
    }
#define FINDER(name, isa)                                                                                              \
    STEPS(name, isa, 2)                                                                                                \
    STEPS(name, isa, 3)                                                                                                \
    static const qd_join_finder finder_##name[] = {{near_2d_##name, open_2d_##name}, {near_3d_##name, open_3d_##name}};

INLINE uint32_t append_plain(uint32_t *to, uint32_t count, uint32_t base, uint32_t mask)
{
    for (; mask != 0; mask &= mask - 1) {
        to[count++] = base + (uint32_t)__builtin_ctz(mask);
    }
    return count;
}

/* Column by column, so that compilers vectorize it. */
INLINE void squares(float *const *column, uint32_t base, const float *at, float sum[QD_JOIN_FAN], unsigned axes)
{
    for (unsigned k = 0; k < axes; k++) {
        const float *from = column[k] + base, center = at[k];

        for (uint32_t i = 0; i < QD_JOIN_FAN; i++) {
            const float apart = from[i] - center;

            sum[i] = k == 0 ? apart * apart : sum[i] + apart * apart;
        }
    }
}

INLINE void squares_of_gap(const qd_join_level *level, uint32_t base, const float *at, float sum[QD_JOIN_FAN],
                           unsigned axes)
{
    for (unsigned k = 0; k < axes; k++) {
        const float *lo = level->lo[k] + base, *hi = level->hi[k] + base, center = at[k];

        for (uint32_t i = 0; i < QD_JOIN_FAN; i++) {
            const float below = lo[i] - center, above = center - hi[i];
            const float gap = below > above ? below : above, apart = gap > 0 ? gap : 0;

            sum[i] = k == 0 ? apart * apart : sum[i] + apart * apart;
        }
    }
}

static const uint32_t bit_of[QD_JOIN_FAN] = {1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                                             1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};

INLINE uint32_t near_plain(const qd_join_level *level, uint32_t base, const qd_join_ball *now, const qd_join_ball *was,
                           unsigned axes)
{
    float gap_now[QD_JOIN_FAN], gap_was[QD_JOIN_FAN];
    uint32_t apart = 0;

    squares_of_gap(level, base, now->at, gap_now, axes);
    squares_of_gap(level, base, was->at, gap_was, axes);
    for (uint32_t i = 0; i < QD_JOIN_FAN; i++) {
        apart |= (gap_now[i] > now->outside ? bit_of[i] : 0) & (gap_was[i] > was->outside ? bit_of[i] : 0);
    }
    return ~apart;
}

INLINE uint32_t open_plain(const qd_join_tree *tree, uint32_t base, const qd_join_ball *now, const qd_join_ball *was,
                           unsigned axes)
{
    float is[QD_JOIN_FAN], did[QD_JOIN_FAN];
    uint32_t settled = 0;

    squares(tree->now, base, now->at, is, axes);
    squares(tree->was, base, was->at, did, axes);
    for (uint32_t i = 0; i < QD_JOIN_FAN; i++) {
        settled |= (is[i] < now->inside ? bit_of[i] : 0) & (did[i] < was->inside ? bit_of[i] : 0);
        settled |= (is[i] > now->outside ? bit_of[i] : 0) & (did[i] > was->outside ? bit_of[i] : 0);
    }
    return ~settled & UINT16_MAX;
}

FINDER(plain, )

#if defined(__x86_64__)
#define AVX2   __attribute__((target("avx2,popcnt,bmi")))
#define AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,popcnt,bmi")))

AVX2 INLINE __m256 squares_8(float *const *column, uint32_t i, const float *at, unsigned axes)
{
    __m256 sum = _mm256_setzero_ps();

    for (unsigned k = 0; k < axes; k++) {
        const __m256 apart = _mm256_sub_ps(_mm256_loadu_ps(column[k] + i), _mm256_set1_ps(at[k]));

        sum = k == 0 ? _mm256_mul_ps(apart, apart) : _mm256_add_ps(sum, _mm256_mul_ps(apart, apart));
    }
    return sum;
}

AVX2 INLINE __m256 squares_of_gap_8(const qd_join_level *level, uint32_t i, const float *at, unsigned axes)
{
    __m256 sum = _mm256_setzero_ps();

    for (unsigned k = 0; k < axes; k++) {
        const __m256 center = _mm256_set1_ps(at[k]);
        const __m256 below = _mm256_sub_ps(_mm256_loadu_ps(level->lo[k] + i), center);
        const __m256 above = _mm256_sub_ps(center, _mm256_loadu_ps(level->hi[k] + i));
        const __m256 apart = _mm256_max_ps(_mm256_max_ps(below, above), _mm256_setzero_ps());

        sum = k == 0 ? _mm256_mul_ps(apart, apart) : _mm256_add_ps(sum, _mm256_mul_ps(apart, apart));
    }
    return sum;
}

AVX2 INLINE __m256 both_above(__m256 now, float limit_now, __m256 was, float limit_was)
{
    return _mm256_and_ps(_mm256_cmp_ps(now, _mm256_set1_ps(limit_now), _CMP_GT_OQ),
                         _mm256_cmp_ps(was, _mm256_set1_ps(limit_was), _CMP_GT_OQ));
}

AVX2 INLINE uint32_t near_avx2(const qd_join_level *level, uint32_t base, const qd_join_ball *now,
                               const qd_join_ball *was, unsigned axes)
{
    uint32_t apart = 0;

    for (uint32_t half = 0; half < QD_JOIN_FAN; half += 8) {
        const __m256 is = squares_of_gap_8(level, base + half, now->at, axes);
        const __m256 did = squares_of_gap_8(level, base + half, was->at, axes);

        apart |= (uint32_t)_mm256_movemask_ps(both_above(is, now->outside, did, was->outside)) << half;
    }
    return ~apart;
}

AVX2 INLINE uint32_t open_avx2(const qd_join_tree *tree, uint32_t base, const qd_join_ball *now,
                               const qd_join_ball *was, unsigned axes)
{
    uint32_t settled = 0;

    for (uint32_t half = 0; half < QD_JOIN_FAN; half += 8) {
        const __m256 is = squares_8(tree->now, base + half, now->at, axes);
        const __m256 did = squares_8(tree->was, base + half, was->at, axes);
        const __m256 in = _mm256_and_ps(_mm256_cmp_ps(is, _mm256_set1_ps(now->inside), _CMP_LT_OQ),
                                        _mm256_cmp_ps(did, _mm256_set1_ps(was->inside), _CMP_LT_OQ));
        const __m256 out = both_above(is, now->outside, did, was->outside);

        settled |= (uint32_t)_mm256_movemask_ps(_mm256_or_ps(in, out)) << half;
    }
    return ~settled & UINT16_MAX;
}

AVX2 INLINE uint32_t append_avx2(uint32_t *to, uint32_t count, uint32_t base, uint32_t mask)
{
    return append_plain(to, count, base, mask);
}

FINDER(avx2, AVX2)

AVX512 INLINE __m512 squares_16(float *const *column, uint32_t i, const float *at, unsigned axes)
{
    __m512 sum = _mm512_setzero_ps();

    for (unsigned k = 0; k < axes; k++) {
        const __m512 apart = _mm512_sub_ps(_mm512_loadu_ps(column[k] + i), _mm512_set1_ps(at[k]));

        sum = k == 0 ? _mm512_mul_ps(apart, apart) : _mm512_add_ps(sum, _mm512_mul_ps(apart, apart));
    }
    return sum;
}

AVX512 INLINE __m512 squares_of_gap_16(const qd_join_level *level, uint32_t i, const float *at, unsigned axes)
{
    __m512 sum = _mm512_setzero_ps();

    for (unsigned k = 0; k < axes; k++) {
        const __m512 center = _mm512_set1_ps(at[k]);
        const __m512 below = _mm512_sub_ps(_mm512_loadu_ps(level->lo[k] + i), center);
        const __m512 above = _mm512_sub_ps(center, _mm512_loadu_ps(level->hi[k] + i));
        const __m512 apart = _mm512_max_ps(_mm512_max_ps(below, above), _mm512_setzero_ps());

        sum = k == 0 ? _mm512_mul_ps(apart, apart) : _mm512_add_ps(sum, _mm512_mul_ps(apart, apart));
    }
    return sum;
}

AVX512 INLINE uint32_t near_avx512(const qd_join_level *level, uint32_t base, const qd_join_ball *now,
                                   const qd_join_ball *was, unsigned axes)
{
    const __m512 is = squares_of_gap_16(level, base, now->at, axes);
    const __m512 did = squares_of_gap_16(level, base, was->at, axes);
    const __mmask16 apart = _mm512_cmp_ps_mask(is, _mm512_set1_ps(now->outside), _CMP_GT_OQ);

    return ~(uint32_t)_mm512_mask_cmp_ps_mask(apart, did, _mm512_set1_ps(was->outside), _CMP_GT_OQ);
}

AVX512 INLINE uint32_t open_avx512(const qd_join_tree *tree, uint32_t base, const qd_join_ball *now,
                                   const qd_join_ball *was, unsigned axes)
{
    const __m512 is = squares_16(tree->now, base, now->at, axes), did = squares_16(tree->was, base, was->at, axes);
    __mmask16 in = _mm512_cmp_ps_mask(is, _mm512_set1_ps(now->inside), _CMP_LT_OQ);
    __mmask16 out = _mm512_cmp_ps_mask(is, _mm512_set1_ps(now->outside), _CMP_GT_OQ);

    in = _mm512_mask_cmp_ps_mask(in, did, _mm512_set1_ps(was->inside), _CMP_LT_OQ);
    out = _mm512_mask_cmp_ps_mask(out, did, _mm512_set1_ps(was->outside), _CMP_GT_OQ);
    return ~((uint32_t)in | out) & UINT16_MAX;
}

AVX512 INLINE uint32_t append_avx512(uint32_t *to, uint32_t count, uint32_t base, uint32_t mask)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i at = _mm512_add_epi32(lane, _mm512_set1_epi32((int)base));

    _mm512_storeu_si512(to + count, _mm512_maskz_compress_epi32((__mmask16)mask, at));
    return count + (uint32_t)__builtin_popcount(mask);
}

FINDER(avx512, AVX512)
#endif

const qd_join_finder *qd_join_finder_at(uint32_t index, unsigned axes)
{
    if (index == 0) {
        return &finder_plain[axes - 2];
    }
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (index == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) {
        return &finder_avx2[axes - 2];
    }
    if (index == 2 && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
        return &finder_avx512[axes - 2];
    }
#endif
    return NULL;
}

const qd_join_finder *qd_join_finder_chosen(unsigned axes)
{
    const qd_join_finder *chosen = NULL;

    for (uint32_t i = 0; qd_join_finder_at(i, axes); i++) {
        chosen = qd_join_finder_at(i, axes);
    }
    return chosen;
}
