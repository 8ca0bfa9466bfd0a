/* SPDX-License-Identifier: Apache-2.0 */
#include "publish_views.h"

#include <inttypes.h>
#include <string.h>

#include "../session/session.h"
#include "../session/view_request.h"
#include "commands.h"
#include "frames.h"
#include "reply.h"

#define fail qd_apply_fail

/* ---- what clients say ---- */

static void apply_describe(qd_host *host, const qd_request *request)
{
    const qd_msg_describe *describe = &request->decoded.message.as.describe;
    qd_room_refusals refusals;

    qd_room_describe(host->room, request->head.seat->member, describe, &refusals);
    qd_apply_refusals(host, request, describe->count, describe->id, &refusals);
}

static void apply_observers(qd_host *host, const qd_request *request)
{
    const qd_client_message *message = &request->decoded.message;
    const qd_msg_observers *observers = &message->as.observers;
    uint32_t member = request->head.seat->member;
    qd_room_refusals refusals;

    switch (message->kind) {
    case QD_CLIENT_OBSERVE:
        qd_room_observe(host->room, member, observers, &refusals);
        break;
    case QD_CLIENT_MOVE_OBSERVERS:
        qd_room_observers_move(host->room, member, observers, &refusals);
        break;
    default:
        qd_room_unobserve(host->room, member, observers->count, observers->id, &refusals);
        break;
    }
    qd_apply_refusals(host, request, observers->count, observers->id, &refusals);
}

/* False, here and below: it is refused as a whole. */
static bool apply_except(qd_host *host, const qd_request *request)
{
    const qd_msg_except *except = &request->decoded.message.as.except;
    qd_status status = qd_room_except(host->room, request->head.seat->member, except->observer, except->show_count,
                                      except->show, except->hide_count, except->hide);

    if (status == QD_ERR_NO_MEMORY) {
        fail(host, request, QD_ERROR_LIMIT,
             "the server has no memory left for lists of %" PRIu32 " ids (--memory-max): send shorter ones",
             except->show_count + except->hide_count);
    } else if (status != QD_OK) {
        fail(host, request, QD_ERROR_UNKNOWN_OBSERVER,
             "observer is %" PRIu32 ", but this session has none of that id in the room: Observe first",
             except->observer);
    }
    return status == QD_OK;
}

/* A reverse view that changes starts with who sees whom now. */
static void apply_options(qd_host *host, const qd_request *request)
{
    static const uint8_t watching[] = {
        [0] = QD_ROOM_WATCH_NONE,
        [QD_WATCH_NONE] = QD_ROOM_WATCH_NONE,
        [QD_WATCH_OWN] = QD_ROOM_WATCH_OWN,
        [QD_WATCH_ALL] = QD_ROOM_WATCH_ALL,
    };
    const qd_msg_view_options *options = &request->decoded.message.as.view_options;

    qd_room_view_options_set(
        host->room, request->head.seat->member,
        (qd_room_view_options){.bytes_max = options->bytes_max, .watching = watching[options->watch]});
    host->resets_due = true;
}

/* ---- why ---- */

/* The answer's columns, which lie one behind the other in one block, those of the widest values first. */
static qd_msg_why_result columns_of(const qd_host *host, const qd_room_reason *reasons, uint32_t count, void *block)
{
    uint64_t *session = block;
    double *distance = (double *)(session + count);
    float *range = (float *)(distance + count), *leave_margin = range + count;
    uint32_t *observer = (uint32_t *)(leave_margin + count), *limit = observer + count, *seen = limit + count;
    uint8_t *sight = (uint8_t *)(seen + count);

    for (uint32_t i = 0; i < count; i++) {
        session[i] = host->members[reasons[i].member].session;
        observer[i] = reasons[i].observer;
        sight[i] = (uint8_t)reasons[i].sight;
        distance[i] = reasons[i].distance;
        range[i] = reasons[i].range;
        leave_margin[i] = reasons[i].leave_margin;
        limit[i] = reasons[i].limit;
        seen[i] = reasons[i].seen;
    }
    return (qd_msg_why_result){.count = count,
                               .session = session,
                               .observer = observer,
                               .sight = sight,
                               .distance = distance,
                               .range = range,
                               .leave_margin = leave_margin,
                               .limit = limit,
                               .seen = seen};
}
#define WHY_ROW_BYTES (sizeof(uint64_t) + sizeof(double) + 2 * sizeof(float) + 3 * sizeof(uint32_t) + 1)

static void send_reasons(qd_host *host, const qd_request *request, qd_room_reason *reasons, uint32_t count, bool more)
{
    qd_room_stats stats;

    qd_room_stats_get(host->room, &stats);
    qd_server_message message = {.seq = request->decoded.message.seq, .kind = QD_SERVER_WHY_RESULT};
    if (count > 0) {
        message.as.why_result = columns_of(host, reasons, count, reasons + count);
    }
    message.as.why_result.room = host->named.handle;
    message.as.why_result.tick = stats.tick;
    message.as.why_result.more = more;
    qd_buffer *frame = qd_reply_encode(&message);
    qd_link *link = request->head.seat->session->link;
    if (frame == NULL || qd_reply_queue(host->server, link, &frame, 1, QD_LINK_EVENTS) == QD_LINK_FULL) {
        fail(host, request, QD_ERROR_LIMIT,
             "the answer of %" PRIu32 " observers does not fit in this session's queue (--queue-max), or in the "
             "server's memory (--memory-max): read what is queued first, or name one observer",
             count);
    }
    if (frame != NULL) {
        qd_buffer_release(frame);
    }
}

static void apply_why(qd_host *host, const qd_request *request)
{
    const qd_msg_why *why = &request->decoded.message.as.why;
    uint32_t member = why->observer ? request->head.seat->member : UINT32_MAX;
    uint32_t found = qd_room_why(host->room, member, why->a, why->b, 0, NULL);

    if (found == UINT32_MAX) {
        fail(host, request, why->observer ? QD_ERROR_UNKNOWN_OBSERVER : QD_ERROR_UNKNOWN_ID,
             "a is %" PRIu32 ", %s, and b is %" PRIu32 ", an entity: one of them is not in the room", why->a,
             why->observer ? "an observer of this session" : "an entity", why->b);
        return;
    }
    uint32_t count = found < QD_WHY_ROWS_MAX ? found : QD_WHY_ROWS_MAX;
    size_t size = count * (sizeof(qd_room_reason) + WHY_ROW_BYTES);
    qd_room_reason *reasons = count == 0 ? NULL : qd_heap_alloc(&host->heap, size);
    if (count > 0 && reasons == NULL) {
        fail(host, request, QD_ERROR_LIMIT,
             "the server has no memory left for the reasons of %" PRIu32 " observers (--memory-max): name one observer",
             count);
        return;
    }
    (void)qd_room_why(host->room, member, why->a, why->b, count, reasons);
    send_reasons(host, request, reasons, count, found > count);
    qd_heap_free(&host->heap, reasons, size);
}

void qd_views_apply(qd_host *host, const qd_request *request)
{
    const qd_client_message *message = &request->decoded.message;
    bool applied = true;

    switch (message->kind) {
    case QD_CLIENT_DESCRIBE:
        apply_describe(host, request);
        break;
    case QD_CLIENT_EXCEPT:
        applied = apply_except(host, request);
        break;
    case QD_CLIENT_VIEW_OPTIONS:
        apply_options(host, request);
        break;
    case QD_CLIENT_WHY:
        apply_why(host, request);
        return;
    default:
        apply_observers(host, request);
        break;
    }
    host->dirty = true;
    if (applied) {
        qd_host_note(host, request->head.seat, message->seq);
    }
}

/* ---- what observers see ---- */

/* The most that an entry of each group takes in a frame. */
#define LEAVE_BYTES   (2 * 4 + 1)
#define ENTER_BYTES   (2 * 4 + 7 * 4 + 4 + 1 + 8 + 1 + QD_VIEW_PAYLOAD_MAX)
#define RELAY_BYTES   (5 * 4)
#define WATCHER_BYTES (2 * 4 + 8)

/* What of a report is in frames, and what is to be in the next. */
typedef struct view_progress {
    uint32_t leaves, enters, relays, watcher_leaves, watcher_enters;
    size_t payload;
    size_t space; /* bytes that are left in the frame */
} view_progress;

/* How many of a group come into the frame; where not all do, nothing more does, so that groups keep their order. */
static uint32_t take(view_progress *progress, uint32_t *done, uint32_t count, size_t entry_bytes)
{
    uint32_t left = count - *done;
    size_t fit = progress->space / entry_bytes;
    uint32_t taken = left < fit ? left : (uint32_t)fit;

    progress->space = taken < left ? 0 : progress->space - taken * entry_bytes;
    *done += taken;
    return taken;
}

/* The column from `first` on; NULL where it is absent. */
#define FROM(column, first) ((column) != NULL ? (column) + (first) : NULL)

/* A column as it is, or NULL where it holds nothing but zeros. */
static const void *unless_zero(const void *column, size_t size)
{
    const uint8_t *bytes = column;

    if (column == NULL || size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0)) {
        return NULL;
    }
    return column;
}
#define UNLESS_ZERO(column, first, count) unless_zero(FROM(column, first), (count) * sizeof *(column))

static void put_enters(const qd_room_view_report *report, view_progress *progress, qd_msg_view *view)
{
    uint32_t first = progress->enters;
    uint32_t count = take(progress, &progress->enters, report->enter_count, ENTER_BYTES);

    if (count == 0) {
        return;
    }
    const qd_room_batch *enter = &report->enter;
    view->enter_count = count;
    view->enter_observer = report->enter_observer + first;
    view->enter = (qd_msg_entities){
        .count = count,
        .id = enter->id + first,
        .x = enter->x + first,
        .y = enter->y + first,
        .z = FROM(enter->z, first),
        .half_x = UNLESS_ZERO(enter->half_x, first, count),
        .half_y = UNLESS_ZERO(enter->half_y, first, count),
        .half_z = UNLESS_ZERO(enter->half_z, first, count),
        .radius = UNLESS_ZERO(enter->radius, first, count),
        .shape = FROM(enter->shape, first),
        .category = FROM(enter->category, first),
    };
    view->enter_tag = UNLESS_ZERO(report->enter_tag, first, count);
    view->enter_payload_size = UNLESS_ZERO(report->enter_payload_size, first, count);
    if (view->enter_payload_size == NULL) {
        return;
    }
    view->enter_payload = report->enter_payload + progress->payload;
    for (uint32_t i = 0; i < count; i++) {
        progress->payload += view->enter_payload_size[i];
    }
}

static void put_leaves(const qd_room_view_report *report, view_progress *progress, qd_msg_view *view)
{
    uint32_t first = progress->leaves;

    view->leave_count = take(progress, &progress->leaves, report->leave_count, LEAVE_BYTES);
    view->leave_observer = FROM(report->leave_observer, first);
    view->leave_id = FROM(report->leave_id, first);
    view->leave_reason = FROM(report->leave_reason, first);
}

static void put_relays(const qd_room_view_report *report, view_progress *progress, qd_msg_view *view)
{
    uint32_t first = progress->relays;

    view->relay_count = take(progress, &progress->relays, report->relay_count, RELAY_BYTES);
    view->relay_observer = FROM(report->relay_observer, first);
    view->relay_id = FROM(report->relay_id, first);
    view->relay_x = FROM(report->relay_x, first);
    view->relay_y = FROM(report->relay_y, first);
    view->relay_z = FROM(report->relay_z, first);
}

/* `sessions` are those of the leaves, then those of the enters. */
static void put_watchers(const qd_room_view_report *report, const uint64_t *sessions, view_progress *progress,
                         qd_msg_view *view)
{
    uint32_t first = progress->watcher_leaves;

    view->watcher_leave_count = take(progress, &progress->watcher_leaves, report->watcher_leave_count, WATCHER_BYTES);
    view->watcher_leave_entity = FROM(report->watcher_leave_entity, first);
    view->watcher_leave_session = FROM(sessions, first);
    view->watcher_leave_observer = FROM(report->watcher_leave_observer, first);
    first = progress->watcher_enters;
    view->watcher_enter_count = take(progress, &progress->watcher_enters, report->watcher_enter_count, WATCHER_BYTES);
    view->watcher_enter_entity = FROM(report->watcher_enter_entity, first);
    view->watcher_enter_session = FROM(sessions, report->watcher_leave_count + first);
    view->watcher_enter_observer = FROM(report->watcher_enter_observer, first);
}

static bool encode(const qd_host *host, const qd_room_view_report *report, const uint64_t *sessions, qd_frames *list)
{
    view_progress progress = {0};
    bool last = false;

    for (bool first = true; !last; first = false) {
        qd_server_message message = {.kind = QD_SERVER_VIEW};
        qd_msg_view *view = &message.as.view;

        view->room = host->named.handle;
        view->tick = report->tick;
        view->reset = first && report->reset;
        view->reset_watchers = first && report->reset_watchers;
        view->suspended = first && report->suspended;
        view->merged_ticks = first ? report->merged_ticks : 0;
        progress.space = QD_VIEW_FRAME_BYTES_MAX;
        put_leaves(report, &progress, view);
        put_enters(report, &progress, view);
        put_relays(report, &progress, view);
        put_watchers(report, sessions, &progress, view);
        last = progress.leaves == report->leave_count && progress.enters == report->enter_count &&
               progress.relays == report->relay_count && progress.watcher_leaves == report->watcher_leave_count &&
               progress.watcher_enters == report->watcher_enter_count;
        view->last = last;
        if (!qd_frames_push(list, qd_reply_encode(&message))) {
            return false;
        }
    }
    return true;
}

/* Encodes the report with the numbers of the watchers' sessions; returns whether there was memory for it. */
static bool encode_with_sessions(qd_host *host, const qd_room_view_report *report, qd_frames *list)
{
    size_t count = (size_t)report->watcher_leave_count + report->watcher_enter_count;
    uint64_t *sessions = count == 0 ? NULL : qd_heap_alloc(&host->heap, count * sizeof *sessions);

    if (count > 0 && sessions == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < report->watcher_leave_count; i++) {
        sessions[i] = host->members[report->watcher_leave_member[i]].session;
    }
    for (uint32_t i = 0; i < report->watcher_enter_count; i++) {
        sessions[report->watcher_leave_count + i] = host->members[report->watcher_enter_member[i]].session;
    }
    bool encoded = encode(host, report, sessions, list);
    qd_heap_free(&host->heap, sessions, count * sizeof *sessions);
    return encoded;
}

static void deliver(qd_host *host, const qd_room_view_report *report, qd_frames *list)
{
    qd_seat *seat = qd_host_seat(host, report->member);
    qd_link_sent sent = QD_LINK_FULL;

    if (encode_with_sessions(host, report, list)) {
        sent = qd_reply_queue(host->server, seat->session->link, list->frames, list->count, QD_LINK_EVENTS);
    }
    qd_frames_drop(list, 0);
    if (sent == QD_LINK_SENT) {
        qd_host_sent(seat);
        return;
    }
    /* To a closed link as well: nothing need be found for it until it leaves. */
    qd_room_view_lost(host->room, report->member);
    if (sent == QD_LINK_FULL) {
        qd_host_stuck(host, seat);
    }
}

void qd_views_publish(qd_host *host)
{
    qd_frames list = {.heap = &host->heap};
    qd_room_view_report report;

    while (qd_room_next_view(host->room, &report)) {
        deliver(host, &report, &list);
    }
    qd_frames_deinit(&list);
}
