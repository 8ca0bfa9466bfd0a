/* SPDX-License-Identifier: Apache-2.0
 *
 * The members of a room: their numbers, and the grace period of members that have left.
 *
 * A number is in use until its member has left, its grace period is over, and nothing holds it any more. Entities,
 * removed entities that still have their slot, and observers hold it.
 */
#ifndef QD_ROOM_ENTITIES_MEMBERS_H
#define QD_ROOM_ENTITIES_MEMBERS_H

#include "entity_state.h"

void qd_members_init(qd_entities *entities);
void qd_members_deinit(qd_entities *entities);

/* QD_ERR_FULL: there are QD_ROOM_MEMBERS_MAX; QD_ERR_NO_MEMORY. */
qd_status qd_members_join(qd_entities *entities, uint32_t *member) QD_MUST_USE;
/* Drops the member's rosters. If it has entities, its grace period starts. */
void qd_members_leave(qd_entities *entities, uint32_t member, uint64_t now_ns);

/* For qd_room_trim: forgets the last numbers, which nobody has. */
void qd_members_trim(qd_entities *entities);

/* When the next grace period ends; QD_NEVER: none is running. */
uint64_t qd_members_due_ns(const qd_entities *entities);
/* The next member whose grace period is over, taken from the queue; QD_MEMBER_NONE. The caller removes its entities,
 * then calls qd_members_expired. */
uint32_t qd_members_next_expired(qd_entities *entities, uint64_t now_ns);
void qd_members_expired(qd_entities *entities, uint32_t member);

/* `owner` may be QD_ROOM_OWNED: nothing happens then. */
static inline void qd_members_hold(qd_entities *entities, uint32_t owner)
{
    if (owner != QD_ROOM_OWNED) {
        entities->members.rows[owner].holds++;
    }
}
void qd_members_unhold(qd_entities *entities, uint32_t owner);

/* Checks that the member is in the room. */
static inline qd_member *qd_members_at(const qd_entities *entities, uint32_t member)
{
    QD_ASSERT(member < entities->members.count && qd_entities_has_member(entities, member));
    return &entities->members.rows[member];
}

#endif
