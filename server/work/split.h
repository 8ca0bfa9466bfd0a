/* SPDX-License-Identifier: Apache-2.0
 *
 * A split of work into tasks (fork and join), and the list of those that may have tasks left.
 *
 * SHARES. Tasks side by side mostly work on memory side by side, and the next split is mostly much like the last. So
 * every worker has a share of the indices, the same part of them at every split, whose memory is in its cache:
 *
 *     share 0          share 1          share 2
 *     |--> own         |--> own         |--> own      its worker takes them from the front; a share that is left when
 *               <--|             <--|             <--|   others are done with theirs is emptied from the back
 *
 * A split is on its caller's stack. The list and all that is marked [lock] is guarded by the lock of who has the list.
 */
#ifndef QD_WORK_SPLIT_H
#define QD_WORK_SPLIT_H

#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>

#include "../base/executor.h"
#include "../base/fetch.h"
#include "pool.h"

/* Indices that nobody took yet: the first in the lower half, the end of them in the upper. */
typedef struct qd_share {
    alignas(QD_LINE_BYTES) _Atomic uint64_t left;
} qd_share;

typedef struct qd_split {
    qd_task_fn task;
    void *argument;
    _Atomic uint32_t helpers; /* written under the lock */
    bool is_awaited;          /* [lock] the caller sleeps */
    uint32_t wanted;          /* [lock] so many more workers are to be called for it */
    pthread_cond_t helpers_out;
    struct qd_split *older, *newer; /* [lock] */
    uint32_t shares;
    qd_share share[QD_POOL_WORKERS_MAX];
} qd_split;

/* `count` tasks, fewer than 2^32, for so many workers. */
void qd_split_init(qd_split *split, size_t count, qd_task_fn task, void *argument, uint32_t workers);
/* Nobody helps with it any more. */
void qd_split_deinit(qd_split *split);

/* [lock] Puts it on the list, whose newest it becomes, where helpers find it; takes it off. */
void qd_split_open(qd_split *split, qd_split **newest);
void qd_split_close(qd_split *split, qd_split **newest);

/* [lock] A split of the list that has tasks left, with the helper counted in; NULL: there is none. */
qd_split *qd_split_join(qd_split *newest);
/* [lock] Counts the helper out, after which the split may be gone. */
void qd_split_leave(qd_split *split);

/* Does tasks until all are taken, those in the share of worker `own` first. */
void qd_split_work(qd_split *split, uint32_t own);
/* Until all helpers of a closed split are out, and what they did is visible. [not under the lock] */
void qd_split_wait(qd_split *split, pthread_mutex_t *lock);

#endif
