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

/* Divides the items from *low to *high by the one in their middle. Then *low to *high are those of which some may be on
 * the wrong side of `chosen`; none if they are not in order. */
static void divide(qd_priority *items, int64_t chosen, int64_t *low, int64_t *high)
{
    const qd_priority pivot = items[*low + (*high - *low) / 2];
    int64_t i = *low, j = *high;

    while (i <= j) {
        while (is_before(&items[i], &pivot)) {
            i++;
        }
        while (is_before(&pivot, &items[j])) {
            j--;
        }
        if (i <= j) {
            const qd_priority other = items[i];

            items[i++] = items[j];
            items[j--] = other;
        }
    }
    if (chosen >= i) {
        *low = i;
    } else {
        *high = chosen <= j ? j : *low;
    }
}

/* Quickselect (Hoare, 1961); a sort bounds its time. */
void qd_priority_choose(qd_priority *items, uint32_t count, uint32_t chosen)
{
    int64_t low = 0, high = (int64_t)count - 1;
    uint32_t rounds = 2;

    for (uint32_t left = count; left > 1; left /= 2) {
        rounds += 2;
    }
    for (; low < high && rounds > 0; rounds--) {
        divide(items, chosen, &low, &high);
    }
    if (low < high) {
        qd_priority_sort(items + low, (uint32_t)(high - low + 1));
    }
}
