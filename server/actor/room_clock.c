/* SPDX-License-Identifier: Apache-2.0 */
#include "room_clock.h"

#include "../room/room_views.h"
#include "tick/tick.h"

#define SECOND_NS UINT64_C(1000000000)

/* The time when that many periods have passed since the clock's start, rounded up. */
static uint64_t period_ns(const qd_room_actor *actor, uint64_t periods)
{
    uint64_t hz = actor->config.tick_hz;

    return actor->clock_start_ns + periods / hz * SECOND_NS + (periods % hz * SECOND_NS + hz - 1) / hz;
}

static uint64_t periods_until(const qd_room_actor *actor, uint64_t now_ns)
{
    uint64_t hz = actor->config.tick_hz, elapsed_ns = now_ns - actor->clock_start_ns;

    return elapsed_ns / SECOND_NS * hz + elapsed_ns % SECOND_NS * hz / SECOND_NS;
}

/* Whether a tick would change nothing, and nothing waits for one. */
static bool is_still(const qd_room_actor *actor)
{
    qd_room_view_stats views;

    if (actor->changed || actor->applied_due != NULL || actor->lagging_count > 0 ||
        qd_room_entity_count(actor->room) > 0) {
        return false;
    }
    qd_room_view_stats_get(actor->room, &views);
    return views.observers == 0;
}

/* Ticks at the room's expense. A Step's tick is at its session's. */
static void tick(qd_room_actor *actor, uint64_t now_ns, uint32_t skipped)
{
    qd_tick(actor, skipped);
    qd_time_bucket_charge(&actor->time, actor->service->share, now_ns + actor->tick_ns, actor->tick_ns);
}

uint64_t qd_room_clock_tick(qd_room_actor *actor, uint64_t now_ns)
{
    if (actor->config.tick_mode != QD_TICK_MODE_CLOCK) {
        if (actor->lockstep.due_ns <= now_ns) {
            tick(actor, now_ns, 0);
        }
        return actor->lockstep.due_ns;
    }
    if (is_still(actor)) {
        actor->clock_runs = false;
        return QD_NEVER;
    }
    if (!actor->clock_runs) {
        actor->clock_runs = true;
        actor->clock_start_ns = now_ns;
        actor->clock_periods = 0;
    }
    if (now_ns >= period_ns(actor, actor->clock_periods + 1)) {
        uint64_t periods = periods_until(actor, now_ns);
        uint64_t skipped = periods - actor->clock_periods - 1;

        actor->clock_periods = periods;
        tick(actor, now_ns, skipped > UINT32_MAX ? UINT32_MAX : (uint32_t)skipped);
    }
    return period_ns(actor, actor->clock_periods + 1);
}
