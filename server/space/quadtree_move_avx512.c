/* SPDX-License-Identifier: Apache-2.0 */
#include "quadtree_move.h"

#if defined(QD_MOVE_AVX512)
#include <immintrin.h>

#include "../base/assert.h"

/* What is the same for all fours. A lane is a quarter of a register: one body, and its four edges. */
typedef struct constants {
    __m512 origin, scale, last, sign;
    __m512i shift_base, cell_shift, leaf, one_each;
} constants;

/* Four bodies: as they were moved to last (x, y, half_x, half_y), their index data (row, place, change, state), where
 * they move now (x, y, x, y), and the rows that makes. */
typedef struct four {
    __m512 before, centre, row;
    __m512i state;
} four;

static constants constants_of(const qd_quadtree *tree)
{
    const qd_frame *frame = &tree->frame;
    const float *first = frame->origin;
    __m128 origin = _mm_setr_ps(first[0], first[1], first[0], first[1]);
    return (constants){
        .origin = _mm512_broadcast_f32x4(origin),
        .scale = _mm512_set1_ps(frame->scale),
        .last = _mm512_set1_ps((float)QD_FRAME_LAST),
        .sign = _mm512_broadcast_f32x4(_mm_setr_ps(-0.0f, -0.0f, 0, 0)),
        .shift_base = _mm512_set1_epi32((int)(QD_FRAME_BITS - tree->depth)),
        .cell_shift = _mm512_broadcast_i32x4(_mm_setr_epi32(QD_PLACE_BITS, 0, QD_PLACE_BITS, 0)),
        .leaf = _mm512_set1_epi32(1 << 24),
        .one_each = _mm512_setr_epi32(0, 16, 0, 16, 1, 17, 1, 17, 2, 18, 2, 18, 3, 19, 3, 19),
    };
}

/* Half `part` of four records, a lane each. */
static inline __m512i quarters(const qd_record *records, const uint32_t *slots, uint32_t part)
{
    __m512i all = _mm512_castsi128_si512(_mm_load_si128((const __m128i *)(const void *)&records[slots[0]] + part));
    all = _mm512_inserti32x4(all, _mm_load_si128((const __m128i *)(const void *)&records[slots[1]] + part), 1);
    all = _mm512_inserti32x4(all, _mm_load_si128((const __m128i *)(const void *)&records[slots[2]] + part), 2);
    return _mm512_inserti32x4(all, _mm_load_si128((const __m128i *)(const void *)&records[slots[3]] + part), 3);
}

/* Backends that name their entities in the order in which they spawned them are many: then the four are neighbours. */
static inline void load(const qd_record *records, const uint32_t *slots, four *next)
{
    const __m128i four_slots = _mm_loadu_si128((const __m128i *)(const void *)slots);
    const __m128i in_order = _mm_add_epi32(_mm_set1_epi32((int)slots[0]), _mm_setr_epi32(0, 1, 2, 3));
    if (QD_LIKELY(_mm_cmpneq_epi32_mask(four_slots, in_order) == 0)) {
        __m512i first = _mm512_loadu_si512(&records[slots[0]]), second = _mm512_loadu_si512(&records[slots[2]]);
        next->before = _mm512_castsi512_ps(_mm512_shuffle_i32x4(first, second, 0x88));
        next->state = _mm512_shuffle_i32x4(first, second, 0xdd);
    } else {
        next->before = _mm512_castsi512_ps(quarters(records, slots, 0));
        next->state = quarters(records, slots, 1);
    }
}

/* Of the bits of each lane the first: whether any is set. */
static inline uint32_t any_of_two(uint32_t mask)
{
    return (mask | mask >> 1) & 0x1111;
}

/* A lane each. */
static inline __m512 radii(const qd_bodies *bodies, const uint32_t *slots)
{
    __m128 all = _mm_setr_ps(qd_bodies_radius(bodies, slots[0]), qd_bodies_radius(bodies, slots[1]),
                             qd_bodies_radius(bodies, slots[2]), qd_bodies_radius(bodies, slots[3]));
    const __m512i lanes = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return _mm512_permutexvar_ps(lanes, _mm512_castps128_ps512(all));
}

/* `half`, but of the round ones, whose lanes are given, how far they reach: as in qd_row_of_circle and _capsule. */
static inline __m512 reach_of(const qd_bodies *bodies, const uint32_t *slots, const four *at, __m512 half,
                              __m512i shape, __mmask16 round)
{
    __m512 reach = _mm512_mask_permute_ps(half, round, at->before, _MM_PERM_CCCC);
    uint32_t capsule = _mm512_mask_cmpeq_epi32_mask(0x8888, shape, _mm512_set1_epi32(QD_SPACE_CAPSULE << 8));
    if (capsule != 0) {
        __m512 sum = _mm512_add_ps(_mm512_abs_ps(half), radii(bodies, slots));
        __mmask16 lanes = (__mmask16)((capsule >> 3) * 15);
        reach = _mm512_mask_mul_ps(reach, lanes, sum, _mm512_set1_ps(1 + 0x1p-22f));
    }
    return reach;
}

/* Makes the rows. A bit, or some, of a lane's four where the body does not stay in its cell, which is `stays` of
 * quadtree_move.c for four at a time. */
static inline uint32_t leaving(const constants *c, const qd_bodies *bodies, const uint32_t *slots, four *at)
{
    __m512 half = _mm512_castsi512_ps(_mm512_shuffle_epi32(_mm512_castps_si512(at->before), _MM_PERM_DCDC));
    __m512 reach = half;
    __m512i shape = _mm512_and_si512(at->state, _mm512_set1_epi32(0xff00));
    uint32_t round = _mm512_mask_cmpneq_epi32_mask(0x8888, shape, _mm512_set1_epi32(QD_SPACE_BOX << 8));
    if (round != 0) {
        __mmask16 lanes = (__mmask16)((round >> 3) * 15);
        half = reach_of(bodies, slots, at, half, shape, lanes);
        __m512 far = _mm512_add_ps(_mm512_abs_ps(at->centre), half);
        reach = _mm512_mask_add_ps(half, lanes, half, _mm512_mul_ps(far, _mm512_set1_ps(0x1p-22f)));
    }
    __m512 bounds = _mm512_add_ps(at->centre, _mm512_xor_ps(reach, c->sign));
    at->row = bounds;
    if (round != 0) {
        at->row = _mm512_mask_mov_ps(at->row, (__mmask16)((round >> 3) * 3), at->centre);
        at->row = _mm512_mask_mov_ps(at->row, (__mmask16)((round >> 3) * 12), half);
    }
    __m512 scaled = _mm512_mul_ps(_mm512_sub_ps(bounds, c->origin), c->scale);
    scaled = _mm512_min_ps(_mm512_max_ps(scaled, _mm512_setzero_ps()), c->last);
    __m512i number = _mm512_cvttps_epi32(scaled);
    __m512i place = _mm512_shuffle_epi32(at->state, _MM_PERM_BBBB);
    __m512i shift = _mm512_add_epi32(c->shift_base, _mm512_srli_epi32(place, 28));
    __m512i cell =
        _mm512_and_si512(_mm512_srlv_epi32(place, c->cell_shift), _mm512_set1_epi32((1 << QD_PLACE_BITS) - 1));
    uint32_t out = _mm512_cmpneq_epi32_mask(_mm512_srlv_epi32(number, shift), cell);
    uint32_t inner = _mm512_mask_testn_epi32_mask(0x1111, place, c->leaf);
    /* Done for leaves, too: a branch would be foreseen too seldom. */
    __m512i apart = _mm512_xor_si512(number, _mm512_shuffle_epi32(number, _MM_PERM_BADC));
    apart = _mm512_srlv_epi32(apart, _mm512_sub_epi32(shift, _mm512_set1_epi32(1)));
    uint32_t astride = any_of_two(_mm512_test_epi32_mask(apart, apart));
    __m512 step = _mm512_abs_ps(_mm512_sub_ps(at->centre, _mm512_permute_ps(at->before, _MM_PERM_BABA)));
    __m512 size = _mm512_sub_ps(_mm512_permute_ps(bounds, _MM_PERM_DCDC), bounds);
    uint32_t far = any_of_two(_mm512_cmp_ps_mask(step, size, _CMP_GT_OQ));
    return out | (inner & (far | (~astride & 0x1111)));
}

static inline void check_slots(const uint32_t *slots, __m128i used)
{
    QD_ASSERT(_mm_cmpge_epu32_mask(_mm_loadu_si128((const __m128i *)(const void *)slots), used) == 0);
}

/* A body's new centre, and its row. */
static inline void store(qd_record *record, __m128 centre, qd_row *now, __m128 row)
{
    _mm_storel_pi((__m64 *)(void *)record->at, centre);
    _mm_store_ps(now->v, row);
}

/* Rows are written in place also where their bodies leave: they are taken from there by what the records say. */
static inline __attribute__((always_inline)) size_t move_fours(qd_quadtree *tree, size_t count, const uint32_t *slots,
                                                               const float *const *at, qd_aside *aside, bool marks)
{
    const constants c = constants_of(tree);
    qd_rows *rows = tree->index.rows;
    qd_record *records = tree->index.bodies->record;
    const __m128i used = _mm_set1_epi32((int)tree->index.bodies->used);
    const bool is_large = tree->index.bodies->used > QD_MOVE_PREFETCH_FROM;
    const float *at_x = at[0], *at_y = at[1];
    qd_row *now = rows->now;
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        check_slots(slots + i, used);
        if (is_large && i + QD_MOVE_PREFETCH_RECORD + 4 <= count) {
            check_slots(slots + i + QD_MOVE_PREFETCH_ROW, used);
            for (size_t k = 0; k < 4; k++) {
                qd_move_prefetch(&tree->index, slots + i + k, marks);
            }
        }
        four next;
        load(records, slots + i, &next);
        next.centre = _mm512_permutex2var_ps(_mm512_castps128_ps512(_mm_loadu_ps(at_x + i)), c.one_each,
                                             _mm512_castps128_ps512(_mm_loadu_ps(at_y + i)));
        QD_ASSERT(_mm512_mask_cmpneq_epi32_mask(0x8888, _mm512_and_si512(next.state, _mm512_set1_epi32(0xff)),
                                                _mm512_set1_epi32(QD_RECORD_LIVE)) == 0);
        uint32_t out = leaving(&c, tree->index.bodies, slots + i, &next);
        qd_record *a = &records[slots[i]], *b = &records[slots[i + 1]];
        qd_record *d = &records[slots[i + 2]], *e = &records[slots[i + 3]];
        store(a, _mm512_castps512_ps128(next.centre), &now[a->row], _mm512_castps512_ps128(next.row));
        store(b, _mm512_extractf32x4_ps(next.centre, 1), &now[b->row], _mm512_extractf32x4_ps(next.row, 1));
        store(d, _mm512_extractf32x4_ps(next.centre, 2), &now[d->row], _mm512_extractf32x4_ps(next.row, 2));
        store(e, _mm512_extractf32x4_ps(next.centre, 3), &now[e->row], _mm512_extractf32x4_ps(next.row, 3));
        if (marks) {
            for (size_t k = 0; k < 4; k++) {
                qd_rows_mark(rows, records[slots[i + k]].row);
            }
        }
        out |= out >> 1;
        out = _pext_u32(out | out >> 2, 0x1111);
        __m128i leavers = _mm_maskz_compress_epi32((__mmask8)out, _mm_loadu_si128((const void *)(slots + i)));
        _mm_storeu_si128((void *)(aside->slot + aside->count), leavers);
        aside->count += (uint32_t)_mm_popcnt_u32(out);
        if (QD_UNLIKELY(aside->count > QD_ASIDE_MAX - 4)) {
            qd_aside_resolve(&tree->index, aside);
            now = rows->now;
        }
    }
    return i;
}

size_t qd_quadtree_move_avx512(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *const *at,
                               qd_aside *aside)
{
    _Static_assert(sizeof(qd_record) == 32 && offsetof(qd_record, row) == 16 && offsetof(qd_record, place) == 20 &&
                       offsetof(qd_record, state) == 28 && offsetof(qd_record, shape) == 29,
                   "load and leaving know where the fields are");
    return tree->index.rows->all ? move_fours(tree, count, slots, at, aside, false)
                                 : move_fours(tree, count, slots, at, aside, true);
}
#endif
