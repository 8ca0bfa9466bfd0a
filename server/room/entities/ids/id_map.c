/* SPDX-License-Identifier: Apache-2.0 */
#include "id_map.h"

#include <string.h>

#include "../../../base/memory/array.h"

#define PLACES      QD_ID_BUCKET_PLACES
#define BUCKETS_MIN 4u
#define BUCKETS_MAX (1u << 29) /* their places have 32 bits */
#define TRIM_SHARE  4u         /* a map shrinks to less than a quarter */

_Static_assert(sizeof(qd_id_bucket) == 64, "a lookup reads one line");

/* 7 places of 10. */
static uint64_t count_max(uint32_t buckets)
{
    return (uint64_t)buckets * PLACES * 7 / 10;
}

void qd_id_map_init(qd_id_map *map, qd_heap *heap, uint64_t salt)
{
    *map = (qd_id_map){.heap = heap, .salt = salt};
}

void qd_id_map_deinit(qd_id_map *map)
{
    qd_array_free(map->heap, map->bucket, map->buckets * sizeof *map->bucket);
    qd_id_map_init(map, map->heap, map->salt);
}

static void set_place(qd_id_bucket *bucket, uint32_t place, uint32_t id, qd_id_entry entry)
{
    bucket->id[place] = id;
    bucket->slot[place] = entry.slot;
    bucket->owner[place] = entry.owner;
}

static qd_id_entry entry_at(const qd_id_bucket *bucket, uint32_t place)
{
    return (qd_id_entry){bucket->slot[place], bucket->owner[place]};
}

/* The bucket that holds the id, and its place there; NULL: none does. The map has buckets. */
static qd_id_bucket *find(const qd_id_map *map, uint32_t id, uint32_t *place)
{
    for (uint32_t at = qd_id_map_home(map, id);; at = (at + 1) & (map->buckets - 1)) {
        qd_id_bucket *bucket = &map->bucket[at];
        const uint32_t found = qd_id_bucket_find(bucket, id);

        if (found != 0) {
            *place = (uint32_t)__builtin_ctz(found);
            return bucket;
        }
        if (bucket->count < PLACES) {
            return NULL;
        }
    }
}

/* An id that is not there, and has a place. */
static void add(qd_id_map *map, uint32_t id, qd_id_entry entry)
{
    uint32_t at = qd_id_map_home(map, id);

    while (map->bucket[at].count == PLACES) {
        at = (at + 1) & (map->buckets - 1);
    }
    set_place(&map->bucket[at], map->bucket[at].count++, id, entry);
    map->count++;
}

/* Moves all ids to so many buckets. */
static qd_status move(qd_id_map *map, uint32_t buckets)
{
    qd_id_map old = *map;
    qd_id_bucket *bucket = qd_array_grow(map->heap, NULL, 0, 0, buckets * sizeof *bucket);
    qd_id_entry entry;
    uint32_t cursor = 0, id;

    if (bucket == NULL) {
        return QD_ERR_NO_MEMORY;
    }
    memset(bucket, 0, buckets * sizeof *bucket);
    map->bucket = bucket;
    map->buckets = buckets;
    map->count = 0;
    while (qd_id_map_next(&old, &cursor, &id, &entry)) {
        add(map, id, entry);
    }
    qd_array_free(map->heap, old.bucket, old.buckets * sizeof *bucket);
    return QD_OK;
}

qd_status qd_id_map_reserve(qd_id_map *map, uint32_t count)
{
    uint32_t buckets = map->buckets > 0 ? map->buckets : BUCKETS_MIN;

    while (buckets < BUCKETS_MAX && count > count_max(buckets)) {
        buckets *= 2;
    }
    if (count > count_max(buckets)) {
        return QD_ERR_NO_MEMORY;
    }
    return buckets == map->buckets ? QD_OK : move(map, buckets);
}

void qd_id_map_trim(qd_id_map *map)
{
    uint32_t buckets = BUCKETS_MIN;

    if (map->count == 0) {
        qd_id_map_deinit(map);
        return;
    }
    while (map->count > count_max(buckets) / 2) {
        buckets *= 2;
    }
    if (buckets < map->buckets / TRIM_SHARE) {
        (void)move(map, buckets); /* without memory it stays as large */
    }
}

qd_status qd_id_map_put(qd_id_map *map, uint32_t id, qd_id_entry entry)
{
    uint32_t place;
    qd_id_bucket *bucket = map->count > 0 ? find(map, id, &place) : NULL;

    if (bucket != NULL) {
        set_place(bucket, place, id, entry);
        return QD_OK;
    }
    qd_status status = qd_id_map_reserve(map, map->count + 1);
    if (status == QD_OK) {
        add(map, id, entry);
    }
    return status;
}

/* The place of a bucket whose id may be in the bucket `gap`, which its search passes; PLACES: there is none. */
static uint32_t place_for_gap(const qd_id_map *map, uint32_t at, uint32_t gap)
{
    const uint32_t mask = map->buckets - 1;
    uint32_t place = 0;

    while (place < map->bucket[at].count &&
           ((at - qd_id_map_home(map, map->bucket[at].id[place])) & mask) < ((at - gap) & mask)) {
        place++;
    }
    return place < map->bucket[at].count ? place : PLACES;
}

/* The last id of the bucket goes to that place. */
static void close_place(qd_id_bucket *bucket, uint32_t place)
{
    bucket->count--;
    set_place(bucket, place, bucket->id[bucket->count], entry_at(bucket, bucket->count));
}

/* The bucket `gap` was full, and one of its places is free now: a search would end there. */
static void close_gap(qd_id_map *map, uint32_t gap)
{
    for (uint32_t at = (gap + 1) & (map->buckets - 1);; at = (at + 1) & (map->buckets - 1)) {
        qd_id_bucket *bucket = &map->bucket[at];
        const bool was_full = bucket->count == PLACES;
        const uint32_t place = place_for_gap(map, at, gap);

        if (place < PLACES) {
            qd_id_bucket *to = &map->bucket[gap];

            set_place(to, to->count++, bucket->id[place], entry_at(bucket, place));
            close_place(bucket, place);
            gap = at;
        }
        if (!was_full) {
            return;
        }
    }
}

bool qd_id_map_remove(qd_id_map *map, uint32_t id)
{
    uint32_t place;
    qd_id_bucket *bucket = map->count > 0 ? find(map, id, &place) : NULL;

    if (bucket == NULL) {
        return false;
    }
    const bool was_full = bucket->count == PLACES;
    close_place(bucket, place);
    map->count--;
    if (was_full) {
        close_gap(map, (uint32_t)(bucket - map->bucket));
    }
    return true;
}

bool qd_id_map_next(const qd_id_map *map, uint32_t *cursor, uint32_t *id, qd_id_entry *entry)
{
    for (; *cursor < map->buckets * PLACES; (*cursor)++) {
        const qd_id_bucket *bucket = &map->bucket[*cursor / PLACES];
        const uint32_t place = *cursor % PLACES;

        if (place < bucket->count) {
            *id = bucket->id[place];
            *entry = entry_at(bucket, place);
            (*cursor)++;
            return true;
        }
    }
    return false;
}
