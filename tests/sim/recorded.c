/* SPDX-License-Identifier: Apache-2.0 */
#include "recorded.h"

#include <stdlib.h>
#include <string.h>

#include "server/app/replay/replay.h"
#include "world.h"

#define CAPACITY_MIN 65536u

typedef struct entry_head {
    uint64_t room, size;
} entry_head;

static bool put(void *context, uint64_t room, const uint8_t *entry, size_t size)
{
    sim_recorded *recorded = context;
    const entry_head head = {.room = room, .size = size};

    while (recorded->size + sizeof head + size > recorded->capacity) {
        recorded->capacity = recorded->capacity == 0 ? CAPACITY_MIN : 2 * recorded->capacity;
        recorded->bytes = realloc(recorded->bytes, recorded->capacity);
        sim_check(recorded->bytes != NULL, "out of memory");
    }
    memcpy(recorded->bytes + recorded->size, &head, sizeof head);
    memcpy(recorded->bytes + recorded->size + sizeof head, entry, size);
    recorded->size += sizeof head + size;
    return true;
}

void sim_recorded_init(sim_recorded *recorded)
{
    *recorded = (sim_recorded){.sink = {.put = put, .token_key = {1, 2}}};
}

void sim_recorded_describe(sim_recorded *recorded, const qd_limits *limits, uint32_t width)
{
    recorded->sink.context = recorded;
    recorded->limits = *limits;
    recorded->width = width;
}

static void check(const qd_replay *replay)
{
    for (uint32_t i = 0; i < replay->count; i++) {
        const qd_replay_room *room = replay->rooms[i];
        const bool goes_on = room->state <= QD_REPLAY_LOST || room->was_short || room->state == QD_REPLAY_NO_MEMORY;

        /* Only memory was ever short for an entry here. */

        sim_check(goes_on, "replayed, the room %s goes another way: %s", room->name, room->text);
    }
}

static void replace(uint8_t *bytes, size_t size, float from, float to)
{
    for (size_t at = 0; at + sizeof from <= size; at++) {
        if (memcmp(bytes + at, &from, sizeof from) == 0) {
            memcpy(bytes + at, &to, sizeof to);
        }
    }
}

/* For free(). */
static qd_replay *replay_all(const sim_recorded *recorded)
{
    const qd_replay_server server = {.limits = recorded->limits, .width = recorded->width};
    qd_replay *replay = malloc(sizeof *replay);

    sim_check(replay != NULL, "out of memory");
    qd_replay_init(replay, &server);
    for (size_t at = 0; at < recorded->size;) {
        entry_head head;

        memcpy(&head, recorded->bytes + at, sizeof head);
        at += sizeof head;
        qd_replay_entry_of(replay, head.room, recorded->bytes + at, (size_t)head.size);
        at += head.size;
    }
    return replay;
}

uint32_t sim_recorded_differ(const sim_recorded *recorded, float from, float to)
{
    sim_recorded changed = *recorded;
    uint32_t differ = 0;

    changed.bytes = malloc(changed.size);
    sim_check(changed.bytes != NULL, "out of memory");
    memcpy(changed.bytes, recorded->bytes, changed.size);
    replace(changed.bytes, changed.size, from, to);
    qd_replay *replay = replay_all(&changed);
    for (uint32_t i = 0; i < replay->count; i++) {
        differ += replay->rooms[i]->state == QD_REPLAY_DIFFERS;
    }
    qd_replay_deinit(replay);
    free(replay);
    free(changed.bytes);
    return differ;
}

void sim_recorded_replay(sim_recorded *recorded)
{
    if (!recorded->is_dropped) {
        qd_replay *replay = replay_all(recorded);

        check(replay);
        qd_replay_deinit(replay);
        free(replay);
    }
    free(recorded->bytes);
    recorded->bytes = NULL;
    recorded->size = recorded->capacity = 0;
}
