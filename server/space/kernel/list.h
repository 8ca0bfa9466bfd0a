/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists: what a pair test reads. A list holds the rows that can touch each other as columns of integers of the
 * quantizer, a column for each edge of two boxes per row.
 *
 *     outer   the union of was and now          outer boxes apart: the pair overlaps neither then nor now
 *     inner   the intersection of was and now   inner boxes strictly overlap: the pair overlapped then, and does now
 *
 * In both cases the pair has no event, and nothing exact is computed. For a circle the outer box is one around it and
 * the inner box is one inside of it. A row whose inner box would prove nothing (a filter that changed, an absent was or
 * now) gets an inner box that overlaps none.
 *
 *     one allocation, `capacity` rows long
 *     +-------------------------+-------------------------+-------------------------+-------------------------+
 *     | column[QD_OUTER_LO + k] | column[QD_OUTER_HI + k] | column[QD_INNER_LO + k] | column[QD_INNER_HI + k] |
 *     +-------------------------+----------+--------------+-------+-----------------+-------------------------+
 *     | row                                | changed              | self_ignoring   | group          | reach  |
 *     +------------------------------------+----------------------+-----------------+-------------------------+
 *
 *     QD_INNER_LO     holds the edge + 1, so that a strict comparison is written as <=
 *     row             the row's reference, with QD_LIST_SPECIAL
 *     changed         a bit per row
 *     self_ignoring   a bit per row: rows of one filter that does not agree with itself. No two of them have an event,
 *                     so a crowd of them in one place costs no exact tests
 *     group           only of long lists, for each group of lanes: the box around its outer boxes, and the
 *                     intersection of its inner boxes. Two groups that are apart, or that overlap everywhere, are
 *                     passed over at once
 *     reach           only of long lists in strips, for each group of lanes: the last upper edge along the strips' axis
 *                     up to this group, so that a search finds the first group that another one can meet
 *
 * The first `own` rows are those of one cell; the rows of larger cells that reach into it, the carried rows, follow.
 * Lists have 16 bits per number. In leaves, and where it pays, they are narrowed to 8 bits relative to the corner of
 * the cell's window, which keeps the order of numbers.
 *
 * Owned by a worker of the traversal.
 */
#ifndef QD_SPACE_KERNEL_LIST_H
#define QD_SPACE_KERNEL_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "../../base/assert.h"
#include "../../base/memory/alloc.h"
#include "../core/axes.h"

#define QD_LIST_COLUMNS (4 * QD_AXES)
#define QD_OUTER_LO     0u
#define QD_OUTER_HI     QD_AXES
#define QD_INNER_LO     (2 * QD_AXES)
#define QD_INNER_HI     (3 * QD_AXES)
#define QD_LIST_LANES   64u  /* rows per step of a reader, which may read this far behind the last row */
#define QD_LIST_LONG    512u /* rows; longer lists have groups */

/* A reference in a list: the row, and these flags. */
#define QD_LIST_SPECIAL (1u << 31) /* the row's id has a flag of QD_ID_SPECIAL */
#define QD_LIST_WAS     (1u << 30) /* with QD_LIST_SPECIAL: the row is on two lists, on this one as it was */
#define QD_LIST_NOW     (1u << 29) /* likewise, on this one as it is */
#define QD_LIST_CHANGED (1u << 28) /* for pick8: the row's bit of `changed` */
#define QD_LIST_ROW     (QD_LIST_CHANGED - 1)

typedef struct qd_list16 {
    uint16_t *column[QD_LIST_COLUMNS];
    uint32_t *row;
    uint64_t *changed, *self_ignoring;
    uint16_t *group, *reach;
    uint32_t capacity;
    uint32_t own, count;
    uint8_t strips; /* own rows are sorted along one axis: 1 + the axis, or 0 */
    bool any_changed;
} qd_list16;

/* The numbers of a cell, and by how many bits they are shifted so that what is relative to its corner has 8 bits. */
typedef struct qd_window {
    uint16_t lo[QD_AXES], hi[QD_AXES];
    uint32_t shift;
} qd_window;

typedef struct qd_list8 {
    uint8_t *column[QD_LIST_COLUMNS];
    uint32_t *row;
    uint64_t *changed, *self_ignoring;
    uint8_t *group, *reach;
    uint32_t capacity;
    uint32_t own, count;
    uint8_t strips;
    qd_window window; /* of all rows; collect8, pick8 and narrow set it */
} qd_list8;

/* Make room for `count` rows in all. False: there is no memory, and nothing changed. */
bool qd_list16_grow(qd_heap *heap, qd_list16 *list, uint32_t count) QD_MUST_USE;
bool qd_list8_grow(qd_heap *heap, qd_list8 *list, uint32_t count) QD_MUST_USE;

static inline bool qd_list16_reserve(qd_heap *heap, qd_list16 *list, uint32_t count)
{
    return QD_LIKELY(count + 2 * QD_LIST_LANES <= list->capacity) || qd_list16_grow(heap, list, count);
}

static inline bool qd_list8_reserve(qd_heap *heap, qd_list8 *list, uint32_t count)
{
    return QD_LIKELY(count + 2 * QD_LIST_LANES <= list->capacity) || qd_list8_grow(heap, list, count);
}

void qd_list16_free(qd_heap *heap, qd_list16 *list);
void qd_list8_free(qd_heap *heap, qd_list8 *list);

/* Whether a column holds lower inner edges, which are stored plus one. */
static inline bool qd_column_is_plus_one(uint32_t k)
{
    return k / QD_AXES == QD_INNER_LO / QD_AXES;
}

/* ---- bits of rows, 64 to a word ---- */

/* The bits of 64 rows, from any row on. */
static inline uint64_t qd_bits_from(const uint64_t *bits, uint32_t base)
{
    const uint64_t word = bits[base / 64] >> base % 64;

    return base % 64 == 0 ? word : word | bits[base / 64 + 1] << (64 - base % 64);
}

/* Sets the bits of `count` rows, fewer than 64, from any row on. */
static inline void qd_bits_set(uint64_t *bits, uint32_t at, uint64_t value, uint32_t count)
{
    const uint64_t all = (UINT64_C(1) << count) - 1;
    const uint32_t shift = at % 64;
    uint64_t *word = &bits[at / 64];

    word[0] = (word[0] & ~(all << shift)) | value << shift;
    if (shift + count > 64) {
        word[1] = (word[1] & ~(all >> (64 - shift))) | value >> (64 - shift);
    }
}

/* ---- numbers of 16 bits as numbers of 8 bits ---- */

/* The last number is 254: a lower inner edge is stored plus one. */
static inline uint8_t qd_narrow_number(uint16_t number, uint16_t corner, uint16_t shift)
{
    uint16_t offset = (uint16_t)((number > corner ? number : corner) - corner);

    offset = (uint16_t)(offset >> shift);
    return (uint8_t)(offset < 254 ? offset : 254);
}

/* Narrows lower inner edges without their plus one, and adds it again. */
static inline void qd_narrow_column(const uint16_t *from, uint32_t count, uint32_t k, const qd_window *window,
                                    uint8_t *to)
{
    uint16_t corner = window->lo[k % QD_AXES];
    uint16_t one = qd_column_is_plus_one(k), shift = (uint16_t)window->shift;

    for (uint32_t i = 0; i < count; i++) {
        to[i] = (uint8_t)(qd_narrow_number((uint16_t)(from[i] - one), corner, shift) + one);
    }
}

#endif
