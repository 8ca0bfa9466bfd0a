/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares the bodies of a group with the points near them. What it finds is exact: in float64 where float32 does not
 * decide, and with both entries of an entity that went far.
 */
#ifndef QD_ROOM_VIEWS_JOIN_JOIN_COMPARE_H
#define QD_ROOM_VIEWS_JOIN_JOIN_COMPARE_H

#include "join_plan.h"

#define QD_JOIN_TURNS 8u
#define QD_JOIN_SOME  3u

/* The points of a group, in memory of a task. */
typedef struct qd_join_block {
    const qd_join_grid *grid;
    const qd_join_box *boxes; /* of the bodies */
    const qd_join_group *group;
    qd_join_columns points; /* what is of use: see qd_join_block_fill */
    uint32_t words, stride; /* masks of the points, without and with those that fill fours */
    uint32_t shown_at;      /* the first point behind those of the area: */
    const uint32_t *shown;  /* slots of those that a body has there, while it has them (join_shown.h) */
    uint32_t shown_count;
    qd_join_special *special; /* as in the grid, but with indices of points */
    uint32_t special_count;
    bool has_slots, has_filters, has_moved; /* which columns are filled */
    uint32_t has_turns;                     /* and which of turns[], as bits */
    uint16_t *moved;                        /* masks of the points that have moved */
    uint16_t *once;                         /* masks of the points that a member gets once (derived_once.h) */
    uint16_t *turns[QD_JOIN_TURNS];         /* masks of the points whose turn it is in a period (relay_turns.h) */
    uint16_t *some[QD_JOIN_SOME];           /* other masks, for one body at a time */
    uint32_t *offset; /* by row of cells, from the first of the area: from an entry to its point, */
    uint32_t *end;    /* and the first point behind the row */
    void *scratch;    /* QD_JOIN_SCRATCH bytes for each point */
} qd_join_block;

#define QD_JOIN_SCRATCH 40u

/* The bytes that a block needs for any group of the plan. */
size_t qd_join_block_bytes(const qd_join_grid *grid, const qd_join_plan *plan, unsigned axes);
/* Gives an empty block its memory. */
void qd_join_block_init(qd_join_block *block, const qd_join_grid *grid, const qd_join_plan *plan, unsigned axes,
                        char *memory);
/* Takes the points of a group, without any column. */
void qd_join_block_take(qd_join_block *block, const qd_join_group *group);
/* The same with positions and special points, and with slots if there are any. */
void qd_join_block_fill(qd_join_block *block, const qd_join_kernel *kernel, const qd_join_group *group);
/* Fill other columns of the group that was taken last. */
void qd_join_block_slots(qd_join_block *block);
void qd_join_block_filters(qd_join_block *block);
void qd_join_block_moved(qd_join_block *block);
/* Turns bits of the grid's entries into masks of the points, and clears those behind them up to the stride. */
void qd_join_block_bits(const qd_join_block *block, const uint64_t *bits, uint16_t *masks);
/* The slot of a point of the group that was filled last. */
uint32_t qd_join_slot_at(qd_join_block *block, uint32_t point);
/* The point of an entity that is in the area, at `at`. */
uint32_t qd_join_point_at(const qd_join_block *block, uint32_t slot, const float at[3]);
/* The point of an entity that is in the area, or was there at the last tick. One that went far has two points; it is
 * the one where it is, if that is in the area. */
uint32_t qd_join_point_of(const qd_join_block *block, uint32_t slot);
/* The point of an entity that is in the room, where it is; false: that is not in the area. */
bool qd_join_point_find(const qd_join_block *block, uint32_t slot, uint32_t *point);

/* Removes points that are not in the region from masks of where they are. */
void qd_join_decide(const qd_views *views, const qd_join_block *block, const qd_join_region *region, uint16_t *masks);
/* Whether a point is in the region, as the rule defines it. */
bool qd_join_region_has(const qd_join_region *region, const float at[3], unsigned axes);

/* The same as qd_join_compare for any body; `unsure`: the masks of a body that is no box may have points that are not
 * in it. */
void qd_join_compare_exactly(const qd_views *views, const qd_join_kernel *kernel, const qd_join_block *block,
                             const qd_join_body *body, bool unsure, uint16_t *is, uint16_t *did,
                             qd_join_counts *counts);

/* Fills the masks of a body: in `is` the points that are in its region, in `did` those that were. An entity that went
 * far is in `is` and `did` of its entry where it is, or in `did` of the other one. Counts them. `older`: masks of where
 * points were that are known, or NULL. */
static inline void qd_join_compare(const qd_views *views, const qd_join_kernel *kernel, const qd_join_block *block,
                                   const qd_join_body *body, const uint16_t *older, uint16_t *is, uint16_t *did,
                                   qd_join_counts *counts)
{
    bool unsure = true;

    if (older) {
        const qd_join_ball now = qd_join_ball_of(body->now, body->radius_now);

        memcpy(did, older, block->stride * sizeof did[0]);
        unsure = kernel->now(&block->points.at, block->words, &now, is, did, counts);
    } else if (!body->is_box) {
        const qd_join_ball now = body->is ? qd_join_ball_of(body->now, body->radius_now) : QD_JOIN_NO_BALL;
        const qd_join_ball was = body->did ? qd_join_ball_of(body->was, body->radius_was) : QD_JOIN_NO_BALL;

        unsure = kernel->both(&block->points.at, block->words, &now, &was, is, did, counts);
    }
    if (QD_UNLIKELY(unsure || block->special_count > 0)) {
        qd_join_compare_exactly(views, kernel, block, body, unsure, is, did, counts);
    }
}

/* ---- masks ---- */

/* Up to QD_JOIN_BITS bits of masks from bit `at` on, and the same into masks, where they are 0. Both reach up to three
 * masks further. */
#define QD_JOIN_BITS (64 - QD_JOIN_LANES)
static inline uint64_t qd_join_bits_get(const uint16_t *masks, uint32_t at, uint32_t count)
{
    return qd_join_four_masks(masks, at / QD_JOIN_LANES) >> at % QD_JOIN_LANES & ((UINT64_C(1) << count) - 1);
}

static inline void qd_join_bits_add(uint16_t *masks, uint32_t at, uint64_t bits)
{
    const uint64_t sum = qd_join_four_masks(masks, at / QD_JOIN_LANES) | bits << at % QD_JOIN_LANES;

    memcpy(masks + at / QD_JOIN_LANES, &sum, sizeof sum);
}

static inline bool qd_join_get(const uint16_t *masks, uint32_t point)
{
    return masks[point / QD_JOIN_LANES] >> point % QD_JOIN_LANES & 1;
}

static inline void qd_join_set(uint16_t *masks, uint32_t point, bool to)
{
    const uint32_t bit = 1u << point % QD_JOIN_LANES, mask = masks[point / QD_JOIN_LANES];

    masks[point / QD_JOIN_LANES] = (uint16_t)(to ? mask | bit : mask & ~bit);
}

#endif
