/* SPDX-License-Identifier: Apache-2.0 */
#include "groups.h"

#include "memory.h"

#define SLOTS_MIN  16u
#define LINE_BYTES 64u

/* Slot + 1 of the neighbors in the group's list; 0: none. In a free slot, `after` is the next free slot + 1. */
typedef struct qd_groups_link {
    uint32_t before, after;
} link;

void *qd_groups_item(const qd_groups *groups, uint32_t slot)
{
    return groups->items + slot * groups->item_size;
}

static uint32_t slot_of(const qd_groups *groups, const void *item)
{
    return (uint32_t)((size_t)((const unsigned char *)item - groups->items) / groups->item_size);
}

static void *item_at(const qd_groups *groups, uint32_t slot_and_1)
{
    return slot_and_1 > 0 ? qd_groups_item(groups, slot_and_1 - 1) : NULL;
}

static uint64_t head_of(uint32_t first_and_1, uint32_t count)
{
    return (uint64_t)first_and_1 << 32 | count;
}

static uint64_t head(const qd_groups *groups, uint32_t group)
{
    const qd_table_place *found = qd_table_get(&groups->heads, group);

    return found != NULL ? found->value : 0;
}

static bool grow(qd_groups *groups)
{
    uint32_t capacity = groups->capacity > 0 ? groups->capacity * 2 : SLOTS_MIN;

    if (groups->capacity > UINT32_MAX / 4) {
        return false;
    }
    void *items = qd_memory_resize(groups->items, capacity * groups->item_size);
    if (items == NULL) {
        return false;
    }
    groups->items = items;
    link *links = qd_memory_resize(groups->links, capacity * sizeof *links);
    if (links == NULL) {
        return false;
    }
    groups->links = links;
    groups->capacity = capacity;
    return true;
}

void qd_groups_fetch(const qd_groups *groups, uint32_t group)
{
    qd_table_fetch(&groups->heads, group);
}

void qd_groups_fetch_first(const qd_groups *groups, uint32_t group)
{
    uint32_t first = (uint32_t)(head(groups, group) >> 32);

    if (first > 0) {
        __builtin_prefetch(&groups->links[first - 1], 1);
    }
}

void qd_groups_fetch_item(const qd_groups *groups, uint32_t slot)
{
    const char *item = qd_groups_item(groups, slot);

    __builtin_prefetch(&groups->links[slot], 1);
    for (size_t at = 0; at < groups->item_size; at += LINE_BYTES) {
        __builtin_prefetch(item + at, 1);
    }
}

uint32_t qd_groups_add(qd_groups *groups, uint32_t group)
{
    if (groups->free == 0 && groups->used == groups->capacity && !grow(groups)) {
        return QD_GROUPS_NONE;
    }
    qd_table_place *place = qd_table_put(&groups->heads, group);
    if (place == NULL) {
        return QD_GROUPS_NONE;
    }
    uint32_t slot = groups->free > 0 ? groups->free - 1 : groups->used++;
    if (groups->free > 0) {
        groups->free = groups->links[slot].after;
    }

    uint32_t first = (uint32_t)(place->value >> 32);
    groups->links[slot] = (link){.after = first};
    if (first > 0) {
        groups->links[first - 1].before = slot + 1;
    }
    place->value = head_of(slot + 1, (uint32_t)place->value + 1);
    return slot;
}

void qd_groups_remove(qd_groups *groups, uint32_t group, uint32_t slot)
{
    qd_table_place *place = qd_table_get(&groups->heads, group);
    link *gone = &groups->links[slot];
    uint32_t first = (uint32_t)(place->value >> 32), count = (uint32_t)place->value;

    if (gone->after > 0) {
        groups->links[gone->after - 1].before = gone->before;
    }
    if (gone->before > 0) {
        groups->links[gone->before - 1].after = gone->after;
    } else {
        first = gone->after;
    }
    place->value = head_of(first, count - 1);
    if (count == 1) {
        qd_table_take(&groups->heads, place);
    }
    gone->after = groups->free;
    groups->free = slot + 1;
}

void qd_groups_empty(qd_groups *groups)
{
    qd_memory_free(groups->items);
    qd_memory_free(groups->links);
    qd_table_empty(&groups->heads);
    *groups = (qd_groups){.item_size = groups->item_size};
}

uint32_t qd_groups_count(const qd_groups *groups, uint32_t group)
{
    return (uint32_t)head(groups, group);
}

void *qd_groups_first(const qd_groups *groups, uint32_t group)
{
    return item_at(groups, (uint32_t)(head(groups, group) >> 32));
}

void *qd_groups_after(const qd_groups *groups, const void *item)
{
    return item_at(groups, groups->links[slot_of(groups, item)].after);
}
