/* SPDX-License-Identifier: Apache-2.0
 *
 * The first step of a tick of the spatial join: one pass over all observers. It decides which views are derived, and
 * makes bodies of their regions, now and as of the last tick.
 */
#ifndef QD_ROOM_VIEWS_VISIBILITY_JOIN_BODIES_H
#define QD_ROOM_VIEWS_VISIBILITY_JOIN_BODIES_H

#include "../join/join.h"

/* Notes where regions are, as the join comes into use after a tick. False: no memory. */
bool qd_join_regions_start(qd_views *views) QD_MUST_USE;
/* The grid is still that of the last tick. May end in qd_views.no_memory. */
void qd_join_bodies_note(qd_views *views);
/* Instead of that, if all bodies are plain and stay so: takes up their positions in the plan of the last tick. False:
 * nothing has happened, but there may be no memory. */
bool qd_join_bodies_follow(qd_views *views, const qd_executor *executor);

#endif
