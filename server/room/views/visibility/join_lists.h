/* SPDX-License-Identifier: Apache-2.0
 *
 * What differs in the masks of a tick, as lists: changes of derived views, and crossings of other observers. Changes are
 * listed group by group, while the masks are in the cache, as long as they have room. Where they do not, where other
 * observers have crossings, or where a limit begins or ceases to bind, everything is listed again with memory for all.
 */
#ifndef QD_ROOM_VIEWS_VISIBILITY_JOIN_LISTS_H
#define QD_ROOM_VIEWS_VISIBILITY_JOIN_LISTS_H

#include "../join/join.h"

/* Gives each part its place in qd_join.found. Returns how many crossings have room in all of them. */
size_t qd_lists_place(qd_join_plan *plan);
/* Lists the changes of a group that was compared just now. `before`: the changes of the part without it. */
void qd_lists_group(const qd_views *views, qd_join_block *block, size_t before, qd_join_part *part);
/* Whether that was enough for all parts: then qd_lists_join makes one list of theirs, in qd_join.changes. */
bool qd_lists_are_complete(const qd_join_plan *plan);
void qd_lists_join(qd_join *join);
/* Otherwise this task, for each part, lists all in qd_join.found and qd_join.changes, which have room for it. */
void qd_lists_part(size_t task, void *views);

#endif
