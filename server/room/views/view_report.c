/* SPDX-License-Identifier: Apache-2.0
 *
 * Each list is sorted once, by (member, observer, id), and made into columns of which every member has a range. The
 * enters of members that get a reset come behind all others.
 */
#include "view_report.h"

#include <string.h>

#include "../common/order.h"
#include "describe.h"
#include "view_news.h"

/* Sorts a list from `first` on. */
static void sort(qd_views *views, qd_view_list *list, uint32_t first)
{
    uint32_t count = list->count - first;
    size_t keys = qd_block_part(count, sizeof(uint64_t)), values = qd_block_part(count, sizeof(uint32_t));
    uint64_t any = 0;

    if (count < 2) {
        return;
    }
    char *memory = qd_block_fit(&views->scratch, views->heap, keys + values);
    qd_order order = {list->key + first, (uint64_t *)memory, list->value + first, (uint32_t *)(memory + keys)};
    for (uint32_t i = 0; i < count; i++) {
        any |= order.keys[i];
    }
    qd_order_sort(&order, count, qd_order_bits((uint32_t)any), qd_order_bits((uint32_t)(any >> 32)));
    if (order.keys != list->key + first) {
        memcpy(list->key + first, order.keys, count * sizeof order.keys[0]);
        memcpy(list->value + first, order.values, count * sizeof order.values[0]);
    }
}

/* Of the observer with that rank. */
static uint32_t member_at(const qd_views *views, uint64_t rank)
{
    return (uint32_t)(views->order[rank] >> 32);
}
static uint32_t id_at(const qd_views *views, uint64_t rank)
{
    return (uint32_t)views->order[rank];
}

/* ---- members ---- */

static bool is_served(const qd_views *views, uint32_t member)
{
    return qd_entities_has_member(views->entities, member) && !views->members[member].lost;
}

/* Whether the member observes or watches, or has lost a view at this tick. */
static bool takes_part(const qd_view_member *row)
{
    return row->first != QD_NONE || row->options.watching != QD_ROOM_WATCH_NONE || row->is_emptied;
}

/* Whether this round reports the member's news. A catch-up reports resets of watchers only, as other resets wait for
 * the entities that enter at a tick. */
static bool is_due(const qd_views *views, const qd_view_member *row)
{
    bool is_tick = views->reported_before < views->entities->tick;

    return is_tick || (row->reset_watchers && !row->reset);
}

/* Ends the news of this round. A reset among them was delivered; otherwise qd_views_lost has revoked it. */
static void take_as_delivered(qd_view_member *row)
{
    if (row->news & QD_VIEW_NEWS_RESET) {
        row->lagging = false;
    }
    row->news = 0;
    row->leaves = row->enters = row->relays = (qd_view_range){0};
    row->watcher_leaves = row->watcher_enters = (qd_view_range){0};
}

/* Decides what kind of report each member gets. */
static void decide(qd_views *views)
{
    for (uint32_t member = 0; member < views->member_count; member++) {
        qd_view_member *row = &views->members[member];

        take_as_delivered(row);
        if (!is_served(views, member) || !is_due(views, row)) {
            continue;
        }
        if (views->suspended) {
            if (!row->reported_suspended && (takes_part(row) || row->reset || row->reset_watchers)) {
                row->news = QD_VIEW_NEWS_SUSPENDED;
                row->reported_suspended = true;
            }
            continue;
        }
        row->news = (row->reset ? QD_VIEW_NEWS_RESET : 0) | (row->reset_watchers ? QD_VIEW_NEWS_RESET_WATCHERS : 0);
        row->reset = row->reset_watchers = false;
    }
}

static uint8_t all_news(const qd_views *views)
{
    uint8_t all = 0;

    for (uint32_t member = 0; member < views->member_count; member++) {
        all |= views->members[member].news;
    }
    return all;
}

/* Appends the views of members with such news; with news 0, all views, for members that watch. */
static void add_views(qd_views *views, qd_view_list *list, uint8_t news)
{
    for (uint32_t row = 0; row < views->count; row++) {
        qd_observer *observer = &views->observers[row];
        qd_visible_entries *set = &observer->entries;

        if (observer->seen == 0 || (news && !(views->members[observer->member].news & news))) {
            continue;
        }
        for (uint32_t at = 0; at < set->capacity; at++) {
            uint32_t slot = qd_entry_slot(set->entry[at]);

            if (!(set->entry[at] & QD_ENTRY_SEEN)) {
                continue;
            }
            qd_view_list_add(views, list, (uint64_t)observer->rank << 32 | views->entities->id[slot], slot);
            if (news && set->relayed) {
                set->entry[at] &= ~(uint32_t)QD_ENTRY_WAITS;
                set->relayed[at].reported = views->round;
            }
        }
    }
}

/* Gives each member its range of a sorted list. `offset` is that of the range in qd_view_member. */
static void distribute(qd_views *views, const qd_view_list *list, uint32_t first, uint32_t end, size_t offset)
{
    for (uint32_t i = first; i < end;) {
        uint32_t member = member_at(views, list->key[i] >> 32), from = i;

        while (i < end && member_at(views, list->key[i] >> 32) == member) {
            i++;
        }
        char *row = (char *)&views->members[member];
        *(qd_view_range *)(row + offset) = (qd_view_range){from, i - from};
    }
}

/* ---- columns ---- */

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
    uint32_t leaves = views->leaves.count, enters = views->enters.count, relays = views->relays.count;

    to->leave_observer = cut(cutter, leaves, 4);
    to->leave_id = cut(cutter, leaves, 4);
    to->leave_reason = cut(cutter, leaves, 1);
    to->enter_observer = cut(cutter, enters, 4);
    to->enter_id = cut(cutter, enters, 4);
    to->enter_category = cut(cutter, enters, 4);
    to->enter_radius = cut(cutter, enters, 4);
    for (unsigned k = 0; k < axes; k++) {
        to->enter_at[k] = cut(cutter, enters, 4);
        to->enter_half[k] = cut(cutter, enters, 4);
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

static void fill_leaves(qd_views *views)
{
    const qd_view_list *list = &views->leaves;
    qd_view_columns *to = &views->report;

    for (uint32_t i = 0; i < list->count; i++) {
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
    to->enter_at[0][i] = body.x;
    to->enter_at[1][i] = body.y;
    to->enter_half[0][i] = body.half_x;
    to->enter_half[1][i] = body.half_y;
    if (to->enter_at[2]) {
        to->enter_at[2][i] = body.z;
        to->enter_half[2][i] = body.half_z;
    }
    to->enter_radius[i] = body.radius;
    to->enter_shape[i] = body.shape;
    to->enter_category[i] = body.category;
}

#define AHEAD 8u /* entries; their entities are anywhere in memory */

static void fill_enters(qd_views *views)
{
    const qd_view_list *list = &views->enters;
    qd_view_columns *to = &views->report;
    size_t payload = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        const qd_description *described = qd_description_of(views, list->value[i]);

        if (i + AHEAD < list->count) {
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

static void fill_relays(qd_views *views)
{
    const qd_view_list *list = &views->relays;
    qd_view_columns *to = &views->report;

    for (uint32_t i = 0; i < list->count; i++) {
        const qd_target *target = &views->targets[list->value[i]];

        if (i + AHEAD < list->count) {
            __builtin_prefetch(&views->targets[list->value[i + AHEAD]]);
        }
        to->relay_observer[i] = id_at(views, list->key[i] >> 32);
        to->relay_id[i] = (uint32_t)list->key[i];
        for (unsigned k = 0; k < 3 && to->relay_at[k]; k++) {
            to->relay_at[k][i] = target->at[k];
        }
    }
}

static void fill_watchers(qd_views *views)
{
    const qd_view_list *list = &views->watchers;
    qd_view_columns *to = &views->report;

    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t rank = (uint32_t)list->key[i];

        to->watcher_entity[i] = (uint32_t)(list->key[i] >> 32);
        to->watcher_member[i] = member_at(views, rank);
        to->watcher_observer[i] = id_at(views, rank);
    }
}

static size_t payload_bytes(const qd_views *views)
{
    const qd_view_list *list = &views->enters;
    size_t sum = 0;

    for (uint32_t i = 0; i < list->count && views->descriptions; i++) {
        sum += qd_description_of(views, list->value[i])->payload_size;
    }
    return sum;
}

static void fill(qd_views *views)
{
    qd_view_columns *to = &views->report;
    size_t payloads = payload_bytes(views);
    struct cutter cutter = {0};

    cut_all(views, &cutter, payloads, to);
    cutter = (struct cutter){.memory = qd_block_fit(&to->block, views->heap, cutter.bytes)};
    cut_all(views, &cutter, payloads, to);
    fill_leaves(views);
    fill_enters(views);
    fill_relays(views);
    fill_watchers(views);
}

/* ---- reverse views: the same news by (entity, member, observer) ---- */

static bool watches(const qd_views *views, uint32_t member, qd_room_watching watching, bool reset)
{
    const qd_view_member *row = &views->members[member];

    return is_served(views, member) && row->options.watching == (uint8_t)watching &&
           !(row->news & QD_VIEW_NEWS_RESET_WATCHERS) == !reset;
}

static bool any_watches(const qd_views *views, bool reset)
{
    for (uint32_t member = 0; member < views->member_count; member++) {
        if (watches(views, member, QD_ROOM_WATCH_ALL, reset) || watches(views, member, QD_ROOM_WATCH_OWN, reset)) {
            return true;
        }
    }
    return false;
}

/* The owner of the entity, if it watches its own entities; else NULL. */
static qd_view_member *watching_owner(qd_views *views, uint32_t slot, bool reset)
{
    uint32_t owner = views->entities->holding[slot].owner;

    if (owner == QD_ROOM_OWNED || !watches(views, owner, QD_ROOM_WATCH_OWN, reset)) {
        return NULL;
    }
    return &views->members[owner];
}

static qd_view_range *watcher_range(qd_view_member *row, bool leaves)
{
    return leaves ? &row->watcher_leaves : &row->watcher_enters;
}

/* Appends a copy of the sorted watchers from `first` to `end`, each owner's own ones as one range. */
static void copy_to_owners(qd_views *views, uint32_t first, uint32_t end, bool leaves, bool reset)
{
    qd_view_list *list = &views->watchers;
    uint32_t sum = end;

    for (uint32_t i = first; i < end; i++) {
        qd_view_member *owner = watching_owner(views, list->value[i], reset);

        if (owner) {
            watcher_range(owner, leaves)->count++;
        }
    }
    for (uint32_t member = 0; member < views->member_count; member++) {
        qd_view_range *range = watcher_range(&views->members[member], leaves);

        if (watches(views, member, QD_ROOM_WATCH_ALL, reset)) {
            *range = (qd_view_range){first, end - first};
        } else if (watches(views, member, QD_ROOM_WATCH_OWN, reset)) {
            range->first = sum;
            sum += range->count;
            range->count = 0;
        }
    }
    for (uint32_t i = end; i < sum; i++) {
        qd_view_list_add(views, list, 0, 0);
    }
    for (uint32_t i = first; i < end; i++) {
        qd_view_member *owner = watching_owner(views, list->value[i], reset);

        if (owner) {
            qd_view_range *range = watcher_range(owner, leaves);

            list->key[range->first + range->count++] = list->key[i];
        }
    }
}

/* Appends news of views to `watchers`, sorted by (entity, rank), and gives the members that watch their ranges. */
static void watch(qd_views *views, const qd_view_list *news, bool leaves, bool reset)
{
    qd_view_list *list = &views->watchers;
    uint32_t first = list->count;

    if (news->count == 0 || !any_watches(views, reset)) {
        return;
    }
    for (uint32_t i = 0; i < news->count; i++) {
        qd_view_list_add(views, list, news->key[i] << 32 | news->key[i] >> 32,
                         news->value[i] & ((1u << QD_VIEW_REASON_SHIFT) - 1));
    }
    sort(views, list, first);
    copy_to_owners(views, first, list->count, leaves, reset);
}

/* ---- the round ---- */

void qd_view_report_make(qd_views *views, uint64_t reported_before)
{
    views->reported_before = reported_before;
    views->watchers_due = false;
    decide(views);
    views->next_member = 0;
    views->watchers.count = 0;
    uint8_t news = all_news(views);
    sort(views, &views->leaves, 0);
    sort(views, &views->enters, 0);
    sort(views, &views->relays, 0);
    watch(views, &views->leaves, true, false);
    watch(views, &views->enters, false, false);
    if (news & QD_VIEW_NEWS_RESET_WATCHERS) {
        qd_view_list all = {0};

        add_views(views, &all, 0);
        sort(views, &all, 0);
        watch(views, &all, false, true);
        qd_view_list_deinit(&all, views->heap);
    }
    uint32_t entered = views->enters.count;
    if (news & QD_VIEW_NEWS_RESET) {
        add_views(views, &views->enters, QD_VIEW_NEWS_RESET);
        sort(views, &views->enters, entered);
    }
    distribute(views, &views->leaves, 0, views->leaves.count, offsetof(qd_view_member, leaves));
    distribute(views, &views->relays, 0, views->relays.count, offsetof(qd_view_member, relays));
    distribute(views, &views->enters, 0, entered, offsetof(qd_view_member, enters));
    for (uint32_t member = 0; member < views->member_count && news & QD_VIEW_NEWS_RESET; member++) {
        qd_view_member *row = &views->members[member];

        if (row->news & QD_VIEW_NEWS_RESET) {
            row->leaves = row->relays = (qd_view_range){0}; /* its enters below are all that it sees */
        }
    }
    distribute(views, &views->enters, entered, views->enters.count, offsetof(qd_view_member, enters));
    fill(views);
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
    report->enter = (qd_room_batch){
        .count = row->enters.count,
        .id = from->enter_id + first,
        .x = from->enter_at[0] + first,
        .y = from->enter_at[1] + first,
        .z = from->enter_at[2] ? from->enter_at[2] + first : NULL,
        .half_x = from->enter_half[0] + first,
        .half_y = from->enter_half[1] + first,
        .half_z = from->enter_half[2] ? from->enter_half[2] + first : NULL,
        .radius = from->enter_radius + first,
        .shape = from->enter_shape + first,
        .category = from->enter_category + first,
    };
    report->enter_tag = from->enter_tag + first;
    report->enter_payload_size = from->enter_payload_size + first;
    report->enter_payload = from->enter_payload ? from->enter_payload + from->enter_payload_first[first] : NULL;
}

static void point_to_rest(const qd_views *views, const qd_view_member *row, qd_room_view_report *report)
{
    const qd_view_columns *from = &views->report;

    if (row->leaves.count > 0) {
        report->leave_count = row->leaves.count;
        report->leave_observer = from->leave_observer + row->leaves.first;
        report->leave_id = from->leave_id + row->leaves.first;
        report->leave_reason = from->leave_reason + row->leaves.first;
    }
    if (row->relays.count > 0) {
        report->relay_count = row->relays.count;
        report->relay_observer = from->relay_observer + row->relays.first;
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

static bool has_news(const qd_view_member *row)
{
    return row->news != 0 || row->leaves.count + row->enters.count + row->relays.count + row->watcher_leaves.count +
                                     row->watcher_enters.count >
                                 0;
}

bool qd_views_next_report(qd_views *views, qd_room_view_report *report)
{
    while (views->next_member < views->member_count) {
        uint32_t member = views->next_member++;
        qd_view_member *row = &views->members[member];

        if (!is_served(views, member) || !has_news(row)) {
            continue;
        }
        row->was_reported = true;
        *report = (qd_room_view_report){
            .member = member,
            .tick = views->entities->tick,
            .reset = (row->news & QD_VIEW_NEWS_RESET) != 0,
            .reset_watchers = (row->news & QD_VIEW_NEWS_RESET_WATCHERS) != 0,
            .suspended = (row->news & QD_VIEW_NEWS_SUSPENDED) != 0,
        };
        if (report->reset && row->lagging) {
            report->merged_ticks = views->entities->tick - row->reported_tick;
        }
        point_to_enters(views, row, report);
        point_to_rest(views, row, report);
        return true;
    }
    return false;
}

/* ---- lost reports ---- */

/* Ticks are lost from now on, the first of them the one whose news could not be delivered. A reset misses nothing
 * before it. */
static void start_lagging(const qd_views *views, qd_view_member *row)
{
    bool of_round = has_news(row) && !(row->news & QD_VIEW_NEWS_RESET);

    if (row->lagging) {
        return;
    }
    row->lagging = true;
    row->reported_tick = of_round ? views->reported_before : views->entities->tick;
}

void qd_views_lost(qd_views *views, uint32_t member)
{
    qd_view_member *row = &views->members[member];

    start_lagging(views, row);
    /* Unread news of the round were meant for what the member wanted before. */
    row->news = 0;
    take_as_delivered(row);
    row->lost = true;
    row->reported_suspended = false;
    views->in_use = true;
}

void qd_views_missed(qd_views *views, uint32_t member, uint64_t reported_tick)
{
    qd_view_member *row = &views->members[member];

    /* A member that no longer sees anything may have missed the report of that, too. */
    if (!row->was_reported && !takes_part(row)) {
        return;
    }
    take_as_delivered(row); /* news that were not delivered are lost already */
    qd_views_lost(views, member);
    if (reported_tick < row->reported_tick) {
        row->reported_tick = reported_tick;
    }
}

void qd_views_resume(qd_views *views, uint32_t member)
{
    qd_view_member *row = &views->members[member];

    if (!row->lost) {
        return;
    }
    row->lost = false;
    row->reset = true;
    row->reset_watchers |= row->options.watching != QD_ROOM_WATCH_NONE;
}

void qd_views_set_options(qd_views *views, uint32_t member, qd_room_view_options options)
{
    qd_view_member *row = &views->members[member];

    if (row->options.watching != options.watching) {
        row->reset_watchers = views->watchers_due = views->in_use = true;
    }
    row->options = options;
}
