/* SPDX-License-Identifier: Apache-2.0 */
#include "views.h"

#include "../entities/entities.h"
#include "candidates.h"
#include "changes.h"
#include "derived/derived.h"
#include "derived/derived_relay.h"
#include "observers.h"
#include "state/last_tick.h"
#include "state/ranks.h"
#include "view_bytes.h"
#include "view_news.h"
#include "view_report.h"
#include "visibility/describe.h"
#include "visibility/join_news.h"
#include "visibility/visibility.h"
#include "visibility/visibility_index.h"

/* ---- life ---- */

void qd_views_init(qd_views *views, qd_entities *entities, const qd_room_config *config, uint64_t salt)
{
    *views = (qd_views){
        .next_member = QD_NONE,
        .entities = entities,
        .heap = entities->heap,
        .index_config = config->space,
        .observers_max = config->observers_max,
        .visible_max = config->visible_entries_max,
        .free = QD_NONE,
        .multiplier = qd_visible_entries_multiplier(salt),
    };
    views->index_config.bodies_max = QD_SPACE_SLOTS_MAX;
    views->index_config.swept = false;
    views->index_config.key = salt;
    qd_map_init(&views->rows, views->heap, salt);
}

/* A round that does not use a block counts for it, too: otherwise the memory of a burst would stay. */
static void age_scratch(qd_views *views)
{
    qd_block *blocks[] = {&views->candidates, &views->crossings, &views->scratch, &views->report.block,
                          &views->report.ranks};

    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        qd_block_rest(blocks[i], views->heap);
    }
}

/* Gives back what one round leaves for the next. */
static void release_scratch(qd_views *views)
{
    qd_block *blocks[] = {&views->candidates, &views->scratch, &views->report.block, &views->report.ranks};
    qd_view_list *lists[] = {&views->leaves, &views->enters, &views->relays, &views->watchers};
    qd_priority_list *priorities[] = {&views->wanted, &views->entrants};

    qd_visibility_release(views);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        qd_block_deinit(blocks[i], views->heap);
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        qd_view_list_deinit(lists[i], views->heap);
    }
    for (size_t i = 0; i < sizeof priorities / sizeof priorities[0]; i++) {
        qd_priority_list_deinit(priorities[i], views->heap);
    }
    qd_array_drop(views->heap, views->order, views->order_capacity);
    views->order = NULL;
    views->order_count = views->order_capacity = 0;
    views->order_stale = true;
}

void qd_views_deinit(qd_views *views)
{
    qd_heap *heap = views->heap;

    for (uint32_t row = 0; row < views->count; row++) {
        qd_observer *observer = &views->observers[row];

        qd_visible_entries_deinit(&observer->entries, heap);
        qd_derived_forget(views, row);
        qd_heap_free(heap, observer->exceptions,
                     (observer->hide_count + observer->show_count) * sizeof observer->exceptions[0]);
    }
    if (views->index) {
        qd_visibility_close(views);
    }
    release_scratch(views);
    qd_last_tick_deinit(views);
    qd_array_drop(heap, views->observers, views->capacity);
    qd_heap_free(heap, views->attention, views->attention_capacity);
    qd_array_drop(heap, views->descriptions, views->descriptions_capacity);
    qd_array_drop(heap, views->members, views->member_capacity);
    qd_map_deinit(&views->rows);
}

void qd_views_trim(qd_views *views)
{
    const uint32_t members = views->entities->members.count, slot_end = qd_entities_slot_end(views->entities);

    views->next_member = QD_NONE;
    views->member_count = views->member_count < members ? views->member_count : members;
    qd_array_trim(views->heap, views->members, views->member_capacity, views->member_count);
    qd_array_trim(views->heap, views->descriptions, views->descriptions_capacity, slot_end);
    qd_observers_trim(views);
    if (views->index) {
        qd_visibility_trim(views, slot_end);
    } else {
        release_scratch(views);
    }
}

void qd_views_stats(const qd_views *views, qd_room_view_stats *stats)
{
    *stats = (qd_room_view_stats){
        .observers = views->live,
        .seen = views->seen_count,
        .enters = views->enters_count,
        .leaves = views->leaves_count,
    };
}

/* ---- members ---- */

qd_status qd_views_join(qd_views *views, uint32_t member)
{
    if (!qd_array_reserve(views->heap, views->members, views->member_capacity, member)) {
        return QD_ERR_NO_MEMORY;
    }
    views->members[member] = (qd_view_member){.first = QD_NONE};
    if (member >= views->member_count) {
        views->member_count = member + 1;
    }
    return QD_OK;
}

void qd_views_leave(qd_views *views, uint32_t member)
{
    while (views->members[member].first != QD_NONE) {
        qd_observer_end(views, views->members[member].first);
    }
    views->members[member] = (qd_view_member){.first = QD_NONE};
}

void qd_views_owner_changed(qd_views *views, uint32_t member)
{
    qd_view_member *row = &views->members[member];

    if (row->options.watching == QD_ROOM_WATCH_OWN) {
        row->reset_watchers = views->watchers_due = true;
    }
}

/* ---- entities ---- */

qd_status qd_views_add(qd_views *views, uint32_t slot, const qd_body *body)
{
    qd_description_forget(views, slot);
    return qd_visibility_add(views, slot, body);
}

void qd_views_remove(qd_views *views, uint32_t slot, qd_space_reason reason)
{
    if (!views->index) {
        return;
    }
    qd_view_index_remove(views, slot, reason);
    while (views->targets[slot].anchored != QD_NONE) {
        qd_observer_end(views, views->targets[slot].anchored);
    }
}

/* ---- suspension (room_views.h, LIMIT) ---- */

static void forget_view(qd_views *views, uint32_t row)
{
    qd_observer *observer = &views->observers[row];

    views->members[observer->member].is_emptied |= observer->seen > 0;
    views->seen_count -= observer->seen;
    views->leaves_count += observer->seen;
    observer->seen = 0;
    qd_visible_entries_deinit(&observer->entries, views->heap);
    qd_derived_forget(views, row);
}

#define LIST_USES 64u /* rounds after which a list has the size that it needs */

/* Gives memory back after a burst, such as the first tick of many observers. */
static void clear_list(qd_views *views, qd_view_list *list)
{
    list->peak = list->count > list->peak ? list->count : list->peak;
    list->count = list->ordered = 0;
    if (++list->uses == LIST_USES) {
        qd_array_trim(views->heap, list->key, list->key_capacity, list->peak);
        qd_array_trim(views->heap, list->value, list->capacity, list->peak);
        list->peak = list->uses = 0;
    }
}

static void clear_news(qd_views *views)
{
    clear_list(views, &views->leaves);
    clear_list(views, &views->enters);
    clear_list(views, &views->relays);
}

static void suspend(qd_views *views, qd_suspend_reason reason)
{
    views->suspended = true;
    views->suspended_reason = (uint8_t)reason;
    views->visible_count = 0;
    for (uint32_t row = 0; row < views->count; row++) {
        forget_view(views, row);
    }
    /* Views that started again at this tick have never ended their suspension. */
    for (uint32_t member = 0; member < views->member_count; member++) {
        views->members[member].reported_suspended |= views->members[member].restarted;
    }
    clear_news(views);
    if (reason == QD_SUSPEND_MEMORY) {
        qd_pause_start(&views->pause);
        views->no_memory = false;
    }
}

static void end_suspension(qd_views *views)
{
    views->suspended = false;
    for (uint32_t row = 0; row < views->count; row++) {
        views->attention[row] |= views->observers[row].state == QD_OBSERVER_LIVE ? QD_ATTEND_ONCE : 0;
    }
    for (uint32_t member = 0; member < views->member_count; member++) {
        qd_view_member *row = &views->members[member];

        if (row->reported_suspended) {
            row->reported_suspended = false;
            row->restarted = true;
            row->reset = true;
            row->reset_watchers |= row->options.watching != QD_ROOM_WATCH_NONE;
        }
    }
}

/* Ends the suspension if the visible entries fit: all views start again with all that is in regions. */
static bool restart(qd_views *views, const qd_executor *executor, qd_candidates *candidates)
{
    qd_crossings all = {.complete = true};

    if (views->pause.left > 0 && views->live > 0) {
        return false;
    }
    if (views->live > 0) {
        all = qd_visibility_all(views, executor, views->visible_max);
    }
    if (all.complete && all.count + views->shown > views->visible_max) {
        return false;
    }
    if (all.complete && views->live > 0) {
        views->no_memory |= !qd_observers_rank(views);
    }
    if (views->no_memory) {
        qd_pause_start(&views->pause);
        views->no_memory = false;
        return false;
    }
    if (!all.complete) {
        return false;
    }
    views->visible_count = all.count;
    end_suspension(views);
    qd_candidates_note(candidates, &all);
    return true;
}

/* ---- ticks ---- */

/* Finds the crossings of a tick. Returns false if views are suspended. */
static bool find_crossings(qd_views *views, const qd_executor *executor, qd_candidates *candidates)
{
    const uint64_t limit = views->visible_max;

    if (views->suspended) {
        qd_visibility_skip_tick(views, executor);
        qd_visibility_settle(views);
        return restart(views, executor, candidates);
    }
    views->no_memory |= !qd_observers_rank(views);
    /* Of more crossings than this, more than the limit are begins. */
    const qd_crossings crossings = qd_visibility_tick(views, executor, 2 * limit);
    for (size_t i = 0; crossings.complete && i < crossings.count; i++) {
        views->visible_count += crossings.all[i].begins ? 1 : UINT64_MAX;
    }
    views->visible_count += crossings.complete ? crossings.entries : 0;
    const bool fits = crossings.complete && views->visible_count + views->shown <= limit;
    if (fits && !views->no_memory) {
        qd_derived_spend(views, &crossings);
    }
    if (views->no_memory) {
        suspend(views, QD_SUSPEND_MEMORY);
    } else if (!fits) {
        suspend(views, QD_SUSPEND_LIMIT);
    } else {
        qd_candidates_note(candidates, &crossings);
        qd_join_news_add(views, &crossings);
    }
    return !views->suspended;
}

static void release_gone(qd_views *views)
{
    for (uint32_t row = 0; row < views->count && views->gone > 0; row++) {
        if (views->attention[row] & QD_ATTEND_GONE) {
            qd_observer_release(views, row);
        }
    }
    if (views->index && views->live == 0) {
        qd_visibility_close(views);
        views->relay_period = 0;
    }
}

/* Finds the changes of views. Without memory, all views are suspended. */
static void change_views(qd_views *views, const qd_executor *executor)
{
    qd_candidates candidates = {.views = views};
    const bool was_suspended = views->suspended;

    qd_changes_age(views);
    qd_view_index_follow(views, executor);
    bool is_clear = find_crossings(views, executor, &candidates);
    qd_candidates_note_changed(&candidates);
    if (is_clear && !views->no_memory) {
        qd_candidates_evaluate(&candidates);
    }
    if (is_clear && !views->no_memory) {
        qd_changes_make(views);
        qd_view_bytes_spend(views);
    }
    if (is_clear && !views->no_memory) {
        qd_derived_begin(views);
    }
    /* Last of all: a view that changes between derived and entries has changed at this tick already. */
    if (!was_suspended) {
        qd_visibility_settle(views);
    }
    if (views->no_memory) {
        suspend(views, QD_SUSPEND_MEMORY);
    }
}

void qd_views_tick(qd_views *views, const qd_executor *executor, uint32_t skipped)
{
    const uint64_t reported_before = views->entities->tick - 1 - skipped;

    if (!views->in_use) {
        return;
    }
    views->round++;
    views->steps = 1 + skipped;
    views->executor = executor;
    views->no_memory = false;
    qd_pause_tick(&views->pause);
    clear_news(views);
    age_scratch(views);
    for (uint32_t member = 0; member < views->member_count; member++) {
        qd_view_member *row = &views->members[member];

        row->tight -= row->tight > 0;
        row->tight = row->is_full ? QD_VIEW_TIGHT_TICKS : row->tight;
        row->bytes = row->relaying = 0;
        row->is_full = row->waits_for_bytes = row->is_late = row->is_emptied = row->restarted = false;
    }
    if (views->index) {
        change_views(views, executor);
    } else if (views->suspended) {
        end_suspension(views);
    }
    qd_last_tick_renew(views);
    if (!qd_view_report_make(views, reported_before)) {
        suspend(views, QD_SUSPEND_MEMORY);
        const bool reported = qd_view_report_make(views, reported_before);
        QD_ASSERT(reported); /* that there are no views needs no memory */
    }
    if (views->suspended) {
        release_scratch(views);
    }
    release_gone(views);
}

bool qd_views_are_quiet(const qd_views *views)
{
    bool waits = views->suspended;

    for (uint32_t member = 0; member < views->member_count; member++) {
        const qd_view_member *row = &views->members[member];

        waits |= !row->lost && (row->reset || row->reset_watchers || row->is_behind || row->is_late);
    }
    return !waits && views->leaves.count + views->enters.count + views->relays.count == 0;
}

void qd_views_catch_up(qd_views *views)
{
    if (!views->in_use) {
        return;
    }
    views->next_member = QD_NONE;
    views->executor = &qd_executor_serial; /* this is no tick */
    if (!views->watchers_due) {
        return;
    }
    clear_news(views); /* views change only at ticks */
    /* Without memory, the resets wait for the next tick. */
    (void)qd_view_report_make(views, views->entities->tick);
}
