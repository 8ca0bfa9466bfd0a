/* SPDX-License-Identifier: Apache-2.0 */
#include "kept.h"

#include <math.h>
#include <string.h>

#include "../state/rule.h"

bool qd_kept_relays_all(const qd_views *views, const qd_observer *observer)
{
    /* The corners of a box are less than twice as far as its sides. Beacons and what is shown may be anywhere. */
    const float widest = qd_observer_widest(observer) * (observer->kind == QD_ROOM_BOX ? 2 : 1);
    const float reach = views->has_beacons || observer->show_count > 0 ? INFINITY : widest;

    return observer->tiers == 1 && observer->relay_every[0] == 1 && observer->relay_range[0] >= reach;
}

qd_join_relay qd_kept_relay(const qd_views *views, const qd_observer *observer)
{
    const bool relays_all = qd_kept_relays_all(views, observer);
    const bool may_hold = qd_view_holds_relays(&views->members[observer->member]);

    if (observer->tiers == 0) {
        return QD_RELAY_NOTHING;
    }
    if (relays_all) {
        return may_hold ? QD_RELAY_TURNS : QD_RELAY_MOVED;
    }
    return may_hold ? QD_RELAY_LATE : QD_RELAY_TURNS;
}

bool qd_kept_has_rules(const qd_views *views, const qd_observer *observer)
{
    return observer->kind != QD_ROOM_CIRCLE || observer->leave_margin > 0 || observer->enter_budget > 0 ||
           observer->hide_count > 0 || observer->show_count > 0 || qd_kept_relay(views, observer) >= QD_RELAY_TURNS;
}

/* ---- masks of the last tick ---- */

/* The masks that a body had at the last tick; rows of `stride`. */
struct masks {
    const qd_join_area *area;
    const uint32_t *shown; /* slots of the points behind those of the area */
    uint32_t shown_at, shown_count;
    uint16_t *seen;
    uint16_t *relayed, *waits, *late; /* NULL: nothing is */
    uint32_t stride;
};

/* Of a row in masks, between ticks or before its groups are made again. */
static struct masks masks_of(const qd_join *join, const qd_join_group *group, uint32_t body)
{
    const qd_join_derived *derived = &join->derived[join->plan.bodies[body].region / QD_REGION_BODIES];
    struct masks masks = {.area = &group->area,
                          .shown = derived->shown,
                          .shown_at = group->points - group->shown,
                          .shown_count = join->plan.bodies[body].shown,
                          .stride = qd_join_stride(qd_join_words(group))};

    masks.seen = qd_join_masks_of(join, group, body);
    if (join->plan.bodies[body].relay >= QD_RELAY_TURNS) {
        masks.relayed = masks.seen + QD_JOIN_RELAYED * masks.stride;
        masks.waits = masks.seen + QD_JOIN_WAITS * masks.stride;
    }
    if (join->plan.bodies[body].relay >= QD_RELAY_LATE) {
        masks.late = masks.seen + QD_JOIN_LATE * masks.stride;
    }
    return masks;
}

static const qd_join_group *group_of(const qd_join *join, uint32_t body)
{
    const qd_join_group *groups = join->plan.groups;
    uint32_t low = 0, high = join->plan.group_count;

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (groups[middle].first <= body) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &groups[low];
}

static struct masks masks_of_row(const qd_join *join, uint32_t row)
{
    const uint32_t body = join->derived[row].body;

    return masks_of(join, group_of(join, body), body);
}

static inline uint32_t item_at(const struct masks *masks, uint32_t slot, uint32_t point)
{
    const uint32_t waits = masks->waits ? qd_join_get(masks->waits, point) : 0;
    const uint32_t late = masks->late ? qd_join_get(masks->late, point) : 0;

    return slot << QD_KEPT_SHIFT | waits * QD_KEPT_WAITS | late * QD_KEPT_LATE;
}

/* Calls `visit` with each point of some masks. */
typedef void visit_point(void *context, uint32_t slot, uint32_t point);

static inline void walk_points(const qd_join_grid *grid, const struct masks *masks, const uint16_t *of,
                               visit_point *visit, void *context)
{
    uint32_t at = 0, first;

    for (uint32_t row = 0, rows = qd_join_rows_of(grid, masks->area); row < rows; row++) {
        const uint32_t count = qd_join_run(grid, masks->area, row, &first);

        for (uint32_t i = 0; i < count; i += QD_JOIN_BITS) {
            const uint32_t some = count - i < QD_JOIN_BITS ? count - i : QD_JOIN_BITS;

            for (uint64_t left = qd_join_bits_get(of, at + i, some); left != 0; left &= left - 1) {
                const uint32_t bit = i + (uint32_t)__builtin_ctzll(left);

                visit(context, grid->entries.slot[first + bit], at + bit);
            }
        }
        at += count;
    }
    for (uint32_t i = 0; i < masks->shown_count; i++) {
        const uint32_t point = masks->shown_at + i;

        if (qd_join_get(of, point)) {
            visit(context, masks->shown[i], point);
        }
    }
}

struct walk {
    const struct masks *masks;
    qd_kept_visit *visit;
    void *context;
};

static inline void visit_item(void *context, uint32_t slot, uint32_t point)
{
    const struct walk *walk = context;

    walk->visit(walk->context, item_at(walk->masks, slot, point));
}

static inline void walk_masks(const qd_join_grid *grid, const struct masks *masks, qd_kept_visit *visit, void *context)
{
    struct walk walk = {masks, visit, context};

    walk_points(grid, masks, masks->seen, visit_item, &walk);
}

/* ---- between ticks ---- */

static uint32_t item_of(const qd_views *views, const qd_visible_entries *set, uint32_t *entry)
{
    const uint32_t slot = qd_entry_slot(*entry), reported = *qd_entry_reported(set, entry);
    const bool waits = (int32_t)(views->targets[slot].position_round - reported) > 0;

    return slot << QD_KEPT_SHIFT | (waits ? QD_KEPT_WAITS : 0) | (*entry & QD_ENTRY_WAITS ? QD_KEPT_LATE : 0);
}

bool qd_kept_begin(qd_views *views, uint32_t row)
{
    const qd_observer *observer = &views->observers[row];
    const qd_visible_entries *set = &observer->entries;
    qd_join_derived *derived = &views->join->derived[row];
    uint32_t count = 0;

    derived->in_masks = false;
    derived->count = derived->owned = derived->shown_last = 0;
    if (observer->seen == 0) {
        return true;
    }
    uint32_t *list = qd_heap_alloc(views->heap, observer->seen * sizeof list[0]);
    if (!list) {
        return false;
    }
    for (uint32_t at = 0; at < set->capacity; at++) {
        if ((set->entry[at] & (QD_ENTRY_SEEN | QD_ENTRY_SHOWN)) == QD_ENTRY_SEEN) {
            list[count++] = item_of(views, set, &set->entry[at]);
        }
    }
    qd_array_sort(list, count);
    derived->shown_last = observer->seen - count;
    for (uint32_t i = 0; i < derived->shown_count; i++) {
        uint32_t *entry = derived->shown[i] != QD_NONE ? qd_visible_entries_find(set, derived->shown[i]) : NULL;

        if (entry && *entry & QD_ENTRY_SEEN) {
            list[count++] = item_of(views, set, entry);
        }
    }
    QD_ASSERT(count == observer->seen);
    derived->list = list;
    derived->count = derived->owned = count;
    views->join->lists++;
    return true;
}

static void drop_list(qd_views *views, qd_join_derived *derived)
{
    if (derived->owned > 0) {
        qd_heap_free(views->heap, derived->list, derived->owned * sizeof derived->list[0]);
        views->join->lists--;
    }
    derived->list = NULL;
    derived->count = derived->owned = derived->shown_last = 0;
}

void qd_kept_forget(qd_views *views, uint32_t row)
{
    qd_join_derived *derived = &views->join->derived[row];

    drop_list(views, derived);
    derived->in_masks = false;
}

void qd_kept_clear_waits(qd_views *views, uint32_t row)
{
    const qd_join *join = views->join;
    const qd_join_derived *derived = &join->derived[row];

    if (derived->in_masks) {
        const struct masks masks = masks_of_row(join, row);

        if (masks.waits) {
            memset(masks.waits, 0, masks.stride * sizeof masks.waits[0]);
        }
        if (masks.late) {
            memset(masks.late, 0, masks.stride * sizeof masks.late[0]);
        }
        return;
    }
    for (uint32_t i = 0; i < derived->owned; i++) {
        derived->list[i] &= ~(uint32_t)(QD_KEPT_WAITS | QD_KEPT_LATE);
    }
}

void qd_kept_walk(const qd_views *views, uint32_t row, qd_kept_visit *visit, void *context)
{
    const qd_join *join = views->join;
    const qd_join_derived *derived = &join->derived[row];

    if (derived->in_masks) {
        const struct masks masks = masks_of_row(join, row);

        walk_masks(&join->grid, &masks, visit, context);
        return;
    }
    for (uint32_t i = 0; i < derived->count; i++) {
        visit(context, derived->list[i]);
    }
}

struct visiting {
    qd_kept_visit *visit;
    void *context;
    uint32_t self;
};

/* The observer itself is in the masks of some views (qd_derived_compare_bare); with rules, if it shows itself. */
static void visit_other(void *context, uint32_t item)
{
    const struct visiting *visiting = context;

    if (qd_kept_slot(item) != visiting->self) {
        visiting->visit(visiting->context, item);
    }
}

static void add(uint16_t *to, const uint16_t *more, uint32_t stride)
{
    for (uint32_t word = 0; word < stride; word++) {
        to[word] |= more[word];
    }
}

void qd_kept_walk_before(const qd_views *views, uint32_t row, qd_kept_visit *visit, void *context)
{
    const qd_join *join = views->join;
    const qd_join_body *of = &join->plan.bodies[join->derived[row].body];
    struct visiting visiting = {visit, context, of->has_rules ? QD_NONE : of->self};
    struct masks masks = masks_of_row(join, row);

    if (masks.relayed) { /* none of it is reported */
        add(masks.waits, masks.relayed, masks.stride);
        masks.late = masks.relayed;
    }
    masks.seen += QD_JOIN_DID * masks.stride;
    walk_masks(&join->grid, &masks, visit_other, &visiting);
}

/* Where a slot is on a list `show`; QD_NONE: it is not there. */
static uint32_t find_shown(const uint32_t *shown, uint32_t count, uint32_t slot)
{
    for (uint32_t i = 0; i < count; i++) {
        if (shown[i] == slot) {
            return i;
        }
    }
    return QD_NONE;
}

/* The point of an entity in masks; false: it has none. */
static bool point_of(const qd_join *join, const struct masks *masks, uint32_t slot, uint32_t *point)
{
    const qd_join_grid *grid = &join->grid;
    const qd_join_area *area = masks->area;
    const uint32_t entry = grid->place[slot], shown = find_shown(masks->shown, masks->shown_count, slot);
    uint32_t at = 0, first;

    for (uint32_t row = 0, rows = qd_join_rows_of(grid, area); row < rows; row++) {
        const uint32_t count = qd_join_run(grid, area, row, &first);

        if (entry - first < count && shown == QD_NONE) {
            *point = at + entry - first;
            return true;
        }
        at += count;
    }
    *point = masks->shown_at + shown;
    return shown != QD_NONE;
}

bool qd_kept_has(const qd_views *views, uint32_t row, uint32_t slot)
{
    const qd_join *join = views->join;
    const qd_join_derived *derived = &join->derived[row];
    const uint32_t others = derived->count - derived->shown_last;
    uint32_t point, low = 0, high = others;

    if (derived->in_masks) {
        const struct masks masks = masks_of_row(join, row);

        return point_of(join, &masks, slot, &point) && qd_join_get(masks.seen, point);
    }
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (qd_kept_slot(derived->list[middle]) < slot) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool is = low < others && qd_kept_slot(derived->list[low]) == slot;
    for (uint32_t i = others; i < derived->count; i++) {
        is |= qd_kept_slot(derived->list[i]) == slot;
    }
    return is;
}

/* ---- what bytes hold back ---- */

uint32_t qd_kept_hold_all(qd_views *views, uint32_t row)
{
    qd_join *join = views->join;
    const struct masks masks = masks_of_row(join, row);
    qd_join_body *body = &join->plan.bodies[join->derived[row].body];
    const uint32_t held = body->relayed;

    add(masks.waits, masks.relayed, masks.stride);
    if (masks.late) {
        add(masks.late, masks.relayed, masks.stride);
    }
    memset(masks.relayed, 0, masks.stride * sizeof masks.relayed[0]);
    body->relayed = 0;
    return held;
}

struct sharing {
    qd_views *views;
    const qd_relay_share *share;
};

static void list_point(void *context, uint32_t slot, uint32_t point)
{
    const struct sharing *sharing = context;
    qd_views *views = sharing->views;
    const qd_priority item = {.id = views->entities->id[slot], .at = point};

    if (qd_relay_share_has(sharing->share, item.id)) {
        views->no_memory |= !qd_priority_list_add(&views->wanted, views->heap, item);
    }
}

uint32_t qd_kept_hold(qd_views *views, uint32_t row, qd_relay_share *share)
{
    qd_join *join = views->join;
    const struct masks masks = masks_of_row(join, row);
    struct sharing sharing = {views, share};

    views->wanted.count = 0;
    walk_points(&join->grid, &masks, masks.relayed, list_point, &sharing);
    qd_relay_share_choose(share, views->wanted.items, views->wanted.count);
    for (uint32_t i = share->relayed; i < views->wanted.count; i++) {
        const uint32_t point = views->wanted.items[i].at;

        qd_join_set(masks.relayed, point, false);
        qd_join_set(masks.waits, point, true);
        if (masks.late) {
            qd_join_set(masks.late, point, true);
        }
    }
    join->plan.bodies[join->derived[row].body].relayed -= views->wanted.count - share->relayed;
    return views->wanted.count - share->relayed;
}

/* ---- from masks to lists ---- */

static uint32_t count_shown(const struct masks *masks)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < masks->shown_count; i++) {
        sum += qd_join_get(masks->seen, masks->shown_at + i);
    }
    return sum;
}

struct unpacking {
    const qd_views *views;
    uint32_t *items;
    size_t first[QD_JOIN_PARTS_MAX]; /* of each part */
};

struct listing {
    const struct masks *masks;
    uint32_t *to;
};

static inline void list_item(void *context, uint32_t slot, uint32_t point)
{
    struct listing *listing = context;

    *listing->to++ = item_at(listing->masks, slot, point);
}

static void unpack_part(size_t task, void *argument)
{
    const struct unpacking *unpacking = argument;
    const qd_join *join = unpacking->views->join;
    const qd_join_part *part = &join->plan.parts[task];
    uint32_t *to = unpacking->items + unpacking->first[task];

    for (uint32_t g = part->first; g < part->end; g++) {
        const qd_join_group *group = &join->plan.groups[g];

        for (uint32_t i = group->first; i < group->first + group->count; i++) {
            const qd_join_body *body = &join->plan.bodies[i];
            qd_join_derived *derived = &join->derived[body->region / QD_REGION_BODIES];

            if (!body->is_kept || !derived->in_masks || derived->body != i) {
                continue;
            }
            const struct masks masks = masks_of(join, group, i);
            struct listing listing = {&masks, to};

            derived->list = to;
            walk_points(&join->grid, &masks, masks.seen, list_item, &listing);
            to = listing.to;
            derived->count = (uint32_t)(to - derived->list);
            derived->shown_last = count_shown(&masks);
            derived->in_masks = false;
        }
    }
}

bool qd_kept_unpack(qd_views *views, const qd_executor *executor)
{
    qd_join *join = views->join;
    struct unpacking unpacking = {.views = views};
    size_t count = 0;

    if (join->masks_round + 1 != views->round) {
        return true;
    }
    for (uint32_t i = 0; i < join->plan.part_count; i++) {
        unpacking.first[i] = count;
        count += join->plan.parts[i].kept;
    }
    unpacking.items = qd_block_fit(&join->memory_of_lists, views->heap, count * sizeof unpacking.items[0]);
    if (!unpacking.items && count > 0) {
        return false;
    }
    executor->run(executor->context, join->plan.part_count, unpack_part, &unpacking);
    return true;
}

/* ---- from the last tick to this one ---- */

static void copy_bits(const uint16_t *from, uint32_t at_from, uint16_t *to, uint32_t at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += QD_JOIN_BITS) {
        const uint32_t some = count - i < QD_JOIN_BITS ? count - i : QD_JOIN_BITS;

        qd_join_bits_add(to, at + i, qd_join_bits_get(from, at_from + i, some));
    }
}

/* From masks of the same entries in another area. Masks of the block have room for what qd_join_bits_add reaches. */
static void shift(const qd_join_block *block, const qd_join_area *before, const uint16_t *from, uint16_t *to)
{
    const qd_join_area *area = &block->group->area;
    uint16_t *shifted = block->some[QD_JOIN_SOME - 1];
    uint32_t at = 0, at_before = 0, first, first_before;

    memset(shifted, 0, block->stride * sizeof shifted[0]);
    for (uint32_t y = before->y0; y < area->y0 && y <= before->y1; y++) {
        at_before += qd_join_run(block->grid, before, y - before->y0, &first_before);
    }
    for (uint32_t y = area->y0; y <= area->y1; y++) {
        const uint32_t count = qd_join_run(block->grid, area, y - area->y0, &first);

        if (y >= before->y0 && y <= before->y1) {
            const uint32_t count_before = qd_join_run(block->grid, before, y - before->y0, &first_before);
            const uint32_t low = first > first_before ? first : first_before;
            const uint32_t end = first + count, end_before = first_before + count_before;
            const uint32_t high = end < end_before ? end : end_before;

            copy_bits(from, at_before + low - first_before, shifted, at + low - first, high > low ? high - low : 0);
            at_before += count_before;
        }
        at += count;
    }
    const uint32_t beacons = block->grid->count - block->grid->beacons, shown = block->group->shown;
    copy_bits(from, block->group->points_before - shown - beacons, shifted, at, beacons);
    copy_bits(from, block->group->points_before - shown, shifted, at + beacons, shown);
    memcpy(to, shifted, block->stride * sizeof to[0]);
}

/* Fills row `to` of a body's masks from row `row` of the last tick. */
static void load_row(const qd_join *join, const qd_join_block *block, uint32_t body, uint32_t row, uint16_t *to)
{
    const qd_join_group *group = block->group;
    const uint32_t stride = qd_join_stride(qd_join_words_of(group->stays ? group->points : group->points_before));
    const uint16_t *from = join->older + group->older + (group->rows * (size_t)(body - group->first) + row) * stride;

    if (group->stays) {
        memcpy(to, from, stride * sizeof to[0]);
    } else {
        shift(block, &group->before, from, to);
    }
}

static void set_item(const qd_join_block *block, uint32_t item, uint32_t point, uint32_t relay, uint16_t *is)
{
    qd_join_set(is + QD_JOIN_DID * (size_t)block->stride, point, true);
    if (relay >= QD_RELAY_TURNS && item & QD_KEPT_WAITS) {
        qd_join_set(is + QD_JOIN_WAITS * (size_t)block->stride, point, true);
    }
    if (relay >= QD_RELAY_LATE && item & QD_KEPT_LATE) {
        qd_join_set(is + QD_JOIN_LATE * (size_t)block->stride, point, true);
    }
}

void qd_kept_load(const qd_views *views, const qd_join_block *block, uint32_t body, uint16_t *is)
{
    const size_t stride = block->stride;
    const qd_join *join = views->join;
    const qd_join_derived *derived = &join->derived[join->plan.bodies[body].region / QD_REGION_BODIES];
    const uint32_t relay = join->plan.bodies[body].relay;

    if (derived->in_masks) {
        load_row(join, block, body, QD_JOIN_IS, is + QD_JOIN_DID * stride);
        if (relay >= QD_RELAY_TURNS) {
            load_row(join, block, body, QD_JOIN_WAITS, is + QD_JOIN_WAITS * stride);
        }
        if (relay >= QD_RELAY_LATE) {
            load_row(join, block, body, QD_JOIN_LATE, is + QD_JOIN_LATE * stride);
        }
        return;
    }
    memset(is, 0, qd_join_masks_for(relay) * stride * sizeof is[0]);
    const uint32_t others = derived->count - derived->shown_last;
    for (uint32_t i = 0; i < others; i++) {
        set_item(block, derived->list[i], qd_join_point_of(block, qd_kept_slot(derived->list[i])), relay, is);
    }
    for (uint32_t i = others, shown = 0; i < derived->count; i++, shown++) {
        while (derived->shown[shown] != qd_kept_slot(derived->list[i])) {
            shown++;
        }
        set_item(block, derived->list[i], block->shown_at + shown, relay, is);
    }
}

void qd_kept_drop_lists(qd_views *views)
{
    qd_join *join = views->join;

    for (uint32_t row = 0; row < join->row_count && join->lists > 0; row++) {
        drop_list(views, &join->derived[row]);
    }
}
