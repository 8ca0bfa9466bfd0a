/* SPDX-License-Identifier: Apache-2.0 */
#include "view_bytes.h"

#include "derived/derived_relay.h"
#include "view_news.h"

/* ---- enters ---- */

static qd_view_member *member_of(const qd_views *views, const qd_priority *item)
{
    return &views->members[views->observers[item->observer].member];
}

/* Puts the items of each member behind each other: a range of the list. */
static void group_by_member(qd_views *views, const qd_priority_list *list)
{
    uint32_t first = 0;

    for (uint32_t member = 0; member < views->member_count; member++) {
        views->members[member].waiting.count = 0;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        member_of(views, &list->items[i])->waiting.count++;
    }
    for (uint32_t member = 0; member < views->member_count; member++) {
        qd_view_range *range = &views->members[member].waiting;

        range->first = first;
        first += range->count;
        range->count = 0; /* how many are there */
    }
    for (uint32_t member = 0; member < views->member_count; member++) {
        qd_view_range *range = &views->members[member].waiting;
        const uint32_t end = member + 1 < views->member_count ? views->members[member + 1].waiting.first : first;

        while (range->first + range->count < end) {
            qd_priority *item = &list->items[range->first + range->count];
            qd_view_range *to = &member_of(views, item)->waiting;
            const qd_priority other = list->items[to->first + to->count];

            list->items[to->first + to->count++] = *item;
            *item = to == range ? *item : other;
        }
    }
}

/* How many items of so many bytes the member has bytes for. */
static uint64_t has_bytes_for(const qd_view_member *member, uint32_t bytes)
{
    return member->bytes < member->options.bytes_max ? (member->options.bytes_max - member->bytes) / bytes : 0;
}

/* No entity overtakes one that does not fit. Of those that surely do not, no order is needed. */
static void spend_on_entrants(qd_views *views, qd_view_member *member, qd_priority *items, uint32_t count)
{
    const uint64_t most = has_bytes_for(member, QD_VIEW_ENTER_BYTES) + 1;
    const uint32_t first = most < count ? (uint32_t)most : count;
    uint32_t i = 0;

    if (first < count) {
        qd_priority_choose(items, count, first);
    }
    qd_priority_sort(items, first);
    for (; i < first; i++) {
        const uint32_t bytes = qd_view_enter_bytes(views, items[i].slot);

        if (member->bytes + bytes > member->options.bytes_max) {
            break;
        }
        member->bytes += bytes;
        qd_view_enter(views, items[i].observer,
                      qd_visible_entries_find(&views->observers[items[i].observer].entries, items[i].slot));
    }
    member->is_full |= i < count;
    for (; i < count; i++) {
        views->attention[items[i].observer] |= QD_ATTEND_ONCE;
    }
}

static void spend_on_all_entrants(qd_views *views)
{
    if (views->entrants.count == 0) {
        return;
    }
    group_by_member(views, &views->entrants);
    for (uint32_t member = 0; member < views->member_count; member++) {
        qd_view_member *row = &views->members[member];

        spend_on_entrants(views, row, views->entrants.items + row->waiting.first, row->waiting.count);
    }
    views->entrants.count = 0;
}

/* ---- relays ---- */

static bool may_wait(const qd_views *views, uint32_t row)
{
    return views->observers[row].entries.relays && (views->attention[row] & (QD_ATTEND_WHOLE | QD_ATTEND_RELAY)) != 0;
}

static uint32_t find_waiting(const qd_visible_entries *set, uint32_t first, uint32_t places[QD_ENTRY_PLACES])
{
    return qd_visible_entries_places(set, first, QD_ENTRY_WAITS, QD_ENTRY_WAITS, places);
}

static uint32_t count_waiting(const qd_visible_entries *set)
{
    uint32_t sum = 0;

    for (uint32_t at = 0; at < set->capacity; at++) {
        sum += (set->entry[at] & QD_ENTRY_WAITS) != 0;
    }
    return sum;
}

static void relay_all(qd_views *views, uint32_t row)
{
    const qd_visible_entries *set = &views->observers[row].entries;
    uint32_t places[QD_ENTRY_PLACES];

    for (uint32_t first = 0; first < set->capacity; first += QD_ENTRY_PLACES) {
        const uint32_t count = find_waiting(set, first, places);

        for (uint32_t i = 0; i < count; i++) {
            qd_view_relay(views, row, &set->entry[places[i]]);
        }
    }
}

static void relay_some(qd_views *views, uint32_t row, qd_relay_share *share)
{
    const qd_visible_entries *set = &views->observers[row].entries;
    qd_priority_list *list = &views->wanted;

    list->count = 0;
    for (uint32_t at = 0; at < set->capacity; at++) {
        if (set->entry[at] & QD_ENTRY_WAITS && qd_relay_share_has(share, set->id[at])) {
            const qd_priority item = {.id = set->id[at], .at = at};

            views->no_memory |= !qd_priority_list_add(list, views->heap, item);
        }
    }
    qd_relay_share_choose(share, list->items, list->count);
    for (uint32_t i = 0; i < share->relayed; i++) {
        qd_view_relay(views, row, &set->entry[list->items[i].at]);
    }
}

static void relay_entries(qd_views *views, uint32_t row, qd_relay_share *share)
{
    if (!may_wait(views, row)) {
        return;
    }
    const bool is_whole = qd_relay_share_has_all(share);
    const uint32_t count = is_whole ? count_waiting(&views->observers[row].entries) : 0;
    if (is_whole && count <= share->most) {
        relay_all(views, row);
        share->relayed = count;
    } else {
        relay_some(views, row, share);
    }
}

static void relay(qd_views *views, uint32_t row, qd_relay_share *share)
{
    if (views->observers[row].is_derived) {
        qd_derived_relay_share(views, row, share);
    } else {
        relay_entries(views, row, share);
    }
}

/* What waits in entries goes on waiting. */
static void hold(qd_views *views, uint32_t row)
{
    if (views->observers[row].is_derived) {
        qd_derived_relay_hold(views, row);
    }
}

static void spend_on_relays(qd_views *views, qd_view_member *member)
{
    static const qd_relay_source source = {.relay = relay, .hold = hold};
    const uint64_t most = has_bytes_for(member, QD_VIEW_RELAY_BYTES);
    const bool is_short = member->waits_for_bytes || member->relaying > most;

    member->bytes +=
        QD_VIEW_RELAY_BYTES * (is_short ? qd_relay_share_all(views, member, &source, most) : member->relaying);
}

static void spend_on_all_relays(qd_views *views)
{
    for (uint32_t member = 0; member < views->member_count && !views->no_memory; member++) {
        qd_view_member *row = &views->members[member];

        if (qd_view_holds_relays(row) && row->observers > 0) {
            spend_on_relays(views, row);
        }
    }
}

void qd_view_bytes_spend(qd_views *views)
{
    spend_on_all_entrants(views);
    spend_on_all_relays(views);
}
