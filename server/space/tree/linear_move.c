/* SPDX-License-Identifier: Apache-2.0 */
#include "linear_move.h"

#define LOOK_AHEAD 8u

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

bool qd_quadtree_look(qd_quadtree *tree, uint32_t slot, qd_leaver *leaver)
{
    qd_index *index = &tree->index;
    const qd_record *record = &index->bodies->record[slot];

    if (QD_UNLIKELY(record->change != QD_NONE)) {
        qd_registry_update(index->registry, slot);
        return false;
    }
    const bool is_round = record->shape != QD_SPACE_BOX;
    const qd_row now = qd_bodies_row(index->bodies, slot), bounds = qd_row_bounds(&now, is_round);
    const qd_row was = qd_row_bounds(qd_row_was(index->rows, record->row), is_round);
    const qd_row both = qd_row_union(&bounds, &was);
    uint32_t place, cell = qd_quadtree_cell_of(tree, &both, &place), place_now = place;
    if (!qd_place_is_leaf(place)) {
        if (!qd_boxes_overlap(&bounds, &was)) {
            qd_registry_update(index->registry, slot);
            return false;
        }
        (void)qd_quadtree_cell_of(tree, &bounds, &place_now);
    }
    *qd_row_now(index->rows, record->row) = now;
    qd_rows_mark(index->rows, record->row);
    *leaver = (qd_leaver){slot, cell, qd_leaver_note(place, place_now != place ? QD_LEAVE_STRETCHED : QD_LEAVE_WHOLE)};
    return place != record->place;
}

static const qd_cell *cell_now(const qd_index *index, uint32_t slot)
{
    return &index->cell[index->rows->info[index->bodies->record[slot].row / QD_BLOCK_ROWS].cell];
}

/* A slot may come twice. */
static void leave_one(qd_quadtree *tree, qd_leaver each)
{
    if (qd_leaver_how(&each) == QD_LEAVE_ODD && !qd_quadtree_look(tree, each.slot, &each)) {
        return;
    }
    const qd_record *record = &tree->index.bodies->record[each.slot];
    const uint32_t place = qd_leaver_place(&each);
    if (qd_leaver_how(&each) == QD_LEAVE_SPLIT && record->change == QD_NONE) {
        qd_registry_split(tree->index.registry, each.slot, each.cell, place);
    } else if (record->place != place) {
        bool is_stretched = qd_leaver_how(&each) == QD_LEAVE_STRETCHED;

        qd_registry_transfer(tree->index.registry, each.slot, each.cell, place, is_stretched);
    }
}

void qd_quadtree_leave_fetch(const qd_index *index, const qd_leaver *leavers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        qd_rows_fetch(index->rows, index->bodies->record[leavers[i].slot].row);
        __builtin_prefetch(&index->cell[leavers[i].cell], 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        __builtin_prefetch(cell_now(index, leavers[i].slot), 1);
    }
}

void qd_quadtree_leave_fetch_lists(const qd_index *index, const qd_leaver *leaver)
{
    qd_rows_fetch_last(index->rows, &index->cell[leaver->cell]);
    if (qd_leaver_how(leaver) != QD_LEAVE_SPLIT) {
        qd_rows_fetch_last(index->rows, cell_now(index, leaver->slot));
    }
}

void qd_quadtree_leave(qd_index *index, const qd_leaver *leavers, uint32_t count)
{
    const bool is_large = index->bodies->used > QD_MOVE_PREFETCH_FROM;

    if (is_large) {
        qd_quadtree_leave_fetch(index, leavers, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (is_large && i + QD_LEAVE_AHEAD < count) {
            qd_quadtree_leave_fetch_lists(index, &leavers[i + QD_LEAVE_AHEAD]);
        }
        leave_one((qd_quadtree *)index, leavers[i]);
    }
}

/* In two steps, so that each finds what it needs near. */
static void resolve(qd_index *index, qd_aside *aside)
{
    qd_quadtree *tree = (qd_quadtree *)index;
    const bool is_large = index->bodies->used > QD_MOVE_PREFETCH_FROM;
    qd_leaver leavers[QD_ASIDE_MAX];
    uint32_t count = 0;

    for (uint32_t i = 0; i < aside->count; i++) {
        if (is_large && i + LOOK_AHEAD < aside->count) {
            qd_rows_fetch(index->rows, index->bodies->record[aside->slot[i + LOOK_AHEAD]].row);
        }
        count += qd_quadtree_look(tree, aside->slot[i], &leavers[count]);
    }
    aside->count = 0;
    qd_quadtree_leave(index, leavers, count);
}

void qd_quadtree_move(qd_index *index, size_t count, const uint32_t *slots, const float *const *at)
{
    qd_aside aside;

    aside.count = 0;
    size_t done = 0;
#if defined(__x86_64__)
    if (qd_kernel_chosen() == &qd_kernel_avx512) {
        done = qd_quadtree_move_avx512((qd_quadtree *)index, count, slots, at);
    } else if (qd_kernel_chosen() == &qd_kernel_avx2) {
        done = qd_quadtree_move_avx2((qd_quadtree *)index, count, slots, at);
    }
#endif
    qd_move_each(index, done, count, slots, at, &aside, stays, resolve);
    resolve(index, &aside);
}

uint32_t qd_quadtree_move_within(qd_index *index, size_t count, const uint32_t *slots, const float *const *at,
                                 qd_leaver *leavers)
{
    uint32_t left = 0;
    size_t done = 0;
#if defined(__x86_64__)
    if (qd_kernel_chosen() == &qd_kernel_avx512) {
        done = qd_quadtree_within_avx512((qd_quadtree *)index, count, slots, at, leavers, &left);
    } else if (qd_kernel_chosen() == &qd_kernel_avx2) {
        done = qd_quadtree_within_avx2((qd_quadtree *)index, count, slots, at, leavers, &left);
    }
#endif
    for (size_t i = done; i < count; i++) {
        float before[QD_AXES];

        if (!qd_move_one(index, slots[i], at, i, stays, before)) {
            leavers[left++] = (qd_leaver){slots[i], 0, qd_leaver_note(0, QD_LEAVE_ODD)};
        }
    }
    return left;
}
