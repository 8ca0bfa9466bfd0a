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
 * TASKS. For an executor with several hands the walk is cut at a level into as many tasks as there are cells down to
 * it. Above the level a task tests one cell, at it a whole subtree. Each goes down the path from the root by itself to
 * get its own lists; the few rows up there are cheaper to collect again than to hand over. */
#include "quadtree.h"

#include <string.h>

#include "../base/assert.h"
#include "arrange.h"
#include "array.h"
#include "quadtree_plan.h"

#define LEVELS_MAX      (QD_SPACE_DEPTH_MAX + 1)
#define TASK_LEVEL      3u
#define EVENTS_KEPT     16384u
#define PREFETCH_FROM   32768u /* rows: fewer are near anyway */
#define ALL_MOVED_SHARE 4u     /* with no more than one in this many at rest, every row counts as moved */

/* What one hand needs: its lists, and where its events go. */
typedef struct qd_hand {
    qd_sink sink;
    qd_list16 level[LEVELS_MAX];
    qd_list8 leaf;
    qd_arranger arranger;
    qd_quadtree *tree;
    const qd_kernel *kernel;
    bool all;     /* every row counts as moved */
    bool commit;  /* now becomes was in the cells it leaves */
    qd_heap heap; /* of the hands beyond the first; it is not the space's, because hands work at the same time */
    _Atomic bool taken;
} qd_hand;

/* One walk, as its tasks see it. */
typedef struct task_set {
    qd_walk *walk;
    uint32_t level;
} task_set;

static qd_window window_of(uint32_t level, uint32_t k)
{
    uint32_t bits = QD_FRAME_BITS - level, size = 1u << bits;
    uint32_t x = qd_morton_gather(k) << bits, y = qd_morton_gather(k >> 1) << bits;
    return (qd_window){
        .lo_x = (uint16_t)x,
        .lo_y = (uint16_t)y,
        .hi_x = (uint16_t)(x + size - 1),
        .hi_y = (uint16_t)(y + size - 1),
        .shift = bits > 8 ? bits - 8 : 0,
    };
}

static void commit_cell(qd_hand *hand, uint32_t number)
{
    qd_rows *rows = hand->tree->rows;
    for (uint32_t block = hand->tree->cell[number].head; block != QD_NONE; block = rows->info[block].next) {
        if (rows->info[block].dirty != 0) {
            qd_rows_commit(rows, block);
        }
    }
}

static bool is_any_moved(const qd_list16 *list)
{
    uint64_t any = 0;
    for (uint32_t base = 0; base < list->count; base += 64) {
        uint64_t valid = list->count - base < 64 ? (UINT64_C(1) << (list->count - base)) - 1 : UINT64_MAX;
        any |= list->moved[base / 64] & valid;
    }
    return any != 0;
}

static bool is_active(const qd_hand *hand, uint32_t number)
{
    return hand->all || (hand->tree->flags[number] & QD_CELL_STAMPED) != 0;
}

/* A plan lays leaves down in the order of the walk: behind the rows of this one come those of the next. */
static void prefetch_next(const qd_rows *rows, const qd_cell *cell)
{
    uint32_t blocks = (cell->count + QD_BLOCK_ROWS - 1) / QD_BLOCK_ROWS, first = cell->head + 1;
    for (uint32_t block = first; block < first + blocks && block < rows->used; block++) {
        for (uint32_t row = 0; row < QD_BLOCK_ROWS; row += 4) {
            __builtin_prefetch(&rows->block[block].now[row], 1);
            __builtin_prefetch(&rows->block[block].was[row], 1);
        }
    }
}

static void visit_leaf(qd_hand *hand, uint32_t level, uint32_t k, bool test)
{
    qd_quadtree *tree = hand->tree;
    uint32_t number = qd_level_first(level) + k;
    const qd_cell *cell = &tree->cell[number];
    const qd_list16 *above = level > 0 ? &hand->level[level - 1] : NULL;
    qd_list8 *list = &hand->leaf;
    bool active = is_active(hand, number);
    qd_window window = window_of(level, k);
    qd_list8_reserve(hand->sink.heap, list, cell->count + (above != NULL ? above->count : 0));
    if (tree->rows->count > PREFETCH_FROM && cell->count > 0) {
        prefetch_next(tree->rows, cell);
    }
    hand->kernel->collect8(&hand->sink, cell, &window, list);
    qd_arrange8(&hand->arranger, hand->sink.heap, list);
    if (above != NULL && above->count > 0) {
        hand->kernel->cull8(above, &window, !active, list);
    }
    if (test && (active || list->count > list->own)) {
        hand->kernel->test8(&hand->sink, list, hand->all);
    }
    if (active && hand->commit) {
        commit_cell(hand, number);
    }
}

/* The list of a cell that is no leaf; with `test` its rows are tested too. */
static void visit_inner(qd_hand *hand, uint32_t level, uint32_t k, bool test)
{
    qd_quadtree *tree = hand->tree;
    uint32_t number = qd_level_first(level) + k;
    const qd_cell *cell = &tree->cell[number];
    const qd_list16 *above = level > 0 ? &hand->level[level - 1] : NULL;
    qd_list16 *list = &hand->level[level];
    bool active = is_active(hand, number);
    qd_list16_reserve(hand->sink.heap, list, cell->count + (above != NULL ? above->count : 0));
    hand->kernel->collect16(&hand->sink, cell, list);
    qd_arrange16(&hand->arranger, hand->sink.heap, list);
    if (above != NULL && above->count > 0) {
        qd_window window = window_of(level, k);
        hand->kernel->cull16(above, &window, !active, list);
    }
    list->any_moved = hand->all || is_any_moved(list);
    if (test && list->own > 0 && list->any_moved) {
        hand->kernel->test16(&hand->sink, list, hand->all);
    }
}

/* Whether there is anything for a walk in a cell or below it. */
static bool is_worth_it(const qd_hand *hand, uint32_t level, uint32_t number)
{
    uint8_t flags = hand->tree->flags[number];
    if (!(flags & QD_CELL_OCCUPIED) || ((flags & QD_CELL_LEAF) && hand->tree->cell[number].count == 0)) {
        return false;
    }
    return is_active(hand, number) || (level > 0 && hand->level[level - 1].any_moved);
}

/* Everything in and below a cell; the list of the level above is made. */
static void walk_below(qd_hand *hand, uint32_t top, uint32_t k)
{
    qd_quadtree *tree = hand->tree;
    uint32_t level = top;
    while (!hand->sink.stopped) {
        uint32_t number = qd_level_first(level) + k;
        if (is_worth_it(hand, level, number)) {
            if (tree->flags[number] & QD_CELL_LEAF) {
                visit_leaf(hand, level, k, true);
            } else {
                visit_inner(hand, level, k, true);
                if (hand->level[level].any_moved || is_active(hand, number)) {
                    level++;
                    k <<= 2;
                    continue;
                }
            }
        }
        while (level > top && (k & 3) == 3) {
            level--;
            k >>= 2;
            number = qd_level_first(level) + k;
            if (hand->commit && is_active(hand, number)) {
                commit_cell(hand, number);
            }
        }
        if (level == top) {
            return;
        }
        k++;
    }
}

static qd_hand *take_hand(qd_walk *walk)
{
    for (;;) {
        for (uint32_t i = 0; i < walk->hands; i++) {
            if (!atomic_exchange_explicit(&walk->hand[i]->taken, true, memory_order_acquire)) {
                return walk->hand[i];
            }
        }
    }
}

/* Cell number `index`: itself alone above the level of tasks, with all below it at that level. */
static void run_task(size_t index, void *argument)
{
    const task_set *set = argument;
    qd_hand *hand = take_hand(set->walk);
    uint32_t level = 0;
    while (qd_level_first(level + 1) <= index) {
        level++;
    }
    uint32_t k = (uint32_t)index - qd_level_first(level);
    bool leaf = false;
    for (uint32_t above = 0; above < level && !leaf; above++) {
        uint32_t at = k >> 2 * (level - above);
        leaf = (hand->tree->flags[qd_level_first(above) + at] & QD_CELL_LEAF) != 0;
        if (!leaf) {
            visit_inner(hand, above, at, false);
        }
    }
    if (!leaf && !hand->sink.stopped) {
        if (level == set->level || (hand->tree->flags[index] & QD_CELL_LEAF)) {
            walk_below(hand, level, k);
        } else {
            visit_inner(hand, level, k, true);
        }
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

static void ready_hands(qd_walk *walk, uint32_t count)
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

/* Stamps the cells of changed rows; or finds that nearly all rows changed, and stamps none. */
static bool stamp(qd_quadtree *tree)
{
    qd_rows *rows = tree->rows;
    uint32_t moved = 0;
    for (uint32_t i = 0; i < rows->dirty_count; i++) {
        moved += (uint32_t)__builtin_popcount(rows->info[rows->dirty[i]].dirty);
        if (rows->count - moved <= rows->count / ALL_MOVED_SHARE) {
            return true;
        }
    }
    for (uint32_t i = 0; i < rows->dirty_count; i++) {
        if (rows->info[rows->dirty[i]].dirty == 0) {
            continue;
        }
        uint32_t number = rows->info[rows->dirty[i]].cell;
        while (!(tree->flags[number] & QD_CELL_STAMPED)) {
            tree->flags[number] |= QD_CELL_STAMPED;
            number = number > 0 ? (number - 1) / 4 : 0;
        }
    }
    return false;
}

static void unstamp(qd_quadtree *tree)
{
    for (uint32_t i = 0; i < tree->rows->dirty_count; i++) {
        uint32_t number = tree->rows->info[tree->rows->dirty[i]].cell;
        while (tree->flags[number] & QD_CELL_STAMPED) {
            tree->flags[number] &= (uint8_t)~QD_CELL_STAMPED;
            number = number > 0 ? (number - 1) / 4 : 0;
        }
    }
}

/* The events of all hands in one array; a single hand's stay where they are. */
static const qd_space_event *gather(qd_walk *walk, uint32_t hands, size_t found)
{
    if (hands == 1) {
        return walk->hand[0]->sink.event;
    }
    if (found > walk->event_capacity) {
        walk->event = qd_array_grow(walk->heap, QD_ARRAY_NEED, walk->event, walk->event_capacity * sizeof *walk->event,
                                    0, found * sizeof *walk->event);
        walk->event_capacity = found;
    }
    size_t count = 0;
    for (uint32_t i = 0; i < hands; i++) {
        const qd_sink *sink = &walk->hand[i]->sink;
        if (sink->count > 0) {
            memcpy(walk->event + count, sink->event, sink->count * sizeof *sink->event);
        }
        count += sink->count;
    }
    return walk->event;
}

void qd_quadtree_walk(qd_quadtree *tree, qd_walk *walk, const qd_executor *executor, qd_walk_mode mode, uint64_t limit,
                      qd_walk_result *result)
{
    qd_quadtree_prepare(tree);
    bool all = mode != QD_WALK_EVENTS || stamp(tree);
    uint32_t level = tree->depth < TASK_LEVEL ? tree->depth : TASK_LEVEL;
    bool split = executor->width > 1 && level > 0 && tree->rows->count >= tree->tuning.task_rows_min;
    uint32_t hands = split ? (uint32_t)executor->width : 1;
    qd_quota quota = {.limit = limit};
    ready_hands(walk, hands);
    for (uint32_t i = 0; i < hands; i++) {
        qd_hand *hand = walk->hand[i];
        trim(&hand->sink);
        qd_sink sink = hand->sink;
        hand->sink = (qd_sink){
            .rows = tree->rows,
            .bodies = tree->bodies,
            .mode = mode,
            .frame = tree->frame,
            .heap = sink.heap,
            .quota = &quota,
            .event = sink.event,
            .capacity = sink.capacity,
        };
        hand->tree = tree;
        hand->kernel = qd_kernel_chosen();
        hand->all = all;
        hand->commit = mode != QD_WALK_PAIRS;
    }
    if (split) {
        task_set set = {walk, level};
        executor->run(executor->context, qd_level_first(level + 1), run_task, &set);
    } else if (tree->cells > 0) {
        walk_below(walk->hand[0], 0, 0);
    }
    *result = (qd_walk_result){0};
    for (uint32_t i = 0; i < hands; i++) {
        result->found += walk->hand[i]->sink.count;
        result->tests += walk->hand[i]->sink.tests;
        result->exact_tests += walk->hand[i]->sink.exact_tests;
    }
    result->complete = result->found <= limit;
    result->event = result->complete ? gather(walk, hands, result->found) : NULL;
    if (!all) {
        unstamp(tree);
    }
    if (mode == QD_WALK_EVENTS && result->complete) {
        qd_plan_note_work(tree, result->tests, result->exact_tests);
    }
}

void qd_walk_init(qd_walk *walk, qd_heap *heap)
{
    memset(walk, 0, sizeof *walk);
    walk->heap = heap;
}

void qd_walk_deinit(qd_walk *walk)
{
    for (uint32_t i = 0; i < walk->hands; i++) {
        qd_hand *hand = walk->hand[i];
        for (uint32_t level = 0; level < LEVELS_MAX; level++) {
            qd_list16_free(hand->sink.heap, &hand->level[level]);
        }
        qd_list8_free(hand->sink.heap, &hand->leaf);
        qd_arranger_free(&hand->arranger, hand->sink.heap);
        qd_array_free(hand->sink.heap, hand->sink.event, hand->sink.capacity * sizeof *hand->sink.event);
        qd_heap_deinit(&hand->heap);
        qd_heap_free_aligned(walk->heap, hand, QD_ARRAY_ALIGNMENT, sizeof *hand);
    }
    qd_array_free(walk->heap, walk->hand, walk->hands * sizeof(qd_hand *));
    qd_array_free(walk->heap, walk->event, walk->event_capacity * sizeof *walk->event);
}
