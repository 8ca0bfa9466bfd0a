/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving many bodies of a linear tree, a register of them at a time where the processor can.
 */
#ifndef QD_SPACE_TREE_LINEAR_MOVE_H
#define QD_SPACE_TREE_LINEAR_MOVE_H

#include "../move/move.h"
#include "linear.h"

#define QD_LEFT_STEP 16u /* bodies in the widest register */

/* Bodies that are no longer where their cells are; or are, but lie astride its middle no more. */
typedef struct qd_left {
    uint32_t count;
    uint32_t slot[QD_MOVERS_FULL + QD_LEFT_STEP];
} qd_left;

#if defined(__x86_64__)
/* Each moves the first ones, as many as fill registers, until another register may not find room in `left`; returns how
 * many. */
size_t qd_linear_move_avx2(qd_linear *tree, size_t count, const uint32_t *slots, const float *const *at, qd_left *left);
size_t qd_linear_move_avx512(qd_linear *tree, size_t count, const uint32_t *slots, const float *const *at,
                             qd_left *left);
/* Makes movers of those that left their cells. */
void qd_linear_look_avx2(const qd_linear *tree, qd_left *left, qd_movers *movers);
void qd_linear_look_avx512(const qd_linear *tree, qd_left *left, qd_movers *movers);
#endif

#endif
