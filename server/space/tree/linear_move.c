/* SPDX-License-Identifier: Apache-2.0 */
#include "linear_move.h"

#include "../kernel/choose.h"

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

bool qd_linear_look(qd_linear *tree, uint32_t slot, qd_mover *mover)
{
    qd_index *index = &tree->index;
    const qd_record *record = &index->bodies->record[slot];

    if (QD_UNLIKELY(record->change != QD_NONE)) {
        qd_proxies_update(index->proxies, slot);
        return false;
    }
    const bool is_round = record->shape != QD_SPACE_BOX;
    const qd_row now = qd_bodies_row(index->bodies, slot), bounds = qd_row_bounds(&now, is_round);
    const qd_row was = qd_row_bounds(qd_row_was(index->rows, record->row), is_round);
    const qd_row both = qd_row_union(&bounds, &was);
    uint32_t cell_key, cell = qd_linear_cell_of(tree, &both, &cell_key), cell_key_now = cell_key;
    if (!qd_cell_key_is_leaf(cell_key)) {
        if (!qd_boxes_overlap(&bounds, &was)) {
            qd_proxies_update(index->proxies, slot);
            return false;
        }
        (void)qd_linear_cell_of(tree, &bounds, &cell_key_now);
    }
    *qd_row_now(index->rows, record->row) = now;
    qd_rows_set_changed(index->rows, record->row);
    *mover = (qd_mover){slot, cell, qd_mover_note(cell_key, cell_key_now != cell_key ? QD_MOVE_LOOSE : QD_MOVE_WHOLE)};
    return cell_key != record->cell_key;
}

static const qd_cell *cell_now(const qd_index *index, uint32_t slot)
{
    return &index->cell[index->rows->info[index->bodies->record[slot].row / QD_BLOCK_ROWS].cell];
}

/* A slot may come twice. */
static void leave_one(qd_linear *tree, qd_mover each)
{
    if (qd_mover_how(&each) == QD_MOVE_ODD && !qd_linear_look(tree, each.slot, &each)) {
        return;
    }
    const qd_record *record = &tree->index.bodies->record[each.slot];
    const uint32_t cell_key = qd_mover_place(&each);
    if (qd_mover_how(&each) == QD_MOVE_SPLIT && record->change == QD_NONE) {
        qd_proxies_split(tree->index.proxies, each.slot, each.cell, cell_key);
    } else if (record->cell_key != cell_key) {
        bool is_loose = qd_mover_how(&each) == QD_MOVE_LOOSE;

        qd_proxies_transfer(tree->index.proxies, each.slot, each.cell, cell_key, is_loose);
    }
}

/* Fetches what the leavers' way to their new cells reads. */
static void fetch_leavers(const qd_index *index, const qd_mover *movers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        qd_rows_fetch(index->rows, index->bodies->record[movers[i].slot].row);
        __builtin_prefetch(&index->cell[movers[i].cell], 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        __builtin_prefetch(cell_now(index, movers[i].slot), 1);
    }
}

static void fetch_lists(const qd_index *index, const qd_mover *mover)
{
    qd_rows_fetch_last(index->rows, &index->cell[mover->cell]);
    if (qd_mover_how(mover) != QD_MOVE_SPLIT) {
        qd_rows_fetch_last(index->rows, cell_now(index, mover->slot));
    }
}

void qd_linear_leave(qd_index *index, const qd_mover *movers, uint32_t count)
{
    const bool is_large = index->bodies->used > QD_MOVE_PREFETCH_FROM;

    if (is_large) {
        fetch_leavers(index, movers, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (is_large && i + LOOK_AHEAD < count) {
            fetch_lists(index, &movers[i + LOOK_AHEAD]);
        }
        leave_one((qd_linear *)index, movers[i]);
    }
}

/* In two steps, so that each finds what it needs near. */
static void resolve(qd_index *index, qd_aside *aside)
{
    qd_linear *tree = (qd_linear *)index;
    const bool is_large = index->bodies->used > QD_MOVE_PREFETCH_FROM;
    qd_mover movers[QD_ASIDE_MAX];
    uint32_t count = 0;

    for (uint32_t i = 0; i < aside->count; i++) {
        if (is_large && i + LOOK_AHEAD < aside->count) {
            qd_rows_fetch(index->rows, index->bodies->record[aside->slot[i + LOOK_AHEAD]].row);
        }
        count += qd_linear_look(tree, aside->slot[i], &movers[count]);
    }
    aside->count = 0;
    qd_linear_leave(index, movers, count);
}

void qd_linear_move(qd_index *index, size_t count, const uint32_t *slots, const float *const *at)
{
    qd_aside aside;

    aside.count = 0;
    size_t done = 0;
#if defined(__x86_64__)
    if (qd_kernel_chosen() == &qd_kernel_avx512) {
        done = qd_linear_move_avx512((qd_linear *)index, count, slots, at);
    } else if (qd_kernel_chosen() == &qd_kernel_avx2) {
        done = qd_linear_move_avx2((qd_linear *)index, count, slots, at);
    }
#endif
    qd_move_each(index, done, count, slots, at, &aside, stays, resolve);
    resolve(index, &aside);
}

uint32_t qd_linear_move_within(qd_index *index, size_t count, const uint32_t *slots, const float *const *at,
                               qd_mover *movers)
{
    uint32_t left = 0;
    size_t done = 0;
#if defined(__x86_64__)
    if (qd_kernel_chosen() == &qd_kernel_avx512) {
        done = qd_linear_within_avx512((qd_linear *)index, count, slots, at, movers, &left);
    } else if (qd_kernel_chosen() == &qd_kernel_avx2) {
        done = qd_linear_within_avx2((qd_linear *)index, count, slots, at, movers, &left);
    }
#endif
    for (size_t i = done; i < count; i++) {
        float before[QD_AXES];

        if (!qd_move_one(index, slots[i], at, i, stays, before)) {
            movers[left++] = (qd_mover){slots[i], 0, qd_mover_note(0, QD_MOVE_ODD)};
        }
    }
    return left;
}
