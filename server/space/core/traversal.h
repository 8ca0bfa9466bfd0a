/* SPDX-License-Identifier: Apache-2.0
 *
 * The traversal (broad phase) of any index: tasks side by side, each with a worker slot, which has lists to fill and a
 * sink for events, and what they found put together.
 *
 * Owned by the space. A worker slot belongs to the task that runs. A small traversal has no slot of its own, but uses
 * its thread's, which is in the cache whichever space used it before. Without memory for its lists or events, a
 * traversal stops.
 */
#ifndef QD_SPACE_CORE_TRAVERSAL_H
#define QD_SPACE_CORE_TRAVERSAL_H

#include "../../base/executor.h"
#include "../kernel/kernel.h"
#include "../kernel/sort_list.h"
#include "index.h"

#define QD_TRAVERSAL_LEVELS_MAX (QD_SPARSE_DEPTH_MAX + 1)
#define QD_TRAVERSAL_LEAVING_MAX                                                                                       \
    8u /* cells that the traversal is done with; what is in so many lies in the nearest cache */

/* What one task works with, and then the next. When a traversal begins, lists are empty and keep their memory. */
typedef struct qd_worker_slot {
    qd_index *index;
    qd_sink sink; /* sink.quantizer is the index's to set, before it collects */
    qd_list16 level[QD_TRAVERSAL_LEVELS_MAX];
    uint32_t listed[QD_TRAVERSAL_LEVELS_MAX]; /* the cell that a level's list is of, or QD_NONE: for indexes that ask */
    qd_list8 leaf;
    qd_list_sorter sorter;
    const qd_kernel *kernel;
    qd_pair near[QD_PAIRS_ROOM];                /* the sink's */
    uint32_t leaving[QD_TRAVERSAL_LEAVING_MAX]; /* to be committed when no pair waits */
    uint32_t leaving_count;
    bool all;    /* every row counts as changed */
    bool commit; /* qd_traversal_commit does it, rather than nothing */
    bool unmarked;
    qd_heap heap; /* of those beyond the first, and lent ones; not the space's, because tasks run at the same time */
    _Atomic bool taken;
} qd_worker_slot;

typedef struct qd_traversal {
    qd_heap *heap;
    qd_worker_slot **worker; /* kept from traversal to traversal; none while a thread's does (base/memory/scratch.h) */
    uint32_t workers;
    qd_space_event *event; /* of several workers, put together, or of one that was lent */
    size_t event_capacity;
} qd_traversal;

/* `event` is good until the next traversal; it and the count are not to be used when the traversal was stopped at a
 * limit. */
typedef struct qd_traversal_result {
    const qd_space_event *event;
    uint64_t found;
    bool complete;
    qd_space_stop stopped;
    bool without_hits; /* the limit is that of exact tests without an event: another index may have fewer */
    uint64_t tests, exact_tests;
} qd_traversal_result;

void qd_traversal_init(qd_traversal *traversal, qd_heap *heap);
void qd_traversal_deinit(qd_traversal *traversal);
/* Gives back memory that is far more than so many rows need. */
void qd_traversal_trim(qd_traversal *traversal, uint32_t rows);
void qd_traversal_run(qd_traversal *traversal, qd_index *index, const qd_executor *executor, qd_traversal_mode mode,
                      uint64_t limit, qd_traversal_result *result);

/* Now becomes was in the changed rows of a cell that nobody reads any more, but pairs that wait; at once or when these
 * are tested. Never in a traversal for pairs. */
void qd_traversal_commit(qd_worker_slot *worker, uint32_t cell);
/* Whether the rows of a cell are many, and so thin along some axis that 8 bits, the numbers shifted by so many, would
 * hardly tell apart those that lie side by side. */
bool qd_traversal_is_thin(const qd_worker_slot *worker, const qd_cell *cell, uint32_t shift);
/* Whether a list holds a row that changed. */
bool qd_list_is_any_changed(const qd_list16 *list);

#endif
