/* SPDX-License-Identifier: Apache-2.0 */
#include "traversal.h"

#include <string.h>

#include "../../base/ablation.h"
#include "../../base/assert.h"
#include "../../base/memory/array.h"
#include "../../base/memory/scratch.h"
#include "../kernel/choose.h"

#define EVENTS_KEPT     16384u
#define LENT_BYTES_MAX  524288u /* that a thread keeps for each number of axes */
#define KEPT_BYTES      65536u  /* that a space keeps in any case, and for each row */
#define KEPT_BYTES_ROW  256u
#define EVENTS_MIN      8u    /* a line of cache */
#define LENT_ROWS_MAX   1024u /* traversals of no more rows work with a worker slot that the thread lends */
#define ALL_MOVED_SHARE 4u    /* with no more than one in this many at rest, every row counts as moved */
#define THIN_SAMPLE     16u   /* blocks of a cell that show how thin its rows are, or up to twice as many */
#define THIN_UNITS      3u    /* of 8 bits: a thin row has less */
#define THIN_PARTS      8u    /* of the extent of all rows: a thin row is shorter than one */

/* One traversal, as its tasks see it. */
typedef struct task_set {
    qd_index *index;
    qd_worker_slot **worker;
    uint32_t workers, tasks;
} task_set;

void qd_traversal_init(qd_traversal *traversal, qd_heap *heap)
{
    memset(traversal, 0, sizeof *traversal);
    traversal->heap = heap;
}

static void empty_worker(qd_worker_slot *worker)
{
    for (uint32_t level = 0; level < QD_TRAVERSAL_LEVELS_MAX; level++) {
        qd_list16_free(worker->sink.heap, &worker->level[level]);
    }
    qd_list8_free(worker->sink.heap, &worker->leaf);
    qd_list16_free(worker->sink.heap, &worker->sink.moments);
    qd_list_sorter_free(&worker->sorter, worker->sink.heap);
    qd_array_free(worker->sink.heap, worker->sink.event, worker->sink.capacity * sizeof *worker->sink.event);
    worker->sink.event = NULL;
    worker->sink.capacity = 0;
}

/* Roughly, of its lists and events. */
static size_t bytes_of(const qd_worker_slot *worker)
{
    const size_t row = QD_LIST_COLUMNS * sizeof(uint16_t) + sizeof(uint32_t);
    size_t rows = worker->leaf.capacity + worker->sink.moments.capacity + worker->sorter.capacity;

    for (uint32_t level = 0; level < QD_TRAVERSAL_LEVELS_MAX; level++) {
        rows += worker->level[level].capacity;
    }
    return rows * row + worker->sink.capacity * sizeof *worker->sink.event;
}

void qd_traversal_trim(qd_traversal *traversal, uint32_t rows)
{
    const size_t kept = KEPT_BYTES + KEPT_BYTES_ROW * (size_t)rows;
    size_t bytes = traversal->event_capacity * sizeof *traversal->event;

    for (uint32_t i = 0; i < traversal->workers; i++) {
        bytes += bytes_of(traversal->worker[i]);
    }
    if (bytes <= kept) {
        return;
    }
    for (uint32_t i = 0; i < traversal->workers; i++) {
        empty_worker(traversal->worker[i]);
    }
    qd_array_free(traversal->heap, traversal->event, traversal->event_capacity * sizeof *traversal->event);
    traversal->event = NULL;
    traversal->event_capacity = 0;
}

void qd_traversal_deinit(qd_traversal *traversal)
{
    for (uint32_t i = 0; i < traversal->workers; i++) {
        qd_worker_slot *worker = traversal->worker[i];

        empty_worker(worker);
        qd_heap_deinit(&worker->heap);
        qd_heap_free_aligned(traversal->heap, worker, QD_ARRAY_ALIGNMENT, sizeof *worker);
    }
    qd_array_free(traversal->heap, traversal->worker, traversal->workers * sizeof(qd_worker_slot *));
    qd_array_free(traversal->heap, traversal->event, traversal->event_capacity * sizeof *traversal->event);
}

/* Tests the pairs that wait, and commits what waits for them. */
static void settle(qd_worker_slot *worker)
{
    worker->kernel->finish(&worker->sink);
    for (uint32_t i = 0; i < worker->leaving_count; i++) {
        worker->kernel->commit(worker->index->rows, &worker->index->cell[worker->leaving[i]], worker->unmarked);
    }
    worker->leaving_count = 0;
}

void qd_traversal_commit(qd_worker_slot *worker, uint32_t cell)
{
    if (!worker->commit || QD_WITHOUT(EARLY_COMMIT)) {
        return;
    }
    worker->leaving[worker->leaving_count++] = cell;
    if (worker->sink.near_count == 0 || worker->leaving_count == QD_TRAVERSAL_LEAVING_MAX) {
        settle(worker);
    }
}

/* Rows from all over a cell, as numbers of the quantizer. */
typedef struct sample {
    uint32_t extent[QD_AXES]; /* the sum of the rows' */
    uint32_t least[QD_AXES], most[QD_AXES];
    uint32_t rows;
} sample;

static void sample_block(const qd_worker_slot *worker, uint32_t block, sample *of)
{
    qd_edges edges;

    worker->kernel->edges16(&worker->sink, block, &edges);
    of->rows += QD_BLOCK_ROWS;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
            const uint32_t low = edges.v[QD_OUTER_LO + k][r], high = edges.v[QD_OUTER_HI + k][r];

            of->extent[k] += high - low;
            of->least[k] = low < of->least[k] ? low : of->least[k];
            of->most[k] = high > of->most[k] ? high : of->most[k];
        }
    }
}

/* Whether rows are thinner than so many numbers along some axis, and also than a part of all rows: where they overlap
 * anyway, finer numbers separate none. */
static bool is_sample_thin(const sample *of, uint32_t numbers, uint32_t parts)
{
    bool is_thin = false;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        const uint32_t all = of->most[k] - of->least[k];

        is_thin |= of->extent[k] < of->rows * numbers && of->extent[k] < of->rows * (all / parts);
    }
    return is_thin;
}

bool qd_traversal_is_thin(const qd_worker_slot *worker, const qd_cell *cell, uint32_t shift)
{
    const uint32_t every = cell->count / QD_BLOCK_ROWS / THIN_SAMPLE + 1;
    sample rows = {.rows = 0};
    bool may_be = cell->count > QD_LIST_LONG && !QD_WITHOUT(LIST_THIN);

    memset(rows.least, UINT8_MAX, sizeof rows.least);
    uint32_t block = cell->head; /* the only one that may hold less than all rows */
    for (uint32_t i = 1; may_be && (block = worker->index->rows->info[block].next) != QD_NONE; i++) {
        if (i % every == 0) {
            sample_block(worker, block, &rows);
            may_be = is_sample_thin(&rows, THIN_UNITS << shift, 1);
        }
    }
    return may_be && is_sample_thin(&rows, THIN_UNITS << shift, THIN_PARTS);
}

bool qd_list_is_any_changed(const qd_list16 *list)
{
    uint64_t any = 0;

    for (uint32_t base = 0; base < list->count; base += 64) {
        uint64_t valid = list->count - base < 64 ? (UINT64_C(1) << (list->count - base)) - 1 : UINT64_MAX;

        any |= list->changed[base / 64] & valid;
    }
    return any != 0;
}

static bool is_nearly_all_changed(const qd_rows *rows)
{
    uint32_t moved = 0;

    for (uint32_t i = 0; i < rows->changed_count; i++) {
        uint16_t changed = rows->info[rows->changed[i]].changed;

        moved += changed == UINT16_MAX ? QD_BLOCK_ROWS : (uint32_t)__builtin_popcount(changed);
        if (moved >= rows->count - rows->count / ALL_MOVED_SHARE) {
            return true;
        }
    }
    return false;
}

/* There is one for every task that can run at once. An executor gives each thread a range of tasks, so a
 * thread finds the slot that goes with its tasks free, and has it in its cache. Slots that are taken are only looked
 * at: an exchange would fetch their lines from those who work with them. */
static qd_worker_slot *take_worker(const task_set *set, size_t task)
{
    for (uint32_t i = (uint32_t)((uint64_t)task * set->workers / set->tasks);; i = (i + 1) % set->workers) {
        if (!atomic_load_explicit(&set->worker[i]->taken, memory_order_relaxed) &&
            !atomic_exchange_explicit(&set->worker[i]->taken, true, memory_order_acquire)) {
            return set->worker[i];
        }
    }
}

static void run_task(size_t task, void *argument)
{
    const task_set *set = argument;
    qd_worker_slot *worker = take_worker(set, task);

    worker->sink.stopped |= atomic_load_explicit(&worker->sink.quota->no_memory, memory_order_relaxed);
    if (!worker->sink.stopped) {
        set->index->ops->traverse(set->index, worker, (uint32_t)task);
        settle(worker);
    }
    atomic_store_explicit(&worker->taken, false, memory_order_release);
}

/* A buffer that a burst of events left behind is not kept. */
static void trim(qd_sink *sink)
{
    if (sink->capacity > EVENTS_KEPT && sink->count < sink->capacity / 8) {
        qd_array_free(sink->heap, sink->event, sink->capacity * sizeof *sink->event);
        sink->event = NULL;
        sink->capacity = 0;
    }
}

static void free_lent_worker(void *memory)
{
    qd_worker_slot *worker = memory;

    empty_worker(worker);
    qd_heap heap = worker->heap;
    qd_heap_free_aligned(&heap, worker, QD_ARRAY_ALIGNMENT, sizeof *worker);
    qd_heap_deinit(&heap);
}

/* The thread's; NULL: there is none, and the traversal has to have its own. */
static qd_worker_slot *lent_worker(void)
{
    qd_scratch *scratch = qd_scratch_of_thread(QD_AXES == 2 ? QD_SCRATCH_SLOT_2D : QD_SCRATCH_SLOT_3D);

    if (scratch == NULL || scratch->memory != NULL) {
        return scratch != NULL ? scratch->memory : NULL;
    }
    qd_heap heap;
    qd_heap_init(&heap);
    qd_worker_slot *worker = qd_heap_alloc_aligned(&heap, QD_ARRAY_ALIGNMENT, sizeof *worker);
    if (worker == NULL) {
        return NULL;
    }
    memset(worker, 0, sizeof *worker);
    worker->heap = heap;
    worker->sink.heap = &worker->heap;
    *scratch = (qd_scratch){worker, free_lent_worker};
    return worker;
}

/* Makes as many as there is memory for. */
static void make_workers(qd_traversal *traversal, uint32_t count)
{
    while (traversal->workers < count) {
        const size_t size = sizeof(qd_worker_slot *), old = traversal->workers * size;
        qd_worker_slot *worker = qd_heap_alloc_aligned(traversal->heap, QD_ARRAY_ALIGNMENT, sizeof *worker);
        qd_worker_slot **all =
            worker != NULL ? qd_array_grow(traversal->heap, traversal->worker, old, old, old + size) : NULL;

        if (all == NULL) {
            qd_heap_free_aligned(traversal->heap, worker, QD_ARRAY_ALIGNMENT, worker != NULL ? sizeof *worker : 0);
            return;
        }
        traversal->worker = all;
        memset(worker, 0, sizeof *worker);
        qd_heap_init(&worker->heap);
        worker->sink.heap = traversal->workers == 0 ? traversal->heap : &worker->heap;
        traversal->worker[traversal->workers++] = worker;
    }
}

static void ready_worker(qd_worker_slot *worker, qd_index *index, const qd_traversal_plan *plan, qd_quota *quota)
{
    trim(&worker->sink);
    qd_sink sink = worker->sink;
    worker->sink = (qd_sink){
        .rows = index->rows,
        .bodies = index->bodies,
        .mode = plan->mode,
        .swept = index->config->swept && plan->mode != QD_TRAVERSAL_PAIRS,
        .self_ignoring = qd_bodies_any_self_ignoring(index->bodies),
        .heap = sink.heap,
        .quota = quota,
        .near = worker->near,
        .moments = sink.moments,
        .event = sink.event,
        .capacity = sink.capacity,
    };
    memset(worker->listed, 0xff, sizeof worker->listed);
    worker->index = index;
    worker->kernel = qd_kernel_chosen();
    worker->all = plan->all;
    worker->commit = plan->mode != QD_TRAVERSAL_PAIRS;
    worker->unmarked = plan->unmarked;
}

/* Makes the traversal's array of events long enough for so many, and not much longer than it need be. False: no
 * memory. */
static bool fit_events(qd_traversal *traversal, size_t count)
{
    bool is_left_behind = traversal->event_capacity > EVENTS_KEPT && count < traversal->event_capacity / 8;

    if (count <= traversal->event_capacity && !is_left_behind) {
        return true;
    }
    const size_t size = sizeof *traversal->event;
    size_t capacity = count + count / 2 > EVENTS_MIN ? count + count / 2 : EVENTS_MIN;
    qd_space_event *event =
        qd_array_grow(traversal->heap, traversal->event, traversal->event_capacity * size, 0, capacity * size);
    if (event == NULL) {
        return count <= traversal->event_capacity;
    }
    traversal->event = event;
    traversal->event_capacity = capacity;
    return true;
}

/* The events of all workers in one array; those of a single slot of the traversal's own stay where they are. False: no
 * memory. */
static bool gather(qd_traversal *traversal, const task_set *set, size_t found, const qd_space_event **event)
{
    if (set->workers == 1 && set->worker == traversal->worker) {
        *event = traversal->worker[0]->sink.event;
        return true;
    }
    if (!fit_events(traversal, found)) {
        return false;
    }
    size_t count = 0;
    for (uint32_t i = 0; i < set->workers; i++) {
        const qd_sink *sink = &set->worker[i]->sink;

        if (sink->count > 0) {
            memcpy(traversal->event + count, sink->event, sink->count * sizeof *sink->event);
        }
        count += sink->count;
    }
    *event = traversal->event;
    return true;
}

static void sum_up(qd_traversal *traversal, const task_set *set, const qd_quota *quota, qd_traversal_result *result)
{
    *result = (qd_traversal_result){0};
    for (uint32_t i = 0; i < set->workers; i++) {
        const qd_sink *sink = &set->worker[i]->sink;

        result->found += sink->count;
        result->tests += sink->tests;
        result->exact_tests += sink->exact_tests;
    }
    result->without_hits = result->exact_tests - result->found > quota->misses_max;
    if (result->found > quota->limit) {
        result->stopped = QD_SPACE_STOP_EVENTS;
    } else if (result->without_hits) {
        result->stopped = QD_SPACE_STOP_TESTS;
    } else if (quota->no_memory || !gather(traversal, set, result->found, &result->event)) {
        result->stopped = QD_SPACE_STOP_MEMORY;
    }
    result->complete = result->stopped == QD_SPACE_NOT_STOPPED;
}

/* Those that a traversal is about: by the blocks, where only some changed. */
static uint32_t rows_at_work(const qd_rows *rows, bool all)
{
    return all ? rows->count : rows->changed_count * QD_BLOCK_ROWS;
}

static bool was_stopped(const task_set *set)
{
    bool stopped = false;

    for (uint32_t i = 0; i < set->workers; i++) {
        stopped |= set->worker[i]->sink.stopped;
    }
    return stopped;
}

/* Exact tests that found nothing. This limit bounds the time of a traversal without events, such as a crowd on a spot
 * that the index cannot divide, in which no two bodies touch. */
static uint64_t misses_max(const qd_index *index, uint64_t limit)
{
    bool is_slow = index->config->swept || index->bodies->radius != NULL;
    uint64_t budget = index->config->test_budget > 0 ? index->config->test_budget : QD_TEST_BUDGET_DEFAULT;
    uint64_t least = budget / (is_slow ? QD_MISS_COST_SLOW : 1);

    return (limit > least ? limit : least) + QD_MISSES_PER_ROW * (uint64_t)index->rows->count;
}

void qd_traversal_run(qd_traversal *traversal, qd_index *index, const qd_executor *executor, qd_traversal_mode mode,
                      uint64_t limit, qd_traversal_result *result)
{
    qd_traversal_plan plan = {
        .mode = mode,
        .unmarked =
            index->rows->all && index->ops->commits_all && !QD_WITHOUT(EARLY_COMMIT) && mode != QD_TRAVERSAL_PAIRS,
    };

    if (!plan.unmarked) {
        qd_rows_list_all(index->rows);
    }
    plan.all =
        plan.unmarked || mode != QD_TRAVERSAL_EVENTS || QD_WITHOUT(ACTIVE_CELLS) || is_nearly_all_changed(index->rows);
    plan.workers = rows_at_work(index->rows, plan.all) >= index->tuning.task_rows_min && !QD_WITHOUT(TRAVERSAL_TASKS)
                       ? (uint32_t)executor->width
                       : 1;
    uint32_t tasks = index->ops->traverse_begin(index, &plan);
    uint32_t workers = tasks > 1 ? plan.workers : 1;
    qd_quota quota = {.limit = limit, .misses_max = misses_max(index, limit), .no_memory = tasks == QD_TASKS_NO_MEMORY};
    qd_worker_slot *lent =
        workers == 1 && index->rows->count <= LENT_ROWS_MAX && !QD_WITHOUT(TRAVERSAL_SCRATCH) ? lent_worker() : NULL;
    if (lent == NULL) {
        make_workers(traversal, workers);
    }
    task_set set = {index, lent != NULL ? &lent : traversal->worker, workers, quota.no_memory ? 0 : tasks};
    if (lent == NULL && traversal->workers < workers) {
        /* With fewer slots than tasks that run at once, tasks would wait for each other. */
        set.workers = traversal->workers > 0;
        quota.no_memory |= set.workers == 0;
    }
    for (uint32_t i = 0; i < set.workers; i++) {
        ready_worker(set.worker[i], index, &plan, &quota);
    }
    if (set.workers > 1) {
        executor->run(executor->context, set.tasks, run_task, &set);
    } else if (set.workers == 1) {
        qd_executor_serial.run(NULL, set.tasks, run_task, &set);
    }
    sum_up(traversal, &set, &quota, result);
    index->ops->traverse_end(index, &plan, result);
    if (plan.unmarked && !was_stopped(&set) && !quota.no_memory) {
        index->rows->all = false;
    }
    if (lent != NULL && lent->heap.bytes > LENT_BYTES_MAX) {
        empty_worker(lent);
    }
}
