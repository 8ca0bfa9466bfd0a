/* SPDX-License-Identifier: Apache-2.0 */
#include "actor_state.h"

#include "../base/clock.h"

#define HELD   1u
#define WOKEN  2u
#define URGENT QD_ACTOR_URGENT
#define BEHIND 8u

bool qd_actor_hold(qd_pool *pool, qd_actor *actor, bool urgent)
{
    urgent = urgent && !atomic_load_explicit(&actor->yields, memory_order_relaxed);
    uint32_t wake = HELD | WOKEN | (urgent ? URGENT : 0);
    uint32_t before = atomic_fetch_or_explicit(&actor->state, wake, memory_order_acq_rel);

    if ((before & HELD) == 0) {
        return true;
    }
    if (!urgent || (before & BEHIND) == 0 || !qd_behind_remove(&pool->behind, actor)) {
        return false;
    }
    atomic_fetch_and_explicit(&actor->state, ~BEHIND, memory_order_relaxed);
    return true;
}

void qd_actor_queue(qd_pool *pool, qd_actor *actor)
{
    qd_worker *target = qd_worker_here(pool);

    if (!target) {
        uint32_t turn = atomic_fetch_add_explicit(&pool->queue_next, 1, memory_order_relaxed);

        target = &pool->workers[turn % pool->worker_count];
    }
    /* After the push the actor may run, and be freed. */
    qd_queue_push(&target->queue, actor);
    qd_workers_call(pool);
}

void qd_actor_queue_behind(qd_pool *pool, qd_actor *actor)
{
    pthread_mutex_lock(&pool->behind.lock);
    bool urgent = (atomic_fetch_or_explicit(&actor->state, BEHIND, memory_order_relaxed) & URGENT) != 0;
    bool ready = !urgent && qd_behind_put(&pool->behind, actor, qd_clock_now_ns());
    pthread_mutex_unlock(&pool->behind.lock);
    if (urgent) {
        atomic_fetch_and_explicit(&actor->state, ~BEHIND, memory_order_relaxed);
        qd_actor_queue(pool, actor);
    } else if (ready) {
        qd_workers_call(pool);
    }
}

/* Acquire: a run sees what the previous run wrote. */
bool qd_actor_hold_idle(qd_actor *actor)
{
    uint32_t idle_state = 0;

    return atomic_compare_exchange_strong_explicit(&actor->state, &idle_state, HELD, memory_order_acquire,
                                                   memory_order_relaxed);
}

void qd_actor_begin_run(qd_actor *actor)
{
    atomic_fetch_and_explicit(&actor->state, ~(WOKEN | URGENT | BEHIND), memory_order_acq_rel);
}

bool qd_actor_let_go(qd_actor *actor)
{
    uint32_t running = HELD;

    return atomic_compare_exchange_strong_explicit(&actor->state, &running, 0, memory_order_release,
                                                   memory_order_relaxed);
}
