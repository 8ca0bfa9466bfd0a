/* SPDX-License-Identifier: Apache-2.0 */
#include "room_actor.h"

#include <inttypes.h>
#include <string.h>

#include "../base/assert.h"
#include "../base/fetch.h"
#include "../base/log.h"
#include "../session/resume.h"
#include "../session/session.h"
#include "commands.h"
#include "publish_pairs.h"
#include "publish_views.h"
#include "reply.h"
#include "time_budget.h"

#define SECOND_NS UINT64_C(1000000000)
#define MS_NS     UINT64_C(1000000)

/* Who cannot take its events is looked at this often, besides when its link says that it drained. */
#define STUCK_LOOK_NS (250 * MS_NS)

/* What the tick after a Step may take of the time of the loop that visits. */
#define VISIT_TICK_US_MAX 100u

static void run(qd_actor *actor);
static void fetch(qd_actor *actor);
static void run_inline(qd_actor *actor);

/* ---- creation and end ---- */

/* Returns whether there was memory for it. */
static bool create_room(qd_host *host)
{
    const qd_msg_room_config *config = &host->config;
    const qd_room_config room = {
        .space =
            {
                .dimensions = config->dimensions,
                .min_x = config->bounds.min_x,
                .min_y = config->bounds.min_y,
                .min_z = config->bounds.min_z,
                .max_x = config->bounds.max_x,
                .max_y = config->bounds.max_y,
                .max_z = config->bounds.max_z,
                .index = (qd_space_index)config->index,
                .prune = (qd_space_prune)config->prune,
                .depth = config->depth,
                .cell_size = config->cell_size,
                .swept = config->swept,
            },
        .entities_max = config->entities_max,
        .events_max = config->events_max,
        .observers_max = config->observers_max,
        .sightings_max = config->sightings_max,
        .roster_ids_max = host->server->config.limits.roster_ids_max,
        .grace_ns = config->grace_ms * MS_NS,
    };
    qd_status status = qd_room_create(&room, &host->heap, qd_server_random(host->server), &host->room);

    /* What qd_room_config_check lets through, a space takes. */
    QD_ASSERT(status != QD_ERR_INVALID);
    return status == QD_OK;
}

qd_host *qd_host_create(qd_server *server, const char *name, const qd_msg_room_config *config,
                        const struct qd_session *creator)
{
    qd_host *host = qd_shared_alloc(sizeof *host);

    if (host == NULL) {
        return NULL;
    }
    memset(host, 0, sizeof *host);
    host->server = server;
    host->config = *config;
    host->epoch = qd_server_random(server);
    host->creator = creator->number;
    host->empty_since_ns = QD_NEVER;
    host->timer_ns = QD_NEVER;
    memcpy(host->named.name, name, strlen(name) + 1);
    qd_actor_init(&host->actor, run);
    host->actor.fetch = fetch;
    qd_mailbox_init(&host->mailbox);
    qd_lockstep_init(&host->lockstep, config->writers, config->step_deadline_ms * MS_NS);
    qd_heap_init(&host->heap);
    atomic_fetch_add(&server->hosts, 1);
    host->creator_token = qd_token_acquire(creator->token);
    if (!create_room(host)) {
        qd_host_destroy(host);
        return NULL;
    }
    atomic_fetch_add(&server->rooms, 1);
    return host;
}

static void free_room(qd_host *host)
{
    if (host->room == NULL) {
        return;
    }
    qd_room_destroy(host->room);
    host->room = NULL;
    for (uint32_t i = 0; i < host->member_capacity; i++) {
        qd_token_release(host->members[i].token);
    }
    qd_heap_free(&host->heap, host->members, host->member_capacity * sizeof *host->members);
    host->members = NULL;
    host->member_capacity = 0;
    atomic_fetch_sub(&host->server->rooms, 1);
}

void qd_host_destroy(qd_host *host)
{
    qd_server *server = host->server;

    free_room(host);
    qd_heap_deinit(&host->heap);
    qd_token_release(host->creator_token);
    qd_shared_free(host, sizeof *host);
    /* Last: who waits for the hosts to be gone may free the server then. */
    atomic_fetch_sub(&server->hosts, 1);
}

static void retired(qd_actor *actor)
{
    qd_host_destroy((qd_host *)actor);
}

qd_host *qd_host_of(qd_named *named)
{
    return (qd_host *)((char *)named - offsetof(qd_host, named));
}

/* ---- messages in ---- */

void qd_host_wake(qd_host *host)
{
    const qd_scheduler *scheduler = host->server->config.scheduler;

    scheduler->wake(scheduler->context, &host->actor);
}

static void put(qd_host *host, qd_room_message *message)
{
    if (qd_mailbox_put(&host->mailbox, &message->message)) {
        qd_host_wake(host);
    }
}

void qd_host_use(qd_host *host)
{
    atomic_fetch_add(&host->users, 1);
}

size_t qd_host_share(const qd_host *host)
{
    uint32_t writers = atomic_load_explicit(&host->writers, memory_order_relaxed);
    size_t share = host->server->config.limits.room_batches_max / (writers == 0 ? 1 : writers);

    return share == 0 ? 1 : share;
}

void qd_host_post(qd_host *host, qd_request *request)
{
    qd_session *session = request->head.seat->session;

    request->bytes = sizeof *request + request->decoded.memory_size;
    qd_gate_enter(&request->head.seat->batches, 1, qd_host_share(host), session->link);
    qd_gate_enter(&session->bytes, request->bytes, qd_session_bytes_max(session), session->link);
    const qd_scheduler *scheduler = host->server->config.scheduler;
    bool light = qd_slice_is_light(request);
    /* From here on the request may be applied, and be gone. */
    bool first = qd_mailbox_put(&host->mailbox, &request->head.message);
    if (first && light) {
        scheduler->run_inline(scheduler->context, &host->actor, run_inline);
    } else if (first) {
        qd_host_wake(host);
    }
}

void qd_host_leave(qd_host *host, qd_seat *seat)
{
    put(host, &seat->leave);
    atomic_fetch_sub(&host->users, 1);
}

void qd_host_unuse(qd_host *host)
{
    qd_host_wake(host);
    atomic_fetch_sub(&host->users, 1);
}

void qd_host_stop(qd_host *host)
{
    atomic_store(&host->stop, true);
    qd_host_wake(host);
}

/* ---- seats ---- */

void qd_host_note(qd_host *host, qd_seat *seat, uint32_t seq)
{
    if (seq == 0) {
        return;
    }
    if (seat->news_seq == 0) {
        seat->news_next = host->news;
        host->news = seat;
    }
    seat->news_seq = seq;
}

qd_seat *qd_host_seat(const qd_host *host, uint32_t member)
{
    QD_ASSERT(member < host->member_capacity && host->members[member].seat != NULL);
    return host->members[member].seat;
}

void qd_host_applied(qd_host *host, qd_seat *seat, uint64_t tick, uint32_t seq)
{
    seat->applied_seq = seq;
    qd_reply_send(host->server, seat->session->link,
                  &(qd_server_message){.seq = seq,
                                       .kind = QD_SERVER_APPLIED,
                                       .as.applied = {.room = host->named.handle, .tick = tick, .seq = seq}});
}

void qd_host_let_go(qd_host *host, qd_seat *seat)
{
    for (qd_seat **link = &host->news; *link != NULL; link = &(*link)->news_next) {
        if (*link == seat) {
            *link = seat->news_next;
            break;
        }
    }
    qd_host_unstick(host, seat);
    seat->joined = false;
}

bool qd_host_forget(qd_host *host, qd_seat *seat)
{
    qd_host_let_go(host, seat);
    host->members[seat->member].seat = NULL;
    host->member_count--;
    return qd_lockstep_leave(&host->lockstep, &seat->lockstep);
}

/* ---- ticks ---- */

static void keep_time(qd_host *host, uint64_t took_ns)
{
    uint64_t took_us = (took_ns + 500) / 1000;

    host->times_us[host->time_count++ % QD_HOST_TIMES] = took_us > UINT32_MAX ? UINT32_MAX : (uint32_t)took_us;
}

/* In lockstep: those who were waited for and did not step, as an Applied tells of them. */
static void list_late(const qd_host *host, uint64_t late[QD_APPLIED_LATE_MAX], qd_msg_applied *applied)
{
    for (uint32_t i = 0; i < host->member_capacity; i++) {
        const qd_seat *seat = host->members[i].seat;

        if (seat == NULL || !seat->lockstep.known || seat->lockstep.stepped) {
            continue;
        }
        if (applied->late_listed < QD_APPLIED_LATE_MAX) {
            late[applied->late_listed++] = seat->session->number;
        }
        applied->late_count++;
    }
    applied->late = late;
}

/* Every Applied that is due at a tick. */
static void send_news(qd_host *host, uint64_t tick)
{
    uint64_t late[QD_APPLIED_LATE_MAX];
    qd_msg_applied plain = {.room = host->named.handle, .tick = tick}, of_step = plain;

    if (host->lockstep.writers > 0) {
        list_late(host, late, &of_step);
    }
    for (qd_seat *seat = host->news, *next; seat != NULL; seat = next) {
        next = seat->news_next;
        /* Whatever came in after the Step is in as well, but it is the Step that is answered. */
        bool stepped = seat->lockstep.stepped && seat->lockstep.seq != 0;
        qd_server_message message = {.seq = stepped ? seat->lockstep.seq : seat->news_seq,
                                     .kind = QD_SERVER_APPLIED,
                                     .as.applied = stepped ? of_step : plain};
        message.as.applied.seq = seat->applied_seq = seat->news_seq;
        seat->news_seq = 0;
        seat->applied_early = false;
        qd_reply_send(host->server, seat->session->link, &message);
    }
    host->news = NULL;
}

static void end_lockstep(qd_host *host)
{
    if (host->lockstep.writers == 0) {
        return;
    }
    qd_lockstep_ticked(&host->lockstep);
    for (uint32_t i = 0; i < host->member_capacity; i++) {
        if (host->members[i].seat != NULL) {
            host->members[i].seat->lockstep.stepped = false;
        }
    }
}

bool qd_host_step(qd_host *host, qd_seat *seat, uint32_t seq)
{
    qd_lockstep_result result = QD_LOCKSTEP_TICK;

    if (host->lockstep.writers > 0) {
        result = qd_lockstep_step(&host->lockstep, &seat->lockstep, seq, qd_server_now_ns(host->server));
    }
    if (result == QD_LOCKSTEP_AGAIN) {
        return false;
    }
    qd_host_note(host, seat, seq);
    if (result == QD_LOCKSTEP_TICK) {
        qd_host_tick(host, 0);
    }
    return true;
}

void qd_host_tick(qd_host *host, uint32_t skipped)
{
    qd_server *server = host->server;
    uint64_t start_ns = qd_server_now_ns(server);

    if (host->member_capacity > 0) {
        qd_fetch_to_write(host->members->seat, sizeof *host->members->seat);
    }
    qd_fetch_to_write(&host->times_us[host->time_count % QD_HOST_TIMES], sizeof *host->times_us);
    qd_room_tick(host->room, server->config.scheduler->executor, skipped);
    host->dirty = false;
    host->resets_due = false;
    /* Views first: a reset that fits into an empty queue alone must find it empty. That of a subscription comes between
     * ticks. */
    qd_views_publish(host);
    qd_publish(host);
    send_news(host, qd_room_last_tick(host->room));
    end_lockstep(host);
    qd_count(server, QD_COUNT_TICKS, 1);
    uint64_t events = qd_room_events_count(host->room);
    qd_count(server, QD_COUNT_EVENTS, events - host->events_counted);
    host->events_counted = events;
    keep_time(host, qd_server_now_ns(server) - start_ns);
}

void qd_host_catch_up(qd_host *host)
{
    host->resets_due = false;
    qd_room_view_catch_up(host->room);
    qd_views_publish(host);
    qd_room_catch_up(host->room, host->server->config.scheduler->executor);
    qd_publish(host);
}

/* When that many periods have passed since the clock's start, rounded up. */
static uint64_t period_ns(const qd_host *host, uint64_t periods)
{
    uint64_t hz = host->config.tick_hz;

    return host->clock_start_ns + periods / hz * SECOND_NS + (periods % hz * SECOND_NS + hz - 1) / hz;
}

static uint64_t periods_until(const qd_host *host, uint64_t now_ns)
{
    uint64_t hz = host->config.tick_hz, elapsed_ns = now_ns - host->clock_start_ns;

    return elapsed_ns / SECOND_NS * hz + elapsed_ns % SECOND_NS * hz / SECOND_NS;
}

/* Whether a tick would change nothing, and nobody waits for one. */
static bool is_still(const qd_host *host)
{
    qd_room_view_stats views;

    if (host->dirty || host->news != NULL || host->stuck_count > 0 || qd_room_entity_count(host->room) > 0) {
        return false;
    }
    qd_room_view_stats_get(host->room, &views);
    return views.observers == 0;
}

/* Returns when the next tick is due. */
static uint64_t tick_when_due(qd_host *host, uint64_t now_ns)
{
    if (host->config.tick_mode != QD_TICK_MODE_CLOCK) {
        if (host->lockstep.due_ns <= now_ns) {
            qd_host_tick(host, 0);
        }
        return host->lockstep.due_ns;
    }
    if (is_still(host)) {
        host->clock_runs = false;
        return QD_NEVER;
    }
    if (!host->clock_runs) {
        host->clock_runs = true;
        host->clock_start_ns = now_ns;
        host->clock_periods = 0;
    }
    if (now_ns >= period_ns(host, host->clock_periods + 1)) {
        uint64_t periods = periods_until(host, now_ns);
        uint64_t skipped = periods - host->clock_periods - 1;

        host->clock_periods = periods;
        qd_host_tick(host, skipped > UINT32_MAX ? UINT32_MAX : (uint32_t)skipped);
    }
    return period_ns(host, host->clock_periods + 1);
}

/* ---- closing ---- */

void qd_host_close(qd_host *host, qd_room_closed_reason reason, qd_seat *asker, uint32_t seq)
{
    qd_server *server = host->server;

    qd_registry_lock(&server->registry);
    if (host->named.listed) {
        qd_registry_remove(&server->registry, &host->named);
    }
    qd_registry_unlock(&server->registry);

    host->closed_reason = reason;
    qd_room_despawn_all(host->room);
    if (host->member_count > 0) {
        qd_host_tick(host, 0);
    }
    qd_server_message message = {.kind = QD_SERVER_ROOM_CLOSED,
                                 .as.room_closed = {.room = host->named.handle, .reason = reason}};
    for (uint32_t i = 0; i < host->member_capacity; i++) {
        qd_seat *seat = host->members[i].seat;

        if (seat == NULL) {
            continue;
        }
        message.seq = seat == asker ? seq : 0;
        qd_reply_send(server, seat->session->link, &message);
        (void)qd_host_forget(host, seat);
        atomic_store(&seat->gone, QD_SEAT_CLOSED);
    }
    qd_log(QD_LOG_DEBUG, "room closed room=%" PRIu64 " name=\"%s\" reason=%d", host->named.handle, host->named.name,
           (int)reason);
    free_room(host);
}

/* Closes the room when nobody and nothing has been in it for long enough. Returns when to look again. */
static uint64_t close_when_due(qd_host *host, uint64_t now_ns, bool empty)
{
    if (!empty) {
        host->empty_since_ns = QD_NEVER;
        return QD_NEVER;
    }
    if (host->empty_since_ns == QD_NEVER) {
        host->empty_since_ns = now_ns;
    }
    uint64_t due_ns = host->empty_since_ns + host->config.empty_close_ms * MS_NS;
    if (now_ns < due_ns) {
        return due_ns;
    }
    qd_registry_lock(&host->server->registry);
    bool nobody_comes = host->arrivals == host->arrivals_seen;
    if (nobody_comes && host->named.listed) {
        qd_registry_remove(&host->server->registry, &host->named);
    }
    qd_registry_unlock(&host->server->registry);
    if (nobody_comes) {
        qd_host_close(host, QD_ROOM_CLOSED_EMPTY, NULL, 0);
    }
    /* Else a message is there that will wake the host. */
    return QD_NEVER;
}

/* Sessions that are kept have no thread of their own: their rooms look after them. Returns when to look again. */
static uint64_t look_after_parked(qd_host *host)
{
    if (atomic_load(&host->server->parked_due_ns) == QD_NEVER) {
        return QD_NEVER;
    }
    qd_resume_expire(host->server, qd_server_now_ns(host->server));
    return atomic_load(&host->server->parked_due_ns);
}

/* A closed host waits for its seats to be given up. */
static void finish(qd_host *host)
{
    const qd_scheduler *scheduler = host->server->config.scheduler;

    scheduler->wake_at(scheduler->context, &host->actor, QD_NEVER);
    /* `arrivals` does not change once the room is not listed. Messages that are still to come wake the host. */
    if (host->arrivals != host->arrivals_seen || host->seats_known > 0) {
        /* Seats may be a session's that is parked. */
        scheduler->wake_at(scheduler->context, &host->actor, look_after_parked(host));
        return;
    }
    /* A message that is left is of a seat that is not given up. */
    QD_ASSERT(host->messages == NULL);
    if (atomic_load(&host->users) > 0) {
        qd_host_wake(host); /* a loop is between its last message and its last touch: a moment */
    } else {
        scheduler->retire(scheduler->context, &host->actor, retired);
    }
}

/* ---- the run ---- */

static uint64_t earlier(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

static void show(qd_host *host)
{
    atomic_store_explicit(&host->shown_tick, qd_room_last_tick(host->room), memory_order_relaxed);
    atomic_store_explicit(&host->shown_entities, qd_room_entity_count(host->room), memory_order_relaxed);
    atomic_store_explicit(&host->shown_sessions, host->member_count, memory_order_relaxed);
}

static bool is_empty(const qd_host *host)
{
    return host->member_count == 0 && qd_room_entity_count(host->room) == 0;
}

/* All that time makes due. */
static void keep_up(qd_host *host)
{
    const qd_scheduler *scheduler = host->server->config.scheduler;
    uint64_t now_ns = qd_server_now_ns(host->server);

    if (qd_room_due_ns(host->room) <= now_ns) {
        qd_room_expire(host->room, now_ns);
        host->dirty = true;
    }
    bool empty = is_empty(host);
    uint64_t due_ns = tick_when_due(host, now_ns);
    qd_host_revive(host, now_ns);
    due_ns = earlier(due_ns, close_when_due(host, now_ns, empty));
    if (host->room == NULL) {
        return;
    }
    show(host);
    due_ns = earlier(due_ns, qd_room_due_ns(host->room));
    if (host->stuck_count > 0) {
        due_ns = earlier(due_ns, now_ns + STUCK_LOOK_NS);
    }
    due_ns = earlier(due_ns, look_after_parked(host));
    /* Most runs leave the timer as it was: one that has not been due is still set. */
    if (due_ns == host->timer_ns && due_ns > now_ns) {
        return;
    }
    host->timer_ns = due_ns;
    scheduler->wake_at(scheduler->context, &host->actor, due_ns);
}

void qd_host_fetch(const qd_host *host)
{
    qd_fetch_to_write(host, offsetof(qd_host, config.depth));
}

/* What a tick looks at before the room asks for the rest of its memory. */
static void fetch(qd_actor *actor)
{
    qd_host *host = (qd_host *)actor;

    qd_fetch_to_write(host, offsetof(qd_host, named.name));
    qd_fetch(host->members, sizeof *host->members);
    if (host->room != NULL) {
        qd_room_fetch(host->room);
    }
}

static void run(qd_actor *actor)
{
    qd_host *host = (qd_host *)actor;
    bool stop = atomic_load(&host->stop);

    qd_slice_apply(host, stop);
    if (host->room != NULL && stop) {
        qd_host_close(host, QD_ROOM_CLOSED_SHUTDOWN, NULL, 0);
    }
    if (host->room != NULL) {
        keep_up(host);
    }
    if (host->room == NULL) {
        finish(host);
    }
}

/* ---- visits ---- */

static bool ticks_quickly(const qd_host *host)
{
    return host->time_count > 0 && host->times_us[(host->time_count - 1) % QD_HOST_TIMES] <= VISIT_TICK_US_MAX;
}

static bool may_visit(const qd_host *host, const qd_room_message *message)
{
    if (host->room == NULL || message == &message->seat->leave) {
        return false;
    }
    const qd_request *request = (const qd_request *)message;
    return qd_slice_is_light(request) && (request->decoded.message.kind != QD_CLIENT_STEP || ticks_quickly(host));
}

/* Moves change nothing that is due at a time, so that they need no keep_up, unless the clock stands still. */
static void run_inline(qd_actor *actor)
{
    qd_host *host = (qd_host *)actor;
    qd_message *message = qd_mailbox_take(&host->mailbox);
    bool stepped = false;

    for (qd_message *next; message != NULL && may_visit(host, (qd_room_message *)message); message = next) {
        next = message->next;
        stepped |= ((qd_request *)message)->decoded.message.kind == QD_CLIENT_STEP;
        qd_apply(host, (qd_room_message *)message);
    }
    host->messages = message;
    if (message != NULL) {
        qd_host_wake(host);
    } else if (stepped || (host->config.tick_mode == QD_TICK_MODE_CLOCK && !host->clock_runs)) {
        keep_up(host);
    }
}
