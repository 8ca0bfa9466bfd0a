/* SPDX-License-Identifier: Apache-2.0
 *
 * Which entries of a batch are refused, and why. A check returns 0 or a qd_room_refusal.
 */
#ifndef QD_ROOM_ENTITIES_REFUSALS_H
#define QD_ROOM_ENTITIES_REFUSALS_H

#include <string.h>

#include "entity_state.h"

static inline void qd_refuse_none(qd_room_refusals *refusals)
{
    refusals->count = 0;
    refusals->listed = 0;
}

/* Notes the result of a check: 0 refuses nothing. */
static inline void qd_refuse(qd_room_refusals *refusals, uint32_t index, int code)
{
    if (code == 0) {
        return;
    }
    if (refusals->listed < QD_ROOM_REFUSALS_MAX) {
        refusals->index[refusals->listed] = index;
        refusals->code[refusals->listed] = (uint8_t)code;
        refusals->listed++;
    }
    refusals->count++;
}

static inline bool qd_may_change(qd_id_entry entry, uint32_t member)
{
    return entry.owner == member || entry.owner == QD_ROOM_OWNED;
}

/* Whether the entity exists and the member may change it. */
static inline int qd_check_entry(qd_id_entry entry, uint32_t member)
{
    if (entry.slot == QD_SLOT_NONE) {
        return QD_ROOM_UNKNOWN_ID;
    }
    return qd_may_change(entry, member) ? 0 : QD_ROOM_NOT_OWNER;
}

/* Tests the bits: this needs no branch, and holds whatever floating-point rules the compiler follows. */
static inline uint32_t qd_is_not_finite(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x7f800000u) == 0x7f800000u;
}

/* The caller has checked which columns are there. */
static inline void qd_batch_begin(const qd_entities *entities, const qd_room_batch *batch, qd_room_refusals *refusals)
{
    QD_ASSERT(entities->is_3d ? batch->count == 0 || !batch->z == !batch->x : !batch->z && !batch->half_z);
    qd_refuse_none(refusals);
}

/* Counts the entries that were applied. */
static inline void qd_batch_finish(qd_entities *entities, uint32_t count, const qd_room_refusals *refusals)
{
    entities->updates += count - refusals->count;
}

#endif
