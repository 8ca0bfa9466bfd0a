/* SPDX-License-Identifier: Apache-2.0 */
#include "quadtree_move.h"

#include <string.h>

#include "../base/assert.h"

typedef int64_t long2 __attribute__((vector_size(16)));

/* Whether a body moved from its record to a new centre stays in its cell, with a row that is no longer than it has to
 * be: it is still in a leaf, or lies astride the middle lines of a larger cell as it did, one step on. */
static inline bool stays_in(const qd_quadtree *tree, const qd_record *record, const qd_row *bounds, float x, float y)
{
    qd_float4 edges;
    memcpy(&edges, bounds, sizeof edges);
    qd_int4 number = qd_frame_numbers(&tree->frame, edges);
    uint32_t place = record->place;
    int shift = (int)(QD_FRAME_BITS - tree->depth + (place >> 28));
    int cell_x = (int)(place >> 12 & 0xfffu), cell_y = (int)(place & 0xfffu);
    long2 out = (long2)((number >> shift) ^ (qd_int4){cell_x, cell_y, cell_x, cell_y});
    if ((out[0] | out[1]) != 0) {
        return false;
    }
    if (QD_LIKELY(qd_place_is_leaf(place))) {
        return true;
    }
    float half_y = record->circle ? record->half_x : record->half_y;
    bool astride = ((number[0] ^ number[2]) | (number[1] ^ number[3])) >> (shift - 1) != 0;
    return astride && fabsf(x - record->x) <= 2 * record->half_x && fabsf(y - record->y) <= 2 * half_y;
}

void qd_aside_resolve(qd_quadtree *tree, qd_aside *aside)
{
    for (uint32_t i = 0; i < aside->count; i++) {
        qd_quadtree_update(tree, aside->slot[i]);
    }
    aside->count = 0;
}

static void move_each(qd_quadtree *tree, size_t first, size_t count, const uint32_t *slots, const float *x,
                      const float *y, qd_aside *aside)
{
    const bool is_large = tree->bodies->used > QD_MOVE_PREFETCH_FROM;
    for (size_t i = first; i < count; i++) {
        if (is_large && i + QD_MOVE_PREFETCH_RECORD < count) {
            QD_ASSERT(slots[i + QD_MOVE_PREFETCH_ROW] < tree->bodies->used);
            qd_move_prefetch(tree, slots + i);
        }
        QD_ASSERT(slots[i] < tree->bodies->used);
        qd_record *record = &tree->bodies->record[slots[i]];
        QD_ASSERT(record->state == QD_RECORD_LIVE);
        qd_row row, bounds;
        if (QD_LIKELY(!record->circle)) {
            row = bounds = qd_row_of_box(x[i], y[i], record->half_x, record->half_y);
        } else {
            row = qd_row_of_circle(x[i], y[i], record->half_x);
            bounds = qd_circle_bounds(&row);
        }
        bool stays = stays_in(tree, record, &bounds, x[i], y[i]);
        record->x = x[i];
        record->y = y[i];
        if (QD_LIKELY(stays)) {
            *qd_row_now(tree->rows, record->row) = row;
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
