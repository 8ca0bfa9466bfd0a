/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

enum { SHARE_NONE = 0, SHARE_EVENTS, SHARE_EVENTS_AND_STAYS, SHARE_SUSPENDED, SHARE_RESET };

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
static bool report_events(const qd_pairs *pairs, const qd_subscriber *row, qd_room_report *report)
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
        return report_events(pairs, row, report);
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
        /* How far a traversal came before it stopped depends on the workers; that it passed the limit does not. */
        report->suspended_count = (uint64_t)pairs->events_max + 1;
        report->share = SHARE_SUSPENDED;
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
