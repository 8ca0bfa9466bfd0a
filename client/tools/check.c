/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <math.h>
#include <stdlib.h>

bool qd_events_add(qd_events *events, qd_event event)
{
    if (events->count == events->capacity) {
        size_t capacity = events->capacity > 0 ? events->capacity * 2 : 256;
        qd_event *items = realloc(events->items, capacity * sizeof *items);
        if (items == NULL)
            return false;
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

/* An entity's extent on the x axis: the sweep's order. */
typedef struct extent {
    double low, high;
    uint32_t at; /* in the entities of the tick */
} extent;

/* The entities of a tick, and its pairs: events without a reason, by (a, b). */
typedef struct moment {
    const qd_entity *entities;
    uint32_t count;
    qd_events pairs;
} moment;

struct qd_check {
    qd_shape shape;
    moment was, now;
    extent *extents;
    uint32_t extents_capacity;
    qd_events events;
};

qd_check *qd_check_create(qd_shape shape)
{
    qd_check *check = calloc(1, sizeof *check);
    if (check != NULL)
        check->shape = shape;
    return check;
}

void qd_check_destroy(qd_check *check)
{
    if (check == NULL)
        return;
    qd_events_deinit(&check->was.pairs);
    qd_events_deinit(&check->now.pairs);
    qd_events_deinit(&check->events);
    free(check->extents);
    free(check);
}

/* ---- who overlaps ---- */

static bool touch_on_axis(float a, float a_half, float b, float b_half)
{
    float a_low = a - a_half, a_high = a + a_half;
    float b_low = b - b_half, b_high = b + b_half;
    return a_low <= b_high && b_low <= a_high;
}

static bool overlap(qd_shape shape, const qd_entity *a, const qd_entity *b)
{
    if (shape == QD_SHAPE_BOX)
        return touch_on_axis(a->x, a->half_x, b->x, b->half_x) && touch_on_axis(a->y, a->half_y, b->y, b->half_y);
    double dx = (double)a->x - (double)b->x, dy = (double)a->y - (double)b->y;
    double reach = (double)a->half_x + (double)b->half_x;
    return dx * dx + dy * dy <= reach * reach;
}

static int compare_lows(const void *left, const void *right)
{
    double a = ((const extent *)left)->low, b = ((const extent *)right)->low;
    return (a > b) - (a < b);
}

static int compare_pairs(const void *left, const void *right)
{
    const qd_event *p = left, *q = right;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

static bool reserve_extents(qd_check *check, uint32_t count)
{
    if (count <= check->extents_capacity)
        return true;
    extent *extents = realloc(check->extents, count * sizeof *extents);
    if (extents == NULL)
        return false;
    check->extents = extents;
    check->extents_capacity = count;
    return true;
}

/* Tests every pair whose extents on the x axis touch. The extents are a little wider than the shapes, so that no
 * rounding keeps a pair from the exact test. */
static bool find_pairs(qd_check *check, moment *scene)
{
    if (!reserve_extents(check, scene->count))
        return false;
    extent *extents = check->extents;
    for (uint32_t i = 0; i < scene->count; i++) {
        const qd_entity *entity = &scene->entities[i];
        double x = entity->x, half = entity->half_x, slack = (fabs(x) + half) * 1e-6;
        extents[i] = (extent){.low = x - half - slack, .high = x + half + slack, .at = i};
    }
    if (scene->count > 0)
        qsort(extents, scene->count, sizeof *extents, compare_lows);
    scene->pairs.count = 0;
    for (uint32_t i = 0; i < scene->count; i++) {
        for (uint32_t j = i + 1; j < scene->count && extents[j].low <= extents[i].high; j++) {
            const qd_entity *a = &scene->entities[extents[i].at], *b = &scene->entities[extents[j].at];
            qd_event pair = {.a = a->id < b->id ? a->id : b->id, .b = a->id < b->id ? b->id : a->id};
            if (overlap(check->shape, a, b) && !qd_events_add(&scene->pairs, pair))
                return false;
        }
    }
    if (scene->pairs.count > 0)
        qsort(scene->pairs.items, scene->pairs.count, sizeof *scene->pairs.items, compare_pairs);
    return true;
}

/* ---- what became of them ---- */

static const qd_entity *find(const moment *scene, uint32_t id)
{
    uint32_t low = 0, high = scene->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (scene->entities[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < scene->count && scene->entities[low].id == id ? &scene->entities[low] : NULL;
}

static bool is_resized(const qd_entity *was, const qd_entity *now)
{
    return was->half_x != now->half_x || was->half_y != now->half_y;
}

static qd_end_reason reason_of(const qd_check *check, const qd_event *pair)
{
    const qd_entity *a = find(&check->now, pair->a), *b = find(&check->now, pair->b);
    if (a == NULL || b == NULL)
        return QD_END_DESPAWNED;
    if (is_resized(find(&check->was, pair->a), a) || is_resized(find(&check->was, pair->b), b))
        return QD_END_RESIZED;
    return QD_END_MOVED_APART;
}

/* Adds the pairs that are in `here` and not in `there`. */
static bool add_missing(qd_check *check, const qd_events *here, const qd_events *there, bool are_ends)
{
    size_t at = 0;
    for (size_t i = 0; i < here->count; i++) {
        qd_event pair = here->items[i];
        while (at < there->count && compare_pairs(&there->items[at], &pair) < 0)
            at++;
        if (at < there->count && compare_pairs(&there->items[at], &pair) == 0)
            continue;
        if (are_ends)
            pair.reason = reason_of(check, &pair);
        if (!qd_events_add(&check->events, pair))
            return false;
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
    if (!find_pairs(check, &check->now) || !add_missing(check, &check->was.pairs, &check->now.pairs, true) ||
        !add_missing(check, &check->now.pairs, &check->was.pairs, false))
        return NULL;
    return &check->events;
}
