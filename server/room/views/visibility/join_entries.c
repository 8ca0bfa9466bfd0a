/* SPDX-License-Identifier: Apache-2.0 */
#include "join_entries.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../../base/interleave.h"
#include "../pairs/order.h"
#include "visibility_index.h"

/* Sorted again: where they have looked, together since the last time, at so many more sixteens than at the first tick
 * after it, for each entry, as sorting takes; or so many of them came since. */
#define EXCESS_SHARE 1.5
#define TAIL_SHARE   8u

#define REACH_SIDES 4
#define AHEAD       16u

/* ---- order ---- */

/* By where all is now; and who goes how far has to have two entries. */
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
    /* A box of 16, were they spread evenly, also along a line. */
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

static qd_order order_in(qd_room *room, uint32_t count)
{
    const size_t keys = qd_block_part(count, sizeof(uint64_t)), values = qd_block_part(count, sizeof(uint32_t));
    char *memory = qd_block_fit(&room->views.join->scratch, room->heap, 2 * (keys + values));

    return (qd_order){(uint64_t *)memory, (uint64_t *)(memory + keys), (uint32_t *)(memory + 2 * keys),
                      (uint32_t *)(memory + 2 * keys + values)};
}

/* ---- where all is ---- */

/* Room for so many entries, in sixteens. */
static void fit_entries(qd_room *room, uint32_t count)
{
    qd_join *join = room->views.join;

    for (unsigned k = 0; k < qd_join_axes(room); k++) {
        qd_join_column *both[] = {&join->now[k], &join->was[k]};

        for (unsigned i = 0; i < 2; i++) {
            both[i]->of =
                qd_array_need(room->heap, both[i]->of, &both[i]->capacity, sizeof(float), count | (QD_JOIN_FAN - 1));
        }
    }
    join->entries.of = qd_array_need(room->heap, join->entries.of, &join->entries.capacity, sizeof(uint32_t),
                                     count | (QD_JOIN_FAN - 1));
}

/* Entries that belong to nobody, up to the next sixteen. */
static void pad(qd_room *room)
{
    qd_join *join = room->views.join;

    fit_entries(room, join->entries.count);
    for (uint32_t i = join->entries.count; i % QD_JOIN_FAN != 0; i++) {
        join->entries.of[i] = 0;
        for (unsigned k = 0; k < qd_join_axes(room); k++) {
            join->now[k].of[i] = join->was[k].of[i] = INFINITY;
        }
    }
}

static void add_newcomer(qd_room *room, uint32_t slot, uint32_t from)
{
    qd_join_newcomers *to = &room->views.join->newcomers;

    to->of = qd_array_need(room->heap, to->of, &to->capacity, sizeof to->of[0], to->count);
    to->of[to->count++] = (qd_join_newcomer){slot, from};
}

static inline __attribute__((always_inline)) void move_entries(qd_room *room, unsigned axes)
{
    const qd_views *views = &room->views;
    qd_join *join = views->join;
    uint32_t *slots = join->entries.of;
    float *const now[3] = {join->now[0].of, join->now[1].of, join->now[2].of};
    const float *const was[3] = {join->was[0].of, join->was[1].of, join->was[2].of};

    for (uint32_t i = 0; i < join->entries.count; i++) {
        const uint32_t slot = slots[i] & ~QD_JOIN_LEFT;
        const qd_seen *seen = &views->seen[slot];
        const bool is_there = seen->point != QD_NONE && was[0][i] < INFINITY;
        bool is_far = false;

        if (i + AHEAD < join->entries.count) {
            __builtin_prefetch(&views->seen[slots[i + AHEAD] & ~QD_JOIN_LEFT]);
        }
        for (unsigned k = 0; k < axes; k++) {
            is_far |= fabsf(seen->at[k] - was[k][i]) > join->reach;
            now[k][i] = is_there ? seen->at[k] : INFINITY;
        }
        if (QD_UNLIKELY(is_far && is_there)) {
            slots[i] = slot | QD_JOIN_LEFT;
            for (unsigned k = 0; k < axes; k++) {
                now[k][i] = INFINITY;
            }
            add_newcomer(room, slot, i);
        }
    }
}

/* In the order of the curve; who went again is left out. */
static void sort_newcomers(qd_room *room)
{
    qd_views *views = &room->views;
    qd_join_newcomers *all = &views->join->newcomers;
    uint32_t count = 0;

    for (uint32_t i = 0; i < all->count; i++) {
        qd_seen *seen = &views->seen[all->of[i].slot];

        seen->marks &= (uint8_t)~QD_MARK_NEW;
        all->of[count] = all->of[i];
        count += seen->point != QD_NONE;
    }
    all->count = count;
    if (count <= QD_JOIN_FAN) {
        return;
    }
    qd_order order = order_in(room, count);
    qd_join_newcomer *from = qd_block_fit(&views->join->found, room->heap, count * sizeof from[0]);
    for (uint32_t i = 0; i < count; i++) {
        const qd_seen *seen = &views->seen[all->of[i].slot];

        order.keys[i] = number_of(&views->join->curve, seen->at[0], seen->at[1]);
        order.values[i] = i;
    }
    qd_order_sort(&order, count, 32, 0);
    memcpy(from, all->of, count * sizeof from[0]);
    for (uint32_t i = 0; i < count; i++) {
        all->of[i] = from[order.values[i]];
    }
}

static void append_newcomers(qd_room *room)
{
    const qd_views *views = &room->views;
    qd_join *join = views->join;
    const qd_join_newcomers *all = &join->newcomers;
    const uint32_t first = join->entries.count;

    sort_newcomers(room);
    join->left.count = all->count;
    if (all->count == 0) {
        return;
    }
    fit_entries(room, first + all->count);
    join->left.of =
        qd_array_need(room->heap, join->left.of, &join->left.capacity, sizeof join->left.of[0], all->count - 1);
    for (uint32_t i = 0; i < all->count; i++) {
        const uint32_t slot = all->of[i].slot;

        for (unsigned k = 0; k < qd_join_axes(room); k++) {
            join->now[k].of[first + i] = views->seen[slot].at[k];
            join->was[k].of[first + i] = INFINITY;
        }
        join->entries.of[first + i] = slot;
        join->left.of[i] = all->of[i].from;
    }
    join->entries.count += all->count;
    join->newcomers.count = 0;
}

static qd_join_region region_of(const qd_observer *observer, unsigned what)
{
    qd_join_region region = {.kind = 0};

    if (observer->state != QD_OBSERVER_LIVE || observer->body[what] == QD_NONE) {
        return region;
    }
    memcpy(region.at, observer->at, sizeof region.at);
    qd_sight_sizes(observer, what, region.half);
    region.kind = observer->kind == QD_ROOM_BOX ? QD_ROOM_BOX : QD_ROOM_CIRCLE;
    return region;
}

static void fit_regions(qd_room *room, qd_join_regions *regions, uint32_t count)
{
    if (count == 0) {
        return;
    }
    regions->of = qd_array_need(room->heap, regions->of, &regions->capacity, sizeof regions->of[0], count - 1);
    while (regions->count < count) {
        regions->of[regions->count++] = (qd_join_region){.kind = 0};
    }
}

static void note_regions(qd_room *room)
{
    qd_views *views = &room->views;
    const uint32_t count = views->count * QD_JOIN_REGIONS;

    fit_regions(room, &views->join->regions_now, count);
    fit_regions(room, &views->join->regions_was, count);
    for (uint32_t i = 0; i < count; i++) {
        views->join->regions_now.of[i] = region_of(&views->observers[i / QD_JOIN_REGIONS], i % QD_JOIN_REGIONS);
    }
}

/* What was now, at the last tick, is what was. */
static void turn(qd_room *room)
{
    qd_join *join = room->views.join;
    const qd_join_regions regions = join->regions_was;

    join->regions_was = join->regions_now;
    join->regions_now = regions;
    for (unsigned k = 0; k < qd_join_axes(room); k++) {
        const qd_join_column column = join->was[k];

        join->was[k] = join->now[k];
        join->now[k] = column;
    }
}

/* ---- sorting ---- */

static void sort_regions(qd_room *room)
{
    qd_join *join = room->views.join;
    const uint32_t count = join->regions_now.count;

    if (count == 0) {
        return;
    }
    qd_order order = order_in(room, count);
    for (uint32_t i = 0; i < count; i++) {
        order.keys[i] = number_of(&join->curve, join->regions_now.of[i].at[0], join->regions_now.of[i].at[1]);
        order.values[i] = i;
    }
    qd_order_sort(&order, count, 32, 0);
    join->order.of = qd_array_need(room->heap, join->order.of, &join->order.capacity, sizeof(uint32_t), count - 1);
    memcpy(join->order.of, order.values, count * sizeof order.values[0]);
    join->order.count = count;
}

/* Entries and regions, by where they are now; those who are not there are forgotten. What was is to be now's. */
static void sort(qd_room *room)
{
    qd_join *join = room->views.join;
    const uint32_t before = join->entries.count;
    uint32_t count = 0;
    qd_order order = order_in(room, before);

    plan_curve(join);
    if (room->views.habit.always) {
        join->reach = 2;
    }
    for (uint32_t i = 0; i < before; i++) {
        order.keys[count] = number_of(&join->curve, join->now[0].of[i], join->now[1].of[i]);
        order.values[count] = i;
        count += join->now[0].of[i] < INFINITY;
    }
    qd_order_sort(&order, count, 32, 0);
    for (unsigned k = 0; k < qd_join_axes(room); k++) {
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
    sort_regions(room);
}

static bool is_to_be_sorted(const qd_join *join)
{
    return (double)join->excess > EXCESS_SHARE * join->entries.count ||
           join->entries.count - join->sorted > join->entries.count / TAIL_SHARE;
}

/* ---- a tick ---- */

static void make_tree(qd_room *room, qd_join_tree *tree)
{
    qd_join *join = room->views.join;
    const unsigned axes = qd_join_axes(room);
    size_t bytes = 0;

    pad(room);
    *tree = (qd_join_tree){.count = (join->entries.count + QD_JOIN_FAN - 1) & ~(QD_JOIN_FAN - 1)};
    for (uint32_t count = tree->count; count > (tree->levels > 0 ? QD_JOIN_FAN : 0); tree->levels++) {
        count = (count + QD_JOIN_FAN - 1) / QD_JOIN_FAN;
        tree->level[tree->levels].count = count;
        bytes += 2 * axes * qd_block_part(count, sizeof(float));
    }
    char *memory = qd_block_fit(&join->boxes, room->heap, bytes);
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
}

void qd_join_note_looks(qd_join *join, uint64_t looks)
{
    if (join->looks_sorted == 0) {
        join->looks_sorted = looks;
    } else if (looks > join->looks_sorted) {
        join->excess += looks - join->looks_sorted;
    }
}

void qd_join_advance(qd_room *room, qd_join_tree *tree)
{
    qd_join *join = room->views.join;

    if (is_to_be_sorted(join)) {
        sort(room);
    }
    turn(room);
    fit_entries(room, join->entries.count);
    if (qd_join_axes(room) == 3) {
        move_entries(room, 3);
    } else {
        move_entries(room, 2);
    }
    append_newcomers(room);
    note_regions(room);
    make_tree(room, tree);
}

void qd_join_enlist(qd_room *room)
{
    qd_views *views = &room->views;
    qd_join *join = views->join;
    const unsigned axes = qd_join_axes(room);

    join->entries.count = join->newcomers.count = 0;
    join->regions_now.count = join->regions_was.count = join->order.count = 0;
    fit_entries(room, views->seen_end);
    for (uint32_t slot = 0; slot < views->seen_end; slot++) {
        const qd_seen *seen = &views->seen[slot];

        if (seen->point == QD_NONE) {
            continue;
        }
        for (unsigned k = 0; k < axes; k++) {
            join->now[k].of[join->entries.count] = seen->at[k];
        }
        join->entries.of[join->entries.count++] = slot;
    }
    note_regions(room);
    sort(room);
}

void qd_join_add(qd_room *room, uint32_t slot)
{
    /* Who comes twice, as it went in between, is listed once. */
    if (room->views.seen[slot].marks & QD_MARK_NEW) {
        return;
    }
    room->views.seen[slot].marks |= QD_MARK_NEW;
    add_newcomer(room, slot, QD_NONE);
}
