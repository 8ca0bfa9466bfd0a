/* SPDX-License-Identifier: Apache-2.0
 *
 * From bytes to a ClientFrame: what clients say to the server.
 */
#include "codec_internal.h"
#include "decode_usual.h"

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
        QD_COLUMN_OPTIONAL(spawn, radius),
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
        .radius = spawn->radius,
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
        QD_COLUMN_OPTIONAL(reshape, radius),
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
        .radius = reshape->radius,
        .shape = reshape->shape.data,
        .category = reshape->category,
        .mask = reshape->mask,
    };
    return true;
}

static bool get_roster_move(const Quadrille__V1__RosterMove *move, qd_decoded_client *decoded)
{
    qd_msg_roster_move *result = &decoded->message.as.roster_move;

    *result = (qd_msg_roster_move){.room = move->room};
    const qd_column columns[] = {
        QD_COLUMN(move, x),
        QD_COLUMN(move, y),
        QD_COLUMN_OPTIONAL(move, z),
    };
    if (!columns_agree(columns, COUNT_OF(columns), decoded)) {
        return false;
    }
    *result = (qd_msg_roster_move){
        .room = move->room,
        .roster = move->roster,
        .first = move->first,
        .count = (uint32_t)move->n_x,
        .x = move->x,
        .y = move->y,
        .z = move->z,
        .teleport = move->teleport,
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
        .resumable = hello->resumable,
        .resume = {hello->resume.len, hello->resume.data},
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
        .own = snapshot->own,
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
_Static_assert((int)QD_CLIENT_ROSTER_MOVE + 1 == (int)QUADRILLE__V1__CLIENT_FRAME__MESSAGE_ROSTER_MOVE,
               "the last kind");

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
    case QD_CLIENT_DESCRIBE:
        agree = qd_describe_get(frame->describe, &message->as.describe, decoded->fault, sizeof decoded->fault);
        break;
    case QD_CLIENT_OBSERVE:
        agree = qd_observe_get(frame->observe, &message->as.observers, decoded->fault, sizeof decoded->fault);
        break;
    case QD_CLIENT_MOVE_OBSERVERS:
        agree =
            qd_move_observers_get(frame->move_observers, &message->as.observers, decoded->fault, sizeof decoded->fault);
        break;
    case QD_CLIENT_UNOBSERVE:
        message->as.observers = (qd_msg_observers){
            .room = frame->unobserve->room, .count = (uint32_t)frame->unobserve->n_id, .id = frame->unobserve->id};
        break;
    case QD_CLIENT_EXCEPT:
        message->as.except = qd_except_get(frame->exceptions);
        break;
    case QD_CLIENT_VIEW_OPTIONS:
        message->as.view_options = qd_view_options_get(frame->view_options);
        break;
    case QD_CLIENT_WHY:
        message->as.why = (qd_msg_why){
            .room = frame->why->room, .a = frame->why->a, .b = frame->why->b, .observer = frame->why->observer};
        break;
    case QD_CLIENT_ACK:
        message->as.step = (qd_msg_step){.room = frame->ack->room, .tick = frame->ack->tick};
        break;
    case QD_CLIENT_ROSTER:
        message->as.roster = (qd_msg_roster){
            .room = frame->roster->room,
            .roster = frame->roster->roster,
            .first = frame->roster->first,
            .count = (uint32_t)frame->roster->n_id,
            .id = frame->roster->id,
            .keep_rest = frame->roster->keep_rest,
        };
        break;
    case QD_CLIENT_ROSTER_MOVE:
        agree = get_roster_move(frame->roster_move, decoded);
        break;
    case QD_CLIENT_HANDOVER:
        message->as.handover = (qd_msg_handover){
            .room = frame->handover->room,
            .count = (uint32_t)frame->handover->n_id,
            .id = frame->handover->id,
            .session = frame->handover->session,
            .room_owned = frame->handover->room_owned,
        };
        break;
    case QD_CLIENT_ADOPT:
        message->as.adopt = (qd_msg_adopt){.room = frame->adopt->room, .session = frame->adopt->session};
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

qd_decode_result qd_decode_any(const void *bytes, size_t size, const qd_codec_memory *memory,
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

qd_decode_result qd_decode_client(const void *bytes, size_t size, const qd_codec_memory *memory,
                                  qd_decoded_client *decoded)
{
    qd_decode_result result;

    if (qd_decode_usual(bytes, size, memory, decoded, &result)) {
        return result;
    }
    return qd_decode_any(bytes, size, memory, decoded);
}

void qd_decoded_client_release(qd_decoded_client *decoded, const qd_codec_memory *memory)
{
    memory = qd_codec_memory_or_malloc(memory);
    if (decoded->memory) {
        memory->release(memory->context, decoded->memory, decoded->memory_size);
    }
    *decoded = (qd_decoded_client){0};
}
