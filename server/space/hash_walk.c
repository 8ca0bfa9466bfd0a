/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk: each cell by itself, in the order of the pool. Its list is its own rows and, behind them, those that meet
 * them of the neighbours before it (what lies ACROSS) and of the coarser cells around it (all).
 *
 * The frame is the cell's own, a little more than the two cells an axis that its rows may reach over; so lists of 8
 * bits are fine enough anywhere in the world.
 *
 * REST. Where few rows changed, their cells are listed for a visit, and with them those that the changed rows may reach
 * into. A cell without a changed row meets only the changed ones of the others.
 *
 * TASKS. Cells need nothing of each other but their rows. What lies INSIDE a cell of the finest level is read by nobody
 * else, and committed as the walk leaves it.
 */
#include <float.h>
#include <math.h>

#include "hash.h"
#include "walk.h"

#define FRAME_STEPS  61440.0 /* of a frame's numbers, for two cells an axis */
#define FRAME_MARGIN 2048.0  /* before them */
#define TASKS_A_HAND 8u
#define NUMBER_MOST  254u /* of 8 bits: whatever is there or beyond */

static const qd_hash *of(const qd_index *index)
{
    return (const qd_hash *)index;
}

/* ---- what a walk of changed rows looks at ---- */

static void list(qd_hash_pool *pool, uint32_t number)
{
    if (!(pool->grid[number].flags & QD_HASH_LISTED)) {
        pool->grid[number].flags |= QD_HASH_LISTED;
        pool->visit[pool->visits++] = number;
    }
}

/* Cells of a level whose rows may touch those of a cell of this or a coarser level. */
static qd_hash_range range_around(const qd_hash_pool *pool, const qd_hash_cell *cell, uint32_t level)
{
    int64_t cells = INT64_C(1) << (cell->level - level); /* of that level, along one of this */
    int32_t lo[QD_AXES], hi[QD_AXES];
    for (uint32_t k = 0; k < QD_AXES; k++) {
        lo[k] = (int32_t)(cell->at[k] * cells - 1);
        hi[k] = (int32_t)((cell->at[k] + 2) * cells - 1);
    }
    return qd_hash_range_start(pool, level, lo, hi);
}

static void list_reached(qd_hash_pool *pool, uint32_t number)
{
    const qd_hash_cell *cell = &pool->grid[number];
    uint32_t levels = pool->levels & ((2u << cell->level) - 1), reached;
    for (; levels != 0; levels &= levels - 1) {
        qd_hash_range range = range_around(pool, cell, (uint32_t)__builtin_ctz(levels));
        while (qd_hash_range_next(pool, &range, &reached)) {
            list(pool, reached);
        }
    }
}

static void list_changed(qd_hash_pool *pool, const qd_rows *rows)
{
    for (uint32_t i = 0; i < rows->dirty_count; i++) {
        const qd_block_info *info = &rows->info[rows->dirty[i]];
        if (info->dirty == 0) {
            continue;
        }
        qd_hash_cell *cell = &pool->grid[info->cell / 2];
        cell->flags |= QD_HASH_CHANGED;
        list(pool, info->cell / 2);
        bool is_finest = (pool->levels & ((1u << cell->level) - 1)) == 0;
        if (!(cell->flags & QD_HASH_REACHED) && (info->cell % 2 == 1 || !is_finest)) {
            cell->flags |= QD_HASH_REACHED;
            list_reached(pool, info->cell / 2);
        }
    }
}

uint32_t qd_hash_walk_begin(qd_index *index, qd_walk_plan *plan)
{
    qd_hash *hash = (qd_hash *)index;
    if (!plan->all) {
        list_changed(&hash->pool, index->rows);
    }
    uint32_t cells = plan->all ? hash->pool.used : hash->pool.visits;
    hash->tasks = plan->hands > 1 ? plan->hands * TASKS_A_HAND : 1;
    hash->tasks = hash->tasks < cells ? hash->tasks : cells;
    return hash->tasks;
}

void qd_hash_walk_end(qd_index *index, const qd_walk_plan *plan, const qd_walk_result *result)
{
    qd_hash *hash = (qd_hash *)index;
    qd_hash_pool *pool = &hash->pool;
    for (uint32_t i = 0; i < pool->visits; i++) {
        pool->grid[pool->visit[i]].flags &= QD_HASH_SUSPECT;
    }
    pool->visits = 0;
    if (plan->mode == QD_WALK_EVENTS && result->complete) {
        qd_excess_note(&hash->excess, index->rows->count, result->tests, result->exact_tests);
    }
}

/* ---- one cell ---- */

static float within_floats(double value)
{
    return (float)fmin(fmax(value, -(double)FLT_MAX), (double)FLT_MAX);
}

/* The window begins with the cell: nothing of its own is before that, however coordinates were rounded. */
static qd_window set_frame(qd_frame *frame, const qd_hash *hash, const qd_hash_cell *cell)
{
    double size = ldexp(hash->size, cell->level), scale = FRAME_STEPS / (2 * size);
    qd_window window = {.shift = 8};
    frame->scale = within_floats(fmax(scale, (double)FLT_MIN));
    for (uint32_t k = 0; k < QD_AXES; k++) {
        frame->origin[k] = within_floats(cell->at[k] * size - FRAME_MARGIN / scale);
        float corner = nextafterf(within_floats(qd_hash_line(hash, cell->at[k], cell->level, -1)), -INFINITY);
        window.lo[k] = qd_frame_number(corner, frame->origin[k], frame->scale);
        window.hi[k] = QD_FRAME_LAST;
    }
    return window;
}

/* The window ends with the last of the cell's own rows. */
static void close_window(const qd_list8 *list, qd_window *window)
{
    for (uint32_t k = 0; k < QD_AXES; k++) {
        const uint8_t *column = list->column[QD_OUTER_HI + k];
        uint8_t most = 0;
        for (uint32_t i = 0; i < list->own; i++) {
            most = column[i] > most ? column[i] : most;
        }
        uint32_t last = window->lo[k] + ((most + 1u) << window->shift) - 1;
        if (most < NUMBER_MOST && last < QD_FRAME_LAST) {
            window->hi[k] = (uint16_t)last;
        }
    }
}

/* What one cell's visit goes by. */
typedef struct visit {
    qd_hand *hand;
    const qd_hash *hash;
    const qd_hash_cell *cell;
    qd_window window;
    bool active; /* it has rows of its own that changed */
} visit;

static void carry(const visit *v, uint32_t list)
{
    qd_hand *hand = v->hand;
    const qd_cell *cell = &v->hash->pool.cell[list];
    if (cell->count > 0) {
        qd_list8_reserve(hand->sink.heap, &hand->leaf, hand->leaf.count + cell->count);
        hand->kernel->carry8(&hand->sink, cell, &v->window, !v->active, &hand->leaf);
    }
}

static bool is_worth_it(const visit *v, uint32_t number)
{
    return number != QD_NONE && (v->active || (v->hash->pool.grid[number].flags & QD_HASH_CHANGED));
}

/* What lies across from the neighbours before it: those that are before it on the last axis on which they differ. */
static void carry_near(const visit *v)
{
    const qd_hash_pool *pool = &v->hash->pool;
    uint32_t neighbours = QD_AXES == 2 ? 4 : 13;
    for (uint32_t n = 0; n < neighbours; n++) {
        int32_t at[QD_AXES];
        uint32_t digits = n;
        for (uint32_t k = 0; k < QD_AXES; k++) {
            at[k] = v->cell->at[k] + (int32_t)(digits % 3) - 1;
            digits /= 3;
        }
        uint32_t number = qd_hash_find(pool, at, v->cell->level);
        if (is_worth_it(v, number)) {
            carry(v, 2 * number + 1);
        }
    }
}

/* What lies in coarser cells, from the neighbours before the one that it begins in to the one that it reaches into. */
static void carry_coarser(const visit *v)
{
    const qd_hash_pool *pool = &v->hash->pool;
    uint32_t levels = pool->levels & ~((2u << v->cell->level) - 1), number;
    for (; levels != 0; levels &= levels - 1) {
        uint32_t level = (uint32_t)__builtin_ctz(levels), coarser = level - v->cell->level;
        int32_t lo[QD_AXES], hi[QD_AXES];
        for (uint32_t k = 0; k < QD_AXES; k++) {
            lo[k] = (v->cell->at[k] >> coarser) - 1;
            hi[k] = (v->cell->at[k] + 1) >> coarser;
        }
        qd_hash_range range = qd_hash_range_start(pool, level, lo, hi);
        while (qd_hash_range_next(pool, &range, &number)) {
            if (is_worth_it(v, number)) {
                carry(v, 2 * number);
                carry(v, 2 * number + 1);
            }
        }
    }
}

static void visit_cell(qd_hand *hand, const qd_hash *hash, uint32_t number)
{
    const qd_hash_pool *pool = &hash->pool;
    const qd_cell *inside = &pool->cell[2 * number], *across = inside + 1;
    if (inside->count + across->count == 0) {
        return;
    }
    visit v = {.hand = hand, .hash = hash, .cell = &pool->grid[number]};
    v.active = hand->all || (v.cell->flags & QD_HASH_CHANGED);
    v.window = set_frame(&hand->sink.frame, hash, v.cell);
    qd_list8 *list = &hand->leaf;
    qd_list8_reserve(hand->sink.heap, list, inside->count + across->count);
    hand->kernel->collect8(&hand->sink, inside, &v.window, list);
    hand->kernel->carry8(&hand->sink, across, &v.window, false, list);
    list->own = list->count;
    qd_arrange8(&hand->arranger, hand->sink.heap, list);
    close_window(list, &v.window);
    carry_near(&v);
    carry_coarser(&v);
    if (list->count > 1 && (v.active || list->count > list->own)) {
        hand->kernel->test8(&hand->sink, list, hand->all);
    }
    if (v.active && (pool->levels & ((1u << v.cell->level) - 1)) == 0) {
        qd_walk_commit(hand, 2 * number);
    }
}

void qd_hash_walk(qd_index *index, qd_hand *hand, uint32_t task)
{
    const qd_hash *hash = of(index);
    const qd_hash_pool *pool = &hash->pool;
    uint64_t cells = hand->all ? pool->used : pool->visits;
    uint32_t from = (uint32_t)(cells * task / hash->tasks), to = (uint32_t)(cells * (task + 1) / hash->tasks);
    for (uint32_t i = from; i < to && !hand->sink.stopped; i++) {
        visit_cell(hand, hash, hand->all ? i : pool->visit[i]);
    }
}
