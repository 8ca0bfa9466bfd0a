/* SPDX-License-Identifier: Apache-2.0 */
#include "charges.h"

#include "../../base/assert.h"
#include "../../base/memory/array.h"
#include "../../room/room_views.h"

/* Changes of a room's memory below this are not charged. */
#define MEMORY_STEP (UINT64_C(64) << 10)
/* What each entity or observer takes at least. */
#define ENTRY_BYTES_MIN UINT64_C(64)

static qd_charge *charge_of(qd_charges *charges, uint32_t owner)
{
    QD_ASSERT(owner == QD_ROOM_OWNED || owner < charges->member_capacity);
    return owner == QD_ROOM_OWNED ? &charges->of_room : &charges->members[owner];
}

/* Charges the difference to `now`. */
static void settle(qd_account *account, qd_quota quota, uint64_t *charged, uint64_t now)
{
    if (now > *charged) {
        qd_account_add(account, quota, now - *charged);
    } else if (now < *charged) {
        qd_account_give(account, quota, *charged - now);
    }
    *charged = now;
}

/* What the accounts allow, which other rooms and sessions change; in a replay, what they allowed then. */
static uint32_t allowed(qd_charges *charges, uint32_t taken)
{
    qd_shortage *short_of = &charges->short_of;
    qd_journal *journal = charges->journal;

    if (journal == NULL) {
        return taken;
    }
    taken = (uint32_t)qd_journal_ask(journal, QD_ASK_ALLOWED, taken);
    short_of->code = (qd_error_code)qd_journal_ask(journal, QD_ASK_SHORT_CODE, short_of->code);
    if (short_of->code != QD_ERROR_NONE) {
        short_of->quota = (qd_quota)qd_journal_ask(journal, QD_ASK_SHORT_QUOTA, short_of->quota) % QD_QUOTAS;
        short_of->used = qd_journal_ask(journal, QD_ASK_SHORT_USED, short_of->used);
        short_of->max = qd_journal_ask(journal, QD_ASK_SHORT_MAX, short_of->max);
    }
    return taken;
}

/* The same, of what the account was charged, which is corrected. */
static uint32_t taken_from(qd_charges *charges, const qd_charge *charge, qd_quota quota, uint32_t taken)
{
    const uint32_t recorded = allowed(charges, taken);

    if (recorded < taken) {
        qd_account_give(charge->account, quota, taken - recorded);
    } else {
        qd_account_add(charge->account, quota, recorded - taken);
    }
    return recorded;
}

static bool is_memory_left(qd_charges *charges)
{
    charges->short_of.code = QD_ERROR_NONE;
    return !qd_account_is_full(charges->creator, QD_QUOTA_MEMORY, &charges->short_of);
}

bool qd_charges_may_grow(qd_charges *charges)
{
    return allowed(charges, is_memory_left(charges)) != 0;
}

void qd_charges_allow(qd_charges *charges, uint32_t owner, qd_quota quota, uint32_t wanted, bool grows)
{
    qd_charge *charge = charge_of(charges, owner);
    const bool observes = quota == QD_QUOTA_OBSERVERS;
    uint32_t taken = 0;

    charges->short_of.code = QD_ERROR_NONE;
    if ((!grows || is_memory_left(charges)) &&
        !(observes && qd_account_is_full(charge->account, QD_QUOTA_VISIBLE, &charges->short_of))) {
        taken = qd_account_take(charge->account, quota, wanted, &charges->short_of);
    }
    taken = taken_from(charges, charge, quota, taken);
    *(observes ? &charge->observers : &charge->entities) += taken;
    if (grows) {
        /* Before the room grows, so that other rooms that grow meanwhile find the memory charged. */
        settle(charges->creator, QD_QUOTA_MEMORY, &charges->memory, charges->memory + taken * ENTRY_BYTES_MIN);
    }
    qd_room_allow(charges->room, taken, (uint8_t)charges->short_of.code);
}

bool qd_charges_subscribe(qd_charges *charges, uint32_t member)
{
    qd_charge *charge = charge_of(charges, member);

    charges->short_of.code = QD_ERROR_NONE;
    if (charge->subscriptions == 0) {
        const uint32_t taken = qd_account_take(charge->account, QD_QUOTA_SUBSCRIBED, 1, &charges->short_of);

        charge->subscriptions = taken_from(charges, charge, QD_QUOTA_SUBSCRIBED, taken);
    }
    return charge->subscriptions > 0;
}

void qd_charges_unsubscribe(qd_charges *charges, uint32_t member)
{
    qd_charge *charge = charge_of(charges, member);

    settle(charge->account, QD_QUOTA_SUBSCRIBED, &charge->subscriptions, 0);
}

static void settle_memory(qd_charges *charges)
{
    const uint64_t now = charges->heap->bytes, charged = charges->memory;

    if (charged == 0 || now >= charged + MEMORY_STEP || charged >= now + MEMORY_STEP) {
        settle(charges->creator, QD_QUOTA_MEMORY, &charges->memory, now);
    }
}

void qd_charges_settle(qd_charges *charges, uint32_t owner)
{
    qd_charge *charge = charge_of(charges, owner);

    settle(charge->account, QD_QUOTA_ENTITIES, &charge->entities, qd_room_owned_count(charges->room, owner));
    settle(charge->account, QD_QUOTA_OBSERVERS, &charge->observers, qd_room_observer_count(charges->room, owner));
    if (charge->observers == 0) {
        settle(charge->account, QD_QUOTA_VISIBLE, &charge->visible_entries, 0);
    }
    settle_memory(charges);
}

void qd_charges_settle_all(qd_charges *charges)
{
    qd_charges_settle(charges, QD_ROOM_OWNED);
    for (uint32_t member = 0; member < charges->member_capacity; member++) {
        qd_charge *charge = &charges->members[member];

        if (charge->account != NULL) {
            qd_charges_settle(charges, member);
            settle(charge->account, QD_QUOTA_VISIBLE, &charge->visible_entries,
                   qd_room_visible_entries(charges->room, member));
        }
    }
}

static void close_one(qd_charge *charge)
{
    settle(charge->account, QD_QUOTA_ENTITIES, &charge->entities, 0);
    settle(charge->account, QD_QUOTA_OBSERVERS, &charge->observers, 0);
    settle(charge->account, QD_QUOTA_VISIBLE, &charge->visible_entries, 0);
    settle(charge->account, QD_QUOTA_SUBSCRIBED, &charge->subscriptions, 0);
    qd_account_release(charge->account);
    charge->account = NULL;
}

bool qd_charges_open(qd_charges *charges, uint32_t member, qd_account *account)
{
    if (!qd_array_reserve_zeroed(charges->heap, charges->members, charges->member_capacity, member)) {
        return false;
    }
    /* The number may have been that of a member of which nothing is left. */
    close_one(&charges->members[member]);
    charges->members[member].account = qd_account_acquire(account);
    return true;
}

void qd_charges_init(qd_charges *charges, qd_room *room, qd_heap *heap, qd_account *creator, qd_journal *journal)
{
    *charges = (qd_charges){.room = room,
                            .heap = heap,
                            .journal = journal,
                            .of_room.account = qd_account_acquire(creator->tenant),
                            .creator = qd_account_acquire(creator)};
    settle_memory(charges);
}

void qd_charges_deinit(qd_charges *charges)
{
    for (uint32_t member = 0; member < charges->member_capacity; member++) {
        close_one(&charges->members[member]);
    }
    qd_array_drop(charges->heap, charges->members, charges->member_capacity);
    qd_account_give(charges->of_room.account, QD_QUOTA_CREATED, 1);
    close_one(&charges->of_room);
    settle(charges->creator, QD_QUOTA_MEMORY, &charges->memory, 0);
    qd_account_release(charges->creator);
    *charges = (qd_charges){0};
}
