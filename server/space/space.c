/* SPDX-License-Identifier: Apache-2.0 */
#include "space.h"

#include <math.h>
#include <string.h>

#include "../base/assert.h"
#include "array.h"
#include "bodies.h"
#include "quadtree.h"
#include "query.h"
#include "rows.h"
#include "tuning.h"

struct qd_space {
    qd_heap *heap;
    qd_space_config config;
    qd_bodies bodies;
    qd_rows rows;
    qd_quadtree tree;
    qd_walk walk;
    bool ticked; /* between tick and settle */
    qd_space_counters counters;
};

qd_status qd_space_create(const qd_space_config *config, qd_heap *heap, qd_space **space)
{
    if (!(isfinite(config->min_x) && isfinite(config->min_y) && isfinite(config->max_x) && isfinite(config->max_y)) ||
        !(config->min_x < config->max_x && config->min_y < config->max_y) || config->depth > QD_SPACE_DEPTH_MAX ||
        config->bodies_max > QD_SPACE_SLOTS_MAX) {
        return QD_ERR_INVALID;
    }
    qd_space *made = qd_heap_alloc_zeroed(heap, sizeof *made);
    if (made == NULL) {
        return QD_ERR_NO_MEMORY;
    }
    made->heap = heap;
    made->config = *config;
    qd_bodies_init(&made->bodies, heap);
    qd_rows_init(&made->rows, heap);
    qd_quadtree_init(&made->tree, config, heap, &made->rows, &made->bodies);
    qd_walk_init(&made->walk, heap);
    *space = made;
    return QD_OK;
}

void qd_space_destroy(qd_space *space)
{
    if (space == NULL) {
        return;
    }
    qd_walk_deinit(&space->walk);
    qd_quadtree_deinit(&space->tree);
    qd_rows_deinit(&space->rows);
    qd_bodies_deinit(&space->bodies);
    qd_heap_free(space->heap, space, sizeof *space);
}

void qd_space_tune(qd_space *space, const qd_tuning *tuning)
{
    QD_ASSERT(space->bodies.used == 0);
    space->tree.tuning = *tuning;
}

static qd_record *live(const qd_space *space, uint32_t slot)
{
    QD_ASSERT(!space->ticked && slot < space->bodies.used);
    qd_record *record = &space->bodies.record[slot];
    QD_ASSERT(record->state == QD_RECORD_LIVE);
    return record;
}

qd_status qd_space_add(qd_space *space, const qd_body *body, uint32_t *slot)
{
    QD_ASSERT(!space->ticked);
    QD_ASSERT(body->shape == QD_SPACE_BOX || body->shape == QD_SPACE_CIRCLE);
    if (space->bodies.count >= space->config.bodies_max) {
        return QD_ERR_FULL;
    }
    qd_status status = qd_quadtree_reserve(&space->tree);
    if (status != QD_OK) {
        return status;
    }
    status = qd_bodies_take(&space->bodies, slot);
    if (status != QD_OK) {
        return status;
    }
    qd_record *record = &space->bodies.record[*slot];
    *record = (qd_record){
        .x = body->x,
        .y = body->y,
        .half_x = body->half_x,
        .half_y = body->half_y,
        .change = QD_NONE,
        .state = QD_RECORD_LIVE,
        .circle = body->shape == QD_SPACE_CIRCLE,
        .stretched = record->stretched,
    };
    space->bodies.filter[*slot] = (qd_filter){body->category, body->mask};
    qd_quadtree_add(&space->tree, *slot);
    return QD_OK;
}

/* Whether a body was there at the last tick. */
static bool is_old(const qd_space *space, const qd_record *record)
{
    uint32_t id = qd_row_id(&space->rows, record->row);
    return (id & QD_ID_NEWCOMER) || qd_row_present(qd_row_was(&space->rows, record->row), (id & QD_ID_CIRCLE) != 0);
}

void qd_space_move(qd_space *space, size_t count, const uint32_t *slots, const float *x, const float *y)
{
    QD_ASSERT(!space->ticked);
    qd_quadtree_move(&space->tree, count, slots, x, y);
    space->counters.moves += count;
}

void qd_space_teleport(qd_space *space, size_t count, const uint32_t *slots, const float *x, const float *y)
{
    for (size_t i = 0; i < count; i++) {
        const qd_record *record = live(space, slots[i]);
        if (is_old(space, record)) {
            qd_bodies_change(&space->bodies, slots[i])->teleported = 1;
        }
    }
    qd_space_move(space, count, slots, x, y);
}

void qd_space_reshape(qd_space *space, uint32_t slot, qd_space_shape shape, float half_x, float half_y)
{
    QD_ASSERT(shape == QD_SPACE_BOX || shape == QD_SPACE_CIRCLE);
    qd_record *record = live(space, slot);
    if (is_old(space, record)) {
        qd_bodies_change(&space->bodies, slot);
    }
    record->half_x = half_x;
    record->half_y = half_y;
    record->circle = shape == QD_SPACE_CIRCLE;
    qd_quadtree_update(&space->tree, slot);
}

void qd_space_refilter(qd_space *space, uint32_t slot, uint32_t category, uint32_t mask)
{
    const qd_record *record = live(space, slot);
    qd_filter *filter = &space->bodies.filter[slot];
    if (filter->category == category && filter->mask == mask) {
        return;
    }
    if (is_old(space, record)) {
        qd_bodies_change(&space->bodies, slot)->refiltered = 1;
    }
    *filter = (qd_filter){category, mask};
    qd_quadtree_reflag(&space->tree, slot);
}

bool qd_space_remove(qd_space *space, uint32_t slot, qd_space_reason reason)
{
    QD_ASSERT(reason >= QD_SPACE_ROOM_CLOSED && reason <= QD_SPACE_DESPAWNED);
    qd_record *record = live(space, slot);
    if (!is_old(space, record)) {
        bool gone = qd_quadtree_remove(&space->tree, slot);
        QD_ASSERT(gone);
        qd_bodies_give(&space->bodies, slot);
        return true;
    }
    qd_bodies_change(&space->bodies, slot);
    bool gone = qd_quadtree_remove(&space->tree, slot);
    QD_ASSERT(!gone);
    record->state = QD_RECORD_REMOVED;
    record->reason = (uint8_t)reason;
    return false;
}

void qd_space_body(const qd_space *space, uint32_t slot, qd_body *body)
{
    QD_ASSERT(slot < space->bodies.used && space->bodies.record[slot].state != QD_RECORD_FREE);
    const qd_record *record = &space->bodies.record[slot];
    *body = (qd_body){
        .x = record->x,
        .y = record->y,
        .half_x = record->half_x,
        .half_y = record->half_y,
        .category = space->bodies.filter[slot].category,
        .mask = space->bodies.filter[slot].mask,
        .shape = record->circle ? QD_SPACE_CIRCLE : QD_SPACE_BOX,
    };
}

static void walk(qd_space *space, const qd_executor *executor, qd_walk_mode mode, size_t limit, qd_space_events *result)
{
    qd_walk_result found;
    qd_quadtree_walk(&space->tree, &space->walk, executor, mode, limit, &found);
    space->counters.tests += found.tests;
    space->counters.exact_tests += found.exact_tests;
    *result = (qd_space_events){
        .events = found.event,
        .count = found.complete ? (size_t)found.found : 0,
        .complete = found.complete,
        .found = found.found,
    };
}

void qd_space_tick(qd_space *space, const qd_executor *executor, qd_space_wanted wanted, size_t limit,
                   qd_space_events *result)
{
    QD_ASSERT(!space->ticked);
    *result = (qd_space_events){.complete = true};
    qd_quadtree_prepare(&space->tree);
    if (wanted != QD_SPACE_WANT_NOTHING) {
        qd_walk_mode mode = wanted == QD_SPACE_WANT_STAYS ? QD_WALK_STAYS : QD_WALK_EVENTS;
        walk(space, executor, mode, limit, result);
    }
    qd_rows_commit_all(&space->rows);
    space->ticked = true;
}

qd_space_reason qd_space_end_reason(const qd_space *space, uint32_t slot_a, uint32_t slot_b)
{
    QD_ASSERT(space->ticked && slot_a < space->bodies.used && slot_b < space->bodies.used);
    const uint32_t slot[2] = {slot_a, slot_b};
    qd_space_reason removed = QD_SPACE_MOVED_APART;
    bool resized = false, teleported = false;
    for (int i = 0; i < 2; i++) {
        const qd_record *record = &space->bodies.record[slot[i]];
        if (record->state == QD_RECORD_REMOVED && record->reason < removed) {
            removed = (qd_space_reason)record->reason;
        }
        if (record->change != QD_NONE) {
            const qd_change *change = &space->bodies.change[record->change];
            teleported |= change->teleported;
            resized |= change->was_circle != record->circle || change->was_half_x != record->half_x ||
                       (!record->circle && change->was_half_y != record->half_y);
        }
    }
    if (removed != QD_SPACE_MOVED_APART) {
        return removed;
    }
    if (!qd_filters_agree(space->bodies.filter[slot_a], space->bodies.filter[slot_b])) {
        return QD_SPACE_FILTERED;
    }
    return resized ? QD_SPACE_RESIZED : teleported ? QD_SPACE_TELEPORTED : QD_SPACE_MOVED_APART;
}

void qd_space_settle(qd_space *space, const uint32_t **freed, size_t *freed_count)
{
    QD_ASSERT(space->ticked);
    qd_bodies *bodies = &space->bodies;
    qd_bodies_freed_reserve(bodies);
    uint32_t count = 0;
    for (uint32_t i = 0; i < bodies->change_count; i++) {
        uint32_t slot = bodies->change[i].slot;
        qd_record *record = &bodies->record[slot];
        if (record->state == QD_RECORD_REMOVED) {
            qd_quadtree_forget(&space->tree, slot);
            record->change = QD_NONE;
            qd_bodies_give(bodies, slot);
            bodies->freed[count++] = slot;
        } else {
            qd_quadtree_heal(&space->tree, slot);
            record->change = QD_NONE;
        }
    }
    bodies->change_count = 0;
    space->ticked = false;
    qd_quadtree_settle(&space->tree);
    *freed = bodies->freed;
    *freed_count = count;
}

void qd_space_pairs(qd_space *space, const qd_executor *executor, size_t limit, qd_space_events *result)
{
    QD_ASSERT(!space->ticked);
    walk(space, executor, QD_WALK_PAIRS, limit, result);
}

qd_status qd_space_find(const qd_space *space, const qd_space_query *query, qd_space_hits *hits)
{
    QD_ASSERT(!space->ticked);
    return qd_query_run(&space->tree, query, hits);
}

void qd_space_hits_free(const qd_space *space, qd_space_hits *hits)
{
    qd_query_hits_free(&space->tree, hits);
}

void qd_space_counters_get(const qd_space *space, qd_space_counters *counters)
{
    *counters = space->counters;
    counters->list_operations = space->rows.operations;
    counters->depth = space->tree.depth;
}

void qd_space_validate(const qd_space *space)
{
    const qd_bodies *bodies = &space->bodies;
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < bodies->used; slot++) {
        const qd_record *record = &bodies->record[slot];
        if (record->state == QD_RECORD_FREE) {
            continue;
        }
        count++;
        QD_ASSERT((qd_row_id(&space->rows, record->row) & QD_ID_SLOT) == slot);
        QD_ASSERT(record->change == QD_NONE ||
                  (record->change < bodies->change_count && bodies->change[record->change].slot == slot));
        QD_ASSERT(record->state == QD_RECORD_LIVE || record->change != QD_NONE);
    }
    QD_ASSERT(count == bodies->count);
    uint32_t vacant = 0;
    for (uint32_t slot = bodies->free_first; slot != QD_NONE; slot = bodies->record[slot].row) {
        QD_ASSERT(slot < bodies->used && bodies->record[slot].state == QD_RECORD_FREE);
        vacant++;
    }
    QD_ASSERT(count + vacant == bodies->used);
    qd_quadtree_validate(&space->tree);
}
