/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving many bodies of a quadtree, a register of them at a time where the processor can.
 */
#ifndef QD_SPACE_TREE_LINEAR_MOVE_H
#define QD_SPACE_TREE_LINEAR_MOVE_H

#include "../move/move.h"
#include "linear.h"

typedef enum qd_leave {
    QD_LEAVE_WHOLE,
    QD_LEAVE_STRETCHED, /* it would not go there without its was */
    QD_LEAVE_SPLIT,     /* it leaves its was behind */
    QD_LEAVE_ODD,       /* it is still to be looked at, alone */
} qd_leave;

/* A leaver's note: its new place, and how it goes there in bits that places have to spare. */
#define QD_LEAVE_BITS  0x06000000u
#define QD_LEAVE_SHIFT 25u

static inline uint32_t qd_leaver_note(uint32_t place, qd_leave how)
{
    return place | (uint32_t)how << QD_LEAVE_SHIFT;
}

static inline uint32_t qd_leaver_place(const qd_leaver *leaver)
{
    return leaver->note & ~QD_LEAVE_BITS;
}

static inline qd_leave qd_leaver_how(const qd_leaver *leaver)
{
    return (qd_leave)((leaver->note & QD_LEAVE_BITS) >> QD_LEAVE_SHIFT);
}

/* What going to their new cells will read is fetched, of some leavers; then, as they go, of one that does so soon. */
#define QD_LEAVE_AHEAD 8u
void qd_quadtree_leave_fetch(const qd_index *index, const qd_leaver *leavers, uint32_t count);
void qd_quadtree_leave_fetch_lists(const qd_index *index, const qd_leaver *leaver);

/* Where a body that may have left its cell belongs. False: it stays, or is too odd for this and is registered again
 * already. */
bool qd_quadtree_look(qd_quadtree *tree, uint32_t slot, qd_leaver *leaver);

#if defined(__x86_64__)
/* Each moves the first ones, as many as fill registers; returns how many. */
size_t qd_quadtree_move_avx2(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *const *at);
size_t qd_quadtree_move_avx512(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *const *at);
/* The same for qd_quadtree_move_within, with how many left their cells. */
size_t qd_quadtree_within_avx2(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *const *at,
                               qd_leaver *leavers, uint32_t *left);
size_t qd_quadtree_within_avx512(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *const *at,
                                 qd_leaver *leavers, uint32_t *left);
#endif

#endif
