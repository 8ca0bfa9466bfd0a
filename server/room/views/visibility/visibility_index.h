/* SPDX-License-Identifier: Apache-2.0
 *
 * The visibility index: a second space, with the index and dimensions of the room's space, in which the pairs of bodies
 * tell which entities observers may see.
 *
 *     body                     shape                                 category  mask
 *     point of an entity       box of size 0 at its center              1        2
 *     region of an observer    circle or box; a second, widened one     2        1
 *     beacon of an entity      circle of its visible range              4        8
 *     center of an observer    circle of radius 0; of leave_margin      8        4
 *
 * Beacons exist for entities with a visible range, and centers once the room has had a beacon. While the spatial join
 * is in use, nothing is moved, and bodies of observers have the mask 0.
 *
 * The index exists while the room has observers. Without it, the functions about entities do nothing.
 */
#ifndef QD_ROOM_VIEWS_VISIBILITY_VISIBILITY_INDEX_H
#define QD_ROOM_VIEWS_VISIBILITY_VISIBILITY_INDEX_H

#include "../state/view_state.h"

/* ---- entities ---- */

/* QD_ERR_NO_MEMORY, QD_ERR_FULL. */
qd_status qd_view_index_add(qd_views *views, uint32_t slot, const qd_body *body) QD_MUST_USE;
void qd_view_index_remove(qd_views *views, uint32_t slot, qd_space_reason reason);
/* `z` is NULL in two dimensions. */
void qd_view_index_move(qd_views *views, uint32_t count, const uint32_t *slots, const float *x, const float *y,
                        const float *z);
/* Makes room for the change of one more entity, without which qd_view_index_filter cannot be called. */
qd_status qd_view_index_reserve_change(qd_views *views) QD_MUST_USE;
void qd_view_index_filter(qd_views *views, uint32_t slot, uint32_t category);
qd_status qd_view_index_describe(qd_views *views, uint32_t slot, const qd_description *description) QD_MUST_USE;

/* ---- observers ---- */

/* Makes the bodies of the observer that is to be in `row`, or reshapes existing ones. Fails only for memory or
 * QD_SPACE_SLOTS_MAX, and then changes nothing. */
qd_status qd_view_index_fit(qd_views *views, uint32_t row, qd_observer *observer) QD_MUST_USE;
void qd_view_index_unfit(qd_views *views, qd_observer *observer);
/* Moves the bodies to observer->at. */
void qd_view_index_center(qd_views *views, const qd_observer *observer);

/* Before one more entity carries a beacon or an observer: its moves need no memory. */
bool qd_view_index_reserve_carrier(qd_views *views) QD_MUST_USE;

/* ---- ticks ---- */

/* Moves beacons and observers to the entities that carry them. */
void qd_view_index_follow(qd_views *views, const qd_executor *executor);
/* Between ticks, after uses_join has changed: observers get the masks that fit it, as if they had had them at the
 * last tick. */
void qd_view_index_refilter(qd_views *views);
/* The same when the index takes over from the join: everything also moves to where it was at the last tick. */
void qd_view_index_catch_up(qd_views *views);

#endif
