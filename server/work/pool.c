/* SPDX-License-Identifier: Apache-2.0
 *
 * How the pool works
 * ------------------
 * life.h explains what a worker does, workers.h how workers are called, fork.h how forks run, timer_waiter.h who waits
 * for timers.
 *
 * Locks. The pool's lock guards the idle workers, the timers, the timer waiter and the open splits. A queue's lock
 * guards that queue. Order: the pool's lock, then one queue's lock. No lock is held while an actor or a task runs.
 *
 * Actors. actor_state.h has the states of an actor, and how a wake queues it.
 */
#include "pool.h"

#include <signal.h>

#include "../base/ablation.h"
#include "../base/assert.h"
#include "../base/clock.h"
#include "actor_state.h"
#include "fork.h"
#include "life.h"
#include "timer_waiter.h"
#include "workers.h"

_Static_assert(QD_POOL_WORKERS_MAX == QD_SPLIT_SHARES_MAX, "a split has one share per worker");

/* ---- the scheduler's interface ---- */

static uint64_t now_ns(void *context)
{
    (void)context;
    return qd_clock_now_ns();
}

static uint64_t ran_ns(void *context)
{
    struct timespec ran;

    (void)context;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
    return (uint64_t)ran.tv_sec * 1000000000u + (uint64_t)ran.tv_nsec;
}

static void wake(void *context, qd_actor *actor)
{
    if (!qd_actor_hold(context, actor, true)) {
        return;
    }
    if (qd_actor_is_urgent(actor)) {
        qd_actor_queue(context, actor);
    } else {
        qd_actor_queue_behind(context, actor);
    }
}

static void wake_behind(void *context, qd_actor *actor)
{
    if (qd_actor_hold(context, actor, false)) {
        qd_actor_queue_behind(context, actor);
    }
}

static void run_inline(void *context, qd_actor *actor, qd_actor_fn run_here, bool urgent)
{
    qd_pool *pool = context;

    if (QD_WITHOUT(INLINE_RUNS) || !qd_actor_hold_idle(actor)) {
        if (urgent) {
            wake(pool, actor);
        } else {
            wake_behind(pool, actor);
        }
        return;
    }
    if (urgent) {
        qd_behind_note_urgent(&pool->behind);
        if (atomic_load_explicit(&pool->inlined, memory_order_relaxed) != actor) {
            atomic_store_explicit(&pool->inlined, actor, memory_order_relaxed);
        }
    }
    run_here(actor);
    if (qd_actor_let_go(actor)) {
        return;
    }
    if (qd_actor_is_urgent(actor)) {
        qd_actor_queue(pool, actor);
    } else {
        qd_actor_queue_behind(pool, actor);
    }
}

/* [lock] */
static void set_timer(qd_pool *pool, qd_actor *actor, uint64_t due_ns)
{
    qd_timers_set(&pool->timers, actor, due_ns);
    atomic_store_explicit(&pool->timer_next_ns, qd_timers_next_ns(&pool->timers), memory_order_relaxed);
}

static void wake_at(void *context, qd_actor *actor, uint64_t due_ns)
{
    qd_pool *pool = context;

    pthread_mutex_lock(&pool->lock);
    set_timer(pool, actor, due_ns);
    qd_worker *roused = qd_timer_waiter_rouse(pool);
    pthread_mutex_unlock(&pool->lock);
    if (roused) {
        pthread_cond_signal(&roused->call);
    }
}

static void retire(void *context, qd_actor *actor, qd_actor_fn done)
{
    qd_pool *pool = context;
    qd_worker *me = qd_worker_here(pool);

    QD_ASSERT(me && me->actor == actor);
    pthread_mutex_lock(&pool->lock);
    set_timer(pool, actor, QD_NEVER);
    pthread_mutex_unlock(&pool->lock);
    me->retired = done;
}

static bool reserve_timer(void *context)
{
    qd_pool *pool = context;

    pthread_mutex_lock(&pool->lock);
    bool reserved = qd_timers_reserve(&pool->timers);
    pthread_mutex_unlock(&pool->lock);
    return reserved;
}

static void release_timer(void *context)
{
    qd_pool *pool = context;

    pthread_mutex_lock(&pool->lock);
    qd_timers_release(&pool->timers);
    pthread_mutex_unlock(&pool->lock);
}

/* ---- creation ---- */

static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    /* Timeouts are on the clock of qd_clock_now_ns. */
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* The lock is held so briefly that a short spin is cheaper than a sleep. */
static void init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void init_worker(qd_pool *pool, uint32_t index)
{
    qd_worker *me = &pool->workers[index];

    *me = (qd_worker){.pool = pool, .index = index};
    qd_queue_init(&me->queue);
    init_condition(&me->call);
}

/* Returns the number of threads that run. Workers block all signals. */
static uint32_t start_threads(qd_pool *pool)
{
    sigset_t all, before;
    uint32_t started = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    while (started < pool->queue_count) {
        qd_worker *me = &pool->workers[started];

        if (pthread_create(&me->thread, NULL, started < pool->worker_count ? qd_worker_live : qd_worker_stand_by, me) !=
            0) {
            break;
        }
        started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void stop_threads(qd_pool *pool, uint32_t started)
{
    pthread_mutex_lock(&pool->lock);
    atomic_store_explicit(&pool->stopping, true, memory_order_relaxed);
    for (uint32_t index = 0; index < started; index++) {
        pthread_cond_signal(&pool->workers[index].call);
    }
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t index = 0; index < started; index++) {
        pthread_join(pool->workers[index].thread, NULL);
    }
}

static void free_all(qd_pool *pool)
{
    for (uint32_t index = 0; index < pool->queue_count; index++) {
        pthread_cond_destroy(&pool->workers[index].call);
        qd_queue_deinit(&pool->workers[index].queue);
    }
    pthread_mutex_destroy(&pool->lock);
    qd_behind_deinit(&pool->behind);
    qd_timers_deinit(&pool->timers);

    qd_heap heap = pool->heap;
    qd_heap_free_aligned(&heap, pool->workers, alignof(qd_worker), pool->queue_count * sizeof(qd_worker));
    qd_heap_free(&heap, pool, sizeof *pool);
    qd_heap_deinit(&heap);
}

qd_status qd_pool_create(uint32_t workers, qd_pool **result)
{
    if (workers < 1 || workers > QD_POOL_WORKERS_MAX) {
        return QD_ERR_INVALID;
    }

    qd_heap heap;
    qd_heap_init(&heap);
    qd_pool *pool = qd_heap_alloc_zeroed(&heap, sizeof *pool);
    if (!pool) {
        goto fail;
    }
    pool->workers = qd_heap_alloc_aligned(&heap, alignof(qd_worker), (workers + 1) * sizeof(qd_worker));
    if (!pool->workers) {
        goto fail;
    }
    pool->heap = heap;
    pool->worker_count = workers;
    pool->queue_count = workers + 1;
    pool->executor =
        (qd_executor){.run = qd_fork_run, .width = workers, .context = pool, .expect_forks = qd_fork_expect};
    pool->scheduler = (qd_scheduler){.now_ns = now_ns,
                                     .ran_ns = ran_ns,
                                     .wake = wake,
                                     .wake_behind = wake_behind,
                                     .run_inline = run_inline,
                                     .wake_at = wake_at,
                                     .retire = retire,
                                     .reserve_timer = reserve_timer,
                                     .release_timer = release_timer,
                                     .executor = &pool->executor,
                                     .context = pool};
    atomic_init(&pool->timer_next_ns, QD_NEVER);
    init_lock(&pool->lock);
    qd_behind_init(&pool->behind, workers);
    qd_timers_init(&pool->timers, &pool->heap);
    for (uint32_t index = 0; index < pool->queue_count; index++) {
        init_worker(pool, index);
    }
    if (!qd_timers_reserve(&pool->timers)) {
        free_all(pool);
        return QD_ERR_NO_MEMORY;
    }

    uint32_t started = start_threads(pool);
    if (started < pool->queue_count) {
        stop_threads(pool, started);
        free_all(pool);
        return QD_ERR_SYSTEM;
    }
    *result = pool;
    return QD_OK;

fail:
    if (pool) {
        qd_heap_free(&heap, pool, sizeof *pool);
    }
    qd_heap_deinit(&heap);
    return QD_ERR_NO_MEMORY;
}

void qd_pool_destroy(qd_pool *pool)
{
    if (!pool) {
        return;
    }
    stop_threads(pool, pool->queue_count);
    free_all(pool);
}

const qd_scheduler *qd_pool_scheduler(const qd_pool *pool)
{
    return &pool->scheduler;
}
uint32_t qd_pool_workers(const qd_pool *pool)
{
    return pool->worker_count;
}
