/* SPDX-License-Identifier: Apache-2.0 */
#include "timers.h"

#include <string.h>

#include "../../base/assert.h"
#include "../../base/memory/fetch.h"

#define CAPACITY_MIN 64u
#define BRANCHES     4u
#define LEAD_ROWS    3u /* before the first one, unused: so that children begin with a line */

void qd_timers_init(qd_timers *timers, qd_heap *heap)
{
    *timers = (qd_timers){.heap = heap};
}

static void free_arrays(qd_heap *heap, qd_timer *rows, qd_timer_home *home, uint32_t capacity)
{
    qd_heap_free_aligned(heap, rows, QD_LINE_BYTES, rows ? (LEAD_ROWS + capacity) * sizeof *rows : 0);
    qd_heap_free_aligned(heap, home, QD_LINE_BYTES, home ? capacity * sizeof *home : 0);
}

void qd_timers_deinit(qd_timers *timers)
{
    if (timers->capacity > 0) {
        free_arrays(timers->heap, timers->rows - LEAD_ROWS, timers->home, timers->capacity);
    }
    *timers = (qd_timers){.heap = timers->heap};
}

static qd_timer_home *home_of(const qd_timers *timers, uint32_t index)
{
    return &timers->home[index - 1];
}

/* Places count from 1: the children of place p are 4p - 2 to 4p + 1, which share a line of cache. */
static uint64_t due_at(const qd_timers *timers, uint32_t place)
{
    return timers->rows[place - 1].due_ns;
}

static void put(qd_timers *timers, uint32_t place, qd_timer timer)
{
    timers->rows[place - 1] = timer;
    home_of(timers, timer.index)->place = place;
}

/* Puts it at `place`, which is free, or where its time belongs from there. */
static void settle(qd_timers *timers, uint32_t place, qd_timer timer)
{
    for (uint32_t parent; place > 1 && timer.due_ns < due_at(timers, parent = (place + 2) / BRANCHES); place = parent) {
        put(timers, place, timers->rows[parent - 1]);
    }
    for (;;) {
        uint32_t first = place * BRANCHES - 2, end = first + BRANCHES, least = first;
        uint32_t below = first * BRANCHES - 3;

        /* The children of all of them, four lines, while it is found out whose are needed. */
        if (below < timers->count) {
            qd_fetch(&timers->rows[below], BRANCHES * BRANCHES * sizeof timer);
        }
        for (uint32_t child = first + 1; child < end && child <= timers->count; child++) {
            least = due_at(timers, child) < due_at(timers, least) ? child : least;
        }
        if (first > timers->count || due_at(timers, least) >= timer.due_ns) {
            break;
        }
        put(timers, place, timers->rows[least - 1]);
        place = least;
    }
    put(timers, place, timer);
}

static bool grow(qd_timers *timers)
{
    const uint32_t old = timers->capacity, capacity = old ? old * 2 : CAPACITY_MIN;
    qd_timer *rows = qd_heap_alloc_aligned(timers->heap, QD_LINE_BYTES, (LEAD_ROWS + capacity) * sizeof *rows);
    qd_timer_home *home = qd_heap_alloc_aligned(timers->heap, QD_LINE_BYTES, capacity * sizeof *home);

    if (!rows || !home) {
        free_arrays(timers->heap, rows, home, capacity);
        return false;
    }
    if (old > 0) {
        memcpy(rows + LEAD_ROWS, timers->rows, old * sizeof *rows);
        memcpy(home, timers->home, old * sizeof *home);
        free_arrays(timers->heap, timers->rows - LEAD_ROWS, timers->home, old);
    }
    timers->rows = rows + LEAD_ROWS;
    timers->home = home;
    timers->capacity = capacity;
    return true;
}

bool qd_timers_reserve(qd_timers *timers)
{
    if (timers->reserved + QD_TIMERS_SPARE >= timers->capacity && !grow(timers)) {
        return false;
    }
    timers->reserved++;
    return true;
}

void qd_timers_release(qd_timers *timers)
{
    QD_ASSERT(timers->reserved > 0);
    timers->reserved--;
}

/* There are never more in use than timers. */
static uint32_t take_index(qd_timers *timers, qd_actor *actor)
{
    uint32_t index = timers->free_first;

    if (index > 0) {
        timers->free_first = home_of(timers, index)->place;
    } else {
        index = ++timers->used;
    }
    home_of(timers, index)->actor = actor;
    actor->timer_index = index;
    return index;
}

static void cancel(qd_timers *timers, qd_actor *actor)
{
    qd_timer_home *home = home_of(timers, actor->timer_index);
    uint32_t place = home->place;
    qd_timer last = timers->rows[timers->count - 1];

    QD_ASSERT(home->actor == actor && timers->rows[place - 1].index == actor->timer_index);
    *home = (qd_timer_home){.place = timers->free_first};
    timers->free_first = actor->timer_index;
    actor->timer_index = 0;
    if (place < timers->count--) {
        settle(timers, place, last);
    }
}

void qd_timers_set(qd_timers *timers, qd_actor *actor, uint64_t due_ns)
{
    uint32_t index = actor->timer_index;

    actor->due_ns = due_ns;
    if (due_ns == QD_NEVER) {
        if (index > 0) {
            cancel(timers, actor);
        }
        return;
    }
    if (index > 0) {
        settle(timers, home_of(timers, index)->place, (qd_timer){due_ns, index});
        return;
    }
    QD_ASSERT(timers->count < timers->capacity);
    index = take_index(timers, actor);
    settle(timers, ++timers->count, (qd_timer){due_ns, index});
}

uint64_t qd_timers_next_ns(const qd_timers *timers)
{
    return timers->count ? timers->rows[0].due_ns : QD_NEVER;
}

qd_actor *qd_timers_take(qd_timers *timers, uint64_t now_ns)
{
    if (qd_timers_next_ns(timers) > now_ns || timers->count == 0) {
        return NULL;
    }
    qd_actor *actor = home_of(timers, timers->rows[0].index)->actor;
    qd_timers_set(timers, actor, QD_NEVER);
    /* The next timers are likely to be taken soon. */
    for (uint32_t place = 1; place <= 1 + BRANCHES && place <= timers->count; place++) {
        qd_fetch_to_write(home_of(timers, timers->rows[place - 1].index)->actor, sizeof *actor);
    }
    return actor;
}
