/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorts long lists in Morton order, or where rows are long along all axes but one, along that one. The pair test passes
 * over groups of rows that lie apart (list.h), which helps only if the rows of a group lie together. A plan puts rows in
 * Morton order, but each body that enters or leaves a cell disturbs it. So a long list whose groups have become too
 * large is sorted when it is read.
 *
 * Owned by a worker of the traversal. One thread at a time.
 */
#ifndef QD_SPACE_KERNEL_SORT_LIST_H
#define QD_SPACE_KERNEL_SORT_LIST_H

#include <stdint.h>

#include "../../base/memory/alloc.h"
#include "list.h"

/* Memory for the order of a list, kept from list to list. */
typedef struct qd_list_sorter {
    uint32_t *order[2]; /* the allocation begins with the first */
    void *spare;        /* a column of any width */
    uint16_t *key;
    uint32_t capacity;
} qd_list_sorter;

void qd_list_sorter_free(qd_list_sorter *sorter, qd_heap *heap);

/* Sort a list that holds only own rows. Without memory it stays as it is, which only makes its test slower. */
void qd_list16_sort(qd_list_sorter *sorter, qd_heap *heap, qd_list16 *list);
void qd_list8_sort(qd_list_sorter *sorter, qd_heap *heap, qd_list8 *list);

#endif
