/* SPDX-License-Identifier: Apache-2.0 */
#include "derived.h"

#include <math.h>
#include <string.h>

#include "../../../base/ablation.h"
#include "../join/join_beacons.h"
#include "../join/join_shown.h"
#include "../state/last_tick.h"
#include "../state/rule.h"
#include "kept.h"

/* The views of which observers, as of when. */
enum derived_time {
    LAST_TICK, /* with what has changed since as it was then */
    NOW,       /* as of this tick, whose join has run */
    NOT_TAKEN, /* where everything is now, with what was in the view at the last tick */
};

/* ---- which views ---- */

/* All that is shown has to be in the view. */
static bool fits_shown(const qd_observer *observer)
{
    return observer->show_count == 0 ||
           (!QD_WITHOUT(JOINED_SHOWN) && (observer->limit == 0 || observer->show_count <= observer->limit));
}

static bool fits(const qd_views *views, const qd_observer *observer)
{
    const qd_view_member *member = &views->members[observer->member];

    return observer->state == QD_OBSERVER_LIVE && member->tight == 0 && !member->is_full && fits_shown(observer) &&
           !QD_WITHOUT(DERIVED_VIEWS) &&
           !(QD_WITHOUT(KEPT_VIEWS) && (observer->limit > 0 || qd_kept_has_rules(views, observer)));
}

/* ---- what is shown ---- */

/* The slot of an id on its list `show`; QD_NONE: it is not in the room, or there twice. */
static uint32_t shown_at(const qd_views *views, const qd_observer *observer, uint32_t i)
{
    const uint32_t *shown = observer->exceptions + observer->hide_count;
    const uint32_t slot = qd_ids_get(&views->entities->ids, shown[i]).slot;

    return slot == QD_SLOT_NONE || (i > 0 && shown[i] == shown[i - 1]) ? QD_NONE : slot;
}

/* False: no memory. */
static bool note_shown(qd_views *views, uint32_t row)
{
    const qd_observer *observer = &views->observers[row];
    qd_join_derived *derived = &views->join->derived[row];

    qd_join_shown_forget(views->join, views->heap, row);
    if (observer->show_count == 0) {
        return true;
    }
    derived->shown = qd_heap_alloc(views->heap, observer->show_count * sizeof derived->shown[0]);
    if (!derived->shown) {
        return false;
    }
    derived->shown_count = observer->show_count;
    for (uint32_t i = 0; i < observer->show_count; i++) {
        derived->shown[i] = shown_at(views, observer, i);
    }
    return true;
}

static bool is_as_noted(const qd_views *views, uint32_t row)
{
    const qd_join_derived *derived = &views->join->derived[row];
    bool all = true;

    for (uint32_t i = 0; i < derived->shown_count; i++) {
        const uint32_t slot = shown_at(views, &views->observers[row], i);

        all &= slot == derived->shown[i] && (slot == QD_NONE || views->targets[slot].spawn_round != views->round);
    }
    return all;
}

void qd_derived_check_shown(qd_views *views)
{
    qd_join *join = views->join;

    if (views->shown == 0 || join->shown_population == views->population) {
        return;
    }
    for (uint32_t row = 0; row < views->count; row++) {
        if (views->observers[row].is_derived && views->attention[row] == 0 && !is_as_noted(views, row)) {
            views->attention[row] |= QD_ATTEND_ONCE;
        }
    }
    join->shown_population = views->population;
}

/* ---- beginning and end ---- */

/* Its list has been made, if it is kept. A derived view has only one region at the last tick. */
static void begin(qd_views *views, uint32_t row, bool is_kept)
{
    qd_observer *observer = &views->observers[row];

    views->join->regions[row * QD_REGION_BODIES + QD_BODY_OUTER] = (qd_join_region){.kind = 0};
    views->join->derived[row].has_rules = qd_kept_has_rules(views, observer);
    views->join->derived[row].is_kept = is_kept;
    views->join->derived[row].relay = (uint8_t)qd_kept_relay(views, observer);
    qd_visible_entries_deinit(&observer->entries, views->heap);
    observer->is_derived = true;
    views->attention[row] = 0;
}

void qd_derived_forget(qd_views *views, uint32_t row)
{
    qd_observer *observer = &views->observers[row];

    if (!observer->is_derived) {
        return;
    }
    qd_kept_forget(views, row);
    qd_join_derived *derived = &views->join->derived[row];
    /* Its positions of this tick may not be reported yet. */
    *derived = (qd_join_derived){.rank = derived->rank, .shown = derived->shown, .shown_count = derived->shown_count};
    observer->is_derived = false;
    views->attention[row] |= (observer->tiers > 0 ? QD_ATTEND_RELAY : 0) |
                             (observer->kind == QD_ROOM_CONE || observer->show_count > 0 ? QD_ATTEND_ALWAYS : 0);
}

uint32_t qd_derived_near(const qd_views *views, uint32_t row)
{
    const qd_join_derived *derived = &views->join->derived[row];
    uint32_t count = derived->near;

    for (uint32_t i = 0; i < derived->shown_count; i++) {
        count += derived->shown[i] != QD_NONE;
    }
    return count;
}

void qd_derived_clear_waits(qd_views *views, uint32_t row)
{
    if (views->join->derived[row].relay >= QD_RELAY_TURNS) {
        qd_kept_clear_waits(views, row);
    }
}

/* ---- one view ---- */

/* The target as the rule read it at the last tick, if that is asked for. */
static qd_target target_at(const qd_views *views, uint32_t slot, enum derived_time time)
{
    qd_target target = views->targets[slot];

    if (time == LAST_TICK && target.flags & QD_TARGET_KEPT) {
        qd_last_tick_refilter(views, slot, &target);
    }
    return target;
}

/* What is near an observer at the last tick of the join. */
struct look {
    const qd_views *views;
    qd_observer observer;
    qd_join_region inner, outer; /* without a margin there is no outer one */
    enum derived_time time;
    uint32_t row, entry, end; /* of the area */
    qd_join_area area;
};

/* The widened region of an observer at the place of the other one. */
static qd_join_region outer_of(const qd_observer *observer, const qd_join_region *inner)
{
    qd_join_region outer = *inner;

    qd_observer_sizes(observer, QD_BODY_OUTER, outer.half);
    outer.kind = observer->leave_margin > 0 ? inner->kind : 0;
    return outer;
}

static void begin_look(const qd_views *views, uint32_t row, enum derived_time time, struct look *look)
{
    const qd_join_grid *grid = &views->join->grid;
    float lo[2], hi[2];

    *look = (struct look){.views = views, .inner = views->join->regions[row * QD_REGION_BODIES], .time = time};
    if (time != LAST_TICK || !qd_last_tick_observer(views, row, &look->observer)) {
        look->observer = views->observers[row];
    }
    look->outer = outer_of(&look->observer, &look->inner);
    const qd_join_region *widest = look->outer.kind != 0 ? &look->outer : &look->inner;
    for (unsigned k = 0; k < 2; k++) {
        const double wide = (double)widest->half[widest->kind == QD_ROOM_BOX ? k : 0] + grid->drift;
        const double half = wide * (1 + 0x1p-20) + 0x1p-20 * fabs((double)widest->at[k]);

        lo[k] = (float)((double)widest->at[k] - half);
        hi[k] = (float)((double)widest->at[k] + half);
    }
    look->area = (qd_join_area){
        qd_join_cell(grid, 0, lo[0]),
        qd_join_cell(grid, 0, hi[0]),
        qd_join_cell(grid, 1, lo[1]),
        qd_join_cell(grid, 1, hi[1]),
    };
    look->row = 0;
    look->end = qd_join_run(grid, &look->area, look->row, &look->entry);
    look->end += look->entry;
}

static uint32_t flags_at(const struct look *look, const float at[3], float visible_range)
{
    const unsigned axes = qd_views_axes(look->views);
    uint32_t flags = (qd_join_region_has(&look->inner, at, axes) ? (uint32_t)QD_ENTRY_INNER : 0) |
                     (qd_join_region_has(&look->outer, at, axes) ? (uint32_t)QD_ENTRY_OUTER : 0);

    if (visible_range > 0) {
        flags |= qd_join_beacon_flags(visible_range, look->observer.leave_margin, at, look->inner.at, axes);
    }
    return flags;
}

uint32_t qd_derived_flags_now(const qd_views *views, uint32_t row, const qd_target *target)
{
    struct look look = {.views = views,
                        .inner = views->join->regions[row * QD_REGION_BODIES],
                        .observer = {.leave_margin = views->observers[row].leave_margin}};

    look.outer = outer_of(&views->observers[row], &look.inner);
    return flags_at(&look, target->at, target->visible_range);
}

/* The next entity near it, where it is, and the flags of its visible entry. False: there is none. */
static bool next_near(struct look *look, uint32_t *slot, float at[3], uint32_t *flags)
{
    const qd_join_grid *grid = &look->views->join->grid;
    const qd_join_points *points = &grid->entries.at;

    for (;;) {
        if (look->entry == look->end) {
            if (look->inner.kind == 0 || ++look->row == qd_join_rows_of(grid, &look->area)) {
                return false;
            }
            look->end = qd_join_run(grid, &look->area, look->row, &look->entry);
            look->end += look->entry;
            continue;
        }
        const uint32_t entry = look->entry++;
        at[0] = points->now[0][entry];
        at[1] = points->now[1][entry];
        at[2] = points->now[2] ? points->now[2][entry] : 0;
        const bool is_there = at[0] < INFINITY, is_beacon = entry >= grid->beacons;
        *flags = !is_there ? 0
                 : is_beacon
                     ? flags_at(look, at, target_at(look->views, grid->entries.slot[entry], look->time).visible_range)
                     : flags_at(look, at, 0);
        if (*flags != 0) {
            *slot = grid->entries.slot[entry];
            return true;
        }
    }
}

struct listing {
    uint32_t *slots;
    uint32_t count;
};

static void list_item(void *context, uint32_t item)
{
    struct listing *listing = context;

    listing->slots[listing->count++] = qd_kept_slot(item);
}

uint32_t qd_derived_list(const qd_views *views, uint32_t row, uint32_t *slots)
{
    struct listing listing = {.slots = slots};
    struct look look;
    uint32_t slot, flags;
    float at[3];

    if (views->join->derived[row].is_kept) {
        qd_kept_walk(views, row, list_item, &listing);
        return listing.count;
    }
    begin_look(views, row, LAST_TICK, &look);
    while (next_near(&look, &slot, at, &flags)) {
        const qd_target target = target_at(views, slot, LAST_TICK);

        if (qd_rule_admits(&look.observer, &target, slot)) {
            QD_ASSERT(listing.count < views->observers[row].seen);
            slots[listing.count++] = slot;
        }
    }
    QD_ASSERT(listing.count == views->observers[row].seen);
    return listing.count;
}

/* ---- what a budget holds back ---- */

/* Of an entity that is not in the view: whether it would come into it, if it is not shown. */
static bool would_enter(const struct look *look, const qd_target *target, uint32_t slot, uint32_t flags)
{
    const qd_observer *observer = &look->observer;

    return qd_rule_admits(observer, target, slot) && qd_rule_near(observer, target, flags) &&
           !qd_rule_lists(observer->exceptions, observer->hide_count, look->views->entities->id[slot]);
}

/* Counts entities that would enter before another one, if they are not in the view. None of them is shown. */
struct queue {
    struct look look;
    double distance; /* of the other one */
    uint32_t id;
    uint32_t before;
};

static bool is_before(const struct queue *queue, const qd_target *target, uint32_t slot, uint32_t flags)
{
    const double distance = qd_rule_distance(&queue->look.observer, target);
    const uint32_t id = queue->look.views->entities->id[slot];

    return (distance < queue->distance || (distance == queue->distance && id < queue->id)) &&
           !qd_rule_shows(queue->look.views, &queue->look.observer, slot) &&
           would_enter(&queue->look, target, slot, flags);
}

static void take_seen(void *context, uint32_t item)
{
    struct queue *queue = context;
    const uint32_t slot = qd_kept_slot(item);
    qd_target target;

    if (qd_last_tick_target(queue->look.views, slot, &target)) {
        queue->before -= is_before(queue, &target, slot, flags_at(&queue->look, target.at, target.visible_range));
    }
}

/* How many of those that it shows are not in the view yet: each of them will be. */
static uint32_t count_coming(const qd_views *views, uint32_t row)
{
    const qd_join_derived *derived = &views->join->derived[row];
    uint32_t count = 0;

    for (uint32_t i = 0; i < derived->shown_count; i++) {
        count += derived->shown[i] != QD_NONE && !qd_kept_has(views, row, derived->shown[i]);
    }
    return count;
}

/* A limit leaves room for some entities, and those that are before all others wait for their entry. `target` is as it
 * was, and would enter. */
static bool is_held(const qd_views *views, uint32_t row, uint32_t slot, const qd_target *target)
{
    struct queue queue = {.id = views->entities->id[slot]};
    uint32_t other, flags;
    float at[3];

    begin_look(views, row, LAST_TICK, &queue.look);
    queue.distance = qd_rule_distance(&queue.look.observer, target);
    if (queue.look.observer.limit == 0) {
        return true;
    }
    while (next_near(&queue.look, &other, at, &flags)) {
        qd_target one = target_at(views, other, LAST_TICK);

        memcpy(one.at, at, sizeof one.at);
        queue.before += is_before(&queue, &one, other, flags);
    }
    qd_kept_walk(views, row, take_seen, &queue);
    return views->observers[row].seen + count_coming(views, row) + queue.before < queue.look.observer.limit;
}

uint32_t qd_derived_flags(const qd_views *views, uint32_t row, const qd_observer *then, uint32_t slot,
                          const qd_target *target)
{
    struct look look = {.views = views, .observer = *then, .inner = views->join->regions[row * QD_REGION_BODIES]};

    look.outer = outer_of(then, &look.inner);
    const uint32_t flags = flags_at(&look, target->at, target->visible_range);
    const bool is_kept = views->join->derived[row].is_kept;
    if (is_kept ? qd_kept_has(views, row, slot) : flags != 0 && qd_rule_admits(then, target, slot)) {
        return flags | QD_ENTRY_SEEN;
    }
    const bool is = is_kept && then->enter_budget > 0 &&
                    (qd_rule_shows(views, then, slot) ||
                     (would_enter(&look, target, slot, flags) && is_held(views, row, slot, target)));
    return flags | (is ? QD_ENTRY_HELD : 0);
}

/* ---- to entries and back ---- */

/* Of what a budget holds back, entries get QD_ENTRY_HELD. */
static void hold(qd_views *views, uint32_t row)
{
    const qd_observer *observer = &views->observers[row];
    const qd_visible_entries *set = &observer->entries;
    qd_priority_list *waiting = &views->wanted;

    waiting->count = 0;
    for (uint32_t at = 0; at < set->capacity && observer->enter_budget > 0; at++) {
        const uint32_t entry = set->entry[at], slot = qd_entry_slot(entry), flags = entry & QD_ENTRY_FLAGS;

        if (entry == 0 || flags & QD_ENTRY_SEEN || !qd_rule_wants(views, observer, slot, flags)) {
            continue;
        }
        const qd_priority item = {.lead = flags & QD_ENTRY_SHOWN ? 0 : 1,
                                  .distance = qd_rule_distance(observer, &views->targets[slot]),
                                  .id = views->entities->id[slot],
                                  .at = at};
        views->no_memory |= !qd_priority_list_add(waiting, views->heap, item);
    }
    uint32_t held = waiting->count;
    if (observer->limit > 0 && observer->limit - observer->seen < held) {
        held = observer->limit - observer->seen;
        qd_priority_choose(waiting->items, waiting->count, held);
    }
    for (uint32_t i = 0; i < held; i++) {
        set->entry[waiting->items[i].at] |= QD_ENTRY_HELD;
    }
}

struct keeping {
    qd_views *views;
    qd_observer *observer;
    enum derived_time time;
    bool is_afresh; /* all positions are to be relayed */
};

/* Sets flags of an entry. Without turns nothing waits, and with tiers everything was relayed. `item`: as kept. */
static void put(const struct keeping *keeping, uint32_t slot, uint32_t flags, uint32_t item)
{
    qd_views *views = keeping->views;
    qd_visible_entries *set = &keeping->observer->entries;
    uint32_t *entry = qd_visible_entries_put(set, views->heap, slot, flags);

    if (!entry) {
        views->no_memory = true;
        return;
    }
    *qd_entry_reported(set, entry) = item & QD_KEPT_WAITS || keeping->is_afresh
                                         ? views->targets[slot].position_round - 1
                                     : keeping->time == NOW ? views->round
                                                            : views->round - 1;
    if (set->relays) {
        *qd_entry_id(set, entry) = views->entities->id[slot];
        *entry |= item & QD_KEPT_LATE ? QD_ENTRY_WAITS : 0;
    }
}

static void put_item(void *context, uint32_t item)
{
    put(context, qd_kept_slot(item), QD_ENTRY_SEEN, item);
}

/* The view gets its entries. */
static void keep_entries(qd_views *views, uint32_t row, enum derived_time time)
{
    const bool is_kept = views->join->derived[row].is_kept;
    struct keeping keeping = {views, &views->observers[row], time, (views->attention[row] & QD_ATTEND_AFRESH) != 0};
    struct look look;
    uint32_t slot, flags;
    float at[3];

    begin_look(views, row, time, &look);
    while (next_near(&look, &slot, at, &flags) && !views->no_memory) {
        const qd_target target = target_at(views, slot, time);
        const bool is_seen = time != NOT_TAKEN && !is_kept && qd_rule_admits(&look.observer, &target, slot);

        put(&keeping, slot, flags | (is_seen ? (uint32_t)QD_ENTRY_SEEN : 0), 0);
    }
    for (uint32_t i = 0; i < views->join->derived[row].shown_count && !views->no_memory; i++) {
        const uint32_t shown_slot = views->join->derived[row].shown[i];

        if (shown_slot != QD_NONE) {
            put(&keeping, shown_slot, QD_ENTRY_SHOWN, 0);
        }
    }
    if (time == NOT_TAKEN && !views->no_memory) {
        qd_kept_walk_before(views, row, put_item, &keeping);
    } else if (is_kept && !views->no_memory) {
        qd_kept_walk(views, row, put_item, &keeping);
    }
    if (time == NOW && !views->no_memory) {
        hold(views, row);
    }
    views->join->regions[row * QD_REGION_BODIES + QD_BODY_OUTER] = look.outer;
    views->attention[row] &= (uint8_t)~QD_ATTEND_AFRESH;
    views->attention[row] |= is_kept || time == NOT_TAKEN ? QD_ATTEND_ONCE : 0;
    qd_derived_forget(views, row);
}

void qd_derived_refuse(qd_views *views, uint32_t row)
{
    keep_entries(views, row, NOT_TAKEN);
    views->join->bodies.is_plain = false;
}

bool qd_derived_update(qd_views *views, uint32_t row, bool goes_far)
{
    qd_observer *observer = &views->observers[row];

    if (observer->is_derived) {
        if (goes_far || views->attention[row] != 0) {
            keep_entries(views, row, LAST_TICK);
        }
        return false;
    }
    if (observer->entries.count > 0 || !fits(views, observer) || !note_shown(views, row)) {
        return false;
    }
    begin(views, row, qd_kept_has_rules(views, observer));
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

/* How many of its bodies meet entities. */
static uint32_t count_near(const qd_visible_entries *set)
{
    uint32_t sum = 0;

    for (uint32_t at = 0; at < set->capacity; at++) {
        sum += (uint32_t)__builtin_popcount(
            set->entry[at] & (QD_ENTRY_INNER | QD_ENTRY_OUTER | QD_ENTRY_BEACON_INNER | QD_ENTRY_BEACON_OUTER));
    }
    return sum;
}

void qd_derived_begin(qd_views *views)
{
    qd_join *join = views->join;

    if (!views->uses_join || join->grid.round != views->round || join->bodies.with_entries == 0) {
        return;
    }
    for (uint32_t row = 0; row < views->count; row++) {
        qd_observer *observer = &views->observers[row];

        const bool may_bind = observer->limit > 0 && observer->entries.count > observer->limit;
        const bool is_kept = may_bind || qd_kept_has_rules(views, observer) || meets_beacons(views, &observer->entries);

        if (observer->is_derived || !fits(views, observer) || !note_shown(views, row)) {
            continue;
        }
        if (is_kept && !qd_kept_begin(views, row)) {
            continue;
        }
        join->derived[row].near = count_near(&observer->entries);
        begin(views, row, is_kept);
    }
}

void qd_derived_end(qd_views *views)
{
    for (uint32_t row = 0; row < views->count; row++) {
        if (views->observers[row].is_derived && !views->no_memory) {
            keep_entries(views, row, NOW);
        }
        qd_derived_forget(views, row);
    }
}
