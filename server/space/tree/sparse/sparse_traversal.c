/* SPDX-License-Identifier: Apache-2.0
 *
 * QUANTIZERS. The kernel's numbers have 16 bits, too few for so deep a tree. So a traversal has a quantizer around the
 * root down to level 8, one around the cell it is in at level 8 for the 8 levels below, and another one below level 16.
 * Then a cell is never less than 256 numbers wide, and leaves can be compared by 8 bits. A list is put into new numbers
 * when the traversal goes down from one quantizer to the next.
 *
 * TASKS. For several workers the tree is cut: from the root on, the cells that are reached first are tasks by
 * themselves, until there are enough below them for every worker, each a task with all that is in it. Each worker goes
 * down the path from the root by itself to get its own lists; the few rows up there are cheaper to collect again than
 * to pass on.
 */
#include "sparse.h"

#include "../../../base/ablation.h"
#include "../../../base/memory/array.h"
#include "../../../base/memory/fetch.h"

#define QUANTIZER_LEVELS 8u                  /* a quantizer's levels below its cell */
#define TASKS_PER_WORKER 16u                 /* so that none waits long for the last one */
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

typedef struct spot {
    uint32_t number, level;
} spot;

static const qd_sparse_cells *cells_of(const qd_worker_slot *worker)
{
    return &((const qd_sparse *)worker->index)->cells;
}

static inline spot spot_of(const qd_sparse_cells *cells, uint32_t number)
{
    return (spot){number, qd_key_level(cells->key[number])};
}

static inline uint8_t *flags_of(const qd_index *index)
{
    return ((const qd_sparse *)index)->cells.flags;
}

static inline uint32_t parent_of(const qd_index *index, uint32_t number)
{
    return ((const qd_sparse *)index)->cells.link[number].parent;
}

static inline bool first_below(const qd_worker_slot *worker, spot at, spot *below)
{
    *below = (spot){cells_of(worker)->link[at.number].first, at.level + 1};
    return below->number != QD_NONE;
}

static inline bool next_below(const qd_worker_slot *worker, spot *below)
{
    below->number = cells_of(worker)->link[below->number].next;
    return below->number != QD_NONE;
}

/* In the worker's quantizer. */
static qd_window window_of(const qd_worker_slot *worker, spot at)
{
    qd_extent extent = qd_sparse_extent((const qd_sparse *)worker->index, cells_of(worker)->key[at.number]);
    qd_row box = {{0}};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        box.v[k] = (float)extent.lo[k];
        box.v[QD_ROW_HIGH + k] = (float)extent.hi[k];
    }
    qd_numbers numbers = qd_quantizer_numbers(&worker->sink.quantizer, &box);
    qd_window window = {.shift = QD_QUANTIZER_BITS - 8 - (at.level - level_of_quantizer(at.level))};
    for (uint32_t k = 0; k < QD_AXES; k++) {
        window.lo[k] = (uint16_t)numbers.v[k];
        window.hi[k] = (uint16_t)numbers.v[QD_ROW_HIGH + k];
    }
    return window;
}

/* Those of the next child of the same parent. */
static void fetch_next(const qd_worker_slot *worker, spot at)
{
    const qd_rows *rows = worker->index->rows;
    const uint32_t next = cells_of(worker)->link[at.number].next;

    if (next == QD_NONE) {
        return;
    }
    for (uint32_t block = cells_of(worker)->cell[next].head; block != QD_NONE; block = rows->info[block].next) {
        for (uint32_t lane = 0; lane < QD_BLOCK_ROWS; lane += QD_LINE_BYTES / sizeof(qd_row)) {
            __builtin_prefetch(qd_row_now(rows, block * QD_BLOCK_ROWS + lane), 1);
            __builtin_prefetch(qd_row_was(rows, block * QD_BLOCK_ROWS + lane), 1);
        }
    }
}

static inline void test_inner(qd_worker_slot *worker, spot at, const qd_list16 *list)
{
    (void)at;
    worker->kernel->test16(&worker->sink, list, worker->all);
}

/* Puts a level's list into the numbers of the worker's quantizer. */
static void renumber(qd_worker_slot *worker, uint32_t level)
{
    const qd_list16 list = worker->level[level];

    if (list.count > 0) {
        worker->level[level] = worker->level[SPARE];
        worker->level[SPARE] = list;
        if (!qd_sink_reserve16(&worker->sink, &worker->level[level], list.count)) {
            return;
        }
        worker->kernel->collect_again(&worker->sink, &list, &worker->level[level]);
        worker->level[level].any_changed = list.any_changed;
    }
}

static inline void enter_frame(qd_worker_slot *worker, spot at, bool is_new)
{
    if (at.level > 0 && at.level % QUANTIZER_LEVELS == 0) {
        worker->sink.quantizer = quantizer_around((const qd_sparse *)worker->index, cells_of(worker)->key[at.number]);
        if (is_new) {
            renumber(worker, at.level);
        }
    }
}

/* But not over the end of a quantizer. */
static inline spot skip_empty(const qd_worker_slot *worker, spot at)
{
    const qd_sparse_cells *cells = cells_of(worker);
    const qd_sparse_link *link = cells->link;
    uint32_t number = at.number;

    while (!QD_WITHOUT(SPARSE_SKIP) && cells->cell[number].count == 0 && link[number].first != QD_NONE &&
           link[link[number].first].next == QD_NONE && qd_key_level(cells->key[number]) % QUANTIZER_LEVELS != 0) {
        number = link[number].first;
    }
    return number == at.number ? at : spot_of(cells, number);
}

/* At the end of a branch: without rows, or with one and no other that it could meet. */
static inline bool pass_by(qd_worker_slot *worker, spot at, const qd_list16 *above)
{
    const qd_sparse_cells *cells = cells_of(worker);
    const uint32_t count = cells->cell[at.number].count;

    if (cells->link[at.number].first != QD_NONE || count > 1) {
        return false;
    }
    if (count == 0) {
        qd_sparse_prune_passed((qd_sparse *)worker->index, at.number);
        return true;
    }
    if (above->count > 0) {
        return false;
    }
    qd_traversal_commit(worker, at.number);
    return true;
}

#include "../tree_traversal_body.h"

void qd_sparse_traverse(qd_index *index, qd_worker_slot *worker, uint32_t task)
{
    const qd_sparse *sparse = (const qd_sparse *)index;
    const spot at = spot_of(&sparse->cells, sparse->task[task] & ~ALONE);
    const qd_list16 *above = &nothing;

    worker->sink.quantizer = quantizer_around(sparse, QD_KEY_ROOT);
    for (uint32_t level = 0; level < at.level; level++) {
        const uint64_t key = qd_key_above(sparse->cells.key[at.number], at.level, level);

        visit_inner(worker, (spot){qd_sparse_cells_find(&sparse->cells, key), level}, above, false);
        above = &worker->level[level];
    }
    if (sparse->task[task] & ALONE) {
        visit_inner(worker, at, above, true);
    } else {
        traverse_below(worker, at, above);
    }
}

/* ---- before and after ---- */

static bool reserve_tasks(qd_sparse *sparse, uint32_t more)
{
    const uint32_t needed = sparse->task_count + more;

    if (needed <= sparse->task_capacity) {
        return true;
    }
    const size_t size = sizeof *sparse->task;
    const uint32_t capacity = qd_array_capacity(sparse->task_capacity, needed, 1);
    uint32_t *grown = qd_array_grow(sparse->index.heap, sparse->task, sparse->task_capacity * size,
                                    sparse->task_count * size, capacity * size);
    if (grown == NULL) {
        return false;
    }
    sparse->task = grown;
    sparse->task_capacity = capacity;
    return true;
}

static void add_task(qd_sparse *sparse, uint32_t number)
{
    sparse->task[sparse->task_count++] = number;
}

/* The root is one task. It is cut as far as there is memory for others. */
static void cut(qd_sparse *sparse, uint32_t wanted)
{
    add_task(sparse, QD_SPARSE_ROOT);
    for (uint32_t i = 0, alone = 0; i < sparse->task_count && sparse->task_count - alone < wanted; i++) {
        uint32_t child = sparse->cells.link[sparse->task[i]].first;

        if (!reserve_tasks(sparse, QD_CHILDREN)) {
            return;
        }

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
        if (!reserve_tasks(sparse, 1)) {
            return QD_TASKS_NO_MEMORY;
        }
        if (!plan->all) {
            set_active(index, QD_CELL_ACTIVE);
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
        set_active(index, 0);
    }
    add_debt(index, &sparse->debt, plan, result);
}
