/* SPDX-License-Identifier: Apache-2.0
 *
 * What a tick of the spatial join compares: bodies of observers, in groups that have the same points near them. The
 * observers of a cell are a group, so that they share one copy of their points.
 */
#ifndef QD_ROOM_VIEWS_JOIN_JOIN_PLAN_H
#define QD_ROOM_VIEWS_JOIN_JOIN_PLAN_H

#include "join_grid.h"

typedef struct qd_join_region {
    float at[3], half[3]; /* half[0] is the radius of a circle */
    uint32_t kind;        /* qd_room_region_kind; 0: there is no region */
} qd_join_region;

/* Which positions of a derived view are relayed. */
typedef enum qd_join_relay {
    QD_RELAY_NOTHING = 0,
    QD_RELAY_MOVED, /* of all that has moved */
    QD_RELAY_TURNS, /* positions wait, for their turn or for bytes, */
    QD_RELAY_LATE,  /* and for bytes when their turn has come */
} qd_join_relay;

/* A region now and at the last tick. One that went far is two bodies: as it is, and as it was. All that a task reads of
 * an observer lies together. */
typedef struct qd_join_body {
    float now[3], was[3];
    float radius_now, radius_was; /* of a kept view, and of its widened region: half extents of a box, the largest */
    uint32_t region;
    uint32_t mask, team, limit; /* of a derived view (derived.h); of a box, mask is its index among boxes */
    uint32_t self;              /* the slot that it does not see; QD_NONE */
    uint32_t differ;            /* how many points are in only one of both; of a derived view, enters and leaves */
    uint32_t relayed;           /* of a derived view: how many positions are relayed */
    bool is : 1, did : 1;
    bool is_box : 1, is_derived : 1;
    bool is_bare : 1;    /* of a derived view: see qd_derived_compare_bare */
    bool by_range : 1;   /* of a derived view: an entity that leaves is out of range */
    bool is_kept : 1;    /* a derived view that depends on what it was (kept.h) */
    bool has_rules : 1;  /* a kept view, and not by a limit alone */
    uint32_t relay : 2;  /* of a derived view: qd_join_relay */
    uint32_t shown : 11; /* of a kept view: its points behind those of the group (join_shown.h) */
    uint32_t joint : 11; /* of a derived view whose positions are relayed with those of others: qd_view_member.joint */
} qd_join_body;

_Static_assert(sizeof(qd_join_body) == 64, "one cache line");
_Static_assert(QD_VIEW_EXCEPTIONS_MAX < 1u << 11, "`shown` counts a whole list");

/* Of a body that is or was a box. */
typedef struct qd_join_box {
    qd_join_region now, was;
} qd_join_box;

/* The masks of a body: of where points are and were, or what is and was in its view; if positions wait, which are relayed,
 * and which wait; and of which of these the turn has come. */
enum { QD_JOIN_IS = 0, QD_JOIN_DID, QD_JOIN_RELAYED, QD_JOIN_WAITS, QD_JOIN_LATE };

static inline uint32_t qd_join_masks_for(uint32_t relay)
{
    return relay < QD_RELAY_TURNS ? QD_JOIN_DID + 1 : relay < QD_RELAY_LATE ? QD_JOIN_WAITS + 1 : QD_JOIN_LATE + 1;
}

typedef struct qd_join_group {
    uint32_t first, count;     /* of the bodies */
    qd_join_area area, before; /* now; and at the last tick, if it had the same bodies */
    uint32_t points;           /* in the area, with room for those that are shown; */
    uint32_t points_before;    /* and before */
    uint32_t shown;            /* the most that one of its bodies has */
    uint32_t rows;             /* masks of each body */
    bool stays;                /* the area is the same */
    size_t masks, older;       /* where the masks of its bodies begin, and began at the last tick */
} qd_join_group;

#define QD_JOIN_PARTS_MAX 256u

/* Consecutive groups that one task compares. */
typedef struct qd_join_part {
    uint32_t first, end; /* of the groups */
    size_t found;        /* how many points its bodies differ in, */
    size_t changes;      /* and those whose views are derived */
    uint64_t entries;    /* visible entries of derived views, more than at the last tick; it wraps around */
    size_t kept;         /* what is in kept views */
    size_t relayed;      /* positions of derived views */
    size_t list, room;   /* where changes are listed while their masks are in the cache, and how many have room there */
    bool is_listed;      /* all that differs is */
} qd_join_part;

/* The bodies of a tick, in the order of rows. */
typedef struct qd_join_bodies {
    qd_join_body *of;
    qd_join_box *boxes;
    uint32_t count, capacity, box_count, box_capacity;
    float range;           /* that is typical of them */
    float slack;           /* the longest way of one that is not far, along an axis */
    uint32_t masks, teams; /* bits that all masks have, and that any team has, of derived views */
    uint32_t with_entries; /* observers whose view is not derived */
    bool is_plain;         /* all are of derived views that stay so, one for each observer */
} qd_join_bodies;

typedef struct qd_join_plan {
    qd_join_body *bodies; /* in the order of groups */
    qd_join_group *groups;
    qd_join_part *parts;
    uint32_t group_count, part_count;
    uint32_t points_max, rows_max; /* of a group; rows of cells */
    uint64_t looks;                /* a look compares a body with 16 points */
    size_t masks;                  /* of all bodies, in 16 bits */
    uint32_t round;                /* that it is for */
    qd_block block;
} qd_join_plan;

static inline uint32_t qd_join_words_of(uint32_t points)
{
    return (points + QD_JOIN_LANES - 1) / QD_JOIN_LANES;
}

static inline uint32_t qd_join_words(const qd_join_group *group)
{
    return qd_join_words_of(group->points);
}

/* False: no memory. */
bool qd_join_plan_make(qd_views *views, const qd_join_grid *grid, const qd_join_bodies *bodies, uint32_t parts_max,
                       qd_join_plan *plan) QD_MUST_USE;
/* The same bodies stay in their groups, with new positions. */
void qd_join_plan_follow(const qd_views *views, const qd_executor *executor, const qd_join_grid *grid,
                         const qd_join_bodies *bodies, uint32_t parts_max, qd_join_plan *plan);

#endif
