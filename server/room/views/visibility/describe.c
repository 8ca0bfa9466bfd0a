/* SPDX-License-Identifier: Apache-2.0 */
#include "describe.h"

#include <math.h>
#include <string.h>

#include "../../entities/members.h"
#include "../../entities/refusals.h"
#include "visibility_index.h"

const qd_description *qd_description_of(const qd_views *views, uint32_t slot)
{
    static const qd_description nothing;

    return slot < views->descriptions_capacity ? &views->descriptions[slot] : &nothing;
}

void qd_description_forget(qd_views *views, uint32_t slot)
{
    if (slot < views->descriptions_capacity) {
        views->descriptions[slot] = (qd_description){0};
    }
}

#define FIELD_VISIBLE_RANGE 6u /* in SetDescription */

static int describe_one(qd_views *views, uint32_t member, const qd_msg_set_description *batch, uint32_t i,
                        const uint8_t *payload)
{
    qd_id_entry entry = qd_ids_get(&views->entities->ids, batch->id[i]);

    int refusal = qd_check_entry(entry, member);
    if (refusal) {
        return refusal;
    }
    if (batch->visible_range && !isfinite(batch->visible_range[i])) {
        return QD_REFUSED_FIELD(QD_ROOM_NOT_FINITE, FIELD_VISIBLE_RANGE);
    }
    if (batch->visible_range && batch->visible_range[i] < 0) {
        return QD_REFUSED_FIELD(QD_ROOM_NEGATIVE_SIZE, FIELD_VISIBLE_RANGE);
    }

    qd_description described = *qd_description_of(views, entry.slot);
    if (batch->tag) {
        described.tag = batch->tag[i];
    }
    if (batch->payload_size) {
        described.payload_size = batch->payload_size[i];
        memset(described.payload, 0, sizeof described.payload);
        if (described.payload_size > 0) {
            memcpy(described.payload, payload, described.payload_size);
        }
    }
    if (batch->visible_range) {
        described.visible_range = batch->visible_range[i];
    }
    if (batch->team) {
        described.team = batch->team[i];
    }
    if (batch->hidden) {
        described.hidden = batch->hidden[i] != 0;
    }
    if (!qd_array_reserve_zeroed(views->heap, views->descriptions, views->descriptions_capacity, entry.slot) ||
        qd_view_index_describe(views, entry.slot, &described) != QD_OK) {
        return QD_ROOM_FULL;
    }
    views->descriptions[entry.slot] = described;
    return 0;
}

void qd_views_describe(qd_views *views, uint32_t member, const qd_msg_set_description *batch,
                       qd_room_refusals *refusals)
{
    const uint8_t *payload = batch->payload;

    (void)qd_members_at(views->entities, member);
    qd_refuse_none(&views->entities->refused, refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        uint8_t size = batch->payload_size ? batch->payload_size[i] : 0;

        QD_ASSERT(size <= QD_VIEW_PAYLOAD_MAX); /* the caller has checked it */
        qd_refuse(refusals, i, describe_one(views, member, batch, i, payload));
        if (size > 0) {
            payload += size;
        }
    }
    qd_batch_finish(views->entities, batch->count, refusals);
}
