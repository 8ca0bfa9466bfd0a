/* SPDX-License-Identifier: Apache-2.0 */
#include "join_grid.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/ablation.h"
#include "../state/spans.h"

#define CELL_OF_RANGE    0.70
#define CELL_ENTRIES_MIN 0.5 /* there are not more cells than twice the entries */
#define SIDE_MAX         32768u
#define SAMPLE           1024u /* entities that decide where the grid lies */
#define DEVIATIONS       4.0   /* mean deviations from the mean that the grid covers: twice a square */
#define AHEAD            16u
#define REACH_OF_RANGE   0.125f
#define REACH_OF_TUNED   2.0f
#define DRIFT_OF_CELL    0.18f  /* entries are sorted again when they may have drifted so far */
#define RANGE_CHANGE     0.125f /* and when the range is so different */

float qd_join_reach(const qd_views *views, float range)
{
    return views->join_tuning.always ? REACH_OF_TUNED : range * REACH_OF_RANGE;
}

/* ---- entries, in the order of slots ---- */

/* Beside QD_JOIN_*. */
enum { BEACON = 64, MOVED = 128, SPECIAL = 63 };

struct unsorted {
    qd_join_columns entries;
    uint32_t *cell;
    uint8_t *how; /* QD_JOIN_*, BEACON and MOVED */
    uint32_t count, special_count, beacon_count;
};

/* Cuts the columns of `count` entries out of memory. Returns the bytes; without memory it only counts them. */
static size_t cut(qd_join_columns *columns, char *memory, uint32_t count, unsigned axes)
{
    const size_t bytes = qd_block_part((size_t)count + QD_JOIN_LANES, sizeof(float));

    for (unsigned k = 0; k < axes && memory; k++) {
        columns->at.now[k] = (float *)memory;
        columns->at.was[k] = (float *)(memory + bytes);
        memory += 2 * bytes;
    }
    if (memory) {
        columns->slot = (uint32_t *)memory;
        columns->category = (uint32_t *)(memory + bytes);
        columns->team = (uint32_t *)(memory + 2 * bytes);
    }
    return (2 * axes + 3) * bytes;
}

static bool fit_unsorted(qd_views *views, qd_join_grid *grid, struct unsorted *to)
{
    const uint32_t most = 2 * views->target_end;
    const unsigned axes = qd_views_axes(views);
    const size_t columns = cut(&to->entries, NULL, most, axes), cells = qd_block_part(most, sizeof to->cell[0]);
    char *memory = qd_block_fit(&grid->unsorted, views->heap, columns + cells + most);

    if (!memory) {
        return false;
    }
    (void)cut(&to->entries, memory, most, axes);
    to->cell = (uint32_t *)(memory + columns);
    to->how = (uint8_t *)(memory + columns + cells);
    return true;
}

static inline void put(struct unsorted *to, uint32_t slot, const float *now, const float *was, uint32_t how,
                       unsigned axes)
{
    const uint32_t i = to->count++;

    for (unsigned k = 0; k < axes; k++) {
        to->entries.at.now[k][i] = now ? now[k] : INFINITY;
        to->entries.at.was[k][i] = was ? was[k] : INFINITY;
    }
    to->entries.slot[i] = slot;
    to->how[i] = (uint8_t)how;
    to->beacon_count += (how & BEACON) != 0;
}

/* Whether it is a beacon or was one at the last tick: then there is a copy of it. */
static bool is_beacon(qd_target *target)
{
    const bool is = target->visible_range > 0 || (target->flags & QD_TARGET_BEACON && target->flags & QD_TARGET_KEPT);

    target->flags &= (uint8_t) ~(is ? 0 : QD_TARGET_BEACON);
    return is;
}

/* Takes up all entities that are in the room or were in it at the last tick. */
static inline __attribute__((always_inline)) void gather(qd_views *views, qd_join_grid *grid, struct unsorted *to,
                                                         unsigned axes)
{
    uint32_t categories = UINT32_MAX, teams = 0;
    bool all_moved = true, is_plain = true;
    float slack = 0;

    for (uint32_t slot = 0; slot < views->target_end; slot++) {
        qd_target *target = &views->targets[slot];
        const bool is_fresh = target->position_round == views->round, is = target->point != QD_NONE;
        const bool did = target->spawn_round != views->round;

        if (!is && !(is_fresh && target->removed && did)) {
            continue;
        }
        const float *now = is ? target->at : NULL, *was = !did ? NULL : is_fresh ? views->was[slot].at : target->at;
        const uint32_t how = (is_fresh ? (uint32_t)MOVED : 0) | (is_beacon(target) ? (uint32_t)BEACON : 0) |
                             (target->flags & QD_TARGET_CHANGED ? (uint32_t)QD_JOIN_CHANGED : 0);
        float way = 0;
        for (unsigned k = 0; k < axes && now && was; k++) {
            const float along = fabsf(now[k] - was[k]);

            way = along > way ? along : way;
        }
        categories &= target->hidden ? 0 : target->category;
        teams |= target->team;
        all_moved &= is_fresh;
        is_plain &= is;
        to->special_count += (how & QD_JOIN_CHANGED) != 0;
        if (QD_UNLIKELY(way > grid->reach)) {
            put(to, slot, NULL, was, how | QD_JOIN_WENT_FAR, axes);
            put(to, slot, now, NULL, how | QD_JOIN_CAME_FAR, axes);
            to->special_count += 2;
            continue;
        }
        slack = way > slack ? way : slack;
        put(to, slot, now, was, how, axes);
    }
    grid->drift = 0;
    grid->slack = slack;
    grid->is_plain = is_plain && to->special_count == 0;
    grid->categories = categories;
    grid->teams = teams;
    grid->all_moved = all_moved;
}

/* ---- cells ---- */

/* Where the cell of an entry is decided: where it is, or else where it was. */
static inline float place_of(const struct unsorted *from, uint32_t i, unsigned axis)
{
    const float now = from->entries.at.now[axis][i];

    return now < INFINITY ? now : from->entries.at.was[axis][i];
}

/* Lays the grid over most of the targets, from a sample of them. */
static void plan(const qd_views *views, qd_join_grid *grid, float range)
{
    const uint32_t every = views->target_end / SAMPLE + 1;
    double extent[2], mean[2] = {0, 0}, deviation[2] = {0, 0};
    float lo[2] = {FLT_MAX, FLT_MAX}, hi[2] = {-FLT_MAX, -FLT_MAX};
    uint32_t count = 0;

    for (uint32_t slot = 0; slot < views->target_end; slot += every) {
        for (unsigned k = 0; k < 2; k++) {
            const float at = views->targets[slot].at[k];

            mean[k] += (double)at;
            lo[k] = at < lo[k] ? at : lo[k];
            hi[k] = at > hi[k] ? at : hi[k];
        }
        count++;
    }
    for (uint32_t slot = 0; slot < views->target_end; slot += every) {
        for (unsigned k = 0; k < 2; k++) {
            deviation[k] += fabs((double)views->targets[slot].at[k] - mean[k] / count);
        }
    }
    for (unsigned k = 0; k < 2; k++) {
        const double wide = DEVIATIONS * deviation[k] / (count + !count), center = mean[k] / (count + !count);
        const double from = fmax((double)lo[k], center - wide), to = fmin((double)hi[k], center + wide);

        grid->lo[k] = (float)from;
        extent[k] = fmax(to - from, 0);
    }
    const double most = (double)views->target_end / CELL_ENTRIES_MIN + 1;
    double cell = (double)range * CELL_OF_RANGE;
    cell = fmax(cell, sqrt(extent[0] * extent[1] / most));
    cell = fmax(cell, fmax(extent[0], extent[1]) / fmin(most, SIDE_MAX - 1));
    cell = fmax(cell, 1e-30);
    grid->inverse = (float)(1 / cell);
    for (unsigned k = 0; k < 2; k++) {
        grid->side[k] = 1 + (uint32_t)fmin(extent[k] / cell, SIDE_MAX - 1);
    }
    grid->reach = qd_join_reach(views, (float)(cell / CELL_OF_RANGE));
}

/* Counts the entries of each cell. Returns the first entry of each, behind an element that `sort` uses. */
static uint32_t *count_cells(qd_views *views, qd_join_grid *grid, struct unsorted *from)
{
    const uint32_t beacons = grid->side[0] * grid->side[1], cells = beacons + 1;
    uint32_t *next = qd_block_fit(&grid->cells, views->heap, ((size_t)cells + 2) * sizeof next[0]), sum = 0;

    if (!next) {
        return NULL;
    }
    memset(next, 0, ((size_t)cells + 2) * sizeof next[0]);
    for (uint32_t i = 0; i < from->count; i++) {
        const uint32_t x = qd_join_cell(grid, 0, place_of(from, i, 0)), y = qd_join_cell(grid, 1, place_of(from, i, 1));

        from->cell[i] = from->how[i] & BEACON ? beacons : y * grid->side[0] + x;
        next[from->cell[i] + 1]++;
    }
    for (uint32_t cell = 0; cell < cells; cell++) {
        const uint32_t some = next[cell + 1];

        next[cell + 1] = sum;
        sum += some;
    }
    return next + 1;
}

static inline __attribute__((always_inline)) void sort(qd_join_grid *grid, const struct unsorted *from, uint32_t *next,
                                                       unsigned axes)
{
    for (uint32_t i = 0; i < from->count; i++) {
        const uint32_t at = next[from->cell[i]]++;

        for (unsigned k = 0; k < axes; k++) {
            grid->entries.at.now[k][at] = from->entries.at.now[k][i];
            grid->entries.at.was[k][at] = from->entries.at.was[k][i];
        }
        const uint32_t slot = from->entries.slot[i], how = from->how[i];
        grid->entries.slot[at] = slot;
        if (QD_UNLIKELY((how & SPECIAL) != 0)) {
            grid->special[grid->special_count++] = (qd_join_special){at, how & SPECIAL};
        }
        if (QD_LIKELY(!(how & QD_JOIN_WENT_FAR))) {
            grid->place[slot] = at;
        } else {
            grid->went[slot] = at;
        }
        grid->moved[at / QD_JOIN_WORD_BITS] |= (uint64_t)(how & MOVED ? 1 : 0) << at % QD_JOIN_WORD_BITS;
    }
    /* Each cell has moved on to the first entry of the next one. */
    grid->start = next - 1;
    grid->start[0] = 0;
    grid->beacons = grid->start[grid->side[0] * grid->side[1]];
}

static void sort_filters(const qd_views *views, qd_join_grid *grid)
{
    for (uint32_t entry = 0; entry < grid->count; entry++) {
        const qd_target *target = &views->targets[grid->entries.slot[entry]];

        if (entry + AHEAD < grid->count) {
            __builtin_prefetch(&views->targets[grid->entries.slot[entry + AHEAD]]);
        }
        grid->entries.category[entry] = target->hidden ? 0 : target->category;
        grid->entries.team[entry] = target->team;
    }
}

static void note_ranges(const qd_views *views, qd_join_grid *grid)
{
    for (uint32_t entry = grid->beacons; entry < grid->count; entry++) {
        const float range = views->targets[grid->entries.slot[entry]].visible_range;

        grid->visible_range[entry - grid->beacons] = range > 0 ? range : NAN;
    }
    for (uint32_t i = 0; i < QD_JOIN_LANES; i++) {
        grid->visible_range[grid->count - grid->beacons + i] = NAN;
    }
}

static bool needs_filters(const qd_join_grid *grid, uint32_t masks, uint32_t teams)
{
    return (masks & grid->categories) == 0 || (teams != 0 && grid->teams != 0);
}

static int by_entry(const void *a, const void *b)
{
    const uint32_t one = ((const qd_join_special *)a)->entry, other = ((const qd_join_special *)b)->entry;

    return one < other ? -1 : one > other;
}

/* Spans have whole words of bits. */
struct following {
    const qd_views *views;
    qd_join_grid *grid;
    qd_view_spans spans;
    struct {
        float longest; /* way along an axis */
        bool all_moved;
    } of[QD_VIEW_SPANS_MAX];
};

static uint32_t end_of_span(const struct following *following, size_t span)
{
    const uint64_t end = (uint64_t)qd_view_span_first(&following->spans, span + 1) * QD_JOIN_WORD_BITS;

    return end < following->grid->count ? (uint32_t)end : following->grid->count;
}

static inline __attribute__((always_inline)) void follow_span(struct following *following, size_t span, unsigned axes)
{
    const qd_views *views = following->views;
    const qd_join_columns *entries = &following->grid->entries;
    const uint32_t end = end_of_span(following, span), first = qd_view_span_first(&following->spans, span);
    uint64_t all = UINT64_MAX, moved = 0;
    float longest = 0;

    for (uint32_t i = first * QD_JOIN_WORD_BITS; i < end; i++) {
        const qd_target *target = &views->targets[entries->slot[i]];

        if (i + AHEAD < end) {
            __builtin_prefetch(&views->targets[entries->slot[i + AHEAD]]);
        }
        for (unsigned k = 0; k < axes; k++) {
            const float along = fabsf(target->at[k] - entries->at.was[k][i]);

            entries->at.now[k][i] = target->at[k];
            longest = along > longest ? along : longest;
        }
        moved |= (uint64_t)(target->position_round == views->round) << i % QD_JOIN_WORD_BITS;
        if ((i + 1) % QD_JOIN_WORD_BITS == 0 || i + 1 == end) {
            following->grid->moved[i / QD_JOIN_WORD_BITS] = moved;
            all &= moved | ((i + 1) % QD_JOIN_WORD_BITS == 0 ? 0 : UINT64_MAX << (i + 1) % QD_JOIN_WORD_BITS);
            moved = 0;
        }
    }
    following->of[span].longest = longest;
    following->of[span].all_moved = all == UINT64_MAX;
}

static void follow_2d(size_t span, void *following)
{
    follow_span(following, span, 2);
}

static void follow_3d(size_t span, void *following)
{
    follow_span(following, span, 3);
}

/* Takes up new positions of the same entries, in their cells. False: some are too far from them. */
static bool follow(const qd_views *views, const qd_executor *executor, qd_join_grid *grid, unsigned axes)
{
    const qd_join_points before = grid->entries.at;
    struct following following = {.views = views,
                                  .grid = grid,
                                  .spans = qd_view_spans_of(views, executor,
                                                            (grid->count + QD_JOIN_WORD_BITS - 1) / QD_JOIN_WORD_BITS,
                                                            QD_VIEW_SPAN_MIN / QD_JOIN_WORD_BITS)};
    float longest = 0;

    for (unsigned k = 0; k < axes; k++) {
        grid->entries.at.now[k] = before.was[k];
        grid->entries.at.was[k] = before.now[k];
    }
    executor->run(executor->context, following.spans.count, axes == 3 ? follow_3d : follow_2d, &following);
    grid->all_moved = true;
    for (uint32_t i = 0; i < following.spans.count; i++) {
        longest = following.of[i].longest > longest ? following.of[i].longest : longest;
        grid->all_moved &= following.of[i].all_moved;
    }
    grid->drift += (double)longest;
    grid->slack = (float)grid->drift;
    return longest <= grid->reach && grid->slack * grid->inverse <= DRIFT_OF_CELL;
}

/* The same entries as at the last tick may stay in their cells. */
static bool may_follow(const qd_views *views, const qd_join_grid *grid, float range)
{
    return grid->is_plain && !QD_WITHOUT(GRID_STAY) && grid->round + 1 == views->round &&
           grid->population == views->population && views->changed_count == 0 &&
           fabsf(range - grid->range) <= grid->range * RANGE_CHANGE;
}

bool qd_join_grid_follow(const qd_views *views, const qd_executor *executor, qd_join_grid *grid, float range)
{
    grid->stays = may_follow(views, grid, range) && follow(views, executor, grid, qd_views_axes(views));
    return grid->stays;
}

bool qd_join_grid_build(qd_views *views, qd_join_grid *grid, float range, uint32_t masks, uint32_t teams)
{
    const unsigned axes = qd_views_axes(views);
    struct unsorted from = {.count = 0};

    if (grid->stays) {
        const bool had_filters = grid->has_filters;

        grid->has_filters = needs_filters(grid, masks, teams);
        if (grid->has_filters && !had_filters) {
            sort_filters(views, grid);
        }
        note_ranges(views, grid);
        grid->round = views->round;
        return true;
    }

    if (!fit_unsorted(views, grid, &from)) {
        return false;
    }
    plan(views, grid, range);
    if (axes == 3) {
        gather(views, grid, &from, 3);
    } else {
        gather(views, grid, &from, 2);
    }
    grid->has_filters = needs_filters(grid, masks, teams);
    uint32_t *next = count_cells(views, grid, &from);
    const size_t columns = cut(&grid->entries, NULL, from.count, axes);
    const size_t places = qd_block_part(views->target_end, sizeof grid->place[0]);
    const size_t bits = qd_block_part(from.count / QD_JOIN_WORD_BITS + 1, sizeof grid->moved[0]);
    const size_t ranges = qd_block_part((size_t)from.beacon_count + QD_JOIN_LANES, sizeof grid->visible_range[0]);
    char *memory = qd_block_fit(&grid->sorted, views->heap,
                                columns + 2 * places + bits + ranges + from.special_count * sizeof grid->special[0]);
    if (!next || !memory) {
        return false;
    }
    (void)cut(&grid->entries, memory, from.count, axes);
    grid->place = (uint32_t *)(memory + columns);
    grid->went = (uint32_t *)(memory + columns + places);
    grid->moved = (uint64_t *)(memory + columns + 2 * places);
    grid->visible_range = (float *)(memory + columns + 2 * places + bits);
    grid->special = (qd_join_special *)(memory + columns + 2 * places + bits + ranges);
    memset(grid->moved, 0, bits);
    grid->special_count = 0;
    grid->count = from.count;
    grid->round = views->round;
    grid->population = views->population;
    grid->range = range;
    if (axes == 3) {
        sort(grid, &from, next, 3);
    } else {
        sort(grid, &from, next, 2);
    }
    if (grid->has_filters) {
        sort_filters(views, grid);
    }
    note_ranges(views, grid);
    if (grid->special_count > 0) {
        qsort(grid->special, grid->special_count, sizeof grid->special[0], by_entry);
    }
    return true;
}

void qd_join_grid_deinit(qd_join_grid *grid, qd_heap *heap)
{
    qd_block *blocks[] = {&grid->sorted, &grid->unsorted, &grid->cells};

    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        qd_block_deinit(blocks[i], heap);
    }
    *grid = (qd_join_grid){.count = 0};
}
