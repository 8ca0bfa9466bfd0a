/* SPDX-License-Identifier: Apache-2.0 */
#include "join.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "join_entries.h"
#include "visibility_index.h"

/* Where it pays: so many in view of all together, and of each observer on average; and half of the entities move. Who
 * leads already goes on with half of that. */
#define PAIRS_MIN      65536u
#define PAIRS_A_REGION 16u
#define MOVED_SHARE    2u

/* At sixteens of points, beyond one for each entity in view: that takes a tenth of a second. */
#define LOOKS_IN_VAIN (UINT64_C(1) << 24)

#define REGIONS_A_PART 256u
#define PARTS_A_HAND   4u
#define PARTS_MAX      256u

#define LISTED_MAX    64u /* sixteens that are gone through at once */
#define REGIONS_AHEAD 4u
#define NEWS_MIN      4096u /* so much is told to the other parts */

/* What one task has found. */
typedef struct qd_join_part {
    qd_heap heap; /* not the room's, because parts are worked on at the same time */
    qd_crossing *all;
    uint32_t count, capacity;
    uint32_t told;      /* of these, to the other parts */
    uint32_t looks;     /* that they were not told yet */
    bool are_too_many;  /* crossings of all parts together: no more are kept */
    bool looks_in_vain; /* all together; nobody goes on */
    qd_block lists;
} part;

/* `found` and `looks` are of all parts together. They only grow, and nothing is left out before one of them is above
 * its bound; so which of them is in the end is a matter of the work alone, however it was divided. That holds for both,
 * as looks are counted on when too much was found. */
typedef struct joining {
    const qd_room *room;
    qd_join_tree tree;
    uint32_t parts;
    unsigned axes;
    uint64_t limit, looks_max;
    _Atomic uint64_t found, looks;
    const qd_join_finder *finder;
} joining;

/* ---- regions ---- */

/* A ball in which all of the region is. Of a box nobody is surely inside of it. */
static qd_join_ball ball_of(const qd_join_region *region)
{
    if (region->kind == 0) {
        return QD_JOIN_NO_BALL;
    }
    if (region->kind == QD_ROOM_CIRCLE) {
        return qd_join_ball_of(region->at, region->half[0]);
    }
    double sum = 0;
    for (unsigned k = 0; k < 3; k++) {
        /* Corners are rounded. */
        const double reach =
            (double)region->half[k] + 0x1p-22 * (fabs((double)region->at[k]) + (double)region->half[k]);

        sum += reach * reach;
    }
    const double radius = sqrt(sum) * (1 + 0x1p-20);
    qd_join_ball ball = qd_join_ball_of(region->at, radius < (double)FLT_MAX ? (float)radius : FLT_MAX);
    ball.inside = -1;
    return ball;
}

/* The rule of views.h, of a point that is there. */
static inline bool is_in(const float at[3], const qd_join_region *region, unsigned axes)
{
    if (region->kind == 0) {
        return false;
    }
    if (region->kind == QD_ROOM_BOX) {
        bool is = true;

        for (unsigned k = 0; k < axes; k++) {
            is &= (region->at[k] - region->half[k] <= at[k]) & (at[k] <= region->at[k] + region->half[k]);
        }
        return is;
    }
    const double radius = (double)region->half[0];
    double sum = 0;
    for (unsigned k = 0; k < axes; k++) {
        const double apart = (double)region->at[k] - (double)at[k];

        sum += apart * apart;
    }
    return sum <= radius * radius;
}

static inline bool has(const qd_join_column *column, uint32_t i, const qd_join_region *region, unsigned axes)
{
    const float at[3] = {column[0].of[i], column[1].of[i], axes == 3 ? column[2].of[i] : 0};

    return at[0] < INFINITY && is_in(at, region, axes);
}

static void tell_found(const joining *all, part *to, uint32_t i, const uint32_t *found, uint32_t count)
{
    const qd_views *views = &all->room->views;
    const qd_join *join = views->join;
    const qd_join_region *now = &join->regions_now.of[i], *was = &join->regions_was.of[i];
    const uint32_t whose = qd_whose(i % QD_JOIN_REGIONS, i / QD_JOIN_REGIONS);
    const uint32_t old = join->entries.count - join->left.count;

    for (uint32_t f = 0; f < count; f++) {
        const uint32_t entry = join->entries.of[found[f]], slot = entry & ~QD_JOIN_LEFT;
        const uint32_t newcomer = found[f] - old; /* if so; what fills the last sixteen up is none */
        const uint32_t from = newcomer < join->left.count ? join->left.of[newcomer] : QD_NONE;
        const bool is = entry & QD_JOIN_LEFT ? is_in(views->seen[slot].at, now, all->axes)
                                             : has(join->now, found[f], now, all->axes);
        const bool did = has(join->was, from != QD_NONE ? from : found[f], was, all->axes);

        to->all[to->count] = (qd_crossing){whose, slot, is};
        to->count += is != did && (is ? !(entry & QD_JOIN_LEFT) : from == QD_NONE);
    }
}

static void tell_region(const joining *all, part *to, uint32_t i, uint32_t *memory)
{
    const qd_join *join = all->room->views.join;
    const qd_join_region *now = &join->regions_now.of[i], *was = &join->regions_was.of[i];
    uint32_t found[(LISTED_MAX + 1) * QD_JOIN_FAN];
    const uint32_t *list;

    if (now->kind == 0 && was->kind == 0) {
        return;
    }
    const qd_join_ball ball_now = ball_of(now), ball_was = ball_of(was);
    const uint32_t listed = all->finder->near(&all->tree, &ball_now, &ball_was, memory, &list);
    to->looks += listed;
    for (uint32_t first = 0; first < listed && !to->are_too_many; first += LISTED_MAX) {
        const uint32_t some = listed - first < LISTED_MAX ? listed - first : LISTED_MAX;
        const uint32_t count = all->finder->open(&all->tree, &ball_now, &ball_was, list + first, some, found);

        if (count == 0) {
            continue;
        }
        to->all = qd_array_need(&to->heap, to->all, &to->capacity, sizeof to->all[0], to->count + count - 1);
        tell_found(all, to, i, found, count);
    }
}

/* Who came since they were sorted stands behind the others. */
static uint32_t region_at(const qd_join *join, uint32_t i)
{
    return i < join->order.count ? join->order.of[i] : i;
}

static void tell_others(joining *all, part *to)
{
    const uint64_t found = to->count - to->told, looks = to->looks;

    to->told = to->count;
    to->looks = 0;
    to->are_too_many = atomic_fetch_add_explicit(&all->found, found, memory_order_relaxed) + found > all->limit;
    to->looks_in_vain = atomic_fetch_add_explicit(&all->looks, looks, memory_order_relaxed) + looks > all->looks_max;
}

static void tell_part(size_t task, void *argument)
{
    joining *all = argument;
    const qd_join *join = all->room->views.join;
    part *to = &join->parts[task];
    const uint64_t count = join->regions_now.count;
    const uint32_t first = (uint32_t)(count * task / all->parts), end = (uint32_t)(count * (task + 1) / all->parts);
    uint32_t *memory = qd_block_fit(&to->lists, &to->heap, qd_join_list_room(&all->tree) * sizeof memory[0]);

    to->count = to->told = to->looks = 0;
    to->are_too_many = to->looks_in_vain = false;
    for (uint32_t i = first; i < end && !to->looks_in_vain; i++) {
        if (i + REGIONS_AHEAD < end) {
            __builtin_prefetch(&join->regions_now.of[region_at(join, i + REGIONS_AHEAD)]);
            __builtin_prefetch(&join->regions_was.of[region_at(join, i + REGIONS_AHEAD)]);
        }
        tell_region(all, to, region_at(join, i), memory);
        if (to->count - to->told >= NEWS_MIN || to->looks >= NEWS_MIN) {
            tell_others(all, to);
        }
    }
    tell_others(all, to);
}

static void fit_parts(qd_room *room, uint32_t count)
{
    qd_join *join = room->views.join;

    join->parts = qd_array_need(room->heap, join->parts, &join->part_capacity, sizeof join->parts[0], count - 1);
    for (; join->part_count < count; join->part_count++) {
        part *made = &join->parts[join->part_count];

        *made = (part){.count = 0};
        qd_heap_init(&made->heap);
    }
}

static uint32_t parts_for(const qd_room *room, const qd_executor *executor)
{
    const uint32_t regions = room->views.join->regions_now.count;
    size_t most = executor->width * PARTS_A_HAND, parts = room->views.habit.always ? regions : regions / REGIONS_A_PART;

    most = most < PARTS_MAX ? most : PARTS_MAX;
    parts = parts < most ? parts : most;
    return executor->width == 1 || parts == 0 ? 1 : (uint32_t)parts;
}

/* What all parts have found, in the order of regions. */
static void put_together(qd_room *room, const joining *of, qd_crossings *crossings)
{
    qd_join *join = room->views.join;
    const uint64_t count = of->found;

    qd_join_note_looks(join, of->looks);
    join->is_in_vain = of->looks > of->looks_max;
    *crossings = (qd_crossings){.complete = count <= of->limit && !join->is_in_vain};
    if (!crossings->complete) {
        return;
    }
    crossings->count = (size_t)count;
    crossings->all = join->parts[0].all;
    if (of->parts == 1) {
        return;
    }
    qd_crossing *all = qd_block_fit(&join->found, room->heap, (size_t)count * sizeof all[0]);
    crossings->all = all;
    for (uint32_t i = 0; i < of->parts; i++) {
        if (join->parts[i].count > 0) {
            memcpy(all, join->parts[i].all, join->parts[i].count * sizeof all[0]);
        }
        all += join->parts[i].count;
    }
}

void qd_join_tell(qd_room *room, const qd_executor *executor, uint64_t limit, qd_crossings *crossings)
{
    const unsigned axes = qd_join_axes(room);
    joining all = {
        .room = room, .axes = axes, .limit = limit, .looks_max = room->views.pairs, .finder = room->views.habit.finder};

    if (!all.finder) {
        all.finder = qd_join_finder_chosen(axes);
    }
    all.looks_max += room->views.habit.looks_in_vain ? room->views.habit.looks_in_vain : LOOKS_IN_VAIN;
    qd_join_advance(room, &all.tree);
    all.parts = parts_for(room, executor);
    fit_parts(room, all.parts);
    executor->run(executor->context, all.parts, tell_part, &all);
    put_together(room, &all, crossings);
}

/* ---- who leads ---- */

static bool pays(const qd_room *room)
{
    const qd_views *views = &room->views;
    const uint32_t slack = views->join->leads ? 2 : 1;

    if (views->suspended || views->sight == NULL || views->join->is_in_vain) {
        return false;
    }
    return views->habit.always || (!views->has_beacons && views->boxes == 0 && views->pairs * slack >= PAIRS_MIN &&
                                   views->pairs * slack / PAIRS_A_REGION >= views->live &&
                                   (uint64_t)views->placed * slack >= room->ids.count / MOVED_SHARE);
}

void qd_join_choose(qd_room *room)
{
    qd_views *views = &room->views;

    if (pays(room)) {
        if (!views->join->leads) {
            views->join->leads = true;
            qd_join_enlist(room);
            qd_sight_turn(room);
        }
    } else if (views->join->leads) {
        qd_join_end(room);
    }
}

void qd_join_end(qd_room *room)
{
    qd_views *views = &room->views;

    if (!views->join->leads) {
        return;
    }
    views->join->leads = false;
    for (uint32_t i = 0; i < views->join->newcomers.count; i++) {
        views->seen[views->join->newcomers.of[i].slot].marks &= (uint8_t)~QD_MARK_NEW;
    }
    views->join->newcomers.count = 0;
    qd_sight_catch_up(room);
}

/* ---- its life ---- */

qd_join *qd_join_create(qd_heap *heap)
{
    return qd_heap_alloc_zeroed(heap, sizeof(qd_join));
}

void qd_join_destroy(qd_join *join, qd_heap *heap)
{
    for (unsigned k = 0; k < 3; k++) {
        qd_heap_free(heap, join->now[k].of, join->now[k].capacity * sizeof(float));
        qd_heap_free(heap, join->was[k].of, join->was[k].capacity * sizeof(float));
    }
    qd_join_slots *slots[] = {&join->entries, &join->left, &join->order};
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        qd_heap_free(heap, slots[i]->of, slots[i]->capacity * sizeof slots[i]->of[0]);
    }
    qd_heap_free(heap, join->newcomers.of, join->newcomers.capacity * sizeof join->newcomers.of[0]);
    qd_heap_free(heap, join->regions_now.of, join->regions_now.capacity * sizeof(qd_join_region));
    qd_heap_free(heap, join->regions_was.of, join->regions_was.capacity * sizeof(qd_join_region));
    qd_block *blocks[] = {&join->boxes, &join->scratch, &join->found};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        qd_block_deinit(blocks[i], heap);
    }
    for (uint32_t i = 0; i < join->part_count; i++) {
        part *of = &join->parts[i];

        qd_heap_free(&of->heap, of->all, of->capacity * sizeof of->all[0]);
        qd_block_deinit(&of->lists, &of->heap);
        qd_heap_deinit(&of->heap);
    }
    qd_heap_free(heap, join->parts, join->part_capacity * sizeof join->parts[0]);
    qd_heap_free(heap, join, sizeof *join);
}
