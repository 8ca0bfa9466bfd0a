/* SPDX-License-Identifier: Apache-2.0
 *
 * From a ClientFrame to bytes.
 */
#include "codec_internal.h"
#include "encode_usual.h"

/* A message as protobuf-c wants it, and what hangs on it. */
typedef struct client_body {
    uint32_t field; /* of the envelope; 0 for none */
    union {
        ProtobufCMessage message; /* the head of each */
        Quadrille__V1__Hello hello;
        Quadrille__V1__OpenRoom open_room;
        Quadrille__V1__LeaveRoom leave_room;
        Quadrille__V1__CloseRoom close_room;
        Quadrille__V1__ListRooms list_rooms;
        Quadrille__V1__Spawn spawn;
        Quadrille__V1__Move move;
        Quadrille__V1__Teleport teleport;
        Quadrille__V1__Reshape reshape;
        Quadrille__V1__Despawn despawn;
        Quadrille__V1__Subscribe subscribe;
        Quadrille__V1__Unsubscribe unsubscribe;
        Quadrille__V1__Snapshot snapshot;
        Quadrille__V1__Step step;
        Quadrille__V1__GetStats get_stats;
        Quadrille__V1__Ping ping;
        Quadrille__V1__Query query;
        Quadrille__V1__Handover handover;
        Quadrille__V1__Roster roster;
        Quadrille__V1__RosterMove roster_move;
        Quadrille__V1__Ack ack;
        Quadrille__V1__Adopt adopt;
        Quadrille__V1__Describe describe;
        Quadrille__V1__Observe observe;
        Quadrille__V1__MoveObservers move_observers;
        Quadrille__V1__Unobserve unobserve;
        Quadrille__V1__Except except;
        Quadrille__V1__ViewOptions view_options;
        Quadrille__V1__Why why;
    };
    Quadrille__V1__RoomConfig config;
    Quadrille__V1__Bounds bounds;
    Quadrille__V1__Query__Circle circle;
    Quadrille__V1__Query__Nearest nearest;
    Quadrille__V1__Query__Ray ray;
} client_body;

static void set_spawn(Quadrille__V1__Spawn *spawn, const qd_msg_batch *batch)
{
    const qd_msg_entities *entities = &batch->entities;

    spawn->room = batch->room;
    spawn->room_owned = batch->room_owned;
    QD_COLUMN_SET(spawn, id, entities->id, entities->count);
    QD_COLUMN_SET(spawn, x, entities->x, entities->count);
    QD_COLUMN_SET(spawn, y, entities->y, entities->count);
    QD_COLUMN_SET(spawn, z, entities->z, entities->count);
    QD_COLUMN_SET(spawn, half_x, entities->half_x, entities->count);
    QD_COLUMN_SET(spawn, half_y, entities->half_y, entities->count);
    QD_COLUMN_SET(spawn, half_z, entities->half_z, entities->count);
    QD_COLUMN_SET(spawn, radius, entities->radius, entities->count);
    QD_COLUMN_BYTES_SET(spawn, shape, entities->shape, entities->count);
    QD_COLUMN_SET(spawn, category, entities->category, entities->count);
    QD_COLUMN_SET(spawn, mask, entities->mask, entities->count);
}

static void set_move(Quadrille__V1__Move *move, const qd_msg_batch *batch)
{
    const qd_msg_entities *entities = &batch->entities;

    move->room = batch->room;
    QD_COLUMN_SET(move, id, entities->id, entities->count);
    QD_COLUMN_SET(move, x, entities->x, entities->count);
    QD_COLUMN_SET(move, y, entities->y, entities->count);
    QD_COLUMN_SET(move, z, entities->z, entities->count);
}

static void set_teleport(Quadrille__V1__Teleport *teleport, const qd_msg_batch *batch)
{
    const qd_msg_entities *entities = &batch->entities;

    teleport->room = batch->room;
    QD_COLUMN_SET(teleport, id, entities->id, entities->count);
    QD_COLUMN_SET(teleport, x, entities->x, entities->count);
    QD_COLUMN_SET(teleport, y, entities->y, entities->count);
    QD_COLUMN_SET(teleport, z, entities->z, entities->count);
}

static void set_reshape(Quadrille__V1__Reshape *reshape, const qd_msg_batch *batch)
{
    const qd_msg_entities *entities = &batch->entities;

    reshape->room = batch->room;
    QD_COLUMN_SET(reshape, id, entities->id, entities->count);
    QD_COLUMN_SET(reshape, half_x, entities->half_x, entities->count);
    QD_COLUMN_SET(reshape, half_y, entities->half_y, entities->count);
    QD_COLUMN_SET(reshape, half_z, entities->half_z, entities->count);
    QD_COLUMN_SET(reshape, radius, entities->radius, entities->count);
    QD_COLUMN_BYTES_SET(reshape, shape, entities->shape, entities->count);
    QD_COLUMN_SET(reshape, category, entities->category, entities->count);
    QD_COLUMN_SET(reshape, mask, entities->mask, entities->count);
}

static void set_roster(Quadrille__V1__Roster *roster, const qd_msg_roster *source)
{
    roster->room = source->room;
    roster->roster = source->roster;
    roster->first = source->first;
    QD_COLUMN_SET(roster, id, source->id, source->count);
    roster->keep_rest = source->keep_rest;
}

static void set_roster_move(Quadrille__V1__RosterMove *move, const qd_msg_roster_move *source)
{
    move->room = source->room;
    move->roster = source->roster;
    move->first = source->first;
    QD_COLUMN_SET(move, x, source->x, source->count);
    QD_COLUMN_SET(move, y, source->y, source->count);
    QD_COLUMN_SET(move, z, source->z, source->count);
    move->teleport = source->teleport;
}

static void set_open_room(client_body *body, const qd_msg_open_room *open_room)
{
    body->open_room.name = (char *)open_room->name;
    if (open_room->has_config) {
        qd_room_config_set(&body->config, &body->bounds, &open_room->config);
        body->open_room.config = &body->config;
    }
}

static void set_snapshot(client_body *body, const qd_msg_snapshot *snapshot)
{
    body->snapshot.room = snapshot->room;
    body->snapshot.limit = snapshot->limit;
    body->snapshot.own = snapshot->own;
    if (snapshot->has_region) {
        qd_bounds_set(&body->bounds, &snapshot->region);
        body->snapshot.region = &body->bounds;
    }
}

static void set_circle(client_body *body, const qd_msg_query_circle *circle)
{
    quadrille__v1__query__circle__init(&body->circle);
    body->circle.x = circle->x;
    body->circle.y = circle->y;
    body->circle.z = circle->z;
    body->circle.radius = circle->radius;
    body->query.where_case = QUADRILLE__V1__QUERY__WHERE_CIRCLE;
    body->query.circle = &body->circle;
}

static void set_nearest(client_body *body, const qd_msg_query_nearest *nearest)
{
    quadrille__v1__query__nearest__init(&body->nearest);
    body->nearest.x = nearest->x;
    body->nearest.y = nearest->y;
    body->nearest.z = nearest->z;
    body->nearest.within = nearest->within;
    body->query.where_case = QUADRILLE__V1__QUERY__WHERE_NEAREST;
    body->query.nearest = &body->nearest;
}

static void set_ray(client_body *body, const qd_msg_query_ray *ray)
{
    quadrille__v1__query__ray__init(&body->ray);
    body->ray.x = ray->x;
    body->ray.y = ray->y;
    body->ray.z = ray->z;
    body->ray.direction_x = ray->direction_x;
    body->ray.direction_y = ray->direction_y;
    body->ray.direction_z = ray->direction_z;
    body->ray.length = ray->length;
    body->query.where_case = QUADRILLE__V1__QUERY__WHERE_RAY;
    body->query.ray = &body->ray;
}

static void set_query(client_body *body, const qd_msg_query *query)
{
    body->query.room = query->room;
    body->query.categories = query->categories;
    body->query.limit = query->limit;
    switch (query->kind) {
    case QD_QUERY_NOTHING:
        break;
    case QD_QUERY_BOX:
        qd_bounds_set(&body->bounds, &query->where.box);
        body->query.where_case = QUADRILLE__V1__QUERY__WHERE_BOX;
        body->query.box = &body->bounds;
        break;
    case QD_QUERY_CIRCLE:
        set_circle(body, &query->where.circle);
        break;
    case QD_QUERY_NEAREST:
        set_nearest(body, &query->where.nearest);
        break;
    case QD_QUERY_RAY:
        set_ray(body, &query->where.ray);
        break;
    }
}

/* The body points into `message` and itself. */
static void set_body(client_body *body, const qd_client_message *message)
{
    /* Field 0 of the descriptor is seq; then come the messages, in the order of the kinds. */
    const ProtobufCFieldDescriptor *field = &quadrille__v1__client_frame__descriptor.fields[message->kind];

    body->field = 0;
    if (message->kind != QD_CLIENT_NOTHING) {
        body->field = field->id;
        protobuf_c_message_init(field->descriptor, &body->message);
    }
    switch (message->kind) {
    case QD_CLIENT_NOTHING:
        break;
    case QD_CLIENT_HELLO:
        body->hello.version = message->as.hello.version;
        body->hello.token = (char *)message->as.hello.token;
        body->hello.client = (char *)message->as.hello.client;
        body->hello.resumable = message->as.hello.resumable;
        body->hello.resume.len = message->as.hello.resume.size;
        body->hello.resume.data = (uint8_t *)message->as.hello.resume.bytes;
        break;
    case QD_CLIENT_OPEN_ROOM:
        set_open_room(body, &message->as.open_room);
        break;
    case QD_CLIENT_LEAVE_ROOM:
        body->leave_room.room = message->as.room.room;
        break;
    case QD_CLIENT_CLOSE_ROOM:
        body->close_room.room = message->as.room.room;
        break;
    case QD_CLIENT_LIST_ROOMS:
        body->list_rooms.after = (char *)message->as.list_rooms.after;
        body->list_rooms.limit = message->as.list_rooms.limit;
        break;
    case QD_CLIENT_SPAWN:
        set_spawn(&body->spawn, &message->as.batch);
        break;
    case QD_CLIENT_MOVE:
        set_move(&body->move, &message->as.batch);
        break;
    case QD_CLIENT_TELEPORT:
        set_teleport(&body->teleport, &message->as.batch);
        break;
    case QD_CLIENT_RESHAPE:
        set_reshape(&body->reshape, &message->as.batch);
        break;
    case QD_CLIENT_DESPAWN:
        body->despawn.room = message->as.batch.room;
        QD_COLUMN_SET(&body->despawn, id, message->as.batch.entities.id, message->as.batch.entities.count);
        break;
    case QD_CLIENT_SUBSCRIBE:
        body->subscribe.room = message->as.subscribe.room;
        body->subscribe.scope = (Quadrille__V1__Subscribe__Scope)message->as.subscribe.scope;
        body->subscribe.stays = message->as.subscribe.stays;
        break;
    case QD_CLIENT_UNSUBSCRIBE:
        body->unsubscribe.room = message->as.room.room;
        break;
    case QD_CLIENT_SNAPSHOT:
        set_snapshot(body, &message->as.snapshot);
        break;
    case QD_CLIENT_STEP:
        body->step.room = message->as.step.room;
        body->step.tick = message->as.step.tick;
        break;
    case QD_CLIENT_GET_STATS:
        body->get_stats.room = message->as.room.room;
        break;
    case QD_CLIENT_PING:
        body->ping.data = message->as.ping.data;
        break;
    case QD_CLIENT_QUERY:
        set_query(body, &message->as.query);
        break;
    case QD_CLIENT_DESCRIBE:
        qd_describe_set(&body->describe, &message->as.describe);
        break;
    case QD_CLIENT_OBSERVE:
        qd_observe_set(&body->observe, &message->as.observers);
        break;
    case QD_CLIENT_MOVE_OBSERVERS:
        qd_move_observers_set(&body->move_observers, &message->as.observers);
        break;
    case QD_CLIENT_UNOBSERVE:
        body->unobserve.room = message->as.observers.room;
        QD_COLUMN_SET(&body->unobserve, id, message->as.observers.id, message->as.observers.count);
        break;
    case QD_CLIENT_EXCEPT:
        qd_except_set(&body->except, &message->as.except);
        break;
    case QD_CLIENT_VIEW_OPTIONS:
        body->view_options.room = message->as.view_options.room;
        body->view_options.bytes_max = message->as.view_options.bytes_max;
        body->view_options.watch = (Quadrille__V1__ViewOptions__Watch)message->as.view_options.watch;
        break;
    case QD_CLIENT_WHY:
        body->why.room = message->as.why.room;
        body->why.a = message->as.why.a;
        body->why.observer = message->as.why.observer;
        body->why.b = message->as.why.b;
        break;
    case QD_CLIENT_ACK:
        body->ack.room = message->as.step.room;
        body->ack.tick = message->as.step.tick;
        break;
    case QD_CLIENT_ROSTER:
        set_roster(&body->roster, &message->as.roster);
        break;
    case QD_CLIENT_ROSTER_MOVE:
        set_roster_move(&body->roster_move, &message->as.roster_move);
        break;
    case QD_CLIENT_HANDOVER:
        body->handover.room = message->as.handover.room;
        QD_COLUMN_SET(&body->handover, id, message->as.handover.id, message->as.handover.count);
        body->handover.session = message->as.handover.session;
        body->handover.room_owned = message->as.handover.room_owned;
        break;
    case QD_CLIENT_ADOPT:
        body->adopt.room = message->as.adopt.room;
        body->adopt.session = message->as.adopt.session;
        break;
    }
}

static size_t size_body(const client_body *body)
{
    return body->field != 0 ? protobuf_c_message_get_packed_size(&body->message) : 0;
}

size_t qd_encode_client_any(const qd_client_message *message, uint8_t *bytes)
{
    client_body body;

    set_body(&body, message);
    size_t body_size = size_body(&body);
    if (bytes != NULL) {
        uint8_t *at = bytes + qd_envelope_write(message->seq, body.field, body_size, bytes);

        if (body.field != 0) {
            (void)protobuf_c_message_pack(&body.message, at);
        }
    }
    return qd_envelope_size(message->seq, body.field, body_size);
}

static size_t encode(const qd_client_message *message, uint8_t *bytes)
{
    size_t size = qd_encode_client_usual(message, bytes);

    return size > 0 ? size : qd_encode_client_any(message, bytes);
}

size_t qd_client_message_size(const qd_client_message *message)
{
    return encode(message, NULL);
}

size_t qd_client_message_encode(const qd_client_message *message, void *bytes)
{
    return encode(message, bytes);
}
