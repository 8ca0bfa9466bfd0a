/* SPDX-License-Identifier: Apache-2.0
 *
 * The pool and its workers as this folder sees them: life.c runs actors, fork.c runs forks, timer_waiter.c chooses the
 * worker that waits for timers.
 *
 * Calling a sleeping worker. The caller chooses the worker under the lock and signals it after releasing the lock,
 * because the first act of a woken worker is to take the lock. A wake calls one idle worker. A worker that takes an
 * actor and sees more waiting calls one more, so a burst gets the workers that it needs.
 *
 * [lock] is the pool's lock.
 */
#ifndef QD_WORK_WORKERS_H
#define QD_WORK_WORKERS_H

#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>

#include "../base/memory/alloc.h"
#include "../base/memory/fetch.h"
#include "queues/behind.h"
#include "queues/queue.h"
#include "queues/timers.h"
#include "split.h"
#include "thread/core.h"
#include "thread/slices.h"

typedef struct qd_pool qd_pool;

typedef struct qd_worker {
    alignas(QD_LINE_BYTES) qd_queue queue;
    qd_pool *pool;
    uint32_t index;
    _Atomic uint32_t takes; /* written by this worker only */
    uint32_t takes_seen;    /* the standby's: of all workers */
    pthread_t thread;
    /* of the current run */
    qd_actor *actor;
    bool is_behind; /* it came from the behind queue */
    qd_slices slices;
    qd_actor_fn retired;            /* called after the run; NULL: the actor lives on */
    bool expects_forks, is_forking; /* see "Spin waiting" in fork.h */
    /* of this worker as a helper */
    bool is_spinning;
    uint32_t forks_seen;
    uint64_t spin_until_ns;
    /* [lock] */
    pthread_cond_t call;
    bool called;
    bool sent; /* its caller moved it to another core, so it calls qd_core_settle (core.h) */
    cpu_set_t process;
} qd_worker;

struct qd_pool {
    qd_heap heap;
    qd_worker *workers; /* the standby is behind the last one */
    uint32_t worker_count, queue_count;
    qd_executor executor;
    qd_scheduler scheduler;

    _Atomic uint32_t queue_next; /* for wakes from outside */
    _Atomic bool stopping;
    _Atomic bool standby_sleeps;
    _Atomic uint64_t timer_next_ns;    /* qd_timers_next_ns; written under the lock, read without it as a hint */
    _Atomic uint32_t idle_count;       /* written under the lock; see "Sleeping" in life.h */
    _Atomic uint32_t forking_runs;     /* the number of workers that are is_forking */
    _Atomic uint32_t forks;            /* the number of splits opened so far; written under the lock */
    _Atomic(const qd_actor *) inlined; /* the last one that ran inline, since a long run began; only its address */

    qd_behind behind; /* under its own lock, which is taken inside the pool's */

    pthread_mutex_t lock;
    uint32_t spinning;                  /* the number of workers that are is_spinning */
    qd_split *splits;                   /* the newest of those that may have tasks left */
    uint32_t idle[QD_SPLIT_SHARES_MAX]; /* a stack: the last to fall asleep is called first */
    qd_worker *timer_waiter;            /* or NULL: see timer_waiter.h */
    uint64_t waiter_until_ns;           /* the timer that it waits for */
    qd_timers timers;
};

/* [any] The calling thread's worker in this pool, or NULL. */
qd_worker *qd_worker_here(const qd_pool *pool);
/* Makes the calling thread this worker. */
void qd_worker_set_here(qd_worker *me);

/* [any] The number of idle workers; a hint without the lock. */
static inline uint32_t qd_workers_idle(qd_pool *pool)
{
    return atomic_load_explicit(&pool->idle_count, memory_order_relaxed);
}

/* [any] Whether an urgent actor is in a queue; a hint. */
bool qd_workers_look_queued(qd_pool *pool);

/* [lock] Marks this worker idle; marks it busy, whether or not it was called. */
void qd_worker_set_idle(qd_worker *me);
void qd_worker_set_busy(qd_worker *me);

/* [lock] Takes an idle worker, which the caller signals; the timer waiter only if no other is idle. NULL: none is
 * idle. */
qd_worker *qd_workers_choose(qd_pool *pool);
/* [not under the lock] Chooses a worker and signals it. */
void qd_workers_call(qd_pool *pool);

#endif
