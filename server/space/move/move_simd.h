/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving bodies a register of them at a time: what move_<isa>.c defines for the indexes. Each calls them where the
 * kernel in use is of that instruction set, and moves the rest one by one (move.h).
 */
#ifndef QD_SPACE_MOVE_MOVE_SIMD_H
#define QD_SPACE_MOVE_MOVE_SIMD_H

#include "../tree/linear/linear.h"

#define QD_LEFT_STEP 16u /* bodies in the widest register */

/* Bodies that are no longer where their cells are; or are, but lie astride its middle no more. */
typedef struct qd_left {
    uint32_t count;
    uint32_t slot[QD_MOVERS_FULL + QD_LEFT_STEP];
} qd_left;

#if defined(__x86_64__)
/* Moves the first bodies of an index of one list, as many as fill registers; returns how many. */
size_t qd_one_list_move_avx2(const qd_index *index, size_t count, const uint32_t *slots, const float *const *at);
size_t qd_one_list_move_avx512(const qd_index *index, size_t count, const uint32_t *slots, const float *const *at);
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
