/* SPDX-License-Identifier: Apache-2.0 */
#include "split.h"

#include <sched.h>

#include "../base/ablation.h"
#include "../base/assert.h"
#include "../base/clock.h"
#include "thread/core.h"

/* How long a caller waits awake for its helpers, and how often it looks between yields. Helpers are at their last tasks,
 * which seldom take so long. A caller that sleeps wakes on the core of the helper that woke it, where the two may stay
 * for the rest of a tick while another core sleeps (core.h). */
#define AWAKE_NS        1000000u
#define LOOKS_PER_YIELD 64u

void qd_split_init(qd_split *split, size_t count, qd_task_fn task, void *argument, uint32_t workers)
{
    QD_ASSERT(count <= UINT32_MAX && workers > 0 && workers <= QD_SPLIT_SHARES_MAX);

    split->task = task;
    split->argument = argument;
    atomic_init(&split->helpers, 0);
    split->is_behind = false;
    split->is_awaited = false;
    split->wanted = 0;
    pthread_cond_init(&split->helpers_out, NULL);
    split->older = split->newer = NULL;
    split->shares = workers;
    for (uint32_t i = 0; i < workers; i++) {
        uint64_t first = (uint64_t)count * i / workers, end = (uint64_t)count * (i + 1) / workers;

        atomic_init(&split->share[i].left, end << 32 | first);
    }
}

void qd_split_deinit(qd_split *split)
{
    pthread_cond_destroy(&split->helpers_out);
}

void qd_split_open(qd_split *split, qd_split **newest)
{
    split->older = *newest;
    if (split->older) {
        split->older->newer = split;
    }
    *newest = split;
}

void qd_split_close(qd_split *split, qd_split **newest)
{
    if (split->newer) {
        split->newer->older = split->older;
    } else {
        *newest = split->older;
    }
    if (split->older) {
        split->older->newer = split->newer;
    }
}

static bool has_tasks(qd_split *split)
{
    for (uint32_t i = 0; i < split->shares; i++) {
        uint64_t left = atomic_load_explicit(&split->share[i].left, memory_order_relaxed);

        if ((uint32_t)left < left >> 32) {
            return true;
        }
    }
    return false;
}

static uint32_t helpers_of(qd_split *split)
{
    return atomic_load_explicit(&split->helpers, memory_order_relaxed);
}

qd_split *qd_split_find(qd_split *newest, bool is_behind)
{
    qd_split *split = newest;

    while (split && (split->is_behind != is_behind || !has_tasks(split))) {
        split = split->older;
    }
    return split;
}

void qd_split_join(qd_split *split)
{
    atomic_store_explicit(&split->helpers, helpers_of(split) + 1, memory_order_relaxed);
}

void qd_split_leave(qd_split *split)
{
    uint32_t helpers = helpers_of(split) - 1;

    if (helpers == 0 && split->is_awaited) {
        pthread_cond_signal(&split->helpers_out);
    }
    /* Release: the caller that reads 0 sees the writes of every helper, each of which left under the lock. */
    atomic_store_explicit(&split->helpers, helpers, memory_order_release);
}

/* Takes the first index of a share, or the last. Relaxed: the split was opened after everything that its tasks read. */
static bool take(qd_share *share, bool first, uint32_t *index)
{
    uint64_t left = atomic_load_explicit(&share->left, memory_order_relaxed), rest;

    do {
        uint32_t front = (uint32_t)left, back = (uint32_t)(left >> 32);

        if (front >= back) {
            return false;
        }
        *index = first ? front : back - 1;
        rest = first ? left + 1 : left - ((uint64_t)1 << 32);
    } while (
        !atomic_compare_exchange_weak_explicit(&share->left, &left, rest, memory_order_relaxed, memory_order_relaxed));
    return true;
}

void qd_split_work(qd_split *split, uint32_t own, bool (*is_wanted)(void *context), void *context)
{
    uint32_t index;

    /* No share grows, so an empty share stays empty. */
    for (uint32_t step = 0; step < split->shares; step++) {
        qd_share *share = &split->share[(own + step) % split->shares];

        while (take(share, step == 0, &index)) {
            split->task(index, split->argument);
            if (is_wanted && is_wanted(context)) {
                return;
            }
        }
    }
}

static bool are_helpers_out(qd_split *split)
{
    return atomic_load_explicit(&split->helpers, memory_order_acquire) == 0;
}

/* Returns whether the helpers were out soon. */
static bool wait_awake(qd_split *split)
{
    if (are_helpers_out(split)) {
        return true;
    }
    uint64_t until_ns = QD_WITHOUT(CALLER_SPIN) ? 0 : qd_clock_now_ns() + AWAKE_NS;

    while (qd_clock_now_ns() < until_ns) {
        for (uint32_t look = 0; look < LOOKS_PER_YIELD; look++) {
            if (are_helpers_out(split)) {
                return true;
            }
            qd_core_pause();
        }
        sched_yield();
    }
    return false;
}

void qd_split_wait(qd_split *split, pthread_mutex_t *lock)
{
    if (wait_awake(split)) {
        return;
    }
    pthread_mutex_lock(lock);
    split->is_awaited = true;
    while (!are_helpers_out(split)) {
        pthread_cond_wait(&split->helpers_out, lock);
    }
    pthread_mutex_unlock(lock);
}
