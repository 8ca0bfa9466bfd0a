/* SPDX-License-Identifier: Apache-2.0 */
#include "../base/fetch.h"
#include "state.h"
#include "views/views_tick.h"

qd_status qd_room_create(const qd_room_config *config, qd_heap *heap, uint64_t salt, qd_room **room_out)
{
    QD_ASSERT(config->entities_max > 0 && config->entities_max <= QD_SPACE_SLOTS_MAX && config->events_max > 0);
    qd_room *room = qd_heap_alloc_zeroed(heap, sizeof *room);
    if (!room) {
        return QD_ERR_NO_MEMORY;
    }
    room->config = *config;
    room->heap = heap;
    room->next_member = QD_MEMBER_NONE;
    qd_ids_init(&room->ids, heap, salt);
    qd_room_members_init(room);
    qd_room_views_init(room, salt);
    room->entities.room_owned_first = QD_SLOT_NONE;
    qd_roster_runs_init(room);

    /* Removed entities hold their slots until the next tick, and there can be as many of them as entities: with twice
     * the slots, what a room can take does not depend on what was in it. */
    room->config.space.bodies_max =
        config->entities_max < QD_SPACE_SLOTS_MAX / 2 ? config->entities_max * 2 : QD_SPACE_SLOTS_MAX;
    qd_status status = qd_space_create(&room->config.space, heap, &room->space);
    if (status != QD_OK) {
        goto fail;
    }
    *room_out = room;
    return QD_OK;

fail:
    qd_heap_free(heap, room, sizeof *room);
    return status;
}

/* Entities; more have their lines fetched in time by themselves. */
#define FETCH_COUNT_MAX 256u
#define FETCH_BYTES_MAX 128u /* of the lists of events */

static size_t at_most(size_t count, size_t most)
{
    return count < most ? count : most;
}

void qd_room_fetch(const qd_room *room)
{
    qd_fetch_to_write(room, offsetof(qd_room, lists.own));
    qd_fetch(&room->views, QD_LINE_BYTES);
}

bool qd_room_fetch_mover(const qd_room *room, uint32_t member, uint32_t count)
{
    qd_fetch_to_write(room, offsetof(qd_room, config.space) + sizeof room->config.space.dimensions);
    qd_fetch(&room->views, sizeof room->views.sight);
    if (room->ids.count > FETCH_COUNT_MAX || count < room->ids.count / 2) {
        return false;
    }
    qd_fetch(&room->members.rows[member], offsetof(qd_member, told_tick));
    return true;
}

void qd_room_fetch_tick(const qd_room *room)
{
    qd_room_fetch(room);
    if (room->ids.count > FETCH_COUNT_MAX) {
        return;
    }
    const qd_block *events = &room->lists.events;
    qd_fetch_to_write(room->members.rows, offsetof(qd_member, told_tick));
    qd_fetch(room->entities.id, room->ids.count * sizeof *room->entities.id);
    qd_fetch_to_write(events->memory, at_most(events->size, FETCH_BYTES_MAX));
    qd_space_fetch_all(room->space, QD_SPACE_USE_TICK);
}

void qd_room_destroy(qd_room *room)
{
    if (!room) {
        return;
    }
    qd_lists_deinit(&room->lists, room->heap);
    qd_block_deinit(&room->scratch, room->heap);
    qd_room_views_deinit(room);
    qd_room_snapshot_release(room);
    qd_room_entities_deinit(room);
    qd_room_members_deinit(room);
    qd_roster_runs_deinit(room);
    qd_ids_deinit(&room->ids);
    qd_space_destroy(room->space);
    qd_heap_free(room->heap, room, sizeof *room);
}

void qd_room_stats_get(const qd_room *room, qd_room_stats *stats)
{
    qd_space_counters counters;
    uint32_t subscriptions = 0;

    for (int state = QD_DUE; state < QD_SUBSCRIPTION_STATES; state++) {
        subscriptions += room->subscriptions[state];
    }
    qd_space_counters_get(room->space, &counters);
    *stats = (qd_room_stats){
        .tick = room->tick,
        .entities = room->ids.count,
        .members = room->members.present,
        .subscriptions = subscriptions,
        .updates = room->updates,
        .begins = room->begins,
        .ends = room->ends,
        .passed = room->passed,
        .pairs = room->subscriptions[QD_LIVE] > 0 ? room->set_count : 0,
        .ticks_skipped = room->ticks_skipped,
        .depth = counters.depth,
        .index = counters.index,
        .index_changes = counters.index_changes,
    };
}

uint64_t qd_room_last_tick(const qd_room *room)
{
    return room->tick;
}

uint32_t qd_room_entity_count(const qd_room *room)
{
    return room->ids.count;
}

uint64_t qd_room_events_count(const qd_room *room)
{
    return room->begins + room->ends + room->passed;
}
