/* SPDX-License-Identifier: Apache-2.0
 *
 * Which entries of a batch were refused, and why.
 */
#ifndef QD_ROOM_REFUSE_H
#define QD_ROOM_REFUSE_H

#include "room.h"

static inline void qd_refuse_none(qd_room_refusals *refusals)
{
    refusals->count = 0;
    refusals->listed = 0;
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
