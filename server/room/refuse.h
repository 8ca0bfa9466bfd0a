/* SPDX-License-Identifier: Apache-2.0
 *
 * Which entries of a batch were refused, and why. Pure. [any]
 */
#ifndef QD_ROOM_REFUSE_H
#define QD_ROOM_REFUSE_H

#include "ids.h"
#include "room.h"

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
    if (place.slot == QD_SLOT_NONE)
        return QD_ROOM_UNKNOWN_ID;
    return qd_may_change(place, member) ? 0 : QD_ROOM_NOT_OWNER;
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

#endif
