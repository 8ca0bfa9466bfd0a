/* SPDX-License-Identifier: Apache-2.0 */
#include "../core/search.h"
#include "sparse.h"

/* Going down a path, a cell's children take its place. */
#define STOPS_MAX (QD_SPARSE_DEPTH_MAX * (QD_CHILDREN - 1) + 1)

/* The cells below one, the most promising last, which is the next to be visited. */
static uint32_t push_below(const qd_sparse *sparse, const qd_search *search, uint32_t number, qd_search_stop *stops,
                           uint32_t count)
{
    const uint32_t first = count;
    const qd_sparse_link *link = sparse->cells.link;

    for (uint32_t child = link[number].first; child != QD_NONE; child = link[child].next) {
        qd_extent extent = qd_sparse_extent(sparse, sparse->cells.key[child]);

        count = qd_search_push(search, &extent, (qd_search_stop){.cell = child}, stops, first, count);
    }
    return count;
}

qd_status qd_sparse_search(const qd_index *index, qd_search *search)
{
    const qd_sparse *sparse = (const qd_sparse *)index;
    qd_search_stop stops[STOPS_MAX] = {{.cell = QD_SPARSE_ROOT}};
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
        count = push_below(sparse, search, at.cell, stops, count);
    }
    return QD_OK;
}
