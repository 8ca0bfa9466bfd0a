/* SPDX-License-Identifier: Apache-2.0 */
#include "view_bytes.h"

#include <string.h>

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

/* ---- relays ----
 *
 * The longest wait that cannot be served as a whole is found by its digits. Longer ones are relayed. Of those that have
 * waited for just so long, the first ones in the order of observers are. */

#define DIGIT_BITS 8u
#define DIGITS     (1u << DIGIT_BITS)

/* Waits by a digit: of those with the same digits above it. */
typedef struct wait_digit {
    uint32_t prefix, shift;
    uint32_t longest; /* of all waits */
    uint64_t count[DIGITS];
} wait_digit;

static bool may_wait(const qd_views *views, uint32_t row)
{
    return views->observers[row].entries.relays && (views->attention[row] & (QD_ATTEND_WHOLE | QD_ATTEND_RELAY)) != 0;
}

/* Those of the next observer are anywhere in memory. */
static void fetch_entries(const qd_views *views, uint32_t row)
{
    if (row != QD_NONE) {
        qd_visible_entries_fetch(&views->observers[row].entries);
    }
}

static uint32_t wait_of(const qd_views *views, const qd_visible_entries *set, uint32_t at)
{
    return views->round - set->relayed[at].waits_since;
}

static uint32_t find_waiting(const qd_visible_entries *set, uint32_t first, uint32_t places[QD_ENTRY_PLACES])
{
    return qd_visible_entries_places(set, first, QD_ENTRY_WAITS, QD_ENTRY_WAITS, places);
}

static void count_waits(const qd_views *views, const qd_view_member *member, wait_digit *digit)
{
    uint32_t places[QD_ENTRY_PLACES];

    memset(digit->count, 0, sizeof digit->count);
    for (uint32_t row = member->first; row != QD_NONE; row = views->observers[row].of_member.next) {
        const qd_visible_entries *set = &views->observers[row].entries;

        fetch_entries(views, views->observers[row].of_member.next);
        for (uint32_t first = 0; may_wait(views, row) && first < set->capacity; first += QD_ENTRY_PLACES) {
            const uint32_t count = find_waiting(set, first, places);

            for (uint32_t i = 0; i < count; i++) {
                const uint32_t wait = wait_of(views, set, places[i]), rest = wait >> digit->shift;

                digit->longest = wait > digit->longest ? wait : digit->longest;
                digit->count[rest % DIGITS] += (uint64_t)rest >> DIGIT_BITS == digit->prefix;
            }
        }
    }
}

/* Of that many relays: the longest wait that is not served as a whole, and in *left how many of those that have waited for
 * so long are relayed. Returns false if all are, whatever they have waited. */
static bool find_last_wait(const qd_views *views, const qd_view_member *member, uint64_t most, uint32_t *last,
                           uint64_t *left)
{
    wait_digit digit = {.prefix = 0};

    count_waits(views, member, &digit);
    while (digit.longest >> digit.shift >= DIGITS) {
        digit.shift += DIGIT_BITS;
    }
    if (digit.shift > 0) {
        count_waits(views, member, &digit);
    }
    for (;;) {
        uint32_t at = DIGITS;

        while (at > 0 && digit.count[at - 1] <= most) {
            most -= digit.count[--at];
        }
        if (at == 0) { /* only at the first digit */
            *last = 0;
            *left = UINT64_MAX;
            return false;
        }
        digit.prefix = digit.prefix << DIGIT_BITS | (at - 1);
        if (digit.shift == 0) {
            *last = digit.prefix;
            *left = most;
            return true;
        }
        digit.shift -= DIGIT_BITS;
        count_waits(views, member, &digit);
    }
}

/* Relays what an observer has waited for longer than `last`. Returns how many have waited for just so long. */
static uint32_t relay_longer(qd_views *views, uint32_t row, uint32_t last)
{
    const qd_visible_entries *set = &views->observers[row].entries;
    uint32_t places[QD_ENTRY_PLACES], as_long = 0;

    for (uint32_t first = 0; first < set->capacity; first += QD_ENTRY_PLACES) {
        const uint32_t count = find_waiting(set, first, places);
        uint32_t longer = 0;

        for (uint32_t i = 0; i < count; i++) {
            const uint32_t at = places[i], wait = wait_of(views, set, at);

            places[longer] = at;
            longer += wait > last;
            as_long += wait == last;
        }
        for (uint32_t i = 0; i < longer; i++) {
            qd_view_relay(views, row, &set->entry[places[i]]);
        }
    }
    return as_long;
}

/* Relays the first `most` of those, by id. */
static void relay_last(qd_views *views, uint32_t row, uint32_t last, uint64_t most)
{
    const qd_visible_entries *set = &views->observers[row].entries;
    qd_priority_list *list = &views->wanted;

    list->count = 0;
    for (uint32_t at = 0; at < set->capacity; at++) {
        if ((set->entry[at] & QD_ENTRY_WAITS) && wait_of(views, set, at) == last) {
            const qd_priority item = {.id = set->relayed[at].id, .at = at};

            views->no_memory |= !qd_priority_list_add(list, views->heap, item);
        }
    }
    if (most < list->count) {
        qd_priority_choose(list->items, list->count, (uint32_t)most);
        list->count = (uint32_t)most;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        qd_view_relay(views, row, &set->entry[list->items[i].at]);
    }
}

/* Those of an observer that have waited for just as long as the last ones that are relayed. */
typedef struct last_waits {
    uint32_t row, count;
} last_waits;

/* The member's observers by rank, and how many ranks that are: QD_NONE for one whose view has ended. NULL: no memory. */
static last_waits *by_rank(qd_views *views, const qd_view_member *member, uint32_t *count)
{
    uint32_t first = UINT32_MAX, last = 0;

    for (uint32_t row = member->first; row != QD_NONE; row = views->observers[row].of_member.next) {
        const uint32_t rank = views->observers[row].rank;

        first = rank < first ? rank : first;
        last = rank > last ? rank : last;
    }
    *count = last - first + 1;
    last_waits *all = qd_block_fit(&views->scratch, views->heap, *count * sizeof *all);
    if (all == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < *count; i++) {
        all[i] = (last_waits){.row = QD_NONE};
    }
    for (uint32_t row = member->first; row != QD_NONE; row = views->observers[row].of_member.next) {
        all[views->observers[row].rank - first].row = row;
    }
    return all;
}

static void spend_on_relays(qd_views *views, qd_view_member *member)
{
    const uint64_t most = has_bytes_for(member, QD_VIEW_RELAY_BYTES);
    const uint32_t before = views->relays.count;
    uint32_t last = 0, count;
    uint64_t left = 0;
    last_waits *observers = by_rank(views, member, &count);

    if (observers == NULL) {
        views->no_memory = true;
        return;
    }
    member->is_full |= find_last_wait(views, member, most, &last, &left);
    for (uint32_t i = 0; i < count; i++) {
        fetch_entries(views, i + 1 < count ? observers[i + 1].row : QD_NONE);
        if (observers[i].row != QD_NONE && may_wait(views, observers[i].row)) {
            observers[i].count = relay_longer(views, observers[i].row, last);
        }
    }
    for (uint32_t i = 0; i < count && left > 0; i++) {
        if (observers[i].count > 0) {
            relay_last(views, observers[i].row, last, left);
            left -= observers[i].count < left ? observers[i].count : left;
        }
    }
    member->bytes += (uint64_t)(views->relays.count - before) * QD_VIEW_RELAY_BYTES;
}

static void spend_on_all_relays(qd_views *views)
{
    for (uint32_t member = 0; member < views->member_count && !views->no_memory; member++) {
        qd_view_member *row = &views->members[member];

        if (row->relays_late && row->observers > 0) {
            spend_on_relays(views, row);
        }
    }
}

void qd_view_bytes_spend(qd_views *views)
{
    spend_on_all_entrants(views);
    spend_on_all_relays(views);
}
