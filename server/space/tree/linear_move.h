/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving many bodies of a quadtree, a register of them at a time where the processor can.
 */
#ifndef QD_SPACE_TREE_LINEAR_MOVE_H
#define QD_SPACE_TREE_LINEAR_MOVE_H

#include "../move/move.h"
#include "linear.h"

typedef enum qd_move_how {
    QD_MOVE_WHOLE,
    QD_MOVE_LOOSE, /* it would not go there without its was */
    QD_MOVE_SPLIT, /* it leaves its was behind */
    QD_MOVE_ODD,   /* it is still to be looked at, alone */
} qd_move_how;

/* A leaver's note: its new place, and how it goes there in bits that places have to spare. */
#define QD_MOVE_BITS  0x06000000u
#define QD_MOVE_SHIFT 25u

static inline uint32_t qd_mover_note(uint32_t cell_key, qd_move_how how)
{
    return cell_key | (uint32_t)how << QD_MOVE_SHIFT;
}

static inline uint32_t qd_mover_place(const qd_mover *mover)
{
    return mover->note & ~QD_MOVE_BITS;
}

static inline qd_move_how qd_mover_how(const qd_mover *mover)
{
    return (qd_move_how)((mover->note & QD_MOVE_BITS) >> QD_MOVE_SHIFT);
}

/* Where a body that may have left its cell belongs. False: it stays, or is too odd for this and is registered again
 * already. */
bool qd_linear_look(qd_linear *tree, uint32_t slot, qd_mover *mover);

#if defined(__x86_64__)
/* Each moves the first ones, as many as fill registers; returns how many. */
size_t qd_linear_move_avx2(qd_linear *tree, size_t count, const uint32_t *slots, const float *const *at);
size_t qd_linear_move_avx512(qd_linear *tree, size_t count, const uint32_t *slots, const float *const *at);
/* The same for qd_linear_move_within, with how many left their cells. */
size_t qd_linear_within_avx2(qd_linear *tree, size_t count, const uint32_t *slots, const float *const *at,
                             qd_mover *movers, uint32_t *left);
size_t qd_linear_within_avx512(qd_linear *tree, size_t count, const uint32_t *slots, const float *const *at,
                               qd_mover *movers, uint32_t *left);
#endif

#endif
