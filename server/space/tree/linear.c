/* SPDX-License-Identifier: Apache-2.0 */
#include "linear.h"

#include <string.h>

#include "../../base/array.h"
#include "../../base/assert.h"
#include "linear_plan.h"
#include "root.h"

uint32_t qd_linear_cell_of(const qd_linear *tree, const qd_row *box, uint32_t *cell_key)
{
    const uint32_t shift = QD_QUANTIZER_BITS - tree->depth;
    qd_numbers at = qd_quantizer_numbers(&tree->quantizer, box);

    for (uint32_t k = 0; k < QD_ROW_FLOATS; k++) {
        at.v[k] >>= shift;
    }
    uint32_t low = qd_morton(at.v), height = qd_morton_height(at.v, at.v + QD_ROW_HIGH);
    uint32_t leaf_height = tree->leaf_map != NULL ? tree->leaf_map[low] : 0;
    uint32_t leaf = height <= leaf_height;
    height = leaf ? leaf_height : height;
    uint32_t numbers = 0;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        numbers = numbers << QD_CELL_KEY_BITS | at.v[k] >> height;
    }
    *cell_key = height << 28 | leaf << 24 | numbers;
    return qd_level_first(tree->depth - height) + (low >> QD_AXES * height);
}

/* A cell is marked as occupied with all above it, up to the first that is. */
void qd_linear_occupy(qd_linear *tree, uint32_t number)
{
    while (!(tree->flags[number] & QD_CELL_OCCUPIED)) {
        tree->flags[number] |= QD_CELL_OCCUPIED;
        if (number == 0) {
            break;
        }
        number = qd_cell_above(number);
    }
}

static qd_status reserve(qd_index *index)
{
    qd_linear *tree = (qd_linear *)index;

    return index->cells > 0 || qd_linear_plan_first(tree, QD_ARRAY_TRY) ? QD_OK : QD_ERR_NO_MEMORY;
}

static uint32_t locate(qd_index *index, const qd_row *box, uint32_t *cell_key)
{
    qd_linear *tree = (qd_linear *)index;

    if (QD_UNLIKELY(index->cells == 0)) {
        (void)qd_linear_plan_first(tree, QD_ARRAY_NEED);
    }
    return qd_linear_cell_of(tree, box, cell_key);
}

/* Above the leaves, and longer than two of the finest cells. A small step is cheaper as one row, even where it crosses
 * a line. */
static bool is_far(const qd_index *index, const qd_row *box, uint32_t cell_key)
{
    const qd_linear *tree = (const qd_linear *)index;
    const uint32_t span = 2u << (QD_QUANTIZER_BITS - tree->depth);
    qd_numbers at = qd_quantizer_numbers(&tree->quantizer, box);
    bool is_long = false;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        is_long |= at.v[QD_ROW_HIGH + k] - at.v[k] > span;
    }
    return is_long && !qd_cell_key_is_leaf(cell_key);
}

static bool is_high(const qd_index *index, uint32_t cell_key)
{
    (void)index;
    return !qd_cell_key_is_leaf(cell_key);
}

static void entered(qd_index *index, uint32_t cell)
{
    qd_linear *tree = (qd_linear *)index;

    qd_linear_occupy(tree, cell);
    tree->crowd_debt += qd_linear_plan_is_crowded(tree, cell);
}

static void settle(qd_index *index)
{
    qd_linear *tree = (qd_linear *)index;

    if (qd_linear_plan_is_due(tree)) {
        qd_linear_replan(tree);
    }
}

static void count(const qd_index *index, qd_space_counters *counters)
{
    counters->depth = ((const qd_linear *)index)->depth;
    counters->cells = index->cells;
}

static void destroy(qd_index *index)
{
    qd_linear *tree = (qd_linear *)index;

    qd_linear_plan_drop(tree);
    qd_heap_free(index->heap, tree, sizeof *tree);
}

static const qd_index_ops ops = {
    .kind = QD_AXES == 2 ? QD_SPACE_QUADTREE : QD_SPACE_OCTREE,
    .reserve = reserve,
    .locate = locate,
    .is_far = is_far,
    .is_high = is_high,
    .move = qd_linear_move,
    .entered = entered,
    .commits_all = true,
    .prepare = settle,
    .traverse_begin = qd_linear_traverse_begin,
    .traverse = qd_linear_walk,
    .traverse_end = qd_linear_traverse_end,
    .settle = settle,
    .search = qd_linear_search,
    .count = count,
    .holds = qd_linear_holds,
    .validate = qd_linear_validate,
    .destroy = destroy,
};

qd_index *qd_linear_create(const qd_index *as)
{
    qd_linear *tree = qd_heap_alloc_zeroed(as->heap, sizeof *tree);

    if (tree == NULL) {
        return NULL;
    }
    tree->index = *as;
    tree->index.ops = &ops;
    tree->index.cell = NULL;
    tree->index.cells = 0;
    const qd_space_config *config = as->config;
    const float lo[3] = {config->min_x, config->min_y, config->min_z};
    const float hi[3] = {config->max_x, config->max_y, config->max_z};
    for (uint32_t k = 0; k < QD_AXES; k++) {
        tree->bounds.lo[k] = lo[k];
        tree->bounds.hi[k] = hi[k];
    }
    qd_root root = qd_root_of(&tree->bounds);
    tree->quantizer = qd_root_quantizer(&root, QD_QUANTIZER_BITS);
    tree->filled = root.filled;
    return &tree->index;
}
