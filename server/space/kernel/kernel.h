/* SPDX-License-Identifier: Apache-2.0
 *
 * The pair kernel: the functions that compare rows. An index hands it lists of candidates; the kernel alone compares
 * was and now, filters and shapes, and emits events. One source (lanes/kernel_body.h) is compiled for each instruction
 * set, and choose.h picks one at run time.
 *
 *     cell --collect--> list16 --cull--> list16, list8 of a smaller cell's carried rows
 *          --collect--> list8
 *          --carry----> the same without a list in between
 *
 *     list --test--> outer boxes meet? --> inner boxes prove nothing? --> sink.near --finish--> events
 */
#ifndef QD_SPACE_KERNEL_KERNEL_H
#define QD_SPACE_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "../core/rows.h"
#include "list.h"
#include "sink.h"

/* The outer and inner edges of a block's rows, as numbers of the quantizer: one edge after the other. */
typedef struct qd_edges {
    _Alignas(64) uint16_t v[QD_LIST_COLUMNS][QD_BLOCK_ROWS];
} qd_edges;

/* The outer and inner boxes of a block's rows, where some are round. */
typedef struct qd_boxes {
    _Alignas(64) qd_row outer[QD_BLOCK_ROWS];
    qd_row inner[QD_BLOCK_ROWS];
} qd_boxes;

typedef struct qd_kernel {
    const char *name;
    /* Fills an empty list with the rows of a cell. */
    void (*collect16)(const qd_sink *sink, const qd_cell *cell, qd_list16 *list);
    void (*collect8)(const qd_sink *sink, const qd_cell *cell, const qd_window *window, qd_list8 *list);
    /* Fills an empty list with the rows of another list, as carried rows and as numbers of the sink's quantizer: for
     * an index that goes from one quantizer to another. */
    void (*collect_again)(const qd_sink *sink, const qd_list16 *from, qd_list16 *list);
    /* Appends rows by their references, as carried rows, for an index that brings rows together in its own order. The
     * references have all flags of QD_LIST that apply. Reads whole blocks of references: what lies behind the last one
     * must be references, too. With `all` nobody reads the list's `changed`. */
    void (*pick8)(const qd_sink *sink, const uint32_t *reference, uint32_t count, const qd_window *window, bool all,
                  qd_list8 *list);
    /* The edges of a block's rows. */
    void (*edges16)(const qd_sink *sink, uint32_t block, qd_edges *result);
    /* Append the rows of a list that meet the window, or only the changed ones. */
    void (*cull16)(const qd_list16 *from, const qd_window *window, bool changed_only, qd_list16 *list);
    void (*cull8)(const qd_list16 *from, const qd_window *window, bool changed_only, qd_list8 *list);
    /* Fills an empty list with all rows of a list, as numbers of 8 bits. */
    void (*narrow)(const qd_list16 *from, const qd_window *window, qd_list8 *list);
    /* Append a cell's rows that meet the window, as carried rows. */
    void (*carry8)(const qd_sink *sink, const qd_cell *cell, const qd_window *window, bool changed_only,
                   qd_list8 *list);
    void (*carry16)(const qd_sink *sink, const qd_cell *cell, const qd_window *window, bool changed_only,
                    qd_list16 *list);
    /* Test own rows against all rows, each pair once; pairs of two resting rows only with `all`. Some pairs wait in the
     * sink for `finish`; until then their rows must stay as they are. */
    void (*test16)(qd_sink *sink, const qd_list16 *list, bool all);
    void (*test8)(qd_sink *sink, const qd_list8 *list, bool all);
    /* Tests the rows [a_from, a_to) of a list against its rows [b_from, b_to); the ranges have no row in common. */
    void (*cross8)(qd_sink *sink, const qd_list8 *list, uint32_t a_from, uint32_t a_to, uint32_t b_from, uint32_t b_to,
                   bool all);
    /* Tests the pairs that wait in the sink. */
    void (*finish)(qd_sink *sink);
    /* Now becomes was in the changed rows of a cell, or with `all` in every row. */
    void (*commit)(qd_rows *rows, const qd_cell *cell, bool all);
} qd_kernel;

extern const qd_kernel qd_kernel_portable;
#if defined(__x86_64__)
extern const qd_kernel qd_kernel_avx2;
extern const qd_kernel qd_kernel_avx512;
#elif defined(__AARCH64EL__)
extern const qd_kernel qd_kernel_neon; /* every arm64 has it; it takes bits from bytes, so little-endian only */
#endif

#endif
