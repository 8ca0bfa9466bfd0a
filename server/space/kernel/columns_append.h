/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of one list appended to another, row by row: for instruction sets that cannot compress a vector by a mask.
 */
#ifndef QD_SPACE_KERNEL_COLUMNS_APPEND_H
#define QD_SPACE_KERNEL_COLUMNS_APPEND_H

#include "columns_narrow.h"
#include "moved.h"

/* Appends the rows of a mask, out of the 32 from `base` on. */
static inline void columns_append16(const qd_list16 *from, uint32_t base, uint64_t mask, qd_list16 *list)
{
    for (; mask != 0; mask &= mask - 1) {
        uint32_t i = base + (uint32_t)__builtin_ctzll(mask), at = list->count++;

        for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
            list->column[k][at] = from->column[k][i];
        }
        list->row[at] = from->row[i];
        moved_set(list->moved, at, from->moved[i / 64] >> i % 64 & 1, 1);
    }
}

static inline void columns_append8(const qd_list16 *from, uint32_t base, uint64_t mask, const qd_window *window,
                                   qd_list8 *list)
{
    for (; mask != 0; mask &= mask - 1) {
        uint32_t i = base + (uint32_t)__builtin_ctzll(mask), at = list->count++;

        for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
            narrow_column(&from->column[k][i], 1, k, window, &list->column[k][at]);
        }
        list->row[at] = from->row[i];
        moved_set(list->moved, at, from->moved[i / 64] >> i % 64 & 1, 1);
    }
}

#endif
