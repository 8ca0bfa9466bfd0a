/* SPDX-License-Identifier: Apache-2.0 */
#include "publish_views.h"

#include <string.h>

#include "../service/reply.h"
#include "../state/time_bill.h"
#include "frames.h"
#include "slow_readers.h"

/* The most that an entry of each group takes in a frame. */
#define LEAVE_BYTES   (2 * 4 + 1)
#define ENTER_BYTES   (2 * 4 + 10 * 4 + 4 + 1 + 8 + 1 + QD_VIEW_PAYLOAD_MAX)
#define RELAY_BYTES   (5 * 4)
#define WATCHER_BYTES (2 * 4 + 8)

/* How much of a report is in frames so far. */
typedef struct view_progress {
    uint32_t leaves, enters, relays, watcher_leaves, watcher_enters;
    size_t payload;
    size_t space; /* bytes that are left in the frame */
} view_progress;

/* Returns how many entries of a group fit into the frame. If not all fit, the frame is full, so that the groups keep
 * their order. */
static uint32_t take(view_progress *progress, uint32_t *done, uint32_t count, size_t entry_bytes)
{
    uint32_t left = count - *done;
    size_t fit = progress->space / entry_bytes;
    uint32_t taken = left < fit ? left : (uint32_t)fit;

    progress->space = taken < left ? 0 : progress->space - taken * entry_bytes;
    *done += taken;
    return taken;
}

/* The column from `first` on, or NULL if it is absent. */
#define FROM(column, first) ((column) != NULL ? (column) + (first) : NULL)

/* The column, or NULL if it holds only zeros. */
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
    view->enter_count = count;
    view->enter_observer = report->enter_observer + first;
    view->enter = qd_room_batch_part(&report->enter, first, count);
    view->enter.half_x = UNLESS_ZERO(report->enter.half_x, first, count);
    view->enter.half_y = UNLESS_ZERO(report->enter.half_y, first, count);
    view->enter.half_z = UNLESS_ZERO(report->enter.half_z, first, count);
    view->enter.radius = UNLESS_ZERO(report->enter.radius, first, count);
    view->enter.axis_x = UNLESS_ZERO(report->enter.axis_x, first, count);
    view->enter.axis_y = UNLESS_ZERO(report->enter.axis_y, first, count);
    view->enter.axis_z = UNLESS_ZERO(report->enter.axis_z, first, count);
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

static bool encode(const qd_room_actor *actor, const qd_room_view_report *report, const uint64_t *sessions,
                   qd_frames *list)
{
    view_progress progress = {0};
    bool last = false;

    for (bool first = true; !last; first = false) {
        qd_server_message message = {.kind = QD_SERVER_VIEW};
        qd_msg_view *view = &message.as.view;

        view->room = actor->entry.handle;
        view->tick = report->tick;
        view->reset = first && report->reset;
        view->reset_watchers = first && report->reset_watchers;
        view->suspended = first && report->suspended;
        view->suspended_reason = first ? report->suspended_reason : 0;
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

/* Encodes the report with the numbers of the watchers' sessions. Returns whether there was memory for it. */
static bool encode_with_sessions(qd_room_actor *actor, const qd_room_view_report *report, qd_frames *list)
{
    size_t count = (size_t)report->watcher_leave_count + report->watcher_enter_count;
    uint64_t *sessions = count == 0 ? NULL : qd_heap_alloc(&actor->heap, count * sizeof *sessions);

    if (count > 0 && sessions == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < report->watcher_leave_count; i++) {
        sessions[i] = actor->members[report->watcher_leave_member[i]].session;
    }
    for (uint32_t i = 0; i < report->watcher_enter_count; i++) {
        sessions[report->watcher_leave_count + i] = actor->members[report->watcher_enter_member[i]].session;
    }
    bool encoded = encode(actor, report, sessions, list);
    qd_heap_free(&actor->heap, sessions, count * sizeof *sessions);
    return encoded;
}

static void deliver(qd_room_actor *actor, const qd_room_view_report *report, qd_frames *list)
{
    qd_membership *membership = qd_membership_of(actor, report->member);
    qd_link_sent sent = QD_LINK_FULL;

    if (report->suspended_reason == QD_SUSPEND_MEMORY) {
        qd_count(&actor->service->counters, QD_COUNT_SUSPENDED_MEMORY, 1);
    }
    if (encode_with_sessions(actor, report, list)) {
        sent = qd_reply_queue(actor->service, membership->endpoint->link, list->frames, list->count, QD_LINK_EVENTS);
        qd_time_bill_frames(actor, membership, list->frames, list->count);
    }
    qd_frames_drop(list, 0);
    if (!qd_slow_reader_delivered(actor, membership, sent)) {
        qd_room_view_lost(actor->room, report->member);
    }
}

void qd_publish_views(qd_room_actor *actor)
{
    qd_frames list = {.heap = &actor->heap};
    qd_room_view_report report;

    while (qd_room_next_view(actor->room, &report)) {
        deliver(actor, &report, &list);
    }
    qd_frames_deinit(&list);
}
