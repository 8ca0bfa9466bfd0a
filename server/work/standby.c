/* SPDX-License-Identifier: Apache-2.0 */
#include "standby.h"

#include "../base/clock.h"

#define LOOK_NS UINT64_C(1000000)

/* It goes to sleep after so many looks in a row that found a worker idle, so that it is roused ten times a second at
 * most. */
#define IDLE_LOOKS 100u

static bool is_stopping(qd_pool *pool)
{
    return atomic_load_explicit(&pool->stopping, memory_order_relaxed);
}

static uint32_t takes_of_workers(const qd_pool *pool)
{
    uint32_t takes = 0;

    for (uint32_t i = 0; i < pool->worker_count; i++) {
        takes += atomic_load_explicit(&pool->workers[i].takes, memory_order_relaxed);
    }
    return takes;
}

/* Whether an actor waits, or a timer is due. */
static bool is_work_waiting(qd_pool *pool)
{
    uint64_t due_ns = atomic_load_explicit(&pool->timer_next_ns, memory_order_relaxed);

    return qd_workers_look_queued(pool) || !qd_behind_looks_empty(&pool->behind) ||
           (due_ns != QD_NEVER && due_ns <= qd_clock_now_ns());
}

static struct timespec time_of(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
}

bool qd_standby_wait(qd_worker *me)
{
    qd_pool *pool = me->pool;
    uint32_t idle_looks = 0;
    bool steps_in = false;

    pthread_mutex_lock(&pool->lock);
    while (!is_stopping(pool) && !steps_in) {
        const uint32_t takes = takes_of_workers(pool);

        if (idle_looks == IDLE_LOOKS) {
            /* Who makes the last worker busy does it under the lock, or sees the flag later. */
            atomic_store_explicit(&pool->standby_sleeps, true, memory_order_relaxed);
            while (!is_stopping(pool) && atomic_load_explicit(&pool->standby_sleeps, memory_order_relaxed)) {
                pthread_cond_wait(&me->call, &pool->lock);
            }
            idle_looks = 0;
        }
        const struct timespec until = time_of(qd_clock_now_ns() + LOOK_NS);
        pthread_cond_timedwait(&me->call, &pool->lock, &until);
        if (qd_workers_idle(pool) > 0) {
            idle_looks++;
        } else {
            idle_looks = 0;
            me->takes_seen = takes_of_workers(pool);
            steps_in = me->takes_seen == takes && is_work_waiting(pool);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return !is_stopping(pool);
}

/* A worker may have become idle without another take: its last one began before qd_standby_wait returned. */
bool qd_standby_goes_on(const qd_worker *me)
{
    return takes_of_workers(me->pool) == me->takes_seen && qd_workers_idle(me->pool) == 0;
}
