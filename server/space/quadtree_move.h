/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving many bodies of a quadtree, a register of them at a time where the processor can.
 */
#ifndef QD_SPACE_QUADTREE_MOVE_H
#define QD_SPACE_QUADTREE_MOVE_H

#include "move.h"
#include "quadtree.h"

/* A body that goes to another cell, and whether it would not be there without its was. */
typedef struct qd_leaver {
    uint32_t slot, cell, place;
    bool is_stretched;
} qd_leaver;

/* Where a body that may have left its cell belongs. False: it stays, or is too odd for this and is registered again
 * already. */
bool qd_quadtree_look(qd_quadtree *tree, uint32_t slot, qd_leaver *leaver);
/* Up to QD_ASIDE_MAX of them go. */
void qd_quadtree_leave(qd_quadtree *tree, const qd_leaver *leavers, uint32_t count);

/* What a look at a body takes. */
static inline void qd_quadtree_look_ahead(const qd_index *index, uint32_t slot)
{
    uint32_t row = index->bodies->record[slot].row;
    __builtin_prefetch(qd_row_was(index->rows, row), 1);
    __builtin_prefetch(&index->rows->id[row], 1);
    __builtin_prefetch(&index->rows->info[row / QD_BLOCK_ROWS], 1);
}

#if QD_AXES == 2 && defined(__x86_64__)
#define QD_MOVE_WIDE
/* Each moves the first ones, as many as fill registers; returns how many. */
size_t qd_quadtree_move_avx2(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *const *at);
size_t qd_quadtree_move_avx512(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *const *at);
#endif

#endif
