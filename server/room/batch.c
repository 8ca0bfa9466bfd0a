/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands from peers. A move is what a room does most, millions a second, so that moves and teleports are checked and
 * handed to the space in chunks; the others go entry by entry.
 */
#include <string.h>

#include "refuse.h"
#include "sight.h"

#define CHUNK_COUNT 512u /* its columns stay in the first level of cache */

static void begin(const qd_room *room, const qd_room_batch *batch, qd_room_refusals *refusals)
{
    /* Which columns a room has is the caller's to check. */
    QD_ASSERT(qd_room_is_3d(room) ? batch->count == 0 || !batch->z == !batch->x : !batch->z && !batch->half_z);
    qd_refuse_none(refusals);
}

/* Entries that were not refused are updates. */
static void finish(qd_room *room, const qd_room_batch *batch, const qd_room_refusals *refusals)
{
    room->updates += batch->count - refusals->count;
}

/* ---- checks; 0: nothing to refuse ---- */

/* By the bits, which holds under any rule of arithmetic that the compiler was given, and needs no branch. */
static uint32_t is_not_finite(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x7f800000u) == 0x7f800000u;
}

/* Shape and sizes. What takes no part in a shape, as a circle's half_y, is held to the same rules all the same: who
 * sends nonsense learns of it. */
static int check_form(const qd_body *body)
{
    if (is_not_finite(body->half_x) | is_not_finite(body->half_y) | is_not_finite(body->half_z) |
        is_not_finite(body->radius))
        return QD_ROOM_NOT_FINITE;
    bool may_be_negative = body->shape == QD_SPACE_CAPSULE;
    if (body->radius < 0 || (!may_be_negative && (body->half_x < 0 || body->half_y < 0 || body->half_z < 0)))
        return QD_ROOM_NEGATIVE_SIZE;
    if (body->shape != QD_SPACE_BOX && body->shape != QD_SPACE_CIRCLE && body->shape != QD_SPACE_CAPSULE)
        return QD_ROOM_UNKNOWN_SHAPE;
    return 0;
}

/* The columns that are there, into what stands in the body. */
static void take_form(const qd_room_batch *batch, uint32_t i, qd_body *body)
{
    if (batch->half_x)
        body->half_x = batch->half_x[i];
    if (batch->half_y)
        body->half_y = batch->half_y[i];
    if (batch->half_z)
        body->half_z = batch->half_z[i];
    if (batch->radius)
        body->radius = batch->radius[i];
    if (batch->shape)
        body->shape = batch->shape[i];
}

static void take_filter(const qd_room_batch *batch, uint32_t i, qd_body *body)
{
    if (batch->category)
        body->category = batch->category[i];
    if (batch->mask)
        body->mask = batch->mask[i];
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
    if (is_not_finite(body.x) | is_not_finite(body.y) | is_not_finite(body.z))
        return QD_ROOM_NOT_FINITE;
    int refusal = check_form(&body);
    if (refusal)
        return refusal;
    if (qd_ids_get(&room->ids, batch->id[i]).slot != QD_SLOT_NONE)
        return QD_ROOM_ID_TAKEN;
    return qd_room_add(room, batch->id[i], owner, &body) == QD_OK ? 0 : QD_ROOM_FULL;
}

void qd_room_spawn(qd_room *room, uint32_t member, const qd_room_batch *batch, bool room_owned,
                   qd_room_refusals *refusals)
{
    (void)qd_room_member(room, member);
    begin(room, batch, refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        int refusal = spawn_one(room, batch, i, room_owned ? QD_ROOM_OWNED : member);
        if (refusal)
            qd_refuse(refusals, i, refusal);
    }
    finish(room, batch, refusals);
}

void qd_room_despawn(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals)
{
    (void)qd_room_member(room, member);
    begin(room, batch, refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        qd_place place = qd_ids_get(&room->ids, batch->id[i]);
        int refusal = qd_check_place(place, member);
        if (refusal)
            qd_refuse(refusals, i, refusal);
        else
            qd_room_remove(room, place.slot, QD_SPACE_DESPAWNED);
    }
    finish(room, batch, refusals);
}

void qd_room_despawn_all(qd_room *room)
{
    room->emptied = true;
    while (room->entities.room_owned_first != QD_SLOT_NONE)
        qd_room_remove(room, room->entities.room_owned_first, QD_SPACE_ROOM_CLOSED);
    for (uint32_t member = 0; member < room->members.count; member++) {
        while (room->members.rows[member].first != QD_SLOT_NONE)
            qd_room_remove(room, room->members.rows[member].first, QD_SPACE_ROOM_CLOSED);
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
        if (refusal)
            return refusal;
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
    begin(room, batch, refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        qd_place place = qd_ids_get(&room->ids, batch->id[i]);
        int refusal = qd_check_place(place, member);
        if (!refusal)
            refusal = reshape_one(room, batch, i, place.slot);
        if (refusal)
            qd_refuse(refusals, i, refusal);
    }
    finish(room, batch, refusals);
}

/* ---- move, teleport ---- */

typedef void (*place_fn)(qd_space *space, size_t count, const uint32_t *slots, const float *x, const float *y,
                         const float *z);

static uint32_t any_not_finite(const float *values, uint32_t count)
{
    uint32_t any = 0;

    for (uint32_t i = 0; i < count; i++)
        any |= is_not_finite(values[i]);
    return any;
}

/* The slots of a chunk. Returns whether every entry may be applied. */
static bool look_up(const qd_room *room, uint32_t member, const qd_room_batch *batch, uint32_t first, uint32_t count,
                    uint32_t *slots)
{
    const uint32_t *id = batch->id + first;
    uint32_t bad = any_not_finite(batch->x + first, count) | any_not_finite(batch->y + first, count);

    if (batch->z)
        bad |= any_not_finite(batch->z + first, count);
    for (uint32_t i = 0; i < count; i++) {
        qd_place place = qd_ids_get(&room->ids, id[i]);

        /* The owner of an unknown id is nobody, who is neither of these. */
        bad |= !qd_may_change(place, member);
        slots[i] = place.slot;
    }
    return bad == 0;
}

/* The same chunk once more, entry by entry, because some are to be refused. */
static void place_some(qd_room *room, uint32_t member, const qd_room_batch *batch, uint32_t first, uint32_t count,
                       place_fn place, qd_room_refusals *refusals)
{
    uint32_t slots[CHUNK_COUNT];
    float x[CHUNK_COUNT], y[CHUNK_COUNT], z[CHUNK_COUNT];
    uint32_t good = 0;

    for (uint32_t i = first; i < first + count; i++) {
        qd_place at = qd_ids_get(&room->ids, batch->id[i]);
        int refusal = qd_check_place(at, member);
        x[good] = batch->x[i];
        y[good] = batch->y[i];
        z[good] = batch->z ? batch->z[i] : 0;
        if (!refusal && (is_not_finite(x[good]) | is_not_finite(y[good]) | is_not_finite(z[good])))
            refusal = QD_ROOM_NOT_FINITE;
        if (refusal)
            qd_refuse(refusals, i, refusal);
        else
            slots[good++] = at.slot;
    }
    place(room->space, good, slots, x, y, batch->z ? z : NULL);
    qd_sight_place(room, good, slots, x, y, batch->z ? z : NULL);
}

static void place_all(qd_room *room, uint32_t member, const qd_room_batch *batch, place_fn place,
                      qd_room_refusals *refusals)
{
    uint32_t slots[CHUNK_COUNT];

    (void)qd_room_member(room, member);
    begin(room, batch, refusals);
    for (uint32_t first = 0; first < batch->count; first += CHUNK_COUNT) {
        uint32_t count = batch->count - first < CHUNK_COUNT ? batch->count - first : CHUNK_COUNT;

        if (QD_UNLIKELY(!look_up(room, member, batch, first, count, slots))) {
            place_some(room, member, batch, first, count, place, refusals);
            continue;
        }
        const float *x = batch->x + first, *y = batch->y + first, *z = batch->z ? batch->z + first : NULL;
        place(room->space, count, slots, x, y, z);
        qd_sight_place(room, count, slots, x, y, z);
    }
    finish(room, batch, refusals);
}

void qd_room_move(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals)
{
    place_all(room, member, batch, qd_space_move, refusals);
}

void qd_room_teleport(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals)
{
    place_all(room, member, batch, qd_space_teleport, refusals);
}
