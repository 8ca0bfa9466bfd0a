/* SPDX-License-Identifier: Apache-2.0
 *
 * From the news of a round to the reports of members, and what happens to reports that are lost.
 */
#ifndef QD_ROOM_VIEWS_VIEW_REPORT_H
#define QD_ROOM_VIEWS_VIEW_REPORT_H

#include "state/view_state.h"

/* Makes the columns of a round. `reported_before`: the last tick of earlier rounds. False: no memory; then nobody gets a
 * report, and resets stay due. Never if views are suspended. */
bool qd_view_report_make(qd_views *views, uint64_t reported_before);
/* The next report; false: there is none. */
bool qd_views_next_report(qd_views *views, qd_room_view_report *report);

/* The commands of room_views.h. The member is in the room. */
void qd_views_lost(qd_views *views, uint32_t member);
void qd_views_missed(qd_views *views, uint32_t member, uint64_t reported_tick);
void qd_views_resume(qd_views *views, uint32_t member);
/* As qd_room_view_restart, qd_room_view_behind and qd_room_view_place. */
void qd_views_restart(qd_views *views, uint32_t member);
void qd_views_behind(qd_views *views, uint32_t member);
void qd_views_place(const qd_views *views, uint32_t id, float *at);
/* Whether ticks were lost, and no reset that replaces them was delivered. */
bool qd_views_lag(const qd_views *views, uint32_t member);
void qd_views_set_options(qd_views *views, uint32_t member, qd_room_view_options options);

#endif
