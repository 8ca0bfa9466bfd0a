/* SPDX-License-Identifier: Apache-2.0
 *
 * Items in groups, for views.c: an item is in one group, and of each group there is a list and a count. Items lie in
 * slots, numbers that stay theirs; pointers to them last until the next add. Not installed.
 */
#ifndef QD_CLIENT_GROUPS_H
#define QD_CLIENT_GROUPS_H

#include "table.h"

#define QD_GROUPS_NONE UINT32_MAX

/* Empty where all but item_size is zero. */
typedef struct qd_groups {
    size_t item_size;
    unsigned char *items;
    struct qd_groups_link *links; /* of each slot */
    uint32_t used, capacity;      /* slots that were ever used */
    uint32_t free;                /* 1 more than the first slot that is free again; 0: none */
    qd_table heads;               /* by group: 1 more than its first slot in the upper half, the count in the lower */
} qd_groups;

/* As qd_table_fetch: a group's head first, then the first of its list, which is changed with it; and an item. */
void qd_groups_fetch(const qd_groups *groups, uint32_t group);
void qd_groups_fetch_first(const qd_groups *groups, uint32_t group);
void qd_groups_fetch_item(const qd_groups *groups, uint32_t slot);
/* A slot in that group, its item not set; QD_GROUPS_NONE: no memory. */
uint32_t qd_groups_add(qd_groups *groups, uint32_t group);
void qd_groups_remove(qd_groups *groups, uint32_t group, uint32_t slot);
void qd_groups_empty(qd_groups *groups);

void *qd_groups_item(const qd_groups *groups, uint32_t slot);

uint32_t qd_groups_count(const qd_groups *groups, uint32_t group);
/* The items of a group; NULL at the end. */
void *qd_groups_first(const qd_groups *groups, uint32_t group);
void *qd_groups_after(const qd_groups *groups, const void *item);

#endif
