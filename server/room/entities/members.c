/* SPDX-License-Identifier: Apache-2.0 */
#include "../state.h"
#include "../views/views_tick.h"

void qd_room_members_init(qd_room *room)
{
    room->members = (qd_members){.expiring_first = QD_MEMBER_NONE, .expiring_last = QD_MEMBER_NONE};
    qd_id_pool_init(&room->members.numbers, room->heap);
}

void qd_room_members_deinit(qd_room *room)
{
    qd_members *members = &room->members;

    for (uint32_t member = 0; member < members->count; member++) {
        qd_rosters_drop(room, &members->rows[member].rosters);
    }
    qd_heap_free(room->heap, members->rows, members->capacity * sizeof members->rows[0]);
    qd_id_pool_deinit(&members->numbers);
}

qd_status qd_room_join(qd_room *room, uint32_t *member)
{
    qd_members *members = &room->members;
    qd_member *rows;
    uint32_t number;

    qd_status status = qd_id_pool_take(&members->numbers, &number);
    if (status != QD_OK) {
        return status;
    }
    if (number >= QD_ROOM_MEMBERS_MAX) {
        status = QD_ERR_FULL;
        goto fail;
    }
    rows = qd_array_reserve(room->heap, members->rows, &members->capacity, sizeof members->rows[0], number);
    if (!rows) {
        status = QD_ERR_NO_MEMORY;
        goto fail;
    }
    members->rows = rows;
    rows[number] = (qd_member){
        .presence = QD_PRESENT, .first = QD_SLOT_NONE, .next_expiring = QD_MEMBER_NONE, .views = {.first = QD_NONE}};
    if (number >= members->count) {
        members->count = number + 1;
    }
    members->present++;
    *member = number;
    return QD_OK;

fail:
    qd_id_pool_give(&members->numbers, number);
    return status;
}

/* All have the same grace, so that who left first is the first to expire. */
static void queue(qd_room *room, uint32_t member, uint64_t now_ns)
{
    qd_members *members = &room->members;
    qd_member *row = &members->rows[member];
    uint64_t grace_ns = room->config.grace_ns;

    row->expire_ns = grace_ns < QD_NEVER - now_ns ? now_ns + grace_ns : QD_NEVER;
    row->expiring = true;
    if (members->expiring_last == QD_MEMBER_NONE) {
        members->expiring_first = member;
    } else {
        members->rows[members->expiring_last].next_expiring = member;
    }
    members->expiring_last = member;
}

void qd_room_leave(qd_room *room, uint32_t member, uint64_t now_ns)
{
    qd_member *row = qd_room_member(room, member);

    qd_room_unsubscribe(room, member);
    qd_room_views_leave(room, member);
    qd_rosters_drop(room, &row->rosters);
    row->presence = QD_GONE;
    room->members.present--;
    if (row->first != QD_SLOT_NONE) {
        queue(room, member, now_ns);
    }
    qd_room_retire(room, member);
}

void qd_room_retire(qd_room *room, uint32_t member)
{
    qd_member *row = &room->members.rows[member];

    if (row->presence != QD_GONE || row->expiring || row->slots > 0 || row->views.observers > 0) {
        return;
    }
    row->presence = QD_ABSENT;
    qd_id_pool_give(&room->members.numbers, member);
}

uint64_t qd_room_due_ns(const qd_room *room)
{
    const qd_members *members = &room->members;

    return members->expiring_first == QD_MEMBER_NONE ? QD_NEVER : members->rows[members->expiring_first].expire_ns;
}

void qd_room_expire(qd_room *room, uint64_t now_ns)
{
    qd_members *members = &room->members;

    while (members->expiring_first != QD_MEMBER_NONE && qd_room_due_ns(room) <= now_ns) {
        uint32_t member = members->expiring_first;
        qd_member *row = &members->rows[member];

        members->expiring_first = row->next_expiring;
        if (members->expiring_first == QD_MEMBER_NONE) {
            members->expiring_last = QD_MEMBER_NONE;
        }
        while (row->first != QD_SLOT_NONE) {
            qd_room_remove(room, row->first, QD_SPACE_EXPIRED);
        }
        row->expiring = false;
        qd_room_retire(room, member);
    }
}
