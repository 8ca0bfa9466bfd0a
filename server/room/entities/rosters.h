/* SPDX-License-Identifier: Apache-2.0
 *
 * Rosters: lists of ids that a member has named. Each id stands with the slot of its entity, so that positions in the
 * order of a roster need no ids.
 *
 *     id      | a | b | c | ...   as the member named them
 *     slot    | 7 | - | 2 | ...   where the entity was at the last lookup
 *     run     |   4   |   9   |   one number for each QD_ROSTER_RUN entries, unique in the room
 *
 * An entry means the entity that has its id now. A run is SOUND once a lookup has found that all of its entities exist
 * and that the member may move them. The entries of a sound run need no check. A run stops being sound when one of its
 * entities goes or changes owner, which is known by the entity's slot:
 *
 *     of_slot  by slot: the run that has it, RUN_SEVERAL, or RUN_NONE
 *     sound    by run: the value of `round` when the run was found sound
 *
 * A change of an entity makes its run unsound. If several runs have it, a new round begins, which makes all runs of the
 * room unsound. Every sound run that has a slot is the run that of_slot names, or one of several. of_slot may also name
 * a run that has lost the slot, which costs one needless lookup.
 */
#ifndef QD_ROOM_ENTITIES_ROSTERS_H
#define QD_ROOM_ENTITIES_ROSTERS_H

#include "entity_state.h"

#define QD_ROSTER_RUN 128u

void qd_roster_runs_init(qd_entities *entities);
void qd_roster_runs_deinit(qd_entities *entities);
/* The entity in that slot has gone, or has another owner. */
void qd_roster_runs_lose(qd_entities *entities, uint32_t slot);
/* For qd_room_trim: no slot from `slot_end` on is in use. */
void qd_roster_runs_trim(qd_entities *entities, uint32_t slot_end);
/* Frees all rosters of a member. */
void qd_rosters_drop(qd_entities *entities, qd_rosters *rosters);

/* The two commands of room.h. The member is in the room. */
qd_status qd_roster_name(qd_entities *entities, uint32_t member, const qd_room_roster *named) QD_MUST_USE;
const uint32_t *qd_roster_ids(const qd_entities *entities, uint32_t member, uint32_t number, uint32_t *count);

/* NULL: the roster does not exist. */
qd_roster *qd_roster_find(const qd_entities *entities, uint32_t member, uint32_t number);
/* How many entries from entry `at` on, at most `most`, have entities that the member may move. Looks them up if they
 * are not known to be sound. */
uint32_t qd_roster_count_sound(qd_entities *entities, uint32_t member, qd_roster *roster, uint32_t at, uint32_t most);
/* Prefetches what moves of these entries read, in a small room. */
void qd_roster_fetch(const qd_entities *entities, const qd_roster *roster, uint32_t first, uint32_t count);

#endif
