/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving many bodies of a quadtree by fours, where the processor can.
 */
#ifndef QD_SPACE_QUADTREE_MOVE_H
#define QD_SPACE_QUADTREE_MOVE_H

#include "move.h"
#include "quadtree.h"

#if QD_AXES == 2 && defined(__x86_64__)
#define QD_MOVE_AVX512
/* Moves the first ones, as many as come in fours; returns how many. */
size_t qd_quadtree_move_avx512(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *const *at,
                               qd_aside *aside);
#endif

#endif
