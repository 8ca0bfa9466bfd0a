/* SPDX-License-Identifier: Apache-2.0
 *
 * ROSTERS: lists of ids that a member has named, each id with the slot of its entity, so that positions in a roster's
 * order need no ids.
 *
 *     id      | a | b | c | ...   what the member said
 *     slot    | 7 | - | 2 | ...   where its entity was when it was last looked for
 *     run     |   4   |   9   |   a number for each QD_ROSTER_RUN entries, among all runs of the room
 *
 * An entry means whichever entity has its id now. A run is SOUND once all its entities were found to be there and the
 * member's to move: then it needs no look at its entries. It is so until one of them goes or gets another owner, which
 * is known by the entity's slot:
 *
 *     of_slot  by slot: the run that has it; that several have it; or that none has
 *     sound    by run: `round`, when it was found sound
 *
 * What happens to an entity makes its run unsound, and where several have it, all runs of the room, as a new round
 * begins. That `of_slot` names a run which has the slot no more does no harm; but every sound run that has it is the
 * one that is named, or one of several.
 *
 * Belongs to a room.
 */
#ifndef QD_ROOM_ENTITIES_ROSTERS_H
#define QD_ROOM_ENTITIES_ROSTERS_H

#include "../../base/id_pool.h"

#define QD_ROSTER_RUN 128u

typedef struct qd_roster {
    uint32_t *run; /* one block: run, slot and id */
    uint32_t *slot, *id;
    uint32_t count, capacity; /* capacity: a multiple of QD_ROSTER_RUN */
} qd_roster;

/* A member's. Most have one roster, number 0, if any: that is in no other memory to be waited for. */
typedef struct qd_rosters {
    qd_roster first;
    qd_roster *row;    /* of the others, by number; that of number 0 is not used */
    uint32_t capacity; /* of `row` */
    uint32_t ids;      /* in all of them */
} qd_rosters;

/* The room's. */
typedef struct qd_roster_runs {
    qd_id_pool numbers;
    uint32_t *of_slot; /* slots beyond it are in no sound run */
    uint32_t sound_capacity, slot_capacity;
    uint64_t *sound, round; /* a round is never 0 */
} qd_roster_runs;

struct qd_room;

void qd_roster_runs_init(struct qd_room *room);
void qd_roster_runs_deinit(struct qd_room *room);
/* The entity in that slot has gone, or has another owner. */
void qd_roster_runs_lose(struct qd_room *room, uint32_t slot);
/* All rosters of a member go. */
void qd_rosters_drop(struct qd_room *room, qd_rosters *rosters);

#endif
