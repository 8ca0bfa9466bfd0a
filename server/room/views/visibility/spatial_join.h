/* SPDX-License-Identifier: Apache-2.0
 *
 * The spatial join compares points of entities with regions of observers without the visibility index. It is faster
 * where most entities move and many are in view, as in a crowd: almost everything is compared at every tick anyway, and
 * there is no tree to keep up to date.
 *
 *     entries   points in the order of a Morton curve as of the last sort; later ones follow
 *     boxes     around each 16 points, and around each 16 boxes (join_find.h), made again at every tick
 *     regions   by row of the observer, where they are and where they were; searched along the curve, too
 *
 * It compares now with the last tick, as the kernel of a space does, and keeps no table of pairs: a crossing is where
 * the two differ. Boxes follow the points, so the order changes the cost but not the crossings. Points are sorted again
 * once wide boxes have cost as much as a sort. All costs are counted, not timed, so they are the same on every machine.
 * An entity that moves far has two entries at that tick, so that no box spans the distance: one where it was, for what
 * ends, and one where it is, for what begins.
 *
 * While the join is in use, only beacons and the bodies that meet them move in the index. Bodies still come and go
 * there, so that the index can take over after any tick without failing (qd_view_index_catch_up).
 */
#ifndef QD_ROOM_VIEWS_VISIBILITY_SPATIAL_JOIN_H
#define QD_ROOM_VIEWS_VISIBILITY_SPATIAL_JOIN_H

#include "join_entries.h"

qd_join *qd_join_create(qd_heap *heap) QD_MUST_USE; /* NULL: no memory */
/* Gives back all of its memory, except `join` itself. The join is not in use. */
void qd_join_release(qd_join *join, qd_heap *heap);
void qd_join_destroy(qd_join *join, qd_heap *heap);
/* A tick. The crossings are not complete if there are more than `limit`, if finding them takes too many looks, or
 * with qd_views.no_memory. */
qd_crossings qd_join_tick(qd_views *views, const qd_executor *executor, uint64_t limit);

#endif
