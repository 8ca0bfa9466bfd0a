/* SPDX-License-Identifier: Apache-2.0
 *
 * The linear quadtree: says in which cell a body is registered, and which lists may touch. It compares no bodies; the
 * kernel does (kernel.h).
 *
 * All cells of all levels lie in one array (morton.h). A body belongs to the smallest cell that contains the union of
 * its was and now, or to the leaf above it. Where a tree plans its leaves by content, a leaf is the highest cell that
 * holds few enough; the leaf map gives, for each finest cell, the height of its leaf (0: itself).
 *
 *     PLACE   a body's note of its cell, which answers "still there?" without a look at the tree:
 *             height << 28 | is a leaf << 24 | x << 12 | y      height above the finest level; x, y: the cell's column
 *                                                               and row among the cells of that height
 *
 * Owned by the space.
 */
#ifndef QD_SPACE_QUADTREE_H
#define QD_SPACE_QUADTREE_H

#include "frame.h"
#include "kernel.h"
#include "morton.h"
#include "rows.h"
#include "tuning.h"

typedef enum qd_cell_flag {
    QD_CELL_LEAF = 1,
    QD_CELL_OCCUPIED = 2, /* it or a cell below holds, or once held, a row */
    QD_CELL_STAMPED = 4,  /* it or a cell below holds a row that changed; only during a walk */
} qd_cell_flag;

typedef struct qd_extent {
    double lo_x, lo_y, hi_x, hi_y;
} qd_extent;

typedef struct qd_quadtree {
    qd_heap *heap;
    qd_rows *rows;
    qd_bodies *bodies;
    qd_tuning tuning;
    qd_frame frame;
    qd_extent bounds;     /* where the root begins as the square of */
    double filled;        /* the share of the root that its content takes up */
    uint32_t depth_fixed; /* 0: planned by content */
    uint32_t depth;
    uint32_t planned_for;  /* the count of rows at the last plan */
    uint32_t cells;        /* 0 as long as there is nothing */
    uint32_t crowding;     /* rows put into leaves that should be divided, since the last plan */
    uint32_t crowding_max; /* more ask for another plan */
    uint64_t excess;       /* what the walks since did beyond their share; so does much of that */
    uint32_t excess_doublings;
    /* Bodies that were registered higher than they would be without their was, because they crossed a line. */
    uint32_t *stretched;
    uint32_t stretched_count, stretched_capacity;
    qd_cell *cell;
    uint8_t *flags;    /* one a cell: qd_cell_flag */
    uint8_t *leaf_map; /* one a finest cell */
} qd_quadtree;

void qd_quadtree_init(qd_quadtree *tree, const qd_space_config *config, qd_heap *heap, qd_rows *rows,
                      qd_bodies *bodies);
void qd_quadtree_deinit(qd_quadtree *tree);

/* Makes room for one more body. */
qd_status qd_quadtree_reserve(qd_quadtree *tree) QD_MUST_USE;
/* Registers a new body by its record. */
void qd_quadtree_add(qd_quadtree *tree, uint32_t slot);
/* Puts bodies elsewhere: in their records, and in the tree. */
void qd_quadtree_move(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *x, const float *y);
/* Registers a body again, by its record, after it moved or changed its size or shape. */
void qd_quadtree_update(qd_quadtree *tree, uint32_t slot);
/* A body's rows get the flags that its record and change tell. */
void qd_quadtree_reflag(qd_quadtree *tree, uint32_t slot);
/* Takes a body out. Where it was there at the last tick, its row stays, without a now, until forgotten. Returns whether
 * it left no row. */
bool qd_quadtree_remove(qd_quadtree *tree, uint32_t slot);

/* After a tick: takes the row of a removed body out; takes the ghost of a split one out, and makes its newcomer an
 * ordinary row. */
void qd_quadtree_forget(qd_quadtree *tree, uint32_t slot);
void qd_quadtree_heal(qd_quadtree *tree, uint32_t slot);
/* Before a walk, which does it itself, and before a tick without one: bodies that crossed a line at an earlier tick and
 * rest since go down to where they belong; and what was put in may ask for another plan. */
void qd_quadtree_prepare(qd_quadtree *tree);
/* After a tick and the two above: plans anew where the content has changed much. */
void qd_quadtree_settle(qd_quadtree *tree);

void qd_quadtree_validate(const qd_quadtree *tree);

/* The walk. Commits the rows of every cell that it leaves, unless the mode is PAIRS; rows that it did not come to stay
 * for qd_rows_commit_all. */
typedef struct qd_walk {
    qd_heap *heap;
    struct qd_hand **hand; /* kept from walk to walk */
    uint32_t hands;
    qd_space_event *event; /* of several hands, put together */
    size_t event_capacity;
} qd_walk;

/* `event` is good until the next walk; it and the count are not to be used when the walk was stopped at the limit. */
typedef struct qd_walk_result {
    const qd_space_event *event;
    uint64_t found;
    bool complete;
    uint64_t tests, exact_tests;
} qd_walk_result;

void qd_quadtree_walk(qd_quadtree *tree, qd_walk *walk, const qd_executor *executor, qd_walk_mode mode, uint64_t limit,
                      qd_walk_result *result);

void qd_walk_init(qd_walk *walk, qd_heap *heap);
void qd_walk_deinit(qd_walk *walk);

static inline bool qd_place_is_leaf(uint32_t place)
{
    return (place >> 24 & 1) != 0;
}

#endif
