/* SPDX-License-Identifier: Apache-2.0 */
#include "space_nd.h"

#include <string.h>

#include "../base/ablation.h"
#include "../base/assert.h"
#include "../base/memory/fetch.h"
#include "core/search.h"
#include "kernel/choose.h"
#include "upkeep.h"

/* Whether after so many moves every row counts as changed. */
static bool is_nearly_all(uint64_t moves, uint32_t bodies)
{
    return !QD_WITHOUT(UNMARKED_ROWS) && moves >= bodies - bodies / 4;
}

qd_status QD_ND(qd_space_create)(const qd_space_config *config, qd_heap *heap, qd_space **space)
{
    space_nd *made = qd_heap_alloc_zeroed(heap, sizeof *made);

    if (made == NULL) {
        return QD_ERR_NO_MEMORY;
    }
    made->base.dimensions = QD_AXES;
    made->heap = heap;
    made->config = *config;
    qd_bodies_init(&made->bodies, heap);
    qd_rows_init(&made->rows, heap);
    qd_traversal_init(&made->traversal, heap);
    qd_pending_init(&made->pending, heap);
    qd_auto_init(&made->choice, QD_TUNING_DEFAULT.leaf_rows, config->depth);
    qd_space_index kind = config->index == QD_SPACE_AUTO ? qd_auto_first(&made->choice) : config->index;
    made->index = qd_upkeep_create_index(kind, &(qd_index){
                                                   .heap = heap,
                                                   .rows = &made->rows,
                                                   .bodies = &made->bodies,
                                                   .tuning = QD_TUNING_DEFAULT,
                                                   .config = &made->config,
                                               });
    if (made->index == NULL) {
        qd_heap_free(heap, made, sizeof *made);
        return QD_ERR_NO_MEMORY;
    }
    *space = &made->base;
    return QD_OK;
}

void QD_ND(qd_space_destroy)(qd_space *space)
{
    space_nd *s = (space_nd *)space;

    qd_traversal_deinit(&s->traversal);
    qd_pending_deinit(&s->pending);
    qd_index_destroy(s->index);
    qd_rows_deinit(&s->rows);
    qd_bodies_deinit(&s->bodies);
    qd_heap_free(s->heap, s, sizeof *s);
}

void QD_ND(qd_space_tune)(qd_space *space, const qd_tuning *tuning)
{
    space_nd *s = (space_nd *)space;

    QD_ASSERT(s->bodies.used == 0);
    QD_ASSERT(tuning->apply_slots % 64 == 0 && tuning->apply_slots <= QD_APPLY_SLOTS_MAX);
    s->index->tuning = *tuning;
    qd_auto_init(&s->choice, tuning->leaf_rows, s->config.depth);
}

static qd_record *live(const space_nd *s, uint32_t slot)
{
    QD_ASSERT(!s->ticked && slot < s->bodies.used);
    qd_record *record = &s->bodies.record[slot];
    QD_ASSERT(record->state == QD_RECORD_LIVE);
    return record;
}

/* A body's shape, half extents and radius become those of `form`. */
static void set_form(space_nd *s, uint32_t slot, const qd_body *form)
{
    QD_ASSERT(form->shape >= QD_SPACE_BOX && form->shape <= QD_SPACE_CAPSULE);
    qd_record *record = &s->bodies.record[slot];
    const float half[3] = {form->half_x, form->half_y, form->half_z};
    for (uint32_t k = 0; k < QD_AXES; k++) {
        record->half[k] = half[k];
    }
    record->shape = form->shape;
    qd_bodies_radius_set(&s->bodies, slot, form->radius);
}

qd_status QD_ND(qd_space_add)(qd_space *space, const qd_body *body, uint32_t *slot)
{
    space_nd *s = (space_nd *)space;

    QD_ASSERT(!s->ticked);
    if (s->bodies.count >= s->config.bodies_max) {
        return QD_ERR_FULL;
    }
    qd_status status =
        qd_proxies_reserve(s->index) ? qd_bodies_take(&s->bodies, body->radius != 0, slot) : QD_ERR_NO_MEMORY;
    if (status != QD_OK) {
        return status;
    }
    qd_record *record = &s->bodies.record[*slot];
    *record = (qd_record){.change = QD_NONE, .state = QD_RECORD_LIVE};
    const float at[3] = {body->x, body->y, body->z};
    for (uint32_t k = 0; k < QD_AXES; k++) {
        record->at[k] = at[k];
    }
    set_form(s, *slot, body);
    qd_bodies_filter_set(&s->bodies, *slot, (qd_filter){body->category, body->mask});
    qd_proxies_add(s->index, *slot);
    return QD_OK;
}

/* Whether a body was there at the last tick. */
static bool is_old(const space_nd *s, const qd_record *record)
{
    uint32_t id = qd_row_id(&s->rows, record->row);

    return (id & QD_ID_NEW_ROW) || qd_row_present(qd_row_was(&s->rows, record->row), (id & QD_ID_ROUND) != 0);
}

/* Whether several workers will apply so many moves, and those that come with them. They only do if nearly all bodies
 * move, as at the last tick. */
static bool are_divided(const space_nd *s, size_t count)
{
    return s->bodies.count >= s->index->tuning.pending_bodies_min &&
           (s->index->tuning.pending_bodies_min == 0 || QD_WITHOUT(DIRECT_MOVES) ||
            (s->was_divided && (s->rows.all || is_nearly_all(count, s->bodies.count))));
}

/* Whether moves wait for the tick, because most would be superseded before it, or because they are worth all workers.
 * Counted, so that it is the same on every machine with as many workers. */
static bool is_pending(const space_nd *s, size_t count)
{
    return !QD_WITHOUT(PENDING_MOVES) && (s->is_flooded || s->pending.any || are_divided(s, count) ||
                                          s->counters.moves - s->settled >= s->bodies.count);
}

void QD_ND(qd_space_move)(qd_space *space, size_t count, const uint32_t *slots, const float *const *at)
{
    space_nd *s = (space_nd *)space;

    QD_ASSERT(!s->ticked);
    if (!is_pending(s, count) || !qd_pending_put(&s->pending, &s->bodies, count, slots, at)) {
        qd_pending_drop(&s->pending, count, slots);
        s->rows.all |= is_nearly_all(count, s->bodies.count);
        qd_proxies_move(s->index, count, slots, at);
    }
    s->counters.moves += count;
}

/* Applies pending moves. */
static void apply_pending(space_nd *s, const qd_executor *executor)
{
    if (s->pending.any) {
        s->rows.all |= is_nearly_all(qd_pending_count(&s->pending), s->bodies.count);
        qd_pending_apply(&s->pending, s->index, executor);
    }
}

/* Where the ways of bodies count (swept), each body that was teleported is registered by itself. */
void QD_ND(qd_space_teleport)(qd_space *space, size_t count, const uint32_t *slots, const float *const *at)
{
    space_nd *s = (space_nd *)space;

    for (size_t i = 0; i < count; i++) {
        qd_record *record = live(s, slots[i]);

        if (is_old(s, record)) {
            qd_change *change = qd_bodies_change(&s->bodies, slots[i]);

            if (change != NULL) {
                change->teleported = 1;
            }
            s->bodies.lost |= change == NULL;
        }
        if (s->config.swept) {
            qd_pending_drop(&s->pending, 1, &slots[i]);
            for (uint32_t k = 0; k < QD_AXES; k++) {
                record->at[k] = at[k][i];
            }
            qd_proxies_update(s->index, slots[i]);
        }
    }
    if (s->config.swept) {
        s->counters.moves += count;
    } else {
        QD_ND(qd_space_move)(space, count, slots, at);
    }
}

qd_status QD_ND(qd_space_reshape)(qd_space *space, uint32_t slot, const qd_body *form)
{
    space_nd *s = (space_nd *)space;
    const qd_record *record = live(s, slot);

    if (form->radius != 0 && qd_bodies_radius_reserve(&s->bodies) != QD_OK) {
        return QD_ERR_NO_MEMORY;
    }
    const bool is_lost = is_old(s, record) && qd_bodies_change(&s->bodies, slot) == NULL;
    set_form(s, slot, form);
    if (is_lost) {
        qd_proxies_lose(s->index, slot);
    } else {
        qd_proxies_update(s->index, slot);
    }
    return QD_OK;
}

void QD_ND(qd_space_refilter)(qd_space *space, uint32_t slot, uint32_t category, uint32_t mask)
{
    space_nd *s = (space_nd *)space;
    const qd_record *record = live(s, slot);
    const qd_filter filter = {category, mask};

    if (qd_filters_are_same(s->bodies.filter[slot], filter)) {
        return;
    }
    if (is_old(s, record)) {
        qd_change *change = qd_bodies_change(&s->bodies, slot);

        if (change != NULL) {
            change->refiltered = 1;
        }
        s->bodies.lost |= change == NULL;
    }
    qd_bodies_filter_set(&s->bodies, slot, filter);
    qd_proxies_reflag(s->index, slot);
}

bool QD_ND(qd_space_remove)(qd_space *space, uint32_t slot, qd_space_reason reason)
{
    space_nd *s = (space_nd *)space;

    QD_ASSERT(reason >= QD_SPACE_ROOM_CLOSED && reason <= QD_SPACE_DESPAWNED);
    qd_record *record = live(s, slot);
    if (qd_pending_get(&s->pending, slot, record->at)) {
        qd_pending_drop(&s->pending, 1, &slot);
    }
    if (!is_old(s, record)) {
        bool gone = qd_proxies_remove(s->index, slot);

        QD_ASSERT(gone);
        qd_bodies_give(&s->bodies, slot);
        return true;
    }
    bool gone = qd_proxies_remove(s->index, slot);
    QD_ASSERT(!gone);
    qd_bodies_note_removed(&s->bodies, slot);
    record->state = QD_RECORD_REMOVED;
    record->reason = (uint8_t)reason;
    return false;
}

void QD_ND(qd_space_body)(const qd_space *space, uint32_t slot, qd_body *body)
{
    const space_nd *s = (const space_nd *)space;

    QD_ASSERT(slot < s->bodies.used && s->bodies.record[slot].state != QD_RECORD_FREE);
    const qd_record *record = &s->bodies.record[slot];
    float at[QD_AXES];
    if (!qd_pending_get(&s->pending, slot, at)) {
        memcpy(at, record->at, sizeof at);
    }
    *body = (qd_body)
    {
        .x = at[0], .y = at[1], .half_x = record->half[0], .half_y = record->half[1],
#if QD_AXES == 3
        .z = at[2], .half_z = record->half[2],
#endif
        .radius = qd_bodies_radius(&s->bodies, slot), .category = s->bodies.filter[slot].category,
        .mask = s->bodies.filter[slot].mask, .shape = record->shape,
    };
}

void QD_ND(qd_space_fetch)(const qd_space *space, uint32_t slot)
{
    const space_nd *s = (const space_nd *)space;
    const qd_bodies *bodies = &s->bodies;

    QD_ASSERT(slot < bodies->used);
    __builtin_prefetch(&bodies->record[slot]);
    __builtin_prefetch(&bodies->filter[slot]);
    qd_pending_fetch(&s->pending, slot);
}

/* With more of them the processor sees in time which lines come next. */
#define FETCH_BLOCKS_MAX 16u
#define FETCH_EVENTS_MAX 16u /* as many as few bodies have at a tick */

/* First what leads to the rest. */
void QD_ND(qd_space_fetch_all)(const qd_space *space, qd_space_use use)
{
    const space_nd *s = (const space_nd *)space;
    const qd_rows *rows = &s->rows;

    qd_fetch_to_write(s, sizeof *s);
    if (rows->used > FETCH_BLOCKS_MAX) {
        return;
    }
    const size_t count = (size_t)rows->used * QD_BLOCK_ROWS;
    qd_fetch_to_write(s->index, sizeof *s->index);
    qd_fetch_to_write(rows->info, rows->used * sizeof *rows->info);
    qd_fetch_to_write(rows->now, count * sizeof *rows->now);
    if (use == QD_SPACE_USE_MOVES) {
        qd_fetch_to_write(s->bodies.record, s->bodies.used * sizeof *s->bodies.record);
        return;
    }
    const size_t events =
        s->traversal.event_capacity < FETCH_EVENTS_MAX ? s->traversal.event_capacity : FETCH_EVENTS_MAX;
    qd_fetch_to_write(rows->was, count * sizeof *rows->was);
    qd_fetch(rows->id, count * sizeof *rows->id);
    qd_fetch_to_write(s->traversal.event, events * sizeof *s->traversal.event);
}

static void traverse(space_nd *s, const qd_executor *executor, qd_traversal_mode mode, size_t limit,
                     qd_space_events *result)
{
    qd_traversal_result found = {.stopped = QD_SPACE_STOP_MEMORY};

    if (s->bodies.lost) {
        *result = (qd_space_events){.stopped = found.stopped};
        return;
    }
    qd_traversal_run(&s->traversal, s->index, executor, mode, limit, &found);
    s->counters.tests += found.tests;
    s->counters.exact_tests += found.exact_tests;
    s->without_hits = found.without_hits;
    *result = (qd_space_events){
        .events = found.event,
        .count = found.complete ? (size_t)found.found : 0,
        .complete = found.complete,
        .stopped = found.stopped,
        .found = found.found,
    };
}

void QD_ND(qd_space_tick)(qd_space *space, const qd_executor *executor, qd_space_wanted wanted, size_t limit,
                          qd_space_events *result)
{
    space_nd *s = (space_nd *)space;

    QD_ASSERT(!s->ticked);
    *result = (qd_space_events){.complete = true};
    s->executor = executor;
    s->was_divided = executor->width > 1;
    qd_upkeep_trim(s);
    apply_pending(s, executor);
    qd_upkeep_prepare(s, executor);
    const qd_space_counters before = s->counters;
    if (wanted != QD_SPACE_WANT_NOTHING) {
        traverse(s, executor, wanted == QD_SPACE_WANT_STAYS ? QD_TRAVERSAL_STAYS : QD_TRAVERSAL_EVENTS, limit, result);
    }
    qd_rows_commit_all(&s->rows);
    s->counted.rows = s->rows.count;
    s->counted.tests = s->counters.tests - before.tests;
    uint64_t exact_tests = s->counters.exact_tests - before.exact_tests;
    s->counted.exact_tests = exact_tests > result->found ? exact_tests - result->found : 0;
    s->is_counted = wanted != QD_SPACE_WANT_NOTHING && result->complete;
    s->ticked = true;
}

qd_space_reason QD_ND(qd_space_end_reason)(const qd_space *space, uint32_t slot_a, uint32_t slot_b)
{
    const space_nd *s = (const space_nd *)space;
    const qd_bodies *bodies = &s->bodies;

    QD_ASSERT(s->ticked && slot_a < bodies->used && slot_b < bodies->used);
    const uint32_t slot[2] = {slot_a, slot_b};
    const qd_record *a = &bodies->record[slot_a], *b = &bodies->record[slot_b];
    if (QD_LIKELY((a->change & b->change) == QD_NONE && (a->state | b->state) == QD_RECORD_LIVE)) {
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

bool QD_ND(qd_space_end_reasons_differ)(const qd_space *space)
{
    const space_nd *s = (const space_nd *)space;

    QD_ASSERT(s->ticked);
    return s->bodies.change_count > 0 || s->bodies.removed_first != QD_NONE;
}

/* Takes the rows of removed bodies out, and makes their slots free. */
static void forget_removed(space_nd *s)
{
    qd_bodies *bodies = &s->bodies;

    bodies->freed_end = bodies->free_first;
    for (uint32_t slot = bodies->removed_first, before; slot != QD_NONE; slot = before) {
        before = qd_bodies_removed_before(bodies, slot);
        if (before != QD_NONE) {
            __builtin_prefetch(&bodies->record[before], 1);
        }
        qd_proxies_forget(s->index, slot);
        bodies->record[slot].change = QD_NONE;
        qd_bodies_give(bodies, slot);
    }
    bodies->removed_first = QD_NONE;
}

static uint32_t freed_or_none(const qd_bodies *bodies, uint32_t slot)
{
    return slot == bodies->freed_end ? QD_SPACE_SLOT_NONE : slot;
}

uint32_t QD_ND(qd_space_settle)(qd_space *space)
{
    space_nd *s = (space_nd *)space;

    QD_ASSERT(s->ticked);
    qd_bodies *bodies = &s->bodies;
    qd_upkeep_compact(s);
    for (uint32_t i = 0; i < bodies->change_count; i++) {
        uint32_t slot = bodies->change[i].slot;
        qd_record *record = &bodies->record[slot];

        qd_proxies_fetch(s->index, i);
        if (record->state == QD_RECORD_LIVE) {
            qd_proxies_rejoin(s->index, slot);
            record->change = QD_NONE;
        }
    }
    bodies->change_count = 0;
    forget_removed(s);
    bodies->lost = false;
    s->ticked = false;
    qd_index_settle(s->index, s->executor);
    qd_upkeep_choose_index(s, s->executor);
    s->executor = NULL;
    /* As it was at this tick it will be at the next, whatever batches the moves come in. */
    const uint64_t moves = s->counters.moves - s->settled;
    s->rows.all = is_nearly_all(moves, bodies->count);
    s->is_flooded = moves > 0 && moves >= 2 * (uint64_t)bodies->count;
    s->settled = s->counters.moves;
    return freed_or_none(bodies, bodies->free_first);
}

uint32_t QD_ND(qd_space_next_freed)(const qd_space *space, uint32_t slot)
{
    const qd_bodies *bodies = &((const space_nd *)space)->bodies;

    QD_ASSERT(bodies->record[slot].state == QD_RECORD_FREE);
    return freed_or_none(bodies, bodies->record[slot].row);
}

void QD_ND(qd_space_trim)(qd_space *space)
{
    space_nd *s = (space_nd *)space;

    QD_ASSERT(!s->ticked);
    qd_upkeep_trim_now(s);
}

void QD_ND(qd_space_pairs)(qd_space *space, const qd_executor *executor, size_t limit, qd_space_events *result)
{
    space_nd *s = (space_nd *)space;

    QD_ASSERT(!s->ticked);
    qd_upkeep_prepare(s, executor);
    traverse(s, executor, QD_TRAVERSAL_PAIRS, limit, result);
    (void)qd_upkeep_leave_index(s, executor);
}

qd_status QD_ND(qd_space_find)(const qd_space *space, const qd_space_query *query, qd_space_hits *hits)
{
    const space_nd *s = (const space_nd *)space;

    QD_ASSERT(!s->ticked);
    if (s->bodies.lost) {
        *hits = (qd_space_hits){0};
        return QD_ERR_NO_MEMORY;
    }
    return qd_search_run(s->index, query, hits);
}

void QD_ND(qd_space_hits_free)(const qd_space *space, qd_space_hits *hits)
{
    qd_search_hits_free(((const space_nd *)space)->index, hits);
}

void QD_ND(qd_space_counters_get)(const qd_space *space, qd_space_counters *counters)
{
    const space_nd *s = (const space_nd *)space;
    const qd_index *index = s->index;

    *counters = s->counters;
    counters->list_operations = s->rows.operations;
    counters->index = index->ops->kind;
    index->ops->count(index, counters);
}

void QD_ND(qd_space_validate)(const qd_space *space)
{
    const space_nd *s = (const space_nd *)space;
    const qd_bodies *bodies = &s->bodies;
    uint32_t count = 0, removed = 0;

    for (uint32_t slot = 0; slot < bodies->used; slot++) {
        const qd_record *record = &bodies->record[slot];

        if (record->state == QD_RECORD_FREE) {
            continue;
        }
        count++;
        QD_ASSERT((qd_row_id(&s->rows, record->row) & QD_ID_SLOT) == slot);
        QD_ASSERT(record->change == QD_NONE ||
                  (record->change < bodies->change_count && bodies->change[record->change].slot == slot));
        removed += record->state == QD_RECORD_REMOVED;
    }
    QD_ASSERT(count == bodies->count);
    for (uint32_t slot = bodies->removed_first; slot != QD_NONE; slot = qd_bodies_removed_before(bodies, slot)) {
        QD_ASSERT(slot < bodies->used && bodies->record[slot].state == QD_RECORD_REMOVED && removed > 0);
        removed--;
    }
    QD_ASSERT(removed == 0);
    uint32_t vacant = 0;
    for (uint32_t slot = bodies->free_first; slot != QD_NONE; slot = bodies->record[slot].row) {
        QD_ASSERT(slot < bodies->used && bodies->record[slot].state == QD_RECORD_FREE);
        vacant++;
    }
    QD_ASSERT(count + vacant == bodies->used);
    qd_pending_validate(&s->pending, bodies);
    qd_index_validate(s->index);
}

const char *QD_ND(qd_space_kernel_at)(uint32_t index)
{
    const qd_kernel *kernel = qd_kernel_at(index);

    return kernel != NULL ? kernel->name : NULL;
}

void QD_ND(qd_space_kernel_select)(const char *name)
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
