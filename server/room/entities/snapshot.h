/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading entities: snapshots of them as they are, and queries of the space as of the last tick. room.h describes both.
 */
#ifndef QD_ROOM_ENTITIES_SNAPSHOT_H
#define QD_ROOM_ENTITIES_SNAPSHOT_H

#include "entity_state.h"

qd_status qd_snapshot_make(qd_entities *entities, uint32_t owner, const qd_room_region *region, uint32_t limit,
                           qd_room_batch *columns, bool *more) QD_MUST_USE;
qd_status qd_snapshot_query(qd_entities *entities, const qd_space_query *query, qd_room_found *found) QD_MUST_USE;
/* Frees the columns of the last answer. */
void qd_snapshot_release(qd_entities *entities);

#endif
