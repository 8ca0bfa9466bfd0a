/* SPDX-License-Identifier: Apache-2.0
 *
 * A block is the 16 slots of a word, one per lane. Its values are computed in all lanes at once, and those that are
 * sent collect in groups, so that a group may span blocks.
 */
#include "writer.h"

#include <stdbool.h>
#include <string.h>

#include "presence.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))
#define LANES  QD_RELAY_GROUP

/* A step with more bits needs an exact entry: the widest value has 24. */
#define VALUE_MAX 0xffffff
/* Groups are stored in pieces of 8 bytes, which may reach so far behind them. */
#define SLACK 16u

static const uint16_t bit_of[LANES] = {1u << 0, 1u << 1, 1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
                                       1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15};

/* The least code in qd_relay_width for so many bits. */
static const uint8_t code_of[25] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                    13, 13, 14, 14, 14, 14, 15, 15, 15, 15, 15, 15};

/* Values that wait until their group is full. */
typedef struct group {
    uint32_t value[QD_RELAY_AXES][LANES], more[QD_RELAY_AXES][LANES]; /* `more`: behind a full group */
    uint32_t count;
} group;

typedef struct block {
    uint32_t value[QD_RELAY_AXES][LANES];
    int32_t at[QD_RELAY_AXES][LANES], change[QD_RELAY_AXES][LANES];
    uint32_t sent, exact; /* one bit per lane */
} block;

/* The code of an instruction set for the lanes of a block. */
typedef struct lane_code {
    /* Computes the block at slot `base`, with the bits of all lanes that have moved. */
    void (*compute)(const qd_relay_state *state, const qd_relay_write *write, uint32_t base, unsigned axes, float scale,
                    block *to);
    /* Stores what is sent. */
    void (*keep)(qd_relay_state *state, uint32_t base, unsigned axes, const block *from);
    /* Appends the values of lanes that are sent behind `count` others: into to[], then into more[]. */
    void (*append)(const uint32_t *value, uint32_t sent, uint32_t count, uint32_t *to, uint32_t *more);
} lane_code;

size_t qd_relay_exact_bytes(unsigned axes)
{
    return 4 + 4 * (size_t)axes;
}

static uint32_t slots_of_blob(uint32_t count)
{
    return count < QD_RELAY_BLOB_SLOTS ? count : QD_RELAY_BLOB_SLOTS;
}

static size_t group_bytes_max(unsigned axes)
{
    return (axes + 1) / 2 + (size_t)axes * LANES * 3;
}

/* More than any blob and its exact entries take. */
static size_t bytes_ever(unsigned axes, uint32_t count)
{
    return qd_relay_buffer_size(axes, count) + (size_t)count * qd_relay_exact_bytes(axes);
}

size_t qd_relay_buffer_size(unsigned axes, uint32_t count)
{
    const size_t words = (slots_of_blob(count) + LANES - 1) / LANES;

    return qd_relay_presence_max(words) + words * group_bytes_max(axes) + QD_RELAY_TAIL + SLACK;
}

/* ---- packing ---- */

INLINE void store(uint8_t *to, uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    memcpy(to, &value, sizeof value);
}

/* Packs eight bytes of `width` bits each. */
INLINE uint64_t squeeze_bytes(uint64_t x, unsigned width)
{
    x = (x & UINT64_C(0x00ff00ff00ff00ff)) | (x & UINT64_C(0xff00ff00ff00ff00)) >> (8 - width);
    x = (x & UINT64_C(0x0000ffff0000ffff)) | (x & UINT64_C(0xffff0000ffff0000)) >> (16 - 2 * width);
    return (x & UINT32_MAX) | x >> 32 << 4 * width;
}

/* Packs four halfwords of `width` bits each. */
INLINE uint64_t squeeze_halves(uint64_t x, unsigned width)
{
    x = (x & UINT64_C(0x0000ffff0000ffff)) | (x & UINT64_C(0xffff0000ffff0000)) >> (16 - width);
    return (x & UINT32_MAX) | x >> 32 << 2 * width;
}

/* The 8 bytes of a vector from 8 * i on. */
INLINE uint64_t part(const void *vector, unsigned i)
{
    uint64_t value;

    memcpy(&value, (const uint8_t *)vector + 8 * i, sizeof value);
    return value;
}

static void pack_wide(uint8_t *to, const uint32_t *value, unsigned width)
{
    uint64_t bits = 0;
    unsigned have = 0;

    for (unsigned i = 0; i < LANES; i++) {
        bits |= (uint64_t)value[i] << have;
        for (have += width; have >= 8; have -= 8, bits >>= 8) {
            *to++ = (uint8_t)bits;
        }
    }
}

/* Packs 16 values, the first into the lowest bits. Writes 2 * width bytes, and perhaps up to SLACK more. */
INLINE void pack(uint8_t *to, const uint32_t *value, unsigned width)
{
    if (width <= 8) {
        uint8_t narrow[LANES];

        for (unsigned i = 0; i < LANES; i++) {
            narrow[i] = (uint8_t)value[i];
        }
        store(to, squeeze_bytes(part(narrow, 0), width));
        store(to + width, squeeze_bytes(part(narrow, 1), width));
    } else if (width < 16) {
        uint16_t narrow[LANES];

        for (unsigned i = 0; i < LANES; i++) {
            narrow[i] = (uint16_t)value[i];
        }
        for (unsigned i = 0; i < 2; i++, to += width) {
            const uint64_t low = squeeze_halves(part(narrow, 2 * i), width);
            const uint64_t high = squeeze_halves(part(narrow, 2 * i + 1), width);

            store(to, low | high << 4 * width);
            store(to + 8, high >> (64 - 4 * width));
        }
    } else {
        pack_wide(to, value, width);
    }
}

INLINE uint32_t code_for(const uint32_t *value)
{
    uint32_t any = 0;

    for (unsigned i = 0; i < LANES; i++) {
        any |= value[i];
    }
    return code_of[any != 0 ? 32 - __builtin_clz(any) : 0];
}

/* Writes a group of `count` values per axis, with zeros behind them. Returns its end. */
INLINE uint8_t *put_group(uint8_t *to, uint32_t value[][LANES], unsigned axes, uint32_t count)
{
    uint8_t *header = to;
    uint32_t codes = 0;

    to += axes == 3 ? 2 : 1;
    for (unsigned axis = 0; axis < axes; axis++) {
        const uint32_t code = code_for(value[axis]);

        codes |= code << 4 * axis;
        pack(to, value[axis], qd_relay_width[code]);
        to += (count * qd_relay_width[code] + 7) / 8;
    }
    header[0] = (uint8_t)codes;
    if (axes == 3) {
        header[1] = (uint8_t)(codes >> 8);
    }
    return to;
}

/* ---- blocks ---- */

/* Each compute() rounds to the nearest step, towards 0 from halfway, so that the error is at most half a step. All its
 * operations are exact below QD_RELAY_STEPS_MAX. */
INLINE int32_t nearest(float steps)
{
    const int32_t whole = (int32_t)steps;
    const float rest = steps - (float)whole;

    return whole + (rest > 0.5f ? 1 : 0) - (rest < -0.5f ? 1 : 0);
}

static void compute_portable(const qd_relay_state *state, const qd_relay_write *write, uint32_t base, unsigned axes,
                             float scale, block *to)
{
    uint32_t moved[LANES] = {0}, large[LANES] = {0};
    uint32_t sent = 0, exact = 0;

    for (unsigned axis = 0; axis < axes; axis++) {
        const float *at = write->at[axis] + base;
        const int32_t *was = state->at[axis] + base, *last = state->last[axis] + base;

        for (unsigned i = 0; i < LANES; i++) {
            const float steps = at[i] * scale;
            const uint32_t is_far = steps > -QD_RELAY_STEPS_MAX && steps < QD_RELAY_STEPS_MAX ? 0 : UINT32_MAX;
            const int32_t now = nearest(is_far != 0 ? 0 : steps);
            const uint32_t change = (uint32_t)now - (uint32_t)was[i], error = change - (uint32_t)last[i];
            const uint32_t value = error << 1 ^ (uint32_t)((int32_t)error >> 31);

            to->at[axis][i] = now;
            to->change[axis][i] = (int32_t)change;
            to->value[axis][i] = value;
            moved[i] |= change | is_far;
            large[i] |= value | is_far;
        }
    }
    for (unsigned i = 0; i < LANES; i++) {
        sent |= moved[i] != 0 ? bit_of[i] : 0;
        exact |= large[i] > VALUE_MAX ? bit_of[i] : 0;
    }
    to->sent = sent & ~exact;
    to->exact = sent & exact;
}

static void keep_portable(qd_relay_state *state, uint32_t base, unsigned axes, const block *from)
{
    for (unsigned axis = 0; axis < axes; axis++) {
        int32_t *at = state->at[axis] + base, *last = state->last[axis] + base;

        for (unsigned i = 0; i < LANES; i++) {
            const bool is_sent = (from->sent & bit_of[i]) != 0;

            at[i] = is_sent ? from->at[axis][i] : at[i];
            last[i] = is_sent ? from->change[axis][i] : last[i];
        }
    }
}

static void append_portable(const uint32_t *value, uint32_t sent, uint32_t count, uint32_t *to, uint32_t *more)
{
    for (; sent != 0; sent &= sent - 1, count++) {
        *(count < LANES ? to + count : more + count - LANES) = value[__builtin_ctz(sent)];
    }
}

#if defined(__x86_64__)
#define AVX2   __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,bmi,bmi2,lzcnt,popcnt")))

AVX2 INLINE __m256i load_8(const void *at)
{
    return _mm256_loadu_si256((const __m256i *)at);
}

AVX2 INLINE void store_8(void *at, __m256i value)
{
    _mm256_storeu_si256((__m256i *)at, value);
}

AVX2 static void compute_avx2(const qd_relay_state *state, const qd_relay_write *write, uint32_t base, unsigned axes,
                              float scale, block *to)
{
    const __m256 sign = _mm256_set1_ps(-0.f), most = _mm256_set1_ps(QD_RELAY_STEPS_MAX);
    const __m256 half = _mm256_set1_ps(0.5f), other_half = _mm256_set1_ps(-0.5f);

    to->sent = to->exact = 0;
    for (unsigned i = 0; i < LANES; i += 8) {
        __m256i moved = _mm256_setzero_si256(), large = moved;
        __m256 all_near = _mm256_castsi256_ps(_mm256_set1_epi32(-1));

        for (unsigned axis = 0; axis < axes; axis++) {
            const __m256 steps = _mm256_mul_ps(_mm256_loadu_ps(write->at[axis] + base + i), _mm256_set1_ps(scale));
            const __m256 is_near = _mm256_cmp_ps(_mm256_andnot_ps(sign, steps), most, _CMP_LT_OQ);
            const __m256 near = _mm256_and_ps(steps, is_near);
            const __m256i whole = _mm256_cvttps_epi32(near);
            const __m256 rest = _mm256_sub_ps(near, _mm256_cvtepi32_ps(whole));
            const __m256i up = _mm256_castps_si256(_mm256_cmp_ps(rest, half, _CMP_GT_OQ));
            const __m256i down = _mm256_castps_si256(_mm256_cmp_ps(rest, other_half, _CMP_LT_OQ));
            const __m256i at = _mm256_add_epi32(_mm256_sub_epi32(whole, up), down);
            const __m256i change = _mm256_sub_epi32(at, load_8(state->at[axis] + base + i));
            const __m256i error = _mm256_sub_epi32(change, load_8(state->last[axis] + base + i));
            const __m256i value = _mm256_xor_si256(_mm256_slli_epi32(error, 1), _mm256_srai_epi32(error, 31));

            store_8(to->at[axis] + i, at);
            store_8(to->change[axis] + i, change);
            store_8(to->value[axis] + i, value);
            moved = _mm256_or_si256(moved, change);
            large = _mm256_or_si256(large, value);
            all_near = _mm256_and_ps(all_near, is_near);
        }
        const __m256i zero = _mm256_setzero_si256();
        const __m256i small = _mm256_cmpeq_epi32(_mm256_srli_epi32(large, 24), zero);
        const uint32_t near = (uint32_t)_mm256_movemask_ps(all_near);
        const uint32_t rests = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(moved, zero)));
        const uint32_t fits = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(small)) & near;
        const uint32_t news = ~(rests & near) & 0xff;

        to->sent |= (news & fits) << i;
        to->exact |= (news & ~fits) << i;
    }
}

AVX2 static void keep_avx2(qd_relay_state *state, uint32_t base, unsigned axes, const block *from)
{
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);

    for (unsigned i = 0; i < LANES; i += 8) {
        const __m256i sent =
            _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)(from->sent >> i)), bits), bits);

        for (unsigned axis = 0; axis < axes; axis++) {
            int32_t *at = state->at[axis] + base + i, *last = state->last[axis] + base + i;

            store_8(at, _mm256_blendv_epi8(load_8(at), load_8(from->at[axis] + i), sent));
            store_8(last, _mm256_blendv_epi8(load_8(last), load_8(from->change[axis] + i), sent));
        }
    }
}

AVX512 static void compute_avx512(const qd_relay_state *state, const qd_relay_write *write, uint32_t base,
                                  unsigned axes, float scale, block *to)
{
    const __m512 most = _mm512_set1_ps(QD_RELAY_STEPS_MAX);
    __m512i moved = _mm512_setzero_si512(), large = moved;
    __mmask16 near = UINT16_MAX;

    for (unsigned axis = 0; axis < axes; axis++) {
        const __m512 steps = _mm512_mul_ps(_mm512_loadu_ps(write->at[axis] + base), _mm512_set1_ps(scale));
        const __mmask16 is_near = _mm512_cmp_ps_mask(_mm512_abs_ps(steps), most, _CMP_LT_OQ);
        const __m512i whole = _mm512_maskz_cvttps_epi32(is_near, steps);
        const __m512 rest = _mm512_maskz_sub_ps(is_near, steps, _mm512_cvtepi32_ps(whole));
        const __mmask16 up = _mm512_cmp_ps_mask(rest, _mm512_set1_ps(0.5f), _CMP_GT_OQ);
        const __mmask16 down = _mm512_cmp_ps_mask(rest, _mm512_set1_ps(-0.5f), _CMP_LT_OQ);
        const __m512i one = _mm512_set1_epi32(1);
        const __m512i at = _mm512_mask_sub_epi32(_mm512_mask_add_epi32(whole, up, whole, one), down, whole, one);
        const __m512i change = _mm512_sub_epi32(at, _mm512_loadu_si512(state->at[axis] + base));
        const __m512i error = _mm512_sub_epi32(change, _mm512_loadu_si512(state->last[axis] + base));
        const __m512i value = _mm512_xor_si512(_mm512_slli_epi32(error, 1), _mm512_srai_epi32(error, 31));

        _mm512_storeu_si512(to->at[axis], at);
        _mm512_storeu_si512(to->change[axis], change);
        _mm512_storeu_si512(to->value[axis], value);
        moved = _mm512_or_si512(moved, change);
        large = _mm512_or_si512(large, value);
        near &= is_near;
    }
    const uint32_t fits = _mm512_mask_cmple_epu32_mask(near, large, _mm512_set1_epi32(VALUE_MAX));
    const uint32_t news = (uint32_t)_mm512_test_epi32_mask(moved, moved) | (uint16_t)~near;

    to->sent = news & fits;
    to->exact = news & ~fits;
}

AVX512 static void keep_avx512(qd_relay_state *state, uint32_t base, unsigned axes, const block *from)
{
    for (unsigned axis = 0; axis < axes; axis++) {
        const __mmask16 sent = (__mmask16)from->sent;

        _mm512_mask_storeu_epi32(state->at[axis] + base, sent, _mm512_loadu_si512(from->at[axis]));
        _mm512_mask_storeu_epi32(state->last[axis] + base, sent, _mm512_loadu_si512(from->change[axis]));
    }
}

AVX512 static void append_avx512(const uint32_t *value, uint32_t sent, uint32_t count, uint32_t *to, uint32_t *more)
{
    const __m512i found = _mm512_maskz_compress_epi32((__mmask16)sent, _mm512_loadu_si512(value));
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i behind = _mm512_permutexvar_epi32(_mm512_sub_epi32(lane, _mm512_set1_epi32((int)count)), found);

    /* The rotation puts the first value into lane `count`, and what does not fit into the first lanes. */
    _mm512_mask_storeu_epi32(to, (__mmask16)(UINT16_MAX << count), behind);
    _mm512_storeu_si512(more, behind);
}
#endif

static void put_exact(qd_relay_state *state, qd_relay_write *write, uint32_t base, uint32_t lanes)
{
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t slot = base + (uint32_t)__builtin_ctz(lanes);
        float at[QD_RELAY_AXES] = {0};

        for (unsigned axis = 0; axis < state->axes; axis++) {
            at[axis] = write->at[axis][slot];
        }
        qd_relay_start(state, slot, at);
        write->exact[write->exact_count++] = slot;
    }
}

/* The bytes of the groups that the block and the waiting values make, at most. */
static size_t group_bytes(const group *waiting, const block *next, unsigned axes)
{
    const uint32_t count = waiting->count + (uint32_t)__builtin_popcount(next->sent);
    size_t sum = 2 * (size_t)((axes + 1) / 2);

    for (unsigned axis = 0; axis < axes; axis++) {
        uint32_t value[LANES];

        for (uint32_t i = 0; i < LANES; i++) {
            value[i] = i < waiting->count ? waiting->value[axis][i] : 0;
            value[i] |= (next->sent >> i & 1) != 0 ? next->value[axis][i] : 0;
        }
        sum += (count * (size_t)qd_relay_width[code_for(value)] + 7) / 8 + 1;
    }
    return sum;
}

/* Whether the blob and its exact entries keep bytes_max with another block; the groups in front take `bytes`. */
static bool fits(const qd_relay_write *write, size_t bytes, uint32_t base, const group *waiting, const block *next,
                 unsigned axes)
{
    const uint32_t exact = write->exact_count + (uint32_t)__builtin_popcount(next->exact);
    const size_t words = (base - write->first) / LANES + 1;

    return qd_relay_presence_max(words) + bytes + group_bytes(waiting, next, axes) + QD_RELAY_TAIL +
               exact * qd_relay_exact_bytes(axes) <=
           write->bytes_max;
}

/* Leaves out the highest lanes of a block for which there are no bytes. Returns the lanes up to there. */
static uint32_t shrink(const qd_relay_write *write, size_t bytes, uint32_t base, const group *waiting, block *next,
                       unsigned axes)
{
    uint32_t lanes = UINT16_MAX;

    while ((next->sent | next->exact) != 0 && !fits(write, bytes, base, waiting, next, axes)) {
        lanes = (1u << (31 - __builtin_clz(next->sent | next->exact))) - 1;
        next->sent &= lanes;
        next->exact &= lanes;
    }
    return lanes;
}

/* Writes the last group, the zeros and the beginning for so many words, and clears them. */
static void finish(qd_relay_write *write, group *waiting, uint8_t *groups, uint8_t *to, unsigned axes, size_t words)
{
    uint16_t *const sent = write->due + write->first / LANES;

    write->blob = write->buffer;
    write->size = 0;
    if (write->sent == 0) {
        return;
    }
    if (waiting->count > 0) {
        for (unsigned axis = 0; axis < axes; axis++) {
            memset(waiting->value[axis] + waiting->count, 0, (LANES - waiting->count) * sizeof waiting->value[axis][0]);
        }
        to = put_group(to, waiting->value, axes, waiting->count);
    }
    memset(to, 0, QD_RELAY_TAIL);
    write->blob = qd_relay_presence_put(groups, sent, words, write->first, write->sent);
    write->size = (size_t)(to - write->blob) + QD_RELAY_TAIL;
    memset(sent, 0, words * sizeof *sent);
}

INLINE uint8_t *put_block(uint8_t *to, group *waiting, block *from, unsigned axes, const lane_code *lanes)
{
    const uint32_t count = waiting->count + (uint32_t)__builtin_popcount(from->sent);

    if (from->sent == UINT16_MAX && waiting->count == 0) {
        return put_group(to, from->value, axes, LANES);
    }
    for (unsigned axis = 0; axis < axes; axis++) {
        lanes->append(from->value[axis], from->sent, waiting->count, waiting->value[axis], waiting->more[axis]);
    }
    waiting->count = count % LANES;
    if (count >= LANES) {
        to = put_group(to, waiting->value, axes, LANES);
        memcpy(waiting->value, waiting->more, sizeof waiting->value);
    }
    return to;
}

INLINE void write_axes(qd_relay_state *state, qd_relay_write *write, unsigned axes, const lane_code *lanes)
{
    const uint32_t end = write->first + slots_of_blob(state->count - write->first);
    const bool is_limited = write->bytes_max < bytes_ever(axes, end - write->first);
    const float scale = qd_relay_scale(state->k);
    uint8_t *const groups = write->buffer + qd_relay_presence_max((end - write->first + LANES - 1) / LANES);
    uint8_t *to = groups;
    uint32_t rest = 0; /* the lanes of the last block for which there are no bytes */
    group waiting = {.count = 0};
    block next;

    write->sent = write->exact_count = 0;
    write->next = end;
    for (uint32_t base = write->first; base < end; base += LANES) {
        const uint32_t due = write->due[base / LANES];

        if (due == 0) {
            continue;
        }
        lanes->compute(state, write, base, axes, scale, &next);
        next.sent &= due;
        next.exact &= due;
        if (is_limited) {
            rest = due & ~shrink(write, (size_t)(to - groups), base, &waiting, &next, axes);
        }
        write->due[base / LANES] = (uint16_t)next.sent;
        write->sent += (uint32_t)__builtin_popcount(next.sent);
        put_exact(state, write, base, next.exact);
        if (next.sent != 0) {
            lanes->keep(state, base, axes, &next);
            to = put_block(to, &waiting, &next, axes, lanes);
        }
        if (rest != 0) {
            write->next = base;
            break;
        }
    }
    finish(write, &waiting, groups, to, axes, (write->next - write->first + LANES - 1) / LANES + (rest != 0 ? 1 : 0));
    if (rest != 0) {
        write->due[write->next / LANES] = (uint16_t)rest;
    }
}

INLINE void write_blob(qd_relay_state *state, qd_relay_write *write, const lane_code *lanes)
{
    if (state->axes == 3) {
        write_axes(state, write, 3, lanes);
    } else {
        write_axes(state, write, 2, lanes);
    }
}

static void write_portable(qd_relay_state *state, qd_relay_write *write)
{
    write_blob(state, write, &(lane_code){compute_portable, keep_portable, append_portable});
}

#if defined(__x86_64__)
AVX2 static void write_avx2(qd_relay_state *state, qd_relay_write *write)
{
    write_blob(state, write, &(lane_code){compute_avx2, keep_avx2, append_portable});
}

AVX512 static void write_avx512(qd_relay_state *state, qd_relay_write *write)
{
    write_blob(state, write, &(lane_code){compute_avx512, keep_avx512, append_avx512});
}
#endif

qd_relay_writer *qd_relay_writer_at(unsigned index)
{
    if (index == 0) {
        return write_portable;
    }
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (index == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
        return write_avx2;
    }
    if (index == 2 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("bmi2")) {
        return write_avx512;
    }
#endif
    return NULL;
}

void qd_relay_write_blob(qd_relay_state *state, qd_relay_write *write)
{
    static qd_relay_writer *_Atomic chosen;
    qd_relay_writer *writer = chosen;

    if (writer == NULL) {
        writer = write_portable;
        for (unsigned i = 0; i < 3; i++) {
            writer = qd_relay_writer_at(i) != NULL ? qd_relay_writer_at(i) : writer;
        }
        chosen = writer;
    }
    writer(state, write);
}
