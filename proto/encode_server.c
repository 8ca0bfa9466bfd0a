/* SPDX-License-Identifier: Apache-2.0
 *
 * From a ServerFrame to bytes.
 */
#include "codec_internal.h"
#include "encode_usual.h"

/* Field 1 of RoomList. */
#define ROOM_LIST_ROOMS_TAG 0x0au

/* A message as protobuf-c wants it, and what hangs on it. The rows of a RoomList are written one by one, so that a list
 * of any length needs no memory. */
typedef struct server_body {
    uint32_t field;               /* of the envelope; 0 for none */
    const qd_msg_room_list *rows; /* NULL but for a RoomList */
    union {
        ProtobufCMessage message; /* the head of each */
        Quadrille__V1__Welcome welcome;
        Quadrille__V1__RoomOpened room_opened;
        Quadrille__V1__RoomLeft room_left;
        Quadrille__V1__RoomClosed room_closed;
        Quadrille__V1__RoomList room_list; /* without its rooms */
        Quadrille__V1__Tick tick;
        Quadrille__V1__Applied applied;
        Quadrille__V1__SnapshotResult snapshot_result;
        Quadrille__V1__Stats stats;
        Quadrille__V1__Pong pong;
        Quadrille__V1__Error error;
        Quadrille__V1__GoAway go_away;
        Quadrille__V1__QueryResult query_result;
        Quadrille__V1__View view;
        Quadrille__V1__WhyResult why_result;
        Quadrille__V1__HandedOver handed_over;
    };
    Quadrille__V1__Limits limits;
    Quadrille__V1__RoomConfig config;
    Quadrille__V1__Bounds bounds;
    Quadrille__V1__ServerStats server_stats;
    Quadrille__V1__RoomStats room_stats;
} server_body;

static void set_welcome(server_body *body, const qd_msg_welcome *welcome)
{
    body->welcome.version = welcome->version;
    body->welcome.server = (char *)welcome->server;
    body->welcome.session = welcome->session;
    body->welcome.resume_key.len = welcome->resume_key.size;
    body->welcome.resume_key.data = (uint8_t *)welcome->resume_key.bytes;
    body->welcome.resumed = welcome->resumed;
    body->welcome.last_seq = welcome->last_seq;
    body->welcome.resume_ms = welcome->resume_ms;
    body->welcome.limits = &body->limits;
    quadrille__v1__limits__init(&body->limits);
    body->limits.frame_bytes_max = welcome->limits.frame_bytes_max;
    body->limits.rooms_max = welcome->limits.rooms_max;
    body->limits.entities_max = welcome->limits.entities_max;
    body->limits.events_max = welcome->limits.events_max;
    body->limits.name_bytes_max = welcome->limits.name_bytes_max;
    body->limits.queue_bytes_max = welcome->limits.queue_bytes_max;
    body->limits.slow_ms_max = welcome->limits.slow_ms_max;
    body->limits.observers_max = welcome->limits.observers_max;
    body->limits.sightings_max = welcome->limits.sightings_max;
    body->limits.roster_ids_max = welcome->limits.roster_ids_max;
}

static void set_room_opened(server_body *body, const qd_msg_room_opened *opened)
{
    body->room_opened.room = opened->room;
    body->room_opened.name = (char *)opened->name;
    qd_room_config_set(&body->config, &body->bounds, &opened->config);
    body->room_opened.config = &body->config;
    body->room_opened.epoch = opened->epoch;
    body->room_opened.tick = opened->tick;
    body->room_opened.created = opened->created;
}

static void set_tick(Quadrille__V1__Tick *tick, const qd_msg_tick *source)
{
    tick->room = source->room;
    tick->tick = source->tick;
    tick->reset = source->reset;
    tick->last = source->last;
    tick->skipped = source->skipped;
    tick->suspended = source->suspended;
    tick->suspended_count = source->suspended_count;
    tick->merged_ticks = source->merged_ticks;
    tick->passed_lost = source->passed_lost;
    QD_COLUMN_SET(tick, end_a, source->ends.a, source->ends.count);
    QD_COLUMN_SET(tick, end_b, source->ends.b, source->ends.count);
    QD_COLUMN_BYTES_SET(tick, end_reason, source->end_reason, source->ends.count);
    QD_COLUMN_SET(tick, begin_a, source->begins.a, source->begins.count);
    QD_COLUMN_SET(tick, begin_b, source->begins.b, source->begins.count);
    QD_COLUMN_SET(tick, passed_a, source->passed.a, source->passed.count);
    QD_COLUMN_SET(tick, passed_b, source->passed.b, source->passed.count);
    QD_COLUMN_SET(tick, stay_a, source->stays.a, source->stays.count);
    QD_COLUMN_SET(tick, stay_b, source->stays.b, source->stays.count);
}

static void set_applied(Quadrille__V1__Applied *applied, const qd_msg_applied *source)
{
    applied->room = source->room;
    applied->tick = source->tick;
    applied->seq = source->seq;
    QD_COLUMN_SET(applied, late, source->late, source->late_listed);
    applied->late_total = source->late_count;
}

static void set_snapshot_result(Quadrille__V1__SnapshotResult *snapshot, const qd_msg_snapshot_result *source)
{
    const qd_msg_entities *entities = &source->entities;

    snapshot->room = source->room;
    snapshot->tick = source->tick;
    snapshot->more = source->more;
    snapshot->last = source->last;
    QD_COLUMN_SET(snapshot, id, entities->id, entities->count);
    QD_COLUMN_SET(snapshot, x, entities->x, entities->count);
    QD_COLUMN_SET(snapshot, y, entities->y, entities->count);
    QD_COLUMN_SET(snapshot, z, entities->z, entities->count);
    QD_COLUMN_SET(snapshot, half_x, entities->half_x, entities->count);
    QD_COLUMN_SET(snapshot, half_y, entities->half_y, entities->count);
    QD_COLUMN_SET(snapshot, half_z, entities->half_z, entities->count);
    QD_COLUMN_SET(snapshot, radius, entities->radius, entities->count);
    QD_COLUMN_BYTES_SET(snapshot, shape, entities->shape, entities->count);
    QD_COLUMN_SET(snapshot, category, entities->category, entities->count);
    QD_COLUMN_SET(snapshot, mask, entities->mask, entities->count);
}

static void set_server_stats(Quadrille__V1__ServerStats *stats, const qd_msg_server_stats *source)
{
    quadrille__v1__server_stats__init(stats);
    stats->uptime_ms = source->uptime_ms;
    stats->sessions = source->sessions;
    stats->rooms = source->rooms;
    stats->workers = source->workers;
    stats->memory_bytes = source->memory_bytes;
    stats->memory_bytes_max = source->memory_bytes_max;
    stats->ticks = source->ticks;
    stats->updates = source->updates;
    stats->events = source->events;
    stats->bytes_in = source->bytes_in;
    stats->bytes_out = source->bytes_out;
    stats->errors = source->errors;
    stats->too_slow = source->too_slow;
    stats->parked = source->parked;
    stats->resumed = source->resumed;
}

static void set_room_stats(Quadrille__V1__RoomStats *stats, const qd_msg_room_stats *source)
{
    quadrille__v1__room_stats__init(stats);
    stats->room = source->room;
    stats->tick = source->tick;
    stats->entities = source->entities;
    stats->sessions = source->sessions;
    stats->subscriptions = source->subscriptions;
    stats->updates = source->updates;
    stats->begins = source->begins;
    stats->ends = source->ends;
    stats->ticks_skipped = source->ticks_skipped;
    stats->pairs = source->pairs;
    stats->tick_us_p50 = source->tick_us_p50;
    stats->tick_us_p99 = source->tick_us_p99;
    stats->tick_us_max = source->tick_us_max;
    stats->memory_bytes = source->memory_bytes;
    stats->depth = source->depth;
    stats->index = (Quadrille__V1__Index)source->index;
    stats->passed = source->passed;
    stats->index_changes = source->index_changes;
    stats->observers = source->observers;
    stats->seen = source->seen;
    stats->enters = source->enters;
    stats->leaves = source->leaves;
}

static void set_stats(server_body *body, const qd_msg_stats *stats)
{
    set_server_stats(&body->server_stats, &stats->server);
    body->stats.server = &body->server_stats;
    if (stats->has_room) {
        set_room_stats(&body->room_stats, &stats->room);
        body->stats.room = &body->room_stats;
    }
}

static void set_error(Quadrille__V1__Error *error, const qd_msg_error *source)
{
    error->code = (Quadrille__V1__ErrorCode)source->code;
    error->text = (char *)source->text;
    error->seq = source->seq;
    error->room = source->room;
    error->entries_refused = source->entries_refused;
    error->tick_due = source->tick_due;
    QD_COLUMN_SET(error, entry_index, source->entry_index, source->entry_count);
    QD_COLUMN_BYTES_SET(error, entry_code, source->entry_code, source->entry_count);
}

static void set_query_result(Quadrille__V1__QueryResult *found, const qd_msg_query_result *source)
{
    found->room = source->room;
    found->tick = source->tick;
    found->more = source->more;
    QD_COLUMN_SET(found, id, source->id, source->count);
    QD_COLUMN_SET(found, distance, source->distance, source->count);
}

static void set_handed_over(Quadrille__V1__HandedOver *handed_over, const qd_msg_handed_over *source)
{
    handed_over->room = source->room;
    QD_COLUMN_SET(handed_over, id, source->id, source->count);
    handed_over->from = source->from;
    handed_over->to = source->to;
    QD_COLUMN_SET(handed_over, connected, source->connected, source->connected_listed);
    handed_over->connected_total = source->connected_count;
    handed_over->last = source->last;
}

/* The body points into `message` and itself. */
static void set_body(server_body *body, const qd_server_message *message)
{
    /* Field 0 of the descriptor is seq; then come the messages, in the order of the kinds. */
    const ProtobufCFieldDescriptor *field = &quadrille__v1__server_frame__descriptor.fields[message->kind];

    body->field = 0;
    if (message->kind != QD_SERVER_NOTHING) {
        body->field = field->id;
        protobuf_c_message_init(field->descriptor, &body->message);
    }
    body->rows = NULL;
    switch (message->kind) {
    case QD_SERVER_NOTHING:
        break;
    case QD_SERVER_WELCOME:
        set_welcome(body, &message->as.welcome);
        break;
    case QD_SERVER_ROOM_OPENED:
        set_room_opened(body, &message->as.room_opened);
        break;
    case QD_SERVER_ROOM_LEFT:
        body->room_left.room = message->as.room_left.room;
        break;
    case QD_SERVER_ROOM_CLOSED:
        body->room_closed.room = message->as.room_closed.room;
        body->room_closed.reason = (Quadrille__V1__RoomClosed__Reason)message->as.room_closed.reason;
        break;
    case QD_SERVER_ROOM_LIST:
        body->rows = &message->as.room_list;
        body->room_list.more = message->as.room_list.more;
        break;
    case QD_SERVER_TICK:
        set_tick(&body->tick, &message->as.tick);
        break;
    case QD_SERVER_APPLIED:
        set_applied(&body->applied, &message->as.applied);
        break;
    case QD_SERVER_SNAPSHOT_RESULT:
        set_snapshot_result(&body->snapshot_result, &message->as.snapshot_result);
        break;
    case QD_SERVER_STATS:
        set_stats(body, &message->as.stats);
        break;
    case QD_SERVER_PONG:
        body->pong.data = message->as.pong.data;
        break;
    case QD_SERVER_ERROR:
        set_error(&body->error, &message->as.error);
        break;
    case QD_SERVER_GO_AWAY:
        body->go_away.reason = (Quadrille__V1__GoAway__Reason)message->as.go_away.reason;
        body->go_away.text = (char *)message->as.go_away.text;
        body->go_away.deadline_ms = message->as.go_away.deadline_ms;
        break;
    case QD_SERVER_QUERY_RESULT:
        set_query_result(&body->query_result, &message->as.query_result);
        break;
    case QD_SERVER_VIEW:
        qd_view_set(&body->view, &message->as.view);
        break;
    case QD_SERVER_WHY_RESULT:
        qd_why_result_set(&body->why_result, &message->as.why_result);
        break;
    case QD_SERVER_HANDED_OVER:
        set_handed_over(&body->handed_over, &message->as.handed_over);
        break;
    }
}

static void set_room_info(Quadrille__V1__RoomInfo *info, const qd_msg_room_info *source)
{
    quadrille__v1__room_info__init(info);
    info->name = (char *)source->name;
    info->tick_mode = (Quadrille__V1__TickMode)source->tick_mode;
    info->tick_hz = source->tick_hz;
    info->tick = source->tick;
    info->entities = source->entities;
    info->sessions = source->sessions;
}

static size_t size_body(const server_body *body)
{
    if (body->field == 0) {
        return 0;
    }
    size_t size = protobuf_c_message_get_packed_size(&body->message);
    for (size_t i = 0; body->rows && i < body->rows->count; i++) {
        Quadrille__V1__RoomInfo info;

        set_room_info(&info, &body->rows->rooms[i]);
        size_t info_size = protobuf_c_message_get_packed_size(&info.base);
        size += 1 + qd_frame_prefix_size((uint32_t)info_size) + info_size;
    }
    return size;
}

static size_t pack_body(const server_body *body, uint8_t *bytes)
{
    if (body->field == 0) {
        return 0;
    }
    uint8_t *at = bytes;
    for (size_t i = 0; body->rows && i < body->rows->count; i++) {
        Quadrille__V1__RoomInfo info;

        set_room_info(&info, &body->rows->rooms[i]);
        *at++ = ROOM_LIST_ROOMS_TAG;
        at += qd_frame_prefix_write((uint32_t)protobuf_c_message_get_packed_size(&info.base), at);
        at += protobuf_c_message_pack(&info.base, at);
    }
    at += protobuf_c_message_pack(&body->message, at);
    return (size_t)(at - bytes);
}

size_t qd_encode_server_any(const qd_server_message *message, uint8_t *bytes)
{
    server_body body;

    set_body(&body, message);
    size_t body_size = size_body(&body);
    if (bytes != NULL) {
        (void)pack_body(&body, bytes + qd_envelope_write(message->seq, body.field, body_size, bytes));
    }
    return qd_envelope_size(message->seq, body.field, body_size);
}

static size_t encode(const qd_server_message *message, uint8_t *bytes)
{
    size_t size = qd_encode_server_usual(message, bytes);

    return size > 0 ? size : qd_encode_server_any(message, bytes);
}

size_t qd_server_message_size(const qd_server_message *message)
{
    return encode(message, NULL);
}

size_t qd_server_message_encode(const qd_server_message *message, void *bytes)
{
    return encode(message, bytes);
}
