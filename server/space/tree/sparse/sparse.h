/* SPDX-License-Identifier: Apache-2.0
 *
 * SPARSE: a tree whose cells exist only while they, or cells below them, hold something. It may be 16 levels deep in
 * two dimensions and 21 in three, so a world of 65,536 by 65,536 cells costs memory by what is in it.
 *
 * A cell is found by its key in a hash table (sparse_cells.h), so registering, moving and removing take as long
 * whatever the tree holds. Every cell above one that exists exists too. A body belongs to the smallest cell that
 * contains the union of its was and now, or to the leaf above it. A body's cell key is its cell's number.
 *
 *     depth fixed    a leaf is a cell of that level; every other body goes to its own smallest cell
 *     depth 0        a cell is a leaf from when it is made until it holds too many that would fit below; it is one
 *                    again when few are left (sparse_plan.c)
 *
 * Cells that are left empty are taken away in one of four ways (sparse_prune.c).
 *
 * Owned by the space, as every index.
 */
#ifndef QD_SPACE_TREE_SPARSE_SPARSE_H
#define QD_SPACE_TREE_SPARSE_SPARSE_H

#include <stdatomic.h>

#include "../../core/traversal.h"
#include "../../plan/replan_debt.h"
#include "sparse_cells.h"

#define QD_SPARSE_ROOT 0u /* the root's number */

/* Numbers of cells, in no order. */
typedef struct qd_sparse_list {
    uint32_t *number;
    _Atomic uint32_t
        count; /* atomic because the tasks of a traversal put cells on a list, which has room for them then */
    uint32_t capacity;
} qd_sparse_list;

typedef struct qd_sparse {
    qd_index index; /* no cells as long as there is nothing */
    qd_sparse_cells cells;
    qd_quantizer quantizer; /* numbers of QD_KEY_BITS bits */
    qd_extent bounds;       /* where the root begins as the square (cube) of */
    uint32_t depth_max;     /* the level of the finest cells */
    uint32_t leaf_from;     /* from this level on new cells are leaves */
    uint32_t level_usual;   /* where a cell was found last, and is looked for first */
    qd_sparse_list crowded, candidates;
    uint64_t merged_for; /* list operations that were made up for by looks at cells (sparse_plan.c) */
    uint32_t merge_at;   /* the cell to be looked at next */
    uint64_t pruned;
    uint64_t unvisited;  /* with WALK: cells that were emptied, and that no traversal has visited since */
    bool unlisted;       /* there was no memory for a candidate on its list: any empty cell may be one */
    bool notes_passed;   /* of a traversal with WALK: the list has room for the empty cells that it visits */
    qd_replan_debt debt; /* of the traversals since the last look for a root */
    uint32_t *task;      /* of a traversal: cells, with QD_SPARSE_ALONE */
    uint32_t task_count, task_capacity;
} qd_sparse;

static inline bool qd_sparse_is_leaf(const qd_sparse *sparse, uint32_t number)
{
    return (sparse->cells.flags[number] & QD_CELL_LEAF) != 0;
}

/* Sets the index's array of cells, after it may have moved. */
void qd_sparse_show_cells(qd_sparse *sparse);
/* Makes a cell a leaf, or no leaf any more. */
void qd_sparse_set_leaf(qd_sparse *sparse, uint32_t number, bool is_leaf);

/* Where all is that a cell holds or may hold; cells at the root's edges reach to infinity. */
qd_extent qd_sparse_extent(const qd_sparse *sparse, uint64_t key);

/* Puts a cell on a list, once. False: there is no memory. */
bool qd_sparse_note(qd_sparse *sparse, qd_sparse_list *list, uint32_t number, qd_cell_flag flag);
bool qd_sparse_list_reserve(const qd_sparse *sparse, qd_sparse_list *list, uint32_t count) QD_MUST_USE;
void qd_sparse_list_free(const qd_sparse *sparse, qd_sparse_list *list);

/* qd_index_ops */
bool qd_sparse_holds(const qd_index *index, uint32_t cell, const qd_row *box);
void qd_sparse_validate(const qd_index *index);

/* ---- finding and making cells: sparse_locate.c ---- */

/* Makes the root of a tree without cells. There is room for it. */
void qd_sparse_begin(qd_sparse *sparse);
/* The smallest cell there is that contains a finest one and is of this level or above. */
uint32_t qd_sparse_find(const qd_sparse *sparse, uint64_t finest, uint32_t level);
/* The cell where a box belongs; it is made where there is none, with those above it. Without memory for them, the
 * smallest cell there is that contains the box. */
uint32_t qd_sparse_locate(qd_sparse *sparse, const qd_row *box);

/* ---- fitting the content: sparse_plan.c ---- */

/* A row is about to be put into a cell. */
void qd_sparse_entered(qd_sparse *sparse, uint32_t number);
/* Divides the leaves that have become too full. Any time but during a traversal. */
void qd_sparse_divide(qd_sparse *sparse);
/* Merges what has become too thin. Between ticks. */
void qd_sparse_merge(qd_sparse *sparse);
/* Looks for another root, where the last traversals cost too much, and gives back the memory of cells that are gone.
 * Between ticks. */
void qd_sparse_reroot(qd_sparse *sparse, const qd_executor *executor);

/* ---- empty cells: sparse_prune.c ---- */

/* A cell was made, and may remain without rows; a cell has lost its last row. */
void qd_sparse_prune_made(qd_sparse *sparse, uint32_t number);
void qd_sparse_prune_emptied(qd_sparse *sparse, uint32_t number);
/* The same of a traversal's tasks: one visits an empty cell, which no other task visits. */
void qd_sparse_prune_passed(qd_sparse *sparse, uint32_t number);
/* Before a traversal. */
void qd_sparse_prune_traversal_begin(qd_sparse *sparse);
/* After a tick. */
void qd_sparse_prune(qd_sparse *sparse);

/* ---- traversals, as in qd_index_ops ---- */

uint32_t qd_sparse_traverse_begin(qd_index *index, qd_traversal_plan *plan);
void qd_sparse_traverse(qd_index *index, qd_worker_slot *worker, uint32_t task);
void qd_sparse_traverse_end(qd_index *index, const qd_traversal_plan *plan, const qd_traversal_result *result);

#endif
