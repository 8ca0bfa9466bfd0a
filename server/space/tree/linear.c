/* SPDX-License-Identifier: Apache-2.0 */
#include "linear.h"

#include <string.h>

#include "../../base/assert.h"
#include "../core/array.h"
#include "linear_plan.h"
#include "root.h"

uint32_t qd_quadtree_cell_of(const qd_quadtree *tree, const qd_row *box, uint32_t *place)
{
    const uint32_t shift = QD_FRAME_BITS - tree->depth;
    qd_numbers at = qd_frame_numbers(&tree->frame, box);

    for (uint32_t k = 0; k < QD_ROW_FLOATS; k++) {
        at.v[k] >>= shift;
    }
    uint32_t low = qd_morton(at.v), height = qd_morton_height(at.v, at.v + QD_ROW_HIGH);
    uint32_t leaf_height = tree->leaf_map != NULL ? tree->leaf_map[low] : 0;
    uint32_t leaf = height <= leaf_height;
    height = leaf ? leaf_height : height;
    uint32_t numbers = 0;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        numbers = numbers << QD_PLACE_BITS | at.v[k] >> height;
    }
    *place = height << 28 | leaf << 24 | numbers;
    return qd_level_first(tree->depth - height) + (low >> QD_AXES * height);
}

/* A cell is marked as occupied with all above it, up to the first that is. */
void qd_quadtree_occupy(qd_quadtree *tree, uint32_t number)
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
    qd_quadtree *tree = (qd_quadtree *)index;

    return index->cells > 0 || qd_plan_first(tree, QD_ARRAY_TRY) ? QD_OK : QD_ERR_NO_MEMORY;
}

static uint32_t locate(qd_index *index, const qd_row *box, uint32_t *place)
{
    qd_quadtree *tree = (qd_quadtree *)index;

    if (QD_UNLIKELY(index->cells == 0)) {
        (void)qd_plan_first(tree, QD_ARRAY_NEED);
    }
    return qd_quadtree_cell_of(tree, box, place);
}

/* Above the leaves, and longer than two of the finest cells. A small step is cheaper as one row, even where it crosses
 * a line. */
static bool is_far(const qd_index *index, const qd_row *box, uint32_t place)
{
    const qd_quadtree *tree = (const qd_quadtree *)index;
    const uint32_t span = 2u << (QD_FRAME_BITS - tree->depth);
    qd_numbers at = qd_frame_numbers(&tree->frame, box);
    bool is_long = false;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        is_long |= at.v[QD_ROW_HIGH + k] - at.v[k] > span;
    }
    return is_long && !qd_place_is_leaf(place);
}

static bool is_high(const qd_index *index, uint32_t place)
{
    (void)index;
    return !qd_place_is_leaf(place);
}

static void entered(qd_index *index, uint32_t cell)
{
    qd_quadtree *tree = (qd_quadtree *)index;

    qd_quadtree_occupy(tree, cell);
    tree->crowding += qd_plan_is_crowded(tree, cell);
}

static void settle(qd_index *index)
{
    qd_quadtree *tree = (qd_quadtree *)index;

    if (qd_plan_is_due(tree)) {
        qd_plan_again(tree);
    }
}

static void count(const qd_index *index, qd_space_counters *counters)
{
    counters->depth = ((const qd_quadtree *)index)->depth;
    counters->cells = index->cells;
}

static void destroy(qd_index *index)
{
    qd_quadtree *tree = (qd_quadtree *)index;

    qd_plan_drop(tree);
    qd_heap_free(index->heap, tree, sizeof *tree);
}

static const qd_index_ops ops = {
    .kind = QD_AXES == 2 ? QD_SPACE_QUADTREE : QD_SPACE_OCTREE,
    .reserve = reserve,
    .locate = locate,
    .is_far = is_far,
    .is_high = is_high,
    .move = qd_quadtree_move,
    .move_within = qd_quadtree_move_within,
    .part = qd_quadtree_part,
    .leave = qd_quadtree_leave_all,
    .entered = entered,
    .commits_all = true,
    .prepare = settle,
    .walk_begin = qd_quadtree_walk_begin,
    .walk = qd_quadtree_walk,
    .walk_end = qd_quadtree_walk_end,
    .settle = settle,
    .search = qd_quadtree_search,
    .count = count,
    .holds = qd_quadtree_holds,
    .validate = qd_quadtree_validate,
    .destroy = destroy,
};

qd_index *qd_quadtree_create(const qd_index *as)
{
    qd_quadtree *tree = qd_heap_alloc_zeroed(as->heap, sizeof *tree);

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
    tree->frame = qd_root_frame(&root, QD_FRAME_BITS);
    tree->filled = root.filled;
    return &tree->index;
}
