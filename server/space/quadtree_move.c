/* SPDX-License-Identifier: Apache-2.0 */
#include "quadtree_move.h"

#include <string.h>

#include "../base/assert.h"

typedef int64_t long2 __attribute__((vector_size(16)));

static inline bool is_in_place(qd_int4 number, uint32_t place, uint32_t depth)
{
    int shift = (int)(QD_FRAME_BITS - depth + (place >> 28));
    int x = (int)(place >> 12 & 0xfffu), y = (int)(place & 0xfffu);
    long2 other = (long2)((number >> shift) ^ (qd_int4){x, y, x, y});
    return (other[0] | other[1]) == 0;
}

/* A box that straddles its cell's middle lines as before, and still overlaps where it was, belongs there too. */
static bool stays_astride(const qd_quadtree *tree, const qd_record *record)
{
    if (record->circle || qd_place_is_leaf(record->place)) {
        return false;
    }
    qd_row box = qd_record_row(record);
    qd_float4 edges;
    memcpy(&edges, &box, sizeof edges);
    qd_int4 number = qd_frame_numbers(&tree->frame, edges);
    uint32_t half = QD_FRAME_BITS - tree->depth + (record->place >> 28) - 1;
    bool astride = ((number[0] ^ number[2]) | (number[1] ^ number[3])) >> half != 0;
    return astride && is_in_place(number, record->place, tree->depth) &&
           qd_boxes_overlap(&box, qd_row_was(tree->rows, record->row));
}

void qd_aside_resolve(qd_quadtree *tree, qd_aside *aside)
{
    for (uint32_t i = 0; i < aside->count; i++) {
        const qd_record *record = &tree->bodies->record[aside->slot[i]];
        if (stays_astride(tree, record)) {
            *qd_row_now(tree->rows, record->row) = qd_record_row(record);
            qd_rows_mark(tree->rows, record->row);
        } else {
            qd_quadtree_update(tree, aside->slot[i]);
        }
    }
    aside->count = 0;
}

static void move_each(qd_quadtree *tree, size_t first, size_t count, const uint32_t *slots, const float *x,
                      const float *y, qd_aside *aside)
{
    const bool is_large = tree->bodies->used > QD_MOVE_PREFETCH_FROM;
    for (size_t i = first; i < count; i++) {
        if (is_large) {
            qd_move_prefetch(tree, slots, i, count);
        }
        QD_ASSERT(slots[i] < tree->bodies->used);
        qd_record *record = &tree->bodies->record[slots[i]];
        QD_ASSERT(record->state == QD_RECORD_LIVE);
        record->x = x[i];
        record->y = y[i];
        qd_float4 centre = {x[i], y[i], x[i], y[i]};
        qd_float4 half = {-record->half_x, -record->half_y, record->half_x, record->half_y};
        qd_float4 row = centre + half;
        if (QD_LIKELY(!record->circle && qd_place_is_leaf(record->place) &&
                      is_in_place(qd_frame_numbers(&tree->frame, row), record->place, tree->depth))) {
            memcpy(qd_row_now(tree->rows, record->row), &row, sizeof row);
            qd_rows_mark(tree->rows, record->row);
        } else {
            qd_aside_put(tree, aside, slots[i]);
        }
    }
}

void qd_quadtree_move(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *x, const float *y)
{
    qd_aside aside;
    aside.count = 0;
    size_t done = 0;
#if defined(__x86_64__)
    if (qd_kernel_chosen() == &qd_kernel_avx512) {
        done = qd_quadtree_move_avx512(tree, count, slots, x, y, &aside);
    }
#endif
    move_each(tree, done, count, slots, x, y, &aside);
    qd_aside_resolve(tree, &aside);
}
