/* SPDX-License-Identifier: Apache-2.0
 *
 * What a tick of the spatial join compares: bodies of observers, in groups that have the same points near them. The
 * observers of a cell are a group, so that they share one copy of their points.
 */
#ifndef QD_ROOM_VIEWS_VISIBILITY_JOIN_PLAN_H
#define QD_ROOM_VIEWS_VISIBILITY_JOIN_PLAN_H

#include "join_grid.h"

typedef struct qd_join_region {
    float at[3], half[3]; /* half[0] is the radius of a circle */
    uint32_t kind;        /* qd_room_region_kind; 0: there is no region */
} qd_join_region;

typedef struct qd_join_regions {
    qd_join_region *of; /* QD_REGION_BODIES for each row of an observer */
    uint32_t count, capacity;
} qd_join_regions;

/* A region now and at the last tick. One that went far is two bodies: as it is, and as it was. */
typedef struct qd_join_body {
    uint32_t region;
    uint32_t differ; /* how many points are in only one of both */
    bool is, did;
} qd_join_body;

typedef struct qd_join_group {
    uint32_t first, count; /* of the bodies */
    qd_join_area area;
    uint32_t points; /* in the area */
    size_t masks;    /* where the masks of its bodies begin */
} qd_join_group;

/* Consecutive groups that one task compares. */
typedef struct qd_join_part {
    uint32_t first, end; /* of the groups */
    size_t found;        /* how many points its bodies differ in */
} qd_join_part;

typedef struct qd_join_plan {
    qd_join_body *bodies;
    qd_join_group *groups;
    qd_join_part *parts;
    uint32_t body_count, group_count, part_count;
    uint32_t points_max; /* of a group */
    uint64_t looks;      /* a look compares a body with 16 points */
    size_t masks;        /* of all bodies, in 16 bits */
    qd_block block;
} qd_join_plan;

/* The masks of a body: so many for where points are, and then as many for where they were. */
static inline size_t qd_join_words(const qd_join_group *group)
{
    return (group->points + QD_JOIN_LANES - 1) / QD_JOIN_LANES;
}

/* The regions of all observers now. False: no memory; so for all functions below. */
bool qd_join_regions_note(qd_views *views, qd_join_regions *now, qd_join_regions *was) QD_MUST_USE;
/* The range that is typical of the regions. */
float qd_join_range(const qd_join_regions *now, const qd_join_regions *was);
bool qd_join_plan_make(qd_views *views, const qd_join_grid *grid, const qd_join_regions *now,
                       const qd_join_regions *was, uint32_t parts_max, qd_join_plan *plan) QD_MUST_USE;

#endif
