/* SPDX-License-Identifier: Apache-2.0 */
#include "timer_waiter.h"

#define DELAY_NS_PER_TIMER 200u
#define DELAY_NS_MAX       2000000u

static bool is_awaited(const qd_pool *pool, uint64_t due_ns)
{
    return due_ns == QD_NEVER || (pool->timer_waiter && pool->waiter_until_ns <= due_ns);
}

static void set_waiter(qd_pool *pool, qd_worker *waiter, uint64_t due_ns)
{
    pool->timer_waiter = waiter;
    pool->waiter_until_ns = due_ns;
}

uint64_t qd_timer_waiter_until(qd_worker *me)
{
    qd_pool *pool = me->pool;
    uint64_t due_ns = qd_timers_next_ns(&pool->timers);

    qd_timer_waiter_leave(me);
    if (is_awaited(pool, due_ns)) {
        return QD_NEVER;
    }
    set_waiter(pool, me, due_ns);
    uint64_t delay_ns = (uint64_t)pool->timers.count * DELAY_NS_PER_TIMER;
    return due_ns + (delay_ns < DELAY_NS_MAX ? delay_ns : DELAY_NS_MAX);
}

void qd_timer_waiter_leave(qd_worker *me)
{
    if (me->pool->timer_waiter == me) {
        me->pool->timer_waiter = NULL;
    }
}

/* Prefers the waiter of a later timer to the worker that has slept longest. */
qd_worker *qd_timer_waiter_rouse(qd_pool *pool)
{
    uint64_t due_ns = qd_timers_next_ns(&pool->timers);

    if (is_awaited(pool, due_ns) || qd_workers_idle(pool) == 0) {
        return NULL;
    }
    set_waiter(pool, pool->timer_waiter ? pool->timer_waiter : &pool->workers[pool->idle[0]], due_ns);
    return pool->timer_waiter;
}
