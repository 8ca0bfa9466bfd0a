/* SPDX-License-Identifier: Apache-2.0 */
#include "quadtree_move.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "../base/assert.h"

/* What is the same for all fours. A lane is a quarter of a register: one body, and its four edges. */
typedef struct constants {
    __m512 origin, scale, last, sign;
    __m512i shift_base, cell_shift, leaf, one_each;
} constants;

static constants constants_of(const qd_quadtree *tree)
{
    const qd_frame *frame = &tree->frame;
    __m128 origin = _mm_setr_ps(frame->origin_x, frame->origin_y, frame->origin_x, frame->origin_y);
    return (constants){
        .origin = _mm512_broadcast_f32x4(origin),
        .scale = _mm512_set1_ps(frame->scale),
        .last = _mm512_set1_ps((float)QD_FRAME_LAST),
        .sign = _mm512_broadcast_f32x4(_mm_setr_ps(-0.0f, -0.0f, 0, 0)),
        .shift_base = _mm512_set1_epi32((int)(QD_FRAME_BITS - tree->depth)),
        .cell_shift = _mm512_broadcast_i32x4(_mm_setr_epi32(12, 0, 12, 0)),
        .leaf = _mm512_set1_epi32(1 << 24),
        .one_each = _mm512_setr_epi32(0, 16, 0, 16, 1, 17, 1, 17, 2, 18, 2, 18, 3, 19, 3, 19),
    };
}

/* Half `part` of four records, a lane each. */
static inline __m512i quarters(qd_record *const *record, uint32_t part)
{
    __m512i all = _mm512_castsi128_si512(_mm_load_si128((const __m128i *)(const void *)record[0] + part));
    all = _mm512_inserti32x4(all, _mm_load_si128((const __m128i *)(const void *)record[1] + part), 1);
    all = _mm512_inserti32x4(all, _mm_load_si128((const __m128i *)(const void *)record[2] + part), 2);
    return _mm512_inserti32x4(all, _mm_load_si128((const __m128i *)(const void *)record[3] + part), 3);
}

/* A bit in a lane's four for each edge that is out of its cell, or any for a body that is not a box in a leaf. */
static inline uint32_t strangers(const constants *c, __m512 row, __m512i state)
{
    __m512 scaled = _mm512_mul_ps(_mm512_sub_ps(row, c->origin), c->scale);
    __m512i number = _mm512_cvttps_epi32(_mm512_min_ps(_mm512_max_ps(scaled, _mm512_setzero_ps()), c->last));
    __m512i place = _mm512_shuffle_epi32(state, _MM_PERM_BBBB);
    __m512i shift = _mm512_add_epi32(_mm512_srli_epi32(place, 28), c->shift_base);
    __m512i cell = _mm512_and_si512(_mm512_srlv_epi32(place, c->cell_shift), _mm512_set1_epi32(0xfff));
    uint32_t out = _mm512_cmpneq_epi32_mask(_mm512_srlv_epi32(number, shift), cell);
    uint32_t circle = _mm512_mask_test_epi32_mask(0x8888, state, _mm512_set1_epi32(0xff00));
    return out | circle | _mm512_testn_epi32_mask(place, c->leaf);
}

size_t qd_quadtree_move_avx512(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *x, const float *y,
                               qd_aside *aside)
{
    _Static_assert(sizeof(qd_record) == 32 && offsetof(qd_record, row) == 16 && offsetof(qd_record, place) == 20 &&
                       offsetof(qd_record, state) == 28 && offsetof(qd_record, circle) == 29,
                   "quarters and strangers know where the fields are");
    const constants c = constants_of(tree);
    qd_record *records = tree->bodies->record;
    const __m128i used = _mm_set1_epi32((int)tree->bodies->used);
    const bool is_large = tree->bodies->used > QD_MOVE_PREFETCH_FROM;
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        QD_ASSERT(_mm_cmpge_epu32_mask(_mm_loadu_si128((const __m128i *)(const void *)(slots + i)), used) == 0);
        if (is_large) {
            for (size_t k = 0; k < 4; k++) {
                qd_move_prefetch(tree, slots, i + k, count);
            }
        }
        qd_record *const record[4] = {&records[slots[i]], &records[slots[i + 1]], &records[slots[i + 2]],
                                      &records[slots[i + 3]]};
        __m512i state = quarters(record, 1);
        QD_ASSERT(_mm512_mask_cmpneq_epi32_mask(0x8888, _mm512_and_si512(state, _mm512_set1_epi32(0xff)),
                                                _mm512_set1_epi32(QD_RECORD_LIVE)) == 0);
        __m512 half = _mm512_castsi512_ps(_mm512_shuffle_epi32(quarters(record, 0), _MM_PERM_DCDC));
        __m512 centre = _mm512_permutex2var_ps(_mm512_castps128_ps512(_mm_loadu_ps(x + i)), c.one_each,
                                               _mm512_castps128_ps512(_mm_loadu_ps(y + i)));
        __m512 row = _mm512_add_ps(centre, _mm512_xor_ps(half, c.sign));
        uint32_t strange = strangers(&c, row, state);
        _Alignas(64) qd_row rows[4], centres[4];
        _mm512_store_ps(rows, row);
        _mm512_store_ps(centres, centre);
        for (uint32_t k = 0; k < 4; k++) {
            record[k]->x = centres[k].v[0];
            record[k]->y = centres[k].v[1];
            if (QD_LIKELY((strange >> 4 * k & 15) == 0)) {
                *qd_row_now(tree->rows, record[k]->row) = rows[k];
                qd_rows_mark(tree->rows, record[k]->row);
            } else {
                qd_aside_put(tree, aside, slots[i + k]);
            }
        }
    }
    return i;
}
#endif
