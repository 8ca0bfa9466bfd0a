/* SPDX-License-Identifier: Apache-2.0
 *
 * TASKS. For several workers the traversal of a linear tree is cut at a level into as many tasks as there are cells,
 * each with the whole subtree below. A cell above the level is tested by the task of the first subtree in it. Each
 * worker goes down the path from the root by itself to get its own lists; the few rows up there are cheaper to collect
 * again than to pass on.
 */
#include "linear.h"

#include "../../../base/ablation.h"
#include "../../../base/memory/fetch.h"
#include "../../kernel/choose.h"

#define TASK_LEVEL       (QD_AXES == 2 ? 3u : 2u) /* 64 subtrees, or more */
#define TASK_ROWS        4096u                    /* in one of them: so that none waits long for the last one */
#define TASK_ROWS_MIN    64u                      /* in one: the way down to it is worth as many */
#define TASKS_PER_WORKER 8u                       /* subtrees have unequal numbers of rows */

#define NARROW_OWN_MIN   32u /* rows: fewer are compared before they are narrowed */
#define NARROW_MOVED_MIN 32u
#define NARROW_BITS      3u /* of 8, that are finer than the finest cells */

static const qd_linear *tree_of(const qd_worker_slot *worker)
{
    return (const qd_linear *)worker->index;
}

/* Number k of its level. */
typedef struct spot {
    uint32_t number, level, k;
} spot;

static inline spot spot_of(uint32_t level, uint32_t k)
{
    return (spot){qd_level_first(level) + k, level, k};
}

static inline uint8_t *flags_of(const qd_index *index)
{
    return ((const qd_linear *)index)->flags;
}

static inline uint32_t parent_of(const qd_index *index, uint32_t number)
{
    (void)index;
    return qd_cell_above(number);
}

static inline bool first_below(const qd_worker_slot *worker, spot at, spot *below)
{
    (void)worker;
    *below = spot_of(at.level + 1, at.k << QD_AXES);
    return true;
}

static inline bool next_below(const qd_worker_slot *worker, spot *below)
{
    (void)worker;
    below->number++;
    return !qd_cell_is_last(below->k++);
}

static qd_window window_of(const qd_worker_slot *worker, spot at)
{
    (void)worker;
    uint32_t bits = QD_QUANTIZER_BITS - at.level, last = (1u << bits) - 1;
    qd_window window = {.shift = bits > 8 ? bits - 8 : 0};
    for (uint32_t axis = 0; axis < QD_AXES; axis++) {
        uint32_t first = qd_morton_gather(at.k >> axis) << bits;

        window.lo[axis] = (uint16_t)first;
        window.hi[axis] = (uint16_t)(first + last);
    }
    return window;
}

/* The rows of the next leaf come into the cache without help: a plan lays leaves out in the order of the traversal. */
static inline void fetch_next(const qd_worker_slot *worker, spot at)
{
    (void)worker, (void)at;
}

/* Whether it pays to narrow a list before its test: then twice as many rows are compared at once, and 8 bits still
 * tell apart what lies side by side in the finest cells. */
static bool is_worth_narrowing(const qd_worker_slot *worker, uint32_t level, const qd_list16 *list)
{
    if (QD_WITHOUT(NARROWING) || list->own < NARROW_OWN_MIN || level + 8 < tree_of(worker)->depth + NARROW_BITS) {
        return false;
    }
    uint32_t moved = 0;
    for (uint32_t base = 0; !worker->all && base < list->own; base += 64) {
        moved += (uint32_t)__builtin_popcountll(list->changed[base / 64]);
    }
    return worker->all || moved >= NARROW_MOVED_MIN;
}

static void test_inner(qd_worker_slot *worker, spot at, const qd_list16 *list)
{
    const qd_window window = window_of(worker, at);

    if (!is_worth_narrowing(worker, at.level, list) ||
        qd_traversal_is_thin(worker, &worker->index->cell[at.number], window.shift) ||
        !qd_list8_reserve(worker->sink.heap, &worker->leaf, list->count)) {
        worker->kernel->test16(&worker->sink, list, worker->all);
        return;
    }
    worker->kernel->narrow(list, &window, &worker->leaf);
    worker->kernel->test8(&worker->sink, &worker->leaf, worker->all);
}

/* The whole tree has one quantizer. */
static inline void enter_frame(qd_worker_slot *worker, spot at, bool is_new)
{
    (void)worker, (void)at, (void)is_new;
}

static inline spot skip_empty(const qd_worker_slot *worker, spot at)
{
    (void)worker;
    return at;
}

/* Where nothing is and never was, or in an empty leaf. */
static inline bool pass_by(const qd_worker_slot *worker, spot at, const qd_list16 *above)
{
    (void)above;
    const uint8_t flags = tree_of(worker)->flags[at.number];
    return !(flags & QD_CELL_OCCUPIED) || ((flags & QD_CELL_LEAF) && worker->index->cell[at.number].count == 0);
}

#include "../tree_traversal_body.h"

/* Whether a cell is the first of those below the one `levels` above it. */
static bool is_first_below(uint32_t k, uint32_t levels)
{
    return (k & ((1u << QD_AXES * levels) - 1)) == 0;
}

/* Subtree number `task`, and before it those of the cells above in which it is the first. A leaf up there is all that
 * the subtrees below it would be. */
void qd_linear_traverse(qd_index *index, qd_worker_slot *worker, uint32_t task)
{
    const qd_linear *tree = (const qd_linear *)index;
    const qd_list16 *above = &nothing;

    worker->sink.quantizer = tree->quantizer;
    for (uint32_t level = 0; level < tree->task_level; level++) {
        const uint32_t below = tree->task_level - level;
        const spot at = spot_of(level, task >> QD_AXES * below);
        const bool is_first = is_first_below(task, below);

        if (!(tree->flags[at.number] & QD_CELL_OCCUPIED)) {
            return;
        }
        if (tree->flags[at.number] & QD_CELL_LEAF) {
            if (is_first) {
                traverse_below(worker, at, above);
            }
            return;
        }
        visit_inner(worker, at, above, is_first);
        above = &worker->level[level];
    }
    traverse_below(worker, spot_of(tree->task_level, task), above);
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
        set_active(index, QD_CELL_ACTIVE);
    }
    tree->task_level = plan->workers > 1 ? task_level(tree, plan->workers) : 0;
    return qd_level_cells(tree->task_level);
}

void qd_linear_traverse_end(qd_index *index, const qd_traversal_plan *plan, const qd_traversal_result *result)
{
    qd_linear *tree = (qd_linear *)index;

    if (index->cells > 0 && !plan->all) {
        set_active(index, 0);
    }
    for (uint32_t i = 0; plan->unmarked && i < qd_level_first(tree->task_level); i++) {
        qd_kernel_chosen()->commit(index->rows, &index->cell[i], true);
    }
    add_debt(index, &tree->debt, plan, result);
}
