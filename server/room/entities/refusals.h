/* SPDX-License-Identifier: Apache-2.0
 *
 * Which entries of a batch are refused, and why. A check returns 0, a qd_room_refusal of the entry as a whole, or
 * QD_REFUSED_FIELD.
 */
#ifndef QD_ROOM_ENTITIES_REFUSALS_H
#define QD_ROOM_ENTITIES_REFUSALS_H

#include <string.h>

#include "entity_state.h"

#define QD_REFUSED_FIELD_SHIFT 8

/* The refusal of a value: `field` is its number in the request's message. */
#define QD_REFUSED_FIELD(code, field) ((int)(code) | (int)(field) << QD_REFUSED_FIELD_SHIFT)

/* Begins a batch of which no entry is refused yet. */
static inline void qd_refuse_none(qd_refused *lists, qd_room_refusals *refusals)
{
    *refusals = (qd_room_refusals){.lists = lists};
}

/* For qd_refuse. (entities.c, like qd_refused_forget) */
void qd_refuse_entry(qd_room_refusals *refusals, uint32_t index, int refusal);

/* Notes the result of a check: 0 refuses nothing. */
static inline void qd_refuse(qd_room_refusals *refusals, uint32_t index, int refusal)
{
    if (QD_UNLIKELY(refusal != 0)) {
        qd_refuse_entry(refusals, index, refusal);
    }
}

/* Gives the memory of the lists back. */
void qd_refused_forget(qd_refused *lists);

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

/* The first axis on which a position is not finite: 0 to 2; -1: none. */
static inline int qd_axis_not_finite(float x, float y, float z)
{
    return qd_is_not_finite(x) ? 0 : qd_is_not_finite(y) ? 1 : qd_is_not_finite(z) ? 2 : -1;
}

/* The caller has checked which columns are there. */
static inline void qd_batch_begin(qd_entities *entities, const qd_room_batch *batch, qd_room_refusals *refusals)
{
    QD_ASSERT(entities->is_3d ? batch->count == 0 || !batch->z == !batch->x
                              : !batch->z && !batch->half_z && !batch->axis_z);
    qd_refuse_none(&entities->refused, refusals);
}

/* Counts the entries that were applied. */
static inline void qd_batch_finish(qd_entities *entities, uint32_t count, const qd_room_refusals *refusals)
{
    entities->updates += count - refusals->count;
}

#endif
