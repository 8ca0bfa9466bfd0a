/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving many bodies. Nearly all that move stay in their cell: their row is written where it is, its block is marked,
 * and nothing else is touched. The others are put aside and looked at one by one afterwards, by what their records say
 * then; so it does not matter when a slot comes twice.
 */
#ifndef QD_SPACE_QUADTREE_MOVE_H
#define QD_SPACE_QUADTREE_MOVE_H

#include "quadtree.h"

#define QD_ASIDE_MAX            256u
#define QD_MOVE_PREFETCH_RECORD 48u
#define QD_MOVE_PREFETCH_ROW    24u
#define QD_MOVE_PREFETCH_FROM   65536u /* bodies: with fewer, everything is near anyway */

typedef struct qd_aside {
    uint32_t count;
    uint32_t slot[QD_ASIDE_MAX];
} qd_aside;

/* Registers again those that were put aside. */
void qd_aside_resolve(qd_quadtree *tree, qd_aside *aside);

static inline void qd_aside_put(qd_quadtree *tree, qd_aside *aside, uint32_t slot)
{
    aside->slot[aside->count++] = slot;
    if (aside->count == QD_ASIDE_MAX) {
        qd_aside_resolve(tree, aside);
    }
}

/* What is needed QD_MOVE_PREFETCH_RECORD slots further on, and QD_MOVE_PREFETCH_ROW: the list is that long. */
static inline void qd_move_prefetch(const qd_quadtree *tree, const uint32_t *slots)
{
    const qd_record *records = tree->bodies->record;
    __builtin_prefetch(&records[slots[QD_MOVE_PREFETCH_RECORD]], 1);
    uint32_t row = records[slots[QD_MOVE_PREFETCH_ROW]].row;
    __builtin_prefetch(qd_row_now(tree->rows, row), 1);
    __builtin_prefetch(&tree->rows->info[row / QD_BLOCK_ROWS], 1);
}

#if defined(__x86_64__)
/* Moves the first ones, as many as come in fours; returns how many. */
size_t qd_quadtree_move_avx512(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *x, const float *y,
                               qd_aside *aside);
#endif

#endif
