/* SPDX-License-Identifier: Apache-2.0
 *
 * What an index is. An index says in which cell a body is registered, and which lists of rows may touch; it compares no
 * bodies, the kernel does (kernel.h). All indexes keep their rows in the same way, in cells (rows.h), and a body has
 * one row, or two while it is split. So everything that is done to one body, what becomes of it at a tick, and the
 * change from one index to another, is written once (registry.h), and an index is only
 *
 *     locate    box -> cell      where a box belongs
 *     move      many bodies      their records, and their rows where they stay in their cells (move.h, stage.h)
 *     walk      lists -> kernel  every two rows that can touch, exactly once
 *     search    cells -> query   every cell that a query wants
 *     settle                     plans anew where the content changed
 *
 *     index     cell             a pair of rows is tested
 *     TREE      linear array     where the smaller cell of the two is (quadtree.h; in three dimensions the octree)
 *     SPARSE    hash table       likewise (sparse.h)
 *     HASH      hash table       in the cell that comes first (hash.h)
 *     GRID      one              where sorting brought them together (grid.h)
 *     BRUTE     one              all against all (brute.h)
 *
 * A BOX here is the union of a body's was and now, as floats: what an index may rely on is that two rows whose shapes
 * overlap, then or now (in swept spaces: in between), have boxes that overlap as closed boxes of floats.
 *
 * Owned by the world. One thread at a time, but for `walk`, which runs in tasks at the same time.
 */
#ifndef QD_SPACE_CORE_INDEX_H
#define QD_SPACE_CORE_INDEX_H

#include "../kernel/kernel.h"
#include "tuning.h"

typedef struct qd_index qd_index;
struct qd_worker_slot;
struct qd_search;
struct qd_traversal_result;

/* One of an index's walks, as it begins. */
typedef struct qd_traversal_plan {
    qd_traversal_mode mode;
    bool all;         /* nearly every row changed, or the mode asks for it: every row counts as moved */
    bool unmarked;    /* with `all`: so it was said of all at once (rows->all), and there are no marks */
    uint32_t workers; /* that can work at once; with 1, one task is best */
} qd_traversal_plan;

/* How a body goes to another cell. */
typedef enum qd_move_how {
    QD_MOVE_WHOLE,
    QD_MOVE_LOOSE,  /* it would not go there without its was */
    QD_MOVE_SPLIT,  /* it leaves its was behind */
    QD_MOVE_UPDATE, /* its index did not look for its cell: it is to be registered again (qd_proxies_update) */
} qd_move_how;

/* A body that has to leave its cell: how, and where it goes. */
typedef struct qd_mover {
    uint32_t slot;
    uint32_t to; /* the cell, and from bit 30 on qd_move_how */
    uint32_t cell_key;
} qd_mover;

static inline uint32_t qd_mover_to(uint32_t cell, qd_move_how how)
{
    return cell | (uint32_t)how << 30;
}

static inline uint32_t qd_mover_cell(const qd_mover *mover)
{
    return mover->to & ((1u << 30) - 1);
}

static inline qd_move_how qd_mover_how(const qd_mover *mover)
{
    return (qd_move_how)(mover->to >> 30);
}

#define QD_MOVERS_FULL 256u /* an index that has found so many returns them */
#define QD_MOVERS_ROOM (QD_MOVERS_FULL + 32)

typedef struct qd_movers {
    uint32_t count;
    qd_mover each[QD_MOVERS_ROOM];
} qd_movers;

typedef struct qd_index_ops {
    qd_space_index kind;
    /* Makes room for one more body: cells and tables; not rows. */
    qd_status (*reserve)(qd_index *index);
    /* The cell of a box, which is made where there is none yet (that cannot fail), and a place: a note of it, for
     * `move`, `is_far` and `is_high`. Equal places mean the same cell. */
    uint32_t (*locate)(qd_index *index, const qd_row *box, uint32_t *cell_key);
    /* Whether a row with this box, in this place, would be met by many that it has nothing to do with, so that the body
     * is better split. Asked of those that moved without touching where they were. NULL: never. */
    bool (*is_far)(const qd_index *index, const qd_row *box, uint32_t cell_key);
    /* Whether a place is one where boxes that are larger than need be do harm: bodies that are there because they
     * crossed a line are looked at again later. NULL: never. */
    bool (*is_high)(const qd_index *index, uint32_t cell_key);
    /* Moves the first of many bodies, until `movers` is full: their records, and their rows where they stay in their
     * cells. Those that do not are put into `movers`, which is empty; the caller applies them before anything else
     * happens. at[axis][i] is where slots[i] goes. Returns how many it moved, at least one.
     * While every row counts as changed (rows->all) it may run in tasks at the same time, each with bodies of its own,
     * and movers may be applied when all have moved, if no slot comes twice. */
    size_t (*move)(qd_index *index, size_t count, const uint32_t *slots, const float *const *at, qd_movers *movers);
    /* A row is about to be put into a cell. NULL: nothing to do. */
    void (*entered)(qd_index *index, uint32_t cell);
    /* A cell holds no row any more. NULL: nothing to do. */
    void (*emptied)(qd_index *index, uint32_t cell);
    /* A walk commits every cell there is, in its tasks and at its end, unless it is stopped: then rows that count as
     * changed all together need no marks. */
    bool commits_all;
    /* Before a walk and before a tick without one: what was put in may ask for another plan. NULL: nothing to do. */
    void (*prepare)(qd_index *index);
    /* A walk begins: returns the number of its tasks. May set plan->all. */
    uint32_t (*traverse_begin)(qd_index *index, qd_traversal_plan *plan);
    /* Task number `task`. May commit (qd_traversal_commit) cells whose rows no other task reads, which includes those that
     * it carries along from above; the others are committed afterwards. */
    void (*traverse)(qd_index *index, struct qd_worker_slot *worker, uint32_t task);
    void (*traverse_end)(qd_index *index, const qd_traversal_plan *plan, const struct qd_traversal_result *result);
    /* After a tick, when all is committed and removed bodies are gone, and after qd_proxies_change_index: plans anew,
     * prunes.
     */
    void (*settle)(qd_index *index);
    /* Hands every cell that may hold what a query wants to qd_search_cell, once. */
    qd_status (*search)(const qd_index *index, struct qd_search *search);
    void (*count)(const qd_index *index, qd_space_counters *counters);
    /* Whether a row with this box may be in this cell; and all else that must be true. For validation. */
    bool (*holds)(const qd_index *index, uint32_t cell, const qd_row *box);
    void (*validate)(const qd_index *index);
    void (*destroy)(qd_index *index);
} qd_index_ops;

/* What all indexes have; each begins with one. */
struct qd_index {
    const qd_index_ops *ops;
    qd_heap *heap;
    qd_rows *rows;
    qd_bodies *bodies;
    qd_tuning tuning;
    const qd_space_config *config;
    qd_cell *cell;  /* the lists of rows, by number; the array is the index's own, and may move when it grows */
    uint32_t cells; /* numbers below this may be looked at */
};

/* Each makes an empty index with what `as` says, but for ops and cells. NULL: no memory. */
qd_index *qd_linear_create(const qd_index *as);
qd_index *qd_sparse_create(const qd_index *as);
qd_index *qd_hash_create(const qd_index *as);
qd_index *qd_grid_create(const qd_index *as);
qd_index *qd_brute_create(const qd_index *as);

#endif
