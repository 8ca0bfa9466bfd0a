/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving many. Nearly all that move stay in their cell: then the row is written, its block is marked, and nothing else
 * is touched. All four edges are handled at once, in a vector of four.
 */
#include <string.h>

#include "../base/assert.h"
#include "quadtree.h"

#define PREFETCH_RECORDS 32u
#define PREFETCH_ROWS    16u
#define PREFETCH_FROM    65536u /* bodies: with fewer, everything is near anyway */

typedef int64_t long2 __attribute__((vector_size(16)));

/* Whether a box of these numbers, whose was lies in the cell of a place, belongs there: in a leaf when it lies in it,
 * in another cell when it also straddles that cell's middle lines. */
static inline bool stays(qd_int4 number, uint32_t place, uint32_t depth)
{
    int shift = (int)(QD_FRAME_BITS - depth + (place >> 28));
    int x = (int)(place >> 12 & 0xfffu), y = (int)(place & 0xfffu);
    long2 other = (long2)((number >> shift) ^ (qd_int4){x, y, x, y});
    bool straddles = (((number[0] ^ number[2]) | (number[1] ^ number[3])) >> (shift - 1)) != 0;
    return ((other[0] | other[1]) == 0) & (qd_place_is_leaf(place) | straddles);
}

static inline void prefetch(const qd_quadtree *tree, const uint32_t *slots, size_t i, size_t count)
{
    const qd_record *records = tree->bodies->record;
    if (i + PREFETCH_RECORDS < count && slots[i + PREFETCH_RECORDS] < tree->bodies->used) {
        __builtin_prefetch(&records[slots[i + PREFETCH_RECORDS]], 1);
    }
    if (i + PREFETCH_ROWS < count && slots[i + PREFETCH_ROWS] < tree->bodies->used) {
        uint32_t row = records[slots[i + PREFETCH_ROWS]].row;
        __builtin_prefetch(qd_row_now(tree->rows, row), 1);
        __builtin_prefetch(&tree->rows->info[row / QD_BLOCK_ROWS], 1);
    }
}

void qd_quadtree_move(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *x, const float *y)
{
    qd_record *records = tree->bodies->record;
    const uint32_t used = tree->bodies->used;
    const bool is_large = used > PREFETCH_FROM;
    for (size_t i = 0; i < count; i++) {
        if (is_large) {
            prefetch(tree, slots, i, count);
        }
        QD_ASSERT(slots[i] < used);
        qd_record *record = &records[slots[i]];
        QD_ASSERT(record->state == QD_RECORD_LIVE);
        record->x = x[i];
        record->y = y[i];
        qd_float4 centre = {x[i], y[i], x[i], y[i]};
        qd_float4 half = {-record->half_x, -record->half_y, record->half_x, record->half_y};
        qd_float4 row = centre + half;
        qd_row box;
        memcpy(&box, &row, sizeof box);
        if (QD_LIKELY(!record->circle && stays(qd_frame_numbers(&tree->frame, row), record->place, tree->depth)) &&
            (QD_LIKELY(qd_place_is_leaf(record->place)) ||
             qd_boxes_overlap(&box, qd_row_was(tree->rows, record->row)))) {
            *qd_row_now(tree->rows, record->row) = box;
            qd_rows_mark(tree->rows, record->row);
        } else {
            qd_quadtree_update(tree, slots[i]);
        }
    }
}
