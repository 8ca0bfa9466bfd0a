/* SPDX-License-Identifier: Apache-2.0
 *
 * From bytes to a ServerFrame: what the server says to clients.
 */
#include "codec_internal.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static void get_welcome(const Quadrille__V1__Welcome *welcome, qd_decode_block *block, qd_msg_welcome *result)
{
    *result = (qd_msg_welcome){
        .version = welcome->version,
        .server = qd_decode_block_text(block, welcome->server),
        .session = welcome->session,
        .resume_key = {welcome->resume_key.len, welcome->resume_key.data},
        .resumed = welcome->resumed,
        .last_seq = welcome->last_seq,
        .resume_ms = welcome->resume_ms,
    };
    if (welcome->limits) {
        result->limits = (qd_msg_limits){
            .frame_bytes_max = welcome->limits->frame_bytes_max,
            .rooms_max = welcome->limits->rooms_max,
            .entities_max = welcome->limits->entities_max,
            .events_max = welcome->limits->events_max,
            .name_bytes_max = welcome->limits->name_bytes_max,
            .queue_bytes_max = welcome->limits->queue_bytes_max,
            .slow_ms_max = welcome->limits->slow_ms_max,
            .observers_max = welcome->limits->observers_max,
            .sightings_max = welcome->limits->sightings_max,
            .roster_ids_max = welcome->limits->roster_ids_max,
        };
    }
}

static void get_room_opened(const Quadrille__V1__RoomOpened *opened, qd_decode_block *block, qd_msg_room_opened *result)
{
    *result = (qd_msg_room_opened){
        .room = opened->room,
        .name = qd_decode_block_text(block, opened->name),
        .config = qd_room_config_get(opened->config),
        .epoch = opened->epoch,
        .tick = opened->tick,
        .created = opened->created,
    };
}

static bool get_room_list(const Quadrille__V1__RoomList *list, qd_decode_block *block, qd_msg_room_list *result)
{
    qd_msg_room_info *rooms = NULL;

    if (list->n_rooms > 0) {
        rooms = qd_decode_block_take(block, list->n_rooms * sizeof *rooms);
        if (!rooms) {
            return false;
        }
    }
    for (size_t i = 0; i < list->n_rooms; i++) {
        const Quadrille__V1__RoomInfo *info = list->rooms[i];

        rooms[i] = (qd_msg_room_info){
            .name = qd_decode_block_text(block, info->name),
            .tick_mode = (qd_tick_mode)info->tick_mode,
            .tick_hz = info->tick_hz,
            .tick = info->tick,
            .entities = info->entities,
            .sessions = info->sessions,
        };
    }
    *result = (qd_msg_room_list){.count = list->n_rooms, .rooms = rooms, .more = list->more};
    return true;
}

static bool get_tick(const Quadrille__V1__Tick *tick, qd_msg_tick *result)
{
    *result = (qd_msg_tick){
        .room = tick->room,
        .tick = tick->tick,
        .reset = tick->reset,
        .last = tick->last,
        .skipped = tick->skipped,
        .suspended = tick->suspended,
        .suspended_count = tick->suspended_count,
        .merged_ticks = tick->merged_ticks,
        .passed_lost = tick->passed_lost,
    };
    const qd_column ends[] = {
        QD_COLUMN(tick, end_a),
        QD_COLUMN(tick, end_b),
        QD_COLUMN_BYTES(tick, end_reason, true),
    };
    const qd_column begins[] = {QD_COLUMN(tick, begin_a), QD_COLUMN(tick, begin_b)};
    const qd_column passed[] = {QD_COLUMN(tick, passed_a), QD_COLUMN(tick, passed_b)};
    const qd_column stays[] = {QD_COLUMN(tick, stay_a), QD_COLUMN(tick, stay_b)};
    if (!qd_columns_agree(ends, COUNT_OF(ends), NULL, 0) || !qd_columns_agree(begins, COUNT_OF(begins), NULL, 0) ||
        !qd_columns_agree(passed, COUNT_OF(passed), NULL, 0) || !qd_columns_agree(stays, COUNT_OF(stays), NULL, 0)) {
        return false;
    }
    result->ends = (qd_msg_pairs){.count = (uint32_t)tick->n_end_a, .a = tick->end_a, .b = tick->end_b};
    result->end_reason = tick->end_reason.data;
    result->begins = (qd_msg_pairs){.count = (uint32_t)tick->n_begin_a, .a = tick->begin_a, .b = tick->begin_b};
    result->passed = (qd_msg_pairs){.count = (uint32_t)tick->n_passed_a, .a = tick->passed_a, .b = tick->passed_b};
    result->stays = (qd_msg_pairs){.count = (uint32_t)tick->n_stay_a, .a = tick->stay_a, .b = tick->stay_b};
    return true;
}

static bool get_applied(const Quadrille__V1__Applied *applied, qd_msg_applied *result)
{
    if (applied->n_late > QD_APPLIED_LATE_MAX) {
        return false;
    }
    *result = (qd_msg_applied){
        .room = applied->room,
        .tick = applied->tick,
        .seq = applied->seq,
        .late_listed = (uint32_t)applied->n_late,
        .late = applied->late,
        .late_count = applied->late_total,
    };
    return true;
}

static bool get_snapshot_result(const Quadrille__V1__SnapshotResult *snapshot, qd_msg_snapshot_result *result)
{
    *result = (qd_msg_snapshot_result){
        .room = snapshot->room,
        .tick = snapshot->tick,
        .more = snapshot->more,
        .last = snapshot->last,
    };
    const qd_column columns[] = {
        QD_COLUMN(snapshot, id),
        QD_COLUMN(snapshot, x),
        QD_COLUMN(snapshot, y),
        QD_COLUMN_OPTIONAL(snapshot, z),
        QD_COLUMN_OPTIONAL(snapshot, half_x),
        QD_COLUMN_OPTIONAL(snapshot, half_y),
        QD_COLUMN_OPTIONAL(snapshot, half_z),
        QD_COLUMN_OPTIONAL(snapshot, radius),
        QD_COLUMN_BYTES(snapshot, shape, false),
        QD_COLUMN_OPTIONAL(snapshot, category),
        QD_COLUMN_OPTIONAL(snapshot, mask),
    };
    if (!qd_columns_agree(columns, COUNT_OF(columns), NULL, 0)) {
        return false;
    }
    result->entities = (qd_msg_entities){
        .count = (uint32_t)snapshot->n_id,
        .id = snapshot->id,
        .x = snapshot->x,
        .y = snapshot->y,
        .z = snapshot->z,
        .half_x = snapshot->half_x,
        .half_y = snapshot->half_y,
        .half_z = snapshot->half_z,
        .radius = snapshot->radius,
        .shape = snapshot->shape.data,
        .category = snapshot->category,
        .mask = snapshot->mask,
    };
    return true;
}

static void get_stats(const Quadrille__V1__Stats *stats, qd_msg_stats *result)
{
    *result = (qd_msg_stats){.has_room = stats->room != NULL};
    const Quadrille__V1__ServerStats *server = stats->server;
    if (server) {
        result->server = (qd_msg_server_stats){
            .uptime_ms = server->uptime_ms,
            .sessions = server->sessions,
            .rooms = server->rooms,
            .workers = server->workers,
            .memory_bytes = server->memory_bytes,
            .memory_bytes_max = server->memory_bytes_max,
            .ticks = server->ticks,
            .updates = server->updates,
            .events = server->events,
            .bytes_in = server->bytes_in,
            .bytes_out = server->bytes_out,
            .errors = server->errors,
            .too_slow = server->too_slow,
            .parked = server->parked,
            .resumed = server->resumed,
        };
    }
    const Quadrille__V1__RoomStats *room = stats->room;
    if (room) {
        result->room = (qd_msg_room_stats){
            .room = room->room,
            .tick = room->tick,
            .entities = room->entities,
            .sessions = room->sessions,
            .subscriptions = room->subscriptions,
            .updates = room->updates,
            .begins = room->begins,
            .ends = room->ends,
            .ticks_skipped = room->ticks_skipped,
            .pairs = room->pairs,
            .tick_us_p50 = room->tick_us_p50,
            .tick_us_p99 = room->tick_us_p99,
            .tick_us_max = room->tick_us_max,
            .memory_bytes = room->memory_bytes,
            .depth = room->depth,
            .index = (qd_index_kind)room->index,
            .passed = room->passed,
            .index_changes = room->index_changes,
            .observers = room->observers,
            .seen = room->seen,
            .enters = room->enters,
            .leaves = room->leaves,
        };
    }
}

static bool get_error(const Quadrille__V1__Error *error, qd_decode_block *block, qd_msg_error *result)
{
    *result = (qd_msg_error){
        .code = (qd_error_code)error->code,
        .text = qd_decode_block_text(block, error->text),
        .seq = error->seq,
        .room = error->room,
        .entries_refused = error->entries_refused,
        .tick_due = error->tick_due,
    };
    const qd_column columns[] = {QD_COLUMN(error, entry_index), QD_COLUMN_BYTES(error, entry_code, true)};
    if (error->n_entry_index > QD_ERROR_ENTRIES_MAX || !qd_columns_agree(columns, COUNT_OF(columns), NULL, 0)) {
        return false;
    }
    result->entry_count = (uint32_t)error->n_entry_index;
    result->entry_index = error->entry_index;
    result->entry_code = error->entry_code.data;
    return true;
}

static void get_go_away(const Quadrille__V1__GoAway *go_away, qd_decode_block *block, qd_msg_go_away *result)
{
    *result = (qd_msg_go_away){
        .reason = (qd_go_away_reason)go_away->reason,
        .text = qd_decode_block_text(block, go_away->text),
        .deadline_ms = go_away->deadline_ms,
    };
}

static bool get_query_result(const Quadrille__V1__QueryResult *found, qd_msg_query_result *result)
{
    const qd_column columns[] = {QD_COLUMN(found, id), QD_COLUMN_OPTIONAL(found, distance)};

    *result = (qd_msg_query_result){.room = found->room, .tick = found->tick, .more = found->more};
    if (!qd_columns_agree(columns, COUNT_OF(columns), NULL, 0)) {
        return false;
    }
    result->count = (uint32_t)found->n_id;
    result->id = found->id;
    result->distance = found->distance;
    return true;
}

static bool get_handed_over(const Quadrille__V1__HandedOver *handed_over, qd_msg_handed_over *result)
{
    *result = (qd_msg_handed_over){
        .room = handed_over->room,
        .count = (uint32_t)handed_over->n_id,
        .id = handed_over->id,
        .from = handed_over->from,
        .to = handed_over->to,
        .connected_count = handed_over->connected_total,
        .last = handed_over->last,
    };
    if (handed_over->n_connected > QD_CONNECTED_MAX) {
        return false;
    }
    result->connected_listed = (uint32_t)handed_over->n_connected;
    result->connected = handed_over->connected;
    return true;
}

/* The kinds are numbered as the messages in the envelope, which has them from field 2 on without a gap. */
_Static_assert((int)QD_SERVER_WELCOME + 1 == (int)QUADRILLE__V1__SERVER_FRAME__MESSAGE_WELCOME, "the first kind");
_Static_assert((int)QD_SERVER_HANDED_OVER + 1 == (int)QUADRILLE__V1__SERVER_FRAME__MESSAGE_HANDED_OVER,
               "the last kind");

static qd_decode_result get_message(const Quadrille__V1__ServerFrame *frame, qd_decode_block *block,
                                    qd_server_message *message)
{
    bool agree = true;

    if (frame->message_case != QUADRILLE__V1__SERVER_FRAME__MESSAGE__NOT_SET) {
        message->kind = (qd_server_kind)((int)frame->message_case - 1);
    }
    switch (message->kind) {
    case QD_SERVER_NOTHING:
        break;
    case QD_SERVER_WELCOME:
        get_welcome(frame->welcome, block, &message->as.welcome);
        break;
    case QD_SERVER_ROOM_OPENED:
        get_room_opened(frame->room_opened, block, &message->as.room_opened);
        break;
    case QD_SERVER_ROOM_LEFT:
        message->as.room_left.room = frame->room_left->room;
        break;
    case QD_SERVER_ROOM_CLOSED:
        message->as.room_closed.room = frame->room_closed->room;
        message->as.room_closed.reason = (qd_room_closed_reason)frame->room_closed->reason;
        break;
    case QD_SERVER_ROOM_LIST:
        if (!get_room_list(frame->room_list, block, &message->as.room_list)) {
            return QD_DECODE_MALFORMED;
        }
        break;
    case QD_SERVER_TICK:
        agree = get_tick(frame->tick, &message->as.tick);
        break;
    case QD_SERVER_APPLIED:
        agree = get_applied(frame->applied, &message->as.applied);
        break;
    case QD_SERVER_SNAPSHOT_RESULT:
        agree = get_snapshot_result(frame->snapshot_result, &message->as.snapshot_result);
        break;
    case QD_SERVER_STATS:
        get_stats(frame->stats, &message->as.stats);
        break;
    case QD_SERVER_PONG:
        message->as.pong.data = frame->pong->data;
        break;
    case QD_SERVER_ERROR:
        agree = get_error(frame->error, block, &message->as.error);
        break;
    case QD_SERVER_GO_AWAY:
        get_go_away(frame->go_away, block, &message->as.go_away);
        break;
    case QD_SERVER_QUERY_RESULT:
        agree = get_query_result(frame->query_result, &message->as.query_result);
        break;
    case QD_SERVER_VIEW:
        agree = qd_view_get(frame->view, &message->as.view);
        break;
    case QD_SERVER_WHY_RESULT:
        agree = qd_why_result_get(frame->why_result, &message->as.why_result);
        break;
    case QD_SERVER_HANDED_OVER:
        agree = get_handed_over(frame->handed_over, &message->as.handed_over);
        break;
    }
    return agree ? QD_DECODE_OK : QD_DECODE_COLUMNS;
}

static qd_decode_result decode(qd_decode_block *block, const void *bytes, size_t size, void *context)
{
    qd_decoded_server *decoded = context;

    *decoded = (qd_decoded_server){0};
    const Quadrille__V1__ServerFrame *frame = (const Quadrille__V1__ServerFrame *)qd_decode_block_unpack(
        block, &quadrille__v1__server_frame__descriptor, bytes, size);
    if (!frame) {
        return QD_DECODE_MALFORMED;
    }
    decoded->message.seq = frame->seq;
    qd_decode_result result = get_message(frame, block, &decoded->message);
    return block->text_broken ? QD_DECODE_MALFORMED : result;
}

qd_decode_result qd_decode_server(const void *bytes, size_t size, const qd_codec_memory *memory,
                                  qd_decoded_server *decoded)
{
    qd_decode_block block;

    *decoded = (qd_decoded_server){0};
    qd_decode_result result =
        qd_decode_in_block(decode, bytes, size, QD_DECODE_SERVER_BYTES_MAX(size), memory, &block, decoded);
    decoded->memory = block.bytes;
    decoded->memory_size = block.size;
    return result;
}

void qd_decoded_server_release(qd_decoded_server *decoded, const qd_codec_memory *memory)
{
    memory = qd_codec_memory_or_malloc(memory);
    if (decoded->memory) {
        memory->release(memory->context, decoded->memory, decoded->memory_size);
    }
    *decoded = (qd_decoded_server){0};
}
