/* SPDX-License-Identifier: Apache-2.0
 *
 * A space: bodies, an index over them, and the traversal that finds what began and ended to overlap since the last
 * tick.
 *
 * HOW EVENTS COME WITHOUT A TABLE OF PAIRS. Each body is kept twice: `was`, as it stood at the last tick, and `now`.
 * A pair begins where the two overlap now and did not, and ends the other way round. Bodies are registered by the
 * union of the two, so one traversal meets every such pair; a body added since has no `was`, a removed one no `now`.
 * Pairs of bodies that both rest cost nothing.
 *
 *     add, move, teleport, reshape, refilter, remove   any number, O(1) each; a move may be PENDING
 *     qd_space_tick                                    the traversal; then now becomes was
 *     qd_space_end_reason                              why the ends came
 *     qd_space_settle                                  slots of removed bodies become free; required before changes
 *
 * PENDING MOVES. Only the last place of a body that moves several times between two ticks counts. So where that is
 * expected, because there have been as many moves as bodies since the last tick, or twice as many before it, a move
 * only notes its place, and the tick registers it: what is superseded never is. The same is done where there are very
 * many bodies, whose moves the tick then splits, too. Only the cost differs, never a result.
 *
 * SLOTS. A body is named by a slot, a small number that the space gives out and uses again; callers keep their own
 * arrays by it. The slot of a removed body stays its own until qd_space_settle.
 *
 * MEMORY. Only adding a body fails without memory, and the first radius. Everything else does with what there is: an
 * index places bodies more loosely and plans later, which only costs time. A traversal that has no memory for its lists
 * and events stops (QD_SPACE_STOP_MEMORY). So does the next one after a body was teleported, reshaped or refiltered
 * while there was no memory to note how it had been; until then pairs and queries have no answer either.
 *
 * Pure and deterministic: no threads, clock or sockets of its own; a big traversal, the pending moves before it, and plans,
 * are split into tasks for the executor that the caller hands in, and give the same set of events on any number of
 * workers. One thread at a time.
 *
 * Overlap and filters are defined in proto/SPEC.md (O1 to O9, P1), and here in shape.h. Lengths have one unit, which
 * is the caller's. All values given must be finite, sizes 0 or more; callers check what peers send.
 */
#ifndef QD_SPACE_SPACE_H
#define QD_SPACE_SPACE_H

#include "../base/executor.h"
#include "../base/memory/alloc.h"
#include "types.h"

/* The heap must outlive the space. A new space is small (under 2 KiB); it grows with what it holds. QD_ERR_INVALID
 * where the config is not as said above; QD_ERR_NO_MEMORY. */
qd_status qd_space_create(const qd_space_config *config, qd_heap *heap, qd_space **space) QD_MUST_USE;
void qd_space_destroy(qd_space *space);

/* QD_ERR_FULL above bodies_max, QD_ERR_NO_MEMORY; both change nothing. */
qd_status qd_space_add(qd_space *space, const qd_body *body, uint32_t *slot) QD_MUST_USE;
/* Centers, in columns of `count`; `z` is NULL in two dimensions. Slots must be of bodies that are there and not
 * removed. A slot may come several times: the last place counts. A body that is teleported was nowhere in between: it
 * passes none, and the reason of its ends is TELEPORTED instead of MOVED_APART. */
void qd_space_move(qd_space *space, size_t count, const uint32_t *slots, const float *x, const float *y,
                   const float *z);
void qd_space_teleport(qd_space *space, size_t count, const uint32_t *slots, const float *x, const float *y,
                       const float *z);
/* Shape, half extents and radius become those of `form`; nothing else of it counts. QD_ERR_NO_MEMORY, which changes
 * nothing, only where `form` has a radius and no body had one before. */
qd_status qd_space_reshape(qd_space *space, uint32_t slot, const qd_body *form) QD_MUST_USE;
void qd_space_refilter(qd_space *space, uint32_t slot, uint32_t category, uint32_t mask);
/* `reason` is ROOM_CLOSED, EXPIRED or DESPAWNED. Returns whether the slot is free at once, because the body was added
 * since the last tick and leaves no trace; else it is free after qd_space_settle. */
bool qd_space_remove(qd_space *space, uint32_t slot, qd_space_reason reason);

/* The body as it is now. */
void qd_space_body(const qd_space *space, uint32_t slot, qd_body *body);
/* Prefetches what qd_space_body will read, for callers that ask for many bodies anywhere in memory. */
void qd_space_fetch(const qd_space *space, uint32_t slot);
/* Prefetches all that such a use will read, if there are only some hundred bodies: where there are thousands of such
 * spaces, it is in no cache. */
void qd_space_fetch_all(const qd_space *space, qd_space_use use);

/* One tick: the traversal; then now becomes was, for all bodies and even when not complete. The executor is also that of
 * qd_space_settle. */
void qd_space_tick(qd_space *space, const qd_executor *executor, qd_space_wanted wanted, size_t limit,
                   qd_space_events *result);

/* Between tick and settle, of an end. */
qd_space_reason qd_space_end_reason(const qd_space *space, uint32_t slot_a, uint32_t slot_b);
/* The same of all ends at once: false where since the last tick bodies did nothing but move, so that all of them are
 * QD_SPACE_MOVED_APART and none need be asked about. */
bool qd_space_end_reasons_differ(const qd_space *space);

/* Ends the tick: removed bodies give up their slots, the index may choose its depth or cells again, and the space gives
 * back memory that it has not needed for some ticks. Returns the first slot that is free now, or QD_SPACE_SLOT_NONE. */
uint32_t qd_space_settle(qd_space *space);
/* The freed slot after this one, or QD_SPACE_SLOT_NONE. In no particular order; until the next change. */
uint32_t qd_space_next_freed(const qd_space *space, uint32_t slot);

/* Gives back at once what the space does not need now. Not between tick and settle. */
void qd_space_trim(qd_space *space);

/* The pairs as they stood at the last tick (as STAY events), whatever was changed since. Not between tick and settle.
 */
void qd_space_pairs(qd_space *space, const qd_executor *executor, size_t limit, qd_space_events *result);

/* ---- queries: what was where at the last tick ----
 *
 * Queries see the bodies as they were when the events of the last tick were found, whatever was changed since: one
 * removed since is still there, one added since is not. Shapes are closed, and the overlap of regions is that of
 * shape.h; the rest is computed in double from the float32 rows. */

/* Not between tick and settle. QD_ERR_NO_MEMORY (see MEMORY); else the caller frees the hits. */
qd_status qd_space_find(const qd_space *space, const qd_space_query *query, qd_space_hits *hits) QD_MUST_USE;
void qd_space_hits_free(const qd_space *space, qd_space_hits *hits);

void qd_space_counters_get(const qd_space *space, qd_space_counters *counters);

/* Goes through the whole structure and aborts where an invariant is broken. For tests and debug builds. */
void qd_space_validate(const qd_space *space);

#endif
