/* SPDX-License-Identifier: Apache-2.0
 *
 * How large a cell is. What a size would cost can be counted: the words, the rows that meet in each cell, the cells.
 * So a few sizes are tried, from the one at hand to whichever side costs less. That is done again when walks have been
 * off what was counted then by as much as a plan costs, in either direction: who has less to do may want another size,
 * too.
 */
#include <math.h>

#include "grid.h"

#define ROWS_A_CELL   48u /* where there is nothing else to begin with */
#define ROWS_SLACK    64u
#define LOOK_EVERY    8u  /* walks */
#define TOLERANCE     8u  /* an eighth */
#define PLAN_STEPS    64u /* a row */
#define WORDS_A_ROW   4u  /* more are not tried */
#define FACTOR_COARSE 2.0
#define FACTOR_FINE   1.25

static void set_shape(qd_grid *grid, const qd_extent *extent, double size)
{
    qd_grid_shape *shape = &grid->shape;
    double scale = 1 / size;
    shape->size = size;
    shape->frame.scale = (float)(scale < 0x1p100 ? scale : 0x1p100);
    for (uint32_t k = 0; k < QD_AXES; k++) {
        double cells = (extent->hi[k] - extent->lo[k]) / size;
        shape->frame.origin[k] = (float)extent->lo[k];
        shape->last[k] = cells < QD_GRID_AXIS_MAX ? (uint32_t)cells : QD_GRID_AXIS_MAX;
        shape->bits[k] = shape->last[k] == 0 ? 0 : 32 - (uint32_t)__builtin_clz(shape->last[k]);
    }
}

/* Steps a row. */
static double try_size(qd_grid *grid, const qd_extent *extent, double size)
{
    uint32_t rows = grid->flat.list.count;
    set_shape(grid, extent, size);
    return qd_grid_sort(grid, QD_WALK_EVENTS, WORDS_A_ROW * rows) ? (double)qd_grid_work(grid) / rows : INFINITY;
}

/* From the best size so far on, as long as it becomes better. Whether it did. */
static bool go_on(qd_grid *grid, const qd_extent *extent, double factor, double *size, double *work)
{
    double next, before = *work;
    while ((next = try_size(grid, extent, *size * factor)) < *work) {
        *size *= factor;
        *work = next;
    }
    return *work < before;
}

static double first_size(const qd_grid *grid, const qd_extent *extent)
{
    double side = 0, cells = (double)grid->flat.list.count / ROWS_A_CELL;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        side = fmax(side, extent->hi[k] - extent->lo[k]);
    }
    return side > 0 ? side / fmax(pow(cells, 1.0 / QD_AXES), 1) : 1;
}

static void choose_size(qd_grid *grid, const qd_extent *extent)
{
    double size = grid->planned_for > 0 ? grid->shape.size : first_size(grid, extent);
    double work = try_size(grid, extent, size);
    const double factors[] = {FACTOR_COARSE, FACTOR_FINE};
    for (uint32_t i = 0; i < 2; i++) {
        if (!go_on(grid, extent, factors[i], &size, &work)) {
            go_on(grid, extent, 1 / factors[i], &size, &work);
        }
    }
    set_shape(grid, extent, size);
    grid->planned_work = work;
}

static bool is_amiss(const qd_grid *grid)
{
    return grid->amiss > ldexp(PLAN_STEPS * (double)grid->flat.list.count, (int)grid->amiss_doublings);
}

void qd_grid_plan(qd_grid *grid)
{
    uint32_t rows = grid->flat.list.count, before = grid->planned_for;
    bool changed = rows > 2 * before + ROWS_SLACK || before > 2 * rows + ROWS_SLACK;
    if (rows == 0 || !(before == 0 || changed || is_amiss(grid))) {
        return;
    }
    qd_extent extent = qd_flat_extent(&grid->flat.index);
    double fixed = (double)grid->flat.index.config->cell_size;
    if (fixed > 0) {
        grid->planned_work = try_size(grid, &extent, fixed);
    } else {
        choose_size(grid, &extent);
    }
    /* Where another plan does not help, the next one waits for twice as much. */
    grid->amiss_doublings = changed || before == 0 ? 0 : grid->amiss_doublings + (grid->amiss_doublings < 32);
    grid->amiss = 0;
    grid->planned_for = rows;
}

void qd_grid_note_walk(qd_grid *grid)
{
    if (++grid->walks % LOOK_EVERY != 0) {
        return;
    }
    double planned = grid->planned_work * grid->flat.list.count, off = fabs((double)qd_grid_work(grid) - planned);
    if (off <= planned / TOLERANCE) {
        grid->amiss = 0;
        grid->amiss_doublings = 0;
    } else {
        grid->amiss += LOOK_EVERY * off;
    }
}
