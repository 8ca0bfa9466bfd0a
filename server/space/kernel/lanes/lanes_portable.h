/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernel asks of an instruction set, in plain C for the compiler to vectorize. Each lanes_<isa>.h and
 * columns_<isa>.h together define the same:
 *
 *     lanes8, lanes16     a group of rows of a list (64 of 8 bits, 32 of 16 bits), compared with one row at a time
 *     columns_...         how rows become the columns of a list
 *
 * Where an instruction set defines one of these macros, it replaces plain C of kernel_body.h, lists_body.h or
 * exact_body.h: COLUMNS_APPEND, COLUMNS_BYTES, COLUMNS_EDGES, LANES_PAIR, PAIRS_MANY.
 */
#ifndef QD_SPACE_KERNEL_LANES_LANES_PORTABLE_H
#define QD_SPACE_KERNEL_LANES_LANES_PORTABLE_H

#include <stdint.h>
#include <string.h>

#include "../../geometry/quantizer.h"
#include "../../geometry/shape.h"
#include "../kernel.h"

/* Turns bytes of 0 or 1 into bits; the multiplication moves bit 8 i to bit 56 + i. */
static inline uint64_t bits_of_bytes(const uint8_t *hit, uint32_t count)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < count; i += 8) {
        uint64_t bytes;

        memcpy(&bytes, hit + i, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        bytes = __builtin_bswap64(bytes);
#endif
        bits |= (bytes * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return bits;
}

typedef struct lanes8 {
    const uint8_t *edge[QD_EDGES];
} lanes8;

typedef struct lanes16 {
    const uint16_t *edge[QD_EDGES];
} lanes16;

static inline lanes8 lanes_load8(uint8_t *const *column, uint32_t base)
{
    lanes8 lanes;

    for (uint32_t k = 0; k < QD_EDGES; k++) {
        lanes.edge[k] = column[k] + base;
    }
    return lanes;
}

static inline lanes16 lanes_load16(uint16_t *const *column, uint32_t base)
{
    lanes16 lanes;

    for (uint32_t k = 0; k < QD_EDGES; k++) {
        lanes.edge[k] = column[k] + base;
    }
    return lanes;
}

/* Which lanes meet a row: on each axis the lane's lower edge <= hi of the row, and the lane's upper edge >= lo. */
static inline uint64_t lanes_meet8(const lanes8 *lanes, const uint8_t lo[QD_AXES], const uint8_t hi[QD_AXES])
{
    uint8_t hit[64];

    for (uint32_t i = 0; i < 64; i++) {
        uint32_t met = 1;

        for (uint32_t k = 0; k < QD_AXES; k++) {
            met &= (lanes->edge[k][i] <= hi[k]) & (lanes->edge[QD_AXES + k][i] >= lo[k]);
        }
        hit[i] = (uint8_t)met;
    }
    return bits_of_bytes(hit, 64);
}

static inline uint64_t lanes_meet16(const lanes16 *lanes, const uint16_t lo[QD_AXES], const uint16_t hi[QD_AXES])
{
    uint8_t hit[32];

    for (uint32_t i = 0; i < 32; i++) {
        uint32_t met = 1;

        for (uint32_t k = 0; k < QD_AXES; k++) {
            met &= (lanes->edge[k][i] <= hi[k]) & (lanes->edge[QD_AXES + k][i] >= lo[k]);
        }
        hit[i] = (uint8_t)met;
    }
    return bits_of_bytes(hit, 32);
}

/* Whether two boxes overlap now (1) and overlapped (2). */
static inline uint32_t lanes_overlap(const qd_row *now_a, const qd_row *was_a, const qd_row *now_b, const qd_row *was_b)
{
    return (uint32_t)qd_boxes_overlap(now_a, now_b) | (uint32_t)qd_boxes_overlap(was_a, was_b) << 1;
}

/* ---- rows as columns ---- */

/* The outer and inner boxes of 16 rows; `is_round` has a bit per row. For round rows: the union of the boxes around now
 * and was (qd_round_bounds), and the intersection of the boxes inside of them (qd_circle_core). */
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

/* The numbers of rows in the layout of rows, made by loops that compilers vectorize. */
typedef struct row_numbers {
    int32_t v[QD_BLOCK_ROWS][QD_ROW_FLOATS];
} row_numbers;

static inline void number_rows(const qd_quantizer *quantizer, const qd_row *rows, row_numbers *number)
{
    float origin[QD_ROW_FLOATS] = {0};

    memcpy(origin, quantizer->origin, sizeof quantizer->origin);
    memcpy(origin + QD_ROW_HIGH, quantizer->origin, sizeof quantizer->origin);
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        for (uint32_t f = 0; f < QD_ROW_FLOATS; f++) {
            number->v[r][f] = qd_quantizer_number(rows[r].v[f], origin[f], quantizer->scale);
        }
    }
}

/* The outer and inner edges of 16 rows, as list.h defines them, from rows at two times each. For boxes the outer rows
 * and the inner rows are the same, which compilers see where this is inlined. */
static inline void columns_of_rows(const qd_quantizer *quantizer, const qd_row *const outer[2],
                                   const qd_row *const inner[2], qd_edges *result)
{
    row_numbers a, b;

    number_rows(quantizer, outer[0], &a);
    number_rows(quantizer, outer[1], &b);
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        for (uint32_t k = 0; k < QD_AXES; k++) {
            int32_t lo[2] = {a.v[r][k], b.v[r][k]}, hi[2] = {a.v[r][QD_ROW_HIGH + k], b.v[r][QD_ROW_HIGH + k]};

            result->v[QD_OUTER_LO + k][r] = (uint16_t)(lo[0] < lo[1] ? lo[0] : lo[1]);
            result->v[QD_OUTER_HI + k][r] = (uint16_t)(hi[0] > hi[1] ? hi[0] : hi[1]);
        }
    }
    if (inner[0] != outer[0]) {
        number_rows(quantizer, inner[0], &a);
        number_rows(quantizer, inner[1], &b);
    }
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        for (uint32_t k = 0; k < QD_AXES; k++) {
            int32_t lo[2] = {a.v[r][k], b.v[r][k]}, hi[2] = {a.v[r][QD_ROW_HIGH + k], b.v[r][QD_ROW_HIGH + k]};

            result->v[QD_INNER_LO + k][r] = (uint16_t)((lo[0] > lo[1] ? lo[0] : lo[1]) + 1);
            result->v[QD_INNER_HI + k][r] = (uint16_t)(hi[0] < hi[1] ? hi[0] : hi[1]);
        }
    }
}

/* Writes the edges into columns at `at`, as 8 bits relative to a window's corner. */
static inline void columns_narrow(const qd_edges *from, const qd_window *window, uint8_t *const *column, uint32_t at)
{
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        qd_narrow_column(from->v[k], QD_BLOCK_ROWS, k, window, column[k] + at);
    }
}

#endif
