/* SPDX-License-Identifier: Apache-2.0
 *
 * A split: one fork's tasks, and the list of splits that may have tasks left.
 *
 * Neighboring tasks mostly work on neighboring memory, and consecutive splits resemble each other. So every worker has
 * a share of the indices, the same part at every split, whose memory is in its cache:
 *
 *     share 0          share 1          share 2
 *     |--> own         |--> own         |--> own         a worker takes from the front of its own share, and when that
 *               <--|             <--|             <--|   is empty from the back of the others
 *
 * A split lives on its caller's stack. The lock of the list's owner guards the list and everything marked [lock].
 */
#ifndef QD_WORK_SPLIT_H
#define QD_WORK_SPLIT_H

#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>

#include "../base/executor.h"
#include "../base/memory/fetch.h"

#define QD_SPLIT_SHARES_MAX 256u /* one per worker of a pool */

/* The indices that no worker has taken: the first one in the lower half, the end in the upper half. */
typedef struct qd_share {
    alignas(QD_LINE_BYTES) _Atomic uint64_t left;
} qd_share;

typedef struct qd_split {
    qd_task_fn task;
    void *argument;
    _Atomic uint32_t helpers; /* written under the lock */
    bool is_behind;           /* of a run from the behind queue: helpers leave when urgent work waits */
    uint32_t slice_ns;        /* helpers work in slices, too (thread/slices.h); 0: in none */
    bool is_awaited;          /* [lock] the caller sleeps */
    uint32_t wanted;          /* [lock] the number of workers still to be called for it */
    pthread_cond_t helpers_out;
    struct qd_split *older, *newer; /* [lock] */
    uint32_t shares;
    qd_share share[QD_SPLIT_SHARES_MAX];
} qd_split;

/* `count` tasks, fewer than 2^32, in one share per worker. */
void qd_split_init(qd_split *split, size_t count, qd_task_fn task, void *argument, uint32_t workers);
/* After qd_split_wait. */
void qd_split_deinit(qd_split *split);

/* [lock] Puts the split on the list, where helpers find it; takes it off. `newest` is the head of the list. */
void qd_split_open(qd_split *split, qd_split **newest);
void qd_split_close(qd_split *split, qd_split **newest);

/* [lock] Returns a split of the list that has tasks left, of a run from the behind queue or of another one. NULL: there is
 * none. */
qd_split *qd_split_find(qd_split *newest, bool is_behind);
/* [lock] Counts a helper in. */
void qd_split_join(qd_split *split);
/* [lock] Counts the helper out. The split may be gone afterwards. */
void qd_split_leave(qd_split *split);

/* Runs tasks until all are taken, first those in the share of worker `own`. A helper passes `is_wanted`, which returns
 * whether it has to go and leave tasks to the others; NULL: the worker stays. */
void qd_split_work(qd_split *split, uint32_t own, bool (*is_wanted)(void *context), void *context);
/* Waits until all helpers of a closed split are out; their writes are visible then. [not under the lock] */
void qd_split_wait(qd_split *split, pthread_mutex_t *lock);

#endif
