/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving many. Nearly all that move stay in their leaf: then the row is written, its block is marked, and nothing else
 * is touched. All four edges are handled at once, in a vector of four.
 */
#include <string.h>

#include "../base/assert.h"
#include "quadtree.h"

#define PREFETCH_RECORDS 32u
#define PREFETCH_ROWS    16u
#define PREFETCH_FROM    65536u /* bodies: with fewer, everything is near anyway */

typedef float float4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));
typedef int64_t long2 __attribute__((vector_size(16)));

/* As qd_frame_number does it, four at a time. */
static inline int4 number4(float4 at, float4 origin, float4 scale)
{
    const float last = (float)QD_FRAME_LAST;
    const float4 last4 = {last, last, last, last};
    float4 number = (at - origin) * scale;
    int4 positive = number > 0, within = number < last4;
    int4 bits = ((int4)number & positive & within) | ((int4)last4 & ~within);
    return __builtin_convertvector((float4)bits, int4);
}

/* Whether the numbers of a box lie in the leaf that a place notes. */
static inline bool stays_in_leaf(int4 number, uint32_t place, uint32_t depth)
{
    int shift = (int)(QD_FRAME_BITS - depth + (place >> 28));
    int x = (int)(place >> 12 & 0xfffu), y = (int)(place & 0xfffu);
    long2 other = (long2)((number >> shift) ^ (int4){x, y, x, y});
    return ((other[0] | other[1]) == 0) & qd_place_is_leaf(place);
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
    const qd_frame *frame = &tree->frame;
    const float4 origin = {frame->origin_x, frame->origin_y, frame->origin_x, frame->origin_y};
    const float4 scale = {frame->scale, frame->scale, frame->scale, frame->scale};
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
        float4 centre = {x[i], y[i], x[i], y[i]};
        float4 half = {-record->half_x, -record->half_y, record->half_x, record->half_y};
        float4 row = centre + half;
        if (QD_LIKELY(!record->circle && stays_in_leaf(number4(row, origin, scale), record->place, tree->depth))) {
            memcpy(qd_row_now(tree->rows, record->row), &row, sizeof row);
            qd_rows_mark(tree->rows, record->row);
        } else {
            qd_quadtree_update(tree, slots[i]);
        }
    }
}
