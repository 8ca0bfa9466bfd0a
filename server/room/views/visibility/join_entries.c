/* SPDX-License-Identifier: Apache-2.0 */
#include "join_entries.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../../../base/interleave.h"
#include "../../common/order.h"
#include "../state/rule.h"

/* Entries are sorted again after EXCESS_SHARE excess looks per entry, which cost as much as a sort, or when one in
 * TAIL_SHARE has come since the last sort. */
#define EXCESS_SHARE 1.5
#define TAIL_SHARE   8u

#define REACH_SIDES 4
#define AHEAD       16u

/* ---- order ---- */

/* Fits the curve and the reach to where the entries are now. */
static void plan_curve(qd_join *join)
{
    double wide[2];

    for (unsigned k = 0; k < 2; k++) {
        float lo = FLT_MAX, hi = -FLT_MAX;

        for (uint32_t i = 0; i < join->entries.count; i++) {
            const float at = join->now[k].of[i];

            lo = at < lo ? at : lo;
            hi = at < INFINITY && at > hi ? at : hi;
        }
        wide[k] = (double)hi - (double)lo;
        join->curve.lo[k] = lo;
        join->curve.scale[k] = wide[k] > 0 ? (float)(UINT16_MAX / wide[k]) : 0;
    }
    /* The side of a group's box if points were spread evenly, or along a line. */
    const double share = (double)QD_JOIN_FAN / (1 + (double)join->entries.count);
    const double side = sqrt(wide[0] * wide[1] * share), length = (wide[0] > wide[1] ? wide[0] : wide[1]) * share;
    join->reach = wide[0] >= 0 ? (float)fmin(REACH_SIDES * (side > length ? side : length), FLT_MAX) : 0;
}

static uint32_t steps(float at, float lo, float scale)
{
    float along = (at - lo) * scale;

    along = along > 0 ? along : 0;
    return (uint32_t)(along < UINT16_MAX ? along : UINT16_MAX);
}

static uint32_t number_of(const qd_join_curve *curve, float x, float y)
{
    return qd_interleave(steps(x, curve->lo[0], curve->scale[0]), steps(y, curve->lo[1], curve->scale[1]));
}

/* ---- positions ---- */

/* Makes room for so many entries, in whole groups. Like all functions below that return bool: false: no memory. */
static bool fit_entries(qd_views *views, uint32_t count)
{
    qd_join *join = views->join;
    const uint32_t last = count | (QD_JOIN_FAN - 1);

    for (unsigned k = 0; k < qd_views_axes(views); k++) {
        if (!qd_array_reserve(views->heap, join->now[k].of, join->now[k].capacity, last) ||
            !qd_array_reserve(views->heap, join->was[k].of, join->was[k].capacity, last)) {
            return false;
        }
    }
    return qd_array_reserve(views->heap, join->entries.of, join->entries.capacity, last);
}

/* Fills the last group with entries of no entity. */
static bool pad(qd_views *views)
{
    qd_join *join = views->join;

    if (!fit_entries(views, join->entries.count)) {
        return false;
    }
    for (uint32_t i = join->entries.count; i % QD_JOIN_FAN != 0; i++) {
        join->entries.of[i] = 0;
        for (unsigned k = 0; k < qd_views_axes(views); k++) {
            join->now[k].of[i] = join->was[k].of[i] = INFINITY;
        }
    }
    return true;
}

bool qd_join_reserve(qd_views *views)
{
    qd_join_additions *to = &views->join->additions;

    return qd_array_reserve(views->heap, to->of, to->capacity, to->count);
}

static bool list_addition(qd_views *views, uint32_t slot, uint32_t replaces)
{
    qd_join_additions *to = &views->join->additions;

    if (!qd_join_reserve(views)) {
        return false;
    }
    to->of[to->count++] = (qd_join_addition){slot, replaces};
    return true;
}

static inline __attribute__((always_inline)) bool move_entries(qd_views *views, unsigned axes)
{
    qd_join *join = views->join;
    uint32_t *slots = join->entries.of;
    float *const now[3] = {join->now[0].of, join->now[1].of, join->now[2].of};
    const float *const was[3] = {join->was[0].of, join->was[1].of, join->was[2].of};

    for (uint32_t i = 0; i < join->entries.count; i++) {
        const uint32_t slot = slots[i] & ~QD_JOIN_REPLACED;
        const qd_target *target = &views->targets[slot];
        const bool is_there = target->point != QD_NONE && was[0][i] < INFINITY;
        bool is_far = false;

        if (i + AHEAD < join->entries.count) {
            __builtin_prefetch(&views->targets[slots[i + AHEAD] & ~QD_JOIN_REPLACED]);
        }
        for (unsigned k = 0; k < axes; k++) {
            is_far |= fabsf(target->at[k] - was[k][i]) > join->reach;
            now[k][i] = is_there ? target->at[k] : INFINITY;
        }
        if (QD_UNLIKELY(is_far && is_there)) {
            slots[i] = slot | QD_JOIN_REPLACED;
            for (unsigned k = 0; k < axes; k++) {
                now[k][i] = INFINITY;
            }
            if (!list_addition(views, slot, i)) {
                return false;
            }
        }
    }
    return true;
}

/* Sorts the additions along the curve, without entities that have gone again. */
static bool sort_additions(qd_views *views)
{
    qd_join_additions *all = &views->join->additions;
    uint32_t count = 0;
    qd_order order;

    for (uint32_t i = 0; i < all->count; i++) {
        qd_target *target = &views->targets[all->of[i].slot];

        target->flags &= (uint8_t)~QD_TARGET_ADDED;
        all->of[count] = all->of[i];
        count += target->point != QD_NONE;
    }
    all->count = count;
    if (count <= QD_JOIN_FAN) {
        return true;
    }
    qd_join_addition *from = qd_block_fit(&views->join->found, views->heap, count * sizeof from[0]);
    if (!from || !qd_order_in_block(&order, &views->join->scratch, views->heap, count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const qd_target *target = &views->targets[all->of[i].slot];

        order.keys[i] = number_of(&views->join->curve, target->at[0], target->at[1]);
        order.values[i] = i;
    }
    qd_order_sort(&order, count, 32, 0);
    memcpy(from, all->of, count * sizeof from[0]);
    for (uint32_t i = 0; i < count; i++) {
        all->of[i] = from[order.values[i]];
    }
    return true;
}

static bool append_additions(qd_views *views)
{
    qd_join *join = views->join;
    const qd_join_additions *all = &join->additions;
    const uint32_t first = join->entries.count;

    if (!sort_additions(views)) {
        return false;
    }
    join->replaced.count = all->count;
    if (all->count == 0) {
        return true;
    }
    if (!fit_entries(views, first + all->count) ||
        !qd_array_reserve(views->heap, join->replaced.of, join->replaced.capacity, all->count - 1)) {
        return false;
    }
    for (uint32_t i = 0; i < all->count; i++) {
        const uint32_t slot = all->of[i].slot;

        for (unsigned k = 0; k < qd_views_axes(views); k++) {
            join->now[k].of[first + i] = views->targets[slot].at[k];
            join->was[k].of[first + i] = INFINITY;
        }
        join->entries.of[first + i] = slot;
        join->replaced.of[i] = all->of[i].replaces;
    }
    join->entries.count += all->count;
    join->additions.count = 0;
    return true;
}

static qd_join_region region_of(const qd_observer *observer, unsigned what)
{
    qd_join_region region = {.kind = 0};

    if (observer->state != QD_OBSERVER_LIVE || observer->body[what] == QD_NONE) {
        return region;
    }
    memcpy(region.at, observer->at, sizeof region.at);
    qd_observer_sizes(observer, what, region.half);
    region.kind = observer->kind == QD_ROOM_BOX ? QD_ROOM_BOX : QD_ROOM_CIRCLE;
    return region;
}

static bool fit_regions(qd_views *views, qd_join_regions *regions, uint32_t count)
{
    if (count == 0) {
        return true;
    }
    if (!qd_array_reserve(views->heap, regions->of, regions->capacity, count - 1)) {
        return false;
    }
    while (regions->count < count) {
        regions->of[regions->count++] = (qd_join_region){.kind = 0};
    }
    return true;
}

static bool note_regions(qd_views *views)
{
    const uint32_t count = views->count * QD_REGION_BODIES;

    if (!fit_regions(views, &views->join->regions_now, count) ||
        !fit_regions(views, &views->join->regions_was, count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        views->join->regions_now.of[i] = region_of(&views->observers[i / QD_REGION_BODIES], i % QD_REGION_BODIES);
    }
    /* There may have been more rows before. */
    for (uint32_t i = count; i < views->join->regions_now.count; i++) {
        views->join->regions_now.of[i].kind = 0;
    }
    return true;
}

/* The positions of the last tick become the old ones. */
static void swap_now_and_was(qd_views *views)
{
    qd_join *join = views->join;
    const qd_join_regions regions = join->regions_was;

    join->regions_was = join->regions_now;
    join->regions_now = regions;
    for (unsigned k = 0; k < qd_views_axes(views); k++) {
        const qd_join_column column = join->was[k];

        join->was[k] = join->now[k];
        join->now[k] = column;
    }
}

/* ---- sorting ---- */

static bool sort_regions(qd_views *views)
{
    qd_join *join = views->join;
    const uint32_t count = join->regions_now.count;
    qd_order order;

    if (count == 0) {
        return true;
    }
    if (!qd_order_in_block(&order, &join->scratch, views->heap, count) ||
        !qd_array_reserve(views->heap, join->order.of, join->order.capacity, count - 1)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        order.keys[i] = number_of(&join->curve, join->regions_now.of[i].at[0], join->regions_now.of[i].at[1]);
        order.values[i] = i;
    }
    qd_order_sort(&order, count, 32, 0);
    memcpy(join->order.of, order.values, count * sizeof order.values[0]);
    join->order.count = count;
    return true;
}

/* Sorts entries and regions by where they are now, and removes entries without a position. Old positions are lost. */
static bool sort(qd_views *views)
{
    qd_join *join = views->join;
    const uint32_t before = join->entries.count;
    uint32_t count = 0;
    qd_order order;

    if (!qd_order_in_block(&order, &join->scratch, views->heap, before)) {
        return false;
    }
    plan_curve(join);
    if (views->join_tuning.always) {
        join->reach = 2;
    }
    for (uint32_t i = 0; i < before; i++) {
        order.keys[count] = number_of(&join->curve, join->now[0].of[i], join->now[1].of[i]);
        order.values[count] = i;
        count += join->now[0].of[i] < INFINITY;
    }
    qd_order_sort(&order, count, 32, 0);
    for (unsigned k = 0; k < qd_views_axes(views); k++) {
        for (uint32_t i = 0; i < count; i++) {
            join->was[k].of[i] = join->now[k].of[order.values[i]];
        }
        const qd_join_column column = join->was[k];
        join->was[k] = join->now[k];
        join->now[k] = column;
    }
    for (uint32_t i = 0; i < count; i++) {
        order.keys[i] = join->entries.of[order.values[i]];
    }
    for (uint32_t i = 0; i < count; i++) {
        join->entries.of[i] = (uint32_t)order.keys[i];
    }
    join->entries.count = join->sorted = count;
    join->looks_sorted = join->excess = 0;
    return sort_regions(views);
}

static bool needs_sorting(const qd_join *join)
{
    return (double)join->excess > EXCESS_SHARE * join->entries.count ||
           join->entries.count - join->sorted > join->entries.count / TAIL_SHARE;
}

/* ---- a tick ---- */

static bool make_tree(qd_views *views, qd_join_tree *tree)
{
    qd_join *join = views->join;
    const unsigned axes = qd_views_axes(views);
    size_t bytes = 0;

    if (!pad(views)) {
        return false;
    }
    *tree = (qd_join_tree){.count = (join->entries.count + QD_JOIN_FAN - 1) & ~(QD_JOIN_FAN - 1)};
    for (uint32_t count = tree->count; count > (tree->levels > 0 ? QD_JOIN_FAN : 0); tree->levels++) {
        count = (count + QD_JOIN_FAN - 1) / QD_JOIN_FAN;
        tree->level[tree->levels].count = count;
        bytes += 2 * axes * qd_block_part(count, sizeof(float));
    }
    char *memory = qd_block_fit(&join->boxes, views->heap, bytes);
    if (!memory) {
        return false;
    }
    for (uint32_t i = 0; i < tree->levels; i++) {
        qd_join_level *level = &tree->level[i];

        for (unsigned k = 0; k < axes; k++) {
            level->lo[k] = (float *)memory;
            level->hi[k] = (float *)(memory + qd_block_part(level->count, sizeof(float)));
            memory += 2 * qd_block_part(level->count, sizeof(float));
        }
    }
    for (unsigned k = 0; k < axes; k++) {
        tree->now[k] = join->now[k].of;
        tree->was[k] = join->was[k].of;
    }
    qd_join_boxes(tree, axes);
    return true;
}

void qd_join_note_looks(qd_join *join, uint64_t looks)
{
    if (join->looks_sorted == 0) {
        join->looks_sorted = looks;
    } else if (looks > join->looks_sorted) {
        join->excess += looks - join->looks_sorted;
    }
}

bool qd_join_advance(qd_views *views, qd_join_tree *tree)
{
    qd_join *join = views->join;

    if (needs_sorting(join) && !sort(views)) {
        return false;
    }
    swap_now_and_was(views);
    if (!fit_entries(views, join->entries.count)) {
        return false;
    }
    const bool moved = qd_views_axes(views) == 3 ? move_entries(views, 3) : move_entries(views, 2);
    return moved && append_additions(views) && note_regions(views) && make_tree(views, tree);
}

bool qd_join_start(qd_views *views)
{
    qd_join *join = views->join;
    const unsigned axes = qd_views_axes(views);

    join->entries.count = join->additions.count = 0;
    join->regions_now.count = join->regions_was.count = join->order.count = 0;
    if (!fit_entries(views, views->target_end)) {
        return false;
    }
    for (uint32_t slot = 0; slot < views->target_end; slot++) {
        const qd_target *target = &views->targets[slot];

        if (target->point == QD_NONE) {
            continue;
        }
        for (unsigned k = 0; k < axes; k++) {
            join->now[k].of[join->entries.count] = target->at[k];
        }
        join->entries.of[join->entries.count++] = slot;
    }
    return note_regions(views) && sort(views);
}

void qd_join_stop(qd_views *views)
{
    qd_join_additions *additions = &views->join->additions;

    for (uint32_t i = 0; i < additions->count; i++) {
        views->targets[additions->of[i].slot].flags &= (uint8_t)~QD_TARGET_ADDED;
    }
    additions->count = 0;
}

void qd_join_add(qd_views *views, uint32_t slot)
{
    /* A slot that is removed and used again between two ticks is listed once. */
    if (views->targets[slot].flags & QD_TARGET_ADDED) {
        return;
    }
    views->targets[slot].flags |= QD_TARGET_ADDED;
    const bool listed = list_addition(views, slot, QD_NONE);
    QD_ASSERT(listed);
}
