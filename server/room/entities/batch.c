/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands from peers, entry by entry; moves and teleports are in place.c.
 */
#include "../views/visibility_index.h"
#include "refuse.h"

/* ---- checks; 0: nothing to refuse ---- */

/* Shape and sizes. What takes no part in a shape, as a circle's half_y, is held to the same rules all the same: who
 * sends nonsense learns of it. */
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

/* The columns that are there, into what stands in the body. */
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

/* ---- spawn, despawn ---- */

static int spawn_one(qd_room *room, const qd_room_batch *batch, uint32_t i, uint32_t owner)
{
    qd_body body = {
        .x = batch->x[i],
        .y = batch->y[i],
        .z = batch->z ? batch->z[i] : 0,
        .shape = QD_SPACE_BOX,
        .category = 1,
        .mask = UINT32_MAX,
    };

    take_form(batch, i, &body);
    take_filter(batch, i, &body);
    if (qd_is_not_finite(body.x) | qd_is_not_finite(body.y) | qd_is_not_finite(body.z)) {
        return QD_ROOM_NOT_FINITE;
    }
    int refusal = check_form(&body);
    if (refusal) {
        return refusal;
    }
    if (qd_ids_get(&room->ids, batch->id[i]).slot != QD_SLOT_NONE) {
        return QD_ROOM_ID_TAKEN;
    }
    return qd_room_add(room, batch->id[i], owner, &body) == QD_OK ? 0 : QD_ROOM_FULL;
}

void qd_room_spawn(qd_room *room, uint32_t member, const qd_room_batch *batch, bool room_owned,
                   qd_room_refusals *refusals)
{
    (void)qd_room_member(room, member);
    qd_batch_begin(room, batch, refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        int refusal = spawn_one(room, batch, i, room_owned ? QD_ROOM_OWNED : member);

        if (refusal) {
            qd_refuse(refusals, i, refusal);
        }
    }
    qd_batch_finish(room, batch, refusals);
}

void qd_room_despawn(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals)
{
    (void)qd_room_member(room, member);
    qd_batch_begin(room, batch, refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        qd_place place = qd_ids_get(&room->ids, batch->id[i]);
        int refusal = qd_check_place(place, member);

        if (refusal) {
            qd_refuse(refusals, i, refusal);
        } else {
            qd_room_remove(room, place.slot, QD_SPACE_DESPAWNED);
        }
    }
    qd_batch_finish(room, batch, refusals);
}

void qd_room_despawn_all(qd_room *room)
{
    room->emptied = true;
    while (room->entities.room_owned_first != QD_SLOT_NONE) {
        qd_room_remove(room, room->entities.room_owned_first, QD_SPACE_ROOM_CLOSED);
    }
    for (uint32_t member = 0; member < room->members.count; member++) {
        while (room->members.rows[member].first != QD_SLOT_NONE) {
            qd_room_remove(room, room->members.rows[member].first, QD_SPACE_ROOM_CLOSED);
        }
    }
}

/* ---- reshape ---- */

/* Returns why it is refused; 0: it is done. */
static int reshape_one(qd_room *room, const qd_room_batch *batch, uint32_t i, uint32_t slot)
{
    qd_body body;

    qd_space_body(room->space, slot, &body);
    if (batch->half_x || batch->half_y || batch->half_z || batch->radius || batch->shape) {
        take_form(batch, i, &body);
        int refusal = check_form(&body);
        if (refusal) {
            return refusal;
        }
        qd_space_reshape(room->space, slot, &body);
    }
    if (batch->category || batch->mask) {
        take_filter(batch, i, &body);
        qd_space_refilter(room->space, slot, body.category, body.mask);
        qd_sight_filter(room, slot, body.category);
    }
    return 0;
}

void qd_room_reshape(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals)
{
    (void)qd_room_member(room, member);
    qd_batch_begin(room, batch, refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        qd_place place = qd_ids_get(&room->ids, batch->id[i]);
        int refusal = qd_check_place(place, member);

        if (!refusal) {
            refusal = reshape_one(room, batch, i, place.slot);
        }
        if (refusal) {
            qd_refuse(refusals, i, refusal);
        }
    }
    qd_batch_finish(room, batch, refusals);
}
