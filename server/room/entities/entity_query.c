/* SPDX-License-Identifier: Apache-2.0
 *
 * What the space finds, by id.
 */
#include "state.h"

qd_status qd_room_query(qd_room *room, const qd_space_query *query, qd_room_found *found)
{
    qd_space_query asked = *query;
    qd_space_hits hits;

    qd_room_snapshot_release(room);
    *found = (qd_room_found){0};
    asked.names = room->entities.id; /* of removed ones too, as long as they have their slot */
    qd_status status = qd_space_find(room->space, &asked, &hits);
    if (status != QD_OK || hits.count == 0) {
        return status;
    }

    size_t distances = qd_block_part(hits.count, sizeof(double));
    size_t bytes = distances + qd_block_part(hits.count, sizeof(uint32_t));
    char *memory = qd_heap_alloc_aligned(room->heap, QD_BLOCK_ALIGNMENT, bytes);
    if (!memory) {
        qd_space_hits_free(room->space, &hits);
        return QD_ERR_NO_MEMORY;
    }
    room->snapshot = memory;
    room->snapshot_bytes = bytes;
    double *distance = (double *)memory;
    uint32_t *id = (uint32_t *)(memory + distances);
    for (uint32_t i = 0; i < hits.count; i++) {
        distance[i] = hits.hit[i].at;
        id[i] = hits.hit[i].name;
    }
    *found = (qd_room_found){.count = hits.count, .id = id, .distance = distance, .more = hits.more};
    qd_space_hits_free(room->space, &hits);
    return QD_OK;
}
