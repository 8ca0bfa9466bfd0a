/* SPDX-License-Identifier: Apache-2.0
 *
 * Pending moves: places of bodies that wait to be registered. A pending move writes a bit and a column for each axis,
 * by slot. A later move of the same body overwrites it. The tick applies each body's last move, in the order of slots.
 * Until then records and rows say what was registered last.
 *
 *     slot      0   64      128     192
 *     waiting   | word | word  | word  | ...     a bit a slot
 *     at[axis]  | x x x x x x x x ...            of slots without a bit: anything
 *               | part: a task  | part ...
 *
 * Where every row counts as changed, tasks apply parts at the same time. Bodies that stay in their cells touch nothing
 * but their own records and rows. The others become movers, which are written in place of their coordinates and applied
 * afterwards, one after the other. A part has a fixed number of slots, so the result does not depend on the number of
 * workers.
 *
 * Owned by the space; it has no memory before the first pending move. One thread at a time.
 */
#ifndef QD_SPACE_CORE_PENDING_MOVES_H
#define QD_SPACE_CORE_PENDING_MOVES_H

#include "../../base/executor.h"
#include "proxies.h"

typedef struct qd_pending {
    qd_heap *heap;
    float *at[QD_AXES]; /* one allocation, which begins with the first */
    uint64_t *waiting;
    uint32_t capacity; /* slots, a multiple of 64 */
    bool any;          /* a bit may be set */
    bool was_used;     /* since qd_pending_trim */
} qd_pending;

void qd_pending_init(qd_pending *pending, qd_heap *heap);
void qd_pending_deinit(qd_pending *pending);

/* Gives the memory back if no move has waited since the last call, or if it is far too long. */
void qd_pending_trim(qd_pending *pending, const qd_bodies *bodies);

/* Notes moves, in turn. False: there is no memory, and nothing changed. */
bool qd_pending_put(qd_pending *pending, const qd_bodies *bodies, size_t count, const uint32_t *slots,
                    const float *const *at) QD_MUST_USE;
/* Whether a body waits; then `at` is where. */
bool qd_pending_get(const qd_pending *pending, uint32_t slot, float *at);
/* These wait no more, if they did. */
void qd_pending_drop(qd_pending *pending, size_t count, const uint32_t *slots);
void qd_pending_fetch(const qd_pending *pending, uint32_t slot);
/* How many wait. */
uint32_t qd_pending_count(const qd_pending *pending);

/* Registers all that wait. */
void qd_pending_apply(qd_pending *pending, qd_index *index, const qd_executor *executor);
/* Only bodies that are there wait. */
void qd_pending_validate(const qd_pending *pending, const qd_bodies *bodies);

#endif
