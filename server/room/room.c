/* SPDX-License-Identifier: Apache-2.0
 *
 * Each command changes the entities first, then passes on what pairs and views must know of it.
 */
#include "room.h"

#include "../base/memory/fetch.h"
#include "entities/batch.h"
#include "entities/entities.h"
#include "entities/members.h"
#include "entities/moves.h"
#include "entities/refusals.h"
#include "entities/rosters.h"
#include "entities/snapshot.h"
#include "pairs/pairs.h"
#include "pairs/subscriptions.h"
#include "state.h"
#include "views/views.h"
#include "views/visibility/visibility_index.h"

/* ---- life ---- */

qd_status qd_room_create(const qd_room_config *config, qd_heap *heap, uint64_t salt, qd_room **room_out)
{
    QD_ASSERT(config->entities_max > 0 && config->entities_max <= QD_SPACE_SLOTS_MAX && config->events_max > 0);
    qd_room *room = qd_heap_alloc_zeroed(heap, sizeof *room);
    if (!room) {
        return QD_ERR_NO_MEMORY;
    }
    qd_status status = qd_entities_init(&room->entities, config, heap, salt);
    if (status != QD_OK) {
        qd_heap_free(heap, room, sizeof *room);
        return status;
    }
    qd_pairs_init(&room->pairs, &room->entities, config);
    qd_views_init(&room->views, &room->entities, config, salt);
    *room_out = room;
    return QD_OK;
}

void qd_room_destroy(qd_room *room)
{
    if (!room) {
        return;
    }
    qd_heap *heap = room->entities.heap;
    qd_pairs_deinit(&room->pairs);
    qd_views_deinit(&room->views);
    qd_snapshot_release(&room->entities);
    qd_entities_deinit(&room->entities);
    qd_heap_free(heap, room, sizeof *room);
}

/* ---- members ---- */

qd_status qd_room_join(qd_room *room, uint32_t *member)
{
    qd_status status = qd_members_join(&room->entities, member);

    if (status != QD_OK) {
        return status;
    }
    status = qd_pairs_join(&room->pairs, *member);
    if (status == QD_OK) {
        status = qd_views_join(&room->views, *member);
    }
    if (status != QD_OK) {
        qd_members_leave(&room->entities, *member, 0);
    }
    return status;
}

void qd_room_leave(qd_room *room, uint32_t member, uint64_t now_ns)
{
    qd_unsubscribe(&room->pairs, member);
    qd_views_leave(&room->views, member);
    qd_members_leave(&room->entities, member, now_ns);
}

uint64_t qd_room_due_ns(const qd_room *room)
{
    return qd_members_due_ns(&room->entities);
}

static void remove_entity(qd_room *room, uint32_t slot, qd_space_reason reason)
{
    qd_views_remove(&room->views, slot, reason);
    qd_entities_remove(&room->entities, slot, reason);
}

static void remove_all_of(qd_room *room, uint32_t owner, qd_space_reason reason)
{
    uint32_t slot;

    while ((slot = qd_entities_first_of(&room->entities, owner)) != QD_SLOT_NONE) {
        remove_entity(room, slot, reason);
    }
}

void qd_room_expire(qd_room *room, uint64_t now_ns)
{
    uint32_t member;

    while ((member = qd_members_next_expired(&room->entities, now_ns)) != QD_MEMBER_NONE) {
        remove_all_of(room, member, QD_SPACE_EXPIRED);
        qd_members_expired(&room->entities, member);
    }
}

/* ---- batches ---- */

void qd_room_allow(qd_room *room, uint32_t count, uint8_t code)
{
    room->entities.allowed = count;
    room->entities.allowed_code = code;
}

static int spawn_one(qd_room *room, const qd_room_batch *batch, uint32_t i, uint32_t owner)
{
    uint32_t slot;
    qd_body body;
    int refusal = qd_entities_allow(&room->entities);

    if (refusal == 0) {
        refusal = qd_batch_spawn(&room->entities, batch, i, owner, &slot, &body);
    }
    if (refusal == 0 && qd_views_add(&room->views, slot, &body) != QD_OK) {
        qd_entities_remove(&room->entities, slot, QD_SPACE_DESPAWNED); /* its slot is free at once */
        refusal = QD_ROOM_FULL;
    }
    if (refusal == 0) {
        qd_entities_added(&room->entities);
    }
    return refusal;
}

void qd_room_spawn(qd_room *room, uint32_t member, const qd_room_batch *batch, bool room_owned,
                   qd_room_refusals *refusals)
{
    (void)qd_members_at(&room->entities, member);
    qd_batch_begin(&room->entities, batch, refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        qd_refuse(refusals, i, spawn_one(room, batch, i, room_owned ? QD_ROOM_OWNED : member));
    }
    qd_batch_finish(&room->entities, batch->count, refusals);
}

/* Prefetches what moves read of views, and what the tick after them reads first of pairs. */
static void fetch_for_moves(const qd_room *room)
{
    qd_fetch(&room->views, sizeof room->views.index);
    qd_fetch(&room->pairs, offsetof(qd_pairs, subscriptions));
}

/* Views take over each run while its columns are in the cache. */
static void apply_moves(qd_room *room, qd_moves *moves)
{
    qd_moved moved;

    while (qd_moves_next(moves, &moved)) {
        qd_view_index_move(&room->views, moved.count, moved.slots, moved.x, moved.y, moved.z);
    }
}

void qd_room_move(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals)
{
    qd_moves moves;

    fetch_for_moves(room);
    qd_moves_by_id(&moves, &room->entities, member, batch, false, refusals);
    apply_moves(room, &moves);
}

bool qd_room_move_all(qd_room *room, uint32_t member, const qd_room_batch *batch)
{
    qd_moves moves;
    qd_room_refusals refusals;

    fetch_for_moves(room);
    qd_moves_by_id(&moves, &room->entities, member, batch, false, &refusals);
    qd_moved moved;
    if (!qd_moves_all(&moves, &moved)) {
        return false;
    }
    qd_view_index_move(&room->views, moved.count, moved.slots, moved.x, moved.y, moved.z);
    return true;
}

void qd_room_teleport(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals)
{
    qd_moves moves;

    qd_moves_by_id(&moves, &room->entities, member, batch, true, refusals);
    apply_moves(room, &moves);
}

qd_status qd_room_move_roster(qd_room *room, uint32_t member, const qd_room_roster_positions *positions,
                              qd_room_refusals *refusals)
{
    qd_moves moves;

    fetch_for_moves(room);
    qd_status status = qd_moves_by_roster(&moves, &room->entities, member, positions, refusals);
    if (status == QD_OK) {
        apply_moves(room, &moves);
    }
    return status;
}

void qd_room_reshape(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals)
{
    (void)qd_members_at(&room->entities, member);
    qd_batch_begin(&room->entities, batch, refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        uint32_t slot;
        int refusal = qd_batch_find(&room->entities, member, batch, i, &slot);

        if (!refusal && batch->category && qd_view_index_reserve_change(&room->views) != QD_OK) {
            refusal = QD_ROOM_FULL;
        }
        if (!refusal) {
            refusal = qd_batch_reshape(&room->entities, batch, i, slot);
        }
        qd_refuse(refusals, i, refusal);
        if (!refusal && batch->category) {
            qd_view_index_filter(&room->views, slot, batch->category[i]);
        }
    }
    qd_batch_finish(&room->entities, batch->count, refusals);
}

void qd_room_despawn(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals)
{
    (void)qd_members_at(&room->entities, member);
    qd_batch_begin(&room->entities, batch, refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        uint32_t slot;
        int refusal = qd_batch_find(&room->entities, member, batch, i, &slot);

        qd_refuse(refusals, i, refusal);
        if (!refusal) {
            remove_entity(room, slot, QD_SPACE_DESPAWNED);
        }
    }
    qd_batch_finish(&room->entities, batch->count, refusals);
}

void qd_room_forget_refusals(qd_room *room)
{
    qd_refused_forget(&room->entities.refused);
}

void qd_room_despawn_all(qd_room *room)
{
    room->entities.emptied = true;
    remove_all_of(room, QD_ROOM_OWNED, QD_SPACE_ROOM_CLOSED);
    for (uint32_t member = 0; member < room->entities.members.count; member++) {
        remove_all_of(room, member, QD_SPACE_ROOM_CLOSED);
    }
}

/* ---- rosters ---- */

qd_status qd_room_roster_name(qd_room *room, uint32_t member, const qd_room_roster *roster)
{
    (void)qd_members_at(&room->entities, member);
    return qd_roster_name(&room->entities, member, roster);
}

const uint32_t *qd_room_roster_ids(const qd_room *room, uint32_t member, uint32_t number, uint32_t *count)
{
    return qd_roster_ids(&room->entities, member, number, count);
}

/* ---- owners ---- */

static void owner_changed(qd_room *room, uint32_t owner)
{
    if (owner != QD_ROOM_OWNED) {
        qd_subscription_renew(&room->pairs, owner);
        qd_views_owner_changed(&room->views, owner);
    }
}

uint32_t qd_room_hand_over(qd_room *room, uint32_t member, const uint32_t *id, uint32_t count, uint32_t to,
                           uint32_t *handed_over, qd_room_refusals *refusals)
{
    uint32_t changed = qd_entities_hand_over(&room->entities, member, id, count, to, handed_over, refusals);

    if (changed > 0) {
        owner_changed(room, member);
        owner_changed(room, to);
    }
    return changed;
}

uint32_t qd_room_adopt(qd_room *room, uint32_t from, uint32_t to, uint32_t *handed_over)
{
    uint32_t changed = qd_entities_adopt(&room->entities, from, to, handed_over);

    if (changed > 0) {
        owner_changed(room, from);
        owner_changed(room, to);
    }
    return changed;
}

uint32_t qd_room_owned_count(const qd_room *room, uint32_t owner)
{
    return qd_entities_owned_count(&room->entities, owner);
}

/* ---- subscriptions ---- */

void qd_room_subscribe(qd_room *room, uint32_t member, qd_room_interest interest)
{
    (void)qd_members_at(&room->entities, member);
    qd_subscribe(&room->pairs, member, interest);
}

void qd_room_unsubscribe(qd_room *room, uint32_t member)
{
    (void)qd_members_at(&room->entities, member);
    qd_unsubscribe(&room->pairs, member);
}

void qd_room_lost(qd_room *room, uint32_t member)
{
    (void)qd_members_at(&room->entities, member);
    qd_subscription_lost(&room->pairs, member);
}

void qd_room_missed(qd_room *room, uint32_t member, uint64_t reported_tick)
{
    (void)qd_members_at(&room->entities, member);
    qd_subscription_missed(&room->pairs, member, reported_tick);
}

void qd_room_resume(qd_room *room, uint32_t member)
{
    (void)qd_members_at(&room->entities, member);
    qd_subscription_resume(&room->pairs, member);
}

bool qd_room_lags(const qd_room *room, uint32_t member)
{
    return qd_subscription_lags(&room->pairs, member);
}

/* ---- ticks and reports ---- */

void qd_room_fetch(const qd_room *room)
{
    qd_entities_fetch(&room->entities);
    qd_pairs_fetch_tick(&room->pairs);
    qd_fetch(&room->views, QD_LINE_BYTES);
}

uint64_t qd_room_tick_pairs_max(const qd_room *room)
{
    const qd_entities *entities = &room->entities;
    const uint64_t there = (uint64_t)entities->ids.count + entities->removed;
    const uint64_t observers = (uint64_t)room->views.live + room->views.gone;
    const uint64_t changes = entities->updates - entities->settled_updates + entities->removed;

    return there * ((changes < there ? changes : there) + observers);
}

void qd_room_tick_views(qd_room *room, const qd_executor *executor, uint32_t skipped)
{
    qd_room_fetch(room);
    if (qd_entities_fetch_small(&room->entities)) {
        qd_pairs_fetch_lists(&room->pairs);
        qd_space_fetch_all(room->entities.space, QD_SPACE_USE_TICK);
    }
    qd_snapshot_release(&room->entities);
    room->entities.tick += 1 + (uint64_t)skipped;
    room->entities.ticks_skipped += skipped;

    qd_executor_expect_forks(executor, true);
    qd_views_tick(&room->views, executor, skipped); /* while removed entities have their slots */
}

void qd_room_tick_pairs(qd_room *room, const qd_executor *executor, uint32_t skipped)
{
    const bool resets = qd_pairs_tick(&room->pairs, executor, skipped);

    room->entities.emptied = false;
    qd_entities_settle(&room->entities);
    if (resets) {
        qd_pairs_reset(&room->pairs, executor);
    }
    qd_executor_expect_forks(executor, false);
}

void qd_room_tick(qd_room *room, const qd_executor *executor, uint32_t skipped)
{
    qd_room_tick_views(room, executor, skipped);
    qd_room_tick_pairs(room, executor, skipped);
}

bool qd_room_is_quiet(const qd_room *room)
{
    return qd_pairs_are_quiet(&room->pairs) && qd_views_are_quiet(&room->views);
}

uint32_t qd_room_relay_period(const qd_room *room)
{
    return room->views.relay_period;
}

void qd_room_rest(qd_room *room, uint64_t ticks)
{
    room->entities.tick += ticks;
}

void qd_room_catch_up(qd_room *room, const qd_executor *executor)
{
    qd_pairs_catch_up(&room->pairs, executor);
}

bool qd_room_next_report(qd_room *room, qd_room_report *report)
{
    return qd_pairs_next_report(&room->pairs, report);
}

/* ---- memory ---- */

void qd_room_trim(qd_room *room)
{
    qd_entities *entities = &room->entities;

    qd_snapshot_release(entities);
    qd_refused_forget(&entities->refused);
    qd_members_trim(entities);
    qd_pairs_trim(&room->pairs);
    qd_views_trim(&room->views);
    qd_entities_trim(entities);
    qd_heap_trim(entities->heap);
}

bool qd_room_awaits_tick(const qd_room *room)
{
    return room->entities.removed > 0 || room->views.gone > 0 || (room->views.index && room->views.live == 0);
}

uint32_t qd_room_member_end(const qd_room *room)
{
    return room->entities.members.count;
}

/* ---- reading ---- */

void qd_room_stats_get(const qd_room *room, qd_room_stats *stats)
{
    const qd_pairs *pairs = &room->pairs;
    qd_space_counters counters;
    uint32_t subscriptions = 0;

    for (int state = QD_DUE; state < QD_SUBSCRIPTION_STATES; state++) {
        subscriptions += pairs->subscriptions[state];
    }
    qd_space_counters_get(room->entities.space, &counters);
    *stats = (qd_room_stats){
        .tick = room->entities.tick,
        .entities = room->entities.ids.count,
        .members = room->entities.members.present,
        .subscriptions = subscriptions,
        .updates = room->entities.updates,
        .begins = pairs->begins,
        .ends = pairs->ends,
        .passed = pairs->passed,
        .pairs = pairs->subscriptions[QD_LIVE] > 0 ? pairs->set_count : 0,
        .ticks_skipped = room->entities.ticks_skipped,
        .depth = counters.depth,
        .index = counters.index,
        .index_changes = counters.index_changes,
    };
}

uint64_t qd_room_last_tick(const qd_room *room)
{
    return room->entities.tick;
}

uint32_t qd_room_entity_count(const qd_room *room)
{
    return room->entities.ids.count;
}

uint64_t qd_room_events_count(const qd_room *room)
{
    return room->pairs.begins + room->pairs.ends + room->pairs.passed;
}

qd_status qd_room_snapshot(qd_room *room, uint32_t owner, const qd_room_region *region, uint32_t limit,
                           qd_room_batch *columns, bool *more)
{
    return qd_snapshot_make(&room->entities, owner, region, limit, columns, more);
}

qd_status qd_room_query(qd_room *room, const qd_space_query *query, qd_room_found *found)
{
    return qd_snapshot_query(&room->entities, query, found);
}
