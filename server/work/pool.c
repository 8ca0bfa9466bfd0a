/* SPDX-License-Identifier: Apache-2.0
 *
 * How the pool works
 * ------------------
 * workers.h explains how workers are called, fork.h how forks run, timer_waiter.h who waits for timers.
 *
 * Locks. The pool's lock guards the idle workers, the timers, the timer waiter and the open splits. A queue's lock
 * guards that queue. Order: the pool's lock, then one queue's lock. No lock is held while an actor or a task runs.
 *
 * Actors. actor_state.h has the states of an actor, and how a wake queues it.
 *
 * Sleeping. A worker that finds no work marks itself idle, looks into every queue again under that queue's lock, and
 * only then sleeps. A push takes the same queue's lock, and looks for idle workers afterwards. One of the two comes
 * first: either the worker sees the actor or the pusher sees the idle worker. So no wake is lost. A worker spins only
 * between forks (fork.h).
 * A worker that steals a batch locks both queues in turn, takes one actor, and looks for idle workers if more are left.
 *
 * Timers. One idle worker sleeps until the first timer is due (timer_waiter.h). A busy worker looks at the timers when
 * its own queue is empty, and once per TAKES_OF_OWN runs. A few timers fire at a time, the earliest first. An actor
 * that has not fired can still be run inline. Taking a timer and retiring an actor both happen under the pool's lock,
 * so no worker holds a retired actor.
 */
#define _GNU_SOURCE /* pthread_setname_np */

#include "pool.h"

#include <signal.h>
#include <sys/prctl.h>

#include "../base/ablation.h"
#include "../base/assert.h"
#include "../base/clock.h"
#include "actor_state.h"
#include "fork.h"
#include "standby.h"
#include "timer_waiter.h"
#include "workers.h"

_Static_assert(QD_POOL_WORKERS_MAX == QD_SPLIT_SHARES_MAX, "a split has one share per worker");

/* Once in this many takes, a worker looks at the timers and at the other queues before its own. Otherwise actors that
 * wake each other forever could starve timers, and actors whose own worker is in a long run. */
#define TAKES_OF_OWN 16u

/* How many timers fire at a time. A queued actor cannot be run inline and waits behind actors that were queued before
 * it, so the rest fire later, the earliest first. */
#define FIRED_AT_ONCE 16u

/* How many long actors the standby passes on to find a short one. */
#define PASSED_MAX 16u

static bool is_stopping(qd_pool *pool)
{
    return atomic_load_explicit(&pool->stopping, memory_order_relaxed);
}

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

/* ---- the life of a worker ---- */

/* [lock] Takes the earliest few timers that are due. Returns the number of their actors that have to be queued. */
static uint32_t take_due_locked(qd_pool *pool, qd_actor *due[FIRED_AT_ONCE])
{
    uint64_t now = qd_clock_now_ns();
    uint32_t count = 0;
    qd_actor *actor;

    for (uint32_t fired = 0; fired < FIRED_AT_ONCE && (actor = qd_timers_take(&pool->timers, now)); fired++) {
        if (qd_actor_hold(pool, actor, true)) {
            due[count++] = actor;
        }
    }
    atomic_store_explicit(&pool->timer_next_ns, qd_timers_next_ns(&pool->timers), memory_order_relaxed);
    return count;
}

/* Queues them with this worker, which takes the first one next and calls other workers for the rest. */
static void queue_due(qd_worker *me, qd_actor *const *due, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (due[i]->fetch) {
            due[i]->fetch(due[i]);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (qd_actor_is_urgent(due[i])) {
            qd_queue_push(&me->queue, due[i]);
        } else {
            qd_actor_queue_behind(me->pool, due[i]);
        }
    }
}

static void fire_timers(qd_worker *me)
{
    qd_actor *due[FIRED_AT_ONCE];
    uint64_t next_ns = atomic_load_explicit(&me->pool->timer_next_ns, memory_order_relaxed);

    if (next_ns == QD_NEVER || next_ns > qd_clock_now_ns()) {
        return;
    }
    pthread_mutex_lock(&me->pool->lock);
    uint32_t count = take_due_locked(me->pool, due);
    pthread_mutex_unlock(&me->pool->lock);
    queue_due(me, due, count);
}

static bool is_queued(qd_pool *pool)
{
    for (uint32_t index = 0; index < pool->queue_count; index++) {
        if (!qd_queue_is_empty(&pool->workers[index].queue)) {
            return true;
        }
    }
    return false;
}

/* An actor of the behind queue; NULL: none may run. */
static qd_actor *take_behind(qd_worker *me, uint64_t now_ns)
{
    qd_actor *actor = qd_behind_take(&me->pool->behind, now_ns);

    me->is_behind = actor != NULL;
    return actor;
}

static bool is_behind_ready(qd_pool *pool)
{
    return !qd_behind_looks_empty(&pool->behind) && qd_behind_is_ready(&pool->behind, qd_clock_now_ns());
}

static qd_actor *take_urgent(qd_worker *me)
{
    qd_pool *pool = me->pool;
    uint32_t takes = atomic_load_explicit(&me->takes, memory_order_relaxed) + 1;
    bool others_first = takes % TAKES_OF_OWN == 0;
    uint32_t first = me->index + others_first;

    atomic_store_explicit(&me->takes, takes, memory_order_relaxed);
    if (others_first || qd_queue_looks_empty(&me->queue)) {
        fire_timers(me);
    }
    for (uint32_t step = 0; step < pool->queue_count; step++) {
        qd_queue *queue = &pool->workers[(first + step) % pool->queue_count].queue;

        if (queue != &me->queue && !QD_WITHOUT(BATCH_STEALING) && qd_queue_steal(queue, &me->queue)) {
            queue = &me->queue;
        }
        qd_actor *actor = qd_queue_take(queue);

        if (actor) {
            qd_behind_note_urgent(&pool->behind);
            return actor;
        }
    }
    return NULL;
}

static qd_actor *take(qd_worker *me)
{
    qd_pool *pool = me->pool;
    qd_actor *actor = NULL;

    if (!qd_behind_looks_empty(&pool->behind)) {
        uint64_t now_ns = qd_clock_now_ns();

        actor = qd_behind_is_starved(&pool->behind, now_ns) ? take_behind(me, now_ns) : NULL;
    }
    if (!actor) {
        actor = take_urgent(me);
    }
    if (!actor && !qd_behind_looks_empty(&pool->behind)) {
        actor = take_behind(me, qd_clock_now_ns());
    }
    if (actor && qd_workers_idle(pool) > 0 && (qd_workers_look_queued(pool) || is_behind_ready(pool))) {
        qd_workers_call(pool);
    }
    return actor;
}

/* How long the slices of its run are; 0: it has none. A long run within its budget gives way as often as others do if
 * another actor has run inline since the last long run: a client waits for that. */
static uint32_t slice_of(qd_worker *me, const qd_actor *actor)
{
    if (me->is_behind) {
        return QD_SLICE_BEHIND_NS;
    }
    if (!qd_actor_is_long(actor)) {
        return 0;
    }
    const qd_actor *inlined = atomic_exchange_explicit(&me->pool->inlined, NULL, memory_order_relaxed);
    return inlined && inlined != actor ? QD_SLICE_NS : QD_SLICE_LONG_NS;
}

static void run(qd_worker *me, qd_actor *actor)
{
    const uint32_t slice_ns = slice_of(me, actor);

    qd_actor_begin_run(actor);
    me->actor = actor;
    me->retired = NULL;
    if (slice_ns != 0) {
        qd_slices_begin(&me->slices, slice_ns);
    }
    actor->run(actor);
    qd_slices_end(&me->slices);
    me->actor = NULL;
    QD_ASSERT(!me->is_forking);
    if (me->is_behind) {
        qd_behind_done(&me->pool->behind);
        me->is_behind = false;
    }
    if (me->retired) {
        me->retired(actor);
        return;
    }
    if (qd_actor_let_go(actor)) {
        return;
    }
    if (qd_actor_is_urgent(actor)) {
        qd_queue_push(&me->queue, actor);
    } else {
        qd_actor_queue_behind(me->pool, actor);
    }
}

/* [lock] Sleeps until called, or until the timer that this worker waits for is due. */
static void sleep_locked(qd_worker *me)
{
    qd_pool *pool = me->pool;

    while (!me->called && !is_stopping(pool)) {
        uint64_t until_ns = qd_timer_waiter_until(me);

        if (until_ns == QD_NEVER) {
            pthread_cond_wait(&me->call, &pool->lock);
        } else if (until_ns > qd_clock_now_ns()) {
            struct timespec until = {(time_t)(until_ns / 1000000000u), (long)(until_ns % 1000000000u)};

            pthread_cond_timedwait(&me->call, &pool->lock, &until);
        } else {
            return;
        }
    }
}

/* [lock] Sleeps. Returns the number of actors in `due`, which the caller queues, and the worker to signal; both without
 * the lock. */
static uint32_t be_idle_locked(qd_worker *me, qd_actor *due[FIRED_AT_ONCE], qd_worker **roused)
{
    qd_pool *pool = me->pool;

    qd_worker_set_idle(me);
    if (!is_queued(pool) && !qd_behind_is_ready(&pool->behind, qd_clock_now_ns())) {
        sleep_locked(me);
    }
    qd_worker_set_busy(me);
    qd_timer_waiter_leave(me);
    uint32_t due_count = take_due_locked(pool, due);
    *roused = qd_timer_waiter_rouse(pool);
    if (me->called) {
        qd_fork_note_call(me);
    }
    return due_count;
}

/* Called when there is no actor to run. */
static void idle(qd_worker *me)
{
    qd_pool *pool = me->pool;
    qd_worker *roused = NULL;
    qd_actor *due[FIRED_AT_ONCE];
    uint32_t due_count = 0;

    if (qd_fork_spin(me)) {
        return;
    }
    /* A worker that spins goes on to the queues when another thread has the lock. */
    if (!me->is_spinning) {
        pthread_mutex_lock(&pool->lock);
    } else if (pthread_mutex_trylock(&pool->lock) != 0) {
        return;
    }
    if (!qd_fork_help(me)) {
        due_count = be_idle_locked(me, due, &roused);
    }
    pthread_mutex_unlock(&pool->lock);
    if (roused) {
        pthread_cond_signal(&roused->call);
    }
    if (me->sent) {
        qd_core_settle(&me->process);
    }
    me->sent = false;
    queue_due(me, due, due_count);
}

/* Also of many short runs, one after the other. */
static void give_way(qd_worker *me, bool was_behind)
{
    if (was_behind) {
        qd_slices_look(&me->slices, qd_clock_now_ns(), QD_SLICE_BEHIND_NS);
    } else if (atomic_load_explicit(&me->takes, memory_order_relaxed) % TAKES_OF_OWN == 0) {
        qd_slices_look(&me->slices, qd_clock_now_ns(), QD_SLICE_NS);
    }
}

static void *work(void *argument)
{
    qd_worker *me = argument;

    qd_worker_set_here(me);
    pthread_setname_np(pthread_self(), "qd-worker");
    /* By default the system may wake a sleeper 50 microseconds late. */
    prctl(PR_SET_TIMERSLACK, 1);
    qd_slices_init(&me->slices);
    while (!is_stopping(me->pool)) {
        qd_actor *actor = take(me);

        if (actor) {
            const bool is_behind = me->is_behind;

            qd_fork_leave(me);
            run(me, actor);
            give_way(me, is_behind);
        } else {
            idle(me);
        }
    }
    qd_slices_deinit(&me->slices);
    return NULL;
}

/* An actor whose run is short; NULL: there is none, or long ones are before it. */
static qd_actor *take_short(qd_worker *me)
{
    qd_pool *pool = me->pool;
    qd_actor *actor;

    for (uint32_t passed = 0; passed < PASSED_MAX && (actor = take_urgent(me)); passed++) {
        if (!qd_actor_is_long(actor)) {
            return actor;
        }
        qd_queue_push(&pool->workers[passed % pool->worker_count].queue, actor);
    }
    return qd_behind_take_short(&pool->behind);
}

/* The thread of the standby. */
static void *stand_by(void *argument)
{
    qd_worker *me = argument;

    qd_worker_set_here(me);
    pthread_setname_np(pthread_self(), "qd-standby");
    prctl(PR_SET_TIMERSLACK, 1);
    qd_slices_init(&me->slices);
    while (qd_standby_wait(me)) {
        do {
            qd_actor *actor = take_short(me);

            if (!actor) {
                break;
            }
            run(me, actor);
        } while (qd_standby_goes_on(me) && !is_stopping(me->pool));
        /* Its runs, thefts and timers may have left actors in its queue. */
        if (qd_workers_look_queued(me->pool)) {
            qd_workers_call(me->pool);
        }
    }
    qd_slices_deinit(&me->slices);
    return NULL;
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

        if (pthread_create(&me->thread, NULL, started < pool->worker_count ? work : stand_by, me) != 0) {
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
