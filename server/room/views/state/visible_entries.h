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
#ifndef QD_ROOM_VIEWS_STATE_VISIBLE_ENTRIES_H
#define QD_ROOM_VIEWS_STATE_VISIBLE_ENTRIES_H

#include <stdbool.h>

#include "../../../base/alloc.h"

#define QD_ENTRY_SHIFT 10u

enum {
    /* In the region, in the widened one, the observer in the entity's visible range, in the widened one; in the order
     * of the observer's bodies. */
    QD_ENTRY_INNER = 1,
    QD_ENTRY_OUTER = 2,
    QD_ENTRY_BEACON_INNER = 4,
    QD_ENTRY_BEACON_OUTER = 8,
    QD_ENTRY_SHOWN = 16,   /* on the list `show` */
    QD_ENTRY_SEEN = 32,    /* in the view */
    QD_ENTRY_CHANGED = 64, /* to be judged at this tick */
    QD_ENTRY_WAITS = 128,  /* for its position to be reported */
    QD_ENTRY_HELD = 256,   /* is to enter, and a budget holds it back */
    QD_ENTRY_FLAGS = (1 << QD_ENTRY_SHIFT) - 1,
};

/* In rounds; and the entity's id, by which it has its turn. */
typedef struct qd_relayed {
    uint32_t reported, waits_since;
    uint32_t id;
} qd_relayed;

typedef struct qd_visible_entries {
    uint32_t *entry;
    qd_relayed *relayed; /* by place; NULL: the observer does not relay */
    uint32_t count;
    uint32_t capacity;   /* a power of two, or 0 */
    uint32_t multiplier; /* qd_visible_entries_multiplier's */
} qd_visible_entries;

static inline uint32_t qd_entry_slot(uint32_t entry)
{
    return entry >> QD_ENTRY_SHIFT;
}

/* For all sets of a room, from its salt. */
uint32_t qd_visible_entries_multiplier(uint64_t salt);
/* Empty again. */
void qd_visible_entries_deinit(qd_visible_entries *set, qd_heap *heap);
/* With a row of times beside each, or without. Who had none counts as reported at `reported`. */
void qd_visible_entries_relay(qd_visible_entries *set, qd_heap *heap, bool relay, uint32_t reported);

/* NULL: not in the set. Places stay where they are until the next put or remove. */
uint32_t *qd_visible_entries_find(const qd_visible_entries *set, uint32_t slot);
/* Sets flags of an entity that is there, or is put there. */
uint32_t *qd_visible_entries_put(qd_visible_entries *set, qd_heap *heap, uint32_t slot, uint32_t flags);
/* Has the line fetched where the slot would be. */
void qd_visible_entries_prefetch(const qd_visible_entries *set, uint32_t slot);
void qd_visible_entries_remove(qd_visible_entries *set, uint32_t *entry);
/* Gives back most of the memory where a crowd has gone. Places are others then. */
void qd_visible_entries_trim(qd_visible_entries *set, qd_heap *heap);
/* Takes QD_ENTRY_CHANGED from all, and removes those that had nothing else. */
void qd_visible_entries_settle(qd_visible_entries *set);

static inline qd_relayed *qd_entry_relayed(const qd_visible_entries *set, const uint32_t *entry)
{
    return &set->relayed[entry - set->entry];
}

#endif
