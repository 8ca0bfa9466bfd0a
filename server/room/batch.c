/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands from peers. A move is what a room does most, millions a second, so that moves and teleports are checked and
 * handed to the space in chunks; the others go entry by entry.
 */
#include <string.h>

#include "state.h"

#define CHUNK_COUNT 512u /* its columns stay in the first level of cache */

static void refuse(qd_room_refusals *refusals, uint32_t index, qd_room_refusal code)
{
    if (refusals->listed < QD_ROOM_REFUSALS_MAX) {
        refusals->index[refusals->listed] = index;
        refusals->code[refusals->listed] = (uint8_t)code;
        refusals->listed++;
    }
    refusals->count++;
}

static void begin(qd_room_refusals *refusals)
{
    refusals->count = 0;
    refusals->listed = 0;
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

static bool may_change(qd_place place, uint32_t member)
{
    return place.owner == member || place.owner == QD_ROOM_OWNED;
}

static int check_place(qd_place place, uint32_t member)
{
    if (place.slot == QD_SLOT_NONE)
        return QD_ROOM_UNKNOWN_ID;
    return may_change(place, member) ? 0 : QD_ROOM_NOT_OWNER;
}

/* Sizes and shape, of the columns that are there. A circle's half_y counts for nothing, and is held to the same rules
 * all the same: who sends nonsense learns of it. */
static int check_form(const qd_room_batch *batch, uint32_t i)
{
    if ((batch->half_x && is_not_finite(batch->half_x[i])) || (batch->half_y && is_not_finite(batch->half_y[i])))
        return QD_ROOM_NOT_FINITE;
    if ((batch->half_x && batch->half_x[i] < 0) || (batch->half_y && batch->half_y[i] < 0))
        return QD_ROOM_NEGATIVE_SIZE;
    if (batch->shape && batch->shape[i] != QD_SPACE_BOX && batch->shape[i] != QD_SPACE_CIRCLE)
        return QD_ROOM_UNKNOWN_SHAPE;
    return 0;
}

/* ---- spawn, despawn ---- */

static int spawn_one(qd_room *room, const qd_room_batch *batch, uint32_t i, uint32_t owner)
{
    if (is_not_finite(batch->x[i]) || is_not_finite(batch->y[i]))
        return QD_ROOM_NOT_FINITE;
    int refusal = check_form(batch, i);
    if (refusal)
        return refusal;
    if (qd_ids_get(&room->ids, batch->id[i]).slot != QD_SLOT_NONE)
        return QD_ROOM_ID_TAKEN;

    qd_body body = {
        .x = batch->x[i],
        .y = batch->y[i],
        .half_x = batch->half_x ? batch->half_x[i] : 0,
        .half_y = batch->half_y ? batch->half_y[i] : 0,
        .shape = batch->shape ? batch->shape[i] : QD_SPACE_BOX,
        .category = batch->category ? batch->category[i] : 1,
        .mask = batch->mask ? batch->mask[i] : UINT32_MAX,
    };
    return qd_room_add(room, batch->id[i], owner, &body) == QD_OK ? 0 : QD_ROOM_FULL;
}

void qd_room_spawn(qd_room *room, uint32_t member, const qd_room_batch *batch, bool room_owned,
                   qd_room_refusals *refusals)
{
    (void)qd_room_member(room, member);
    begin(refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        int refusal = spawn_one(room, batch, i, room_owned ? QD_ROOM_OWNED : member);
        if (refusal)
            refuse(refusals, i, (qd_room_refusal)refusal);
    }
    finish(room, batch, refusals);
}

void qd_room_despawn(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals)
{
    (void)qd_room_member(room, member);
    begin(refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        qd_place place = qd_ids_get(&room->ids, batch->id[i]);
        int refusal = check_place(place, member);
        if (refusal)
            refuse(refusals, i, (qd_room_refusal)refusal);
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

static void reshape_one(qd_room *room, const qd_room_batch *batch, uint32_t i, uint32_t slot)
{
    qd_body body;

    qd_space_body(room->space, slot, &body);
    if (batch->half_x || batch->half_y || batch->shape) {
        qd_space_reshape(room->space, slot, (qd_space_shape)(batch->shape ? batch->shape[i] : body.shape),
                         batch->half_x ? batch->half_x[i] : body.half_x,
                         batch->half_y ? batch->half_y[i] : body.half_y);
    }
    if (batch->category || batch->mask) {
        qd_space_refilter(room->space, slot, batch->category ? batch->category[i] : body.category,
                          batch->mask ? batch->mask[i] : body.mask);
    }
}

void qd_room_reshape(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals)
{
    (void)qd_room_member(room, member);
    begin(refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        qd_place place = qd_ids_get(&room->ids, batch->id[i]);
        int refusal = check_place(place, member);
        if (!refusal)
            refusal = check_form(batch, i);
        if (refusal)
            refuse(refusals, i, (qd_room_refusal)refusal);
        else
            reshape_one(room, batch, i, place.slot);
    }
    finish(room, batch, refusals);
}

/* ---- move, teleport ---- */

typedef void (*place_fn)(qd_space *space, size_t count, const uint32_t *slots, const float *x, const float *y);

/* The slots of a chunk. Returns whether every entry may be applied. */
static bool look_up(const qd_room *room, uint32_t member, const qd_room_batch *batch, uint32_t first, uint32_t count,
                    uint32_t *slots)
{
    const uint32_t *id = batch->id + first;
    const float *x = batch->x + first, *y = batch->y + first;
    uint32_t bad = 0;

    for (uint32_t i = 0; i < count; i++)
        bad |= is_not_finite(x[i]) | is_not_finite(y[i]);
    for (uint32_t i = 0; i < count; i++) {
        qd_place place = qd_ids_get(&room->ids, id[i]);

        /* The owner of an unknown id is nobody, who is neither of these. */
        bad |= !may_change(place, member);
        slots[i] = place.slot;
    }
    return bad == 0;
}

/* The same chunk once more, entry by entry, because some are to be refused. */
static void place_some(qd_room *room, uint32_t member, const qd_room_batch *batch, uint32_t first, uint32_t count,
                       place_fn place, qd_room_refusals *refusals)
{
    uint32_t slots[CHUNK_COUNT];
    float x[CHUNK_COUNT], y[CHUNK_COUNT];
    uint32_t good = 0;

    for (uint32_t i = first; i < first + count; i++) {
        qd_place at = qd_ids_get(&room->ids, batch->id[i]);
        int refusal = check_place(at, member);
        if (!refusal && (is_not_finite(batch->x[i]) || is_not_finite(batch->y[i])))
            refusal = QD_ROOM_NOT_FINITE;
        if (refusal) {
            refuse(refusals, i, (qd_room_refusal)refusal);
            continue;
        }
        slots[good] = at.slot;
        x[good] = batch->x[i];
        y[good] = batch->y[i];
        good++;
    }
    place(room->space, good, slots, x, y);
}

static void place_all(qd_room *room, uint32_t member, const qd_room_batch *batch, place_fn place,
                      qd_room_refusals *refusals)
{
    uint32_t slots[CHUNK_COUNT];

    (void)qd_room_member(room, member);
    begin(refusals);
    for (uint32_t first = 0; first < batch->count; first += CHUNK_COUNT) {
        uint32_t count = batch->count - first < CHUNK_COUNT ? batch->count - first : CHUNK_COUNT;

        if (QD_LIKELY(look_up(room, member, batch, first, count, slots)))
            place(room->space, count, slots, batch->x + first, batch->y + first);
        else
            place_some(room, member, batch, first, count, place, refusals);
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
