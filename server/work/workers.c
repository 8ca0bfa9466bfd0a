/* SPDX-License-Identifier: Apache-2.0 */
#include "workers.h"

static _Thread_local qd_worker *here;

qd_worker *qd_worker_here(const qd_pool *pool)
{
    return here && here->pool == pool ? here : NULL;
}

void qd_worker_set_here(qd_worker *me)
{
    here = me;
}

bool qd_workers_look_queued(qd_pool *pool)
{
    for (uint32_t index = 0; index < pool->queue_count; index++) {
        if (!qd_queue_looks_empty(&pool->workers[index].queue)) {
            return true;
        }
    }
    return false;
}

/* No worker is idle: the standby has to look. Costs nothing while it does. */
static void rouse_standby(qd_pool *pool)
{
    if (atomic_load_explicit(&pool->standby_sleeps, memory_order_relaxed) &&
        atomic_exchange_explicit(&pool->standby_sleeps, false, memory_order_relaxed)) {
        pthread_cond_signal(&pool->workers[pool->worker_count].call);
    }
}

static void set_idle_count(qd_pool *pool, uint32_t count)
{
    atomic_store_explicit(&pool->idle_count, count, memory_order_relaxed);
}

void qd_worker_set_idle(qd_worker *me)
{
    qd_pool *pool = me->pool;
    uint32_t count = qd_workers_idle(pool);

    me->called = false;
    pool->idle[count] = me->index;
    set_idle_count(pool, count + 1);
}

/* A caller has taken a called worker off the stack already. */
void qd_worker_set_busy(qd_worker *me)
{
    qd_pool *pool = me->pool;
    uint32_t count = qd_workers_idle(pool);
    uint32_t place = 0;

    while (place < count && pool->idle[place] != me->index) {
        place++;
    }
    if (place == count) {
        return;
    }
    for (; place + 1 < count; place++) {
        pool->idle[place] = pool->idle[place + 1];
    }
    set_idle_count(pool, count - 1);
    if (count == 1) {
        rouse_standby(pool);
    }
}

qd_worker *qd_workers_choose(qd_pool *pool)
{
    uint32_t count = qd_workers_idle(pool);

    if (count == 0) {
        return NULL;
    }
    qd_worker *chosen = &pool->workers[pool->idle[count - 1]];
    if (count > 1 && chosen == pool->timer_waiter) {
        pool->idle[count - 1] = pool->idle[count - 2];
        pool->idle[count - 2] = chosen->index;
        chosen = &pool->workers[pool->idle[count - 1]];
    }
    set_idle_count(pool, count - 1);
    if (count == 1) {
        rouse_standby(pool);
    }
    chosen->called = true;
    return chosen;
}

void qd_workers_call(qd_pool *pool)
{
    if (qd_workers_idle(pool) == 0) {
        return;
    }
    pthread_mutex_lock(&pool->lock);
    qd_worker *called = qd_workers_choose(pool);
    pthread_mutex_unlock(&pool->lock);
    if (called) {
        pthread_cond_signal(&called->call);
    }
}
