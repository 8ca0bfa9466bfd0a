/* SPDX-License-Identifier: Apache-2.0
 *
 * The traversal: each cell by itself, in the order of the pool. Its list is its own rows and, behind them, those that
 * meet them of the neighbors before it (what lies ACROSS) and of the coarser cells around it (all).
 *
 * GROUPS. Many neighbors read what lies across from a cell. So cells share a quantizer in groups of 4 per
 * axis. As long as the traversal stays in one group, the lists that lie across in it and around it are kept, in numbers
 * of that quantizer, and culled for each cell. A group has so few cells that 8 bits of its numbers are fine enough
 * anywhere in the space.
 *
 * THIN ROWS. 8 bits do not tell many thin rows of a cell apart. The list of such a cell has 16 bits.
 *
 * REST. Where few rows changed, their cells are listed for a visit, and with them those that the changed rows may reach
 * into. A cell without a changed row meets only the changed ones of the others.
 *
 * TASKS. Cells need nothing of each other but their rows. What lies INSIDE a cell of the finest level is read by no
 * other cell, and committed as the traversal leaves it.
 */
#include "hash.h"

#include <float.h>
#include <math.h>

#include "../../base/ablation.h"

#define TASKS_PER_WORKER 8u
#define VISITS_FEW       16u /* with fewer than one in this many cells to visit, they are visited as they were found */
#define GROUP_CELLS      4   /* an axis */
#define NUMBERS_A_CELL   10900.0 /* of a quantizer, for a group and one cell around it */
#define WINDOW_SHIFT     6u      /* so 8 bits tell of a cell and nearly half of the next */
#define NUMBER_MOST      254u    /* of 8 bits: whatever is there or beyond */
#if QD_AXES == 2
#define NEIGHBOURS 4u
#define AROUND     ((GROUP_CELLS + 2) * (GROUP_CELLS + 2))
#else
#define NEIGHBOURS 13u
#define AROUND     ((GROUP_CELLS + 2) * (GROUP_CELLS + 2) * (GROUP_CELLS + 2))
#endif

static const qd_hash *of(const qd_index *index)
{
    return (const qd_hash *)index;
}

/* ---- what a traversal of changed rows looks at ---- */

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
    for (uint32_t i = 0; i < rows->changed_count; i++) {
        const qd_block_info *info = &rows->info[rows->changed[i]];

        if (info->changed == 0) {
            continue;
        }
        qd_hash_cell *cell = &pool->grid[info->cell / 2];
        cell->flags |= QD_HASH_ACTIVE;
        list(pool, info->cell / 2);
        bool is_finest = (pool->levels & ((1u << cell->level) - 1)) == 0;
        if (!(cell->flags & QD_HASH_REACHED) && (info->cell % 2 == 1 || !is_finest)) {
            cell->flags |= QD_HASH_REACHED;
            list_reached(pool, info->cell / 2);
        }
    }
}

/* In the order of the pool, where they are many: then those that are near each other follow each other. */
static void order_visits(qd_hash_pool *pool)
{
    if (pool->visits < pool->used / VISITS_FEW) {
        return;
    }
    pool->visits = 0;
    for (uint32_t i = 0; i < pool->used; i++) {
        if (pool->grid[i].flags & QD_HASH_LISTED) {
            pool->visit[pool->visits++] = i;
        }
    }
}

uint32_t qd_hash_traverse_begin(qd_index *index, qd_traversal_plan *plan)
{
    qd_hash *hash = (qd_hash *)index;

    if (!plan->all) {
        list_changed(&hash->pool, index->rows);
        order_visits(&hash->pool);
    }
    uint32_t cells = plan->all ? hash->pool.used : hash->pool.visits;
    hash->tasks = plan->workers > 1 ? plan->workers * TASKS_PER_WORKER : 1;
    hash->tasks = hash->tasks < cells ? hash->tasks : cells;
    return hash->tasks;
}

void qd_hash_traverse_end(qd_index *index, const qd_traversal_plan *plan, const qd_traversal_result *result)
{
    qd_hash *hash = (qd_hash *)index;
    qd_hash_pool *pool = &hash->pool;

    for (uint32_t i = 0; i < pool->visits; i++) {
        pool->grid[pool->visit[i]].flags &= QD_HASH_CANDIDATE;
    }
    pool->visits = 0;
    if ((plan->mode == QD_TRAVERSAL_EVENTS && result->complete) || result->without_hits) {
        qd_replan_debt_add(&hash->debt, qd_steps_beyond_share(index->rows->count, result->tests, result->exact_tests));
    }
}

/* ---- groups of cells ---- */

/* A neighbor of cells in a group, or one of them, and what lies across from it. */
typedef struct neighbour {
    uint32_t cell;  /* its number; QD_NONE: there is none */
    uint32_t first; /* of its rows in the worker's list */
    bool known, listed;
} neighbour;

/* The current group, and all around it. */
typedef struct group {
    qd_worker_slot *worker;
    const qd_hash *hash;
    int32_t at[QD_AXES]; /* of its first cell */
    uint32_t level;      /* QD_HASH_FREE: there is none yet */
    uint32_t rows;       /* in the worker's list */
    neighbour around[AROUND];
} group;

static float within_floats(double value)
{
    return (float)fmin(fmax(value, -(double)FLT_MAX), (double)FLT_MAX);
}

static void enter_group(group *g, const qd_hash_cell *cell)
{
    int32_t at[QD_AXES];

    for (uint32_t k = 0; k < QD_AXES; k++) {
        at[k] = cell->at[k] & ~(GROUP_CELLS - 1);
    }
    if (!QD_WITHOUT(HASH_GROUPS) && cell->level == g->level && memcmp(at, g->at, sizeof at) == 0) {
        return;
    }
    memcpy(g->at, at, sizeof at);
    memset(g->around, 0, sizeof g->around);
    g->level = cell->level;
    g->rows = 0;
    qd_quantizer *quantizer = &g->worker->sink.quantizer;
    double size = ldexp(g->hash->size, cell->level);
    quantizer->scale = within_floats(fmax(NUMBERS_A_CELL / size, (double)FLT_MIN));
    for (uint32_t k = 0; k < QD_AXES; k++) {
        quantizer->origin[k] = qd_quantizer_origin((double)within_floats((at[k] - 1.0) * size));
    }
}

/* Which of those around its group a cell is. */
static uint32_t position_of(const group *g, const int32_t *at)
{
    uint32_t position = 0, weight = 1;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        position += (uint32_t)(at[k] - g->at[k] + 1) * weight;
        weight *= GROUP_CELLS + 2;
    }
    return position;
}

static neighbour *neighbour_at(group *g, const int32_t *at)
{
    neighbour *found = &g->around[position_of(g, at)];

    if (!found->known) {
        *found = (neighbour){.cell = qd_hash_find(&g->hash->pool, at, g->level), .known = true};
    }
    return found;
}

/* What lies across from a cell, as a list; the first time it is put into the worker's, where lists begin with whole
 * words of `changed`. Without memory an empty one; the traversal is stopped then. */
static qd_list16 across_from(group *g, neighbour *from)
{
    qd_worker_slot *worker = g->worker;
    qd_list16 *all = &worker->level[0];
    const qd_cell *cell = &g->hash->pool.cell[2 * from->cell + 1];
    const bool listed = from->listed;

    if (!listed) {
        from->listed = true;
        from->first = g->rows;
        g->rows += (cell->count + QD_LIST_LANES - 1) / QD_LIST_LANES * QD_LIST_LANES;
        if (!qd_sink_reserve16(&worker->sink, all, g->rows)) {
            return (qd_list16){.count = 0};
        }
    }
    qd_list16 part = *all;
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        part.column[k] += from->first;
    }
    part.row += from->first;
    part.changed += from->first / QD_LIST_LANES;
    part.count = cell->count;
    if (!listed) {
        worker->kernel->collect16(&worker->sink, cell, &part);
    }
    return part;
}

/* ---- one cell ---- */

/* It begins with the cell: nothing of its own is before that, however coordinates were rounded. */
static qd_window window_of(const group *g, const qd_hash_cell *cell)
{
    const qd_quantizer *quantizer = &g->worker->sink.quantizer;
    qd_window window = {.shift = WINDOW_SHIFT};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        float corner = nextafterf(within_floats(qd_hash_line(g->hash, cell->at[k], cell->level, -1)), -INFINITY);

        window.lo[k] = qd_quantizer_number(corner, quantizer->origin[k], quantizer->scale);
        window.hi[k] = QD_QUANTIZER_LAST;
    }
    return window;
}

/* What one cell's visit goes by. Its list is the worker's leaf, or `thin`. */
typedef struct visit {
    group *group;
    const qd_hash_cell *cell;
    qd_window window;
    bool active;     /* it has rows of its own that changed */
    qd_list16 *thin; /* for rows that 8 bits do not tell apart; else NULL */
} visit;

/* The window ends with the last of the cell's own rows. */
static void close_window(visit *v)
{
    const qd_list8 *list = &v->group->worker->leaf;
    qd_window *window = &v->window;

    for (uint32_t k = 0; k < QD_AXES && !QD_WITHOUT(HASH_WINDOW); k++) {
        const uint8_t *column = list->column[QD_OUTER_HI + k];
        uint8_t most = 0;

        for (uint32_t i = 0; i < list->own; i++) {
            most = column[i] > most ? column[i] : most;
        }
        uint32_t last = window->lo[k] + ((most + 1u) << window->shift) - 1;
        if (most < NUMBER_MOST && last < QD_QUANTIZER_LAST) {
            window->hi[k] = (uint16_t)last;
        }
    }
}

/* Makes room for `more` rows in the cell's list. */
static bool reserve(const visit *v, uint32_t more)
{
    qd_worker_slot *worker = v->group->worker;

    return v->thin != NULL ? qd_sink_reserve16(&worker->sink, v->thin, v->thin->count + more)
                           : qd_sink_reserve8(&worker->sink, &worker->leaf, worker->leaf.count + more);
}

/* The rows of a list that lies across. */
static void carry_across(const visit *v, neighbour *from, bool changed_only)
{
    qd_worker_slot *worker = v->group->worker;

    if (worker->sink.stopped) {
        return;
    }
    qd_list16 part = across_from(v->group, from);
    if (worker->sink.stopped || !reserve(v, part.count)) {
        return;
    }
    if (v->thin != NULL) {
        worker->kernel->cull16(&part, &v->window, changed_only, v->thin);
    } else {
        worker->kernel->cull8(&part, &v->window, changed_only, &worker->leaf);
    }
}

/* The rows of any list. */
static void carry(const visit *v, uint32_t number, bool changed_only)
{
    qd_worker_slot *worker = v->group->worker;
    const qd_cell *cell = &v->group->hash->pool.cell[number];

    if (cell->count == 0 || !reserve(v, cell->count)) {
        return;
    }
    if (v->thin != NULL) {
        worker->kernel->carry16(&worker->sink, cell, &v->window, changed_only, v->thin);
    } else {
        worker->kernel->carry8(&worker->sink, cell, &v->window, changed_only, &worker->leaf);
    }
}

static void collect(const visit *v, uint32_t number)
{
    qd_worker_slot *worker = v->group->worker;
    const qd_cell *cell = &v->group->hash->pool.cell[number];

    if (!reserve(v, cell->count)) {
        return;
    }
    if (v->thin != NULL) {
        worker->kernel->collect16(&worker->sink, cell, v->thin);
    } else {
        worker->kernel->collect8(&worker->sink, cell, &v->window, &worker->leaf);
    }
}

/* The cell's own rows. What lies across may be listed already, or be wanted by others. */
static void collect_own(visit *v, uint32_t number)
{
    const qd_cell *inside = &v->group->hash->pool.cell[2 * number], *across = inside + 1;
    const bool are_more_across = across->count > inside->count;
    qd_worker_slot *worker = v->group->worker;

    worker->leaf.count = 0;
    if (qd_traversal_is_thin(worker, are_more_across ? across : inside, WINDOW_SHIFT)) {
        v->thin = &worker->level[1];
        v->thin->count = 0;
    }
    if (are_more_across) {
        collect(v, 2 * number + 1);
        carry(v, 2 * number, false);
    } else {
        collect(v, 2 * number);
        if (across->count > 0) {
            carry_across(v, neighbour_at(v->group, v->cell->at), false);
        }
    }
    if (v->thin != NULL) {
        v->thin->own = v->thin->count;
        qd_list16_sort(&worker->sorter, worker->sink.heap, v->thin);
    } else {
        worker->leaf.own = worker->leaf.count;
        qd_list8_sort(&worker->sorter, worker->sink.heap, &worker->leaf);
        close_window(v);
    }
}

static bool is_worth_it(const visit *v, uint32_t number)
{
    return number != QD_NONE && (v->active || (v->group->hash->pool.grid[number].flags & QD_HASH_ACTIVE));
}

/* What lies across from the neighbors before it: those that are before it on the last axis on which they differ. */
static void carry_near(const visit *v)
{
    const qd_cell *cells = v->group->hash->pool.cell;

    for (uint32_t n = 0; n < NEIGHBOURS; n++) {
        int32_t at[QD_AXES];
        uint32_t digits = n;

        for (uint32_t k = 0; k < QD_AXES; k++) {
            at[k] = v->cell->at[k] + (int32_t)(digits % 3) - 1;
            digits /= 3;
        }
        neighbour *near = neighbour_at(v->group, at);
        if (is_worth_it(v, near->cell) && cells[2 * near->cell + 1].count > 0) {
            carry_across(v, near, !v->active);
        }
    }
}

/* What lies in coarser cells, from the neighbors before the one that it begins in to the one that it reaches into. */
static void carry_coarser(const visit *v)
{
    const qd_hash_pool *pool = &v->group->hash->pool;
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
                carry(v, 2 * number, !v->active);
                carry(v, 2 * number + 1, !v->active);
            }
        }
    }
}

/* Whether a changed row of others may reach into the cell. */
static bool is_met(const visit *v)
{
    v->group->worker->leaf.count = 0;
    carry_near(v);
    carry_coarser(v);
    return v->group->worker->leaf.count > 0;
}

static void test(const visit *v)
{
    qd_worker_slot *worker = v->group->worker;
    const qd_list8 *list = &worker->leaf;

    if (v->thin != NULL) {
        worker->kernel->test16(&worker->sink, v->thin, worker->all);
    } else if (list->count > 1 && (v->active || list->count > list->own)) {
        worker->kernel->test8(&worker->sink, list, worker->all);
    }
}

static void visit_cell(group *g, uint32_t number)
{
    const qd_hash_pool *pool = &g->hash->pool;
    qd_worker_slot *worker = g->worker;
    visit v = {.group = g, .cell = &pool->grid[number]};

    if (pool->cell[2 * number].count + pool->cell[2 * number + 1].count == 0) {
        return;
    }
    enter_group(g, v.cell);
    v.active = worker->all || (v.cell->flags & QD_HASH_ACTIVE);
    v.window = window_of(g, v.cell);
    if ((!v.active && !is_met(&v)) || worker->sink.stopped) {
        return;
    }
    collect_own(&v, number);
    carry_near(&v);
    carry_coarser(&v);
    if (worker->sink.stopped) {
        return;
    }
    test(&v);
    if (v.active && (pool->levels & ((1u << v.cell->level) - 1)) == 0) {
        qd_traversal_commit(worker, 2 * number);
    }
}

void qd_hash_traverse(qd_index *index, qd_worker_slot *worker, uint32_t task)
{
    const qd_hash *hash = of(index);
    const qd_hash_pool *pool = &hash->pool;
    uint64_t cells = worker->all ? pool->used : pool->visits;
    uint32_t from = (uint32_t)(cells * task / hash->tasks), to = (uint32_t)(cells * (task + 1) / hash->tasks);
    group g = {.worker = worker, .hash = hash, .level = QD_HASH_FREE};

    for (uint32_t i = from; i < to && !worker->sink.stopped; i++) {
        visit_cell(&g, worker->all ? i : pool->visit[i]);
    }
}
