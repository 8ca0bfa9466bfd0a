/* SPDX-License-Identifier: Apache-2.0 */
#include "describe.h"

#include <math.h>
#include <string.h>

#include "../views/visibility_index.h"
#include "refuse.h"

const qd_description *qd_description_of(const qd_room *room, uint32_t slot)
{
    static const qd_description nothing;

    return slot < room->views.descriptions_capacity ? &room->views.descriptions[slot] : &nothing;
}

void qd_description_forget(qd_room *room, uint32_t slot)
{
    if (slot < room->views.descriptions_capacity) {
        room->views.descriptions[slot] = (qd_description){0};
    }
}

static qd_status reserve(qd_room *room, uint32_t slot)
{
    qd_views *views = &room->views;
    uint32_t before = views->descriptions_capacity;
    qd_description *rows = qd_array_reserve(room->heap, views->descriptions, &views->descriptions_capacity,
                                            sizeof views->descriptions[0], slot);

    if (!rows) {
        return QD_ERR_NO_MEMORY;
    }
    memset(rows + before, 0, (views->descriptions_capacity - before) * sizeof rows[0]);
    views->descriptions = rows;
    return QD_OK;
}

static int describe_one(qd_room *room, uint32_t member, const qd_room_descriptions *batch, uint32_t i,
                        const uint8_t *payload)
{
    qd_place place = qd_ids_get(&room->ids, batch->id[i]);

    int refusal = qd_check_place(place, member);
    if (refusal) {
        return refusal;
    }
    if (batch->visible_range && !isfinite(batch->visible_range[i])) {
        return QD_ROOM_NOT_FINITE;
    }
    if (batch->visible_range && batch->visible_range[i] < 0) {
        return QD_ROOM_NEGATIVE_SIZE;
    }

    qd_description said = *qd_description_of(room, place.slot);
    if (batch->tag) {
        said.tag = batch->tag[i];
    }
    if (batch->payload_size) {
        said.payload_size = batch->payload_size[i];
        memset(said.payload, 0, sizeof said.payload);
        if (said.payload_size > 0) {
            memcpy(said.payload, payload, said.payload_size);
        }
    }
    if (batch->visible_range) {
        said.visible_range = batch->visible_range[i];
    }
    if (batch->team) {
        said.team = batch->team[i];
    }
    if (batch->hidden) {
        said.hidden = batch->hidden[i] != 0;
    }
    if (reserve(room, place.slot) != QD_OK || qd_sight_describe(room, place.slot, &said) != QD_OK) {
        return QD_ROOM_FULL;
    }
    room->views.descriptions[place.slot] = said;
    return 0;
}

void qd_room_describe(qd_room *room, uint32_t member, const qd_room_descriptions *batch, qd_room_refusals *refusals)
{
    const uint8_t *payload = batch->payload;

    (void)qd_room_member(room, member);
    qd_refuse_none(refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        uint8_t size = batch->payload_size ? batch->payload_size[i] : 0;

        QD_ASSERT(size <= QD_VIEW_PAYLOAD_MAX); /* the caller's to check */
        int refusal = describe_one(room, member, batch, i, payload);
        if (refusal) {
            qd_refuse(refusals, i, refusal);
        }
        if (size > 0) {
            payload += size;
        }
    }
    room->updates += batch->count - refusals->count;
}
