/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk: down from the root, cell after cell in Morton order, without recursion. Each level has a list: the rows of
 * the cell on the path at that level, and behind them those of the cells above that meet it.
 *
 *     level 0   | root's own rows                     |
 *     level 1   | cell's own rows | of the root, those that meet the cell            |
 *     level 2   | own             | of level 1's list, those that meet the cell      |
 *
 * In each cell the own rows are tested against the whole list. So every pair of rows that can touch is tested exactly
 * once: where the smaller cell of the two is.
 *
 * REST. Before the walk, the cells of all changed rows are stamped, with all above them. A cell without a stamp has
 * nothing new inside: it meets only the moved rows of the list above, and when there are none it is left out with all
 * below it. Where nearly all moved, stamps are not worth their cost, and every row counts as moved.
 *
 * TASKS. For an executor with several hands the walk is cut at a level into as many tasks as there are cells, each with
 * the whole subtree below. A cell above the level is tested by the task of the first subtree in it. Each hand goes down
 * the path from the root by itself to get its own lists; the few rows up there are cheaper to collect again than to
 * hand over. */
#include "../../base/fetch.h"
#include "../core/traversal.h"
#include "../kernel/choose.h"
#include "linear_plan.h"

#define TASK_LEVEL       (QD_AXES == 2 ? 3u : 2u) /* 64 subtrees, or more */
#define TASK_ROWS        4096u                    /* in one of them: so that none waits long for the last one */
#define TASK_ROWS_MIN    64u                      /* in one: the way down to it is worth as many */
#define TASKS_PER_WORKER 8u                       /* subtrees have unequal numbers of rows */
#define PREFETCH_FROM    32768u                   /* rows: fewer are near anyway */

#define NARROW_OWN_MIN   32u /* rows: fewer are compared before they are narrowed */
#define NARROW_MOVED_MIN 32u
#define NARROW_BITS      3u /* of 8, that are finer than the finest cells */

static const qd_linear *tree_of(const qd_worker_slot *worker)
{
    return (const qd_linear *)worker->index;
}

static qd_window window_of(uint32_t level, uint32_t k)
{
    uint32_t bits = QD_QUANTIZER_BITS - level, last = (1u << bits) - 1;
    qd_window window = {.shift = bits > 8 ? bits - 8 : 0};

    for (uint32_t axis = 0; axis < QD_AXES; axis++) {
        uint32_t first = qd_morton_gather(k >> axis) << bits;

        window.lo[axis] = (uint16_t)first;
        window.hi[axis] = (uint16_t)(first + last);
    }
    return window;
}

static bool is_active(const qd_worker_slot *worker, uint32_t number)
{
    return worker->all || (tree_of(worker)->flags[number] & QD_CELL_ACTIVE) != 0;
}

/* A plan lays leaves down in the order of the walk: behind the rows of this one come those of the next. */
static void prefetch_next(const qd_rows *rows, const qd_cell *cell)
{
    uint32_t blocks = (cell->count + QD_BLOCK_ROWS - 1) / QD_BLOCK_ROWS, first = cell->head + 1;

    for (uint32_t block = first; block < first + blocks && block < rows->used; block++) {
        for (uint32_t lane = 0; lane < QD_BLOCK_ROWS; lane += QD_LINE_BYTES / sizeof(qd_row)) {
            __builtin_prefetch(qd_row_now(rows, block * QD_BLOCK_ROWS + lane), 1);
            __builtin_prefetch(qd_row_was(rows, block * QD_BLOCK_ROWS + lane), 1);
        }
    }
}

static void visit_leaf(qd_worker_slot *worker, uint32_t level, uint32_t k, bool test)
{
    const qd_index *index = worker->index;
    uint32_t number = qd_level_first(level) + k;
    const qd_cell *cell = &index->cell[number];
    const qd_list16 *above = level > 0 ? &worker->level[level - 1] : NULL;
    qd_list8 *list = &worker->leaf;
    bool active = is_active(worker, number);
    qd_window window = window_of(level, k);

    qd_list8_reserve(worker->sink.heap, list, cell->count + (above != NULL ? above->count : 0));
    if (index->rows->count > PREFETCH_FROM && cell->count > 0) {
        prefetch_next(index->rows, cell);
    }
    worker->kernel->collect8(&worker->sink, cell, &window, list);
    qd_list8_sort(&worker->sorter, worker->sink.heap, list);
    if (above != NULL && above->count > 0) {
        worker->kernel->cull8(above, &window, !active, list);
    }
    if (test && (active || list->count > list->own)) {
        worker->kernel->test8(&worker->sink, list, worker->all);
    }
    if (active) {
        qd_traversal_commit(worker, number);
    }
}

/* Whether it pays to narrow a list before its test: then twice as many rows are compared at once, and 8 bits still
 * tell apart what lies side by side in the finest cells. */
static bool is_worth_narrowing(const qd_worker_slot *worker, uint32_t level, const qd_list16 *list)
{
    if (list->own < NARROW_OWN_MIN || level + 8 < tree_of(worker)->depth + NARROW_BITS) {
        return false;
    }
    uint32_t moved = 0;
    for (uint32_t base = 0; !worker->all && base < list->own; base += 64) {
        moved += (uint32_t)__builtin_popcountll(list->changed[base / 64]);
    }
    return worker->all || moved >= NARROW_MOVED_MIN;
}

static void test_inner(qd_worker_slot *worker, uint32_t level, uint32_t k, const qd_list16 *list)
{
    if (!is_worth_narrowing(worker, level, list)) {
        worker->kernel->test16(&worker->sink, list, worker->all);
        return;
    }
    qd_window window = window_of(level, k);
    qd_list8_reserve(worker->sink.heap, &worker->leaf, list->count);
    worker->kernel->narrow(list, &window, &worker->leaf);
    worker->kernel->test8(&worker->sink, &worker->leaf, worker->all);
}

/* The list of a cell that is no leaf, unless this hand has it from an earlier task; with `test` its rows are tested
 * too. */
static void visit_inner(qd_worker_slot *worker, uint32_t level, uint32_t k, bool test)
{
    const qd_index *index = worker->index;
    uint32_t number = qd_level_first(level) + k;

    if (worker->listed[level] == number && !test) {
        return;
    }
    worker->listed[level] = number;
    const qd_cell *cell = &index->cell[number];
    const qd_list16 *above = level > 0 ? &worker->level[level - 1] : NULL;
    qd_list16 *list = &worker->level[level];
    bool active = is_active(worker, number);
    qd_list16_reserve(worker->sink.heap, list, cell->count + (above != NULL ? above->count : 0));
    worker->kernel->collect16(&worker->sink, cell, list);
    qd_list16_sort(&worker->sorter, worker->sink.heap, list);
    if (above != NULL && above->count > 0) {
        qd_window window = window_of(level, k);

        worker->kernel->cull16(above, &window, !active, list);
    }
    list->any_changed = worker->all || qd_list_is_any_changed(list);
    if (test && list->own > 0 && list->any_changed) {
        test_inner(worker, level, k, list);
    }
}

/* Whether there is anything for a walk in a cell or below it. */
static bool is_worth_it(const qd_worker_slot *worker, uint32_t level, uint32_t number)
{
    uint8_t flags = tree_of(worker)->flags[number];

    if (!(flags & QD_CELL_OCCUPIED) || ((flags & QD_CELL_LEAF) && worker->index->cell[number].count == 0)) {
        return false;
    }
    return is_active(worker, number) || (level > 0 && worker->level[level - 1].any_changed);
}

/* Everything in and below a cell; the list of the level above is made. */
static void traverse_below(qd_worker_slot *worker, uint32_t top, uint32_t k)
{
    const qd_linear *tree = tree_of(worker);
    uint32_t level = top;

    while (!worker->sink.stopped) {
        uint32_t number = qd_level_first(level) + k;

        if (is_worth_it(worker, level, number)) {
            if (tree->flags[number] & QD_CELL_LEAF) {
                visit_leaf(worker, level, k, true);
            } else {
                visit_inner(worker, level, k, true);
                if (worker->level[level].any_changed || is_active(worker, number)) {
                    level++;
                    k <<= QD_AXES;
                    continue;
                }
            }
        }
        while (level > top && qd_cell_is_last(k)) {
            level--;
            k >>= QD_AXES;
            number = qd_level_first(level) + k;
            if (is_active(worker, number)) {
                qd_traversal_commit(worker, number);
            }
        }
        if (level == top) {
            return;
        }
        k++;
    }
}

/* Whether a cell is the first of those below the one `levels` above it. */
static bool is_first_below(uint32_t k, uint32_t levels)
{
    return (k & ((1u << QD_AXES * levels) - 1)) == 0;
}

/* Subtree number `task`, and before it those of the cells above in which it is the first. A leaf up there is all that
 * the subtrees below it would be. */
void qd_linear_walk(qd_index *index, qd_worker_slot *worker, uint32_t task)
{
    const qd_linear *tree = (const qd_linear *)index;

    worker->sink.quantizer = tree->quantizer;
    for (uint32_t level = 0; level < tree->task_level; level++) {
        uint32_t below = tree->task_level - level, k = task >> QD_AXES * below, number = qd_level_first(level) + k;
        bool is_first = is_first_below(task, below);

        if (!(tree->flags[number] & QD_CELL_OCCUPIED)) {
            return;
        }
        if (tree->flags[number] & QD_CELL_LEAF) {
            if (is_first) {
                traverse_below(worker, level, k);
            }
            return;
        }
        visit_inner(worker, level, k, is_first);
    }
    traverse_below(worker, tree->task_level, task);
}

/* Stamps the cells of changed rows. */
static void set_active(qd_linear *tree)
{
    const qd_rows *rows = tree->index.rows;

    for (uint32_t i = 0; i < rows->changed_count; i++) {
        if (rows->info[rows->changed[i]].changed == 0) {
            continue;
        }
        uint32_t number = rows->info[rows->changed[i]].cell;
        while (!(tree->flags[number] & QD_CELL_ACTIVE)) {
            tree->flags[number] |= QD_CELL_ACTIVE;
            number = number > 0 ? qd_cell_above(number) : 0;
        }
    }
}

static void unset_active(qd_linear *tree)
{
    const qd_rows *rows = tree->index.rows;

    for (uint32_t i = 0; i < rows->changed_count; i++) {
        uint32_t number = rows->info[rows->changed[i]].cell;

        while (tree->flags[number] & QD_CELL_ACTIVE) {
            tree->flags[number] &= (uint8_t)~QD_CELL_ACTIVE;
            number = number > 0 ? qd_cell_above(number) : 0;
        }
    }
}

static uint32_t task_level(const qd_linear *tree, uint32_t workers)
{
    const uint64_t rows = tree->index.rows->count;
    uint32_t level = TASK_LEVEL;

    while ((uint64_t)qd_level_cells(level) * TASK_ROWS < rows ||
           (qd_level_cells(level) < workers * TASKS_PER_WORKER &&
            (uint64_t)qd_level_cells(level + 1) * TASK_ROWS_MIN <= rows)) {
        level++;
    }
    return level < tree->depth ? level : tree->depth;
}

uint32_t qd_linear_traverse_begin(qd_index *index, qd_traversal_plan *plan)
{
    qd_linear *tree = (qd_linear *)index;

    if (index->cells == 0) {
        return 0;
    }
    if (!plan->all) {
        set_active(tree);
    }
    tree->task_level = plan->workers > 1 ? task_level(tree, plan->workers) : 0;
    return qd_level_cells(tree->task_level);
}

void qd_linear_traverse_end(qd_index *index, const qd_traversal_plan *plan, const qd_traversal_result *result)
{
    qd_linear *tree = (qd_linear *)index;

    if (!plan->all) {
        unset_active(tree);
    }
    for (uint32_t i = 0; plan->unmarked && i < qd_level_first(tree->task_level); i++) {
        qd_kernel_chosen()->commit(index->rows, &index->cell[i], true);
    }
    if ((plan->mode == QD_TRAVERSAL_EVENTS && result->complete) || result->without_hits) {
        qd_replan_debt_note(&tree->debt, index->rows->count, result->tests, result->exact_tests);
    }
}
