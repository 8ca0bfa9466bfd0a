/* SPDX-License-Identifier: Apache-2.0
 *
 * The entries of a join (join.h), and its regions: where they are, where they were, and in what order.
 *
 * Belongs to the views of a room.
 */
#ifndef QD_ROOM_VIEWS_JOIN_ENTRIES_H
#define QD_ROOM_VIEWS_JOIN_ENTRIES_H

#include "../state.h"

#define QD_JOIN_LEFT (1u << 31) /* of an entry: the entity is elsewhere now, and has another one there */

static inline unsigned qd_join_axes(const qd_room *room)
{
    return qd_room_is_3d(room) ? 3 : 2;
}

/* All that is in the room, as the join begins to lead after a tick. */
void qd_join_enlist(qd_room *room);
/* A tick: what was now is what was. Makes the boxes of all entries. */
void qd_join_advance(qd_room *room, qd_join_tree *tree);
/* How many sixteens that tick looked at: it says how good the order still is. */
void qd_join_note_looks(qd_join *join, uint64_t looks);

#endif
