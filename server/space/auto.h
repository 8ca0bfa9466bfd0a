/* SPDX-License-Identifier: Apache-2.0
 *
 * AUTO: which index a space should have, decided between ticks by counted work, never by the clock: the same on every
 * machine, with every kernel and any number of hands.
 *
 * It begins with BRUTE, which is the fastest for few rows, and leaves it before a walk of more: then it is the tree's
 * turn, which is the best or near it nearly everywhere. Once rows have been few for some time BRUTE has them again.
 *
 * Two things a tree cannot help: rows that go far at every tick have to be put elsewhere every time, which costs GRID
 * nothing; and crowds that are tiny beside the world lie in cells that cannot be divided any more, which SPARSE does
 * not know. Both are seen in what a tick cost beyond its share. That adds up until it has cost as much as to try the
 * other index; what the other one costs is counted then, too, and who is not clearly better is left again, and not
 * tried before four times as much has come together. An index that is better is kept so long that a look whether the
 * tree would do again costs a small part of it.
 *
 * Owned by the world. One thread at a time.
 */
#ifndef QD_SPACE_AUTO_H
#define QD_SPACE_AUTO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/axes.h"
#include "types.h"

/* What one tick counted. */
typedef struct qd_auto_tick {
    uint32_t rows;       /* that were walked over, those of removed bodies with them */
    uint64_t operations; /* on lists */
    uint64_t tests;
    uint64_t exact_tests; /* beyond those that found an event, which no index can spare */
} qd_auto_tick;

/* Costs are steps a row, of about the time that one row takes against 64 others. */
typedef struct qd_auto {
    uint32_t few;         /* rows that BRUTE is no slower with; 0: it is not wanted */
    double debt;          /* of the tree's ticks beyond their share */
    double tree_cost;     /* of its last tick */
    double settling;      /* of the other index's first ticks */
    double cost_sum;      /* of those after them, that are compared */
    uint32_t doublings;   /* of the excess that it takes: two for each attempt in vain */
    uint32_t ticks;       /* that the other index was at work */
    uint32_t ticks_to_be; /* before the tree is looked at again */
    uint32_t few_ticks;   /* on end with no more than half of that */
    bool tree_failed;     /* its walk, or that of the one after it, was stopped in vain: no more looks at it */
} qd_auto;

/* For a tree of leaves of so many rows. Who asks for a depth, which is not 0 then, wants a tree from the beginning. */
void qd_auto_init(qd_auto *choice, uint32_t leaf_rows, uint32_t depth);
/* The index to begin with. */
qd_space_index qd_auto_first(const qd_auto *choice);
/* The index for a walk of so many rows. */
qd_space_index qd_auto_fit(const qd_auto *choice, qd_space_index at_work, uint32_t rows);
/* The index after a walk that was stopped because too many exact tests found nothing: who looked at the tree again
 * would stop the next one. */
qd_space_index qd_auto_without_hits(qd_auto *choice);
/* The index for the next tick, from what the last one counted with the index that was at work. Ticks without a walk,
 * and those whose walk was not complete, are not told. */
qd_space_index qd_auto_next(qd_auto *choice, qd_space_index at_work, const qd_auto_tick *tick);

#endif
