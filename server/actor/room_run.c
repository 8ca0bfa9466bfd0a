/* SPDX-License-Identifier: Apache-2.0 */
#include "room_run.h"

#include "../base/memory/array.h"
#include "../base/memory/fetch.h"
#include "record/recording.h"
#include "room_clock.h"
#include "tick/closing.h"
#include "tick/slow_readers.h"
#include "tick/tick.h"
#include "time_budget.h"

#define MS_NS UINT64_C(1000000)

/* Lagging readers are looked at this often, besides when their link reports that it drained. */
#define LAGGING_LOOK_NS (250 * MS_NS)

/* The tick of a Step is for an inline run if few pairs at most can be new or gone. In the worst case, all of these meet
 * at one place, which takes 3 ms. A room without very long ticks for a while may have more: the worst case takes 30 ms
 * then, and is rare. The ticks before bound the pairs that stay. A room that can have at most INLINE_PAIRS_SURE pairs is
 * always quick. */
#define INLINE_PAIRS_SURE     (UINT64_C(1) << 14)
#define INLINE_PAIRS_MAX      (UINT64_C(1) << 17)
#define INLINE_PAIRS_MAX_CALM (UINT64_C(1) << 20)
#define INLINE_TICK_US_MAX    100u

/* When several rooms step at a loop, ticks that take longer are for workers. Shorter ones cost less than a worker's
 * wake-up and the loop's. */
#define INLINE_TICK_US_MAX_CROWDED 20u

/* Ticks after which a room looks for memory that it can give back. */
#define TRIM_TICKS    1024u
#define TRIM_ENTITIES 256u

/* How long an empty room that ticks by Step stays at its last tick. */
#define FORGET_NS (10000 * MS_NS)

/* ---- what time makes due ---- */

static uint64_t earlier(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

static void show(qd_room_actor *actor)
{
    qd_room_clock_show(actor);
    atomic_store_explicit(&actor->shown_entities, qd_room_entity_count(actor->room), memory_order_relaxed);
    atomic_store_explicit(&actor->shown_sessions, actor->member_count, memory_order_relaxed);
    if (actor->time_count > 0) {
        const uint32_t tick_us = actor->times_us[(actor->time_count - 1) % QD_TICK_TIMES];

        atomic_store_explicit(&actor->shown_tick_us, tick_us, memory_order_relaxed);
    }
    atomic_store_explicit(&actor->shown_slowed_hz, actor->pace.slowed_hz, memory_order_relaxed);
}

static bool is_empty(const qd_room_actor *actor)
{
    return actor->member_count == 0 && qd_room_entity_count(actor->room) == 0;
}

/* Closes the room if no session and no entity has been in it for long enough. Returns when to look again. */
static uint64_t close_when_due(qd_room_actor *actor, uint64_t now_ns, bool empty)
{
    if (!empty) {
        actor->empty_since_ns = QD_NEVER;
        return QD_NEVER;
    }
    if (actor->empty_since_ns == QD_NEVER) {
        actor->empty_since_ns = now_ns;
    }
    uint64_t due_ns = actor->empty_since_ns + actor->config.empty_close_ms * MS_NS;
    if (now_ns < due_ns) {
        return due_ns;
    }
    qd_room_directory_lock(&actor->service->directory);
    bool nobody_comes =
        qd_journal_ask(actor->journal, QD_ASK_NOBODY_COMES, actor->arrivals == actor->arrivals_seen) != 0;
    if (nobody_comes && actor->entry.listed) {
        qd_room_directory_remove(&actor->service->directory, &actor->entry);
    }
    qd_room_directory_unlock(&actor->service->directory);
    if (nobody_comes) {
        qd_room_actor_close(actor, QD_ROOM_CLOSED_EMPTY, NULL, 0);
    }
    /* Else an OpenRoom message is there, which wakes the actor. */
    return QD_NEVER;
}

/* What was in an empty room stays until a tick, and in a room that ticks by Step nobody is left to ask for it. A client
 * that comes back soon continues at the last tick. For one that comes later, the room has a new epoch. Returns when to
 * look again. */
static uint64_t forget_when_due(qd_room_actor *actor, uint64_t now_ns)
{
    if (actor->empty_since_ns == QD_NEVER || actor->config.tick_mode != QD_TICK_MODE_STEP ||
        !qd_room_awaits_tick(actor->room)) {
        return QD_NEVER;
    }
    const uint64_t due_ns = actor->empty_since_ns + FORGET_NS;
    if (now_ns < due_ns) {
        return due_ns;
    }
    (void)qd_tick(actor, 0, NULL);
    actor->epoch = qd_journal_ask(actor->journal, QD_ASK_RANDOM, qd_service_random(actor->service));
    return QD_NEVER;
}

/* Whether most entities have gone since there were the most of them, or a member with much. */
static bool has_shrunk(qd_room_actor *actor)
{
    const uint32_t entities = qd_room_entity_count(actor->room);

    if (entities > actor->trim_entities) {
        actor->trim_entities = entities;
    }
    return actor->trims || actor->trim_entities / 4 > entities + TRIM_ENTITIES;
}

/* Removed entities keep their memory until a tick. So a room trims once it has ticked after them, now and then in a long
 * life, and once in a long rest. */
static void trim_when_due(qd_room_actor *actor, uint64_t now_ns)
{
    const bool is_turn = actor->time_count - actor->trim_time >= TRIM_TICKS || now_ns >= actor->rest_trim_ns;
    const bool shrunk = has_shrunk(actor);

    if (!is_turn && (!shrunk || qd_room_awaits_tick(actor->room))) {
        return;
    }
    actor->trims = false;
    actor->rest_trim_ns = QD_NEVER;
    actor->trim_time = actor->time_count;
    actor->trim_entities = qd_room_entity_count(actor->room);
    qd_room_trim(actor->room);
    const uint32_t end = qd_room_member_end(actor->room);
    for (uint32_t member = end; member < actor->member_capacity; member++) {
        qd_token_release(actor->members[member].token);
        actor->members[member] = (qd_actor_member){0};
    }
    qd_array_trim(&actor->heap, actor->members, actor->member_capacity, end);
}

/* Whether the entities that came since the last tick may make so many pairs that the ticks before say nothing. */
static bool has_grown_much(const qd_room_actor *actor)
{
    const uint64_t entities = qd_room_entity_count(actor->room);

    return entities > actor->tick_entities && entities * (entities - actor->tick_entities) > INLINE_PAIRS_MAX;
}

/* A room beyond its budget waits behind others, and so do messages to it: each of its runs may tick. */
static void choose_place(qd_room_actor *actor, uint64_t now_ns)
{
    bool yields = !qd_time_bucket_is_unused(&actor->time) &&
                  !qd_time_bucket_covers(&actor->time, actor->service->share, now_ns, actor->tick_ns);

    if (yields != atomic_load_explicit(&actor->base.yields, memory_order_relaxed)) {
        atomic_store_explicit(&actor->base.yields, yields, memory_order_relaxed);
    }
    qd_actor_set_long(&actor->base,
                      now_ns < actor->long_until_ns || !TAILQ_EMPTY(&actor->laters) || has_grown_much(actor));
}

static void do_due(qd_room_actor *actor, uint64_t now_ns)
{
    const qd_scheduler *scheduler = actor->service->config.scheduler;

    if (qd_room_due_ns(actor->room) <= now_ns) {
        qd_room_expire(actor->room, now_ns);
        actor->changed = actor->trims = true;
        qd_charges_settle_all(&actor->charges);
    }
    bool empty = is_empty(actor);
    uint64_t due_ns = qd_room_clock_tick(actor, now_ns);
    qd_slow_readers_look(actor, now_ns);
    qd_tick_catch_up(actor);
    due_ns = earlier(due_ns, close_when_due(actor, now_ns, empty));
    if (actor->room == NULL) {
        atomic_store_explicit(&actor->base.yields, false, memory_order_relaxed);
        return;
    }
    due_ns = earlier(due_ns, forget_when_due(actor, now_ns));
    trim_when_due(actor, now_ns);
    choose_place(actor, now_ns);
    show(actor);
    due_ns = earlier(earlier(due_ns, qd_room_due_ns(actor->room)), actor->rest_trim_ns);
    if (actor->lagging_count > 0) {
        due_ns = earlier(due_ns, now_ns + LAGGING_LOOK_NS);
    }
    /* Most runs leave the timer as it was. A timer that has not been due is still set. */
    if (due_ns == actor->timer_ns && due_ns > now_ns) {
        return;
    }
    actor->timer_ns = due_ns;
    scheduler->wake_at(scheduler->context, &actor->base, due_ns);
}

void qd_room_keep_up(qd_room_actor *actor, uint64_t now_ns)
{
    qd_recording_begin(actor, QD_ENTRY_KEEP_UP, now_ns);
    do_due(actor, now_ns);
    qd_recording_end(actor);
}

/* At rest. */
static void count_ticks(qd_room_actor *actor, uint64_t now_ns)
{
    qd_recording_begin(actor, QD_ENTRY_COUNT, now_ns);
    qd_room_clock_count(actor, now_ns);
    qd_recording_end(actor);
}

static void close_now(qd_room_actor *actor, qd_room_closed_reason reason)
{
    qd_recording_begin(actor, QD_ENTRY_CLOSE, reason);
    qd_room_actor_close(actor, reason, NULL, 0);
    qd_recording_end(actor);
}

/* ---- the run ---- */

static void retired(qd_actor *base)
{
    qd_room_actor_destroy((qd_room_actor *)base);
}

/* A closed room's actor waits until its memberships are given up. */
static void finish(qd_room_actor *actor)
{
    const qd_scheduler *scheduler = actor->service->config.scheduler;

    scheduler->wake_at(scheduler->context, &actor->base, QD_NEVER);
    /* `arrivals` does not change once the room is not listed. Messages that are still to come wake the actor, also those
     * of detached sessions that expire. */
    if (actor->arrivals != actor->arrivals_seen || actor->memberships_known > 0) {
        return;
    }
    /* Every message belongs to a membership that is still there. */
    QD_ASSERT(actor->messages == NULL && TAILQ_EMPTY(&actor->laters));
    if (atomic_load(&actor->users) > 0) {
        /* A loop has posted its last message and is about to finish with the actor. */
        qd_room_actor_wake(actor);
    } else {
        scheduler->retire(scheduler->context, &actor->base, retired);
    }
}

void qd_room_run(qd_actor *base)
{
    qd_room_actor *actor = (qd_room_actor *)base;
    const uint8_t closing = atomic_load(&actor->closing);

    if (actor->clock == QD_CLOCK_RESTS && actor->room != NULL) {
        count_ticks(actor, qd_service_now_ns(actor->service));
    }
    qd_time_budget_apply(actor, closing != 0);
    if (actor->room != NULL && closing != 0) {
        close_now(actor, (qd_room_closed_reason)closing);
    }
    if (actor->room != NULL) {
        qd_room_keep_up(actor, qd_service_now_ns(actor->service));
    }
    if (actor->room == NULL) {
        finish(actor);
    }
}

/* ---- inline runs ---- */

/* Whether a Step is short whatever came since the last tick. A reader that catches up gets all pairs. */
static bool ticks_quickly(const qd_room_actor *actor, bool crowded)
{
    const uint64_t entities = qd_room_entity_count(actor->room), pairs_max = qd_room_tick_pairs_max(actor->room);

    if (actor->lagging_count > 0 || entities > QD_INLINE_ENTITIES_MAX) {
        return false;
    }
    if (!crowded && entities * entities <= INLINE_PAIRS_SURE && pairs_max <= INLINE_PAIRS_SURE) {
        return true;
    }
    const bool calm = qd_service_now_ns(actor->service) >= actor->calm_from_ns;

    return qd_tick_usual_us(actor) <= (crowded ? INLINE_TICK_US_MAX_CROWDED : INLINE_TICK_US_MAX) &&
           pairs_max <= (calm ? INLINE_PAIRS_MAX_CALM : INLINE_PAIRS_MAX);
}

static bool may_run_inline(const qd_room_actor *actor, const qd_room_message *message)
{
    if (actor->room == NULL || message == &message->membership->leave) {
        return false;
    }
    const qd_request *request = (const qd_request *)message;
    return request->light &&
           (request->decoded.message.kind != QD_CLIENT_STEP || ticks_quickly(actor, request->is_for_worker));
}

/* Moves change nothing that time makes due, so they need no keep_up, unless they start the clock or wake it. Then
 * keep_up gets the time of before, when no tick was due, so that none is made here. */
void qd_room_run_inline(qd_actor *base)
{
    qd_room_actor *actor = (qd_room_actor *)base;
    qd_message *message = qd_mailbox_take(&actor->mailbox);
    const bool starts = actor->config.tick_mode == QD_TICK_MODE_CLOCK && actor->clock != QD_CLOCK_RUNS;
    const uint64_t start_ns = starts ? qd_service_now_ns(actor->service) : 0;
    bool stepped = false;

    if (starts && actor->clock == QD_CLOCK_RESTS && actor->room != NULL) {
        count_ticks(actor, start_ns);
    }
    for (qd_message *next; message != NULL && may_run_inline(actor, (qd_room_message *)message); message = next) {
        next = message->next;
        stepped |= ((qd_request *)message)->decoded.message.kind == QD_CLIENT_STEP;
        qd_time_budget_apply_inline(actor, (qd_request *)message);
    }
    actor->messages = message;
    if (message != NULL) {
        qd_room_actor_wake(actor);
    } else if (stepped || starts) {
        qd_room_keep_up(actor, starts ? start_ns : qd_service_now_ns(actor->service));
    }
}

void qd_room_run_fetch(qd_actor *base)
{
    qd_room_actor *actor = (qd_room_actor *)base;

    qd_fetch_to_write(actor, offsetof(qd_room_actor, entry.name));
    qd_fetch(actor->members, sizeof *actor->members);
    if (actor->room != NULL) {
        qd_room_fetch(actor->room);
    }
}
