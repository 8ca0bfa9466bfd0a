/* SPDX-License-Identifier: Apache-2.0 */
#include "room_overview.h"

#include <string.h>

#include "room_actor.h"
#include "room_clock.h"

/* Rooms that are looked at under one hold of the lock, which everybody needs. */
#define PAGE_ROOMS 64u

static void fill(const qd_room_actor *actor, qd_room_overview *row)
{
    memcpy(row->name, actor->entry.name, sizeof row->name);
    row->room = actor->entry.handle;
    row->tick = qd_room_clock_shown_tick(actor);
    row->entities = atomic_load_explicit(&actor->shown_entities, memory_order_relaxed);
    row->sessions = atomic_load_explicit(&actor->shown_sessions, memory_order_relaxed);
    row->tick_us = atomic_load_explicit(&actor->shown_tick_us, memory_order_relaxed);
    row->slowed_hz = atomic_load_explicit(&actor->shown_slowed_hz, memory_order_relaxed);
    row->creator = actor->creator;
    row->config = actor->config;
}

/* At most a page. */
static uint32_t list_page(qd_room_directory *directory, const char *after, uint32_t max, qd_room_overview *rows,
                          bool *more)
{
    qd_room_directory_lock(directory);
    const uint32_t first = qd_room_directory_after(directory, after), left = directory->count - first;
    const uint32_t count = left < max ? left : max;
    for (uint32_t i = 0; i < count; i++) {
        fill(qd_room_actor_of(directory->by_name[first + i]), &rows[i]);
    }
    *more = count < left;
    qd_room_directory_unlock(directory);
    return count;
}

uint32_t qd_room_overview_list(qd_service *service, const char *after, uint32_t max, qd_room_overview *rows, bool *more)
{
    uint32_t count = 0, page;

    do {
        page = max - count < PAGE_ROOMS ? max - count : PAGE_ROOMS;
        page = list_page(&service->directory, count == 0 ? after : rows[count - 1].name, page, rows + count, more);
        count += page;
    } while (*more && page > 0 && count < max);
    return count;
}

/* Puts the room at its place, if it is among the `max` largest. */
static uint32_t insert(qd_room_overview *rows, uint32_t count, uint32_t max, const qd_room_actor *actor)
{
    const uint32_t entities = atomic_load_explicit(&actor->shown_entities, memory_order_relaxed);
    uint32_t at = count;

    while (at > 0 && rows[at - 1].entities < entities) {
        at--;
    }
    if (at == max) {
        return count;
    }
    count = count == max ? count : count + 1;
    memmove(&rows[at + 1], &rows[at], (count - at - 1) * sizeof *rows);
    fill(actor, &rows[at]);
    rows[at].entities = entities;
    return count;
}

uint32_t qd_room_overview_largest(qd_service *service, uint32_t max, qd_room_overview *rows)
{
    qd_room_directory *directory = &service->directory;
    char after[QD_ROOM_NAME_BYTES_MAX + 1] = "";
    uint32_t count = 0;
    bool more = max > 0;

    while (more) {
        qd_room_directory_lock(directory);
        const uint32_t first = qd_room_directory_after(directory, after);
        const uint32_t end = directory->count - first > PAGE_ROOMS ? first + PAGE_ROOMS : directory->count;
        for (uint32_t i = first; i < end; i++) {
            count = insert(rows, count, max, qd_room_actor_of(directory->by_name[i]));
        }
        more = end < directory->count;
        if (more) {
            memcpy(after, directory->by_name[end - 1]->name, sizeof after);
        }
        qd_room_directory_unlock(directory);
    }
    return count;
}

bool qd_room_overview_find(qd_service *service, const char *name, qd_room_overview *row)
{
    qd_room_directory *directory = &service->directory;

    qd_room_directory_lock(directory);
    qd_room_entry *entry = qd_room_directory_find(directory, name);
    if (entry != NULL) {
        fill(qd_room_actor_of(entry), row);
    }
    qd_room_directory_unlock(directory);
    return entry != NULL;
}

bool qd_room_overview_close(qd_service *service, const char *name, uint64_t *room)
{
    qd_room_directory *directory = &service->directory;

    qd_room_directory_lock(directory);
    qd_room_entry *entry = qd_room_directory_find(directory, name);
    if (entry != NULL) {
        *room = entry->handle;
        /* A room that closes takes this lock first, so the actor is there until the lock is released. */
        qd_room_actor_stop(qd_room_actor_of(entry), QD_ROOM_CLOSED_REQUESTED);
        qd_room_directory_remove(directory, entry);
    }
    qd_room_directory_unlock(directory);
    return entry != NULL;
}
