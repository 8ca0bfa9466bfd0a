/* SPDX-License-Identifier: Apache-2.0
 *
 * Which entries of a batch are refused, and why; and how each batch begins and ends. Belongs to a room.
 */
#ifndef QD_ROOM_ENTITIES_REFUSE_H
#define QD_ROOM_ENTITIES_REFUSE_H

#include <string.h>

#include "../state.h"

static inline void qd_refuse_none(qd_room_refusals *refusals)
{
    refusals->count = 0;
    refusals->listed = 0;
}

static inline bool qd_may_change(qd_place place, uint32_t member)
{
    return place.owner == member || place.owner == QD_ROOM_OWNED;
}

/* Why the member may not change what is there; 0: it may. */
static inline int qd_check_place(qd_place place, uint32_t member)
{
    if (place.slot == QD_SLOT_NONE) {
        return QD_ROOM_UNKNOWN_ID;
    }
    return qd_may_change(place, member) ? 0 : QD_ROOM_NOT_OWNER;
}

/* By the bits, which holds under any rule of arithmetic that the compiler was given, and needs no branch. */
static inline uint32_t qd_is_not_finite(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x7f800000u) == 0x7f800000u;
}

static inline void qd_refuse(qd_room_refusals *refusals, uint32_t index, int code)
{
    if (refusals->listed < QD_ROOM_REFUSALS_MAX) {
        refusals->index[refusals->listed] = index;
        refusals->code[refusals->listed] = (uint8_t)code;
        refusals->listed++;
    }
    refusals->count++;
}

static inline void qd_batch_begin(const qd_room *room, const qd_room_batch *batch, qd_room_refusals *refusals)
{
    /* Which columns a room has is the caller's to check. */
    QD_ASSERT(qd_room_is_3d(room) ? batch->count == 0 || !batch->z == !batch->x : !batch->z && !batch->half_z);
    qd_refuse_none(refusals);
}

/* Entries that were not refused are updates. */
static inline void qd_batch_finish(qd_room *room, const qd_room_batch *batch, const qd_room_refusals *refusals)
{
    room->updates += batch->count - refusals->count;
}

#endif
