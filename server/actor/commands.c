/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/assert.h"
#include "../session/resume.h"
#include "../session/session.h"
#include "ownership.h"
#include "publish_views.h"
#include "query_message.h"
#include "reply.h"
#include "roster_commands.h"

#define SNAPSHOT_ROWS 65536u

#define fail qd_apply_fail

static void send(qd_host *host, const qd_request *request, const qd_server_message *message)
{
    qd_reply_send(host->server, request->head.seat->session->link, message);
}

/* ---- coming and going ---- */

static qd_status make_room_for_member(qd_host *host, uint32_t member)
{
    if (member < host->member_capacity) {
        return QD_OK;
    }
    uint32_t capacity = host->member_capacity == 0 ? 4 : host->member_capacity;
    while (capacity <= member) {
        capacity *= 2;
    }
    qd_host_member *grown =
        qd_heap_resize(&host->heap, host->members, host->member_capacity * sizeof *grown, capacity * sizeof *grown);
    if (grown == NULL) {
        return QD_ERR_NO_MEMORY;
    }
    memset(grown + host->member_capacity, 0, (capacity - host->member_capacity) * sizeof *grown);
    host->members = grown;
    host->member_capacity = capacity;
    return QD_OK;
}

static qd_status join(qd_host *host, qd_seat *seat)
{
    qd_status status = qd_room_join(host->room, &seat->member);

    if (status != QD_OK) {
        return status;
    }
    status = make_room_for_member(host, seat->member);
    if (status != QD_OK) {
        qd_room_leave(host->room, seat->member, qd_server_now_ns(host->server));
        return status;
    }
    qd_host_member *row = &host->members[seat->member];
    qd_token_release(row->token);
    *row = (qd_host_member){
        .seat = seat, .session = seat->session->number, .token = qd_token_acquire(seat->session->token)};
    host->member_count++;
    seat->joined = true;
    return QD_OK;
}

static void apply_open(qd_host *host, const qd_request *request)
{
    qd_seat *seat = request->head.seat;

    if (!seat->joined) {
        qd_status status = join(host, seat);

        if (status != QD_OK) {
            atomic_store(&seat->gone, QD_SEAT_REFUSED);
            fail(host, request, QD_ERROR_LIMIT,
                 status == QD_ERR_FULL ? "the room has %u sessions, which is all it takes"
                                       : "the server has no memory left for one session more than the room's %u "
                                         "(--memory-max): try again later",
                 host->member_count);
            return;
        }
    }
    qd_room_stats stats;
    qd_room_stats_get(host->room, &stats);
    send(host, request,
         &(qd_server_message){.seq = request->decoded.message.seq,
                              .kind = QD_SERVER_ROOM_OPENED,
                              .as.room_opened = {.room = host->named.handle,
                                                 .name = host->named.name,
                                                 .config = host->config,
                                                 .epoch = host->epoch,
                                                 .tick = stats.tick,
                                                 .created = request->created}});
}

static void apply_leave(qd_host *host, qd_seat *seat)
{
    if (seat->heir != NULL) {
        qd_resume_inherit(host, seat);
        host->dirty = true;
    } else if (seat->joined) {
        qd_room_leave(host->room, seat->member, qd_server_now_ns(host->server));
        host->dirty = true;
        if (qd_host_forget(host, seat)) {
            qd_host_tick(host, 0);
        }
    }
    if (seat->leave_answered) {
        qd_reply_send(host->server, seat->session->link,
                      &(qd_server_message){.seq = seat->leave_seq,
                                           .kind = QD_SERVER_ROOM_LEFT,
                                           .as.room_left = {.room = host->named.handle}});
    }
    if (seat->writes) {
        atomic_fetch_sub_explicit(&host->writers, 1, memory_order_relaxed);
    }
    QD_ASSERT(seat->known && host->seats_known > 0);
    host->seats_known--;
    qd_seat_destroy(seat);
}

static void apply_close(qd_host *host, const qd_request *request)
{
    qd_host_close(host, QD_ROOM_CLOSED_REQUESTED, request->head.seat, request->decoded.message.seq);
}

/* ---- batches ---- */

void qd_apply_refusals(qd_host *host, const qd_request *request, uint32_t count, const uint32_t *id,
                       const qd_room_refusals *refusals)
{
    if (refusals->count == 0) {
        return;
    }
    uint32_t first = refusals->index[0];
    char text[160];
    snprintf(text, sizeof text,
             "%" PRIu32 " of %" PRIu32 " entries are refused: the first is entry %" PRIu32 " (id %" PRIu32 "), %s",
             refusals->count, count, first, id[first], qd_error_code_name((qd_error_code)refusals->code[0]));
    qd_reply_error_message(host->server, request->head.seat->session->link,
                           &(qd_msg_error){.code = QD_ERROR_ENTRIES,
                                           .text = text,
                                           .seq = request->decoded.message.seq,
                                           .room = host->named.handle,
                                           .entry_count = refusals->listed,
                                           .entry_index = refusals->index,
                                           .entry_code = refusals->code,
                                           .entries_refused = refusals->count});
}

static void apply_batch(qd_host *host, const qd_request *request)
{
    const qd_msg_batch *message = &request->decoded.message.as.batch;
    const qd_msg_entities *entities = &message->entities;
    const qd_room_batch batch = {
        .count = entities->count,
        .id = entities->id,
        .x = entities->x,
        .y = entities->y,
        .z = entities->z,
        .half_x = entities->half_x,
        .half_y = entities->half_y,
        .half_z = entities->half_z,
        .radius = entities->radius,
        .shape = entities->shape,
        .category = entities->category,
        .mask = entities->mask,
    };
    qd_seat *seat = request->head.seat;
    qd_room_refusals refusals;

    switch (request->decoded.message.kind) {
    case QD_CLIENT_SPAWN:
        qd_room_spawn(host->room, seat->member, &batch, message->room_owned, &refusals);
        break;
    case QD_CLIENT_MOVE:
        qd_room_move(host->room, seat->member, &batch, &refusals);
        break;
    case QD_CLIENT_TELEPORT:
        qd_room_teleport(host->room, seat->member, &batch, &refusals);
        break;
    case QD_CLIENT_RESHAPE:
        qd_room_reshape(host->room, seat->member, &batch, &refusals);
        break;
    default:
        qd_room_despawn(host->room, seat->member, &batch, &refusals);
        break;
    }
    host->dirty = true;
    qd_count(host->server, QD_COUNT_UPDATES, entities->count - refusals.count);
    qd_host_note(host, seat, request->decoded.message.seq);
    qd_apply_refusals(host, request, entities->count, entities->id, &refusals);
}

/* ---- events ---- */

static void apply_subscribe(qd_host *host, const qd_request *request)
{
    const qd_msg_subscribe *subscribe = &request->decoded.message.as.subscribe;

    qd_room_subscribe(host->room, request->head.seat->member,
                      (qd_room_interest){.own_only = subscribe->scope == QD_SCOPE_OWN, .stays = subscribe->stays});
    host->resets_due = true;
}

static void apply_unsubscribe(qd_host *host, const qd_request *request)
{
    qd_seat *seat = request->head.seat;

    qd_room_unsubscribe(host->room, seat->member);
    seat->late = false;
    uint32_t seq = request->decoded.message.seq;
    if (seq == 0) {
        return;
    }
    qd_room_stats stats;
    qd_room_stats_get(host->room, &stats);
    qd_host_applied(host, seat, stats.tick, seq);
    /* What the session sent before it and is not in a tick yet is told at the tick, with a seq that does not go back.
     */
    if (seat->news_seq != 0) {
        seat->news_seq = seq;
        seat->applied_early = true;
    }
}

static void fail_step(qd_host *host, const qd_request *request, qd_error_code code, uint64_t tick, const char *format,
                      ...) __attribute__((format(printf, 5, 6)));

static void fail_step(qd_host *host, const qd_request *request, qd_error_code code, uint64_t tick, const char *format,
                      ...)
{
    char text[160];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    qd_reply_error_message(host->server, request->head.seat->session->link,
                           &(qd_msg_error){.code = code,
                                           .text = text,
                                           .seq = request->decoded.message.seq,
                                           .room = host->named.handle,
                                           .tick_due = tick + 1});
}

static void apply_step(qd_host *host, const qd_request *request)
{
    if (host->config.tick_mode != QD_TICK_MODE_STEP) {
        fail(host, request, QD_ERROR_NOT_STEP_MODE,
             "the room ticks on its own clock, %u times a second: Step is for rooms opened with TICK_MODE_STEP",
             host->config.tick_hz);
        return;
    }
    uint64_t asked = request->decoded.message.as.step.tick;
    qd_room_stats stats;
    qd_room_stats_get(host->room, &stats);
    bool is_over = host->lockstep.writers > 0 && asked != 0 && asked <= stats.tick;
    if (asked != 0 && asked != stats.tick + 1) {
        fail_step(host, request, is_over ? QD_ERROR_TICK_OVER : QD_ERROR_WRONG_TICK, stats.tick,
                  "tick is %" PRIu64 ", but the last tick is %" PRIu64 ": the next one is %" PRIu64, asked, stats.tick,
                  stats.tick + 1);
    } else if (!qd_host_step(host, request->head.seat, request->decoded.message.seq)) {
        fail_step(host, request, QD_ERROR_WRONG_TICK, stats.tick,
                  "this session has stepped for tick %" PRIu64 " already: wait for its Applied", stats.tick + 1);
    }
}

/* ---- tools ---- */

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

/* All frames of the answer are queued, or none. They may take more than a queue holds when it is empty, as the events
 * of a tick may; when it is not, the asker has to read first, or to ask for less. */
static void send_snapshot(qd_host *host, const qd_request *request, const qd_room_batch *columns, bool more)
{
    qd_buffer *frames[QD_SNAPSHOT_ROWS_MAX / QD_SNAPSHOT_FRAME_ROWS_MAX + 1];
    size_t count = 0;
    qd_room_stats stats;

    qd_room_stats_get(host->room, &stats);
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
                                                                 .room = host->named.handle,
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
        fail(host, request, QD_ERROR_LIMIT,
             "the server has no memory left for a snapshot of %u entities (--memory-max): ask for a region, or with "
             "a limit",
             columns->count);
    } else if (qd_reply_queue(host->server, request->head.seat->session->link, frames, count, QD_LINK_EVENTS) ==
               QD_LINK_FULL) {
        fail(host, request, QD_ERROR_LIMIT,
             "the snapshot of %u entities does not fit in this session's queue (--queue-max): read what is in it "
             "first, or ask for a region, or with a limit",
             columns->count);
    }
    for (size_t i = 0; i < count; i++) {
        qd_buffer_release(frames[i]);
    }
}

static void apply_snapshot(qd_host *host, const qd_request *request)
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
    qd_status status = qd_room_snapshot(host->room, snapshot->own ? request->head.seat->member : QD_ROOM_ANYBODY,
                                        snapshot->has_region ? &region : NULL,
                                        snapshot->limit == 0 ? SNAPSHOT_ROWS : snapshot->limit, &columns, &more);

    if (status == QD_OK) {
        send_snapshot(host, request, &columns, more);
    } else {
        fail(host, request, QD_ERROR_LIMIT,
             "the server has no memory left for a snapshot (--memory-max): ask for a region, or with a limit");
    }
}

static void apply_query(qd_host *host, const qd_request *request)
{
    qd_space_query query;
    qd_room_found found;

    qd_query_translate(&request->decoded.message.as.query, &query);
    qd_status status = qd_room_query(host->room, &query, &found);
    if (status != QD_OK) {
        fail(host, request, QD_ERROR_LIMIT,
             "the server has no memory left for the result of a query (--memory-max): ask with a smaller limit");
        return;
    }
    bool is_region = query.kind == QD_SPACE_IN_BOX || query.kind == QD_SPACE_IN_CIRCLE;
    qd_room_stats stats;
    qd_room_stats_get(host->room, &stats);
    qd_buffer *frame = qd_reply_encode(&(qd_server_message){.seq = request->decoded.message.seq,
                                                            .kind = QD_SERVER_QUERY_RESULT,
                                                            .as.query_result = {
                                                                .room = host->named.handle,
                                                                .tick = stats.tick,
                                                                .count = found.count,
                                                                .id = found.id,
                                                                .distance = is_region ? NULL : found.distance,
                                                                .more = found.more,
                                                            }});
    if (frame == NULL) {
        fail(host, request, QD_ERROR_LIMIT,
             "the server has no memory left for the %u results of a query (--memory-max): ask with a smaller limit",
             found.count);
    } else if (qd_reply_queue(host->server, request->head.seat->session->link, &frame, 1, QD_LINK_EVENTS) ==
               QD_LINK_FULL) {
        fail(host, request, QD_ERROR_LIMIT,
             "the %u results of the query do not fit in this session's queue (--queue-max): read what is in it first, "
             "or ask with a smaller limit",
             found.count);
    }
    if (frame != NULL) {
        qd_buffer_release(frame);
    }
}

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

static void apply_stats(qd_host *host, const qd_request *request)
{
    qd_room_stats stats;
    qd_room_view_stats views;

    qd_room_stats_get(host->room, &stats);
    qd_room_view_stats_get(host->room, &views);
    uint32_t sorted[QD_HOST_TIMES];
    uint32_t count = host->time_count < QD_HOST_TIMES ? (uint32_t)host->time_count : QD_HOST_TIMES;
    memcpy(sorted, host->times_us, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_times);
    qd_server_message message = {.seq = request->decoded.message.seq, .kind = QD_SERVER_STATS};
    qd_server_stats(host->server, &message.as.stats.server);
    message.as.stats.has_room = true;
    message.as.stats.room = (qd_msg_room_stats){
        .room = host->named.handle,
        .tick = stats.tick,
        .entities = stats.entities,
        .sessions = host->member_count,
        .subscriptions = stats.subscriptions,
        .updates = stats.updates,
        .begins = stats.begins,
        .ends = stats.ends,
        .ticks_skipped = stats.ticks_skipped,
        .pairs = stats.pairs,
        .tick_us_p50 = percentile(sorted, count, 50),
        .tick_us_p99 = percentile(sorted, count, 99),
        .tick_us_max = percentile(sorted, count, 100),
        .memory_bytes = host->heap.bytes + sizeof *host,
        .depth = stats.depth,
        .index = (qd_index_kind)stats.index,
        .passed = stats.passed,
        .index_changes = stats.index_changes,
        .observers = views.observers,
        .seen = views.seen,
        .enters = views.enters,
        .leaves = views.leaves,
    };
    send(host, request, &message);
}

/* ---- messages ---- */

static void apply_request(qd_host *host, const qd_request *request)
{
    static void (*const appliers[])(qd_host *, const qd_request *) = {
        [QD_CLIENT_OPEN_ROOM] = apply_open,
        [QD_CLIENT_CLOSE_ROOM] = apply_close,
        [QD_CLIENT_SPAWN] = apply_batch,
        [QD_CLIENT_MOVE] = apply_batch,
        [QD_CLIENT_TELEPORT] = apply_batch,
        [QD_CLIENT_RESHAPE] = apply_batch,
        [QD_CLIENT_DESPAWN] = apply_batch,
        [QD_CLIENT_SUBSCRIBE] = apply_subscribe,
        [QD_CLIENT_UNSUBSCRIBE] = apply_unsubscribe,
        [QD_CLIENT_SNAPSHOT] = apply_snapshot,
        [QD_CLIENT_STEP] = apply_step,
        [QD_CLIENT_GET_STATS] = apply_stats,
        [QD_CLIENT_QUERY] = apply_query,
        [QD_CLIENT_DESCRIBE] = qd_views_apply,
        [QD_CLIENT_OBSERVE] = qd_views_apply,
        [QD_CLIENT_MOVE_OBSERVERS] = qd_views_apply,
        [QD_CLIENT_UNOBSERVE] = qd_views_apply,
        [QD_CLIENT_EXCEPT] = qd_views_apply,
        [QD_CLIENT_VIEW_OPTIONS] = qd_views_apply,
        [QD_CLIENT_WHY] = qd_views_apply,
        [QD_CLIENT_HANDOVER] = qd_owners_hand_over,
        [QD_CLIENT_ADOPT] = qd_owners_adopt,
        [QD_CLIENT_ROSTER] = qd_rosters_apply,
        [QD_CLIENT_ROSTER_MOVE] = qd_rosters_apply,
    };
    qd_seat *seat = request->head.seat;
    qd_client_kind kind = request->decoded.message.kind;
    if (kind == QD_CLIENT_OPEN_ROOM) {
        host->arrivals_seen++;
        host->seats_known += !seat->known;
        seat->known = true;
    }
    if (host->room == NULL) {
        atomic_store(&seat->gone, QD_SEAT_CLOSED);
    }
    if (host->room == NULL || (!seat->joined && kind != QD_CLIENT_OPEN_ROOM)) {
        fail(host, request, QD_ERROR_UNKNOWN_ROOM, "the room with handle %" PRIu64 " is closed: OpenRoom first",
             host->named.handle);
    } else {
        appliers[kind](host, request);
    }
}

void qd_apply(qd_host *host, qd_room_message *message)
{
    qd_seat *seat = message->seat;
    bool leaves = message == &seat->leave;
    qd_request *request = leaves ? NULL : (qd_request *)message;

    /* Answers keep the order of their requests, but subscriptions that come together get their resets together. */
    if (host->resets_due && (leaves || request->decoded.message.kind != QD_CLIENT_SUBSCRIBE)) {
        qd_host_catch_up(host);
    }
    if (leaves) {
        apply_leave(host, seat);
        return;
    }
    apply_request(host, request);
    size_t bytes = request->bytes;
    qd_request_destroy(request);
    qd_gate_leave(&seat->batches, 1, qd_host_share(host), seat->session->link);
    qd_gate_leave(&seat->session->bytes, bytes, qd_session_bytes_max(seat->session), seat->session->link);
}
