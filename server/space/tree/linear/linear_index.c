/* SPDX-License-Identifier: Apache-2.0 */
#include "linear.h"

#include "../../../base/ablation.h"
#include "../../../base/assert.h"
#include "../root.h"
#include "../tree_search.h"

static bool reserve(qd_index *index)
{
    return index->cells > 0 || qd_linear_plan_first((qd_linear *)index);
}

static uint32_t locate(qd_index *index, const qd_row *box, uint32_t *cell_key)
{
    return qd_linear_cell_of((qd_linear *)index, box, cell_key);
}

/* The root. It is no leaf: then all rows would be in it. */
static uint32_t loosest(qd_index *index, uint32_t *cell_key)
{
    *cell_key = qd_linear_cell_key_of_root((const qd_linear *)index);
    return 0;
}

/* Above the leaves, and by more than two of the finest cells. A small step is cheaper as one row, even where it crosses
 * a line. */
static bool is_far(const qd_index *index, const qd_row *both, const qd_row *bounds, uint32_t cell_key)
{
    const qd_linear *tree = (const qd_linear *)index;
    const uint32_t span = 2u << (QD_QUANTIZER_BITS - tree->depth);
    const qd_numbers all = qd_quantizer_numbers(&tree->quantizer, both);
    const qd_numbers now = qd_quantizer_numbers(&tree->quantizer, bounds);
    bool is_long = false;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        is_long |= all.v[QD_ROW_HIGH + k] - all.v[k] - (now.v[QD_ROW_HIGH + k] - now.v[k]) > span;
    }
    return is_long && !qd_cell_key_is_leaf(cell_key);
}

static void entered(qd_index *index, uint32_t cell)
{
    qd_linear_occupy((qd_linear *)index, cell);
}

static void settle(qd_index *index, const qd_executor *executor)
{
    qd_linear *tree = (qd_linear *)index;

    if (qd_linear_plan_is_due(tree)) {
        qd_retry_note(&index->retry, !qd_linear_replan(tree, executor));
    }
}

static void count(const qd_index *index, qd_space_counters *counters)
{
    counters->depth = ((const qd_linear *)index)->depth;
    counters->cells = index->cells;
}

static bool begin(qd_index *index)
{
    qd_linear *tree = (qd_linear *)index;

    tree->bounds = qd_index_bounds(index);
    const qd_root root = qd_root_of(&tree->bounds);
    tree->quantizer = qd_root_quantizer(&root, QD_QUANTIZER_BITS);
    tree->filled = root.filled;
    return true;
}

static void end(qd_index *index)
{
    qd_linear_plan_drop((qd_linear *)index);
}

static qd_extent extent_of_cell(const qd_quantizer *quantizer, uint32_t level, uint32_t k)
{
    uint32_t bits = QD_QUANTIZER_BITS - level, last = (1u << bits) - 1;
    qd_numbers numbers;

    for (uint32_t axis = 0; axis < QD_AXES; axis++) {
        numbers.v[axis] = qd_morton_gather(k >> axis) << bits;
        numbers.v[QD_ROW_HIGH + axis] = numbers.v[axis] + last;
    }
    return qd_quantizer_extent(quantizer, &numbers, QD_QUANTIZER_LAST);
}

/* The cells below one, the most promising last, which is the next to be visited. */
static inline uint32_t push_below(const qd_index *index, const qd_search *search, qd_search_stop from,
                                  qd_search_stop *stops, uint32_t count)
{
    const qd_linear *tree = (const qd_linear *)index;
    const uint32_t first = count, level = from.level + 1;
    const uint32_t first_child = QD_CHILDREN * (from.cell - qd_level_first(from.level));

    if (tree->flags[from.cell] & QD_CELL_LEAF) {
        return count;
    }
    for (uint32_t k = first_child; k < first_child + QD_CHILDREN; k++) {
        uint32_t cell = qd_level_first(level) + k;

        if (tree->flags[cell] & QD_CELL_OCCUPIED) {
            qd_extent extent = extent_of_cell(&tree->quantizer, level, k);

            count = qd_search_push(search, &extent, (qd_search_stop){0, level, cell}, stops, first, count);
        }
    }
    return count;
}

static qd_status search(const qd_index *index, qd_search *wanted)
{
    return qd_tree_search(index, wanted, push_below);
}

const qd_index_ops qd_linear_ops = {
    .kind = QD_AXES == 2 ? QD_SPACE_QUADTREE : QD_SPACE_OCTREE,
    .bytes = sizeof(qd_linear),
    .begin = begin,
    .end = end,
    .reserve = reserve,
    .locate = locate,
    .loosest = loosest,
    .place = qd_linear_place,
    .locate_place = qd_linear_locate_place,
    .is_far = is_far,
    .move = qd_linear_move,
    .entered = entered,
    .commits_all = true,
    .prepare = settle,
    .traverse_begin = qd_linear_traverse_begin,
    .traverse = qd_linear_traverse,
    .traverse_end = qd_linear_traverse_end,
    .settle = settle,
    .search = search,
    .count = count,
    .holds = qd_linear_holds,
    .validate = qd_linear_validate,
};
