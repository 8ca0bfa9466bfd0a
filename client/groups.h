/* SPDX-License-Identifier: Apache-2.0
 *
 * Items in groups, for views.c and watchers.c. Each item is in one group, and each group has a list and a count. An
 * item keeps its slot number; pointers to items are valid until the next add. Not installed.
 */
#ifndef QD_CLIENT_GROUPS_H
#define QD_CLIENT_GROUPS_H

#include "table.h"

#define QD_GROUPS_NONE UINT32_MAX

/* Empty if all but item_size is zero. */
typedef struct qd_groups {
    size_t item_size;
    unsigned char *items;
    struct qd_groups_link *links; /* one per slot */
    uint32_t used, capacity;      /* used: slots that were ever used */
    uint32_t free;                /* slot + 1 of the first free slot; 0: none */
    qd_table heads;               /* by group: first slot + 1 in the upper half, the count in the lower */
} qd_groups;

/* Prefetch, as qd_table_fetch: a group's head, the first link of its list, and an item. */
void qd_groups_fetch(const qd_groups *groups, uint32_t group);
void qd_groups_fetch_first(const qd_groups *groups, uint32_t group);
void qd_groups_fetch_item(const qd_groups *groups, uint32_t slot);
/* Adds a slot to that group, with its item not set; QD_GROUPS_NONE: no memory. */
uint32_t qd_groups_add(qd_groups *groups, uint32_t group);
void qd_groups_remove(qd_groups *groups, uint32_t group, uint32_t slot);
void qd_groups_empty(qd_groups *groups);

void *qd_groups_item(const qd_groups *groups, uint32_t slot);

uint32_t qd_groups_count(const qd_groups *groups, uint32_t group);
/* Iterate over the items of a group; NULL at the end. */
void *qd_groups_first(const qd_groups *groups, uint32_t group);
void *qd_groups_after(const qd_groups *groups, const void *item);

#endif
