/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the entity of an id is: a client's id to its slot and owner.
 *
 *     id < table_count:  table[id], one read        (ids that clients count up, as they mostly do)
 *     other ids:         a salted hash map
 *
 * The table covers at most about twice as many ids as there are entities, so that neither sparse nor random ids cost
 * memory for nothing. It grows as the entities become more, and takes over from the map what it then covers.
 *
 * Belongs to a room.
 */
#ifndef QD_ROOM_ENTITIES_IDS_H
#define QD_ROOM_ENTITIES_IDS_H

#include "../../base/map.h"

#define QD_SLOT_NONE    UINT32_MAX
#define QD_OWNER_NOBODY (UINT32_MAX - 1) /* of an id that is not there; no member has this number */

typedef struct qd_id_entry {
    uint32_t slot, owner;
} qd_id_entry;

typedef struct qd_ids {
    qd_heap *heap;
    qd_id_entry *table;
    uint32_t table_count; /* 0, or a power of two */
    uint32_t count;       /* ids, in table and map */
    qd_map map;
} qd_ids;

void qd_ids_init(qd_ids *ids, qd_heap *heap, uint64_t salt);
void qd_ids_deinit(qd_ids *ids);

/* Adds an id that is not there. Fails only for memory. */
qd_status qd_ids_put(qd_ids *ids, uint32_t id, qd_id_entry entry) QD_MUST_USE;
/* Another place for an id that is there. */
void qd_ids_set(qd_ids *ids, uint32_t id, qd_id_entry entry);
/* Removes an id that is there. */
void qd_ids_remove(qd_ids *ids, uint32_t id);

/* Visits the ids beyond the table, in no particular order; use as qd_map_next. */
bool qd_ids_next_mapped(const qd_ids *ids, uint32_t *cursor, uint32_t *id, qd_id_entry *entry);

qd_id_entry qd_ids_get_mapped(const qd_ids *ids, uint32_t id);

/* Whether the table covers all ids that have no other bits than these. */
static inline bool qd_ids_in_table(const qd_ids *ids, uint32_t bits)
{
    return bits < ids->table_count;
}

/* {QD_SLOT_NONE, QD_OWNER_NOBODY}: there is none. */
static inline qd_id_entry qd_ids_get(const qd_ids *ids, uint32_t id)
{
    return id < ids->table_count ? ids->table[id] : qd_ids_get_mapped(ids, id);
}

#endif
