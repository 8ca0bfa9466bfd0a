/* SPDX-License-Identifier: Apache-2.0
 *
 * Charges: what a room's members hold in it, on the accounts of their sessions; and what the room itself holds, on the
 * account of the tenant that created it.
 *
 * The room knows no accounts. A command that adds to an owner's entities or observers takes what it may need before, by
 * qd_charges_allow. After each command that changes what an owner holds, qd_charges_settle makes the charge exact. What
 * changes without a command of the owner, as visible entries do, is settled at some ticks, by qd_charges_tick. [run]
 */
#ifndef QD_ACTOR_STATE_CHARGES_H
#define QD_ACTOR_STATE_CHARGES_H

#include "room_actor_state.h"

/* `owner` is a member, or QD_ROOM_OWNED. */

/* Has the room add at most as many entities or observers to the owner as the quotas allow, up to `wanted`. If that is
 * less, actor->shortage has the quota, and its code refuses the others. The room's memory counts, too. */
void qd_charges_allow(qd_room_actor *actor, uint32_t owner, qd_quota quota, uint32_t wanted);
/* Charges one subscription to the member, if it has none. Returns whether it may have one; else sets actor->shortage. */
bool qd_charges_subscribe(qd_room_actor *actor, uint32_t member);
void qd_charges_unsubscribe(qd_room_actor *actor, uint32_t member);
/* Whether the room may grow: the memory of its creator's rooms is below the quota. Else sets actor->shortage. */
bool qd_charges_may_grow(qd_room_actor *actor);

/* Charges what the owner holds now. */
void qd_charges_settle(qd_room_actor *actor, uint32_t owner);
/* The same for all, with visible entries. */
void qd_charges_settle_all(qd_room_actor *actor);
/* After a tick: settles all if there are new observers, and at each 32nd tick. */
static inline void qd_charges_tick(qd_room_actor *actor)
{
    if (actor->charges_due || actor->time_count % 32 == 0) {
        qd_charges_settle_all(actor);
    }
}
/* Charges the room's memory, if it has changed by much. */
void qd_charges_settle_memory(qd_room_actor *actor);

/* A member has joined. Returns whether there was memory for its charge. */
bool qd_charges_open(qd_room_actor *actor, uint32_t member, qd_account *account) QD_MUST_USE;
/* Gives everything back, and the room itself: it closes. */
void qd_charges_close_all(qd_room_actor *actor);

#endif
