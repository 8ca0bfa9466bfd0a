/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving many bodies of a quadtree, a register of them at a time where the processor can.
 */
#ifndef QD_SPACE_QUADTREE_MOVE_H
#define QD_SPACE_QUADTREE_MOVE_H

#include "move.h"
#include "quadtree.h"

typedef enum qd_leave {
    QD_LEAVE_WHOLE,
    QD_LEAVE_STRETCHED, /* it would not go there without its was */
    QD_LEAVE_SPLIT,     /* it leaves its was behind */
} qd_leave;

/* A body that goes to another cell. */
typedef struct qd_leaver {
    uint32_t slot, cell, place;
    qd_leave how;
} qd_leaver;

/* Where a body that may have left its cell belongs. False: it stays, or is too odd for this and is registered again
 * already. */
bool qd_quadtree_look(qd_quadtree *tree, uint32_t slot, qd_leaver *leaver);
/* Up to QD_ASIDE_MAX of them go. */
void qd_quadtree_leave(qd_quadtree *tree, const qd_leaver *leavers, uint32_t count);

#if defined(__x86_64__)
/* Each moves the first ones, as many as fill registers; returns how many. */
size_t qd_quadtree_move_avx2(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *const *at);
size_t qd_quadtree_move_avx512(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *const *at);
/* The same for qd_quadtree_move_within, with how many left their cells. */
size_t qd_quadtree_within_avx2(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *const *at,
                               uint32_t *leavers, uint32_t *left);
size_t qd_quadtree_within_avx512(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *const *at,
                                 uint32_t *leavers, uint32_t *left);
#endif

#endif
