/* SPDX-License-Identifier: Apache-2.0
 *
 * The pair kernel: there is one. An index hands it lists of candidates; it alone compares, knows was and now, filters
 * and shapes, and emits events. It is compiled once for each instruction set (kernel_<isa>.c, all from kernel_body.h)
 * and chosen at run time; every choice emits the same set.
 *
 * A LIST is what a cell's test reads: a column for each edge of two boxes a row, as integers of the frame.
 *
 *     outer   the union of was and now          two apart: the pair overlaps neither then nor now
 *     inner   the intersection of was and now   two strictly overlapping: the pair overlapped then, and does now
 *
 * In both cases there is no event, and nothing exact is computed. Of a circle the outer box is one around it, the inner
 * box one inside; where it meets many rows at once, it is compared with them as a circle, too (kernel_ring.h). The
 * inner box of a row for which it would prove nothing (a filter that changed, an absent was or now) is one that
 * overlaps none.
 *
 *     column[QD_OUTER_LO + k]   outer lower edge on axis k
 *     column[QD_OUTER_HI + k]   outer upper edge
 *     column[QD_INNER_LO + k]   inner lower edge + 1     (strict comparison, written as <=)
 *     column[QD_INNER_HI + k]   inner upper edge
 *     row            the row's reference, with QD_LIST_SPECIAL
 *     moved          a bit a row
 *     group          of long lists, for a group of lanes: the box around its outer boxes, and what its inner boxes have
 *                    in common, so that two groups that are apart, or all over each other, are passed over at once
 *     aloof          a bit a row: those with one filter that does not agree with itself. No two of them have anything
 * to tell, so that a crowd of them on one spot costs no exact tests
 *
 * The first rows of a list are a cell's own; carried ones, of the cells above, follow. Lists are kept in 16 bits. In
 * leaves, and where it pays, they are narrowed to 8 bits relative to the cell's corner, which again keeps the order of
 * numbers.
 */
#ifndef QD_SPACE_KERNEL_KERNEL_H
#define QD_SPACE_KERNEL_KERNEL_H

#include <stdatomic.h>

#include "../core/rows.h"
#include "../geometry/quantizer.h"

#define QD_LIST_COLUMNS (4 * QD_AXES)
#define QD_OUTER_LO     0u
#define QD_OUTER_HI     QD_AXES
#define QD_INNER_LO     (2 * QD_AXES)
#define QD_INNER_HI     (3 * QD_AXES)
#define QD_LIST_LANES   64u /* lists are read in steps of this many rows, so they are longer than they need to be */
#define QD_LIST_SPECIAL (1u << 31)
#define QD_LIST_WAS     (1u << 30) /* with the one above: the row is on two lists, on this one as it was */
#define QD_LIST_NOW     (1u << 29) /* and on this one as it is */
#define QD_LIST_MOVED   (1u << 28) /* for pick8: the row's bit of `moved` */
#define QD_LIST_ROW     (QD_LIST_MOVED - 1)
#define QD_LIST_LONG    512u /* rows; a list with no more is not worth groups */

typedef enum qd_walk_mode {
    QD_WALK_EVENTS, /* begins and ends */
    QD_WALK_STAYS,  /* and stays */
    QD_WALK_PAIRS,  /* what overlapped at the last tick, as stays */
} qd_walk_mode;

typedef struct qd_list16 {
    uint16_t *column[QD_LIST_COLUMNS];
    uint32_t *row;
    uint64_t *moved, *aloof;
    uint16_t *group;
    uint32_t capacity;
    uint32_t own, count;
    bool any_moved;
} qd_list16;

/* The numbers of a cell, and how far they are shifted to make 8 bits of what is relative to its corner. */
typedef struct qd_window {
    uint16_t lo[QD_AXES], hi[QD_AXES];
    uint32_t shift;
} qd_window;

typedef struct qd_list8 {
    uint8_t *column[QD_LIST_COLUMNS];
    uint32_t *row;
    uint64_t *moved, *aloof;
    uint8_t *group;
    uint32_t capacity;
    uint32_t own, count;
    qd_window window; /* of all rows; collect8, pick8 and narrow note it */
} qd_list8;

/* Whether a column is one of lower inner edges, which are stored plus one. */
static inline bool qd_column_is_plus_one(uint32_t k)
{
    return k / QD_AXES == QD_INNER_LO / QD_AXES;
}

/* The outer and inner edges of a block's rows, as numbers of the frame, an edge after the other. */
typedef struct qd_edges {
    _Alignas(64) uint16_t v[QD_LIST_COLUMNS][QD_BLOCK_ROWS];
} qd_edges;

/* The outer and inner boxes of a block's rows, where some are round. */
typedef struct qd_boxes {
    _Alignas(64) qd_row outer[QD_BLOCK_ROWS];
    qd_row inner[QD_BLOCK_ROWS];
} qd_boxes;

/* Two references, as they stand in a list. */
typedef struct qd_pair {
    uint32_t a, b;
} qd_pair;

/* Pairs are tested exactly many at a time, when there is no room for those of another row and group; read and written
 * in steps of a few, behind the last one, too. */
#define QD_PAIRS_MAX  512u
#define QD_PAIRS_STEP 16u
#define QD_PAIRS_ROOM (QD_PAIRS_MAX + QD_LIST_LANES + QD_PAIRS_STEP)

/* What the tasks of one walk share: how many events they have found together, and how many exact tests found none, told
 * in steps. */
typedef struct qd_quota {
    _Atomic uint64_t found, in_vain;
    uint64_t limit, vain_max;
} qd_quota;

/* Where events go, and what the exact test needs to know. One for each hand that walks. */
typedef struct qd_sink {
    const qd_rows *rows;
    const qd_bodies *bodies;
    qd_walk_mode mode;
    bool swept; /* also tell what passed; with QD_WALK_EVENTS and QD_WALK_STAYS */
    bool rings; /* look for circles (kernel_ring.h); with QD_WALK_EVENTS, where it is not swept */
    bool aloof; /* look for rows that are */
    qd_frame frame;
    qd_heap *heap;
    qd_quota *quota;
    qd_pair *near; /* QD_PAIRS_ROOM of them: what the filters have left, of several lists */
    uint32_t near_count;
    qd_space_event *event;
    size_t count, capacity;
    size_t told;         /* of count, to the quota */
    uint64_t told_tests; /* of exact_tests */
    bool stopped;
    uint64_t tests, exact_tests;
} qd_sink;

typedef struct qd_kernel {
    const char *name;
    /* The rows of a cell into an empty list. */
    void (*collect16)(const qd_sink *sink, const qd_cell *cell, qd_list16 *list);
    void (*collect8)(const qd_sink *sink, const qd_cell *cell, const qd_window *window, qd_list8 *list);
    /* The rows of another list, by their references, as numbers of the sink's frame now: for an index that goes from
     * one frame to another. Into an empty list; what it holds are carried rows. */
    void (*collect_again)(const qd_sink *sink, const qd_list16 *from, qd_list16 *list);
    /* For an index that brings rows together in its own order: appends rows by their references, which have all bits of
     * QD_LIST that are due, as carried rows. Whole blocks of references are read: what lies behind the last one must be
     * references, too. With `all` nobody will ask what moved. */
    void (*pick8)(const qd_sink *sink, const uint32_t *reference, uint32_t count, const qd_window *window, bool all,
                  qd_list8 *list);
    /* The rows of a block, as numbers of the sink's frame. */
    void (*edges16)(const qd_sink *sink, uint32_t block, qd_edges *result);
    /* Appends the rows of a list that meet the window; only moved ones when asked. */
    void (*cull16)(const qd_list16 *from, const qd_window *window, bool moved_only, qd_list16 *list);
    void (*cull8)(const qd_list16 *from, const qd_window *window, bool moved_only, qd_list8 *list);
    /* All rows of a list, by 8 bits. Into an empty list. */
    void (*narrow)(const qd_list16 *from, const qd_window *window, qd_list8 *list);
    /* Appends a cell's rows that meet the window, as carried rows, without a list of them in between. */
    void (*carry8)(const qd_sink *sink, const qd_cell *cell, const qd_window *window, bool moved_only, qd_list8 *list);
    void (*carry16)(const qd_sink *sink, const qd_cell *cell, const qd_window *window, bool moved_only,
                    qd_list16 *list);
    /* Own rows against all rows, each pair once; those of two that rest are left out, unless `all`. Some pairs wait in
     * the sink for `finish`; until then their rows must stay as they are. */
    void (*test16)(qd_sink *sink, const qd_list16 *list, bool all);
    void (*test8)(qd_sink *sink, const qd_list8 *list, bool all);
    /* The rows [a_from, a_to) of a list against its rows [b_from, b_to), which are others. */
    void (*cross8)(qd_sink *sink, const qd_list8 *list, uint32_t a_from, uint32_t a_to, uint32_t b_from, uint32_t b_to,
                   bool all);
    /* Tests the pairs that wait. */
    void (*finish)(qd_sink *sink);
    /* Now becomes was in the changed rows of a cell, or in `all`. */
    void (*commit)(qd_rows *rows, const qd_cell *cell, bool all);
} qd_kernel;

/* The fastest kernel that this machine can run; chosen at the first call. [any] */
const qd_kernel *qd_kernel_chosen(void);
/* Those that this machine can run, the plainest first; NULL after the last. [any] */
const qd_kernel *qd_kernel_at(uint32_t index);
/* Makes qd_kernel_chosen answer this one, or with NULL the fastest again. For tests, while nothing walks. */
void qd_kernel_select(const qd_kernel *kernel);

extern const qd_kernel qd_kernel_portable;
#if defined(__x86_64__)
extern const qd_kernel qd_kernel_avx2;
extern const qd_kernel qd_kernel_avx512;
#elif defined(__AARCH64EL__)
extern const qd_kernel qd_kernel_neon; /* every arm64 has it; its bits are taken from bytes, so little-endian only */
#endif

/* A list must have room for all that is put into it. */
void qd_list16_reserve(qd_heap *heap, qd_list16 *list, uint32_t count);
void qd_list8_reserve(qd_heap *heap, qd_list8 *list, uint32_t count);
void qd_list16_free(qd_heap *heap, qd_list16 *list);
void qd_list8_free(qd_heap *heap, qd_list8 *list);

/* Makes room for `more` events, or stops the sink because a limit is passed: then nothing may be put into it. */
bool qd_sink_open(qd_sink *sink, size_t more);

/* Whether two that are boxes or circles, then as now, and overlap neither then nor now, met on their ways. */
bool qd_rows_pass(const qd_row *was_a, const qd_row *now_a, bool round_a, const qd_row *was_b, const qd_row *now_b,
                  bool round_b);

/* What two special rows have to tell, 0 where it is nothing. References may have the bits of QD_LIST: where a row is on
 * two lists, begins and stays are told of where it is as it is, ends where it is as it was. */
uint32_t qd_pair_resolve(const qd_sink *sink, uint32_t reference_a, uint32_t reference_b);
/* Fetches what that will read of a row whose body's record is near already. */
void qd_pair_fetch(const qd_sink *sink, uint32_t reference);

#endif
