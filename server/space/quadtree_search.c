/* SPDX-License-Identifier: Apache-2.0
 *
 * A query's way: from the root down, the most promising cell first; those are left out where nothing in them can be
 * better than what is found. */
#include "quadtree.h"
#include "search.h"

#define STOPS_MAX (QD_CHILDREN * (QD_TREE_DEPTH_MAX + 1))

typedef struct stop {
    double bound;
    uint32_t level, k;
} stop;

static qd_extent extent_of_cell(const qd_frame *frame, uint32_t level, uint32_t k)
{
    uint32_t bits = QD_FRAME_BITS - level, last = (1u << bits) - 1;
    qd_numbers numbers;
    for (uint32_t axis = 0; axis < QD_AXES; axis++) {
        numbers.v[axis] = qd_morton_gather(k >> axis) << bits;
        numbers.v[QD_ROW_HIGH + axis] = numbers.v[axis] + last;
    }
    return qd_frame_extent(frame, &numbers, QD_FRAME_LAST);
}

/* The cells below one, the most promising last, which is the next to be visited. */
static uint32_t push_below(const qd_quadtree *tree, const qd_search *search, stop from, stop *stops, uint32_t count)
{
    uint32_t first = count;
    for (uint32_t child = 0; child < QD_CHILDREN; child++) {
        stop at = {0, from.level + 1, QD_CHILDREN * from.k + child};
        if (!(tree->flags[qd_level_first(at.level) + at.k] & QD_CELL_OCCUPIED)) {
            continue;
        }
        qd_extent extent = extent_of_cell(&tree->frame, at.level, at.k);
        at.bound = qd_search_bound(search, &extent);
        if (qd_search_is_hopeless(search, at.bound)) {
            continue;
        }
        uint32_t to = count++;
        for (; to > first && stops[to - 1].bound < at.bound; to--) {
            stops[to] = stops[to - 1];
        }
        stops[to] = at;
    }
    return count;
}

qd_status qd_quadtree_search(const qd_index *index, qd_search *search)
{
    const qd_quadtree *tree = (const qd_quadtree *)index;
    stop stops[STOPS_MAX] = {{0, 0, 0}};
    uint32_t count = index->cells > 0 ? 1 : 0;
    while (count > 0) {
        stop at = stops[--count];
        if (qd_search_is_hopeless(search, at.bound)) {
            continue;
        }
        uint32_t number = qd_level_first(at.level) + at.k;
        qd_status status = qd_search_cell(search, &index->cell[number]);
        if (status != QD_OK) {
            return status;
        }
        if (!(tree->flags[number] & QD_CELL_LEAF)) {
            count = push_below(tree, search, at, stops, count);
        }
    }
    return QD_OK;
}
