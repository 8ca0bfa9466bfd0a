/* SPDX-License-Identifier: Apache-2.0
 *
 * Which positions of a member are relayed if its bytes do not suffice for all (V10 in SPEC.md): in the order of
 * (observer, id), from the first one on that did not fit last time, and around.
 *
 *     observer        3          5          8
 *     ids          2  7  9     1  4       3  6
 *                        ^ the first that did not fit: 9, then all of 5 and 8, then 2 and 7 of 3
 *
 * So the ids of only two observers have to be put in order: of the one in which it begins, and of the one in which the
 * bytes end.
 */
#ifndef QD_ROOM_VIEWS_STATE_RELAY_SHARE_H
#define QD_ROOM_VIEWS_STATE_RELAY_SHARE_H

#include "view_state.h"

/* Of the positions of one observer. */
typedef struct qd_relay_share {
    uint32_t first, last; /* of these ids, both included, */
    uint64_t most;        /* so many at most are relayed, the lowest ids first */
    uint32_t relayed;     /* how many are */
    bool is_held;         /* some are not, */
    uint32_t held;        /* and this is the lowest id of them */
} qd_relay_share;

/* The positions of observers. */
typedef struct qd_relay_source {
    /* Relays a share. What it holds back goes on waiting. */
    void (*relay)(qd_views *views, uint32_t row, qd_relay_share *share);
    /* Holds back all of an observer. */
    void (*hold)(qd_views *views, uint32_t row);
} qd_relay_source;

static inline bool qd_relay_share_has(const qd_relay_share *share, uint32_t id)
{
    return share->first <= id && id <= share->last;
}

static inline bool qd_relay_share_has_all(const qd_relay_share *share)
{
    return share->first == 0 && share->last == UINT32_MAX;
}

/* Chooses from `count` items with different ids those that a share relays: they come first. */
void qd_relay_share_choose(qd_relay_share *share, qd_priority *items, uint32_t count);

/* Relays at most `most` positions of a member. Returns how many it has relayed. Without memory, nothing is relayed. */
uint64_t qd_relay_share_all(qd_views *views, qd_view_member *member, const qd_relay_source *source, uint64_t most);

#endif
