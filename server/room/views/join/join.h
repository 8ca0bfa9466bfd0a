/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of the spatial join (spatial_join.h).
 */
#ifndef QD_ROOM_VIEWS_JOIN_JOIN_H
#define QD_ROOM_VIEWS_JOIN_JOIN_H

#include "../../../base/ablation.h"
#include "join_compare.h"

/* Of an observer whose view is derived (derived.h). */
typedef struct qd_join_derived {
    uint32_t *list;          /* of a kept view that is not in masks: see kept.h */
    uint32_t count;          /* of the list, */
    uint32_t shown_last;     /* how many of them, the last ones, are on the list `show`, in its order, */
    uint32_t owned;          /* and how many of the heap; 0: it is in memory_of_lists */
    uint32_t near;           /* visible entries at the last tick */
    uint32_t rank;           /* of the observer */
    uint32_t body;           /* in the plan */
    uint32_t *shown;         /* slots of the list `show`: see join_shown.h, */
    uint32_t shown_count;    /* and how many */
    bool is_kept, has_rules; /* as of a body */
    bool in_masks;           /* a kept view that is in the masks of its body */
    uint8_t relay;           /* qd_join_relay */
} qd_join_derived;

/* The positions that a member gets once of all its derived views (derived_once.h). */
typedef struct qd_join_once {
    uint32_t member;
    uint32_t count, first; /* of its positions, among all relays */
} qd_join_once;

/* Periods of tiers, and whose turn it is in each of them (relay_turns.h). */
typedef struct qd_join_turns {
    uint32_t every[QD_JOIN_TURNS];
    uint64_t *bits[QD_JOIN_TURNS]; /* one for each entry of the grid */
    uint32_t count;
} qd_join_turns;

typedef struct qd_join {
    bool gave_up; /* a tick would have taken too long once: the join is never in use again */
    const qd_join_kernel *kernel;
    qd_join_region *regions;  /* QD_REGION_BODIES for each row: where they were at the last tick */
    qd_join_derived *derived; /* by row */
    uint32_t row_count, region_capacity, derived_capacity;
    qd_join_bodies bodies;
    qd_join_grid grid;
    qd_join_plan plan;
    char *blocks; /* of the parts */
    size_t block_bytes;
    uint16_t *masks, *older; /* of all bodies; and those of the last tick, if the grid stays the same, or NULL */
    uint32_t masks_round;    /* that the masks are for */
    qd_crossing *found, *changes;
    size_t relayed; /* positions of derived views at this tick, until they are reported */
    qd_join_once *once;
    uint64_t *once_bits; /* of each of them, one for each entry of the grid: those in a view then and now */
    uint32_t once_count, once_capacity;
    size_t once_relayed; /* of `relayed` */
    qd_join_turns turns;
    uint32_t lists;            /* that rows own */
    uint32_t shown_population; /* qd_views.population when all lists `show` were compared with their slots */
    qd_block memory_of_blocks, memory_of_masks[2], memory_of_found, memory_of_once, memory_of_lists, memory_of_turns;
} qd_join;

static inline qd_join_block qd_join_block_of(const qd_views *views, size_t part)
{
    const qd_join *join = views->join;
    qd_join_block block;

    qd_join_block_init(&block, &join->grid, &join->plan, qd_views_axes(views), join->blocks + part * join->block_bytes);
    block.boxes = join->bodies.boxes;
    return block;
}

/* The masks of where points are, for a body of a group; those of where they were follow. */
static inline uint16_t *qd_join_masks_of(const qd_join *join, const qd_join_group *group, uint32_t body)
{
    const size_t stride = qd_join_stride(qd_join_words(group));

    return join->masks + group->masks + group->rows * (size_t)(body - group->first) * stride;
}

/* The masks of a body as of the last tick, if they are those of where the points of its group were. They may be without
 * the observer itself, but no filter or limit has changed them. */
static inline const uint16_t *qd_join_older_of(const qd_join *join, const qd_join_group *group, uint32_t body)
{
    if (!join->older || !group->stays || !join->plan.bodies[body].by_range || QD_WITHOUT(OLDER_MASKS)) {
        return NULL;
    }
    return join->older + group->older +
           group->rows * (size_t)(body - group->first) * qd_join_stride(qd_join_words(group));
}

#endif
