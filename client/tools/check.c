/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <math.h>
#include <stdlib.h>

const char *qd_event_kind_name(qd_event_kind kind)
{
    static const char *const names[] = {"end", "begin", "passed"};

    return names[kind];
}

bool qd_events_add(qd_events *events, qd_event event)
{
    if (events->count == events->capacity) {
        size_t capacity = events->capacity > 0 ? events->capacity * 2 : 256;
        qd_event *items = realloc(events->items, capacity * sizeof *items);

        if (items == NULL) {
            return false;
        }
        events->items = items;
        events->capacity = capacity;
    }
    events->items[events->count++] = event;
    return true;
}

void qd_events_deinit(qd_events *events)
{
    free(events->items);
    *events = (qd_events){0};
}

/* An entity's extent on the x axis, along which the sweep goes. */
typedef struct extent {
    double low, high;
    uint32_t at; /* index in the entities of the tick */
} extent;

/* The entities of a tick and its pairs, as begins ordered by (a, b). */
typedef struct moment {
    const qd_entity *entities;
    uint32_t count;
    qd_events pairs;
} moment;

struct qd_check {
    qd_shape shape;
    bool swept;
    moment was, now;
    extent *extents;
    uint32_t extents_capacity;
    qd_events events;
};

qd_check *qd_check_create(qd_shape shape, bool swept)
{
    qd_check *check = calloc(1, sizeof *check);

    if (check != NULL) {
        check->shape = shape;
        check->swept = swept;
    }
    return check;
}

void qd_check_destroy(qd_check *check)
{
    if (check == NULL) {
        return;
    }
    qd_events_deinit(&check->was.pairs);
    qd_events_deinit(&check->now.pairs);
    qd_events_deinit(&check->events);
    free(check->extents);
    free(check);
}

/* ---- overlap ---- */

static bool touch_on_axis(float a, float a_half, float b, float b_half)
{
    float a_low = a - a_half, a_high = a + a_half;
    float b_low = b - b_half, b_high = b + b_half;

    return a_low <= b_high && b_low <= a_high;
}

static bool overlap(qd_shape shape, const qd_entity *a, const qd_entity *b)
{
    if (shape == QD_SHAPE_BOX) {
        return touch_on_axis(a->x, a->half_x, b->x, b->half_x) && touch_on_axis(a->y, a->half_y, b->y, b->half_y);
    }
    double dx = (double)a->x - (double)b->x, dy = (double)a->y - (double)b->y;
    double reach = (double)a->radius + (double)b->radius;
    return dx * dx + dy * dy <= reach * reach;
}

/* ---- overlap between two ticks ---- */

/* An entity's path from its last place to its present one, in its present size. */
typedef struct way {
    qd_entity from, to;
} way;

/* A gap goes from `from` to `to`, and is closed at 0 or less: narrows enter..leave to the part of the way with it
 * closed. */
static void close_gap(double from, double to, double *enter, double *leave)
{
    if (from > 0 && to > 0) {
        *enter = INFINITY;
    } else if (from > 0) {
        *enter = fmax(*enter, from / (from - to));
    } else if (to > 0) {
        *leave = fmin(*leave, from / (from - to));
    }
}

static double gap(float low, float low_half, float high, float high_half)
{
    float low_edge = low - low_half, high_edge = high + high_half;

    return (double)low_edge - (double)high_edge;
}

static bool boxes_meet(const way *a, const way *b)
{
    double enter = 0, leave = 1;
    float ax = a->to.half_x, ay = a->to.half_y, bx = b->to.half_x, by = b->to.half_y;

    close_gap(gap(b->from.x, bx, a->from.x, ax), gap(b->to.x, bx, a->to.x, ax), &enter, &leave);
    close_gap(gap(a->from.x, ax, b->from.x, bx), gap(a->to.x, ax, b->to.x, bx), &enter, &leave);
    close_gap(gap(b->from.y, by, a->from.y, ay), gap(b->to.y, by, a->to.y, ay), &enter, &leave);
    close_gap(gap(a->from.y, ay, b->from.y, by), gap(a->to.y, ay, b->to.y, by), &enter, &leave);
    return enter <= leave;
}

/* Finds the least distance of a segment from the origin, by its middle and half of its vector. */
static bool circles_meet(const way *a, const way *b)
{
    double from_x = (double)a->from.x - (double)b->from.x, from_y = (double)a->from.y - (double)b->from.y;
    double to_x = (double)a->to.x - (double)b->to.x, to_y = (double)a->to.y - (double)b->to.y;
    double middle_x = (from_x + to_x) / 2, middle_y = (from_y + to_y) / 2;
    double way_x = (to_x - from_x) / 2, way_y = (to_y - from_y) / 2;
    double reach = (double)a->to.radius + (double)b->to.radius, length = way_x * way_x + way_y * way_y;
    double along = middle_x * way_x + middle_y * way_y;

    if (fabs(along) < length) {
        double across = middle_x * way_y - middle_y * way_x;

        return across * across / length <= reach * reach;
    }
    double end_x = along > 0 ? middle_x - way_x : middle_x + way_x;
    double end_y = along > 0 ? middle_y - way_y : middle_y + way_y;
    return end_x * end_x + end_y * end_y <= reach * reach;
}

/* ---- pairs whose extents on the x axis touch ---- */

static int compare_lows(const void *left, const void *right)
{
    double a = ((const extent *)left)->low, b = ((const extent *)right)->low;

    return (a > b) - (a < b);
}

static int compare_pairs(const void *left, const void *right)
{
    const qd_event *p = left, *q = right;

    if (p->a != q->a) {
        return p->a < q->a ? -1 : 1;
    }
    return (p->b > q->b) - (p->b < q->b);
}

static void sort_pairs(qd_event *pairs, size_t count)
{
    if (count > 0) {
        qsort(pairs, count, sizeof *pairs, compare_pairs);
    }
}

static bool reserve_extents(qd_check *check, uint32_t count)
{
    if (count <= check->extents_capacity) {
        return true;
    }
    extent *extents = realloc(check->extents, count * sizeof *extents);
    if (extents == NULL) {
        return false;
    }
    check->extents = extents;
    check->extents_capacity = count;
    return true;
}

/* The extent of both, slightly wider, so that rounding keeps no pair from the exact test. */
static extent extent_of(const qd_entity *from, const qd_entity *to, uint32_t at)
{
    double low = fmin(from->x, to->x), high = fmax(from->x, to->x),
           half = fmax(from->half_x + from->radius, to->half_x + to->radius);
    double slack = (fmax(fabs(low), fabs(high)) + half) * 1e-6;

    return (extent){.low = low - half - slack, .high = high + half + slack, .at = at};
}

typedef bool (*pair_fn)(const qd_check *check, uint32_t i, uint32_t j);

/* Adds, in order, the pairs of the present tick for which `is_one`, called with their indexes, is true. */
static bool find_pairs(qd_check *check, uint32_t count, pair_fn is_one, qd_event_kind kind, qd_events *found)
{
    extent *extents = check->extents;
    size_t first = found->count;

    if (count > 0) {
        qsort(extents, count, sizeof *extents, compare_lows);
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count && extents[j].low <= extents[i].high; j++) {
            uint32_t a = check->now.entities[extents[i].at].id, b = check->now.entities[extents[j].at].id;
            qd_event pair = {.kind = kind, .a = a < b ? a : b, .b = a < b ? b : a};

            if (is_one(check, extents[i].at, extents[j].at) && !qd_events_add(found, pair)) {
                return false;
            }
        }
    }
    if (found->count > first) {
        sort_pairs(found->items + first, found->count - first);
    }
    return true;
}

static bool overlap_now(const qd_check *check, uint32_t i, uint32_t j)
{
    return overlap(check->shape, &check->now.entities[i], &check->now.entities[j]);
}

static bool find_present(qd_check *check)
{
    if (!reserve_extents(check, check->now.count)) {
        return false;
    }
    for (uint32_t i = 0; i < check->now.count; i++) {
        check->extents[i] = extent_of(&check->now.entities[i], &check->now.entities[i], i);
    }
    check->now.pairs.count = 0;
    return find_pairs(check, check->now.count, overlap_now, QD_EVENT_BEGIN, &check->now.pairs);
}

/* ---- events ---- */

static const qd_entity *find(const moment *scene, uint32_t id)
{
    uint32_t low = 0, high = scene->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (scene->entities[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < scene->count && scene->entities[low].id == id ? &scene->entities[low] : NULL;
}

static bool is_resized(const qd_entity *was, const qd_entity *now)
{
    return was->half_x != now->half_x || was->half_y != now->half_y || was->radius != now->radius;
}

/* The start of an entity's path: its last place; for a box of another size, the middle of its last corners. */
static qd_entity beginning_of(const qd_check *check, const qd_entity *was, const qd_entity *now)
{
    if (check->shape != QD_SHAPE_BOX || !is_resized(was, now)) {
        return *was;
    }
    float low_x = was->x - was->half_x, high_x = was->x + was->half_x;
    float low_y = was->y - was->half_y, high_y = was->y + was->half_y;
    return (qd_entity){.x = (float)(((double)low_x + (double)high_x) / 2),
                       .y = (float)(((double)low_y + (double)high_y) / 2)};
}

/* Whether two entities of both ticks overlapped neither then nor now, but in between. */
static bool has_passed(const qd_check *check, uint32_t i, uint32_t j)
{
    const qd_entity *a = &check->now.entities[i], *b = &check->now.entities[j];
    const qd_entity *a_was = find(&check->was, a->id), *b_was = find(&check->was, b->id);
    way of_a = {.from = beginning_of(check, a_was, a), .to = *a};
    way of_b = {.from = beginning_of(check, b_was, b), .to = *b};

    if (overlap(check->shape, a_was, b_was) || overlap(check->shape, a, b)) {
        return false;
    }
    return check->shape == QD_SHAPE_BOX ? boxes_meet(&of_a, &of_b) : circles_meet(&of_a, &of_b);
}

static bool add_passed(qd_check *check)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < check->now.count; i++) {
        const qd_entity *was = find(&check->was, check->now.entities[i].id);

        if (was != NULL) {
            check->extents[count++] = extent_of(was, &check->now.entities[i], i);
        }
    }
    return find_pairs(check, count, has_passed, QD_EVENT_PASSED, &check->events);
}

static qd_end_reason reason_of(const qd_check *check, const qd_event *pair)
{
    const qd_entity *a = find(&check->now, pair->a), *b = find(&check->now, pair->b);

    if (a == NULL || b == NULL) {
        return QD_END_DESPAWNED;
    }
    if (is_resized(find(&check->was, pair->a), a) || is_resized(find(&check->was, pair->b), b)) {
        return QD_END_RESIZED;
    }
    return QD_END_MOVED_APART;
}

/* Adds the pairs in `here` that are not in `there`. */
static bool add_missing(qd_check *check, const qd_events *here, const qd_events *there, bool are_ends)
{
    size_t at = 0;

    for (size_t i = 0; i < here->count; i++) {
        qd_event pair = here->items[i];

        while (at < there->count && compare_pairs(&there->items[at], &pair) < 0) {
            at++;
        }
        if (at < there->count && compare_pairs(&there->items[at], &pair) == 0) {
            continue;
        }
        if (are_ends) {
            pair.kind = QD_EVENT_END;
            pair.reason = reason_of(check, &pair);
        }
        if (!qd_events_add(&check->events, pair)) {
            return false;
        }
    }
    return true;
}

const qd_events *qd_check_tick(qd_check *check, const qd_entity *entities, uint32_t count)
{
    moment old = check->was;

    check->was = check->now;
    check->now = old;
    check->now.entities = entities;
    check->now.count = count;
    check->events.count = 0;
    if (!find_present(check) || !add_missing(check, &check->was.pairs, &check->now.pairs, true) ||
        !add_missing(check, &check->now.pairs, &check->was.pairs, false) || (check->swept && !add_passed(check))) {
        return NULL;
    }
    return &check->events;
}
