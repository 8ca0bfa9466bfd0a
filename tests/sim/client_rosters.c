/* SPDX-License-Identifier: Apache-2.0
 *
 * Clients of the simulation register rosters, and move by them.
 */
#include "client.h"

static uint32_t pick(sim_client *client, uint32_t count)
{
    return sim_pick(&client->scene->world, count);
}

static bool percent(sim_client *client, uint32_t share)
{
    return sim_percent(&client->scene->world, share);
}

/* Sends the request and adds it to the stay's. */
static void send_op(sim_client *client, model_stay *stay, model_op *op, qd_client_message *message)
{
    sim_request *sent = sim_client_request(client, op->kind, stay);

    message->seq = op->seq = client->seq;
    message->kind = op->kind;
    sent->op = model_stay_send(stay, op);
    sim_client_write(client, message);
}

static void name(sim_client *client, model_stay *stay, uint32_t number)
{
    const model_roster *roster = &stay->rosters[number];
    model_op op = {.kind = QD_CLIENT_ROSTER, .roster = number, .keep_rest = percent(client, 50)};

    op.first = percent(client, 40) ? 0 : pick(client, roster->count + 1);
    op.count = percent(client, 10) ? 0 : 1 + pick(client, OP_ENTRIES);
    if (op.first + op.count > ROSTER_IDS) {
        op.count = ROSTER_IDS - op.first;
    }
    for (uint32_t i = 0; i < op.count; i++) {
        op.id[i] = sim_client_target(client, stay);
    }
    send_op(client, stay, &op,
            &(qd_client_message){.as.roster = {.room = stay->room->handle,
                                               .roster = number,
                                               .first = op.first,
                                               .count = op.count,
                                               .id = op.id,
                                               .keep_rest = op.keep_rest}});
}

static void move(sim_client *client, model_stay *stay, uint32_t number)
{
    const model_roster *roster = &stay->rosters[number];
    model_op op = {.kind = QD_CLIENT_ROSTER_MOVE, .roster = number, .first = pick(client, roster->count)};
    bool is_3d = stay->room->dimensions == 3;

    op.count = roster->count - op.first;
    op.count = 1 + pick(client, op.count < OP_ENTRIES ? op.count : OP_ENTRIES);
    for (uint32_t i = 0; i < op.count; i++) {
        for (uint32_t axis = 0; axis < stay->room->dimensions; axis++) {
            op.at[axis][i] = sim_client_coordinate(client);
        }
    }
    send_op(client, stay, &op,
            &(qd_client_message){.as.roster_move = {.room = stay->room->handle,
                                                    .roster = number,
                                                    .first = op.first,
                                                    .count = op.count,
                                                    .x = op.at[0],
                                                    .y = op.at[1],
                                                    .z = is_3d ? op.at[2] : NULL,
                                                    .teleport = percent(client, 20)}});
}

/* Moves a roster that does not exist, or entries that it does not have. */
static void move_wrongly(sim_client *client, model_stay *stay, uint32_t number)
{
    static const float at[2] = {1, 2};
    uint32_t count = stay->rosters[number].count;
    sim_request *sent = sim_client_request(client, QD_CLIENT_ROSTER_MOVE, stay);

    sent->must_be = count == 0 ? QD_ERROR_UNKNOWN_ROSTER : QD_ERROR_INVALID;
    sim_client_write(client, &(qd_client_message){.seq = client->seq,
                                                  .kind = QD_CLIENT_ROSTER_MOVE,
                                                  .as.roster_move = {.room = stay->room->handle,
                                                                     .roster = number,
                                                                     .first = count == 0 ? 0 : count - 1,
                                                                     .count = 2,
                                                                     .x = at,
                                                                     .y = at,
                                                                     .z = stay->room->dimensions == 3 ? at : NULL}});
}

void sim_client_act_on_rosters(sim_client *client, model_stay *stay)
{
    uint32_t number = pick(client, STAY_ROSTERS);

    if (percent(client, 5)) {
        move_wrongly(client, stay, number);
    } else if (stay->rosters[number].count == 0 || percent(client, 25)) {
        name(client, stay, number);
    } else {
        move(client, stay, number);
    }
}
