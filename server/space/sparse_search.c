/* SPDX-License-Identifier: Apache-2.0 */
#include "search.h"
#include "sparse.h"

/* A cell that may hold hits: none of them nearer than this. */
typedef struct stop {
    double bound;
    uint32_t number;
} stop;

/* Going down a path, a cell's children take its place. */
#define STOPS_MAX (QD_SPARSE_DEPTH_MAX * (QD_CHILDREN - 1) + 1)

/* The cells below one, the most promising last, which is the next to be visited. */
static uint32_t push_below(const qd_sparse *sparse, const qd_search *search, uint32_t number, stop *stops,
                           uint32_t count)
{
    const uint32_t first = count;
    const qd_sparse_link *link = sparse->cells.link;
    for (uint32_t child = link[number].first; child != QD_NONE; child = link[child].next) {
        stop at = {.number = child};
        qd_extent extent = qd_sparse_extent(sparse, sparse->cells.key[at.number]);
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

qd_status qd_sparse_search(const qd_index *index, qd_search *search)
{
    const qd_sparse *sparse = (const qd_sparse *)index;
    stop stops[STOPS_MAX] = {{0, QD_SPARSE_ROOT}};
    uint32_t count = index->cells > 0 ? 1 : 0;
    while (count > 0) {
        stop at = stops[--count];
        if (qd_search_is_hopeless(search, at.bound)) {
            continue;
        }
        qd_status status = qd_search_cell(search, &index->cell[at.number]);
        if (status != QD_OK) {
            return status;
        }
        count = push_below(sparse, search, at.number, stops, count);
    }
    return QD_OK;
}
