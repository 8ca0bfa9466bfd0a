/* SPDX-License-Identifier: Apache-2.0 */
#include "visible_entries.h"

#include <string.h>

#include "../../base/assert.h"

#define CAPACITY_MIN 8u
/* From that on a set shrinks, where not even one place in so many is taken. */
#define CAPACITY_TRIMMED 64u
#define TRIM_SHARE       8u
#define ALIGNMENT        16u

/* A share of 2^32 near that of the golden ratio: slots that follow each other, as those of one spawn do, go far apart.
 */
uint32_t qd_sightings_multiplier(uint64_t salt)
{
    return 0x9e000000u | (uint32_t)(salt * 0x9e3779b97f4a7c15u >> 40) | 1;
}

static uint32_t home(const qd_sightings *set, uint32_t slot)
{
    return slot * set->multiplier >> (32 - (unsigned)__builtin_ctz(set->capacity));
}

static uint32_t next(const qd_sightings *set, uint32_t at)
{
    return (at + 1) & (set->capacity - 1);
}

static void *zeroed(qd_heap *heap, size_t size)
{
    void *memory = qd_heap_need(heap, ALIGNMENT, size);

    if (memory) {
        memset(memory, 0, size);
    }
    return memory;
}

static void release(qd_sightings *set, qd_heap *heap)
{
    qd_heap_free_aligned(heap, set->places, ALIGNMENT, set->capacity * sizeof set->places[0]);
    qd_heap_free_aligned(heap, set->tellings, ALIGNMENT, set->tellings ? set->capacity * sizeof set->tellings[0] : 0);
}

void qd_sightings_deinit(qd_sightings *set, qd_heap *heap)
{
    release(set, heap);
    *set = (qd_sightings){.multiplier = set->multiplier};
}

/* Where the slot is, or the empty place where it would be. */
static uint32_t place_of(const qd_sightings *set, uint32_t slot)
{
    uint32_t at = home(set, slot);

    while (set->places[at] != 0 && qd_sighting_slot(set->places[at]) != slot) {
        at = next(set, at);
    }
    return at;
}

static void rebuild(qd_sightings *set, qd_heap *heap, uint32_t capacity, bool relay)
{
    qd_sightings old = *set;

    set->capacity = capacity;
    set->places = zeroed(heap, capacity * sizeof set->places[0]);
    set->tellings = relay ? zeroed(heap, capacity * sizeof set->tellings[0]) : NULL;
    for (uint32_t i = 0; i < old.capacity; i++) {
        if (old.places[i] == 0) {
            continue;
        }
        uint32_t at = place_of(set, qd_sighting_slot(old.places[i]));
        set->places[at] = old.places[i];
        if (relay && old.tellings) {
            set->tellings[at] = old.tellings[i];
        }
    }
    release(&old, heap);
}

void qd_sightings_relay(qd_sightings *set, qd_heap *heap, bool relay, uint32_t told)
{
    if (relay == (set->tellings != NULL)) {
        return;
    }
    rebuild(set, heap, set->capacity ? set->capacity : CAPACITY_MIN, relay);
    for (uint32_t at = 0; at < set->capacity && relay; at++) {
        set->tellings[at].told = told;
    }
}

uint32_t *qd_sightings_find(const qd_sightings *set, uint32_t slot)
{
    if (set->capacity == 0) {
        return NULL;
    }
    uint32_t at = place_of(set, slot);
    return set->places[at] != 0 ? &set->places[at] : NULL;
}

void qd_sightings_prefetch(const qd_sightings *set, uint32_t slot)
{
    if (set->capacity > 0) {
        __builtin_prefetch(&set->places[home(set, slot)], 1);
    }
}

uint32_t *qd_sightings_put(qd_sightings *set, qd_heap *heap, uint32_t slot, uint32_t flags)
{
    /* At most two thirds are taken. */
    if (set->count * 3 >= set->capacity * 2) {
        rebuild(set, heap, set->capacity ? set->capacity * 2 : CAPACITY_MIN, set->tellings != NULL);
    }
    uint32_t at = place_of(set, slot);
    if (set->places[at] == 0) {
        set->places[at] = slot << QD_SIGHTING_SHIFT;
        set->count++;
    }
    set->places[at] |= flags;
    return &set->places[at];
}

void qd_sightings_remove(qd_sightings *set, uint32_t *place)
{
    uint32_t hole = (uint32_t)(place - set->places), at = hole;

    set->count--;
    for (;;) {
        at = next(set, at);
        if (set->places[at] == 0) {
            break;
        }
        /* What is at home between the hole and where it is stays. */
        uint32_t from = home(set, qd_sighting_slot(set->places[at]));
        if (((at - from) & (set->capacity - 1)) < ((at - hole) & (set->capacity - 1))) {
            continue;
        }
        set->places[hole] = set->places[at];
        if (set->tellings) {
            set->tellings[hole] = set->tellings[at];
        }
        hole = at;
    }
    set->places[hole] = 0;
}

void qd_sightings_trim(qd_sightings *set, qd_heap *heap)
{
    uint32_t capacity = set->capacity;

    while (capacity >= CAPACITY_TRIMMED && set->count * TRIM_SHARE < capacity) {
        capacity /= 2;
    }
    if (capacity < set->capacity) {
        rebuild(set, heap, capacity, set->tellings != NULL);
    }
}

void qd_sightings_settle(qd_sightings *set)
{
    for (uint32_t at = 0; at < set->capacity;) {
        /* Where one is removed, another may come into its place. One that comes round the end is settled already. */
        if ((set->places[at] & QD_SIGHTING_FLAGS) == QD_SIGHTING_TOUCHED) {
            qd_sightings_remove(set, &set->places[at]);
        } else {
            set->places[at++] &= ~(uint32_t)QD_SIGHTING_TOUCHED;
        }
    }
}
