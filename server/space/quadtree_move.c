/* SPDX-License-Identifier: Apache-2.0 */
#include "quadtree_move.h"

/* It is still in a leaf, or lies astride the middle lines of a larger cell as it did, one step on: then its row is no
 * longer than it has to be. */
static inline bool stays(const qd_index *index, const qd_record *record, const qd_row *bounds, const float *before)
{
    typedef uint32_t ints __attribute__((vector_size(16)));
    const qd_quadtree *tree = (const qd_quadtree *)index;
    const uint32_t place = record->place, shift = QD_FRAME_BITS - tree->depth + qd_place_height(place);
    const ints cell = QD_FOUR(qd_place_number(place, 0), qd_place_number(place, 1), qd_place_number(place, 2));
    qd_numbers at = qd_frame_numbers(&tree->frame, bounds);
    ints out = {0};
    for (uint32_t four = 0; four < QD_FOURS; four++) {
        ints number;
        memcpy(&number, &at.v[4 * four], sizeof number);
        out |= (number >> shift) ^ cell;
    }
    uint64_t outside[2];
    memcpy(outside, &out, sizeof out);
    if ((outside[0] | outside[1]) != 0) {
        return false;
    }
    if (QD_LIKELY(qd_place_is_leaf(place))) {
        return true;
    }
    uint32_t astride = 0;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        astride |= at.v[k] ^ at.v[QD_ROW_HIGH + k];
    }
    return astride >> (shift - 1) != 0 && qd_move_is_step(record, bounds, before);
}

void qd_quadtree_move(qd_index *index, size_t count, const uint32_t *slots, const float *const *at)
{
    qd_aside aside;
    aside.count = 0;
    size_t done = 0;
#if defined(QD_MOVE_AVX512)
    if (qd_kernel_chosen() == &qd_kernel_avx512) {
        done = qd_quadtree_move_avx512((qd_quadtree *)index, count, slots, at, &aside);
    }
#endif
    qd_move_each(index, done, count, slots, at, &aside, stays);
    qd_aside_resolve(index, &aside);
}
