/* SPDX-License-Identifier: Apache-2.0 */
#include "search.h"

#include <string.h>

#include "../../base/assert.h"

#define NOWHERE    ((double)INFINITY) /* of what does not match: no hit is that far */
#define HITS_FIRST 64u                /* memory for so many to begin with */
/* How far two doubles computed in different ways may be apart, and generously so: a cell that is this close to the
 * worst hit is visited. */
#define BOUND_MARGIN 0x1p-40

/* ---- how far ---- */

static bool is_region(const qd_space_query *query)
{
    return query->kind == QD_SPACE_IN_BOX || query->kind == QD_SPACE_IN_CIRCLE;
}

static bool extents_overlap(const qd_extent *a, const qd_extent *b)
{
    bool overlap = true;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        overlap &= (a->lo[k] <= b->hi[k]) & (b->lo[k] <= a->hi[k]);
    }
    return overlap;
}

static qd_extent extent_of_row(const qd_row *row)
{
    qd_extent extent;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        extent.lo[k] = row->v[k];
        extent.hi[k] = row->v[QD_ROW_HIGH + k];
    }
    return extent;
}

/* What a shape is ordered by, or NOWHERE. */
static double measure(const qd_search *s, uint32_t id, const qd_row *was)
{
    if (is_region(s->query)) {
        qd_row bounds = qd_row_bounds(was, (id & QD_ID_ROUND) != 0);
        qd_extent extent = extent_of_row(&bounds);

        if (!extents_overlap(&s->reach, &extent)) {
            return NOWHERE;
        }
    }
    qd_geometry geometry = qd_bodies_geometry(s->index->bodies, id & QD_ID_SLOT, was, true);
    switch (s->query->kind) {
    case QD_SPACE_NEAREST:
        return qd_geometry_distance(&geometry, s->at);
    case QD_SPACE_RAY:
        return qd_geometry_ray(&geometry, s->at, s->unit, s->query->reach);
    default:
        return qd_geometry_overlaps(&s->area, &geometry) ? 0 : NOWHERE;
    }
}

static double distance_to(const qd_search *s, const qd_extent *extent)
{
    double square = 0;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        double beyond = fmax(fmax(0, extent->lo[k] - s->at[k]), s->at[k] - extent->hi[k]);

        square += beyond * beyond;
    }
    return sqrt(square);
}

/* Where the ray comes into an extent. */
static double ray_to(const qd_search *s, const qd_extent *extent)
{
    double enter = 0, leave = s->query->reach;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        double lo = extent->lo[k] - s->at[k], hi = extent->hi[k] - s->at[k];

        if (s->unit[k] == 0) {
            if (lo > 0 || hi < 0) {
                return NOWHERE;
            }
            continue;
        }
        double near = (s->unit[k] > 0 ? lo : hi) / s->unit[k], far = (s->unit[k] > 0 ? hi : lo) / s->unit[k];
        enter = near > enter ? near : enter;
        leave = far < leave ? far : leave;
    }
    return enter * (1 - BOUND_MARGIN) <= leave ? enter : NOWHERE;
}

/* For boxes that nothing inside measures less is so by itself, because every step grows with what goes in; of a round
 * shape the box that it was registered by is larger by more than the roundings, as long as they are those of its size,
 * and BOUND_MARGIN covers those of the distance. */
double qd_search_bound(const qd_search *search, const qd_extent *extent)
{
    switch (search->query->kind) {
    case QD_SPACE_NEAREST:
        return distance_to(search, extent);
    case QD_SPACE_RAY:
        return ray_to(search, extent);
    default:
        return extents_overlap(&search->reach, extent) ? 0 : NOWHERE;
    }
}

bool qd_search_is_hopeless(const qd_search *search, double bound)
{
    return bound == NOWHERE || bound * (1 - BOUND_MARGIN) > search->worst;
}

uint32_t qd_search_push(const qd_search *search, const qd_extent *extent, qd_search_stop stop, qd_search_stop *stops,
                        uint32_t first, uint32_t count)
{
    stop.bound = qd_search_bound(search, extent);
    if (qd_search_is_hopeless(search, stop.bound)) {
        return count;
    }
    uint32_t to = count;
    for (; to > first && stops[to - 1].bound < stop.bound; to--) {
        stops[to] = stops[to - 1];
    }
    stops[to] = stop;
    return count + 1;
}

/* ---- the best so far ---- */

static bool is_after(const qd_space_hit *a, const qd_space_hit *b)
{
    return a->at != b->at ? a->at > b->at : a->name > b->name;
}

static void sift_down(qd_space_hit *heap, uint32_t count, uint32_t from)
{
    qd_space_hit hit = heap[from];

    for (uint32_t child; (child = 2 * from + 1) < count; from = child) {
        if (child + 1 < count && is_after(&heap[child + 1], &heap[child])) {
            child++;
        }
        if (!is_after(&heap[child], &hit)) {
            break;
        }
        heap[from] = heap[child];
    }
    heap[from] = hit;
}

static void make_heap(qd_space_hit *heap, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;) {
        sift_down(heap, count, i);
    }
}

static qd_status make_room(const qd_search *s)
{
    qd_space_hits *hits = s->hits;
    uint32_t capacity = hits->capacity == 0 ? HITS_FIRST : 2 * hits->capacity;

    capacity = capacity < s->query->limit + 1 ? capacity : s->query->limit + 1;
    qd_space_hit *grown =
        qd_heap_resize(s->index->heap, hits->hit, hits->capacity * sizeof *grown, capacity * sizeof *grown);
    if (grown == NULL) {
        return QD_ERR_NO_MEMORY;
    }
    hits->hit = grown;
    hits->capacity = capacity;
    return QD_OK;
}

static qd_status offer(qd_search *s, qd_space_hit hit)
{
    qd_space_hits *hits = s->hits;
    uint32_t wanted = s->query->limit + 1;

    if (hits->count == wanted) {
        if (is_after(&hits->hit[0], &hit)) {
            hits->hit[0] = hit;
            sift_down(hits->hit, wanted, 0);
            s->worst = hits->hit[0].at;
        }
        return QD_OK;
    }
    if (hits->count == hits->capacity) {
        qd_status status = make_room(s);

        if (status != QD_OK) {
            return status;
        }
    }
    hits->hit[hits->count++] = hit;
    if (hits->count == wanted) {
        make_heap(hits->hit, wanted);
        s->worst = hits->hit[0].at;
    }
    return QD_OK;
}

/* In order, and without the one above the limit. */
static void finish(const qd_search *s)
{
    qd_space_hits *hits = s->hits;

    make_heap(hits->hit, hits->count);
    for (uint32_t left = hits->count; left > 1;) {
        left--;
        qd_space_hit last = hits->hit[0];
        hits->hit[0] = hits->hit[left];
        hits->hit[left] = last;
        sift_down(hits->hit, left, 0);
    }
    hits->more = hits->count > s->query->limit;
    hits->count -= hits->more;
}

/* ---- what the index brings ---- */

static uint32_t category_then(const qd_bodies *bodies, uint32_t id)
{
    if (!(id & QD_ID_FILTER)) {
        return 1;
    }
    uint32_t slot = id & QD_ID_SLOT, change = bodies->record[slot].change;
    return change != QD_NONE ? bodies->change[change].was_filter.category : bodies->filter[slot].category;
}

/* Of a split body its old row tells how it was; what its new row has for a was is none. */
static bool was_there(uint32_t id, const qd_row *was)
{
    return !(id & QD_ID_NEW_ROW) && qd_row_present(was, (id & QD_ID_ROUND) != 0);
}

static qd_status search_block(qd_search *s, uint32_t number, uint32_t count)
{
    const uint32_t first = number * QD_BLOCK_ROWS;

    s->hits->tests += count;
    for (uint32_t row = first; row < first + count; row++) {
        uint32_t id = qd_row_id(s->index->rows, row);
        const qd_row *was = qd_row_was(s->index->rows, row);

        if (!was_there(id, was)) {
            continue;
        }
        double at = measure(s, id, was);
        if (at == NOWHERE || at > s->worst) {
            continue;
        }
        if (s->query->categories != 0 && (category_then(s->index->bodies, id) & s->query->categories) == 0) {
            continue;
        }
        uint32_t slot = id & QD_ID_SLOT;
        qd_status status = offer(s, (qd_space_hit){at, slot, s->query->names != NULL ? s->query->names[slot] : slot});
        if (status != QD_OK) {
            return status;
        }
    }
    return QD_OK;
}

/* All blocks of a cell are full but its head. */
qd_status qd_search_cell(qd_search *search, const qd_cell *cell)
{
    uint32_t count = cell->count == 0 ? 0 : (cell->count - 1) % QD_BLOCK_ROWS + 1;

    for (uint32_t block = cell->head; block != QD_NONE; block = search->index->rows->info[block].next) {
        qd_status status = search_block(search, block, count);

        if (status != QD_OK) {
            return status;
        }
        count = QD_BLOCK_ROWS;
    }
    return QD_OK;
}

static void prepare_region(qd_search *s)
{
    const qd_space_query *query = s->query;
    const float centre[3] = {query->x, query->y, query->z};
    const float corners[2][3] = {{query->min_x, query->min_y, query->min_z},
                                 {query->max_x, query->max_y, query->max_z}};
    qd_row around = qd_row_of_circle(centre, query->radius);

    around = qd_round_bounds(&around);
    s->area.shape = query->kind == QD_SPACE_IN_BOX ? QD_SPACE_BOX : QD_SPACE_CIRCLE;
    s->area.radius = query->radius;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        if (query->kind == QD_SPACE_IN_BOX) {
            s->reach.lo[k] = s->area.at[k] = corners[0][k];
            s->reach.hi[k] = s->area.to[k] = corners[1][k];
        } else {
            s->area.at[k] = centre[k];
            s->reach.lo[k] = around.v[k];
            s->reach.hi[k] = around.v[QD_ROW_HIGH + k];
        }
    }
}

static void prepare_point(qd_search *s)
{
    const qd_space_query *query = s->query;
    const float at[3] = {query->x, query->y, query->z};

    s->worst = query->reach;
    for (uint32_t k = 0; k < 3; k++) {
        s->at[k] = at[k];
    }
    for (uint32_t k = 0; k < QD_AXES; k++) {
        double margin = BOUND_MARGIN * fabs(s->at[k]), way = query->reach * (1 + BOUND_MARGIN);

        s->reach.lo[k] = s->at[k] - margin - way;
        s->reach.hi[k] = s->at[k] + margin + way;
    }
}

static void prepare_ray(qd_search *s)
{
    const qd_space_query *query = s->query;
    const double direction[3] = {query->direction_x, query->direction_y, query->direction_z};
    double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);

    QD_ASSERT(length > 0);
    prepare_point(s);
    for (uint32_t k = 0; k < 3; k++) {
        s->unit[k] = direction[k] / length;
    }
    /* It goes one way on each axis. */
    for (uint32_t k = 0; k < QD_AXES; k++) {
        double margin = BOUND_MARGIN * fabs(s->at[k]);
        double way = s->unit[k] == 0 ? 0 : s->unit[k] * query->reach * (1 + BOUND_MARGIN);

        s->reach.lo[k] = s->at[k] - margin + fmin(0, way);
        s->reach.hi[k] = s->at[k] + margin + fmax(0, way);
    }
}

qd_status qd_search_run(const qd_index *index, const qd_space_query *query, qd_space_hits *hits)
{
    QD_ASSERT(query->limit > 0 && query->limit < UINT32_MAX);
    *hits = (qd_space_hits){0};
    qd_search s = {.query = query, .index = index, .hits = hits};
    if (is_region(query)) {
        prepare_region(&s);
    } else if (query->kind == QD_SPACE_NEAREST) {
        prepare_point(&s);
    } else {
        prepare_ray(&s);
    }
    qd_status status = index->ops->search(index, &s);
    if (status == QD_OK) {
        finish(&s);
    } else {
        qd_search_hits_free(index, hits);
    }
    return status;
}

void qd_search_hits_free(const qd_index *index, qd_space_hits *hits)
{
    qd_heap_free(index->heap, hits->hit, hits->capacity * sizeof *hits->hit);
    *hits = (qd_space_hits){0};
}
