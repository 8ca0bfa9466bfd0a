/* SPDX-License-Identifier: Apache-2.0 */
#include "derived.h"

#include <math.h>
#include <string.h>

#include "../../../base/ablation.h"
#include "../state/last_tick.h"
#include "../state/rule.h"

/* ---- who ---- */

bool qd_derived_suits(const qd_observer *observer)
{
    const bool relays_all = observer->tiers == 0 || (observer->tiers == 1 && observer->relay_every[0] == 1 &&
                                                     observer->relay_range[0] >= observer->range);

    return observer->kind == QD_ROOM_CIRCLE && observer->leave_margin <= 0 && observer->enter_budget == 0 && relays_all;
}

static bool fits(const qd_views *views, const qd_observer *observer)
{
    return observer->state == QD_OBSERVER_LIVE && qd_derived_suits(observer) && observer->hide_count == 0 &&
           observer->show_count == 0 && views->members[observer->member].options.bytes_max == 0 &&
           !QD_WITHOUT(DERIVED_VIEWS);
}

/* ---- one view ---- */

static bool is_chosen(const qd_join_derived *derived, uint32_t slot)
{
    bool is = false;

    for (uint32_t i = 0; i < derived->chosen_count; i++) {
        is |= derived->chosen[i] == slot;
    }
    return is;
}

/* The target as the rule read it at the last tick, if that is asked for. */
static qd_target target_at(const qd_views *views, uint32_t slot, qd_derived_time time)
{
    qd_target target = views->targets[slot];

    if (time == QD_DERIVED_LAST_TICK && target.flags & QD_TARGET_KEPT) {
        qd_last_tick_refilter(views, slot, &target);
    }
    return target;
}

/* What the observer may see at the last tick of the join. */
struct look {
    const qd_views *views;
    const qd_join_derived *derived;
    qd_observer observer;
    qd_join_region region;
    qd_derived_time time;
    uint32_t y, entry, end;
    qd_join_area area;
};

static void begin_look(const qd_views *views, uint32_t row, qd_derived_time time, struct look *look)
{
    const qd_join_grid *grid = &views->join->grid;
    const qd_join_region *region = &views->join->regions[row * QD_REGION_BODIES];
    float lo[2], hi[2];

    *look = (struct look){.views = views, .derived = &views->join->derived[row], .region = *region, .time = time};
    if (time == QD_DERIVED_NOW || !qd_last_tick_observer(views, row, &look->observer)) {
        look->observer = views->observers[row];
    }
    for (unsigned k = 0; k < 2; k++) {
        const double wide = (double)region->half[0] + grid->drift;
        const double half = wide * (1 + 0x1p-20) + 0x1p-20 * fabs((double)region->at[k]);

        lo[k] = (float)((double)region->at[k] - half);
        hi[k] = (float)((double)region->at[k] + half);
    }
    look->area = (qd_join_area){
        qd_join_cell(grid, 0, lo[0]),
        qd_join_cell(grid, 0, hi[0]),
        qd_join_cell(grid, 1, lo[1]),
        qd_join_cell(grid, 1, hi[1]),
    };
    look->y = look->area.y0;
    look->end = qd_join_run(grid, &look->area, look->y, &look->entry);
    look->end += look->entry;
}

/* The next entity in the region, and whether it is in the view. False: there is none. */
static bool next_near(struct look *look, uint32_t *slot, bool *is_seen)
{
    const qd_join_grid *grid = &look->views->join->grid;
    const unsigned axes = qd_views_axes(look->views);

    for (;;) {
        if (look->entry == look->end) {
            if (look->region.kind == 0 || ++look->y > look->area.y1) {
                return false;
            }
            look->end = qd_join_run(grid, &look->area, look->y, &look->entry);
            look->end += look->entry;
            continue;
        }
        const uint32_t entry = look->entry++;
        const qd_join_points *points = &grid->entries.at;
        const float at[3] = {points->now[0][entry], points->now[1][entry], axes == 3 ? points->now[2][entry] : 0};
        if (!(at[0] < INFINITY) || !qd_join_region_has(&look->region, at, axes)) {
            continue;
        }
        *slot = grid->entries.slot[entry];
        const qd_target target = target_at(look->views, *slot, look->time);
        *is_seen =
            look->derived->chosen ? is_chosen(look->derived, *slot) : qd_rule_admits(&look->observer, &target, *slot);
        return true;
    }
}

uint32_t qd_derived_list(const qd_views *views, uint32_t row, uint32_t *slots)
{
    struct look look;
    uint32_t count = 0, slot;
    bool is_seen;

    begin_look(views, row, QD_DERIVED_LAST_TICK, &look);
    while (next_near(&look, &slot, &is_seen)) {
        if (is_seen) {
            QD_ASSERT(count < views->observers[row].seen);
            slots[count++] = slot;
        }
    }
    QD_ASSERT(count == views->observers[row].seen);
    return count;
}

uint32_t qd_derived_flags(const qd_views *views, uint32_t row, const qd_observer *then, uint32_t slot,
                          const qd_target *target)
{
    const qd_join_region *region = &views->join->regions[row * QD_REGION_BODIES];

    if (!qd_join_region_has(region, target->at, qd_views_axes(views))) {
        return 0;
    }
    const qd_join_derived *derived = &views->join->derived[row];
    const bool is_seen = derived->chosen ? is_chosen(derived, slot) : qd_rule_admits(then, target, slot);
    return (uint32_t)QD_ENTRY_INNER | (is_seen ? QD_ENTRY_SEEN : 0);
}

/* ---- to entries and back ---- */

void qd_derived_forget(qd_views *views, uint32_t row)
{
    if (!views->observers[row].is_derived) {
        return;
    }
    qd_join_derived *derived = &views->join->derived[row];
    qd_heap_free(views->heap, derived->chosen, derived->chosen_count * sizeof derived->chosen[0]);
    *derived = (qd_join_derived){.rank = derived->rank};
    views->observers[row].is_derived = false;
    views->attention[row] |= views->observers[row].tiers > 0 ? QD_ATTEND_RELAY : 0;
}

uint32_t qd_derived_near(const qd_views *views, uint32_t row)
{
    return views->join->derived[row].near;
}

/* The view gets its entries. */
static void keep_entries(qd_views *views, uint32_t row, qd_derived_time time)
{
    qd_observer *observer = &views->observers[row];
    qd_visible_entries *set = &observer->entries;
    struct look look;
    uint32_t slot;
    bool is_seen;

    begin_look(views, row, time, &look);
    while (next_near(&look, &slot, &is_seen) && !views->no_memory) {
        uint32_t *entry =
            qd_visible_entries_put(set, views->heap, slot, QD_ENTRY_INNER | (is_seen ? QD_ENTRY_SEEN : 0));

        if (!entry) {
            views->no_memory = true;
            break;
        }
        /* Without tiers nothing was relayed; with them, everything was. */
        *qd_entry_reported(set, entry) =
            views->attention[row] & QD_ATTEND_AFRESH ? views->targets[slot].position_round - 1 : views->round - 1;
        if (time == QD_DERIVED_NOW) {
            *qd_entry_reported(set, entry) = views->round;
        }
        if (set->relays) {
            qd_entry_relayed(set, entry)->id = views->entities->id[slot];
        }
    }
    views->attention[row] &= (uint8_t)~QD_ATTEND_AFRESH;
    qd_derived_forget(views, row);
    if (observer->limit > 0 && set->count > observer->limit) {
        views->attention[row] |= QD_ATTEND_ONCE;
    }
}

bool qd_derived_update(qd_views *views, uint32_t row, bool goes_far)
{
    qd_observer *observer = &views->observers[row];
    const bool meets_beacon = (views->attention[row] & QD_ATTEND_BEACON) != 0;

    views->attention[row] &= (uint8_t)~QD_ATTEND_BEACON;
    if (observer->is_derived) {
        if (goes_far || views->attention[row] != 0 || meets_beacon) {
            keep_entries(views, row, QD_DERIVED_LAST_TICK);
        }
        return false;
    }
    if (observer->entries.count > 0 || meets_beacon || !fits(views, observer)) {
        return false;
    }
    qd_visible_entries_deinit(&observer->entries, views->heap);
    observer->is_derived = true;
    views->attention[row] = 0;
    return true;
}

/* Whether the limit binds: then the view is kept as a list. False: there is no memory for it. */
static bool keep_chosen(qd_views *views, qd_observer *observer, qd_join_derived *derived)
{
    const qd_visible_entries *set = &observer->entries;
    uint32_t wanted = 0, count = 0;

    for (uint32_t at = 0; at < set->capacity && observer->limit > 0; at++) {
        const uint32_t entry = set->entry[at];

        wanted += entry != 0 && qd_rule_wants(views, observer, qd_entry_slot(entry), entry & QD_ENTRY_FLAGS);
    }
    if (wanted <= observer->limit || observer->limit == 0) {
        return true;
    }
    derived->chosen = qd_heap_alloc(views->heap, observer->limit * sizeof derived->chosen[0]);
    if (!derived->chosen) {
        return false;
    }
    derived->chosen_count = observer->limit;
    for (uint32_t at = 0; at < set->capacity; at++) {
        if (set->entry[at] & QD_ENTRY_SEEN) {
            derived->chosen[count++] = qd_entry_slot(set->entry[at]);
        }
    }
    QD_ASSERT(count == observer->limit);
    return true;
}

static bool meets_beacons(const qd_views *views, const qd_visible_entries *set)
{
    uint32_t flags = 0;

    for (uint32_t at = 0; at < set->capacity && views->has_beacons; at++) {
        flags |= set->entry[at];
    }
    return (flags & (QD_ENTRY_BEACON_INNER | QD_ENTRY_BEACON_OUTER)) != 0;
}

void qd_derived_begin(qd_views *views)
{
    qd_join *join = views->join;

    if (!views->uses_join || join->grid.round != views->round || join->bodies.with_entries == 0) {
        return;
    }
    for (uint32_t row = 0; row < views->count; row++) {
        qd_observer *observer = &views->observers[row];

        if (observer->is_derived || !fits(views, observer) || meets_beacons(views, &observer->entries) ||
            !keep_chosen(views, observer, &join->derived[row])) {
            continue;
        }
        join->derived[row].near = observer->entries.count;
        qd_visible_entries_deinit(&observer->entries, views->heap);
        observer->is_derived = true;
        views->attention[row] = 0;
    }
}

void qd_derived_end(qd_views *views)
{
    for (uint32_t row = 0; row < views->count; row++) {
        if (views->observers[row].is_derived && !views->no_memory) {
            keep_entries(views, row, QD_DERIVED_NOW);
        }
        qd_derived_forget(views, row);
    }
}
