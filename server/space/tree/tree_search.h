/* SPDX-License-Identifier: Apache-2.0
 *
 * A query's way through a tree: from the root down, the most promising cell first; those are left out where nothing in
 * them can be better than what is found.
 */
#ifndef QD_SPACE_TREE_TREE_SEARCH_H
#define QD_SPACE_TREE_TREE_SEARCH_H

#include "../core/search.h"

/* Down a path, a cell's children take its place. */
#define QD_TREE_STOPS_MAX (QD_SPARSE_DEPTH_MAX * (QD_CHILDREN - 1) + 1)

/* Pushes the cells below one (qd_search_push); returns how many stops there are then. */
typedef uint32_t (*qd_push_below_fn)(const qd_index *index, const qd_search *search, qd_search_stop from,
                                     qd_search_stop *stops, uint32_t count);

/* The root is cell 0. Inlined into each tree, so that `push_below` is no call. */
static inline __attribute__((always_inline)) qd_status qd_tree_search(const qd_index *index, qd_search *search,
                                                                      qd_push_below_fn push_below)
{
    qd_search_stop stops[QD_TREE_STOPS_MAX] = {{0, 0, 0}};
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
        count = push_below(index, search, at, stops, count);
    }
    return QD_OK;
}

#endif
