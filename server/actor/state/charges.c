/* SPDX-License-Identifier: Apache-2.0 */
#include "charges.h"

#include "../../base/memory/array.h"
#include "../../room/room_views.h"

/* Changes of a room's memory below this are not charged. */
#define MEMORY_STEP (UINT64_C(64) << 10)

static qd_charge *charge_of(qd_room_actor *actor, uint32_t owner)
{
    QD_ASSERT(owner == QD_ROOM_OWNED || owner < actor->charge_capacity);
    return owner == QD_ROOM_OWNED ? &actor->charge : &actor->charges[owner];
}

/* Charges the difference to `now`. */
static void settle(qd_charge *charge, qd_quota quota, uint64_t *charged, uint64_t now)
{
    if (now > *charged) {
        qd_account_add(charge->account, quota, now - *charged);
    } else if (now < *charged) {
        qd_account_give(charge->account, quota, *charged - now);
    }
    *charged = now;
}

bool qd_charges_may_grow(qd_room_actor *actor)
{
    actor->shortage.code = QD_ERROR_NONE;
    return !qd_account_is_full(actor->charge.account, QD_QUOTA_MEMORY, &actor->shortage);
}

void qd_charges_allow(qd_room_actor *actor, uint32_t owner, qd_quota quota, uint32_t wanted)
{
    qd_charge *charge = charge_of(actor, owner);
    const bool observes = quota == QD_QUOTA_OBSERVERS;
    uint32_t taken = 0;

    if (qd_charges_may_grow(actor) &&
        !(observes && qd_account_is_full(charge->account, QD_QUOTA_VISIBLE, &actor->shortage))) {
        taken = qd_account_take(charge->account, quota, wanted, &actor->shortage);
    }
    *(observes ? &charge->observers : &charge->entities) += taken;
    qd_room_allow(actor->room, taken, (uint8_t)actor->shortage.code);
}

bool qd_charges_subscribe(qd_room_actor *actor, uint32_t member)
{
    qd_charge *charge = charge_of(actor, member);

    actor->shortage.code = QD_ERROR_NONE;
    if (charge->subscriptions == 0) {
        charge->subscriptions = qd_account_take(charge->account, QD_QUOTA_SUBSCRIBED, 1, &actor->shortage);
    }
    return charge->subscriptions > 0;
}

void qd_charges_unsubscribe(qd_room_actor *actor, uint32_t member)
{
    qd_charge *charge = charge_of(actor, member);

    settle(charge, QD_QUOTA_SUBSCRIBED, &charge->subscriptions, 0);
}

void qd_charges_settle(qd_room_actor *actor, uint32_t owner)
{
    qd_charge *charge = charge_of(actor, owner);

    settle(charge, QD_QUOTA_ENTITIES, &charge->entities, qd_room_owned_count(actor->room, owner));
    settle(charge, QD_QUOTA_OBSERVERS, &charge->observers, qd_room_observer_count(actor->room, owner));
    if (charge->observers == 0) {
        settle(charge, QD_QUOTA_VISIBLE, &charge->visible_entries, 0);
    }
}

void qd_charges_settle_all(qd_room_actor *actor)
{
    actor->charges_due = false;
    qd_charges_settle(actor, QD_ROOM_OWNED);
    for (uint32_t member = 0; member < actor->charge_capacity; member++) {
        qd_charge *charge = &actor->charges[member];

        if (charge->account != NULL) {
            qd_charges_settle(actor, member);
            settle(charge, QD_QUOTA_VISIBLE, &charge->visible_entries, qd_room_visible_entries(actor->room, member));
        }
    }
}

void qd_charges_settle_memory(qd_room_actor *actor)
{
    const uint64_t now = actor->heap.bytes, charged = actor->charge.memory;

    if (charged == 0 || now >= charged + MEMORY_STEP || charged >= now + MEMORY_STEP) {
        settle(&actor->charge, QD_QUOTA_MEMORY, &actor->charge.memory, now);
    }
}

static void close_one(qd_charge *charge)
{
    settle(charge, QD_QUOTA_ENTITIES, &charge->entities, 0);
    settle(charge, QD_QUOTA_OBSERVERS, &charge->observers, 0);
    settle(charge, QD_QUOTA_VISIBLE, &charge->visible_entries, 0);
    settle(charge, QD_QUOTA_SUBSCRIBED, &charge->subscriptions, 0);
    settle(charge, QD_QUOTA_MEMORY, &charge->memory, 0);
    qd_account_release(charge->account);
    charge->account = NULL;
}

bool qd_charges_open(qd_room_actor *actor, uint32_t member, qd_account *account)
{
    if (!qd_array_reserve_zeroed(&actor->heap, actor->charges, actor->charge_capacity, member)) {
        return false;
    }
    /* The number may have been that of a member of which nothing is left. */
    close_one(&actor->charges[member]);
    actor->charges[member].account = qd_account_acquire(account);
    return true;
}

void qd_charges_close_all(qd_room_actor *actor)
{
    for (uint32_t member = 0; member < actor->charge_capacity; member++) {
        close_one(&actor->charges[member]);
    }
    qd_array_drop(&actor->heap, actor->charges, actor->charge_capacity);
    actor->charges = NULL;
    actor->charge_capacity = 0;
    qd_account_give(actor->charge.account, QD_QUOTA_CREATED, 1);
    close_one(&actor->charge);
}
