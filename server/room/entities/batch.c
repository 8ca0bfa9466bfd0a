/* SPDX-License-Identifier: Apache-2.0 */
#include "batch.h"

#include "entities.h"
#include "refusals.h"

/* Shape and sizes. Sizes that a shape does not use, such as a circle's half_y, follow the same rules, so that a client
 * learns of nonsense that it sends. */
static int check_form(const qd_body *body)
{
    if (qd_is_not_finite(body->half_x) | qd_is_not_finite(body->half_y) | qd_is_not_finite(body->half_z) |
        qd_is_not_finite(body->radius)) {
        return QD_ROOM_NOT_FINITE;
    }
    bool may_be_negative = body->shape == QD_SPACE_CAPSULE;
    if (body->radius < 0 || (!may_be_negative && (body->half_x < 0 || body->half_y < 0 || body->half_z < 0))) {
        return QD_ROOM_NEGATIVE_SIZE;
    }
    if (body->shape != QD_SPACE_BOX && body->shape != QD_SPACE_CIRCLE && body->shape != QD_SPACE_CAPSULE) {
        return QD_ROOM_UNKNOWN_SHAPE;
    }
    return 0;
}

/* Copies the values of the columns that are there. */
static void take_form(const qd_room_batch *batch, uint32_t i, qd_body *body)
{
    if (batch->half_x) {
        body->half_x = batch->half_x[i];
    }
    if (batch->half_y) {
        body->half_y = batch->half_y[i];
    }
    if (batch->half_z) {
        body->half_z = batch->half_z[i];
    }
    if (batch->radius) {
        body->radius = batch->radius[i];
    }
    if (batch->shape) {
        body->shape = batch->shape[i];
    }
}

static void take_filter(const qd_room_batch *batch, uint32_t i, qd_body *body)
{
    if (batch->category) {
        body->category = batch->category[i];
    }
    if (batch->mask) {
        body->mask = batch->mask[i];
    }
}

int qd_batch_spawn(qd_entities *entities, const qd_room_batch *batch, uint32_t i, uint32_t owner, uint32_t *slot,
                   qd_body *body)
{
    *body = (qd_body){
        .x = batch->x[i],
        .y = batch->y[i],
        .z = batch->z ? batch->z[i] : 0,
        .shape = QD_SPACE_BOX,
        .category = 1,
        .mask = UINT32_MAX,
    };
    take_form(batch, i, body);
    take_filter(batch, i, body);
    if (qd_is_not_finite(body->x) | qd_is_not_finite(body->y) | qd_is_not_finite(body->z)) {
        return QD_ROOM_NOT_FINITE;
    }
    int refusal = check_form(body);
    if (refusal) {
        return refusal;
    }
    if (qd_ids_get(&entities->ids, batch->id[i]).slot != QD_SLOT_NONE) {
        return QD_ROOM_ID_TAKEN;
    }
    return qd_entities_add(entities, batch->id[i], owner, body, slot) == QD_OK ? 0 : QD_ROOM_FULL;
}

int qd_batch_find(const qd_entities *entities, uint32_t member, const qd_room_batch *batch, uint32_t i, uint32_t *slot)
{
    qd_id_entry entry = qd_ids_get(&entities->ids, batch->id[i]);

    *slot = entry.slot;
    return qd_check_entry(entry, member);
}

int qd_batch_reshape(qd_entities *entities, const qd_room_batch *batch, uint32_t i, uint32_t slot)
{
    qd_body body;

    qd_space_body(entities->space, slot, &body);
    if (batch->half_x || batch->half_y || batch->half_z || batch->radius || batch->shape) {
        take_form(batch, i, &body);
        int refusal = check_form(&body);
        if (refusal) {
            return refusal;
        }
        qd_space_reshape(entities->space, slot, &body);
    }
    if (batch->category || batch->mask) {
        take_filter(batch, i, &body);
        qd_space_refilter(entities->space, slot, body.category, body.mask);
    }
    return 0;
}
