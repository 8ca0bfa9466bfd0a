/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* pthread_setname_np */

#include "life.h"

#include <sys/prctl.h>

#include "../base/assert.h"
#include "../base/clock.h"
#include "actor_state.h"
#include "fork.h"
#include "standby.h"
#include "timer_waiter.h"

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

/* Makes the calling thread this worker. */
static void begin_life(qd_worker *me, const char *name)
{
    qd_worker_set_here(me);
    pthread_setname_np(pthread_self(), name);
    /* By default the system may wake a sleeper 50 microseconds late. */
    prctl(PR_SET_TIMERSLACK, 1);
    qd_slices_init(&me->slices);
}

void *qd_worker_live(void *argument)
{
    qd_worker *me = argument;

    begin_life(me, "qd-worker");
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

void *qd_worker_stand_by(void *argument)
{
    qd_worker *me = argument;

    begin_life(me, "qd-standby");
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
