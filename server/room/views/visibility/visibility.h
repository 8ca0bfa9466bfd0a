/* SPDX-License-Identifier: Apache-2.0
 *
 * Which entities come into the regions of observers and go from them: found by the visibility index, or by the spatial
 * join while that pays. Both exist while the room has observers, and both give the same crossings.
 */
#ifndef QD_ROOM_VIEWS_VISIBILITY_VISIBILITY_H
#define QD_ROOM_VIEWS_VISIBILITY_VISIBILITY_H

#include "../state/view_state.h"

/* With all entities of the room. QD_ERR_NO_MEMORY, QD_ERR_FULL: nothing is open. */
qd_status qd_visibility_open(qd_views *views) QD_MUST_USE;
void qd_visibility_close(qd_views *views);

/* Adds an entity, if open. QD_ERR_NO_MEMORY, QD_ERR_FULL. */
qd_status qd_visibility_add(qd_views *views, uint32_t slot, const qd_body *body) QD_MUST_USE;

/* A tick: then call qd_visibility_settle. The crossings are valid until the next tick; they are not complete if there
 * are more than `limit`, if finding them would take too long, or with qd_views.no_memory. */
qd_crossings qd_visibility_tick(qd_views *views, const qd_executor *executor, uint64_t limit);
/* A tick without crossings. */
void qd_visibility_skip_tick(qd_views *views, const qd_executor *executor);
/* Ends a tick, and decides whether the join is in use at the next one. */
void qd_visibility_settle(qd_views *views);
/* After that, if views are suspended: gives back all memory but that of the index. */
void qd_visibility_release(qd_views *views);
/* Between ticks: no slot of the room's space from `slot_end` on is in use. */
void qd_visibility_trim(qd_views *views, uint32_t slot_end);
/* Between ticks: all that is in regions, as crossings that begin. */
qd_crossings qd_visibility_all(qd_views *views, const qd_executor *executor, uint64_t limit);

#endif
