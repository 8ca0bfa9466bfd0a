/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include <string.h>

#include "../../base/assert.h"
#include "../../base/fetch.h"
#include "auto.h"
#include "axes.h"
#include "pending_moves.h"
#include "proxies.h"
#include "search.h"
#include "traversal.h"

typedef struct world {
    qd_space space;
    qd_heap *heap;
    qd_space_config config;
    qd_bodies bodies;
    qd_rows rows;
    qd_registry registry;
    qd_walk walk;
    qd_stage stage;
    bool ticked;      /* between tick and settle */
    bool is_flooded;  /* the last tick had several moves a body */
    uint64_t settled; /* counters.moves at the last settle */
    qd_space_counters counters;
    qd_auto choice;
    qd_auto_tick counted; /* at this tick; its operations: those up to the last settle */
    bool is_counted;
    bool in_vain; /* the last walk was stopped because it found too little; AUTO's turn is due */
} world;

/* Whether after so many moves every body counts as moved. */
static bool is_nearly_all(uint64_t moves, uint32_t bodies)
{
    return moves >= bodies - bodies / 4;
}

/* NULL: no memory. */
static qd_index *create_index(qd_space_index kind, const qd_index *as)
{
    switch (kind) {
    case QD_SPACE_BRUTE:
        return qd_brute_create(as);
    case QD_SPACE_GRID:
        return qd_grid_create(as);
    case QD_SPACE_HASH:
        return qd_hash_create(as);
    case QD_SPACE_SPARSE:
        return qd_sparse_create(as);
    default:
        return qd_quadtree_create(as);
    }
}

static qd_status create(const qd_space_config *config, qd_heap *heap, qd_space **space)
{
    world *made = qd_heap_alloc_zeroed(heap, sizeof *made);

    if (made == NULL) {
        return QD_ERR_NO_MEMORY;
    }
    made->space.ops = &qd_world;
    made->heap = heap;
    made->config = *config;
    qd_bodies_init(&made->bodies, heap);
    qd_rows_init(&made->rows, heap);
    qd_walk_init(&made->walk, heap);
    qd_stage_init(&made->stage, heap);
    qd_auto_init(&made->choice, QD_TUNING_DEFAULT.leaf_rows, config->depth);
    qd_space_index kind = config->index == QD_SPACE_AUTO ? qd_auto_first(&made->choice) : config->index;
    made->registry.index = create_index(kind, &(qd_index){
                                                  .heap = heap,
                                                  .rows = &made->rows,
                                                  .bodies = &made->bodies,
                                                  .registry = &made->registry,
                                                  .tuning = QD_TUNING_DEFAULT,
                                                  .config = &made->config,
                                              });
    if (made->registry.index == NULL) {
        qd_heap_free(heap, made, sizeof *made);
        return QD_ERR_NO_MEMORY;
    }
    *space = &made->space;
    return QD_OK;
}

static void destroy(qd_space *space)
{
    world *w = (world *)space;

    qd_walk_deinit(&w->walk);
    qd_stage_deinit(&w->stage);
    qd_registry_deinit(&w->registry);
    w->registry.index->ops->destroy(w->registry.index);
    qd_rows_deinit(&w->rows);
    qd_bodies_deinit(&w->bodies);
    qd_heap_free(w->heap, w, sizeof *w);
}

static void tune(qd_space *space, const qd_tuning *tuning)
{
    world *w = (world *)space;

    QD_ASSERT(w->bodies.used == 0);
    QD_ASSERT(tuning->land_slots % 64 == 0 && tuning->land_slots <= QD_LAND_SLOTS_MAX);
    w->registry.index->tuning = *tuning;
    qd_auto_init(&w->choice, tuning->leaf_rows, w->config.depth);
}

static qd_record *live(const world *w, uint32_t slot)
{
    QD_ASSERT(!w->ticked && slot < w->bodies.used);
    qd_record *record = &w->bodies.record[slot];
    QD_ASSERT(record->state == QD_RECORD_LIVE);
    return record;
}

/* A body's shape, half extents and radius become those of `form`. */
static void set_form(world *w, uint32_t slot, const qd_body *form)
{
    QD_ASSERT(form->shape >= QD_SPACE_BOX && form->shape <= QD_SPACE_CAPSULE);
    qd_record *record = &w->bodies.record[slot];
    const float half[3] = {form->half_x, form->half_y, form->half_z};
    for (uint32_t k = 0; k < QD_AXES; k++) {
        record->half[k] = half[k];
    }
    record->shape = form->shape;
    w->bodies.any_round |= form->shape != QD_SPACE_BOX;
    qd_bodies_radius_set(&w->bodies, slot, form->radius);
}

static qd_status add(qd_space *space, const qd_body *body, uint32_t *slot)
{
    world *w = (world *)space;

    QD_ASSERT(!w->ticked);
    if (w->bodies.count >= w->config.bodies_max) {
        return QD_ERR_FULL;
    }
    qd_status status = qd_registry_reserve(&w->registry);
    if (status == QD_OK && body->radius != 0) {
        status = qd_bodies_radius_reserve(&w->bodies);
    }
    if (status != QD_OK) {
        return status;
    }
    status = qd_bodies_take(&w->bodies, slot);
    if (status != QD_OK) {
        return status;
    }
    qd_record *record = &w->bodies.record[*slot];
    *record = (qd_record){.change = QD_NONE, .state = QD_RECORD_LIVE, .stretched = record->stretched};
    const float at[3] = {body->x, body->y, body->z};
    for (uint32_t k = 0; k < QD_AXES; k++) {
        record->at[k] = at[k];
    }
    set_form(w, *slot, body);
    qd_bodies_filter_set(&w->bodies, *slot, (qd_filter){body->category, body->mask});
    qd_registry_add(&w->registry, *slot);
    return QD_OK;
}

/* Whether a body was there at the last tick. */
static bool is_old(const world *w, const qd_record *record)
{
    uint32_t id = qd_row_id(&w->rows, record->row);

    return (id & QD_ID_NEWCOMER) || qd_row_present(qd_row_was(&w->rows, record->row), (id & QD_ID_ROUND) != 0);
}

/* Whether moves wait for the tick, because most would be superseded before it, or because so many bodies are in no
 * cache and want to be moved in one go, by all hands. Counted, so that it is the same on every machine. */
static bool is_staging(const world *w)
{
    return w->is_flooded || w->bodies.count >= w->registry.index->tuning.stage_bodies_min ||
           w->counters.moves - w->settled >= w->bodies.count || w->stage.any;
}

static void move(qd_space *space, size_t count, const uint32_t *slots, const float *const *at)
{
    world *w = (world *)space;

    QD_ASSERT(!w->ticked);
    if (!is_staging(w) || !qd_stage_put(&w->stage, &w->bodies, count, slots, at)) {
        qd_stage_drop(&w->stage, count, slots);
        w->rows.all |= is_nearly_all(count, w->bodies.count);
        w->registry.index->ops->move(w->registry.index, count, slots, at);
    }
    w->counters.moves += count;
}

/* Registers what is staged. */
static void land(world *w, const qd_executor *executor)
{
    if (w->stage.any) {
        w->rows.all |= is_nearly_all(qd_stage_count(&w->stage), w->bodies.count);
        qd_stage_land(&w->stage, w->registry.index, executor);
    }
}

/* The way of one that was teleported does not count, which has to be said of every single one where ways do. */
static void teleport(qd_space *space, size_t count, const uint32_t *slots, const float *const *at)
{
    world *w = (world *)space;

    for (size_t i = 0; i < count; i++) {
        qd_record *record = live(w, slots[i]);

        if (is_old(w, record)) {
            qd_bodies_change(&w->bodies, slots[i])->teleported = 1;
        }
        if (w->config.swept) {
            qd_stage_drop(&w->stage, 1, &slots[i]);
            for (uint32_t k = 0; k < QD_AXES; k++) {
                record->at[k] = at[k][i];
            }
            qd_registry_update(&w->registry, slots[i]);
        }
    }
    if (w->config.swept) {
        w->counters.moves += count;
    } else {
        move(space, count, slots, at);
    }
}

static void reshape(qd_space *space, uint32_t slot, const qd_body *form)
{
    world *w = (world *)space;

    if (is_old(w, live(w, slot))) {
        qd_bodies_change(&w->bodies, slot);
    }
    set_form(w, slot, form);
    qd_registry_update(&w->registry, slot);
}

static void refilter(qd_space *space, uint32_t slot, uint32_t category, uint32_t mask)
{
    world *w = (world *)space;
    const qd_record *record = live(w, slot);
    const qd_filter filter = {category, mask};

    if (qd_filters_are_same(w->bodies.filter[slot], filter)) {
        return;
    }
    if (is_old(w, record)) {
        qd_bodies_change(&w->bodies, slot)->refiltered = 1;
    }
    qd_bodies_filter_set(&w->bodies, slot, filter);
    qd_registry_reflag(&w->registry, slot);
}

static bool remove_body(qd_space *space, uint32_t slot, qd_space_reason reason)
{
    world *w = (world *)space;

    QD_ASSERT(reason >= QD_SPACE_ROOM_CLOSED && reason <= QD_SPACE_DESPAWNED);
    qd_record *record = live(w, slot);
    if (qd_stage_get(&w->stage, slot, record->at)) {
        qd_stage_drop(&w->stage, 1, &slot);
    }
    if (!is_old(w, record)) {
        bool gone = qd_registry_remove(&w->registry, slot);

        QD_ASSERT(gone);
        qd_bodies_give(&w->bodies, slot);
        return true;
    }
    qd_bodies_change(&w->bodies, slot);
    bool gone = qd_registry_remove(&w->registry, slot);
    QD_ASSERT(!gone);
    record->state = QD_RECORD_REMOVED;
    record->reason = (uint8_t)reason;
    return false;
}

static void body_of(const qd_space *space, uint32_t slot, qd_body *body)
{
    const world *w = (const world *)space;

    QD_ASSERT(slot < w->bodies.used && w->bodies.record[slot].state != QD_RECORD_FREE);
    const qd_record *record = &w->bodies.record[slot];
    float at[QD_AXES];
    if (!qd_stage_get(&w->stage, slot, at)) {
        memcpy(at, record->at, sizeof at);
    }
    *body = (qd_body)
    {
        .x = at[0], .y = at[1], .half_x = record->half[0], .half_y = record->half[1],
#if QD_AXES == 3
        .z = at[2], .half_z = record->half[2],
#endif
        .radius = qd_bodies_radius(&w->bodies, slot), .category = w->bodies.filter[slot].category,
        .mask = w->bodies.filter[slot].mask, .shape = record->shape,
    };
}

static void fetch(const qd_space *space, uint32_t slot)
{
    const world *w = (const world *)space;
    const qd_bodies *bodies = &w->bodies;

    QD_ASSERT(slot < bodies->used);
    __builtin_prefetch(&bodies->record[slot]);
    __builtin_prefetch(&bodies->filter[slot]);
    qd_stage_fetch(&w->stage, slot);
}

/* With more of them the processor sees in time which lines come next. */
#define FETCH_BLOCKS_MAX 16u
#define FETCH_EVENTS_MAX 16u /* as many as few bodies have at a tick */

/* First what leads to the rest. */
static void fetch_all(const qd_space *space, qd_space_use use)
{
    const world *w = (const world *)space;
    const qd_rows *rows = &w->rows;

    qd_fetch_to_write(w, sizeof *w);
    if (rows->used > FETCH_BLOCKS_MAX) {
        return;
    }
    const size_t count = (size_t)rows->used * QD_BLOCK_ROWS;
    qd_fetch_to_write(w->registry.index, sizeof *w->registry.index);
    qd_fetch_to_write(rows->info, rows->used * sizeof *rows->info);
    qd_fetch_to_write(rows->now, count * sizeof *rows->now);
    if (use == QD_SPACE_USE_MOVES) {
        qd_fetch_to_write(w->bodies.record, w->bodies.used * sizeof *w->bodies.record);
        return;
    }
    const size_t events = w->walk.event_capacity < FETCH_EVENTS_MAX ? w->walk.event_capacity : FETCH_EVENTS_MAX;
    qd_fetch_to_write(rows->was, count * sizeof *rows->was);
    qd_fetch(rows->id, count * sizeof *rows->id);
    qd_fetch_to_write(w->walk.event, events * sizeof *w->walk.event);
}

/* Where there is no memory for another index, this one stays. */
static void change_index(world *w, qd_space_index kind)
{
    qd_index *index = w->registry.index, *other;

    if (kind != index->ops->kind && (other = create_index(kind, index)) != NULL) {
        qd_registry_change(&w->registry, other);
        w->counters.index_changes++;
    }
}

/* What has come since the last walk may be too much for the index at work. */
static void prepare(world *w)
{
    qd_registry_prepare(&w->registry);
    if (w->config.index == QD_SPACE_AUTO) {
        change_index(w, qd_auto_fit(&w->choice, w->registry.index->ops->kind, w->rows.count));
    }
}

static void walk(world *w, const qd_executor *executor, qd_walk_mode mode, size_t limit, qd_space_events *result)
{
    qd_walk_result found;

    qd_walk_run(&w->walk, w->registry.index, executor, mode, limit, &found);
    w->counters.tests += found.tests;
    w->counters.exact_tests += found.exact_tests;
    w->in_vain = found.in_vain;
    *result = (qd_space_events){
        .events = found.event,
        .count = found.complete ? (size_t)found.found : 0,
        .complete = found.complete,
        .found = found.found,
    };
}

static void tick(qd_space *space, const qd_executor *executor, qd_space_wanted wanted, size_t limit,
                 qd_space_events *result)
{
    world *w = (world *)space;

    QD_ASSERT(!w->ticked);
    *result = (qd_space_events){.complete = true};
    land(w, executor);
    prepare(w);
    const qd_space_counters before = w->counters;
    if (wanted != QD_SPACE_WANT_NOTHING) {
        walk(w, executor, wanted == QD_SPACE_WANT_STAYS ? QD_WALK_STAYS : QD_WALK_EVENTS, limit, result);
    }
    qd_rows_commit_all(&w->rows);
    w->counted.rows = w->rows.count;
    w->counted.tests = w->counters.tests - before.tests;
    uint64_t exact_tests = w->counters.exact_tests - before.exact_tests;
    w->counted.exact_tests = exact_tests > result->found ? exact_tests - result->found : 0;
    w->is_counted = wanted != QD_SPACE_WANT_NOTHING && result->complete;
    w->ticked = true;
}

static qd_space_reason end_reason(const qd_space *space, uint32_t slot_a, uint32_t slot_b)
{
    const world *w = (const world *)space;
    const qd_bodies *bodies = &w->bodies;

    QD_ASSERT(w->ticked && slot_a < bodies->used && slot_b < bodies->used);
    const uint32_t slot[2] = {slot_a, slot_b};
    if (QD_LIKELY((bodies->record[slot_a].change & bodies->record[slot_b].change) == QD_NONE)) {
        return QD_SPACE_MOVED_APART;
    }
    qd_space_reason removed = QD_SPACE_MOVED_APART;
    bool resized = false, teleported = false;
    for (int i = 0; i < 2; i++) {
        const qd_record *record = &bodies->record[slot[i]];

        if (record->state == QD_RECORD_REMOVED && record->reason < removed) {
            removed = (qd_space_reason)record->reason;
        }
        if (record->change != QD_NONE) {
            const qd_change *change = &bodies->change[record->change];

            teleported |= change->teleported;
            resized |= qd_change_is_reshape(bodies, change);
        }
    }
    if (removed != QD_SPACE_MOVED_APART) {
        return removed;
    }
    if (!qd_filters_agree(bodies->filter[slot_a], bodies->filter[slot_b])) {
        return QD_SPACE_FILTERED;
    }
    return resized ? QD_SPACE_RESIZED : teleported ? QD_SPACE_TELEPORTED : QD_SPACE_MOVED_APART;
}

static bool end_reasons_differ(const qd_space *space)
{
    const world *w = (const world *)space;

    QD_ASSERT(w->ticked);
    return w->bodies.change_count > 0;
}

/* AUTO's turn, after a walk that was stopped in vain. Returns whether it was one. */
static bool leave_index(world *w)
{
    if (w->config.index != QD_SPACE_AUTO || !w->in_vain) {
        return false;
    }
    w->in_vain = false;
    change_index(w, qd_auto_in_vain(&w->choice));
    return true;
}

/* And after a tick. */
static void choose_index(world *w)
{
    const uint64_t before = w->counted.operations;

    w->counted.operations = w->rows.operations;
    if (leave_index(w) || w->config.index != QD_SPACE_AUTO || !w->is_counted) {
        return;
    }
    qd_auto_tick tick = w->counted;
    tick.operations -= before;
    change_index(w, qd_auto_next(&w->choice, w->registry.index->ops->kind, &tick));
}

static void settle(qd_space *space, const uint32_t **freed, size_t *freed_count)
{
    world *w = (world *)space;

    QD_ASSERT(w->ticked);
    qd_bodies *bodies = &w->bodies;
    qd_bodies_freed_reserve(bodies);
    uint32_t count = 0;
    for (uint32_t i = 0; i < bodies->change_count; i++) {
        uint32_t slot = bodies->change[i].slot;
        qd_record *record = &bodies->record[slot];

        qd_registry_fetch(&w->registry, i);
        if (record->state == QD_RECORD_REMOVED) {
            qd_registry_forget(&w->registry, slot);
            record->change = QD_NONE;
            qd_bodies_give(bodies, slot);
            bodies->freed[count++] = slot;
        } else {
            qd_registry_heal(&w->registry, slot);
            record->change = QD_NONE;
        }
    }
    bodies->change_count = 0;
    w->ticked = false;
    w->registry.index->ops->settle(w->registry.index);
    choose_index(w);
    /* As it was at this tick it will be at the next, whatever batches the moves come in. */
    const uint64_t moves = w->counters.moves - w->settled;
    w->rows.all = is_nearly_all(moves, bodies->count);
    w->is_flooded = moves > 0 && moves >= 2 * (uint64_t)bodies->count;
    w->settled = w->counters.moves;
    *freed = bodies->freed;
    *freed_count = count;
}

static void pairs(qd_space *space, const qd_executor *executor, size_t limit, qd_space_events *result)
{
    world *w = (world *)space;

    QD_ASSERT(!w->ticked);
    prepare(w);
    walk(w, executor, QD_WALK_PAIRS, limit, result);
    leave_index(w);
}

static qd_status find(const qd_space *space, const qd_space_query *query, qd_space_hits *hits)
{
    const world *w = (const world *)space;

    QD_ASSERT(!w->ticked);
    return qd_search_run(w->registry.index, query, hits);
}

static void hits_free(const qd_space *space, qd_space_hits *hits)
{
    qd_search_hits_free(((const world *)space)->registry.index, hits);
}

static void counters_get(const qd_space *space, qd_space_counters *counters)
{
    const world *w = (const world *)space;
    const qd_index *index = w->registry.index;

    *counters = w->counters;
    counters->list_operations = w->rows.operations;
    counters->index = index->ops->kind;
    index->ops->count(index, counters);
}

static void validate(const qd_space *space)
{
    const world *w = (const world *)space;
    const qd_bodies *bodies = &w->bodies;
    uint32_t count = 0;

    for (uint32_t slot = 0; slot < bodies->used; slot++) {
        const qd_record *record = &bodies->record[slot];

        if (record->state == QD_RECORD_FREE) {
            continue;
        }
        count++;
        QD_ASSERT((qd_row_id(&w->rows, record->row) & QD_ID_SLOT) == slot);
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
    qd_stage_validate(&w->stage, bodies);
    qd_registry_validate(&w->registry);
}

static const char *kernel_at(uint32_t index)
{
    const qd_kernel *kernel = qd_kernel_at(index);

    return kernel != NULL ? kernel->name : NULL;
}

static void kernel_select(const char *name)
{
    const qd_kernel *kernel = NULL;

    for (uint32_t i = 0; name != NULL; i++) {
        kernel = qd_kernel_at(i);
        QD_ASSERT(kernel != NULL);
        if (strcmp(kernel->name, name) == 0) {
            break;
        }
    }
    qd_kernel_select(kernel);
}

const qd_world_ops qd_world = {
    .create = create,
    .destroy = destroy,
    .tune = tune,
    .add = add,
    .move = move,
    .teleport = teleport,
    .reshape = reshape,
    .refilter = refilter,
    .remove = remove_body,
    .body = body_of,
    .fetch = fetch,
    .fetch_all = fetch_all,
    .tick = tick,
    .end_reason = end_reason,
    .end_reasons_differ = end_reasons_differ,
    .settle = settle,
    .pairs = pairs,
    .find = find,
    .hits_free = hits_free,
    .counters_get = counters_get,
    .validate = validate,
    .kernel_at = kernel_at,
    .kernel_select = kernel_select,
};
