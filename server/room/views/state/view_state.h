/* SPDX-License-Identifier: Apache-2.0
 *
 * What views (views.h) are made of, for the modules of this folder:
 *
 *     sight.c        the second space: entities as points in it, regions of observers; it follows what the room does
 *     join.c         the same without it, where most move and many are in view
 *     sightings.c    an observer's candidates: a set of entities with what is known of each
 *     observers.c    commands about observers; views are kept by whom and what ends them
 *     describe.c     commands about what entities are to observers
 *     rule.c         THE RULE for one observer and one entity
 *     views.c        a tick: who comes and goes as a candidate, and what that changes in views
 *     judge.c        observers that are looked at as a whole: limits, budgets, relay
 *     view_report.c  the columns that members get
 *     why.c          the same rule, in words
 *
 * Entities go by the slots of the room's space, observers by their row.
 *
 * Belongs to the room; used by whoever runs it.
 */
#ifndef QD_ROOM_VIEWS_VIEW_STATE_H
#define QD_ROOM_VIEWS_VIEW_STATE_H

#include "../../base/map.h"
#include "../memory.h"
#include "claims.h"
#include "join.h"
#include "views.h"
#include "visible_entries.h"

#define QD_NONE UINT32_MAX

/* ---- entities, while there are observers ---- */

enum { QD_MARK_FOLLOW = 1, QD_MARK_JUDGE = 2, QD_MARK_NEW = 4 };

/* An entity as the sight has it, by its slot. All that the rule asks lies together. */
typedef struct qd_seen {
    float at[3];     /* in two dimensions the last is 0 */
    uint32_t placed; /* the round that first shows it where it is, */
    uint32_t born;   /* and the one that first shows it */
    uint32_t category, team;
    uint32_t point, beacon; /* its bodies in the sight; QD_NONE */
    uint32_t anchored;      /* the first of the observers at it */
    float visible_range;
    uint8_t hidden;
    uint8_t removed; /* qd_space_reason, until the slot is another entity's */
    uint8_t marks;
} qd_seen;

/* What was said of an entity, whether there are observers or not. */
typedef struct qd_description {
    uint64_t tag;
    uint32_t team;
    float visible_range;
    uint8_t hidden, payload_size;
    uint8_t payload[QD_VIEW_PAYLOAD_MAX];
} qd_description;

/* ---- observers ---- */

typedef enum qd_observer_state {
    QD_OBSERVER_FREE = 0,
    QD_OBSERVER_LIVE,
    QD_OBSERVER_GONE, /* its view ends at the next tick */
} qd_observer_state;

/* Why an observer is looked at as a whole at a tick, and not only where something has changed; or at least for what of
 * its view is to be told. */
enum {
    QD_ATTEND_ALWAYS = 1, /* it has a limit, a cone or a list `show` */
    QD_ATTEND_ONCE = 2,   /* what it may see was said anew, or somebody waits to enter */
    QD_ATTEND_GONE = 4,
    QD_ATTEND_WHOLE = 7,
    QD_ATTEND_RELAY = 8, /* it has relay tiers */
};

/* What the bodies of an observer are for. The first two are its region; the others meet beacons. */
enum { QD_BODY_INNER = 0, QD_BODY_OUTER, QD_BODY_BEACON_INNER, QD_BODY_BEACON_OUTER, QD_BODIES };

typedef struct qd_observer {
    /* What a change of its view needs, in one line of the cache. */
    qd_sightings sightings;
    uint32_t rank; /* among all, by (member, id) */
    uint32_t mask, team;
    uint32_t anchor; /* slot; QD_NONE: free */
    uint32_t member;
    uint32_t seen; /* how many are in its view */
    uint16_t hide_count, show_count;
    uint8_t state; /* qd_observer_state */
    uint8_t kind;  /* qd_room_region_kind */
    uint8_t tiers;
    bool sees_self : 1;
    bool is_plain : 1; /* without leave_margin and enter_budget */

    uint32_t id;
    uint32_t said;        /* the round that first shows what was last said of it */
    uint32_t *exceptions; /* hide, then show, each ascending */
    float at[3], leave_margin;
    float range, half[3], direction[3], angle;
    double unit[3], cosine, sine; /* of a cone */
    uint32_t limit, enter_budget;
    float relay_range[QD_VIEW_TIERS_MAX];
    uint16_t relay_every[QD_VIEW_TIERS_MAX];
    uint32_t body[QD_BODIES];                  /* in the sight; QD_NONE */
    uint32_t member_previous, member_next;     /* the list of its member's */
    uint32_t anchored_previous, anchored_next; /* and of those at the same entity */
} qd_observer;

_Static_assert(offsetof(qd_observer, id) <= 64 && sizeof(qd_observer) % 64 == 0, "each has lines of its own");
_Static_assert(QD_VIEW_EXCEPTIONS_MAX <= UINT16_MAX && QD_VIEW_TIERS_MAX <= UINT8_MAX, "counts have room for them");
_Static_assert(QD_VIEW_EVERY_MAX <= UINT16_MAX, "relay_every has room for it");

/* ---- members ---- */

typedef struct qd_view_range {
    uint32_t first, count;
} qd_view_range;

typedef struct qd_member_views {
    uint32_t first;     /* the list of its observers */
    uint32_t observers; /* those that go at the next tick included: they hold its number */
    qd_room_view_options options;
    bool lost, reset, reset_watchers; /* reset: due with the next report */
    bool told_suspended;
    bool was_told;      /* anything, ever */
    bool behind;        /* ticks were lost, and the reset that stands for them is not delivered */
    uint64_t told_tick; /* with `behind`: the last one before those */
    bool is_emptied;    /* a view was taken from it at this tick, as all are suspended */
    bool is_full;       /* of bytes, at this tick */
    uint64_t bytes;
    /* This round's news. */
    uint8_t news; /* QD_VIEW_NEWS_* */
    qd_view_range leaves, enters, relays, watcher_leaves, watcher_enters;
} qd_member_views;

enum { QD_VIEW_NEWS_SUSPENDED = 1, QD_VIEW_NEWS_RESET = 2, QD_VIEW_NEWS_RESET_WATCHERS = 4 };

/* ---- the room's part ---- */

/* Sorted by key; `value` is a slot, of leaves with the reason above it. */
typedef struct qd_view_list {
    uint64_t *key;
    uint32_t *value;
    uint32_t count, capacity;
} qd_view_list;

#define QD_VIEW_REASON_SHIFT 24u

/* What the reports of a round point into: whole columns, of which each member has a range. */
typedef struct qd_view_columns {
    qd_block block;
    uint32_t *leave_observer, *leave_id;
    uint8_t *leave_reason;
    uint32_t *enter_observer, *enter_id, *enter_category;
    float *enter_at[3], *enter_half[3], *enter_radius;
    uint8_t *enter_shape, *enter_payload_size, *enter_payload;
    size_t *enter_payload_first; /* where the payload of each begins */
    uint64_t *enter_tag;
    uint32_t *relay_observer, *relay_id;
    float *relay_at[3];
    uint32_t *watcher_entity, *watcher_member, *watcher_observer;
} qd_view_columns;

typedef struct qd_views {
    qd_space *sight; /* NULL: there are no observers */
    bool in_use;     /* somebody has observed or watched, or lost a view; until then a round has nothing to do */
    bool has_beacons;
    uint32_t next_member; /* whose report of the present round is next; every tick looks at it, so it stands here */
    uint32_t round;       /* counts ticks since then, and goes round */
    uint32_t *whose;      /* by slot of the sight: what the body is */
    uint32_t whose_capacity;
    qd_seen *seen;                    /* by slot of the room */
    uint32_t seen_capacity, seen_end; /* of those from `seen_end` on nothing is known */
    uint32_t placed;                  /* moves of entities since the last tick */
    qd_join *join;                    /* while there is a sight */
    qd_join_habit habit;
    uint32_t *follow, *rejudge; /* entities whose beacon or observers are to follow; that are to be judged anew */
    uint32_t follow_count, follow_capacity, rejudge_count, rejudge_capacity;
    qd_description *descriptions; /* by slot of the room; those beyond say nothing */
    uint32_t descriptions_capacity;

    qd_observer *observers;
    uint32_t count, capacity; /* of rows in use or used before */
    uint32_t live, gone;
    uint32_t boxes;     /* of the live ones, those whose region is a box */
    uint32_t free;      /* the list of free rows, by member_next */
    uint8_t *attention; /* by row: QD_ATTEND_* */
    uint32_t attention_capacity;
    uint32_t multiplier; /* of all sightings */
    qd_map rows;         /* member << 32 | id to row */
    uint64_t *order;     /* by rank: member << 32 | id */
    uint32_t order_count, order_capacity;
    bool order_stale;

    uint64_t pairs; /* in the sight at the last tick */
    uint64_t shown; /* ids on the lists `show` of all who observe now */
    bool suspended;

    bool watchers_due; /* somebody's reverse view is, since the last round */

    /* The present round. */
    uint64_t told_before; /* the last tick of those before it */
    qd_block touched, crossed;
    qd_view_list leaves, enters, relays;
    qd_view_list watchers; /* what is made of them for those who watch */
    qd_claims claims, entrants, waiting;
    qd_view_columns report;

    uint64_t seen_count, enters_count, leaves_count;
} qd_views;

#endif
