/* SPDX-License-Identifier: Apache-2.0
 *
 * Derived views. While the spatial join is in use, the view of most observers follows from where everything is: a
 * circle without margin, lists and budgets sees what is near and allowed. Such an observer keeps no visible entries
 * (observer->is_derived): its view changes where two masks differ. Most others are derived, too, but depend on what was
 * in the view, which is kept as masks (kept.h).
 *
 * Relay is derived if each position is sent at every tick: then it has changed since it was last sent if it has changed
 * at this tick. With other tiers, masks of what waits are kept.
 */
#ifndef QD_ROOM_VIEWS_DERIVED_DERIVED_H
#define QD_ROOM_VIEWS_DERIVED_DERIVED_H

#include "../join/join.h"

/* Before a tick of the join. A view that cannot be derived any more gets its entries; `goes_far`: other points are near
 * it. A view without entries that can be derived becomes so; then it returns true. May end in qd_views.no_memory. */
bool qd_derived_update(qd_views *views, uint32_t row, bool goes_far);
/* Before a tick of the join: a view gets attention if an entity on its list `show` has come or gone. */
void qd_derived_check_shown(qd_views *views);
/* At a tick, before its changes are taken: a derived view gets its entries instead, and is as it was. May end in
 * qd_views.no_memory. */
void qd_derived_refuse(qd_views *views, uint32_t row);
/* All positions of a derived view are reported. */
void qd_derived_clear_waits(qd_views *views, uint32_t row);
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
/* What the flags of the visible entry of an entity would be now. */
uint32_t qd_derived_flags_now(const qd_views *views, uint32_t row, const qd_target *target);
/* What the flags of the visible entry would be, as of the last tick. `then` and `target` are as they were. */
uint32_t qd_derived_flags(const qd_views *views, uint32_t row, const qd_observer *then, uint32_t slot,
                          const qd_target *target);

#endif
