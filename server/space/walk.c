/* SPDX-License-Identifier: Apache-2.0 */
#include "walk.h"

#include <string.h>

#include "../base/assert.h"
#include "../base/loans.h"
#include "array.h"

#define EVENTS_KEPT     16384u
#define EVENTS_MIN      8u    /* a line of cache */
#define LENT_ROWS_MAX   1024u /* walks of no more rows work with a hand that the thread lends */
#define ALL_MOVED_SHARE 4u    /* with no more than one in this many at rest, every row counts as moved */

/* One walk, as its tasks see it. */
typedef struct task_set {
    qd_index *index;
    qd_hand **hand;
    uint32_t hands, tasks;
} task_set;

void qd_walk_init(qd_walk *walk, qd_heap *heap)
{
    memset(walk, 0, sizeof *walk);
    walk->heap = heap;
}

static void empty_hand(qd_hand *hand)
{
    for (uint32_t level = 0; level < QD_WALK_LEVELS_MAX; level++) {
        qd_list16_free(hand->sink.heap, &hand->level[level]);
    }
    qd_list8_free(hand->sink.heap, &hand->leaf);
    qd_arranger_free(&hand->arranger, hand->sink.heap);
    qd_array_free(hand->sink.heap, hand->sink.event, hand->sink.capacity * sizeof *hand->sink.event);
}

void qd_walk_deinit(qd_walk *walk)
{
    for (uint32_t i = 0; i < walk->hands; i++) {
        qd_hand *hand = walk->hand[i];

        empty_hand(hand);
        qd_heap_deinit(&hand->heap);
        qd_heap_free_aligned(walk->heap, hand, QD_ARRAY_ALIGNMENT, sizeof *hand);
    }
    qd_array_free(walk->heap, walk->hand, walk->hands * sizeof(qd_hand *));
    qd_array_free(walk->heap, walk->event, walk->event_capacity * sizeof *walk->event);
}

/* Tests the pairs that wait, and commits what waits for them. */
static void settle(qd_hand *hand)
{
    hand->kernel->finish(&hand->sink);
    for (uint32_t i = 0; i < hand->leaving_count; i++) {
        hand->kernel->commit(hand->index->rows, &hand->index->cell[hand->leaving[i]], hand->unmarked);
    }
    hand->leaving_count = 0;
}

void qd_walk_commit(qd_hand *hand, uint32_t cell)
{
    if (!hand->commit) {
        return;
    }
    hand->leaving[hand->leaving_count++] = cell;
    if (hand->sink.near_count == 0 || hand->leaving_count == QD_WALK_LEAVING_MAX) {
        settle(hand);
    }
}

bool qd_walk_is_any_moved(const qd_list16 *list)
{
    uint64_t any = 0;

    for (uint32_t base = 0; base < list->count; base += 64) {
        uint64_t valid = list->count - base < 64 ? (UINT64_C(1) << (list->count - base)) - 1 : UINT64_MAX;

        any |= list->moved[base / 64] & valid;
    }
    return any != 0;
}

static bool is_nearly_all_dirty(const qd_rows *rows)
{
    uint32_t moved = 0;

    for (uint32_t i = 0; i < rows->dirty_count; i++) {
        uint16_t dirty = rows->info[rows->dirty[i]].dirty;

        moved += dirty == UINT16_MAX ? QD_BLOCK_ROWS : (uint32_t)__builtin_popcount(dirty);
        if (moved >= rows->count - rows->count / ALL_MOVED_SHARE) {
            return true;
        }
    }
    return false;
}

/* There is one for every task that can run at once. Who splits work gives each worker its part of the tasks, so each
 * finds the hand that goes with a task free, and has it in its cache. Hands that are taken are only looked at: an
 * exchange would fetch their lines from those who work with them. */
static qd_hand *take_hand(const task_set *set, size_t task)
{
    for (uint32_t i = (uint32_t)((uint64_t)task * set->hands / set->tasks);; i = (i + 1) % set->hands) {
        if (!atomic_load_explicit(&set->hand[i]->taken, memory_order_relaxed) &&
            !atomic_exchange_explicit(&set->hand[i]->taken, true, memory_order_acquire)) {
            return set->hand[i];
        }
    }
}

static void run_task(size_t task, void *argument)
{
    const task_set *set = argument;
    qd_hand *hand = take_hand(set, task);

    if (!hand->sink.stopped) {
        set->index->ops->walk(set->index, hand, (uint32_t)task);
        settle(hand);
    }
    atomic_store_explicit(&hand->taken, false, memory_order_release);
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

static void free_lent_hand(void *memory)
{
    qd_hand *hand = memory;

    empty_hand(hand);
    qd_heap heap = hand->heap;
    qd_heap_free_aligned(&heap, hand, QD_ARRAY_ALIGNMENT, sizeof *hand);
    qd_heap_deinit(&heap);
}

/* The thread's; NULL: there is none, and the walk has to have its own. */
static qd_hand *lent_hand(void)
{
    qd_loan *loan = qd_loan_of_thread(QD_AXES == 2 ? QD_LOAN_HAND_2D : QD_LOAN_HAND_3D);

    if (loan == NULL || loan->memory != NULL) {
        return loan != NULL ? loan->memory : NULL;
    }
    qd_heap heap;
    qd_heap_init(&heap);
    qd_hand *hand = qd_heap_alloc_aligned(&heap, QD_ARRAY_ALIGNMENT, sizeof *hand);
    if (hand == NULL) {
        return NULL;
    }
    memset(hand, 0, sizeof *hand);
    hand->heap = heap;
    hand->sink.heap = &hand->heap;
    *loan = (qd_loan){hand, free_lent_hand};
    return hand;
}

static void make_hands(qd_walk *walk, uint32_t count)
{
    if (count > walk->hands) {
        walk->hand = qd_array_grow(walk->heap, QD_ARRAY_NEED, walk->hand, walk->hands * sizeof(qd_hand *),
                                   walk->hands * sizeof(qd_hand *), count * sizeof(qd_hand *));
    }
    for (; walk->hands < count; walk->hands++) {
        qd_hand *hand = qd_heap_need(walk->heap, QD_ARRAY_ALIGNMENT, sizeof *hand);

        memset(hand, 0, sizeof *hand);
        qd_heap_init(&hand->heap);
        hand->sink.heap = walk->hands == 0 ? walk->heap : &hand->heap;
        walk->hand[walk->hands] = hand;
    }
}

static void ready_hand(qd_hand *hand, qd_index *index, const qd_walk_plan *plan, qd_quota *quota)
{
    trim(&hand->sink);
    qd_sink sink = hand->sink;
    hand->sink = (qd_sink){
        .rows = index->rows,
        .bodies = index->bodies,
        .mode = plan->mode,
        .swept = index->config->swept && plan->mode != QD_WALK_PAIRS,
        .rings = index->bodies->any_round && plan->mode == QD_WALK_EVENTS && !index->config->swept,
        .aloof = qd_bodies_any_aloof(index->bodies),
        .heap = sink.heap,
        .quota = quota,
        .near = hand->near,
        .event = sink.event,
        .capacity = sink.capacity,
    };
    memset(hand->listed, 0xff, sizeof hand->listed);
    hand->index = index;
    hand->kernel = qd_kernel_chosen();
    hand->all = plan->all;
    hand->commit = plan->mode != QD_WALK_PAIRS;
    hand->unmarked = plan->unmarked;
}

/* Makes the walk's array of events long enough for so many, and not much longer than it need be. */
static void fit_events(qd_walk *walk, size_t count)
{
    bool is_left_behind = walk->event_capacity > EVENTS_KEPT && count < walk->event_capacity / 8;

    if (count <= walk->event_capacity && !is_left_behind) {
        return;
    }
    size_t capacity = count + count / 2 > EVENTS_MIN ? count + count / 2 : EVENTS_MIN;
    walk->event = qd_array_grow(walk->heap, QD_ARRAY_NEED, walk->event, walk->event_capacity * sizeof *walk->event, 0,
                                capacity * sizeof *walk->event);
    walk->event_capacity = capacity;
}

/* The events of all hands in one array; those of a single hand that is the walk's own stay where they are. */
static const qd_space_event *gather(qd_walk *walk, const task_set *set, size_t found)
{
    if (set->hands == 1 && set->hand == walk->hand) {
        return walk->hand[0]->sink.event;
    }
    fit_events(walk, found);
    size_t count = 0;
    for (uint32_t i = 0; i < set->hands; i++) {
        const qd_sink *sink = &set->hand[i]->sink;

        if (sink->count > 0) {
            memcpy(walk->event + count, sink->event, sink->count * sizeof *sink->event);
        }
        count += sink->count;
    }
    return walk->event;
}

static void sum_up(qd_walk *walk, const task_set *set, const qd_quota *quota, qd_walk_result *result)
{
    *result = (qd_walk_result){0};
    for (uint32_t i = 0; i < set->hands; i++) {
        const qd_sink *sink = &set->hand[i]->sink;

        result->found += sink->count;
        result->tests += sink->tests;
        result->exact_tests += sink->exact_tests;
    }
    result->in_vain = result->exact_tests - result->found > quota->vain_max;
    result->complete = result->found <= quota->limit && !result->in_vain;
    result->event = result->complete ? gather(walk, set, result->found) : NULL;
}

/* Those that a walk is about: by the blocks, where only some changed. */
static uint32_t rows_at_work(const qd_rows *rows, bool all)
{
    return all ? rows->count : rows->dirty_count * QD_BLOCK_ROWS;
}

static bool was_stopped(const task_set *set)
{
    bool stopped = false;

    for (uint32_t i = 0; i < set->hands; i++) {
        stopped |= set->hand[i]->sink.stopped;
    }
    return stopped;
}

/* Without it nothing would bound the time of a walk: a crowd on a spot that the index cannot divide, in which nobody
 * touches anybody, has no event. */
static uint64_t vain_max(const qd_index *index, uint64_t limit)
{
    bool is_slow = index->config->swept || index->bodies->radius != NULL;
    uint64_t least = index->tuning.vain_min > 0 ? index->tuning.vain_min : is_slow ? QD_VAIN_SLOW : QD_VAIN_DEFAULT;

    return (limit > least ? limit : least) + QD_VAIN_A_ROW * (uint64_t)index->rows->count;
}

void qd_walk_run(qd_walk *walk, qd_index *index, const qd_executor *executor, qd_walk_mode mode, uint64_t limit,
                 qd_walk_result *result)
{
    qd_walk_plan plan = {
        .mode = mode,
        .unmarked = index->rows->all && index->ops->commits_all && mode != QD_WALK_PAIRS,
    };

    if (!plan.unmarked) {
        qd_rows_mark_due(index->rows);
    }
    plan.all = plan.unmarked || mode != QD_WALK_EVENTS || is_nearly_all_dirty(index->rows);
    plan.hands = rows_at_work(index->rows, plan.all) >= index->tuning.task_rows_min ? (uint32_t)executor->width : 1;
    uint32_t tasks = index->ops->walk_begin(index, &plan);
    uint32_t hands = tasks > 1 ? plan.hands : 1;
    qd_quota quota = {.limit = limit, .vain_max = vain_max(index, limit)};
    qd_hand *lent = hands == 1 && index->rows->count <= LENT_ROWS_MAX ? lent_hand() : NULL;
    if (lent == NULL) {
        make_hands(walk, hands);
    }
    task_set set = {index, lent != NULL ? &lent : walk->hand, hands, tasks};
    for (uint32_t i = 0; i < hands; i++) {
        ready_hand(set.hand[i], index, &plan, &quota);
    }
    if (hands > 1) {
        executor->run(executor->context, tasks, run_task, &set);
    } else {
        qd_executor_serial.run(NULL, tasks, run_task, &set);
    }
    sum_up(walk, &set, &quota, result);
    index->ops->walk_end(index, &plan, result);
    if (plan.unmarked && !was_stopped(&set)) {
        index->rows->all = false;
    }
}
