/* SPDX-License-Identifier: Apache-2.0 */
#include "fork.h"

/* How many workers the caller of a fork calls, and each helper. */
#define CALLS_OF_CALLER 8u
#define CALLS_OF_HELPER 4u

/* [lock] Chooses workers for a split, at most as many as it still wants. */
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

/* Shows the split to helpers and calls the first of them. */
static void open_split(qd_pool *pool, qd_split *split, uint32_t helpers_max)
{
    qd_worker *called[CALLS_OF_CALLER];

    pthread_mutex_lock(&pool->lock);
    qd_split_open(split, &pool->splits);
    split->wanted = helpers_max;
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
    qd_split_close(&split, &pool->splits);
    pthread_mutex_unlock(&pool->lock);
    qd_split_wait(&split, &pool->lock);
    qd_split_deinit(&split);
}

/* ---- helpers ---- */

bool qd_fork_help(qd_worker *me)
{
    qd_pool *pool = me->pool;
    qd_split *split = qd_split_join(pool->splits);
    qd_worker *called[CALLS_OF_HELPER];

    if (!split) {
        return false;
    }
    uint32_t count = choose(pool, split, called, CALLS_OF_HELPER);
    pthread_mutex_unlock(&pool->lock);
    signal_all(called, count);
    qd_split_work(split, me->index);
    pthread_mutex_lock(&pool->lock);
    qd_split_leave(split);
    return true;
}
