/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "../../actor/service/limits.h"
#include "requests.h"

/* In two dimensions there is no column for the third axis. In three dimensions z comes with x and y. */
static bool check_z(const qd_msg_entities *entities, uint32_t dimensions, qd_fault *fault)
{
    const char *column = entities->z != NULL        ? "z"
                         : entities->half_z != NULL ? "half_z"
                         : entities->axis_z != NULL ? "axis_z"
                                                    : NULL;

    if (dimensions == 2 && column != NULL) {
        return qd_fault_invalid(
            fault, "%s has values, but the room has two dimensions; must be absent. Leave that column out", column);
    }
    if (dimensions == 3 && entities->x != NULL && entities->z == NULL) {
        return qd_fault_set(
            fault, QD_ERROR_COLUMNS,
            "column z is missing, but the room has three dimensions; must be there. Send it beside x and y");
    }
    return true;
}

bool qd_batch_check(const qd_client_message *message, uint32_t dimensions, qd_fault *fault)
{
    return check_z(&message->as.batch.entities, dimensions, fault);
}

bool qd_roster_check(const qd_client_message *message, uint32_t dimensions, qd_fault *fault)
{
    bool moves = message->kind == QD_CLIENT_MOVE_ROSTER;
    const qd_msg_move_roster *move = &message->as.move_roster;
    uint32_t number = moves ? move->roster : message->as.set_roster.roster;

    if (number >= QD_ROOM_ROSTERS_MAX) {
        return qd_fault_invalid(fault, "roster is %" PRIu32 "; must be 0 to %u", number, QD_ROOM_ROSTERS_MAX - 1);
    }
    return !moves || check_z(&(qd_msg_entities){.x = move->x, .z = move->z}, dimensions, fault);
}

bool qd_move_rooms_check(const qd_client_message *message, qd_fault *fault)
{
    const qd_msg_move_rooms *move = &message->as.move_rooms;
    uint64_t sum = 0;

    if (move->part_count > QD_MOVE_PARTS_MAX) {
        return qd_fault_invalid(fault, "the frame has %" PRIu32 " parts; must have at most %u. Send several frames",
                                move->part_count, QD_MOVE_PARTS_MAX);
    }
    if (move->id != NULL && (move->part_roster != NULL || move->part_first != NULL)) {
        return qd_fault_invalid(fault, "%s has values, and so has id; must be absent. Move by ids or by rosters",
                                move->part_roster != NULL ? "part_roster" : "part_first");
    }
    for (uint32_t i = 0; i < move->part_count; i++) {
        sum += move->part_size[i];
    }
    return sum == move->count || qd_fault_set(fault, QD_ERROR_COLUMNS,
                                              "column part_size adds up to %" PRIu64 ", column x has %" PRIu32
                                              " values; must be equal. Send the sum of the parts",
                                              sum, move->count);
}

bool qd_hand_over_check(const qd_client_message *message, uint32_t dimensions, qd_fault *fault)
{
    const qd_msg_hand_over *handover = &message->as.hand_over;

    (void)dimensions;
    if ((handover->session != 0) != handover->room_owned) {
        return true;
    }
    return qd_fault_invalid(
        fault,
        handover->room_owned ? "session is %" PRIu64 ", and room_owned is set; must be one of them. Name one receiver"
                             : "session is %" PRIu64 "; must be the receiver. Name it, or set room_owned",
        handover->session);
}
