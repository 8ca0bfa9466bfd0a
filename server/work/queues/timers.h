/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers: a four-way heap of actors by due_ns. Each timer has an index that its actor stores, and `home` tells where
 * that index is in the heap, so replacing and canceling a timer need no search.
 *
 *     actor --timer_index--> home: actor, place --> rows (the heap): due_ns, index
 *
 * Moving a timer in the heap writes `rows` and `home` only. It never touches the actor, which may be in another core's
 * cache.
 *
 * Belongs to the pool; every call is under the pool's lock.
 */
#ifndef QD_WORK_QUEUES_TIMERS_H
#define QD_WORK_QUEUES_TIMERS_H

#include "../../base/executor.h"
#include "../../base/memory/alloc.h"

typedef struct qd_timer {
    uint64_t due_ns;
    uint32_t index;
} qd_timer;

typedef struct qd_timer_home {
    qd_actor *actor;
    uint32_t place; /* in the heap, from 1; of a free index: the next free one, or 0 */
} qd_timer_home;

typedef struct qd_timers {
    qd_heap *heap;
    qd_timer *rows;      /* the four children of a row share a cache line */
    qd_timer_home *home; /* by index - 1; entries from `used` on were never used */
    uint32_t count, capacity;
    uint32_t reserved;
    uint32_t used, free_first;
} qd_timers;

void qd_timers_init(qd_timers *timers, qd_heap *heap);
void qd_timers_deinit(qd_timers *timers);

/* Makes room for the timer of one more actor; the first call also for the spare ones. false: there is no memory. */
bool qd_timers_reserve(qd_timers *timers) QD_MUST_USE;
void qd_timers_release(qd_timers *timers);

/* Sets or replaces the actor's timer; QD_NEVER cancels it. Without reservations, QD_TIMERS_SPARE actors may have
 * one. */
void qd_timers_set(qd_timers *timers, qd_actor *actor, uint64_t due_ns);

/* When the first timer is due; QD_NEVER: there is none. */
uint64_t qd_timers_next_ns(const qd_timers *timers);

/* Removes the first timer if it is due by now_ns and returns its actor; otherwise NULL. */
qd_actor *qd_timers_take(qd_timers *timers, uint64_t now_ns);

#endif
