/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "../../base/memory/array.h"
#include "../../room/room_views.h"
#include "command.h"

#define fail qd_command_fail

#define SNAPSHOT_ROWS_DEFAULT 65536u
#define QUERY_ROWS_DEFAULT    1024u

/* ---- GetSnapshot ---- */

static void encode_snapshot(const qd_room_actor *actor, const qd_request *request, const qd_room_batch *columns,
                            bool more, qd_frames *list)
{
    bool last = false;

    for (uint32_t done = 0; !last && !list->failed;) {
        uint32_t left = columns->count - done;
        uint32_t rows = left < QD_SNAPSHOT_FRAME_ROWS_MAX ? left : QD_SNAPSHOT_FRAME_ROWS_MAX;

        last = rows == left;
        (void)qd_frames_push(
            list, qd_reply_encode(&(qd_server_message){.seq = request->decoded.message.seq,
                                                       .kind = QD_SERVER_SNAPSHOT_RESULT,
                                                       .as.snapshot_result = {
                                                           .room = actor->entry.handle,
                                                           .tick = qd_room_last_tick(actor->room),
                                                           .entities = qd_room_batch_part(columns, done, rows),
                                                           .more = more,
                                                           .last = last,
                                                       }}));
        done += rows;
    }
}

void qd_snapshot_command(qd_room_actor *actor, const qd_request *request)
{
    const qd_msg_get_snapshot *snapshot = &request->decoded.message.as.get_snapshot;
    qd_frames list = {.heap = &actor->heap};
    qd_room_batch columns;
    bool more;
    qd_status status =
        qd_room_snapshot(actor->room, snapshot->own ? request->head.membership->member : QD_ROOM_ANYBODY,
                         snapshot->has_region ? &snapshot->region : NULL,
                         snapshot->limit == 0 ? SNAPSHOT_ROWS_DEFAULT : snapshot->limit, &columns, &more);

    if (status != QD_OK) {
        fail(actor, request, QD_ERROR_LIMIT,
             "the server has no memory left for a snapshot (--memory-max). Ask for a region, or with a limit");
        return;
    }
    encode_snapshot(actor, request, &columns, more, &list);
    switch (qd_command_send(actor, request, &list)) {
    case QD_COMMAND_SENT:
        break;
    case QD_COMMAND_NO_MEMORY:
        fail(actor, request, QD_ERROR_LIMIT,
             "the server has no memory left for a snapshot of %u entities (--memory-max). Ask for a region, or with a "
             "limit",
             columns.count);
        break;
    case QD_COMMAND_QUEUE_FULL:
        fail(actor, request, QD_ERROR_LIMIT,
             "the snapshot has %u entities; must fit in this session's queue (--queue-max). Read what is queued first, "
             "or ask for a region, or with a limit",
             columns.count);
        break;
    }
}

/* ---- Query ---- */

/* 0 stands for no limit. */
static double reach_of(float value)
{
    return value == 0 ? (double)INFINITY : (double)value;
}

void qd_query_translate(const qd_msg_query *query, qd_space_query *result)
{
    *result = (qd_space_query){
        .categories = query->categories,
        .limit = query->limit == 0 ? QUERY_ROWS_DEFAULT : query->limit,
    };
    switch (query->kind) {
    case QD_QUERY_BOX:
        result->kind = QD_SPACE_IN_BOX;
        result->min_x = query->where.box.min_x;
        result->min_y = query->where.box.min_y;
        result->min_z = query->where.box.min_z;
        result->max_x = query->where.box.max_x;
        result->max_y = query->where.box.max_y;
        result->max_z = query->where.box.max_z;
        break;
    case QD_QUERY_CIRCLE:
        result->kind = QD_SPACE_IN_CIRCLE;
        result->x = query->where.circle.x;
        result->y = query->where.circle.y;
        result->z = query->where.circle.z;
        result->radius = query->where.circle.radius;
        break;
    case QD_QUERY_NEAREST:
        result->kind = QD_SPACE_NEAREST;
        result->x = query->where.nearest.x;
        result->y = query->where.nearest.y;
        result->z = query->where.nearest.z;
        result->reach = query->where.nearest.has_within ? (double)query->where.nearest.within : INFINITY;
        break;
    case QD_QUERY_RAY:
        result->kind = QD_SPACE_RAY;
        result->x = query->where.ray.x;
        result->y = query->where.ray.y;
        result->z = query->where.ray.z;
        result->direction_x = query->where.ray.direction_x;
        result->direction_y = query->where.ray.direction_y;
        result->direction_z = query->where.ray.direction_z;
        result->reach = reach_of(query->where.ray.length);
        break;
    case QD_QUERY_NOTHING:
        break;
    }
}

void qd_query_command(qd_room_actor *actor, const qd_request *request)
{
    qd_space_query query;
    qd_room_found found;

    qd_query_translate(&request->decoded.message.as.query, &query);
    qd_status status = qd_room_query(actor->room, &query, &found);
    if (status != QD_OK) {
        fail(actor, request, QD_ERROR_LIMIT,
             "the server has no memory left for the result of a query (--memory-max). Ask with a smaller limit");
        return;
    }
    bool is_region = query.kind == QD_SPACE_IN_BOX || query.kind == QD_SPACE_IN_CIRCLE;
    qd_frames list = {.heap = &actor->heap};
    (void)qd_frames_push(&list, qd_reply_encode(&(qd_server_message){.seq = request->decoded.message.seq,
                                                                     .kind = QD_SERVER_QUERY_RESULT,
                                                                     .as.query_result = {
                                                                         .room = actor->entry.handle,
                                                                         .tick = qd_room_last_tick(actor->room),
                                                                         .count = found.count,
                                                                         .id = found.id,
                                                                         .distance = is_region ? NULL : found.distance,
                                                                         .more = found.more,
                                                                     }}));
    switch (qd_command_send(actor, request, &list)) {
    case QD_COMMAND_SENT:
        break;
    case QD_COMMAND_NO_MEMORY:
        fail(actor, request, QD_ERROR_LIMIT,
             "the server has no memory left for the %u results of a query (--memory-max). Ask with a smaller limit",
             found.count);
        break;
    case QD_COMMAND_QUEUE_FULL:
        fail(actor, request, QD_ERROR_LIMIT,
             "the query has %u results; must fit in this session's queue (--queue-max). Read what is queued first, or "
             "ask with a smaller limit",
             found.count);
        break;
    }
}

/* ---- GetStats ---- */

/* The smallest time that `percent` of the ticks did not exceed. */
static float percentile(const uint32_t *sorted, uint32_t count, uint32_t percent)
{
    return count == 0 ? 0 : (float)sorted[(count * percent + 99) / 100 - 1];
}

void qd_stats_command(qd_room_actor *actor, const qd_request *request)
{
    qd_room_stats stats;
    qd_room_view_stats views;

    qd_room_stats_get(actor->room, &stats);
    qd_room_view_stats_get(actor->room, &views);
    uint32_t sorted[QD_TICK_TIMES];
    uint32_t count = actor->time_count < QD_TICK_TIMES ? (uint32_t)actor->time_count : QD_TICK_TIMES;
    memcpy(sorted, actor->times_us, count * sizeof *sorted);
    qd_array_sort(sorted, count);
    qd_server_message message = {.seq = request->decoded.message.seq, .kind = QD_SERVER_STATS};
    qd_service_stats(actor->service, &message.as.stats.server);
    message.as.stats.has_room = true;
    message.as.stats.room = (qd_msg_room_stats){
        .room = actor->entry.handle,
        .tick = stats.tick,
        .entities = stats.entities,
        .sessions = actor->member_count,
        .subscriptions = stats.subscriptions,
        .updates = stats.updates,
        .begins = stats.begins,
        .ends = stats.ends,
        .ticks_skipped = stats.ticks_skipped,
        .pairs = stats.pairs,
        .tick_us_p50 = percentile(sorted, count, 50),
        .tick_us_p99 = percentile(sorted, count, 99),
        .tick_us_max = percentile(sorted, count, 100),
        .memory_bytes = actor->heap.bytes + sizeof *actor,
        .depth = stats.depth,
        .index = (qd_index_kind)stats.index,
        .passed = stats.passed,
        .index_changes = stats.index_changes,
        .observers = views.observers,
        .visible_entries = views.seen,
        .enters = views.enters,
        .leaves = views.leaves,
        .slowed_hz = actor->pace.slowed_hz,
    };
    qd_command_answer(actor, request, &message);
}
