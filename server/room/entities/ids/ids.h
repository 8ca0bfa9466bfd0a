/* SPDX-License-Identifier: Apache-2.0
 *
 * From a client's id to the slot and the owner of its entity.
 *
 *     id < table_count:  table[id], one read        (most clients count ids up)
 *     other ids:         a salted hash map (id_map.h)
 *
 * The table covers at most about twice as many ids as there are entities, so that sparse or random ids cost no memory.
 * It grows with the number of entities, and takes over what it then covers from the map. qd_ids_trim goes back.
 */
#ifndef QD_ROOM_ENTITIES_IDS_H
#define QD_ROOM_ENTITIES_IDS_H

#include "id_map.h"

typedef struct qd_ids {
    qd_heap *heap;
    qd_id_entry *table;
    uint32_t table_count; /* 0, or a power of two */
    uint32_t count;       /* ids, in table and map */
    qd_id_map map;
} qd_ids;

void qd_ids_init(qd_ids *ids, qd_heap *heap, uint64_t salt);
void qd_ids_deinit(qd_ids *ids);

/* Adds an unknown id. Fails only for memory. */
qd_status qd_ids_put(qd_ids *ids, uint32_t id, qd_id_entry entry) QD_MUST_USE;
/* Changes the entry of a known id. */
void qd_ids_set(qd_ids *ids, uint32_t id, qd_id_entry entry);
/* Removes a known id. */
void qd_ids_remove(qd_ids *ids, uint32_t id);

/* Gives back memory that was for many more ids, if there is memory for less. */
void qd_ids_trim(qd_ids *ids);

/* Goes through the ids beyond the table, in no order; use it as qd_id_map_next. */
bool qd_ids_next_mapped(const qd_ids *ids, uint32_t *cursor, uint32_t *id, qd_id_entry *entry);

/* Whether the table covers all ids that have no other bits than these. */
static inline bool qd_ids_in_table(const qd_ids *ids, uint32_t bits)
{
    return bits < ids->table_count;
}

/* {QD_SLOT_NONE, QD_OWNER_NOBODY} if the id is unknown. */
static inline qd_id_entry qd_ids_get(const qd_ids *ids, uint32_t id)
{
    return id < ids->table_count ? ids->table[id] : qd_id_map_get(&ids->map, id);
}

#endif
