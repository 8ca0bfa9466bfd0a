/* SPDX-License-Identifier: Apache-2.0
 *
 * What was said of entities (views.h), by their slots.
 *
 * Belongs to a room.
 */
#ifndef QD_ROOM_ENTITIES_DESCRIBE_H
#define QD_ROOM_ENTITIES_DESCRIBE_H

#include "../state.h"

/* All 0, where nothing was said. */
const qd_description *qd_description_of(const qd_room *room, uint32_t slot);
/* The slot is a new entity's. */
void qd_description_forget(qd_room *room, uint32_t slot);

#endif
