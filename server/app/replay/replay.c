/* SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"

#include <string.h>

#include "../../base/memory/array.h"
#include "replay_entry.h"

/* In place of a room without an opening, or with another name. */
#define NO_ROOM UINT32_MAX

/* ---- a scheduler without threads or time ---- */

static uint64_t now_ns(void *context)
{
    return ((const qd_replay *)context)->now_ns;
}

static void wake(void *context, qd_actor *actor)
{
    (void)context;
    (void)actor;
}

static void wake_at(void *context, qd_actor *actor, uint64_t due_ns)
{
    (void)context;
    (void)actor;
    (void)due_ns;
}

static bool reserve_timer(void *context)
{
    (void)context;
    return true;
}

static void release_timer(void *context)
{
    (void)context;
}

static uint64_t next_random(void *context)
{
    qd_replay *replay = context;
    const uint64_t number = replay->random[0];

    replay->random[0] = replay->random[1];
    return number;
}

static uint64_t no_wall_s(void *context)
{
    (void)context;
    return 0;
}

void qd_replay_init(qd_replay *replay, const qd_replay_server *server)
{
    qd_limits limits = server->limits;

    memset(replay, 0, sizeof *replay);
    /* Nobody waits for others here. */
    limits.session_share = 100;
    limits.room_batches_max = 1;
    replay->executor = (qd_executor){.run = qd_executor_serial.run, .width = server->width > 0 ? server->width : 1};
    replay->scheduler = (qd_scheduler){.now_ns = now_ns,
                                       .ran_ns = now_ns,
                                       .wake = wake,
                                       .wake_behind = wake,
                                       .wake_at = wake_at,
                                       .reserve_timer = reserve_timer,
                                       .release_timer = release_timer,
                                       .executor = &replay->executor,
                                       .context = replay};
    qd_service_init(&replay->service, &(qd_service_config){.limits = limits,
                                                           .scheduler = &replay->scheduler,
                                                           .workers = 1,
                                                           .random = next_random,
                                                           .wall_s = no_wall_s,
                                                           .context = replay});
    replay->config = (qd_replay_config){
        .service = &replay->service, .random = replay->random, .now_ns = &replay->now_ns, .until = UINT64_MAX};
    qd_heap_init(&replay->heap);
    qd_map_init(&replay->by_handle, &replay->heap, 0);
}

void qd_replay_deinit(qd_replay *replay)
{
    for (uint32_t i = 0; i < replay->count; i++) {
        qd_replay_room_destroy(replay->rooms[i]);
    }
    qd_array_drop(&replay->heap, replay->rooms, replay->capacity);
    qd_map_deinit(&replay->by_handle);
    qd_heap_deinit(&replay->heap);
    qd_service_deinit(&replay->service);
}

/* ---- entries ---- */

/* The index of a new room, or NO_ROOM. */
static uint32_t add(qd_replay *replay, uint64_t handle, bool opens)
{
    if (!opens) {
        replay->unopened++;
        return NO_ROOM;
    }
    if (!qd_array_reserve(&replay->heap, replay->rooms, replay->capacity, replay->count)) {
        replay->failed = true;
        return NO_ROOM;
    }
    qd_replay_room *room = qd_replay_room_create(&replay->config, handle);
    if (room == NULL) {
        replay->failed = true;
        return NO_ROOM;
    }
    replay->rooms[replay->count] = room;
    return replay->count++;
}

static bool is_other(const qd_replay *replay, const uint8_t *bytes, size_t size)
{
    char name[QD_ROOM_NAME_BYTES_MAX + 1];

    return replay->only != NULL && (!qd_replay_room_name(bytes, size, name) || strcmp(name, replay->only) != 0);
}

void qd_replay_entry_of(qd_replay *replay, uint64_t handle, const uint8_t *bytes, size_t size)
{
    uint64_t index;

    if (!qd_map_get(&replay->by_handle, handle, &index)) {
        qd_replay_entry entry;
        const bool opens = qd_replay_entry_read(bytes, size, &entry) && entry.opens;

        index = opens && is_other(replay, bytes, size) ? NO_ROOM : add(replay, handle, opens);
        replay->failed |= qd_map_put(&replay->by_handle, handle, index) != QD_OK;
    }
    if (index != NO_ROOM && !replay->failed) {
        qd_replay_room_entry(replay->rooms[index], bytes, size);
    }
}
