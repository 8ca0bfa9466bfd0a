/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers: a heap, of four branches, of actors by their due_ns, the earliest first. Each timer has an index, which its
 * actor knows, and by index stands where it is in the heap: so replacing and cancelling a timer need no search.
 *
 *     actor --timer_index--> home: actor, place --> rows (the heap): due_ns, index
 *
 * What is moved about in the heap is only written there and in `home`: actors are rooms', in no cache, or in another
 * core's.
 *
 * Belongs to the pool; every call under the pool's lock.
 */
#ifndef QD_WORK_TIMERS_H
#define QD_WORK_TIMERS_H

#include "../base/alloc.h"
#include "../base/executor.h"

typedef struct qd_timer {
    uint64_t due_ns;
    uint32_t index;
} qd_timer;

typedef struct qd_timer_home {
    qd_actor *actor;
    uint32_t place; /* in the heap, counted from 1; of a free index: the next free one, or 0 */
} qd_timer_home;

typedef struct qd_timers {
    qd_heap *heap;
    qd_timer *rows;      /* of four branches: the children of each share a line of cache */
    qd_timer_home *home; /* by index - 1; those of `used` or more were never used */
    uint32_t count, capacity;
    uint32_t used, free_first;
} qd_timers;

void qd_timers_init(qd_timers *timers, qd_heap *heap);
void qd_timers_deinit(qd_timers *timers);

/* Sets, replaces, or with QD_NEVER cancels the actor's timer. */
void qd_timers_set(qd_timers *timers, qd_actor *actor, uint64_t due_ns);

/* When the earliest is due; QD_NEVER: there is none. */
uint64_t qd_timers_next_ns(const qd_timers *timers);

/* Takes out the earliest if it is due by now_ns, else NULL. */
qd_actor *qd_timers_take(qd_timers *timers, uint64_t now_ns);

#endif
