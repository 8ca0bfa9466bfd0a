/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands on single entries of a batch. moves.h has moves and teleports.
 *
 * The caller goes through the entries, because views must learn of each one that is applied. Functions return 0 or a
 * qd_room_refusal.
 */
#ifndef QD_ROOM_ENTITIES_BATCH_H
#define QD_ROOM_ENTITIES_BATCH_H

#include "entity_state.h"

/* Adds the entity of entry i. The slot and the body are valid if it returns 0. */
int qd_batch_spawn(qd_entities *entities, const qd_room_batch *batch, uint32_t i, uint32_t owner, uint32_t *slot,
                   qd_body *body);
/* Finds the entity of entry i, which the member may change. */
int qd_batch_find(const qd_entities *entities, uint32_t member, const qd_room_batch *batch, uint32_t i, uint32_t *slot);
/* Reshapes the entity in the slot by entry i. */
int qd_batch_reshape(qd_entities *entities, const qd_room_batch *batch, uint32_t i, uint32_t slot);

#endif
