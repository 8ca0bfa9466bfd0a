/* SPDX-License-Identifier: Apache-2.0 */
#include "client.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/codec.h"

/* ---- the connection ---- */

void sim_client_forget(sim_client *client)
{
    for (uint32_t i = 0; i < ROOMS_MAX; i++) {
        model_observer_destroy(client->slots[i].observer);
        model_views_destroy(client->slots[i].views);
        client->slots[i] = (sim_slot){0};
    }
    client->request_count = 0;
    client->cut = client->has_key = client->must_resume = client->revoked = false;
    if (client->older != NULL) {
        sim_link_drop(client->older);
        qd_link_release(&client->older->link);
        client->older = NULL;
    }
    if (client->link == NULL) {
        return;
    }
    qd_frame_reader_deinit(&client->reader);
    qd_link_release(&client->link->link);
    client->link = NULL;
}

void sim_client_deinit(sim_client *client)
{
    sim_client_forget(client);
    free(client->requests);
    free(client->draft);
}

void sim_client_connect(sim_client *client)
{
    sim_scene *scene = client->scene;
    const qd_link_handler handler = qd_server_link_handler(&scene->house.server);

    client->link = sim_link_create(&scene->house.world, &handler, sim_limits(client)->queue_bytes_max);
    client->link->tap = sim_scene_tap;
    client->link->handed = sim_scene_handed;
    client->link->tap_context = scene;
    client->link->owner = client;
    qd_frame_reader_init(&client->reader, QD_SERVER_FRAME_BYTES_MAX, NULL);
    client->welcomed = client->gone_away = client->ended_by_error = false;
    client->has_written = false;
    if (client->vandal && percent(client, 50)) {
        return;
    }
    qd_msg_hello hello = {.version = QD_PROTOCOL_VERSION,
                          .client = "sim",
                          .resumable = percent(client, 70),
                          .token = sim_tokens[client->token]};
    if (client->has_key) {
        hello.resume = (qd_msg_key){sizeof client->key, client->key};
    }
    sim_link_send(client->link, &(qd_client_message){.seq = ++client->seq, .kind = QD_CLIENT_HELLO, .as.hello = hello});
    client->has_written = true;
}

/* Sends an invalid length, a frame that is too long, bytes that are no frame, or nothing. */
static void vandalise(sim_client *client)
{
    const struct {
        uint8_t bytes[6];
        size_t size;
    } wrongs[] = {
        {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 6},
        {{0xff, 0xff, 0xff, 0x7f}, 4},
        {{0x03, 0x3a, 0xff, 0xff}, 4},
        {{0x03, 0x3a, 0xff, 0xff}, client->has_written ? 4 : 0},
    };
    uint32_t chosen = pick(client, 4);

    if (wrongs[chosen].size > 0) {
        sim_link_write(client->link, wrongs[chosen].bytes, wrongs[chosen].size);
    }
}

/* ---- requests ---- */

sim_request *sim_client_note(sim_client *client, model_stay *stay, qd_client_message *message)
{
    client->requests =
        sim_grow(client->requests, client->request_count, &client->request_capacity, sizeof *client->requests);
    sim_request *added = &client->requests[client->request_count++];
    message->seq = ++client->seq;
    if (stay != NULL) {
        message->as.room.room = stay->room->handle; /* the first field of all these messages */
    }
    *added = (sim_request){.sent = *message, .stay = stay};
    return added;
}

sim_request *sim_client_send(sim_client *client, model_stay *stay, qd_client_message message)
{
    sim_request *added = sim_client_note(client, stay, &message);

    sim_link_send(client->link, &message);
    return added;
}

static void send_for_room(sim_client *client, qd_client_kind kind, model_stay *stay)
{
    (void)sim_client_send(client, stay, (qd_client_message){.kind = kind});
}

model_op *sim_client_draft(sim_client *client, qd_client_kind kind)
{
    if (client->draft == NULL) {
        client->draft = malloc(sizeof *client->draft);
        sim_check(client->draft != NULL, "out of memory");
    }
    *client->draft = (model_op){.message.kind = kind};
    return client->draft;
}

void sim_client_send_draft(sim_client *client, model_stay *stay)
{
    model_op *op = client->draft;

    op->message.confirm = sim_is_batch(op->message.kind) && percent(client, 30);
    sim_request *request = sim_client_send(client, stay, op->message);

    op->message.seq = client->seq;
    request->op = op;
    client->draft = NULL;
    model_stay_send(stay, op);
}

const float *sim_third(const model_stay *stay, const float *column)
{
    return stay->room->config.dimensions == 3 ? column : NULL;
}

static void open_room(sim_client *client)
{
    uint32_t name = pick(client, client->scene->room_count);
    sim_slot *slot = &client->slots[name];

    if (slot->opening || slot->leaving) {
        return;
    }
    /* Opening a room again gives the same one, unless it is closed just then. Only its creator and sessions with its
     * token may close it. */
    const model_room *room = slot->stay != NULL ? slot->stay->room : NULL;
    if (room != NULL && (slot->closing || room->creator != client->session || room->creator_token != 0)) {
        return;
    }
    bool has_config = percent(client, 80);
    char text[16];
    snprintf(text, sizeof text, "room %u", name);
    slot->opening = true;
    const qd_msg_open_room open = {.name = text, .has_config = has_config, .config = client->scene->configs[name]};
    sim_client_send(client, NULL, MESSAGE(OPEN_ROOM, .open_room = open))->name = name;
}

/* ---- batches ---- */

float sim_client_coordinate(sim_client *client)
{
    if (percent(client, 1)) {
        return percent(client, 50) ? NAN : INFINITY;
    }
    /* Multiples of one half, so that shapes often touch, and sometimes beyond the bounds. */
    return (float)pick(client, 40) / 2 + (percent(client, 5) ? 100 : 0);
}

static float size(sim_client *client)
{
    return percent(client, 1) ? -1.0f : (float)pick(client, 6) / 2;
}

uint32_t sim_client_target(sim_client *client, const model_stay *stay)
{
    const model_room *room = stay->room;

    if (percent(client, 2)) {
        return pick(client, UINT32_MAX);
    }
    if (percent(client, 8) && room->stay_count > 1) {
        return model_id(room->stays[pick(client, room->stay_count)], pick(client, STAY_ENTITIES));
    }
    return model_id(stay, pick(client, STAY_ENTITIES));
}

/* What may be in the message: positions, sizes, a radius, a shape, a filter. */
static void choose_columns(sim_client *client, model_op *op, const model_stay *stay)
{
    bool spawns = op->message.kind == QD_CLIENT_SPAWN, shapes = spawns || op->message.kind == QD_CLIENT_RESHAPE;
    bool places = op->message.kind != QD_CLIENT_RESHAPE && op->message.kind != QD_CLIENT_DESPAWN;
    qd_msg_entities *entities = &op->message.as.batch.entities;

    *entities = (qd_msg_entities){.count = op->count, .id = op->id};
    if (places) {
        entities->x = op->at[0];
        entities->y = op->at[1];
        entities->z = sim_third(stay, op->at[2]);
    }
    if (shapes && percent(client, 80)) {
        entities->half_x = op->half[0];
        entities->half_y = op->half[1];
        entities->half_z = sim_third(stay, op->half[2]);
    }
    if (shapes && percent(client, 70)) {
        entities->axis_x = op->axis[0];
        entities->axis_y = op->axis[1];
        entities->axis_z = sim_third(stay, op->axis[2]);
    }
    entities->radius = shapes && percent(client, 70) ? op->radius : NULL;
    entities->shape = shapes && percent(client, 70) ? op->shape : NULL;
    if (shapes && percent(client, 30)) {
        entities->category = op->category;
        entities->mask = op->mask;
    }
}

/* Nearly always 0 if the shape lacks the size. */
static float size_of(sim_client *client, bool has)
{
    return has || percent(client, 2) ? size(client) : 0;
}

static void send_entries(sim_client *client, model_stay *stay, qd_client_kind kind, uint32_t count_max)
{
    model_op *op = sim_client_draft(client, kind);
    bool spawns = op->message.kind == QD_CLIENT_SPAWN;

    op->count = 1 + pick(client, count_max);
    /* What a stay leaves to the room are always its last two entities. */
    bool to_room = op->message.as.batch.room_owned = spawns && percent(client, 20);
    choose_columns(client, op, stay);
    for (uint32_t i = 0; i < op->count; i++) {
        uint32_t entity = to_room ? STAY_ENTITIES - 2 + pick(client, 2) : pick(client, STAY_ENTITIES - 2);

        op->id[i] = spawns ? model_id(stay, entity) : sim_client_target(client, stay);
        op->shape[i] = percent(client, 1) ? 7 : (uint8_t)(QD_SHAPE_BOX + pick(client, 3));
        const bool is_box = op->shape[i] == QD_SHAPE_BOX || (spawns && op->message.as.batch.entities.shape == NULL);
        for (uint32_t axis = 0; axis < stay->room->config.dimensions; axis++) {
            op->at[axis][i] = sim_client_coordinate(client);
            op->half[axis][i] = size_of(client, is_box);
            op->axis[axis][i] = size_of(client, !is_box && op->shape[i] == QD_SHAPE_CAPSULE);
            op->axis[axis][i] *= percent(client, 50) ? 1 : -1;
        }
        op->radius[i] = size_of(client, !is_box);
        op->category[i] = 1u << pick(client, 2);
        op->mask[i] = percent(client, 70) ? UINT32_MAX : 1u << pick(client, 2);
    }
    sim_client_send_draft(client, stay);
}

/* Sometimes many small Moves in a row, which the server joins. */
static void send_batch(sim_client *client, model_stay *stay)
{
    static const qd_client_kind kinds[] = {QD_CLIENT_SPAWN, QD_CLIENT_SPAWN,    QD_CLIENT_MOVE,    QD_CLIENT_MOVE,
                                           QD_CLIENT_MOVE,  QD_CLIENT_TELEPORT, QD_CLIENT_RESHAPE, QD_CLIENT_DESPAWN};
    const qd_client_kind kind = kinds[pick(client, 8)];

    send_entries(client, stay, kind, OP_ENTRIES);
    for (uint32_t more = kind == QD_CLIENT_MOVE && percent(client, 30) ? pick(client, 12) : 0; more > 0; more--) {
        send_entries(client, stay, kind, percent(client, 80) ? 1 : OP_ENTRIES);
    }
}

/* ---- rosters ---- */

static void name_roster(sim_client *client, model_stay *stay, uint32_t number)
{
    model_op *op = sim_client_draft(client, QD_CLIENT_SET_ROSTER);
    bool keep_rest = percent(client, 50);
    uint32_t first = percent(client, 40) ? 0 : pick(client, stay->rosters[number].count + 1);

    op->count = percent(client, 10) ? 0 : 1 + pick(client, OP_ENTRIES);
    if (first + op->count > ROSTER_IDS) {
        op->count = ROSTER_IDS - first;
    }
    for (uint32_t i = 0; i < op->count; i++) {
        op->id[i] = sim_client_target(client, stay);
    }
    op->message.as.set_roster =
        (qd_msg_set_roster){.roster = number, .first = first, .count = op->count, .id = op->id, .keep_rest = keep_rest};
    sim_client_send_draft(client, stay);
}

static void move_by_roster(sim_client *client, model_stay *stay, uint32_t number)
{
    model_op *op = sim_client_draft(client, QD_CLIENT_MOVE_ROSTER);
    uint32_t size = stay->rosters[number].count, first = pick(client, size), left = size - first;

    op->count = 1 + pick(client, left < OP_ENTRIES ? left : OP_ENTRIES);
    for (uint32_t i = 0; i < op->count; i++) {
        for (uint32_t axis = 0; axis < stay->room->config.dimensions; axis++) {
            op->at[axis][i] = sim_client_coordinate(client);
        }
    }
    op->message.as.move_roster = (qd_msg_move_roster){.roster = number,
                                                      .first = first,
                                                      .count = op->count,
                                                      .x = op->at[0],
                                                      .y = op->at[1],
                                                      .z = sim_third(stay, op->at[2])};
    sim_client_send_draft(client, stay);
}

/* Moves a roster that does not exist, or entries that it does not have. */
static void move_wrongly(sim_client *client, model_stay *stay, uint32_t number)
{
    static const float at[2] = {1, 2};
    uint32_t count = stay->rosters[number].count;
    const qd_msg_move_roster move = {.roster = number,
                                     .first = count == 0 ? 0 : count - 1,
                                     .count = 2,
                                     .x = at,
                                     .y = at,
                                     .z = stay->room->config.dimensions == 3 ? at : NULL};

    sim_client_send(client, stay, MESSAGE(MOVE_ROSTER, .move_roster = move))->must_be =
        count == 0 ? QD_ERROR_UNKNOWN_ROSTER : QD_ERROR_INVALID;
}

static void act_on_rosters(sim_client *client, model_stay *stay)
{
    uint32_t number = pick(client, STAY_ROSTERS);

    if (percent(client, 5)) {
        move_wrongly(client, stay, number);
    } else if (stay->rosters[number].count == 0 || percent(client, 25)) {
        name_roster(client, stay, number);
    } else {
        move_by_roster(client, stay, number);
    }
}

/* ---- the other requests ---- */

static void send_wrong(sim_client *client)
{
    static const uint32_t id[1] = {1};
    static const float at[1] = {1};

    const struct {
        qd_error_code code;
        qd_client_message message;
    } wrongs[] = {
        {QD_ERROR_UNKNOWN_MESSAGE, {.kind = QD_CLIENT_NOTHING}},
        {QD_ERROR_INVALID, {.kind = QD_CLIENT_HELLO, .as.hello = {.version = QD_PROTOCOL_VERSION}}},
        {QD_ERROR_INVALID, {.kind = QD_CLIENT_OPEN_ROOM, .as.open_room = {.name = "a\tb"}}},
        {QD_ERROR_INVALID, {.kind = QD_CLIENT_LIST_ROOMS, .as.list_rooms = {.limit = 1001}}},
        {QD_ERROR_INVALID, {.kind = QD_CLIENT_LIST_SESSIONS, .as.list_sessions = {.limit = 1001}}},
        {QD_ERROR_UNKNOWN_ROOM, {.kind = QD_CLIENT_OPEN_ROOM, .as.open_room = {.name = "room nowhere"}}},
        {QD_ERROR_UNKNOWN_ROOM, {.kind = QD_CLIENT_STEP, .as.step = {.room = 3}}},
        {QD_ERROR_UNKNOWN_ROOM,
         {.kind = QD_CLIENT_MOVE, .as.batch = {.room = 5, .entities = {.count = 1, .id = id, .x = at, .y = at}}}},
        {QD_ERROR_COLUMNS, {.kind = QD_CLIENT_MOVE, .as.batch = {.entities = {.count = 1, .id = id, .x = at}}}},
    };
    uint32_t chosen = pick(client, sizeof wrongs / sizeof wrongs[0]);
    sim_client_send(client, NULL, wrongs[chosen].message)->must_be = wrongs[chosen].code;
}

static void send_step(sim_client *client, const sim_slot *slot, bool guess)
{
    (void)sim_client_send(client, slot->stay, MESSAGE(STEP, .step.tick = guess ? slot->tick + 1 : 0));
}

static void send_subscribe(sim_client *client, sim_slot *slot)
{
    if (slot->unsubscribing || slot->subscribing) {
        return;
    }
    if (slot->observer == NULL) {
        slot->observer = model_observer_create(slot->stay, percent(client, 30), percent(client, 30));
    }
    slot->subscribing = true;
    qd_scope scope = slot->observer->own_only ? QD_SCOPE_OWN : QD_SCOPE_ALL;
    (void)sim_client_send(client, slot->stay,
                          MESSAGE(SUBSCRIBE, .subscribe = {.scope = scope, .stays = slot->observer->stays}));
}

static void send_snapshot(sim_client *client, model_stay *stay)
{
    sim_client_draft(client, QD_CLIENT_GET_SNAPSHOT)->message.as.get_snapshot.own = percent(client, 40);
    sim_client_send_draft(client, stay);
}

static void send_query(sim_client *client, model_stay *stay)
{
    qd_msg_query query = {.limit = SIM_QUERY_LIMIT, .categories = pick(client, 4)};
    bool is_3d = stay->room->config.dimensions == 3;
    float x = (float)pick(client, 100), y = (float)pick(client, 100), z = is_3d ? (float)pick(client, 100) : 0;

    switch (pick(client, 4)) {
    case 0:
        query.kind = QD_QUERY_BOX;
        query.where.box = (qd_msg_bounds){x, y, z, x + 50, y + 50, is_3d ? z + 50 : 0};
        break;
    case 1:
        query.kind = QD_QUERY_CIRCLE;
        query.where.circle = (qd_msg_query_circle){.x = x, .y = y, .z = z, .radius = 30};
        break;
    case 2:
        query.kind = QD_QUERY_NEAREST;
        query.where.nearest = (qd_msg_query_nearest){.x = x, .y = y, .z = z};
        break;
    default:
        query.kind = QD_QUERY_RAY;
        query.where.ray = (qd_msg_query_ray){
            .x = x, .y = y, .z = z, .direction_x = 1, .direction_y = y - 50, .direction_z = is_3d ? z - 50 : 0};
    }
    (void)sim_client_send(client, stay, MESSAGE(QUERY, .query = query));
}

/* Gives entities away, or takes those of the room. The last entities of a stay, and anchors, go only to the room and
 * back. */
static void send_handover(sim_client *client, model_stay *stay)
{
    const model_room *room = stay->room;
    model_op *op = sim_client_draft(client, QD_CLIENT_HAND_OVER);

    op->count = 1 + pick(client, OP_ENTRIES);
    const model_stay *other = room->stays[pick(client, room->stay_count)];
    bool to_other = percent(client, 60) && !other->has_left;
    uint64_t to = to_other ? other->session : percent(client, 50) ? stay->session : 0;

    for (uint32_t i = 0; i < op->count; i++) {
        const model_stay *of = to_other && percent(client, 50) ? room->stays[pick(client, room->stay_count)] : stay;

        op->id[i] = model_id(of, 3 + pick(client, to_other ? 3 : STAY_ENTITIES - 3));
    }
    op->message.as.hand_over =
        (qd_msg_hand_over){.count = op->count, .id = op->id, .session = to, .room_owned = to == 0};
    sim_client_send_draft(client, stay);
}

/* Adopts from all sessions that are gone, or from one: gone or connected, with the same token or another, or unknown. */
static void send_adopt(sim_client *client, model_stay *stay)
{
    const model_room *room = stay->room;
    uint64_t from = 0;

    if (percent(client, 50)) {
        from = percent(client, 95) ? room->stays[pick(client, room->stay_count)]->session : 1000000;
    }
    sim_client_draft(client, QD_CLIENT_ADOPT)->message.as.adopt.session = from;
    sim_client_send_draft(client, stay);
}

/* About a pair that it has folded, or about any. */
static void send_ack(sim_client *client, const sim_slot *slot)
{
    uint64_t tick = percent(client, 80) ? slot->tick : pick(client, 200);

    sim_client_send(client, slot->stay, MESSAGE(ACK, .step.tick = tick))->excused = true;
}

bool sim_slot_may_leave(const sim_slot *slot)
{
    return slot->stay == NULL || slot->stay->left || slot->stay->room->leaver_count < LEAVERS_MAX;
}

static void leave_room(sim_client *client, sim_slot *slot)
{
    if (!sim_slot_may_leave(slot)) {
        return;
    }
    model_stay_leave(slot->stay, client->scene->house.world.now_ns);
    slot->leaving = true;
    send_for_room(client, QD_CLIENT_LEAVE_ROOM, slot->stay);
}

static void act_in_room(sim_client *client, sim_slot *slot)
{
    uint32_t draw = pick(client, 1000);

    if (client->scene->traits & SIM_CUTS && percent(client, 15)) {
        send_adopt(client, slot->stay);
    } else if (draw < 320) {
        send_batch(client, slot->stay);
    } else if (draw < 385) {
        sim_client_move_together(client, slot->stay->room->config.dimensions);
    } else if (draw < 460) {
        act_on_rosters(client, slot->stay);
    } else if (draw < 490) {
        send_handover(client, slot->stay);
    } else if (draw < 510) {
        send_adopt(client, slot->stay);
    } else if (draw < 520) {
        send_ack(client, slot);
    } else if (draw < 640) {
        sim_client_act_on_views(client, slot);
    } else if (draw < 800) {
        send_step(client, slot, percent(client, 30));
    } else if (draw < 880) {
        send_subscribe(client, slot);
    } else if (draw < 900 && slot->observer != NULL && !slot->subscribing && !slot->unsubscribing) {
        slot->unsubscribing = true;
        send_for_room(client, QD_CLIENT_UNSUBSCRIBE, slot->stay);
        slot->stay->unsubscribe_seq = client->seq;
    } else if (draw < 940) {
        send_snapshot(client, slot->stay);
    } else if (draw < 960) {
        send_for_room(client, QD_CLIENT_GET_STATS, slot->stay);
    } else if (draw < 970) {
        leave_room(client, slot);
    } else if (draw < 974 && !slot->opening) {
        slot->closing = true;
        send_for_room(client, QD_CLIENT_CLOSE_ROOM, slot->stay);
    } else if (draw >= 975) {
        send_query(client, slot->stay);
    }
}

void sim_client_act(sim_client *client)
{
    if (client->cut) {
        sim_client_act_on_cut(client);
        return;
    }
    if (client->link == NULL) {
        /* Without a token it tries now and then. */
        if (client->sessions < 4 && (client->scene->grants[client->token] != SIM_GRANT_NONE || percent(client, 10))) {
            sim_client_connect(client);
        }
        if (client->link != NULL && client->vandal) {
            vandalise(client);
        }
        return;
    }
    if (client->link->is_revoked && percent(client, 10)) {
        sim_link_drop(client->link);
        sim_client_forget(client);
        return;
    }
    if (client->vandal || !client->welcomed || client->link->is_revoked) {
        return;
    }
    sim_slot *slot = &client->slots[pick(client, client->scene->room_count)];
    uint32_t draw = pick(client, 1000);
    if (draw < 5 || (client->scene->traits & SIM_CUTS && percent(client, 4))) {
        sim_client_cut(client);
    } else if (draw < 15) {
        client->stalled = 50 + pick(client, 600);
    } else if (draw < 50) {
        send_wrong(client);
    } else if (draw < 60) {
        (void)sim_client_send(client, NULL, MESSAGE(PING, .ping = {client->seq + 1}));
    } else if (draw < 70) {
        (void)sim_client_send(client, NULL, MESSAGE(LIST_ROOMS, .list_rooms = {.after = "r"}));
    } else if (draw < 72) {
        (void)sim_client_send(client, NULL, MESSAGE(LIST_SESSIONS, .list_sessions = {0}));
    } else if (slot->stay == NULL || draw < 80) {
        open_room(client);
    } else if (!slot->leaving) {
        act_in_room(client, slot);
    }
}

void sim_client_step_all(sim_client *client)
{
    for (uint32_t i = 0;
         client->welcomed && client->link != NULL && !client->link->is_revoked && i < client->scene->room_count; i++) {
        sim_slot *slot = &client->slots[i];

        if (slot->stay != NULL && !slot->leaving && client->scene->configs[i].tick_mode == QD_TICK_MODE_STEP) {
            send_step(client, slot, false);
        }
    }
}
