/* SPDX-License-Identifier: Apache-2.0 */
#include "join_kernel.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "../../../base/assert.h"

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
 * would wait for the stores of each. `knows_did` is a constant: the masks of where the points were are known. */
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

INLINE bool find_within(mask_fn *mask, float *const at[3], uint32_t words, const qd_join_ball *ball,
                        const uint16_t *among, uint16_t *masks, unsigned axes)
{
    uint32_t all_unsure = 0;

    for (uint32_t word = 0; word < words; word++) {
        uint32_t unsure = 0;
        const uint32_t in = among[word] & (uint32_t)mask(at, word * QD_JOIN_LANES, ball, &unsure, axes);

        masks[word] = (uint16_t)in;
        all_unsure |= in & unsure;
    }
    return all_unsure != 0;
}

/* Which of 16 points from `i` on may be in the cone, and which of them surely are. */
typedef uint32_t cone_fn(float *const at[3], uint32_t i, const qd_join_cone *cone, uint32_t *surely, unsigned axes);

INLINE bool find_in_cone(cone_fn *in_cone, float *const at[3], uint32_t words, const qd_join_cone *cone,
                         uint16_t *masks, unsigned axes)
{
    uint32_t all_unsure = 0;

    for (uint32_t word = 0; word < words; word++) {
        uint32_t surely;

        if (masks[word] != 0) {
            masks[word] &= (uint16_t)in_cone(at, word * QD_JOIN_LANES, cone, &surely, axes);
            all_unsure |= masks[word] & ~surely;
        }
    }
    return all_unsure != 0;
}

/* Which of 16 points from `i` on are between walls. */
typedef uint32_t between_fn(float *const at[3], uint32_t i, const qd_join_walls *walls, unsigned axes);

INLINE void find_between(between_fn *between, float *const at[3], uint32_t words, const qd_join_walls *walls,
                         uint16_t *masks, unsigned axes)
{
    for (uint32_t word = 0; word < words; word++) {
        masks[word] = (uint16_t)between(at, word * QD_JOIN_LANES, walls, axes);
    }
}

/* Which of 16 squares from `i` on are at most so large. */
typedef uint32_t up_to_fn(const float *squares, uint32_t i, float most);

INLINE uint32_t find_up_to(up_to_fn *up_to, const float *squares, uint32_t words, float most, uint16_t *masks)
{
    uint32_t count = 0;

    for (uint32_t word = 0; word < words; word += QD_JOIN_FOUR) {
        uint64_t in = 0;

        for (uint32_t i = 0; i < QD_JOIN_FOUR; i++) {
            in |= (uint64_t)up_to(squares, (word + i) * QD_JOIN_LANES, most) << i * QD_JOIN_LANES;
        }
        in &= qd_join_four_masks(masks, word);
        qd_join_put_four(masks, word, in);
        count += (uint32_t)__builtin_popcountll(in);
    }
    return count;
}

/* The squared distances of 16 points from `i` on. */
typedef void squares_fn(float *const at[3], uint32_t i, const float center[3], float *to, unsigned axes);

INLINE void find_squares(squares_fn *squares, float *const at[3], uint32_t words, const float center[3], float *to,
                         unsigned axes)
{
    for (uint32_t word = 0; word < words; word++) {
        squares(at, word * QD_JOIN_LANES, center, to + word * QD_JOIN_LANES, axes);
    }
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

/* Packs up to 16 points from `i` on, to `row` and behind. What is between these rows and `end` may be overwritten. */
typedef void pack_fn(const qd_join_rows *from, uint32_t i, uint32_t mask, uint32_t observer, const qd_join_rows *to,
                     uint32_t row, uint32_t end, unsigned axes);

INLINE void pack_all(pack_fn *pack, const qd_join_rows *from, const uint16_t *masks, uint32_t words, uint32_t observer,
                     const qd_join_rows *to, uint32_t count, unsigned axes)
{
    uint32_t row = 0;

    for (uint32_t word = 0; word < words; word++) {
        pack(from, word * QD_JOIN_LANES, masks[word], observer, to, row, count, axes);
        row += (uint32_t)__builtin_popcount(masks[word]);
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

#define KERNEL_OF(name, axes)                                                                                          \
    {                                                                                                                  \
        both_##axes##d_##name, now_##axes##d_##name, within_##axes##d_##name, in_cone_##axes##d_##name,                \
            all_between_##axes##d_##name, squares_##axes##d_##name, largest_##name, all_up_to_##name,                  \
            admit_all_##name, count_##name, pack_##axes##d_##name, copy_##axes##d_##name                               \
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
    isa static bool within_##axes##d_##name(float *const at[3], uint32_t words, const qd_join_ball *ball,              \
                                            const uint16_t *among, uint16_t *masks)                                    \
    {                                                                                                                  \
        return find_within(mask_##name, at, words, ball, among, masks, axes);                                          \
    }                                                                                                                  \
    isa static bool in_cone_##axes##d_##name(float *const at[3], uint32_t words, const qd_join_cone *cone,             \
                                             uint16_t *masks)                                                          \
    {                                                                                                                  \
        return find_in_cone(cone_##name, at, words, cone, masks, axes);                                                \
    }                                                                                                                  \
    isa static void all_between_##axes##d_##name(float *const at[3], uint32_t words, const qd_join_walls *walls,       \
                                                 uint16_t *masks)                                                      \
    {                                                                                                                  \
        find_between(between_##name, at, words, walls, masks, axes);                                                   \
    }                                                                                                                  \
    isa static void squares_##axes##d_##name(float *const at[3], uint32_t words, const float center[3], float *to)     \
    {                                                                                                                  \
        find_squares(squares_##name, at, words, center, to, axes);                                                     \
    }                                                                                                                  \
    isa static void pack_##axes##d_##name(const qd_join_rows *from, const uint16_t *masks, uint32_t words,             \
                                          uint32_t observer, const qd_join_rows *to, uint32_t count)                   \
    {                                                                                                                  \
        pack_all(pack_##name, from, masks, words, observer, to, count, axes);                                          \
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
    isa static uint32_t all_up_to_##name(const float *squares, uint32_t words, float most, uint16_t *masks)            \
    {                                                                                                                  \
        return find_up_to(up_to_##name, squares, words, most, masks);                                                  \
    }                                                                                                                  \
    isa static qd_join_counts count_##name(const uint16_t *is, const uint16_t *did, uint32_t words)                    \
    {                                                                                                                  \
        return count_bits(is, did, words);                                                                             \
    }                                                                                                                  \
    static const qd_join_kernel kernel_##name[] = {KERNEL_OF(name, 2), KERNEL_OF(name, 3)};

/* ---- plain C; column by column, so that compilers vectorize it ---- */

static const uint32_t bit_of[QD_JOIN_LANES] = {1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                                               1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};

INLINE void squares_plain(float *const at[3], uint32_t i, const float center[3], float *to, unsigned axes)
{
    for (unsigned k = 0; k < axes; k++) {
        const float *from = at[k] + i;

        for (uint32_t lane = 0; lane < QD_JOIN_LANES; lane++) {
            const float apart = from[lane] - center[k];

            to[lane] = k == 0 ? apart * apart : to[lane] + apart * apart;
        }
    }
}

INLINE uint16_t mask_plain(float *const at[3], uint32_t i, const qd_join_ball *ball, uint32_t *unsure, unsigned axes)
{
    float sum[QD_JOIN_LANES];
    uint32_t maybe = 0, surely = 0;

    squares_plain(at, i, ball->at, sum, axes);
    for (uint32_t lane = 0; lane < QD_JOIN_LANES; lane++) {
        maybe |= sum[lane] <= ball->outside ? bit_of[lane] : 0;
        surely |= sum[lane] < ball->inside ? bit_of[lane] : 0;
    }
    *unsure |= maybe ^ surely;
    return (uint16_t)maybe;
}

INLINE uint32_t cone_plain(float *const at[3], uint32_t i, const qd_join_cone *cone, uint32_t *surely, unsigned axes)
{
    float square[QD_JOIN_LANES], along[QD_JOIN_LANES] = {0};
    uint32_t maybe = 0, in = 0;

    squares_plain(at, i, cone->at, square, axes);
    for (unsigned k = 0; k < axes; k++) {
        const float *from = at[k] + i;

        for (uint32_t lane = 0; lane < QD_JOIN_LANES; lane++) {
            along[lane] += (from[lane] - cone->at[k]) * cone->axis[k];
        }
    }
    for (uint32_t lane = 0; lane < QD_JOIN_LANES; lane++) {
        const float distance = sqrtf(square[lane]), error = QD_JOIN_CONE_SHARE * distance;
        const float beyond = along[lane] - cone->cosine * distance;
        const bool is_known = (square[lane] >= QD_JOIN_SQUARE_MIN) & (square[lane] <= FLT_MAX);

        maybe |= (is_known & (beyond < -error)) ? 0 : bit_of[lane];
        in |= (is_known & (beyond > error)) ? bit_of[lane] : 0;
    }
    *surely = in;
    return maybe;
}

INLINE uint32_t between_plain(float *const at[3], uint32_t i, const qd_join_walls *walls, unsigned axes)
{
    bool is[QD_JOIN_LANES];
    uint32_t in = 0;

    for (unsigned k = 0; k < axes; k++) {
        const float *from = at[k] + i;

        for (uint32_t lane = 0; lane < QD_JOIN_LANES; lane++) {
            is[lane] = (k == 0 || is[lane]) & (walls->lo[k] <= from[lane]) & (from[lane] <= walls->hi[k]);
        }
    }
    for (uint32_t lane = 0; lane < QD_JOIN_LANES; lane++) {
        in |= is[lane] ? bit_of[lane] : 0;
    }
    return in;
}

static float largest_plain(const float *squares, uint32_t words, const uint16_t *masks)
{
    float most[QD_JOIN_LANES] = {0}, all = 0;

    for (uint32_t word = 0; word < words; word++) {
        for (uint32_t lane = 0; lane < QD_JOIN_LANES; lane++) {
            const float one = masks[word] & bit_of[lane] ? squares[word * QD_JOIN_LANES + lane] : 0;

            most[lane] = one > most[lane] ? one : most[lane];
        }
    }
    for (uint32_t lane = 0; lane < QD_JOIN_LANES; lane++) {
        all = most[lane] > all ? most[lane] : all;
    }
    return all;
}

INLINE uint32_t up_to_plain(const float *squares, uint32_t i, float most)
{
    uint32_t in = 0;

    for (uint32_t lane = 0; lane < QD_JOIN_LANES; lane++) {
        in |= squares[i + lane] <= most ? bit_of[lane] : 0;
    }
    return in;
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

INLINE void pack_plain(const qd_join_rows *from, uint32_t i, uint32_t mask, uint32_t observer, const qd_join_rows *to,
                       uint32_t row, uint32_t end, unsigned axes)
{
    (void)end;
    for (; mask != 0; mask &= mask - 1, row++) {
        const uint32_t point = i + (uint32_t)__builtin_ctz(mask);

        to->observer[row] = observer;
        to->id[row] = from->id[point];
        for (unsigned k = 0; k < axes; k++) {
            to->at[k][row] = from->at[k][point];
        }
    }
}

KERNEL(plain, )

#if defined(__x86_64__)
#include "join_kernel_x86.h"

KERNEL(avx2, AVX2)
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
