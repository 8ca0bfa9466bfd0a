/* SPDX-License-Identifier: Apache-2.0
 *
 * Ticks, and what subscriptions get of them. A round is a tick or a catch-up: it settles for each member what the news
 * is, and makes the lists; qd_room_next_report then only points into them.
 */
#include "../state.h"
#include "../views/views_tick.h"
#include "pair_keys.h"

static const qd_space_events nothing = {.complete = true};

/* ---- subscriptions ---- */

static void change(qd_room *room, qd_member *row, qd_subscription state)
{
    room->subscriptions[row->subscription]--;
    room->subscriptions[state]++;
    row->subscription = (uint8_t)state;
}

/* The news of this round is done with. A reset among it was delivered, or qd_room_lost would have taken it back. */
static void take_as_told(qd_member *row)
{
    if (row->news == QD_NEWS_RESET) {
        row->behind = false;
    }
    row->news = QD_NEWS_NONE;
}

/* What is left of the present round was meant for what the subscription was before: its news is gone with it, here and
 * below. */
void qd_room_subscribe(qd_room *room, uint32_t member, qd_room_interest interest)
{
    qd_member *row = qd_room_member(room, member);

    row->interest = interest;
    take_as_told(row);
    change(room, row, QD_DUE);
}

void qd_room_unsubscribe(qd_room *room, uint32_t member)
{
    qd_member *row = qd_room_member(room, member);

    row->news = QD_NEWS_NONE;
    row->behind = false;
    change(room, row, QD_UNSUBSCRIBED);
}

/* From now on ticks are lost: where it was news of a tick that could not be delivered, that one is the first. A reset
 * is of the tick that it came at, and misses nothing before it. */
static void fall_behind(const qd_room *room, qd_member *row)
{
    bool of_tick = row->news == QD_NEWS_EVENTS || row->news == QD_NEWS_SUSPENDED;

    if (row->behind) {
        return;
    }
    row->behind = true;
    row->told_tick = of_tick ? room->tick - 1 - room->skipped : room->tick;
    row->passed_before = of_tick ? room->passed_marks_before : room->passed_marks;
}

void qd_room_lost(qd_room *room, uint32_t member)
{
    qd_member *row = qd_room_member(room, member);

    if (row->subscription == QD_UNSUBSCRIBED) {
        return;
    }
    fall_behind(room, row);
    row->news = QD_NEWS_NONE;
    change(room, row, QD_LOST);
}

void qd_room_missed(qd_room *room, uint32_t member, uint64_t told_tick)
{
    qd_member *row = qd_room_member(room, member);

    take_as_told(row); /* what was not is lost already */
    qd_room_lost(room, member);
    if (!row->behind || told_tick >= row->told_tick) {
        return;
    }
    row->told_tick = told_tick;
    row->passed_before = 0; /* who knows what passed since */
}

void qd_room_resume(qd_room *room, uint32_t member)
{
    qd_member *row = qd_room_member(room, member);

    if (row->subscription == QD_LOST) {
        change(room, row, QD_DUE);
    }
}

void qd_room_renew(qd_room *room, uint32_t member)
{
    qd_member *row = &room->members.rows[member];

    if (row->subscription != QD_LIVE) {
        return; /* it waits for a reset in any case */
    }
    take_as_told(row);
    change(room, row, QD_DUE);
}

/* ---- rounds ---- */

static void begin_round(qd_room *room, uint32_t skipped)
{
    for (uint32_t member = 0; member < room->members.count; member++) {
        take_as_told(&room->members.rows[member]);
    }
    room->next_member = 0;
    room->skipped = skipped;
}

/* Gives all subscriptions in one state their news. Returns whether some of them are after their own pairs only. */
static bool give(qd_room *room, qd_subscription from, qd_news news, qd_subscription to)
{
    bool own = false;

    for (uint32_t member = 0; member < room->members.count && room->subscriptions[from] > 0; member++) {
        qd_member *row = &room->members.rows[member];

        if (row->subscription != (uint8_t)from || row->news != QD_NEWS_NONE) {
            continue;
        }
        row->news = (uint8_t)news;
        own |= row->interest.own_only;
        change(room, row, to);
    }
    return own;
}

static qd_space_wanted wanted(const qd_room *room)
{
    qd_space_wanted result = QD_SPACE_WANT_NOTHING;

    if (room->subscriptions[QD_LIVE] == 0) {
        return result;
    }
    for (uint32_t member = 0; member < room->members.count; member++) {
        const qd_member *row = &room->members.rows[member];

        if (row->subscription == QD_LIVE) {
            result |= row->interest.stays ? QD_SPACE_WANT_STAYS : QD_SPACE_WANT_EVENTS;
        }
    }
    return result;
}

/* The events of a tick, for all that are live. */
static void serve_live(qd_room *room, const qd_executor *executor, const qd_space_events *events)
{
    /* Without a live subscription nobody asks which pairs passed, and of too many events not all are found. */
    bool known = room->subscriptions[QD_LIVE] > 0 && events->complete;

    if (room->subscriptions[QD_LIVE] > 0 && !events->complete) {
        (void)give(room, QD_LIVE, QD_NEWS_SUSPENDED, QD_SUSPENDED);
        events = &nothing;
    }
    bool own = give(room, QD_LIVE, QD_NEWS_EVENTS, QD_LIVE);
    qd_room_list_events(room, executor, events, own);
    room->begins += room->lists.all[QD_LIST_BEGINS].count;
    room->ends += room->lists.all[QD_LIST_ENDS].count;
    room->passed += room->lists.all[QD_LIST_PASSED].count;
    room->passed_marks_before = room->passed_marks;
    room->passed_marks += room->config.space.swept && (!known || room->lists.all[QD_LIST_PASSED].count > 0);
    room->set_count += room->lists.all[QD_LIST_BEGINS].count;
    room->set_count -= room->lists.all[QD_LIST_ENDS].count;
}

/* The set, for all whose reset is due; with `suspended`, also for those who wait for it to fit. */
static void serve_resets(qd_room *room, const qd_executor *executor, bool suspended)
{
    qd_space_events pairs;

    qd_space_pairs(room->space, executor, room->config.events_max, &pairs);
    if (!pairs.complete) {
        (void)give(room, QD_DUE, QD_NEWS_SUSPENDED, QD_SUSPENDED);
        return;
    }
    QD_VALIDATE(room->subscriptions[QD_LIVE] == 0 || room->set_count == pairs.count);
    room->set_count = pairs.count;
    bool own = suspended && give(room, QD_SUSPENDED, QD_NEWS_RESET, QD_LIVE);
    own |= give(room, QD_DUE, QD_NEWS_RESET, QD_LIVE);
    qd_room_list_set(room, executor, &pairs, own);
}

void qd_room_tick(qd_room *room, const qd_executor *executor, uint32_t skipped)
{
    qd_space_events events;
    const uint32_t *freed;
    size_t freed_count;

    qd_room_fetch_tick(room);
    bool waiting = room->subscriptions[QD_DUE] + room->subscriptions[QD_SUSPENDED] > 0;

    qd_room_snapshot_release(room);
    begin_round(room, skipped);
    room->tick += 1 + (uint64_t)skipped;
    room->ticks_skipped += skipped;

    qd_room_views_tick(room, executor, skipped); /* while removed entities have their slots */
    qd_space_tick(room->space, executor, wanted(room), room->config.events_max, &events);
    serve_live(room, executor, &events);
    room->emptied = false;
    qd_space_settle(room->space, &freed, &freed_count);
    for (size_t i = 0; i < freed_count; i++) {
        qd_room_release(room, freed[i]);
    }
    if (waiting) {
        serve_resets(room, executor, true);
    }
}

void qd_room_catch_up(qd_room *room, const qd_executor *executor)
{
    room->next_member = QD_MEMBER_NONE;
    if (room->subscriptions[QD_DUE] == 0) {
        return;
    }
    begin_round(room, 0);
    serve_resets(room, executor, false);
}

/* ---- reports ---- */

enum { SHARE_NONE = 0, SHARE_EVENTS, SHARE_EVENTS_AND_STAYS, SHARE_SUSPENDED, SHARE_RESET };

/* A reset, of all pairs: who missed the same gets the same. */
static uint32_t reset_share(const qd_room_report *report)
{
    if (report->merged_ticks > UINT32_MAX / 4) {
        return SHARE_NONE;
    }
    return SHARE_RESET + 2 * (uint32_t)report->merged_ticks + report->passed_lost;
}

static qd_room_pairs pairs_for(const qd_room *room, const qd_member *row, qd_list_kind kind, const uint8_t **reason)
{
    const qd_pair_list *pairs = row->interest.own_only ? &room->lists.own[kind] : &room->lists.all[kind];
    qd_range range = {0, (uint32_t)pairs->count};

    if (row->interest.own_only) {
        range = row->own[kind];
    }
    if (range.count == 0) {
        return (qd_room_pairs){0};
    }
    if (reason) {
        *reason = pairs->reason + range.first;
    }
    return (qd_room_pairs){range.count, pairs->a + range.first, pairs->b + range.first};
}

/* Returns whether there is anything to tell. */
static bool report_events(const qd_room *room, const qd_member *row, qd_room_report *report)
{
    bool own_only = row->interest.own_only;

    report->ends = pairs_for(room, row, QD_LIST_ENDS, &report->end_reason);
    report->begins = pairs_for(room, row, QD_LIST_BEGINS, NULL);
    report->passed = pairs_for(room, row, QD_LIST_PASSED, NULL);
    if (row->interest.stays) {
        report->stays = pairs_for(room, row, QD_LIST_STAYS, NULL);
    }
    report->share = own_only ? SHARE_NONE : row->interest.stays ? SHARE_EVENTS_AND_STAYS : SHARE_EVENTS;
    return report->ends.count + report->begins.count + report->passed.count + report->stays.count > 0 ||
           report->skipped > 0;
}

static bool make_report(const qd_room *room, const qd_member *row, qd_room_report *report)
{
    switch ((qd_news)row->news) {
    case QD_NEWS_NONE:
        return false;
    case QD_NEWS_EVENTS:
        return report_events(room, row, report);
    case QD_NEWS_RESET:
        report->reset = true;
        if (row->behind) {
            report->merged_ticks = room->tick - row->told_tick;
            report->passed_lost = room->passed_marks > row->passed_before;
        }
        report->begins = pairs_for(room, row, QD_LIST_SET, NULL);
        report->share = row->interest.own_only ? SHARE_NONE : reset_share(report);
        return true;
    case QD_NEWS_SUSPENDED:
        report->suspended = true;
        /* How far a walk came before it stopped depends on who walked; that it passed the limit does not. */
        report->suspended_count = (uint64_t)room->config.events_max + 1;
        report->share = SHARE_SUSPENDED;
        return true;
    }
    return false;
}

bool qd_room_next_report(qd_room *room, qd_room_report *report)
{
    while (room->next_member < room->members.count) {
        uint32_t member = room->next_member++;

        *report = (qd_room_report){.member = member, .tick = room->tick, .skipped = room->skipped};
        if (make_report(room, &room->members.rows[member], report)) {
            return true;
        }
    }
    return false;
}
