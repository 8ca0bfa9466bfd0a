/* SPDX-License-Identifier: Apache-2.0 */
#include "room_actor.h"

#include <string.h>

#include "../base/memory/fetch.h"
#include "record/recording.h"
#include "room_run.h"

#define MS_NS UINT64_C(1000000)

/* A batch of this many entities takes about 10 us, and up to 2 ms if all of them jump. */
#define LIGHT_ENTITIES_MAX 4096u

/* So many take a millisecond or more. */
#define LONG_ENTITIES_MIN 10000u

/* Returns whether there was memory for the room. */
static bool create_room(qd_room_actor *actor, uint64_t salt)
{
    const qd_msg_room_config *config = &actor->config;
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
                .test_budget = actor->service->config.limits.test_budget,
            },
        .entities_max = config->entities_max,
        .events_max = config->events_max,
        .observers_max = config->observers_max,
        .visible_entries_max = config->visible_entries_max,
        .roster_ids_max = actor->service->config.limits.roster_ids_max,
        .grace_ns = config->grace_ms * MS_NS,
    };
    qd_status status = qd_room_create(&room, &actor->heap, salt, &actor->room);

    /* A config that the session has checked suits a space. */
    QD_ASSERT(status != QD_ERR_INVALID);
    return status == QD_OK;
}

qd_room_actor *qd_room_actor_create(qd_service *service, const char *name, const qd_msg_room_config *config,
                                    const qd_endpoint *creator)
{
    qd_room_actor *actor = qd_shared_alloc(sizeof *actor);

    if (actor == NULL) {
        return NULL;
    }
    memset(actor, 0, sizeof *actor);
    actor->service = service;
    actor->config = *config;
    actor->epoch = qd_service_random(service);
    const uint64_t salt = qd_service_random(service);
    actor->creator = creator->session;
    actor->empty_since_ns = QD_NEVER;
    actor->timer_ns = actor->rest_trim_ns = QD_NEVER;
    atomic_init(&actor->shown_zero_ns, QD_NEVER);
    memcpy(actor->entry.name, name, strlen(name) + 1);
    qd_actor_init(&actor->base, qd_room_run);
    actor->base.fetch = qd_room_run_fetch;
    qd_mailbox_init(&actor->mailbox);
    TAILQ_INIT(&actor->laters);
    qd_lockstep_init(&actor->lockstep, config->writers, config->step_deadline_ms * MS_NS);
    qd_heap_init(&actor->heap);
    atomic_fetch_add(&service->actors, 1);
    actor->creator_token = qd_token_acquire(creator->token);
    actor->has_timer = service->config.scheduler->reserve_timer(service->config.scheduler->context);
    if (!actor->has_timer || !qd_recording_create(actor, salt) || !create_room(actor, salt)) {
        qd_room_actor_destroy(actor);
        return NULL;
    }
    qd_charges_init(&actor->charges, actor->room, &actor->heap, creator->account, actor->journal);
    atomic_fetch_add(&service->rooms, 1);
    return actor;
}

qd_room_actor *qd_room_actor_of(qd_room_entry *entry)
{
    return (qd_room_actor *)((char *)entry - offsetof(qd_room_actor, entry));
}

void qd_room_actor_fetch(const qd_room_actor *actor)
{
    qd_fetch_to_write(actor, offsetof(qd_room_actor, config.depth));
}

void qd_room_actor_use(qd_room_actor *actor)
{
    atomic_fetch_add(&actor->users, 1);
}

/* Whether the request takes so little time that an inline run may apply it. */
static bool is_light(const qd_request *request)
{
    const qd_client_message *message = &request->decoded.message;

    switch (message->kind) {
    case QD_CLIENT_STEP:
        return true;
    case QD_CLIENT_MOVE:
        return message->as.batch.entities.count <= LIGHT_ENTITIES_MAX;
    case QD_CLIENT_MOVE_ROSTER:
        return message->as.move_roster.count <= LIGHT_ENTITIES_MAX;
    default:
        return false;
    }
}

/* Whether it may take a worker a millisecond or more. */
static bool is_long(const qd_request *request)
{
    switch (request->decoded.message.kind) {
    case QD_CLIENT_QUERY:
    case QD_CLIENT_GET_SNAPSHOT:
        return true;
    case QD_CLIENT_SPAWN:
    case QD_CLIENT_MOVE:
    case QD_CLIENT_TELEPORT:
        return request->decoded.message.as.batch.entities.count > LONG_ENTITIES_MIN;
    default:
        return false;
    }
}

/* Of the parts of a MoveRooms, so many times more may wait: a full room delays its own parts, and the others of the
 * connection go on. */
#define PARTS_SHARE 4u

/* Whether this thread tries to apply it at once. When several rooms step at this loop, those with longer ticks get
 * workers (room_run.c). */
static bool is_for_inline(const qd_room_actor *actor, qd_request *request, const qd_endpoint *endpoint)
{
    if (!request->light || request->decoded.message.kind != QD_CLIENT_STEP) {
        return request->light && !request->is_for_worker;
    }
    if (atomic_load_explicit(&actor->shown_entities, memory_order_relaxed) > QD_INLINE_ENTITIES_MAX) {
        return false;
    }
    request->is_for_worker = !qd_link_may_work(endpoint->link, actor);
    return true;
}

/* Most sessions never make a worker work for long, and this does not look at the clock. */
static bool is_within_budget(const qd_service *service, const qd_endpoint *endpoint)
{
    return qd_time_bucket_is_unused(&endpoint->time) ||
           qd_time_bucket_covers(&endpoint->time, service->share, qd_service_now_ns(service), 0);
}

void qd_room_actor_post(qd_room_actor *actor, qd_request *request)
{
    qd_membership *membership = request->head.membership;
    qd_endpoint *endpoint = membership->endpoint;
    const qd_scheduler *scheduler = actor->service->config.scheduler;

    bool light = request->light = is_light(request), urgent = is_within_budget(actor->service, endpoint);
    const bool inline_run = is_for_inline(actor, request, endpoint);
    request->bytes += request->decoded.memory_size;
    if (!light && is_long(request)) {
        qd_actor_set_long(&actor->base, true);
    }
    const size_t share = qd_room_actor_share(actor);
    qd_backpressure_enter(&membership->batches, 1, request->frame != NULL ? PARTS_SHARE * share : share,
                          endpoint->link);
    qd_backpressure_enter(&endpoint->bytes, request->bytes, endpoint->bytes_max, endpoint->link);
    /* From here on a run may apply the request and free it. */
    bool first = qd_mailbox_put(&actor->mailbox, &request->head.message);
    if (first && inline_run) {
        scheduler->run_inline(scheduler->context, &actor->base, qd_room_run_inline, urgent);
    } else if (urgent && (first || !qd_actor_is_urgent(&actor->base))) {
        qd_room_actor_wake(actor); /* also if an earlier message has woken it to wait behind */
    } else if (first) {
        qd_room_actor_wake_behind(actor);
    }
}

void qd_room_actor_leave(qd_room_actor *actor, qd_membership *membership)
{
    if (qd_mailbox_put(&actor->mailbox, &membership->leave.message)) {
        qd_room_actor_wake(actor);
    }
    atomic_fetch_sub(&actor->users, 1);
}

void qd_room_actor_stop(qd_room_actor *actor, qd_room_closed_reason reason)
{
    atomic_store(&actor->closing, (uint8_t)reason);
    qd_room_actor_wake(actor);
}
