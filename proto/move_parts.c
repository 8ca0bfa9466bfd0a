/* SPDX-License-Identifier: Apache-2.0 */
#include "move_parts.h"

static qd_client_message by_ids(const qd_msg_move_rooms *all, uint32_t part, uint32_t at)
{
    return (qd_client_message){.kind = QD_CLIENT_MOVE,
                               .as.batch = {.room = all->part_room[part],
                                            .entities = {.count = all->part_size[part],
                                                         .id = all->id + at,
                                                         .x = all->x + at,
                                                         .y = all->y + at,
                                                         .z = all->z != NULL ? all->z + at : NULL}}};
}

static qd_client_message by_roster(const qd_msg_move_rooms *all, uint32_t part, uint32_t at)
{
    return (qd_client_message){.kind = QD_CLIENT_MOVE_ROSTER,
                               .as.move_roster = {.room = all->part_room[part],
                                                  .roster = all->part_roster != NULL ? all->part_roster[part] : 0,
                                                  .first = all->part_first != NULL ? all->part_first[part] : 0,
                                                  .count = all->part_size[part],
                                                  .x = all->x != NULL ? all->x + at : NULL,
                                                  .y = all->y != NULL ? all->y + at : NULL,
                                                  .z = all->z != NULL ? all->z + at : NULL}};
}

bool qd_move_parts_next(qd_move_parts *parts, qd_client_message *part)
{
    const qd_msg_move_rooms *all = &parts->frame->as.move_rooms;
    const uint32_t next = parts->next;

    if (next == all->part_count) {
        return false;
    }
    *part = all->id != NULL ? by_ids(all, next, parts->at) : by_roster(all, next, parts->at);
    part->seq = parts->frame->seq == 0 ? 0 : parts->frame->seq + next;
    part->confirm = parts->frame->confirm;
    parts->at += all->part_size[next];
    parts->next++;
    return true;
}
