/* SPDX-License-Identifier: Apache-2.0
 *
 * The slots of a relay stream, for views.c: which entity has which slot, and where it is. ../proto/RELAY.md has the
 * format. Not installed.
 */
#ifndef QD_CLIENT_SLOTS_H
#define QD_CLIENT_SLOTS_H

#include "../proto/relay/reader.h"
#include "quadrille.h"
#include "table.h"

/* Where an entity was relayed last. */
typedef struct qd_slot_position {
    float at[QD_RELAY_AXES];
    uint64_t tick; /* 0: not since it has the slot */
} qd_slot_position;

/* Empty if all zero. */
typedef struct qd_slots {
    bool has_k;
    qd_relay_state state; /* its columns are NULL without has_k */
    uint32_t capacity;
    uint32_t *entry;            /* by slot: the first entry of its entity + 1; 0: the slot is free */
    qd_slot_position *position; /* by slot */
    uint32_t *named;            /* the slots of the last blob */
    qd_table slots;             /* by id: slot + 1 */
} qd_slots;

void qd_slots_empty(qd_slots *slots);
/* Gives the entity a slot at that position, in a frame with that precision. A precision counts until qd_slots_empty.
 * QD_CLIENT_ERR_PROTOCOL: the slot or the id is in use, or the precision is another one. */
qd_client_status qd_slots_start(qd_slots *slots, const qd_msg_view *frame, uint32_t slot, uint32_t i);
/* The entity's slot; UINT32_MAX: none. */
uint32_t qd_slots_of(const qd_slots *slots, uint32_t id);
void qd_slots_end(qd_slots *slots, uint32_t id);
/* Reads the blob of a frame. *count: the number of slots in named[]. */
qd_client_status qd_slots_read(qd_slots *slots, const qd_msg_view *frame, uint32_t *count);
/* An exact entry of a slot. */
qd_client_status qd_slots_place(qd_slots *slots, uint32_t slot, const float *at);

#endif
