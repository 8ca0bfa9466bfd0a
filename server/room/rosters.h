/* SPDX-License-Identifier: Apache-2.0
 *
 * ROSTERS: lists of ids that a member has named, each id with the slot of its entity, so that positions in a roster's
 * order need no ids.
 *
 *     id      | a | b | c | ...   what the member said
 *     slot    | 7 | - | 2 | ...   where its entity was when it was last looked for
 *     sound   | run 0 | run 1 |   one for each QD_ROSTER_RUN entries: qd_entities.changes, when all of them were found
 *                                 to be there and the member's to move
 *
 * An entry means whichever entity has its id now. What could make a sound run wrong, that an entity goes or gets
 * another owner, is counted by qd_entities.changes: while that stands where it stood, a run needs no look at its
 * entries.
 *
 * Belongs to a member.
 */
#ifndef QD_ROOM_ROSTERS_H
#define QD_ROOM_ROSTERS_H

#include "../base/alloc.h"

#define QD_ROSTER_RUN 512u

typedef struct qd_roster {
    uint64_t *sound; /* one block: sound, slot and id */
    uint32_t *slot, *id;
    uint32_t count, capacity; /* capacity: a multiple of QD_ROSTER_RUN */
} qd_roster;

typedef struct qd_rosters {
    qd_roster *row; /* by number */
    uint32_t capacity;
    uint32_t ids; /* in all of them */
} qd_rosters;

void qd_rosters_deinit(qd_rosters *rosters, qd_heap *heap);

#endif
