/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash map from 64-bit keys to 64-bit values: open addressing, linear probing, deletion by backward shift (no
 * tombstones). It is at most 7/8 full, and doubles when it needs more. It shrinks only by qd_map_trim.
 *
 * Belongs to one thread at a time. A salt makes the hash unpredictable, so a peer cannot choose keys that collide.
 */
#ifndef QD_BASE_MEMORY_MAP_H
#define QD_BASE_MEMORY_MAP_H

#include <stdbool.h>

#include "alloc.h"

typedef struct qd_map {
    qd_heap *heap;
    struct qd_map_entry *entries; /* NULL while empty */
    uint32_t count;
    uint32_t capacity; /* a power of two, or 0 */
    uint64_t salt;
} qd_map;

void qd_map_init(qd_map *map, qd_heap *heap, uint64_t salt);
void qd_map_deinit(qd_map *map);

bool qd_map_get(const qd_map *map, uint64_t key, uint64_t *value);
/* Prefetches the key's entry for a lookup that follows soon. */
void qd_map_fetch(const qd_map *map, uint64_t key);
/* Adds or replaces. Fails only for lack of memory, and then changes nothing. */
qd_status qd_map_put(qd_map *map, uint64_t key, uint64_t value) QD_MUST_USE;
/* Makes room for `count` keys in total, so that putting them cannot fail. */
qd_status qd_map_reserve(qd_map *map, uint32_t count) QD_MUST_USE;
/* Gives back memory if the map has become much too large, and if there is memory for a smaller one. */
void qd_map_trim(qd_map *map);
/* Returns whether the key was present. */
bool qd_map_remove(qd_map *map, uint64_t key);

/* Iterates in no particular order: start with *cursor = 0; false at the end. Do not change the map meanwhile. */
bool qd_map_next(const qd_map *map, uint32_t *cursor, uint64_t *key, uint64_t *value);

#endif
