/* SPDX-License-Identifier: Apache-2.0 */
#include "map.h"

#include <string.h>

#include "../assert.h"

/* An entry whose key is EMPTY is free. The key of that value itself lives in one more entry behind the table, which
 * holds TAKEN as its key while it is there. */
#define EMPTY        UINT64_MAX
#define TAKEN        0u
#define CAPACITY_MIN 16u
#define CAPACITY_MAX (1u << 31)
#define TRIM_SHARE   4u /* a map shrinks to less than a quarter */

struct qd_map_entry {
    uint64_t key, value;
};

static size_t bytes_of(uint32_t capacity)
{
    return ((size_t)capacity + 1) * sizeof(struct qd_map_entry);
}
static uint32_t count_max(uint32_t capacity)
{
    return capacity - capacity / 8;
}

/* Where the search for a key begins. The mixer is the finalizer of splitmix64. */
static uint32_t home_of(const qd_map *map, uint64_t key)
{
    uint64_t hash = key ^ map->salt;

    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    hash ^= hash >> 31;
    return (uint32_t)hash & (map->capacity - 1);
}

/* The entry that holds the key, or the free entry where it belongs. The table is never full, so the loop ends. */
static struct qd_map_entry *find(const qd_map *map, uint64_t key)
{
    if (key == EMPTY) {
        return &map->entries[map->capacity];
    }
    uint32_t index = home_of(map, key);
    while (map->entries[index].key != key && map->entries[index].key != EMPTY) {
        index = (index + 1) & (map->capacity - 1);
    }
    return &map->entries[index];
}

void qd_map_init(qd_map *map, qd_heap *heap, uint64_t salt)
{
    *map = (qd_map){.heap = heap, .salt = salt};
}

void qd_map_deinit(qd_map *map)
{
    if (map->entries) {
        qd_heap_free(map->heap, map->entries, bytes_of(map->capacity));
    }
    qd_map_init(map, map->heap, map->salt);
}

bool qd_map_get(const qd_map *map, uint64_t key, uint64_t *value)
{
    if (map->count == 0) {
        return false;
    }
    const struct qd_map_entry *entry = find(map, key);
    if (entry->key == EMPTY) {
        return false;
    }
    *value = entry->value;
    return true;
}

void qd_map_fetch(const qd_map *map, uint64_t key)
{
    if (map->entries) {
        __builtin_prefetch(&map->entries[home_of(map, key)]);
    }
}

/* Moves all entries to a table of that capacity. */
static qd_status move(qd_map *map, uint32_t capacity)
{
    qd_map old = *map;
    struct qd_map_entry *entries = qd_heap_alloc(map->heap, bytes_of(capacity));

    if (!entries) {
        return QD_ERR_NO_MEMORY;
    }
    memset(entries, 0xff, bytes_of(capacity)); /* every key EMPTY */
    map->entries = entries;
    map->capacity = capacity;
    if (!old.entries) {
        return QD_OK;
    }
    for (uint32_t index = 0; index < old.capacity; index++) {
        if (old.entries[index].key != EMPTY) {
            *find(map, old.entries[index].key) = old.entries[index];
        }
    }
    entries[capacity] = old.entries[old.capacity];
    qd_heap_free(map->heap, old.entries, bytes_of(old.capacity));
    return QD_OK;
}

qd_status qd_map_reserve(qd_map *map, uint32_t count)
{
    if (map->capacity && count <= count_max(map->capacity)) {
        return QD_OK;
    }
    uint32_t capacity = map->capacity ? map->capacity : CAPACITY_MIN;
    while (capacity < CAPACITY_MAX && count > count_max(capacity)) {
        capacity *= 2;
    }
    if (count > count_max(capacity)) {
        return QD_ERR_NO_MEMORY;
    }

    return move(map, capacity);
}

void qd_map_trim(qd_map *map)
{
    uint32_t capacity = CAPACITY_MIN;

    if (map->count == 0) {
        qd_map_deinit(map);
        return;
    }
    while (map->count > capacity / 2) {
        capacity *= 2;
    }
    if (capacity < map->capacity / TRIM_SHARE) {
        (void)move(map, capacity); /* without memory it stays as large */
    }
}

qd_status qd_map_put(qd_map *map, uint64_t key, uint64_t value)
{
    struct qd_map_entry *entry = map->entries ? find(map, key) : NULL;

    if (!entry || entry->key == EMPTY) {
        if (map->count == UINT32_MAX) {
            return QD_ERR_NO_MEMORY;
        }
        qd_status status = qd_map_reserve(map, map->count + 1);
        if (status != QD_OK) {
            return status;
        }
        entry = find(map, key);
        entry->key = key == EMPTY ? TAKEN : key;
        map->count++;
    }
    entry->value = value;
    return QD_OK;
}

bool qd_map_remove(qd_map *map, uint64_t key)
{
    if (map->count == 0) {
        return false;
    }
    struct qd_map_entry *entry = find(map, key);
    if (entry->key == EMPTY) {
        return false;
    }
    entry->key = EMPTY;
    map->count--;
    if (key == EMPTY) {
        return true;
    }

    /* Close the gap: an entry further on moves into it unless its home lies behind the gap, for then its search never
     * passes there. */
    uint32_t mask = map->capacity - 1;
    uint32_t gap = (uint32_t)(entry - map->entries);
    for (uint32_t index = (gap + 1) & mask; map->entries[index].key != EMPTY; index = (index + 1) & mask) {
        uint32_t home = home_of(map, map->entries[index].key);

        if (((index - home) & mask) >= ((index - gap) & mask)) {
            map->entries[gap] = map->entries[index];
            map->entries[index].key = EMPTY;
            gap = index;
        }
    }
    return true;
}

bool qd_map_next(const qd_map *map, uint32_t *cursor, uint64_t *key, uint64_t *value)
{
    if (!map->entries) {
        return false;
    }
    while (*cursor <= map->capacity) {
        uint32_t index = (*cursor)++;

        if (map->entries[index].key != EMPTY) {
            *key = index == map->capacity ? EMPTY : map->entries[index].key;
            *value = map->entries[index].value;
            return true;
        }
    }
    return false;
}
