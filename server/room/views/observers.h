/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands about observers, and their lists: by member, and by the entity that they are anchored to.
 */
#ifndef QD_ROOM_VIEWS_OBSERVERS_H
#define QD_ROOM_VIEWS_OBSERVERS_H

#include "state/view_state.h"

/* The commands of room_views.h. The member is in the room. */
void qd_views_observe(qd_views *views, uint32_t member, const qd_msg_observers *batch, qd_room_refusals *refusals);
void qd_views_move_observers(qd_views *views, uint32_t member, const qd_msg_observers *batch,
                             qd_room_refusals *refusals);
void qd_views_unobserve(qd_views *views, uint32_t member, uint32_t count, const uint32_t *id,
                        qd_room_refusals *refusals);
qd_status qd_views_except(qd_views *views, uint32_t member, uint32_t observer, uint32_t show_count,
                          const uint32_t *show, uint32_t hide_count, const uint32_t *hide) QD_MUST_USE;

/* Of all observers of a member, at the last tick. */
uint64_t qd_observers_visible_entries(const qd_views *views, uint32_t member);

/* The row of a member's observer; QD_NONE: it has none of that id. */
uint32_t qd_observer_find(const qd_views *views, uint32_t member, uint32_t id);
/* Its id is free at once, its view ends at the next tick. */
void qd_observer_end(qd_views *views, uint32_t row);
/* Its view has ended: the row is free. */
void qd_observer_release(qd_views *views, uint32_t row);
/* Gives back the memory of rows that are far more than the observers. */
void qd_observers_trim(qd_views *views);

#endif
