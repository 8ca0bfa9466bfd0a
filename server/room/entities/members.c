/* SPDX-License-Identifier: Apache-2.0 */
#include "members.h"

#include "../common/memory.h"
#include "rosters.h"

void qd_members_init(qd_entities *entities)
{
    entities->members = (qd_members){.expiring_first = QD_MEMBER_NONE, .expiring_last = QD_MEMBER_NONE};
    qd_id_pool_init(&entities->members.numbers, entities->heap);
}

void qd_members_deinit(qd_entities *entities)
{
    qd_members *members = &entities->members;

    for (uint32_t member = 0; member < members->count; member++) {
        qd_rosters_drop(entities, &members->rows[member].rosters);
    }
    qd_array_drop(entities->heap, members->rows, members->capacity);
    qd_id_pool_deinit(&members->numbers);
}

qd_status qd_members_join(qd_entities *entities, uint32_t *member)
{
    qd_members *members = &entities->members;
    uint32_t number;

    qd_status status = qd_id_pool_take(&members->numbers, &number);
    if (status != QD_OK) {
        return status;
    }
    if (number >= QD_ROOM_MEMBERS_MAX) {
        status = QD_ERR_FULL;
    } else if (!qd_array_reserve(entities->heap, members->rows, members->capacity, number)) {
        status = QD_ERR_NO_MEMORY;
    }
    if (status != QD_OK) {
        qd_id_pool_give(&members->numbers, number);
        return status;
    }
    members->rows[number] = (qd_member){.presence = QD_PRESENT, .first = QD_SLOT_NONE, .next_expiring = QD_MEMBER_NONE};
    if (number >= members->count) {
        members->count = number + 1;
    }
    members->present++;
    *member = number;
    return QD_OK;
}

/* Makes the number of a member that has gone available, once nothing holds it. */
static void retire(qd_entities *entities, uint32_t member)
{
    qd_member *row = &entities->members.rows[member];

    if (row->presence != QD_GONE || row->expiring || row->holds > 0) {
        return;
    }
    row->presence = QD_ABSENT;
    qd_id_pool_give(&entities->members.numbers, member);
}

/* All members have the same grace period, so the first to leave is the first to expire. */
static void start_grace(qd_entities *entities, uint32_t member, uint64_t now_ns)
{
    qd_members *members = &entities->members;
    qd_member *row = &members->rows[member];
    uint64_t grace_ns = entities->grace_ns;

    row->expire_ns = grace_ns < QD_NEVER - now_ns ? now_ns + grace_ns : QD_NEVER;
    row->expiring = true;
    if (members->expiring_last == QD_MEMBER_NONE) {
        members->expiring_first = member;
    } else {
        members->rows[members->expiring_last].next_expiring = member;
    }
    members->expiring_last = member;
}

void qd_members_leave(qd_entities *entities, uint32_t member, uint64_t now_ns)
{
    qd_member *row = qd_members_at(entities, member);

    qd_rosters_drop(entities, &row->rosters);
    row->presence = QD_GONE;
    entities->members.present--;
    if (row->first != QD_SLOT_NONE) {
        start_grace(entities, member, now_ns);
    }
    retire(entities, member);
}

void qd_members_trim(qd_entities *entities)
{
    qd_members *members = &entities->members;

    while (members->count > 0 && members->rows[members->count - 1].presence == QD_ABSENT) {
        members->count--;
    }
    if (members->numbers.next > members->count) {
        qd_id_pool_trim(&members->numbers, members->count);
    }
    qd_array_trim(entities->heap, members->rows, members->capacity, members->count);
}

uint64_t qd_members_due_ns(const qd_entities *entities)
{
    const qd_members *members = &entities->members;

    return members->expiring_first == QD_MEMBER_NONE ? QD_NEVER : members->rows[members->expiring_first].expire_ns;
}

uint32_t qd_members_next_expired(qd_entities *entities, uint64_t now_ns)
{
    qd_members *members = &entities->members;
    uint32_t member = members->expiring_first;

    if (member == QD_MEMBER_NONE || members->rows[member].expire_ns > now_ns) {
        return QD_MEMBER_NONE;
    }
    members->expiring_first = members->rows[member].next_expiring;
    if (members->expiring_first == QD_MEMBER_NONE) {
        members->expiring_last = QD_MEMBER_NONE;
    }
    return member;
}

void qd_members_expired(qd_entities *entities, uint32_t member)
{
    entities->members.rows[member].expiring = false;
    retire(entities, member);
}

void qd_members_unhold(qd_entities *entities, uint32_t owner)
{
    if (owner == QD_ROOM_OWNED) {
        return;
    }
    QD_ASSERT(entities->members.rows[owner].holds > 0);
    entities->members.rows[owner].holds--;
    retire(entities, owner);
}
