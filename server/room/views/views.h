/* SPDX-License-Identifier: Apache-2.0
 *
 * Views in the life of a room: what the room reports to them about entities and members, and their ticks.
 *
 *     tick    crossings (visibility/) -> candidates -> changes -> view_report
 */
#ifndef QD_ROOM_VIEWS_VIEWS_H
#define QD_ROOM_VIEWS_VIEWS_H

#include "state/view_state.h"

/* The entities outlive the views. */
void qd_views_init(qd_views *views, qd_entities *entities, const qd_room_config *config, uint64_t salt);
void qd_views_deinit(qd_views *views);

/* ---- members ---- */

/* Makes the row of a new member. QD_ERR_NO_MEMORY. */
qd_status qd_views_join(qd_views *views, uint32_t member) QD_MUST_USE;
/* Ends the member's observers, and forgets its options. */
void qd_views_leave(qd_views *views, uint32_t member);
/* The member owns other entities now: if it watches its own, its reverse view needs a reset. */
void qd_views_owner_changed(qd_views *views, uint32_t member);

/* ---- entities ---- */

/* The slot is a new entity's. QD_ERR_NO_MEMORY, QD_ERR_FULL: nothing has changed. */
qd_status qd_views_add(qd_views *views, uint32_t slot, const qd_body *body) QD_MUST_USE;
/* Ends the observers that are anchored to it. */
void qd_views_remove(qd_views *views, uint32_t slot, qd_space_reason reason);

/* ---- ticks ---- */

/* Call it before the space settles, while removed entities have their slots. entities->tick is this tick. */
void qd_views_tick(qd_views *views, const qd_executor *executor, uint32_t skipped);
void qd_views_catch_up(qd_views *views);
/* As qd_room_is_quiet. */
bool qd_views_are_quiet(const qd_views *views);

/* For qd_room_trim, after the members. */
void qd_views_trim(qd_views *views);

/* ---- reading ---- */

void qd_views_stats(const qd_views *views, qd_room_view_stats *stats);
/* As qd_room_why. (why.c) */
uint32_t qd_views_why(const qd_views *views, uint32_t member, uint32_t a, uint32_t b, uint32_t capacity,
                      qd_room_reason *reasons);

#endif
