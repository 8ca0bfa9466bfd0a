/* SPDX-License-Identifier: Apache-2.0 */
#include "read_commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../room/room_views.h"
#include "command_reply.h"

#define SNAPSHOT_ROWS_DEFAULT 65536u
#define QUERY_ROWS_DEFAULT    1024u

#define fail qd_command_fail

/* ---- Snapshot ---- */

/* Rows from `first` on, `count` of them, as a message's columns. */
static qd_msg_entities rows_of(const qd_room_batch *columns, uint32_t first, uint32_t count)
{
    if (count == 0) {
        return (qd_msg_entities){0};
    }
    return (qd_msg_entities){
        .count = count,
        .id = columns->id + first,
        .x = columns->x + first,
        .y = columns->y + first,
        .z = columns->z != NULL ? columns->z + first : NULL,
        .half_x = columns->half_x + first,
        .half_y = columns->half_y + first,
        .half_z = columns->half_z != NULL ? columns->half_z + first : NULL,
        .radius = columns->radius != NULL ? columns->radius + first : NULL,
        .shape = columns->shape + first,
        .category = columns->category + first,
        .mask = columns->mask + first,
    };
}

/* Queues all frames of the answer or none. Into an empty queue they fit even if they are larger than its limit, as the
 * events of a tick do. Otherwise the client has to read first, or to ask for less. */
static void send_snapshot(qd_room_actor *actor, const qd_request *request, const qd_room_batch *columns, bool more)
{
    qd_buffer *frames[QD_SNAPSHOT_ROWS_MAX / QD_SNAPSHOT_FRAME_ROWS_MAX + 1];
    size_t count = 0;
    qd_room_stats stats;

    qd_room_stats_get(actor->room, &stats);
    bool encoded = true, last = false;
    for (uint32_t done = 0; encoded && !last;) {
        uint32_t rows = columns->count - done;

        if (rows > QD_SNAPSHOT_FRAME_ROWS_MAX) {
            rows = QD_SNAPSHOT_FRAME_ROWS_MAX;
        }
        last = done + rows == columns->count;
        frames[count] = qd_reply_encode(&(qd_server_message){.seq = request->decoded.message.seq,
                                                             .kind = QD_SERVER_SNAPSHOT_RESULT,
                                                             .as.snapshot_result = {
                                                                 .room = actor->entry.handle,
                                                                 .tick = stats.tick,
                                                                 .entities = rows_of(columns, done, rows),
                                                                 .more = more,
                                                                 .last = last,
                                                             }});
        encoded = frames[count] != NULL;
        count += encoded;
        done += rows;
    }
    if (!encoded) {
        fail(actor, request, QD_ERROR_LIMIT,
             "the server has no memory left for a snapshot of %u entities (--memory-max): ask for a region, or with "
             "a limit",
             columns->count);
    } else if (qd_reply_queue(actor->service, request->head.membership->endpoint->link, frames, count,
                              QD_LINK_EVENTS) == QD_LINK_FULL) {
        fail(actor, request, QD_ERROR_LIMIT,
             "the snapshot of %u entities does not fit in this session's queue (--queue-max): read what is in it "
             "first, or ask for a region, or with a limit",
             columns->count);
    }
    for (size_t i = 0; i < count; i++) {
        qd_buffer_release(frames[i]);
    }
}

void qd_snapshot_command(qd_room_actor *actor, const qd_request *request)
{
    const qd_msg_snapshot *snapshot = &request->decoded.message.as.snapshot;
    const qd_room_region region = {
        .min_x = snapshot->region.min_x,
        .min_y = snapshot->region.min_y,
        .min_z = snapshot->region.min_z,
        .max_x = snapshot->region.max_x,
        .max_y = snapshot->region.max_y,
        .max_z = snapshot->region.max_z,
    };
    qd_room_batch columns;
    bool more;
    qd_status status =
        qd_room_snapshot(actor->room, snapshot->own ? request->head.membership->member : QD_ROOM_ANYBODY,
                         snapshot->has_region ? &region : NULL,
                         snapshot->limit == 0 ? SNAPSHOT_ROWS_DEFAULT : snapshot->limit, &columns, &more);

    if (status == QD_OK) {
        send_snapshot(actor, request, &columns, more);
    } else {
        fail(actor, request, QD_ERROR_LIMIT,
             "the server has no memory left for a snapshot (--memory-max): ask for a region, or with a limit");
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
        result->reach = reach_of(query->where.nearest.within);
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
             "the server has no memory left for the result of a query (--memory-max): ask with a smaller limit");
        return;
    }
    bool is_region = query.kind == QD_SPACE_IN_BOX || query.kind == QD_SPACE_IN_CIRCLE;
    qd_room_stats stats;
    qd_room_stats_get(actor->room, &stats);
    qd_buffer *frame = qd_reply_encode(&(qd_server_message){.seq = request->decoded.message.seq,
                                                            .kind = QD_SERVER_QUERY_RESULT,
                                                            .as.query_result = {
                                                                .room = actor->entry.handle,
                                                                .tick = stats.tick,
                                                                .count = found.count,
                                                                .id = found.id,
                                                                .distance = is_region ? NULL : found.distance,
                                                                .more = found.more,
                                                            }});
    if (frame == NULL) {
        fail(actor, request, QD_ERROR_LIMIT,
             "the server has no memory left for the %u results of a query (--memory-max): ask with a smaller limit",
             found.count);
    } else if (qd_reply_queue(actor->service, request->head.membership->endpoint->link, &frame, 1, QD_LINK_EVENTS) ==
               QD_LINK_FULL) {
        fail(actor, request, QD_ERROR_LIMIT,
             "the %u results of the query do not fit in this session's queue (--queue-max): read what is in it first, "
             "or ask with a smaller limit",
             found.count);
    }
    if (frame != NULL) {
        qd_buffer_release(frame);
    }
}

/* ---- GetStats ---- */

static int compare_times(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

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
    qsort(sorted, count, sizeof *sorted, compare_times);
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
        .seen = views.seen,
        .enters = views.enters,
        .leaves = views.leaves,
    };
    qd_command_answer(actor, request, &message);
}
