/* SPDX-License-Identifier: Apache-2.0
 *
 * The entities that an observer may see, or sees: a hash set of slots, each with flags in the same 32 bits.
 *
 *     slot (22 bits) | flags (10 bits)       0: an empty place; so flags are never all 0
 *
 * Open addressing, linear probing, deletion by backward shift. Who sends entities chooses which slots come near whom;
 * so where they stand in the table depends on a salt. For observers that relay there is a row of times beside each
 * place.
 *
 * Belongs to an observer. What a tick adds cannot fail: it may overdraw the memory's budget.
 */
#ifndef QD_ROOM_VIEWS_VISIBLE_ENTRIES_H
#define QD_ROOM_VIEWS_VISIBLE_ENTRIES_H

#include <stdbool.h>

#include "../../base/alloc.h"

#define QD_SIGHTING_SHIFT 10u

enum {
    /* In the region, in the widened one, the observer in the entity's visible range, in the widened one; in the order
     * of the observer's bodies. */
    QD_SIGHTING_INNER = 1,
    QD_SIGHTING_OUTER = 2,
    QD_SIGHTING_BEACON_INNER = 4,
    QD_SIGHTING_BEACON_OUTER = 8,
    QD_SIGHTING_SHOWN = 16,   /* on the list `show` */
    QD_SIGHTING_SEEN = 32,    /* in the view */
    QD_SIGHTING_TOUCHED = 64, /* to be judged at this tick */
    QD_SIGHTING_WAITS = 128,  /* for its position to be told */
    QD_SIGHTING_HELD = 256,   /* is to enter, and a budget holds it back */
    QD_SIGHTING_FLAGS = (1 << QD_SIGHTING_SHIFT) - 1,
};

/* In rounds; and the entity's id, by which it has its turn. */
typedef struct qd_telling {
    uint32_t told, waits_since;
    uint32_t id;
} qd_telling;

typedef struct qd_sightings {
    uint32_t *places;
    qd_telling *tellings; /* by place; NULL: the observer does not relay */
    uint32_t count;
    uint32_t capacity;   /* a power of two, or 0 */
    uint32_t multiplier; /* qd_sightings_multiplier's */
} qd_sightings;

static inline uint32_t qd_sighting_slot(uint32_t place)
{
    return place >> QD_SIGHTING_SHIFT;
}

/* For all sets of a room, from its salt. */
uint32_t qd_sightings_multiplier(uint64_t salt);
/* Empty again. */
void qd_sightings_deinit(qd_sightings *set, qd_heap *heap);
/* With a row of times beside each, or without. Who had none counts as told at `told`. */
void qd_sightings_relay(qd_sightings *set, qd_heap *heap, bool relay, uint32_t told);

/* NULL: not in the set. Places stay where they are until the next put or remove. */
uint32_t *qd_sightings_find(const qd_sightings *set, uint32_t slot);
/* Sets flags of an entity that is there, or is put there. */
uint32_t *qd_sightings_put(qd_sightings *set, qd_heap *heap, uint32_t slot, uint32_t flags);
/* Has the line fetched where the slot would be. */
void qd_sightings_prefetch(const qd_sightings *set, uint32_t slot);
void qd_sightings_remove(qd_sightings *set, uint32_t *place);
/* Gives back most of the memory where a crowd has gone. Places are others then. */
void qd_sightings_trim(qd_sightings *set, qd_heap *heap);
/* Takes QD_SIGHTING_TOUCHED from all, and removes those that had nothing else. */
void qd_sightings_settle(qd_sightings *set);

static inline qd_telling *qd_sightings_telling(const qd_sightings *set, const uint32_t *place)
{
    return &set->tellings[place - set->places];
}

#endif
