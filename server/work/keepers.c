/* SPDX-License-Identifier: Apache-2.0 */
#include "keepers.h"

#define TOGETHER_NS_A_TIMER 200u
#define TOGETHER_NS_MAX     2000000u

/* How many look at the timers by then. */
static uint32_t count_until(const qd_pool *pool, uint64_t due_ns)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < QD_KEEPERS_MAX; i++) {
        count += pool->keepers[i] && pool->keepers[i]->keeps_ns <= due_ns;
    }
    return count;
}

/* Where there are enough of them, it takes the place of the latest: who lost it wakes in vain for once. */
static void keep(qd_worker *keeper, uint64_t due_ns)
{
    qd_worker **place = keeper->pool->keepers;

    for (uint32_t i = 1; i < QD_KEEPERS_MAX && *place; i++) {
        qd_worker **other = &keeper->pool->keepers[i];

        if (!*other || (*other)->keeps_ns > (*place)->keeps_ns) {
            place = other;
        }
    }
    if (*place) {
        (*place)->keeps_ns = QD_NEVER;
    }
    *place = keeper;
    keeper->keeps_ns = due_ns;
}

void qd_keeper_leaves(qd_worker *me)
{
    me->keeps_ns = QD_NEVER;
    for (uint32_t i = 0; i < QD_KEEPERS_MAX; i++) {
        if (me->pool->keepers[i] == me) {
            me->pool->keepers[i] = NULL;
        }
    }
}

/* How much later than the first of them timers may fire that fire together. */
static uint64_t together_ns(const qd_pool *pool)
{
    uint64_t together = (uint64_t)pool->timers.count * TOGETHER_NS_A_TIMER;

    return together < TOGETHER_NS_MAX ? together : TOGETHER_NS_MAX;
}

uint64_t qd_keeper_until(qd_worker *me)
{
    qd_pool *pool = me->pool;
    uint64_t due_ns = qd_timers_next_ns(&pool->timers);

    qd_keeper_leaves(me);
    if (count_until(pool, due_ns) >= 1) {
        due_ns = qd_timers_second_ns(&pool->timers);
        if (count_until(pool, due_ns) >= 2) {
            return QD_NEVER;
        }
    }
    if (due_ns == QD_NEVER) {
        return QD_NEVER;
    }
    keep(me, due_ns);
    return due_ns + together_ns(pool);
}

bool qd_keepers_want(qd_pool *pool)
{
    uint64_t due_ns = qd_timers_next_ns(&pool->timers);

    return due_ns != QD_NEVER && qd_workers_idle(pool) > 0 && count_until(pool, due_ns) == 0;
}

/* Who has slept longest; it is to keep the first timer, and does so as soon as it looks. */
qd_worker *qd_keepers_rouse(qd_pool *pool)
{
    if (!qd_keepers_want(pool)) {
        return NULL;
    }
    qd_worker *roused = &pool->workers[pool->idle[0]];
    qd_keeper_leaves(roused);
    keep(roused, qd_timers_next_ns(&pool->timers));
    return roused;
}

qd_worker *qd_keepers_paid(qd_worker *me)
{
    bool owed = me->owes;

    me->owes = false;
    return owed ? qd_keepers_rouse(me->pool) : NULL;
}
