/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers: a binary heap of actors by their due_ns, the earliest first. An actor knows its place (timer_index), so that
 * replacing and cancelling a timer need no search. The times stand in the heap: an actor is a room's, and not in the
 * cache when others are compared.
 *
 * Belongs to the pool; every call under the pool's lock.
 */
#ifndef QD_WORK_TIMERS_H
#define QD_WORK_TIMERS_H

#include "../base/alloc.h"
#include "../base/executor.h"

typedef struct qd_timer {
    uint64_t due_ns;
    qd_actor *actor;
} qd_timer;

typedef struct qd_timers {
    qd_heap *heap;
    qd_timer *rows;
    uint32_t count, capacity;
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
