/* SPDX-License-Identifier: Apache-2.0 */
#include "observers.h"

#include <string.h>

#include "../entities/members.h"
#include "../entities/refusals.h"
#include "derived/derived.h"
#include "join/join_shown.h"
#include "state/last_tick.h"
#include "state/observer_entry.h"
#include "visibility/visibility.h"
#include "visibility/visibility_index.h"

/* ---- rows ---- */

static uint64_t key_of(uint32_t member, uint32_t id)
{
    return (uint64_t)member << 32 | id;
}

uint32_t qd_observer_find(const qd_views *views, uint32_t member, uint32_t id)
{
    uint64_t row;

    return qd_map_get(&views->rows, key_of(member, id), &row) ? (uint32_t)row : QD_NONE;
}

static qd_observer_links *links_at(qd_views *views, uint32_t row, size_t at)
{
    return (qd_observer_links *)((char *)&views->observers[row] + at);
}

/* Puts an observer at the head of a list, whose links are `at` in each observer. */
static void link_in(qd_views *views, uint32_t row, uint32_t *first, size_t at)
{
    *links_at(views, row, at) = (qd_observer_links){QD_NONE, *first};
    if (*first != QD_NONE) {
        links_at(views, *first, at)->previous = row;
    }
    *first = row;
}

static void link_out(qd_views *views, uint32_t row, uint32_t *first, size_t at)
{
    const qd_observer_links links = *links_at(views, row, at);

    *(links.previous != QD_NONE ? &links_at(views, links.previous, at)->next : first) = links.next;
    if (links.next != QD_NONE) {
        links_at(views, links.next, at)->previous = links.previous;
    }
}

static void link_anchored(qd_views *views, uint32_t row)
{
    uint32_t anchor = views->observers[row].anchor;

    if (anchor != QD_NONE) {
        link_in(views, row, &views->targets[anchor].anchored, offsetof(qd_observer, of_anchor));
        views->carried++;
    }
}

static void unlink_anchored(qd_views *views, uint32_t row)
{
    uint32_t anchor = views->observers[row].anchor;

    if (anchor != QD_NONE) {
        link_out(views, row, &views->targets[anchor].anchored, offsetof(qd_observer, of_anchor));
        views->carried--;
    }
}

static uint32_t visible_entries(const qd_views *views, uint32_t row)
{
    return views->observers[row].is_derived ? qd_derived_near(views, row) : views->observers[row].entries.count;
}

/* One more such observer, or one less. */
static void count_kind(qd_views *views, const qd_observer *observer, int difference)
{
    const bool is_busy = observer->limit > 0 || observer->tiers > 0 || observer->kind == QD_ROOM_CONE;

    views->boxes += observer->kind == QD_ROOM_BOX ? (uint32_t)difference : 0;
    views->busy += is_busy ? (uint32_t)difference : 0;
}

void qd_observer_end(qd_views *views, uint32_t row)
{
    qd_observer *observer = &views->observers[row];

    QD_ASSERT(observer->state == QD_OBSERVER_LIVE);
    (void)qd_map_remove(&views->rows, key_of(observer->member, observer->id));
    link_out(views, row, &views->members[observer->member].first, offsetof(qd_observer, of_member));
    unlink_anchored(views, row);
    qd_view_index_unfit(views, observer);
    observer->state = QD_OBSERVER_GONE;
    views->attention[row] = QD_ATTEND_GONE;
    views->shown -= observer->show_count;
    count_kind(views, observer, -1);
    views->live--;
    views->members[observer->member].observers--;
    views->gone++;
    /* Without entries it has no view to end, and no crossing at the next tick. */
    if (visible_entries(views, row) == 0) {
        qd_derived_forget(views, row);
        qd_observer_release(views, row);
    }
}

void qd_observer_release(qd_views *views, uint32_t row)
{
    qd_observer *observer = &views->observers[row];
    uint32_t member = observer->member;

    qd_last_tick_drop_observer(views, row);
    if (views->join) {
        qd_join_shown_forget(views->join, views->heap, row);
    }
    qd_visible_entries_deinit(&observer->entries, views->heap);
    qd_heap_free(views->heap, observer->exceptions,
                 (observer->hide_count + observer->show_count) * sizeof observer->exceptions[0]);
    *observer =
        (qd_observer){.of_member.next = views->free, .before = QD_NONE, .body = {QD_NONE, QD_NONE, QD_NONE, QD_NONE}};
    views->free = row;
    views->attention[row] = 0;
    views->gone--;
    views->order_stale = true;
    qd_members_unhold(views->entities, member);
}

/* The free rows among the first ones, as a list. */
static void list_free_rows(qd_views *views)
{
    views->free = QD_NONE;
    for (uint32_t row = views->count; row-- > 0;) {
        if (views->observers[row].state == QD_OBSERVER_FREE) {
            views->observers[row].of_member.next = views->free;
            views->free = row;
        }
    }
}

void qd_observers_trim(qd_views *views)
{
    const uint32_t rows = views->count;

    while (views->count > 0 && views->observers[views->count - 1].state == QD_OBSERVER_FREE) {
        views->count--;
    }
    if (views->count < rows) {
        list_free_rows(views);
    }
    qd_map_trim(&views->rows);
    qd_array_trim(views->heap, views->observers, views->capacity, views->count);
    qd_array_trim(views->heap, views->attention, views->attention_capacity, views->count);
    qd_array_trim(views->heap, views->before, views->before_capacity, views->before_count);
}

static qd_status reserve_row(qd_views *views, uint32_t *row)
{
    if (views->free != QD_NONE) {
        *row = views->free;
        return QD_OK;
    }
    if (!qd_array_reserve(views->heap, views->observers, views->capacity, views->count) ||
        !qd_array_reserve(views->heap, views->attention, views->attention_capacity, views->count)) {
        return QD_ERR_NO_MEMORY;
    }
    *row = views->count;
    return QD_OK;
}

uint64_t qd_observers_visible_entries(const qd_views *views, uint32_t member)
{
    uint64_t sum = 0;

    if (member >= views->member_count || views->members[member].observers == 0) {
        return 0;
    }
    for (uint32_t row = views->members[member].first; row != QD_NONE; row = views->observers[row].of_member.next) {
        sum += visible_entries(views, row);
    }
    return sum;
}

/* ---- observe ---- */

/* Observers for which the entries that changed are not enough. */
static uint8_t attention_for(const qd_observer *observer)
{
    bool always = observer->kind == QD_ROOM_CONE || observer->show_count > 0;

    return QD_ATTEND_ONCE | (always ? QD_ATTEND_ALWAYS : 0) | (observer->tiers > 0 ? QD_ATTEND_RELAY : 0);
}

/* Puts an observer that has changed where its anchor is, and into the index. An error changes nothing. */
static qd_status place(qd_views *views, uint32_t row, qd_observer *observer)
{
    if (!qd_last_tick_reserve_observer(views) || !qd_view_index_reserve_carrier(views)) {
        return QD_ERR_NO_MEMORY;
    }
    if (observer->anchor != QD_NONE) {
        memcpy(observer->at, views->targets[observer->anchor].at, sizeof observer->at);
    }
    return qd_view_index_fit(views, row, observer);
}

static int create(qd_views *views, uint32_t member, uint32_t id, qd_observer *observer)
{
    uint32_t row;
    const int refusal = qd_entities_allow(views->entities);

    if (refusal != 0) {
        return refusal;
    }
    if (views->live >= views->observers_max || reserve_row(views, &row) != QD_OK) {
        return QD_ROOM_OBSERVERS_FULL;
    }
    if (!views->index && qd_visibility_open(views) != QD_OK) {
        return QD_ROOM_OBSERVERS_FULL;
    }
    observer->member = member;
    observer->id = id;
    observer->state = QD_OBSERVER_LIVE;
    observer->entries.multiplier = views->multiplier;
    observer->entries.relays = observer->tiers > 0;
    if (place(views, row, observer) != QD_OK) {
        goto fail;
    }
    if (qd_map_put(&views->rows, key_of(member, id), row) != QD_OK) {
        qd_view_index_unfit(views, observer);
        goto fail;
    }
    if (row == views->free) {
        views->free = views->observers[row].of_member.next;
    } else {
        views->count++;
    }
    qd_last_tick_note_new(views, row, observer);
    views->observers[row] = *observer;
    views->attention[row] = attention_for(observer);
    views->live++;
    views->members[member].observers++;
    qd_entities_added(views->entities);
    count_kind(views, observer, 1);
    views->order_stale = true;
    link_in(views, row, &views->members[member].first, offsetof(qd_observer, of_member));
    qd_members_hold(views->entities, member);
    link_anchored(views, row);
    return 0;

fail:
    /* An index whose views are suspended closes at the next tick, which reports the end of the suspension. */
    if (views->live + views->gone == 0 && !views->suspended) {
        qd_visibility_close(views);
    }
    return QD_ROOM_OBSERVERS_FULL;
}

/* With its first tiers, an observer relays every position in its view once. */
static void relay_all(const qd_views *views, const qd_visible_entries *set)
{
    for (uint32_t at = 0; at < set->capacity; at++) {
        if (set->entry[at] & QD_ENTRY_SEEN) {
            *qd_entry_reported(set, &set->entry[at]) = views->targets[qd_entry_slot(set->entry[at])].position_round - 1;
        }
    }
}

static int replace(qd_views *views, uint32_t row, qd_observer *observer)
{
    const bool relayed = observer->entries.relays, relays = observer->tiers > 0;

    if (relays && !qd_visible_entries_relay(&observer->entries, views->heap, true)) {
        return QD_ROOM_OBSERVERS_FULL;
    }
    if (place(views, row, observer) != QD_OK) {
        (void)qd_visible_entries_relay(&observer->entries, views->heap, relayed);
        return QD_ROOM_OBSERVERS_FULL;
    }
    (void)qd_visible_entries_relay(&observer->entries, views->heap, relays);
    if (relays && !relayed) {
        relay_all(views, &observer->entries);
    }
    const bool is_afresh = views->observers[row].is_derived && views->observers[row].tiers == 0;
    const uint8_t afresh = is_afresh ? QD_ATTEND_AFRESH : views->attention[row] & QD_ATTEND_AFRESH;
    unlink_anchored(views, row);
    count_kind(views, observer, 1);
    count_kind(views, &views->observers[row], -1);
    qd_last_tick_keep_observer(views, row);
    observer->before = views->observers[row].before;
    views->observers[row] = *observer;
    link_anchored(views, row);
    views->attention[row] = attention_for(observer) | (relays ? afresh : 0);
    return 0;
}

static int observe_one(qd_views *views, uint32_t member, const qd_msg_observers *batch, uint32_t i)
{
    uint32_t row = qd_observer_find(views, member, batch->id[i]);
    qd_observer observer = {.body = {QD_NONE, QD_NONE, QD_NONE, QD_NONE}};

    if (row != QD_NONE) {
        observer = views->observers[row];
    }
    int refusal = qd_observer_take(views, member, batch, i, &observer);
    if (refusal) {
        return refusal;
    }
    return row == QD_NONE ? create(views, member, batch->id[i], &observer) : replace(views, row, &observer);
}

void qd_views_observe(qd_views *views, uint32_t member, const qd_msg_observers *batch, qd_room_refusals *refusals)
{
    bool is_good = qd_observer_tiers_are_good(batch);

    (void)qd_members_at(views->entities, member);
    views->in_use = true;
    qd_refuse_none(&views->entities->refused, refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        qd_refuse(refusals, i, is_good ? observe_one(views, member, batch, i) : QD_ROOM_BAD_REGION);
    }
}

/* The numbers of fields; those of y and z follow x. */
enum {
    MOVE_OBSERVERS_X = 3,
    MOVE_OBSERVERS_DIRECTION_X = 6,
};

static int move_one(qd_views *views, uint32_t member, const qd_msg_observers *batch, uint32_t i)
{
    uint32_t row = qd_observer_find(views, member, batch->id[i]);
    float at[3], direction[3];

    if (row == QD_NONE) {
        return QD_ROOM_UNKNOWN_OBSERVER;
    }
    qd_observer *observer = &views->observers[row];
    qd_observer_take_vector(views, batch->x, batch->y, batch->z, i, at);
    if (batch->x && observer->anchor != QD_NONE) {
        return QD_REFUSED_FIELD(QD_ROOM_BAD_REGION, MOVE_OBSERVERS_X);
    }
    if (batch->direction_x && observer->kind != QD_ROOM_CONE) {
        return QD_REFUSED_FIELD(QD_ROOM_BAD_REGION, MOVE_OBSERVERS_DIRECTION_X);
    }
    if (!qd_last_tick_reserve_observer(views)) {
        return QD_ROOM_OBSERVERS_FULL;
    }
    qd_last_tick_keep_observer(views, row);
    int refusal = qd_observer_check_finite(at, MOVE_OBSERVERS_X);
    if (!refusal && batch->direction_x) {
        qd_observer_take_vector(views, batch->direction_x, batch->direction_y, batch->direction_z, i, direction);
        refusal = qd_observer_aim(observer, direction, MOVE_OBSERVERS_DIRECTION_X);
    }
    if (refusal) {
        return refusal;
    }
    if (batch->x) {
        memcpy(observer->at, at, sizeof at);
        qd_view_index_center(views, observer);
    }
    return 0;
}

void qd_views_move_observers(qd_views *views, uint32_t member, const qd_msg_observers *batch,
                             qd_room_refusals *refusals)
{
    (void)qd_members_at(views->entities, member);
    qd_refuse_none(&views->entities->refused, refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        qd_refuse(refusals, i, move_one(views, member, batch, i));
    }
}

void qd_views_unobserve(qd_views *views, uint32_t member, uint32_t count, const uint32_t *id,
                        qd_room_refusals *refusals)
{
    (void)qd_members_at(views->entities, member);
    qd_refuse_none(&views->entities->refused, refusals);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = qd_observer_find(views, member, id[i]);

        if (row == QD_NONE) {
            qd_refuse(refusals, i, QD_ROOM_UNKNOWN_OBSERVER);
        } else {
            qd_observer_end(views, row);
        }
    }
}

/* ---- exceptions ---- */

qd_status qd_views_except(qd_views *views, uint32_t member, uint32_t id, uint32_t show_count, const uint32_t *show,
                          uint32_t hide_count, const uint32_t *hide)
{
    (void)qd_members_at(views->entities, member);
    uint32_t row = qd_observer_find(views, member, id);
    if (row == QD_NONE) {
        return QD_ERR_NOT_FOUND;
    }
    if (show_count > QD_VIEW_EXCEPTIONS_MAX || hide_count > QD_VIEW_EXCEPTIONS_MAX) {
        return QD_ERR_INVALID;
    }

    qd_observer *observer = &views->observers[row];
    uint32_t *exceptions = NULL;
    if (!qd_last_tick_reserve_observer(views)) {
        return QD_ERR_NO_MEMORY;
    }
    if (show_count + hide_count > 0) {
        exceptions = qd_heap_alloc(views->heap, (show_count + hide_count) * sizeof exceptions[0]);
        if (!exceptions) {
            return QD_ERR_NO_MEMORY;
        }
        if (hide_count > 0) {
            memcpy(exceptions, hide, hide_count * sizeof hide[0]);
        }
        if (show_count > 0) {
            memcpy(exceptions + hide_count, show, show_count * sizeof show[0]);
        }
        qd_array_sort(exceptions, hide_count);
        qd_array_sort(exceptions + hide_count, show_count);
    }
    if (!qd_last_tick_keep_lists(views, row)) {
        qd_heap_free(views->heap, observer->exceptions,
                     (observer->hide_count + observer->show_count) * sizeof observer->exceptions[0]);
    }
    views->shown += show_count;
    views->shown -= observer->show_count;
    observer->exceptions = exceptions;
    observer->hide_count = (uint16_t)hide_count;
    observer->show_count = (uint16_t)show_count;
    views->attention[row] = attention_for(observer) | (views->attention[row] & QD_ATTEND_AFRESH);
    return QD_OK;
}
