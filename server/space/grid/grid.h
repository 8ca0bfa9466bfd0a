/* SPDX-License-Identifier: Apache-2.0
 *
 * GRID: cells of one size, found again at every traversal by sorting. Between traversals all rows lie in one list, in
 * no order, and a body that moves writes its row and nothing else, however far it goes. A traversal gives every row the
 * keys of the cells that it takes up, one word each, and sorts the words; then the rows of a cell stand side by side,
 * and what is left are short lists for the kernel.
 *
 *     word    the cell's number, the class   | the row, with the bits of QD_LIST
 *             32 bits: the key               | 32 bits
 *
 * EACH PAIR ONCE. A row takes up all cells from that of its box's lower corner, where it is at HOME, to that of its
 * upper corner. Its class in one of them has a bit for each axis on which it begins before that cell; at home it is 0.
 * Of the cells that two rows share exactly one has no axis on which both began before it: that of the larger of their
 * lower corners. So rows meet in a cell where their classes have no bit in common: those at home meet all others, the
 * others a few.
 *
 *     +-------+-------+     a is at home in 0; in 1 its class is x, in 2 it is y, in 3 it is xy
 *     | 0  a--|-- 1   |     b is at home in 1; in 3 its class is y
 *     |    |  |  |  b |     a and b share 1 and 3; they meet in 1, because in 3 both began before it on y
 *     +-------+-----|-+
 *     | 2  |  | 3|  | |
 *     +-------+-------+
 *
 * FAR. Where a row's was and now are so far apart that the cells between them would be more than their own, it takes
 * up the two on their own; the events of a pair are then reported in the cell where they belong (QD_LIST_WAS).
 *
 * LARGE rows, that take up more cells than QD_GRID_CELLS_MAX, are in no cell. They are brought to every cell that has
 * rows at home, as far as they reach, and to each other.
 *
 * Rows have no order.
 *
 * Owned by the space.
 */
#ifndef QD_SPACE_GRID_GRID_H
#define QD_SPACE_GRID_GRID_H

#include "../brute/one_list.h"
#include "../plan/replan_debt.h"

#define QD_GRID_CELLS_MAX 32u                                    /* that a row takes up without being large */
#define QD_GRID_AXIS_MAX  ((1u << (32 - QD_AXES) / QD_AXES) - 1) /* the last cell of an axis, at most */
#define QD_GRID_CLASSES   QD_CHILDREN

/* Where cells are. The quantizer's numbers are cells, as far as `last`; what lies beyond is in the last one. */
typedef struct qd_grid_shape {
    qd_quantizer quantizer;
    double size; /* of a cell */
    uint32_t last[QD_AXES];
    uint32_t bits[QD_AXES]; /* of a key, for the cell on an axis */
} qd_grid_shape;

/* The cells that a row takes up. */
typedef struct qd_grid_span {
    uint32_t lo[QD_AXES], hi[QD_AXES];
} qd_grid_span;

typedef struct qd_grid_large {
    qd_grid_span span;
    uint32_t row; /* as in a word */
} qd_grid_large;

/* What a traversal works on. */
typedef struct qd_grid_words {
    uint64_t *word[2];   /* for making and sorting them */
    uint32_t *key, *row; /* sorted, their two halves; in the memory of one of those */
    uint32_t count, capacity;
    qd_grid_large *large;
    uint32_t large_count, large_capacity;
    bool no_memory;          /* a word or a large row is missing */
    uint32_t reach[QD_AXES]; /* how many cells a row that is not large goes beyond its home, at most */
} qd_grid_words;

typedef struct qd_grid {
    qd_one_list one_list;
    qd_grid_shape shape;
    qd_grid_words words;
    uint32_t tasks;           /* of the traversal under way */
    uint32_t traversals;      /* since ever */
    uint32_t planned_for;     /* rows, when the shape was chosen; 0: never */
    double planned_work;      /* steps a row */
    qd_replan_debt plan_debt; /* steps that traversals since differed from that */
    bool is_short;            /* a plan lacks memory */
} qd_grid;

static inline uint32_t qd_grid_cell(uint32_t key)
{
    return key / QD_GRID_CLASSES;
}

static inline bool qd_grid_is_home(uint32_t key)
{
    return key % QD_GRID_CLASSES == 0;
}

/* The words of all rows, sorted; and the large rows. With `all`, no caller asks what changed. False, with neither,
 * where there would be more than words_max, or words.no_memory says so. */
bool qd_grid_sort(qd_grid *grid, qd_traversal_mode mode, bool all, uint32_t words_max) QD_MUST_USE;
/* What a traversal over them has to do, in steps of about the time that one row takes against 64 others. */
uint64_t qd_grid_work(const qd_grid *grid);
void qd_grid_words_free(qd_grid *grid);
/* Gives back memory that is far more than the rows need. Not during a traversal. */
void qd_grid_words_trim(qd_grid *grid);

/* ---- plans: grid_plan.c ---- */

/* Chooses the size of cells, where that is due. */
void qd_grid_plan(qd_grid *grid);
/* After a traversal: adds to the debt what it did beyond the plan. */
void qd_grid_note_traversal(qd_grid *grid);
#endif
