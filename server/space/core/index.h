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

#include "../../base/executor.h"
#include "../kernel/kernel.h"
#include "tuning.h"

typedef struct qd_index qd_index;
struct qd_worker_slot;
struct qd_stage;
struct qd_search;
struct qd_walk_result;

/* One of an index's walks, as it begins. */
typedef struct qd_walk_plan {
    qd_walk_mode mode;
    bool all;         /* nearly every row changed, or the mode asks for it: every row counts as moved */
    bool unmarked;    /* with `all`: so it was said of all at once (rows->all), and there are no marks */
    uint32_t workers; /* that can work at once; with 1, one task is best */
} qd_walk_plan;

/* A body that goes to another cell. The note is the index's own. */
typedef struct qd_leaver {
    uint32_t slot, cell, note;
} qd_leaver;

/* Parts of an index, in which bodies go from cell to cell without touching anything of the others. Who is in none has
 * their number. */
#define QD_PARTS QD_CHILDREN

typedef struct qd_index_ops {
    qd_space_index kind;
    /* Makes room for one more body: cells and tables; not rows. */
    qd_status (*reserve)(qd_index *index);
    /* The cell of a box, which is made where there is none yet (that cannot fail), and a place: a note of it, for
     * `move`, `is_far` and `is_high`. Equal places mean the same cell. */
    uint32_t (*locate)(qd_index *index, const qd_row *box, uint32_t *place);
    /* Whether a row with this box, in this place, would be met by many that it has nothing to do with, so that the body
     * is better split. Asked of those that moved without touching where they were. NULL: never. */
    bool (*is_far)(const qd_index *index, const qd_row *box, uint32_t place);
    /* Whether a place is one where boxes that are larger than need be do harm: bodies that are there because they
     * crossed a line are looked at again later. NULL: never. */
    bool (*is_high)(const qd_index *index, uint32_t place);
    /* Moves many bodies: their records, and their rows where they stay in their cells; qd_registry_update for the rest.
     * at[axis][i] is where slots[i] goes. */
    void (*move)(qd_index *index, size_t count, const uint32_t *slots, const float *const *at);
    /* As `move`, while every row counts as changed (rows->all), of bodies of which none comes twice; but those that
     * leave their cells are still in them, and only their records say where they are: they are put into `leavers`, all
     * of whom are to `leave` before anything else happens. Returns how many: it has room for twice as many as there
     * are bodies, as some may be in it again. May run in tasks at the same time, each with bodies of its own. NULL:
     * none can be moved without the others. */
    uint32_t (*move_within)(qd_index *index, size_t count, const uint32_t *slots, const float *const *at,
                            qd_leaver *leavers);
    /* In which part each of some leavers has both its cells, or QD_PARTS: it goes after those of the parts. May run in
     * tasks. NULL: nobody leaves. */
    void (*part)(const qd_index *index, uint32_t count, const qd_leaver *leavers, uint8_t *parts);
    /* All leavers that wait on the stage go to their new cells: those of the parts side by side, then the others, each
     * time in the order of slots. NULL: nobody leaves. */
    void (*leave)(qd_index *index, struct qd_stage *stage, const qd_executor *executor);
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
    uint32_t (*walk_begin)(qd_index *index, qd_walk_plan *plan);
    /* Task number `task`. May commit (qd_walk_commit) cells whose rows no other task reads, which includes those that
     * it carries along from above; the others are committed afterwards. */
    void (*walk)(qd_index *index, struct qd_worker_slot *worker, uint32_t task);
    void (*walk_end)(qd_index *index, const qd_walk_plan *plan, const struct qd_walk_result *result);
    /* After a tick, when all is committed and removed bodies are gone, and after qd_registry_change: plans anew,
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
    struct qd_registry *registry; /* that it serves */
    qd_tuning tuning;
    const qd_space_config *config;
    qd_cell *cell;  /* the lists of rows, by number; the array is the index's own, and may move when it grows */
    uint32_t cells; /* numbers below this may be looked at */
};

/* Each makes an empty index with what `as` says, but for ops and cells. NULL: no memory. */
qd_index *qd_quadtree_create(const qd_index *as);
qd_index *qd_sparse_create(const qd_index *as);
qd_index *qd_hash_create(const qd_index *as);
qd_index *qd_grid_create(const qd_index *as);
qd_index *qd_brute_create(const qd_index *as);

#endif
