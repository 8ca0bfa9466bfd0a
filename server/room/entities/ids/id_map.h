/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash map from ids to slots and owners, for ids in any order: a lookup reads one cache line.
 *
 *     one bucket, one line:   | id 0..4 | slot 0..4 | owner 0..4 | count |
 *
 * An id is in its home bucket, or if that is full, in one of those that follow. All places of a bucket are compared
 * without a branch, and at most 7 places of 10 are taken, so that few lookups see a second bucket. Removing an id takes
 * back one from the buckets behind; there are no tombstones.
 *
 * Belongs to one thread at a time. A salt makes the hash unpredictable, so a peer cannot choose ids that collide.
 */
#ifndef QD_ROOM_ENTITIES_ID_MAP_H
#define QD_ROOM_ENTITIES_ID_MAP_H

#include <stdbool.h>

#include "../../../base/assert.h"
#include "../../../base/memory/alloc.h"

#define QD_SLOT_NONE    UINT32_MAX
#define QD_OWNER_NOBODY (UINT32_MAX - 1) /* of an unknown id; no member has this number */

typedef struct qd_id_entry {
    uint32_t slot, owner;
} qd_id_entry;

#define QD_ID_BUCKET_PLACES 5u

typedef struct qd_id_bucket {
    uint32_t id[QD_ID_BUCKET_PLACES], slot[QD_ID_BUCKET_PLACES], owner[QD_ID_BUCKET_PLACES];
    uint32_t count; /* the first so many places are taken */
} qd_id_bucket;

typedef struct qd_id_map {
    qd_heap *heap;
    qd_id_bucket *bucket; /* NULL while empty */
    uint32_t buckets;     /* a power of two, or 0 */
    uint32_t count;       /* ids */
    uint64_t salt;
} qd_id_map;

void qd_id_map_init(qd_id_map *map, qd_heap *heap, uint64_t salt);
void qd_id_map_deinit(qd_id_map *map);

/* Adds or replaces. Fails only for lack of memory, and then changes nothing. */
qd_status qd_id_map_put(qd_id_map *map, uint32_t id, qd_id_entry entry) QD_MUST_USE;
/* Makes room for `count` ids in total, so that putting them cannot fail. */
qd_status qd_id_map_reserve(qd_id_map *map, uint32_t count) QD_MUST_USE;
/* Gives back memory if the map has become much too large, and if there is memory for a smaller one. */
void qd_id_map_trim(qd_id_map *map);
/* Returns whether the id was present. */
bool qd_id_map_remove(qd_id_map *map, uint32_t id);

/* Iterates in no particular order: start with *cursor = 0; false at the end. Do not change the map meanwhile. */
bool qd_id_map_next(const qd_id_map *map, uint32_t *cursor, uint32_t *id, qd_id_entry *entry);

/* The bucket where the search for an id begins. The map has buckets. The mixer is the finalizer of splitmix64. */
static inline uint32_t qd_id_map_home(const qd_id_map *map, uint32_t id)
{
    uint64_t hash = id ^ map->salt;

    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    hash ^= hash >> 31;
    return (uint32_t)hash & (map->buckets - 1);
}

/* A bit for the place of a bucket that holds the id, or 0. */
static inline uint32_t qd_id_bucket_find(const qd_id_bucket *bucket, uint32_t id)
{
    uint32_t found = 0;

    for (uint32_t place = 0; place < QD_ID_BUCKET_PLACES; place++) {
        found |= (uint32_t)(bucket->id[place] == id) << place;
    }
    return found & ((1u << bucket->count) - 1);
}

/* The entry of an id whose home is known; {QD_SLOT_NONE, QD_OWNER_NOBODY} if it is unknown. The map is never full, so
 * the loop ends. */
static inline qd_id_entry qd_id_map_get_at(const qd_id_map *map, uint32_t home, uint32_t id)
{
    for (;; home = (home + 1) & (map->buckets - 1)) {
        const qd_id_bucket *bucket = &map->bucket[home];
        const uint32_t found = qd_id_bucket_find(bucket, id);

        if (QD_LIKELY(found != 0)) {
            const uint32_t place = (uint32_t)__builtin_ctz(found);

            return (qd_id_entry){bucket->slot[place], bucket->owner[place]};
        }
        if (QD_LIKELY(bucket->count < QD_ID_BUCKET_PLACES)) {
            return (qd_id_entry){QD_SLOT_NONE, QD_OWNER_NOBODY};
        }
    }
}

static inline qd_id_entry qd_id_map_get(const qd_id_map *map, uint32_t id)
{
    return map->count == 0 ? (qd_id_entry){QD_SLOT_NONE, QD_OWNER_NOBODY}
                           : qd_id_map_get_at(map, qd_id_map_home(map, id), id);
}

#endif
