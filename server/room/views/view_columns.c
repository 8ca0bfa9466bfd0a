/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "derived/derived_once.h"
#include "derived/derived_relay.h"
#include "state/spans.h"
#include "view_news.h"
#include "visibility/describe.h"

static uint32_t id_at(const qd_views *views, uint64_t rank)
{
    return (uint32_t)views->order[rank];
}

struct cutter {
    char *memory;
    size_t bytes;
};

/* The next column. Without memory, only counts its bytes. */
static void *cut(struct cutter *cutter, size_t count, size_t size)
{
    void *column = cutter->memory ? cutter->memory + cutter->bytes : NULL;

    cutter->bytes += qd_block_part(count, size);
    return column;
}

static void cut_all(const qd_views *views, struct cutter *cutter, size_t payloads, qd_view_columns *to)
{
    unsigned axes = views->entities->is_3d ? 3 : 2;
    uint32_t leaves = views->leaves.count, enters = views->enters.count;
    size_t relays = views->relays.count + qd_derived_relayed(views);

    to->leave_observer = cut(cutter, leaves, 4);
    to->leave_id = cut(cutter, leaves, 4);
    to->leave_reason = cut(cutter, leaves, 1);
    to->enter_observer = cut(cutter, enters, 4);
    to->enter_id = cut(cutter, enters, 4);
    to->enter_category = cut(cutter, enters, 4);
    for (qd_size k = 0; k < QD_SIZES; k++) {
        to->enter_size[k] = qd_size_is_of(k, axes) ? cut(cutter, enters, 4) : NULL;
    }
    for (unsigned k = 0; k < axes; k++) {
        to->enter_at[k] = cut(cutter, enters, 4);
        to->relay_at[k] = cut(cutter, relays, 4);
    }
    to->enter_shape = cut(cutter, enters, 1);
    to->enter_tag = cut(cutter, enters, 8);
    to->enter_payload_size = cut(cutter, enters, 1);
    to->enter_payload = cut(cutter, payloads, 1);
    to->enter_payload_first = cut(cutter, enters, sizeof(size_t));
    to->relay_observer = cut(cutter, relays, 4);
    to->relay_id = cut(cutter, relays, 4);
    to->watcher_entity = cut(cutter, views->watchers.count, 4);
    to->watcher_member = cut(cutter, views->watchers.count, 4);
    to->watcher_observer = cut(cutter, views->watchers.count, 4);
}

#define ROWS_MIN 512u /* of a task: it takes several microseconds */

/* Tasks, each with a part of the leaves and of the enters. */
struct filling {
    qd_views *views;
    qd_view_spans leaves, enters;      /* as many of both */
    size_t payload[QD_VIEW_SPANS_MAX]; /* the bytes of each part of the enters, and then where they begin */
};

static void fill_leaves(qd_views *views, uint32_t first, uint32_t end)
{
    const qd_view_list *list = &views->leaves;
    qd_view_columns *to = &views->report;

    for (uint32_t i = first; i < end; i++) {
        to->leave_observer[i] = id_at(views, list->key[i] >> 32);
        to->leave_id[i] = (uint32_t)list->key[i];
        to->leave_reason[i] = (uint8_t)(list->value[i] >> QD_VIEW_REASON_SHIFT);
    }
}

static void fill_enter(qd_views *views, uint32_t i, uint32_t slot)
{
    qd_view_columns *to = &views->report;
    qd_body body;

    qd_space_body(views->entities->space, slot, &body);
    const qd_sizes sizes = qd_sizes_of(&body);
    to->enter_at[0][i] = body.x;
    to->enter_at[1][i] = body.y;
    if (to->enter_at[2]) {
        to->enter_at[2][i] = body.z;
    }
    for (qd_size k = 0; k < QD_SIZES; k++) {
        if (to->enter_size[k]) {
            to->enter_size[k][i] = sizes.value[k];
        }
    }
    to->enter_shape[i] = body.shape;
    to->enter_category[i] = body.category;
}

#define AHEAD 8u /* entries; their entities are anywhere in memory */

static void fill_enters(qd_views *views, uint32_t first, uint32_t end, size_t payload)
{
    const qd_view_list *list = &views->enters;
    qd_view_columns *to = &views->report;

    for (uint32_t i = first; i < end; i++) {
        const qd_description *described = qd_description_of(views, list->value[i]);

        if (i + AHEAD < end) {
            qd_space_fetch(views->entities->space, list->value[i + AHEAD]);
        }

        to->enter_observer[i] = id_at(views, list->key[i] >> 32);
        to->enter_id[i] = (uint32_t)list->key[i];
        fill_enter(views, i, list->value[i]);
        to->enter_tag[i] = described->tag;
        to->enter_payload_size[i] = described->payload_size;
        to->enter_payload_first[i] = payload;
        if (described->payload_size > 0) {
            memcpy(to->enter_payload + payload, described->payload, described->payload_size);
        }
        payload += described->payload_size;
    }
}

/* A relay of an observer with visible entries. */
static void fill_relay(qd_views *views, uint32_t i, uint32_t row)
{
    const qd_view_list *list = &views->relays;
    const qd_target *target = &views->targets[list->value[i]];
    qd_view_columns *to = &views->report;

    to->relay_observer[row] = id_at(views, list->key[i] >> 32);
    to->relay_id[row] = (uint32_t)list->key[i];
    for (unsigned k = 0; k < 3 && to->relay_at[k]; k++) {
        to->relay_at[k][row] = target->at[k];
    }
}

static void fill_relays(qd_views *views)
{
    const qd_view_list *list = &views->relays;
    const qd_view_columns *to = &views->report;
    const bool are_derived = qd_derived_relayed(views) > 0;
    uint32_t first = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        if (i + AHEAD < list->count) {
            __builtin_prefetch(&views->targets[list->value[i + AHEAD]]);
        }
        first = i > 0 && list->key[i - 1] >> 32 == list->key[i] >> 32 ? first : i;
        fill_relay(views, i, are_derived ? to->relay_first[list->key[i] >> 32] + i - first : i);
    }
    if (are_derived) {
        const qd_join_rows rows = {
            to->relay_observer, to->relay_id, {to->relay_at[0], to->relay_at[1], to->relay_at[2]}};

        qd_derived_relay_fill(views, views->executor, &rows, to->relay_first);
        qd_once_fill(views, &rows);
    }
}

static void fill_watchers(qd_views *views)
{
    const qd_view_list *list = &views->watchers;
    qd_view_columns *to = &views->report;

    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t rank = (uint32_t)list->key[i];

        to->watcher_entity[i] = (uint32_t)(list->key[i] >> 32);
        to->watcher_member[i] = qd_view_member_at(views, rank);
        to->watcher_observer[i] = id_at(views, rank);
    }
}

static void add_payloads(size_t span, void *argument)
{
    struct filling *filling = argument;
    const qd_views *views = filling->views;
    const uint32_t end = qd_view_span_first(&filling->enters, span + 1);
    size_t sum = 0;

    for (uint32_t i = qd_view_span_first(&filling->enters, span); i < end; i++) {
        sum += qd_description_of(views, views->enters.value[i])->payload_size;
    }
    filling->payload[span] = sum;
}

/* The bytes of all payloads; notes where those of each part of the enters begin. */
static size_t payload_bytes(struct filling *filling)
{
    const qd_executor *executor = filling->views->executor;
    size_t sum = 0;

    if (filling->views->descriptions) {
        executor->run(executor->context, filling->enters.count, add_payloads, filling);
    }
    for (uint32_t i = 0; i < filling->enters.count; i++) {
        const size_t some = filling->payload[i];

        filling->payload[i] = sum;
        sum += some;
    }
    return sum;
}

static void fill_span(size_t span, void *argument)
{
    const struct filling *filling = argument;
    const qd_view_spans *leaves = &filling->leaves, *enters = &filling->enters;

    fill_leaves(filling->views, qd_view_span_first(leaves, span), qd_view_span_first(leaves, span + 1));
    fill_enters(filling->views, qd_view_span_first(enters, span), qd_view_span_first(enters, span + 1),
                filling->payload[span]);
}

bool qd_view_columns_fill(qd_views *views)
{
    const qd_executor *executor = views->executor;
    const uint32_t rows = views->leaves.count + views->enters.count;
    const uint32_t spans = qd_view_spans_of(views, executor, rows, ROWS_MIN).count;
    struct filling filling = {views, {views->leaves.count, spans}, {views->enters.count, spans}, {0}};
    qd_view_columns *to = &views->report;
    size_t payloads = payload_bytes(&filling);
    struct cutter cutter = {0};

    cut_all(views, &cutter, payloads, to);
    cutter = (struct cutter){.memory = qd_block_fit(&to->block, views->heap, cutter.bytes)};
    if (!cutter.memory) {
        return false;
    }
    cut_all(views, &cutter, payloads, to);
    executor->run(executor->context, spans, fill_span, &filling);
    fill_relays(views);
    fill_watchers(views);
    return true;
}

/* ---- reports ---- */

static void point_to_enters(const qd_views *views, const qd_view_member *row, qd_room_view_report *report)
{
    const qd_view_columns *from = &views->report;
    uint32_t first = row->enters.first;

    report->enter_count = row->enters.count;
    if (row->enters.count == 0) {
        return;
    }
    report->enter_observer = from->enter_observer + first;
    qd_room_batch all = {
        .id = from->enter_id,
        .x = from->enter_at[0],
        .y = from->enter_at[1],
        .z = from->enter_at[2],
        .shape = from->enter_shape,
        .category = from->enter_category,
    };
    qd_sizes_columns_set(&all, (const float *const *)from->enter_size);
    report->enter = qd_room_batch_part(&all, first, row->enters.count);
    report->enter_tag = from->enter_tag + first;
    report->enter_payload_size = from->enter_payload_size + first;
    report->enter_payload = from->enter_payload ? from->enter_payload + from->enter_payload_first[first] : NULL;
}

void qd_view_columns_point(const qd_views *views, const qd_view_member *row, qd_room_view_report *report)
{
    const qd_view_columns *from = &views->report;

    point_to_enters(views, row, report);
    if (row->leaves.count > 0) {
        report->leave_count = row->leaves.count;
        report->leave_observer = from->leave_observer + row->leaves.first;
        report->leave_id = from->leave_id + row->leaves.first;
        report->leave_reason = from->leave_reason + row->leaves.first;
    }
    if (row->relays.count > 0) {
        report->relay_count = row->relays.count;
        report->relay_observer = row->options.relays_once ? NULL : from->relay_observer + row->relays.first;
        report->relay_id = from->relay_id + row->relays.first;
        report->relay_x = from->relay_at[0] + row->relays.first;
        report->relay_y = from->relay_at[1] + row->relays.first;
        report->relay_z = from->relay_at[2] ? from->relay_at[2] + row->relays.first : NULL;
    }
    if (row->watcher_leaves.count > 0) {
        report->watcher_leave_count = row->watcher_leaves.count;
        report->watcher_leave_entity = from->watcher_entity + row->watcher_leaves.first;
        report->watcher_leave_member = from->watcher_member + row->watcher_leaves.first;
        report->watcher_leave_observer = from->watcher_observer + row->watcher_leaves.first;
    }
    if (row->watcher_enters.count > 0) {
        report->watcher_enter_count = row->watcher_enters.count;
        report->watcher_enter_entity = from->watcher_entity + row->watcher_enters.first;
        report->watcher_enter_member = from->watcher_member + row->watcher_enters.first;
        report->watcher_enter_observer = from->watcher_observer + row->watcher_enters.first;
    }
}
