/* SPDX-License-Identifier: Apache-2.0
 *
 * The cells of the linear quadtree, in three dimensions the linear octree.
 *
 * All cells of all levels lie in one array (morton.h). A body belongs to the smallest cell that contains the union of
 * its was and now, or to the leaf above it. Where a tree plans its leaves by content, a leaf is the highest cell that
 * holds few enough; the leaf map gives, for each finest cell, the height of its leaf (0: itself).
 *
 *     CELL KEY   a body's note of its cell, which tells whether the body is still in it without a look at the tree:
 *                height << 28 | is a leaf << 24 | x << 12 | y                in two dimensions
 *                height << 28 | is a leaf << 24 | x << 14 | y << 7 | z       in three
 *                height above the finest level; x, y (and z): the cell's number on each axis at that height
 *
 * Owned by the space, as every index.
 */
#ifndef QD_SPACE_TREE_LINEAR_LINEAR_H
#define QD_SPACE_TREE_LINEAR_LINEAR_H

#include "../../../base/memory/array.h"
#include "../../core/traversal.h"
#include "../../geometry/morton.h"
#include "../../geometry/quantizer.h"
#include "../../plan/replan_debt.h"
#include "../tree.h"

#define QD_CELL_KEY_BITS (QD_AXES == 2 ? 12u : 7u) /* of each number in a cell key */

typedef struct qd_linear {
    qd_index index; /* no cells as long as there is nothing */
    qd_quantizer quantizer;
    qd_extent bounds; /* where the root begins as the square (cube) of */
    double filled;    /* the share of the root that its content takes up */
    uint32_t depth;
    uint32_t planned_for; /* the count of rows at the last plan */
    qd_replan_debt debt;  /* of the traversals since the last plan */
    uint32_t task_level;  /* of the traversal under way: a task for each cell down to it */
    uint8_t *flags;       /* one a cell: qd_cell_flag */
    uint8_t *leaf_map;    /* one a finest cell; NULL: those are the leaves */
} qd_linear;

static inline bool qd_cell_key_is_leaf(uint32_t cell_key)
{
    return (cell_key >> 24 & 1) != 0;
}

static inline uint32_t qd_cell_key_height(uint32_t cell_key)
{
    return cell_key >> 28;
}

static inline uint32_t qd_cell_key_number(uint32_t cell_key, uint32_t axis)
{
    return cell_key >> QD_CELL_KEY_BITS * (QD_AXES - 1 - axis) & ((1u << QD_CELL_KEY_BITS) - 1);
}

/* Of the root that is no leaf. */
static inline uint32_t qd_linear_cell_key_of_root(const qd_linear *tree)
{
    return tree->depth << 28;
}

/* The natural cell of a box, or the leaf above it: its number, and its key. */
uint32_t qd_linear_cell_of(const qd_linear *tree, const qd_row *box, uint32_t *cell_key);
/* As in qd_index_ops. */
uint32_t qd_linear_place(const qd_index *index, const qd_row *box, uint32_t *note);
uint32_t qd_linear_locate_place(qd_index *index, uint32_t place, uint32_t note, uint32_t *cell_key);
/* Marks a cell as occupied, and all above it. */
void qd_linear_occupy(qd_linear *tree, uint32_t number);

bool qd_linear_holds(const qd_index *index, uint32_t cell, const qd_row *box);
void qd_linear_validate(const qd_index *index);

/* ---- plans: linear_plan.c ---- */

/* The tree for the first body. False: no memory. */
bool qd_linear_plan_first(qd_linear *tree) QD_MUST_USE;
bool qd_linear_plan_is_due(const qd_linear *tree);
/* Makes another plan and registers every row again, each cell's rows side by side, cells in the order of the traversal;
 * the executor's workers divide that. At any time but during a traversal. False: there is no memory, and the tree is as
 * it was. */
bool qd_linear_replan(qd_linear *tree, const qd_executor *executor) QD_MUST_USE;
void qd_linear_plan_drop(qd_linear *tree);

/* ---- moves and traversals, as in qd_index_ops ---- */

size_t qd_linear_move(qd_index *index, size_t count, const uint32_t *slots, const float *const *at, qd_movers *movers);
uint32_t qd_linear_traverse_begin(qd_index *index, qd_traversal_plan *plan);
void qd_linear_traverse(qd_index *index, qd_worker_slot *worker, uint32_t task);
void qd_linear_traverse_end(qd_index *index, const qd_traversal_plan *plan, const qd_traversal_result *result);

#endif
