/* SPDX-License-Identifier: Apache-2.0 */
#include "fork.h"

#include <sched.h>

#include "../base/ablation.h"
#include "../base/clock.h"

/* How many workers the caller of a fork calls, and each helper. */
#define CALLS_OF_CALLER 8u
#define CALLS_OF_HELPER 4u

/* How long a helper spins: several times as long as waking it takes, and as long as a large room's tick takes between
 * two forks. */
#define SPIN_NS         200000u
#define LOOKS_PER_YIELD 64u

static uint32_t forks_of(qd_pool *pool)
{
    return atomic_load_explicit(&pool->forks, memory_order_relaxed);
}

static bool is_any_forking(qd_pool *pool)
{
    return atomic_load_explicit(&pool->forking_runs, memory_order_relaxed) > 0 && !QD_WITHOUT(HELPER_SPIN);
}

/* ---- callers ---- */

static void begin_forking(qd_worker *me)
{
    me->is_forking = true;
    atomic_fetch_add_explicit(&me->pool->forking_runs, 1, memory_order_relaxed);
}

/* [lock] Chooses an idle worker for a fork; the caller signals it. NULL: none is idle. */
static qd_worker *choose_one(qd_pool *pool)
{
    qd_worker *called = qd_workers_choose(pool);

    if (called) {
        called->sent = qd_core_send(called->thread, &called->process);
    }
    return called;
}

/* Calls a worker before there is a fork, unless one is awake. */
static void call_early(qd_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    qd_worker *called = pool->spinning == 0 ? choose_one(pool) : NULL;
    pthread_mutex_unlock(&pool->lock);
    if (called) {
        pthread_cond_signal(&called->call);
    }
}

void qd_fork_expect(void *context, bool expected)
{
    qd_pool *pool = context;
    qd_worker *me = qd_worker_here(pool);

    if (!me) {
        return;
    }
    me->expects_forks = expected;
    if (!expected && me->is_forking) {
        me->is_forking = false;
        atomic_fetch_sub_explicit(&pool->forking_runs, 1, memory_order_relaxed);
    }
    if (!expected || !me->actor) {
        return;
    }
    if (me->actor->has_forked && !me->is_behind && !QD_WITHOUT(EARLY_CALL)) {
        begin_forking(me);
        call_early(pool);
    }
    me->actor->has_forked = false;
}

static void note_fork(qd_worker *me)
{
    if (!me || !me->expects_forks) {
        return;
    }
    if (me->actor) {
        me->actor->has_forked = true;
    }
    if (!me->is_forking) {
        begin_forking(me);
    }
}

/* [lock] Chooses workers for a split, at most as many as it still wants. */
static uint32_t choose(qd_pool *pool, qd_split *split, qd_worker **called, uint32_t count_max)
{
    uint32_t count = 0;

    while (count < count_max && split->wanted > 0 && (called[count] = choose_one(pool))) {
        split->wanted--;
        count++;
    }
    return count;
}

static void signal_all(qd_worker *const *called, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        pthread_cond_signal(&called[i]->call);
    }
}

/* Shows the split to helpers, and calls the first of those that are wanted beside the spinning ones. */
static void open_split(qd_pool *pool, qd_split *split, uint32_t helpers_max)
{
    qd_worker *called[CALLS_OF_CALLER];

    pthread_mutex_lock(&pool->lock);
    qd_split_open(split, &pool->splits);
    atomic_store_explicit(&pool->forks, forks_of(pool) + 1, memory_order_relaxed);
    split->wanted = helpers_max > pool->spinning ? helpers_max - pool->spinning : 0;
    uint32_t count = choose(pool, split, called, CALLS_OF_CALLER);
    pthread_mutex_unlock(&pool->lock);
    signal_all(called, count);
}

/* How many helpers a fork of so many tasks may have. */
static uint32_t helpers_of(qd_pool *pool, const qd_worker *me, size_t count)
{
    const uint32_t workers = count < pool->worker_count ? (uint32_t)count : pool->worker_count;

    if (workers <= 1 || !me || !me->is_behind) {
        return workers > 0 ? workers - 1 : 0;
    }
    const uint32_t helpers = qd_behind_helpers(&pool->behind, qd_clock_now_ns());
    return helpers < workers - 1 ? helpers : workers - 1;
}

void qd_fork_run(void *context, size_t count, qd_task_fn task, void *argument)
{
    qd_pool *pool = context;
    qd_worker *me = qd_worker_here(pool);
    const uint32_t helpers = helpers_of(pool, me, count);
    qd_split split;

    if (helpers == 0) {
        qd_executor_serial.run(NULL, count, task, argument);
        return;
    }
    note_fork(me);
    qd_split_init(&split, count, task, argument, pool->worker_count);
    split.is_behind = me && me->is_behind;
    split.slice_ns = me ? me->slices.slice_ns : 0;
    open_split(pool, &split, helpers);
    qd_split_work(&split, me ? me->index : 0, NULL, NULL);
    pthread_mutex_lock(&pool->lock);
    qd_split_close(&split, &pool->splits);
    pthread_mutex_unlock(&pool->lock);
    qd_split_wait(&split, &pool->lock);
    qd_split_deinit(&split);
}

/* ---- helpers ---- */

/* Whether urgent work waits. */
static bool is_wanted(void *context)
{
    qd_pool *pool = context;
    uint64_t due_ns = atomic_load_explicit(&pool->timer_next_ns, memory_order_relaxed);

    return qd_workers_look_queued(pool) || (due_ns != QD_NEVER && due_ns <= qd_clock_now_ns());
}

/* [lock] A split that this worker may help, counted in. NULL: there is none. */
static qd_split *join(qd_pool *pool)
{
    qd_split *split = qd_split_find(pool->splits, false);

    if (!split) {
        split = qd_split_find(pool->splits, true);
        split = split && qd_behind_help(&pool->behind, qd_clock_now_ns()) ? split : NULL;
    }
    if (split) {
        qd_split_join(split);
    }
    return split;
}

/* [lock] It is gone afterwards, perhaps. */
static void leave(qd_pool *pool, qd_split *split)
{
    if (split->is_behind) {
        qd_behind_done(&pool->behind);
    }
    qd_split_leave(split);
}

/* [lock, released meanwhile] Returns whether there was a split with tasks left that it may help. */
static bool help(qd_worker *me)
{
    qd_pool *pool = me->pool;
    qd_split *split = join(pool);
    qd_worker *called[CALLS_OF_HELPER];

    me->forks_seen = forks_of(pool);
    if (!split) {
        return false;
    }
    uint32_t count = choose(pool, split, called, CALLS_OF_HELPER);
    pthread_mutex_unlock(&pool->lock);
    signal_all(called, count);
    if (split->slice_ns != 0) {
        qd_slices_begin(&me->slices, split->slice_ns);
    }
    qd_split_work(split, me->index, split->is_behind ? is_wanted : NULL, pool);
    qd_slices_end(&me->slices);
    pthread_mutex_lock(&pool->lock);
    leave(pool, split);
    return true;
}

/* [lock] */
static void set_spinning(qd_worker *me, bool is_spinning)
{
    me->pool->spinning = me->pool->spinning + is_spinning - me->is_spinning;
    me->is_spinning = is_spinning;
}

void qd_fork_note_call(qd_worker *me)
{
    me->spin_until_ns = is_any_forking(me->pool) ? qd_clock_now_ns() + SPIN_NS : 0;
}

bool qd_fork_spin(qd_worker *me)
{
    if (!me->is_spinning) {
        return false;
    }
    for (uint32_t look = 0; look < LOOKS_PER_YIELD; look++) {
        if (forks_of(me->pool) != me->forks_seen || !is_any_forking(me->pool)) {
            return false;
        }
        qd_core_pause();
    }
    if (qd_clock_now_ns() >= me->spin_until_ns) {
        return false;
    }
    sched_yield();
    return true;
}

bool qd_fork_help(qd_worker *me)
{
    set_spinning(me, false);
    if (help(me)) {
        qd_fork_note_call(me);
        return true;
    }
    set_spinning(me, is_any_forking(me->pool) && qd_clock_now_ns() < me->spin_until_ns);
    return me->is_spinning;
}

void qd_fork_leave(qd_worker *me)
{
    if (!me->is_spinning) {
        return;
    }
    pthread_mutex_lock(&me->pool->lock);
    set_spinning(me, false);
    pthread_mutex_unlock(&me->pool->lock);
}
