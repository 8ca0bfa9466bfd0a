/* SPDX-License-Identifier: Apache-2.0 */
#include "visible_entries.h"

#include <string.h>

#include "../../../base/assert.h"
#include "../../../base/memory/fetch.h"

#define CAPACITY_MIN 8u
/* Sets of this capacity shrink when fewer than one entry in TRIM_SHARE is in use. */
#define CAPACITY_TRIMMED 64u
#define TRIM_SHARE       8u
#define ALIGNMENT        16u

/* Close to 2^32 times the golden ratio: consecutive slots, as those of one spawn, get far apart. */
uint32_t qd_visible_entries_multiplier(uint64_t salt)
{
    return 0x9e000000u | (uint32_t)(salt * 0x9e3779b97f4a7c15u >> 40) | 1;
}

static uint32_t home(const qd_visible_entries *set, uint32_t slot)
{
    return slot * set->multiplier >> (32 - (unsigned)__builtin_ctz(set->capacity));
}

static uint32_t next(const qd_visible_entries *set, uint32_t at)
{
    return (at + 1) & (set->capacity - 1);
}

static void *zeroed(qd_heap *heap, size_t size)
{
    void *memory = qd_heap_alloc_aligned(heap, ALIGNMENT, size);

    if (memory) {
        memset(memory, 0, size);
    }
    return memory;
}

/* Of the entries and their rounds. */
static size_t entry_bytes(uint32_t capacity)
{
    return 2 * (size_t)capacity * sizeof(uint32_t);
}

static void release(qd_visible_entries *set, qd_heap *heap)
{
    qd_heap_free_aligned(heap, set->entry, ALIGNMENT, entry_bytes(set->capacity));
    qd_heap_free_aligned(heap, set->id, ALIGNMENT, set->id ? set->capacity * sizeof set->id[0] : 0);
}

void qd_visible_entries_deinit(qd_visible_entries *set, qd_heap *heap)
{
    release(set, heap);
    *set = (qd_visible_entries){.multiplier = set->multiplier, .relays = set->relays};
}

/* Where the slot is, or the empty entry where it would be. */
static uint32_t index_of(const qd_visible_entries *set, uint32_t slot)
{
    uint32_t at = home(set, slot);

    while (set->entry[at] != 0 && qd_entry_slot(set->entry[at]) != slot) {
        at = next(set, at);
    }
    return at;
}

/* False: no memory, and nothing has changed. */
static bool rebuild(qd_visible_entries *set, qd_heap *heap, uint32_t capacity)
{
    qd_visible_entries old = *set;
    uint32_t *entry = zeroed(heap, entry_bytes(capacity));
    uint32_t *id = entry && set->relays ? zeroed(heap, capacity * sizeof id[0]) : NULL;

    if (!entry || (set->relays && !id)) {
        qd_heap_free_aligned(heap, entry, ALIGNMENT, entry ? entry_bytes(capacity) : 0);
        return false;
    }
    set->capacity = capacity;
    set->entry = entry;
    set->id = id;
    for (uint32_t i = 0; i < old.capacity; i++) {
        if (old.entry[i] == 0) {
            continue;
        }
        uint32_t at = index_of(set, qd_entry_slot(old.entry[i]));
        set->entry[at] = old.entry[i];
        set->entry[at + capacity] = old.entry[i + old.capacity];
        if (id) {
            set->id[at] = old.id[i];
        }
    }
    release(&old, heap);
    return true;
}

bool qd_visible_entries_relay(qd_visible_entries *set, qd_heap *heap, bool relay)
{
    const size_t bytes = set->capacity * sizeof set->id[0];

    if (relay == set->relays) {
        return true;
    }
    if (relay && bytes > 0 && !(set->id = zeroed(heap, bytes))) {
        return false;
    }
    set->relays = relay;
    if (relay) {
        return true;
    }
    for (uint32_t at = 0; at < set->capacity; at++) {
        set->entry[at] &= ~(uint32_t)QD_ENTRY_WAITS;
    }
    qd_heap_free_aligned(heap, set->id, ALIGNMENT, bytes);
    set->id = NULL;
    return true;
}

uint32_t *qd_visible_entries_find(const qd_visible_entries *set, uint32_t slot)
{
    if (set->capacity == 0) {
        return NULL;
    }
    uint32_t at = index_of(set, slot);
    return set->entry[at] != 0 ? &set->entry[at] : NULL;
}

void qd_visible_entries_prefetch(const qd_visible_entries *set, uint32_t slot)
{
    if (set->capacity > 0) {
        __builtin_prefetch(&set->entry[home(set, slot)], 1);
        __builtin_prefetch(&set->entry[home(set, slot) + set->capacity], 1);
    }
}

uint32_t *qd_visible_entries_put(qd_visible_entries *set, qd_heap *heap, uint32_t slot, uint32_t flags)
{
    /* At most two thirds are in use. */
    if (set->count * 3 >= set->capacity * 2 && !rebuild(set, heap, set->capacity ? set->capacity * 2 : CAPACITY_MIN)) {
        return NULL;
    }
    uint32_t at = index_of(set, slot);
    if (set->entry[at] == 0) {
        set->entry[at] = slot << QD_ENTRY_SHIFT;
        set->count++;
    }
    set->entry[at] |= flags;
    return &set->entry[at];
}

void qd_visible_entries_remove(qd_visible_entries *set, uint32_t *entry)
{
    uint32_t hole = (uint32_t)(entry - set->entry), at = hole;

    set->count--;
    for (;;) {
        at = next(set, at);
        if (set->entry[at] == 0) {
            break;
        }
        /* An entry whose home is between the hole and itself stays. */
        uint32_t from = home(set, qd_entry_slot(set->entry[at]));
        if (((at - from) & (set->capacity - 1)) < ((at - hole) & (set->capacity - 1))) {
            continue;
        }
        set->entry[hole] = set->entry[at];
        set->entry[hole + set->capacity] = set->entry[at + set->capacity];
        if (set->id) {
            set->id[hole] = set->id[at];
        }
        hole = at;
    }
    set->entry[hole] = 0;
}

void qd_visible_entries_trim(qd_visible_entries *set, qd_heap *heap)
{
    uint32_t capacity = set->capacity;

    while (capacity >= CAPACITY_TRIMMED && set->count * TRIM_SHARE < capacity) {
        capacity /= 2;
    }
    if (capacity < set->capacity) {
        (void)rebuild(set, heap, capacity);
    }
}

void qd_visible_entries_settle(qd_visible_entries *set)
{
    for (uint32_t at = 0; at < set->capacity;) {
        /* A removal may move another entry here. One that wraps around the end is settled already. */
        if ((set->entry[at] & QD_ENTRY_FLAGS) == QD_ENTRY_CHANGED) {
            qd_visible_entries_remove(set, &set->entry[at]);
        } else {
            set->entry[at++] &= ~(uint32_t)QD_ENTRY_CHANGED;
        }
    }
}

/* Without branches, which would be foreseen too seldom. */
uint32_t qd_visible_entries_places(const qd_visible_entries *set, uint32_t first, uint32_t of, uint32_t flags,
                                   uint32_t places[QD_ENTRY_PLACES])
{
    const uint32_t left = set->capacity - first, end = first + (left < QD_ENTRY_PLACES ? left : QD_ENTRY_PLACES);
    uint32_t count = 0;

    for (uint32_t at = first; at < end; at++) {
        places[count] = at;
        count += (set->entry[at] & of) == flags;
    }
    return count;
}

void qd_visible_entries_fetch(const qd_visible_entries *set)
{
    qd_fetch(set->entry, set->capacity * sizeof *set->entry);
    qd_fetch(set->id, set->relays ? set->capacity * sizeof *set->id : 0);
}
