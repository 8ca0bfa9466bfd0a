/* SPDX-License-Identifier: Apache-2.0
 *
 * Observers and targets as they were at the last tick. Commands and moves change the rows at once, views change at
 * ticks: why.c explains a view by what decided it. The first change since a tick keeps a copy, and the next tick forgets
 * it. Positions of entities have an array of their own, because most entities move at every tick.
 */
#ifndef QD_ROOM_VIEWS_STATE_LAST_TICK_H
#define QD_ROOM_VIEWS_STATE_LAST_TICK_H

#include "view_state.h"

/* ---- before a change ---- */

/* Makes room for the copy of one more observer, or of one more target. Without it, the functions below cannot be
 * called. */
bool qd_last_tick_reserve_observer(qd_views *views) QD_MUST_USE;
bool qd_last_tick_reserve_target(qd_views *views) QD_MUST_USE;

/* `row` becomes a new observer's: sets observer->before. */
void qd_last_tick_note_new(qd_views *views, uint32_t row, qd_observer *observer);
void qd_last_tick_keep_observer(qd_views *views, uint32_t row);
/* The same before its lists change. Returns whether the copy takes them over; else the caller frees them. */
bool qd_last_tick_keep_lists(qd_views *views, uint32_t row) QD_MUST_USE;
/* The row of an observer becomes free. */
void qd_last_tick_drop_observer(qd_views *views, uint32_t row);
/* Before its category, team, visible_range or hidden changes. */
void qd_last_tick_keep_target(qd_views *views, uint32_t slot);

/* ---- reading; the result points into the state ---- */

/* False: the observer came since the last tick, and *then is as it is now. */
bool qd_last_tick_observer(const qd_views *views, uint32_t row, qd_observer *then);
/* The same for an entity that is in the room, with only what the rule reads. */
bool qd_last_tick_target(const qd_views *views, uint32_t slot, qd_target *then);

/* Turns category, team and hidden of a target into those of the last tick. Also during a tick. */
void qd_last_tick_refilter(const qd_views *views, uint32_t slot, qd_target *target);

/* ---- ticks ---- */

/* The views of a tick are made: it takes the rows as they are now. */
void qd_last_tick_renew(qd_views *views);
/* The targets are going: forgets the copies of them. */
void qd_last_tick_forget_targets(qd_views *views);
void qd_last_tick_deinit(qd_views *views);

#endif
