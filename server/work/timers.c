/* SPDX-License-Identifier: Apache-2.0 */
#include "timers.h"

#include <string.h>

#include "../base/assert.h"

#define CAPACITY_MIN 64u

void qd_timers_init(qd_timers *timers, qd_heap *heap)
{
    *timers = (qd_timers){.heap = heap};
}

void qd_timers_deinit(qd_timers *timers)
{
    qd_heap_free(timers->heap, timers->rows, timers->capacity * sizeof *timers->rows);
    *timers = (qd_timers){.heap = timers->heap};
}

/* Places count from 1, as in the actors: the children of place p are 2p and 2p + 1. */
static uint64_t due_at(const qd_timers *timers, uint32_t place)
{
    return timers->rows[place - 1].due_ns;
}

static void put(qd_timers *timers, uint32_t place, qd_timer timer)
{
    timers->rows[place - 1] = timer;
    timer.actor->timer_index = place;
}

/* Puts it at `place`, which is free, or where its time belongs from there. */
static void settle(qd_timers *timers, uint32_t place, qd_timer timer)
{
    while (place > 1 && timer.due_ns < due_at(timers, place / 2)) {
        put(timers, place, timers->rows[place / 2 - 1]);
        place /= 2;
    }
    for (;;) {
        uint32_t child = place * 2;

        if (child < timers->count && due_at(timers, child + 1) < due_at(timers, child))
            child++;
        if (child > timers->count || due_at(timers, child) >= timer.due_ns)
            break;
        put(timers, place, timers->rows[child - 1]);
        place = child;
    }
    put(timers, place, timer);
}

static void grow(qd_timers *timers)
{
    uint32_t capacity = timers->capacity ? timers->capacity * 2 : CAPACITY_MIN;
    /* A timer that cannot be set would be a room that never ticks again, so this memory is needed, not asked for. */
    qd_timer *rows = qd_heap_need(timers->heap, sizeof *rows, capacity * sizeof *rows);

    if (timers->count > 0)
        memcpy(rows, timers->rows, timers->count * sizeof *rows);
    qd_heap_free(timers->heap, timers->rows, timers->capacity * sizeof *rows);
    timers->rows = rows;
    timers->capacity = capacity;
}

static void cancel(qd_timers *timers, qd_actor *actor)
{
    uint32_t place = actor->timer_index;
    qd_timer last = timers->rows[timers->count - 1];

    QD_ASSERT(timers->rows[place - 1].actor == actor);
    actor->timer_index = 0;
    timers->count--;
    if (last.actor != actor)
        settle(timers, place, last);
}

void qd_timers_set(qd_timers *timers, qd_actor *actor, uint64_t due_ns)
{
    actor->due_ns = due_ns;
    if (due_ns == QD_NEVER) {
        if (actor->timer_index)
            cancel(timers, actor);
        return;
    }
    if (!actor->timer_index && timers->count == timers->capacity)
        grow(timers);
    settle(timers, actor->timer_index ? actor->timer_index : ++timers->count, (qd_timer){due_ns, actor});
}

uint64_t qd_timers_next_ns(const qd_timers *timers)
{
    return timers->count ? timers->rows[0].due_ns : QD_NEVER;
}

qd_actor *qd_timers_take(qd_timers *timers, uint64_t now_ns)
{
    if (qd_timers_next_ns(timers) > now_ns || timers->count == 0)
        return NULL;
    qd_actor *actor = timers->rows[0].actor;
    qd_timers_set(timers, actor, QD_NEVER);
    return actor;
}
