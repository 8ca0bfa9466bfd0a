/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares the bodies of a group with the points near them. What it finds is exact: in float64 where float32 does not
 * decide, and with both entries of an entity that went far.
 */
#ifndef QD_ROOM_VIEWS_VISIBILITY_JOIN_COMPARE_H
#define QD_ROOM_VIEWS_VISIBILITY_JOIN_COMPARE_H

#include "join_plan.h"

/* The points of a group, in memory of a task. */
typedef struct qd_join_block {
    const qd_join_group *group;
    qd_join_columns points; /* `slot` only after qd_join_block_slots */
    uint32_t words;
    qd_join_far *far; /* as in the grid, but with indices of points */
    uint32_t far_count;
} qd_join_block;

/* The bytes that a block needs for any group of the plan. */
size_t qd_join_block_bytes(const qd_join_grid *grid, const qd_join_plan *plan, unsigned axes);
/* Gives an empty block its memory. */
void qd_join_block_init(qd_join_block *block, const qd_join_plan *plan, unsigned axes, char *memory);
void qd_join_block_fill(qd_join_block *block, const qd_join_grid *grid, const qd_join_kernel *kernel,
                        const qd_join_group *group);
/* Fills only the slots of the points. */
void qd_join_block_slots(qd_join_block *block, const qd_join_grid *grid, const qd_join_group *group);

/* Whether a point is in the region, as the rule defines it. */
bool qd_join_region_has(const qd_join_region *region, const float at[3], unsigned axes);

/* Fills the masks of a body: in `is` the points that are in `now`, in `did` those that were in `was`. NULL: there is no
 * such region. An entity that went far is in `is` and `did` of its entry where it is, or in `did` of the other one. */
void qd_join_compare(const qd_views *views, const qd_join_kernel *kernel, const qd_join_block *block,
                     const qd_join_region *now, const qd_join_region *was, uint16_t *is, uint16_t *did);

#endif
