/* SPDX-License-Identifier: Apache-2.0
 *
 * From the changes of a tick of the join to news: the enters and leaves of derived views, which need no evaluation. They
 * are put where they belong by (rank of the observer, id), so that nothing has to be sorted as a whole:
 *
 *     by ranges of changes       counts the enters and leaves of each observer
 *     by ranks                   adds the counts up: where the news of each observer begins
 *     by the same ranges         puts the news there
 *     by ranges of news          sorts those of each observer by id
 *
 * All but the second step are tasks for the executor.
 */
#ifndef QD_ROOM_VIEWS_VISIBILITY_JOIN_NEWS_H
#define QD_ROOM_VIEWS_VISIBILITY_JOIN_NEWS_H

#include "../state/view_state.h"

/* Adds the news of derived views to qd_views.leaves and qd_views.enters, in order if these are empty. May end in
 * qd_views.no_memory. */
void qd_join_news_add(qd_views *views, const qd_crossings *crossings);

#endif
