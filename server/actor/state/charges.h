/* SPDX-License-Identifier: Apache-2.0
 *
 * Charges: what a room's members hold in it, on the accounts of their sessions; the entities that the room owns, on the
 * account of the tenant that created it; and the room's memory, on that of the session that created it.
 *
 * The room knows no accounts. A command that adds to an owner's entities or observers takes what it may need before, by
 * qd_charges_allow. After each command that changes what an owner holds, qd_charges_settle makes the charge exact. What
 * changes without a command of the owner, as visible entries do, is settled at some ticks, by qd_charges_settle_all.
 *
 * Part of a room actor. An `owner` is a member, or QD_ROOM_OWNED. [run]
 */
#ifndef QD_ACTOR_STATE_CHARGES_H
#define QD_ACTOR_STATE_CHARGES_H

#include "../../base/memory/alloc.h"
#include "../../room/room.h"
#include "../journal/journal.h"
#include "../service/account.h"

typedef struct qd_charge {
    qd_account *account; /* a reference; NULL: none, and nothing is charged */
    uint64_t entities, observers, visible_entries, subscriptions;
} qd_charge;

typedef struct qd_charges {
    qd_room *room;
    qd_heap *heap;        /* of the room */
    qd_journal *journal;  /* of the room actor; NULL: none */
    qd_shortage short_of; /* of the last qd_charges_allow, _subscribe or _may_grow; its code is QD_ERROR_NONE if that
                             allowed all */
    qd_charge of_room;    /* what the room owns */
    qd_account *creator;  /* of the session that created the room; a reference */
    uint64_t memory;      /* that the creator is charged */
    qd_charge *members;   /* by number, as long as the room may hold something of them */
    uint32_t member_capacity;
} qd_charges;

/* For a room that the session of this account has created; its tenant is charged QD_QUOTA_CREATED already. */
void qd_charges_init(qd_charges *charges, qd_room *room, qd_heap *heap, qd_account *creator, qd_journal *journal);
/* Gives everything back, and QD_QUOTA_CREATED. */
void qd_charges_deinit(qd_charges *charges);
/* A member has joined. Returns whether there was memory for its charge. */
bool qd_charges_open(qd_charges *charges, uint32_t member, qd_account *account) QD_MUST_USE;

/* Has the room add at most as many entities or observers to the owner as the quotas allow, up to `wanted`; the code of
 * what is short refuses the others. `grows`: they are new, so the room's memory counts, too, and the least that they take
 * is charged at once. */
void qd_charges_allow(qd_charges *charges, uint32_t owner, qd_quota quota, uint32_t wanted, bool grows);
/* Charges one subscription to the member, if it has none. Returns whether it may have one. */
bool qd_charges_subscribe(qd_charges *charges, uint32_t member);
void qd_charges_unsubscribe(qd_charges *charges, uint32_t member);
/* Whether the room may grow: the memory of its creator's rooms is below the quotas. */
bool qd_charges_may_grow(qd_charges *charges);

/* Charges what the owner holds now, and the room's memory if that has changed by much. */
void qd_charges_settle(qd_charges *charges, uint32_t owner);
/* The same for all, with visible entries. */
void qd_charges_settle_all(qd_charges *charges);

#endif
