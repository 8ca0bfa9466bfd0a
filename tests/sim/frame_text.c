/* SPDX-License-Identifier: Apache-2.0
 *
 * The frames of a scenario as text. What is as usual is left out: the answer is to the last request, and the room is the
 * current one. Events that come in several frames are counted, in the text of the last one.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "scenario.h"
#include "server/actor/service/limits.h"
#include "server/actor/tick/publish_pairs.h"

/* Longer groups are counted. */
#define LISTED_MAX 8u

#define GROUPS 5

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

/* ---- parts ---- */

/* A frame's events, in groups that come in that order, each ascending by its columns. */
typedef struct groups {
    bool is_last;
    uint32_t entries_max; /* how many there are in each frame but the last; 0: it depends on the bytes */
    uint32_t count[GROUPS];
    const uint32_t *a[GROUPS], *b[GROUPS];
    const char *words[GROUPS];
} groups;

/* Returns false for a kind of frame that never comes in parts. */
static bool groups_of(const qd_server_message *message, groups *of)
{
    const qd_msg_tick *tick = &message->as.tick;
    const qd_msg_view *view = &message->as.view;
    const qd_msg_snapshot_result *snapshot = &message->as.snapshot_result;
    const qd_msg_handed_over *reported = &message->as.handed_over;

    switch (message->kind) {
    case QD_SERVER_TICK:
        *of = (groups){tick->last,
                       QD_PUBLISH_PAIRS_MAX,
                       {tick->ends.count, tick->begins.count, tick->passed.count, tick->stays.count},
                       {tick->ends.a, tick->begins.a, tick->passed.a, tick->stays.a},
                       {tick->ends.b, tick->begins.b, tick->passed.b, tick->stays.b},
                       {"end", "begin", "passed", "stay"}};
        return true;
    case QD_SERVER_VIEW:
        *of = (groups){view->last,
                       0,
                       {view->leave_count, view->enter_count, view->relay_count, view->watcher_leave_count,
                        view->watcher_enter_count},
                       {view->leave_observer, view->enter_observer, view->relay_observer, view->watcher_leave_entity,
                        view->watcher_enter_entity},
                       {view->leave_id, view->enter.id, view->relay_id},
                       {"leave", "enter", "relay", "unwatch", "watch"}};
        return true;
    case QD_SERVER_SNAPSHOT_RESULT:
        *of = (groups){snapshot->last,
                       QD_SNAPSHOT_FRAME_ROWS_MAX,
                       {snapshot->entities.count},
                       {snapshot->entities.id},
                       .words = {"entities"}};
        return true;
    case QD_SERVER_HANDED_OVER:
        *of =
            (groups){reported->last, QD_HANDED_OVER_IDS_MAX, {reported->count}, {reported->id}, .words = {"entities"}};
        return true;
    default:
        return false;
    }
}

/* Adds the frame to its parts, and checks it: the order goes on through all parts, and each is as long as may be. */
static void add_part(sim_parts *parts, const groups *of, const qd_server_message *message)
{
    uint32_t total = 0;

    for (uint32_t group = 0; group < GROUPS; group++) {
        for (uint32_t i = 0; i < of->count[group]; i++) {
            uint64_t key = model_key(of->a[group][i], of->b[group] != NULL ? of->b[group][i] : 0);

            /* Watchers are ordered by entity alone. */
            bool goes_on = key > parts->previous || (key == parts->previous && group >= 3) || key == 0;
            sim_check(group > parts->group || (group == parts->group && goes_on), "the order through all parts");
            parts->group = group;
            parts->previous = key;
        }
        parts->events[group] += of->count[group];
        total += of->count[group];
    }
    if (parts->count++ == 0) {
        parts->first = *message;
    }
    bool fits = of->is_last ? total <= of->entries_max : total == of->entries_max;
    sim_check(of->entries_max > 0 ? fits : qd_server_message_size(message) <= QD_VIEW_FRAME_BYTES_MAX + 200,
              "a part of %u", total);
}

/* ---- events ---- */

/* An entity that enters: where it is; what it is, unless it is a box of 2 by 2 in category 1; tag and payload. */
static void write_enter(writer *out, const qd_msg_view *view, uint32_t i)
{
    const qd_msg_entities *enter = &view->enter;
    const uint8_t *sizes = view->enter_payload_size, *payload = view->enter_payload;

    write_text(out, " at %g %g", (double)enter->x[i], (double)enter->y[i]);
    write_flag(out, "deep", enter->z != NULL);
    write_flag(out, "with radius", enter->radius != NULL);
    if (enter->half_x == NULL || enter->half_y == NULL) {
        write_flag(out, "a point", true);
    } else if (enter->half_x[i] != 1 || enter->half_y[i] != 1) {
        write_text(out, " half %g %g", (double)enter->half_x[i], (double)enter->half_y[i]);
    }
    write_number(out, "shape", enter->shape[i] != QD_SHAPE_BOX ? enter->shape[i] : 0);
    write_number(out, "category", enter->category[i] != 1 ? enter->category[i] : 0);
    write_number(out, "tag", view->enter_tag != NULL ? view->enter_tag[i] : 0);
    for (uint32_t before = 0; sizes != NULL && before < i; before++) {
        payload += sizes[before];
    }
    if (sizes != NULL && sizes[i] > 0) {
        write_text(out, " payload %.*s", sizes[i], (const char *)payload);
    }
}

/* A pair of entities; observer:entity; observer:entity:session of a watcher. */
static void write_event(writer *out, const qd_server_message *message, const groups *of, uint32_t group, uint32_t i)
{
    const qd_msg_tick *tick = &message->as.tick;
    const qd_msg_view *view = &message->as.view;
    const qd_msg_entities *shown = &message->as.snapshot_result.entities;
    uint32_t a = of->a[group][i];

    if (message->kind == QD_SERVER_SNAPSHOT_RESULT) {
        write_text(out, " %u at %g %g", a, (double)shown->x[i], (double)shown->y[i]);
        return;
    }
    if (message->kind == QD_SERVER_HANDED_OVER) {
        write_text(out, " %u", a);
        return;
    }
    write_text(out, " %s ", of->words[group]);
    if (message->kind == QD_SERVER_TICK) {
        write_text(out, "%u-%u", a, of->b[group][i]);
        if (group == 0) {
            write_text(out, " %s", qd_end_reason_name(tick->end_reason[i]));
        }
    } else if (of->b[group] != NULL) {
        write_text(out, "%u:%u", a, of->b[group][i]);
        if (group == 0) {
            write_text(out, " %s", qd_leave_reason_name(view->leave_reason[i]));
        } else if (group == 1) {
            write_enter(out, view, i);
        } else {
            write_text(out, " at %g %g", (double)view->relay_x[i], (double)view->relay_y[i]);
        }
    } else {
        bool leaves = group == 3;

        write_text(out, "%u:%u:%llu", leaves ? view->watcher_leave_observer[i] : view->watcher_enter_observer[i], a,
                   (unsigned long long)(leaves ? view->watcher_leave_session[i] : view->watcher_enter_session[i]));
    }
}

/* Groups are listed, unless they are long, or came in several parts. */
static void write_events(writer *out, const qd_server_message *message, const sim_parts *parts)
{
    groups of;

    if (!groups_of(message, &of)) {
        return;
    }
    if (parts->count > 1) {
        write_text(out, " in %u parts", parts->count);
    }
    for (uint32_t group = 0; group < GROUPS; group++) {
        if (parts->events[group] > 0 && (parts->count > 1 || parts->events[group] > LISTED_MAX)) {
            write_text(out, " %u %s", parts->events[group], of.words[group]);
            continue;
        }
        for (uint32_t i = 0; i < of.count[group]; i++) {
            write_event(out, message, &of, group, i);
        }
    }
}

/* ---- messages ---- */

static void write_tick(writer *out, const qd_msg_tick *tick)
{
    write_text(out, "tick %llu", (unsigned long long)tick->tick);
    write_flag(out, "reset", tick->reset);
    write_flag(out, "suspended", tick->suspended);
    write_number(out, "skipped", tick->skipped);
    write_number(out, "merged", tick->merged_ticks);
}

static void write_applied(writer *out, const qd_msg_applied *applied, uint64_t seq)
{
    write_text(out, "applied %llu", (unsigned long long)applied->tick);
    write_number(out, "of request", applied->seq != seq ? applied->seq : 0);
    if (applied->late_count > 0) {
        write_text(out, " %u late", applied->late_count);
        for (uint32_t i = 0; i < applied->late_listed; i++) {
            write_text(out, " %llu", (unsigned long long)applied->late[i]);
        }
    }
    write_flag(out, "pairs lag", applied->pairs_lagging);
    write_flag(out, "views lag", applied->views_lagging);
}

static void write_error(writer *out, const qd_msg_error *error)
{
    write_text(out, "error %s", qd_error_code_name(error->code));
    write_number(out, "due", error->tick_due);
}

static void write_accepted(writer *out, const qd_msg_accepted *accepted)
{
    write_text(out, "accepted");
    if (accepted->refused_count > LISTED_MAX) {
        write_text(out, " without %u", accepted->refused_count);
        write_number(out, "of", accepted->refused_total);
        write_flag(out, "and more", !accepted->last);
        return;
    }
    for (uint32_t i = 0; i < accepted->refused_count; i++) {
        write_text(out, " %u %s", accepted->refused_index[i], qd_error_code_name(accepted->refused_code[i]));
        if (accepted->refused_field != NULL && accepted->refused_field[i] != 0) {
            write_text(out, " of field %u", accepted->refused_field[i]);
        }
    }
}

static void write_receiver(writer *out, const qd_msg_handed_over *reported)
{
    write_text(out, " from %llu to %llu", (unsigned long long)reported->from, (unsigned long long)reported->to);
    if (reported->connected_count > 0) {
        write_text(out, " %u connected", reported->connected_count);
        for (uint32_t i = 0; i < reported->connected_listed; i++) {
            write_text(out, " %llu", (unsigned long long)reported->connected[i]);
        }
    }
}

static void write_view(writer *out, const qd_msg_view *view)
{
    write_text(out, "view %llu", (unsigned long long)view->tick);
    write_flag(out, "reset", view->reset);
    write_flag(out, "reset watchers", view->reset_watchers);
    write_flag(out, "suspended", view->suspended);
    write_number(out, "merged", view->merged_ticks);
}

static void write_why(writer *out, const qd_msg_why_result *why)
{
    write_text(out, "why %llu", (unsigned long long)why->tick);
    for (uint32_t i = 0; i < why->count; i++) {
        write_text(out, " %u at %.0f of %g sees %u: %s", why->observer[i], why->distance[i], (double)why->range[i],
                   why->seen[i], qd_visibility_name(why->visibility[i]));
    }
    write_flag(out, "more", why->more);
}

static void write_rooms(writer *out, const qd_msg_room_list *list)
{
    write_text(out, "rooms");
    for (size_t i = 0; i < list->count; i++) {
        write_text(out, " %s", list->rooms[i].name);
    }
    write_flag(out, "more", list->more);
}

/* Each session as its number, a colon and the number of its rooms. A detached session ends with a minus. */
static void write_sessions(writer *out, const qd_msg_session_list *list)
{
    write_text(out, "sessions");
    for (size_t i = 0; i < list->count; i++) {
        const qd_msg_session_info *info = &list->sessions[i];

        write_text(out, " %" PRIu64 ":%" PRIu32 "%s", info->session, info->rooms, info->detached ? "-" : "");
    }
    write_text(out, list->more ? " and more" : "");
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
    write_number(out, "roster ids", welcome->limits.roster_ids_max < 1u << 20 ? welcome->limits.roster_ids_max : 0);
}

static void write_message(writer *out, const sim_scenario *play, const qd_server_message *message,
                          const sim_parts *parts)
{
    static const char *const closed[] = {"other", "requested", "empty", "shutdown"};
    static const char *const away[] = {"other",      "shutdown", "protocol",  "full",   "too slow",
                                       "taken over", "quota",    "not alive", "revoked"};

    switch (message->kind) {
    case QD_SERVER_WELCOME:
        write_welcome(out, play, &message->as.welcome);
        break;
    case QD_SERVER_ROOM_OPENED:
        write_text(out, message->as.room_opened.created ? "created" : "opened");
        break;
    case QD_SERVER_ROOM_LEFT:
        write_text(out, "left");
        break;
    case QD_SERVER_ROOM_CLOSED:
        write_text(out, "closed: %s", closed[message->as.room_closed.reason]);
        break;
    case QD_SERVER_ROOM_SLOWED:
        write_text(out, "slowed to %u", message->as.room_slowed.tick_hz);
        break;
    case QD_SERVER_ROOM_LIST:
        write_rooms(out, &message->as.room_list);
        break;
    case QD_SERVER_SESSION_LIST:
        write_sessions(out, &message->as.session_list);
        break;
    case QD_SERVER_TICK:
        write_tick(out, &parts->first.as.tick);
        break;
    case QD_SERVER_APPLIED:
        write_applied(out, &message->as.applied, message->seq);
        break;
    case QD_SERVER_ACCEPTED:
        write_accepted(out, &message->as.accepted);
        break;
    case QD_SERVER_SNAPSHOT_RESULT:
        write_text(out, "snapshot");
        break;
    case QD_SERVER_QUERY_RESULT:
        write_text(out, "found %u", message->as.query_result.count);
        break;
    case QD_SERVER_VIEW:
        write_view(out, &parts->first.as.view);
        break;
    case QD_SERVER_WHY_RESULT:
        write_why(out, &message->as.why_result);
        break;
    case QD_SERVER_HANDED_OVER:
        write_text(out, "handed over");
        break;
    case QD_SERVER_ERROR:
        write_error(out, &message->as.error);
        break;
    case QD_SERVER_GO_AWAY:
        write_text(out, "go away: %s", away[message->as.go_away.reason]);
        write_number(out, "within", message->as.go_away.deadline_ms);
        break;
    default:
        sim_fail("a frame of kind %d has no text", message->kind);
    }
    write_events(out, message, parts);
    if (message->kind == QD_SERVER_HANDED_OVER) {
        write_receiver(out, &message->as.handed_over);
    }
    write_flag(out, "more", message->kind == QD_SERVER_SNAPSHOT_RESULT && message->as.snapshot_result.more);
}

static void write_room(writer *out, const sim_scenario *play, const qd_server_message *message)
{
    uint64_t room = sim_room_of(message);
    uint32_t number = 0;

    if (room == 0 || room == play->rooms[play->room]) {
        return;
    }
    while (number < SIM_ROOMS && play->rooms[number] != room) {
        number++;
    }
    write_text(out, number < SIM_ROOMS ? " in room %u" : " in a new room", number);
    if (message->kind == QD_SERVER_ROOM_OPENED) {
        write_text(out, " up to %g", (double)message->as.room_opened.config.bounds.max_x);
    }
}

void sim_frame_text(sim_scenario *play, uint8_t who, const qd_server_message *message, char *text, size_t size)
{
    bool is_news =
        message->kind == QD_SERVER_TICK || message->kind == QD_SERVER_VIEW || message->kind == QD_SERVER_GO_AWAY;
    writer out = {.text = text, .size = size};
    sim_parts *parts = &play->parts[who];
    groups of;

    text[0] = '\0';
    if (groups_of(message, &of)) {
        add_part(parts, &of, message);
        if (!of.is_last) {
            return;
        }
    }
    write_message(&out, play, message, parts);
    write_room(&out, play, message);
    *parts = (sim_parts){0};
    if (is_news) {
        sim_check(message->seq == 0, "a frame of kind %d answers request %" PRIu64, message->kind, message->seq);
    } else if (message->seq == 0) {
        write_text(&out, " unasked");
    } else if (message->seq != play->peers[who].seq) {
        write_text(&out, " to -%" PRIu64, play->peers[who].seq - message->seq);
    }
}
