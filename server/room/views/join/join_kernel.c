/* SPDX-License-Identifier: Apache-2.0 */
#include "join_kernel.h"

#include <stddef.h>
#include <string.h>

#include "../../../base/assert.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

/* ---- the steps, for each set of instructions ---- */

/* The mask of 16 points from `i` on. Adds points that are not surely in the ball to `unsure`. */
typedef uint16_t mask_fn(float *const at[3], uint32_t i, const qd_join_ball *ball, uint32_t *unsure, unsigned axes);

INLINE void add_bits(qd_join_counts *to, uint64_t now, uint64_t was)
{
    to->is += (uint32_t)__builtin_popcountll(now);
    to->both += (uint32_t)__builtin_popcountll(now & was);
    to->differ += (uint32_t)__builtin_popcountll(now ^ was);
}

/* Four masks at a time. */
INLINE qd_join_counts count_bits(const uint16_t *is, const uint16_t *did, uint32_t words)
{
    qd_join_counts counts = {0, 0, 0};

    for (uint32_t word = 0; word < words; word += QD_JOIN_FOUR) {
        add_bits(&counts, qd_join_four_masks(is, word), qd_join_four_masks(did, word));
    }
    return counts;
}

/* The masks of up to four words from `word` on. They are counted in registers and stored at once: a load of four masks
 * would wait for the stores of each. `knows_did` is a constant: the masks of where the points were are there already. */
INLINE uint32_t find_four(mask_fn *mask, const qd_join_points *points, uint32_t word, uint32_t words,
                          const qd_join_ball *now, const qd_join_ball *was, bool knows_did, uint16_t *is, uint16_t *did,
                          qd_join_counts *counts, unsigned axes)
{
    uint64_t in = 0, old = knows_did ? qd_join_four_masks(did, word) : 0;
    uint32_t unsure = 0;

    for (uint32_t i = 0; i < words; i++) {
        const uint32_t first = (word + i) * QD_JOIN_LANES;

        in |= (uint64_t)mask(points->now, first, now, &unsure, axes) << i * QD_JOIN_LANES;
        if (!knows_did) {
            old |= (uint64_t)mask(points->was, first, was, &unsure, axes) << i * QD_JOIN_LANES;
        }
    }
    memcpy(is + word, &in, sizeof in);
    if (!knows_did) {
        memcpy(did + word, &old, sizeof old);
    }
    add_bits(counts, in, old);
    return unsure;
}

INLINE bool find(mask_fn *mask, const qd_join_points *points, uint32_t words, const qd_join_ball *now,
                 const qd_join_ball *was, bool knows_did, uint16_t *is, uint16_t *did, qd_join_counts *counts,
                 unsigned axes)
{
    qd_join_counts sum = {0, 0, 0};
    uint32_t unsure = 0, word = 0;

    for (; word + QD_JOIN_FOUR <= words; word += QD_JOIN_FOUR) {
        unsure |= find_four(mask, points, word, QD_JOIN_FOUR, now, was, knows_did, is, did, &sum, axes);
    }
    if (word < words) {
        unsure |= find_four(mask, points, word, words - word, now, was, knows_did, is, did, &sum, axes);
    }
    *counts = sum;
    return unsure != 0;
}

INLINE uint32_t find_within(mask_fn *mask, float *const at[3], uint32_t words, const qd_join_ball *ball,
                            const uint16_t *among, uint16_t *masks, unsigned axes)
{
    uint32_t unsure = 0, count = 0;

    for (uint32_t word = 0; word < words; word++) {
        const uint32_t in = among[word] & (uint32_t)mask(at, word * QD_JOIN_LANES, ball, &unsure, axes);

        masks[word] = (uint16_t)in;
        count += (uint32_t)__builtin_popcount(in);
    }
    return count;
}

/* Which of 16 points from `i` on an observer of that mask and team may see. */
typedef uint32_t admit_fn(const uint32_t *category, const uint32_t *teams, uint32_t i, uint32_t mask, uint32_t team);

INLINE void admit_all(admit_fn *admit, const uint32_t *category, const uint32_t *teams, uint32_t words, uint32_t mask,
                      uint32_t team, uint16_t *is, uint16_t *did)
{
    for (uint32_t word = 0; word < words; word++) {
        const uint32_t may = admit(category, teams, word * QD_JOIN_LANES, mask, team);

        is[word] = (uint16_t)(is[word] & may);
        did[word] = (uint16_t)(did[word] & may);
    }
}

/* Whether a list has the value. */
typedef bool has_fn(const uint32_t *list, uint32_t count, uint32_t value);

INLINE void keep_all(has_fn *has, const uint32_t *from, uint32_t words, const uint32_t *list, uint32_t count,
                     uint16_t *masks)
{
    for (uint32_t word = 0; word < words; word++) {
        uint32_t in = 0;

        for (uint32_t left = masks[word]; left != 0; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(left);

            in |= (uint32_t)has(list, count, from[word * QD_JOIN_LANES + lane]) << lane;
        }
        masks[word] = (uint16_t)in;
    }
}

/* Packs 16 elements; returns where the next ones go. */
typedef uint32_t *pack_fn(const uint32_t *from, uint32_t mask, uint32_t *to);

INLINE void pack_all(pack_fn *pack, const uint32_t *from, const uint16_t *masks, uint32_t words, uint32_t *to)
{
    for (uint32_t word = 0; word < words; word++) {
        to = pack(from + word * QD_JOIN_LANES, masks[word], to);
    }
}

/* Sixteen elements at a time: a call of memcpy for each column would take longer than the copy. */
INLINE void copy_columns(const qd_join_points *from, uint32_t first, uint32_t count, const qd_join_points *to,
                         uint32_t at, unsigned axes)
{
    for (uint32_t i = 0; i < count; i += QD_JOIN_LANES) {
        for (unsigned k = 0; k < axes; k++) {
            memcpy(to->now[k] + at + i, from->now[k] + first + i, QD_JOIN_LANES * sizeof(float));
            memcpy(to->was[k] + at + i, from->was[k] + first + i, QD_JOIN_LANES * sizeof(float));
        }
    }
}

#define STEPS(name, isa, axes)                                                                                         \
    isa static bool both_##axes##d_##name(const qd_join_points *points, uint32_t words, const qd_join_ball *now,       \
                                          const qd_join_ball *was, uint16_t *is, uint16_t *did,                        \
                                          qd_join_counts *counts)                                                      \
    {                                                                                                                  \
        return find(mask_##name, points, words, now, was, false, is, did, counts, axes);                               \
    }                                                                                                                  \
    isa static bool now_##axes##d_##name(const qd_join_points *points, uint32_t words, const qd_join_ball *now,        \
                                         uint16_t *is, uint16_t *did, qd_join_counts *counts)                          \
    {                                                                                                                  \
        return find(mask_##name, points, words, now, NULL, true, is, did, counts, axes);                               \
    }                                                                                                                  \
    isa static uint32_t within_##axes##d_##name(float *const at[3], uint32_t words, const qd_join_ball *ball,          \
                                                const uint16_t *among, uint16_t *masks)                                \
    {                                                                                                                  \
        return find_within(mask_##name, at, words, ball, among, masks, axes);                                          \
    }                                                                                                                  \
    isa static void copy_##axes##d_##name(const qd_join_points *from, uint32_t first, uint32_t count,                  \
                                          const qd_join_points *to, uint32_t at)                                       \
    {                                                                                                                  \
        copy_columns(from, first, count, to, at, axes);                                                                \
    }
#define KERNEL(name, isa)                                                                                              \
    STEPS(name, isa, 2)                                                                                                \
    STEPS(name, isa, 3)                                                                                                \
    isa static void admit_all_##name(const uint32_t *category, const uint32_t *teams, uint32_t words, uint32_t mask,   \
                                     uint32_t team, uint16_t *is, uint16_t *did)                                       \
    {                                                                                                                  \
        admit_all(admit_##name, category, teams, words, mask, team, is, did);                                          \
    }                                                                                                                  \
    isa static qd_join_counts count_##name(const uint16_t *is, const uint16_t *did, uint32_t words)                    \
    {                                                                                                                  \
        return count_bits(is, did, words);                                                                             \
    }                                                                                                                  \
    isa static void keep_all_##name(const uint32_t *from, uint32_t words, const uint32_t *list, uint32_t count,        \
                                    uint16_t *masks)                                                                   \
    {                                                                                                                  \
        keep_all(has_##name, from, words, list, count, masks);                                                         \
    }                                                                                                                  \
    isa static void pack_all_##name(const uint32_t *from, const uint16_t *masks, uint32_t words, uint32_t *to)         \
    {                                                                                                                  \
        pack_all(pack_##name, from, masks, words, to);                                                                 \
    }                                                                                                                  \
    static const qd_join_kernel kernel_##name[] = {                                                                    \
        {both_2d_##name, now_2d_##name, within_2d_##name, admit_all_##name, count_##name, keep_all_##name,             \
         pack_all_##name, copy_2d_##name},                                                                             \
        {both_3d_##name, now_3d_##name, within_3d_##name, admit_all_##name, count_##name, keep_all_##name,             \
         pack_all_##name, copy_3d_##name},                                                                             \
    };

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

INLINE uint32_t admit_plain(const uint32_t *category, const uint32_t *teams, uint32_t i, uint32_t mask, uint32_t team)
{
    uint32_t may = 0;

    for (uint32_t lane = 0; lane < QD_JOIN_LANES; lane++) {
        const uint32_t other = teams[i + lane];

        may |= ((category[i + lane] & mask) != 0) & ((team == 0) | (other == 0) | (other == team)) ? bit_of[lane] : 0;
    }
    return may;
}

INLINE bool has_plain(const uint32_t *list, uint32_t count, uint32_t value)
{
    uint32_t is = 0;

    for (uint32_t i = 0; i < count; i++) {
        is |= list[i] == value;
    }
    return is != 0;
}

INLINE uint32_t *pack_plain(const uint32_t *from, uint32_t mask, uint32_t *to)
{
    for (; mask != 0; mask &= mask - 1) {
        *to++ = from[__builtin_ctz(mask)];
    }
    return to;
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

AVX2 INLINE uint32_t admit_avx2(const uint32_t *category, const uint32_t *teams, uint32_t i, uint32_t mask,
                                uint32_t team)
{
    return admit_plain(category, teams, i, mask, team);
}

AVX2 INLINE bool has_avx2(const uint32_t *list, uint32_t count, uint32_t value)
{
    const __m256i sought = _mm256_set1_epi32((int)value);
    __m256i is = _mm256_setzero_si256();
    uint32_t i = 0;

    for (; i + 8 <= count; i += 8) {
        is = _mm256_or_si256(is, _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)(list + i)), sought));
    }
    return _mm256_testz_si256(is, is) == 0 || has_plain(list + i, count - i, value);
}

AVX2 INLINE uint32_t *pack_avx2(const uint32_t *from, uint32_t mask, uint32_t *to)
{
    return pack_plain(from, mask, to);
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

AVX512 INLINE uint32_t admit_avx512(const uint32_t *category, const uint32_t *teams, uint32_t i, uint32_t mask,
                                    uint32_t team)
{
    const __m512i other = _mm512_loadu_si512(teams + i);
    const __mmask16 may = _mm512_test_epi32_mask(_mm512_loadu_si512(category + i), _mm512_set1_epi32((int)mask));
    const __mmask16 same = _mm512_cmpeq_epi32_mask(other, _mm512_set1_epi32((int)team));
    const __mmask16 has_team = team == 0 ? 0 : _mm512_test_epi32_mask(other, other);

    return may & (uint32_t)(same | (uint16_t)~has_team);
}

AVX512 INLINE bool has_avx512(const uint32_t *list, uint32_t count, uint32_t value)
{
    const __m512i sought = _mm512_set1_epi32((int)value);
    uint32_t is = 0, i = 0;

    for (; i + QD_JOIN_LANES <= count; i += QD_JOIN_LANES) {
        is |= _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(list + i), sought);
    }
    const __mmask16 rest = (__mmask16)((1u << (count - i)) - 1);
    return (is | _mm512_mask_cmpeq_epi32_mask(rest, _mm512_maskz_loadu_epi32(rest, list + i), sought)) != 0;
}

/* A whole store is faster than one that compresses, on some machines many times. */
AVX512 INLINE uint32_t *pack_avx512(const uint32_t *from, uint32_t mask, uint32_t *to)
{
    const uint32_t count = (uint32_t)__builtin_popcount(mask);
    const __m512i packed = _mm512_maskz_compress_epi32((__mmask16)mask, _mm512_loadu_si512(from));

    _mm512_mask_storeu_epi32(to, (__mmask16)((1u << count) - 1), packed);
    return to + count;
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
