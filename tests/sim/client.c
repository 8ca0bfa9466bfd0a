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

void sim_client_init(sim_client *client, sim_scene *scene, bool vandal)
{
    *client = (sim_client){.scene = scene, .vandal = vandal};
}

static void forget(sim_client *client)
{
    for (uint32_t i = 0; i < ROOMS_MAX; i++) {
        model_observer_destroy(client->slots[i].observer);
        client->slots[i] = (sim_slot){0};
    }
    client->request_count = 0;
    if (client->link == NULL)
        return;
    qd_frame_reader_deinit(&client->reader);
    qd_link_release(&client->link->link);
    client->link = NULL;
}

void sim_client_deinit(sim_client *client)
{
    forget(client);
    free(client->requests);
}

static void write_message(sim_client *client, const qd_client_message *message)
{
    uint8_t bytes[4096];
    sim_check(qd_client_message_size(message) <= sizeof bytes, "the scenario's message is too long");
    sim_link_write(client->link, bytes, qd_client_message_encode(message, bytes));
    client->frames++;
}

static void connect(sim_client *client)
{
    sim_scene *scene = client->scene;
    const qd_link_handler handler = qd_server_link_handler(&scene->server);
    client->link = sim_link_create(&scene->world, &handler, sim_scene_outbox_bytes_max(scene), sim_scene_tap, scene);
    qd_frame_reader_init(&client->reader, QD_SERVER_FRAME_BYTES_MAX, NULL);
    client->connections++;
    client->welcomed = client->gone_away = client->ended_by_error = false;
    client->frames = client->seq = 0;
    if (!client->vandal || percent(client, 50))
        write_message(client, &(qd_client_message){.seq = ++client->seq,
                                                   .kind = QD_CLIENT_HELLO,
                                                   .as.hello = {.version = QD_PROTOCOL_VERSION, .client = "sim"}});
}

/* A length that is none, a frame that is too long, bytes that are no frame, or nothing at all. */
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
        if (client->frames > 0)
            sim_link_write(client->link, no_frame, sizeof no_frame);
        break;
    }
}

/* ---- requests ---- */

static sim_request *request(sim_client *client, qd_client_kind kind, model_stay *stay)
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
    request(client, kind, stay);
    write_message(client,
                  &(qd_client_message){.seq = client->seq, .kind = kind, .as.room = {.room = stay->room->handle}});
}

static void open_room(sim_client *client)
{
    uint32_t name = pick(client, client->scene->room_count);
    sim_slot *slot = &client->slots[name];
    if (slot->opening || slot->leaving)
        return;
    /* Opening a room again gives the same one, unless somebody closes it just then: only its creator may. */
    if (slot->stay != NULL && (slot->closing || slot->stay->room->creator != client->session))
        return;
    sim_request *opened = request(client, QD_CLIENT_OPEN_ROOM, NULL);
    opened->name = name;
    opened->has_config = percent(client, 80);
    slot->opening = true;
    char text[16];
    snprintf(text, sizeof text, "room %u", name);
    write_message(client, &(qd_client_message){.seq = client->seq,
                                               .kind = QD_CLIENT_OPEN_ROOM,
                                               .as.open_room = {.name = text,
                                                                .has_config = opened->has_config,
                                                                .config = client->scene->configs[name]}});
}

/* ---- batches ---- */

static float coordinate(sim_client *client)
{
    if (percent(client, 1))
        return percent(client, 50) ? NAN : INFINITY;
    /* Halves, so that touching is frequent; beyond the bounds, at times. */
    return (float)pick(client, 40) / 2 + (percent(client, 5) ? 100 : 0);
}

static float size(sim_client *client)
{
    return percent(client, 1) ? -1.0f : (float)pick(client, 6) / 2;
}

static uint32_t target(sim_client *client, const model_stay *stay)
{
    const model_room *room = stay->room;
    if (percent(client, 2))
        return pick(client, UINT32_MAX);
    if (percent(client, 3) && room->stay_count > 1)
        return model_id(room->stays[pick(client, room->stay_count)], pick(client, STAY_ENTITIES - 2));
    return model_id(stay, pick(client, STAY_ENTITIES));
}

static void fill(sim_client *client, model_op *op, const model_stay *stay)
{
    bool spawns = op->kind == QD_CLIENT_SPAWN, reshapes = op->kind == QD_CLIENT_RESHAPE;
    op->count = 1 + pick(client, OP_ENTRIES);
    /* What a stay leaves to the room are always its last two entities. */
    op->room_owned = spawns && percent(client, 20);
    op->has_size = (spawns || reshapes) && percent(client, 80);
    op->has_shape = (spawns || reshapes) && percent(client, 50);
    op->has_filter = (spawns || reshapes) && percent(client, 30);
    for (uint32_t i = 0; i < op->count; i++) {
        uint32_t entity = op->room_owned ? STAY_ENTITIES - 2 + pick(client, 2) : pick(client, STAY_ENTITIES - 2);
        op->id[i] = spawns ? model_id(stay, entity) : target(client, stay);
        op->x[i] = coordinate(client);
        op->y[i] = coordinate(client);
        op->half_x[i] = size(client);
        op->half_y[i] = size(client);
        op->shape[i] = percent(client, 1) ? 7 : (uint8_t)(QD_SHAPE_BOX + pick(client, 2));
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
    sim_request *sent = request(client, op.kind, stay);
    sent->op = stay->op_count;
    op.seq = client->seq;
    op.frame = client->frames + 1;
    model_stay_send(stay, &op);
    bool places = op.kind != QD_CLIENT_RESHAPE && op.kind != QD_CLIENT_DESPAWN;
    write_message(client, &(qd_client_message){.seq = op.seq,
                                               .kind = op.kind,
                                               .as.batch = {.room = stay->room->handle,
                                                            .room_owned = op.room_owned,
                                                            .entities = {
                                                                .count = op.count,
                                                                .id = op.id,
                                                                .x = places ? op.x : NULL,
                                                                .y = places ? op.y : NULL,
                                                                .half_x = op.has_size ? op.half_x : NULL,
                                                                .half_y = op.has_size ? op.half_y : NULL,
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
    request(client, message.kind, NULL)->must_be = wrongs[chosen].code;
    message.seq = client->seq;
    write_message(client, &message);
}

static void send_step(sim_client *client, sim_slot *slot, bool guess)
{
    model_stay *stay = slot->stay;
    sim_request *step = request(client, QD_CLIENT_STEP, stay);
    step->tick = guess ? slot->tick + 1 : 0;
    write_message(client, &(qd_client_message){.seq = client->seq,
                                               .kind = QD_CLIENT_STEP,
                                               .as.step = {.room = stay->room->handle, .tick = step->tick}});
}

static void send_subscribe(sim_client *client, sim_slot *slot)
{
    if (slot->unsubscribing || slot->subscribing)
        return;
    if (slot->observer == NULL)
        slot->observer = model_observer_create(slot->stay, percent(client, 30), percent(client, 30));
    slot->subscribing = true;
    request(client, QD_CLIENT_SUBSCRIBE, slot->stay);
    write_message(client,
                  &(qd_client_message){.seq = client->seq,
                                       .kind = QD_CLIENT_SUBSCRIBE,
                                       .as.subscribe = {.room = slot->stay->room->handle,
                                                        .scope = slot->observer->own_only ? QD_SCOPE_OWN : QD_SCOPE_ALL,
                                                        .stays = slot->observer->stays}});
}

static void send_snapshot(sim_client *client, model_stay *stay)
{
    memcpy(request(client, QD_CLIENT_SNAPSHOT, stay)->seen, stay->latest, sizeof stay->latest);
    write_message(client, &(qd_client_message){.seq = client->seq,
                                               .kind = QD_CLIENT_SNAPSHOT,
                                               .as.snapshot = {.room = stay->room->handle}});
}

static bool may_leave(const sim_slot *slot)
{
    return slot->stay == NULL || slot->stay->left || slot->stay->room->leaver_count < LEAVERS_MAX;
}

static void leave_room(sim_client *client, sim_slot *slot)
{
    if (!may_leave(slot))
        return;
    model_stay_leave(slot->stay);
    slot->leaving = true;
    send_for_room(client, QD_CLIENT_LEAVE_ROOM, slot->stay);
}

/* The connection breaks, and the client comes back with another one later. */
static void drop(sim_client *client)
{
    for (uint32_t i = 0; i < ROOMS_MAX; i++) {
        const sim_slot *slot = &client->slots[i];
        /* A RoomOpened that is under way would be a stay that the model does not know. */
        if (slot->opening || !may_leave(slot))
            return;
    }
    for (uint32_t i = 0; i < ROOMS_MAX; i++) {
        if (client->slots[i].stay != NULL)
            model_stay_leave(client->slots[i].stay);
    }
    sim_link_drop(client->link);
    forget(client);
}

static void act_in_room(sim_client *client, sim_slot *slot)
{
    uint32_t chance = pick(client, 1000);
    if (chance < 640)
        send_batch(client, slot->stay);
    else if (chance < 800)
        send_step(client, slot, percent(client, 30));
    else if (chance < 880)
        send_subscribe(client, slot);
    else if (chance < 900 && slot->observer != NULL && !slot->subscribing && !slot->unsubscribing) {
        slot->unsubscribing = true;
        send_for_room(client, QD_CLIENT_UNSUBSCRIBE, slot->stay);
        slot->stay->unsubscribe_seq = client->seq;
    } else if (chance < 940)
        send_snapshot(client, slot->stay);
    else if (chance < 960)
        send_for_room(client, QD_CLIENT_GET_STATS, slot->stay);
    else if (chance < 970)
        leave_room(client, slot);
    else if (chance < 974 && !slot->opening) {
        slot->closing = true;
        send_for_room(client, QD_CLIENT_CLOSE_ROOM, slot->stay);
    }
}

void sim_client_act(sim_client *client)
{
    if (client->link == NULL) {
        if (client->connections < 4)
            connect(client);
        if (client->link != NULL && client->vandal)
            vandalise(client);
        return;
    }
    if (client->vandal || !client->welcomed)
        return;
    sim_slot *slot = &client->slots[pick(client, client->scene->room_count)];
    uint32_t chance = pick(client, 1000);
    if (chance < 5)
        drop(client);
    else if (chance < 15)
        client->stalled = 50 + pick(client, 600);
    else if (chance < 50)
        send_wrong(client);
    else if (chance < 60) {
        request(client, QD_CLIENT_PING, NULL);
        write_message(client,
                      &(qd_client_message){.seq = client->seq, .kind = QD_CLIENT_PING, .as.ping = {client->seq}});
    } else if (chance < 70) {
        request(client, QD_CLIENT_LIST_ROOMS, NULL);
        write_message(client, &(qd_client_message){
                                  .seq = client->seq, .kind = QD_CLIENT_LIST_ROOMS, .as.list_rooms = {.after = "r"}});
    } else if (slot->stay == NULL || chance < 80)
        open_room(client);
    else if (!slot->leaving)
        act_in_room(client, slot);
}

void sim_client_step_all(sim_client *client)
{
    for (uint32_t i = 0; client->welcomed && client->link != NULL && i < client->scene->room_count; i++) {
        sim_slot *slot = &client->slots[i];
        if (slot->stay != NULL && !slot->leaving && client->scene->configs[i].tick_mode == QD_TICK_MODE_STEP)
            send_step(client, slot, false);
    }
}

/* ---- answers ---- */

static bool is_batch(qd_client_kind kind)
{
    return kind >= QD_CLIENT_SPAWN && kind <= QD_CLIENT_DESPAWN;
}

static sim_request *request_of(sim_client *client, uint32_t seq)
{
    for (size_t i = client->request_count; i-- > 0;) {
        if (client->requests[i].seq == seq)
            return &client->requests[i];
    }
    sim_fail("an answer to %u, which was not asked", seq);
}

/* The answer to a request of that kind. */
static sim_request *answered(sim_client *client, uint32_t seq, qd_client_kind kind)
{
    sim_request *asked = request_of(client, seq);
    sim_check(asked->kind == kind && !asked->done && asked->must_be == 0,
              "request %u of kind %d gets the answer to one of kind %d", seq, asked->kind, kind);
    asked->done = true;
    return asked;
}

/* NULL: the client is not in that room any more. */
static sim_slot *slot_of(sim_client *client, uint64_t room)
{
    for (uint32_t i = 0; i < ROOMS_MAX; i++) {
        if (client->slots[i].stay != NULL && client->slots[i].stay->room->handle == room)
            return &client->slots[i];
    }
    return NULL;
}

static model_room *room_of(const sim_scene *scene, uint64_t handle)
{
    for (size_t i = 0; i < scene->room_total; i++) {
        if (scene->rooms[i]->handle == handle)
            return scene->rooms[i];
    }
    return NULL;
}

static void on_room_opened(sim_client *client, uint32_t seq, const qd_msg_room_opened *opened)
{
    sim_request *asked = answered(client, seq, QD_CLIENT_OPEN_ROOM);
    sim_slot *slot = &client->slots[asked->name];
    slot->opening = false;
    slot->tick = opened->tick;
    model_room *room = room_of(client->scene, opened->room);
    sim_check(room != NULL && room->name == asked->name, "another room was opened");
    if (opened->created)
        room->creator = client->session;
    if (slot->stay == NULL)
        slot->stay = model_stay_create(room, client->session, client->link);
    sim_check(slot->stay->room == room, "the room was opened again, and has another handle");
}

/* The client is out of the room: a reset that a full queue kept back may not come any more, nor an Applied of a tick
 * that came after. */
static void leave_slot(sim_client *client, sim_slot *slot)
{
    for (size_t i = 0; i < client->request_count; i++) {
        sim_request *asked = &client->requests[i];
        if (asked->stay == slot->stay)
            asked->excused |= asked->kind == QD_CLIENT_SUBSCRIBE || (slot->leaving && is_batch(asked->kind));
    }
    model_observer_destroy(slot->observer);
    *slot = (sim_slot){.opening = slot->opening};
}

static void on_room_closed(sim_client *client, uint32_t seq, const qd_msg_room_closed *closed)
{
    if (seq != 0)
        (void)answered(client, seq, QD_CLIENT_CLOSE_ROOM);
    sim_slot *slot = slot_of(client, closed->room);
    sim_check(slot != NULL, "a room is closed that the client is not in");
    const model_observer *observer = slot->observer;
    sim_check(observer == NULL || !observer->known || slot->stay->lost || observer->set_count == 0,
              "the room is closed, and the ends of %u pairs did not come", observer->set_count);
    leave_slot(client, slot);
}

static void on_tick(sim_client *client, const qd_msg_tick *tick)
{
    sim_slot *slot = slot_of(client, tick->room);
    sim_check(slot != NULL && slot->observer != NULL, "a tick that nobody asked for");
    model_observer_tick(slot->observer, tick);
    slot->tick = tick->tick;
    if (!slot->subscribing || !(tick->reset || tick->suspended))
        return;
    slot->subscribing = false;
    for (size_t i = 0; i < client->request_count; i++) {
        if (client->requests[i].kind == QD_CLIENT_SUBSCRIBE && client->requests[i].stay == slot->stay)
            client->requests[i].excused = true;
    }
}

static void on_applied(sim_client *client, uint32_t seq, const qd_msg_applied *applied)
{
    sim_slot *slot = slot_of(client, applied->room);
    sim_check(slot != NULL, "an Applied for a room that the client is not in");
    sim_check(seq == applied->seq && seq >= slot->applied_seq && applied->tick >= slot->applied_tick,
              "an Applied goes back");
    slot->applied_seq = seq;
    slot->applied_tick = slot->tick = applied->tick;
    sim_request *asked = request_of(client, seq);
    sim_check(asked->stay == slot->stay, "an Applied for another room's request");
    if (asked->kind == QD_CLIENT_UNSUBSCRIBE && slot->unsubscribing) {
        slot->unsubscribing = false;
        model_observer_destroy(slot->observer);
        slot->observer = NULL;
    }
    asked->done = true;
    for (size_t i = 0; i < client->request_count && client->requests[i].seq <= seq; i++) {
        sim_request *earlier = &client->requests[i];
        if (earlier->stay != slot->stay || earlier->done || earlier->excused)
            continue;
        sim_check(is_batch(earlier->kind) || earlier->kind == QD_CLIENT_SUBSCRIBE,
                  "request %u is answered before request %u of kind %d", seq, earlier->seq, earlier->kind);
        if (!is_batch(earlier->kind))
            continue;
        sim_check(earlier->entries_refused == (slot->stay->ops[earlier->op].refused_count > 0),
                  "batch %u is in, and its refused entries were not told", earlier->seq);
        earlier->done = true;
    }
}

static void on_snapshot(sim_client *client, uint32_t seq, const qd_msg_snapshot_result *result)
{
    const sim_request *asked = answered(client, seq, QD_CLIENT_SNAPSHOT);
    sim_check(result->last && !result->more, "a small snapshot comes in parts");
    for (uint32_t k = 0; k < STAY_ENTITIES; k++) {
        const model_entity *entity = &asked->seen[k];
        uint32_t id = model_id(asked->stay, k), i = 0;
        while (i < result->entities.count && result->entities.id[i] != id)
            i++;
        bool there = i < result->entities.count;
        sim_check(there == entity->present, "a snapshot has another set of entities");
        sim_check(!there ||
                      (result->entities.x[i] == entity->x && result->entities.y[i] == entity->y &&
                       result->entities.half_x[i] == entity->half_x && result->entities.half_y[i] == entity->half_y &&
                       result->entities.shape[i] == entity->shape && result->entities.category[i] == entity->category &&
                       result->entities.mask[i] == entity->mask),
                  "a snapshot has an entity as it is not");
    }
}

static void on_entries(sim_request *asked, const qd_msg_error *error)
{
    sim_check(is_batch(asked->kind) && !asked->entries_refused && !asked->done, "refused entries out of place");
    const model_op *op = &asked->stay->ops[asked->op];
    sim_check(error->entries_refused == op->refused_count && error->entry_count == op->refused_count,
              "%u entries of batch %u are refused, not %u", error->entries_refused, asked->seq, op->refused_count);
    for (uint32_t i = 0; i < op->refused_count; i++)
        sim_check(error->entry_index[i] == op->refused[i] && error->entry_code[i] >= QD_ERROR_UNKNOWN_ID,
                  "another entry is refused");
    asked->entries_refused = true;
}

static bool is_allowed(const sim_client *client, const sim_request *asked, qd_error_code code)
{
    const model_room *room = asked->stay != NULL ? asked->stay->room : NULL;
    switch (code) {
    case QD_ERROR_UNKNOWN_ROOM:
        return room != NULL ? room->closed : asked->kind == QD_CLIENT_OPEN_ROOM && !asked->has_config;
    case QD_ERROR_NOT_ALLOWED:
        return asked->kind == QD_CLIENT_CLOSE_ROOM && room->creator != client->session;
    case QD_ERROR_NOT_STEP_MODE:
        return asked->kind == QD_CLIENT_STEP && client->scene->configs[room->name].tick_mode != QD_TICK_MODE_STEP;
    case QD_ERROR_WRONG_TICK:
        return asked->kind == QD_CLIENT_STEP && asked->tick != 0;
    case QD_ERROR_LIMIT:
        return asked->kind == QD_CLIENT_SNAPSHOT;
    default:
        return false;
    }
}

static void on_error(sim_client *client, uint32_t seq, const qd_msg_error *error)
{
    if (client->vandal) {
        sim_check(error->code < QD_ERROR_UNKNOWN_MESSAGE, "a vandal gets error %d", error->code);
        client->ended_by_error = true;
        return;
    }
    sim_check(error->seq == seq && error->text[0] != '\0', "an Error without its seq, or without words");
    sim_request *asked = request_of(client, seq);
    if (error->code == QD_ERROR_ENTRIES) {
        on_entries(asked, error);
        return;
    }
    bool right = asked->must_be != 0 ? error->code == asked->must_be : is_allowed(client, asked, error->code);
    sim_check(right && !asked->done, "request %u of kind %d gets %s: %s", seq, asked->kind,
              qd_error_code_name(error->code), error->text);
    asked->done = true;
    if (asked->kind == QD_CLIENT_OPEN_ROOM && asked->must_be == 0)
        client->slots[asked->name].opening = false;
    sim_slot *slot = asked->stay != NULL ? slot_of(client, asked->stay->room->handle) : NULL;
    if (asked->kind == QD_CLIENT_LEAVE_ROOM && slot != NULL)
        leave_slot(client, slot);
}

static void on_list(sim_client *client, uint32_t seq, const qd_msg_room_list *list)
{
    (void)answered(client, seq, QD_CLIENT_LIST_ROOMS);
    for (size_t i = 0; i + 1 < list->count; i++)
        sim_check(strcmp(list->rooms[i].name, list->rooms[i + 1].name) < 0, "a list of rooms is not in order");
}

static void on_message(sim_client *client, const qd_server_message *message)
{
    sim_slot *slot;
    switch (message->kind) {
    case QD_SERVER_WELCOME:
        client->welcomed = true;
        client->session = message->as.welcome.session;
        break;
    case QD_SERVER_ROOM_OPENED:
        on_room_opened(client, message->seq, &message->as.room_opened);
        break;
    case QD_SERVER_ROOM_LEFT:
        (void)answered(client, message->seq, QD_CLIENT_LEAVE_ROOM);
        slot = slot_of(client, message->as.room_left.room);
        if (slot != NULL)
            leave_slot(client, slot);
        break;
    case QD_SERVER_ROOM_CLOSED:
        on_room_closed(client, message->seq, &message->as.room_closed);
        break;
    case QD_SERVER_ROOM_LIST:
        on_list(client, message->seq, &message->as.room_list);
        break;
    case QD_SERVER_TICK:
        on_tick(client, &message->as.tick);
        break;
    case QD_SERVER_APPLIED:
        on_applied(client, message->seq, &message->as.applied);
        break;
    case QD_SERVER_SNAPSHOT_RESULT:
        on_snapshot(client, message->seq, &message->as.snapshot_result);
        break;
    case QD_SERVER_STATS:
        (void)answered(client, message->seq, QD_CLIENT_GET_STATS);
        break;
    case QD_SERVER_PONG:
        (void)answered(client, message->seq, QD_CLIENT_PING);
        sim_check(message->as.pong.data == message->seq, "a Pong with other data");
        break;
    case QD_SERVER_ERROR:
        on_error(client, message->seq, &message->as.error);
        break;
    case QD_SERVER_GO_AWAY:
        sim_check(client->scene->stopping || client->ended_by_error, "GoAway without a reason");
        client->gone_away = true;
        break;
    case QD_SERVER_NOTHING:
        sim_fail("an empty frame");
    }
}

bool sim_client_read(sim_client *client)
{
    if (client->link == NULL)
        return false;
    if (client->stalled > 0 && --client->stalled > 0)
        return true;
    uint8_t bytes[512];
    size_t size_read =
        sim_link_read(client->link, bytes, 1 + pick(client, percent(client, 50) ? 8 : (uint32_t)sizeof bytes));
    const uint8_t *at = bytes, *frame;
    size_t left = size_read, frame_size;
    qd_frame_result result;
    while ((result = qd_frame_reader_next(&client->reader, &at, &left, &frame, &frame_size)) == QD_FRAME_OK) {
        qd_decoded_server decoded;
        sim_check(qd_decode_server(frame, frame_size, NULL, &decoded) == QD_DECODE_OK, "a frame that is none");
        on_message(client, &decoded.message);
        qd_decoded_server_release(&decoded, NULL);
    }
    sim_check(result == QD_FRAME_MORE, "the server's bytes are no frames");
    if (size_read == 0 && client->link->closed) {
        sim_check(client->gone_away || client->vandal, "the server ended the connection");
        sim_check(!client->vandal || client->ended_by_error, "a vandal's connection ended without an Error");
        forget(client);
    }
    return size_read > 0;
}

void sim_client_finish(sim_client *client)
{
    if (client->link == NULL)
        return;
    sim_check(!client->vandal, "a vandal is still connected");
    for (size_t i = 0; i < client->request_count; i++) {
        const sim_request *asked = &client->requests[i];
        sim_check(asked->done || asked->excused, "request %u of kind %d was never answered", asked->seq, asked->kind);
    }
    for (uint32_t i = 0; i < ROOMS_MAX; i++) {
        model_observer *observer = client->slots[i].observer;
        if (observer == NULL || observer->suspended)
            continue;
        sim_check(observer->known, "a subscription got no reset");
        model_observer_finish(observer);
    }
}

/* ---- the tap ---- */

static model_stay *latest_stay(const model_room *room, const sim_link *link)
{
    for (uint32_t i = room->stay_count; i-- > 0;) {
        if (room->stays[i]->link == link)
            return room->stays[i];
    }
    return NULL;
}

static void tap_opened(sim_scene *scene, const qd_msg_room_opened *opened)
{
    sim_check(opened->room != 0 && opened->room < (UINT64_C(1) << 53), "a handle that a double does not hold");
    model_room *room = room_of(scene, opened->room);
    sim_check(room != NULL || opened->created, "a room that nobody created");
    sim_check(room == NULL || !room->closed, "a handle was given out again");
    if (room != NULL)
        return;
    if (scene->room_total == scene->room_capacity) {
        scene->room_capacity = scene->room_capacity == 0 ? 8 : scene->room_capacity * 2;
        scene->rooms = realloc(scene->rooms, scene->room_capacity * sizeof *scene->rooms);
        sim_check(scene->rooms != NULL, "out of memory");
    }
    room = model_room_create(&scene->world, opened->room);
    room->name = (uint32_t)atoi(opened->name + strlen("room "));
    room->grace_ns = opened->config.grace_ms * UINT64_C(1000000);
    room->events_max = opened->config.events_max;
    scene->rooms[scene->room_total++] = room;
}

static void tap_message(sim_scene *scene, sim_link *link, const qd_server_message *message, bool queued)
{
    model_room *room;
    model_stay *stay;
    switch (message->kind) {
    case QD_SERVER_ROOM_OPENED:
        tap_opened(scene, &message->as.room_opened);
        break;
    case QD_SERVER_ROOM_CLOSED:
        room_of(scene, message->as.room_closed.room)->closed = true;
        break;
    case QD_SERVER_TICK:
        room = room_of(scene, message->as.tick.room);
        stay = latest_stay(room, link);
        model_room_heard_tick(room, message->as.tick.tick);
        if (!queued || message->as.tick.reset || message->as.tick.suspended)
            stay->lost = !queued;
        break;
    case QD_SERVER_APPLIED:
        room = room_of(scene, message->as.applied.room);
        stay = latest_stay(room, link);
        model_room_heard_applied(room, stay, message->as.applied.tick, message->as.applied.seq);
        break;
    default:
        break;
    }
}

void sim_scene_tap(sim_link *link, const qd_buffer *buffer, bool queued, void *context)
{
    qd_frame_reader reader;
    qd_frame_reader_init(&reader, QD_SERVER_FRAME_BYTES_MAX, NULL);
    const uint8_t *bytes = buffer->bytes, *frame;
    size_t left = buffer->size, frame_size;
    qd_decoded_server decoded;
    sim_check(qd_frame_reader_next(&reader, &bytes, &left, &frame, &frame_size) == QD_FRAME_OK && left == 0,
              "a buffer is not one frame");
    sim_check(qd_decode_server(frame, frame_size, NULL, &decoded) == QD_DECODE_OK, "a frame that is none");
    tap_message(context, link, &decoded.message, queued);
    qd_decoded_server_release(&decoded, NULL);
    qd_frame_reader_deinit(&reader);
}
