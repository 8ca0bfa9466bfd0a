/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of entities that compete for a place in a view, by priority: for a limit, a budget, or a member's bytes.
 */
#ifndef QD_ROOM_VIEWS_STATE_PRIORITY_LIST_H
#define QD_ROOM_VIEWS_STATE_PRIORITY_LIST_H

#include "../../../base/memory/array.h"

/* Ordered by (lead, distance, rank, id), which differ between any two items of a list. */
typedef struct qd_priority {
    double distance;
    uint32_t lead, rank, id;
    uint32_t slot;
    uint32_t observer; /* its row */
    uint32_t flags;    /* of the visible entry when it was added, */
    uint32_t at;       /* and its index in the set, while the observer is evaluated */
} qd_priority;

typedef struct qd_priority_list {
    qd_priority *items;
    uint32_t count, capacity;
} qd_priority_list;

void qd_priority_list_deinit(qd_priority_list *list, qd_heap *heap);
/* Returns whether there was memory for it. */
bool qd_priority_list_add(qd_priority_list *list, qd_heap *heap, qd_priority item) QD_MUST_USE;
/* The highest priority comes first. */
void qd_priority_sort(qd_priority *items, uint32_t count);
/* The first `chosen` ones have higher priorities than all others, in no order. */
void qd_priority_choose(qd_priority *items, uint32_t count, uint32_t chosen);

#endif
