/* SPDX-License-Identifier: Apache-2.0 */
#include "room_clock.h"

#include "../base/log.h"
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

/* Tells members when the room is slowed, or not any more. */
static void keep_pace(qd_room_actor *actor, uint64_t now_ns, uint64_t took_ns, uint64_t skipped)
{
    const bool was_slowed = actor->pace.slowed_hz != 0;

    if (!qd_pace_ticked(&actor->pace, actor->config.tick_hz, now_ns, took_ns, skipped)) {
        return;
    }
    const bool is_slowed = actor->pace.slowed_hz != 0;
    if (is_slowed && !was_slowed) {
        atomic_fetch_add(&actor->service->rooms_slowed, 1);
    } else if (!is_slowed && was_slowed) {
        atomic_fetch_sub(&actor->service->rooms_slowed, 1);
    }
    const qd_log_field room = QD_LOG_NUMBER("room", actor->entry.handle),
                       name = QD_LOG_STRING("name", actor->entry.name);
    if (is_slowed) {
        qd_log(QD_LOG_INFO, "a room is slowed", room, name, QD_LOG_NUMBER("tick_hz", actor->pace.slowed_hz),
               QD_LOG_NUMBER("tick_us", actor->pace.slowed_us));
    } else {
        qd_log(QD_LOG_INFO, "a room holds its rate again", room, name);
    }
    qd_tick_report_pace(actor, NULL);
}

static uint64_t due_ns(const qd_room_actor *actor)
{
    uint64_t period_end_ns = period_ns(actor, actor->clock_periods + 1);

    return period_end_ns > actor->pace.rest_until_ns ? period_end_ns : actor->pace.rest_until_ns;
}

uint64_t qd_room_clock_tick(qd_room_actor *actor, uint64_t now_ns)
{
    if (actor->config.tick_mode != QD_TICK_MODE_CLOCK) {
        if (actor->lockstep.due_ns <= now_ns) {
            (void)qd_tick(actor, 0, NULL);
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
        qd_pace_start(&actor->pace);
    }
    if (now_ns >= due_ns(actor)) {
        uint64_t periods = periods_until(actor, now_ns);
        uint64_t skipped = periods - actor->clock_periods - 1;

        actor->clock_periods = periods;
        uint64_t end_ns = qd_tick(actor, skipped > UINT32_MAX ? UINT32_MAX : (uint32_t)skipped, NULL);
        keep_pace(actor, end_ns, end_ns - now_ns, skipped);
    }
    return due_ns(actor);
}
