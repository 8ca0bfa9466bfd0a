/* SPDX-License-Identifier: Apache-2.0
 *
 * A query's way: from the root down, the most promising cell first; those are left out where nothing in them can be
 * better than what is found. */
#include "../core/search.h"
#include "linear.h"

#define STOPS_MAX (QD_CHILDREN * (QD_TREE_DEPTH_MAX + 1))

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
static uint32_t push_below(const qd_linear *tree, const qd_search *search, qd_search_stop from, qd_search_stop *stops,
                           uint32_t count)
{
    const uint32_t first = count, level = from.level + 1;
    const uint32_t first_child = QD_CHILDREN * (from.cell - qd_level_first(from.level));

    for (uint32_t k = first_child; k < first_child + QD_CHILDREN; k++) {
        uint32_t cell = qd_level_first(level) + k;

        if (tree->flags[cell] & QD_CELL_OCCUPIED) {
            qd_extent extent = extent_of_cell(&tree->quantizer, level, k);

            count = qd_search_push(search, &extent, (qd_search_stop){0, level, cell}, stops, first, count);
        }
    }
    return count;
}

qd_status qd_linear_search(const qd_index *index, qd_search *search)
{
    const qd_linear *tree = (const qd_linear *)index;
    qd_search_stop stops[STOPS_MAX] = {{0, 0, 0}};
    uint32_t count = index->cells > 0 ? 1 : 0;

    while (count > 0) {
        qd_search_stop at = stops[--count];

        if (qd_search_is_hopeless(search, at.bound)) {
            continue;
        }
        qd_status status = qd_search_cell(search, &index->cell[at.cell]);
        if (status != QD_OK) {
            return status;
        }
        if (!(tree->flags[at.cell] & QD_CELL_LEAF)) {
            count = push_below(tree, search, at, stops, count);
        }
    }
    return QD_OK;
}
