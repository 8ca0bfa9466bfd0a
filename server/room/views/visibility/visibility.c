/* SPDX-License-Identifier: Apache-2.0 */
#include "visibility.h"

#include <string.h>

#include "../../../base/ablation.h"
#include "../derived/derived.h"
#include "../state/last_tick.h"
#include "beacon_crossings.h"
#include "join_bodies.h"
#include "spatial_join.h"
#include "visibility_index.h"

/* The join pays if an observer has ENTRIES_PER_OBSERVER visible entries on average, there are at most BEACONS_MAX
 * beacons, which it compares with every observer, and one in MOVED_SHARE entities moves, or one in BUSY_SHARE observers costs time
 * without moves. The index finds boxes faster: with more of them than BOX_SHARE, one in MOVED_SHARE_OF_BOXES entities
 * must move. Once in use, it stays so with half of that, or twice as many boxes and beacons. */
#define ENTRIES_PER_OBSERVER 4u
#define BOX_SHARE            8u
#define BEACONS_MAX          128u
#define MOVED_SHARE          32u
#define MOVED_SHARE_OF_BOXES 4u
#define BUSY_SHARE           16u

#define AHEAD 16u /* events; their bodies are anywhere in memory */

/* ---- life ---- */

static qd_status add_list(qd_views *views, uint32_t first)
{
    for (uint32_t slot = first; slot != QD_SLOT_NONE; slot = views->entities->holding[slot].next) {
        qd_body body;

        qd_space_body(views->entities->space, slot, &body);
        qd_status status = qd_visibility_add(views, slot, &body);
        if (status != QD_OK) {
            return status;
        }
    }
    return QD_OK;
}

qd_status qd_visibility_open(qd_views *views)
{
    const qd_members *members = &views->entities->members;

    views->join = qd_join_create(views->heap);
    if (!views->join) {
        return QD_ERR_NO_MEMORY;
    }
    qd_status status = qd_space_create(&views->index_config, views->heap, &views->index);
    if (status != QD_OK) {
        qd_join_destroy(views->join, views->heap);
        views->join = NULL;
        return status;
    }
    status = add_list(views, views->entities->room_owned_first);
    for (uint32_t member = 0; member < members->count && status == QD_OK; member++) {
        status = add_list(views, members->rows[member].first);
    }
    if (status != QD_OK) {
        qd_visibility_close(views);
    }
    return status;
}

void qd_visibility_close(qd_views *views)
{
    qd_space_destroy(views->index);
    views->index = NULL;
    qd_join_destroy(views->join, views->heap);
    views->join = NULL;
    views->uses_join = views->has_beacons = false;
    views->visible_count = 0;
    qd_array_drop(views->heap, views->changed_carriers, views->changed_carriers_capacity);
    qd_array_drop(views->heap, views->changed, views->changed_capacity);
    views->changed_carriers = views->changed = NULL;
    views->changed_carriers_count = views->changed_carriers_capacity = 0;
    views->changed_count = views->changed_capacity = views->carried = views->beacons = 0;
    qd_last_tick_forget_targets(views);
    qd_array_drop(views->heap, views->use, views->use_capacity);
    qd_array_drop(views->heap, views->targets, views->target_capacity);
    qd_array_drop(views->heap, views->was, views->was_capacity);
    views->use = NULL;
    views->targets = NULL;
    views->was = NULL;
    views->use_capacity = views->was_capacity = views->target_capacity = views->target_end = 0;
}

qd_status qd_visibility_add(qd_views *views, uint32_t slot, const qd_body *body)
{
    return qd_view_index_add(views, slot, body);
}

/* ---- ticks ---- */

static uint32_t observers_use(const qd_views *views, qd_space_event event)
{
    const uint32_t one = views->use[qd_space_event_a(event)], other = views->use[qd_space_event_b(event)];

    return qd_use_body(one) < QD_BODIES ? one : other;
}

/* The events of the index as crossings. */
static qd_crossings crossings_of(qd_views *views, const qd_space_events *events)
{
    views->no_memory |= events->stopped == QD_SPACE_STOP_MEMORY;
    if (!events->complete) {
        return (qd_crossings){.complete = false};
    }
    qd_crossing *all = qd_block_fit(&views->crossings, views->heap, events->count * sizeof all[0]);
    if (!all) {
        views->no_memory = true;
        return (qd_crossings){.complete = false};
    }

    for (size_t i = 0; i < events->count; i++) {
        const qd_space_event event = events->events[i];

        if (i + AHEAD < events->count) {
            __builtin_prefetch(&views->use[qd_space_event_a(events->events[i + AHEAD])]);
            __builtin_prefetch(&views->use[qd_space_event_b(events->events[i + AHEAD])]);
        }
        const uint32_t one = views->use[qd_space_event_a(event)], other = views->use[qd_space_event_b(event)];
        const uint32_t observers = observers_use(views, event);
        all[i] = (qd_crossing){.use = observers,
                               .slot = qd_use_index(one ^ other ^ observers),
                               .begins = qd_space_event_kind(event) != QD_SPACE_END};
    }
    return (qd_crossings){.all = all, .count = events->count, .complete = true};
}

qd_crossings qd_visibility_tick(qd_views *views, const qd_executor *executor, uint64_t limit)
{
    qd_space_events events;

    qd_space_tick(views->index, executor, views->uses_join ? QD_SPACE_WANT_NOTHING : QD_SPACE_WANT_EVENTS, limit,
                  &events);
    if (!views->uses_join) {
        return crossings_of(views, &events);
    }
    qd_crossings joined = qd_join_tick(views, executor, limit);
    if (joined.complete && !qd_beacon_crossings_add(views, &joined)) {
        views->no_memory = true;
        joined.complete = false;
    }
    return joined;
}

void qd_visibility_skip_tick(qd_views *views, const qd_executor *executor)
{
    qd_space_events events;

    qd_space_tick(views->index, executor, QD_SPACE_WANT_NOTHING, 0, &events);
}

static bool join_pays(const qd_views *views)
{
    const uint32_t slack = views->uses_join ? 2 : 1;
    const uint64_t entries = views->visible_count * slack;

    if (views->suspended || views->join->gave_up || views->join_tuning.never) {
        return false;
    }
    const bool are_boxes = (uint64_t)views->boxes * BOX_SHARE > (uint64_t)views->live * slack;
    const uint64_t share = are_boxes ? MOVED_SHARE_OF_BOXES : MOVED_SHARE;
    const bool is_worked = (uint64_t)views->move_count * slack * share >= views->entities->ids.count ||
                           (uint64_t)views->busy * slack * BUSY_SHARE >= views->live;
    const bool has_few_beacons = views->beacons <= (QD_WITHOUT(JOINED_BEACONS) ? 0 : BEACONS_MAX * slack);
    return views->join_tuning.always ||
           (views->live > 0 && entries / ENTRIES_PER_OBSERVER >= views->live && has_few_beacons && is_worked);
}

static void stop_join(qd_views *views)
{
    if (!views->uses_join) {
        return;
    }
    qd_derived_end(views);
    views->uses_join = false;
    qd_view_index_catch_up(views);
}

void qd_visibility_settle(qd_views *views)
{
    (void)qd_space_settle(views->index);
    const bool pays = !QD_WITHOUT(SPATIAL_JOIN) && join_pays(views);
    if (pays && !views->uses_join && qd_join_regions_start(views)) {
        views->uses_join = true;
        qd_view_index_refilter(views);
    } else if (!pays) {
        stop_join(views);
    }
    views->move_count = 0;
}

void qd_visibility_release(qd_views *views)
{
    if (views->index) {
        stop_join(views);
        qd_join_release(views->join, views->heap);
    }
    qd_block_deinit(&views->crossings, views->heap);
}

qd_crossings qd_visibility_all(qd_views *views, const qd_executor *executor, uint64_t limit)
{
    qd_space_events pairs;

    qd_space_pairs(views->index, executor, limit, &pairs);
    return crossings_of(views, &pairs);
}

void qd_visibility_trim(qd_views *views, uint32_t slot_end)
{
    qd_space_trim(views->index);
    /* The lists of changes name slots that are free again. */
    if (views->kept_count + views->changed_count + views->changed_carriers_count > 0) {
        return;
    }
    views->target_end = views->target_end < slot_end ? views->target_end : slot_end;
    qd_array_trim(views->heap, views->targets, views->target_capacity, views->target_end);
    qd_array_trim(views->heap, views->was, views->was_capacity, views->target_end);
}
