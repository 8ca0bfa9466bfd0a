/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of 16 bits as ones of 8, number by number.
 */
#ifndef QD_SPACE_KERNEL_COLUMNS_NARROW_H
#define QD_SPACE_KERNEL_COLUMNS_NARROW_H

#include "kernel.h"

/* 255 is kept for the lower inner edge: a number plus one. */
static inline uint8_t narrow_number(uint16_t number, uint16_t corner, uint16_t shift)
{
    uint16_t offset = (uint16_t)((number > corner ? number : corner) - corner);

    offset = (uint16_t)(offset >> shift);
    return (uint8_t)(offset < 254 ? offset : 254);
}

/* Lower inner edges are stored plus one: narrowed as what they are, then made plus one again. */
static inline void narrow_column(const uint16_t *from, uint32_t count, uint32_t k, const qd_window *window, uint8_t *to)
{
    uint16_t corner = window->lo[k % QD_AXES];
    uint16_t one = qd_column_is_plus_one(k), shift = (uint16_t)window->shift;

    for (uint32_t i = 0; i < count; i++) {
        to[i] = (uint8_t)(narrow_number((uint16_t)(from[i] - one), corner, shift) + one);
    }
}

#endif
