/* SPDX-License-Identifier: Apache-2.0 */
#include "behind.h"

void qd_behind_init(qd_behind *behind, uint32_t workers)
{
    pthread_mutex_init(&behind->lock, NULL);
    behind->oldest = behind->newest = NULL;
    behind->workers = workers;
    behind->running = 0;
    behind->urgent_ns = 0;
    atomic_init(&behind->taken_ns, 0);
    atomic_init(&behind->count, 0);
    atomic_init(&behind->urgent, false);
}

void qd_behind_deinit(qd_behind *behind)
{
    pthread_mutex_destroy(&behind->lock);
}

static uint32_t count_of(qd_behind *behind)
{
    return atomic_load_explicit(&behind->count, memory_order_relaxed);
}

static void count_to(qd_behind *behind, uint32_t count)
{
    atomic_store_explicit(&behind->count, count, memory_order_relaxed);
}

/* [lock] */
static void unlink_locked(qd_behind *behind, qd_actor *actor)
{
    if (actor->previous) {
        actor->previous->next = actor->next;
    } else {
        behind->oldest = actor->next;
    }
    if (actor->next) {
        actor->next->previous = actor->previous;
    } else {
        behind->newest = actor->previous;
    }
    actor->waits_behind = false;
    count_to(behind, count_of(behind) - 1);
}

bool qd_behind_remove(qd_behind *behind, qd_actor *actor)
{
    pthread_mutex_lock(&behind->lock);
    bool waits = actor->waits_behind;
    if (waits) {
        unlink_locked(behind, actor);
    }
    pthread_mutex_unlock(&behind->lock);
    return waits;
}

/* [lock] How many workers may run actors of this queue at once. */
static uint32_t workers_now(qd_behind *behind, uint64_t now_ns)
{
    if (atomic_exchange_explicit(&behind->urgent, false, memory_order_relaxed)) {
        behind->urgent_ns = now_ns;
    }
    bool quiet = now_ns - behind->urgent_ns >= QD_BEHIND_QUIET_NS;

    return quiet || behind->workers == 1 ? behind->workers : behind->workers - 1;
}

/* [lock] How many more workers may run them, or help. */
static uint32_t left(qd_behind *behind, uint64_t now_ns)
{
    const uint32_t workers = workers_now(behind, now_ns);

    return behind->running < workers ? workers - behind->running : 0;
}

/* [lock] */
static bool is_ready_locked(qd_behind *behind, uint64_t now_ns)
{
    return behind->oldest && left(behind, now_ns) > 0;
}

bool qd_behind_put(qd_behind *behind, qd_actor *actor, uint64_t now_ns)
{
    actor->next = NULL;
    actor->previous = behind->newest;
    if (behind->newest) {
        behind->newest->next = actor;
    } else {
        behind->oldest = actor;
        atomic_store_explicit(&behind->taken_ns, now_ns, memory_order_relaxed);
    }
    behind->newest = actor;
    actor->waits_behind = true;
    count_to(behind, count_of(behind) + 1);
    return is_ready_locked(behind, now_ns);
}

bool qd_behind_is_ready(qd_behind *behind, uint64_t now_ns)
{
    pthread_mutex_lock(&behind->lock);
    bool ready = is_ready_locked(behind, now_ns);
    pthread_mutex_unlock(&behind->lock);
    return ready;
}

qd_actor *qd_behind_take(qd_behind *behind, uint64_t now_ns)
{
    qd_actor *actor = NULL;

    pthread_mutex_lock(&behind->lock);
    if (is_ready_locked(behind, now_ns)) {
        actor = behind->oldest;
        unlink_locked(behind, actor);
        behind->running++;
        atomic_store_explicit(&behind->taken_ns, now_ns, memory_order_relaxed);
    }
    pthread_mutex_unlock(&behind->lock);
    return actor;
}

bool qd_behind_help(qd_behind *behind, uint64_t now_ns)
{
    pthread_mutex_lock(&behind->lock);
    const bool may = left(behind, now_ns) > 0;
    behind->running += may;
    pthread_mutex_unlock(&behind->lock);
    return may;
}

uint32_t qd_behind_helpers(qd_behind *behind, uint64_t now_ns)
{
    pthread_mutex_lock(&behind->lock);
    const uint32_t helpers = left(behind, now_ns);
    pthread_mutex_unlock(&behind->lock);
    return helpers;
}

void qd_behind_done(qd_behind *behind)
{
    pthread_mutex_lock(&behind->lock);
    behind->running--;
    pthread_mutex_unlock(&behind->lock);
}

qd_actor *qd_behind_take_short(qd_behind *behind)
{
    pthread_mutex_lock(&behind->lock);
    qd_actor *actor = behind->oldest;
    while (actor && (atomic_load_explicit(&actor->yields, memory_order_relaxed) || qd_actor_is_long(actor))) {
        actor = actor->next;
    }
    if (actor) {
        unlink_locked(behind, actor);
    }
    pthread_mutex_unlock(&behind->lock);
    return actor;
}
