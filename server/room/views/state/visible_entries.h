/* SPDX-License-Identifier: Apache-2.0
 *
 * The visible entries of an observer: the entities that it may see or sees, as a hash set of slots. Each entry has
 * flags in the same 32 bits.
 *
 *     slot (22 bits) | flags (10 bits)       0: empty, so flags are never all 0
 *
 * Open addressing, linear probing, deletion by backward shift. Clients choose which slots come near whom, so positions
 * in the table depend on a salt. Beside each entry is the round that last reported its position, because the observer
 * may get relay tiers later. Of an observer that relays there is the id beside it, too.
 *
 * If there is no memory for an entry, the set stays as it was.
 */
#ifndef QD_ROOM_VIEWS_STATE_VISIBLE_ENTRIES_H
#define QD_ROOM_VIEWS_STATE_VISIBLE_ENTRIES_H

#include <stdbool.h>

#include "../../../base/memory/alloc.h"

#define QD_ENTRY_SHIFT 10u

enum {
    /* The entity is in the region, in the widened region; the observer is in the entity's visible range, in the widened
     * range. In the order of QD_BODY_*. */
    QD_ENTRY_INNER = 1,
    QD_ENTRY_OUTER = 2,
    QD_ENTRY_BEACON_INNER = 4,
    QD_ENTRY_BEACON_OUTER = 8,
    QD_ENTRY_SHOWN = 16,   /* on the list `show` */
    QD_ENTRY_SEEN = 32,    /* in the view */
    QD_ENTRY_CHANGED = 64, /* to be evaluated at this tick */
    QD_ENTRY_WAITS = 128,  /* its turn to be relayed has come */
    QD_ENTRY_HELD = 256,   /* waits to enter: a budget holds it back */
    QD_ENTRY_FLAGS = (1 << QD_ENTRY_SHIFT) - 1,
};

typedef struct qd_visible_entries {
    uint32_t *entry; /* and behind all of them a round for each */
    uint32_t *id;    /* of the entity of each entry, which decides its turn; with `relays` */
    uint32_t count;
    uint32_t capacity;   /* a power of two, or 0 */
    uint32_t multiplier; /* from qd_visible_entries_multiplier */
    bool relays;
} qd_visible_entries;

static inline uint32_t qd_entry_slot(uint32_t entry)
{
    return entry >> QD_ENTRY_SHIFT;
}

/* Of all sets of a room, from its salt. */
uint32_t qd_visible_entries_multiplier(uint64_t salt);
/* The set is empty afterwards. */
void qd_visible_entries_deinit(qd_visible_entries *set, qd_heap *heap);
/* Adds or removes the ids. Without them nothing waits. False: no memory; never if `relay` is false, or if
 * the set is empty. */
bool qd_visible_entries_relay(qd_visible_entries *set, qd_heap *heap, bool relay);

/* NULL: not in the set. Entries move at the next put or remove. */
uint32_t *qd_visible_entries_find(const qd_visible_entries *set, uint32_t slot);
/* Sets flags of an entry, which is added if it is new. NULL: no memory. */
uint32_t *qd_visible_entries_put(qd_visible_entries *set, qd_heap *heap, uint32_t slot, uint32_t flags);
/* Prefetches the entry of the slot, and its round. */
void qd_visible_entries_prefetch(const qd_visible_entries *set, uint32_t slot);
void qd_visible_entries_remove(qd_visible_entries *set, uint32_t *entry);
/* Gives memory back after a crowd has gone, if there is memory for a smaller set. Entries may move. */
void qd_visible_entries_trim(qd_visible_entries *set, qd_heap *heap);
/* Clears QD_ENTRY_CHANGED, and removes entries without other flags. */
void qd_visible_entries_settle(qd_visible_entries *set);

/* The places of entries from `first` on, at most QD_ENTRY_PLACES of them, that have of these flags just those. Returns how
 * many they are. */
#define QD_ENTRY_PLACES 128u
uint32_t qd_visible_entries_places(const qd_visible_entries *set, uint32_t first, uint32_t of, uint32_t flags,
                                   uint32_t places[QD_ENTRY_PLACES]);
/* Prefetches all entries, and the ids. */
void qd_visible_entries_fetch(const qd_visible_entries *set);

/* The round that last reported the position of an entity in the view. */
static inline uint32_t *qd_entry_reported(const qd_visible_entries *set, uint32_t *entry)
{
    return entry + set->capacity;
}

static inline uint32_t *qd_entry_id(const qd_visible_entries *set, const uint32_t *entry)
{
    return &set->id[entry - set->entry];
}

#endif
