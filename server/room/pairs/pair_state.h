/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of subscriptions to pairs, and of the lists that their reports point into.
 */
#ifndef QD_ROOM_PAIRS_PAIR_STATE_H
#define QD_ROOM_PAIRS_PAIR_STATE_H

#include "../common/memory.h"
#include "../common/pause.h"
#include "../entities/entity_state.h"

/* ---- lists (pair_lists.h) ---- */

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
    uint8_t *reason; /* qd_space_reason; NULL except in QD_LIST_ENDS */
} qd_pair_list;

/* The lists of a round. They share few allocations: each costs a small room a cache miss per tick. */
typedef struct qd_lists {
    qd_pair_list all[QD_LISTS]; /* of all pairs in the room */
    qd_block events, set;       /* the memory of their columns; `set` is that of QD_LIST_SET */
    bool has_own;               /* own_block has memory */
    qd_pair_list own[QD_LISTS]; /* of members with own_only: the pairs of each member are one range */
    qd_block own_block[QD_LISTS];
} qd_lists;

typedef struct qd_range {
    size_t first;
    uint32_t count;
} qd_range;

/* ---- subscriptions (subscriptions.h) ---- */

/* What a subscription waits for.
 *
 *     subscribe, resume --> DUE --> LIVE <--> SUSPENDED          any of them -- lost --> LOST
 *                             \-----------------^
 */
typedef enum qd_subscription {
    QD_UNSUBSCRIBED = 0,
    QD_DUE,       /* its reset, at the next catch-up or tick */
    QD_LIVE,      /* events */
    QD_SUSPENDED, /* a tick at which the set of pairs fits */
    QD_LOST,      /* qd_room_resume */
    QD_SUBSCRIPTION_STATES
} qd_subscription;

/* What a subscription gets in the present round of reports. */
typedef enum qd_news { QD_NEWS_NONE = 0, QD_NEWS_EVENTS, QD_NEWS_RESET, QD_NEWS_SUSPENDED } qd_news;

typedef struct qd_subscriber {
    uint8_t subscription; /* qd_subscription */
    uint8_t news;         /* qd_news */
    uint8_t before;       /* qd_subscription: before these news */
    uint8_t reason;       /* qd_suspend_reason, with QD_NEWS_SUSPENDED */
    bool lagging;         /* ticks were lost, and the reset that replaces them is not delivered yet */
    qd_room_interest interest;
    uint64_t reported_tick; /* with `lagging`: the last tick before the lost ones */
    uint64_t passed_before; /* with `lagging`: qd_pairs.passed_marks after that tick */
    qd_range own[QD_LISTS]; /* with interest.own_only: its part of qd_lists.own in this round */
} qd_subscriber;

/* ---- the part of the room ---- */

typedef struct qd_pairs {
    const qd_entities *entities;
    qd_heap *heap;
    qd_subscriber *rows; /* by member */
    uint32_t count;      /* of rows in use or used before */
    uint32_t capacity;
    uint32_t subscriptions[QD_SUBSCRIPTION_STATES]; /* how many are in each state */
    uint32_t events_max;
    bool is_swept;

    /* The present round of reports. */
    uint32_t skipped;
    uint32_t next_member; /* whose report is next */
    qd_block scratch;
    bool serves_suspended; /* this round also has resets for suspended subscriptions */
    qd_pause pause;        /* of suspended subscriptions, after one for lack of memory */

    uint64_t begins, ends, passed; /* in total */
    /* Grows at every tick at which pairs passed or may have passed unseen; and its value one tick before. */
    uint64_t passed_marks, passed_marks_before;
    uint64_t set_count; /* pairs at the last tick, while any subscription is live */

    qd_lists lists; /* from `own` on, rarely used */
} qd_pairs;

#endif
