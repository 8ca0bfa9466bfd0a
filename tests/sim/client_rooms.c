/* SPDX-License-Identifier: Apache-2.0
 *
 * Moves in many rooms by one frame: a client sends several ops together, each as a part with its own seq.
 */
#include "client.h"

#define PARTS_MAX 4u

/* A MoveRooms that grows part by part. */
typedef struct together {
    qd_client_message frame;
    uint64_t room[PARTS_MAX];
    uint32_t size[PARTS_MAX], roster[PARTS_MAX], first[PARTS_MAX], id[PARTS_MAX * OP_ENTRIES];
    float at[3][PARTS_MAX * OP_ENTRIES];
    bool by_roster;
} together;

/* Notes the draft, with its positions, as the next part. */
static void add_part(sim_client *client, model_stay *stay, together *all)
{
    qd_msg_move_rooms *move = &all->frame.as.move_rooms;
    model_op *op = client->draft;
    const uint32_t part = move->part_count++;

    op->message.confirm = all->frame.confirm;
    sim_client_note(client, stay, &op->message)->op = op;
    client->draft = NULL;
    model_stay_send(stay, op);
    all->room[part] = stay->room->handle;
    all->size[part] = op->count;
    for (uint32_t i = 0; i < op->count; i++, move->count++) {
        all->id[move->count] = op->id[i];
        for (uint32_t axis = 0; axis < 3; axis++) {
            all->at[axis][move->count] = op->at[axis][i];
        }
    }
    if (all->by_roster) {
        all->roster[part] = op->message.as.move_roster.roster;
        all->first[part] = op->message.as.move_roster.first;
    }
}

static void draft_part(sim_client *client, model_stay *stay, together *all)
{
    const uint32_t number = pick(client, STAY_ROSTERS), size = stay->rosters[number].count;
    const uint32_t first = size > 0 ? pick(client, size) : 0, left = size - first;

    if (all->by_roster && size == 0) {
        return;
    }
    model_op *op = sim_client_draft(client, all->by_roster ? QD_CLIENT_MOVE_ROSTER : QD_CLIENT_MOVE);
    const float *z = sim_third(stay, op->at[2]);
    op->count = 1 + pick(client, all->by_roster && left < OP_ENTRIES ? left : OP_ENTRIES);
    for (uint32_t i = 0; i < op->count; i++) {
        op->id[i] = all->by_roster ? 0 : sim_client_target(client, stay);
        for (uint32_t axis = 0; axis < stay->room->config.dimensions; axis++) {
            op->at[axis][i] = sim_client_coordinate(client);
        }
    }
    if (all->by_roster) {
        op->message.as.move_roster = (qd_msg_move_roster){
            .roster = number, .first = first, .count = op->count, .x = op->at[0], .y = op->at[1], .z = z};
    } else {
        op->message.as.batch.entities =
            (qd_msg_entities){.count = op->count, .id = op->id, .x = op->at[0], .y = op->at[1], .z = z};
    }
    add_part(client, stay, all);
}

/* A part for a room that the client is not in. */
static void add_wrong_part(sim_client *client, together *all)
{
    qd_msg_move_rooms *move = &all->frame.as.move_rooms;
    qd_client_message message = {.kind = QD_CLIENT_MOVE, .as.room.room = 5};

    sim_client_note(client, NULL, &message)->must_be = QD_ERROR_UNKNOWN_ROOM;
    all->room[move->part_count] = 5;
    all->size[move->part_count++] = 0;
}

void sim_client_move_together(sim_client *client, uint32_t dimensions)
{
    together all = {.frame = {.kind = QD_CLIENT_MOVE_ROOMS, .confirm = percent(client, 30)},
                    .by_roster = percent(client, 30)};
    qd_msg_move_rooms *move = &all.frame.as.move_rooms;
    const uint64_t seq = client->seq + 1;

    for (uint32_t parts = 1 + pick(client, PARTS_MAX); parts > 0; parts--) {
        const sim_slot *slot = &client->slots[pick(client, client->scene->room_count)];

        if (percent(client, 5)) {
            add_wrong_part(client, &all);
        } else if (slot->stay != NULL && !slot->leaving && slot->stay->room->config.dimensions == dimensions) {
            draft_part(client, slot->stay, &all);
        }
    }
    if (move->part_count == 0) {
        return;
    }
    all.frame.seq = seq;
    move->part_room = all.room;
    move->part_size = all.size;
    move->part_roster = all.by_roster ? all.roster : NULL;
    move->part_first = all.by_roster ? all.first : NULL;
    move->id = all.by_roster || move->count == 0 ? NULL : all.id;
    move->x = move->count > 0 ? all.at[0] : NULL;
    move->y = move->count > 0 ? all.at[1] : NULL;
    move->z = move->count > 0 && dimensions == 3 ? all.at[2] : NULL;
    sim_link_send(client->link, &all.frame);
}
