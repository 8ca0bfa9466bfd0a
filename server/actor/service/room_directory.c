/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* PTHREAD_MUTEX_ADAPTIVE_NP */
#include "room_directory.h"

#include <string.h>

#include "../../base/assert.h"
#include "../../base/memory/array.h"

void qd_room_directory_init(qd_room_directory *directory, uint32_t rooms_max)
{
    pthread_mutexattr_t attributes;

    QD_ASSERT(rooms_max <= QD_ROOM_DIRECTORY_ROOMS_MAX);
    *directory = (qd_room_directory){.rooms_max = rooms_max};
    /* It is held so briefly that a short spin is cheaper than a sleep. */
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(&directory->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    qd_heap_init(&directory->heap);
    qd_id_pool_init(&directory->slots, &directory->heap);
}

void qd_room_directory_deinit(qd_room_directory *directory)
{
    QD_ASSERT(directory->count == 0);
    qd_id_pool_deinit(&directory->slots);
    qd_array_drop(&directory->heap, directory->by_name, directory->capacity);
    qd_array_drop(&directory->heap, directory->generations, directory->generation_capacity);
    qd_heap_deinit(&directory->heap);
    pthread_mutex_destroy(&directory->mutex);
}

void qd_room_directory_lock(qd_room_directory *directory)
{
    pthread_mutex_lock(&directory->mutex);
}

void qd_room_directory_unlock(qd_room_directory *directory)
{
    pthread_mutex_unlock(&directory->mutex);
}

/* The index of the first name that is not before `name`. */
static uint32_t lower_bound(const qd_room_directory *directory, const char *name)
{
    uint32_t low = 0, high = directory->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (strcmp(directory->by_name[middle]->name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_at(const qd_room_directory *directory, uint32_t index, const char *name)
{
    return index < directory->count && strcmp(directory->by_name[index]->name, name) == 0;
}

qd_room_entry *qd_room_directory_find(const qd_room_directory *directory, const char *name)
{
    uint32_t index = lower_bound(directory, name);

    return is_at(directory, index, name) ? directory->by_name[index] : NULL;
}

uint32_t qd_room_directory_after(const qd_room_directory *directory, const char *name)
{
    uint32_t index = lower_bound(directory, name);

    return is_at(directory, index, name) ? index + 1 : index;
}

qd_status qd_room_directory_add(qd_room_directory *directory, qd_room_entry *entry)
{
    if (directory->count >= directory->rooms_max) {
        return QD_ERR_FULL;
    }
    if (!qd_array_reserve(&directory->heap, directory->by_name, directory->capacity, directory->count)) {
        return QD_ERR_NO_MEMORY;
    }
    uint32_t slot;
    qd_status status = qd_id_pool_take(&directory->slots, &slot);
    if (status != QD_OK) {
        return status;
    }
    /* Slots that have used up their generations are never given back: after 2^32 rooms in one slot
     * the next one is used, and the numbers of slots end at the limit of the handle. */
    if (slot >= QD_ROOM_DIRECTORY_ROOMS_MAX) {
        status = QD_ERR_FULL;
    } else if (!qd_array_reserve_zeroed(&directory->heap, directory->generations, directory->generation_capacity,
                                        slot)) {
        status = QD_ERR_NO_MEMORY;
    }
    if (status != QD_OK) {
        qd_id_pool_give(&directory->slots, slot);
        return status;
    }
    uint32_t index = lower_bound(directory, entry->name);
    QD_ASSERT(!is_at(directory, index, entry->name));
    memmove(&directory->by_name[index + 1], &directory->by_name[index],
            (directory->count - index) * sizeof *directory->by_name);
    directory->by_name[index] = entry;
    directory->count++;
    entry->handle = (uint64_t)++directory->generations[slot] << QD_ROOM_DIRECTORY_SLOT_BITS | slot;
    entry->listed = true;
    return QD_OK;
}

void qd_room_directory_remove(qd_room_directory *directory, qd_room_entry *entry)
{
    uint32_t index = lower_bound(directory, entry->name);

    QD_ASSERT(entry->listed && index < directory->count && directory->by_name[index] == entry);
    directory->count--;
    memmove(&directory->by_name[index], &directory->by_name[index + 1],
            (directory->count - index) * sizeof *directory->by_name);
    entry->listed = false;
    uint32_t slot = (uint32_t)entry->handle & (QD_ROOM_DIRECTORY_ROOMS_MAX - 1);
    if (directory->generations[slot] < QD_ROOM_DIRECTORY_GENERATION_MAX) {
        qd_id_pool_give(&directory->slots, slot);
    }
}
