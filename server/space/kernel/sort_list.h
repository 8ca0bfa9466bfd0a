/* SPDX-License-Identifier: Apache-2.0
 *
 * Long lists in Morton order. The kernel passes over groups of rows that lie apart (kernel.h), which helps only where
 * the rows of a group lie together. A plan lays rows down that way, but every body that comes or goes takes its cell's
 * list a step further from it; so a list that is long and has come apart is put in order where it is read.
 *
 * Owned by a hand of the walk. One thread at a time.
 */
#ifndef QD_SPACE_KERNEL_SORT_LIST_H
#define QD_SPACE_KERNEL_SORT_LIST_H

#include "kernel.h"

/* Room for the order of a list; kept from list to list. */
typedef struct qd_list_sorter {
    uint32_t *order[2]; /* the first one is where the allocation begins */
    void *spare;        /* a column of any width */
    uint16_t *key;
    uint32_t capacity;
} qd_list_sorter;

void qd_list_sorter_free(qd_list_sorter *sorter, qd_heap *heap);

/* For lists that hold only their cell's own rows as yet. */
void qd_list16_sort(qd_list_sorter *sorter, qd_heap *heap, qd_list16 *list);
void qd_list8_sort(qd_list_sorter *sorter, qd_heap *heap, qd_list8 *list);

#endif
