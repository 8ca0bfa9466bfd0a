/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs.h"

#include "../../base/memory/fetch.h"
#include "pair_lists.h"
#include "subscriptions.h"

#define FETCH_BYTES_MAX 128u /* of the lists of events */

static const qd_space_events no_events = {.complete = true};

void qd_pairs_init(qd_pairs *pairs, const qd_entities *entities, const qd_room_config *config)
{
    *pairs = (qd_pairs){
        .entities = entities,
        .heap = entities->heap,
        .events_max = config->events_max,
        .is_swept = config->space.swept,
        .next_member = QD_MEMBER_NONE,
    };
}

void qd_pairs_deinit(qd_pairs *pairs)
{
    qd_lists_release(pairs);
    qd_array_drop(pairs->heap, pairs->rows, pairs->capacity);
}

qd_status qd_pairs_join(qd_pairs *pairs, uint32_t member)
{
    if (!qd_array_reserve(pairs->heap, pairs->rows, pairs->capacity, member)) {
        return QD_ERR_NO_MEMORY;
    }
    pairs->rows[member] = (qd_subscriber){.subscription = QD_UNSUBSCRIBED};
    if (member >= pairs->count) {
        pairs->count = member + 1;
    }
    return QD_OK;
}

void qd_pairs_trim(qd_pairs *pairs)
{
    pairs->next_member = QD_MEMBER_NONE;
    pairs->count = pairs->count < pairs->entities->members.count ? pairs->count : pairs->entities->members.count;
    qd_array_trim(pairs->heap, pairs->rows, pairs->capacity, pairs->count);
    if (pairs->entities->ids.count == 0 || pairs->subscriptions[QD_LIVE] + pairs->subscriptions[QD_DUE] == 0) {
        qd_lists_release(pairs);
    }
}

bool qd_pairs_are_quiet(const qd_pairs *pairs)
{
    size_t events = 0;

    for (int kind = QD_LIST_ENDS; kind < QD_LIST_SET; kind++) {
        events += pairs->lists.all[kind].count;
    }
    return events == 0 && pairs->subscriptions[QD_DUE] + pairs->subscriptions[QD_SUSPENDED] == 0;
}

/* ---- rounds ---- */

/* The news found no memory. */
static void fail(qd_pairs *pairs, qd_news news)
{
    qd_subscriptions_fail(pairs, news);
    qd_pause_start(&pairs->pause);
}

static void report_events(qd_pairs *pairs, const qd_executor *executor, const qd_space_events *events)
{
    /* Without a live subscription the space does not look for pairs that passed. With too many events, it does not find
     * all of them. */
    bool is_known = pairs->subscriptions[QD_LIVE] > 0 && events->complete;
    const bool has_failed = events->stopped == QD_SPACE_STOP_MEMORY;

    if (pairs->subscriptions[QD_LIVE] > 0 && !events->complete && !has_failed) {
        (void)qd_subscriptions_assign(pairs, QD_LIVE, QD_NEWS_SUSPENDED, QD_SUSPENDED);
        events = &no_events;
    }
    bool any_own = qd_subscriptions_assign(pairs, QD_LIVE, QD_NEWS_EVENTS, QD_LIVE);
    if (has_failed || !qd_lists_of_events(pairs, executor, events, any_own)) {
        fail(pairs, QD_NEWS_EVENTS);
        is_known = false;
        qd_lists_release(pairs);
    }
    pairs->begins += pairs->lists.all[QD_LIST_BEGINS].count;
    pairs->ends += pairs->lists.all[QD_LIST_ENDS].count;
    pairs->passed += pairs->lists.all[QD_LIST_PASSED].count;
    pairs->passed_marks_before = pairs->passed_marks;
    pairs->passed_marks += pairs->is_swept && (!is_known || pairs->lists.all[QD_LIST_PASSED].count > 0);
    pairs->set_count += pairs->lists.all[QD_LIST_BEGINS].count;
    pairs->set_count -= pairs->lists.all[QD_LIST_ENDS].count;
}

/* The set of pairs, for all subscriptions whose reset is due; with `suspended`, also for suspended ones. */
static void report_set(qd_pairs *pairs, const qd_executor *executor, bool suspended)
{
    qd_space_events set;

    qd_space_pairs(pairs->entities->space, executor, pairs->events_max, &set);
    const bool has_failed = set.stopped == QD_SPACE_STOP_MEMORY;
    if (!set.complete && !has_failed) {
        (void)qd_subscriptions_assign(pairs, QD_DUE, QD_NEWS_SUSPENDED, QD_SUSPENDED);
        return;
    }
    QD_VALIDATE(has_failed || pairs->subscriptions[QD_LIVE] == 0 || pairs->set_count == set.count);
    bool any_own = suspended && qd_subscriptions_assign(pairs, QD_SUSPENDED, QD_NEWS_RESET, QD_LIVE);
    any_own |= qd_subscriptions_assign(pairs, QD_DUE, QD_NEWS_RESET, QD_LIVE);
    if (has_failed || !qd_lists_of_set(pairs, executor, &set, any_own)) {
        fail(pairs, QD_NEWS_RESET);
        qd_lists_release_set(pairs);
        return;
    }
    pairs->set_count = set.count;
}

bool qd_pairs_tick(qd_pairs *pairs, const qd_executor *executor, uint32_t skipped)
{
    qd_space_events events;

    qd_pause_tick(&pairs->pause);
    pairs->serves_suspended = pairs->subscriptions[QD_SUSPENDED] > 0 && pairs->pause.left == 0;
    const bool is_waiting = pairs->subscriptions[QD_DUE] > 0 || pairs->serves_suspended;
    qd_subscriptions_begin_round(pairs, skipped);
    qd_space_tick(pairs->entities->space, executor, qd_subscriptions_wanted(pairs), pairs->events_max, &events);
    report_events(pairs, executor, &events);
    return is_waiting;
}

void qd_pairs_reset(qd_pairs *pairs, const qd_executor *executor)
{
    report_set(pairs, executor, pairs->serves_suspended);
}

void qd_pairs_catch_up(qd_pairs *pairs, const qd_executor *executor)
{
    pairs->next_member = QD_MEMBER_NONE;
    if (pairs->subscriptions[QD_DUE] == 0) {
        return;
    }
    qd_subscriptions_begin_round(pairs, 0);
    report_set(pairs, executor, false);
}

/* ---- reports ---- */

/* SHARE_SUSPENDED plus the reason. */
enum { SHARE_NONE = 0, SHARE_EVENTS, SHARE_EVENTS_AND_STAYS, SHARE_SUSPENDED, SHARE_RESET = SHARE_SUSPENDED + 3 };

/* Resets with all pairs are the same for members that missed the same. */
static uint32_t reset_share(const qd_room_report *report)
{
    if (report->merged_ticks > UINT32_MAX / 4) {
        return SHARE_NONE;
    }
    return SHARE_RESET + 2 * (uint32_t)report->merged_ticks + report->passed_lost;
}

static qd_room_pairs pairs_for(const qd_pairs *pairs, const qd_subscriber *row, qd_list_kind kind,
                               const uint8_t **reason)
{
    const qd_pair_list *list = row->interest.own_only ? &pairs->lists.own[kind] : &pairs->lists.all[kind];
    qd_range range = {0, (uint32_t)list->count};

    if (row->interest.own_only) {
        range = row->own[kind];
    }
    if (range.count == 0) {
        return (qd_room_pairs){0};
    }
    if (reason) {
        *reason = list->reason + range.first;
    }
    return (qd_room_pairs){range.count, list->a + range.first, list->b + range.first};
}

/* Returns whether there is anything to report. */
static bool point_to_events(const qd_pairs *pairs, const qd_subscriber *row, qd_room_report *report)
{
    bool own_only = row->interest.own_only;

    report->ends = pairs_for(pairs, row, QD_LIST_ENDS, &report->end_reason);
    report->begins = pairs_for(pairs, row, QD_LIST_BEGINS, NULL);
    report->passed = pairs_for(pairs, row, QD_LIST_PASSED, NULL);
    if (row->interest.stays) {
        report->stays = pairs_for(pairs, row, QD_LIST_STAYS, NULL);
    }
    report->share = own_only ? SHARE_NONE : row->interest.stays ? SHARE_EVENTS_AND_STAYS : SHARE_EVENTS;
    return report->ends.count + report->begins.count + report->passed.count + report->stays.count > 0 ||
           report->skipped > 0;
}

static bool make_report(const qd_pairs *pairs, const qd_subscriber *row, qd_room_report *report)
{
    switch ((qd_news)row->news) {
    case QD_NEWS_NONE:
        return false;
    case QD_NEWS_EVENTS:
        return point_to_events(pairs, row, report);
    case QD_NEWS_RESET:
        report->reset = true;
        if (row->lagging) {
            report->merged_ticks = pairs->entities->tick - row->reported_tick;
            report->passed_lost = pairs->passed_marks > row->passed_before;
        }
        report->begins = pairs_for(pairs, row, QD_LIST_SET, NULL);
        report->share = row->interest.own_only ? SHARE_NONE : reset_share(report);
        return true;
    case QD_NEWS_SUSPENDED:
        report->suspended = true;
        report->suspended_reason = (qd_suspend_reason)row->reason;
        report->share = SHARE_SUSPENDED + row->reason;
        /* How far a traversal came before it stopped depends on the workers; that it passed the limit does not. */
        report->suspended_count = row->reason == QD_SUSPEND_LIMIT ? (uint64_t)pairs->events_max + 1 : 0;
        return true;
    }
    return false;
}

bool qd_pairs_next_report(qd_pairs *pairs, qd_room_report *report)
{
    while (pairs->next_member < pairs->count) {
        uint32_t member = pairs->next_member++;

        *report = (qd_room_report){.member = member, .tick = pairs->entities->tick, .skipped = pairs->skipped};
        if (make_report(pairs, &pairs->rows[member], report)) {
            return true;
        }
    }
    return false;
}

/* ---- prefetching ---- */

void qd_pairs_fetch_tick(const qd_pairs *pairs)
{
    qd_fetch_to_write(pairs, offsetof(qd_pairs, lists.own));
}

void qd_pairs_fetch_lists(const qd_pairs *pairs)
{
    const qd_block *events = &pairs->lists.events;

    qd_fetch_to_write(pairs->rows, offsetof(qd_subscriber, own));
    qd_fetch_to_write(events->memory, events->size < FETCH_BYTES_MAX ? events->size : FETCH_BYTES_MAX);
}
