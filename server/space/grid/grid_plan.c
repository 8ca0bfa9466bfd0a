/* SPDX-License-Identifier: Apache-2.0
 *
 * How large a cell is. The cost of a size can be counted: the words, the rows that meet in each cell, the cells. So the
 * plan tries a few sizes, from the current one towards the side that costs less. It plans again when the cost of
 * traversals has differed from the planned one, in either direction, by as much as a plan costs: less work may suit
 * another size, too.
 */
#include "grid.h"

#include <math.h>

#include "../../base/ablation.h"
#include "../../base/memory/array.h"

#define ROWS_A_CELL   48u /* where there is nothing else to begin with */
#define ROWS_SLACK    64u
#define LOOK_EVERY    8u  /* traversals */
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
    shape->quantizer.scale = (float)(scale < 0x1p100 ? scale : 0x1p100);
    for (uint32_t k = 0; k < QD_AXES; k++) {
        double cells = (extent->hi[k] - extent->lo[k]) / size;

        shape->quantizer.origin[k] = qd_quantizer_origin(extent->lo[k]);
        shape->last[k] = cells < QD_GRID_AXIS_MAX ? (uint32_t)cells : QD_GRID_AXIS_MAX;
        shape->bits[k] = shape->last[k] == 0 ? 0 : 32 - (uint32_t)__builtin_clz(shape->last[k]);
    }
}

/* Steps a row; INFINITY: too many, or there is no memory. */
static double try_size(qd_grid *grid, const qd_extent *extent, double size)
{
    uint32_t rows = grid->one_list.list.count;

    set_shape(grid, extent, size);
    if (!qd_grid_sort(grid, QD_TRAVERSAL_EVENTS, true, WORDS_A_ROW * rows)) {
        grid->is_short |= grid->words.no_memory;
        return INFINITY;
    }
    return (double)qd_grid_work(grid) / rows;
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

/* What would do if rows were spread evenly. */
static double even_size(const qd_grid *grid, const qd_extent *extent)
{
    double side = 0, cells = (double)grid->one_list.list.count / ROWS_A_CELL;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        side = fmax(side, extent->hi[k] - extent->lo[k]);
    }
    return side > 0 ? side / fmax(pow(cells, 1.0 / QD_AXES), 1) : 1;
}

static void choose_size(qd_grid *grid, const qd_extent *extent)
{
    double before = grid->shape.size, size = even_size(grid, extent), work = try_size(grid, extent, size);
    double work_before = grid->planned_for > 0 ? try_size(grid, extent, before) : INFINITY;

    if (work_before < work) {
        size = before;
        work = work_before;
    }
    const double factors[] = {FACTOR_COARSE, FACTOR_FINE};
    for (uint32_t i = 0; i < 2 && !QD_WITHOUT(GRID_SIZE); i++) {
        if (!go_on(grid, extent, factors[i], &size, &work)) {
            go_on(grid, extent, 1 / factors[i], &size, &work);
        }
    }
    set_shape(grid, extent, size);
    grid->planned_work = work;
}

void qd_grid_plan(qd_grid *grid)
{
    qd_index *index = &grid->one_list.index;
    uint32_t rows = grid->one_list.list.count, before = grid->planned_for;
    bool changed = rows > 2 * before + ROWS_SLACK || before > 2 * rows + ROWS_SLACK;

    if (rows == 0 || index->retry.wait > 0 ||
        !(before == 0 || changed || qd_replan_debt_is_due(&grid->plan_debt, PLAN_STEPS * (double)rows))) {
        return;
    }
    const qd_grid_shape shape = grid->shape;
    const double planned_work = grid->planned_work, fixed = (double)index->config->cell_size;
    qd_extent extent = qd_one_list_extent(index);
    if (fixed > 0) {
        grid->planned_work = try_size(grid, &extent, fixed);
    } else {
        choose_size(grid, &extent);
    }
    /* A size that does with the memory that is left need not be a good one. */
    qd_retry_note(&index->retry, grid->is_short);
    if (grid->is_short) {
        grid->is_short = false;
        grid->shape = shape;
        grid->planned_work = planned_work;
        return;
    }
    if (changed || before == 0) {
        grid->plan_debt = (qd_replan_debt){0, 0};
    } else {
        qd_replan_debt_pay(&grid->plan_debt, PLAN_STEPS * (double)rows);
    }
    grid->planned_for = rows;
}

void qd_grid_note_traversal(qd_grid *grid)
{
    if (++grid->traversals % LOOK_EVERY != 0) {
        return;
    }
    double planned = grid->planned_work * grid->one_list.list.count, off = fabs((double)qd_grid_work(grid) - planned);

    qd_replan_debt_add(&grid->plan_debt, off <= planned / TOLERANCE ? 0 : LOOK_EVERY * off);
}
