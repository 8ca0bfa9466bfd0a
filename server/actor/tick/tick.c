/* SPDX-License-Identifier: Apache-2.0 */
#include "tick.h"

#include "../../base/memory/fetch.h"
#include "../record/delivery.h"
#include "../state/time_bill.h"
#include "../state/work_time.h"
#include "applied.h"
#include "publish_pairs.h"
#include "publish_views.h"
#include "slow_readers.h"

/* Charges are settled at least this often. */
#define CHARGE_TICKS 32u

/* After resets, or ticks that usually take longer, the runs of the room count as long for a while. */
#define LONG_NS       UINT64_C(300000)
#define LONG_STAYS_NS UINT64_C(1000000000)

/* The same after a single tick that took so long, and a Step with many changes is for a worker for a while
 * (room_run.c). */
#define VERY_LONG_NS       UINT64_C(2000000)
#define VERY_LONG_STAYS_NS UINT64_C(10000000000)

/* The ticks of which the shortest is the usual one. */
#define USUAL_TICKS 3u

uint32_t qd_tick_usual_us(const qd_room_actor *actor)
{
    uint32_t least_us = actor->time_count < USUAL_TICKS ? 0 : UINT32_MAX;

    for (uint64_t back = 1; back <= USUAL_TICKS; back++) {
        const uint32_t took_us = actor->times_us[(actor->time_count - back) % QD_TICK_TIMES];

        least_us = took_us < least_us ? took_us : least_us;
    }
    return least_us;
}

static void note_long(qd_room_actor *actor, uint64_t now_ns, uint64_t took_ns)
{
    if (took_ns >= VERY_LONG_NS || (took_ns >= LONG_NS && qd_tick_usual_us(actor) >= LONG_NS / 1000)) {
        actor->long_until_ns = now_ns + LONG_STAYS_NS;
    }
    if (took_ns >= VERY_LONG_NS) {
        actor->calm_from_ns = now_ns + VERY_LONG_STAYS_NS;
    }
}

static void keep_time(qd_room_actor *actor, uint64_t took_ns)
{
    uint64_t took_us = (took_ns + 500) / 1000;

    actor->times_us[actor->time_count++ % QD_TICK_TIMES] = took_us > UINT32_MAX ? UINT32_MAX : (uint32_t)took_us;
}

/* Counts the ticks that nobody had to get anything of. */
static void count_quiet(qd_room_actor *actor, uint32_t skipped)
{
    if (actor->changed || !qd_room_is_quiet(actor->room)) {
        actor->quiet_ticks = 0;
    } else if (actor->quiet_ticks < UINT32_MAX - 1 - skipped) {
        actor->quiet_ticks += 1 + skipped;
    }
}

static void end_lockstep(qd_room_actor *actor)
{
    if (actor->lockstep.writers == 0) {
        return;
    }
    qd_lockstep_ticked(&actor->lockstep);
    for (uint32_t i = 0; i < actor->member_capacity; i++) {
        if (actor->members[i].membership != NULL) {
            actor->members[i].membership->lockstep.stepped = false;
        }
    }
}

/* The time if the tick is measured in parts. */
static uint64_t look(const qd_room_actor *actor)
{
    return actor->bill.measures ? qd_service_now_ns(actor->service) : 0;
}

uint64_t qd_tick(qd_room_actor *actor, uint32_t skipped, qd_membership *payer)
{
    qd_service *service = actor->service;
    const qd_executor *executor = service->config.scheduler->executor;
    uint64_t start_ns = qd_room_actor_now_ns(actor);

    qd_work_time_begin(service, start_ns);
    if (actor->member_capacity > 0) {
        qd_fetch_to_write(actor->members->membership, sizeof *actor->members->membership);
    }
    qd_fetch_to_write(&actor->times_us[actor->time_count % QD_TICK_TIMES], sizeof *actor->times_us);
    /* A reader that has caught up gets its reset at this tick: otherwise it would miss one more. */
    qd_slow_readers_look(actor, start_ns);
    actor->bill.measures = actor->bill.measured_ticks > 0;
    qd_room_tick_views(actor->room, executor, skipped);
    const uint64_t views_end_ns = look(actor);
    qd_room_tick_pairs(actor->room, executor, skipped);
    const uint64_t frames_start_ns = look(actor);
    count_quiet(actor, skipped);
    actor->changed = false;
    actor->resets_due = false;
    /* Views come first: a reset that only fits into an empty queue must find it empty. The reset of a subscription comes
     * between ticks. */
    qd_publish_views(actor);
    qd_publish_pairs(actor);
    const uint64_t frames_end_ns = look(actor);
    qd_applied_send_due(actor, qd_room_last_tick(actor->room));
    end_lockstep(actor);
    qd_count(&service->counters, QD_COUNT_TICKS, 1);
    uint64_t events = qd_room_events_count(actor->room);
    qd_count(&service->counters, QD_COUNT_EVENTS, events - actor->events_counted);
    actor->events_counted = events;
    if (actor->charges_due || actor->time_count % CHARGE_TICKS == 0) {
        actor->charges_due = false;
        qd_charges_settle_all(&actor->charges);
    }
    uint64_t end_ns = qd_room_actor_now_ns(actor);
    keep_time(actor, end_ns - start_ns);
    qd_observe(&service->counters, QD_HISTOGRAM_TICK, end_ns - start_ns);
    actor->tick_ns = qd_work_time_of(service, end_ns, end_ns - start_ns);
    actor->tick_entities = qd_room_entity_count(actor->room);
    qd_time_bill_tick(actor, payer, end_ns,
                      &(qd_tick_parts){.took_ns = end_ns - start_ns,
                                       .views_ns = actor->bill.measures ? views_end_ns - start_ns : 0,
                                       .frames_ns = frames_end_ns - frames_start_ns});
    note_long(actor, end_ns, actor->tick_ns);
    return end_ns;
}

void qd_tick_report_pace(qd_room_actor *actor, const qd_membership *membership)
{
    const qd_pace *pace = &actor->pace;
    const bool is_slowed = pace->slowed_hz != 0;
    const qd_server_message message = {.kind = QD_SERVER_ROOM_SLOWED,
                                       .as.room_slowed = {
                                           .room = actor->entry.handle,
                                           .tick_hz = is_slowed ? pace->slowed_hz : actor->config.tick_hz,
                                           .tick_us = is_slowed ? pace->slowed_us : 0,
                                       }};

    if (membership != NULL) {
        qd_member_send(actor, membership, &message);
        return;
    }
    for (uint32_t i = 0; i < actor->member_capacity; i++) {
        if (actor->members[i].membership != NULL) {
            qd_member_send(actor, actor->members[i].membership, &message);
        }
    }
}

bool qd_tick_step(qd_room_actor *actor, qd_membership *membership, uint64_t seq)
{
    qd_lockstep_result result = QD_LOCKSTEP_TICK;

    if (actor->lockstep.writers > 0) {
        result = qd_lockstep_step(&actor->lockstep, &membership->lockstep, seq, qd_room_actor_now_ns(actor));
    }
    if (result == QD_LOCKSTEP_AGAIN) {
        return false;
    }
    qd_applied_note(actor, membership, seq);
    if (result == QD_LOCKSTEP_TICK) {
        (void)qd_tick(actor, 0, membership);
    }
    return true;
}

static void catch_up(qd_room_actor *actor)
{
    qd_room_view_catch_up(actor->room);
    qd_publish_views(actor);
    qd_room_catch_up(actor->room, actor->service->config.scheduler->executor);
    qd_publish_pairs(actor);
}

void qd_tick_catch_up(qd_room_actor *actor)
{
    const qd_service *service = actor->service;

    const bool measures = actor->resets_due || actor->bill.resumes;

    actor->resets_due = actor->bill.resumes = false;
    actor->bill.measures = measures;
    if (!measures) {
        catch_up(actor);
        return;
    }
    const uint64_t start_ns = qd_service_now_ns(service);
    qd_work_time_begin(service, start_ns);
    catch_up(actor);
    const uint64_t end_ns = qd_service_now_ns(service);
    const uint64_t took_ns = qd_work_time_of(service, end_ns, end_ns - start_ns);
    qd_time_bill_resets(actor, end_ns, took_ns);
    note_long(actor, end_ns, took_ns);
}
