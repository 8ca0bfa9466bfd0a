/* SPDX-License-Identifier: Apache-2.0 */
#include "changes.h"

#include <string.h>

#include "state/rule.h"
#include "view_news.h"
#include "visibility/describe.h"

/* ---- one observer ---- */

/* Entities on the list `show` that are in the room become visible entries with QD_ENTRY_SHOWN. */
static void find_shown(qd_views *views, qd_observer *observer)
{
    qd_visible_entries *set = &observer->entries;

    for (uint32_t at = 0; at < set->capacity; at++) {
        set->entry[at] &= ~(uint32_t)QD_ENTRY_SHOWN; /* no entry is left without a flag: all have QD_ENTRY_CHANGED */
    }
    for (uint32_t i = 0; i < observer->show_count; i++) {
        uint32_t slot = qd_ids_get(&views->entities->ids, observer->exceptions[observer->hide_count + i]).slot;

        if (slot != QD_SLOT_NONE) {
            views->no_memory |= !qd_visible_entries_put(set, views->heap, slot, QD_ENTRY_SHOWN | QD_ENTRY_CHANGED);
        }
    }
}

static void mark_all(qd_visible_entries *set)
{
    uint32_t *entries = set->entry;

    for (uint32_t at = 0, end = set->capacity; at < end; at++) {
        const uint32_t marked = (entries[at] | QD_ENTRY_CHANGED) & ~(uint32_t)QD_ENTRY_HELD;

        entries[at] = entries[at] != 0 ? marked : 0;
    }
}

#define AHEAD 8u /* entries; their entities are anywhere in memory */

/* Puts what the observer wants into views->wanted. What it does not want any more leaves. */
static void want(qd_views *views, uint32_t row)
{
    qd_observer *observer = &views->observers[row];
    qd_visible_entries *set = &observer->entries;

    views->wanted.count = 0;
    for (uint32_t at = 0; at < set->capacity; at++) {
        uint32_t entry = set->entry[at], slot = qd_entry_slot(entry), flags = entry & QD_ENTRY_FLAGS;

        if (at + AHEAD < set->capacity) {
            __builtin_prefetch(&views->targets[qd_entry_slot(set->entry[at + AHEAD])]);
        }
        if (entry == 0) {
            continue;
        }
        if (qd_rule_wants(views, observer, slot, flags)) {
            qd_priority item = {.distance = qd_rule_distance(observer, &views->targets[slot]),
                                .id = views->entities->id[slot],
                                .slot = slot,
                                .observer = row,
                                .flags = flags,
                                .at = at};

            views->no_memory |= !qd_priority_list_add(&views->wanted, views->heap, item);
        } else if (flags & QD_ENTRY_SEEN) {
            qd_view_leave(views, row, &set->entry[at], qd_rule_reason(views, observer, slot, flags));
        }
    }
}

/* Applies the limit: views->wanted keeps the chosen entities. */
static void choose(qd_views *views, uint32_t row)
{
    const qd_observer *observer = &views->observers[row];
    qd_priority_list *wanted = &views->wanted;

    if (observer->limit == 0 || wanted->count <= observer->limit) {
        return;
    }
    const double ahead = qd_rule_head_start(observer);
    for (uint32_t i = 0; i < wanted->count; i++) {
        qd_priority *item = &wanted->items[i];

        item->lead = item->flags & QD_ENTRY_SHOWN ? 0 : 1;
        item->distance -= item->flags & QD_ENTRY_SEEN ? ahead : 0;
    }
    qd_priority_choose(wanted->items, wanted->count, observer->limit);
    for (uint32_t i = observer->limit; i < wanted->count; i++) {
        if (wanted->items[i].flags & QD_ENTRY_SEEN) {
            qd_view_leave(views, row, &observer->entries.entry[wanted->items[i].at], QD_ROOM_LEFT_LIMIT);
        }
    }
    wanted->count = observer->limit;
    for (uint32_t i = 0; i < wanted->count; i++) {
        wanted->items[i].lead = 0;
        wanted->items[i].distance = qd_rule_distance(observer, &views->targets[wanted->items[i].slot]);
    }
}

/* Lets chosen entities in that are not in the view, as enter_budget allows. They come first among the wanted ones;
 * returns how many there are. */
static uint32_t enter(qd_views *views, uint32_t row)
{
    const qd_observer *observer = &views->observers[row];
    qd_priority *items = views->wanted.items;
    uint32_t entrants = 0, admitted;

    for (uint32_t i = 0; i < views->wanted.count; i++) {
        if (items[i].flags & QD_ENTRY_SEEN) {
            continue;
        }
        qd_priority item = items[i];
        items[i] = items[entrants];
        items[entrants++] = item;
    }
    admitted = entrants;
    if (observer->enter_budget > 0 && entrants > observer->enter_budget) {
        qd_priority_sort(items, entrants);
        admitted = observer->enter_budget;
        for (uint32_t i = admitted; i < entrants; i++) {
            qd_view_hold(views, row, &observer->entries.entry[items[i].at]);
        }
    }
    for (uint32_t i = 0; i < admitted; i++) {
        qd_view_admit(views, items[i], &observer->entries.entry[items[i].at]);
    }
    return entrants;
}

/* ---- relay ---- */

/* The relay of one observer at a tick. */
struct relaying {
    qd_views *views;
    uint32_t row;
    bool is_limited;
    uint32_t phase[QD_VIEW_TIERS_MAX]; /* of the tick, in the period of each tier */
};

static void begin_relaying(qd_views *views, uint32_t row, struct relaying *to)
{
    const qd_observer *observer = &views->observers[row];

    to->views = views;
    to->row = row;
    to->is_limited = qd_view_holds_relays(&views->members[observer->member]);
    views->members[observer->member].waits_for_bytes |= to->is_limited;
    for (uint32_t tier = 0; tier < observer->tiers; tier++) {
        to->phase[tier] = (uint32_t)(views->entities->tick % observer->relay_every[tier]);
    }
}

static bool is_turn(const struct relaying *relaying, const qd_observer *observer, uint32_t tier, uint32_t id)
{
    return qd_rule_is_turn(observer->relay_every[tier], relaying->phase[tier], id, relaying->views->steps);
}

static bool is_turn_anywhere(const struct relaying *relaying, const qd_observer *observer, uint32_t id)
{
    bool is = false;

    for (uint32_t tier = 0; tier < observer->tiers; tier++) {
        is |= is_turn(relaying, observer, tier, id);
    }
    return is;
}

static bool is_turn_at(const struct relaying *relaying, const qd_observer *observer, double distance, uint32_t id)
{
    uint32_t tier = 0;

    while (tier < observer->tiers && distance > (double)observer->relay_range[tier]) {
        tier++;
    }
    return tier < observer->tiers && is_turn(relaying, observer, tier, id);
}

/* Relays an entity in the view if its position has changed and it is its turn. */
static void relay_one(const struct relaying *relaying, uint32_t at)
{
    qd_views *views = relaying->views;
    const qd_observer *observer = &views->observers[relaying->row];
    uint32_t *entry = &observer->entries.entry[at], slot = qd_entry_slot(*entry);
    const uint32_t id = observer->entries.id[at];
    const qd_target *target = &views->targets[slot];

    if (!(*entry & QD_ENTRY_WAITS)) {
        bool has_changed = (int32_t)(target->position_round - *qd_entry_reported(&observer->entries, entry)) > 0;

        if (!has_changed || !is_turn_at(relaying, observer, qd_rule_distance(observer, target), id)) {
            return;
        }
        *entry |= QD_ENTRY_WAITS;
    }
    if (!relaying->is_limited) {
        qd_view_relay(views, relaying->row, entry);
    }
}

/* Prefetches the entities whose turn it may be, then relays them. With limited bytes, what waits goes on waiting until
 * they are spent. */
static void relay(qd_views *views, uint32_t row)
{
    const qd_observer *observer = &views->observers[row];
    const qd_visible_entries *set = &observer->entries;
    struct relaying relaying;
    uint32_t places[QD_ENTRY_PLACES];

    begin_relaying(views, row, &relaying);
    if (row + 1 < views->count) {
        qd_visible_entries_fetch(&views->observers[row + 1].entries);
    }
    const uint32_t of = QD_ENTRY_SEEN | (relaying.is_limited ? QD_ENTRY_WAITS : 0);
    for (uint32_t first = 0; first < set->capacity; first += QD_ENTRY_PLACES) {
        const uint32_t count = qd_visible_entries_places(set, first, of, QD_ENTRY_SEEN, places);
        uint32_t due = 0;

        for (uint32_t i = 0; i < count; i++) {
            const uint32_t at = places[i], entry = set->entry[at];

            if ((entry & QD_ENTRY_WAITS) || is_turn_anywhere(&relaying, observer, set->id[at])) {
                __builtin_prefetch(&views->targets[qd_entry_slot(entry)]);
                places[due++] = at;
            }
        }
        for (uint32_t i = 0; i < due; i++) {
            relay_one(&relaying, places[i]);
        }
    }
}

/* The same for the wanted entities from `first` on, which are those in the view. */
static void relay_wanted(qd_views *views, uint32_t row, uint32_t first)
{
    const qd_observer *observer = &views->observers[row];
    struct relaying relaying;

    begin_relaying(views, row, &relaying);
    for (uint32_t i = first; i < views->wanted.count; i++) {
        const qd_priority *item = &views->wanted.items[i];

        observer->entries.id[item->at] = item->id; /* the tiers may be new */
        relay_one(&relaying, item->at);
    }
}

/* ---- rounds wrap around ---- */

#define AGE_MAX (1u << 29)

/* Limits the age of a round. The order of rounds stays the same. */
static uint32_t aged(uint32_t round, uint32_t now)
{
    return now - round > AGE_MAX ? now - AGE_MAX : round;
}

static void age_entries(const qd_views *views, const qd_visible_entries *set)
{
    for (uint32_t at = 0; at < set->capacity; at++) {
        if (!(set->entry[at] & QD_ENTRY_SEEN)) {
            continue;
        }
        uint32_t *reported = qd_entry_reported(set, &set->entry[at]);
        const uint32_t position_round = views->targets[qd_entry_slot(set->entry[at])].position_round;
        const bool has_changed = (int32_t)(position_round - *reported) > 0;

        *reported = has_changed ? aged(position_round, views->round) - 1 : aged(*reported, views->round);
    }
}

void qd_changes_age(qd_views *views)
{
    if (views->round % QD_VIEW_AGE_ROUNDS != 0) {
        return;
    }
    for (uint32_t row = 0; row < views->count; row++) {
        age_entries(views, &views->observers[row].entries);
    }
    for (uint32_t slot = 0; slot < views->target_end; slot++) {
        views->targets[slot].position_round = aged(views->targets[slot].position_round, views->round);
    }
}

/* ---- observers as a whole ---- */

static void evaluate(qd_views *views, uint32_t row)
{
    qd_observer *observer = &views->observers[row];

    mark_all(&observer->entries);
    if (observer->show_count > 0 || views->attention[row] & QD_ATTEND_ONCE) {
        find_shown(views, observer);
    }
    views->attention[row] &= (uint8_t)~QD_ATTEND_ONCE;
    want(views, row);
    choose(views, row);
    uint32_t entrants = enter(views, row);
    if (observer->tiers > 0) {
        relay_wanted(views, row, entrants);
    }
    qd_visible_entries_settle(&observer->entries);
    /* While the limit may choose, entities outside the view wait for their place. */
    if (observer->limit > 0 && observer->entries.count > observer->limit) {
        views->attention[row] |= QD_ATTEND_ONCE;
    }
    qd_visible_entries_trim(&observer->entries, views->heap);
}

/* ---- a tick ---- */

static void end_view(qd_views *views, uint32_t row)
{
    const qd_observer *observer = &views->observers[row];
    const qd_visible_entries *set = &observer->entries;

    /* The tick may yet suspend all views, and drop these leaves. */
    views->members[observer->member].is_emptied |= observer->seen > 0;
    for (uint32_t at = 0; at < set->capacity; at++) {
        if (set->entry[at] & QD_ENTRY_SEEN) {
            set->entry[at] |= QD_ENTRY_CHANGED; /* an entry is never without a flag */
            qd_view_leave(views, row, &set->entry[at], QD_ROOM_LEFT_OBSERVER);
        }
    }
}

/* The first row from `row` on that needs attention; views->count if there is none. Usually few do. */
static uint32_t next_attended(const qd_views *views, uint32_t row)
{
    while (row < views->count && views->attention[row] == 0) {
        uint64_t eight = 1;

        if (row + sizeof eight <= views->count) {
            memcpy(&eight, views->attention + row, sizeof eight);
        }
        row += eight == 0 ? sizeof eight : 1;
    }
    return row;
}

void qd_changes_make(qd_views *views)
{
    for (uint32_t row = next_attended(views, 0); row < views->count && !views->no_memory;
         row = next_attended(views, row + 1)) {
        if (views->attention[row] & QD_ATTEND_GONE) {
            end_view(views, row);
        } else if (views->attention[row] & QD_ATTEND_WHOLE) {
            evaluate(views, row);
        } else if (views->attention[row] & QD_ATTEND_RELAY) {
            relay(views, row);
        }
    }
}
