/* SPDX-License-Identifier: Apache-2.0 */
#include "room_directory.h"

#include <string.h>

#include "../base/assert.h"

void qd_registry_init(qd_registry *registry, uint32_t rooms_max)
{
    QD_ASSERT(rooms_max <= QD_REGISTRY_ROOMS_MAX);
    *registry = (qd_registry){.rooms_max = rooms_max};
    pthread_mutex_init(&registry->mutex, NULL);
    qd_heap_init(&registry->heap);
    qd_id_pool_init(&registry->slots, &registry->heap);
}

void qd_registry_deinit(qd_registry *registry)
{
    QD_ASSERT(registry->count == 0);
    qd_id_pool_deinit(&registry->slots);
    qd_heap_free(&registry->heap, registry->by_name, registry->capacity * sizeof *registry->by_name);
    qd_heap_free(&registry->heap, registry->generations, registry->generation_capacity * sizeof *registry->generations);
    qd_heap_deinit(&registry->heap);
    pthread_mutex_destroy(&registry->mutex);
}

void qd_registry_lock(qd_registry *registry)
{
    pthread_mutex_lock(&registry->mutex);
}

void qd_registry_unlock(qd_registry *registry)
{
    pthread_mutex_unlock(&registry->mutex);
}

/* The index of the first name that is not before `name`. */
static uint32_t lower_bound(const qd_registry *registry, const char *name)
{
    uint32_t low = 0, high = registry->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (strcmp(registry->by_name[middle]->name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_at(const qd_registry *registry, uint32_t index, const char *name)
{
    return index < registry->count && strcmp(registry->by_name[index]->name, name) == 0;
}

qd_named *qd_registry_find(const qd_registry *registry, const char *name)
{
    uint32_t index = lower_bound(registry, name);

    return is_at(registry, index, name) ? registry->by_name[index] : NULL;
}

uint32_t qd_registry_after(const qd_registry *registry, const char *name)
{
    uint32_t index = lower_bound(registry, name);

    return is_at(registry, index, name) ? index + 1 : index;
}

static qd_status make_room(qd_registry *registry)
{
    if (registry->count < registry->capacity) {
        return QD_OK;
    }
    uint32_t capacity = registry->capacity == 0 ? 16 : registry->capacity * 2;
    qd_named **grown = qd_heap_resize(&registry->heap, registry->by_name, registry->capacity * sizeof *grown,
                                      capacity * sizeof *grown);
    if (grown == NULL) {
        return QD_ERR_NO_MEMORY;
    }
    registry->by_name = grown;
    registry->capacity = capacity;
    return QD_OK;
}

static qd_status make_room_for_slot(qd_registry *registry, uint32_t slot)
{
    if (slot < registry->generation_capacity) {
        return QD_OK;
    }
    uint32_t capacity = registry->generation_capacity == 0 ? 16 : registry->generation_capacity * 2;
    uint32_t *grown = qd_heap_resize(&registry->heap, registry->generations,
                                     registry->generation_capacity * sizeof *grown, capacity * sizeof *grown);
    if (grown == NULL) {
        return QD_ERR_NO_MEMORY;
    }
    memset(grown + registry->generation_capacity, 0, (capacity - registry->generation_capacity) * sizeof *grown);
    registry->generations = grown;
    registry->generation_capacity = capacity;
    return QD_OK;
}

qd_status qd_registry_add(qd_registry *registry, qd_named *named)
{
    if (registry->count >= registry->rooms_max) {
        return QD_ERR_FULL;
    }
    qd_status status = make_room(registry);
    if (status != QD_OK) {
        return status;
    }
    uint32_t slot;
    status = qd_id_pool_take(&registry->slots, &slot);
    if (status != QD_OK) {
        return status;
    }
    /* Slots that have used up their generations are never given back: after four thousand million rooms in one slot
     * the next one is used, and the numbers of slots end at the limit of the handle. */
    status = slot < QD_REGISTRY_ROOMS_MAX ? make_room_for_slot(registry, slot) : QD_ERR_FULL;
    if (status != QD_OK) {
        qd_id_pool_give(&registry->slots, slot);
        return status;
    }
    uint32_t index = lower_bound(registry, named->name);
    QD_ASSERT(!is_at(registry, index, named->name));
    memmove(&registry->by_name[index + 1], &registry->by_name[index],
            (registry->count - index) * sizeof *registry->by_name);
    registry->by_name[index] = named;
    registry->count++;
    named->handle = (uint64_t)++registry->generations[slot] << QD_REGISTRY_SLOT_BITS | slot;
    named->listed = true;
    return QD_OK;
}

void qd_registry_remove(qd_registry *registry, qd_named *named)
{
    uint32_t index = lower_bound(registry, named->name);

    QD_ASSERT(named->listed && index < registry->count && registry->by_name[index] == named);
    registry->count--;
    memmove(&registry->by_name[index], &registry->by_name[index + 1],
            (registry->count - index) * sizeof *registry->by_name);
    named->listed = false;
    uint32_t slot = (uint32_t)named->handle & (QD_REGISTRY_ROOMS_MAX - 1);
    if (registry->generations[slot] < QD_REGISTRY_GENERATION_MAX) {
        qd_id_pool_give(&registry->slots, slot);
    }
}
