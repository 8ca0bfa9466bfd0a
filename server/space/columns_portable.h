/* SPDX-License-Identifier: Apache-2.0
 *
 * How rows become the columns of a list, in plain C. columns_avx2.h and columns_avx512.h do the same.
 */
#ifndef QD_SPACE_COLUMNS_PORTABLE_H
#define QD_SPACE_COLUMNS_PORTABLE_H

#include <string.h>

#include "columns_append.h"

static inline void number_rows(const qd_frame *frame, const qd_row *rows, uint16_t number[4][QD_BLOCK_ROWS])
{
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        qd_float4 row;
        memcpy(&row, &rows[r], sizeof row);
        qd_int4 at = qd_frame_numbers(frame, row);
        for (uint32_t k = 0; k < 4; k++) {
            number[k][r] = (uint16_t)at[k];
        }
    }
}

static inline void columns_of_rows(const qd_frame *frame, const qd_row *rows_now, const qd_row *rows_was,
                                   qd_edges *result)
{
    uint16_t now[4][QD_BLOCK_ROWS], was[4][QD_BLOCK_ROWS];
    number_rows(frame, rows_now, now);
    number_rows(frame, rows_was, was);
    for (uint32_t k = 0; k < 4; k++) {
        for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
            uint16_t a = now[k][r], b = was[k][r];
            uint16_t less = a < b ? a : b, more = a < b ? b : a;
            result->v[k][r] = k < 2 ? less : more;
            result->v[k + 4][r] = k < 2 ? (uint16_t)(more + 1) : less;
        }
    }
}

static inline void columns_narrow(const qd_edges *from, const qd_window *window, uint8_t *const *column, uint32_t at)
{
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        narrow_column(from->v[k], QD_BLOCK_ROWS, k, window, column[k] + at);
    }
}

#endif
