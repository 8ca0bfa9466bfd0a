/* SPDX-License-Identifier: Apache-2.0
 *
 * ClientFrame: what clients say to the server.
 */
#include "codec_internal.h"

/* ---- decode ---- */

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* The id column comes first; the others must fit to it. */
static bool columns_agree(const qd_column *columns, size_t count, qd_decoded_client *decoded)
{
    return qd_columns_agree(columns, count, decoded->fault, sizeof decoded->fault);
}

static bool get_spawn(const Quadrille__V1__Spawn *spawn, qd_decoded_client *decoded)
{
    qd_msg_batch *batch = &decoded->message.as.batch;
    *batch = (qd_msg_batch){.room = spawn->room, .room_owned = spawn->room_owned};
    const qd_column columns[] = {
        QD_COLUMN(spawn, id),
        QD_COLUMN(spawn, x),
        QD_COLUMN(spawn, y),
        QD_COLUMN_OPTIONAL(spawn, z),
        QD_COLUMN_OPTIONAL(spawn, half_x),
        QD_COLUMN_OPTIONAL(spawn, half_y),
        QD_COLUMN_OPTIONAL(spawn, half_z),
        QD_COLUMN_BYTES(spawn, shape, false),
        QD_COLUMN_OPTIONAL(spawn, category),
        QD_COLUMN_OPTIONAL(spawn, mask),
    };
    if (!columns_agree(columns, COUNT_OF(columns), decoded)) {
        return false;
    }
    batch->entities = (qd_msg_entities){
        .count = (uint32_t)spawn->n_id,
        .id = spawn->id,
        .x = spawn->x,
        .y = spawn->y,
        .z = spawn->z,
        .half_x = spawn->half_x,
        .half_y = spawn->half_y,
        .half_z = spawn->half_z,
        .shape = spawn->shape.data,
        .category = spawn->category,
        .mask = spawn->mask,
    };
    return true;
}

static bool get_move(const Quadrille__V1__Move *move, qd_decoded_client *decoded)
{
    qd_msg_batch *batch = &decoded->message.as.batch;
    *batch = (qd_msg_batch){.room = move->room};
    const qd_column columns[] = {
        QD_COLUMN(move, id),
        QD_COLUMN(move, x),
        QD_COLUMN(move, y),
        QD_COLUMN_OPTIONAL(move, z),
    };
    if (!columns_agree(columns, COUNT_OF(columns), decoded)) {
        return false;
    }
    batch->entities = (qd_msg_entities){
        .count = (uint32_t)move->n_id,
        .id = move->id,
        .x = move->x,
        .y = move->y,
        .z = move->z,
    };
    return true;
}

static bool get_teleport(const Quadrille__V1__Teleport *teleport, qd_decoded_client *decoded)
{
    qd_msg_batch *batch = &decoded->message.as.batch;
    *batch = (qd_msg_batch){.room = teleport->room};
    const qd_column columns[] = {
        QD_COLUMN(teleport, id),
        QD_COLUMN(teleport, x),
        QD_COLUMN(teleport, y),
        QD_COLUMN_OPTIONAL(teleport, z),
    };
    if (!columns_agree(columns, COUNT_OF(columns), decoded)) {
        return false;
    }
    batch->entities = (qd_msg_entities){
        .count = (uint32_t)teleport->n_id,
        .id = teleport->id,
        .x = teleport->x,
        .y = teleport->y,
        .z = teleport->z,
    };
    return true;
}

static bool get_reshape(const Quadrille__V1__Reshape *reshape, qd_decoded_client *decoded)
{
    qd_msg_batch *batch = &decoded->message.as.batch;
    *batch = (qd_msg_batch){.room = reshape->room};
    const qd_column columns[] = {
        QD_COLUMN(reshape, id),
        QD_COLUMN_OPTIONAL(reshape, half_x),
        QD_COLUMN_OPTIONAL(reshape, half_y),
        QD_COLUMN_OPTIONAL(reshape, half_z),
        QD_COLUMN_BYTES(reshape, shape, false),
        QD_COLUMN_OPTIONAL(reshape, category),
        QD_COLUMN_OPTIONAL(reshape, mask),
    };
    if (!columns_agree(columns, COUNT_OF(columns), decoded)) {
        return false;
    }
    batch->entities = (qd_msg_entities){
        .count = (uint32_t)reshape->n_id,
        .id = reshape->id,
        .half_x = reshape->half_x,
        .half_y = reshape->half_y,
        .half_z = reshape->half_z,
        .shape = reshape->shape.data,
        .category = reshape->category,
        .mask = reshape->mask,
    };
    return true;
}

static void get_despawn(const Quadrille__V1__Despawn *despawn, qd_msg_batch *batch)
{
    *batch = (qd_msg_batch){
        .room = despawn->room,
        .entities = {.count = (uint32_t)despawn->n_id, .id = despawn->id},
    };
}

static void get_hello(const Quadrille__V1__Hello *hello, qd_decode_block *block, qd_msg_hello *result)
{
    *result = (qd_msg_hello){
        .version = hello->version,
        .token = qd_decode_block_text(block, hello->token),
        .client = qd_decode_block_text(block, hello->client),
    };
}

static void get_open_room(const Quadrille__V1__OpenRoom *open_room, qd_decode_block *block, qd_msg_open_room *result)
{
    *result = (qd_msg_open_room){
        .name = qd_decode_block_text(block, open_room->name),
        .has_config = open_room->config != NULL,
        .config = qd_room_config_get(open_room->config),
    };
}

static void get_list_rooms(const Quadrille__V1__ListRooms *list_rooms, qd_decode_block *block,
                           qd_msg_list_rooms *result)
{
    *result = (qd_msg_list_rooms){
        .after = qd_decode_block_text(block, list_rooms->after),
        .limit = list_rooms->limit,
    };
}

static void get_subscribe(const Quadrille__V1__Subscribe *subscribe, qd_msg_subscribe *result)
{
    bool unspecified = subscribe->scope == QUADRILLE__V1__SUBSCRIBE__SCOPE__SCOPE_UNSPECIFIED;
    *result = (qd_msg_subscribe){
        .room = subscribe->room,
        .scope = unspecified ? QD_SCOPE_ALL : (qd_scope)subscribe->scope,
        .stays = subscribe->stays,
    };
}

static void get_snapshot(const Quadrille__V1__Snapshot *snapshot, qd_msg_snapshot *result)
{
    *result = (qd_msg_snapshot){
        .room = snapshot->room,
        .has_region = snapshot->region != NULL,
        .region = qd_bounds_get(snapshot->region),
        .limit = snapshot->limit,
    };
}

static void get_query(const Quadrille__V1__Query *query, qd_msg_query *result)
{
    *result = (qd_msg_query){.room = query->room, .categories = query->categories, .limit = query->limit};
    switch (query->where_case) {
    case QUADRILLE__V1__QUERY__WHERE_BOX:
        result->kind = QD_QUERY_BOX;
        result->where.box = qd_bounds_get(query->box);
        break;
    case QUADRILLE__V1__QUERY__WHERE_CIRCLE:
        result->kind = QD_QUERY_CIRCLE;
        result->where.circle = (qd_msg_query_circle){
            .x = query->circle->x,
            .y = query->circle->y,
            .z = query->circle->z,
            .radius = query->circle->radius,
        };
        break;
    case QUADRILLE__V1__QUERY__WHERE_NEAREST:
        result->kind = QD_QUERY_NEAREST;
        result->where.nearest = (qd_msg_query_nearest){
            .x = query->nearest->x,
            .y = query->nearest->y,
            .z = query->nearest->z,
            .within = query->nearest->within,
        };
        break;
    case QUADRILLE__V1__QUERY__WHERE_RAY:
        result->kind = QD_QUERY_RAY;
        result->where.ray = (qd_msg_query_ray){
            .x = query->ray->x,
            .y = query->ray->y,
            .z = query->ray->z,
            .direction_x = query->ray->direction_x,
            .direction_y = query->ray->direction_y,
            .direction_z = query->ray->direction_z,
            .length = query->ray->length,
        };
        break;
    default:
        break;
    }
}

/* The kinds are numbered as the messages in the envelope, which has them from field 2 on without a gap. */
_Static_assert((int)QD_CLIENT_HELLO + 1 == (int)QUADRILLE__V1__CLIENT_FRAME__MESSAGE_HELLO, "the first kind");
_Static_assert((int)QD_CLIENT_QUERY + 1 == (int)QUADRILLE__V1__CLIENT_FRAME__MESSAGE_QUERY, "the last kind");

/* Returns whether the columns agree. */
static bool get_message(const Quadrille__V1__ClientFrame *frame, qd_decode_block *block, qd_decoded_client *decoded)
{
    qd_client_message *message = &decoded->message;
    bool agree = true;
    if (frame->message_case != QUADRILLE__V1__CLIENT_FRAME__MESSAGE__NOT_SET) {
        message->kind = (qd_client_kind)((int)frame->message_case - 1);
    }
    switch (message->kind) {
    case QD_CLIENT_NOTHING:
        break;
    case QD_CLIENT_HELLO:
        get_hello(frame->hello, block, &message->as.hello);
        break;
    case QD_CLIENT_OPEN_ROOM:
        get_open_room(frame->open_room, block, &message->as.open_room);
        break;
    case QD_CLIENT_LEAVE_ROOM:
        message->as.room.room = frame->leave_room->room;
        break;
    case QD_CLIENT_CLOSE_ROOM:
        message->as.room.room = frame->close_room->room;
        break;
    case QD_CLIENT_LIST_ROOMS:
        get_list_rooms(frame->list_rooms, block, &message->as.list_rooms);
        break;
    case QD_CLIENT_SPAWN:
        agree = get_spawn(frame->spawn, decoded);
        break;
    case QD_CLIENT_MOVE:
        agree = get_move(frame->move, decoded);
        break;
    case QD_CLIENT_TELEPORT:
        agree = get_teleport(frame->teleport, decoded);
        break;
    case QD_CLIENT_RESHAPE:
        agree = get_reshape(frame->reshape, decoded);
        break;
    case QD_CLIENT_DESPAWN:
        get_despawn(frame->despawn, &message->as.batch);
        break;
    case QD_CLIENT_SUBSCRIBE:
        get_subscribe(frame->subscribe, &message->as.subscribe);
        break;
    case QD_CLIENT_UNSUBSCRIBE:
        message->as.room.room = frame->unsubscribe->room;
        break;
    case QD_CLIENT_SNAPSHOT:
        get_snapshot(frame->snapshot, &message->as.snapshot);
        break;
    case QD_CLIENT_STEP:
        message->as.step = (qd_msg_step){.room = frame->step->room, .tick = frame->step->tick};
        break;
    case QD_CLIENT_GET_STATS:
        message->as.room.room = frame->get_stats->room;
        break;
    case QD_CLIENT_PING:
        message->as.ping.data = frame->ping->data;
        break;
    case QD_CLIENT_QUERY:
        get_query(frame->query, &message->as.query);
        break;
    }
    return agree;
}

static qd_decode_result decode(qd_decode_block *block, const void *bytes, size_t size, void *context)
{
    qd_decoded_client *decoded = context;
    *decoded = (qd_decoded_client){0};
    const Quadrille__V1__ClientFrame *frame = (const Quadrille__V1__ClientFrame *)qd_decode_block_unpack(
        block, &quadrille__v1__client_frame__descriptor, bytes, size);
    if (!frame) {
        return QD_DECODE_MALFORMED;
    }
    decoded->message.seq = frame->seq;
    bool agree = get_message(frame, block, decoded);
    if (block->text_broken) {
        return QD_DECODE_MALFORMED;
    }
    return agree ? QD_DECODE_OK : QD_DECODE_COLUMNS;
}

qd_decode_result qd_decode_client(const void *bytes, size_t size, const qd_codec_memory *memory,
                                  qd_decoded_client *decoded)
{
    qd_decode_block block;
    *decoded = (qd_decoded_client){0};
    qd_decode_result result =
        qd_decode_in_block(decode, bytes, size, QD_DECODE_BYTES_MAX(size), memory, &block, decoded);
    decoded->memory = block.bytes;
    decoded->memory_size = block.size;
    return result;
}

void qd_decoded_client_release(qd_decoded_client *decoded, const qd_codec_memory *memory)
{
    memory = qd_codec_memory_or_malloc(memory);
    if (decoded->memory) {
        memory->release(memory->context, decoded->memory, decoded->memory_size);
    }
    *decoded = (qd_decoded_client){0};
}

/* ---- encode ---- */

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
    QD_COLUMN_BYTES_SET(reshape, shape, entities->shape, entities->count);
    QD_COLUMN_SET(reshape, category, entities->category, entities->count);
    QD_COLUMN_SET(reshape, mask, entities->mask, entities->count);
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
    }
}

static size_t size_body(const client_body *body)
{
    return body->field != 0 ? protobuf_c_message_get_packed_size(&body->message) : 0;
}

size_t qd_client_message_size(const qd_client_message *message)
{
    client_body body;
    set_body(&body, message);
    return qd_envelope_size(message->seq, body.field, size_body(&body));
}

size_t qd_client_message_encode(const qd_client_message *message, void *bytes)
{
    client_body body;
    set_body(&body, message);
    uint8_t *at = bytes;
    at += qd_envelope_write(message->seq, body.field, size_body(&body), at);
    if (body.field != 0) {
        at += protobuf_c_message_pack(&body.message, at);
    }
    return (size_t)(at - (uint8_t *)bytes);
}
