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

/* Answers keep the order of their requests. But subscriptions that come together get their resets together. */
static void begin(qd_room_actor *actor, const qd_room_message *message, bool subscribes, bool stopping)
{
    qd_recording_begin_message(actor, message, stopping);
    if (actor->resets_due && !subscribes) {
        qd_tick_catch_up(actor);
    }
}

/* One of the Moves that were joined, without memory of its own. */
static qd_request part_of(const qd_request *joined, uint32_t i)
{
    const qd_client_message *all = &joined->decoded.message;
    const qd_room_batch *batch = &all->as.batch.entities;
    const uint32_t first = i == 0 ? 0 : joined->joined_each[i - 1].end;

    return (qd_request){
        .head.membership = joined->head.membership,
        .decoded.message = {.kind = QD_CLIENT_MOVE,
                            .seq = joined->joined_each[i].seq,
                            .as.batch = {.room = all->as.batch.room,
                                         .entities = {.count = joined->joined_each[i].end - first,
                                                      .id = batch->id + first,
                                                      .x = batch->x + first,
                                                      .y = batch->y + first,
                                                      .z = batch->z != NULL ? batch->z + first : NULL}}}};
}

/* Carries out joined Moves together, or one by one if an entry must be refused, because each Move has its own answer. A
 * record has each Move, too. */
static void run_joined(qd_room_actor *actor, const qd_request *joined, bool stopping)
{
    bool done = false;

    for (uint32_t i = 0; i < joined->joined && (!done || actor->recording != NULL); i++) {
        const qd_request part = part_of(joined, i);

        begin(actor, &part.head, false, stopping);
        if (i == 0 && !stopping && actor->room != NULL && part.head.membership->joined) {
            done = qd_joined_moves_command(actor, joined);
        }
        if (!done) {
            apply_request(actor, &part, stopping);
        }
        qd_recording_end(actor);
    }
}

static void run_request(qd_room_actor *actor, const qd_request *request, bool stopping)
{
    begin(actor, &request->head, request->decoded.message.kind == QD_CLIENT_SUBSCRIBE, stopping);
    apply_request(actor, request, stopping);
    qd_recording_end(actor);
}

static void run_leave(qd_room_actor *actor, const qd_room_message *leave, bool stopping)
{
    begin(actor, leave, false, stopping);
    qd_leave_command(actor, leave->membership);
    qd_recording_end(actor);
}

void qd_command_run(qd_room_actor *actor, qd_room_message *message, bool stopping)
{
    qd_membership *membership = message->membership;

    if (message == &membership->leave) {
        run_leave(actor, message, stopping);
        return;
    }
    qd_request *request = (qd_request *)message;
    if (request->joined > 0) {
        run_joined(actor, request, stopping);
    } else {
        run_request(actor, request, stopping);
    }
    qd_endpoint *endpoint = membership->endpoint;
    size_t bytes = request->bytes;
    qd_request_destroy(request);
    qd_backpressure_leave(&membership->batches, 1, qd_room_actor_share(actor), endpoint->link);
    qd_backpressure_leave(&endpoint->bytes, bytes, endpoint->bytes_max, endpoint->link);
}
