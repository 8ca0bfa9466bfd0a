/* SPDX-License-Identifier: Apache-2.0 */
#include "roster_request.h"

#include <inttypes.h>
#include <stdio.h>

#include "../../actor/service/limits.h"

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

qd_error_code qd_roster_request_check(const qd_client_message *message, uint32_t dimensions, char *fault,
                                      size_t fault_size)
{
    bool moves = message->kind == QD_CLIENT_ROSTER_MOVE;
    uint32_t number = moves ? message->as.roster_move.roster : message->as.roster.roster;

    if (number >= QD_ROOM_ROSTERS_MAX) {
        snprintf(fault, fault_size, "roster is %" PRIu32 ": must be 0 to %u", number, QD_ROOM_ROSTERS_MAX - 1);
        return QD_ERROR_INVALID;
    }
    return moves ? check_columns(&message->as.roster_move, dimensions, fault, fault_size) : QD_ERROR_NONE;
}
