/* SPDX-License-Identifier: Apache-2.0
 *
 * The frames of a scenario as text. What is as usual is left out: the answer is to the last request, a tick's frame is
 * the last one, and the room is the current one.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scenario.h"

/* Longer groups are counted. */
#define LISTED_MAX 8u

typedef struct writer {
    char *text;
    size_t used, size;
} writer;

__attribute__((format(printf, 2, 3))) static void write_text(writer *out, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    out->used += (size_t)vsnprintf(out->text + out->used, out->size - out->used, format, arguments);
    va_end(arguments);
    sim_check(out->used < out->size, "a frame's text is too long");
}

static void write_flag(writer *out, const char *word, bool is)
{
    if (is) {
        write_text(out, " %s", word);
    }
}

static void write_number(writer *out, const char *word, uint64_t number)
{
    if (number > 0) {
        write_text(out, " %s %llu", word, (unsigned long long)number);
    }
}

static void write_pairs(writer *out, const char *word, const qd_msg_pairs *pairs, const uint8_t *reasons)
{
    if (pairs->count > LISTED_MAX) {
        write_text(out, " %u %ss", pairs->count, word);
        return;
    }
    for (uint32_t i = 0; i < pairs->count; i++) {
        write_text(out, " %s %u-%u", word, pairs->a[i], pairs->b[i]);
        if (reasons != NULL) {
            write_text(out, " %s", qd_end_reason_name(reasons[i]));
        }
    }
}

static void write_tick(writer *out, const qd_msg_tick *tick)
{
    write_text(out, "tick %llu", (unsigned long long)tick->tick);
    write_flag(out, "reset", tick->reset);
    write_flag(out, "unfinished", !tick->last);
    write_flag(out, "suspended", tick->suspended);
    write_number(out, "skipped", tick->skipped);
    write_number(out, "merged", tick->merged_ticks);
    write_pairs(out, "end", &tick->ends, tick->end_reason);
    write_pairs(out, "begin", &tick->begins, NULL);
    write_pairs(out, "passed", &tick->passed, NULL);
    write_pairs(out, "stay", &tick->stays, NULL);
}

static void write_applied(writer *out, const qd_msg_applied *applied, uint32_t seq)
{
    write_text(out, "applied %llu", (unsigned long long)applied->tick);
    write_number(out, "of request", applied->seq != seq ? applied->seq : 0);
    if (applied->late_count > 0) {
        write_text(out, " %u late", applied->late_count);
        for (uint32_t i = 0; i < applied->late_listed; i++) {
            write_text(out, " %llu", (unsigned long long)applied->late[i]);
        }
    }
}

static void write_error(writer *out, const qd_msg_error *error)
{
    write_text(out, "error %s", qd_error_code_name(error->code));
    for (uint32_t i = 0; i < error->entry_count; i++) {
        write_text(out, " %u %s", error->entry_index[i], qd_error_code_name(error->entry_code[i]));
    }
    write_number(out, "due", error->tick_due);
}

static void write_handed_over(writer *out, const qd_msg_handed_over *reported)
{
    write_text(out, "handed over");
    for (uint32_t i = 0; i < reported->count; i++) {
        write_text(out, " %u", reported->id[i]);
    }
    write_text(out, " from %llu to %llu", (unsigned long long)reported->from, (unsigned long long)reported->to);
    write_flag(out, "unfinished", !reported->last);
    if (reported->connected_count > 0) {
        write_text(out, " %u connected", reported->connected_count);
        for (uint32_t i = 0; i < reported->connected_listed; i++) {
            write_text(out, " %llu", (unsigned long long)reported->connected[i]);
        }
    }
}

static void write_entities(writer *out, const qd_msg_entities *entities)
{
    for (uint32_t i = 0; i < entities->count; i++) {
        write_text(out, " %u at %g %g", entities->id[i], (double)entities->x[i], (double)entities->y[i]);
    }
}

/* An entity that enters: where it is; what it is, unless it is a box of 2 by 2 in category 1; tag and payload. */
static void write_enter(writer *out, const qd_msg_view *view, uint32_t i, const char *payload, int payload_size)
{
    const qd_msg_entities *enter = &view->enter;

    write_text(out, " enter %u:%u at %g %g", view->enter_observer[i], enter->id[i], (double)enter->x[i],
               (double)enter->y[i]);
    write_flag(out, "deep", enter->z != NULL);
    write_flag(out, "with radius", enter->radius != NULL);
    if (enter->half_x[i] != 1 || enter->half_y[i] != 1) {
        write_text(out, " half %g %g", (double)enter->half_x[i], (double)enter->half_y[i]);
    }
    write_number(out, "shape", enter->shape[i] != QD_SHAPE_BOX ? enter->shape[i] : 0);
    write_number(out, "category", enter->category[i] != 1 ? enter->category[i] : 0);
    write_number(out, "tag", view->enter_tag != NULL ? view->enter_tag[i] : 0);
    if (payload_size > 0) {
        write_text(out, " payload %.*s", payload_size, payload);
    }
}

static void write_enters(writer *out, const qd_msg_view *view)
{
    const char *payload = (const char *)view->enter_payload;

    if (view->enter_count > LISTED_MAX) {
        write_text(out, " %u enters", view->enter_count);
        return;
    }
    for (uint32_t i = 0; i < view->enter_count; i++) {
        uint8_t payload_size = view->enter_payload_size != NULL ? view->enter_payload_size[i] : 0;

        write_enter(out, view, i, payload, payload_size);
        payload += payload_size;
    }
}

/* Observer:entity, and observer:entity:session of watchers. */
static void write_view(writer *out, const qd_msg_view *view)
{
    write_text(out, "view %llu", (unsigned long long)view->tick);
    write_flag(out, "reset", view->reset);
    write_flag(out, "reset watchers", view->reset_watchers);
    write_flag(out, "unfinished", !view->last);
    write_flag(out, "suspended", view->suspended);
    write_number(out, "merged", view->merged_ticks);
    for (uint32_t i = 0; i < view->leave_count; i++) {
        write_text(out, " leave %u:%u %s", view->leave_observer[i], view->leave_id[i],
                   qd_leave_reason_name(view->leave_reason[i]));
    }
    write_enters(out, view);
    for (uint32_t i = 0; i < view->relay_count; i++) {
        write_text(out, " relay %u:%u at %g %g", view->relay_observer[i], view->relay_id[i], (double)view->relay_x[i],
                   (double)view->relay_y[i]);
    }
    for (uint32_t i = 0; i < view->watcher_leave_count; i++) {
        write_text(out, " unwatch %u:%u:%llu", view->watcher_leave_observer[i], view->watcher_leave_entity[i],
                   (unsigned long long)view->watcher_leave_session[i]);
    }
    for (uint32_t i = 0; i < view->watcher_enter_count; i++) {
        write_text(out, " watch %u:%u:%llu", view->watcher_enter_observer[i], view->watcher_enter_entity[i],
                   (unsigned long long)view->watcher_enter_session[i]);
    }
}

static void write_why(writer *out, const qd_msg_why_result *why)
{
    write_text(out, "why %llu", (unsigned long long)why->tick);
    for (uint32_t i = 0; i < why->count; i++) {
        write_text(out, " %u at %.0f of %g sees %u: %s", why->observer[i], why->distance[i], (double)why->range[i],
                   why->seen[i], qd_sight_name(why->sight[i]));
    }
    write_flag(out, "more", why->more);
}

static void write_welcome(writer *out, const sim_scenario *play, const qd_msg_welcome *welcome)
{
    write_text(out, "welcome %llu", (unsigned long long)welcome->session);
    if (welcome->resume_key.size > 0) {
        bool known = false;

        for (int i = 0; i < SIM_PEERS; i++) {
            known |= memcmp(play->keys[i], welcome->resume_key.bytes, QD_RESUME_KEY_BYTES) == 0;
        }
        write_text(out, " %s key for %u", known ? "same" : "new", welcome->resume_ms);
    }
    write_flag(out, "resumed", welcome->resumed);
    write_number(out, "last", welcome->last_seq);
}

static const char *closed_reason(qd_room_closed_reason reason)
{
    return reason == QD_ROOM_CLOSED_REQUESTED ? "requested" : reason == QD_ROOM_CLOSED_SHUTDOWN ? "shutdown" : "empty";
}

static const char *go_away_reason(qd_go_away_reason reason)
{
    return reason == QD_GO_AWAY_PROTOCOL     ? "protocol"
           : reason == QD_GO_AWAY_SHUTDOWN   ? "shutdown"
           : reason == QD_GO_AWAY_TAKEN_OVER ? "taken over"
                                             : "other";
}

static uint64_t write_message(writer *out, const sim_scenario *play, const qd_server_message *message)
{
    switch (message->kind) {
    case QD_SERVER_WELCOME:
        write_welcome(out, play, &message->as.welcome);
        return 0;
    case QD_SERVER_ROOM_OPENED:
        write_text(out, message->as.room_opened.created ? "created" : "opened");
        return message->as.room_opened.room;
    case QD_SERVER_ROOM_LEFT:
        write_text(out, "left");
        return message->as.room_left.room;
    case QD_SERVER_ROOM_CLOSED:
        write_text(out, "closed: %s", closed_reason(message->as.room_closed.reason));
        return message->as.room_closed.room;
    case QD_SERVER_TICK:
        write_tick(out, &message->as.tick);
        return message->as.tick.room;
    case QD_SERVER_APPLIED:
        write_applied(out, &message->as.applied, message->seq);
        return message->as.applied.room;
    case QD_SERVER_SNAPSHOT_RESULT:
        write_text(out, "snapshot");
        write_entities(out, &message->as.snapshot_result.entities);
        return message->as.snapshot_result.room;
    case QD_SERVER_VIEW:
        write_view(out, &message->as.view);
        return message->as.view.room;
    case QD_SERVER_WHY_RESULT:
        write_why(out, &message->as.why_result);
        return message->as.why_result.room;
    case QD_SERVER_HANDED_OVER:
        write_handed_over(out, &message->as.handed_over);
        return message->as.handed_over.room;
    case QD_SERVER_ERROR:
        write_error(out, &message->as.error);
        return 0;
    case QD_SERVER_GO_AWAY:
        write_text(out, "go away: %s", go_away_reason(message->as.go_away.reason));
        write_number(out, "within", message->as.go_away.deadline_ms);
        return 0;
    default:
        sim_fail("a frame of kind %d has no text", message->kind);
    }
}

static void write_room(writer *out, const sim_scenario *play, uint64_t room)
{
    uint32_t number = 0;

    if (room == 0 || room == play->rooms[play->room]) {
        return;
    }
    while (number < SIM_ROOMS && play->rooms[number] != room) {
        number++;
    }
    write_text(out, number < SIM_ROOMS ? " in room %u" : " in a new room", number);
}

void sim_frame_text(const sim_scenario *play, const sim_peer *peer, const qd_server_message *message, char *text,
                    size_t size)
{
    bool is_news =
        message->kind == QD_SERVER_TICK || message->kind == QD_SERVER_VIEW || message->kind == QD_SERVER_GO_AWAY;
    writer out = {.text = text, .size = size};
    uint64_t room = write_message(&out, play, message);

    write_room(&out, play, room);
    if (is_news) {
        sim_check(message->seq == 0, "a frame of kind %d answers request %u", message->kind, message->seq);
    } else if (message->seq == 0) {
        write_text(&out, " unasked");
    } else if (message->seq != peer->seq) {
        write_text(&out, " to -%u", peer->seq - message->seq);
    }
}
