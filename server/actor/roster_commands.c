/* SPDX-License-Identifier: Apache-2.0 */
#include "roster_commands.h"

#include <inttypes.h>
#include <stdio.h>

#include "../session/session.h"
#include "commands.h"
#include "reply.h"

#define fail qd_apply_fail

/* ---- checks ---- */

static qd_error_code check_columns(const qd_msg_roster_move *move, uint32_t dimensions, char *fault, size_t fault_size)
{
    if (dimensions == 2 && move->z != NULL) {
        snprintf(fault, fault_size, "z has values, but the room has two dimensions: leave that column out");
        return QD_ERROR_INVALID;
    }
    if (dimensions == 3 && move->x != NULL && move->z == NULL) {
        snprintf(fault, fault_size, "column z is missing, but the room has three dimensions: send it beside x and y");
        return QD_ERROR_COLUMNS;
    }
    return QD_ERROR_NONE;
}

qd_error_code qd_roster_check(const qd_client_message *message, uint32_t dimensions, char *fault, size_t fault_size)
{
    bool moves = message->kind == QD_CLIENT_ROSTER_MOVE;
    uint32_t number = moves ? message->as.roster_move.roster : message->as.roster.roster;

    if (number >= QD_ROOM_ROSTERS_MAX) {
        snprintf(fault, fault_size, "roster is %" PRIu32 ": must be 0 to %u", number, QD_ROOM_ROSTERS_MAX - 1);
        return QD_ERROR_INVALID;
    }
    return moves ? check_columns(&message->as.roster_move, dimensions, fault, fault_size) : QD_ERROR_NONE;
}

/* ---- carrying out ---- */

static void apply_roster(qd_host *host, const qd_request *request)
{
    const qd_msg_roster *roster = &request->decoded.message.as.roster;
    qd_seat *seat = request->head.seat;
    const qd_room_roster said = {.number = roster->roster,
                                 .first = roster->first,
                                 .count = roster->count,
                                 .id = roster->id,
                                 .keep_rest = roster->keep_rest};
    uint32_t count;

    switch (qd_room_roster_name(host->room, seat->member, &said)) {
    case QD_OK:
        qd_host_note(host, seat, request->decoded.message.seq);
        break;
    case QD_ERR_INVALID:
        (void)qd_room_roster_ids(host->room, seat->member, said.number, &count);
        fail(host, request, QD_ERROR_INVALID,
             "first is %" PRIu32 ", but roster %" PRIu32 " has %" PRIu32 " entries: go on where it ends at the latest",
             said.first, said.number, count);
        break;
    case QD_ERR_FULL:
        fail(host, request, QD_ERROR_LIMIT,
             "with these %" PRIu32 " ids in roster %" PRIu32 " from %" PRIu32 " on, this session's rosters in the room "
             "would have more than %" PRIu32 " together (--roster-ids-max): drop one, or name fewer",
             said.count, said.number, said.first, host->server->config.limits.roster_ids_max);
        break;
    default:
        fail(host, request, QD_ERROR_LIMIT,
             "the server has no memory left for a roster of %" PRIu32 " ids more (--memory-max): name fewer",
             said.count);
        break;
    }
}

static void fail_move(qd_host *host, const qd_request *request)
{
    const qd_msg_roster_move *move = &request->decoded.message.as.roster_move;
    uint32_t size;

    if (qd_room_roster_ids(host->room, request->head.seat->member, move->roster, &size) == NULL) {
        fail(host, request, QD_ERROR_UNKNOWN_ROSTER,
             "roster is %" PRIu32 ", but this session has none of that number in the room: name it by Roster first",
             move->roster);
    } else {
        fail(host, request, QD_ERROR_INVALID,
             "%" PRIu32 " positions from entry %" PRIu32 " on: roster %" PRIu32 " has %" PRIu32 " entries", move->count,
             move->first, move->roster, size);
    }
}

static void apply_move(qd_host *host, const qd_request *request)
{
    const qd_msg_roster_move *move = &request->decoded.message.as.roster_move;
    qd_seat *seat = request->head.seat;
    const qd_room_roster_positions places = {.number = move->roster,
                                          .first = move->first,
                                          .count = move->count,
                                          .x = move->x,
                                          .y = move->y,
                                          .z = move->z,
                                          .teleport = move->teleport};
    qd_room_refusals refusals;

    if (qd_room_roster_move(host->room, seat->member, &places, &refusals) != QD_OK) {
        fail_move(host, request);
        return;
    }
    host->dirty = true;
    qd_count(host->server, QD_COUNT_UPDATES, move->count - refusals.count);
    qd_host_note(host, seat, request->decoded.message.seq);
    if (refusals.count > 0) {
        uint32_t size;
        const uint32_t *ids = qd_room_roster_ids(host->room, seat->member, move->roster, &size);

        qd_apply_refusals(host, request, move->count, ids + move->first, &refusals);
    }
}

void qd_rosters_apply(qd_host *host, const qd_request *request)
{
    if (request->decoded.message.kind == QD_CLIENT_ROSTER) {
        apply_roster(host, request);
    } else {
        apply_move(host, request);
    }
}
