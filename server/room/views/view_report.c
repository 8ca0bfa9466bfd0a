/* SPDX-License-Identifier: Apache-2.0
 *
 * From the lists of a round to what members get: each list is sorted once, by (member, observer, id), and made into
 * columns, of which every member has a range. Those whose reset is due have theirs behind all others.
 */
#include <string.h>

#include "../entities/describe.h"
#include "../pairs/order.h"
#include "views_tick.h"

/* Sorts what is in a list from `first` on. */
static void sort(qd_room *room, qd_view_list *list, uint32_t first)
{
    uint32_t count = list->count - first;
    size_t keys = qd_block_part(count, sizeof(uint64_t)), values = qd_block_part(count, sizeof(uint32_t));
    uint64_t any = 0;

    if (count < 2) {
        return;
    }
    char *memory = qd_block_fit(&room->scratch, room->heap, keys + values);
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

/* Of the observer of such a rank. */
static uint32_t member_at(const qd_room *room, uint64_t rank)
{
    return (uint32_t)(room->views.order[rank] >> 32);
}
static uint32_t id_at(const qd_room *room, uint64_t rank)
{
    return (uint32_t)room->views.order[rank];
}

/* ---- members ---- */

static bool is_served(const qd_member *row)
{
    return row->presence == QD_PRESENT && !row->views.lost;
}

/* Whether the member observes or watches anything. */
static bool takes_part(const qd_room *room, uint32_t member)
{
    const qd_member_views *views = &room->members.rows[member].views;

    return views->first != QD_NONE || views->options.watching != QD_ROOM_WATCH_NONE || views->is_emptied;
}

/* Whether the news has waited for this round: that of the entities which enter has to wait for a tick. */
static bool is_due(const qd_room *room, const qd_member_views *views)
{
    bool is_tick = room->views.told_before < room->tick;

    return is_tick || (views->reset_watchers && !views->reset);
}

/* The news of this round is done with. A reset among it was delivered, or qd_room_view_lost would have taken it back.
 */
static void take_as_told(qd_member_views *views)
{
    if (views->news & QD_VIEW_NEWS_RESET) {
        views->behind = false;
    }
    views->news = 0;
    views->leaves = views->enters = views->relays = (qd_view_range){0};
    views->watcher_leaves = views->watcher_enters = (qd_view_range){0};
}

/* What kind of report each member gets, if it gets one. */
static void decide(qd_room *room)
{
    for (uint32_t member = 0; member < room->members.count; member++) {
        qd_member *row = &room->members.rows[member];
        qd_member_views *views = &row->views;
        bool is_concerned = takes_part(room, member);

        take_as_told(views);
        if (!is_served(row) || !is_due(room, views)) {
            continue;
        }
        if (room->views.suspended) {
            if (!views->told_suspended && (is_concerned || views->reset || views->reset_watchers)) {
                views->news = QD_VIEW_NEWS_SUSPENDED;
                views->told_suspended = true;
            }
            continue;
        }
        views->news =
            (views->reset ? QD_VIEW_NEWS_RESET : 0) | (views->reset_watchers ? QD_VIEW_NEWS_RESET_WATCHERS : 0);
        views->reset = views->reset_watchers = false;
    }
}

static uint8_t all_news(const qd_room *room)
{
    uint8_t all = 0;

    for (uint32_t member = 0; member < room->members.count; member++) {
        all |= room->members.rows[member].views.news;
    }
    return all;
}

/* All that is in a view, of members with such news (or of all, for those who watch), behind what is in the list. */
static void add_views(qd_room *room, qd_view_list *list, uint8_t news)
{
    qd_views *views = &room->views;

    for (uint32_t row = 0; row < views->count; row++) {
        qd_observer *observer = &views->observers[row];
        qd_sightings *set = &observer->sightings;

        if (observer->seen == 0 || (news && !(room->members.rows[observer->member].views.news & news))) {
            continue;
        }
        for (uint32_t at = 0; at < set->capacity; at++) {
            uint32_t slot = qd_sighting_slot(set->places[at]);

            if (!(set->places[at] & QD_SIGHTING_SEEN)) {
                continue;
            }
            qd_view_list_add(room, list, (uint64_t)observer->rank << 32 | room->entities.id[slot], slot);
            if (news && set->tellings) {
                set->places[at] &= ~(uint32_t)QD_SIGHTING_WAITS;
                set->tellings[at].told = views->round;
            }
        }
    }
}

/* Gives each member its range of a sorted list. `offset` is where the range is in qd_member_views. */
static void deal(qd_room *room, const qd_view_list *list, uint32_t first, uint32_t end, size_t offset)
{
    for (uint32_t i = first; i < end;) {
        uint32_t member = member_at(room, list->key[i] >> 32), from = i;

        while (i < end && member_at(room, list->key[i] >> 32) == member) {
            i++;
        }
        char *views = (char *)&room->members.rows[member].views;
        *(qd_view_range *)(views + offset) = (qd_view_range){from, i - from};
    }
}

/* ---- columns ---- */

struct cutter {
    char *memory;
    size_t bytes;
};

/* The next column; with no memory yet only its bytes are counted. */
static void *cut(struct cutter *cutter, size_t count, size_t size)
{
    void *column = cutter->memory ? cutter->memory + cutter->bytes : NULL;

    cutter->bytes += qd_block_part(count, size);
    return column;
}

static void cut_all(const qd_room *room, struct cutter *cutter, size_t payloads, qd_view_columns *to)
{
    const qd_views *views = &room->views;
    unsigned axes = qd_room_is_3d(room) ? 3 : 2;
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

static void fill_leaves(qd_room *room)
{
    const qd_view_list *list = &room->views.leaves;
    qd_view_columns *to = &room->views.report;

    for (uint32_t i = 0; i < list->count; i++) {
        to->leave_observer[i] = id_at(room, list->key[i] >> 32);
        to->leave_id[i] = (uint32_t)list->key[i];
        to->leave_reason[i] = (uint8_t)(list->value[i] >> QD_VIEW_REASON_SHIFT);
    }
}

static void fill_enter(qd_room *room, uint32_t i, uint32_t slot)
{
    qd_view_columns *to = &room->views.report;
    qd_body body;

    qd_space_body(room->space, slot, &body);
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

/* Entities are anywhere in memory. */
#define AHEAD 8u

static void fill_enters(qd_room *room)
{
    const qd_view_list *list = &room->views.enters;
    qd_view_columns *to = &room->views.report;
    size_t payload = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        const qd_description *said = qd_description_of(room, list->value[i]);

        if (i + AHEAD < list->count) {
            qd_space_fetch(room->space, list->value[i + AHEAD]);
        }

        to->enter_observer[i] = id_at(room, list->key[i] >> 32);
        to->enter_id[i] = (uint32_t)list->key[i];
        fill_enter(room, i, list->value[i]);
        to->enter_tag[i] = said->tag;
        to->enter_payload_size[i] = said->payload_size;
        to->enter_payload_first[i] = payload;
        if (said->payload_size > 0) {
            memcpy(to->enter_payload + payload, said->payload, said->payload_size);
        }
        payload += said->payload_size;
    }
}

static void fill_relays(qd_room *room)
{
    const qd_view_list *list = &room->views.relays;
    qd_view_columns *to = &room->views.report;

    for (uint32_t i = 0; i < list->count; i++) {
        const qd_seen *seen = &room->views.seen[list->value[i]];

        if (i + AHEAD < list->count) {
            __builtin_prefetch(&room->views.seen[list->value[i + AHEAD]]);
        }
        to->relay_observer[i] = id_at(room, list->key[i] >> 32);
        to->relay_id[i] = (uint32_t)list->key[i];
        for (unsigned k = 0; k < 3 && to->relay_at[k]; k++) {
            to->relay_at[k][i] = seen->at[k];
        }
    }
}

static void fill_watchers(qd_room *room)
{
    const qd_view_list *list = &room->views.watchers;
    qd_view_columns *to = &room->views.report;

    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t rank = (uint32_t)list->key[i];

        to->watcher_entity[i] = (uint32_t)(list->key[i] >> 32);
        to->watcher_member[i] = member_at(room, rank);
        to->watcher_observer[i] = id_at(room, rank);
    }
}

static size_t payload_bytes(const qd_room *room)
{
    const qd_view_list *list = &room->views.enters;
    size_t sum = 0;

    for (uint32_t i = 0; i < list->count && room->views.descriptions; i++) {
        sum += qd_description_of(room, list->value[i])->payload_size;
    }
    return sum;
}

static void fill(qd_room *room)
{
    qd_view_columns *to = &room->views.report;
    size_t payloads = payload_bytes(room);
    struct cutter cutter = {0};

    cut_all(room, &cutter, payloads, to);
    cutter = (struct cutter){.memory = qd_block_fit(&to->block, room->heap, cutter.bytes)};
    cut_all(room, &cutter, payloads, to);
    fill_leaves(room);
    fill_enters(room);
    fill_relays(room);
    fill_watchers(room);
}

/* ---- those who watch: the same news by (entity, member, observer) ---- */

static bool watches(const qd_member *row, qd_room_watching watching, bool reset)
{
    return is_served(row) && row->views.options.watching == (uint8_t)watching &&
           !(row->views.news & QD_VIEW_NEWS_RESET_WATCHERS) == !reset;
}

static bool anybody_watches(const qd_room *room, qd_room_watching watching, bool reset)
{
    for (uint32_t member = 0; member < room->members.count; member++) {
        if (watches(&room->members.rows[member], watching, reset)) {
            return true;
        }
    }
    return false;
}

/* The member that is to hear of its own entity; NULL: nobody. */
static qd_member_views *owner_who_watches(qd_room *room, uint32_t slot, bool reset)
{
    uint32_t owner = room->entities.holding[slot].owner;

    if (owner == QD_ROOM_OWNED || !watches(&room->members.rows[owner], QD_ROOM_WATCH_OWN, reset)) {
        return NULL;
    }
    return &room->members.rows[owner].views;
}

static qd_view_range *watcher_range(qd_member_views *views, bool leaves)
{
    return leaves ? &views->watcher_leaves : &views->watcher_enters;
}

/* Turns news into news of entities, sorted, behind what is in `watchers`; then deals them to owners who watch theirs,
 * behind that. (entity, rank) is the key, and slots are values. */
static void watch(qd_room *room, const qd_view_list *news, bool leaves, bool reset)
{
    qd_view_list *list = &room->views.watchers;
    uint32_t first = list->count, all = news->count;

    if (all == 0 ||
        (!anybody_watches(room, QD_ROOM_WATCH_ALL, reset) && !anybody_watches(room, QD_ROOM_WATCH_OWN, reset))) {
        return;
    }
    for (uint32_t i = 0; i < all; i++) {
        qd_view_list_add(room, list, news->key[i] << 32 | news->key[i] >> 32,
                         news->value[i] & ((1u << QD_VIEW_REASON_SHIFT) - 1));
    }
    sort(room, list, first);

    /* How many each owner has, where they begin, and then they themselves. */
    uint32_t sum = first + all;
    for (uint32_t i = first; i < first + all; i++) {
        qd_member_views *owner = owner_who_watches(room, list->value[i], reset);

        if (owner) {
            watcher_range(owner, leaves)->count++;
        }
    }
    for (uint32_t member = 0; member < room->members.count; member++) {
        qd_member *row = &room->members.rows[member];
        qd_view_range *range = watcher_range(&row->views, leaves);

        if (watches(row, QD_ROOM_WATCH_ALL, reset)) {
            *range = (qd_view_range){first, all};
        } else if (watches(row, QD_ROOM_WATCH_OWN, reset)) {
            range->first = sum;
            sum += range->count;
            range->count = 0;
        }
    }
    for (uint32_t i = first + all; i < sum; i++) {
        qd_view_list_add(room, list, 0, 0);
    }
    for (uint32_t i = first; i < first + all; i++) {
        qd_member_views *owner = owner_who_watches(room, list->value[i], reset);

        if (owner) {
            qd_view_range *range = watcher_range(owner, leaves);

            list->key[range->first + range->count++] = list->key[i];
        }
    }
}

/* ---- the round ---- */

void qd_view_report_make(qd_room *room, uint64_t told_before)
{
    qd_views *views = &room->views;

    views->told_before = told_before;
    views->watchers_due = false;
    decide(room);
    views->next_member = 0;
    views->watchers.count = 0;
    uint8_t news = all_news(room);
    sort(room, &views->leaves, 0);
    sort(room, &views->enters, 0);
    sort(room, &views->relays, 0);
    watch(room, &views->leaves, true, false);
    watch(room, &views->enters, false, false);
    if (news & QD_VIEW_NEWS_RESET_WATCHERS) {
        qd_view_list all = {0};

        add_views(room, &all, 0);
        sort(room, &all, 0);
        watch(room, &all, false, true);
        qd_view_list_deinit(&all, room->heap);
    }
    uint32_t entered = views->enters.count;
    if (news & QD_VIEW_NEWS_RESET) {
        add_views(room, &views->enters, QD_VIEW_NEWS_RESET);
        sort(room, &views->enters, entered);
    }
    deal(room, &views->leaves, 0, views->leaves.count, offsetof(qd_member_views, leaves));
    deal(room, &views->relays, 0, views->relays.count, offsetof(qd_member_views, relays));
    deal(room, &views->enters, 0, entered, offsetof(qd_member_views, enters));
    for (uint32_t member = 0; member < room->members.count && news & QD_VIEW_NEWS_RESET; member++) {
        qd_member_views *row = &room->members.rows[member].views;

        if (row->news & QD_VIEW_NEWS_RESET) {
            row->leaves = row->relays = (qd_view_range){0}; /* what it sees is all told below */
        }
    }
    deal(room, &views->enters, entered, views->enters.count, offsetof(qd_member_views, enters));
    fill(room);
}

/* ---- reports ---- */

static void point_to_enters(const qd_room *room, const qd_member_views *row, qd_room_view_report *report)
{
    const qd_view_columns *from = &room->views.report;
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

static void point_to_rest(const qd_room *room, const qd_member_views *row, qd_room_view_report *report)
{
    const qd_view_columns *from = &room->views.report;

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

static bool has_news(const qd_member_views *views)
{
    return views->news != 0 || views->leaves.count + views->enters.count + views->relays.count +
                                       views->watcher_leaves.count + views->watcher_enters.count >
                                   0;
}

bool qd_room_next_view(qd_room *room, qd_room_view_report *report)
{
    while (room->views.next_member < room->members.count) {
        uint32_t member = room->views.next_member++;
        qd_member *row = &room->members.rows[member];
        qd_member_views *views = &row->views;

        if (!is_served(row) || !has_news(views)) {
            continue;
        }
        views->was_told = true;
        *report = (qd_room_view_report){
            .member = member,
            .tick = room->tick,
            .reset = (views->news & QD_VIEW_NEWS_RESET) != 0,
            .reset_watchers = (views->news & QD_VIEW_NEWS_RESET_WATCHERS) != 0,
            .suspended = (views->news & QD_VIEW_NEWS_SUSPENDED) != 0,
        };
        if (report->reset && views->behind) {
            report->merged_ticks = room->tick - views->told_tick;
        }
        point_to_enters(room, views, report);
        point_to_rest(room, views, report);
        return true;
    }
    return false;
}

/* From now on ticks are lost, as it is with subscriptions (report.c): the first is that whose news could not be
 * delivered, but a reset misses nothing before it. */
static void fall_behind(const qd_room *room, qd_member_views *views)
{
    bool of_round = has_news(views) && !(views->news & QD_VIEW_NEWS_RESET);

    if (views->behind) {
        return;
    }
    views->behind = true;
    views->told_tick = of_round ? room->views.told_before : room->tick;
}

void qd_room_view_lost(qd_room *room, uint32_t member)
{
    qd_member_views *views = &qd_room_member(room, member)->views;

    fall_behind(room, views);
    /* What is left of the round was meant for what the member took before: its news is gone with it. */
    views->news = 0;
    take_as_told(views);
    views->lost = true;
    views->told_suspended = false;
    room->views.in_use = true;
}

void qd_room_view_missed(qd_room *room, uint32_t member, uint64_t told_tick)
{
    qd_member_views *views = &qd_room_member(room, member)->views;

    /* Also who sees nothing any more may not have heard so. */
    if (!views->was_told && !takes_part(room, member)) {
        return;
    }
    take_as_told(views); /* what was not is lost already */
    qd_room_view_lost(room, member);
    if (told_tick < views->told_tick) {
        views->told_tick = told_tick;
    }
}

void qd_room_view_resume(qd_room *room, uint32_t member)
{
    qd_member_views *views = &qd_room_member(room, member)->views;

    if (!views->lost) {
        return;
    }
    views->lost = false;
    views->reset = true;
    views->reset_watchers |= views->options.watching != QD_ROOM_WATCH_NONE;
}

void qd_room_view_options_set(qd_room *room, uint32_t member, qd_room_view_options options)
{
    qd_member_views *views = &qd_room_member(room, member)->views;

    if (views->options.watching != options.watching) {
        views->reset_watchers = room->views.watchers_due = room->views.in_use = true;
    }
    views->options = options;
}
