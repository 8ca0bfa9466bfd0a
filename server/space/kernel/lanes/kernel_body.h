/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's body: collecting, culling, carrying and committing. Each kernel_<isa>.c includes it after its lanes and
 * columns, and defines
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

/* ---- collecting: a cell's rows as columns ---- */

#ifndef COLUMNS_BYTES
typedef struct byte_frame {
    const qd_quantizer *quantizer;
    const qd_window *window;
} byte_frame;

static inline byte_frame columns_byte_frame(const qd_quantizer *quantizer, const qd_window *window)
{
    return (byte_frame){quantizer, window};
}

/* Writes the edges of 16 boxes into columns at `at`, as 8 bits relative to the window's corner. */
static inline void columns_bytes(const byte_frame *frame, const qd_row *now, const qd_row *was, uint8_t *const *column,
                                 uint32_t at)
{
    qd_edges found;

    columns_edges(frame->quantizer, now, was, 0, &found);
    columns_narrow(&found, frame->window, column, at);
}
#endif

/* Where the rows of a block are now: where they were, if they are at rest or only that counts. */
static inline const qd_row *now_of(const qd_sink *sink, uint32_t block)
{
    const uint16_t changed = sink->rows->info[block].changed;
    const bool is_still = (changed == 0 && !sink->rows->all) || sink->mode == QD_TRAVERSAL_PAIRS;

    return is_still ? qd_row_was(sink->rows, block * QD_BLOCK_ROWS) : qd_row_now(sink->rows, block * QD_BLOCK_ROWS);
}

static inline void edges_of(const qd_sink *sink, uint32_t block, qd_edges *result)
{
    const qd_block_info *info = &sink->rows->info[block];
    const qd_row *was = qd_row_was(sink->rows, block * QD_BLOCK_ROWS);

    edges_of_rows(&sink->quantizer, now_of(sink, block), was, info->round, info->unproven, result);
}

static void edges16(const qd_sink *sink, uint32_t block, qd_edges *result)
{
    edges_of(sink, block, result);
}

static inline void note_rows(const qd_rows *rows, uint32_t block, uint32_t *row, uint64_t *changed, uint32_t at)
{
    typedef uint32_t lanes __attribute__((vector_size(QD_BLOCK_ROWS * sizeof(uint32_t))));
    const lanes lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const lanes bit = {1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                       1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
    const qd_block_info *info = &rows->info[block];
    /* A sum carries the bit up. Compilers would split a comparison of vectors that are wider than registers. */
    lanes special = ((info->special & bit) + (QD_LIST_SPECIAL - bit)) & QD_LIST_SPECIAL;
    lanes reference = (block * QD_BLOCK_ROWS + lane) | special;
    memcpy(row + at, &reference, sizeof reference);
    qd_bits_set(changed, at, info->changed, QD_BLOCK_ROWS);
}

/* The head block holds the last rows; the list begins with the first rows. */
static void collect16(const qd_sink *sink, const qd_cell *cell, qd_list16 *list)
{
    list->own = list->count = cell->count;
    uint32_t at = (cell->count + QD_BLOCK_ROWS - 1) / QD_BLOCK_ROWS * QD_BLOCK_ROWS;
    for (uint32_t block = cell->head; block != QD_NONE; block = sink->rows->info[block].next) {
        at -= QD_BLOCK_ROWS;
        qd_edges found;
        edges_of(sink, block, &found);
        for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
            memcpy(list->column[k] + at, found.v[k], sizeof found.v[k]);
        }
        note_rows(sink->rows, block, list->row, list->changed, at);
    }
}

static void collect8(const qd_sink *sink, const qd_cell *cell, const qd_window *window, qd_list8 *list)
{
    const byte_frame frame = columns_byte_frame(&sink->quantizer, window);
    uint8_t *column[QD_LIST_COLUMNS]; /* in the list, they would be read again after every store of a byte */

    memcpy(column, list->column, sizeof column);
    list->window = *window;
    list->own = list->count = cell->count;
    uint32_t at = (cell->count + QD_BLOCK_ROWS - 1) / QD_BLOCK_ROWS * QD_BLOCK_ROWS;
    for (uint32_t block = cell->head; block != QD_NONE; block = sink->rows->info[block].next) {
        const qd_block_info *info = &sink->rows->info[block];

        at -= QD_BLOCK_ROWS;
        if (QD_LIKELY((info->round | info->unproven) == 0) && !QD_WITHOUT(BYTE_COLUMNS)) {
            columns_bytes(&frame, now_of(sink, block), qd_row_was(sink->rows, block * QD_BLOCK_ROWS), column, at);
        } else {
            qd_edges found;

            edges_of(sink, block, &found);
            columns_narrow(&found, window, column, at);
        }
        note_rows(sink->rows, block, list->row, list->changed, at);
    }
}

/* ---- rows by their references ---- */

/* 16 rows from anywhere, laid out as a block. */
typedef struct picked {
    _Alignas(64) qd_row now[QD_BLOCK_ROWS], was[QD_BLOCK_ROWS];
    uint16_t is_round, unproven;
} picked;

static void pick_special(const qd_sink *sink, uint32_t reference, uint32_t r, picked *to)
{
    uint32_t at = reference & QD_LIST_ROW, id = qd_row_id(sink->rows, at);
    bool is_half = (reference & (QD_LIST_WAS | QD_LIST_NOW)) != 0;

    if (reference & QD_LIST_WAS) {
        to->now[r] = to->was[r];
    } else if (reference & QD_LIST_NOW) {
        to->was[r] = to->now[r];
    }
    to->is_round |= (uint16_t)((unsigned)((id & QD_ID_ROUND) != 0) << r);
    to->unproven |= (uint16_t)((unsigned)(is_half || (id & QD_ID_UNPROVEN)) << r);
}

static inline void pick(const qd_sink *sink, const uint32_t *reference, picked *to)
{
    const qd_row *was = sink->rows->was, *now = sink->mode == QD_TRAVERSAL_PAIRS ? was : sink->rows->now;
    uint32_t any = 0;

    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        uint32_t at = reference[r] & QD_LIST_ROW;

        to->now[r] = now[at];
        to->was[r] = was[at];
        any |= reference[r];
    }
    to->is_round = to->unproven = 0;
    for (uint32_t r = 0; any & QD_LIST_SPECIAL && r < QD_BLOCK_ROWS; r++) {
        if (reference[r] & QD_LIST_SPECIAL) {
            pick_special(sink, reference[r], r, to);
        }
    }
}

static void collect_again(const qd_sink *sink, const qd_list16 *from, qd_list16 *list)
{
    list->own = 0;
    list->count = from->count;
    list->strips = 0;
    for (uint32_t at = 0; at < from->count; at += QD_BLOCK_ROWS) {
        picked rows;
        qd_edges found;
        uint32_t reference[QD_BLOCK_ROWS];

        for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
            reference[r] = from->row[at + r < from->count ? at + r : at];
        }
        pick(sink, reference, &rows);
        edges_of_rows(&sink->quantizer, rows.now, rows.was, rows.is_round, rows.unproven, &found);
        for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
            memcpy(list->column[k] + at, found.v[k], sizeof found.v[k]);
        }
        memcpy(list->row + at, reference, sizeof reference);
        qd_bits_set(list->changed, at, from->changed[at / 64] >> at % 64 & 0xffff, QD_BLOCK_ROWS);
    }
}

static void pick8(const qd_sink *sink, const uint32_t *reference, uint32_t count, const qd_window *window, bool all,
                  qd_list8 *list)
{
    list->window = *window;
    for (uint32_t i = 0, at = list->count; i < count; i += QD_BLOCK_ROWS, at += QD_BLOCK_ROWS) {
        picked rows;
        qd_edges found;

        pick(sink, reference + i, &rows);
        edges_of_rows(&sink->quantizer, rows.now, rows.was, rows.is_round, rows.unproven, &found);
        columns_narrow(&found, window, list->column, at);
        for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
            list->row[at + r] = reference[i + r] & ~QD_LIST_CHANGED;
        }
        if (!all) {
            uint64_t changed = 0;

            for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
                changed |= (uint64_t)((reference[i + r] & QD_LIST_CHANGED) != 0) << r;
            }
            qd_bits_set(list->changed, at, changed, QD_BLOCK_ROWS);
        }
    }
    list->count += count;
}

/* ---- culling: the carried rows that meet a cell ---- */

#ifndef COLUMNS_APPEND
/* Appends the rows of a mask, of the 32 rows from `base` on. */
static inline void columns_append16(const qd_list16 *from, uint32_t base, uint64_t mask, qd_list16 *list)
{
    for (; mask != 0; mask &= mask - 1) {
        uint32_t i = base + (uint32_t)__builtin_ctzll(mask), at = list->count++;

        for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
            list->column[k][at] = from->column[k][i];
        }
        list->row[at] = from->row[i];
        qd_bits_set(list->changed, at, from->changed[i / 64] >> i % 64 & 1, 1);
    }
}

static inline void columns_append8(const qd_list16 *from, uint32_t base, uint64_t mask, const qd_window *window,
                                   qd_list8 *list)
{
    for (; mask != 0; mask &= mask - 1) {
        uint32_t i = base + (uint32_t)__builtin_ctzll(mask), at = list->count++;

        for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
            qd_narrow_column(&from->column[k][i], 1, k, window, &list->column[k][at]);
        }
        list->row[at] = from->row[i];
        qd_bits_set(list->changed, at, from->changed[i / 64] >> i % 64 & 1, 1);
    }
}
#endif

static inline __attribute__((always_inline)) uint64_t meeting(const qd_list16 *from, uint32_t base,
                                                              const qd_window *window, bool changed_only)
{
    lanes16 lanes = lanes_load16(from->column, base);
    uint64_t mask = lanes_meet16(&lanes, window->lo, window->hi);

    if (changed_only) {
        mask &= from->changed[base / 64] >> base % 64;
    }
    return mask & lanes_below(from->count - base, 32);
}

static void cull16(const qd_list16 *from, const qd_window *window, bool changed_only, qd_list16 *list)
{
    for (uint32_t base = 0; base < from->count; base += 32) {
        uint64_t mask = meeting(from, base, window, changed_only);

        if (mask != 0) {
            columns_append16(from, base, mask, list);
        }
    }
}

static void cull8(const qd_list16 *from, const qd_window *window, bool changed_only, qd_list8 *list)
{
    for (uint32_t base = 0; base < from->count; base += 32) {
        uint64_t mask = meeting(from, base, window, changed_only);

        if (mask != 0) {
            columns_append8(from, base, mask, window, list);
        }
    }
}

static void narrow_list(const qd_list16 *from, const qd_window *window, qd_list8 *list)
{
    list->window = *window;
    list->own = from->own;
    list->count = from->count;
    list->strips = from->strips;
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        qd_narrow_column(from->column[k], from->count, k, window, list->column[k]);
    }
    memcpy(list->row, from->row, from->count * sizeof *from->row);
    memcpy(list->changed, from->changed, (from->count + 63) / 64 * sizeof *from->changed);
}

/* ---- carrying: culling straight from a cell ---- */

/* Two blocks as a list to cull from. */
typedef struct span {
    uint16_t column[QD_LIST_COLUMNS][2 * QD_BLOCK_ROWS];
    uint32_t row[2 * QD_BLOCK_ROWS];
    uint64_t changed[1];
    qd_list16 list;
} span;

static inline void span_init(span *two)
{
    two->list = (qd_list16){.row = two->row, .changed = two->changed, .count = 2 * QD_BLOCK_ROWS};
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        two->list.column[k] = two->column[k];
    }
}

/* Fills a span from a cell's blocks, from `block` on; with changed_only it skips resting blocks. Returns a bit for each
 * row in the span, 0 at the end, and advances `block`. */
static inline uint64_t span_fill(const qd_sink *sink, const qd_cell *cell, uint32_t *block, bool changed_only,
                                 span *two)
{
    uint64_t there = 0;

    for (uint32_t at = 0; at < 2 * QD_BLOCK_ROWS && *block != QD_NONE; *block = sink->rows->info[*block].next) {
        if (changed_only && sink->rows->info[*block].changed == 0) {
            continue;
        }
        qd_edges found;
        edges_of(sink, *block, &found);
        for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
            memcpy(two->column[k] + at, found.v[k], sizeof found.v[k]);
        }
        note_rows(sink->rows, *block, two->row, two->changed, at);
        /* All blocks except the head are full. */
        uint32_t rows = *block == cell->head ? (cell->count - 1) % QD_BLOCK_ROWS + 1 : QD_BLOCK_ROWS;
        there |= lanes_below(rows, QD_BLOCK_ROWS) << at;
        at += QD_BLOCK_ROWS;
    }
    return there;
}

static void carry16(const qd_sink *sink, const qd_cell *cell, const qd_window *window, bool changed_only,
                    qd_list16 *list)
{
    span two;

    span_init(&two);
    uint32_t block = cell->head;
    for (uint64_t there; (there = span_fill(sink, cell, &block, changed_only, &two)) != 0;) {
        uint64_t mask = there & meeting(&two.list, 0, window, changed_only);

        if (mask != 0) {
            columns_append16(&two.list, 0, mask, list);
        }
    }
}

static void carry8(const qd_sink *sink, const qd_cell *cell, const qd_window *window, bool changed_only, qd_list8 *list)
{
    span two;

    span_init(&two);
    uint32_t block = cell->head;
    for (uint64_t there; (there = span_fill(sink, cell, &block, changed_only, &two)) != 0;) {
        uint64_t mask = there & meeting(&two.list, 0, window, changed_only);

        if (mask != 0) {
            columns_append8(&two.list, 0, mask, window, list);
        }
    }
}

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
