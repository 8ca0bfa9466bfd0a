/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "../tick/applied.h"
#include "accepted.h"
#include "command.h"

#define fail qd_command_fail

void qd_batch_command(qd_room_actor *actor, const qd_request *request)
{
    const qd_msg_batch *message = &request->decoded.message.as.batch;
    const qd_room_batch *batch = &message->entities;
    qd_membership *membership = request->head.membership;
    const uint32_t owner = message->room_owned ? QD_ROOM_OWNED : membership->member; /* of a Spawn */
    qd_room_refusals refusals;

    switch (request->decoded.message.kind) {
    case QD_CLIENT_SPAWN:
        qd_charges_allow(&actor->charges, owner, QD_QUOTA_ENTITIES, batch->count, true);
        qd_room_spawn(actor->room, membership->member, batch, message->room_owned, &refusals);
        qd_charges_settle(&actor->charges, owner);
        break;
    case QD_CLIENT_MOVE:
        qd_room_move(actor->room, membership->member, batch, &refusals);
        break;
    case QD_CLIENT_TELEPORT:
        qd_room_teleport(actor->room, membership->member, batch, &refusals);
        break;
    case QD_CLIENT_RESHAPE:
        qd_room_reshape(actor->room, membership->member, batch, &refusals);
        break;
    default:
        qd_room_despawn(actor->room, membership->member, batch, &refusals);
        qd_charges_settle(&actor->charges, membership->member);
        qd_charges_settle(&actor->charges, QD_ROOM_OWNED);
        break;
    }
    actor->changed = true;
    qd_count(&actor->service->counters, QD_COUNT_UPDATES, batch->count - refusals.count);
    qd_applied_note(actor, membership, request->decoded.message.seq);
    qd_accepted_send_refusals(actor, request, batch->id, &refusals);
}

bool qd_joined_moves_command(qd_room_actor *actor, const qd_request *request)
{
    const qd_client_message *message = &request->decoded.message;
    qd_membership *membership = request->head.membership;

    if (!qd_room_move_all(actor->room, membership->member, &message->as.batch.entities)) {
        return false;
    }
    actor->changed = true;
    qd_count(&actor->service->counters, QD_COUNT_UPDATES, message->as.batch.entities.count);
    qd_applied_note(actor, membership, message->seq);
    return true;
}

/* ---- rosters ---- */

static void apply_roster(qd_room_actor *actor, const qd_request *request)
{
    const qd_msg_set_roster *roster = &request->decoded.message.as.set_roster;
    qd_membership *membership = request->head.membership;
    const qd_room_roster named = {.number = roster->roster,
                                  .first = roster->first,
                                  .count = roster->count,
                                  .id = roster->id,
                                  .keep_rest = roster->keep_rest};
    uint32_t count;

    if (!qd_charges_may_grow(&actor->charges)) {
        qd_command_fail_quota(actor, request);
        return;
    }
    switch (qd_room_roster_name(actor->room, membership->member, &named)) {
    case QD_OK:
        qd_applied_note(actor, membership, request->decoded.message.seq);
        qd_accepted_confirm(actor, request);
        break;
    case QD_ERR_INVALID:
        (void)qd_room_roster_ids(actor->room, membership->member, named.number, &count);
        fail(actor, request, QD_ERROR_INVALID,
             "first is %" PRIu32 ", but roster %" PRIu32 " has %" PRIu32
             " entries; must be at most that number. Register the entries before it first",
             named.first, named.number, count);
        break;
    case QD_ERR_FULL:
        fail(actor, request, QD_ERROR_LIMIT,
             "%" PRIu32 " ids come into roster %" PRIu32 " from entry %" PRIu32
             " on; this session's rosters in the room must have at most %" PRIu32
             " together (--roster-ids-max). Empty one, or send fewer ids",
             named.count, named.number, named.first, actor->service->config.limits.roster_ids_max);
        break;
    default:
        fail(actor, request, QD_ERROR_LIMIT,
             "the server has no memory left for %" PRIu32 " more ids in a roster (--memory-max). Send fewer ids",
             named.count);
        break;
    }
}

static void fail_move(qd_room_actor *actor, const qd_request *request)
{
    const qd_msg_move_roster *move = &request->decoded.message.as.move_roster;
    uint32_t size;

    if (qd_room_roster_ids(actor->room, request->head.membership->member, move->roster, &size) == NULL) {
        fail(actor, request, QD_ERROR_UNKNOWN_ROSTER,
             "roster is %" PRIu32 "; must be a roster of this session in the room. Register it by SetRoster first",
             move->roster);
    } else {
        fail(actor, request, QD_ERROR_INVALID,
             "%" PRIu32 " positions come from entry %" PRIu32 " on; must end within roster %" PRIu32
             ", which has %" PRIu32 " entries. Send fewer positions, or SetRoster first",
             move->count, move->first, move->roster, size);
    }
}

static void apply_move(qd_room_actor *actor, const qd_request *request)
{
    const qd_msg_move_roster *move = &request->decoded.message.as.move_roster;
    qd_membership *membership = request->head.membership;
    const qd_room_roster_positions places = {
        .number = move->roster, .first = move->first, .count = move->count, .x = move->x, .y = move->y, .z = move->z};
    qd_room_refusals refusals;

    if (qd_room_move_roster(actor->room, membership->member, &places, &refusals) != QD_OK) {
        fail_move(actor, request);
        return;
    }
    actor->changed = true;
    qd_count(&actor->service->counters, QD_COUNT_UPDATES, move->count - refusals.count);
    qd_applied_note(actor, membership, request->decoded.message.seq);
    uint32_t size;
    const uint32_t *ids = qd_room_roster_ids(actor->room, membership->member, move->roster, &size);
    qd_accepted_send_refusals(actor, request, ids + move->first, &refusals);
}

void qd_roster_command(qd_room_actor *actor, const qd_request *request)
{
    if (request->decoded.message.kind == QD_CLIENT_SET_ROSTER) {
        apply_roster(actor, request);
    } else {
        apply_move(actor, request);
    }
}
