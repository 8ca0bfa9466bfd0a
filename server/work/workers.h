/* SPDX-License-Identifier: Apache-2.0
 *
 * The pool and its workers, as the files of this folder see them: pool.c has actors run, fork.c forks, and both call
 * workers from sleep; keepers.c has them wake for timers. Of what stands here each file changes its own part.
 *
 * Calling. Who calls a sleeper chooses it under the lock and signals when the lock is free again: whoever wakes takes
 * the lock first, and would fall asleep once more. A wake calls one idle worker. A worker that takes an actor and sees
 * more waiting calls one more: so a burst gets the workers it needs, though each call may have been answered by a
 * worker that took something else.
 *
 * [lock] is the pool's lock.
 */
#ifndef QD_WORK_WORKERS_H
#define QD_WORK_WORKERS_H

#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>

#include "../base/alloc.h"
#include "../base/fetch.h"
#include "core.h"
#include "pool.h"
#include "queue.h"
#include "split.h"
#include "timers.h"

typedef struct qd_worker {
    alignas(QD_LINE_BYTES) qd_queue queue;
    qd_pool *pool;
    uint32_t index;
    uint32_t takes;
    pthread_t thread;
    /* of the run under way */
    qd_actor *actor;
    qd_actor_fn retired; /* what to call after it */
    /* [lock] */
    pthread_cond_t call;
    bool called;
    bool sent; /* by its caller: it is to settle where its process may run (core.h) */
    cpu_set_t process;
} qd_worker;

struct qd_pool {
    qd_heap heap;
    qd_worker *workers;
    uint32_t worker_count;
    qd_executor executor;
    qd_scheduler scheduler;

    _Atomic uint32_t queue_next; /* for wakes from outside */
    _Atomic bool stopping;
    _Atomic uint64_t timer_next_ns; /* qd_timers_next_ns; written under the lock, read without it as a hint */
    _Atomic uint32_t idle_count;    /* written under the lock; see "Sleeping" in pool.c */

    pthread_mutex_t lock;
    qd_split *splits;                   /* the newest of those that may have tasks left */
    uint32_t idle[QD_POOL_WORKERS_MAX]; /* a stack: who slept last is called first */
    qd_worker *timer_waiter;            /* or NULL: see timer_waiter.h */
    uint64_t waiter_until_ns;           /* the timer that it waits for */
    qd_timers timers;
};

/* The worker of this pool that this thread is, or NULL. [any] */
qd_worker *qd_worker_here(const qd_pool *pool);
/* This thread is it from now on. */
void qd_worker_is_here(qd_worker *me);

/* [any] How many are idle; without the lock a hint. */
static inline uint32_t qd_workers_idle(qd_pool *pool)
{
    return atomic_load_explicit(&pool->idle_count, memory_order_relaxed);
}

/* [lock] This one is idle; or is not any more, also if it was called meanwhile. */
void qd_worker_rests(qd_worker *me);
void qd_worker_rises(qd_worker *me);

/* [lock] An idle worker, for the caller to signal; not who keeps the first timer, if there is another. NULL: none is
 * idle. */
qd_worker *qd_workers_choose(qd_pool *pool);
/* [not under the lock] Chooses one and signals it. */
void qd_workers_call(qd_pool *pool);

#endif
