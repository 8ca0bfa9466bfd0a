/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports as text. Longer groups are counted. tests/sim/frame_text.c uses the same words.
 */
#include "scenario.h"

#include <string.h>

#define LISTED_MAX   12u
#define MEMBERS_MAX  26u
#define ENTITIES_MAX 2000u

#define ROW(name, number, words) [number] = (words),
static const char *const end_reasons[] = {QD_END_REASONS(ROW)};
static const char *const leave_reasons[] = {QD_LEAVE_REASONS(ROW)};
static const char *const visibilities[] = {QD_VISIBILITIES(ROW)};
#undef ROW
#define ROW(name, number) [number] = #name,
static const char *const refusal_names[] = {QD_ERROR_CODES(ROW)};
#undef ROW

void text_add(text *to, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    to->used += (size_t)vsnprintf(to->at + to->used, to->size - to->used, format, arguments);
    va_end(arguments);
    assert_true(to->used < to->size);
}

static void add_flag(text *to, const char *word, bool is)
{
    if (is) {
        text_add(to, " %s", word);
    }
}

static void add_number(text *to, const char *word, uint64_t number)
{
    if (number > 0) {
        text_add(to, " %s %llu", word, (unsigned long long)number);
    }
}

/* Begins a group of `count`, and returns whether its members are listed. */
static bool begin_group(text *to, const char *word, uint32_t count)
{
    if (count > LISTED_MAX) {
        text_add(to, " %u %ss", count, word);
    } else if (count > 0) {
        text_add(to, " %s", word);
    }
    return count > 0 && count <= LISTED_MAX;
}

/* The field is one of the message's, by the generated code. */
static void add_field(text *to, const ProtobufCMessageDescriptor *message, unsigned number)
{
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(message, number);

    assert_non_null(field);
    text_add(to, " %s", field->name);
}

void text_refusals(text *to, const qd_room_refusals *refusals, uint32_t entries,
                   const ProtobufCMessageDescriptor *message)
{
    assert_int_equal(refusals->listed, refusals->count);
    if (refusals->count > LISTED_MAX) {
        text_add(to, "%u refusals", refusals->count);
        return;
    }
    for (uint32_t i = 0; i < refusals->count; i++) {
        if (entries > 1) {
            text_add(to, i > 0 ? " %u " : "%u ", refusals->index[i]);
        }
        text_add(to, "%s", refusal_names[refusals->code[i]]);
        if (refusals->field[i] != 0) {
            add_field(to, message, refusals->field[i]);
        }
    }
}

void text_ids(text *to, const uint32_t *id, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        text_add(to, i > 0 ? " %u" : "%u", id[i]);
    }
}

const char *text_visibility(qd_room_visibility sight)
{
    return visibilities[sight];
}

/* ---- pairs ---- */

static void add_pairs(text *to, const char *word, qd_room_pairs pairs, const uint8_t *reason)
{
    if (begin_group(to, word, pairs.count)) {
        for (uint32_t i = 0; i < pairs.count; i++) {
            text_add(to, " %u-%u", pairs.a[i], pairs.b[i]);
            add_flag(to, reason != NULL ? end_reasons[reason[i]] : "", reason != NULL);
        }
    }
}

static void add_report(text *to, const qd_room_report *report)
{
    assert_int_equal(report->tick, played.tick);
    add_flag(to, "own", report->share == 0);
    add_flag(to, "reset", report->reset);
    add_number(to, "suspended", report->suspended_count);
    add_flag(to, "suspended without memory", report->suspended_reason == QD_SUSPEND_MEMORY);
    assert_int_equal(report->suspended, report->suspended_reason != 0);
    assert_int_equal(report->suspended_count > 0, report->suspended_reason == QD_SUSPEND_LIMIT);
    add_number(to, "skipped", report->skipped);
    add_number(to, "merged", report->merged_ticks);
    add_flag(to, "passed lost", report->passed_lost);
    add_pairs(to, "end", report->ends, report->end_reason);
    add_pairs(to, "begin", report->begins, NULL);
    add_pairs(to, "passed", report->passed, NULL);
    add_pairs(to, "stay", report->stays, NULL);
}

/* ---- views ---- */

/* The entities as they are now, in copies: reading the room ends what a report points to. */
static struct {
    uint32_t count, id[ENTITIES_MAX], category[ENTITIES_MAX];
    float x[ENTITIES_MAX], y[ENTITIES_MAX], size[5][ENTITIES_MAX];
} now;

static float size_of(const qd_room_batch *of, uint32_t size, uint32_t i)
{
    const float *const columns[] = {of->half_x, of->half_y, of->radius, of->axis_x, of->axis_y};

    return columns[size] != NULL ? columns[size][i] : 0;
}

static void copy_entities(void)
{
    qd_room_batch columns;
    bool more;

    (void)qd_memory_fail(0, 0);
    assert_int_equal(qd_room_snapshot(played.room, QD_ROOM_ANYBODY, NULL, ENTITIES_MAX, &columns, &more), QD_OK);
    (void)qd_memory_fail(played.has_no_memory, played.has_no_memory ? UINT64_MAX : 0);
    assert_false(more);
    now.count = columns.count;
    for (uint32_t i = 0; i < columns.count; i++) {
        now.id[i] = columns.id[i];
        now.category[i] = columns.category[i];
        now.x[i] = columns.x[i];
        now.y[i] = columns.y[i];
        for (uint32_t k = 0; k < 5; k++) {
            now.size[k][i] = size_of(&columns, k, i);
        }
    }
}

/* What a view reports of an entity is what the room has. Returns its index. */
static uint32_t check_place(uint32_t id, float x, float y)
{
    uint32_t at = 0;

    while (at < now.count && now.id[at] != id) {
        at++;
    }
    assert_true(at < now.count && now.x[at] == x && now.y[at] == y);
    return at;
}

static void add_enters(text *to, const qd_room_view_report *view)
{
    const char *payload = (const char *)view->enter_payload;

    assert_int_equal(view->enter.count, view->enter_count);
    if (!begin_group(to, "enter", view->enter_count)) {
        return;
    }
    for (uint32_t i = 0; i < view->enter_count; i++) {
        uint32_t at = check_place(view->enter.id[i], view->enter.x[i], view->enter.y[i]);

        for (uint32_t k = 0; k < 5; k++) {
            assert_true(now.size[k][at] == size_of(&view->enter, k, i));
        }
        assert_int_equal(now.category[at], view->enter.category[i]);
        text_add(to, " %u:%u", view->enter_observer[i], view->enter.id[i]);
        add_number(to, "tag", view->enter_tag[i]);
        if (view->enter_payload_size[i] > 0) {
            text_add(to, " payload %.*s", view->enter_payload_size[i], payload);
            payload += view->enter_payload_size[i];
        }
    }
}

/* Observer:entity:member. */
static void add_watchers(text *to, const char *word, uint32_t count, const uint32_t *observer, const uint32_t *entity,
                         const uint32_t *member)
{
    if (begin_group(to, word, count)) {
        for (uint32_t i = 0; i < count; i++) {
            text_add(to, " %u:%u:%c", observer[i], entity[i], 'A' + (int)member[i]);
        }
    }
}

static void add_view(text *to, const qd_room_view_report *view)
{
    assert_int_equal(view->tick, played.tick);
    text_add(to, " view");
    add_flag(to, "reset", view->reset);
    add_flag(to, "reset watchers", view->reset_watchers);
    add_flag(to, "suspended", view->suspended_reason == QD_SUSPEND_LIMIT);
    add_flag(to, "suspended without memory", view->suspended_reason == QD_SUSPEND_MEMORY);
    assert_int_equal(view->suspended, view->suspended_reason != 0);
    add_number(to, "merged", view->merged_ticks);
    if (begin_group(to, "leave", view->leave_count)) {
        for (uint32_t i = 0; i < view->leave_count; i++) {
            text_add(to, " %u:%u %s", view->leave_observer[i], view->leave_id[i], leave_reasons[view->leave_reason[i]]);
        }
    }
    add_enters(to, view);
    if (begin_group(to, "relay", view->relay_count)) {
        for (uint32_t i = 0; i < view->relay_count; i++) {
            (void)check_place(view->relay_id[i], view->relay_x[i], view->relay_y[i]);
            assert_null(view->relay_z);
            text_add(to, " %u:%u", view->relay_observer[i], view->relay_id[i]);
        }
    }
    add_watchers(to, "unwatch", view->watcher_leave_count, view->watcher_leave_observer, view->watcher_leave_entity,
                 view->watcher_leave_member);
    add_watchers(to, "watch", view->watcher_enter_count, view->watcher_enter_observer, view->watcher_enter_entity,
                 view->watcher_enter_member);
}

/* ---- rounds ---- */

bool text_next_report(text *to)
{
    qd_room_report report;
    qd_room_view_report view;

    if (qd_room_next_report(played.room, &report)) {
        text_add(to, "%c", 'A' + (int)report.member);
        add_report(to, &report);
        return true;
    }
    copy_entities();
    if (!qd_room_next_view(played.room, &view)) {
        return false;
    }
    text_add(to, "%c", 'A' + (int)view.member);
    add_view(to, &view);
    return true;
}

void text_reports(text *to)
{
    static char earlier[MEMBERS_MAX][1024];
    uint32_t share[MEMBERS_MAX], count = 0;
    qd_room_report report;

    while (qd_room_next_report(played.room, &report)) {
        text own = {earlier[count], 0, sizeof earlier[0]};
        uint32_t first = 0;

        assert_true(report.member < MEMBERS_MAX && count < MEMBERS_MAX);
        text_add(&own, "%c", 'A' + (int)report.member);
        add_report(&own, &report);
        while (first < count && (report.share == 0 || share[first] != report.share)) {
            first++;
        }
        text_add(to, "%s%.1s", to->used > 0 ? " | " : "", earlier[count]);
        if (first < count) {
            assert_string_equal(earlier[first] + 1, earlier[count] + 1);
            text_add(to, " as %.1s", earlier[first]);
        } else {
            text_add(to, "%s", earlier[count] + 1);
        }
        share[count++] = report.share;
    }
    for (size_t used = to->used;; used = to->used) {
        text_add(to, "%s", used > 0 ? " | " : "");
        if (!text_next_report(to)) {
            to->used = used;
            to->at[used] = '\0';
            return;
        }
    }
}
