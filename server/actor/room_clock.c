/* SPDX-License-Identifier: Apache-2.0 */
#include "room_clock.h"

#include "../base/ablation.h"
#include "../base/log.h"
#include "../room/room_views.h"
#include "tick/tick.h"

#define SECOND_NS UINT64_C(1000000000)

/* A room rests after this many quiet ticks. So clients that send at a quarter of its rate never let it rest: to wake it
 * would cost as much as the ticks. */
#define QUIET_TICKS 4u

/* A room that has rested for so long gives memory back. */
#define REST_TRIM_NS (10 * SECOND_NS)

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

/* Whether all ticks to come would change and send nothing, unless something happens to the room. A slowed room goes on
 * until it is known to hold its rate. */
static bool may_rest(const qd_room_actor *actor)
{
    if (actor->quiet_ticks < QUIET_TICKS || actor->changed || actor->applied_due != NULL || actor->lagging_count > 0 ||
        actor->pace.slowed_hz != 0 || QD_WITHOUT(ROOM_REST)) {
        return false;
    }
    return actor->quiet_ticks >= qd_room_relay_period(actor->room) && qd_room_is_quiet(actor->room);
}

/* Until it is woken, the number of its last tick follows from the time. That of tick 0 is rounded up, so that no tick is
 * shown late. */
static void rest(qd_room_actor *actor, uint64_t now_ns)
{
    const uint64_t hz = actor->config.tick_hz, tick = qd_room_last_tick(actor->room) - actor->clock_periods;
    const uint64_t lasted_ns = tick / hz * SECOND_NS + (tick % hz * SECOND_NS + hz - 1) / hz;

    actor->clock = QD_CLOCK_RESTS;
    actor->rest_trim_ns = now_ns + REST_TRIM_NS;
    atomic_store_explicit(&actor->shown_zero_ns, actor->clock_start_ns - lasted_ns, memory_order_release);
    qd_charges_settle_all(&actor->charges);
}

static void run_again(qd_room_actor *actor)
{
    actor->clock = QD_CLOCK_RUNS;
    actor->rest_trim_ns = QD_NEVER;
    qd_pace_start(&actor->pace);
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

void qd_room_clock_count(qd_room_actor *actor, uint64_t now_ns)
{
    if (actor->clock != QD_CLOCK_RESTS) {
        return;
    }
    const uint64_t periods = periods_until(actor, now_ns);
    qd_room_rest(actor->room, periods - actor->clock_periods);
    actor->clock_periods = periods;
}

uint64_t qd_room_clock_shown_tick(const qd_room_actor *actor)
{
    const uint64_t zero_ns = atomic_load_explicit(&actor->shown_zero_ns, memory_order_acquire);

    if (zero_ns == QD_NEVER) {
        return atomic_load_explicit(&actor->shown_tick, memory_order_relaxed);
    }
    const uint64_t hz = actor->config.tick_hz, lasted_ns = qd_service_now_ns(actor->service) - zero_ns;
    return lasted_ns / SECOND_NS * hz + lasted_ns % SECOND_NS * hz / SECOND_NS;
}

void qd_room_clock_show(qd_room_actor *actor)
{
    atomic_store_explicit(&actor->shown_tick, qd_room_last_tick(actor->room), memory_order_relaxed);
    if (actor->clock != QD_CLOCK_RESTS) {
        atomic_store_explicit(&actor->shown_zero_ns, QD_NEVER, memory_order_release);
    }
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
        actor->clock = QD_CLOCK_STANDS;
        return QD_NEVER;
    }
    if (actor->clock == QD_CLOCK_STANDS) {
        actor->clock_start_ns = now_ns;
        actor->clock_periods = 0;
        run_again(actor);
    } else if (actor->clock == QD_CLOCK_RESTS) {
        if (may_rest(actor)) {
            return QD_NEVER;
        }
        run_again(actor);
    }
    if (now_ns >= due_ns(actor)) {
        uint64_t periods = periods_until(actor, now_ns);
        uint64_t skipped = periods - actor->clock_periods - 1;

        actor->clock_periods = periods;
        uint64_t end_ns = qd_tick(actor, skipped > UINT32_MAX ? UINT32_MAX : (uint32_t)skipped, NULL);
        keep_pace(actor, end_ns, end_ns - now_ns, skipped);
    }
    if (may_rest(actor)) {
        rest(actor, now_ns);
        return QD_NEVER;
    }
    return due_ns(actor);
}
