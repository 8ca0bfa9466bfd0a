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
    qd_lists_deinit(&pairs->lists, pairs->heap);
    qd_block_deinit(&pairs->scratch, pairs->heap);
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

/* ---- rounds ---- */

static void report_events(qd_pairs *pairs, const qd_executor *executor, const qd_space_events *events)
{
    /* Without a live subscription the space does not look for pairs that passed. With too many events, it does not find
     * all of them. */
    bool is_known = pairs->subscriptions[QD_LIVE] > 0 && events->complete;

    if (pairs->subscriptions[QD_LIVE] > 0 && !events->complete) {
        (void)qd_subscriptions_assign(pairs, QD_LIVE, QD_NEWS_SUSPENDED, QD_SUSPENDED);
        events = &no_events;
    }
    bool any_own = qd_subscriptions_assign(pairs, QD_LIVE, QD_NEWS_EVENTS, QD_LIVE);
    qd_lists_of_events(pairs, executor, events, any_own);
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
    if (!set.complete) {
        (void)qd_subscriptions_assign(pairs, QD_DUE, QD_NEWS_SUSPENDED, QD_SUSPENDED);
        return;
    }
    QD_VALIDATE(pairs->subscriptions[QD_LIVE] == 0 || pairs->set_count == set.count);
    pairs->set_count = set.count;
    bool any_own = suspended && qd_subscriptions_assign(pairs, QD_SUSPENDED, QD_NEWS_RESET, QD_LIVE);
    any_own |= qd_subscriptions_assign(pairs, QD_DUE, QD_NEWS_RESET, QD_LIVE);
    qd_lists_of_set(pairs, executor, &set, any_own);
}

bool qd_pairs_tick(qd_pairs *pairs, const qd_executor *executor, uint32_t skipped)
{
    const bool is_waiting = pairs->subscriptions[QD_DUE] + pairs->subscriptions[QD_SUSPENDED] > 0;
    qd_space_events events;

    qd_subscriptions_begin_round(pairs, skipped);
    qd_space_tick(pairs->entities->space, executor, qd_subscriptions_wanted(pairs), pairs->events_max, &events);
    report_events(pairs, executor, &events);
    return is_waiting;
}

void qd_pairs_reset(qd_pairs *pairs, const qd_executor *executor)
{
    report_set(pairs, executor, true);
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
