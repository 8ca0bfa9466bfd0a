/* SPDX-License-Identifier: Apache-2.0 */
#include "join_grid.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_PER_RANGE  2.0f /* a region is about so many cells wide, from its center */
#define CELL_ENTRIES_MIN 0.5  /* there are not more cells than twice the entries */
#define SIDE_MAX         32768u
#define SAMPLE           1024u /* entities that decide where the grid lies */
#define DEVIATIONS       4.0   /* mean deviations from the mean that the grid covers: twice a square */
#define REACH_OF_CELL    0.25f
#define REACH_OF_TUNED   2.0f

/* ---- entries, in the order of slots ---- */

struct unsorted {
    qd_join_columns entries;
    uint32_t *cell;
    uint8_t *how; /* QD_JOIN_WENT_FAR, QD_JOIN_CAME_FAR; 0 */
    uint32_t count, far_count;
};

/* Cuts the columns of `count` entries out of memory. Returns the bytes; without memory it only counts them. */
static size_t cut(qd_join_columns *columns, char *memory, uint32_t count, unsigned axes)
{
    const size_t bytes = qd_block_part((size_t)count + QD_JOIN_LANES, sizeof(float));
    size_t used = 0;

    for (unsigned k = 0; k < axes && memory; k++) {
        columns->at.now[k] = (float *)(memory + 2 * k * bytes);
        columns->at.was[k] = (float *)(memory + (2 * k + 1) * bytes);
    }
    used += 2 * axes * bytes;
    if (memory) {
        columns->slot = (uint32_t *)(memory + used);
    }
    return used + bytes;
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

static inline void put(struct unsorted *to, uint32_t slot, const float *now, const float *was, uint8_t how,
                       unsigned axes)
{
    for (unsigned k = 0; k < axes; k++) {
        to->entries.at.now[k][to->count] = now ? now[k] : INFINITY;
        to->entries.at.was[k][to->count] = was ? was[k] : INFINITY;
    }
    to->entries.slot[to->count] = slot;
    to->how[to->count++] = how;
}

/* Takes up all entities that are in the room or were in it at the last tick. */
static inline __attribute__((always_inline)) void gather(const qd_views *views, qd_join_grid *grid, struct unsorted *to,
                                                         unsigned axes)
{
    float slack = 0;

    for (uint32_t slot = 0; slot < views->target_end; slot++) {
        const qd_target *target = &views->targets[slot];
        const bool is_fresh = target->position_round == views->round, is = target->point != QD_NONE;
        const bool did = target->spawn_round != views->round;

        if (!is && !(is_fresh && target->removed && did)) {
            continue;
        }
        const float *now = is ? target->at : NULL, *was = !did ? NULL : is_fresh ? views->was[slot].at : target->at;
        float way = 0;
        for (unsigned k = 0; k < axes && now && was; k++) {
            const float along = fabsf(now[k] - was[k]);

            way = along > way ? along : way;
        }
        if (QD_UNLIKELY(way > grid->reach)) {
            put(to, slot, NULL, was, QD_JOIN_WENT_FAR, axes);
            put(to, slot, now, NULL, QD_JOIN_CAME_FAR, axes);
            to->far_count += 2;
            continue;
        }
        slack = way > slack ? way : slack;
        put(to, slot, now, was, 0, axes);
    }
    grid->slack = slack;
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
    double cell = (double)range * 1.04 / (double)CELLS_PER_RANGE;
    cell = fmax(cell, sqrt(extent[0] * extent[1] / most));
    cell = fmax(cell, fmax(extent[0], extent[1]) / fmin(most, SIDE_MAX - 1));
    cell = fmax(cell, 1e-30);
    grid->inverse = (float)(1 / cell);
    for (unsigned k = 0; k < 2; k++) {
        grid->side[k] = 1 + (uint32_t)fmin(extent[k] / cell, SIDE_MAX - 1);
    }
    grid->reach = views->join_tuning.always ? REACH_OF_TUNED : (float)cell * REACH_OF_CELL;
}

/* Counts the entries of each cell. Returns the first entry of each, behind an element that `sort` uses. */
static uint32_t *count_cells(qd_views *views, qd_join_grid *grid, struct unsorted *from)
{
    const uint32_t cells = grid->side[0] * grid->side[1];
    uint32_t *next = qd_block_fit(&grid->cells, views->heap, ((size_t)cells + 2) * sizeof next[0]), sum = 0;

    if (!next) {
        return NULL;
    }
    memset(next, 0, ((size_t)cells + 2) * sizeof next[0]);
    for (uint32_t i = 0; i < from->count; i++) {
        const uint32_t x = qd_join_cell(grid, 0, place_of(from, i, 0)), y = qd_join_cell(grid, 1, place_of(from, i, 1));

        from->cell[i] = y * grid->side[0] + x;
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
        grid->entries.slot[at] = from->entries.slot[i];
        if (QD_UNLIKELY(from->how[i] != 0)) {
            grid->far[grid->far_count++] = (qd_join_far){at, from->how[i]};
        }
    }
    /* Each cell has moved on to the first entry of the next one. */
    grid->start = next - 1;
    grid->start[0] = 0;
}

static int by_entry(const void *a, const void *b)
{
    const uint32_t one = ((const qd_join_far *)a)->entry, other = ((const qd_join_far *)b)->entry;

    return one < other ? -1 : one > other;
}

bool qd_join_grid_build(qd_views *views, qd_join_grid *grid, float range)
{
    const unsigned axes = qd_views_axes(views);
    struct unsorted from = {.count = 0};

    if (!fit_unsorted(views, grid, &from)) {
        return false;
    }
    plan(views, grid, range);
    if (axes == 3) {
        gather(views, grid, &from, 3);
    } else {
        gather(views, grid, &from, 2);
    }
    uint32_t *next = count_cells(views, grid, &from);
    const size_t columns = cut(&grid->entries, NULL, from.count, axes);
    char *memory = qd_block_fit(&grid->sorted, views->heap, columns + from.far_count * sizeof grid->far[0]);
    if (!next || !memory) {
        return false;
    }
    (void)cut(&grid->entries, memory, from.count, axes);
    grid->far = (qd_join_far *)(memory + columns);
    grid->far_count = 0;
    grid->count = from.count;
    if (axes == 3) {
        sort(grid, &from, next, 3);
    } else {
        sort(grid, &from, next, 2);
    }
    if (grid->far_count > 0) {
        qsort(grid->far, grid->far_count, sizeof grid->far[0], by_entry);
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
