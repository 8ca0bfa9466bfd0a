/* SPDX-License-Identifier: Apache-2.0
 *
 * The spatial join compares points of entities with regions of observers without the visibility index. It is faster
 * where most entities move and many are in view, as in a crowd: almost everything is compared at every tick anyway, and
 * there is no tree to keep up to date.
 *
 *     grid      entities sorted by cell, now and at the last tick (join_grid.h)
 *     plan      the regions of a cell are a group, with one copy of the points near them (join_plan.h)
 *     compare   each region with the points of its group, 16 at a time, as bit masks (join_compare.h)
 *
 * It compares now with the last tick, as the kernel of a space does, and keeps no table of pairs: a crossing is where
 * the two differ. All costs are counted before the search, not timed, so they are the same on every machine.
 *
 * While the join is in use, nothing moves in the index. Bodies still come and go there, so that the index can take over
 * after any tick without failing (qd_view_index_catch_up).
 */
#ifndef QD_ROOM_VIEWS_VISIBILITY_SPATIAL_JOIN_H
#define QD_ROOM_VIEWS_VISIBILITY_SPATIAL_JOIN_H

#include "../join/join.h"

qd_join *qd_join_create(qd_heap *heap) QD_MUST_USE; /* NULL: no memory */
/* Gives back all of its memory, except `join` itself. The join is not in use. */
void qd_join_release(qd_join *join, qd_heap *heap);
void qd_join_destroy(qd_join *join, qd_heap *heap);
/* A tick. The crossings are of observers with visible entries; `changes` are enters and leaves of derived views
 * (derived.h). They are not complete if there are more than `limit` crossings, if finding them would take too many looks,
 * or with qd_views.no_memory. */
qd_crossings qd_join_tick(qd_views *views, const qd_executor *executor, uint64_t limit);

#endif
