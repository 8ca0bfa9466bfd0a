/* SPDX-License-Identifier: Apache-2.0
 *
 * Which slots of a relay stream are free. Entities whose turn comes at the same ticks have the same phase, and get
 * slots of the same pages, so that a blob names few pages. A page is 16 slots. [run]
 */
#ifndef QD_ACTOR_RELAY_RELAY_SLOTS_H
#define QD_ACTOR_RELAY_RELAY_SLOTS_H

#include "../../base/memory/alloc.h"

#define QD_RELAY_SLOT_NONE  UINT32_MAX
#define QD_RELAY_PAGE_SLOTS 16u
#define QD_RELAY_PHASES_MAX 32u

/* All zero: no slot was given. */
typedef struct qd_relay_slots {
    struct qd_relay_page *pages;
    uint32_t count, capacity;           /* of pages */
    uint32_t used;                      /* slots in use */
    uint32_t empty;                     /* the list of pages without used slots: page + 1, or 0 */
    uint32_t open[QD_RELAY_PHASES_MAX]; /* by phase: the list of its pages with used and free slots */
} qd_relay_slots;

void qd_relay_slots_deinit(qd_relay_slots *slots, qd_heap *heap);
/* All slots are free, and the memory is kept. */
void qd_relay_slots_clear(qd_relay_slots *slots);
/* How many phases suit a tier that relays every `every` ticks, at least 1: the largest divisor of `every` that is at
 * most QD_RELAY_PHASES_MAX. Then an entity's phase is its id modulo that number. */
uint32_t qd_relay_phases(uint32_t every);
/* A free slot for an entity with that phase, below QD_RELAY_PHASES_MAX. QD_RELAY_SLOT_NONE: there is no memory. */
uint32_t qd_relay_slots_take(qd_relay_slots *slots, qd_heap *heap, uint32_t phase);
void qd_relay_slots_give(qd_relay_slots *slots, uint32_t slot);

/* All slots in use are below this. */
static inline uint32_t qd_relay_slots_end(const qd_relay_slots *slots)
{
    return slots->count * QD_RELAY_PAGE_SLOTS;
}

#endif
