/* SPDX-License-Identifier: Apache-2.0
 *
 * The entities of a room: adding and removing them, their owners, and the life of the state they share.
 */
#ifndef QD_ROOM_ENTITIES_ENTITIES_H
#define QD_ROOM_ENTITIES_ENTITIES_H

#include "entity_state.h"

/* QD_ERR_INVALID, QD_ERR_NO_MEMORY: as qd_space_create. The heap outlives the entities. */
qd_status qd_entities_init(qd_entities *entities, const qd_room_config *config, qd_heap *heap,
                           uint64_t salt) QD_MUST_USE;
void qd_entities_deinit(qd_entities *entities);

/* Adds an entity whose id is not in the room. QD_ERR_FULL: entities_max; QD_ERR_NO_MEMORY. */
qd_status qd_entities_add(qd_entities *entities, uint32_t id, uint32_t owner, const qd_body *body,
                          uint32_t *slot) QD_MUST_USE;
/* The entity keeps its slot until qd_entities_settle, unless it came since the last tick. */
void qd_entities_remove(qd_entities *entities, uint32_t slot, qd_space_reason reason);
/* For qd_room_trim, last of all: what is by slot. */
void qd_entities_trim(qd_entities *entities);
/* No slot from the result on is in use, as few as that can be. */
uint32_t qd_entities_slot_end(qd_entities *entities);
/* After qd_space_tick: the slots of removed entities become free. */
void qd_entities_settle(qd_entities *entities);

/* The first entity of a member, or of the room with QD_ROOM_OWNED; the others follow by qd_holding.next. */
uint32_t qd_entities_first_of(const qd_entities *entities, uint32_t owner);
uint32_t qd_entities_owned_count(const qd_entities *entities, uint32_t owner);

/* The two commands of room.h, without what they mean for pairs and views. */
uint32_t qd_entities_hand_over(qd_entities *entities, uint32_t member, const uint32_t *id, uint32_t count, uint32_t to,
                               uint32_t *handed_over, qd_room_refusals *refusals);
uint32_t qd_entities_adopt(qd_entities *entities, uint32_t from, uint32_t to, uint32_t *handed_over);

/* Prefetches the state that all moves read and that of the member, before it moves `count` entities. Returns whether
 * the room is so small that the caller prefetches the rest, too. */
bool qd_entities_fetch_mover(const qd_entities *entities, uint32_t member, uint32_t count);
/* Prefetches what a tick reads first. */
void qd_entities_fetch(const qd_entities *entities);
/* If the room is small, prefetches the ids, which a tick reads. Returns whether it is small. */
bool qd_entities_fetch_small(const qd_entities *entities);

#endif
