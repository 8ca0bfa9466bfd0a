/* SPDX-License-Identifier: Apache-2.0 */
#include "linear.h"

#include "../../../base/ablation.h"
#include "../../kernel/choose.h"
#include "../../move/move.h"
#include "../../move/move_simd.h"

#define LOOK_AHEAD 8u

/* It is still in a leaf, or lies astride the middle lines of a larger cell as it did, one step on: then its row is no
 * longer than it has to be. */
static inline bool stays(const qd_index *index, const qd_record *record, const qd_row *bounds, const float *before)
{
    typedef uint32_t ints __attribute__((vector_size(16)));
    const qd_linear *tree = (const qd_linear *)index;
    const uint32_t cell_key = record->cell_key, shift = QD_QUANTIZER_BITS - tree->depth + qd_cell_key_height(cell_key);
    const ints cell =
        QD_FOUR(qd_cell_key_number(cell_key, 0), qd_cell_key_number(cell_key, 1), qd_cell_key_number(cell_key, 2));
    qd_numbers at = qd_quantizer_numbers(&tree->quantizer, bounds);
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
    if (QD_LIKELY(qd_cell_key_is_leaf(cell_key))) {
        return true;
    }
    uint32_t astride = 0;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        astride |= at.v[k] ^ at.v[QD_ROW_HIGH + k];
    }
    return astride >> (shift - 1) != 0 && qd_move_is_step(record, bounds, before);
}

/* Where a body that may have left its cell belongs. False: it stays. */
static bool look(const qd_linear *tree, uint32_t slot, qd_mover *mover)
{
    const qd_index *index = &tree->index;
    const qd_record *record = &index->bodies->record[slot];

    *mover = (qd_mover){slot, qd_mover_to(0, QD_MOVE_UPDATE), 0};
    if (QD_UNLIKELY(record->change != QD_NONE)) {
        return true;
    }
    const bool is_round = record->shape != QD_SPACE_BOX;
    const qd_row now = qd_bodies_row(index->bodies, slot), bounds = qd_row_bounds(&now, is_round);
    const qd_row was = qd_row_bounds(qd_row_was(index->rows, record->row), is_round);
    const qd_row both = qd_row_union(&bounds, &was);
    uint32_t cell_key, cell = qd_linear_cell_of(tree, &both, &cell_key);

    if (!qd_cell_key_is_leaf(cell_key) && !qd_boxes_overlap(&bounds, &was)) {
        return true;
    }
    *qd_row_now(index->rows, record->row) = now;
    qd_rows_set_changed(index->rows, record->row);
    *mover = (qd_mover){slot, qd_mover_to(cell, QD_MOVE_WHOLE), cell_key};
    return cell_key != record->cell_key;
}

/* Keeps those that leave their cells, and notes where they go. A step of its own, so that it can prefetch. */
static void look_each(const qd_linear *tree, qd_movers *movers)
{
    const qd_index *index = &tree->index;
    const bool is_large = qd_moves_prefetch(index->bodies);
    const uint32_t count = movers->count;

    movers->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (is_large && i + LOOK_AHEAD < count) {
            qd_rows_fetch(index->rows, index->bodies->record[movers->each[i + LOOK_AHEAD].slot].row);
        }
        movers->count += look(tree, movers->each[i].slot, &movers->each[movers->count]);
    }
}

#if defined(__x86_64__)
/* Looks for cells only after all have moved, so that a slot may come twice. */
static size_t move_by_registers(qd_index *index, bool is_avx512, size_t count, const uint32_t *slots,
                                const float *const *at, qd_movers *movers)
{
    qd_linear *tree = (qd_linear *)index;
    qd_left left;

    left.count = 0;
    size_t done = (is_avx512 ? qd_linear_move_avx512 : qd_linear_move_avx2)(tree, count, slots, at, &left);
    if (done == 0 || count - done < QD_LEFT_STEP) {
        done = qd_move_each(index, done, count, slots, at, movers, stays);
    }
    for (; left.count > 0 && QD_WITHOUT(SIMD_LOCATE); left.count--) {
        movers->each[movers->count++].slot = left.slot[left.count - 1];
    }
    look_each(tree, movers);
    if (left.count > 0) {
        (is_avx512 ? qd_linear_look_avx512 : qd_linear_look_avx2)(tree, &left, movers);
    }
    return done;
}
#endif

size_t qd_linear_move(qd_index *index, size_t count, const uint32_t *slots, const float *const *at, qd_movers *movers)
{
#if defined(__x86_64__)
    const qd_kernel *kernel = qd_kernel_chosen();

    if (!QD_WITHOUT(SIMD_MOVES) && (kernel == &qd_kernel_avx512 || kernel == &qd_kernel_avx2)) {
        return move_by_registers(index, kernel == &qd_kernel_avx512, count, slots, at, movers);
    }
#endif
    const size_t done = qd_move_each(index, 0, count, slots, at, movers, stays);
    look_each((const qd_linear *)index, movers);
    return done;
}
