/* SPDX-License-Identifier: Apache-2.0
 *
 * Kept views: derived views that depend on what they were. With a margin, an angle, a budget or a limit, what is near
 * does not decide alone; with tiers, positions wait for their turn. What is in such a view, and what of it waits, stays
 * in the masks of its body from tick to tick. When the grid or the groups are made again, it becomes lists of slots,
 * and masks again at the same tick. A view that has just become kept is a list, too.
 *
 * A position WAITS if the session does not have it yet. It is LATE if its turn has come as well, and bytes held it back.
 * In lists and walks an item is a slot with these flags. What the observer shows comes last, in the order of its list.
 */
#ifndef QD_ROOM_VIEWS_DERIVED_KEPT_H
#define QD_ROOM_VIEWS_DERIVED_KEPT_H

#include "../join/join.h"
#include "../state/relay_share.h"

enum { QD_KEPT_WAITS = 1, QD_KEPT_LATE = 2, QD_KEPT_SHIFT = 2 };

static inline uint32_t qd_kept_slot(uint32_t item)
{
    return item >> QD_KEPT_SHIFT;
}

/* Whether a derived view of such an observer is always kept. With a limit, any is kept while the limit binds. */
bool qd_kept_has_rules(const qd_views *views, const qd_observer *observer);
/* Its only tier relays all positions at each tick. */
bool qd_kept_relays_all(const qd_views *views, const qd_observer *observer);
qd_join_relay qd_kept_relay(const qd_views *views, const qd_observer *observer);

/* ---- between ticks ---- */

/* Makes the view of a row a list: what is seen in its entries, and waits. False: no memory. */
bool qd_kept_begin(qd_views *views, uint32_t row) QD_MUST_USE;
/* Forgets it. */
void qd_kept_forget(qd_views *views, uint32_t row);
/* All of it is relayed: nothing waits. */
void qd_kept_clear_waits(qd_views *views, uint32_t row);
/* Of a view with turns, before its positions are reported: holds back what is relayed at this tick but the first of a
 * share, or all of it. Returns how many are held back. */
uint32_t qd_kept_hold(qd_views *views, uint32_t row, qd_relay_share *share);
uint32_t qd_kept_hold_all(qd_views *views, uint32_t row);
/* Calls `visit` with each item. */
typedef void qd_kept_visit(void *context, uint32_t item);
void qd_kept_walk(const qd_views *views, uint32_t row, qd_kept_visit *visit, void *context);
/* After the join of a tick, of any derived view: what was in it at the last tick, and waited or waits now. */
void qd_kept_walk_before(const qd_views *views, uint32_t row, qd_kept_visit *visit, void *context);
bool qd_kept_has(const qd_views *views, uint32_t row, uint32_t slot);

/* ---- at a tick ---- */

/* Before the grid or the groups are made again: all become lists. False: no memory. */
bool qd_kept_unpack(qd_views *views, const qd_executor *executor) QD_MUST_USE;
/* Fills the masks of the body as of the last tick, for the points as they are at this one: what was in its view, waits and
 * is late. `is` is the first of its masks. In tasks. An entity that went far is the point where it is, if that is in the
 * area. */
void qd_kept_load(const qd_views *views, const qd_join_block *block, uint32_t body, uint16_t *is);
/* All have been compared: their lists are of no use any more. */
void qd_kept_drop_lists(qd_views *views);

#endif
