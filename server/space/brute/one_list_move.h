/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving many bodies of an index of one cell, a register of them at a time (one_list_move_body.h). Each function moves
 * the first bodies, as many as fill registers, and returns how many; one_list.c moves the rest.
 */
#ifndef QD_SPACE_BRUTE_ONE_LIST_MOVE_H
#define QD_SPACE_BRUTE_ONE_LIST_MOVE_H

#include <stddef.h>
#include <stdint.h>

#include "../core/index.h"

#if defined(__x86_64__)
size_t qd_one_list_move_avx2(const qd_index *index, size_t count, const uint32_t *slots, const float *const *at);
size_t qd_one_list_move_avx512(const qd_index *index, size_t count, const uint32_t *slots, const float *const *at);
#endif

#endif
