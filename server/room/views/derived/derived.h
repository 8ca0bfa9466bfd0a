/* SPDX-License-Identifier: Apache-2.0
 *
 * Derived views. While the spatial join is in use, the view of most observers follows from where everything is: a circle
 * without margin, lists and budgets sees what is near and allowed. Such an observer keeps no visible entries
 * (observer->is_derived): its view changes where two masks differ. Only while a limit binds, the chosen entities are kept
 * as a list.
 *
 * Relay is derived if each position is sent at every tick: then it has changed since it was last sent if it has changed
 * at this tick.
 */
#ifndef QD_ROOM_VIEWS_DERIVED_DERIVED_H
#define QD_ROOM_VIEWS_DERIVED_DERIVED_H

#include "../join/join.h"

/* The views of which observers, as of when. */
typedef enum qd_derived_time {
    QD_DERIVED_LAST_TICK, /* with what has changed since as it was then */
    QD_DERIVED_NOW,       /* as of this tick, whose join has run */
} qd_derived_time;

/* Whether its region, its limits and its tiers allow that. */
bool qd_derived_suits(const qd_observer *observer);
/* Before a tick of the join. A view that cannot be derived any more gets its entries; `goes_far`: other points are near
 * it. A view without entries that can be derived becomes so; then it returns true. May end in qd_views.no_memory. */
bool qd_derived_update(qd_views *views, uint32_t row, bool goes_far);
/* At the end of a tick with join: views of which the entries are not needed become derived. */
void qd_derived_begin(qd_views *views);
/* The join ends: all views get their entries. May end in qd_views.no_memory. */
void qd_derived_end(qd_views *views);
/* Forgets a view, derived or not, without its end. */
void qd_derived_forget(qd_views *views, uint32_t row);
/* The visible entries that it would have, of a derived view. */
uint32_t qd_derived_near(const qd_views *views, uint32_t row);

/* Puts the view as of the last tick into slots[], which has room for observer->seen. Returns how many there are. */
uint32_t qd_derived_list(const qd_views *views, uint32_t row, uint32_t *slots);
/* What the flags of the visible entry would be, as of the last tick. `then` and `target` are as they were. */
uint32_t qd_derived_flags(const qd_views *views, uint32_t row, const qd_observer *then, uint32_t slot,
                          const qd_target *target);

#endif
