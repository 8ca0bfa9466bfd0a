/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of views. Observers and the entities that they may see (targets) are rows of arrays: observers by a row
 * number, targets by the slot that the entity has in the room's space.
 *
 * A ROUND is a tick since the room was first observed. Rounds wrap around; they are compared by their difference.
 */
#ifndef QD_ROOM_VIEWS_STATE_VIEW_STATE_H
#define QD_ROOM_VIEWS_STATE_VIEW_STATE_H

#include "../../../base/memory/map.h"
#include "../../common/memory.h"
#include "../../common/pause.h"
#include "../../common/sizes.h"
#include "../../common/view_types.h"
#include "../../entities/entity_state.h"
#include "priority_list.h"
#include "visible_entries.h"

#define QD_NONE UINT32_MAX

/* ---- targets, while the room has observers ---- */

enum {
    QD_TARGET_CARRIER_CHANGED = 1, /* listed in changed_carriers */
    QD_TARGET_CHANGED = 2,         /* listed in changed */
    QD_TARGET_KEPT = 4,            /* listed in kept */
    QD_TARGET_BEACON = 8,          /* it has a visible range, or had one when the grid of the join was made last */
};

/* An entity as observers see it. All that the rule reads lies together. */
typedef struct qd_target {
    float at[3];             /* in two dimensions the last is 0 */
    uint32_t position_round; /* the round that first shows this position, or that the entity has gone, */
    uint32_t spawn_round;    /* and the round that first shows the entity */
    uint32_t category, team;
    uint32_t point, beacon; /* its bodies in the visibility index; QD_NONE */
    uint32_t anchored;      /* the first of the observers anchored to it */
    float visible_range;
    uint8_t hidden;
    uint8_t removed; /* qd_space_reason, until another entity gets the slot */
    uint8_t flags;   /* QD_TARGET_* */
} qd_target;

typedef struct qd_position {
    float at[3];
} qd_position;

/* What the rule read of a target at the last tick, if that has changed since (last_tick.h). */
typedef struct qd_kept_target {
    uint32_t slot;
    uint32_t category, team;
    float visible_range;
    uint8_t hidden;
} qd_kept_target;

/* What clients described of an entity, whether there are observers or not. */
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

/* Why a tick evaluates an observer as a whole, and not only the entries that changed; or why it relays. */
enum {
    QD_ATTEND_ALWAYS = 1, /* it has a cone or a list `show` */
    QD_ATTEND_ONCE = 2,   /* it has changed, an entity waits to enter, or the limit may choose */
    QD_ATTEND_GONE = 4,
    QD_ATTEND_WHOLE = 7,
    QD_ATTEND_RELAY = 8,   /* it has relay tiers */
    QD_ATTEND_AFRESH = 32, /* its derived view has got tiers since the last tick: all positions are to be relayed */
};

/* The bodies of an observer in the visibility index. The first two are its region, the others meet beacons. */
enum { QD_BODY_INNER = 0, QD_BODY_OUTER, QD_BODY_BEACON_INNER, QD_BODY_BEACON_OUTER, QD_BODIES };
enum { QD_REGION_BODIES = 2 }; /* QD_BODY_INNER and QD_BODY_OUTER */

/* Rows; QD_NONE at the ends. */
typedef struct qd_observer_links {
    uint32_t previous, next;
} qd_observer_links;

typedef struct qd_observer {
    /* One cache line with what a change of its view needs. */
    qd_visible_entries entries;
    uint32_t rank; /* among all observers, by (member, id) */
    uint32_t mask, team;
    uint32_t anchor; /* slot; QD_NONE: free */
    uint32_t member;
    uint32_t seen; /* how many entities are in its view */
    uint16_t hide_count, show_count;
    uint8_t state; /* qd_observer_state */
    uint8_t kind;  /* qd_room_region_kind */
    uint8_t tiers;
    bool sees_self : 1;
    bool is_plain : 1;   /* without leave_margin, enter_budget and limit */
    bool owns_lists : 1; /* of a copy (last_tick.h): the row has other lists now */
    bool is_derived : 1; /* it has no visible entries (derived/derived.h) */

    /* One more with what following an entity needs. */
    float at[3], leave_margin;
    float range, half[3];
    qd_observer_links of_anchor; /* of observers at the same entity */
    uint32_t body[QD_BODIES];    /* in the visibility index; QD_NONE */
    uint32_t id;
    uint32_t before; /* the copy of it as it was at the last tick; QD_NONE: it has not changed. Of a copy: the row */

    uint32_t *exceptions; /* `hide`, then `show`, each ascending */
    uint32_t limit, enter_budget;
    float direction[3], angle;
    double unit[3], cosine, sine; /* of a cone */
    float relay_range[QD_VIEW_TIERS_MAX];
    uint16_t relay_every[QD_VIEW_TIERS_MAX];
    qd_observer_links of_member; /* of its member's observers */
} qd_observer;

_Static_assert(offsetof(qd_observer, at) == 64 && offsetof(qd_observer, exceptions) == 128 &&
                   sizeof(qd_observer) % 64 == 0,
               "each has its own cache lines");
_Static_assert(QD_VIEW_EXCEPTIONS_MAX <= UINT16_MAX && QD_VIEW_TIERS_MAX <= UINT8_MAX, "the counts fit");
_Static_assert(QD_VIEW_EVERY_MAX <= UINT16_MAX, "relay_every fits");

/* ---- members ---- */

typedef struct qd_view_range {
    uint32_t first, count;
} qd_view_range;

enum { QD_VIEW_TIGHT_TICKS = 16 };

enum { QD_VIEW_NEWS_SUSPENDED = 1, QD_VIEW_NEWS_RESET = 2, QD_VIEW_NEWS_RESET_WATCHERS = 4 };

typedef struct qd_view_member {
    uint32_t first;     /* the list of its observers, */
    uint32_t observers; /* and how many there are */
    qd_room_view_options options;
    uint64_t reported_tick;     /* with `lagging`: the last tick before the lost ones */
    bool lost;                  /* its reports cannot be delivered */
    bool reset, reset_watchers; /* due with its next report */
    bool reported_suspended;
    bool was_reported;               /* it has ever got a report */
    bool lagging;                    /* ticks were lost, and the reset that replaces them is not delivered yet */
    bool restarted;                  /* at this tick its views started again after a suspension */
    bool is_emptied;                 /* at this tick one of its views ended, or was suspended with all others */
    bool is_behind;                  /* its next report is due even without news */
    bool is_full;                    /* at this tick it has no bytes left for an entity that waits to enter */
    bool waits_for_bytes;            /* at this tick positions may wait for its bytes, */
    bool is_late;                    /* some were relayed, and others were held back */
    uint8_t tight;                   /* its bytes did not suffice: so many ticks until its views may be derived */
    uint8_t news;                    /* of this round: QD_VIEW_NEWS_* */
    uint16_t joint;                  /* its place among those of derived_once.h, + 1; 0: it has none */
    uint32_t derived;                /* its derived views at this tick, */
    uint32_t relaying;               /* the positions that they relay if there are bytes, */
    uint64_t due;                    /* and the most bytes of what enters and leaves */
    uint64_t bytes;                  /* spent at this tick */
    uint32_t held_observer, held_id; /* of the first relay that was held back when bytes did not suffice last */
    qd_view_range waiting;           /* in the list of what waits to enter */
    qd_view_range leaves, enters, relays, watcher_leaves, watcher_enters;
} qd_view_member;

/* ---- the part of the room ---- */

/* News of a round. Sorted by key before they are reported; `value` is a slot, for leaves with the reason above it. */
typedef struct qd_view_list {
    uint64_t *key;
    uint32_t *value;
    uint32_t count, key_capacity, capacity; /* `capacity` is that of both */
    uint32_t ordered;                       /* the first ones, which are sorted already */
    uint32_t peak, uses;                    /* since the capacity was last checked */
} qd_view_list;

#define QD_VIEW_REASON_SHIFT 24u

static inline uint64_t qd_view_news_key(const qd_observer *observer, uint32_t id)
{
    return (uint64_t)observer->rank << 32 | id;
}

/* The columns that the reports of a round point into: each member has a range of them. */
typedef struct qd_view_columns {
    qd_block block, ranks;
    uint32_t
        *relay_first; /* by rank of the observer; behind the last one, how many there are. While some are derived */
    uint32_t *leave_observer, *leave_id;
    uint8_t *leave_reason;
    uint32_t *enter_observer, *enter_id, *enter_category;
    float *enter_at[3], *enter_size[QD_SIZES];
    uint8_t *enter_shape, *enter_payload_size, *enter_payload;
    size_t *enter_payload_first; /* where the payload of each enter begins */
    uint64_t *enter_tag;
    uint32_t *relay_observer, *relay_id;
    float *relay_at[3];
    uint32_t *watcher_entity, *watcher_member, *watcher_observer;
} qd_view_columns;

/* Only tests change these. */
typedef struct qd_join_tuning {
    bool always, never;                  /* use the spatial join, even where it does not pay; or not even there */
    const struct qd_join_kernel *kernel; /* NULL: the fastest */
    uint32_t looks_without_hits_max;     /* 0: the default */
} qd_join_tuning;

typedef struct qd_views {
    /* Every tick reads this line. */
    qd_space *index; /* the visibility index; NULL: the room has no observers */
    bool in_use;     /* a member has observed, watched or lost a view; until then a round has nothing to do */
    bool has_beacons;
    bool uses_join;       /* the spatial join finds who meets regions, not the index */
    uint32_t next_member; /* whose report of the present round is next */
    uint32_t round;
    uint32_t steps; /* of this round: 1, and the ticks that were skipped before it */
    qd_entities *entities;
    qd_heap *heap;
    const qd_executor *executor; /* of the round that is made */

    qd_space_config index_config;
    uint32_t observers_max, visible_max;
    uint32_t *use; /* by slot of the index: what the body is for (qd_use) */
    uint32_t use_capacity;
    qd_target *targets;                   /* by slot of the room's space */
    uint32_t target_capacity, target_end; /* nothing is known of slots from target_end on */
    qd_position *was;      /* by the same: where the target was at the last tick, if its position_round */
    uint32_t was_capacity; /* is the next round. Apart from targets, because few ticks read it */
    uint32_t move_count;   /* moves of entities since the last tick */
    uint32_t population;   /* counts entities that come and go; it wraps around */
    struct qd_join *join;  /* exists together with the index */
    qd_join_tuning join_tuning;
    uint32_t *changed_carriers; /* entities that have moved and carry a beacon or observers */
    uint32_t *changed;          /* entities of which category, team or hidden has changed */
    uint32_t changed_carriers_count, changed_carriers_capacity, changed_count, changed_capacity;
    uint32_t beacons; /* in the index */
    uint32_t carried; /* beacons and anchored observers; changed_carriers has room for all entities that carry them */
    qd_description *descriptions; /* by slot of the room's space; there is none beyond */
    uint32_t descriptions_capacity;
    qd_view_member *members; /* by number */
    uint32_t member_count, member_capacity;

    qd_observer *observers;
    uint32_t count, capacity; /* of rows in use or used before */
    uint32_t live, gone;
    uint32_t boxes;        /* live observers whose region is a box, */
    uint32_t busy;         /* and those that cost time at each tick unless they are derived */
    uint32_t relay_period; /* the longest of a tier since there was no observer; 0: none */
    uint32_t free;         /* the list of free rows, by of_member.next */
    uint8_t *attention;    /* by row: QD_ATTEND_* */
    uint32_t attention_capacity;
    uint32_t multiplier; /* of all sets of visible entries */
    qd_observer *before; /* copies of observers that have changed since the last tick (last_tick.h), */
    uint32_t before_count, before_capacity;
    qd_kept_target *kept; /* and of targets */
    uint32_t kept_count, kept_capacity;
    qd_map rows;     /* member << 32 | id to row */
    uint64_t *order; /* by rank: member << 32 | id */
    uint32_t order_count, order_capacity;
    bool order_stale;

    uint64_t visible_count; /* pairs of bodies that met in the index at the last tick */
    uint64_t shown;         /* ids on the lists `show` of all live observers */
    bool suspended;
    uint8_t suspended_reason; /* qd_suspend_reason */
    bool no_memory;           /* in this round something found no memory: the views are suspended at its end */
    qd_pause pause;           /* after that, until the views start again */
    bool watchers_due;        /* a member's reverse view needs a reset since the last round */

    /* The present round. */
    uint64_t reported_before; /* the last tick of earlier rounds */
    qd_block candidates, crossings, scratch;
    qd_view_list leaves, enters, relays;
    qd_view_list watchers; /* the same news for members that watch */
    qd_priority_list wanted, entrants;
    qd_view_columns report;

    uint64_t seen_count, enters_count, leaves_count;
} qd_views;

/* What a body of the visibility index is for: QD_BODY_* of an observer, by its row, or of an entity, by its slot. */
enum { QD_BODY_POINT = QD_BODIES, QD_BODY_BEACON };

#define QD_USE_SHIFT 28u

static inline uint32_t qd_use(unsigned body, uint32_t index)
{
    return (uint32_t)body << QD_USE_SHIFT | index;
}
static inline unsigned qd_use_body(uint32_t use)
{
    return use >> QD_USE_SHIFT;
}
static inline uint32_t qd_use_index(uint32_t use)
{
    return use & ((1u << QD_USE_SHIFT) - 1);
}

/* What a tick finds: an entity comes into a region of an observer, or goes from it. */
typedef struct qd_crossing {
    uint32_t use; /* the observer, and which of its bodies (qd_use) */
    uint32_t slot : 30;
    uint32_t begins : 1;
    uint32_t by_range : 1; /* of a derived view: only the range can be the reason of a leave */
} qd_crossing;

typedef struct qd_crossings {
    const qd_crossing *all;
    size_t count;
    bool complete; /* false: the others are not valid */
    /* Enters and leaves of derived views, and how many more visible entries these have than at the last tick. */
    const qd_crossing *changes;
    size_t change_count;
    uint64_t entries;
} qd_crossings;

/* Whether a member's positions may be held back. */
static inline bool qd_view_holds_relays(const qd_view_member *member)
{
    return member->options.bytes_max > 0 && !member->options.relays_once;
}

/* What the enter of an entity counts. */
static inline uint32_t qd_view_enter_bytes(const qd_views *views, uint32_t slot)
{
    return QD_VIEW_ENTER_BYTES + (slot < views->descriptions_capacity ? views->descriptions[slot].payload_size : 0);
}

static inline unsigned qd_views_axes(const qd_views *views)
{
    return views->entities->is_3d ? 3 : 2;
}

#endif
