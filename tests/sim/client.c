/* SPDX-License-Identifier: Apache-2.0 */
#include "client.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/codec.h"

static uint32_t pick(sim_client *client, uint32_t count)
{
    return sim_pick(&client->scene->world, count);
}

static bool percent(sim_client *client, uint32_t share)
{
    return sim_percent(&client->scene->world, share);
}

/* ---- the connection ---- */

void sim_client_init(sim_client *client, sim_scene *scene, bool vandal, uint32_t token)
{
    *client = (sim_client){.scene = scene, .vandal = vandal, .token = token};
}

void sim_client_forget(sim_client *client)
{
    for (uint32_t i = 0; i < ROOMS_MAX; i++) {
        model_observer_destroy(client->slots[i].observer);
        model_views_destroy(client->slots[i].views);
        client->slots[i] = (sim_slot){0};
    }
    client->request_count = 0;
    client->cut = client->has_key = client->must_resume = false;
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
}

void sim_client_write(sim_client *client, const qd_client_message *message)
{
    uint8_t bytes[4096];
    const size_t size = qd_client_message_size(message);

    sim_check(size <= sizeof bytes, "the scenario's message is too long");
    sim_link_write(client->link, bytes, qd_client_message_encode(message, bytes, size));
    client->frames++;
}

void sim_client_connect(sim_client *client)
{
    sim_scene *scene = client->scene;
    const qd_link_handler handler = qd_server_link_handler(&scene->server);

    client->link = sim_link_create(&scene->world, &handler, sim_scene_outbox_bytes_max(scene), sim_scene_tap, scene);
    client->link->handed = sim_scene_handed;
    client->link->owner = client;
    qd_frame_reader_init(&client->reader, QD_SERVER_FRAME_BYTES_MAX, NULL);
    client->welcomed = client->gone_away = client->ended_by_error = false;
    client->frames = 0;
    if (client->vandal && percent(client, 50)) {
        return;
    }
    static const char *const tokens[SIM_TOKENS] = {NULL, "one", "another"};
    qd_msg_hello hello = {.version = QD_PROTOCOL_VERSION,
                          .client = "sim",
                          .resumable = percent(client, 70),
                          .token = tokens[client->token]};
    if (client->has_key) {
        hello.resume = (qd_msg_key){sizeof client->key, client->key};
    }
    sim_client_write(client, &(qd_client_message){.seq = ++client->seq, .kind = QD_CLIENT_HELLO, .as.hello = hello});
}

/* Sends an invalid length, a frame that is too long, bytes that are no frame, or nothing. */
static void vandalise(sim_client *client)
{
    static const uint8_t overlong[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t too_long[] = {0xff, 0xff, 0xff, 0x7f};
    static const uint8_t no_frame[] = {0x03, 0x3a, 0xff, 0xff};

    switch (pick(client, 4)) {
    case 0:
        sim_link_write(client->link, overlong, sizeof overlong);
        break;
    case 1:
        sim_link_write(client->link, too_long, sizeof too_long);
        break;
    case 2:
        sim_link_write(client->link, no_frame, sizeof no_frame);
        break;
    default:
        if (client->frames > 0) {
            sim_link_write(client->link, no_frame, sizeof no_frame);
        }
        break;
    }
}

/* ---- requests ---- */

sim_request *sim_client_request(sim_client *client, qd_client_kind kind, model_stay *stay)
{
    if (client->request_count == client->request_capacity) {
        client->request_capacity = client->request_capacity == 0 ? 64 : client->request_capacity * 2;
        client->requests = realloc(client->requests, client->request_capacity * sizeof *client->requests);
        sim_check(client->requests != NULL, "out of memory");
    }
    sim_request *added = &client->requests[client->request_count++];
    *added = (sim_request){.seq = ++client->seq, .kind = kind, .stay = stay};
    return added;
}

static void send_for_room(sim_client *client, qd_client_kind kind, model_stay *stay)
{
    sim_client_request(client, kind, stay);
    sim_client_write(client,
                     &(qd_client_message){.seq = client->seq, .kind = kind, .as.room = {.room = stay->room->handle}});
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
    sim_request *opened = sim_client_request(client, QD_CLIENT_OPEN_ROOM, NULL);
    opened->name = name;
    opened->has_config = percent(client, 80);
    slot->opening = true;
    char text[16];
    snprintf(text, sizeof text, "room %u", name);
    sim_client_write(client, &(qd_client_message){.seq = client->seq,
                                                  .kind = QD_CLIENT_OPEN_ROOM,
                                                  .as.open_room = {.name = text,
                                                                   .has_config = opened->has_config,
                                                                   .config = client->scene->configs[name]}});
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

static void fill(sim_client *client, model_op *op, const model_stay *stay)
{
    bool spawns = op->kind == QD_CLIENT_SPAWN, reshapes = op->kind == QD_CLIENT_RESHAPE;

    op->count = 1 + pick(client, OP_ENTRIES);
    /* What a stay leaves to the room are always its last two entities. */
    op->room_owned = spawns && percent(client, 20);
    op->has_size = (spawns || reshapes) && percent(client, 80);
    op->has_radius = (spawns || reshapes) && percent(client, 50);
    op->has_shape = (spawns || reshapes) && percent(client, 50);
    op->has_filter = (spawns || reshapes) && percent(client, 30);
    for (uint32_t i = 0; i < op->count; i++) {
        uint32_t entity = op->room_owned ? STAY_ENTITIES - 2 + pick(client, 2) : pick(client, STAY_ENTITIES - 2);

        op->id[i] = spawns ? model_id(stay, entity) : sim_client_target(client, stay);
        op->shape[i] = percent(client, 1) ? 7 : (uint8_t)(QD_SHAPE_BOX + pick(client, 3));
        for (uint32_t axis = 0; axis < stay->room->dimensions; axis++) {
            op->at[axis][i] = sim_client_coordinate(client);
            op->half[axis][i] = size(client);
        }
        op->radius[i] = size(client);
        op->category[i] = 1u << pick(client, 2);
        op->mask[i] = percent(client, 70) ? UINT32_MAX : 1u << pick(client, 2);
    }
}

static void send_batch(sim_client *client, model_stay *stay)
{
    static const qd_client_kind kinds[] = {QD_CLIENT_SPAWN, QD_CLIENT_SPAWN,    QD_CLIENT_MOVE,    QD_CLIENT_MOVE,
                                           QD_CLIENT_MOVE,  QD_CLIENT_TELEPORT, QD_CLIENT_RESHAPE, QD_CLIENT_DESPAWN};
    model_op op = {.kind = kinds[pick(client, 8)]};

    fill(client, &op, stay);
    sim_request *sent = sim_client_request(client, op.kind, stay);
    op.seq = client->seq;
    sent->op = model_stay_send(stay, &op);
    bool places = op.kind != QD_CLIENT_RESHAPE && op.kind != QD_CLIENT_DESPAWN, is_3d = stay->room->dimensions == 3;
    sim_client_write(client, &(qd_client_message){.seq = op.seq,
                                                  .kind = op.kind,
                                                  .as.batch = {.room = stay->room->handle,
                                                               .room_owned = op.room_owned,
                                                               .entities = {
                                                                   .count = op.count,
                                                                   .id = op.id,
                                                                   .x = places ? op.at[0] : NULL,
                                                                   .y = places ? op.at[1] : NULL,
                                                                   .z = places && is_3d ? op.at[2] : NULL,
                                                                   .half_x = op.has_size ? op.half[0] : NULL,
                                                                   .half_y = op.has_size ? op.half[1] : NULL,
                                                                   .half_z = op.has_size && is_3d ? op.half[2] : NULL,
                                                                   .radius = op.has_radius ? op.radius : NULL,
                                                                   .shape = op.has_shape ? op.shape : NULL,
                                                                   .category = op.has_filter ? op.category : NULL,
                                                                   .mask = op.has_filter ? op.mask : NULL,
                                                               }}});
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
        {QD_ERROR_UNKNOWN_ROOM, {.kind = QD_CLIENT_OPEN_ROOM, .as.open_room = {.name = "nowhere"}}},
        {QD_ERROR_UNKNOWN_ROOM, {.kind = QD_CLIENT_STEP, .as.step = {.room = 3}}},
        {QD_ERROR_UNKNOWN_ROOM,
         {.kind = QD_CLIENT_MOVE, .as.batch = {.room = 5, .entities = {.count = 1, .id = id, .x = at, .y = at}}}},
        {QD_ERROR_COLUMNS, {.kind = QD_CLIENT_MOVE, .as.batch = {.entities = {.count = 1, .id = id, .x = at}}}},
    };
    uint32_t chosen = pick(client, sizeof wrongs / sizeof wrongs[0]);
    qd_client_message message = wrongs[chosen].message;
    sim_client_request(client, message.kind, NULL)->must_be = wrongs[chosen].code;
    message.seq = client->seq;
    sim_client_write(client, &message);
}

static void send_step(sim_client *client, sim_slot *slot, bool guess)
{
    model_stay *stay = slot->stay;
    sim_request *step = sim_client_request(client, QD_CLIENT_STEP, stay);

    step->tick = guess ? slot->tick + 1 : 0;
    sim_client_write(client, &(qd_client_message){.seq = client->seq,
                                                  .kind = QD_CLIENT_STEP,
                                                  .as.step = {.room = stay->room->handle, .tick = step->tick}});
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
    sim_client_request(client, QD_CLIENT_SUBSCRIBE, slot->stay);
    sim_client_write(
        client, &(qd_client_message){.seq = client->seq,
                                     .kind = QD_CLIENT_SUBSCRIBE,
                                     .as.subscribe = {.room = slot->stay->room->handle,
                                                      .scope = slot->observer->own_only ? QD_SCOPE_OWN : QD_SCOPE_ALL,
                                                      .stays = slot->observer->stays}});
}

static void send_snapshot(sim_client *client, model_stay *stay)
{
    const bool own = percent(client, 40);

    sim_client_request(client, QD_CLIENT_SNAPSHOT, stay);
    (void)model_stay_send(stay, &(model_op){.kind = QD_CLIENT_SNAPSHOT, .seq = client->seq, .own = own});
    sim_client_write(client, &(qd_client_message){.seq = client->seq,
                                                  .kind = QD_CLIENT_SNAPSHOT,
                                                  .as.snapshot = {.room = stay->room->handle, .own = own}});
}

static void send_query(sim_client *client, model_stay *stay)
{
    qd_msg_query query = {.room = stay->room->handle, .limit = SIM_QUERY_LIMIT, .categories = pick(client, 4)};
    bool is_3d = stay->room->dimensions == 3;
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
    sim_client_request(client, QD_CLIENT_QUERY, stay);
    sim_client_write(client, &(qd_client_message){.seq = client->seq, .kind = QD_CLIENT_QUERY, .as.query = query});
}

/* Gives entities away, or takes those of the room. The last entities of a stay, and anchors, go only to the room and
 * back. */
static void send_handover(sim_client *client, model_stay *stay)
{
    const model_room *room = stay->room;
    model_op op = {.kind = QD_CLIENT_HANDOVER, .count = 1 + pick(client, OP_ENTRIES)};
    model_stay *other = room->stays[pick(client, room->stay_count)];
    bool to_other = percent(client, 60) && !other->has_left;

    op.to_session = to_other ? other->session : percent(client, 50) ? stay->session : 0;
    for (uint32_t i = 0; i < op.count; i++) {
        const model_stay *of = to_other && percent(client, 50) ? room->stays[pick(client, room->stay_count)] : stay;
        uint32_t entity = to_other ? 3 + pick(client, 3) : 3 + pick(client, STAY_ENTITIES - 3);

        op.id[i] = model_id(of, entity);
    }
    sim_request *sent = sim_client_request(client, op.kind, stay);
    op.seq = client->seq;
    sent->op = model_stay_send(stay, &op);
    sim_client_write(client, &(qd_client_message){.seq = op.seq,
                                                  .kind = op.kind,
                                                  .as.handover = {.room = room->handle,
                                                                  .count = op.count,
                                                                  .id = op.id,
                                                                  .session = op.to_session,
                                                                  .room_owned = op.to_session == 0}});
}

/* Adopts from all sessions that are gone, or from one: gone or connected, with the same token or another, or unknown. */
static void send_adopt(sim_client *client, model_stay *stay)
{
    const model_room *room = stay->room;
    model_op op = {.kind = QD_CLIENT_ADOPT};

    if (percent(client, 50)) {
        op.from_session = percent(client, 95) ? room->stays[pick(client, room->stay_count)]->session : 1000000;
    }
    sim_request *sent = sim_client_request(client, op.kind, stay);
    op.seq = client->seq;
    sent->op = model_stay_send(stay, &op);
    sim_client_write(client, &(qd_client_message){.seq = op.seq,
                                                  .kind = op.kind,
                                                  .as.adopt = {.room = room->handle, .session = op.from_session}});
}

/* About a pair that it has folded, or about any. */
static void send_ack(sim_client *client, const sim_slot *slot)
{
    uint64_t tick = percent(client, 80) ? slot->tick : pick(client, 200);

    sim_client_request(client, QD_CLIENT_ACK, slot->stay)->excused = true;
    sim_client_write(client, &(qd_client_message){.seq = client->seq,
                                                  .kind = QD_CLIENT_ACK,
                                                  .as.step = {.room = slot->stay->room->handle, .tick = tick}});
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
    model_stay_leave(slot->stay, client->scene->world.now_ns);
    slot->leaving = true;
    send_for_room(client, QD_CLIENT_LEAVE_ROOM, slot->stay);
}

/* The connection breaks for good, and the client comes back with another session later. */
static void drop(sim_client *client)
{
    for (uint32_t i = 0; i < ROOMS_MAX; i++) {
        const sim_slot *slot = &client->slots[i];

        /* A RoomOpened that is under way would be a stay that the model does not know. */
        if (slot->opening || !sim_slot_may_leave(slot)) {
            return;
        }
    }
    for (uint32_t i = 0; i < ROOMS_MAX; i++) {
        if (client->slots[i].stay != NULL) {
            model_stay_leave(client->slots[i].stay, client->scene->world.now_ns);
        }
    }
    sim_link_drop(client->link);
    sim_client_forget(client);
}

static void act_in_room(sim_client *client, sim_slot *slot)
{
    uint32_t draw = pick(client, 1000);

    if (draw < 385) {
        send_batch(client, slot->stay);
    } else if (draw < 460) {
        sim_client_act_on_rosters(client, slot->stay);
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
        if (client->sessions < 4) {
            sim_client_connect(client);
        }
        if (client->link != NULL && client->vandal) {
            vandalise(client);
        }
        return;
    }
    if (client->vandal || !client->welcomed) {
        return;
    }
    sim_slot *slot = &client->slots[pick(client, client->scene->room_count)];
    uint32_t draw = pick(client, 1000);
    if (draw < 5) {
        if (client->has_key) {
            sim_client_cut(client);
        } else {
            drop(client);
        }
    } else if (draw < 15) {
        client->stalled = 50 + pick(client, 600);
    } else if (draw < 50) {
        send_wrong(client);
    } else if (draw < 60) {
        sim_client_request(client, QD_CLIENT_PING, NULL);
        sim_client_write(client,
                         &(qd_client_message){.seq = client->seq, .kind = QD_CLIENT_PING, .as.ping = {client->seq}});
    } else if (draw < 70) {
        sim_client_request(client, QD_CLIENT_LIST_ROOMS, NULL);
        sim_client_write(
            client,
            &(qd_client_message){.seq = client->seq, .kind = QD_CLIENT_LIST_ROOMS, .as.list_rooms = {.after = "r"}});
    } else if (slot->stay == NULL || draw < 80) {
        open_room(client);
    } else if (!slot->leaving) {
        act_in_room(client, slot);
    }
}

void sim_client_step_all(sim_client *client)
{
    for (uint32_t i = 0; client->welcomed && client->link != NULL && i < client->scene->room_count; i++) {
        sim_slot *slot = &client->slots[i];

        if (slot->stay != NULL && !slot->leaving && client->scene->configs[i].tick_mode == QD_TICK_MODE_STEP) {
            send_step(client, slot, false);
        }
    }
}
