/* SPDX-License-Identifier: Apache-2.0
 *
 * Each list is sorted once, by (member, observer, id), and made into columns of which every member has a range. The
 * enters of members that get a reset come behind all others.
 */
#include "view_report.h"

#include <string.h>

#include "../common/order.h"
#include "derived/derived.h"
#include "derived/derived_once.h"
#include "derived/derived_relay.h"
#include "view_news.h"

/* Sorts a list from `first` on. */
static void sort(qd_views *views, qd_view_list *list, uint32_t first)
{
    uint32_t count = list->count - first;
    size_t keys = qd_block_part(count, sizeof(uint64_t)), values = qd_block_part(count, sizeof(uint32_t));
    uint64_t any = 0;

    if (count < 2 || (first == 0 && list->ordered == count)) {
        return;
    }
    char *memory = qd_block_fit(&views->scratch, views->heap, keys + values);
    if (!memory) {
        views->no_memory = true;
        return;
    }
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

/* Whether this round is a tick, and not a catch-up. */
static bool is_tick(const qd_views *views)
{
    return views->reported_before < views->entities->tick;
}

/* Whether this round reports the member's news. A catch-up reports resets of watchers only, as other resets wait for
 * the entities that enter at a tick. */
static bool is_due(const qd_views *views, const qd_view_member *row)
{
    return is_tick(views) || (row->reset_watchers && !row->reset);
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

/* Takes back what `decide` has decided: nobody gets a report. */
static void revoke(qd_views *views)
{
    for (uint32_t member = 0; member < views->member_count; member++) {
        qd_view_member *row = &views->members[member];

        row->reset |= (row->news & QD_VIEW_NEWS_RESET) != 0;
        row->reset_watchers |= (row->news & QD_VIEW_NEWS_RESET_WATCHERS) != 0;
        row->news = 0;
        take_as_delivered(row);
    }
    views->next_member = QD_NONE;
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

/* Appends a view that has no entries. */
static void add_derived(qd_views *views, qd_view_list *list, uint32_t row, uint8_t news)
{
    const qd_observer *observer = &views->observers[row];

    for (uint32_t i = 0; i < observer->seen && !views->no_memory; i++) {
        qd_view_list_add(views, list, 0, 0);
    }
    if (views->no_memory) {
        return;
    }
    const uint32_t first = list->count - observer->seen;
    if (news) {
        qd_derived_clear_waits(views, row);
    }
    (void)qd_derived_list(views, row, list->value + first);
    for (uint32_t i = first; i < list->count; i++) {
        list->key[i] = qd_view_news_key(observer, views->entities->id[list->value[i]]);
    }
}

/* Appends the views of members with such news; with news 0, all views, for members that watch. */
static void add_views(qd_views *views, qd_view_list *list, uint8_t news)
{
    for (uint32_t row = 0; row < views->count && !views->no_memory; row++) {
        qd_observer *observer = &views->observers[row];
        qd_visible_entries *set = &observer->entries;

        if (observer->seen == 0 || (news && !(views->members[observer->member].news & news))) {
            continue;
        }
        if (observer->is_derived) {
            add_derived(views, list, row, news);
            continue;
        }
        for (uint32_t at = 0; at < set->capacity; at++) {
            uint32_t slot = qd_entry_slot(set->entry[at]);

            if (!(set->entry[at] & QD_ENTRY_SEEN)) {
                continue;
            }
            qd_view_list_add(views, list, qd_view_news_key(observer, views->entities->id[slot]), slot);
            if (news) {
                set->entry[at] &= ~(uint32_t)QD_ENTRY_WAITS;
                *qd_entry_reported(set, &set->entry[at]) = views->round;
            }
        }
    }
}

/* Gives each member its range of a sorted list. `offset` is that of the range in qd_view_member. */
static void distribute(qd_views *views, const qd_view_list *list, uint32_t first, uint32_t end, size_t offset)
{
    for (uint32_t i = first; i < end;) {
        uint32_t member = qd_view_member_at(views, list->key[i] >> 32), from = i;

        while (i < end && qd_view_member_at(views, list->key[i] >> 32) == member) {
            i++;
        }
        char *row = (char *)&views->members[member];
        *(qd_view_range *)(row + offset) = (qd_view_range){from, i - from};
    }
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
    if (views->no_memory) {
        return;
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
    if (!views->no_memory) {
        copy_to_owners(views, first, list->count, leaves, reset);
    }
}

/* ---- relays ---- */

/* Gives each member its range of the relays: those that it gets once, then those of each observer. */
static void distribute_ranks(qd_views *views, uint32_t *first)
{
    const qd_view_list *list = &views->relays;
    uint32_t sum = 0, last = QD_NONE;

    memset(first, 0, views->order_count * sizeof first[0]);
    for (uint32_t i = 0; i < list->count; i++) {
        first[list->key[i] >> 32]++;
    }
    qd_derived_relay_count(views, first);
    for (uint32_t rank = 0; rank < views->order_count; rank++) {
        const uint32_t member = qd_view_member_at(views, rank), count = first[rank];
        qd_view_range *range = &views->members[member].relays;

        if (member != last) {
            *range = qd_once_place(views, member, sum);
            sum += range->count;
            last = member;
        }
        first[rank] = sum;
        range->count += count;
        sum += count;
    }
}

static void distribute_relays(qd_views *views)
{
    const qd_view_list *list = &views->relays;
    const size_t derived = qd_derived_relayed(views);

    views->report.relay_first = NULL;
    if (derived == 0) {
        distribute(views, list, 0, list->count, offsetof(qd_view_member, relays));
        return;
    }
    if (list->count == 0 && derived == qd_once_relayed(views)) {
        qd_once_place_all(views);
        return;
    }
    uint32_t *first =
        qd_block_fit(&views->report.ranks, views->heap, ((size_t)views->order_count + 1) * sizeof first[0]);
    if (!first) {
        views->no_memory = true;
        return;
    }
    distribute_ranks(views, first);
    views->report.relay_first = first;
}

/* ---- the round ---- */

/* Sorts all news, and gives members their ranges. */
static void collect(qd_views *views)
{
    const uint8_t news = all_news(views);

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
    if (views->no_memory) {
        return;
    }
    distribute(views, &views->leaves, 0, views->leaves.count, offsetof(qd_view_member, leaves));
    distribute_relays(views);
    if (views->no_memory) {
        return;
    }
    distribute(views, &views->enters, 0, entered, offsetof(qd_view_member, enters));
    for (uint32_t member = 0; member < views->member_count && news & QD_VIEW_NEWS_RESET; member++) {
        qd_view_member *row = &views->members[member];

        if (row->news & QD_VIEW_NEWS_RESET) {
            row->leaves = row->relays = (qd_view_range){0}; /* its enters below are all that it sees */
        }
    }
    distribute(views, &views->enters, entered, views->enters.count, offsetof(qd_view_member, enters));
    views->no_memory = !qd_view_columns_fill(views);
}

bool qd_view_report_make(qd_views *views, uint64_t reported_before)
{
    views->reported_before = reported_before;
    views->watchers_due = false;
    views->no_memory = false;
    decide(views);
    views->next_member = 0;
    views->watchers.count = 0;
    collect(views);
    qd_derived_relay_end(views);
    if (views->no_memory) {
        revoke(views);
    }
    return !views->no_memory;
}

/* ---- reports ---- */

static bool has_news(const qd_view_member *row)
{
    return row->news != 0 || row->leaves.count + row->enters.count + row->relays.count + row->watcher_leaves.count +
                                     row->watcher_enters.count >
                                 0;
}

/* A catch-up leaves relays to the next tick. */
static uint64_t bytes_left(const qd_views *views, const qd_view_member *row)
{
    const uint64_t most = !is_tick(views) ? 0 : row->options.bytes_max > 0 ? row->options.bytes_max : UINT64_MAX;

    return row->bytes < most ? most - row->bytes : 0;
}

bool qd_views_next_report(qd_views *views, qd_room_view_report *report)
{
    while (views->next_member < views->member_count) {
        uint32_t member = views->next_member++;
        qd_view_member *row = &views->members[member];

        if (!is_served(views, member) || !(has_news(row) || (row->is_behind && is_tick(views)))) {
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
        if (report->suspended) {
            report->suspended_reason = (qd_suspend_reason)views->suspended_reason;
        }
        if (report->reset && row->lagging) {
            report->merged_ticks = views->entities->tick - row->reported_tick;
        }
        row->is_behind &= !is_tick(views);
        report->bytes_left = bytes_left(views, row);
        qd_view_columns_point(views, row, report);
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

bool qd_views_lag(const qd_views *views, uint32_t member)
{
    return member < views->member_count && views->members[member].lagging &&
           !(views->members[member].news & QD_VIEW_NEWS_RESET);
}

void qd_views_restart(qd_views *views, uint32_t member)
{
    qd_view_member *row = &views->members[member];

    row->reset |= takes_part(row) && row->was_reported;
    views->in_use = true;
}

void qd_views_behind(qd_views *views, uint32_t member)
{
    views->members[member].is_behind = true;
}

void qd_views_place(const qd_views *views, uint32_t id, float *at)
{
    memcpy(at, views->targets[qd_ids_get(&views->entities->ids, id).slot].at, sizeof views->targets->at);
}

void qd_views_set_options(qd_views *views, uint32_t member, qd_room_view_options options)
{
    qd_view_member *row = &views->members[member];

    if (row->options.watching != options.watching) {
        row->reset_watchers = views->watchers_due = views->in_use = true;
    }
    row->tight = 0;
    const bool held = qd_view_holds_relays(row), is_other = row->options.bytes_max != options.bytes_max;
    row->options = options;
    /* What waits for bytes may go on, and derived views depend on whether positions can wait. */
    for (uint32_t at = row->first; (is_other || held != qd_view_holds_relays(row)) && at != QD_NONE;
         at = views->observers[at].of_member.next) {
        views->attention[at] |= QD_ATTEND_ONCE;
    }
}
