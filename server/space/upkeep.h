/* SPDX-License-Identifier: Apache-2.0
 *
 * A space's state, and its upkeep: which index it has, and how much memory it keeps. Every so many ticks a space gives
 * back what is far more than it needs; one that is empty becomes as small as a new one. What fails for lack of memory
 * is left out, and tried again later.
 *
 * Owned by the space. One thread at a time.
 */
#ifndef QD_SPACE_UPKEEP_H
#define QD_SPACE_UPKEEP_H

#include "auto.h"
#include "core/axes.h"
#include "core/pending_moves.h"
#include "core/proxies.h"
#include "core/traversal.h"

typedef struct space_nd {
    qd_space base;
    qd_heap *heap;
    qd_space_config config;
    qd_bodies bodies;
    qd_rows rows;
    qd_index *index;
    qd_traversal traversal;
    qd_pending pending;
    bool ticked;                 /* between tick and settle */
    const qd_executor *executor; /* then: of the tick */
    bool is_flooded;             /* the last tick had several moves a body */
    bool was_divided;            /* the last tick had several workers */
    uint64_t settled;            /* counters.moves at the last settle */
    qd_space_counters counters;  /* of cells_pruned those of indexes that are gone */
    qd_auto choice;
    qd_auto_tick counted; /* at this tick; its operations: those up to the last settle */
    bool is_counted;
    bool without_hits; /* the last traversal was stopped because it found too little; AUTO's turn is due */
    uint32_t ticks;    /* up to the next look at what is kept */
} space_nd;

/* NULL: no memory. */
qd_index *qd_upkeep_create_index(qd_space_index kind, const qd_index *as);

/* Before a traversal: what has come since the last one may be too much for the index at work. */
void qd_upkeep_prepare(space_nd *s, const qd_executor *executor);
/* AUTO's turn, after a traversal that was stopped without hits. Returns whether it was one. */
bool qd_upkeep_leave_index(space_nd *s, const qd_executor *executor);
/* And after a tick. */
void qd_upkeep_choose_index(space_nd *s, const qd_executor *executor);

/* Give memory back, every so many ticks: before a tick, and after it. */
void qd_upkeep_trim(space_nd *s);
void qd_upkeep_compact(space_nd *s);
/* And whenever that is wanted. Not between a tick and its settle. */
void qd_upkeep_trim_now(space_nd *s);

#endif
