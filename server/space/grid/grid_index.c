/* SPDX-License-Identifier: Apache-2.0 */
#include "grid.h"

#include "../core/traversal.h"

#define TASKS_PER_WORKER 8u
#define NUMBERS_LAST     254u /* of a cell: the kernel's 8 bits, less one that is kept */

/* The numbers of a cell are those of a quantizer that begins with it. */
static const qd_window whole = {.shift = 0};

/* ---- one cell ---- */

static void corner_of(const qd_grid_shape *shape, uint32_t cell, uint32_t *at)
{
    for (uint32_t k = 0; k < QD_AXES; k++) {
        at[k] = cell & ((1u << shape->bits[k]) - 1);
        cell >>= shape->bits[k];
    }
}

/* A quantizer whose numbers are those of a cell, or of more side by side. */
static qd_quantizer quantizer_at(const qd_grid_shape *shape, const uint32_t *at, double cells)
{
    qd_quantizer quantizer = {.scale = (float)(NUMBERS_LAST / (cells * shape->size))};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        quantizer.origin[k] = qd_quantizer_origin((double)shape->quantizer.origin[k] + at[k] * shape->size);
    }
    return quantizer;
}

/* References are read block by block. */
static void pad(uint32_t *row, uint32_t count)
{
    for (uint32_t i = 0; i < QD_BLOCK_ROWS; i++) {
        row[count + i] = 0;
    }
}

/* The large rows that reach a cell where rows are at home, which may reach further themselves. */
static uint32_t note_large(const qd_grid_words *words, const uint32_t *at, uint32_t *row)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < words->large_count; i++) {
        const qd_grid_large *large = &words->large[i];
        bool meets = true;

        for (uint32_t k = 0; k < QD_AXES; k++) {
            meets &= (large->span.lo[k] <= at[k] + words->reach[k]) & (at[k] <= large->span.hi[k]);
        }
        row[count] = large->row;
        count += meets;
    }
    pad(row, count);
    return count;
}

static bool is_any_changed(const uint32_t *row, uint32_t count)
{
    uint32_t any = 0;

    for (uint32_t i = 0; i < count; i++) {
        any |= row[i];
    }
    return (any & QD_LIST_CHANGED) != 0;
}

static void pick(qd_worker_slot *worker, const uint32_t *row, uint32_t count)
{
    worker->kernel->pick8(&worker->sink, row, count, &whole, worker->all, &worker->leaf);
}

/* The list's own rows; a long list's are brought in order. */
static void pick_own(qd_worker_slot *worker, const uint32_t *row, uint32_t count)
{
    worker->leaf.count = 0;
    pick(worker, row, count);
    worker->leaf.own = count;
    qd_list8_sort(&worker->sorter, worker->sink.heap, &worker->leaf);
}

/* Rows that are not at home meet where their classes have no bit in common. `first` of each class, and one more. */
static void cross_classes(qd_worker_slot *worker, const uint32_t *first)
{
    for (uint32_t a = 1; a < QD_CHILDREN - 1; a++) {
        for (uint32_t b = a + 1; b < QD_CHILDREN && first[a] < first[a + 1]; b++) {
            if ((a & b) == 0 && first[b] < first[b + 1]) {
                worker->kernel->cross8(&worker->sink, &worker->leaf, first[a], first[a + 1], first[b], first[b + 1],
                                       worker->all);
            }
        }
    }
}

/* The words of a cell, which begins with `from`; returns where the next one does. */
static uint32_t traverse_cell(const qd_grid *grid, qd_worker_slot *worker, uint32_t from)
{
    const qd_grid_words *words = &grid->words;
    const uint32_t *key = words->key, cell = qd_grid_cell(key[from]);
    uint32_t first[QD_GRID_CLASSES + 1], at[QD_AXES], end = from;

    for (uint32_t class = 0; class < QD_GRID_CLASSES; class ++) {
        first[class] = end - from;
        while (end < words->count && key[end] == cell * QD_GRID_CLASSES + class) {
            end++;
        }
    }
    const uint32_t *row = words->row + from, count = first[QD_GRID_CLASSES] = end - from, home = first[1];
    uint32_t *large = NULL, large_count = 0;
    corner_of(&grid->shape, cell, at);
    if (words->large_count > 0 && home > 0) {
        if (!qd_sink_reserve16(&worker->sink, &worker->level[0], words->large_count)) {
            return end;
        }
        large = worker->level[0].row;
        large_count = note_large(words, at, large);
    }
    if (count + large_count < 2 || !(worker->all || is_any_changed(row, count) || is_any_changed(large, large_count))) {
        return end;
    }
    worker->sink.quantizer = quantizer_at(&grid->shape, at, 1);
    if (!qd_sink_reserve8(&worker->sink, &worker->leaf, count + large_count)) {
        return end;
    }
    pick_own(worker, row, home);
    pick(worker, row + home, count - home);
    pick(worker, large, large_count);
    if (home > 0) {
        worker->kernel->test8(&worker->sink, &worker->leaf, worker->all);
    }
    cross_classes(worker, first);
    return end;
}

/* Large rows among themselves. */
static void traverse_large(const qd_grid *grid, qd_worker_slot *worker)
{
    const qd_grid_words *words = &grid->words;
    const uint32_t none[QD_AXES] = {0}, count = words->large_count;
    uint32_t longest = 0;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        longest = grid->shape.last[k] > longest ? grid->shape.last[k] : longest;
    }
    worker->sink.quantizer = quantizer_at(&grid->shape, none, longest + 1.0);
    if (!qd_sink_reserve8(&worker->sink, &worker->leaf, count) ||
        !qd_sink_reserve16(&worker->sink, &worker->level[0], count)) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        worker->level[0].row[i] = words->large[i].row;
    }
    pad(worker->level[0].row, count);
    pick_own(worker, worker->level[0].row, count);
    worker->kernel->test8(&worker->sink, &worker->leaf, worker->all);
}

/* ---- the traversal ---- */

/* One row alone meets nobody: then the words are what a plan left there, which may not even be sorted. */
static bool is_traversed(const qd_index *index, const qd_traversal_plan *plan)
{
    return index->rows->count >= 2 && qd_one_list_is_due(index, plan);
}

static uint32_t traverse_begin(qd_index *index, qd_traversal_plan *plan)
{
    qd_grid *grid = (qd_grid *)index;

    if (!is_traversed(index, plan)) {
        return 0;
    }
    if (!qd_grid_sort(grid, plan->mode, plan->all, UINT32_MAX)) {
        return QD_TASKS_NO_MEMORY;
    }
    grid->tasks = plan->workers > 1 ? plan->workers * TASKS_PER_WORKER : 1;
    return grid->tasks;
}

/* The first word of a task's share, which begins with a cell. */
static uint32_t first_of(const qd_grid *grid, uint32_t task)
{
    const qd_grid_words *words = &grid->words;
    uint32_t at = (uint32_t)((uint64_t)words->count * task / grid->tasks);

    while (at > 0 && at < words->count && qd_grid_cell(words->key[at]) == qd_grid_cell(words->key[at - 1])) {
        at++;
    }
    return at;
}

static void traverse(qd_index *index, qd_worker_slot *worker, uint32_t task)
{
    const qd_grid *grid = (const qd_grid *)index;
    const uint32_t end = first_of(grid, task + 1);

    for (uint32_t at = first_of(grid, task); at < end && !worker->sink.stopped;) {
        at = traverse_cell(grid, worker, at);
    }
    if (task == 0 && grid->words.large_count > 1 && !worker->sink.stopped) {
        traverse_large(grid, worker);
    }
}

static void traverse_end(qd_index *index, const qd_traversal_plan *plan, const qd_traversal_result *result)
{
    qd_grid *grid = (qd_grid *)index;

    if (plan->mode == QD_TRAVERSAL_EVENTS && result->complete && is_traversed(index, plan)) {
        qd_grid_note_traversal(grid);
    }
}

static void prepare(qd_index *index, const qd_executor *executor)
{
    (void)executor;
    qd_grid_plan((qd_grid *)index);
}

static void settle(qd_index *index, const qd_executor *executor)
{
    (void)executor;
    qd_grid_words_trim((qd_grid *)index);
}

static void count(const qd_index *index, qd_space_counters *counters)
{
    const qd_grid_shape *shape = &((const qd_grid *)index)->shape;

    counters->cells = 1;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        counters->cells *= shape->last[k] + 1;
    }
}

/* Until the first plan all is in one cell. */
static bool begin(qd_index *index)
{
    ((qd_grid *)index)->shape = (qd_grid_shape){.quantizer.scale = 1, .size = 1};
    return qd_one_list_begin(index);
}

static void end(qd_index *index)
{
    qd_grid_words_free((qd_grid *)index);
}

const qd_index_ops qd_grid_ops = {
    .kind = QD_SPACE_GRID,
    .bytes = sizeof(qd_grid),
    .begin = begin,
    .end = end,
    .reserve = qd_one_list_reserve,
    .locate = qd_one_list_locate,
    .move = qd_one_list_move,
    .prepare = prepare,
    .traverse_begin = traverse_begin,
    .traverse = traverse,
    .traverse_end = traverse_end,
    .settle = settle,
    .search = qd_one_list_search,
    .count = count,
    .holds = qd_one_list_holds,
    .validate = qd_one_list_validate,
};
