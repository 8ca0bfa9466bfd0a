/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "../../room/room_views.h"
#include "../tick/applied.h"
#include "accepted.h"
#include "command.h"

#define fail qd_command_fail

static void apply_describe(qd_room_actor *actor, const qd_request *request)
{
    const qd_msg_set_description *describe = &request->decoded.message.as.set_description;
    qd_room_refusals refusals;

    qd_room_describe(actor->room, request->head.membership->member, describe, &refusals);
    qd_accepted_send_refusals(actor, request, describe->id, &refusals);
}

/* The relay stream gives slots by phase for the tier with the longest period. */
static void note_tiers(qd_room_actor *actor, uint32_t member, const qd_msg_observers *observers)
{
    qd_actor_member *row = &actor->members[member];

    if (observers->tier_count == 0) {
        return;
    }
    row->relay_every = 0;
    for (uint32_t i = 0; i < observers->tier_count; i++) {
        row->relay_every = row->relay_every > observers->relay_every[i] ? row->relay_every : observers->relay_every[i];
    }
}

static void apply_observers(qd_room_actor *actor, const qd_request *request)
{
    const qd_client_message *message = &request->decoded.message;
    const qd_msg_observers *observers = &message->as.observers;
    uint32_t member = request->head.membership->member;
    qd_room_refusals refusals;

    switch (message->kind) {
    case QD_CLIENT_OBSERVE:
        qd_charges_allow(&actor->charges, member, QD_QUOTA_OBSERVERS, observers->count, true);
        qd_room_observe(actor->room, member, observers, &refusals);
        note_tiers(actor, member, observers);
        qd_charges_settle(&actor->charges, member);
        actor->charges_due = true;
        break;
    case QD_CLIENT_MOVE_OBSERVERS:
        qd_room_observers_move(actor->room, member, observers, &refusals);
        break;
    default:
        qd_room_unobserve(actor->room, member, observers->count, observers->id, &refusals);
        qd_charges_settle(&actor->charges, member);
        break;
    }
    qd_accepted_send_refusals(actor, request, observers->id, &refusals);
}

/* Returns false if the request is refused as a whole. */
static bool apply_except(qd_room_actor *actor, const qd_request *request)
{
    const qd_msg_set_exceptions *except = &request->decoded.message.as.set_exceptions;

    if (except->show_count + except->hide_count > 0 && !qd_charges_may_grow(&actor->charges)) {
        qd_command_fail_quota(actor, request);
        return false;
    }
    qd_status status = qd_room_except(actor->room, request->head.membership->member, except->observer,
                                      except->show_count, except->show, except->hide_count, except->hide);

    if (status == QD_ERR_NO_MEMORY) {
        fail(actor, request, QD_ERROR_LIMIT,
             "the server has no memory left for lists of %" PRIu32 " ids (--memory-max). Send shorter ones",
             except->show_count + except->hide_count);
    } else if (status != QD_OK) {
        fail(actor, request, QD_ERROR_UNKNOWN_OBSERVER,
             "observer is %" PRIu32 "; must be an observer of this session in the room. Observe first",
             except->observer);
    }
    if (status == QD_OK) {
        qd_accepted_confirm(actor, request);
    }
    return status == QD_OK;
}

/* A stream with another precision starts with a reset. */
static void set_relay(qd_room_actor *actor, uint32_t member, const qd_msg_set_view_options *options)
{
    const qd_relay_precision precision = {
        .axes = actor->config.dimensions == 3 ? 3 : 2, .is_exact = !options->has_relay_k, .k = options->relay_k};
    qd_actor_member *row = &actor->members[member];

    const bool is_same = row->precision.is_exact == precision.is_exact && row->precision.k == precision.k;

    if (row->relays_once == options->relay_once && (is_same || !options->relay_once)) {
        return;
    }
    row->relays_once = options->relay_once;
    row->precision = precision;
    qd_relay_stream_destroy(row->relay);
    row->relay = NULL;
    qd_room_view_restart(actor->room, member);
}

/* A reverse view that changes starts with the current set of watchers. */
static void apply_options(qd_room_actor *actor, const qd_request *request)
{
    static const uint8_t watching[] = {
        [0] = QD_ROOM_WATCH_NONE,
        [QD_WATCH_NONE] = QD_ROOM_WATCH_NONE,
        [QD_WATCH_OWN] = QD_ROOM_WATCH_OWN,
        [QD_WATCH_ALL] = QD_ROOM_WATCH_ALL,
    };
    const qd_msg_set_view_options *options = &request->decoded.message.as.set_view_options;

    const uint32_t member = request->head.membership->member;

    qd_room_view_options_set(actor->room, member,
                             (qd_room_view_options){.bytes_max = options->bytes_max,
                                                    .watching = watching[options->watch],
                                                    .relays_once = options->relay_once});
    set_relay(actor, member, options);
    actor->resets_due = true;
    qd_accepted_confirm(actor, request);
}

/* ---- Why ---- */

/* Writes the answer's columns into one block, those with the widest values first. */
static qd_msg_why_result columns_of(const qd_room_actor *actor, const qd_room_reason *reasons, uint32_t count,
                                    void *block)
{
    uint64_t *session = block;
    double *distance = (double *)(session + count);
    float *range = (float *)(distance + count), *leave_margin = range + count;
    uint32_t *observer = (uint32_t *)(leave_margin + count), *limit = observer + count, *seen = limit + count;
    uint8_t *sight = (uint8_t *)(seen + count);

    for (uint32_t i = 0; i < count; i++) {
        session[i] = actor->members[reasons[i].member].session;
        observer[i] = reasons[i].observer;
        sight[i] = (uint8_t)reasons[i].visibility;
        distance[i] = reasons[i].distance;
        range[i] = reasons[i].range;
        leave_margin[i] = reasons[i].leave_margin;
        limit[i] = reasons[i].limit;
        seen[i] = reasons[i].seen;
    }
    return (qd_msg_why_result){.count = count,
                               .session = session,
                               .observer = observer,
                               .visibility = sight,
                               .distance = distance,
                               .range = range,
                               .leave_margin = leave_margin,
                               .limit = limit,
                               .seen = seen};
}
#define WHY_ROW_BYTES (sizeof(uint64_t) + sizeof(double) + 2 * sizeof(float) + 3 * sizeof(uint32_t) + 1)

static void send_reasons(qd_room_actor *actor, const qd_request *request, qd_room_reason *reasons, uint32_t count,
                         bool more)
{
    qd_server_message message = {.seq = request->decoded.message.seq, .kind = QD_SERVER_WHY_RESULT};
    qd_frames list = {.heap = &actor->heap};

    if (count > 0) {
        message.as.why_result = columns_of(actor, reasons, count, reasons + count);
    }
    message.as.why_result.room = actor->entry.handle;
    message.as.why_result.tick = qd_room_last_tick(actor->room);
    message.as.why_result.more = more;
    (void)qd_frames_push(&list, qd_reply_encode(&message));
    if (qd_command_send(actor, request, &list) != QD_COMMAND_SENT) {
        fail(actor, request, QD_ERROR_LIMIT,
             "the answer has %" PRIu32 " observers; must fit in this session's queue (--queue-max) and the server's "
             "memory (--memory-max). Read what is queued first, or name one observer",
             count);
    }
}

static void apply_why(qd_room_actor *actor, const qd_request *request)
{
    const qd_msg_why *why = &request->decoded.message.as.why;
    uint32_t member = why->observer ? request->head.membership->member : UINT32_MAX;
    uint32_t found = qd_room_why(actor->room, member, why->a, why->b, 0, NULL);

    if (found == UINT32_MAX) {
        fail(actor, request, why->observer ? QD_ERROR_UNKNOWN_OBSERVER : QD_ERROR_UNKNOWN_ID,
             "a is %" PRIu32 ", %s, and b is %" PRIu32
             ", an entity; both must be in the room. Spawn or Observe the missing one first",
             why->a, why->observer ? "an observer of this session" : "an entity", why->b);
        return;
    }
    uint32_t count = found < QD_WHY_ROWS_MAX ? found : QD_WHY_ROWS_MAX;
    size_t size = count * (sizeof(qd_room_reason) + WHY_ROW_BYTES);
    qd_room_reason *reasons = count == 0 ? NULL : qd_heap_alloc(&actor->heap, size);
    if (count > 0 && reasons == NULL) {
        fail(actor, request, QD_ERROR_LIMIT,
             "the server has no memory left for the reasons of %" PRIu32 " observers (--memory-max). Name one observer",
             count);
        return;
    }
    (void)qd_room_why(actor->room, member, why->a, why->b, count, reasons);
    send_reasons(actor, request, reasons, count, found > count);
    qd_heap_free(&actor->heap, reasons, size);
}

void qd_view_command(qd_room_actor *actor, const qd_request *request)
{
    const qd_client_message *message = &request->decoded.message;
    bool applied = true;

    switch (message->kind) {
    case QD_CLIENT_SET_DESCRIPTION:
        apply_describe(actor, request);
        break;
    case QD_CLIENT_SET_EXCEPTIONS:
        applied = apply_except(actor, request);
        break;
    case QD_CLIENT_SET_VIEW_OPTIONS:
        apply_options(actor, request);
        break;
    case QD_CLIENT_WHY:
        apply_why(actor, request);
        return;
    default:
        apply_observers(actor, request);
        break;
    }
    actor->changed = true;
    if (applied) {
        qd_applied_note(actor, request->head.membership, message->seq);
    }
}
