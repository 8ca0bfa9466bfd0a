/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries, level by level: a region in the cells that may reach into it; what is nearest in boxes around the point,
 * each twice as wide as the one before; along a ray in slabs across the axis that it follows most. Where that would be
 * more cells than there are, in all there are.
 */
#include "hash.h"

#include <math.h>
#include <string.h>

#define MARGIN 0x1p-22 /* of coordinates, for two roundings to float */

/* Coordinates of cells on one level, from first to last. */
typedef struct span {
    int32_t lo[QD_AXES], hi[QD_AXES];
} span;

/* A query on one level. */
typedef struct scope {
    qd_search *search;
    const qd_hash *hash;
    uint32_t level;
    span all; /* no other cell holds what it wants */
} scope;

static int32_t cell_at(const scope *s, double at)
{
    return qd_hash_number(s->hash->inverse, (float)at) >> s->level;
}

/* Rows that reach into a cell are registered in it or in the one before. */
static scope scope_of(qd_search *search, const qd_hash *hash, uint32_t level)
{
    scope s = {.search = search, .hash = hash, .level = level};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        s.all.lo[k] = cell_at(&s, search->reach.lo[k]) - 1;
        s.all.hi[k] = cell_at(&s, search->reach.hi[k]);
    }
    return s;
}

static span within(const span *a, const span *b)
{
    span both;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        both.lo[k] = a->lo[k] > b->lo[k] ? a->lo[k] : b->lo[k];
        both.hi[k] = a->hi[k] < b->hi[k] ? a->hi[k] : b->hi[k];
    }
    return both;
}

static bool is_in(const span *range, const int32_t *at)
{
    bool in = true;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        in &= range->lo[k] <= at[k] && at[k] <= range->hi[k];
    }
    return in;
}

static qd_status look(const scope *s, uint32_t number)
{
    const qd_hash_pool *pool = &s->hash->pool;
    const qd_hash_cell *cell = &pool->grid[number];
    qd_extent extent;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        extent.lo[k] = qd_hash_line(s->hash, cell->at[k], cell->level, -1);
        extent.hi[k] = qd_hash_line(s->hash, cell->at[k] + 2, cell->level, 1);
    }
    if (qd_search_is_hopeless(s->search, qd_search_bound(s->search, &extent))) {
        return QD_OK;
    }
    qd_status status = qd_search_cell(s->search, &pool->cell[2 * number]);
    return status == QD_OK ? qd_search_cell(s->search, &pool->cell[2 * number + 1]) : status;
}

/* All cells of a span but those of another, which may be NULL. */
static qd_status look_in(const scope *s, const span *cells, const span *but)
{
    const qd_hash_pool *pool = &s->hash->pool;
    qd_hash_range range = qd_hash_range_start(pool, s->level, cells->lo, cells->hi);
    uint32_t number;
    qd_status status = QD_OK;

    while (status == QD_OK && qd_hash_range_next(pool, &range, &number)) {
        if (but == NULL || !is_in(but, pool->grid[number].at)) {
            status = look(s, number);
        }
    }
    return status;
}

/* How many cells there can be in a span. */
static double size_of(const span *cells)
{
    double size = 1;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        size *= (double)cells->hi[k] - cells->lo[k] + 1;
    }
    return size;
}

/* No wanted row that is registered in another cell than these is nearer to the point. */
static double beyond(const scope *s, const span *cells)
{
    double least = INFINITY;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        double at = s->search->at[k];

        if (cells->lo[k] > s->all.lo[k]) {
            least = fmin(least, at - qd_hash_line(s->hash, cells->lo[k] + 1, s->level, 1));
        }
        if (cells->hi[k] < s->all.hi[k]) {
            least = fmin(least, qd_hash_line(s->hash, cells->hi[k] + 1, s->level, -1) - at);
        }
    }
    return least;
}

static qd_status nearest(const scope *s)
{
    const double cells_max = s->hash->pool.used;
    span seen;
    qd_status status = QD_OK;

    for (int32_t radius = 1; status == QD_OK; radius *= 2) {
        span around;

        for (uint32_t k = 0; k < QD_AXES; k++) {
            int32_t centre = cell_at(s, s->search->at[k]);

            around.lo[k] = centre - radius - 1;
            around.hi[k] = centre + radius;
        }
        around = within(&around, &s->all);
        if (size_of(&around) > cells_max) {
            return look_in(s, &s->all, radius > 1 ? &seen : NULL);
        }
        status = look_in(s, &around, radius > 1 ? &seen : NULL);
        seen = around;
        if (qd_search_is_hopeless(s->search, beyond(s, &seen))) {
            break;
        }
    }
    return status;
}

/* Cells that are `slab` on one axis, and on the others where the ray is as it passes through what lies in them; false
 * where it is over before, or all that comes is too far. */
static bool slab_of(const scope *s, uint32_t axis, int32_t slab, span *cells)
{
    const qd_search *search = s->search;
    double a = (qd_hash_line(s->hash, slab, s->level, -1) - search->at[axis]) / search->unit[axis];
    double b = (qd_hash_line(s->hash, slab + 2, s->level, 1) - search->at[axis]) / search->unit[axis];
    double enter = fmax(fmin(a, b), 0), leave = fmin(fmax(a, b), search->query->reach);

    if (qd_search_is_hopeless(search, enter)) {
        return false;
    }
    *cells = s->all;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        /* It may be endless, but not where it does not move. */
        double from = search->unit[k] * enter, to = search->unit[k] == 0 ? 0 : search->unit[k] * leave;
        double margin = MARGIN * (fabs(search->at[k]) + fabs(to));

        cells->lo[k] = cell_at(s, search->at[k] + fmin(from, to) - margin) - 1;
        cells->hi[k] = cell_at(s, search->at[k] + fmax(from, to) + margin);
    }
    cells->lo[axis] = cells->hi[axis] = slab;
    return true;
}

static qd_status along_ray(const scope *s)
{
    const qd_search *search = s->search;
    uint32_t axis = 0;

    for (uint32_t k = 1; k < QD_AXES; k++) {
        axis = fabs(search->unit[k]) > fabs(search->unit[axis]) ? k : axis;
    }
    double slabs = (double)s->all.hi[axis] - s->all.lo[axis] + 1;
    if (slabs > s->hash->pool.used) {
        return look_in(s, &s->all, NULL);
    }
    bool up = search->unit[axis] > 0;
    qd_status status = QD_OK;
    for (int32_t i = 0; i < (int32_t)slabs && status == QD_OK; i++) {
        span cells;

        if (!slab_of(s, axis, up ? s->all.lo[axis] + i : s->all.hi[axis] - i, &cells)) {
            break;
        }
        status = look_in(s, &cells, NULL);
    }
    return status;
}

qd_status qd_hash_search(const qd_index *index, qd_search *search)
{
    const qd_hash *hash = (const qd_hash *)index;
    qd_status status = QD_OK;

    for (uint32_t levels = hash->pool.levels; levels != 0 && status == QD_OK; levels &= levels - 1) {
        scope s = scope_of(search, hash, (uint32_t)__builtin_ctz(levels));

        switch (search->query->kind) {
        case QD_SPACE_NEAREST:
            status = nearest(&s);
            break;
        case QD_SPACE_RAY:
            status = along_ray(&s);
            break;
        default:
            status = look_in(&s, &s.all, NULL);
        }
    }
    return status;
}
