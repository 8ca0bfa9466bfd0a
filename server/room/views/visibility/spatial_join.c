/* SPDX-License-Identifier: Apache-2.0 */
#include "spatial_join.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Looks beyond one for each visible entry: they take a tenth of a second. */
#define LOOKS_WITHOUT_HITS_MAX (UINT64_C(1) << 24)

#define REGIONS_PER_PART 256u
#define PARTS_PER_WORKER 4u
#define PARTS_MAX        256u

#define LISTED_MAX    64u /* groups that are searched together */
#define REGIONS_AHEAD 4u
#define SHARE_MIN     4096u /* crossings or looks after which a part adds its counts to the common ones */

/* What one task finds. */
typedef struct qd_join_part {
    qd_heap heap; /* not that of the room, because parts run at the same time */
    qd_crossing *all;
    uint32_t count, capacity;
    uint32_t shared;      /* crossings that are in the common count */
    uint32_t looks;       /* that are not in the common count yet */
    bool are_too_many;    /* all parts together have too many crossings: no more are kept */
    bool has_failed;      /* it found no memory */
    bool is_without_hits; /* all parts together have taken too many looks: the search stops */
    qd_block lists;
} part;

/* `found` and `looks` count for all parts together. They only grow, and nothing is left out before one of them exceeds
 * its bound. Looks are counted further after too many crossings were found. So which bounds are exceeded in the end
 * depends on the work alone, not on how it was divided. */
typedef struct search {
    const qd_views *views;
    qd_join_tree tree;
    uint32_t parts;
    unsigned axes;
    uint64_t limit, looks_max;
    _Atomic uint64_t found, looks;
    const qd_join_finder *finder;
} search;

/* ---- regions ---- */

/* A ball around the region. No point is surely inside a box. */
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
        /* The corners of a box are rounded. */
        const double reach =
            (double)region->half[k] + 0x1p-22 * (fabs((double)region->at[k]) + (double)region->half[k]);

        sum += reach * reach;
    }
    const double radius = sqrt(sum) * (1 + 0x1p-20);
    qd_join_ball ball = qd_join_ball_of(region->at, radius < (double)FLT_MAX ? (float)radius : FLT_MAX);
    ball.inside = -1;
    return ball;
}

/* Whether a point is in the region, as the rule defines it. */
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

static void add_crossings(const search *all, part *to, uint32_t i, const uint32_t *found, uint32_t count)
{
    const qd_views *views = all->views;
    const qd_join *join = views->join;
    const qd_join_region *now = &join->regions_now.of[i], *was = &join->regions_was.of[i];
    const uint32_t use = qd_use(i % QD_REGION_BODIES, i / QD_REGION_BODIES);
    const uint32_t old = join->entries.count - join->replaced.count;

    for (uint32_t f = 0; f < count; f++) {
        const uint32_t entry = join->entries.of[found[f]], slot = entry & ~QD_JOIN_REPLACED;
        const uint32_t addition = found[f] - old; /* if below replaced.count; the padding of the last group is above */
        const uint32_t replaced = addition < join->replaced.count ? join->replaced.of[addition] : QD_NONE;
        const bool is = entry & QD_JOIN_REPLACED ? is_in(views->targets[slot].at, now, all->axes)
                                                 : has(join->now, found[f], now, all->axes);
        const bool did = has(join->was, replaced != QD_NONE ? replaced : found[f], was, all->axes);

        to->all[to->count] = (qd_crossing){use, slot, is};
        to->count += is != did && (is ? !(entry & QD_JOIN_REPLACED) : replaced == QD_NONE);
    }
}

static void search_region(const search *all, part *to, uint32_t i, uint32_t *memory)
{
    const qd_join *join = all->views->join;
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
        if (!qd_array_reserve(&to->heap, to->all, to->capacity, to->count + count - 1)) {
            to->has_failed = true;
            return;
        }
        add_crossings(all, to, i, found, count);
    }
}

/* Regions that came since the last sort follow the others. */
static uint32_t region_at(const qd_join *join, uint32_t i)
{
    return i < join->order.count ? join->order.of[i] : i;
}

static void share_counts(search *all, part *to)
{
    const uint64_t found = to->count - to->shared, looks = to->looks;

    to->shared = to->count;
    to->looks = 0;
    to->are_too_many = atomic_fetch_add_explicit(&all->found, found, memory_order_relaxed) + found > all->limit;
    to->is_without_hits = atomic_fetch_add_explicit(&all->looks, looks, memory_order_relaxed) + looks > all->looks_max;
}

static void search_part(size_t task, void *argument)
{
    search *all = argument;
    const qd_join *join = all->views->join;
    part *to = &join->parts[task];
    const uint64_t count = join->regions_now.count;
    const uint32_t first = (uint32_t)(count * task / all->parts), end = (uint32_t)(count * (task + 1) / all->parts);
    uint32_t *memory = qd_block_fit(&to->lists, &to->heap, qd_join_list_room(&all->tree) * sizeof memory[0]);

    to->count = to->shared = to->looks = 0;
    to->are_too_many = to->is_without_hits = false;
    to->has_failed = memory == NULL;
    for (uint32_t i = first; i < end && !to->is_without_hits && !to->has_failed; i++) {
        if (i + REGIONS_AHEAD < end) {
            __builtin_prefetch(&join->regions_now.of[region_at(join, i + REGIONS_AHEAD)]);
            __builtin_prefetch(&join->regions_was.of[region_at(join, i + REGIONS_AHEAD)]);
        }
        search_region(all, to, region_at(join, i), memory);
        if (to->count - to->shared >= SHARE_MIN || to->looks >= SHARE_MIN) {
            share_counts(all, to);
        }
    }
    share_counts(all, to);
}

static bool fit_parts(qd_views *views, uint32_t count)
{
    qd_join *join = views->join;

    if (!qd_array_reserve(views->heap, join->parts, join->part_capacity, count - 1)) {
        return false;
    }
    for (; join->part_count < count; join->part_count++) {
        part *made = &join->parts[join->part_count];

        *made = (part){.count = 0};
        qd_heap_init(&made->heap);
    }
    return true;
}

static uint32_t parts_for(const qd_views *views, const qd_executor *executor)
{
    const uint32_t regions = views->join->regions_now.count;
    size_t most = executor->width * PARTS_PER_WORKER,
           parts = views->join_tuning.always ? regions : regions / REGIONS_PER_PART;

    most = most < PARTS_MAX ? most : PARTS_MAX;
    parts = parts < most ? parts : most;
    return executor->width == 1 || parts == 0 ? 1 : (uint32_t)parts;
}

/* The crossings of all parts, in the order of regions. */
static qd_crossings merge_parts(qd_views *views, const search *of)
{
    qd_join *join = views->join;
    const uint64_t count = of->found;

    for (uint32_t i = 0; i < of->parts; i++) {
        views->no_memory |= join->parts[i].has_failed;
    }
    if (views->no_memory) {
        return (qd_crossings){.complete = false};
    }
    qd_join_note_looks(join, of->looks);
    join->gave_up = of->looks > of->looks_max;
    if (count > of->limit || join->gave_up) {
        return (qd_crossings){.complete = false};
    }
    if (of->parts == 1) {
        return (qd_crossings){join->parts[0].all, (size_t)count, true};
    }
    qd_crossing *all = qd_block_fit(&join->found, views->heap, (size_t)count * sizeof all[0]), *next = all;
    if (!all) {
        views->no_memory = true;
        return (qd_crossings){.complete = false};
    }
    for (uint32_t i = 0; i < of->parts; i++) {
        if (join->parts[i].count > 0) {
            memcpy(next, join->parts[i].all, join->parts[i].count * sizeof all[0]);
        }
        next += join->parts[i].count;
    }
    return (qd_crossings){all, (size_t)count, true};
}

qd_crossings qd_join_tick(qd_views *views, const qd_executor *executor, uint64_t limit)
{
    const unsigned axes = qd_views_axes(views);
    search all = {.views = views,
                  .axes = axes,
                  .limit = limit,
                  .looks_max = views->visible_count,
                  .finder = views->join_tuning.finder};

    if (!all.finder) {
        all.finder = qd_join_finder_chosen(axes);
    }
    all.looks_max +=
        views->join_tuning.looks_without_hits_max ? views->join_tuning.looks_without_hits_max : LOOKS_WITHOUT_HITS_MAX;
    if (!qd_join_advance(views, &all.tree)) {
        views->no_memory = true;
        return (qd_crossings){.complete = false};
    }
    all.parts = parts_for(views, executor);
    if (!fit_parts(views, all.parts)) {
        views->no_memory = true;
        return (qd_crossings){.complete = false};
    }
    executor->run(executor->context, all.parts, search_part, &all);
    return merge_parts(views, &all);
}

/* ---- life ---- */

qd_join *qd_join_create(qd_heap *heap)
{
    return qd_heap_alloc_zeroed(heap, sizeof(qd_join));
}

void qd_join_release(qd_join *join, qd_heap *heap)
{
    const bool gave_up = join->gave_up;

    for (unsigned k = 0; k < 3; k++) {
        qd_array_drop(heap, join->now[k].of, join->now[k].capacity);
        qd_array_drop(heap, join->was[k].of, join->was[k].capacity);
    }
    qd_join_slots *slots[] = {&join->entries, &join->replaced, &join->order};
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        qd_array_drop(heap, slots[i]->of, slots[i]->capacity);
    }
    qd_array_drop(heap, join->additions.of, join->additions.capacity);
    qd_array_drop(heap, join->regions_now.of, join->regions_now.capacity);
    qd_array_drop(heap, join->regions_was.of, join->regions_was.capacity);
    qd_block *blocks[] = {&join->boxes, &join->scratch, &join->found};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        qd_block_deinit(blocks[i], heap);
    }
    for (uint32_t i = 0; i < join->part_count; i++) {
        part *of = &join->parts[i];

        qd_array_drop(&of->heap, of->all, of->capacity);
        qd_block_deinit(&of->lists, &of->heap);
        qd_heap_deinit(&of->heap);
    }
    qd_array_drop(heap, join->parts, join->part_capacity);
    *join = (qd_join){.gave_up = gave_up};
}

void qd_join_destroy(qd_join *join, qd_heap *heap)
{
    qd_join_release(join, heap);
    qd_heap_free(heap, join, sizeof *join);
}
