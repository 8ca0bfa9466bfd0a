/* SPDX-License-Identifier: Apache-2.0
 *
 * The stage: places of bodies that wait to be registered. A staged move writes two columns and a bit, by slot, and a
 * later one of the same body takes its place; the tick has them LAND, each body once, in the order of slots. Until then
 * records and rows say what was registered last.
 *
 *     slot      0   64      128     192
 *     waiting   | word | word  | word  | ...     a bit a slot
 *     at[axis]  | x x x x x x x x ...            of slots without a bit: anything
 *               | part: a task  | part ...
 *
 * Where every row counts as changed, parts land side by side: those that stay in their cells touch nothing but their
 * own records and rows. Of the others it is found out where they go, which is written down in place of where they are,
 * with a bit among those of their part of the index (index.h), and they go there afterwards: the parts of a large index
 * side by side. All parts depend on slots and cells alone, so all is the same whoever does it.
 *
 * Owned by the world; it has no memory before the first move is staged. One thread at a time.
 */
#ifndef QD_SPACE_CORE_PENDING_MOVES_H
#define QD_SPACE_CORE_PENDING_MOVES_H

#include "../../base/executor.h"
#include "index.h"

typedef struct qd_stage {
    qd_heap *heap;
    float *at[QD_AXES]; /* one allocation, which begins with the first */
    uint64_t *waiting;
    uint64_t *leaving[QD_PARTS + 1]; /* as they land: those that leave their cells, by part of the index */
    bool is_parted;                  /* so they are; else all are in the last one */
    uint32_t capacity;               /* slots, a multiple of 64 */
    bool any;                        /* a bit may be set */
} qd_stage;

void qd_stage_init(qd_stage *stage, qd_heap *heap);
void qd_stage_deinit(qd_stage *stage);

/* Stages moves, in turn. False: there is no memory, and nothing changed. */
bool qd_stage_put(qd_stage *stage, const qd_bodies *bodies, size_t count, const uint32_t *slots,
                  const float *const *at) QD_MUST_USE;
/* Whether a body waits; then `at` is where. */
bool qd_stage_get(const qd_stage *stage, uint32_t slot, float *at);
/* These wait no more, if they did. */
void qd_stage_drop(qd_stage *stage, size_t count, const uint32_t *slots);
void qd_stage_fetch(const qd_stage *stage, uint32_t slot);
/* How many wait. */
uint32_t qd_stage_count(const qd_stage *stage);

/* For the index, as they leave. Of a part that no other thread is at: */

#define QD_LEAVERS_AT_ONCE 256u /* their records are fetched together */
/* The next ones, from a word of slots on; they wait no more. Returns how many; 0: that was all. */
uint32_t qd_stage_leavers(qd_stage *stage, const qd_bodies *bodies, uint32_t part, uint32_t *word, qd_leaver *leavers);
/* They wait again. */
void qd_stage_leave(qd_stage *stage, uint32_t part, const qd_leaver *leavers, uint32_t count);

/* Registers all that wait. */
void qd_stage_land(qd_stage *stage, qd_index *index, const qd_executor *executor);
/* Only bodies that are there wait. */
void qd_stage_validate(const qd_stage *stage, const qd_bodies *bodies);

#endif
