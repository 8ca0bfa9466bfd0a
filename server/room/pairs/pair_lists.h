/* SPDX-License-Identifier: Apache-2.0
 *
 * From the events of the space, slots in no order, to what subscriptions get: columns of ids, a < b, ordered by (a, b).
 *
 * Belongs to a room, and is used by whoever runs it.
 */
#ifndef QD_ROOM_PAIRS_LISTS_H
#define QD_ROOM_PAIRS_LISTS_H

#include "../../space/space.h"
#include "../memory.h"

typedef struct qd_room qd_room;

typedef enum qd_list_kind {
    QD_LIST_ENDS = 0,
    QD_LIST_BEGINS,
    QD_LIST_PASSED,
    QD_LIST_STAYS,
    QD_LIST_SET, /* all pairs, for a reset */
    QD_LISTS
} qd_list_kind;

typedef struct qd_pair_list {
    size_t count;
    uint32_t *a, *b;
    uint8_t *reason; /* qd_space_reason; QD_LIST_ENDS only, else NULL */
} qd_pair_list;

/* The lists of a round, in few places: a small room's tick comes from memory, and each costs a line of cache there. */
typedef struct qd_lists {
    qd_pair_list all[QD_LISTS]; /* what all get of the events, and of the set (QD_LIST_SET) */
    qd_block events, set;       /* in which their columns are */
    bool has_own;               /* `own` has memory */
    qd_pair_list own[QD_LISTS]; /* the same, member by member, of pairs that are their own, where anybody wants those */
    qd_block own_block[QD_LISTS];
} qd_lists;

/* Some of the pairs in a list. */
typedef struct qd_range {
    size_t first;
    uint32_t count;
} qd_range;

void qd_lists_deinit(qd_lists *lists, qd_heap *heap);

/* The events of a tick, between qd_space_tick and qd_space_settle, into room->lists; with `own`, also into its
 * `own` for the members who get events and want their own. */
void qd_room_list_events(qd_room *room, const qd_executor *executor, const qd_space_events *events, bool own);
/* The same of qd_space_pairs, for the members who get a reset. */
void qd_room_list_set(qd_room *room, const qd_executor *executor, const qd_space_events *events, bool own);

#endif
