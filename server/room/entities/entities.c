/* SPDX-License-Identifier: Apache-2.0 */
#include "../views/visibility_index.h"
#include "describe.h"

static uint32_t *first_of(qd_room *room, uint32_t owner)
{
    return owner == QD_ROOM_OWNED ? &room->entities.room_owned_first : &room->members.rows[owner].first;
}

static void link_in(qd_room *room, uint32_t slot, uint32_t owner)
{
    qd_holding *holding = room->entities.holding;
    uint32_t *first = first_of(room, owner);

    holding[slot] = (qd_holding){owner, QD_SLOT_NONE, *first};
    if (*first != QD_SLOT_NONE) {
        holding[*first].previous = slot;
    }
    *first = slot;
}

static void link_out(qd_room *room, uint32_t slot)
{
    qd_holding *holding = room->entities.holding;
    qd_holding here = holding[slot];

    if (here.previous != QD_SLOT_NONE) {
        holding[here.previous].next = here.next;
    } else {
        *first_of(room, here.owner) = here.next;
    }
    if (here.next != QD_SLOT_NONE) {
        holding[here.next].previous = here.previous;
    }
    holding[slot].next = slot;
    qd_roster_runs_lose(room, slot);
}

static qd_status reserve(qd_room *room, uint32_t slot)
{
    qd_entities *entities = &room->entities;
    uint32_t *id = qd_array_reserve(room->heap, entities->id, &entities->id_capacity, sizeof entities->id[0], slot);

    if (!id) {
        return QD_ERR_NO_MEMORY;
    }
    entities->id = id;

    qd_holding *holding =
        qd_array_reserve(room->heap, entities->holding, &entities->holding_capacity, sizeof entities->holding[0], slot);
    if (!holding) {
        return QD_ERR_NO_MEMORY;
    }
    entities->holding = holding;
    return QD_OK;
}

qd_status qd_room_add(qd_room *room, uint32_t id, uint32_t owner, const qd_body *body)
{
    uint32_t slot;

    if (room->ids.count >= room->config.entities_max) {
        return QD_ERR_FULL;
    }
    qd_status status = qd_space_add(room->space, body, &slot);
    if (status != QD_OK) {
        return status;
    }
    status = reserve(room, slot);
    if (status != QD_OK) {
        goto fail;
    }
    status = qd_ids_put(&room->ids, id, (qd_place){slot, owner});
    if (status != QD_OK) {
        goto fail;
    }
    room->entities.id[slot] = id;
    qd_description_forget(room, slot);
    status = qd_sight_add(room, slot, body);
    if (status != QD_OK) {
        qd_ids_remove(&room->ids, id);
        goto fail;
    }

    link_in(room, slot, owner);
    if (owner != QD_ROOM_OWNED) {
        room->members.rows[owner].slots++;
    }
    return QD_OK;

fail:
    (void)qd_space_remove(room->space, slot, QD_SPACE_DESPAWNED); /* added just now: leaves no trace */
    return status;
}

void qd_room_remove(qd_room *room, uint32_t slot, qd_space_reason reason)
{
    qd_ids_remove(&room->ids, room->entities.id[slot]);
    link_out(room, slot);
    qd_sight_remove(room, slot, reason);
    if (qd_space_remove(room->space, slot, reason)) {
        qd_room_release(room, slot);
    }
}

void qd_room_reown(qd_room *room, uint32_t slot, uint32_t owner)
{
    uint32_t before = room->entities.holding[slot].owner;

    if (before == owner) {
        return;
    }
    qd_ids_set(&room->ids, room->entities.id[slot], (qd_place){slot, owner});
    link_out(room, slot);
    link_in(room, slot, owner);
    if (owner != QD_ROOM_OWNED) {
        room->members.rows[owner].slots++;
    }
    if (before == QD_ROOM_OWNED) {
        return;
    }
    room->members.rows[before].slots--;
    qd_room_retire(room, before);
}

void qd_room_release(qd_room *room, uint32_t slot)
{
    uint32_t owner = room->entities.holding[slot].owner;

    if (owner == QD_ROOM_OWNED) {
        return;
    }
    QD_ASSERT(room->members.rows[owner].slots > 0);
    room->members.rows[owner].slots--;
    qd_room_retire(room, owner);
}

void qd_room_entities_deinit(qd_room *room)
{
    qd_entities *entities = &room->entities;

    qd_heap_free(room->heap, entities->id, entities->id_capacity * sizeof entities->id[0]);
    qd_heap_free(room->heap, entities->holding, entities->holding_capacity * sizeof entities->holding[0]);
}
