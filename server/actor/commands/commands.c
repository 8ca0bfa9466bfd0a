/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <inttypes.h>

#include "../record/recording.h"
#include "../tick/tick.h"
#include "command.h"

static bool only_reads(qd_client_kind kind)
{
    return kind == QD_CLIENT_QUERY || kind == QD_CLIENT_GET_SNAPSHOT || kind == QD_CLIENT_WHY ||
           kind == QD_CLIENT_GET_STATS;
}

/* Whether the server stops, and this request is not carried out any more. */
static bool is_too_late(const qd_room_actor *actor, qd_client_kind kind, bool stopping)
{
    return stopping && (only_reads(kind) ||
                        (kind != QD_CLIENT_OPEN_ROOM &&
                         qd_journal_ask(actor->journal, QD_ASK_HURRIED, atomic_load(&actor->service->hurried)) != 0));
}

static void apply_request(qd_room_actor *actor, const qd_request *request, bool stopping)
{
    static void (*const commands[])(qd_room_actor *, const qd_request *) = {
        [QD_CLIENT_OPEN_ROOM] = qd_open_command,
        [QD_CLIENT_CLOSE_ROOM] = qd_close_command,
        [QD_CLIENT_SPAWN] = qd_batch_command,
        [QD_CLIENT_MOVE] = qd_batch_command,
        [QD_CLIENT_TELEPORT] = qd_batch_command,
        [QD_CLIENT_RESHAPE] = qd_batch_command,
        [QD_CLIENT_DESPAWN] = qd_batch_command,
        [QD_CLIENT_SUBSCRIBE] = qd_subscribe_command,
        [QD_CLIENT_UNSUBSCRIBE] = qd_unsubscribe_command,
        [QD_CLIENT_GET_SNAPSHOT] = qd_snapshot_command,
        [QD_CLIENT_STEP] = qd_step_command,
        [QD_CLIENT_GET_STATS] = qd_stats_command,
        [QD_CLIENT_QUERY] = qd_query_command,
        [QD_CLIENT_SET_DESCRIPTION] = qd_view_command,
        [QD_CLIENT_OBSERVE] = qd_view_command,
        [QD_CLIENT_MOVE_OBSERVERS] = qd_view_command,
        [QD_CLIENT_UNOBSERVE] = qd_view_command,
        [QD_CLIENT_SET_EXCEPTIONS] = qd_view_command,
        [QD_CLIENT_SET_VIEW_OPTIONS] = qd_view_command,
        [QD_CLIENT_WHY] = qd_view_command,
        [QD_CLIENT_HAND_OVER] = qd_hand_over_command,
        [QD_CLIENT_ADOPT] = qd_adopt_command,
        [QD_CLIENT_SET_ROSTER] = qd_roster_command,
        [QD_CLIENT_MOVE_ROSTER] = qd_roster_command,
    };
    qd_membership *membership = request->head.membership;
    qd_client_kind kind = request->decoded.message.kind;
    if (kind == QD_CLIENT_OPEN_ROOM) {
        actor->arrivals_seen++;
        actor->memberships_known += !membership->known;
        membership->known = true;
    }
    if (actor->room == NULL) {
        qd_membership_shut(membership, QD_MEMBERSHIP_CLOSED);
    }
    if (only_reads(kind) && qd_room_actor_is_cut_off(actor, membership)) {
        return;
    }
    if (actor->room == NULL || (!membership->joined && kind != QD_CLIENT_OPEN_ROOM) ||
        is_too_late(actor, kind, stopping)) {
        qd_command_fail(actor, request, QD_ERROR_UNKNOWN_ROOM,
                        "room is %" PRIu64 ", which is closed; must be open. OpenRoom first", actor->entry.handle);
    } else {
        commands[kind](actor, request);
    }
}

void qd_command_run(qd_room_actor *actor, qd_room_message *message, bool stopping)
{
    qd_membership *membership = message->membership;
    bool leaves = message == &membership->leave;
    qd_request *request = leaves ? NULL : (qd_request *)message;

    qd_recording_begin_message(actor, message, stopping);
    /* Answers keep the order of their requests. But subscriptions that come together get their resets together. */
    if (actor->resets_due && (leaves || request->decoded.message.kind != QD_CLIENT_SUBSCRIBE)) {
        qd_tick_catch_up(actor);
    }
    if (leaves) {
        qd_leave_command(actor, membership);
        qd_recording_end(actor);
        return;
    }
    apply_request(actor, request, stopping);
    qd_recording_end(actor);
    qd_endpoint *endpoint = membership->endpoint;
    size_t bytes = request->bytes;
    qd_request_destroy(request);
    qd_backpressure_leave(&membership->batches, 1, qd_room_actor_share(actor), endpoint->link);
    qd_backpressure_leave(&endpoint->bytes, bytes, endpoint->bytes_max, endpoint->link);
}
