/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes of views at a tick, with the news of them that members get.
 *
 * `entry` points to a visible entry of the observer in `row`.
 */
#ifndef QD_ROOM_VIEWS_VIEW_NEWS_H
#define QD_ROOM_VIEWS_VIEW_NEWS_H

#include "state/view_state.h"

/* Without memory, the tick's views fail as a whole (qd_views.no_memory). */
bool qd_view_list_grow(qd_views *views, qd_view_list *list);
void qd_view_list_deinit(qd_view_list *list, qd_heap *heap);

static inline void qd_view_list_add(qd_views *views, qd_view_list *list, uint64_t key, uint32_t value)
{
    if (QD_UNLIKELY(list->count == list->capacity) && !qd_view_list_grow(views, list)) {
        return;
    }
    list->key[list->count] = key;
    list->value[list->count++] = value;
}

/* Report that an entity enters or leaves the view of an observer, and count it. */
void qd_view_report_enter(qd_views *views, qd_observer *observer, uint32_t slot);
void qd_view_report_leave(qd_views *views, qd_observer *observer, uint32_t slot, qd_room_leave_reason reason);
/* The same, with the visible entry. */
void qd_view_enter(qd_views *views, uint32_t row, uint32_t *entry);
void qd_view_leave(qd_views *views, uint32_t row, uint32_t *entry, qd_room_leave_reason reason);
/* Reports the position of an entity in the view. */
void qd_view_relay(qd_views *views, uint32_t row, uint32_t *entry);
/* The entity of the entry is to enter: at once, or as the bytes of the observer's member allow. Until then it is held. */
void qd_view_admit(qd_views *views, qd_priority item, uint32_t *entry);
/* It waits to enter: its observer is evaluated again at the next tick. */
void qd_view_hold(qd_views *views, uint32_t row, uint32_t *entry);

/* ---- the sorted news as columns (view_columns.c) ---- */

/* The member of the observer with that rank. */
static inline uint32_t qd_view_member_at(const qd_views *views, uint64_t rank)
{
    return (uint32_t)(views->order[rank] >> 32);
}

/* Makes the columns that the reports of a round point into. False: no memory. */
bool qd_view_columns_fill(qd_views *views) QD_MUST_USE;
/* Points the report of a member to its ranges of them. */
void qd_view_columns_point(const qd_views *views, const qd_view_member *row, qd_room_view_report *report);

#endif
