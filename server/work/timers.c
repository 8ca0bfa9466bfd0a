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
    qd_heap_free(timers->heap, timers->actors, timers->capacity * sizeof(qd_actor *));
    *timers = (qd_timers){.heap = timers->heap};
}

/* Places count from 1, as in the actors: the children of place p are 2p and 2p + 1. */
static qd_actor *at(const qd_timers *timers, uint32_t place)
{
    return timers->actors[place - 1];
}

static void put(qd_timers *timers, uint32_t place, qd_actor *actor)
{
    timers->actors[place - 1] = actor;
    actor->timer_index = place;
}

/* Moves what stands at `place` to where its time belongs. */
static void settle(qd_timers *timers, uint32_t place)
{
    qd_actor *actor = at(timers, place);

    while (place > 1 && actor->due_ns < at(timers, place / 2)->due_ns) {
        put(timers, place, at(timers, place / 2));
        place /= 2;
    }
    for (;;) {
        uint32_t child = place * 2;

        if (child < timers->count && at(timers, child + 1)->due_ns < at(timers, child)->due_ns)
            child++;
        if (child > timers->count || at(timers, child)->due_ns >= actor->due_ns)
            break;
        put(timers, place, at(timers, child));
        place = child;
    }
    put(timers, place, actor);
}

static void grow(qd_timers *timers)
{
    uint32_t capacity = timers->capacity ? timers->capacity * 2 : CAPACITY_MIN;
    /* A timer that cannot be set would be a room that never ticks again, so this memory is needed, not asked for. */
    qd_actor **actors = qd_heap_need(timers->heap, sizeof *actors, capacity * sizeof *actors);

    if (timers->count > 0)
        memcpy(actors, timers->actors, timers->count * sizeof *actors);
    qd_heap_free(timers->heap, timers->actors, timers->capacity * sizeof *actors);
    timers->actors = actors;
    timers->capacity = capacity;
}

static void cancel(qd_timers *timers, qd_actor *actor)
{
    uint32_t place = actor->timer_index;
    qd_actor *last = at(timers, timers->count);

    QD_ASSERT(at(timers, place) == actor);
    actor->timer_index = 0;
    timers->count--;
    if (last != actor) {
        put(timers, place, last);
        settle(timers, place);
    }
}

void qd_timers_set(qd_timers *timers, qd_actor *actor, uint64_t due_ns)
{
    actor->due_ns = due_ns;
    if (due_ns == QD_NEVER) {
        if (actor->timer_index)
            cancel(timers, actor);
        return;
    }
    if (!actor->timer_index) {
        if (timers->count == timers->capacity)
            grow(timers);
        put(timers, ++timers->count, actor);
    }
    settle(timers, actor->timer_index);
}

uint64_t qd_timers_next_ns(const qd_timers *timers)
{
    return timers->count ? timers->actors[0]->due_ns : QD_NEVER;
}

qd_actor *qd_timers_take(qd_timers *timers, uint64_t now_ns)
{
    if (qd_timers_next_ns(timers) > now_ns || timers->count == 0)
        return NULL;
    qd_actor *actor = timers->actors[0];
    qd_timers_set(timers, actor, QD_NEVER);
    return actor;
}
