/* SPDX-License-Identifier: Apache-2.0
 *
 * How rows become the columns of a list, in plain C. Each columns_<isa>.h does the same.
 */
#ifndef QD_SPACE_KERNEL_COLUMNS_PORTABLE_H
#define QD_SPACE_KERNEL_COLUMNS_PORTABLE_H

#include <string.h>

#include "columns_append.h"

/* The outer and inner boxes of 16 rows, with a bit of `is_round` for each: the union of those around its now and was
 * (qd_round_bounds), and the intersection of those inside of them (qd_circle_core). */
static inline void columns_boxes(const qd_row *now, const qd_row *was, uint32_t is_round, qd_boxes *to)
{
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        bool boxed = (is_round >> r & 1) != 0;
        qd_row a = qd_row_bounds(&now[r], boxed), b = qd_row_bounds(&was[r], boxed);

        to->outer[r] = qd_row_union(&a, &b);
        a = boxed ? qd_circle_core(&now[r]) : now[r];
        b = boxed ? qd_circle_core(&was[r]) : was[r];
        for (uint32_t k = 0; k < QD_AXES; k++) {
            uint32_t high = QD_ROW_HIGH + k;

            to->inner[r].v[k] = a.v[k] > b.v[k] ? a.v[k] : b.v[k];
            to->inner[r].v[high] = a.v[high] < b.v[high] ? a.v[high] : b.v[high];
        }
    }
}

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

/* The outer and inner edges of 16 rows, as kernel.h has them in a list, from rows at two times each. Of boxes the outer
 * rows and the inner ones are the same, which is seen where this is inlined. */
static inline void columns_of_rows(const qd_frame *frame, const qd_row *const outer[2], const qd_row *const inner[2],
                                   qd_edges *result)
{
    row_numbers a, b;

    number_rows(frame, outer[0], &a);
    number_rows(frame, outer[1], &b);
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        for (uint32_t k = 0; k < QD_AXES; k++) {
            int32_t lo[2] = {a.v[r][k], b.v[r][k]}, hi[2] = {a.v[r][QD_ROW_HIGH + k], b.v[r][QD_ROW_HIGH + k]};

            result->v[QD_OUTER_LO + k][r] = (uint16_t)(lo[0] < lo[1] ? lo[0] : lo[1]);
            result->v[QD_OUTER_HI + k][r] = (uint16_t)(hi[0] > hi[1] ? hi[0] : hi[1]);
        }
    }
    if (inner[0] != outer[0]) {
        number_rows(frame, inner[0], &a);
        number_rows(frame, inner[1], &b);
    }
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        for (uint32_t k = 0; k < QD_AXES; k++) {
            int32_t lo[2] = {a.v[r][k], b.v[r][k]}, hi[2] = {a.v[r][QD_ROW_HIGH + k], b.v[r][QD_ROW_HIGH + k]};

            result->v[QD_INNER_LO + k][r] = (uint16_t)((lo[0] > lo[1] ? lo[0] : lo[1]) + 1);
            result->v[QD_INNER_HI + k][r] = (uint16_t)(hi[0] < hi[1] ? hi[0] : hi[1]);
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
