/* SPDX-License-Identifier: Apache-2.0 */
#include "fork.h"

#include <sched.h>

#include "../base/clock.h"
#include "keepers.h"
#include "pause.h"

/* A split's helpers are called by each other: so many by its caller, so many by each. */
#define CALLS_OF_CALLER 8u
#define CALLS_OF_HELPER 4u

/* How long a worker stays for the next fork: some times what it would take to wake it, as long as what a tick of a
 * large room does by itself between two forks. */
#define STAY_NS      200000u
#define LOOKS_A_TIME 64u

static uint32_t count_of(qd_pool *pool)
{
    return atomic_load_explicit(&pool->forks.count, memory_order_relaxed);
}

static bool is_party(qd_pool *pool)
{
    return atomic_load_explicit(&pool->forks.parties, memory_order_relaxed) > 0;
}

/* ---- who forks ---- */

void qd_fork_expect(void *context, bool forks)
{
    qd_pool *pool = context;
    qd_worker *me = qd_worker_here(pool);

    if (!me) {
        return;
    }
    me->fork.expects = forks;
    if (forks || !me->fork.has_party) {
        return;
    }
    me->fork.has_party = false;
    atomic_fetch_sub_explicit(&pool->forks.parties, 1, memory_order_relaxed);
}

static void have_party(qd_pool *pool)
{
    qd_worker *me = qd_worker_here(pool);

    if (!me || !me->fork.expects || me->fork.has_party) {
        return;
    }
    me->fork.has_party = true;
    atomic_fetch_add_explicit(&pool->forks.parties, 1, memory_order_relaxed);
}

/* [lock] Chooses some of those that a split still wants called. */
static uint32_t choose(qd_pool *pool, qd_split *split, qd_worker **called, uint32_t count_max)
{
    uint32_t count = 0;

    while (count < count_max && split->wanted > 0 && (called[count] = qd_workers_choose(pool))) {
        split->wanted--;
        called[count]->sent = qd_core_send(called[count]->thread, &called[count]->process);
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

/* Puts the split where helpers find it, and calls the first of those that are of use beside those who stay. */
static void open_split(qd_pool *pool, qd_split *split, uint32_t helpers_max)
{
    qd_worker *called[CALLS_OF_CALLER];
    qd_forks *forks = &pool->forks;

    have_party(pool);
    pthread_mutex_lock(&pool->lock);
    qd_split_open(split, &forks->splits);
    atomic_store_explicit(&forks->count, count_of(pool) + 1, memory_order_relaxed);
    split->wanted = helpers_max > forks->staying ? helpers_max - forks->staying : 0;
    uint32_t count = choose(pool, split, called, CALLS_OF_CALLER);
    pthread_mutex_unlock(&pool->lock);
    signal_all(called, count);
}

void qd_fork_run(void *context, size_t count, qd_task_fn task, void *argument)
{
    qd_pool *pool = context;
    const qd_worker *me = qd_worker_here(pool);
    qd_split split;

    if (count <= 1 || pool->worker_count == 1) {
        qd_executor_serial.run(NULL, count, task, argument);
        return;
    }
    qd_split_init(&split, count, task, argument, pool->worker_count);
    open_split(pool, &split, (count < pool->worker_count ? (uint32_t)count : pool->worker_count) - 1);
    qd_split_work(&split, me ? me->index : 0);
    pthread_mutex_lock(&pool->lock);
    qd_split_close(&split, &pool->forks.splits);
    pthread_mutex_unlock(&pool->lock);
    qd_split_wait(&split, &pool->lock);
    qd_split_deinit(&split);
}

/* ---- who helps ---- */

/* [lock] Helps with a split that has tasks left, and returns whether there was one. */
static bool help(qd_worker *me)
{
    qd_pool *pool = me->pool;
    qd_split *split = qd_split_join(pool->forks.splits);
    qd_worker *called[CALLS_OF_HELPER + 1];

    me->fork.seen = count_of(pool);
    if (!split) {
        return false;
    }
    uint32_t count = choose(pool, split, called, CALLS_OF_HELPER);
    if ((called[count] = qd_keepers_paid(me))) {
        count++;
    }
    pthread_mutex_unlock(&pool->lock);
    signal_all(called, count);
    qd_split_work(split, me->index);
    pthread_mutex_lock(&pool->lock);
    qd_split_leave(split);
    return true;
}

/* Of one that came to a split, in time or too late. */
void qd_fork_called(qd_worker *me)
{
    me->fork.stay_until_ns = is_party(me->pool) ? qd_clock_now_ns() + STAY_NS : 0;
}

/* [lock] */
static void set_stays(qd_worker *me, bool stays)
{
    me->pool->forks.staying = me->pool->forks.staying + stays - me->fork.stays;
    me->fork.stays = stays;
}

/* If there is neither a new split after some looks, nor any reason not to stay, it gives way to other threads. */
bool qd_fork_watches(qd_worker *me)
{
    if (!me->fork.stays) {
        return false;
    }
    for (uint32_t look = 0; look < LOOKS_A_TIME; look++) {
        if (count_of(me->pool) != me->fork.seen || !is_party(me->pool)) {
            return false;
        }
        qd_pause();
    }
    if (qd_clock_now_ns() >= me->fork.stay_until_ns) {
        return false;
    }
    sched_yield();
    return true;
}

bool qd_fork_helps(qd_worker *me)
{
    set_stays(me, false);
    if (help(me)) {
        qd_fork_called(me);
        return true;
    }
    set_stays(me, is_party(me->pool) && qd_clock_now_ns() < me->fork.stay_until_ns);
    return me->fork.stays;
}

void qd_fork_leaves(qd_worker *me)
{
    if (!me->fork.stays) {
        return;
    }
    pthread_mutex_lock(&me->pool->lock);
    set_stays(me, false);
    pthread_mutex_unlock(&me->pool->lock);
}
