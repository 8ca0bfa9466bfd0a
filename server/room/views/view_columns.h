/* SPDX-License-Identifier: Apache-2.0
 *
 * The columns that the view reports of a round point into, made from the sorted lists of news.
 */
#ifndef QD_ROOM_VIEWS_VIEW_COLUMNS_H
#define QD_ROOM_VIEWS_VIEW_COLUMNS_H

#include "state/view_state.h"

/* The member of the observer with that rank. */
static inline uint32_t qd_view_member_at(const qd_views *views, uint64_t rank)
{
    return (uint32_t)(views->order[rank] >> 32);
}

/* Makes the columns of all lists. */
void qd_view_columns_fill(qd_views *views);
/* Points the report of a member to its ranges of them. */
void qd_view_columns_point(const qd_views *views, const qd_view_member *row, qd_room_view_report *report);

#endif
