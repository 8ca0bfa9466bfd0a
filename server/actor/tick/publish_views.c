/* SPDX-License-Identifier: Apache-2.0 */
#include "publish_views.h"

#include <string.h>

#include "../record/delivery.h"
#include "../state/time_bill.h"
#include "frames.h"
#include "slow_readers.h"

/* The most that an entry of each group takes in a frame. */
#define LEAVE_BYTES   (2 * 4 + 1)
#define ENTER_BYTES   (2 * 4 + 10 * 4 + 4 + 1 + 8 + 1 + QD_VIEW_PAYLOAD_MAX)
#define SLOT_BYTES    4
#define RELAY_BYTES   (5 * 4)
#define WATCHER_BYTES (2 * 4 + 8)

/* The most that a blob adds to a frame besides its bytes: its precision and its length. */
#define BLOB_BYTES 16u

/* A report, and what goes with it. */
typedef struct view_source {
    const qd_room_view_report *report;
    uint64_t *sessions;      /* of the watchers' leaves, then of their enters */
    qd_relay_stream *stream; /* in place of the relays; NULL: there is none */
    uint32_t *enter_slot;    /* with `stream` */
} view_source;

/* How much of a report is in frames so far. */
typedef struct view_progress {
    uint32_t leaves, enters, relays, watcher_leaves, watcher_enters;
    bool relayed; /* all that the stream sends at this tick */
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

static void put_enters(const view_source *source, view_progress *progress, qd_msg_view *view)
{
    const qd_room_view_report *report = source->report;
    uint32_t first = progress->enters;
    const size_t entry_bytes = ENTER_BYTES + (source->enter_slot != NULL ? SLOT_BYTES : 0);
    uint32_t count = take(progress, &progress->enters, report->enter_count, entry_bytes);

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
    view->enter_slot = UNLESS_ZERO(source->enter_slot, first, count);
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

/* Positions of the relay stream: one blob per frame. */
static void put_stream(qd_relay_stream *stream, view_progress *progress, qd_msg_view *view)
{
    const qd_relay_precision precision = qd_relay_stream_precision(stream);
    const bool is_whole = progress->space == QD_VIEW_FRAME_BYTES_MAX;
    qd_relay_part part;

    view->has_relay_k = !precision.is_exact && view->enter_slot != NULL;
    if (progress->space > BLOB_BYTES && qd_relay_stream_next(stream, progress->space - BLOB_BYTES, &part)) {
        view->has_relay_k = !precision.is_exact;
        view->relay = (qd_msg_key){part.blob_size, part.blob};
        view->exact_count = part.exact_count;
        view->exact_slot = part.exact_count > 0 ? part.exact_slot : NULL;
        view->exact_x = part.exact_count > 0 ? part.exact_at[0] : NULL;
        view->exact_y = part.exact_count > 0 ? part.exact_at[1] : NULL;
        view->exact_z = part.exact_count > 0 && precision.axes == 3 ? part.exact_at[2] : NULL;
        progress->space -= BLOB_BYTES + part.bytes;
        progress->relayed = !qd_relay_stream_has_more(stream);
    } else {
        progress->relayed = is_whole || !qd_relay_stream_has_more(stream);
    }
    view->relay_k = view->has_relay_k ? precision.k : 0;
    progress->space = progress->relayed ? progress->space : 0;
}

static void put_watchers(const view_source *source, view_progress *progress, qd_msg_view *view)
{
    const qd_room_view_report *report = source->report;
    const uint64_t *sessions = source->sessions;
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

static bool encode(const qd_room_actor *actor, const view_source *source, qd_frames *list)
{
    const qd_room_view_report *report = source->report;
    view_progress progress = {.relayed = source->stream == NULL};
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
        put_enters(source, &progress, view);
        if (source->stream != NULL) {
            put_stream(source->stream, &progress, view);
        } else {
            put_relays(report, &progress, view);
        }
        put_watchers(source, &progress, view);
        last = progress.leaves == report->leave_count && progress.enters == report->enter_count && progress.relayed &&
               (source->stream != NULL || progress.relays == report->relay_count) &&
               progress.watcher_leaves == report->watcher_leave_count &&
               progress.watcher_enters == report->watcher_enter_count;
        view->last = last;
        if (!qd_frames_push(list, qd_reply_encode(&message))) {
            return false;
        }
    }
    return true;
}

/* ---- the relay stream ---- */

static void place_of(const void *room, uint32_t id, float *at)
{
    qd_room_view_place(room, id, at);
}

static float coordinate(const float *column, uint32_t i)
{
    return column != NULL ? column[i] : 0;
}

/* Takes the report over into the stream. Returns whether there was memory for it. */
static bool follow(const qd_room_actor *actor, const view_source *source)
{
    const qd_room_view_report *report = source->report;
    qd_relay_stream *stream = source->stream;

    if (report->reset || report->suspended) {
        qd_relay_stream_reset(stream);
    }
    for (uint32_t i = 0; i < report->leave_count; i++) {
        qd_relay_stream_leave(stream, report->leave_id[i]);
    }
    for (uint32_t i = 0; i < report->enter_count; i++) {
        const float at[] = {report->enter.x[i], report->enter.y[i], coordinate(report->enter.z, i)};

        if (!qd_relay_stream_enter(stream, report->enter.id[i], at, &source->enter_slot[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < report->relay_count; i++) {
        const float at[] = {report->relay_x[i], report->relay_y[i], coordinate(report->relay_z, i)};

        qd_relay_stream_due(stream, report->relay_id[i], at);
    }
    qd_relay_stream_begin(stream, (size_t)report->bytes_left, &(qd_relay_places){place_of, actor->room});
    return true;
}

/* The member's stream; it exists from the first report on. NULL: there is no memory. */
static qd_relay_stream *stream_of(qd_room_actor *actor, uint32_t member)
{
    qd_actor_member *row = &actor->members[member];

    if (row->relay == NULL) {
        row->relay =
            qd_relay_stream_create(&actor->heap, row->precision,
                                   qd_journal_ask(actor->journal, QD_ASK_RANDOM, qd_service_random(actor->service)));
    }
    if (row->relay != NULL && row->relay_every > 0) {
        qd_relay_stream_every(row->relay, row->relay_every);
    }
    return row->relay;
}

/* Encodes the report by way of the stream. */
static bool encode_stream(qd_room_actor *actor, view_source *source, qd_frames *list)
{
    const uint32_t member = source->report->member;
    const size_t size = source->report->enter_count * sizeof *source->enter_slot;

    source->stream = stream_of(actor, member);
    source->enter_slot = size == 0 ? NULL : qd_heap_alloc(&actor->heap, size);
    const bool encoded = source->stream != NULL && (size == 0 || source->enter_slot != NULL) && follow(actor, source) &&
                         encode(actor, source, list);
    qd_heap_free(&actor->heap, source->enter_slot, source->enter_slot != NULL ? size : 0);
    if (source->stream != NULL && qd_relay_stream_end(source->stream)) {
        qd_room_view_behind(actor->room, member);
    }
    return encoded;
}

/* ---- reports ---- */

/* Encodes the report with the numbers of the watchers' sessions. Returns whether there was memory for it. */
static bool encode_with_sessions(qd_room_actor *actor, const qd_room_view_report *report, qd_frames *list)
{
    size_t count = (size_t)report->watcher_leave_count + report->watcher_enter_count;
    uint64_t *sessions = count == 0 ? NULL : qd_heap_alloc(&actor->heap, count * sizeof *sessions);
    view_source source = {.report = report, .sessions = sessions};

    if (count > 0 && sessions == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < report->watcher_leave_count; i++) {
        sessions[i] = actor->members[report->watcher_leave_member[i]].session;
    }
    for (uint32_t i = 0; i < report->watcher_enter_count; i++) {
        sessions[report->watcher_leave_count + i] = actor->members[report->watcher_enter_member[i]].session;
    }
    const bool encoded =
        actor->members[report->member].relays_once ? encode_stream(actor, &source, list) : encode(actor, &source, list);
    qd_heap_free(&actor->heap, sessions, count * sizeof *sessions);
    return encoded;
}

static void deliver(qd_room_actor *actor, const qd_room_view_report *report, qd_frames *list)
{
    qd_membership *membership = qd_membership_of(actor, report->member);
    bool delivered = false;

    if (report->suspended_reason == QD_SUSPEND_MEMORY) {
        qd_count(&actor->service->counters, QD_COUNT_SUSPENDED_MEMORY, 1);
    }
    if (report->reset) {
        qd_count(&actor->service->counters, QD_COUNT_RESETS_VIEWS, 1);
    }
    if (encode_with_sessions(actor, report, list)) {
        const qd_link_sent sent = qd_member_queue(actor, membership, list->frames, list->count, QD_LINK_EVENTS);

        qd_time_bill_frames(actor, membership, list->frames, list->count);
        delivered = qd_slow_reader_delivered(actor, membership, sent);
    } else {
        qd_slow_reader_missed(actor, membership);
    }
    qd_frames_drop(list, 0);
    if (!delivered) {
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
