/* SPDX-License-Identifier: Apache-2.0
 *
 * How rows become the columns of a list, in plain C. Each columns_<isa>.h does the same.
 */
#ifndef QD_SPACE_COLUMNS_PORTABLE_H
#define QD_SPACE_COLUMNS_PORTABLE_H

#include <string.h>

#include "columns_append.h"

/* The numbers of rows, as these lie: loops that compilers vectorise. */
typedef struct row_numbers {
    int32_t v[QD_BLOCK_ROWS][QD_ROW_FLOATS];
} row_numbers;

static inline void number_rows(const qd_frame *frame, const qd_row *rows, row_numbers *number)
{
    float origin[QD_ROW_FLOATS] = {0};
    memcpy(origin, frame->origin, sizeof frame->origin);
    memcpy(origin + QD_ROW_HIGH, frame->origin, sizeof frame->origin);
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        for (uint32_t f = 0; f < QD_ROW_FLOATS; f++) {
            number->v[r][f] = qd_frame_number(rows[r].v[f], origin[f], frame->scale);
        }
    }
}

/* The outer and inner edges of 16 rows, as kernel.h has them in a list. */
static inline void columns_of_rows(const qd_frame *frame, const qd_row *rows_now, const qd_row *rows_was,
                                   qd_edges *result)
{
    row_numbers now, was;
    number_rows(frame, rows_now, &now);
    number_rows(frame, rows_was, &was);
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        for (uint32_t k = 0; k < QD_AXES; k++) {
            int32_t now_lo = now.v[r][k], was_lo = was.v[r][k];
            int32_t now_hi = now.v[r][QD_ROW_HIGH + k], was_hi = was.v[r][QD_ROW_HIGH + k];
            result->v[QD_OUTER_LO + k][r] = (uint16_t)(now_lo < was_lo ? now_lo : was_lo);
            result->v[QD_OUTER_HI + k][r] = (uint16_t)(now_hi > was_hi ? now_hi : was_hi);
            result->v[QD_INNER_LO + k][r] = (uint16_t)((now_lo > was_lo ? now_lo : was_lo) + 1);
            result->v[QD_INNER_HI + k][r] = (uint16_t)(now_hi < was_hi ? now_hi : was_hi);
        }
    }
}

/* Those edges as 8 bits of what is relative to a window's corner, put into columns at `at`. */
static inline void columns_narrow(const qd_edges *from, const qd_window *window, uint8_t *const *column, uint32_t at)
{
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        narrow_column(from->v[k], QD_BLOCK_ROWS, k, window, column[k] + at);
    }
}

#endif
