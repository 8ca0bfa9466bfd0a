/* SPDX-License-Identifier: Apache-2.0 */
#include "subscriptions.h"

static void change_state(qd_pairs *pairs, qd_subscriber *row, qd_subscription state)
{
    pairs->subscriptions[row->subscription]--;
    pairs->subscriptions[state]++;
    row->subscription = (uint8_t)state;
}

/* Ends the news of this round. A reset among them was delivered; otherwise qd_subscription_lost has revoked it. */
static void take_as_delivered(qd_subscriber *row)
{
    if (row->news == QD_NEWS_RESET) {
        row->lagging = false;
    }
    row->news = QD_NEWS_NONE;
}

/* Unread news of the present round were meant for the subscription as it was. So they are dropped here and below. */
void qd_subscribe(qd_pairs *pairs, uint32_t member, qd_room_interest interest)
{
    qd_subscriber *row = &pairs->rows[member];

    row->interest = interest;
    take_as_delivered(row);
    change_state(pairs, row, QD_DUE);
}

void qd_unsubscribe(qd_pairs *pairs, uint32_t member)
{
    qd_subscriber *row = &pairs->rows[member];

    row->news = QD_NEWS_NONE;
    row->lagging = false;
    change_state(pairs, row, QD_UNSUBSCRIBED);
}

/* Ticks are lost from now on. If the news of a tick could not be delivered, that tick is the first lost one. A reset
 * belongs to the tick that it came at, and misses nothing before it. */
static void start_lagging(const qd_pairs *pairs, qd_subscriber *row)
{
    const uint64_t tick = pairs->entities->tick;
    bool of_tick = row->news == QD_NEWS_EVENTS || row->news == QD_NEWS_SUSPENDED;

    if (row->lagging) {
        return;
    }
    row->lagging = true;
    row->reported_tick = of_tick ? tick - 1 - pairs->skipped : tick;
    row->passed_before = of_tick ? pairs->passed_marks_before : pairs->passed_marks;
}

void qd_subscription_lost(qd_pairs *pairs, uint32_t member)
{
    qd_subscriber *row = &pairs->rows[member];

    if (row->subscription == QD_UNSUBSCRIBED) {
        return;
    }
    start_lagging(pairs, row);
    row->news = QD_NEWS_NONE;
    change_state(pairs, row, QD_LOST);
}

void qd_subscription_missed(qd_pairs *pairs, uint32_t member, uint64_t reported_tick)
{
    qd_subscriber *row = &pairs->rows[member];

    take_as_delivered(row); /* news that were not delivered are lost already */
    qd_subscription_lost(pairs, member);
    if (!row->lagging || reported_tick >= row->reported_tick) {
        return;
    }
    row->reported_tick = reported_tick;
    row->passed_before = 0; /* pairs may have passed at any tick since */
}

void qd_subscription_resume(qd_pairs *pairs, uint32_t member)
{
    qd_subscriber *row = &pairs->rows[member];

    if (row->subscription == QD_LOST) {
        change_state(pairs, row, QD_DUE);
    }
}

bool qd_subscription_lags(const qd_pairs *pairs, uint32_t member)
{
    const qd_subscriber *row = &pairs->rows[member];

    return row->lagging && row->news != QD_NEWS_RESET;
}

void qd_subscription_renew(qd_pairs *pairs, uint32_t member)
{
    qd_subscriber *row = &pairs->rows[member];

    if (!row->interest.own_only || row->subscription != QD_LIVE) {
        return; /* in other states it waits for a reset anyway */
    }
    take_as_delivered(row);
    change_state(pairs, row, QD_DUE);
}

void qd_subscriptions_begin_round(qd_pairs *pairs, uint32_t skipped)
{
    for (uint32_t member = 0; member < pairs->count; member++) {
        take_as_delivered(&pairs->rows[member]);
    }
    pairs->next_member = 0;
    pairs->skipped = skipped;
}

bool qd_subscriptions_assign(qd_pairs *pairs, qd_subscription from, qd_news news, qd_subscription to)
{
    bool any_own = false;

    for (uint32_t member = 0; member < pairs->count && pairs->subscriptions[from] > 0; member++) {
        qd_subscriber *row = &pairs->rows[member];

        if (row->subscription != (uint8_t)from || row->news != QD_NEWS_NONE) {
            continue;
        }
        row->news = (uint8_t)news;
        row->before = (uint8_t)from;
        row->reason = QD_SUSPEND_LIMIT;
        any_own |= row->interest.own_only;
        change_state(pairs, row, to);
    }
    return any_own;
}

void qd_subscriptions_fail(qd_pairs *pairs, qd_news news)
{
    for (uint32_t member = 0; member < pairs->count; member++) {
        qd_subscriber *row = &pairs->rows[member];

        if (row->news != (uint8_t)news) {
            continue;
        }
        row->news = row->before == QD_SUSPENDED ? QD_NEWS_NONE : QD_NEWS_SUSPENDED;
        row->reason = QD_SUSPEND_MEMORY;
        change_state(pairs, row, QD_SUSPENDED);
    }
}

qd_space_wanted qd_subscriptions_wanted(const qd_pairs *pairs)
{
    qd_space_wanted wanted = QD_SPACE_WANT_NOTHING;

    if (pairs->subscriptions[QD_LIVE] == 0) {
        return wanted;
    }
    for (uint32_t member = 0; member < pairs->count; member++) {
        const qd_subscriber *row = &pairs->rows[member];

        if (row->subscription == QD_LIVE) {
            wanted |= row->interest.stays ? QD_SPACE_WANT_STAYS : QD_SPACE_WANT_EVENTS;
        }
    }
    return wanted;
}
