/* SPDX-License-Identifier: Apache-2.0
 *
 * AUTO: which index a space should have, decided between ticks by counted work, never by the clock: the same on every
 * machine, with every kernel and any number of workers.
 *
 * AUTO begins with BRUTE, the fastest index for few rows, and changes to the tree before a traversal of more. The tree
 * is the best index, or nearly, for most content. Once rows have been few for some time, AUTO returns to BRUTE.
 *
 * A tree is slow in two cases. Rows that move far at every tick change their cells every time, which costs GRID
 * nothing. A crowd that is tiny compared with the world lies in finest cells, which the linear tree cannot divide and
 * SPARSE can. Both show in what a tick costs beyond its share. This debt adds up until it has cost as much as trying
 * another index. AUTO then counts what the other index costs, and compares it with what the tree would cost by now, if
 * that follows the trend of these ticks. For the tree, it takes the mean of its last ticks: rows that move together
 * change their cells in one tick of several. If the other index is not clearly better, AUTO returns to the tree: after
 * two ticks if SPARSE saves nothing, as in a pile of rows that all overlap. It tries that index again only when the
 * tree costs clearly more or less than then, and after four times the debt. A better index stays long enough that
 * another try of the tree costs a small part of the gain.
 *
 * Owned by the space. One thread at a time.
 */
#ifndef QD_SPACE_AUTO_H
#define QD_SPACE_AUTO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/axes.h"
#include "plan/replan_debt.h"
#include "types.h"

/* What one tick counted. */
typedef struct qd_auto_tick {
    uint32_t rows;       /* traversed, with those of removed bodies */
    uint64_t operations; /* on lists */
    uint64_t tests;
    uint64_t exact_tests; /* beyond those that found an event, which no index can spare */
} qd_auto_tick;

enum { QD_AUTO_TREE_TICKS = 4 }; /* whose mean counts */

/* Costs are steps a row, of about the time that one row takes against 64 others. */
typedef struct qd_auto {
    uint32_t few;                     /* rows that BRUTE is no slower with; 0: it is not wanted */
    qd_replan_debt debt;              /* of the tree's ticks beyond their share */
    float costs[QD_AUTO_TREE_TICKS];  /* of the tree's last ticks, in a ring */
    float moving[QD_AUTO_TREE_TICKS]; /* of that, for operations */
    uint32_t tree_ticks;              /* since the tree came to work */
    double tree_cost;                 /* a tick, when another index came to work */
    double settling;                  /* of the other index's first ticks */
    double cost_sum;                  /* of those after them, that are compared */
    double cost_first;                /* of the first of them */
    double grid_failed;               /* the tree's cost when GRID was not clearly better; 0: it never was tried so */
    double sparse_failed;             /* the same of SPARSE */
    uint32_t ticks;                   /* that the other index was at work */
    uint32_t ticks_to_be;             /* before the tree is looked at again */
    uint32_t few_ticks;               /* on end with no more than half of that */
    bool tree_failed; /* its traversal, or that of the one after it, was stopped without hits: no more looks at it */
} qd_auto;

/* `leaf_rows`: of the tree's leaves. A depth other than 0 asks for the tree from the beginning. */
void qd_auto_init(qd_auto *choice, uint32_t leaf_rows, uint32_t depth);
/* The index to begin with. */
qd_space_index qd_auto_first(const qd_auto *choice);
/* The index for a traversal of so many rows. */
qd_space_index qd_auto_fit(const qd_auto *choice, qd_space_index at_work, uint32_t rows);
/* The index after a traversal that stopped because too many exact tests found nothing. The tree would stop again. */
qd_space_index qd_auto_without_hits(qd_auto *choice);
/* The index for the next tick, from what the last one counted with the index that was at work. Ticks without
 * a complete traversal do not count. */
qd_space_index qd_auto_next(qd_auto *choice, qd_space_index at_work, const qd_auto_tick *tick);

#endif
