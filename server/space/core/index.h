/* SPDX-License-Identifier: Apache-2.0
 *
 * What an index is. An index decides in which cell a body is registered, and which lists of rows may touch. It compares
 * no bodies: the kernel does (kernel.h). All indexes keep their rows in cells in the same way (rows.h), and a body has
 * one row, or two while it is split. So the proxies do everything that concerns one body, and change from one index to
 * another (proxies.h). An index only has these operations, and calls no proxies:
 *
 *     locate    box -> cell      where a box belongs
 *     move      many bodies      writes those that stay in their cells, and returns the others
 *     traverse  lists -> kernel  every two rows that can touch, exactly once
 *     search    cells -> query   every cell that a query wants
 *     settle                     plans again where the content changed
 *
 *     index     cell             a pair of rows is tested
 *     TREE      linear array     where the smaller cell of the two is (linear.h; in three dimensions the octree)
 *     SPARSE    hash table       likewise (sparse.h)
 *     HASH      hash table       in the cell that comes first (hash.h)
 *     GRID      one              where sorting brought them together (grid.h)
 *     BRUTE     one              all against all (brute.h)
 *
 * A BOX here is the union of a body's was and now, as floats: what an index may rely on is that two rows whose shapes
 * overlap, then or now (in swept spaces: in between), have boxes that overlap as closed boxes of floats.
 *
 * Owned by the space. One thread at a time, but for `traverse` and `move`, which run in tasks at the same time.
 */
#ifndef QD_SPACE_CORE_INDEX_H
#define QD_SPACE_CORE_INDEX_H

#include "../../base/executor.h"
#include "../kernel/kernel.h"
#include "../tuning.h"

typedef struct qd_index qd_index;
struct qd_worker_slot;
struct qd_search;
struct qd_traversal_result;

/* One of an index's traversals, as it begins. */
typedef struct qd_traversal_plan {
    qd_traversal_mode mode;
    bool all;         /* nearly every row changed, or the mode asks for it: every row counts as changed */
    bool unmarked;    /* with `all`: rows->all says so, and no row is marked as changed */
    uint32_t workers; /* that can work at once; with 1, one task is best */
} qd_traversal_plan;

/* How a body goes to another cell. */
typedef enum qd_move_how {
    QD_MOVE_WHOLE,
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
    size_t bytes; /* of the index, which begins with a qd_index */
    /* Makes an index ready that is zero but for what all indexes have. False: no memory. */
    bool (*begin)(qd_index *index);
    /* Frees what the index owns. NULL: nothing. */
    void (*end)(qd_index *index);
    /* Makes room for one more body: cells and tables; not rows. False: no memory. */
    bool (*reserve)(qd_index *index);
    /* The cell of a box, which is made where there is none yet, and its cell key: the index's note of it, for `move`
     * and `is_far`. Equal keys mean the same cell. Where there is no memory for a cell, a looser one. */
    uint32_t (*locate)(qd_index *index, const qd_row *box, uint32_t *cell_key);
    /* A cell in which any box may be, and its key. It needs no memory. NULL: there is one cell. */
    uint32_t (*loosest)(qd_index *index, uint32_t *cell_key);
    /* The finest cell of a box's lower corner, a number for each axis. Used to lay rows out. NULL: all orders are as
     * good. */
    void (*numbers)(const qd_index *index, const qd_row *box, uint32_t *at);
    /* In place of `numbers`: the Morton number of a box's lower corner in the finest cells, and a note of 4 bits. Both
     * tell `locate_place` what `locate` finds by the box, so that a new plan reads it once. NULL: the index has no
     * such numbers. */
    uint32_t (*place)(const qd_index *index, const qd_row *box, uint32_t *note);
    uint32_t (*locate_place)(qd_index *index, uint32_t place, uint32_t note, uint32_t *cell_key);
    /* Whether a row with the box `both`, in this cell, would be met by many that the body, whose box is now `bounds`,
     * has nothing to do with, so that the body is better split. Asked of those that moved without touching where they
     * were. NULL: never. */
    bool (*is_far)(const qd_index *index, const qd_row *both, const qd_row *bounds, uint32_t cell_key);
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
    /* A traversal commits every cell there is, in its tasks and at its end, unless it is stopped: then rows that count
     * as changed all together need no marks of their own. */
    bool commits_all;
    /* Before a traversal and before a tick without one: what was put in may ask for another plan, which the executor's
     * workers divide. NULL: nothing to do. */
    void (*prepare)(qd_index *index, const qd_executor *executor);
    /* A traversal begins: returns the number of its tasks, or QD_TASKS_NO_MEMORY. May set plan->all. */
    uint32_t (*traverse_begin)(qd_index *index, qd_traversal_plan *plan);
    /* Task number `task`. May commit (qd_traversal_commit) cells whose rows no other task reads, which includes those
     * that it carries along from above; the others are committed afterwards. */
    void (*traverse)(qd_index *index, struct qd_worker_slot *worker, uint32_t task);
    void (*traverse_end)(qd_index *index, const qd_traversal_plan *plan, const struct qd_traversal_result *result);
    /* After a tick, when all is committed and removed bodies are gone, and after a change to this index: plans again,
     * prunes. NULL: nothing to do. */
    void (*settle)(qd_index *index, const qd_executor *executor);
    /* Gives every cell that may hold what a query wants to qd_search_cell, once. */
    qd_status (*search)(const qd_index *index, struct qd_search *search);
    void (*count)(const qd_index *index, qd_space_counters *counters);
    /* Whether a row with this box may be in this cell; and all else that must be true. For validation. */
    bool (*holds)(const qd_index *index, uint32_t cell, const qd_row *box);
    void (*validate)(const qd_index *index);
} qd_index_ops;

#define QD_TASKS_NO_MEMORY UINT32_MAX

/* When a plan may be tried again that found no memory: every time the wait is twice as long, up to some hundred ticks,
 * so that trying costs little. */
typedef struct qd_retry {
    uint32_t wait; /* ticks that are left */
    uint32_t longest;
} qd_retry;

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
    qd_retry retry; /* of plans */
    bool is_loose;  /* `locate` found no memory for a cell */
};

void qd_retry_note(qd_retry *retry, bool failed);

extern const qd_index_ops qd_linear_ops, qd_sparse_ops, qd_hash_ops, qd_grid_ops, qd_brute_ops;

/* Creates an empty index with what `as` says, but for ops and cells. NULL: no memory. */
qd_index *qd_index_create(const qd_index_ops *ops, const qd_index *as);
void qd_index_destroy(qd_index *index);
/* Before a traversal and before a tick without one; after a tick: the index may plan again. A plan that finds no memory
 * is left out, and the old one stays. */
void qd_index_prepare(qd_index *index, const qd_executor *executor);
void qd_index_settle(qd_index *index, const qd_executor *executor);
/* The bounds of the space. */
qd_extent qd_index_bounds(const qd_index *index);

/* Every row is where its body says and has the flags it should; the index checks its cells. */
void qd_index_validate(const qd_index *index);

#endif
