/* SPDX-License-Identifier: Apache-2.0 */
#include "priority_list.h"

#include <stdbool.h>

#include "../../common/memory.h"

void qd_priority_list_deinit(qd_priority_list *list, qd_heap *heap)
{
    qd_array_drop(heap, list->items, list->capacity);
    *list = (qd_priority_list){0};
}

bool qd_priority_list_add(qd_priority_list *list, qd_heap *heap, qd_priority item)
{
    if (!qd_array_reserve(heap, list->items, list->capacity, list->count)) {
        return false;
    }
    list->items[list->count++] = item;
    return true;
}

static bool is_before(const qd_priority *a, const qd_priority *b)
{
    if (a->lead != b->lead) {
        return a->lead < b->lead;
    }
    if (a->distance != b->distance) {
        return a->distance < b->distance;
    }
    return a->rank != b->rank ? a->rank < b->rank : a->id < b->id;
}

/* Moves the item at `root` down until both of its children are before it. */
static void sink(qd_priority *items, uint32_t root, uint32_t count)
{
    qd_priority sinking = items[root];
    uint32_t child;

    while ((child = 2 * root + 1) < count) {
        if (child + 1 < count && is_before(&items[child], &items[child + 1])) {
            child++;
        }
        if (!is_before(&sinking, &items[child])) {
            break;
        }
        items[root] = items[child];
        root = child;
    }
    items[root] = sinking;
}

/* A heap sort: in place, and equally fast for every initial order. */
void qd_priority_sort(qd_priority *items, uint32_t count)
{
    for (uint32_t root = count / 2; root-- > 0;) {
        sink(items, root, count);
    }
    for (uint32_t end = count; end > 1;) {
        qd_priority last = items[--end];

        items[end] = items[0];
        items[0] = last;
        sink(items, 0, end);
    }
}
