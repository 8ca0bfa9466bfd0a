/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk: down from the root, over the cells that there are. Each level has a list: the rows of the cell on the path
 * at that level, and behind them those of the cells above that meet it. In each cell the own rows are tested against
 * the whole list, so every pair of rows that can touch is tested exactly once: where the smaller cell of the two is.
 *
 * QUANTIZERS. The kernel's numbers have 16 bits, too few for so deep a tree. So a walk has a quantizer around the root down to
 * level 8, one around the cell it is in at level 8 for the 8 levels below, and another one below level 16. Then a cell
 * is never less than 256 numbers wide, and leaves can be compared by 8 bits. A list is put into new numbers when the
 * walk goes down from one quantizer to the next.
 *
 * REST. Before the walk, the cells of all changed rows are stamped, with all above them. A cell without a stamp has
 * nothing new inside: it meets only the moved rows of the list above, and when there are none it is left out with all
 * below it.
 *
 * TASKS. For several hands the tree is cut: from the root on, the cells that are reached first are tasks by themselves,
 * until there are enough below them for everyone, each a task with all that is in it. Each hand goes down the path from
 * the root by itself to get its own lists; the few rows up there are cheaper to collect again than to hand over.
 */
#include "../core/traversal.h"

#include "../../base/array.h"
#include "../../base/fetch.h"
#include "sparse_prune.h"

#define QUANTIZER_LEVELS 8u                  /* a quantizer's levels below its cell */
#define TASKS_PER_WORKER 16u                 /* so that none waits long for the last one */
#define PREFETCH_FROM    32768u              /* rows: fewer are near anyway */
#define ALONE            (1u << 31)          /* of a task: the cell without those below it */
#define SPARE            QD_SPARSE_DEPTH_MAX /* the level of a list that no cell needs: those down there are leaves */

/* The level of the cell that a quantizer is around, in which a cell of this level is compared. */
static uint32_t level_of_quantizer(uint32_t level)
{
    return level > 0 ? (level - 1) / QUANTIZER_LEVELS * QUANTIZER_LEVELS : 0;
}

static qd_quantizer quantizer_around(const qd_sparse *sparse, uint64_t key)
{
    const qd_quantizer *numbers = &sparse->quantizer;
    const uint32_t level = qd_key_level(key), below = QD_KEY_BITS - level;
    double scale = ldexp((double)numbers->scale, (int)QD_QUANTIZER_BITS - (int)below);
    qd_quantizer quantizer = {.scale = scale < (double)FLT_MAX ? (float)scale : FLT_MAX};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        double offset = (qd_key_at(key, k) << below) / (double)numbers->scale;

        quantizer.origin[k] = qd_quantizer_origin(fmin((double)numbers->origin[k] + offset, (double)FLT_MAX));
    }
    return quantizer;
}

/* The numbers that rows in a cell can have in the hand's quantizer. */
static qd_window window_of(const qd_worker_slot *worker, uint64_t key)
{
    qd_extent extent = qd_sparse_extent((const qd_sparse *)worker->index, key);
    qd_row box = {{0}};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        box.v[k] = (float)extent.lo[k];
        box.v[QD_ROW_HIGH + k] = (float)extent.hi[k];
    }
    qd_numbers numbers = qd_quantizer_numbers(&worker->sink.quantizer, &box);
    uint32_t level = qd_key_level(key);
    qd_window window = {.shift = QD_QUANTIZER_BITS - 8 - (level - level_of_quantizer(level))};
    for (uint32_t k = 0; k < QD_AXES; k++) {
        window.lo[k] = (uint16_t)numbers.v[k];
        window.hi[k] = (uint16_t)numbers.v[QD_ROW_HIGH + k];
    }
    return window;
}

static bool is_active(const qd_worker_slot *worker, uint32_t number)
{
    return worker->all || (((const qd_sparse *)worker->index)->cells.flags[number] & QD_SPARSE_ACTIVE) != 0;
}

static void prefetch(const qd_sparse *sparse, uint32_t number)
{
    const qd_rows *rows = sparse->index.rows;

    for (uint32_t block = sparse->cells.cell[number].head; block != QD_NONE; block = rows->info[block].next) {
        for (uint32_t lane = 0; lane < QD_BLOCK_ROWS; lane += QD_LINE_BYTES / sizeof(qd_row)) {
            __builtin_prefetch(qd_row_now(rows, block * QD_BLOCK_ROWS + lane), 1);
            __builtin_prefetch(qd_row_was(rows, block * QD_BLOCK_ROWS + lane), 1);
        }
    }
}

static void visit_leaf(qd_worker_slot *worker, uint32_t number, const qd_list16 *above)
{
    const qd_sparse *sparse = (const qd_sparse *)worker->index;
    const qd_cell *cell = &sparse->cells.cell[number];
    qd_list8 *list = &worker->leaf;
    bool active = is_active(worker, number);
    qd_window window = window_of(worker, sparse->cells.key[number]);

    qd_list8_reserve(worker->sink.heap, list, cell->count + above->count);
    worker->kernel->collect8(&worker->sink, cell, &window, list);
    qd_list8_sort(&worker->sorter, worker->sink.heap, list);
    if (above->count > 0) {
        worker->kernel->cull8(above, &window, !active, list);
    }
    if (active || list->count > list->own) {
        worker->kernel->test8(&worker->sink, list, worker->all);
    }
}

/* The list of a cell that is no leaf; with `test` its rows are tested too. */
static void make_list(qd_worker_slot *worker, uint32_t number, uint32_t level, const qd_list16 *above, bool test)
{
    const qd_sparse *sparse = (const qd_sparse *)worker->index;
    const qd_cell *cell = &sparse->cells.cell[number];
    qd_list16 *list = &worker->level[level];

    worker->listed[level] = number;
    list->own = list->count = 0;
    list->any_changed = false;
    if (cell->count + above->count == 0) {
        return;
    }
    qd_list16_reserve(worker->sink.heap, list, cell->count + above->count);
    worker->kernel->collect16(&worker->sink, cell, list);
    qd_list16_sort(&worker->sorter, worker->sink.heap, list);
    if (above->count > 0) {
        qd_window window = window_of(worker, sparse->cells.key[number]);

        worker->kernel->cull16(above, &window, !is_active(worker, number), list);
    }
    list->any_changed = list->count > 0 && (worker->all || qd_list_is_any_changed(list));
    if (test && list->own > 0 && list->any_changed) {
        worker->kernel->test16(&worker->sink, list, worker->all);
    }
}

/* Puts a level's list into the numbers of the hand's quantizer. */
static void renumber(qd_worker_slot *worker, uint32_t level)
{
    const qd_list16 list = worker->level[level];

    if (list.count > 0) {
        worker->level[level] = worker->level[SPARE];
        worker->level[SPARE] = list;
        qd_list16_reserve(worker->sink.heap, &worker->level[level], list.count);
        worker->kernel->collect_again(&worker->sink, &list, &worker->level[level]);
        worker->level[level].any_changed = list.any_changed;
    }
}

/* A cell that is no leaf; then the hand has the list and the quantizer for those below it. */
static void visit_inner(qd_worker_slot *worker, uint32_t number, uint32_t level, const qd_list16 *above, bool test)
{
    const qd_sparse *sparse = (const qd_sparse *)worker->index;
    bool is_new = test || worker->listed[level] != number; /* else it is there from an earlier task */

    if (is_new) {
        make_list(worker, number, level, above, test);
    }
    if (level > 0 && level % QUANTIZER_LEVELS == 0) {
        worker->sink.quantizer = quantizer_around(sparse, sparse->cells.key[number]);
        if (is_new) {
            renumber(worker, level);
        }
    }
}

static void traverse_below(qd_worker_slot *worker, uint32_t number, const qd_list16 *above);

/* The next cell's rows are fetched while one is walked. */
static void traverse_children(qd_worker_slot *worker, uint32_t number, const qd_list16 *above)
{
    const qd_sparse *sparse = (const qd_sparse *)worker->index;
    const bool is_large = sparse->index.rows->count > PREFETCH_FROM;
    const qd_sparse_link *link = sparse->cells.link;

    for (uint32_t child = link[number].first; child != QD_NONE; child = link[child].next) {
        if (is_large && link[child].next != QD_NONE) {
            prefetch(sparse, link[child].next);
        }
        traverse_below(worker, child, above);
    }
}

/* Down a branch without rows and forks, but not over the end of a quantizer. */
static uint32_t branch_end(const qd_sparse_cells *cells, uint32_t number)
{
    const qd_sparse_link *link = cells->link;

    while (cells->cell[number].count == 0 && link[number].first != QD_NONE &&
           link[link[number].first].next == QD_NONE && qd_key_level(cells->key[number]) % QUANTIZER_LEVELS != 0) {
        number = link[number].first;
    }
    return number;
}

/* Whether there is one row, and no other that it could meet. */
static bool is_lonely(const qd_sparse_cells *cells, uint32_t number, const qd_list16 *above)
{
    return above->count == 0 && cells->cell[number].count == 1 && cells->link[number].first == QD_NONE;
}

/* Everything in and below a cell. */
static void traverse_below(qd_worker_slot *worker, uint32_t number, const qd_list16 *above)
{
    qd_sparse *sparse = (qd_sparse *)worker->index;
    const qd_sparse_cells *cells = &sparse->cells;
    bool active = is_active(worker, number);

    if (worker->sink.stopped || !(active || above->any_changed)) {
        return;
    }
    number = branch_end(cells, number);
    if (cells->link[number].first == QD_NONE && cells->cell[number].count == 0) {
        qd_sparse_prune_passed(sparse, number);
        return;
    }
    if (is_lonely(cells, number, above)) {
        qd_traversal_commit(worker, number);
        return;
    }
    if (qd_sparse_is_leaf(sparse, number)) {
        visit_leaf(worker, number, above);
    } else {
        const uint32_t level = qd_key_level(cells->key[number]);
        const qd_quantizer quantizer = worker->sink.quantizer;

        visit_inner(worker, number, level, above, true);
        if (active || worker->level[level].any_changed) {
            traverse_children(worker, number, &worker->level[level]);
        }
        worker->sink.quantizer = quantizer;
    }
    if (active) {
        qd_traversal_commit(worker, number);
    }
}

void qd_sparse_walk(qd_index *index, qd_worker_slot *worker, uint32_t task)
{
    static const qd_list16 nothing = {.count = 0};
    const qd_sparse *sparse = (const qd_sparse *)index;
    uint32_t number = sparse->task[task] & ~ALONE;
    const uint64_t key = sparse->cells.key[number];
    const uint32_t level = qd_key_level(key);
    const qd_list16 *above = &nothing;

    worker->sink.quantizer = quantizer_around(sparse, QD_KEY_ROOT);
    for (uint32_t at = 0; at < level; at++) {
        uint32_t on_path = qd_sparse_cells_find(&sparse->cells, qd_key_above(key, level, at));

        visit_inner(worker, on_path, at, above, false);
        above = &worker->level[at];
    }
    if (sparse->task[task] & ALONE) {
        visit_inner(worker, number, level, above, true);
    } else {
        traverse_below(worker, number, above);
    }
}

/* ---- before and after ---- */

/* Puts a stamp on the cells of changed rows and all above them, or takes it away. */
static void set_active(qd_sparse *sparse, uint8_t stamped)
{
    const qd_rows *rows = sparse->index.rows;
    qd_sparse_cells *cells = &sparse->cells;

    for (uint32_t i = 0; i < rows->changed_count; i++) {
        const qd_block_info *info = &rows->info[rows->changed[i]];
        uint32_t number = info->cell;
        bool is_due = stamped == 0 || info->changed != 0;

        while (is_due && (cells->flags[number] & QD_SPARSE_ACTIVE) != stamped) {
            cells->flags[number] ^= QD_SPARSE_ACTIVE;
            if (number != QD_SPARSE_ROOT) {
                number = cells->link[number].parent;
            }
        }
    }
}

static void add_task(qd_sparse *sparse, uint32_t number)
{
    if (sparse->task_count == sparse->task_capacity) {
        uint32_t capacity = qd_array_capacity(sparse->task_capacity, sparse->task_count + 1, 4);
        size_t size = sizeof *sparse->task;

        sparse->task = qd_array_grow(sparse->index.heap, QD_ARRAY_NEED, sparse->task, sparse->task_capacity * size,
                                     sparse->task_count * size, capacity * size);
        sparse->task_capacity = capacity;
    }
    sparse->task[sparse->task_count++] = number;
}

static void cut(qd_sparse *sparse, uint32_t wanted)
{
    sparse->task_count = 0;
    add_task(sparse, QD_SPARSE_ROOT);
    for (uint32_t i = 0, alone = 0; i < sparse->task_count && sparse->task_count - alone < wanted; i++) {
        uint32_t child = sparse->cells.link[sparse->task[i]].first;

        if (child != QD_NONE) {
            sparse->task[i] |= ALONE;
            alone++;
        }
        for (; child != QD_NONE; child = sparse->cells.link[child].next) {
            add_task(sparse, child);
        }
    }
}

uint32_t qd_sparse_traverse_begin(qd_index *index, qd_traversal_plan *plan)
{
    qd_sparse *sparse = (qd_sparse *)index;

    sparse->task_count = 0;
    if (index->cells > 0 && (plan->all || index->rows->changed_count > 0)) {
        if (!plan->all) {
            set_active(sparse, QD_SPARSE_ACTIVE);
        }
        qd_sparse_prune_traversal_begin(sparse);
        cut(sparse, plan->workers > 1 ? plan->workers * TASKS_PER_WORKER : 1);
    }
    return sparse->task_count;
}

void qd_sparse_traverse_end(qd_index *index, const qd_traversal_plan *plan, const qd_traversal_result *result)
{
    qd_sparse *sparse = (qd_sparse *)index;

    if (sparse->task_count > 0 && !plan->all) {
        set_active(sparse, 0);
    }
    if ((plan->mode == QD_TRAVERSAL_EVENTS && result->complete) || result->without_hits) {
        qd_replan_debt_note(&sparse->debt, index->rows->count, result->tests, result->exact_tests);
    }
}
