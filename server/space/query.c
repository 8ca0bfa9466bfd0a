/* SPDX-License-Identifier: Apache-2.0 */
#include "query.h"

#include <float.h>
#include <math.h>

#include "../base/assert.h"

#define NOWHERE    ((double)INFINITY) /* of what does not match: no hit is that far */
#define HITS_FIRST 64u                /* memory for so many to begin with */
#define STOPS_MAX  (4u * (QD_SPACE_DEPTH_MAX + 1))
/* A number of the frame tells a coordinate to two roundings of float, 2^-23 of its distance from the origin. */
#define FRAME_MARGIN 0x1p-22
/* How far two doubles computed in different ways may be apart, and generously so: a cell that is this close to the
 * worst hit is visited. */
#define BOUND_MARGIN 0x1p-40

/* Where all is that a cell holds, in coordinates; cells at the edge of the root are infinite. */
typedef struct extent {
    double lo[2], hi[2];
} extent;

typedef struct search {
    const qd_quadtree *tree;
    const qd_space_query *query;
    qd_space_hits *hits; /* the best so far; once there is one more than the limit, a heap with the worst on top */
    qd_row area;         /* the region */
    qd_row area_bounds;
    double at[2], unit[2]; /* the point or the ray's origin, and its direction */
    double worst;          /* what is beyond this is not wanted */
} search;

typedef struct stop {
    double bound;
    uint32_t level, k;
} stop;

/* ---- how far ---- */

/* How far `at` is from the interval. */
static double beyond(double at, double lo, double hi)
{
    double distance = 0;
    if (lo - at > distance) {
        distance = lo - at;
    }
    if (at - hi > distance) {
        distance = at - hi;
    }
    return distance;
}

static double distance_to_box(const search *s, const extent *box)
{
    double dx = beyond(s->at[0], box->lo[0], box->hi[0]), dy = beyond(s->at[1], box->lo[1], box->hi[1]);
    return sqrt(dx * dx + dy * dy);
}

static double distance_to_circle(const search *s, const qd_row *circle)
{
    double dx = (double)circle->v[0] - s->at[0], dy = (double)circle->v[1] - s->at[1];
    double distance = sqrt(dx * dx + dy * dy) - (double)circle->v[2];
    return distance > 0 ? distance : 0;
}

/* Where the ray enters and leaves a box; false: it passes it by on an axis along which it does not move. */
static bool cross_box(const search *s, const extent *box, double *enter, double *leave)
{
    *enter = 0;
    *leave = s->query->reach;
    for (int k = 0; k < 2; k++) {
        double lo = box->lo[k] - s->at[k], hi = box->hi[k] - s->at[k];
        if (s->unit[k] == 0) {
            if (lo > 0 || hi < 0) {
                return false;
            }
            continue;
        }
        double near = (s->unit[k] > 0 ? lo : hi) / s->unit[k], far = (s->unit[k] > 0 ? hi : lo) / s->unit[k];
        *enter = near > *enter ? near : *enter;
        *leave = far < *leave ? far : *leave;
    }
    return true;
}

static double ray_to_box(const search *s, const extent *box)
{
    double enter, leave;
    return cross_box(s, box, &enter, &leave) && enter <= leave ? enter : NOWHERE;
}

static double ray_to_circle(const search *s, const qd_row *circle)
{
    double dx = (double)circle->v[0] - s->at[0], dy = (double)circle->v[1] - s->at[1];
    double square = (double)circle->v[2] * (double)circle->v[2];
    if (dx * dx + dy * dy <= square) {
        return 0;
    }
    double along = dx * s->unit[0] + dy * s->unit[1], across = dx * s->unit[1] - dy * s->unit[0];
    double rest = square - across * across;
    if (along <= 0 || rest < 0) {
        return NOWHERE;
    }
    double hit = along - sqrt(rest);
    return hit > 0 ? hit : 0;
}

static extent extent_of_row(const qd_row *row)
{
    return (extent){{row->v[0], row->v[1]}, {row->v[2], row->v[3]}};
}

/* What a row is ordered by, or NOWHERE. */
static double measure(const search *s, const qd_row *row, bool circle)
{
    extent box = extent_of_row(row);
    switch (s->query->kind) {
    case QD_SPACE_NEAREST:
        return circle ? distance_to_circle(s, row) : distance_to_box(s, &box);
    case QD_SPACE_RAY:
        return circle ? ray_to_circle(s, row) : ray_to_box(s, &box);
    default:
        return qd_rows_overlap(&s->area, s->query->kind == QD_SPACE_IN_CIRCLE, row, circle) ? 0 : NOWHERE;
    }
}

/* No row inside measures less. For boxes that is so by itself, because every step above grows with what goes in; of a
 * circle the box that it was registered by is larger by more than the roundings, as long as they are those of its
 * size, and BOUND_MARGIN covers those of the distance. */
static double bound_of(const search *s, const extent *box)
{
    double enter, leave;
    switch (s->query->kind) {
    case QD_SPACE_NEAREST:
        return distance_to_box(s, box);
    case QD_SPACE_RAY:
        return cross_box(s, box, &enter, &leave) && enter * (1 - BOUND_MARGIN) <= leave ? enter : NOWHERE;
    default:
        return box->lo[0] <= s->area_bounds.v[2] && s->area_bounds.v[0] <= box->hi[0] &&
                       box->lo[1] <= s->area_bounds.v[3] && s->area_bounds.v[1] <= box->hi[1]
                   ? 0
                   : NOWHERE;
    }
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

static qd_status make_room(const search *s)
{
    qd_space_hits *hits = s->hits;
    uint32_t capacity = hits->capacity == 0 ? HITS_FIRST : 2 * hits->capacity;
    capacity = capacity < s->query->limit + 1 ? capacity : s->query->limit + 1;
    qd_space_hit *grown =
        qd_heap_resize(s->tree->heap, hits->hit, hits->capacity * sizeof *grown, capacity * sizeof *grown);
    if (grown == NULL) {
        return QD_ERR_NO_MEMORY;
    }
    hits->hit = grown;
    hits->capacity = capacity;
    return QD_OK;
}

static qd_status offer(search *s, qd_space_hit hit)
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
static void finish(const search *s)
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

/* ---- the walk ---- */

static uint32_t category_then(const qd_quadtree *tree, uint32_t id)
{
    if (!(id & QD_ID_FILTER)) {
        return 1;
    }
    const qd_bodies *bodies = tree->bodies;
    uint32_t slot = id & QD_ID_SLOT, change = bodies->record[slot].change;
    return change != QD_NONE ? bodies->change[change].was_filter.category : bodies->filter[slot].category;
}

static qd_status search_block(search *s, uint32_t number, uint32_t count)
{
    const qd_block *block = &s->tree->rows->block[number];
    s->hits->tests += count;
    for (uint32_t lane = 0; lane < count; lane++) {
        uint32_t id = block->id[lane];
        bool circle = (id & QD_ID_CIRCLE) != 0;
        if (!qd_row_present(&block->was[lane], circle)) {
            continue;
        }
        double at = measure(s, &block->was[lane], circle);
        if (at == NOWHERE || at > s->worst) {
            continue;
        }
        if (s->query->categories != 0 && (category_then(s->tree, id) & s->query->categories) == 0) {
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
static qd_status search_cell(search *s, const qd_cell *cell)
{
    uint32_t count = cell->count == 0 ? 0 : (cell->count - 1) % QD_BLOCK_ROWS + 1;
    for (uint32_t block = cell->head; block != QD_NONE; block = s->tree->rows->info[block].next) {
        qd_status status = search_block(s, block, count);
        if (status != QD_OK) {
            return status;
        }
        count = QD_BLOCK_ROWS;
    }
    return QD_OK;
}

/* Not above any coordinate with that number or a greater one. */
static double lowest(float origin, float scale, uint32_t number)
{
    if (number == 0) {
        return -INFINITY;
    }
    double offset = number / (double)scale * (1 - FRAME_MARGIN);
    return (double)origin + (offset < (double)FLT_MAX ? offset : (double)FLT_MAX);
}

/* Not below any coordinate with that number or a smaller one. */
static double highest(float origin, float scale, uint32_t number)
{
    return number >= QD_FRAME_LAST ? (double)INFINITY
                                   : (double)origin + (number + 1) / (double)scale * (1 + FRAME_MARGIN);
}

static extent extent_of_cell(const qd_frame *frame, uint32_t level, uint32_t k)
{
    uint32_t bits = QD_FRAME_BITS - level, last = (1u << bits) - 1;
    uint32_t x = qd_morton_gather(k) << bits, y = qd_morton_gather(k >> 1) << bits;
    return (extent){
        {lowest(frame->origin_x, frame->scale, x), lowest(frame->origin_y, frame->scale, y)},
        {highest(frame->origin_x, frame->scale, x + last), highest(frame->origin_y, frame->scale, y + last)},
    };
}

static bool is_hopeless(const search *s, double bound)
{
    return bound == NOWHERE || bound * (1 - BOUND_MARGIN) > s->worst;
}

/* The cells below one, the most promising last, which is the next to be visited. */
static uint32_t push_below(const search *s, stop from, stop *stops, uint32_t count)
{
    uint32_t first = count;
    for (uint32_t child = 0; child < 4; child++) {
        stop at = {0, from.level + 1, 4 * from.k + child};
        if (!(s->tree->flags[qd_level_first(at.level) + at.k] & QD_CELL_OCCUPIED)) {
            continue;
        }
        extent box = extent_of_cell(&s->tree->frame, at.level, at.k);
        at.bound = bound_of(s, &box);
        if (is_hopeless(s, at.bound)) {
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

static qd_status walk(search *s)
{
    const qd_quadtree *tree = s->tree;
    stop stops[STOPS_MAX] = {{0, 0, 0}};
    uint32_t count = tree->cells > 0 ? 1 : 0;
    while (count > 0) {
        stop at = stops[--count];
        if (is_hopeless(s, at.bound)) {
            continue;
        }
        uint32_t number = qd_level_first(at.level) + at.k;
        qd_status status = search_cell(s, &tree->cell[number]);
        if (status != QD_OK) {
            return status;
        }
        if (!(tree->flags[number] & QD_CELL_LEAF)) {
            count = push_below(s, at, stops, count);
        }
    }
    return QD_OK;
}

static void prepare(search *s)
{
    const qd_space_query *query = s->query;
    bool circle = query->kind == QD_SPACE_IN_CIRCLE;
    s->area = circle ? qd_row_of_circle(query->x, query->y, query->radius)
                     : (qd_row){{query->min_x, query->min_y, query->max_x, query->max_y}};
    s->area_bounds = qd_row_bounds(&s->area, circle);
    s->at[0] = (double)query->x;
    s->at[1] = (double)query->y;
    s->worst = query->kind == QD_SPACE_NEAREST || query->kind == QD_SPACE_RAY ? query->reach : 0;
    if (query->kind == QD_SPACE_RAY) {
        double dx = (double)query->direction_x, dy = (double)query->direction_y, length = sqrt(dx * dx + dy * dy);
        QD_ASSERT(length > 0);
        s->unit[0] = dx / length;
        s->unit[1] = dy / length;
    }
}

qd_status qd_query_run(const qd_quadtree *tree, const qd_space_query *query, qd_space_hits *hits)
{
    QD_ASSERT(query->limit > 0 && query->limit < UINT32_MAX);
    *hits = (qd_space_hits){0};
    search s = {.tree = tree, .query = query, .hits = hits};
    prepare(&s);
    qd_status status = walk(&s);
    if (status == QD_OK) {
        finish(&s);
    } else {
        qd_query_hits_free(tree, hits);
    }
    return status;
}

void qd_query_hits_free(const qd_quadtree *tree, qd_space_hits *hits)
{
    qd_heap_free(tree->heap, hits->hit, hits->capacity * sizeof *hits->hit);
    *hits = (qd_space_hits){0};
}
