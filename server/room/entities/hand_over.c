/* SPDX-License-Identifier: Apache-2.0
 *
 * Entities that get another owner. Only whose they are changes: no pair begins or ends by it.
 */
#include "../state.h"
#include "refuse.h"

/* Whoever follows what is its own has another set from now on. */
static void renew_own(qd_room *room, uint32_t member)
{
    if (member == QD_ROOM_OWNED) {
        return;
    }
    qd_member *row = &room->members.rows[member];

    if (row->interest.own_only) {
        qd_room_renew(room, member);
    }
    if (row->views.options.watching == QD_ROOM_WATCH_OWN) {
        row->views.reset_watchers = room->views.watchers_due = true;
    }
}

static int give_one(qd_room *room, uint32_t member, uint32_t id, uint32_t to, bool *changed)
{
    qd_place place = qd_ids_get(&room->ids, id);

    if (place.slot == QD_SLOT_NONE) {
        return QD_ROOM_UNKNOWN_ID;
    }
    if (place.owner != member && place.owner != QD_ROOM_OWNED) {
        return QD_ROOM_NOT_OWNER;
    }
    *changed = place.owner != to;
    qd_room_reown(room, place.slot, to);
    return 0;
}

uint32_t qd_room_give(qd_room *room, uint32_t member, const uint32_t *id, uint32_t count, uint32_t to, uint32_t *given,
                      qd_room_refusals *refusals)
{
    uint32_t given_count = 0;

    (void)qd_room_member(room, member);
    QD_ASSERT(to == QD_ROOM_OWNED || qd_room_member(room, to));
    qd_refuse_none(refusals);
    for (uint32_t i = 0; i < count; i++) {
        bool changed = false;
        int refusal = give_one(room, member, id[i], to, &changed);

        if (refusal) {
            qd_refuse(refusals, i, refusal);
        }
        if (changed && given) {
            given[given_count] = id[i];
        }
        given_count += changed;
    }
    room->updates += count - refusals->count;
    if (given_count > 0) {
        renew_own(room, member);
        renew_own(room, to);
    }
    return given_count;
}

uint32_t qd_room_owned_count(const qd_room *room, uint32_t member)
{
    uint32_t count = 0;

    if (member >= room->members.count || room->members.rows[member].presence == QD_ABSENT) {
        return 0;
    }
    for (uint32_t slot = room->members.rows[member].first; slot != QD_SLOT_NONE;
         slot = room->entities.holding[slot].next) {
        count++;
    }
    return count;
}

uint32_t qd_room_adopt(qd_room *room, uint32_t from, uint32_t to, uint32_t *given)
{
    uint32_t count = 0;

    (void)qd_room_member(room, to);
    QD_ASSERT(from < room->members.count && from != to);
    while (room->members.rows[from].first != QD_SLOT_NONE) {
        uint32_t slot = room->members.rows[from].first;

        if (given) {
            given[count] = room->entities.id[slot];
        }
        count++;
        qd_room_reown(room, slot, to);
    }
    if (count > 0) {
        renew_own(room, from);
        renew_own(room, to);
    }
    return count;
}
