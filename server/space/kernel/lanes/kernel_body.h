/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's body: it includes the kernel's parts, finds self-ignoring rows, and commits. Each kernel_<isa>.c
 * includes it after its lanes and columns, and defines
 *
 *     KERNEL_NAME      "portable" and so on
 *     KERNEL_SYMBOL    the qd_kernel to define
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../../../base/ablation.h"
#include "../../../base/assert.h"
#include "../../core/bodies.h"
#include "../../core/rows.h"
#include "../../geometry/quantizer.h"
#include "../../geometry/shape.h"
#include "../exact.h"
#include "../kernel.h"
#include "../list.h"
#include "../sink.h"

#define HITS_STEP 256u /* rows compared between two checks for full hits */
#define HITS_MAX  512u /* hits are sifted above this many */
#define HITS_ROOM (HITS_MAX + HITS_STEP + 64u)

#define SELF_IGNORING_SAMPLES 8u /* rows that are checked for a list with self-ignoring rows */

/* A hit is a row that meets some of a group of lanes. */
typedef struct hits {
    uint64_t mask[HITS_ROOM];
    uint64_t at[HITS_ROOM];   /* the row, and from bit 32 on the group's first row: one store for both */
    const qd_list16 *moments; /* of the list, or NULL */
    bool seeks_moments;       /* they are made if that pays */
} hits;

static inline void hits_init(hits *found, bool seeks_moments)
{
    found->moments = NULL;
    found->seeks_moments = seeks_moments;
}

static inline uint64_t hit_at(uint32_t row, uint32_t base)
{
    return (uint64_t)base << 32 | row;
}

static inline uint32_t hit_row(uint64_t at)
{
    return (uint32_t)at;
}

static inline uint32_t hit_base(uint64_t at)
{
    return (uint32_t)(at >> 32);
}

static inline bool is_grouped(uint32_t rows)
{
    return rows > QD_LIST_LONG && !QD_WITHOUT(LIST_GROUPS);
}

/* Whether inner boxes that overlap prove that a pair has no event. */
static inline bool are_inner_tested(const qd_sink *sink)
{
    return sink->mode == QD_TRAVERSAL_EVENTS && !QD_WITHOUT(INNER_BOXES);
}

static inline uint64_t lanes_below(uint32_t count, uint32_t lanes)
{
    return count < 64 && count < lanes ? (UINT64_C(1) << count) - 1 : UINT64_MAX >> (64 - lanes);
}

/* The bits of an id that hold the class of its filter, and whether the filter changed since the last tick. */
#define CLASS_BITS (~((1u << QD_ID_CLASS) - 1) | QD_ID_REFILTERED)

static inline uint32_t class_bits(const qd_sink *sink, uint32_t reference)
{
    return qd_row_id(sink->rows, reference & QD_LIST_ROW) & CLASS_BITS;
}

static inline const qd_filter *filter_of(const qd_sink *sink, uint32_t reference)
{
    return &sink->bodies->filter[qd_row_id(sink->rows, reference & QD_LIST_ROW) & QD_ID_SLOT];
}

/* Whether rows with that row's filter are self-ignoring. */
static inline bool is_self_ignoring(const qd_sink *sink, uint32_t reference)
{
    const uint32_t bits = class_bits(sink, reference), class = bits >> QD_ID_CLASS;

    if (bits & QD_ID_REFILTERED) {
        return false;
    }
    if (class == QD_FILTER_CLASSES_MAX) {
        return !qd_filters_agree(*filter_of(sink, reference), *filter_of(sink, reference));
    }
    return !(sink->bodies->classes.agree[class] >> class & 1);
}

/* Which of 64 rows or fewer have the same filter as the row `as`. */
static inline uint64_t find_alike(const qd_sink *sink, const uint32_t *row, uint32_t lanes, uint32_t as)
{
    const uint32_t bits = class_bits(sink, as);
    uint64_t alike = 0;

    for (uint32_t i = 0; i < lanes; i++) {
        alike |= (uint64_t)(class_bits(sink, row[i]) == bits) << i;
    }
    for (uint64_t left = bits >> QD_ID_CLASS == QD_FILTER_CLASSES_MAX ? alike : 0; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left);
        const bool is = qd_filters_are_same(*filter_of(sink, row[i]), *filter_of(sink, as));

        alike &= ~((uint64_t)!is << i);
    }
    return alike;
}

/* Sets the bits of the self-ignoring rows that share one filter; returns whether there are any. If they matter in
 * a list, they are among a few samples. */
static bool find_self_ignoring(const qd_sink *sink, const uint32_t *row, uint32_t count, uint64_t *self_ignoring)
{
    uint32_t part = 1;

    if (count < 2 || QD_WITHOUT(SELF_IGNORING)) {
        return false;
    }
    while (part < SELF_IGNORING_SAMPLES &&
           !is_self_ignoring(sink, row[(uint64_t)count * part / SELF_IGNORING_SAMPLES])) {
        part++;
    }
    if (part == SELF_IGNORING_SAMPLES) {
        return false;
    }
    for (uint32_t base = 0; base < count; base += 64) {
        const uint32_t lanes = count - base < 64 ? count - base : 64;

        self_ignoring[base / 64] =
            find_alike(sink, row + base, lanes, row[(uint64_t)count * part / SELF_IGNORING_SAMPLES]);
    }
    return true;
}

#ifndef LANES_PAIR
/* Appends pairs of a row and the lanes of a mask to the first `count`; returns the new count. May write two pairs
 * behind it. */
static inline uint32_t lanes_pair(qd_pair *to, uint32_t count, uint32_t row, const uint32_t *lanes, uint64_t mask)
{
    for (; mask != 0; mask &= mask - 1) {
        to[count++] = (qd_pair){row, lanes[__builtin_ctzll(mask)]};
    }
    return count;
}
#endif

#include "exact_body.h"

/* ---- edges ---- */

#ifndef COLUMNS_EDGES
/* The outer and inner edges of 16 rows; `is_round` has a bit per row. */
static inline void columns_edges(const qd_quantizer *quantizer, const qd_row *now, const qd_row *was, uint32_t is_round,
                                 qd_edges *result)
{
    if (QD_LIKELY(is_round == 0)) {
        const qd_row *const rows[2] = {now, was};

        columns_of_rows(quantizer, rows, rows, result);
        return;
    }
    qd_boxes boxes;
    columns_boxes(now, was, is_round, &boxes);
    const qd_row *const outer[2] = {boxes.outer, boxes.outer}, *const inner[2] = {boxes.inner, boxes.inner};
    columns_of_rows(quantizer, outer, inner, result);
}
#endif

/* The edges of 16 rows; `is_round` and `unproven` have a bit per row. */
static inline void edges_of_rows(const qd_quantizer *quantizer, const qd_row *now, const qd_row *was, uint16_t is_round,
                                 uint16_t unproven, qd_edges *result)
{
    columns_edges(quantizer, now, was, is_round, result);
    for (uint32_t left = unproven; left != 0; left &= left - 1) {
        uint32_t r = (uint32_t)__builtin_ctz(left);

        for (uint32_t k = 0; k < QD_AXES; k++) {
            result->v[QD_INNER_LO + k][r] = QD_QUANTIZER_LAST + 1;
            result->v[QD_INNER_HI + k][r] = 0;
        }
    }
}

#include "moments_body.h"

#define TEST_NAME(x) x##8
#define TEST_TYPE    uint8_t
#define TEST_LANES   64u
#include "pair_test.h"
#undef TEST_NAME
#undef TEST_TYPE
#undef TEST_LANES

#define TEST_NAME(x) x##16
#define TEST_TYPE    uint16_t
#define TEST_LANES   32u
#include "pair_test.h"
#undef TEST_NAME
#undef TEST_TYPE
#undef TEST_LANES

/* Tests each of the rows [a_from, a_to) with each of [b_from, b_to); the ranges have no row in common. */
static void cross8(qd_sink *sink, const qd_list8 *list, uint32_t a_from, uint32_t a_to, uint32_t b_from, uint32_t b_to,
                   bool all)
{
    hits found;
    uint32_t count = 0;

    hits_init(&found, false);
    for (uint32_t base = b_from; base < b_to && !sink->stopped; base += QD_LIST_LANES) {
        lanes8 lanes = lanes_load8(list->column, base);
        uint64_t valid = lanes_below(b_to - base, QD_LIST_LANES);
        uint64_t changed = all ? valid : valid & qd_bits_from(list->changed, base);

        for (uint32_t from = a_from; from < a_to; from += HITS_STEP) {
            uint32_t stop = a_to - from > HITS_STEP ? from + HITS_STEP : a_to;

            for (uint32_t i = from; i < stop; i++) {
                uint64_t allowed = list->changed[i / 64] >> i % 64 & 1 ? valid : changed;

                count = note8(&found, count, &lanes, list->column, i, base, allowed);
            }
            if (count > HITS_MAX) {
                sift8(sink, list, &found, count);
                count = 0;
            }
        }
    }
    sift8(sink, list, &found, count);
    if (QD_WITHOUT(PAIR_QUEUE)) {
        exact(sink);
    }
    sink->tests += (uint64_t)(a_to - a_from) * (b_to - b_from);
}

#include "../lists_body.h"

/* ---- committing ---- */

static void commit(qd_rows *rows, const qd_cell *cell, bool all)
{
    for (uint32_t block = cell->head; block != QD_NONE; block = rows->info[block].next) {
        if (all || rows->info[block].changed != 0) {
            const size_t first = (size_t)block * QD_BLOCK_ROWS;

            memcpy(rows->was + first, rows->now + first, QD_BLOCK_ROWS * sizeof *rows->was);
            rows->info[block].changed = 0;
        }
    }
}

const qd_kernel KERNEL_SYMBOL = {
    .name = KERNEL_NAME,
    .collect16 = collect16,
    .collect8 = collect8,
    .collect_again = collect_again,
    .pick8 = pick8,
    .edges16 = edges16,
    .cull16 = cull16,
    .cull8 = cull8,
    .narrow = narrow_list,
    .carry8 = carry8,
    .carry16 = carry16,
    .test16 = test16,
    .test8 = test8,
    .cross8 = cross8,
    .finish = exact,
    .commit = commit,
};
